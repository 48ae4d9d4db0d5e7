/* store/entry/candidate.h - candidate: the inputs that an earlier run of an action depended on, and
 * the names that its result is bound to. A candidate is the payload of a STORE_MANIFEST entry, one
 * entry a slot, and is always added whole. Format: table above candidate.c and
 * docs/internals/formats.md.
 *
 * Paths are specs (names/names.h), opaque here. Parsing is bounded and copies nothing. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/buf.h"
#include "shim/digest.h"

#define CANDIDATE_INPUTS_MAX 262144 /* a C++ file that uses much of Boost has 40,000 probes */

/* How far the result depends on a name of the run in which it was recorded, as judge/name/bind.c
 * decides. */
enum name_binding {
	NAME_NONE = 0,   /* the candidate has no such name */
	NAME_FREE = 1,   /* any name may replace it */
	/* any name of the same length may replace it, in the bytes where it stands */
	NAME_LENGTH = 2,
	NAME_BOUND = 3,  /* only this name */
	/* as NAME_BOUND, but FREE or LENGTH for a start whose preprocessor shows that no text asks
	 * for the name (judge/text/expanded.c) */
	NAME_ASKED = 4,
	NAME_ASKED_LENGTH = 5,
	/* as NAME_ASKED, but no start has looked yet whether a text asks for the name: the first
	 * with another name does (judge/text/expanded.c) */
	NAME_OPEN = 6,
	NAME_OPEN_LENGTH = 7,
	/* as NAME_OPEN, and an output holds the name where a text can have put it: texts must hand
	 * it to functions that they only declare (ASKS_TELLS) */
	NAME_TOLD = 8,
	NAME_TOLD_LENGTH = 9
};
struct bound_name {
	unsigned char kind, index; /* enum name_kind of names/names.h */
	const char *text;
	size_t len;
	enum name_binding binding;
};
struct input {
	unsigned char kind;  /* enum input_kind of keying/probe.h: its row says what follows */
	unsigned type;       /* of a variable: 1 set, 0 unset */
	const char *spec;    /* path spec, or a word such as the name of the variable */
	size_t spec_len;
	struct digest value;
	const struct digest *form;
	const char *text;    /* a target, an answer, a value; of a path: its spec */
	size_t text_len;
	uint64_t size;
	int64_t mtime_ns;
	const char *const *names; /* ABSENT; DUPLICATES: specs; VARIABLES: NAME=xxxx */
	size_t name_count;
};
struct candidate {
	struct bound_name *name;
	size_t name_count;
	struct input *v;
	size_t count;
	struct digest result;     /* K2 */
	int64_t made_at;          /* as written: candidate_recorded_at() */
};

/* When the recorded run began, ns since 1970. Earlier builds wrote seconds. */
static inline int64_t candidate_recorded_at(const struct candidate *c)
{
	const int64_t s = 1000000000;

	/* As nanoseconds these are the first minutes of 1970. */
	return c->made_at >= 0 && c->made_at < 1000 * s ? c->made_at * s : c->made_at;
}

void candidate_encode(struct buf *out, const struct candidate *c);
/* 0, or -1 for malformed bytes. Arrays are in the arena, strings point into bytes (each ends in
 * NUL). */
int candidate_decode(struct candidate *c, const void *bytes, size_t n, struct arena *a);
/* Computes K2, the key of the candidate's result, from the action's key K1, all inputs, and the
 * names that the result is bound to. Pure; uses keying/key.h, as every key does. */
void candidate_result_key(const struct candidate *c, const struct digest *k1, struct digest *k2);
/* A name with this binding may be asked for: then its binding once it is shown that it is not. Else
 * NAME_NONE. */
enum name_binding name_shown(enum name_binding binding);
/* 1: no start has looked yet: NAME_OPEN to NAME_TOLD_LENGTH. */
int name_is_open(enum name_binding binding);
/* The binding of one of its names, or NAME_NONE. */
enum name_binding candidate_binding(const struct candidate *c, unsigned kind, int index);

/* Checks a candidate from another writer, as far as this is possible without the
 * start that it would serve. `reprise fetch` and judge/output/confine.h both use it.
 *
 * A candidate must name the result that its own inputs and the action's key lead to (K2), not that
 * of another action. Its sets of absent names must have the digests that they claim, since the memo
 * trusts digests. Files that are read for it must not be special (shim/path.h). THREAD.
 * Memory: the caller's arena. */

/* Checks everything that needs no directory. NULL, or the fault in words. */
const char *foreign_candidate(const struct digest *k1, const struct candidate *c);
/* 1: the content of an input of this kind is read. */
int foreign_reads(unsigned kind);
/* 1: the path (relative paths start at cwd) leads as text to what path_special() says. A link could
 * lead there, too, but only a link that exists. */
int foreign_special(const char *cwd, const char *path, struct arena *a);
/* Checks a candidate for a start that the caller does not see: foreign_candidate(), and the inputs
 * as far as they need neither the start's names nor its directory. NULL, or the fault in words. */
const char *foreign_fetched(const struct digest *k1, const struct candidate *c, struct arena *a);
