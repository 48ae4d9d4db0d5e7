/* jit/jit.h - the parts of a compile inside a process, which is looked up, recorded and judged like
 * that of a process (action/). THREAD. */
#pragma once

#include <stdint.h>

#include "jit/call.h"
#include "jit/library.h"
#include "jit/product.h"
#include "jit/program.h"
#include "judge/start.h"
#include "shim/kernel/sys.h"

struct tree;

/* --- compile.c --- */

/* Compiles a program whose options and inputs are complete, for real or from the store: p->state
 * says which. If p->adding is set, the action is the addition of this input. The status.
 *
 * The trace is of the calling thread alone (trace_thread_begin). The key covers the library's
 * build, source, names, headers, options and the variables that the libraries ask for. Files that
 * the compile reads, and files that it misses, are inputs. Nothing is written to the host's
 * streams; no thread is started and no descriptor stays open. */
int serve_compile(struct program *p);

/* --- compile_start.c: a compile that ran for real without Reprise: counted, and written to the
 * journal with its reason --- */

/* Around each call of a library's compile. What no rule has counted as a hit or a miss is a
 * bypass. A program's rules say why (program_refuse). */
void compile_begins(struct start_times *t, const struct call *c);
/* The call has returned. errno is kept. */
void compile_ends(const struct start_times *t, const struct call *c);

/* --- compile_error.c: the cause of a failed compile, by its log. Pure --- */

/* 1: the log says nothing, or names the machine and not the source as the cause. Such a failure is
 * not stored. */
int compile_error_by_machine(const char *log);
/* 1: the process may open more files: at least so many numbers below the limit are free. Opens
 * nothing, not even for a moment, since another thread may need the last descriptor. */
int descriptors_free(unsigned need);

/* --- compile_key.c: of everything but inputs --- */

/* The row of tools for a library: its label, and the variables that enter the key. */
void compile_key_row(struct tool_row *row, enum jit_id id);
/* Sets a->k1. The action has its row, names and directory. 0, or -1: the compile has no key. */
int compile_key(struct start *s, struct program *p);

/* --- compile_start.c: settings, store and command --- */

/* 0: neither the process nor its variables allow that a compile of this thread is served or
 * counted. Such a process is a tool, runs below one, or is told to leave Reprise alone. */
int compile_permitted(void);
/* Fills in a start whose arena is there. p NULL: the program is not known. name: the library's, for
 * people. -1: settings turn such compiles off. 0: s->store.dir is NULL where no store can be
 * used, and s->call.cwd_len is 0 where the working directory has no name. */
int compile_start(struct start *s, struct tool_row *row, enum jit_id id, const char *name,
                  const struct program *p);

/* --- compile_texts.c: what all texts say together (the source, options, name expressions, and the
 * headers that were read). Asked after the compile, for its tree --- */

/* SOURCE_TIME, SOURCE_DIRECTORY and SOURCE_ITSELF (jit/source_text.h): what the texts and options
 * of a compile may do. */
int compile_texts_flags(struct start *s, const struct tree *t, const struct program *p);
/* An absolute name below the working directory that was only looked for came from getcwd, unless an
 * option, name or text contains the directory. It holds in any other directory as well. A file that
 * was read stays bound to its path. */
void compile_texts_unbind(struct start *s, struct tree *t, const struct program *p, int flags);

/* --- generated_name.c --- */

/* NAME_FREE: the compile depends on no generated name and no directory of the program: any
 * other one gives the same result. NAME_LENGTH: any other one of that length, as the log
 * holds it and it is exchanged there. texts: source_text.h, of the texts that were read. */
enum name_binding generated_name_shown(const struct program *p, struct start *s,
                                      const struct tree *t, const struct answers *now, int texts);

/* --- engine.c: a call of a library's function, served.
 *
 * What a function does follows from its role in jit/libraries.def. For creation, inputs and the
 * compile the library has rules of its own (jit/engine.c). All other roles are the same for every
 * library. On a hit a product, a log or a name comes from the store. If the stored answers do not
 * cover a call, the engine first compiles for real, and the library answers. */

/* By the entry points alone. THREAD. word: eight. */
int engine_called(unsigned number, const uintptr_t *word);

/* --- linked_calls.c: calls of objects that are linked against a library: hooks/linked.c exports
 * what they ask for. THREAD. */

/* Fills c->entry and c->library of the index-th exported function. Where the library is not found,
 * c->real is the function itself, or NULL. c->entry stays -1 for an index that is none. */
void linked_find(struct call *c, unsigned index);
/* 1: an object that is linked against l asks for functions that Reprise does not export. Calls of
 * these are not seen, and may be about any program. */
int linked_passes_by(struct jit_library *l);

/* --- state.c: state that all of jit/ shares: whether it serves, its lock, the process's
 * variables. THREAD. */

/* 1: libraries are served. The constructor sets it, in hosts alone. */
extern int jit_on;
/* 1 in a forked child. A thread of the parent may have held the lock of the loader's list, and
 * libc's fork does not renew that lock (glibc 2.36). So the child does not look into the list, and
 * only libraries that the parent knew are served. */
extern int jit_forked;
/* In the child of a fork. Frees the lock, since the parent's other threads do not exist there. */
void jit_after_fork(void);

/* The only lock of jit/. It is held for some hundred instructions around its tables, and while the
 * loader's list is read. */
extern int jit_spin;
static inline void jit_spin_take(void)
{
	while (__atomic_exchange_n(&jit_spin, 1, __ATOMIC_ACQUIRE))
		SYS0(SYS_sched_yield);
}
static inline void jit_spin_release(void)
{
	__atomic_store_n(&jit_spin, 0, __ATOMIC_RELEASE);
}

/* The process's variables now: programs set them late. */
char *const *jit_environment(void);

/* --- entry_code.c: the functions that callers get in place of a library's.
 *
 * All have one form: eight arguments of a word, an int as the result. Each hands its number
 * (jit/library.h) and the eight words to engine_called (jit/engine.c). The number stands for a
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

/* --- how a thread computes: rounding, small numbers, traps. THREAD.
 *
 * The libraries fold constants with the processor's own arithmetic. In a thread that rounds upward
 * NVRTC 12.1 and 13.5 make other code. So does 12.1 in one that flushes denormals to zero, as a
 * program does that is linked with -ffast-math. */

/* No state is 0. */
#define ROUNDING_KNOWN (1ull << 63)

#if defined(__x86_64__)
#define ROUNDING_USUAL (ROUNDING_KNOWN | 0x37full << 32 | 0x1f80)
/* The flags of what happened so far are no part of the state. */
#define ROUNDING_FLAGS 0x3fu

static inline uint32_t rounding_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

static inline uint64_t rounding_now(void)
{
	uint16_t x87;

	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return ROUNDING_KNOWN | (uint64_t)x87 << 32 | (rounding_mxcsr() & ~ROUNDING_FLAGS);
}

static inline void rounding_set(uint64_t state)
{
	uint32_t mxcsr = (uint32_t)state | (rounding_mxcsr() & ROUNDING_FLAGS);
	uint16_t x87 = (uint16_t)(state >> 32);

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87) : "memory");
}
#elif defined(__aarch64__)
#define ROUNDING_USUAL ROUNDING_KNOWN

static inline uint64_t rounding_now(void)
{
	uint64_t state;

	__asm__ volatile("mrs %0, fpcr" : "=r"(state));
	return ROUNDING_KNOWN | state;
}

static inline void rounding_set(uint64_t state)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(state & ~ROUNDING_KNOWN) : "memory");
}
#endif
