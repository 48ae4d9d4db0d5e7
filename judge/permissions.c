/* judge/permissions.c - asks access(2) what a tree asked, and compares. */
#include "judge/permissions.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/search.h"
#include "judge/start.h"
#include "keying/probe.h"
#include "shim/sys.h"
#include "shim/trace.h"

#include "shim/banned.h"

#define ANY_PERMISSION (R_OK | W_OK | X_OK)

unsigned permissions_of(const char *path, unsigned asked)
{
	unsigned answers = asked & TRACE_ASKED_ANY;

	/* access asks for the real user, eaccess for the effective one. */
	if (!answers || getauxval(AT_UID) != getauxval(AT_EUID))
		return 0;
	for (int permissions = 1; permissions <= ANY_PERMISSION; permissions++)
		if (asked & TRACE_ASKED(permissions) && sys_access(path, permissions) == 0)
			answers |= TRACE_GRANTED(permissions);
	return answers;
}

/* The questions that an input of the content answers. A file that was read may be read, and a file
 * that was run may be run. */
static unsigned implied_by_content(const struct tree_file *f, unsigned type)
{
	unsigned implied = 0;

	if (type != S_IFREG)
		return 0;
	if (f->flags & TREE_READ)
		implied |= TRACE_ASKED(R_OK) | TRACE_GRANTED(R_OK);
	if (f->flags & TREE_RUN)
		implied |= TRACE_ASKED(X_OK) | TRACE_GRANTED(X_OK) | TRACE_ASKED(R_OK | X_OK) |
		           TRACE_GRANTED(R_OK | X_OK);
	return implied;
}

int collect_permissions(struct collect *k, const struct tree_file *f)
{
	struct input *in;
	unsigned type = 0;

	/* If this process may not look at it, judge/inputs.c decides. A search along PATH is an
	 * input of its own. */
	if (probe_present(&k->start->prober, f->path, &type) < 0 ||
	    !(f->permissions & ~implied_by_content(f, type)) ||
	    ((f->permissions & TRACE_ASKED_ANY) == TRACE_ASKED(X_OK) &&
	     judge_on_path(&k->start->call, f->path, &k->start->arena)))
		return 0;
	if (permissions_of(f->path, f->permissions) != f->permissions) {
		collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, f->path);
		return 0;
	}
	in = collect_input(k, INPUT_PRESENT);
	if (in) {
		in->type = type | f->permissions;
		collect_spec(k, in, f->path, collect_relative(f));
	}
	return in != NULL;
}
