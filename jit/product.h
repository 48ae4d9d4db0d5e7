/* jit/product.h - what a caller may ask about a compiled program: sizes and bytes of products and
 * logs, values, names. On a hit the answer comes from the store, otherwise from the library.
 * THREAD.
 *
 * A library's stored answers about a compiled program.
 *
 * One output of a result (store/entry/result.h), "answers", of this table, little-endian:
 *   u8  format, 1
 *   u32 status of the compile
 *   u32 count, then so many of: u8 kind, lstr name, u32 status, u8 there, lstr value
 * kind DATA: name of the product ("PTX"), value its bytes
 * kind EMPTY: bytes that the library writes for a product without bytes: none, or one NUL
 * kind NAME: a name expression and its lowered name; `there` is 0 for a NULL
 * kind VALUE: the answer of another function; `there` is 0 for a NULL
 *
 * Bounded; nothing is copied. The bytes are hostile until answers_decode has read them. THREAD. */
#pragma once

#include "jit/call.h"
#include "shim/arena.h"
#include "shim/buf.h"

#define ANSWERS_FORMAT 1
#define ANSWERS_MAX 4096
enum answer_kind { ANSWER_DATA = 1, ANSWER_NAME = 2, ANSWER_EMPTY = 3, ANSWER_VALUE = 4 };
struct answer {
	enum answer_kind kind;
	const char *name;
	int status;
	int there;
	const char *value; /* ends in NUL, not counted */
	size_t len;
};
struct answers {
	int status;
	struct answer *v;
	unsigned count;
	size_t cap;
	struct arena *arena;
	int failed;
};

/* Takes value and name by reference. */
void answers_add(struct answers *a, const struct answer *one);
void answers_encode(struct buf *out, const struct answers *a);
/* 0, or -1 for malformed bytes. Strings point into them. */
int answers_decode(struct answers *a, const void *bytes, size_t n, struct arena *arena);
/* NULL: there is no such answer. */
const struct answer *answers_find(const struct answers *a, enum answer_kind kind, const char *name);

/* Serves the call of a function with this role; returns its status. */
int product_size(struct call *c);
int product_bytes(struct call *c);
int product_status(struct call *c);
int product_number(struct call *c);
int product_name(struct call *c);
/* Adds the library's answers about a program that it just compiled. */
void product_take(struct program *p, struct answers *a);
