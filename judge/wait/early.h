/* judge/wait/early.h - digests files while the tool that reads them still runs.
 *
 * A link with a library of 434 MB takes half a second, and the library's digest takes 0.2 s more,
 * for which the job would wait. The supervisor has nothing else to do meanwhile. It reads the
 * tool's trace, digests what is new, and leaves the digests in the memo. A command that links reads
 * its libraries last, so those that it names are digested before. After the run the judge asks the
 * memo. Small files are left alone once the memo knew a row of them: it knows the rest. THREAD.
 */
#pragma once

#include "judge/start.h"

/* All 0 before the first call. */
struct early {
	int begun;
	int64_t pause;         /* ns: the next one */
	unsigned files;        /* large files that were digested */
	unsigned small, known; /* small files digested; those known since then */
	unsigned libraries;    /* those of the command that were looked at: cmdline_library() */
	int64_t young;         /* ns: a file that changed since is left to the judge */
	uint64_t at;           /* where the next event of the trace begins */
	unsigned char *buffer; /* in the start's arena */
	int fd, lock;          /* of the file that is being digested; -1 none */
	struct statx st;
	struct digest_state state;
};

/* Goes on, for some milliseconds at most. trace: of the tool's run, open. Returns how many ns later
 * it wants to be called again; -1: never. s->prober is used: its answers are those of before the
 * run's end. */
int64_t early_tick(struct early *h, struct start *s, int trace);
/* Finishes the file that is being digested, or leaves it. */
void early_end(struct early *h, struct start *s, int finish);
