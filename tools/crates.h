/* tools/crates.h - which names of a listed directory matter to a compiler that looks for crates
 * there, and which of them are code that it runs. Pure code. THREAD. */
#pragma once

#include "tools/cmdline/cmdline.h"

/* A directory that the tool listed; both absolute. */
struct listed_dir {
	const char *path, *cwd;
};
#define LISTED_NAME_SIZE 257

/* -1: every name in the directory matters. Otherwise a name matters only if it begins as the name
 * of an opened file. The answer is how many bytes of this file's name count; 0: the file adds
 * nothing. file may be NULL. */
int crates_prefix(const struct tool_row *row, const struct cmdline *c,
                  const struct listed_dir *dir, const char *file);
/* 1: in such a directory this name does not matter where *other is there. */
int crates_replaced(const struct tool_row *row, const char *name, char other[LISTED_NAME_SIZE]);
/* The tool may run code of this file, which the user made: it may take any variable without a
 * call. */
int crates_run(const struct tool_row *row, const struct cmdline *c, const char *cwd,
               const char *file);
