/* judge/output/shared.c - outputs that another process writes as well. */
#include "judge/output/output.h"

#include <fcntl.h>

#include "judge/input/input.h"
#include "store/shared_page.h"

#include "shim/banned.h"

int output_is_shared(struct start *s, const struct tree_file *f, int fd, const struct statx *st)
{
	const char *notes = s->store.runtime_dir;

	/* Elsewhere another machine gives the times, and may refuse leases. */
	if (memo_clock_local(&s->memo, fd, f->path, st) &&
	    (writers_met(fd, F_RDLCK, notes) || times_ns(&st->stx_mtime) > s->times.ended_at))
		return 1;
	return writers_noted(notes, f->made, s->times.started_ns) ||
	       !changed_same_stamp(AT_FDCWD, f->path, st);
}
