/* tools/chance_library.h - libraries that a tool runs and that are no part of it: procedural macros
 * of Rust.
 *
 * rustc keeps its own random bytes out of results (tools/chance.c). Random bytes that a macro draws
 * may reach its output, as a constant, or by the order in which it walks a hash table. So a macro's
 * draw counts, with one exception: macros that are known to look elements up in their tables, and
 * never walk them. Pure code. THREAD. */
#ifndef TOOLS_CHANCE_LIBRARY_H
#define TOOLS_CHANCE_LIBRARY_H

/* In place of a function's name: the numbers that Rust's standard library draws for hash tables. */
#define CHANCE_SEED "seed"
/* The same, drawn by a standard library that the program and its macros share. From now on all code
 * that uses a hash table on that thread uses these numbers, and draws no others. */
#define CHANCE_SHARED_SEED "shared seed"

/* 1: the program with this base name runs such libraries, so it matters which object asks. */
int chance_by_caller(const char *program);
/* As chance_harmless(), for the library at the path. */
int chance_library_harmless(const char *path, const char *what);

#endif
