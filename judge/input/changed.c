/* judge/input/changed.c - compares time, identity and content of a file with its state before the
 * run. */
#include "judge/input/input.h"

#include "shim/trace.h"

#include "shim/banned.h"

/* The clock of a network file system may be slightly ahead of ours. */
#define FOREIGN_CLOCK_SLACK 2000000000ll

/* 1: the file changed at or after that time, as far as its clock can tell. */
static int changed_since(struct memo *memo, const char *path, const struct statx *st, int64_t time)
{
	if (!memo_clock_local(memo, -1, path, st))
		time -= FOREIGN_CLOCK_SLACK;
	return times_ns(&st->stx_mtime) >= time || times_ns(&st->stx_ctime) >= time;
}

int changed_too_new(struct start *s, const char *path, const struct statx *st)
{
	return changed_since(&s->memo, path, st, s->times.ran_at);
}

int changed_since_read(struct start *s, const struct tree_file *f, const struct statx *st)
{
	/* Who asked for the file's state before may have asked before it was written. */
	int64_t ran_at = s->times.ran_at;

	return changed_since(&s->memo, f->path, st,
	                     f->flags & TREE_STAT || f->opened_at < ran_at ? ran_at
	                                                                   : f->opened_at);
}

int changed_identity(const struct tree_file *f, const struct statx *st)
{
	return f->identity && f->identity != trace_identity_of(st);
}

int changed_same_stamp(int at, const char *path, const struct statx *was)
{
	struct statx st;

	return sys_statx(at, path, *path ? 0 : AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 &&
	       st.stx_size == was->stx_size && st.stx_ino == was->stx_ino &&
	       times_ns(&st.stx_mtime) == times_ns(&was->stx_mtime) &&
	       times_ns(&st.stx_ctime) == times_ns(&was->stx_ctime);
}

/* The action key holds the content that primary inputs had before the run. Inductor writes them
 * microseconds before the start. So an equal digest and stamp after the run is the proof, not the
 * clock. The change time is a part of it: the modification time may be set back. */
void changed_primaries(struct collect *k)
{
	struct start *s = k->start;

	for (size_t i = 0; i < s->primaries.count; i++) {
		struct primary *p = &s->primaries.v[i];
		struct digest d;

		/* A file that was old then is unchanged if its stamp is. */
		if (!changed_same_stamp(AT_FDCWD, p->path, &p->st) ||
		    (changed_since(&s->memo, p->path, &p->st, s->times.started_at) &&
		     (probe_file_fresh(&s->prober, p->path, &d) < 0 ||
		      !digest_equal(&d, &p->content))))
			collect_refuse(k, REASON_UNSTORED_INPUT_CHANGED, p->path);
	}
}

int changed_sources(struct start *start)
{
	const struct input_text *x = start->text;

	/* With line table sloppiness the times of sources are not looked at. */
	for (int i = 0; x && !x->sloppy && i < x->source_count; i++) {
		const struct input_source *s = &x->sources[i];
		unsigned long long size = 0;
		long long mtime = 0;

		if (!(x->asked >> i & 1))
			continue;
		if (judge_source_times(s->path, &mtime, &size) < 0)
			mtime = 0, size = 0;
		if (mtime != s->mtime || size != s->size) {
			start_detail(start, "%s", s->path);
			return 1;
		}
	}
	return 0;
}

int judge_source_times(const char *path, long long *mtime, unsigned long long *size)
{
	struct statx st;

	if (sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) < 0)
		return -1;
	*mtime = st.stx_mtime.tv_sec;
	*size = st.stx_size;
	return 0;
}
