/* jit/engine.c - a call of a library's function, served. */

#include "jit/jit.h"
#include "jit/library.h"
#include "jit/library/nvjitlink.h"
#include "jit/library/nvrtc.h"
#include "jit/library/nvvm.h"

#include "shim/banned.h"

/* What differs from library to library. Each row of LIBRARY has these three functions, with its
 * prefix, in jit/library/<prefix>.c. */
enum rules { CREATE, ADD, COMPILE };

/* The call, done; its status. c->library is there. */
static int by_rules(struct call *c, enum rules what)
{
	switch (c->library->id) {
#define LIBRARY(id, prefix, ...)                           \
	case JIT_##id:                                     \
		return what == CREATE ? prefix##_create(c) \
		       : what == ADD  ? prefix##_add(c)    \
		                      : prefix##_compile(c);
#include "jit/libraries.def"
	default:
		return call_real(c);
	}
}

/* For a number that no library has: the caller kept a function of a library that it closed. */
#define NO_LIBRARY (-1)

static int destroy(struct call *c)
{
	void **handle = call_pointer(c, 0);
	struct program *p = handle ? program_of(*handle, c->entry) : NULL;

	if (p) {
		c->library = p->library;
		program_drop(p);
	}
	return call_real(c);
}

/* The library calls back while it compiles, and the caller may end the compile so. */
static int callback(struct call *c)
{
	if (c->program) {
		program_materialise(c->program);
		program_refuse(c->program, REASON_BYPASS_LIBRARY, "the program has a callback",
		               NULL);
	}
	return call_real(c);
}

/* Whatever no rule serves is a bypass. */
static int compile(struct call *c)
{
	struct start_times begun;
	int status;

	compile_begins(&begun, c);
	status = c->library && !c->library->unseen ? by_rules(c, COMPILE) : call_real(c);
	compile_ends(&begun, c);
	return status;
}

static int serve(struct call *c)
{
	switch (entry_role(c->entry)) {
	case ROLE_CREATE:
		return by_rules(c, CREATE);
	case ROLE_DESTROY:
		return destroy(c);
	case ROLE_ADD:
		program_round(c->program);
		return by_rules(c, ADD);
	case ROLE_COMPILE:
		program_round(c->program);
		return compile(c);
	case ROLE_CALLBACK:
		return callback(c);
	case ROLE_SIZE:
		return product_size(c);
	case ROLE_BYTES:
		return product_bytes(c);
	case ROLE_STATUS:
		return product_status(c);
	case ROLE_NUMBER:
		return product_number(c);
	case ROLE_NAME:
		return product_name(c);
	}
	return call_real(c);
}

int engine_called(unsigned number, const uintptr_t *word)
{
	struct call c = {.entry = -1};

	if (number >= ENTRY_POINTS)
		linked_find(&c, number - ENTRY_POINTS);
	else
		c.library = entry_points_find(number, &c.entry);
	if (c.entry < 0)
		return NO_LIBRARY;
	call_set_words(&c, word);
	if (!c.library || c.library->unseen)
		return entry_role(c.entry) == ROLE_COMPILE ? compile(&c) : call_real(&c);
	if (entry_role(c.entry) != ROLE_CREATE && entry_role(c.entry) != ROLE_DESTROY)
		c.program = program_of(call_pointer(&c, 0), c.entry);
	return serve(&c);
}
