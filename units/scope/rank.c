/* units/scope/rank.c - whether this process has the rank that its environment says. */
#include "units/scope/rank.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"

#include "shim/banned.h"

/* --- text --- */

char *text_read(const char *path, size_t max, size_t *n, struct arena *a)
{
	char *text = arena_alloc(a, max + 1);
	ssize_t got = text ? sys_read_file(path, 0, text, max) : -1;

	if (got < 0)
		return NULL;
	text[got] = 0;
	*n = (size_t)got;
	return text;
}

char *text_line(const char *text, const char *head, struct arena *a)
{
	size_t len = strlen(head);

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n >= len && memcmp(text, head, len) == 0) {
			const char *p = text + len, *end = text + n;

			while (p < end && (*p == ' ' || *p == '\t'))
				p++;
			while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
				end--;
			return arena_memdup(a, p, (size_t)(end - p));
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

const char *text_variable(const char *block, size_t m, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at < m; at += strnlen(block + at, m - at) + 1)
		if (m - at > len && !memcmp(block + at, name, len) && block[at + len] == '=' &&
		    memchr(block + at, 0, m - at))
			return block + at + len + 1;
	return NULL;
}

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
