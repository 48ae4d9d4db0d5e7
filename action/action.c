/* action/action.c - functions that the steps of an action share. */
#include "action/action.h"

#include <string.h>

#include "keying/memo_file.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

void action_untraced(const struct action *a)
{
	if (!start_nests(&a->start))
		childenv_set_trace(CHILDENV_UNTRACED);
}

void action_close_remote(struct action *a)
{
	if (!a->agent)
		return;
	if (a->waited_ns)
		log_write(LOG_DEBUG, "remote: waited %ld us", (long)(a->waited_ns / 1000));
	a->waited_ns = 0;
	agent_close(a->agent);
}

/* The action lies in its own arena. */
void action_free(struct action *a)
{
	struct arena arena = a->start.arena;

	if (a->size_limited)
		signal_handler(SIGXFSZ, a->xfsz);
	action_close_remote(a);
	memo_close(&a->start.memo);
	arena_free(&arena);
}

/* --- errors that only a test would notice --- */

struct open_files {
	uint64_t word[16]; /* the first 1024: a compiler opens the higher ones itself */
};

static void list_descriptors(struct open_files *out)
{
	memset(out, 0, sizeof *out);
	for (int fd = 0; fd < 1024; fd++)
		if (sys_fcntl(fd, F_GETFD, 0) >= 0)
			out->word[fd / 64] |= 1ull << (fd % 64);
}

void strict_begin(struct action *a)
{
	if (!setting_number(&a->start.set, SETTING_STRICT))
		return;
	a->open_before = arena_alloc(&a->start.arena, sizeof *a->open_before);
	if (a->open_before)
		list_descriptors(a->open_before);
}

void strict_check(struct action *a)
{
	struct open_files now;

	if (!a->open_before)
		return;
	list_descriptors(&now);
	if (memcmp(&now, a->open_before, sizeof now) == 0)
		return;
	start_detail(&a->start, "a descriptor of ours is open in %s", a->start.call.base);
	start_report(&a->start, "error", REASON_ERROR_DESCRIPTOR, "");
	sys_exit_group(STRICT_STATUS);
}

void strict_end(const struct action *a)
{
	if (a->start.verdict.errors && setting_number(&a->start.set, SETTING_STRICT))
		sys_exit_group(STRICT_STATUS);
}
