/* jit/rules.c - picks the library's own rules. A switch, since a table of pointers would be
 * relocated in every process. */
#include "jit/rules.h"

#include "jit/nvjitlink.h"
#include "jit/nvrtc.h"
#include "jit/nvvm.h"

#include "shim/banned.h"

#define PICK(id, verb, argument) \
	case JIT_##id:           \
		return verb(argument);

int rules_create(struct call *c)
{
	switch (c->library->id) {
#define LIBRARY(id, rules, ...) PICK(id, rules##_create, c)
#include "jit/libraries.def"
	default:
		return call_real(c);
	}
}

int rules_add(struct call *c)
{
	switch (c->library->id) {
#define LIBRARY(id, rules, ...) PICK(id, rules##_add, c)
#include "jit/libraries.def"
	default:
		return call_real(c);
	}
}

int rules_compile(struct call *c)
{
	switch (c->library->id) {
#define LIBRARY(id, rules, ...) PICK(id, rules##_compile, c)
#include "jit/libraries.def"
	default:
		return call_real(c);
	}
}
