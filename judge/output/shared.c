/* judge/output/shared.c - outputs that another process writes as well. */
#include "judge/output/shared.h"

#include <errno.h>
#include <fcntl.h>

#include "judge/input/changed.h"
#include "judge/input/times.h"
#include "shim/kernel/sys.h"
#include "store/writers.h"

#include "shim/banned.h"

/* 1: a process has the file open to write it. Nobody shall wait for us: the lease is returned. */
static int has_writer(int fd)
{
	int rc = sys_lease(fd);

	if (rc == 0)
		sys_fcntl(fd, F_SETLEASE, F_UNLCK);
	return rc == -EAGAIN;
}

int output_is_shared(struct start *s, const struct tree_file *f, int fd, const struct statx *st)
{
	if (writers_noted(s->store.runtime_dir, f->made, s->times.started_ns))
		return 1;
	/* Elsewhere another machine gives the times, and may refuse leases. */
	if (memo_clock_local(&s->memo, fd, f->path, st) &&
	    (times_ns(&st->stx_mtime) > s->times.ended_at || has_writer(fd)))
		return 1;
	return !changed_same_stamp(f->path, st);
}
