/* judge/output/mode.h - permission bits of an output: which bits the tool asked for, and which bits
 * a replay gives a file.
 *
 * A tool creates a file with the bits of its open(2), which the umask cuts. Or it opens an existing
 * file, which keeps its bits. Then the tool may set bits by chmod. A replay may run under another
 * umask, onto no file or onto a file with other bits. It gives the bits that the tool would have
 * given. Pure. */
#pragma once

#include <sys/stat.h>

#include "judge/input/collect.h"
#include "shim/arena.h"
#include "store/entry/result.h"

/* How an output got its bits. */
struct mode_seen {
	unsigned made;    /* as TRACE_WRITE's argument (shim/trace.h) */
	unsigned umask;   /* of the tool's start */
	unsigned mode;    /* st_mode after the run */
	int in_place;     /* the tool wrote into an existing file */
	int changed;      /* the tool called chmod or fchmod */
	int adds_execute; /* the program adds the execute bits, as bfd's linkers do */
	int own_mode;     /* the bits come from a member of an archive, not from the umask */
	int acl;          /* the directory's access control list, and not the umask, cut the bits */
};

/* THREAD. Fills mode_kind and mode of o. -1: the bits that the tool would give elsewhere are not
 * known. Either it wrote into a file that it would not have made. Or it set bits under a umask that
 * hides whether it asked for the execute bits. */
int mode_record(const struct mode_seen *s, struct result_output *o);
/* THREAD. The mode for open(2), which the umask then cuts. */
unsigned mode_of_new(const struct result_output *o);
/* THREAD. The bits for fchmod(2) on a written file that has the bits `now`. -1: the bits stay. */
int mode_to_set(const struct result_output *o, unsigned umask, unsigned now);

/* What access(2) answered is an input: INPUT_PRESENT with TRACE_ASKED and
 * TRACE_GRANTED of shim/trace.h above the type. */

/* Asks the same questions now. The answers: TRACE_ASKED as in `asked`, and TRACE_GRANTED. */
unsigned permissions_of(const char *path, unsigned asked);
/* Adds the input for a file that the tree asked for permissions, unless another input of the file
 * holds them. 1: it did. */
int collect_permissions(struct collect *k, const struct tree_file *f);

/* Where a file lies: its directory, under whatever name, and its last component. The file need not
 * exist. THREAD. */

struct place {
	const char *path; /* usable from the cwd */
	const char *base; /* of the path */
	struct statx directory;
};

/* The directory of a path, usable from the cwd. In the arena; NULL: no memory. */
const char *place_directory(struct arena *a, const char *path);
/* 0, or -errno: there is no such directory, or no memory (-ENOMEM). The path must outlive *p. */
int place_of(struct arena *a, const char *path, struct place *p);
/* 1: the directory's access control list, and not the umask, cuts the bits of new files. */
int place_cuts_bits(struct arena *a, const char *path);
/* 1: one file. */
int place_same(const struct place *x, const struct place *y);
