/* store/candidate.h - candidate: the inputs an earlier run of an action turned out to depend on, and
 * what its result is bound to. Kept as payload of STORE_MANIFEST entries, one entry a slot; a
 * candidate is added whole. Format: table above candidate.c and docs/internals/formats.md.
 *
 * Paths are specs (keying/names.h), opaque here. Parsing is bounded and copies nothing. THREAD. */
#ifndef STORE_CANDIDATE_H
#define STORE_CANDIDATE_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/digest.h"

#define CANDIDATE_INPUTS_MAX 262144 /* a Boost-heavy unit has 40,000 probes */

/* How far the result depends on a name of the run it was recorded in, as judge/bind.c has shown. */
enum name_binding {
	NAME_FREE = 1,   /* any name may stand in its place */
	NAME_LENGTH = 2, /* any of its length: it is exchanged where it stands */
	NAME_BOUND = 3   /* only this */
};
struct bound_name {
	unsigned char kind, index; /* 'T', 'B', 'P', 'X', 'H' */
	const char *text;
	size_t len;
	enum name_binding binding;
};
struct input {
	unsigned char kind;  /* enum input_kind of keying/probe.h */
	unsigned type;       /* PRESENT, NODIR: S_IFMT bits; TWINS: relations; ENV: 1 set, 0 unset; ORDER: 1 the name first, 2 the directory */
	const char *spec;    /* path spec, or the variable's name (ABSENT: the directory) */
	size_t spec_len;
	struct digest value; /* FILE, PROGRAM, REAL_FILE, DIRECTORY; ABSENT, TWINS: digest of the set; SYMLINK, ENV, REALPATH, CWD, PWD, SEARCH: of text; ORDER: none */
	const char *text;    /* SYMLINK target, ENV value (cut at 256 bytes, for people), REALPATH, CWD, PWD: spec */
	size_t text_len;
	uint64_t size;       /* STAT */
	int64_t mtime_ns;    /* STAT */
	const char *const *names; /* ABSENT; TWINS: specs */
	size_t name_count;
};
struct candidate {
	int cwd_bound;            /* for explain; the binding itself is an INPUT_CWD */
	struct bound_name *name;
	size_t name_count;
	struct input *v;
	size_t count;
	struct digest result;     /* K2 */
	int64_t made_at;          /* s since 1970 */
};

void candidate_encode(struct buf *out, const struct candidate *c);
/* 0, or -1 for malformed bytes. Arrays in the arena, strings point into bytes (each ends in NUL). */
int candidate_decode(struct candidate *c, const void *bytes, size_t n, struct arena *a);
/* K2, under which its result lies: of the action's key K1, every input, and the names where the result is bound to them.
 * Pure; by keying/key.h, as every key. */
void candidate_result_key(const struct candidate *c, const struct digest *k1, struct digest *k2);

#endif
