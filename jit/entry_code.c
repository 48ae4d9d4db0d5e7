/* jit/entry_code.c - the functions that callers get in place of a library's. */
#include "jit/jit.h"

#include "shim/banned.h"

/* Bytes from one entry point to the next, and the power of two. */
#define STEP 16
#define STEP_POWER "4"

__asm__(".text\n"
        "	.p2align " STEP_POWER "\n"
        "	.globl entry_code_first\n	.hidden entry_code_first\n"
        "	.type entry_code_first, %function\n"
        "entry_code_first:\n"
        "	.cfi_startproc\n"
        "	.set entry_point_number, 0\n"
        "	.rept " ENTRY_POINTS_TEXT "\n"
        "	.p2align " STEP_POWER "\n" ENTRY_POINT_CODE("entry_point_number")
        "	.set entry_point_number, entry_point_number + 1\n"
        "	.endr\n"
        "	.cfi_endproc\n"
        "	.size entry_code_first, . - entry_code_first\n");

#if defined(__x86_64__)
__asm__(".text\n"
        "	.globl entry_code_enter\n	.hidden entry_code_enter\n"
        "	.type entry_code_enter, %function\n"
        "entry_code_enter:\n"
        "	.cfi_startproc\n"
        "	push %rbp\n	.cfi_def_cfa_offset 16\n	.cfi_offset %rbp, -16\n"
        "	mov %rsp, %rbp\n	.cfi_def_cfa_register %rbp\n"
        "	sub $64, %rsp\n"
        "	mov %rdi, (%rsp)\n	mov %rsi, 8(%rsp)\n	mov %rdx, 16(%rsp)\n"
        "	mov %rcx, 24(%rsp)\n	mov %r8, 32(%rsp)\n	mov %r9, 40(%rsp)\n"
        /* Above the return address. */
        "	mov 16(%rbp), %rdi\n	mov 24(%rbp), %rsi\n"
        "	mov %rdi, 48(%rsp)\n	mov %rsi, 56(%rsp)\n"
        "	mov %eax, %edi\n	mov %rsp, %rsi\n"
        "	call engine_called\n"
        "	leave\n	.cfi_def_cfa %rsp, 8\n"
        "	ret\n"
        "	.cfi_endproc\n"
        "	.size entry_code_enter, . - entry_code_enter\n");
#else
__asm__(".text\n"
        "	.globl entry_code_enter\n	.hidden entry_code_enter\n"
        "	.type entry_code_enter, %function\n"
        "entry_code_enter:\n"
        "	.cfi_startproc\n"
        "	stp x29, x30, [sp, #-80]!\n"
        "	.cfi_def_cfa_offset 80\n	.cfi_offset 29, -80\n	.cfi_offset 30, -72\n"
        "	mov x29, sp\n"
        "	stp x0, x1, [sp, #16]\n	stp x2, x3, [sp, #32]\n"
        "	stp x4, x5, [sp, #48]\n	stp x6, x7, [sp, #64]\n"
        "	mov w0, w9\n	add x1, sp, #16\n"
        "	bl engine_called\n"
        "	ldp x29, x30, [sp], #80\n"
        "	.cfi_restore 29\n	.cfi_restore 30\n	.cfi_def_cfa_offset 0\n"
        "	ret\n"
        "	.cfi_endproc\n"
        "	.size entry_code_enter, . - entry_code_enter\n");
#endif

extern const char entry_code_first[] __attribute__((visibility("hidden")));

void *entry_code(struct jit_library *l, int entry)
{
	int number = entry_points_number(l, entry);

	return number < 0 ? NULL : (void *)(entry_code_first + number * STEP);
}
