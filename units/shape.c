/* units/shape.c - paths of the frameworks' caches, from their ends: most that fail to open are told by one
 * length and two characters. As torch 2.6 to 2.15, Triton 3.2 to 3.9 and TorchAir of torch_npu 2.13 write them. */
#include "units/shape.h"

#include <string.h>

#include "shim/banned.h"

/* SHA-256 as base32: 51 characters of 5 bits, and one of a single bit, which is A or Q. Inductor drops it. */
#define BASE32_CUT 51
#define BASE32_FULL 52
/* As base64: 42 characters of 6 bits, and one of four. */
#define BASE64_CUT 42
#define BASE64_FULL 43
#define SHA256_HEX 64
#define SHA1_HEX 40
#define MD5_HEX 32
#define UUID_LEN 36
#define GRAPH_KEY (1 + BASE32_CUT) /* "f" or "a" before it */

#define BEST_CONFIG ".best_config"
#define INDEX_HEAD "__grp__"
#define INDEX_TAIL ".json"
#define MODULE_FILE "compiled_module"
/* AOTAutograd's only member up to torch 2.7. */
#define ENTRY_FILE "entry"
/* No shape is shorter. */
#define SHAPE_LEAST 40
/* A string's length as a constant. */
#define LEN(text) (sizeof(text) - 1)

enum { LOWER32 = 1, UPPER32 = 2, HEX = 4, DIGIT = 8, BASE64 = 16, LOWER = 32, UPPER = 64 };
static const unsigned char kinds[256] = {
	['0' ... '1'] = HEX | DIGIT | BASE64,
	['2' ... '7'] = HEX | DIGIT | BASE64 | LOWER32 | UPPER32,
	['8' ... '9'] = HEX | DIGIT | BASE64,
	['a' ... 'f'] = HEX | BASE64 | LOWER | LOWER32,
	['g' ... 'z'] = BASE64 | LOWER | LOWER32,
	['A' ... 'Z'] = BASE64 | UPPER | UPPER32,
	['-'] = BASE64,
	['_'] = BASE64,
};

const struct unit_row unit_rows[UNIT_CLASSES_MAX] = {
#define UNIT_CLASS(id, number, name, form, share, help) \
	[number] = {UNIT_##id, name, help, UNIT_##form, SHARE_##share},
#include "units/units.def"
#undef UNIT_CLASS
};

static int is(char c, unsigned kind)
{
	return kinds[(unsigned char)c] & kind;
}

static int all_are(const char *p, size_t n, unsigned kind)
{
	unsigned both = kind;

	for (size_t i = 0; i < n; i++)
		both &= kinds[(unsigned char)p[i]];
	return both != 0;
}

/* The component of exactly n bytes before the one that begins at `at`, or NULL. That none of the bytes is a
 * slash is for the caller to see. */
static const char *before(const char *path, const char *at, size_t n)
{
	size_t room = (size_t)(at - path);

	if (room < n + 1 || at[-1] != '/' || (room > n + 1 && at[-(ptrdiff_t)n - 2] != '/'))
		return NULL;
	return at - n - 1;
}

/* The same of any length, not empty. */
static const char *component_before(const char *path, const char *at)
{
	const char *slash, *p;

	if (at - path < 2 || at[-1] != '/')
		return NULL;
	slash = memrchr(path, '/', (size_t)(at - 1 - path));
	p = slash ? slash + 1 : path;
	return p < at - 1 ? p : NULL;
}

static int is_before(const char *path, const char *at, const char *name, size_t n, const char **start)
{
	const char *p = before(path, at, n);

	*start = p;
	return p && memcmp(p, name, n) == 0;
}

/* from: where the shape begins; name, end: the unit's name. */
static enum unit_part found(struct unit_path *u, const char *path, const char *from, const char *name,
                            const char *end, enum unit_class class, enum unit_part part,
                            const char *member)
{
	u->class = class;
	u->part = part;
	u->unit_len = (size_t)(end - path);
	u->root_len = from > path ? (size_t)(from - path - 1) : 0;
	u->name_at = (size_t)(name - path);
	u->name_len = (size_t)(end - name);
	u->member = member;
	return part;
}

/* key[0..GRAPH_KEY): a component. */
static enum unit_part graph(struct unit_path *u, const char *path, const char *key, const char *member)
{
	enum unit_part part = member ? PART_MEMBER : PART_UNIT;
	const char *from, *two;

	if (!all_are(key, GRAPH_KEY, LOWER32))
		return PART_NONE;
	if (*key == 'a' && is_before(path, key, "aotautograd", 11, &from))
		return found(u, path, from, key, key + GRAPH_KEY, UNIT_AOTAUTOGRAD, part, member);
	if (*key == 'f' && is_before(path, key, key + 1, 2, &two) &&
	    is_before(path, two, "fxgraph", 7, &from))
		return found(u, path, from, key, key + GRAPH_KEY, UNIT_FXGRAPH, part, member);
	return PART_NONE;
}

/* What torch 2.6 and 2.7 find there, and all after them. */
static enum unit_part graph_member(struct unit_path *u, const char *path, const char *base, size_t n)
{
	const char *key = before(path, base, GRAPH_KEY);

	if (!key || (n == BASE32_CUT && !all_are(base, n, LOWER32)) ||
	    (n != BASE32_CUT && (*key != 'a' || memcmp(base, ENTRY_FILE, n))))
		return PART_NONE;
	return graph(u, path, key, base);
}

/* Steps that read backwards from `at`; NULL stays NULL. */
static const char *back_digits(const char *from, const char *at)
{
	const char *p = at;

	while (p && p > from && is(p[-1], DIGIT))
		p--;
	return p == at ? NULL : p;
}

static const char *back_text(const char *from, const char *at, const char *text, size_t n)
{
	return at && (size_t)(at - from) >= n && !memcmp(at - n, text, n) ? at - n : NULL;
}

/* text<M>.<m> */
static const char *back_version(const char *from, const char *at, const char *text, size_t n)
{
	at = back_text(from, back_digits(from, at), ".", 1);
	return back_text(from, back_digits(from, at), text, n);
}

/* <Class>_(dynamic|static)[_aclgraphcache][_gecache]_<32 hex> */
static int is_module_level(const char *p, const char *end)
{
	const char *at, *q;

	if (end - p <= MD5_HEX || !all_are(end - MD5_HEX, MD5_HEX, HEX))
		return 0;
	at = back_text(p, end - MD5_HEX, "_", 1);
	if ((q = back_text(p, at, "_gecache", 8)))
		at = q;
	if ((q = back_text(p, at, "_aclgraphcache", 14)))
		at = q;
	q = back_text(p, at, "_dynamic", 8);
	if (!q)
		q = back_text(p, at, "_static", 7);
	return q && q > p && *p != '.';
}

static int is_kernel_key32(const char *p)
{
	return (p[BASE32_CUT] == 'A' || p[BASE32_CUT] == 'Q') && all_are(p, BASE32_CUT, UPPER32);
}

/* Words that people join have the same characters: one of each kind must be there, as in all but 1 of 1500 keys. */
static int is_kernel_key64(const char *p)
{
	unsigned any = 0;

	for (size_t i = 0; i < BASE64_FULL; i++)
		any |= kinds[(unsigned char)p[i]];
	return (any & LOWER) && (any & UPPER) && (any & DIGIT) && all_are(p, BASE64_FULL, BASE64) &&
	       strchr("AEIMQUYcgkosw048", p[BASE64_CUT]) && !is_module_level(p, p + BASE64_FULL);
}

static int is_uuid(const char *p)
{
	for (size_t i = 0; i < UUID_LEN; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23 ? p[i] != '-' : !is(p[i], HEX))
			return 0;
	return 1;
}

/* Triton's "tmp.pid_<pid>_<uuid>" and, in descendants of its 2.x, "<file>.tmp.pid_<pid>_<number>"; the bundler's
 * "tmp.<uuid>". A kernel may be called tmp: "tmp.json" is none. */
static int is_temporary(const char *name, size_t n)
{
	return *name == '.' || memmem(name, n, "tmp.pid_", 8) ||
	       (n == 4 + UUID_LEN && !memcmp(name, "tmp.", 4) && is_uuid(name + 4));
}

/* key: a kernel's. */
static enum unit_part kernel_member(struct unit_path *u, const char *path, const char *key,
                                    const char *base, size_t n)
{
	int index = n > LEN(INDEX_HEAD) + LEN(INDEX_TAIL) && !memcmp(base, INDEX_HEAD, LEN(INDEX_HEAD)) &&
	            !memcmp(base + n - LEN(INDEX_TAIL), INDEX_TAIL, LEN(INDEX_TAIL));

	if (!n || is_temporary(base, n))
		return PART_NONE;
	return found(u, path, key, key, base - 1, UNIT_TRITON, index ? PART_INDEX : PART_MEMBER, base);
}

/* <2>/x.best_config: <2> is of the source file that x is the digest of. */
static enum unit_part best_config(struct unit_path *u, const char *path, const char *base)
{
	const char *two = before(path, base, 2), *end = base + SHA256_HEX + LEN(BEST_CONFIG);

	if (!two || memcmp(base + SHA256_HEX, BEST_CONFIG, LEN(BEST_CONFIG)) ||
	    !all_are(base, SHA256_HEX, HEX) || !all_are(two, 2, LOWER32))
		return PART_NONE;
	return found(u, path, two, base, end, UNIT_BEST_CONFIG, PART_UNIT, NULL);
}

static enum unit_part gemm(struct unit_path *u, const char *path, const char *base)
{
	const char *from;

	if (!is_before(path, base, "cache", 5, &from) || !all_are(base, SHA256_HEX, HEX))
		return PART_NONE;
	return found(u, path, from, base, base + SHA256_HEX, UNIT_GEMM, PART_UNIT, NULL);
}

static enum unit_part jiterator(struct unit_path *u, const char *path, const char *base, const char *end)
{
	const char *at = end - SHA1_HEX - 1, *kind;

	if (!all_are(at + 1, SHA1_HEX, HEX))
		return PART_NONE;
	at = back_text(base, back_digits(base, at), "_", 1);
	kind = back_text(base, at, "_ptx", 4);
	if (!kind)
		kind = back_text(base, at, "_sass", 5);
	at = back_version(base, back_version(base, kind, "_nvrtc", 6), "_arch", 5);
	if (!at || at == base || *base == '.')
		return PART_NONE;
	return found(u, path, base, base, end, UNIT_JITERATOR, PART_UNIT, NULL);
}

/* [world<W>global_rank<R>][_][tp_rank<T>][_][pp_rank<P>]: at least one, in this order. */
static int is_rank_level(const char *p, const char *end)
{
	static const struct {
		const char *name;
		size_t n;
	} parts[] = {{"pp_rank", 7}, {"tp_rank", 7}, {"global_rank", 11}};
	const char *at = end;

	for (int i = 0; i < 3 && at > p; i++) {
		const char *q = back_text(p, back_digits(p, at), parts[i].name, parts[i].n);

		if (q && i == 2)
			q = back_text(p, back_digits(p, q), "world", 5);
		if (!q)
			continue;
		if (q == p)
			return 1;
		at = q[-1] == '_' ? q - 1 : p;
	}
	return 0;
}

/* method..end is a component; member: what follows, or NULL. */
static enum unit_part torchair(struct unit_path *u, const char *path, const char *method, const char *end,
                               const char *member)
{
	const char *level = component_before(path, method), *upper;

	if (!level || end == method || *method == '.' || is_rank_level(method, end))
		return PART_NONE;
	if (is_rank_level(level, method - 1)) {
		upper = component_before(path, level);
		if (!upper || !is_module_level(upper, level - 1))
			return PART_NONE;
		level = upper;
	} else if (!is_module_level(level, method - 1)) {
		return PART_NONE;
	}
	return found(u, path, level, level, end, UNIT_TORCHAIR, member ? PART_MEMBER : PART_UNIT, member);
}

/* All shapes, one after the other; slash: the last one, or NULL. */
__attribute__((noinline)) static enum unit_part decide(struct unit_path *u, const char *path,
                                                       const char *slash, const char *base,
                                                       const char *end)
{
	size_t n = (size_t)(end - base);
	enum unit_part part = PART_NONE;
	const char *before_base;

	if ((n == BASE32_FULL && is_kernel_key32(base)) || (n == BASE64_FULL && is_kernel_key64(base)))
		return found(u, path, base, base, end, UNIT_TRITON, PART_UNIT, NULL);
	if (n == BASE32_FULL)
		part = graph(u, path, base, NULL);
	else if (n == BASE32_CUT || n == LEN(ENTRY_FILE))
		part = graph_member(u, path, base, n);
	else if (n == SHA256_HEX)
		part = gemm(u, path, base);
	else if (n == SHA256_HEX + LEN(BEST_CONFIG))
		part = best_config(u, path, base);
	if (part == PART_NONE && n > SHA1_HEX && end[-SHA1_HEX - 1] == '_')
		part = jiterator(u, path, base, end);
	if (part != PART_NONE || !slash)
		return part;
	before_base = before(path, base, BASE32_FULL);
	if (before_base && is_kernel_key32(before_base))
		return kernel_member(u, path, before_base, base, n);
	before_base = before(path, base, BASE64_FULL);
	if (before_base && is_kernel_key64(before_base))
		return kernel_member(u, path, before_base, base, n);
	if (n == LEN(MODULE_FILE) && !memcmp(base, MODULE_FILE, n)) {
		before_base = component_before(path, base);
		return before_base ? torchair(u, path, before_base, slash, base) : PART_NONE;
	}
	return torchair(u, path, base, end, NULL);
}

/* 0: the path has no shape. base is n long; the slash before it, if any, is at path + at. */
static inline int may_have_shape(const char *path, size_t at, const char *base, size_t n)
{
	const char *slash = path + at, *digits = slash;

	switch (n) {
	case BASE64_FULL:
	case BASE32_CUT:
	case BASE32_FULL:
	case SHA256_HEX:
	case SHA256_HEX + LEN(BEST_CONFIG):
		return 1;
	case LEN(ENTRY_FILE):
		if (base[0] == 'e' && base[4] == 'y')
			return 1;
		break;
	case LEN(MODULE_FILE):
		if (base[0] == 'c' && base[14] == 'e')
			return 1;
	}
	if (n > SHA1_HEX && base[n - SHA1_HEX - 1] == '_')
		return 1;
	if (at < MD5_HEX)
		return 0;
	if (at >= BASE64_FULL && (at == BASE64_FULL || slash[-BASE64_FULL - 1] == '/'))
		return 1;
	/* Below a kernel's directory, a module's "..._<32 hex>" or a rank's "...rank<R>". */
	while (digits > path && is(digits[-1], DIGIT))
		digits--;
	return slash[-1] == 'A' || slash[-1] == 'Q' ||
	       (digits > path && digits < slash && digits[-1] == 'k') ||
	       (at > MD5_HEX && is(slash[-1], HEX) && slash[-MD5_HEX - 1] == '_');
}

enum unit_part unit_shape(struct unit_path *u, const char *path)
{
	size_t all = strlen(path), at;
	const char *slash, *base;

	if (all < SHAPE_LEAST)
		return PART_NONE;
	slash = memrchr(path, '/', all);
	base = slash ? slash + 1 : path;
	at = (size_t)((slash ? slash : path) - path);
	if (__builtin_expect(!may_have_shape(path, at, base, all - (size_t)(base - path)), 1))
		return PART_NONE;
	return decide(u, path, slash, base, path + all);
}
