/* store/store.h - the local store: get, put, where it is, and who may use it.
 *
 * <dir>/<class>/<2 hex>/<62 hex>[.slot] ; <dir>/tmp/ ; <dir>/stats/ ; <dir>/spool/ ; <dir>/jobs/ ;
 * <dir>/VERSION, the text "reprise 1" for this layout. Slot 0 has no suffix.
 *
 * Readers get a whole entry or a miss. Writers fill a file in <dir>/tmp and rename(2) it. So a
 * killed writer leaves a temporary file for `reprise gc`, never half an entry. The directory is
 * made 0700 and must belong to the effective user. A world-writable or foreign directory is
 * refused, unless it is read-only for us (a seed). Removing the store while it is in use is fine:
 * the next put makes it again. Correctness needs no locks (the store may be on NFS). Several
 * versions of Reprise may share it: entries of unknown formats are misses, and newer ones are never
 * deleted.
 *
 * store_put, store_put_entry and store_add_candidate count what they write and start eviction
 * (store/eviction.h) themselves, store_get counts damaged entries: callers do neither. THREAD. */
#pragma once

#include "shim/settings/settings.h"
#include "store/entry/entry.h"

/* candidates that a manifest holds; then the least recently used is replaced */
#define STORE_SLOTS 32
#define STORE_SEEDS_MAX 16
#define STORE_INBOX "/inbox" /* directory of store/inbox.h */
#define STORE_REMOTE 17 /* 16 hex digits, or REMOTE_TAG_LOCAL */

struct store {
	const char *dir;         /* NULL: no usable local store */
	const char *runtime_dir; /* below node_dir, 0700, ours, one for each store; NULL: none */
	const char *node_dir;    /* <runtime>: the memo, shared by all stores of the user */
	const char *seeds[STORE_SEEDS_MAX + 1];
	int writable;
	enum entry_reading reads; /* how entries are read; copied in hosts */
	uint64_t max_size;
	/* For people. passed: why the store is not the first one that the settings name;
	 * passed_runtime: why node_dir is not REPRISE_RUNTIME_DIR. NULL: they are. */
	const char *passed, *passed_runtime;
	/* Tag of the remote store whose queues (store/queue/queue.h) this process uses, set by
	 * remote_tag (remote/tag.c). "" until then: nothing is queued. */
	char remote[STORE_REMOTE];
	int64_t look_up_ns;      /* what a look-up there may take; set with it */
	int64_t *page;           /* store/job/counters.h, mapped on first use */
};

/* Finds and makes the directories. Also returns 0 if there is no usable store: then dir is NULL and
 * *fault says why. Cheap: a handful of system calls if everything is there. */
int store_open(struct store *s, const struct settings *set, char *const envp[], struct arena *a,
               struct fault *fault);
/* Reads from the local store, then from the seeds. slot is 0 except for manifests and sets: there
 * each place has slots of its own, STORE_SLOTS of the local store, then as many of each seed. An
 * ENTRY_BAD is removed if possible. A small entry costs openat, newfstatat, read and close. */
enum entry_status store_get(struct store *s, enum store_class class, const struct digest *key,
                            int slot, struct entry *out, struct arena *a, struct fault *fault);
/* The slot to read after one that gave this status; -1: there is none.
 *
 *     for (int slot = 0; slot >= 0; slot = store_next_slot(s, slot, st))
 *             st = store_get(s, class, key, slot, ...);
 */
int store_next_slot(const struct store *s, int slot, enum entry_status st);
/* Replaces the entry. 0 or -1 with *fault (ENOSPC, EROFS, ...): nothing half-written is visible. */
int store_put(struct store *s, enum store_class class, const struct digest *key, int slot,
              const void *payload, size_t n, struct fault *fault);
/* The same for a payload of `count` parts, STORE_PARTS_MAX at most. */
#define STORE_PARTS_MAX (TMP_PARTS_MAX - 2)
int store_put_parts(struct store *s, enum store_class class, const struct digest *key, int slot,
                    const struct tmp_part *parts, int count, struct fault *fault);
/* Puts an entry that came, checked, from another store: nothing may have written to its payload
 * since. */
int store_put_entry(struct store *s, int slot, const struct entry *e, struct fault *fault);
/* MANIFEST and SET: uses a slot whose candidate has the same result (the payload's first
 * DIGEST_SIZE bytes). Without such a slot it uses the first free slot, or else the least recently
 * used. Never overwrites a newer writer's slot. Slots fill from 0 without gaps, so a reader may
 * stop at the first ENTRY_ABSENT. */
int store_add_candidate(struct store *s, enum store_class class, const struct digest *key,
                        const void *payload, size_t n, struct fault *fault);
/* The file of a local entry with more than `above` bytes of payload, to be read in pieces, and its
 * length. Nothing of it is checked. The descriptor, or -1: there is none. */
int store_file(const struct store *s, enum store_class class, const struct digest *key,
               uint64_t above, uint64_t *len);
/* Marks an entry of store_get as used, for eviction: sets its mtime if that is older than
 * STORE_TOUCH_S. An entry of a seed is left as it is. */
#define STORE_TOUCH_S 3600 /* use is known to the hour, and a hit rarely writes */
void store_touch(struct store *s, enum store_class class, const struct digest *key, int slot,
                 const struct entry *e);
