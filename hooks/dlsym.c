/* hooks/dlsym.c - dlsym and dlvsym: callers get the entry points of jit/.
 *
 * Every other look-up must reach the next dlsym by a jump, with the caller's return address in
 * place: the meaning of RTLD_NEXT and RTLD_DEFAULT depends on the caller. Compilers do not promise
 * tail calls, hence assembly. The next dlsym is the one behind this object in the loader's order
 * (shim/loader/elfobject.h), so that another wrapper of dlsym keeps working. */
#include <dlfcn.h>

#include "jit/jit.h"
#include "shim/loader/real.h"
#include "shim/path.h"
#include "shim/trace.h"

struct found {
	void *answer;
	long ours; /* 0: jump to the next dlsym */
};
/* Called by the assembly below. */
struct found dlsym_found(void *handle, const char *name);
struct found dlvsym_found(void *handle, const char *name, const char *version);
/* The next dlvsym. */
extern void *(*real_dlvsym)(void *, const char *,
                            const char *) __attribute__((visibility("hidden")));
void *(*real_dlvsym)(void *, const char *, const char *);

#if defined(__x86_64__)
#define STAND_IN(name)                                                                             \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" \
	        "	endbr64\n"                                                                 \
	        "	push %rdi\n	.cfi_adjust_cfa_offset 8\n" \
	        "	push %rsi\n	.cfi_adjust_cfa_offset 8\n" \
	        "	push %rdx\n	.cfi_adjust_cfa_offset 8\n" \
	        "	call " name "_found\n"                                                     \
	        "	mov %rdx, %rcx\n"                                                          \
	        "	pop %rdx\n	.cfi_adjust_cfa_offset -8\n" \
	        "	pop %rsi\n	.cfi_adjust_cfa_offset -8\n" \
	        "	pop %rdi\n	.cfi_adjust_cfa_offset -8\n" \
	        "	test %rcx, %rcx\n"                                                         \
	        "	jne 1f\n"                                                                  \
	        "	jmp *real_" name "(%rip)\n"                                                \
	        "1:	ret\n"                                                                     \
	        ".cfi_endproc\n.size " name ", .-" name "\n")
#elif defined(__aarch64__)
#define STAND_IN(name) \
	__asm__(".text\n.globl " name "\n.type " name ", %function\n" name ":\n.cfi_startproc\n" \
	        "	hint #34\n" /* bti c */ \
	        "	stp x29, x30, [sp, #-48]!\n" \
	        "	.cfi_def_cfa_offset 48\n" \
	        "	.cfi_offset 29, -48\n	.cfi_offset 30, -40\n" \
	        "	mov x29, sp\n" \
	        "	stp x0, x1, [sp, #16]\n" \
	        "	str x2, [sp, #32]\n" \
	        "	bl " name "_found\n" \
	        "	cbnz x1, 1f\n" \
	        "	ldp x0, x1, [sp, #16]\n" \
	        "	ldr x2, [sp, #32]\n" \
	        "	ldp x29, x30, [sp], #48\n" \
	        "	.cfi_restore 30\n	.cfi_restore 29\n	.cfi_def_cfa_offset 0\n" \
	        "	adrp x16, real_" name "\n" \
	        "	ldr x16, [x16, #:lo12:real_" name "]\n" \
	        "	br x16\n" \
	        "	.cfi_def_cfa_offset 48\n" \
	        "	.cfi_offset 29, -48\n	.cfi_offset 30, -40\n" \
	        "1:	ldp x29, x30, [sp], #48\n" \
	        "	.cfi_restore 30\n	.cfi_restore 29\n	.cfi_def_cfa_offset 0\n" \
	        "	ret\n" \
	        ".cfi_endproc\n.size " name ", .-" name "\n")
#else
#error "no dlsym for this machine"
#endif
STAND_IN("dlsym");
STAND_IN("dlvsym");

/* A call, not a jump: with a handle, or in the default order, the caller does not matter. */
static void *real_answer(void *handle, const char *name, const char *version)
{
	void *volatile answer =
		version ? real_dlvsym(handle, name, version) : real_dlsym(handle, name);

	return answer;
}

/* 1: a file of the library's name holds the function. dladdr takes no lock that dlsym does not, and
 * so does not wait in a forked child. */
static int is_named(int entry, const void *function)
{
	int (*find)(const void *, Dl_info *);
	Dl_info in;

	find = (int (*)(const void *, Dl_info *))real_late("dladdr");
	return find && find(function, &in) && in.dli_fname &&
	       libraries_is(entry_library(entry), path_base(in.dli_fname));
}

/* The entry point in place of the function that the next dlsym found. NULL: not served. */
static void *served_by(int entry, const char *version, void *answer)
{
	struct jit_library *l = NULL;

	if (answer && jit_on)
		l = library_at(entry_library(entry), version, answer);
	if (!l && answer && jit_on && jit_forked && is_named(entry, answer))
		l = library_unseen(entry, version, answer);
	return l && library_real(l, entry) == answer ? entry_code(l, entry) : NULL;
}

/* Anything else is left to the next dlsym, which also says why a name is not found. */
static __attribute__((noinline, cold)) struct found served(void *handle, const char *name,
                                                           const char *version)
{
	char api[JIT_VERSION];
	int entry = names_find(name, api);
	void *answer, *ours;

	if (entry < 0 || handle == RTLD_NEXT)
		return (struct found){NULL, 0};
	/* In the default order Reprise's definitions for linked objects would come first. */
	if (version && handle == RTLD_DEFAULT) {
		answer = real_answer(RTLD_NEXT, name, version);
		ours = served_by(entry, api, answer);
		return (struct found){ours ? ours : answer, 1};
	}
	if (!jit_on)
		return (struct found){NULL, 0};
	ours = served_by(entry, api, real_answer(handle, name, version));
	return (struct found){ours, ours != NULL};
}

struct found dlsym_found(void *handle, const char *name)
{
	if (__builtin_expect(!real_dlsym, 0)) {
		real_find_dlsym();
		/* Before glibc 2.34 a program without libdl has no dlsym; a weak reference to it
		 * has found ours. */
		if (!real_dlsym)
			return (struct found){NULL, 1};
	}
	if (__builtin_expect(!name || !names_may_find(name), 1))
		return (struct found){NULL, 0};
	return served(handle, name, NULL);
}

struct found dlvsym_found(void *handle, const char *name, const char *version)
{
	if (!real_dlvsym) {
		real_dlvsym = (void *(*)(void *, const char *, const char *))real_late("dlvsym");
		if (!real_dlvsym)
			return (struct found){NULL, 1};
	}
	if (!name || !version || !names_may_find(name))
		return (struct found){NULL, 0};
	return served(handle, name, version);
}

/* Objects that a program loads and closes again: ld and ar do so with their plugins.
 *
 * dlopen itself is not hooked: a function between it and its caller breaks $ORIGIN in the caller's
 * RUNPATH (facts on the loader in docs/internals/coverage.md). Loaded objects are recorded before
 * they are closed, and at exit. */

EXPORT int dlclose(void *handle)
{
	if (trace_process())
		trace_loaded();
	return REAL(dlclose) ? REAL(dlclose)(handle) : -1;
}
