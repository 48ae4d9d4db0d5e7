/* action/strict.c - errors that only a test would notice, such as a descriptor of ours in a
 * tool. */
#include "action/action.h"

#include <string.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

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
