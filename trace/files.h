/* trace/files.h - the state of a tree of processes: its paths, processes and variables, and the
 * first reason against storing its result. trace/tree.h fills it. THREAD; all memory in the
 * arena. */
#pragma once

#include <stdint.h>

#include "shim/index_table.h"
#include "shim/reason.h"

/* A tree with more files is refused: a manifest could not hold them. */
#define TREE_FILES_MAX 400000

enum { /* the events of a path, in tree_file.flags */
	TREE_READ = 1u << 0,      /* its content was read, before the tree made it */
	TREE_MADE = 1u << 1,      /* created, truncated or renamed to by the tree */
	TREE_GONE = 1u << 2,      /* MADE, and then removed or renamed away */
	TREE_ABSENT = 1u << 3,    /* was looked for before the tree made it, and was absent */
	TREE_PRESENT = 1u << 4,   /* was seen to exist, before the tree made it */
	TREE_STAT = 1u << 5,      /* its size and time were seen */
	TREE_LISTED = 1u << 6,
	TREE_LINK = 1u << 7,      /* readlink; text */
	TREE_REAL = 1u << 8,      /* realpath; real */
	TREE_UNLINKED = 1u << 9,  /* existed and was removed by the tree */
	TREE_RENAMED = 1u << 10,  /* made by a rename */
	TREE_DIR = 1u << 11,      /* made by mkdir */
	TREE_EXISTED = 1u << 12,  /* there before the tree made it */
	TREE_NOFOLLOW = 1u << 13, /* PRESENT is about the link itself */
	TREE_RELATIVE = 1u << 14, /* spelled relative to the cwd, every time */
	TREE_ABSOLUTE = 1u << 15, /* spelled absolute at least once */
	/* MADE, and an existing file could have shaped its content, or been removed: its absence
	 * is an input */
	TREE_FRESH = 1u << 16,
	TREE_DENIED = 1u << 17,   /* access to it, or to a directory of its path, was refused */
	TREE_RUN = 1u << 18,      /* READ as a program: it could be executed */
	TREE_CHMOD = 1u << 19,    /* MADE, and then given its own mode */
	TREE_MINDED = 1u << 20,   /* ABSENT or PRESENT, and the answer may shape the output */
	TREE_TIMES = 1u << 21,    /* seen by a program that enters sizes and times in its output */
	TREE_FIRST = 1u << 22,    /* REAL: the first question of a linker (REAL_INPUT) */
	/* A declared wrapper asked for it, and may use more of the answer than the type. */
	TREE_LOOKED = 1u << 23,
	TREE_READ_BACK = 1u << 24, /* MADE, and then opened for reading by its maker */
	/* A question about the path itself, such as lstat, found no link there: nothing, or
	 * something else. Asked before the tree made it. */
	TREE_NOT_LINK = 1u << 25,
	TREE_BY_ASSEMBLER = 1u << 26 /* READ by an assembler that is a process of its own */
};
struct tree_file {
	const char *path;  /* absolute, tidied ("//", "/./"), ".." kept */
	unsigned flags;
	unsigned mode;     /* PRESENT: st_mode where known */
	/* permissions that matter, and those that were there: TRACE_ASKED, TRACE_GRANTED */
	unsigned permissions;
	const char *text;  /* LINK: what readlink answered */
	const char *real;  /* REAL: what realpath answered */
	/* REAL: by how many letters a relative path was longer than the tidy path: 2 for "./x",
	 * "a/./x" */
	unsigned real_spare;
	unsigned real_uses;  /* REAL: what those that asked do with the answer (enum real_use) */
	const char *program; /* base name of the program that made it */
	uint32_t maker;      /* MADE: the process */
	uint32_t remover;    /* UNLINKED: the process */
	/* MADE by a nested action: an enum write_style; 0: use the program's */
	unsigned style;
	unsigned identity; /* READ, LISTED: of the opened file (trace_identity); 0: unknown */
	unsigned made_mode;/* MADE: as WRITE's arg (shim/trace.h) */
	/* MADE: trace_made() of the file last opened to be written; 0: unknown */
	uint64_t made;
	unsigned opens;    /* opened for reading, before the tree made it */
	uint32_t reader;   /* READ: the process that opened it first; 0: it was loaded first */
	/* READ: the clock before it was first opened; 0: not known for all processes that read or
	 * loaded it */
	int64_t opened_at;
	unsigned named;    /* opens after which the process asked for its real name */
	int is_chosen;     /* MADE first under a name that the program chose, not the system */
	/* MADE by writing into a file that may have existed; then that file lost its name */
	int replaced;
	int is_data;       /* READ by a program that may not take it for a C or C++ text */
};
/* 1: the path has the first of these flags, and none of the others. */
static inline int tree_is(const struct tree_file *f, unsigned flag, unsigned others)
{
	return (f->flags & (flag | others)) == flag;
}
struct tree_env {
	const char *name, *value; /* value NULL: unset */
};
struct tree_script {
	const char *what;       /* a path, a text, a step's input or a program's name */
	const char *where;      /* the script's path, or that of the tool that gave the text */
	unsigned language, form;/* tools/script/script.h */
};
struct tree {
	struct arena *arena;
	struct tree_file *file; /* in order of appearance */
	size_t count, cap, expected; /* the trace is long enough for so many paths */
	struct index_table index; /* of file[], by path */
	struct tree_env *env;
	size_t env_count, env_cap;
	struct tree_script *script;
	size_t script_count, script_cap;
	struct tree_process {
		uint32_t pid, parent;
		const char *program; /* base name of its executable; "" before hello */
		const char *path;    /* its executable */
		int hello, bye, expected, systems;
		int became;           /* by exec; 0: a copy of its parent */
		int minds_output;     /* tool_minds_output() of the program */
		/* ptxas up to 13.0 enters times of sources into the line table */
		int enters_times;
		int holds_output;     /* TOOL_HOLDS_OUTPUT of the program */
		int preprocesses;     /* tool_preprocesses() of the program */
		unsigned real_use;    /* tool_real_use() of the program */
		int asked_real;       /* it asked for a real path */
		unsigned language;    /* of the script that it runs (tools/script/script.h) */
		/* It reads a script, or a command that a tool gave it, or env does below one. */
		int scripted;
		const char *script;   /* scripted: the script's path, or that of the tool */
		int by_script;        /* a scripted process started it */
		int declared;         /* a declared wrapper, or a program that one started */
		/* Random numbers that no event accounts for: opens of a device, and draws by drew
		 * (hooks/drawn.h). */
		int devices, draws;
		const char *drew;
		int asked_time;       /* chance_measures() */
		int reports;          /* hellos that came before the SPAWN event of this process */
		unsigned identity;    /* of the file it runs */
		/* Of the program that reported before its SPAWN event, which comes late; 0: a
		 * script's interpreter. reporting: not known yet. */
		unsigned reported_identity;
		int reporting, late;
		/* place + 1 of the file it was started as; its identity will be known */
		size_t started;
	} *process;
	size_t process_count, process_cap;
	struct index_table process_index; /* by pid */
	size_t process_steps;    /* places looked at: the cost of finding processes */
	/* Questions for local time by programs that date outputs, and whether one asked for the
	 * time. */
	unsigned dates;
	int dated;
	int linker_asks_time; /* a process asked_time */
	/* Texts of random numbers that became names, and of their seeds. */
	const char **drawn;
	size_t drawn_count, drawn_cap;
	int shared_seed;    /* CHANCE_SHARED_SEED was drawn, and a macro may use it */
	/* trace/real_names.h: place + 1 of the file that the last event opened, and by whom */
	size_t opened;
	uint32_t opened_by;
	unsigned host;      /* nested actions were keyed by: CMD_NATIVE, CMD_SHOWS_MEMORY */
	unsigned proofs;    /* bits of enum proof: results of nested actions rest on them */
	enum reason reason; /* first reason not to store, or NONE */
	const char *detail;
	const char *wrappers;  /* REPRISE_WRAPPERS, or NULL */
	const char *jobserver; /* ignored: the FIFO of jobserver_fifo(), or of a make below */
	int jobserver_left;    /* that FIFO is not removed yet */
	int failed;         /* no memory */
};

/* The first reason stays. */
void tree_refuse(struct tree *t, enum reason reason, const char *detail);
/* Refuses for lack of memory, and sets failed. */
void tree_no_memory(struct tree *t);
/* Copies the text of an event. On lack of memory returns "" and refuses. */
const char *tree_copy(struct tree *t, const char *text);
/* The state of a path, spelled as tree_file.path. NULL: the tree never met it. */
struct tree_file *tree_find(struct tree *t, const char *path);
/* The state of a path; a new path gets a new state. Other states may move. NULL: refused. */
struct tree_file *tree_file_of(struct tree *t, const char *path, size_t len, int relative);
/* Sets the identity that f had when it was opened or run. 0: not known. */
void tree_identity(struct tree *t, struct tree_file *f, unsigned identity);
