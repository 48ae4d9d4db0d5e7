/* jit/library/nvvm.c - libNVVM's rules.
 *
 * libNVVM compiles the modules that it is given. Measured with 12.1, 13.0 and 13.5: two compiles of
 * the same modules in the same order, with the same options in the same order, are equal
 * (tests/e2e/nvvm.bats). Measured with 13.5: it reads no file, not even libdevice. Callers add
 * libdevice as a module. libNVVM prints nothing, and starts no thread without -split-compile. It
 * does not ask for the working directory. It asks for three variables (jit/compile_key.c). */
#include "jit/library/nvvm.h"

#include <string.h>

#include "jit/jit.h"
#include "jit/library/option_state.h"
#include "jit/library/plain_options.h"

#include "shim/banned.h"

/* enum nvvmResult */
enum { SUCCESS = 0, COMPILATION = 9 };

/* Documented options of one compile, or the beginnings of their text. libNVVM hands other options
 * to LLVM ("-opt-...", "-llc-..."). These may print, write files, and stay set for later compiles
 * of the process. */
static const char documented[][24] = {
	"-g",
	"-generate-line-info",
	"-opt=",
	"-arch=compute_",
	"-ftz=",
	"-prec-sqrt=",
	"-prec-div=",
	"-fma=",
	"-gen-lto",
	"-numba-debug",
	"-maxreg=",
	"-Ofast-compile=",
	"-jump-table-density=",
	"-split-compile=1", /* a thread */
};

/* 1: some compile of the process had another option. */
static int others_given;

static int is_documented(const char *option)
{
	for (size_t i = 0; i < sizeof documented / sizeof *documented; i++) {
		size_t n = strlen(documented[i]);

		if (documented[i][n - 1] == '=' || documented[i][n - 1] == '_'
			    ? strncmp(option, documented[i], n) == 0
			    : strcmp(option, documented[i]) == 0)
			return 1;
	}
	return 0;
}

/* The first option that is not documented, or NULL. If there is one, later compiles are not
 * stored. */
static const char *find_other(int n, const char *const *options)
{
	for (int i = 0; i < n; i++)
		if (!options || !options[i] || !is_documented(options[i])) {
			__atomic_store_n(&others_given, 1, __ATOMIC_RELAXED);
			return options && options[i] ? options[i] : "";
		}
	return NULL;
}

static int run(struct program *p)
{
	uint64_t begun = parallel_options_begin(p);
	int status = CALL(p->library, NVVM_CompileProgram, (uintptr_t)p->handle,
	                  (uintptr_t)p->option_count, (uintptr_t)p->options);

	p->mixed = !parallel_options_end(begun) || __atomic_load_n(&others_given, __ATOMIC_RELAXED);
	return status;
}

/* An error in a module follows from the module, like a success. Other failures take no time. */
static int keeps(int status)
{
	return status == SUCCESS || status == COMPILATION;
}

/* (handle, bytes, size, name): the log contains the name. What a lazy module defines is linked on
 * demand. */
static int add_module(struct call *c)
{
	const char *name = call_pointer(c, 3);
	struct program *p = c->program;
	int status = call_real(c);

	if (!p)
		return status;
	if (status != SUCCESS || !c->word[1]) {
		program_refuse(p, REASON_BYPASS_LIBRARY, "the library refused a module", name);
		return status;
	}
	key_add(&p->parts, KEY_PRIMARY,
	        c->entry == NVVM_AddModuleToProgram ? "module" : "lazy module", call_pointer(c, 1),
	        c->word[2]);
	key_add_str(&p->parts, KEY_ARG, name ? "name" : "no name", name ? name : "");
	return status;
}

/* (handle, count, options). The real function runs: it takes less than a third of the compile's
 * time. Its log is still there after the compile. */
static int verify(struct call *c)
{
	const char *const *options = call_pointer(c, 2);
	int n = (int)c->word[1], status = call_real(c);
	const char *other = find_other(n, options);
	struct program *p = c->program;

	if (other && p)
		program_refuse(p, REASON_BYPASS_ARGUMENTS, NOT_SERVED, other);
	if (!p || p->off)
		return status;
	key_add(&p->parts, KEY_ARG, "verified", &status, sizeof status);
	for (int i = 0; i < n; i++)
		key_add_str(&p->parts, KEY_ARG, "verify option", options[i]);
	return status;
}

/* --- public, in header order --- */

/* (handle *) */
int nvvm_create(struct call *c)
{
	int status = call_real(c);
	struct program *p;

	if (status != SUCCESS || !jit_on)
		return status;
	p = program_new(c->library, *(void **)call_pointer(c, 0),
	                (struct program_compile){run, keeps, NULL});
	if (p) {
		p->worth = 1;
		p->directory_free = 1;
	}
	return status;
}

int nvvm_add(struct call *c)
{
	program_reopen(c->program);
	return c->entry == NVVM_VerifyProgram ? verify(c) : add_module(c);
}

/* (handle, count, options) */
int nvvm_compile(struct call *c)
{
	const char *const *options = call_pointer(c, 2);
	int n = (int)c->word[1];
	const char *other = find_other(n, options);
	struct program *p = c->program;

	if (!p)
		return call_real(c);
	program_reopen(p);
	program_keep_options(p, n > 0 && options ? n : 0, options);
	if (other && !p->off)
		program_refuse(p, REASON_BYPASS_ARGUMENTS, NOT_SERVED, other);
	if (p->off || n < 0) {
		p->state = PROGRAM_REAL;
		return call_real(c);
	}
	return serve_compile(p);
}
