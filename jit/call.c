/* jit/call.c - calls of the library's own functions, by libffi. */
#include "jit/call.h"

#include <ffi.h>
#include <string.h>

#include "jit/jit.h"
#include "jit/program.h"

#include "shim/banned.h"

static struct {
	ffi_cif cif;
	ffi_type *types[CALL_WORDS];
} prepared[JIT_ENTRIES];
static int state; /* 0 not yet, 1 prepared, -1 refused */

static ffi_type *type_of(char letter)
{
	switch (letter) {
	case 'i':
		return &ffi_type_sint32;
	case 'u':
		return &ffi_type_uint32;
	case 'z':
		return &ffi_type_uint64;
	default:
		return &ffi_type_pointer;
	}
}
_Static_assert(sizeof(int) == 4 && sizeof(size_t) == 8 && sizeof(void *) == 8, "type_of");

static int prepare(int entry)
{
	const char *signature = entry_signature(entry);
	unsigned n = (unsigned)strlen(signature) - 1;

	for (unsigned i = 0; i < n; i++)
		prepared[entry].types[i] = type_of(signature[1 + i]);
	return ffi_prep_cif(&prepared[entry].cif, FFI_DEFAULT_ABI, n, type_of(signature[0]),
	                    prepared[entry].types) == FFI_OK
		       ? 0
		       : -1;
}

/* Machines are little-endian: a narrow argument lies at the address of its word. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "call");

static int call(void *function, int entry, const uintptr_t *word)
{
	void *at[CALL_WORDS];
	ffi_arg result = 0;

	if (!function || call_prepare() < 0)
		return libraries_failure(entry_library(entry));
	for (unsigned i = 0; i < prepared[entry].cif.nargs; i++)
		at[i] = (void *)&word[i];
	ffi_call(&prepared[entry].cif, FFI_FN(function), &result, at);
	return (int)result;
}

/* --- public, in header order --- */

int call_prepare(void)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

	if (now)
		return now < 0 ? -1 : 0;
	jit_spin_take();
	now = state ? state : 1;
	for (int e = 0; !state && e < JIT_ENTRIES; e++)
		if (prepare(e) < 0)
			now = -1;
	__atomic_store_n(&state, now, __ATOMIC_RELEASE);
	jit_spin_release();
	return now < 0 ? -1 : 0;
}

void call_set_words(struct call *c, const uintptr_t *word)
{
	const char *type = entry_signature(c->entry) + 1;

	for (int i = 0; type[i]; i++)
		c->word[i] = type[i] == 'i'   ? (uintptr_t)(intptr_t)(int)word[i]
		             : type[i] == 'u' ? (uint32_t)word[i]
		                              : word[i];
}

int call_real(const struct call *c)
{
	const struct jit_library *l = c->program ? c->program->library : c->library;

	return call(l ? library_real(l, c->entry) : c->real, c->entry, c->word);
}

int call_entry(const struct jit_library *l, int entry, const uintptr_t *word)
{
	return call(library_real(l, entry), entry, word);
}
