/* store/entry/candidate.c - candidate, the payload of a STORE_MANIFEST entry; little-endian, no
 * padding
 *
 *   offset 0  32  result    K2; first, since store_add_candidate compares it
 *         32   8  made_at   ns since 1970, when the recorded run began; earlier builds wrote s
 *         40   1  bits: 1 ignored, never written: earlier builds set it; 2 digests of inputs have
 *                   17 bytes, the first 16 and the last: those between are 0 in all of them
 *         41   4  number of names, each:
 *                   1 kind (enum name_kind of names/names.h), 1 index, 1 binding: 1 free, 2 of
 *                   that length, 3 this one, 4 to 9 as 1 and 2 once shown (enum name_binding),
 *                   string text
 *          .   4  number of inputs, at most CANDIDATE_INPUTS_MAX, each:
 *                   1 kind, string spec, then the fields of its kind (judge/inputs.def), in this
 *                   order:
 *                     TYPE    4
 *                     SET     1: 1 set, 0 not; the text is the first 256 bytes of the value
 *                     VALUE   32 digest; of the text, if the kind has one
 *                     FORM    32 digest
 *                     NAMES   4 number of names, each a string
 *                     TEXT    string
 *                     TIMES   8 size, 8 mtime in ns, signed
 *
 * A string is 4 length, bytes, one NUL that is not counted. A spec is a path as names/names.h
 * spells it. The payload ends with the last input. Specimens: tests/data/candidate-v3.bin with
 * bit 1, and candidate-short-v3.bin with bit 2, decoded by tests/unit/test_candidate.c. */
#include "store/entry/candidate.h"

#include "keying/key.h"
#include "keying/probe.h"
#include "names/patch.h"
#include "shim/path.h"

#include "shim/banned.h"

/* --- foreign --- */

static int set_is_true(const struct input *in)
{
	struct digest_state state;
	struct digest d;

	digest_init(&state);
	for (size_t i = 0; i < in->name_count; i++)
		digest_add(&state, in->names[i], strlen(in->names[i]) + 1);
	digest_final(&state, &d);
	return digest_equal(&d, &in->value);
}

static int is_upward(const char *path)
{
	return strncmp(path, "..", 2) == 0 || strstr(path, "/..") != NULL;
}

const char *foreign_candidate(const struct digest *k1, const struct candidate *c)
{
	struct digest d;

	candidate_result_key(c, k1, &d);
	if (!digest_equal(&d, &c->result))
		return "it names a result of another action";
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_ABSENT && !set_is_true(&c->v[i]))
			return "a set of absent names has another digest";
	return NULL;
}

int foreign_reads(unsigned kind)
{
	return input_reads(kind) != INPUT_READS_NOTHING;
}

/* Resolves ".." as text, to find paths that lead into these directories from anywhere. */
int foreign_special(const char *cwd, const char *path, struct arena *a)
{
	char *full = *path == '/' ? arena_strdup(a, path) : arena_cat(a, cwd, "/", path, NULL);
	char *out = full, *in = full;

	if (!full)
		return 1;
	path_tidy(full);
	while (*in) {
		size_t n = 1 + strcspn(in + 1, "/");

		if (n == 3 && memcmp(in, "/..", 3) == 0) {
			while (out > full && *--out != '/')
				;
		} else {
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	*out = '\0';
	return path_special(full);
}

const char *foreign_fetched(const struct digest *k1, const struct candidate *c, struct arena *a)
{
	const char *why = foreign_candidate(k1, c);

	for (size_t i = 0; i < c->count && !why; i++) {
		const struct input *in = &c->v[i];
		size_t n = strcspn(in->spec, "\x01");
		char *path;

		if (!foreign_reads(in->kind))
			continue;
		path = arena_memdup(a, in->spec + 1, n ? n - 1 : 0);
		/* A name stands for a directory of the start; no path may lead out of it. A
		 * relative path starts in an unknown directory: if it can leave that directory, it
		 * is judged as if it began at the root. */
		if (!path ||
		    ((in->spec[0] == 'A' || is_upward(path)) && foreign_special("/", path, a)) ||
		    (in->spec[n] && strstr(in->spec + n, "/..")))
			why = "an input in a special file system, or read in a way that Reprise "
			      "does not see";
	}
	return why;
}

/* Values of variables are kept for people; the digest decides. */
#define ENV_TEXT_MAX 256
/* The least that a name, an input and an absent name take: a larger count than the rest can hold is
 * wrong. */
enum { NAME_MIN = 3 + 5, INPUT_MIN = 1 + 5, ABSENT_MIN = 5 };

/* The bits of offset 40. */
enum { IGNORED = 1, SHORT_DIGESTS = 2 };
/* Fields of an input. */
enum { TYPE = 1, SET = 2, VALUE = 4, FORM = 8, NAMES = 16, TEXT = 32, TIMES = 64 };
/* XXH3's digest, and no digest: shim/digest.h. */
#define SHORT_SIZE 16

/* -1: no kind of this version. */
static int fields_of(unsigned kind)
{
	switch (kind) {
#define INPUT(kind, number, spec, fields, ...) \
	case number: \
		return fields;
#include "judge/inputs.def"
#undef INPUT
	default:
		return -1;
	}
}

static int is_short(const struct digest *d)
{
	static const unsigned char zeros[DIGEST_SIZE - 1 - SHORT_SIZE];

	return memcmp(d->b + SHORT_SIZE, zeros, sizeof zeros) == 0;
}

static unsigned bits_of(const struct candidate *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!is_short(&c->v[i].value) || (c->v[i].form && !is_short(c->v[i].form)))
			return 0;
	return SHORT_DIGESTS;
}

static void encode_digest(struct buf *out, const struct digest *d, unsigned bits)
{
	buf_add(out, d->b, bits & SHORT_DIGESTS ? SHORT_SIZE : DIGEST_SIZE);
	if (bits & SHORT_DIGESTS)
		buf_u8(out, d->b[DIGEST_SIZE - 1]);
}

static void encode_names_of(struct buf *out, const struct input *in)
{
	buf_u32(out, (unsigned)in->name_count);
	for (size_t i = 0; i < in->name_count; i++)
		buf_lstr(out, in->names[i], strlen(in->names[i]));
}

static void encode_input(struct buf *out, const struct input *in, unsigned bits)
{
	int fields = fields_of(in->kind);
	size_t text_len = fields & SET && in->text_len > ENV_TEXT_MAX ? ENV_TEXT_MAX : in->text_len;

	buf_u8(out, in->kind);
	buf_lstr(out, in->spec, in->spec_len);
	if (fields < 0) {
		out->failed = 1; /* a kind without a row must not reach the store */
		return;
	}
	if (fields & TYPE)
		buf_u32(out, in->type);
	if (fields & SET)
		buf_u8(out, in->type != 0);
	if (fields & VALUE)
		encode_digest(out, &in->value, bits);
	if (fields & FORM)
		encode_digest(out, in->form, bits);
	if (fields & NAMES)
		encode_names_of(out, in);
	if (fields & TEXT)
		buf_lstr(out, in->text, text_len);
	if (fields & TIMES) {
		buf_u64(out, in->size);
		buf_u64(out, (unsigned long long)in->mtime_ns);
	}
}

static void decode_digest(struct reader *r, struct digest *d, unsigned bits)
{
	const void *p = reader_bytes(r, bits & SHORT_DIGESTS ? SHORT_SIZE : DIGEST_SIZE);

	if (p)
		memcpy(d->b, p, bits & SHORT_DIGESTS ? SHORT_SIZE : DIGEST_SIZE);
	if (bits & SHORT_DIGESTS)
		d->b[DIGEST_SIZE - 1] = (unsigned char)reader_u8(r);
}

static void decode_form(struct reader *r, struct input *in, unsigned bits, struct arena *a)
{
	struct digest *form = arena_alloc(a, sizeof *form);

	r->failed |= !form;
	if (form)
		decode_digest(r, form, bits);
	in->form = form;
}

static void decode_names_of(struct reader *r, struct input *in, struct arena *a)
{
	size_t n = reader_u32(r);
	const char **names;

	if (r->failed || n > (size_t)(r->end - r->p) / ABSENT_MIN) {
		r->failed = 1;
		return;
	}
	names = arena_alloc(a, (n + 1) * sizeof *names);
	if (!names) {
		r->failed = 1;
		return;
	}
	for (size_t i = 0; i < n; i++)
		names[i] = reader_lstr(r, NULL);
	in->names = names;
	in->name_count = n;
}

/* 0: the fields have values that no encoder writes. */
static int is_in_range(const struct input *in, int fields)
{
	if (fields & SET)
		return in->type <= 1 && in->text_len <= ENV_TEXT_MAX;
	return in->kind != INPUT_DUPLICATES ||
	       (in->name_count >= 2 && in->type >= 1 &&
	        in->type <= (DUPLICATES_TIME | DUPLICATES_FILE));
}

static void decode_input(struct reader *r, struct input *in, unsigned bits, struct arena *a)
{
	int fields;

	in->kind = (unsigned char)reader_u8(r);
	in->spec = reader_lstr(r, &in->spec_len);
	fields = fields_of(in->kind);
	if (fields < 0) {
		r->failed = 1;
		return;
	}
	if (fields & (TYPE | SET))
		in->type = fields & TYPE ? reader_u32(r) : (unsigned)reader_u8(r);
	if (fields & VALUE)
		decode_digest(r, &in->value, bits);
	if (fields & FORM)
		decode_form(r, in, bits, a);
	if (fields & NAMES)
		decode_names_of(r, in, a);
	if (fields & TEXT)
		in->text = reader_lstr(r, &in->text_len);
	if (fields & TIMES) {
		in->size = reader_u64(r);
		in->mtime_ns = (int64_t)reader_u64(r);
	}
	if (!is_in_range(in, fields))
		r->failed = 1;
}

static void decode_names(struct reader *r, struct candidate *c, struct arena *a)
{
	size_t n = reader_u32(r);

	if (r->failed || n > (size_t)(r->end - r->p) / NAME_MIN ||
	    !(c->name = arena_alloc(a, (n + 1) * sizeof *c->name))) {
		r->failed = 1;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		names_read_kind(r, &c->name[i].kind, &c->name[i].index);
		c->name[i].binding = reader_u8(r);
		c->name[i].text = reader_lstr(r, &c->name[i].len);
		if (c->name[i].binding < NAME_FREE || c->name[i].binding > NAME_TOLD_LENGTH)
			r->failed = 1;
	}
	c->name_count = n;
}

void candidate_encode(struct buf *out, const struct candidate *c)
{
	unsigned bits = bits_of(c);

	buf_add(out, c->result.b, DIGEST_SIZE);
	buf_u64(out, (unsigned long long)c->made_at);
	buf_u8(out, bits);
	buf_u32(out, (unsigned)c->name_count);
	for (size_t i = 0; i < c->name_count; i++) {
		names_put_kind(out, c->name[i].kind, c->name[i].index);
		buf_u8(out, c->name[i].binding);
		buf_lstr(out, c->name[i].text, c->name[i].len);
	}
	if (c->count > CANDIDATE_INPUTS_MAX)
		out->failed = 1;
	buf_u32(out, (unsigned)c->count);
	for (size_t i = 0; i < c->count && !out->failed; i++)
		encode_input(out, &c->v[i], bits);
}

int candidate_decode(struct candidate *c, const void *bytes, size_t n, struct arena *a)
{
	struct reader r = reader_of(bytes, n);
	const void *result = reader_bytes(&r, DIGEST_SIZE);
	unsigned bits;

	memset(c, 0, sizeof *c);
	if (!result)
		return -1;
	memcpy(c->result.b, result, DIGEST_SIZE);
	c->made_at = (int64_t)reader_u64(&r);
	bits = (unsigned)reader_u8(&r);
	decode_names(&r, c, a);
	size_t count = reader_u32(&r);
	if (r.failed || bits > (IGNORED | SHORT_DIGESTS) ||
	    count > CANDIDATE_INPUTS_MAX || count > (size_t)(r.end - r.p) / INPUT_MIN)
		return -1;
	c->v = arena_alloc(a, (count + 1) * sizeof *c->v);
	if (!c->v)
		return -1;
	for (size_t i = 0; i < count && !r.failed; i++)
		decode_input(&r, &c->v[i], bits, a);
	c->count = count;
	return r.failed || r.p != r.end ? -1 : 0;
}

void candidate_result_key(const struct candidate *c, const struct digest *k1, struct digest *k2)
{
	struct key k;

	key_init(&k, NULL);
	key_add_digest(&k, KEY_CANDIDATE, "action", k1);
	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];

		/* Says why the others suffice. */
		if (in->kind == INPUT_PROOF)
			continue;
		struct {
			uint64_t kind, type, size, mtime;
		} fixed = {in->kind, in->type, in->size, (uint64_t)in->mtime_ns};

		key_add(&k, KEY_CANDIDATE, "kind", &fixed, sizeof fixed);
		key_add(&k, KEY_CANDIDATE, "spec", in->spec, in->spec_len);
		key_add_digest(&k, KEY_CANDIDATE, "value", &in->value);
		if (in->form)
			key_add_digest(&k, KEY_CANDIDATE, "form", in->form);
	}
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *n = &c->name[i];
		uint64_t len = n->len;

		if (n->binding == NAME_LENGTH)
			key_add(&k, KEY_CANDIDATE, "name of length", &len, sizeof len);
		else
			key_add(&k, KEY_CANDIDATE, n->binding == NAME_FREE ? "free name" : "name",
			        n->text, n->binding == NAME_FREE ? 0 : n->len);
	}
	key_final(&k, k2);
}

enum name_binding name_shown(enum name_binding binding)
{
	switch (binding) {
	case NAME_ASKED:
	case NAME_OPEN:
	case NAME_TOLD:
		return NAME_FREE;
	case NAME_ASKED_LENGTH:
	case NAME_OPEN_LENGTH:
	case NAME_TOLD_LENGTH:
		return NAME_LENGTH;
	default:
		return NAME_NONE;
	}
}

int name_is_open(enum name_binding binding)
{
	return binding >= NAME_OPEN && binding <= NAME_TOLD_LENGTH;
}

enum name_binding candidate_binding(const struct candidate *c, unsigned kind, int index)
{
	for (size_t i = 0; i < c->name_count; i++)
		if (c->name[i].kind == kind && c->name[i].index == index)
			return c->name[i].binding;
	return NAME_NONE;
}
