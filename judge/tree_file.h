/* judge/tree_file.h - the state of a tree of processes: its paths, processes and variables, and the first reason against
 * storing what it did. judge/tree.h fills it. THREAD; all memory in the arena. */
#ifndef JUDGE_TREE_FILE_H
#define JUDGE_TREE_FILE_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/reason.h"

/* A tree that touches more is refused: a manifest would not hold it. */
#define TREE_FILES_MAX 400000

enum { /* what was done to a path, in tree_file.flags */
	TREE_READ = 1,        /* its content, before the tree made it */
	TREE_MADE = 2,        /* created, truncated or renamed to by the tree */
	TREE_GONE = 4,        /* and removed again, or renamed away */
	TREE_ABSENT = 8,      /* was looked for before the tree made it, and was not there */
	TREE_PRESENT = 16,    /* was seen to exist, before ... */
	TREE_STAT = 32,       /* its size and time were seen */
	TREE_LISTED = 64,
	TREE_LINK = 128,      /* readlink; text */
	TREE_REAL = 256,      /* realpath; real */
	TREE_UNLINKED = 512,  /* existed and was removed by the tree */
	TREE_RENAMED = 1024,  /* made by a rename */
	TREE_DIR = 2048,      /* made by mkdir */
	TREE_EXISTED = 4096,  /* there before the tree made it */
	TREE_NOFOLLOW = 8192, /* PRESENT is about the link itself */
	TREE_RELATIVE = 16384,/* spelled relative to the cwd, every time */
	TREE_ABSOLUTE = 32768,/* spelled absolute at least once */
	TREE_FRESH = 65536,   /* made, or as it is, because it was not there: its absence is an input */
	TREE_DENIED = 131072, /* permission to it, or to a directory on its way, was refused */
	TREE_RUN = 262144,    /* READ as a program: it could be executed */
	TREE_CHMOD = 524288,  /* MADE, and then given a mode of its own */
	TREE_MINDED = 1048576,/* ABSENT or PRESENT to a program that may go by it in what it makes of the file */
	TREE_TIMES = 2097152, /* its size and time were seen by a program that enters them into its output */
	TREE_REAL_LONG = 4194304 /* realpath was asked for a relative path with "//" or "/./" */
};
struct tree_file {
	const char *path;  /* absolute, tidied ("//", "/./"), ".." kept */
	unsigned flags;
	unsigned mode;     /* PRESENT: st_mode where known */
	const char *text;  /* LINK: what readlink answered */
	const char *real;  /* REAL: what realpath answered */
	const char *program; /* base name of the program that made it */
	unsigned style;      /* MADE by a nested action: an enum write_style; else 0, and the program's counts */
	unsigned identity; /* READ, LISTED: of the file that was opened (trace_identity), 0 not known */
	unsigned made_mode;/* MADE: as WRITE's arg (shim/trace.h) */
	unsigned opens;    /* for reading, before the tree made it */
};
struct tree_env {
	const char *name, *value; /* value NULL: unset */
};
struct tree {
	struct arena *arena;
	struct tree_file *file; /* in order of appearance */
	size_t count, cap;
	uint32_t *index;        /* open addressing on path, value = place + 1 */
	size_t index_cap;
	struct tree_env *env;
	size_t env_count, env_cap;
	struct tree_process {
		uint32_t pid, parent;
		const char *program; /* base name of its executable; "" before hello */
		int hello, bye, expected, systems;
		int minds_output;     /* tool_minds_output() of the program */
		int enters_times;     /* ptxas up to 13.0 enters those of sources into the line table */
		int reports;          /* hellos of children whose SPAWN is still to come */
		unsigned identity;    /* of the file it runs */
		size_t started;       /* place + 1 of the file it was started as, whose identity will be known */
	} *process;
	size_t process_count, process_cap;
	uint32_t *process_index; /* open addressing on the pid, value = place + 1 */
	size_t process_index_cap;
	size_t process_steps;    /* places looked at: what finding processes has cost */
	int native;         /* a nested action was keyed by the processor's features */
	enum reason reason; /* first reason not to store, or NONE */
	const char *detail;
	const char *jobserver; /* passed over: the FIFO of jobserver_fifo() or of a make of the tree, or NULL */
	int jobserver_left;    /* the latter was not removed yet */
	int failed;         /* memory */
};

/* The first reason stays. */
void tree_refuse(struct tree *t, enum reason reason, const char *detail);
void tree_no_memory(struct tree *t);
/* Text of an event; "" and a refusal when memory is. */
const char *tree_copy(struct tree *t, const char *text);
/* What the tree knows of a path, spelled as tree_file.path; NULL: it never met it. */
struct tree_file *tree_find(struct tree *t, const char *path);
/* The state of a path, made when it is new; others may move. NULL: refused. */
struct tree_file *tree_file_of(struct tree *t, const char *path, size_t len, int relative);
/* The file that f was when it was opened or run; 0: not known. */
void tree_identity(struct tree *t, struct tree_file *f, unsigned identity);

#endif
