/* judge/wait/leader.c - follows the trace of a run that is being recorded. */
#include "judge/wait/leader.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "trace/trace_record.h"

#include "shim/banned.h"

/* Events are read in pieces of this size. A record is shorter. */
#define PIECE (64u << 10)
/* A wait compares so many files at most: a build directory has few headers of its own. */
#define COMPARED_MOST 256
/* In `written`. */
#define WRITTEN_FIRST 16

static int is_told(const struct patch_name *n)
{
	return n->kind == NAME_KIND_TEMP || name_is_base(n->kind);
}

void leader_tell(struct start *s)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(&s->flight, hex);
	trace_text(TRACE_STARTED, 0, hex, "", LEADER_FLIGHT);
	for (size_t i = 0; i < s->all_names.count; i++) {
		const struct patch_name *n = &s->all_names.v[i];
		const char *text = is_told(n) ? arena_memdup(&s->arena, n->text, n->len) : NULL;

		if (text)
			trace_text(TRACE_STARTED, 0, text, "", n->kind | (unsigned)n->index << 8);
	}
	trace_text(TRACE_STARTED, 0, s->call.cwd, "", LEADER_DIRECTORY);
}

void leader_begin(struct leader *l, struct start *s, int pid)
{
	*l = (struct leader){.start = s, .pid = pid, .fd = -1, .at = TRACE_HEAD};
	l->name = arena_alloc(&s->arena, (s->all_names.count + 1) * sizeof *l->name);
	l->buffer = arena_alloc(&s->arena, PIECE);
}

/* The first name that tracefile_make() tries. */
static int open_trace(struct leader *l)
{
	char name[32], path[PATH_SIZE];

	format_text(name, sizeof name, "trace.%d.0", l->pid);
	if (!l->name || !l->buffer ||
	    path_join(path, sizeof path, l->start->store.runtime_dir, name) >= sizeof path)
		return -1;
	l->fd = sys_above_streams(sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0));
	return l->fd;
}

void leader_end(struct leader *l)
{
	if (l->fd >= 0)
		sys_close(l->fd);
	l->fd = -1;
}

/* This start's name in place of a leader's name. NULL: it has none. */
static const struct patch_name *ours_of(const struct leader *l, const struct patch_name *n)
{
	return name_list_find(&l->start->all_names, n->kind, n->index);
}

static int is_same(const struct leader *l)
{
	const struct start *s = l->start;
	int same = l->directory_len == s->call.cwd_len &&
	           memcmp(l->directory, s->call.cwd, l->directory_len) == 0;

	for (size_t i = 0; i < l->name_count; i++) {
		const struct patch_name *n = &l->name[i], *o = ours_of(l, n);

		same &= o && o->len == n->len && memcmp(o->text, n->text, n->len) == 0;
	}
	return same;
}

static void learn_start(struct leader *l, const struct event *e)
{
	struct arena *a = &l->start->arena;
	char hex[DIGEST_HEX + 1];

	if (e->arg == LEADER_FLIGHT) {
		digest_hex(&l->start->flight, hex);
		l->ours = strcmp(hex, e->a) == 0;
	} else if (e->arg == LEADER_DIRECTORY) {
		l->directory = arena_memdup(a, e->a, e->a_len);
		l->directory_len = e->a_len;
		l->told = l->directory != NULL;
		l->same = l->told && is_same(l);
	} else if (l->name_count < l->start->all_names.count) {
		const char *text = arena_memdup(a, e->a, e->a_len);

		if (text)
			l->name[l->name_count++] = (struct patch_name){
				(unsigned char)e->arg, (unsigned char)(e->arg >> 8), text,
				e->a_len};
	}
}

/* The path that this start uses where the leader uses `path`. NULL: the same one. */
static const char *ours(const struct leader *l, const struct event *e)
{
	const struct start *s = l->start;
	struct buf moved = BUF_INIT(&l->start->arena);
	struct patch_list found;

	if (e->a_len > l->directory_len && e->a[l->directory_len] == '/' &&
	    memcmp(e->a, l->directory, l->directory_len) == 0) {
		if (l->directory_len == s->call.cwd_len &&
		    memcmp(l->directory, s->call.cwd, l->directory_len) == 0)
			return NULL;
		return arena_cat(&l->start->arena, s->call.cwd, e->a + l->directory_len, NULL);
	}
	patch_find(&found, e->a, e->a_len, l->name, l->name_count, &l->start->arena);
	if (!found.count || found.overflow ||
	    patch_rewrite(&moved, e->a, e->a_len, found.v, found.count, l->name, l->name_count,
	                  s->all_names.v, s->all_names.count) < 0)
		return NULL;
	buf_u8(&moved, 0);
	return moved.failed ? NULL : (const char *)moved.data;
}

static void note_written(struct leader *l, const struct event *e)
{
	const char **v = arena_grow(&l->start->arena, l->written, l->written_count,
	                            &l->written_cap, sizeof *v, WRITTEN_FIRST);
	const char *path = arena_memdup(&l->start->arena, e->a, e->a_len);

	if (!v || !path)
		return;
	l->written = v;
	v[l->written_count++] = path;
}

static int is_written(const struct leader *l, const char *path)
{
	for (size_t i = 0; i < l->written_count; i++)
		if (strcmp(l->written[i], path) == 0)
			return 1;
	return 0;
}

/* 1: where the leader read a file, or found none, this start has another one. */
static int differs_at(struct leader *l, const struct event *e)
{
	struct prober *p = &l->start->prober;
	struct digest theirs, mine;
	const char *path;

	if (is_written(l, e->a) || l->compared >= COMPARED_MOST)
		return 0;
	path = ours(l, e);
	if (!path || strcmp(path, e->a) == 0)
		return 0;
	l->compared++;
	if (e->op == TRACE_ABSENT)
		return probe_file(p, path, &mine, NULL) == 0;
	if (probe_file(p, e->a, &theirs, NULL) != 0)
		return 0; /* no regular file, or gone since */
	return probe_file(p, path, &mine, NULL) != 0 || !digest_equal(&theirs, &mine);
}

static int event_differs(struct leader *l, const struct event *e)
{
	switch (e->op) {
	case TRACE_STARTED:
		if (!l->told)
			learn_start(l, e);
		return 0;
	case TRACE_WRITE:
	case TRACE_UPDATE:
	case TRACE_TEMP:
		note_written(l, e);
		return 0;
	case TRACE_ABSENT:
		return e->flags & TRACE_FLAG_READING && l->told && l->ours && differs_at(l, e);
	case TRACE_READ:
		return l->told && l->ours && differs_at(l, e);
	default:
		return 0;
	}
}

int leader_differs(struct leader *l)
{
	uint64_t tail = 0, at = 0, most;
	struct event e;
	ssize_t n;

	if (l->same || (l->fd < 0 && open_trace(l) < 0) ||
	    sys_pread(l->fd, &tail, sizeof tail, 8) != (ssize_t)sizeof tail || tail <= l->at)
		return 0;
	most = tail - l->at < PIECE ? tail - l->at : PIECE;
	n = sys_pread(l->fd, l->buffer, most, (off_t)l->at);
	/* A record that is being written has no length yet. */
	while (n > 0 && tree_event_next(&e, l->buffer, &at, (uint64_t)n) == 0)
		if (event_differs(l, &e))
			return 1;
	l->at += at;
	return 0;
}
