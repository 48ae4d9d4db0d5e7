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
#ifndef JUDGE_START_H
#define JUDGE_START_H

#include "judge/invocation.h"
#include "judge/name_list.h"
#include "judge/preprocessor.h"
#include "judge/primaries.h"
#include "judge/search_set.h"
#include "judge/start_times.h"
#include "judge/stdin_source.h"
#include "judge/streams.h"
#include "judge/verdict.h"
#include "keying/key.h"
#include "keying/names.h"
#include "keying/patch.h"
#include "keying/probe.h"
#include "proofs/proof.h"
#include "shim/buf.h"
#include "shim/path.h"
#include "shim/reason.h"
#include "store/candidate.h"
#include "store/result.h"
#include "store/store.h"
#include "tools/cmdline.h"
#include "tools/input_text.h"
#include "tools/tool.h"

struct defined; /* judge/defines.h */
struct inherited; /* judge/inherited.h */
struct line_strings; /* tools/line_strings.h */
struct start {
	struct arena arena;
	struct settings set;
	struct store store;
	struct memo memo;
	struct prober prober;
	struct search_set searches; /* of the candidate that is judged */
	struct invocation call;
	struct streams streams;
	struct inherited *inherited; /* NULL: not looked at yet */
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
	int flight_known;        /* judge/flight.h has completed it */
	int comment_free;        /* texts may differ in comments (judge/comment_free.h) */
	/* the macros that the key leaves out and candidates hold; NULL: the key holds all */
	struct defined *defined;
	struct preprocessor preprocessor;
	int confines;            /* entries of other users: each look-up calls confine_inputs() */
	struct verdict verdict;
};

/* Sets the detail; accepts the printf formats of fault_set(). THREAD. */
void start_detail(struct start *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The start is no hit, for this reason and with the detail. A weaker reason changes nothing: each
 * look-up adds what it finds. THREAD. */
void start_missed(struct start *s, enum reason reason);
/* Forgets the prober's answers. THREAD. */
void start_prober(struct start *s);
/* 1: the tools that this start runs are steps, actions of their own (action/nest.h). A command with
 * CMD_NESTS has steps only if it does not run below a parent action itself. THREAD. */
int start_nests(const struct start *s);
/* 1: an argument without an option is this path. A file that an option names is a header, and the
 * source has another name. THREAD. */
int start_has_operand(const struct start *s, const char *path);
/* Writes the spec of a path as a traced process used it. A relative spelling below the cwd is 'C'.
 * Sets *bound if the spec cannot be independent of the cwd. THREAD. */
void start_spec(struct start *s, const char *path, int relative, int *bound, struct buf *out);
/* result_output_streams(), but never for an output that the tool also reads. THREAD. */
int start_streams(const struct start *s, const struct result_output *o);
/* 1: says() is true for a variable from which the tool takes arguments. THREAD. */
int start_variables_say(const struct start *s, int (*says)(const char *words));
/* 1: REPRISE_SLOPPY lists this difference. THREAD. */
int start_accepts(const struct start *s, const char *difference);
/* Writes the journal line and counters of a start that was no hit. THREAD. */
void start_report(struct start *s, const char *verdict, enum reason reason,
                  const char *key_history);
/* Copies a result's names into a flat list. THREAD. */
void names_flat(const struct bound_name *from, size_t n, struct patch_name *out);

#endif
