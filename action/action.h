/* action/action.h - one start of a tool in a process of its own, from its key to its replay or its
 * recording.
 *
 * A tool serves itself: action/ runs in the tool's own process, single-threaded. The code runs
 * inside the object's constructor, when no other library is initialised yet. Or it runs in the
 * supervisor, which never returns from the constructor. serve.c calls the steps in their order.
 * Decisions without side effects belong to judge/.
 *
 * If a header gives no mark, its functions run only in the constructor of a tool or in its
 * supervisor.
 *
 * Memory: the start's arena. */
#pragma once

#include "action/supervise.h"
#include "store/agent.h"

struct action {
	struct start start;
	void (*xfsz)(int); /* the caller's SIGXFSZ handler, when size_limited */
	/* RLIMIT_FSIZE leaves no room for a trace, and our own files may exceed it */
	int size_limited;
	int carried;         /* as of struct tool_start */
	uint64_t file_size; /* RLIMIT_FSIZE: a write beyond it is a signal */
	/* The remote store (action/remote_store.c). */
	struct agent *agent;     /* NULL: not asked yet, or there is no remote store */
	struct store *inbox;
	int remote_off, leased, spooled;
	int skipped;             /* a question had no answer: no other one is asked */
	int publishes;           /* this node sends its compiles: as the agent said */
	int64_t waited_ns;       /* for its answers */
	int64_t listed;          /* candidates of the manifest when the agent last said it */
	const struct entry *fetched; /* candidate and result that the local store lacks; or NULL */
	unsigned char lease[SPOOL_TOKEN];
	int64_t renew_at;        /* CLOCK_MONOTONIC */
	const struct nest_before *before;
	struct open_files *open_before; /* action/action.c */
	/* With REASON_MISS_VERIFY: the result that a replay would have used. */
	struct result *expected;
};

/* Functions that the steps of an action share. Memory: the start's arena. */

/* The tool and the processes that it starts run without Reprise. If the tool nests, the steps below
 * it are served like the children of any program. */
void action_untraced(const struct action *a);
/* For a process that is about to fork. Closes connections and forgets secrets. A later call of
 * remote_store.h opens a new connection. */
void action_close_remote(struct action *a);
/* Frees everything, the action included. */
void action_free(struct action *a);

/* --- actionkey.c: the key of an action --- */

/* Fills key, k1 and streams. */
enum reason action_key(struct start *s);

/* --- command.c: expands and classifies argv, and finds the files that it names --- */

/* Expands and classifies argv and looks at no path. Returns REASON_NONE or a bypass. */
enum reason action_arguments(struct start *s);
/* Looks at the files that argv names. Fills cmd, primary, names and text. Returns REASON_NONE or a
 * bypass. */
enum reason action_command(struct start *s);

/* --- expansion.c: preprocesses a recorded compile's sources once more.
 *
 * Only a recording does this, and only if it would otherwise bind its result because a text could
 * ask for a name. The run is no action. It sees the job's environment and working directory, and
 * can write only to its standard output (shim/kernel/read_only.h). A compiler that wants to write
 * more fails, and its result stays bound. */

/* preprocessor.expand for a compiler in a process of its own: a supervisor calls it after its
 * tool's end. */
int action_expand(struct start *s, struct buf *out);

/* --- key_history.c: stores the fields of a command's keys, so that `reprise explain` can
 * compare them.
 *
 * The tool, the working directory and the first output identify a command. Without an output the
 * first input does. A command whose output has a generated name, such as a step of nvcc, has no
 * identity. Supervisor only. */

/* Stores this key's fields as the command's latest. If the command had other fields before, stores
 * both under an entry of its own and writes that entry's key to hex. Otherwise hex is "". */
void key_history_store(struct start *s, char hex[DIGEST_HEX + 1]);

/* --- record.c: runs the real tool, judges the run and stores its result --- */

/* Forks. Returns in the child. Returns in the only process if recording is impossible;
 * start_missed() knows why. */
void action_record(struct action *a);

/* --- replay.c: writes outputs, streams and status of a result under this start's names --- */

/* Writes everything and exits. Returns only if that fails. REASON_MISS_NAMES: the result does not
 * fit this start's names, and nothing is touched. REASON_BYPASS_REPLAY: an output could not be
 * written. REASON_MISS_REFUSED: a streamed output is damaged. */
enum reason action_replay(struct action *a, struct result *r);

/* --- stream_files.c: the files behind stdout and stderr: whether both are one file, and
 * whether the tool itself reads or writes them.
 *
 * Two descriptors of one open file are written in the order of the calls. So are two descriptors
 * that both append to one file. One pipe records that order (one_stream).
 *
 * Two descriptions of one file without O_APPEND overwrite each other. So does a tool that opens a
 * stream's file by its name. The bytes then depend on the time of each write, which no result
 * holds. Such a start runs for real.
 *
 * Memory: none, but a detail in the action's arena. */

/* Sets one_stream and stream_file, or returns why the tool must run for real. st[1], st[2]: what
 * the streams are (STATX_BASIC_STATS); zero for a terminal and a closed one. Call it after
 * action_command(). Constructor of a tool only. */
enum reason stream_files(struct start *s, const struct statx st[3]);

/* --- action.c: the strict mode of test suites (REPRISE_STRICT). An error that a job would not
 * notice ends the tool with STRICT_STATUS. Constructor of a tool, and the child that it forks. */

#define STRICT_STATUS 125

/* Notes the open descriptors, before Reprise opens its own. Does nothing outside the strict
 * mode. */
void strict_begin(struct action *a);
/* Ends the tool if the set of open descriptors changed. */
void strict_check(struct action *a);
/* For the supervisor, after all other work. Ends in place of the tool if an error was reported. */
void strict_end(const struct action *a);

/* --- stdin.c: standard input that argv names as a source --- */

/* Looks at standard input without taking bytes from it. The real tool may run and read it until
 * action_stdin_consume() or action_stdin_leave(). Fills source. Returns REASON_NONE or a
 * bypass. */
enum reason action_stdin(struct start *s);
/* Adds standard input to the key. */
void action_stdin_key(struct start *s);
/* For a FILE or PIPE: opens a separate descriptor with the same bytes for a recorded tool. Other
 * readers of our standard input do not disturb it. Returns -errno on failure. */
int action_stdin_open(const struct stdin_source *s);
/* Call it after the tool's end. Leaves standard input where the tool left its own. Returns 1 if the
 * tool read everything. */
int action_stdin_leave(const struct stdin_source *s, int fd);
/* Call it after a replay. Leaves standard input at its end. */
void action_stdin_consume(const struct stdin_source *s);
/* Returns 1 if the file behind standard input changed since before the run. */
int action_stdin_changed(const struct stdin_source *s);

/* --- remote_flight.c ---
 *
 * One node compiles for all nodes: leases of the remote store, and what an action leaves there. All
 * functions: constructor of a tool, or its supervisor. Memory: the action's arena. */

/* Call it before a compile, under the local lock. 1: another node compiled, and *out is its result.
 * 0: this node must compile, with a lease if the remote store grants leases. */
int remote_flight_wait(struct action *a, struct result **out);

/* For the supervisor, while the tool runs. Renews the lease when it is time. Returns the longest
 * wait in ns until the next call, -1 for ever. */
int64_t remote_flight_tick(struct action *a);

/* For the supervisor, or for a process that records nothing after all. stored: writes the records
 * of result and candidate to the spool, with the lease, and tells the agent. Otherwise gives the
 * lease back. */
void remote_flight_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns);

/* --- supervise_signals.c: what a recorded tool is told by signals, and what its supervisor is
 * told of it.
 *
 * All signals of the supervisor wait in its signalfd. Each one goes on to the child, unless the
 * kernel has sent it to both. If the child stops, the supervisor stops by the same signal. If it
 * ends, s->ended and s->status are set. Supervisor only. Memory: none. */

/* Takes the signals that wait. */
struct supervisor;
void supervise_take_signals(struct supervisor *s);
