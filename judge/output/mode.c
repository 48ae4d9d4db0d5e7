/* judge/output/mode.c - permission bits of an output. */
#include "judge/output/mode.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/input/search.h"
#include "judge/start.h"
#include "keying/probe.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/trace.h"

#include "shim/banned.h"

/* --- permissions --- */

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

int mode_record(const struct mode_seen *s, struct result_output *o)
{
	unsigned asked = s->made & 07777, execute = 0111 & ~s->umask;
	/* A list cut them, so they are not known. */
	int cut = s->acl && !s->in_place;
	unsigned before = s->in_place ? s->made >> 16 & 07777 : asked & ~s->umask;

	o->mode = s->mode & 07777;
	if (!s->changed) {
		if (s->in_place && !(s->made & S_IFREG))
			return -1;
		/* The tool's own umask. */
		if (!s->in_place && !s->acl && o->mode != (asked & ~s->umask)) {
			o->mode_kind = MODE_EXACT;
			return 0;
		}
		o->mode_kind = asked == 0666 ? MODE_PLAIN : MODE_MADE;
		o->mode = asked;
		return 0;
	}
	/* Other programs are assumed to set all bits. Bits that match the umask are assumed to
	 * follow the umask. */
	if (s->own_mode) {
		o->mode_kind = MODE_EXACT;
	} else if (s->adds_execute &&
	           (cut ? (o->mode & execute) == execute : o->mode == (before | execute))) {
		o->mode_kind = MODE_EXEC;
	} else if (s->acl) {
		return -1;
	} else if (o->mode == (0777 & ~s->umask) || o->mode == (0666 & ~s->umask)) {
		/* Under such a umask, a program that asks for the execute bits looks like a program
		 * that does not. */
		if ((s->umask & 0111) == 0111)
			return -1;
		o->mode_kind = MODE_SET;
		o->mode = o->mode & 0111 ? 0777 : 0666;
	} else {
		o->mode_kind = MODE_EXACT;
	}
	return 0;
}

unsigned mode_of_new(const struct result_output *o)
{
	if (o->mode_kind == MODE_MADE || o->mode_kind == MODE_SET)
		return o->mode & 07777;
	return 0666;
}

int mode_to_set(const struct result_output *o, unsigned umask, unsigned now)
{
	switch (o->mode_kind) {
	case MODE_EXACT:
		return (int)(o->mode & 07777);
	case MODE_SET:
		return (int)(o->mode & 07777 & ~umask);
	case MODE_EXEC:
		/* This also applies to a file that existed without the execute bits. */
		return 0111 & ~umask & ~now ? (int)((now | (0111 & ~umask)) & 07777) : -1;
	default:
		return -1;
	}
}

/* Compares directories by what they are, and files by their directories. */

/* --- public, in header order --- */

const char *place_directory(struct arena *a, const char *path)
{
	size_t n = path_dir_len(path);

	return n ? arena_memdup(a, path, n) : ".";
}

int place_of(struct arena *a, const char *path, struct place *p)
{
	const char *dir = place_directory(a, path);

	*p = (struct place){.path = path, .base = path_base(path)};
	return dir ? sys_statx(AT_FDCWD, dir, 0, STATX_BASIC_STATS, &p->directory) : -ENOMEM;
}

int place_cuts_bits(struct arena *a, const char *path)
{
	const char *dir = place_directory(a, path);

	return dir && SYS4(SYS_getxattr, dir, "system.posix_acl_default", NULL, 0) > 0;
}

int place_same(const struct place *x, const struct place *y)
{
	return strcmp(x->base, y->base) == 0 && sys_same_file(&x->directory, &y->directory);
}
