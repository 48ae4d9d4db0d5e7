/* keying/loader.h - variables that ld.so and libc read by themselves, below every hook
 * (docs/internals/keys.md).
 *
 * Some make them write or load: the text holds addresses and process ids, and is written before
 * our constructor or where no hook is. Such a start runs for real. Others decide which libraries
 * are loaded and how they work: they are keyed. Pure code. THREAD. */
#ifndef KEYING_LOADER_H
#define KEYING_LOADER_H

#include "shim/arena.h"

/* The name of a variable of the first kind that is set in envp, or NULL. */
const char *loader_acts(char *const envp[]);
/* Variables of the second kind, each with its NUL, then an empty one. self_contained: of a
 * program that starts no other one, whose own libraries are keyed. */
const char *loader_variables(int self_contained);
/* 1: this value of one of them has an effect. Most are as good as unset where they are empty. */
int loader_value_counts(const char *name, const char *value);
/* Appends the entries of a preload list that are not `ours`, with colons between: ld.so's
 * complaint about one that it cannot load holds its name. */
void loader_preloads(struct buf *out, const char *list, const char *ours);
/* Libraries that every process loads before any other, or that ld.so complains of. */
#define LOADER_PRELOAD_FILE "/etc/ld.so.preload"

#endif
