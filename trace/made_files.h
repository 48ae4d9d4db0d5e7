/* trace/made_files.h - events that make, replace or remove a file. THREAD. */
#pragma once

#include "trace/trace_record.h"
#include "trace/tree.h"

/* The event makes the file, or writes into it. */
void tree_make(struct tree *t, struct tree_file *f, const struct event *e);
/* The file is removed. If it existed before, results cannot hold the removal, unless the tree makes
 * the file again: judge/output/outputs.c checks that. */
void tree_removed(struct tree *t, struct tree_file *f, const struct event *e);
/* A rename of one file of the tree over another name. */
void tree_rename(struct tree *t, const struct event *e);
