/* units/rank.c - whether this process has the rank that its environment says. */
#include "units/rank.h"

#include <string.h>

#include "shim/settings.h"
#include "units/text.h"

#include "shim/banned.h"

/* torchrun's, which a worker sets for itself. */
#define RANK "RANK"

/* Marks of workers in command lines: spawn and forkserver of multiprocessing and of its copies,
 * frozen programs, loky, Ray's workers, and titles that replace the line, such as "ray::Actor",
 * "VLLM::Worker_TP1", "sglang::scheduler_TP0". */
static const char *const worker_marks[] = {"spawn_main(", "--multiprocessing-fork",
                                           "multiprocessing.spawn",
                                           "forkserver import main", "popen_loky",
                                           "ray/_private/workers/"};
#define TITLE_MARK "::"

static int holds(const char *text, size_t n, const char *mark)
{
	return memmem(text, n, mark, strlen(mark)) != NULL;
}

static int is_worker(const char *cmdline, size_t n)
{
	for (size_t i = 0; i < sizeof worker_marks / sizeof *worker_marks; i++)
		if (holds(cmdline, n, worker_marks[i]))
			return 1;
	return holds(cmdline, strnlen(cmdline, n), TITLE_MARK);
}

/* 1: the process changed its title. setproctitle overwrites arguments and environment, as measured
 * with Python's: the block holds zeros or the title. */
static int has_title(const char *block, size_t m)
{
	return m && (!*block || !memchr(block, '=', strnlen(block, m)));
}

/* 1: the process has set RANK since its start, as far as the start's environment is visible. */
static int is_set_since(char *const envp[], const char *block, size_t m)
{
	const char *rank = env_get(envp, RANK), *old;

	if (!m || m >= UNIT_ENVIRON_MAX || !rank)
		return 0;
	old = text_variable(block, m, RANK);
	return !old || strcmp(old, rank) != 0;
}

const char *unit_rank_judge(struct rank *r, char *const envp[], const char *cmdline, size_t n,
                            const char *block, size_t m)
{
	rank_read(r, envp);
	if (r->known < 0)
		return "the variables that tell its rank are malformed or contradict each other";
	if (has_title(block, m))
		return "it changed its process title, so its command line cannot be read";
	if (is_worker(cmdline, n) && !is_set_since(envp, block, m))
		return "it is a worker process, and no variable tells its own rank: set RANK and "
		       "WORLD_SIZE in it";
	return NULL;
}
