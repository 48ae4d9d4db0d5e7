/* store/entry.h - entry: one immutable self-checking object of the store.
 *
 * Layout (little-endian) stands above entry.c; magic holds the version; the digest at the end covers
 * all before it and is checked on every read. A damaged or foreign entry
 * reads as ENTRY_BAD: the caller deletes and counts it, and it is a miss. One of another version
 * reads as ENTRY_ABSENT: a miss, but it stays for the Reprise that understands it.
 *
 * Processes with and without trust (shim/digest.h) share a store. Their keys differ, so neither ever asks for
 * an entry of the other; whoever reads all of them (verify, gc) can check both, since an entry's check
 * is of the algorithm that made its key.
 *
 * Memory: entry_read's payload lives in the arena and may be written to. A large one on a local file
 * system, unless it is of class UNIT, is digested in pieces and then mapped over the arena's place, so that it takes no memory of its
 * own; write(2) from it fails with EFAULT where somebody has cut the file since. THREAD. Parsing never
 * trusts a length. */
#ifndef STORE_ENTRY_H
#define STORE_ENTRY_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/fault.h"

/* name, number on disk (never reused), directory */
#define STORE_CLASSES(X)                                                                           \
	X(MANIFEST, 1, "manifest") /* candidates of an action key, in slots */                     \
	X(RESULT, 2, "result")                                                                     \
	X(TRAIL, 3, "trail")       /* what entered the last key of a command, for explain */       \
	X(UNIT, 4, "unit")         /* a parcel of a framework's cache (units/parcel.h) */             \
	X(SET, 5, "set")           /* members of a unit that grows, in slots (units/member.h) */    \
	X(TEXTS, 6, "texts")       /* of what a precompiled header was made (judge/precompiled.h) */
enum store_class {
#define X(id, number, dir) STORE_##id = number,
	STORE_CLASSES(X)
#undef X
};
/* Of the head and all payloads, and of what they mean. Action keys hold it, so builds of two versions share a store
 * without ever asking for the same manifest or result. */
#define ENTRY_VERSION 3
/* Keeps a damaged length from asking for the address space. */
#define ENTRY_PAYLOAD_MAX (4ull << 30)

/* BAD: to be removed. ABSENT: also another version. FAULT: the system refused. */
enum entry_status { ENTRY_OK, ENTRY_ABSENT, ENTRY_BAD, ENTRY_FAULT };

struct entry {
	enum store_class class;
	struct digest key;
	const unsigned char *payload;
	size_t len;
	int64_t mtime; /* seconds; of the file that was read, else 0 */
	int whole;     /* head and tail are still around the payload */
};

/* Head and tail for a payload: an entry on disk is head, payload, tail. */
#define ENTRY_HEAD 48
#define ENTRY_TAIL DIGEST_SIZE
void entry_seal(unsigned char head[ENTRY_HEAD], unsigned char tail[ENTRY_TAIL],
                enum store_class class, const struct digest *key, const void *payload, size_t len);
/* Checks n bytes in memory. ENTRY_OK: *out points into them. key NULL: whatever it says. */
enum entry_status entry_parse(struct entry *out, const void *bytes, size_t n,
                              enum store_class class, const struct digest *key);
/* Reads and checks a file; links are not followed. ENTRY_ABSENT for ENOENT, ENOTDIR and ESTALE;
 * ENTRY_FAULT with *fault otherwise. */
enum entry_status entry_read(struct entry *out, const char *path, enum store_class class,
                             const struct digest *key, struct arena *a, struct fault *fault);

#endif
