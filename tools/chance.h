/* tools/chance.h - time and chance: programs that ask for time or random bytes and keep them out of
 * their results.
 *
 * A result that depends on the time of day or on random bytes differs in each run, so it is not
 * stored. Known programs ask for both in each run: to name temporary files, to seed tables, or to
 * report how long a step took. The table in chance.c lists these calls, as seen in usual compiles.
 * Any other call counts, and so does any call of a program without a row, unless each random number
 * became a digit of a name (hooks/drawn.h).
 *
 * Not seen: instructions (rdrand and rdseed, which std::random_device of libstdc++ uses; rdtsc),
 * addresses, process ids. */
#pragma once

#include "tools/cmdline/cmdline.h"

/* Argument of TRACE_CHANCE. Those behind RANDOM say where random numbers went (hooks/drawn.h): each
 * SEEDED explains one OPENED, and each NAMED one DRAWN. OPENED is in no trace: the open is. */
enum chance_kind { CHANCE_TIME = 1, CHANCE_RANDOM, CHANCE_SEEDED, CHANCE_DRAWN, CHANCE_NAMED,
	           CHANCE_OPENED };
/* The device, whichever it was, as an answer. */
#define CHANCE_DEVICE "/dev/urandom"

/* THREAD. program: base name of its file. what: a hooked function, "/dev/urandom", or the answer of
 * chance_argument(). */
int chance_harmless(const char *program, const char *what);
/* THREAD. 1: the call is GNU ld's, since binutils 2.45, for the times that --stats prints. For PE
 * and COFF it also writes the time into its output (judge/output/random_digits.c). */
int chance_measures(const char *program, const char *what);
/* THREAD. 1: that ld may print them: "-Wl,--stats" counts, and a response file that a compiler
 * hands on. */
int chance_prints(const struct cmdline *c);
/* The variable by which it prints them. */
#define CHANCE_PRINTS_VARIABLE "LD_STATS"
/* The option that asks a linker for the times that it took. */
#define CHANCE_STATS "--stats"
/* THREAD. The option that asks a linker for random bytes in its output, where an argument or a
 * response file holds it, or CHANCE_STATS as an argument, or NULL. The calls alone do not reveal
 * it. mold takes a build id from an instruction. An lld without arc4random opens /dev/urandom both
 * for temporary names and for a build id. */
const char *chance_argument(int argc, char *const argv[]);

/* Libraries that a tool runs and that are no part of it: procedural macros
 * of Rust.
 *
 * rustc keeps its own random bytes out of results (tools/chance.c). Random bytes that a macro draws
 * may reach its output, as a constant, or by the order in which it walks a hash table. So a macro's
 * draw counts, with one exception: macros that are known to look elements up in their tables, and
 * never walk them. */

/* In place of a function's name: the numbers that Rust's standard library draws for hash tables. */
#define CHANCE_SEED "seed"
/* The same, drawn by a standard library that the program and its macros share. From now on all code
 * that uses a hash table on that thread uses these numbers, and draws no others. */
#define CHANCE_SHARED_SEED "shared seed"

/* 1: the program with this base name runs such libraries, so it matters which object asks. */
int chance_by_caller(const char *program);
/* As chance_harmless(), for the library at the path. */
int chance_library_harmless(const char *path, const char *what);
