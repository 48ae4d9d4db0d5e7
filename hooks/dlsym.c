/* hooks/dlsym.c - a library's functions are looked up by name: those of jit/ are ours.
 *
 * Everything else must reach the next dlsym by a jump, with the caller's return address in place: what RTLD_NEXT and
 * RTLD_DEFAULT mean depends on who calls. A compiler's tail call is no promise, hence assembly. The next dlsym is the one
 * behind us in the loader's order (shim/elfobject.h), so that another one that wraps it keeps working. */
#include <dlfcn.h>

#include "jit/jit.h"
#include "shim/real.h"

struct found {
	void *answer;
	long ours; /* 0: jump on */
};
/* By the code below alone. */
struct found dlsym_found(void *handle, const char *name);

#if defined(__x86_64__)
__asm__(".text\n.globl dlsym\n.type dlsym, @function\n"
        "dlsym:\n.cfi_startproc\n"
        "	endbr64\n"
        "	push %rdi\n	.cfi_adjust_cfa_offset 8\n"
        "	push %rsi\n	.cfi_adjust_cfa_offset 8\n"
        "	sub $8, %rsp\n	.cfi_adjust_cfa_offset 8\n"
        "	call dlsym_found\n"
        "	add $8, %rsp\n	.cfi_adjust_cfa_offset -8\n"
        "	pop %rsi\n	.cfi_adjust_cfa_offset -8\n"
        "	pop %rdi\n	.cfi_adjust_cfa_offset -8\n"
        "	test %rdx, %rdx\n"
        "	jne 1f\n"
        "	jmp *real_dlsym(%rip)\n"
        "1:	ret\n"
        ".cfi_endproc\n.size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl dlsym\n.type dlsym, %function\n"
        "dlsym:\n.cfi_startproc\n"
        "	stp x29, x30, [sp, #-32]!\n	.cfi_def_cfa_offset 32\n	.cfi_offset 29, -32\n	.cfi_offset 30, -24\n"
        "	mov x29, sp\n"
        "	stp x0, x1, [sp, #16]\n"
        "	bl dlsym_found\n"
        "	cbnz x1, 1f\n"
        "	ldp x0, x1, [sp, #16]\n"
        "	ldp x29, x30, [sp], #32\n	.cfi_restore 30\n	.cfi_restore 29\n	.cfi_def_cfa_offset 0\n"
        "	adrp x16, real_dlsym\n"
        "	ldr x16, [x16, #:lo12:real_dlsym]\n"
        "	br x16\n"
        "	.cfi_def_cfa_offset 32\n	.cfi_offset 29, -32\n	.cfi_offset 30, -24\n"
        "1:	ldp x29, x30, [sp], #32\n	.cfi_restore 30\n	.cfi_restore 29\n	.cfi_def_cfa_offset 0\n"
        "	ret\n"
        ".cfi_endproc\n.size dlsym, .-dlsym\n");
#else
#error "no dlsym for this machine"
#endif

/* As if from behind us; not in tail position. */
static void *real_answer(void *handle, const char *name)
{
	void *volatile answer = real_dlsym(handle, name);

	return answer;
}

/* Ours, as the program's handle leads there (dlopen(NULL)). */
static int is_ours(const void *code)
{
	struct elfobject o, we;

	return elfobject_at(&o, code) == 0 && elfobject_at(&we, (const void *)dlsym_found) == 0 && o.base == we.base;
}

static __attribute__((noinline, cold)) struct found served(void *handle, const char *name)
{
	char version[JIT_VERSION];
	struct jit_library *l;
	enum jit_kind kind;
	int entry = jit_name(name, &kind, version);
	void *answer;

	if (entry < 0)
		return (struct found){NULL, 0};
	if (handle == RTLD_NEXT) {
		/* Our own export is no answer where there is no library. */
		answer = real_answer(RTLD_NEXT, name);
		return (struct found){NULL, !answer};
	}
	answer = real_answer(handle == RTLD_DEFAULT ? RTLD_NEXT : handle, name);
	if (answer && is_ours(answer))
		answer = real_answer(RTLD_NEXT, name);
	l = answer && jit_on ? jit_library_at(kind, version, answer) : NULL;
	return (struct found){l && l->real[entry] == answer ? jit_stub(l, entry) : answer, 1};
}

struct found dlsym_found(void *handle, const char *name)
{
	if (__builtin_expect(!real_dlsym, 0))
		real_find_dlsym();
	if (__builtin_expect(!name || !jit_name_might(name), 1))
		return (struct found){NULL, 0};
	return served(handle, name);
}
