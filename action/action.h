/* action/action.h - one start of a tool, from its key to its replay or its record (DESIGN 4).
 *
 * Everything in action/ runs in the tool's own process, single-threaded, inside the object's
 * constructor (no other library has been initialised) or in the supervisor that never returns from
 * it. It uses shim/, keying/, store/ and remote/; hooks/ and cli/ do not use it.
 *
 * All functions: constructor of a tool only. Memory: the action's arena. */
#ifndef ACTION_ACTION_H
#define ACTION_ACTION_H

#include "keying/cmdline.h"
#include "keying/key.h"
#include "keying/names.h"
#include "keying/patch.h"
#include "keying/probe.h"
#include "keying/ptx.h"
#include "keying/tool.h"
#include "remote/remote.h"
#include "shim/path.h"
#include "shim/reason.h"
#include "store/candidate.h"
#include "store/result.h"
#include "store/store.h"

/* A file that argv names and that exists: its content is part of the action key. */
struct primary {
	const char *path;
	struct digest content; /* of the bytes as they are */
	struct digest keyed;   /* what of them enters the key */
	int strippable;        /* of a kind whose trailing comments do not */
	struct statx st;
	int response;          /* a response file: its arguments are in the key, not its bytes */
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

struct action {
	struct arena arena;
	struct settings set;
	struct store store;
	struct memo memo;
	struct prober prober;
	struct names names;
	struct cmdline cmd;
	const struct tool_row *row;
	const char *exe;    /* /proc/self/exe */
	const char *execfn; /* as the kernel was told */
	const char *base;   /* base name of exe */
	int argc;
	char **argv, **envp;
	const char *cwd;
	size_t cwd_len;
	struct primary *primary;
	size_t primary_count, primary_cap;
	struct stdin_source source;
	struct patch_name *all_names; /* volatile, base and PTX names of this start, hashes of its sources' paths */
	size_t all_count;
	size_t output_count;          /* so many of them may stand in an output */
	struct ptx *ptx; /* of the one PTX input, or NULL */
	struct ptx *ptx_sloppy; /* the same with lineinfo sloppiness, where that is accepted */
	int names_exact; /* an output was found that does not hold its names as expected */
	int names_shown; /* what it did with its names shows that only their lengths matter */
	struct key key;
	struct digest k1;
	enum stream_kind stream[3];
	int one_stream;      /* stdout and stderr are one open file */
	int64_t started_ns;  /* CLOCK_MONOTONIC; of the tool once it is recorded */
	int64_t started_at;  /* CLOCK_REALTIME_COARSE, the clock of file times, ns */
	int64_t ran_at;      /* the same when the recorded tool began */
	unsigned umask;
	void (*xfsz)(int); /* SIGXFSZ as the caller left it, when size_limited */
	int size_limited; /* RLIMIT_FSIZE: no room for a trace, and our own files may hit it */
	enum reason reason;  /* why it is no hit */
	char detail[512];    /* that, for people */
	struct fault fault;
	/* Candidates of the key that were read and did not hold, for learning by experience. */
	struct candidate *seen[STORE_SLOTS];
	int seen_count;
	/* The remote store (action/far.c). */
	struct remote *remote;   /* open, or NULL */
	int remote_off, from_remote, leased, spooled;
	int confines;            /* what comes from there is in the local store before it is looked at: confine_inputs at each look-up */
	const struct entry *fetched; /* NULL, or candidate and result that the local store does not have yet */
	char remote_note[160];   /* why it gave no answer, for `reprise explain` */
	unsigned char lease[SPOOL_TOKEN];
	int64_t renew_at;        /* CLOCK_MONOTONIC */
	int nested;              /* below a recording tool that nests (action/nest.h) */
	const struct nest_before *before;
	const struct candidate *held; /* the candidate that serves, or that was stored */
	struct open_files *open_before; /* action/strict.c */
	int errors; /* reported: what REPRISE_STRICT ends the tool for */
	/* With REASON_MISS_VERIFY: the result that would have been replayed. */
	struct result *expected;
};

/* Returns in the process that shall run the tool's main: at once for a bypass, in the forked child for
 * a miss. Never returns for a hit or in the supervisor. */
/* nested: below a recording tool whose trace is attached (action/nest.h); a bypass is then traced as any process there.
 * NESTED_WATCHED: the user's settings take this tool out; its command line is still read for what events cannot say. */
enum nested { NESTED_NOT, NESTED_STEP, NESTED_WATCHED };
void action_serve(const struct tool_row *row, const char *exe, const char *execfn, int argc,
                  char **argv, char **envp, struct settings *set, struct arena *arena, int nested);

/* action/serve.c: what it starts are actions of their own (action/nest.h); not below one of which that is true already. */
int action_nests(const struct action *a);
/* The tool runs without us, and what it starts with it; but the steps of one that nests are tools
 * below it as below any program. */
void action_untraced(const struct action *a);

/* Words for `reprise explain`; printf of fault_set's kinds. */
void action_detail(struct action *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* action/command.c: argv expanded and classified, no path looked at. REASON_NONE or a bypass. */
enum reason action_arguments(struct action *a);
/* action/command.c: 1: so says one of the variables that nvcc takes arguments from. */
int action_variables_say(const struct action *a, int (*says)(const char *words));
/* action/command.c: what argv names; fills cmd, primary, names, ptx. REASON_NONE or a bypass. */
enum reason action_command(struct action *a);
/* action/search.c: the program that this start's PATH finds, "" for none, "unset" without a PATH. */
const char *action_search(struct action *a, const char *name);
/* action/command.c: 1 when a start that accepts other line tables was looked up with its own and may be keyed
 * (action_key) without them now. */
int action_accept_sloppy(struct action *a);
/* 1: REPRISE_SLOPPY says that such a line table will do. */
int action_accepts_lineinfo(const struct action *a);
/* action/command.c: 1 when a source that the tool asked for is not what it was before the run. */
int action_sources_changed(struct action *a);
/* action/stdin.c: looks at standard input, which argv names as a source, and takes nothing from it: until
 * action_stdin_consume() or action_stdin_settle() the real tool may run and read it. Fills source.
 * REASON_NONE or a bypass. */
enum reason action_stdin(struct action *a);
/* Enters it into the key. */
void action_stdin_key(struct action *a);
/* For a FILE or PIPE: a descriptor of its own for a recorded tool, with those bytes whoever else reads from
 * ours. -errno. */
int action_stdin_open(struct action *a);
/* After that tool's end: leaves standard input where the tool left its own. 1 when it read everything. */
int action_stdin_settle(struct action *a, int fd);
/* After a replay: leaves it at its end. */
void action_stdin_consume(struct action *a);
/* 1 when the file behind it is not what it was before the run. */
int action_stdin_changed(struct action *a);
/* action/actionkey.c: fills key, k1, streams. */
enum reason action_key(struct action *a);
/* action/lookup.c: 1 and a result to replay under this start's names; 0 and a->reason. */
int action_lookup(struct action *a, struct result **out);
/* action/lookup.c: c was read and does not hold; once each, as many as find room. A key of another kind (sloppy) begins
 * with none. */
void action_saw(struct action *a, struct candidate *c);
int action_seen(const struct action *a, const struct digest *k2);
/* action/twins.c: the value of an INPUT_TWINS, as the files stand now; -1 when one is not there. */
int action_twins(struct action *a, const struct input *in, struct digest *value);
/* action/keep.c: K2: the key, every input, and the names where the result is bound to them. Pure. */
void action_result_key(const struct digest *k1, const struct candidate *c, struct digest *k2);
/* action/lookup.c: 1 when c may serve this start; else *why, and a->detail. */
int action_candidate_holds(struct action *a, struct candidate *c, enum reason *why);
/* Result under K2, decoded; NULL with a->reason set when it is gone or damaged. */
struct result *action_result(struct action *a, const struct digest *k2);
/* action/replay.c: writes everything and exits. Returns REASON_MISS_NAMES when the result does not fit this
 * start's names (nothing is touched then), REASON_BYPASS_REPLAY when an output could not be written,
 * REASON_MISS_REFUSED when one that is streamed is damaged. */
enum reason action_replay(struct action *a, struct result *r);
/* True: a large output that is unpacked while it is written, as memory for it would cost as much again. Its digest was
 * right, so that only a writer of nonsense is found out too late; hence never where a tool reads what it writes. */
int action_streams(const struct action *a, const struct result_output *o);
/* action/record.c: forks; returns in the child, or in the only process when recording is impossible
 * (a->reason says why). */
void action_record(struct action *a);

/* The spec of a path as a traced process used it: relative spelling under the action's cwd is 'C'.
 * *bound is set when the spec cannot be independent of the cwd. */
void action_spec(struct action *a, const char *path, int relative, int *bound, struct buf *out);
/* Journal line and counters for a start that was no hit. */
void action_report(struct action *a, const char *verdict, enum reason reason, const char *trail);
/* Everything that was taken; the action is gone. */
void action_free(struct action *a);
/* Value of a variable in the tool's environment, NULL when unset. */
const char *action_env(const struct action *a, const char *name);
/* Names of the start in one list, once all arguments are spelled. 0, or -1: no memory. */
int action_names(struct action *a);
/* Result's names as a flat list. */
void action_flat_names(const struct bound_name *from, size_t n, struct patch_name *out);

#endif
