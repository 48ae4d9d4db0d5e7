/* judge/mode.h - permission bits of an output: which of them the tool asked for, and what a
 * replay gives a file.
 *
 * Pure. A tool creates a file with the bits of its open(2), which the umask cuts, or opens one that
 * is there, whose bits stay; then it may set bits by chmod. A replay under another umask, onto
 * nothing or onto a file of other bits, gives what the tool would have given there. */
#ifndef JUDGE_MODE_H
#define JUDGE_MODE_H

#include "store/result.h"

/* How an output got its bits. */
struct mode_seen {
	unsigned made;    /* as TRACE_WRITE's argument (shim/trace.h) */
	unsigned umask;   /* of the tool's start */
	unsigned mode;    /* st_mode after the run */
	int in_place;     /* written into a file that was there */
	int changed;      /* the tool called chmod or fchmod */
	int adds_execute; /* the program adds the execute bits to a file's bits, as bfd's linkers do */
	int own_mode;     /* the bits that are set come from a member of an archive, not from the umask */
};

/* THREAD. Fills mode_kind and mode of o. -1: the bits that the tool would give elsewhere are not
 * known. It wrote into a file that it would not have made, or it set bits under a umask that hides
 * whether it asked for the execute bits. */
int mode_record(const struct mode_seen *s, struct result_output *o);
/* THREAD. The mode for open(2), which the umask then cuts. */
unsigned mode_of_new(const struct result_output *o);
/* THREAD. Bits for fchmod(2) on a written file that has the bits `now`; -1: they stay. */
int mode_to_set(const struct result_output *o, unsigned umask, unsigned now);

#endif
