/* units/gather/gather.h - gathers an offered unit for the publisher: opens, checks, packs and
 * stores it, and spools it for the remote store.
 *
 * Everything is opened with O_NOFOLLOW, the unit's directory first and its files below it. Each
 * must be a regular file of the owner that the offer names, without another link. The completed
 * file must have the identity that the offer names, before and after it is read. The bytes are
 * checked by class (units/gather/unit_files.c):
 *   - Triton's directory holds only an index and its children (a .so is not shared), and no file
 *     is younger than the completed file;
 *   - a graph's name is the digest of its bytes;
 *   - pickles and JSON are complete;
 *   - max-autotune's choices have their own form (units/format/whole.h).
 * A MERGED file is merged with the stored file. The keys of the newer file win, and operations for
 * which every choice failed are left out. TOOL. */
#pragma once

#include <stddef.h>

#include "remote/remote.h"
#include "units/find/set_members.h"
#include "units/format/parcel.h"
#include "units/offer.h"

/* KEPT: the unit is stored, and its records for the remote store are spooled. DROPPED: counted and
 * logged, and for the user's own classes noted for `reprise explain`; *fault says why. LATER: the
 * unit is still being written. It is looked at again for GATHER_REST_MAX_S since it was completed,
 * and at most for GATHER_STILL_S without a write. A caller that waits for the publisher waits for
 * this unit, too. HELD: the process that wrote the unit may still remove it; no caller waits for
 * that process. */
#define GATHER_REST_MAX_S 300
/* Frameworks write a file at once; a loaded network file system may delay them. */
#define GATHER_STILL_S 20
enum gather_status { GATHER_KEPT, GATHER_DROPPED, GATHER_LATER, GATHER_HELD };
struct gather_terms {
	/* bits 1 << class of the units that are spooled for the remote store */
	unsigned remote_classes;
	enum compress_mode compress;
};
enum gather_status gather_unit(struct store *s, const struct offer *o, const struct gather_terms *t,
                               struct arena *a,
                               struct fault *fault);

/* Merges two payloads of a MERGED unit. 0, or -1 with *fault: one of them has another form. */
int gather_merge(struct buf *out, const void *older, size_t older_len, const void *newer,
                size_t newer_len,
                struct fault *fault);

/* --- unit_files.c: reads the files of a unit, as far as they can be trusted. TOOL --- */

/* The unit that is gathered. All memory is the arena's. */
struct gathering {
	struct store *s;
	const struct offer *o;
	const struct gather_terms *t;
	struct arena *a;
	struct fault *fault;
	struct unit_path u;
	struct parcel parcel;
	unsigned char *text;  /* SET, FILE, MERGED: the file's bytes, and how many */
	size_t len;
	int64_t changed_ns;   /* ... and its ctime; of a directory the ctime of its oldest file */
};
/* Reads a file below dirfd (AT_FDCWD: name is a path) into f->name, mode, data and len; *st is the
 * file's state, the same before and after. said: the file must be the one that the offer names. It
 * is locked against its writer while it is read. */
enum gather_status gather_read(struct gathering *g, int dirfd, const char *name, int said,
                               struct parcel_file *f,
                               struct statx *st);
/* LATER while the offer is young, then DROPPED. *fault is set. */
enum gather_status gather_wait(struct gathering *g, const char *why);
static inline int64_t gather_ctime(const struct statx *st)
{
	return st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;
}
#define gather_drop(g, ...) (fault_set((g)->fault, 0, __VA_ARGS__), GATHER_DROPPED)

/* Checks that a file is complete and that its name fits its bytes. Pure,
 * over bytes that may be anything. */

/* CUT: the bytes may be the first ones of a complete file that is still being written. */
enum check { CHECK_NEVER, CHECK_CUT, CHECK_WHOLE };

/* 1: the name has the form that torch derives from a content: 51 or 52 letters of its SHA-256 in
 * lower-case base32. */
int check_digest_name(const char *name);
/* 1: the name is the one of these bytes. */
int check_digest(const char *name, const void *bytes, size_t n);
/* jiterator's file. Its name says sass or ptx, and the length and digest of the source, not of this
 * file. 1: a complete ELF image, or text that declares version and target and ends where a PTX
 * module may end. */
int check_kernel(const char *name, const void *bytes, size_t n);
/* 1: the bytes are one zlib stream (RFC 1950) whose content has the checksum at its end, or one
 * zstd frame. Nothing follows the stream or frame. */
int check_compressed(const void *bytes, size_t n);
/* 1: the JSON text has the members that Helion gives a configuration. Inductor's have others. */
int check_configuration(const void *bytes, size_t n);
/* 1: the bytes are MLIR's bytecode with its CRC-32 behind it, as CuTe DSL writes it. */
int check_bytecode(const void *bytes, size_t n);
/* 1: the bytes are not those of a whole file of the format that the name tells
 * (units/format/whole.h; numba's and Python's pickles). 0 where the format is not known. */
int check_damaged(const char *name, const void *bytes, size_t n);

/* --- content.c: checks a shared object that a process compiled for its host. Pure, over
 * bytes that may be anything. TOOL. */

/* NULL: a whole shared object for this machine that depends on nothing but what its scope names
 * (units/scope/native_scope.c). Else why it is not carried: it is cut, its tables lie outside of
 * it, it needs a library other than libc's and libcuda.so.1, or it names directories to search. */
const char *native_refusal(const void *bytes, size_t n);

/* The sources that a pickle's code was made from. */

enum gather_status gather_sources(struct gathering *g, struct member *m);

/* --- declared_files.c: all files of a directory of the user's own class. TOOL --- */

/* The name of a file that lost its end since the older parcel: it is cut there, or holds zeros.
 * NULL: there is none. */
const char *gather_directory_lost(const struct gathering *g, const struct parcel *older);
/* fd: the directory of the unit. */
enum gather_status gather_directory(struct gathering *g, int fd);

/* --- merged_json.c: checks and merges JSON files of the frameworks. Pure; the bytes may
 * be anything. TOOL. */

/* One JSON object as Python writes it, with NaN and Infinity. */
enum check check_json(const void *bytes, size_t n);
/* torch writes max-autotune's timings before it knows whether a choice worked. A process that reads
 * only Infinity for an operation fails without trying. So objects whose numbers are all not finite
 * are left out. 0: there are no such objects; 1: *out is malloc'd text without them; -1: nothing
 * would be left, or no memory. */
int json_prune(const void *bytes, size_t n, char **out, size_t *len);
/* Merges two pruned texts. Members that are objects on both sides are merged. Of other members the
 * newer one counts, but an older finite number wins over a newer number that is not finite.
 * Malloc'd text; NULL: a text is no JSON object, nothing is left, or no memory. */
char *json_merge(const void *older, size_t older_len, const void *newer, size_t newer_len,
                size_t *len);

/* --- offered.c: takes the store's offers, some at a time, for the publisher's loop.
 * Under its lock. TOOL. */

struct gather_queue {
	struct store *s;
	struct gather_terms terms;
	int begun;
	int resting;    /* number of units that are still being written, and are looked at again */
	/* number of units that their writers may still remove; they are looked at again */
	int held;
	int64_t renew;  /* CLOCK_MONOTONIC: when offers that are held are appended again */
	int64_t next;   /* CLOCK_MONOTONIC: when the queue is read next */
};
/* 1: some offers were handled; 0: no offer is due (if no unit rests, there is none); -1 with
 * *fault: the queue cannot be read. Offers that a killed publisher had taken come again. */
int gather_step(struct gather_queue *q, struct fault *fault);

/* Sends a unit to the remote store. */

/* e: entry of a parcel. Frameworks of a new node write the kernels that came with a graph, so the
 * remote store has most units that such a node offers. So it is asked first, if the unit's name is
 * a full key. A MERGED unit is merged with the unit of the remote store under its lease, and the
 * result is stored locally, too. Returns as remote_put_result; SEND_THERE: the remote store has the
 * unit. */
enum { SEND_THERE = 2 };
int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault);

/* --- large_result.c: sends a large result in pieces. TOOL. --- */

/* fd: the entry's file in the local store, of len bytes of payload. As remote_put_file. */
int gather_send_result(struct remote *r, struct store *s, const struct digest *key, int fd,
                       uint64_t len, struct arena *a, struct fault *fault);

/* --- pickle.c: walks pickles without loading them. Pure; the bytes may be anything.
 * TOOL. */

/* One pickled object and nothing behind it: each opcode has its argument, and STOP is last. */
enum check check_pickle(const void *bytes, size_t n);
/* One or several of them, one behind the other. */
enum check check_pickles(const void *bytes, size_t n);
/* Names of the sources that the code in a pickle was made from, each once, in the arena. These are:
 *   - the file names of marshalled code objects;
 *   - other strings that end in ".py";
 *   - the names in a graph's comments, "# File: <name>:<line> in ...", where torch says from where
 *     an operation was called. For an operation without a source, torch names the caller.
 * Returns their number, or -1: more than max, or no memory. */
int pickle_sources(const void *bytes, size_t n, const char *out[], int max, struct arena *a);

/* --- triton.c: the files of a kernel's directory. TOOL --- */

/* fd: the directory of the unit. */
enum gather_status gather_triton(struct gathering *g, int fd);

/* --- publisher.c: the publisher: packs offered units and sends what the spool names, in
 * the background.
 *
 * There is one for each store, user and remote store (remote/tag.c) of a node (store/queue/spool.h:
 * its lock). The agent starts it (agent/clients.h), as does the user (`reprise publish`). It puts
 * offered units (units/gather/gather.h) into the local store, with or without a remote store, and
 * spools records for the remote store. Records whose lease
 * other nodes wait for go first, then offers, then other records. A result goes before the
 * candidate that names it. A lease is renewed while its record waits, and released when the
 * candidate is sent or given up. While Redis is away, records stay in the spool and Redis is tried
 * again with growing pauses.
 *
 * A killed publisher loses nothing: the next publisher does the rest of its work, and some of the
 * work twice. TOOL. */

/* A build's next miss mostly comes sooner. Starting a process again costs less than keeping it. */
#define PUBLISH_IDLE_NS 5000000000ll
/* A job's first pause. While a job starts, it needs all processors for itself. */
#define PUBLISH_QUIET_NS 1000000000ll
#define PUBLISH_QUIET_MOST 15
/* Without a server for so long it ends. Records wait in files for the publisher that the next
 * compile, unit or drain starts. */
#define PUBLISH_AWAY_NS 3000000000ll

struct publisher {
	struct store *store;
	/* its arena is replaced; where it is off, offers are packed and nothing is sent */
	struct remote *remote;
	enum compress_mode compress; /* of units */
	unsigned lease_ms;     /* 0: leases are not renewed */
	int64_t idle_ns;       /* it ends after so long without work; 0: at once */
	int64_t away_ns;       /* it ends after so long without success, unless it stays */
	/* before it packs or sends what no other node waits for, nothing new has come for so
	 * long; at most PUBLISH_QUIET_MOST times so long, and not while a user waits */
	int64_t quiet_ns;
	int64_t deadline;      /* CLOCK_MONOTONIC, 0: none; cuts a transfer, too */
	int hurried;           /* a user waits: it ends when the server refuses */
	/* it stays while processes live that may remove offered units; else such offers stay in the
	 * queue */
	int stays;
	/* called with the number of units and records that are left, more often than a person
	 * reads; NULL: not called */
	void (*progress)(size_t left);
};
/* IDLE: nothing waits. REFUSED: records wait that may not be published, or that the server
 * refuses. */
enum publish_end { PUBLISH_IDLE, PUBLISH_AWAY, PUBLISH_TIME, PUBLISH_REFUSED, PUBLISH_BUSY,
                  PUBLISH_FAULT };

/* Takes the lock and works. BUSY: another publisher has it. FAULT: no spool or no runtime
 * directory. *fault: why it did not end IDLE. */
enum publish_end publish_serve(struct publisher *p, struct fault *fault);
/* Works until nothing waits, also with the help of another publisher, or until the deadline. 0, or
 * -1 with *fault. */
int publish_drain(struct publisher *p, struct fault *fault);

/* --- kernel_files.c: checks a file of a directory that Warp, TileLang or deep_jit made. Pure, over
 * bytes that may be anything. TOOL. */

/* NULL: the file is whole, and depends on nothing but what the unit's name and scope hold. Else why
 * its directory is not carried: a file of another kind, a damaged one, a source that tells a path
 * or includes a file beside Warp's own (Warp's hash does not hold them), or kernels without a hash
 * in their names (the option strip_hash). */
const char *warp_refusal(const char *name, const void *bytes, size_t n);
/* The same of a kernel's directory that TileLang made: a file of another back end, a damaged one, a
 * source that includes a file of the user's, or an object that needs other libraries. */
const char *tilelang_refusal(const char *name, const void *bytes, size_t n);
/* The same of a kernel's directory that deep_jit made: a file of another name, a damaged one, a
 * source that includes a file by quotes, by an absolute path, or by another word, or that asks for
 * its own path or for the time. */
const char *deep_jit_refusal(const char *name, const void *bytes, size_t n);

/* --- deep_jit_command.c: what a kernel of deep_jit was compiled with. TOOL. */

/* NULL: by the command that deep_jit noted, the kernel was made with the nvcc and the headers that
 * the scope names, which did not change since written_ns, and from no other file. Else why it is
 * not carried. written_ns: ctime of kernel.cu, which is written before nvcc starts. Reads nvcc and
 * the headers. */
const char *deep_jit_command_refusal(const struct parcel *p, const char *scope, int64_t written_ns,
                                     struct arena *a);

