/* keying/loader_variables.h - variables that ld.so and libc read themselves, below every hook
 * (docs/internals/keys.md).
 *
 * Some variables make ld.so or libc write, or load code. The written text holds addresses and
 * process ids. It is written before our constructor, or where no hook is. Such a start runs for
 * real. Other variables decide which libraries are loaded and how they work: these are keyed. Pure
 * code. THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/buf.h"

/* Returns the name of a variable of the first kind that is set in envp, or NULL. */
const char *loader_acts(char *const envp[]);
/* Returns the variables of the second kind, each with its NUL, then an empty string.
 * self_contained: for a program that starts no other program and whose own libraries are keyed. */
const char *loader_variables(int self_contained);
/* 1: this value of such a variable has an effect. Most of these variables count as unset where they
 * are empty. */
int loader_value_counts(const char *name, const char *value);
/* Appends the entries of a preload list other than `ours`, separated by colons. If ld.so cannot
 * load an entry, its complaint holds the entry's name. */
void loader_preloads(struct buf *out, const char *list, const char *ours);
/* Lists libraries that every process loads first; ld.so complains about those it cannot load. */
#define LOADER_PRELOAD_FILE "/etc/ld.so.preload"
