/* action/action.h - one start of a tool, from its key to its replay or its record.
 *
 * A tool serves itself: action/ runs in the tool's own process, single-threaded, inside the object's constructor (no other
 * library has been initialised) or in the supervisor that never returns from it. serve.c calls the steps in their order;
 * state.h is what they share.
 *
 * A compile inside a host (jit/) is an action as well: it is looked up, judged and stored by the same steps, on whatever
 * thread the host calls the compiler. The functions of these steps are marked THREAD in their headers: each works on the
 * action that it is given and on nothing else of the process, and its file includes shim/banned.h. What has no mark:
 * constructor of a tool, or its supervisor, only.
 *
 * Memory: the action's arena. */
#ifndef ACTION_ACTION_H
#define ACTION_ACTION_H

#include "keying/key.h"
#include "keying/names.h"
#include "keying/patch.h"
#include "keying/probe.h"
#include "remote/remote.h"
#include "shim/path.h"
#include "shim/reason.h"
#include "store/candidate.h"
#include "store/result.h"
#include "store/store.h"
#include "tools/cmdline.h"
#include "tools/ptx.h"
#include "tools/tool.h"

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
/* The regular file that a standard stream writes to; ino 0: it is none. */
struct stream_file {
	uint64_t ino;
	unsigned major, minor;
};

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
	int real_of_cwd; /* recording: a relative path led elsewhere, and gcc uses the shorter one of the two */
	int names_shown; /* what it did with its names shows that only their lengths matter */
	struct key key;
	struct digest k1;
	enum stream_kind stream[3];
	struct stream_file stream_file[3];
	int one_stream;      /* stdout and stderr have one order (action/stream_files.h) */
	int64_t started_ns;  /* CLOCK_MONOTONIC; of the tool once it is recorded */
	int64_t started_at;  /* CLOCK_REALTIME_COARSE, the clock of file times, ns */
	int64_t ran_at;      /* the same when the recorded tool began */
	unsigned umask;
	void (*xfsz)(int); /* SIGXFSZ as the caller left it, when size_limited */
	int size_limited; /* RLIMIT_FSIZE: no room for a trace, and our own files may hit it */
	enum reason reason;  /* why it is no hit */
	char detail[512];    /* that, for people */
	struct fault fault;
	/* Candidates of the key that were read and did not hold. */
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
	const char **path_dir;   /* directories of PATH, absolute and tidy (action/search.c) */
	size_t path_dirs;
	int nested;              /* below a recording tool that nests (action/nest.h) */
	const struct nest_before *before;
	const struct candidate *held; /* the candidate that serves, or that was stored */
	struct open_files *open_before; /* action/strict.c */
	int errors; /* reported: what REPRISE_STRICT ends the tool for */
	/* With REASON_MISS_VERIFY: the result that would have been replayed. */
	struct result *expected;
};

#endif
