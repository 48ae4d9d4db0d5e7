/* hooks/dlsym.c - look-ups of library functions by name: for the libraries of jit/ they return our
 * functions.
 *
 * All other look-ups must reach the next dlsym by a jump, with the caller's return address in
 * place: the meaning of RTLD_NEXT and RTLD_DEFAULT depends on the caller. Compilers do not
 * guarantee tail calls, so this is assembly. The next dlsym is the one behind us in the loader's
 * order (shim/elfobject.h), so that other wrappers of dlsym keep working. */
#include <dlfcn.h>

#include "jit/jit.h"
#include "jit/state.h"
#include "shim/real.h"

struct found {
	void *answer;
	long ours; /* 0: continue with the next dlsym */
};
/* Called by the code below only. */
struct found dlsym_found(void *handle, const char *name);
struct found dlvsym_found(void *handle, const char *name, const char *version);
/* The next definitions. */
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

/* Not a tail call: for a handle, or the default order, the caller does not matter. */
static void *real_answer(void *handle, const char *name, const char *version)
{
	void *volatile answer = version ? real_dlvsym(handle, name, version)
	                                : real_dlsym(handle, name);

	return answer;
}

/* For a name that is unknown or missing, the next dlsym answers itself, and sets the error. */
static __attribute__((noinline, cold)) struct found served(void *handle, const char *name,
                                                           const char *version)
{
	char api[JIT_VERSION];
	struct jit_library *l;
	enum jit_kind kind;
	int entry = jit_name(name, &kind, api);
	void *answer;

	if (entry < 0 || handle == RTLD_NEXT)
		return (struct found){NULL, 0};
	/* In the default order, our own definitions for linked objects would come first. */
	if (version && handle == RTLD_DEFAULT) {
		answer = real_answer(RTLD_NEXT, name, version);
		l = answer && jit_on ? jit_library_at(kind, api, answer) : NULL;
		return (struct found){l && l->real[entry] == answer ? jit_stub(l, entry) : answer,
		                      1};
	}
	if (!jit_on)
		return (struct found){NULL, 0};
	answer = real_answer(handle, name, version);
	l = answer ? jit_library_at(kind, api, answer) : NULL;
	if (!l || l->real[entry] != answer)
		return (struct found){NULL, 0};
	return (struct found){jit_stub(l, entry), 1};
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
	if (__builtin_expect(!name || !jit_name_might(name), 1))
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
	if (!name || !version || !jit_name_might(name))
		return (struct found){NULL, 0};
	return served(handle, name, version);
}
