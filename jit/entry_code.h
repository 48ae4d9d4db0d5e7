/* jit/entry_code.h - the functions that callers get in place of a library's.
 *
 * All have one form: eight arguments of a word, an int as the result. Each hands its number
 * (jit/library.h) and the eight words to engine_called (jit/engine.h). The number stands for a
 * function, and engine_called reads the words by that function's signature. One form serves every
 * signature of jit/libraries.def because of how the machines pass integers and pointers:
 *   x86-64   System V psABI, 3.2.3: the first six in rdi, rsi, rdx, rcx, r8, r9, the others on the
 *            stack, a word each
 *   aarch64  AAPCS64, 6.8.2, stage C: the first eight in x0 to x7
 * Bits above a narrower type hold anything; engine_called cuts them off. Where a caller passes
 * fewer words, the other registers hold anything. On x86-64 words 7 and 8 are then whatever the
 * stack holds above the return address: the frame of the caller, or of the code that called it.
 * They are read, and not used. Floating-point numbers and structures by value would go elsewhere:
 * no signature can state them.
 *
 * Entry points are code of the object: no memory is made executable. There is no table of their
 * addresses, which would be relocated in every process. */
#ifndef JIT_ENTRY_CODE_H
#define JIT_ENTRY_CODE_H

#include "jit/library.h"

/* Instructions of one entry point, and what it jumps to. number is an assembler expression. */
#if defined(__x86_64__)
#define ENTRY_POINT_CODE(number) \
	"	endbr64\n	mov $" number ", %eax\n	jmp entry_code_enter\n"
#elif defined(__aarch64__)
#define ENTRY_POINT_CODE(number) \
	"	hint #34\n	mov w9, #" number "\n	b entry_code_enter\n"
#else
#error "no entry points for this machine"
#endif

/* ENTRY_POINTS as text for the assembler. */
#define ENTRY_POINTS_TEXT "1024"
_Static_assert(ENTRY_POINTS == 1024, "ENTRY_POINTS_TEXT");

/* The function in place of l's entry. NULL: too few numbers are left. THREAD. */
void *entry_code(struct jit_library *l, int entry);

#endif
