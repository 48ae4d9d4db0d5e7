/* units/shape/shape.c - the patterns of all rows, behind a filter that refuses most paths at a
 * look. */
#include "units/shape/shape.h"

#include <string.h>

#include "units/shape/declared.h"
#include "units/shape/pattern.h"

#include "shim/banned.h"

/* A path of a unit ends as one of these kinds says: a pattern of a row's units and, for members,
 * one of its members. */
struct kind {
	unsigned char class, components; /* of path */
	unsigned short path, member;     /* offsets for unit_text; member 0: none */
};

/* What a path needs for a kind to be tried, computed once from the patterns. */
#define LENGTHS 128 /* of last components; the last one stands for all that are longer */
static struct {
	int state; /* FILTER_... */
	size_t least; /* length of the shortest path of any kind */
	struct kind kind[UNIT_KINDS_MAX];
	struct pattern_guard guard[UNIT_KINDS_MAX];
	uint64_t by_length[LENGTHS]; /* bits of kinds */
	/* bits of kinds, by the length of what stands before the last component */
	uint64_t by_above[LENGTHS];
	/* bits of kinds whose guard is of the component before the last one */
	uint64_t before;
} filter;
enum { FILTER_NONE, FILTER_MAKING, FILTER_READY };

/* All kinds: those of units first, since a jiterator's kernel may lie in a directory of Triton's.
 * Their number. */
static unsigned list_kinds(struct kind out[UNIT_KINDS_MAX])
{
	unsigned n = 0;

	for (unsigned i = 1; i < 2 * UNIT_CLASSES_MAX; i++) {
		const struct unit_row *row = &unit_rows[i % UNIT_CLASSES_MAX];
		const char *members = i < UNIT_CLASSES_MAX ? "" : unit_text(row->member);

		if (!row->class || !*unit_text(row->path) || (i > UNIT_CLASSES_MAX && !*members))
			continue;
		for (const char *p = unit_text(row->path); p; p = pattern_next(p))
			for (const char *m = members; m && n < UNIT_KINDS_MAX; m = pattern_next(m))
				out[n++] = (struct kind){
					.class = row->class,
					.components = (unsigned char)pattern_components(p),
					.path = (unsigned short)(row->path +
					                         (p - unit_text(row->path))),
					.member = *members ? (unsigned short)(row->member +
					                                      (m - members)) : 0};
	}
	return n;
}

/* --- matching --- */

static int any_fits(const char *patterns, const char *text, size_t n)
{
	size_t ignored;

	for (const char *p = patterns; p && *p; p = pattern_next(p))
		if (pattern_fits(p, text, n, &ignored))
			return 1;
	return 0;
}

/* path[0 .. n), whose last component begins at `at`. */
static enum unit_part kind_fits(struct unit_path *u, const struct kind *k, const char *path,
                                size_t n, size_t at)
{
	const struct unit_row *row = &unit_rows[k->class];
	size_t end = k->member ? at - 1 : n, name;
	ptrdiff_t from;

	if (k->member && (!at || !pattern_fits(unit_text(k->member), path + at, n - at, &name)))
		return PART_NONE;
	/* What a SET calls its members is no name of a set. */
	if (!k->member && row->form == UNIT_SET &&
	    any_fits(unit_text(row->member), path + at, n - at))
		return PART_NONE;
	from = pattern_place(path, end, k->components);
	if (from < 0 || !pattern_fits(unit_text(k->path), path + from, end - (size_t)from, &name))
		return PART_NONE;
	u->class = (enum unit_class)k->class;
	u->part = !k->member ? PART_UNIT : any_fits(unit_text(row->index), path + at, n - at)
	          ? PART_INDEX : PART_MEMBER;
	u->unit_len = end;
	u->root_len = from ? (size_t)from - 1 : 0;
	u->name_at = (size_t)from + name;
	u->name_len = end - u->name_at;
	u->member = k->member ? path + at : NULL;
	return u->part;
}

/* kinds: bits of those to be tried. ready: as the filter has them. */
__attribute__((noinline)) static enum unit_part decide(struct unit_path *u, const char *path,
                                                       size_t n, size_t at,
                                                       uint64_t kinds, int ready)
{
	struct kind own[UNIT_KINDS_MAX];
	const struct kind *list = ready ? filter.kind : own;

	if (!ready)
		kinds = UINT64_MAX >> (UNIT_KINDS_MAX - list_kinds(own));
	for (; kinds; kinds &= kinds - 1)
		if (kind_fits(u, &list[__builtin_ctzll(kinds)], path, n, at) != PART_NONE)
			return u->part;
	return PART_NONE;
}

/* --- the filter --- */

/* The length of the shortest path of a kind. */
static size_t shortest(const struct kind *k)
{
	struct pattern_guard g = {0};
	size_t n = 0;

	if (k->member)
		pattern_guard(&g, unit_text(k->member), 0);
	n += g.least;
	for (unsigned i = 0; i < k->components; i++) {
		pattern_guard(&g, unit_text(k->path), i);
		n += g.least + (n > 0);
	}
	return n;
}

/* The guard of a path's last component or, where that has none, of the one before it. */
static void filter_add(unsigned i)
{
	const struct kind *k = &filter.kind[i];
	struct pattern_guard *g = &filter.guard[i];
	const char *path = unit_text(k->path);

	pattern_guard(g, k->member ? unit_text(k->member) : path, 0);
	for (size_t n = g->least < LENGTHS ? g->least : LENGTHS - 1; n < LENGTHS &&
	     n <= g->most; n++)
		filter.by_length[n] |= 1ull << i;
	if (g->distance || (!k->member && k->components == 1)) {
		for (size_t n = 0; n < LENGTHS; n++)
			filter.by_above[n] |= 1ull << i;
		return;
	}
	filter.before |= 1ull << i;
	pattern_guard(g, path, k->member ? 0 : 1);
	/* A component of one length follows a slash at one place. */
	if (g->least == g->most) {
		memset(g->set, 0, sizeof g->set);
		g->set['/' / 8] = 1u << '/' % 8;
		g->distance = g->least + 1;
	}
	/* The guarded character lies within what is above, or is the slash before it. */
	for (size_t n = 1; n < LENGTHS; n++)
		if (n + 1 >= g->distance || n == LENGTHS - 1)
			filter.by_above[n] |= 1ull << i;
}

/* 1: the filter can be asked. The first caller makes it. Callers do without it while it is made.
 * They also do so if a vfork child was killed and left it half made in shared memory. */
static int filter_ready(void)
{
	int state = __atomic_load_n(&filter.state, __ATOMIC_ACQUIRE);
	unsigned n;

	if (__builtin_expect(state == FILTER_READY, 1))
		return 1;
	if (state != FILTER_NONE ||
	    !__atomic_compare_exchange_n(&filter.state, &state, FILTER_MAKING, 0, __ATOMIC_ACQ_REL,
	                                 __ATOMIC_RELAXED))
		return 0;
	n = list_kinds(filter.kind);
	filter.least = SIZE_MAX;
	for (unsigned i = 0; i < n; i++) {
		size_t least = shortest(&filter.kind[i]);

		filter.least = least < filter.least ? least : filter.least;
		filter_add(i);
	}
	__atomic_store_n(&filter.state, FILTER_READY, __ATOMIC_RELEASE);
	return 1;
}

static inline int guarded(const char *path, size_t end, const struct pattern_guard *g)
{
	unsigned char c;

	if (!g->distance)
		return 1;
	/* A path's begin is as good as a slash before it. */
	if (g->distance > end)
		return g->distance == end + 1 && (g->set['/' / 8] >> '/' % 8 & 1);
	c = (unsigned char)path[end - g->distance];
	return g->set[c / 8] >> c % 8 & 1;
}

/* Bits of the kinds to be tried. */
static inline uint64_t candidates(const char *path, size_t n, size_t at)
{
	size_t len = n - at, above = at ? at - 1 : 0;
	uint64_t found = 0;

	for (uint64_t left = filter.by_length[len < LENGTHS ? len : LENGTHS - 1] &
	                     filter.by_above[above < LENGTHS ? above : LENGTHS - 1]; left;
	     left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		int before = filter.before >> i & 1;

		if (guarded(path, before ? above : n, &filter.guard[i]))
			found |= 1ull << i;
	}
	return found;
}

/* The kinds of units.def. */
static inline enum unit_part shipped(struct unit_path *u, const char *path, size_t n)
{
	int ready = filter_ready();
	const char *slash;
	uint64_t kinds;
	size_t at;

	if (ready && n < filter.least)
		return PART_NONE;
	slash = memrchr(path, '/', n);
	at = slash ? (size_t)(slash - path) + 1 : 0;
	kinds = ready ? candidates(path, n, at) : 0;
	return !ready || __builtin_expect(kinds != 0, 0) ? decide(u, path, n, at, kinds, ready)
	       : PART_NONE;
}

enum unit_part unit_shape(struct unit_path *u, const char *path)
{
	size_t n = strlen(path);

	if (shipped(u, path, n) != PART_NONE)
		return u->part;
	return __builtin_expect(declared_state == DECLARED_READY, 0) ? declared_shape(u, path, n)
	       : PART_NONE;
}
