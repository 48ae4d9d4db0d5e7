/* judge/start.h - one start of a compiler: the command, its key, and the decisions about it.
 *
 * A start is a tool in a process of its own (action/), or a compile inside a host (jit/). The
 * functions of this folder look up, judge and store both kinds. They work only on the start that
 * they receive, and on no other state of the process. So any thread of a host may call them. A file
 * of this folder includes shim/banned.h.
 *
 * Each part of a start has a header of its own. A function that needs only one part takes that one.
 *
 * Calling sequence: the caller fills the first part. action/command.c or jit/compile_key.c fills
 * the command and the key. judge_lookup() looks for a result. After a recorded run, judge_inputs(),
 * judge_outputs() and judge_store() store a new result.
 *
 * Memory: the start's arena. Errors: start->verdict. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "judge/input/search.h"
#include "judge/invocation.h"
#include "judge/name/name_list.h"
#include "judge/output/streams.h"
#include "judge/primaries.h"
#include "keying/key.h"
#include "keying/probe.h"
#include "names/names.h"
#include "names/patch.h"
#include "proofs/proof.h"
#include "shim/buf.h"
#include "shim/digest.h"
#include "shim/fault.h"
#include "shim/kernel/sys.h"
#include "shim/reason.h"
#include "store/entry/candidate.h"
#include "store/entry/result.h"
#include "store/store.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/input_text.h"
#include "tools/tool.h"

/* The decisions about a start, and their reasons. THREAD. */

#define DETAIL_SIZE 512

/* Why a start is no hit, and the same as text for people. */
struct miss {
	enum reason reason;
	char detail[DETAIL_SIZE];
};

struct verdict {
	struct miss miss;         /* the strongest reason so far: start_missed() */
	char detail[DETAIL_SIZE]; /* what was said last: start_detail() */
	char remote_note[160]; /* why the remote store gave no answer, for `reprise explain` */
	struct fault fault;
	int names_exact;    /* an output does not hold its names as expected: all names bind */
	int files_exact;    /* a process read an output that it had made: names of files bind */
	int scripts_see_names; /* a script may use letters of its arguments */
	/* of a library's compile: what is proven of its program's names, or NAME_NONE */
	enum name_binding names_shown;
	/* realpath of a relative path led elsewhere; gcc uses the shorter path */
	int real_of_cwd;
	/* Bit i: an assembler read a file that no argument names, and name i leads to the file. */
	uint64_t assembled_names;
	struct buf generated; /* paths of files (judge/text/plain_names.c) */
	int assembled;      /* an assembler read, or may have read, a file that no argument names */
	int from_remote;    /* the result came from the remote store */
	int errors;         /* reported errors; REPRISE_STRICT ends the tool for them */
	struct candidate *seen[STORE_SLOTS]; /* candidates that were read and do not hold */
	int seen_slot[STORE_SLOTS]; /* where they were read, -1: not in the local store */
	int seen_count;
	const struct candidate *held; /* the candidate that serves, or that was stored */
};

/* Standard input, where the tool reads it as a source.
 *
 * action/stdin.c fills it. Memory: the start's arena. */

enum stdin_kind { STDIN_UNREAD, STDIN_NULL, STDIN_FILE, STDIN_PIPE };
struct stdin_source {
	enum stdin_kind kind;
	struct digest content;     /* of all bytes that the tool will read */
	size_t len;
	off_t at;                  /* FILE: where reading begins */
	struct statx st;           /* FILE */
	const unsigned char *text; /* PIPE */
};

/* When a start began, when its tool ran, and how long it waited.
 *
 * Durations come from CLOCK_MONOTONIC. What is compared with the times of files comes from the
 * clock that makes these, CLOCK_REALTIME_COARSE. All in nanoseconds. THREAD. */

struct start_times {
	int64_t began_ns;   /* monotonic */
	int64_t started_ns; /* the same; when recorded, the tool's start */
	int64_t ran_ns;     /* that the tool itself ran, when recorded */
	int64_t waited_ns;  /* for other processes and nodes */
	int64_t started_at; /* the clock of file times */
	int64_t ran_at;     /* the same clock when the recorded tool began */
	int64_t ended_at;   /* CLOCK_REALTIME when it had ended */
};

/* The start begins now, and its tool with it. */
void start_times_begin(struct start_times *t);
/* Nanoseconds since started_ns. */
int64_t start_times_took(const struct start_times *t);

struct start;
/* What the preprocessor showed of a start (judge/text/expanded.c). */
struct preprocessor {
	/* Preprocesses the sources once more. 0 and the text, or -1: not this command, or it
	 * failed. NULL: there is no process that could. */
	int (*expand)(struct start *s, struct buf *out);
	/* 1: no text asks for these names (bits); -1: that could not be shown; 0: not asked */
	int shown;
	uint64_t names;
};

struct defined; /* judge/text/defines.c */
struct line_strings; /* tools/object/line_strings.h */
struct start {
	struct arena arena;
	struct settings set;
	struct store store;
	struct memo memo;
	struct prober prober;
	struct search_set searches; /* of the candidate that is judged */
	struct invocation call;
	struct streams streams;
	struct start_times times;

	const struct tool_row *row;
	struct cmdline cmd;
	struct primaries primaries;
	struct stdin_source source;
	struct names names;
	struct name_list all_names;
	/* the names that leave the key: of the only input, or of a link's objects; or NULL */
	struct input_text *text;
	/* the strings of a link's objects, whose order is the last name of text; or NULL */
	struct line_strings *lines;
	/* the same as text with lineinfo sloppiness, if that is accepted */
	struct input_text *text_sloppy;

	struct proof_marks proofs;

	struct key key;
	struct digest k1;
	struct digest flight;    /* of starts with one flight, one runs at a time */
	int flight_known;        /* judge/wait/flight.h has completed it */
	int comment_free;        /* texts may differ in comments (judge/text/comment_free.c) */
	/* the macros that the key leaves out and candidates hold; NULL: the key holds all */
	struct defined *defined;
	struct preprocessor preprocessor;
	int confines;            /* entries of other users: each look-up calls confine_inputs() */
	struct verdict verdict;
};

/* Sets the detail; accepts the printf formats of fault_set(). Returns 0, for a function that says
 * what does not hold. THREAD. */
int start_detail(struct start *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The start is no hit, for this reason and with the detail. A weaker reason changes nothing: each
 * look-up adds what it finds. THREAD. */
void start_missed(struct start *s, enum reason reason);
/* 1: a miss of a command that has no result here, or none under these names. THREAD. */
static inline int start_is_new(const struct start *s)
{
	return s->verdict.miss.reason == REASON_MISS_NEW ||
	       s->verdict.miss.reason == REASON_MISS_NAMES;
}
/* Forgets the prober's answers. THREAD. */
void start_prober(struct start *s);
/* 1: the tools that this start runs are steps, actions of their own (action/nest.h). A command with
 * CMD_NESTS has steps only if it does not run below a parent action itself. THREAD. */
int start_nests(const struct start *s);
/* 1: an argument without an option is this path. A file that an option names is a header, and the
 * source has another name. THREAD. */
int start_has_operand(const struct cmdline *cmd, const char *path);
/* Writes the spec of a path as a traced process used it. A relative spelling below the cwd is 'C'.
 * Sets *bound if the spec cannot be independent of the cwd. THREAD. */
void start_spec(struct start *s, const char *path, int relative, int *bound, struct buf *out);
/* result_output_streams(), but never for an output that the tool also reads. THREAD. */
int start_streams(const struct tool_row *row, const struct result_output *o);
/* 1: says() is true for a variable from which the tool takes arguments. THREAD. */
int start_variables_say(const struct tool_row *row, const struct invocation *call,
                        int (*says)(const char *words));
/* 1: a variable adds to the tool's arguments, or edits them. THREAD. */
int start_variables_add(const struct tool_row *row, const struct invocation *call);
/* 1: REPRISE_SLOPPY lists this difference. THREAD. */
int start_accepts(const struct settings *set, const char *difference);
/* Writes the journal line and counters of a start that was no hit. THREAD. */
void start_report(struct start *s, const char *verdict, enum reason reason,
                  const char *key_history);
/* Copies a result's names into a flat list. THREAD. */
void names_flat(const struct bound_name *from, size_t n, struct patch_name *out);
