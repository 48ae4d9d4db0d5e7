/* judge/start.h - one start of a compiler: what was started, its key, and what is decided of it.
 *
 * A start is a tool in a process of its own (action/), or a compile inside a host (jit/). Both are
 * looked up, judged and stored by the functions of this folder. They work on the start that they are
 * given and on nothing else of the process, so that any thread of a host may call them. A file of this
 * folder includes shim/banned.h.
 *
 * Calling sequence: the caller fills the first part; action/command.c or jit/compile_key.c fills the command
 * and the key; judge_lookup() looks for a result; after a recorded run judge_inputs(), judge_outputs()
 * and judge_store() store a new one.
 *
 * Memory: the start's arena. Errors: start->verdict. */
#ifndef JUDGE_START_H
#define JUDGE_START_H

#include "keying/key.h"
#include "keying/names.h"
#include "keying/patch.h"
#include "keying/probe.h"
#include "shim/path.h"
#include "shim/reason.h"
#include "store/candidate.h"
#include "store/result.h"
#include "store/store.h"
#include "tools/cmdline.h"
#include "tools/ptx.h"
#include "tools/tool.h"

/* An existing file that argv names: its content is part of the action key. */
struct primary {
	const char *path;
	struct digest content; /* of all its bytes */
	struct digest keyed;   /* of the bytes that enter the key */
	int strippable;        /* its trailing comments do not enter the key */
	struct statx st;
	int response;          /* a response file: its arguments are keyed, not its bytes */
};

/* Standard input, where the tool reads it as a source. */
enum stdin_kind { STDIN_UNREAD, STDIN_NULL, STDIN_FILE, STDIN_PIPE };
struct stdin_source {
	enum stdin_kind kind;
	struct digest content;     /* of all that the tool will read */
	size_t len;
	off_t at;                  /* FILE: where reading begins */
	struct statx st;           /* FILE */
	const unsigned char *text; /* PIPE */
};

/* State of a standard stream, as the tool can tell it apart. */
enum stream_kind { STREAM_CLOSED, STREAM_TERMINAL, STREAM_OTHER };
/* The regular file that a standard stream writes to; ino 0: it is no regular file. */
struct stream_file {
	uint64_t ino;
	unsigned major, minor;
};

/* What is decided of a start, and why. */
struct verdict {
	enum reason reason; /* why it is no hit */
	char detail[512];   /* the same for people */
	char remote_note[160]; /* why the remote store gave no answer, for `reprise explain` */
	struct fault fault;
	int names_exact;    /* an output does not hold its names as expected: all names bind */
	int names_shown;    /* it is proven that only the lengths of its names matter */
	int real_of_cwd;    /* a relative path led elsewhere, and gcc uses the shorter of the two */
	int from_remote;    /* the result came from the remote store */
	int errors;         /* errors that were reported; REPRISE_STRICT ends the tool for them */
	struct candidate *seen[STORE_SLOTS]; /* candidates of the key that were read and do not hold */
	int seen_count;
	const struct candidate *held; /* the candidate that serves, or that was stored */
};

struct start {
	struct arena arena;
	struct settings set;
	struct store store;
	struct memo memo;
	struct prober prober;

	const char *exe;    /* /proc/self/exe */
	const char *execfn; /* the path that the kernel was given */
	const char *base;   /* base name of exe */
	int argc;
	char **argv, **envp;
	const char *cwd;
	size_t cwd_len;
	unsigned umask;
	int nested;              /* it runs below a recorded parent action (action/nest.h) */
	enum stream_kind stream[3];
	struct stream_file stream_file[3];
	int one_stream;          /* stdout and stderr have one order (action/stream_files.h) */
	int64_t started_ns;      /* CLOCK_MONOTONIC; of the tool once it is recorded */
	int64_t started_at;      /* CLOCK_REALTIME_COARSE, the clock of file times, ns */
	int64_t ran_at;          /* the same when the recorded tool began */

	const struct tool_row *row;
	struct cmdline cmd;
	struct primary *primary;
	size_t primary_count, primary_cap;
	struct stdin_source source;
	const char **path_dir;   /* directories of PATH, absolute and tidy (judge/search.c) */
	size_t path_dirs;
	struct names names;
	struct patch_name *all_names; /* volatile, base and PTX names, hashes of its sources' paths */
	size_t all_count;
	size_t output_count;     /* the first ones of all_names, which an output may hold */
	struct ptx *ptx;         /* of the only PTX input, or NULL */
	struct ptx *ptx_sloppy;  /* the same with lineinfo sloppiness, where that is accepted */

	struct key key;
	struct digest k1;
	int confines;            /* entries of other users are in the local store: confine_inputs() at each look-up */
	struct verdict verdict;
};

/* Sets the detail; printf of fault_set's kinds. THREAD. */
void start_detail(struct start *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Value of a variable in the tool's environment, NULL when unset. THREAD. */
const char *start_env(const struct start *s, const char *name);
/* Forgets the answers that the prober keeps. THREAD. */
void start_prober(struct start *s);
/* The tools that it starts are actions of their own (action/nest.h), unless a parent action above it nests already. THREAD. */
int start_nests(const struct start *s);
/* The spec of a path as a traced process used it: a relative spelling below the cwd is 'C'. *bound is set
 * when the spec cannot be independent of the cwd. THREAD. */
void start_spec(struct start *s, const char *path, int relative, int *bound, struct buf *out);
/* result_output_streams(), but never where a tool reads what it writes. THREAD. */
int start_streams(const struct start *s, const struct result_output *o);
/* 1: says() is true of a variable from which nvcc takes arguments. THREAD. */
int start_variables_say(const struct start *s, int (*says)(const char *words));
/* 1: REPRISE_SLOPPY accepts another line table. THREAD. */
int start_accepts_lineinfo(const struct start *s);
/* Writes journal line and counters for a start that was no hit. THREAD. */
void start_report(struct start *s, const char *verdict, enum reason reason, const char *trail);
/* A result's names as a flat list. THREAD. */
void names_flat(const struct bound_name *from, size_t n, struct patch_name *out);

#endif
