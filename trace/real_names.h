/* trace/real_names.h - which opens of a file are followed by a question for its real name.
 *
 * clang asks for the real name of each file that it preprocesses (tools/drivers/drivers.h).
 * Any other file that a trace shows as opened was read by clang's assembler. THREAD. */
#pragma once

#include "trace/files.h"
#include "trace/trace_record.h"

/* Call it before the tree takes the event. Counts in tree_file.named. */
void tree_named_event(struct tree *t, const struct event *e);
/* The process opened f, which the tree has not made. Call it after tree_named_event(). */
void tree_named_open(struct tree *t, const struct event *e, const struct tree_file *f);

enum tree_assembler {
	TREE_ASSEMBLER_APART, /* each assembler of the run is a process of its own */
	TREE_ASSEMBLER_SHOWN, /* a file that is opened more often than named was read by it */
	TREE_ASSEMBLER_HIDDEN /* it may have opened any file */
};
enum tree_assembler tree_assembler(const struct tree *t);
