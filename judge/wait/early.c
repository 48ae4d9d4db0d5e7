/* judge/wait/early.c - reads the trace of a run, and digests in pieces. */
#include "judge/wait/early.h"

#include "keying/memo.h"
#include "keying/probe_table.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "trace/trace_record.h"

#include "shim/banned.h"

#define MS 1000000ll
/* As often the trace is read at first. A long run is looked at less often. */
#define PAUSE_LEAST (16 * MS)
#define PAUSE_MOST (500 * MS)
#define LOOKS_OFTEN 64
#define PIECE (64u << 10)
/* So much is read between two looks at the tool's streams: a millisecond. */
#define PIECES_A_TIME 64
/* A run with more such files is judged as before. */
#define FILES_MOST 16

static void end(struct early *h)
{
	memo_unlock(h->lock);
	if (h->fd >= 0)
		sys_close(h->fd);
	h->lock = h->fd = -1;
}

/* 1: the file is large, and neither the memo nor another process has its digest. */
static int begin(struct early *h, struct memo *m, const char *path)
{
	struct digest known;

	if (sys_statx(AT_FDCWD, path, 0, PROBE_STATX, &h->st) < 0 ||
	    (h->st.stx_mode & S_IFMT) != S_IFREG || h->st.stx_size < PROBE_LARGE)
		return 0;
	h->fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (h->fd < 0 || sys_statx(h->fd, "", AT_EMPTY_PATH, PROBE_STATX, &h->st) < 0 ||
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

/* 1: a file was begun. */
static int look(struct early *h, struct memo *m, int trace)
{
	uint64_t tail = 0, at = 0, most;
	struct event e;
	int begun = 0;
	ssize_t n;

	if (sys_pread(trace, &tail, sizeof tail, 8) != (ssize_t)sizeof tail || tail <= h->at)
		return 0;
	most = tail - h->at < PIECE ? tail - h->at : PIECE;
	n = sys_pread(trace, h->buffer, most, (off_t)h->at);
	/* Most files of a compile are headers, and none is so large. */
	while (n > 0 && !begun && tree_event_next(&e, h->buffer, &at, (uint64_t)n) == 0)
		begun = e.op == TRACE_READ && !path_ends(e.a, ".h") && begin(h, m, e.a);
	h->at += at;
	return begun;
}

int64_t early_tick(struct early *h, struct start *s, int trace)
{
	int64_t pause = PAUSE_LEAST;

	if (!h->looks++) {
		h->at = TRACE_HEAD;
		h->fd = h->lock = -1;
		return pause;
	}
	if (!h->buffer && !(h->buffer = arena_alloc(&s->arena, PIECE)))
		return -1;
	if (h->fd >= 0)
		read_on(h, &s->memo);
	if (h->fd >= 0 || (h->files < FILES_MOST && look(h, &s->memo, trace)))
		return 0;
	for (unsigned i = LOOKS_OFTEN; i < h->looks && pause < PAUSE_MOST; i++)
		pause *= 2;
	return h->files < FILES_MOST ? pause : -1;
}

void early_end(struct early *h, struct start *s, int finish)
{
	while (finish && h->looks && h->fd >= 0)
		read_on(h, &s->memo);
	if (h->looks)
		end(h);
}
