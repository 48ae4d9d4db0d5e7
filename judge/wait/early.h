/* judge/wait/early.h - digests large files while the tool that reads them still runs.
 *
 * A link with a library of 434 MB takes half a second, and the library's digest takes 0.2 s more,
 * for which the job would wait. The supervisor has nothing else to do meanwhile. It reads the
 * tool's trace, digests what is large and new, and leaves the digest in the memo. After the run the
 * judge asks the memo. THREAD. */
#ifndef JUDGE_WAIT_EARLY_H
#define JUDGE_WAIT_EARLY_H

#include "judge/start.h"

/* All 0 before the first call. */
struct early {
	unsigned looks, files;
	uint64_t at;           /* where the next event of the trace begins */
	unsigned char *buffer; /* in the start's arena */
	int fd, lock;          /* of the file that is being digested; -1 none */
	struct statx st;
	struct digest_state state;
};

/* Goes on, for a millisecond at most. trace: of the tool's run, open. Returns how many ns later it
 * wants to be called again; -1: never. */
int64_t early_tick(struct early *h, struct start *s, int trace);
/* Finishes the file that is being digested, or leaves it. */
void early_end(struct early *h, struct start *s, int finish);

#endif
