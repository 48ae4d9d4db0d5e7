/* jit/product.c - what a caller may ask about a compiled program. */
#include "jit/product.h"

#include <string.h>

#include "jit/program.h"

#include "shim/banned.h"

/* Room for what a library writes where it says that there is nothing. */
#define EMPTY_ROOM 4096

/* The stored answer. NULL: the library is to be asked, and can answer. */
static const struct answer *stored(struct program *p, enum answer_kind kind, const char *name)
{
	const struct answer *a;

	if (!p || p->state != PROGRAM_HIT)
		return NULL;
	a = answers_find(p->answers, kind, name);
	if (!a)
		program_materialise(p);
	return a;
}

static int real(struct call *c)
{
	if (c->program)
		program_materialise(c->program);
	return call_real(c);
}

/* A library writes nothing, or the end of an empty text. */
static void take_empty(struct program *p, struct answers *a, int bytes_entry)
{
	struct answer one = {ANSWER_EMPTY, entry_answer(bytes_entry), 0, 1, "", 0};
	char *bytes = arena_alloc(a->arena, EMPTY_ROOM);

	if (!bytes) {
		a->failed = 1;
		return;
	}
	memset(bytes, 0x5a, EMPTY_ROOM);
	one.status = CALL(p->library, bytes_entry, (uintptr_t)p->handle, (uintptr_t)bytes);
	one.len = bytes[0] != 0x5a;
	one.value = bytes;
	bytes[one.len] = '\0';
	answers_add(a, &one);
}

/* The BYTES row follows the SIZE row. */
static void take_product(struct program *p, struct answers *a, int entry)
{
	struct answer one = {ANSWER_DATA, entry_answer(entry), 0, 1, "", 0};
	size_t size = 0;

	if (!library_real(p->library, entry) || !library_real(p->library, entry + 1))
		return;
	one.status = CALL(p->library, entry, (uintptr_t)p->handle, (uintptr_t)&size);
	if (one.status != 0 || !size)
		take_empty(p, a, entry + 1);
	if (one.status == 0 && size) {
		char *bytes = arena_alloc(a->arena, size + 1);

		if (!bytes ||
		    CALL(p->library, entry + 1, (uintptr_t)p->handle, (uintptr_t)bytes) != 0) {
			a->failed = 1;
			return;
		}
		one.value = bytes;
		one.len = size;
	}
	answers_add(a, &one);
}

static void take_status(struct program *p, struct answers *a, int entry)
{
	struct answer one = {ANSWER_VALUE, entry_answer(entry), 0, 1, "", 0};

	if (!library_real(p->library, entry))
		return;
	one.status = CALL(p->library, entry, (uintptr_t)p->handle);
	answers_add(a, &one);
}

static void take_number(struct program *p, struct answers *a, int entry)
{
	struct answer one = {ANSWER_VALUE, entry_answer(entry), 0, 1, "", 0};
	char *room = arena_alloc(a->arena, sizeof(size_t) + 1);
	size_t n = 0;

	if (!room || !library_real(p->library, entry))
		return;
	one.status = CALL(p->library, entry, (uintptr_t)p->handle, (uintptr_t)&n);
	memcpy(room, &n, sizeof n);
	one.value = room;
	one.len = sizeof n;
	answers_add(a, &one);
}

/* Adds one answer for a name that was never added (the row's name stands for these), and one for
 * each added name. */
static void take_names(struct program *p, struct answers *a, int entry)
{
	struct answer none = {ANSWER_VALUE, entry_answer(entry), 0, 0, "", 0};
	const char *text = NULL;

	if (!library_real(p->library, entry)) {
		a->failed |= p->expressions > 0;
		return;
	}
	none.status = CALL(p->library, entry, (uintptr_t)p->handle, (uintptr_t)none.name,
	                   (uintptr_t)&text);
	if (!text)
		answers_add(a, &none);
	for (unsigned i = 0; i < p->expressions; i++) {
		struct answer one = {ANSWER_NAME, p->expression[i], 0, 0, "", 0};

		text = NULL;
		one.status = CALL(p->library, entry, (uintptr_t)p->handle, (uintptr_t)one.name,
		                  (uintptr_t)&text);
		if (text) {
			one.value = text;
			one.len = strlen(text);
			one.there = 1;
		}
		answers_add(a, &one);
	}
}

static int is_added(const struct program *p, const char *expression)
{
	for (unsigned i = 0; i < p->expressions; i++)
		if (strcmp(p->expression[i], expression) == 0)
			return 1;
	return 0;
}

/* --- public, in header order --- */

int product_size(struct call *c)
{
	size_t *size = call_pointer(c, 1);
	const struct answer *a =
		size ? stored(c->program, ANSWER_DATA, entry_answer(c->entry)) : NULL;

	if (!a)
		return real(c);
	if (a->status == 0)
		*size = a->len;
	return a->status;
}

int product_bytes(struct call *c)
{
	void *to = call_pointer(c, 1);
	const struct answer *a =
		to ? stored(c->program, ANSWER_DATA, entry_answer(c->entry)) : NULL;

	if (a && !(a->status == 0 && a->len))
		a = stored(c->program, ANSWER_EMPTY, entry_answer(c->entry));
	if (!a)
		return real(c);
	memcpy(to, a->value, a->len);
	return a->status;
}

int product_status(struct call *c)
{
	const struct answer *a = stored(c->program, ANSWER_VALUE, entry_answer(c->entry));

	return a ? a->status : call_real(c);
}

int product_number(struct call *c)
{
	size_t *number = call_pointer(c, 1);
	const struct answer *a =
		number ? stored(c->program, ANSWER_VALUE, entry_answer(c->entry)) : NULL;

	if (!a || a->len != sizeof *number)
		return real(c);
	memcpy(number, a->value, sizeof *number);
	return a->status;
}

int product_name(struct call *c)
{
	const char *expression = call_pointer(c, 1), **text = call_pointer(c, 2);
	const struct answer *a = NULL;

	if (c->program && expression && text)
		a = is_added(c->program, expression)
		            ? stored(c->program, ANSWER_NAME, expression)
		            : stored(c->program, ANSWER_VALUE, entry_answer(c->entry));
	/* What the library says of a name that was never added is stored for one such name. It says
	 * the same of every name. */
	if (!a)
		return real(c);
	*text = a->there ? a->value : NULL;
	return a->status;
}

void product_take(struct program *p, struct answers *a)
{
	enum jit_id id = p->library->id;

	for (int e = libraries_first(id); e < libraries_first(id) + libraries_count(id); e++)
		switch (entry_role(e)) {
		case ROLE_SIZE:
			take_product(p, a, e);
			break;
		case ROLE_STATUS:
			take_status(p, a, e);
			break;
		case ROLE_NUMBER:
			take_number(p, a, e);
			break;
		case ROLE_NAME:
			take_names(p, a, e);
			break;
		default:
			break;
		}
}

/* A library's stored answers about a compiled program. */

void answers_add(struct answers *a, const struct answer *one)
{
	struct answer *v = a->count < ANSWERS_MAX
		? arena_grow(a->arena, a->v, a->count, &a->cap, sizeof *v, 16) : NULL;

	if (!v) {
		a->failed = 1;
		return;
	}
	a->v = v;
	a->v[a->count++] = *one;
}

void answers_encode(struct buf *out, const struct answers *a)
{
	buf_u8(out, ANSWERS_FORMAT);
	buf_u32(out, (unsigned)a->status);
	buf_u32(out, a->count);
	for (unsigned i = 0; i < a->count; i++) {
		const struct answer *one = &a->v[i];

		buf_u8(out, one->kind);
		buf_lstr(out, one->name, strlen(one->name));
		buf_u32(out, (unsigned)one->status);
		buf_u8(out, one->there != 0);
		buf_lstr(out, one->value, one->len);
	}
	if (a->failed)
		out->failed = 1;
}

int answers_decode(struct answers *a, const void *bytes, size_t n, struct arena *arena)
{
	struct reader r = reader_of(bytes, n);
	unsigned count;

	*a = (struct answers){.arena = arena};
	if (reader_u8(&r) != ANSWERS_FORMAT)
		return -1;
	a->status = (int)reader_u32(&r);
	count = reader_u32(&r);
	if (r.failed || count > ANSWERS_MAX)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		struct answer one = {0};

		one.kind = (enum answer_kind)reader_u8(&r);
		one.name = reader_text(&r);
		one.status = (int)reader_u32(&r);
		one.there = reader_u8(&r) != 0;
		one.value = reader_lstr(&r, &one.len);
		if (r.failed || !one.name || !one.value || one.kind < ANSWER_DATA ||
		    one.kind > ANSWER_VALUE)
			return -1;
		/* The caller was told no size for such a product, so it may have room for the end
		 * of a text only. */
		if (one.kind == ANSWER_EMPTY && (one.len > 1 || (one.len && one.value[0])))
			return -1;
		answers_add(a, &one);
	}
	return r.p == r.end && !a->failed ? 0 : -1;
}

const struct answer *answers_find(const struct answers *a, enum answer_kind kind, const char *name)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->v[i].kind == kind && strcmp(a->v[i].name, name) == 0)
			return &a->v[i];
	return NULL;
}
