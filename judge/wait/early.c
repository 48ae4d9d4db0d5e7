/* judge/wait/early.c - reads the trace of a run, and digests in pieces. */
#include "judge/wait/early.h"

#include <string.h>

#include "keying/memo.h"
#include "keying/probe.h"
#include "keying/probe_table.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "trace/trace_record.h"

#include "shim/banned.h"

#define MS 1000000ll
/* The first pause, also after each file that was digested. It doubles after a look that found none:
 * where the memo knows all files, each wakeup only takes time from the job. */
#define PAUSE_LEAST (16 * MS)
#define PAUSE_MOST (500 * MS)
#define PIECE (64u << 10)
/* So much is read between two looks at the tool's streams: a millisecond. */
#define PIECES_A_TIME 64
/* A run with more such files is judged as before. */
#define FILES_MOST 16
/* So many small files are digested between two looks at the streams, and so many that are known in
 * a row end it. */
#define SMALL_A_TIME 16
#define KNOWN_MOST 32
/* So many libraries of the command are looked for between two looks at the streams. */
#define NAMES_A_TIME 16

static void end(struct early *h)
{
	memo_unlock(h->lock);
	if (h->fd >= 0)
		sys_close(h->fd);
	h->lock = h->fd = -1;
}

/* A large file. 1: neither the memo nor another process has its digest. */
static int begin(struct early *h, struct memo *m, const char *path)
{
	struct digest known;

	h->fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (h->fd < 0 || sys_statx(h->fd, "", AT_EMPTY_PATH, MEMO_STATX, &h->st) < 0 ||
	    memo_get(m, MEMO_CONTENT, h->fd, NULL, &h->st, NULL, &known)) {
		end(h);
		return 0;
	}
	/* None: the memo would not keep the digest, or another process is at it. */
	h->lock = memo_lock(m, MEMO_CONTENT, h->fd, NULL, &h->st, NULL, 0);
	if (h->lock < 0 || memo_get(m, MEMO_CONTENT, h->fd, NULL, &h->st, NULL, &known)) {
		end(h);
		return 0;
	}
	digest_init(&h->state);
	return 1;
}

static void read_on(struct early *h, struct memo *m)
{
	struct digest content;
	ssize_t n = 1;

	for (int i = 0; i < PIECES_A_TIME && n > 0; i++) {
		n = sys_read(h->fd, h->buffer, PIECE);
		if (n > 0)
			digest_add(&h->state, h->buffer, (size_t)n);
	}
	if (n > 0)
		return;
	if (n == 0) {
		digest_final(&h->state, &content);
		memo_put(m, MEMO_CONTENT, h->fd, NULL, &h->st, NULL, &content);
	}
	h->files++;
	end(h);
}

/* Most files are headers, and none is large. */
static int is_header(const char *path)
{
	return path_ends(path, ".h") || strstr(path, "/include/");
}

static int64_t changed_ns(const struct statx *st)
{
	return st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;
}

/* A file that the run reads, or will read. 1: the streams are to be looked at. */
static int take(struct early *h, struct start *s, const char *path)
{
	struct digest content;
	struct statx st;

	if ((h->known >= KNOWN_MOST && is_header(path)) ||
	    sys_statx(AT_FDCWD, path, 0, MEMO_STATX, &st) < 0 ||
	    (st.stx_mode & S_IFMT) != S_IFREG || changed_ns(&st) >= h->young)
		return 0;
	if (st.stx_size >= PROBE_LARGE)
		return h->files < FILES_MOST && begin(h, &s->memo, path);
	if (h->known >= KNOWN_MOST)
		return 0;
	if (memo_get(&s->memo, MEMO_CONTENT, -1, path, &st, NULL, &content)) {
		h->known++;
		return 0;
	}
	/* Where the memo would keep nothing, the judge would read the file again. */
	if (!memo_keeps(&s->memo, -1, path, &st) ||
	    probe_file(&s->prober, path, &content, NULL) < 0)
		return 0;
	h->known = 0;
	h->pause = PAUSE_LEAST;
	return ++h->small % SMALL_A_TIME == 0;
}

/* 1: there is more. */
static int look(struct early *h, struct start *s, int trace)
{
	uint64_t tail = 0, at = 0, most;
	struct event e;
	int begun = 0;
	ssize_t n;

	if (sys_pread(trace, &tail, sizeof tail, 8) != (ssize_t)sizeof tail || tail <= h->at)
		return 0;
	most = tail - h->at < PIECE ? tail - h->at : PIECE;
	n = sys_pread(trace, h->buffer, most, (off_t)h->at);
	while (n > 0 && !begun && tree_event_next(&e, h->buffer, &at, (uint64_t)n) == 0)
		begun = e.op == TRACE_READ && take(h, s, e.a);
	h->at += at;
	return begun;
}

/* 1: there is more. What links nothing may name directories that are slow, or hang. */
static int look_ahead(struct early *h, struct start *s)
{
	const char *path;

	if (!(s->cmd.flags & CMD_LINK))
		return 0;
	for (int i = 0; i < NAMES_A_TIME; i++) {
		path = cmdline_library(&s->cmd, &h->libraries, &s->arena);
		if (!path || take(h, s, path))
			return path != NULL;
	}
	return 1;
}

int64_t early_tick(struct early *h, struct start *s, int trace)
{
	int64_t pause;

	if (!h->begun) {
		h->begun = 1;
		h->pause = PAUSE_LEAST;
		h->at = TRACE_HEAD;
		h->young = sys_now_ns(CLOCK_REALTIME) - MEMO_RACY_NS;
		h->fd = h->lock = -1;
		return h->pause;
	}
	if (!h->buffer && !(h->buffer = arena_alloc(&s->arena, PIECE)))
		return -1;
	if (h->fd >= 0)
		read_on(h, &s->memo);
	if (h->fd >= 0 || look(h, s, trace) || look_ahead(h, s)) {
		h->pause = PAUSE_LEAST;
		return 0;
	}
	pause = h->pause;
	h->pause = pause < PAUSE_MOST / 2 ? 2 * pause : PAUSE_MOST;
	return pause;
}

void early_end(struct early *h, struct start *s, int finish)
{
	while (finish && h->begun && h->fd >= 0)
		read_on(h, &s->memo);
	if (h->begun)
		end(h);
}
