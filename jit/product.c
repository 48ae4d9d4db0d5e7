/* jit/product.c - what there is to ask of a compiled program. */
#include "jit/product.h"

#include <string.h>

#include "shim/banned.h"

#define EMPTY_ROOM 4096 /* should there be something after all */

typedef int size_function(void *, size_t *);
typedef int bytes_function(void *, void *);

int product_size(struct jit_library *l, const struct product *product, void *handle, size_t *size)
{
	struct program *p = program_find(handle);
	const struct answer *a = size ? product_answered(p, ANSWER_DATA, product->name) : NULL;
	size_function *ask;

	if (a) {
		if (a->status == 0)
			*size = a->len;
		return a->status;
	}
	if (p)
		program_materialise(p);
	l = program_library(p, l);
	ask = l ? (size_function *)l->real[product->size] : NULL;
	return ask ? ask(handle, size) : jit_missing(l);
}

int product_bytes(struct jit_library *l, const struct product *product, void *handle, void *to)
{
	struct program *p = program_find(handle);
	const struct answer *a = to ? product_answered(p, ANSWER_DATA, product->name) : NULL;
	bytes_function *get;

	if (a && !(a->status == 0 && a->len))
		a = product_answered(p, ANSWER_EMPTY, product->name);
	if (a) {
		memcpy(to, a->value, a->len);
		return a->status;
	}
	if (p)
		program_materialise(p);
	l = program_library(p, l);
	get = l ? (bytes_function *)l->real[product->get] : NULL;
	return get ? get(handle, to) : jit_missing(l);
}

const struct answer *product_answered(struct program *p, enum answer_kind kind, const char *name)
{
	const struct answer *a;

	if (!p || p->state != PROGRAM_HIT)
		return NULL;
	a = answers_find(p->answers, kind, name);
	if (!a)
		program_materialise(p);
	return a;
}

/* What the library writes where there is nothing: nothing, or the end of an empty text. */
static void take_empty(struct program *p, struct answers *a, const struct product *product, bytes_function *get)
{
	struct answer one = {ANSWER_EMPTY, product->name, 0, 1, "", 0};
	char *bytes = arena_alloc(a->arena, EMPTY_ROOM);

	if (!bytes) {
		a->failed = 1;
		return;
	}
	memset(bytes, 0x5a, EMPTY_ROOM);
	one.status = get(p->handle, bytes);
	one.len = bytes[0] != 0x5a;
	one.value = bytes;
	bytes[one.len] = '\0';
	answers_add(a, &one);
}

void product_take(struct program *p, struct answers *a, const struct product *product)
{
	size_function *ask = (size_function *)p->library->real[product->size];
	bytes_function *get = (bytes_function *)p->library->real[product->get];
	struct answer one = {ANSWER_DATA, product->name, 0, 1, "", 0};
	size_t size = 0;

	if (!ask || !get)
		return;
	one.status = ask(p->handle, &size);
	if (one.status != 0 || !size)
		take_empty(p, a, product, get);
	if (one.status == 0 && size) {
		char *bytes = arena_alloc(a->arena, size + 1);

		if (!bytes || get(p->handle, bytes) != 0) {
			a->failed = 1;
			return;
		}
		one.value = bytes;
		one.len = size;
	}
	answers_add(a, &one);
}
