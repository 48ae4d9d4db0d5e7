/* judge/verdict.h - the decisions about a start, and their reasons. THREAD. */
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "shim/fault.h"
#include "shim/reason.h"
#include "store/candidate.h"
#include "store/store.h"

/* What a library's compile shows of the names of its program. */
enum names_shown {
	NAMES_SHOWN_NOT,
	NAMES_SHOWN_LENGTH, /* it is proven that only the lengths of its names matter */
	NAMES_SHOWN_FREE    /* that not even these matter */
};

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
	enum names_shown names_shown;
	/* realpath of a relative path led elsewhere; gcc uses the shorter path */
	int real_of_cwd;
	int from_remote;    /* the result came from the remote store */
	int errors;         /* reported errors; REPRISE_STRICT ends the tool for them */
	struct candidate *seen[STORE_SLOTS]; /* candidates that were read and do not hold */
	int seen_slot[STORE_SLOTS]; /* where they were read, -1: not in the local store */
	int seen_count;
	const struct candidate *held; /* the candidate that serves, or that was stored */
};

#endif
