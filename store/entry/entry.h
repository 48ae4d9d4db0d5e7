/* store/entry/entry.h - entry: one immutable, self-checking object of the store.
 *
 * The layout (little-endian) is in entry.c. The magic holds the version; the digest at the end
 * covers everything before it and is checked on every read. A damaged or foreign entry reads as
 * ENTRY_BAD: a miss, and the caller deletes and counts it. An entry of another version reads as
 * ENTRY_ABSENT: a miss, but it is left for the Reprise that understands it.
 *
 * Processes with and without trust (shim/digest.h) share a store. Their keys differ, so neither
 * ever asks for an entry of the other. Processes that read all entries (verify, gc) can check both
 * kinds, since the check uses the algorithm of the entry's key.
 *
 * Memory: entry_read's payload lives in the arena and may be written to. A large entry on a local
 * file system is digested in pieces. It is then mapped over memory of the arena, so it takes no
 * memory of its own. This does not hold for the class UNIT. A process that would change the mapped
 * file waits for us (sys_lease). In the store of another user it does not: there write(2) from the
 * payload fails with EFAULT if the file was cut since. Parsing never trusts a length. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/fault.h"
#include "store/tmp.h"

/* name, number on disk (never reused), directory */
#define STORE_CLASSES(X) \
	X(MANIFEST, 1, "manifest") /* candidates of an action key, in slots */ \
	X(RESULT, 2, "result") \
	X(KEY_HISTORY, 3, "trail") /* the last key of a command, for explain */ \
	X(UNIT, 4, "unit") /* a parcel of a framework's cache (units/format/parcel.h) */ \
	X(SET, 5, "set") /* members of a unit that grows, in slots (units/format/member.h) */ \
	X(TEXTS, 6, "texts") /* sources of a precompiled header (judge/text/precompiled.c) */ \
	X(JOB_NODE, 7, "job_node") /* of remote stores alone (store/job/job_node.h) */ \
	X(JOB_USED, 8, "job_used") /* the same (store/job/job_used.h) */
enum store_class {
#define X(id, number, dir) STORE_##id = number,
	STORE_CLASSES(X)
#undef X
};
/* Version of the head, of all payloads, and of their meaning. Action keys contain it, so builds of
 * two versions share a store and never ask for the same manifest or result. */
#define ENTRY_VERSION 4
/* A damaged length must not make the reader ask for all memory. */
#define ENTRY_PAYLOAD_MAX (4ull << 30)

/* BAD: to be removed. ABSENT: also an entry of another version. FAULT: the system refused. */
enum entry_status { ENTRY_OK, ENTRY_ABSENT, ENTRY_BAD, ENTRY_FAULT };

struct entry {
	enum store_class class;
	struct digest key;
	const unsigned char *payload;
	size_t len;
	int64_t mtime; /* of the file that was read, in seconds; else 0 */
	uint64_t ino;  /* the same file's, and the rest of its mtime; else 0 */
	uint32_t mtime_ns;
	int whole;     /* head and tail still surround the payload */
};

/* Makes head and tail for a payload of `count` parts: an entry on disk is head, payload, tail. */
#define ENTRY_HEAD 48
#define ENTRY_TAIL DIGEST_SIZE
void entry_head(unsigned char head[ENTRY_HEAD], enum store_class class, const struct digest *key,
                size_t len);
void entry_seal(unsigned char head[ENTRY_HEAD], unsigned char tail[ENTRY_TAIL],
                enum store_class class, const struct digest *key, const struct tmp_part *parts,
                int count);
/* The same for a payload of len bytes that lies in a file, at ENTRY_HEAD: the file is then an
 * entry. 0 or -errno. */
int entry_seal_file(int fd, enum store_class class, const struct digest *key, uint64_t len);
/* Checks n bytes in memory. ENTRY_OK: *out points into them. key NULL: any key is accepted. */
enum entry_status entry_parse(struct entry *out, const void *bytes, size_t n,
                              enum store_class class, const struct digest *key);
/* The same of the first ENTRY_HEAD bytes of an entry of n bytes, without its digest. */
enum entry_status entry_check_head(const unsigned char *head, unsigned long long n,
                                   enum store_class class, const struct digest *key);
/* Reads and checks a file; links are not followed. ENTRY_ABSENT for ENOENT, ENOTDIR and ESTALE;
 * ENTRY_FAULT with *fault otherwise. MAPS: a larger entry may be mapped. A file that another
 * process truncates then ends this process, so hosts do not ask for it. MAPS_CHECKED: and a process
 * that this one trusts has just written the file and checked its bytes: a large entry is not
 * digested again. */
enum entry_reading { ENTRY_COPIES, ENTRY_MAPS, ENTRY_MAPS_CHECKED };
enum entry_status entry_read(struct entry *out, const char *path, enum store_class class,
                             const struct digest *key, enum entry_reading how, struct arena *a,
                             struct fault *fault);

/* Path of an entry in a store: <dir>/<class>/<2 hex>/<62 hex>[.slot]. THREAD. */

/* Writes the path of an entry. Returns the length that is needed. */
size_t store_path(char *out, size_t cap, const char *dir, enum store_class class,
                  const struct digest *key, int slot);
