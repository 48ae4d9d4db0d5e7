/* store/store.h - the local store: get, put, where it is, and who may use it.
 *
 * <dir>/<class>/<2 hex>/<62 hex>[.slot] ; <dir>/tmp/ ; <dir>/stats/ ; <dir>/spool/ ; <dir>/jobs/ ; <dir>/VERSION, the
 * text "reprise 1" for this layout. Slot 0 has no suffix.
 * Readers get a whole entry or a miss: writers fill <dir>/tmp and rename(2), so a killed writer leaves
 * litter for `reprise gc`, never half an entry. The directory is made 0700 and must belong to the
 * effective user; a world-writable or foreign one is refused unless it is read-only to us (a seed).
 * Wiping it while in use is fine: the next put makes it again. No locks are needed for correctness (it
 * may be NFS). Several versions of Reprise share one: formats they do not know are misses, and never
 * deleted when merely newer.
 *
 * store_put, store_put_entry and store_add_candidate count what they wrote and start eviction (store/gc.h) themselves,
 * store_get counts what it found damaged: callers add neither. THREAD. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "shim/settings.h"
#include "store/entry.h"
#include "store/store_path.h"

#define STORE_SLOTS 32 /* candidates a manifest holds; then the oldest is replaced */
#define STORE_SEEDS_MAX 16
#define STORE_REMOTE 17 /* 16 hex digits, or REMOTE_TAG_LOCAL */

struct store {
	const char *dir;         /* NULL: no usable local store */
	const char *runtime_dir; /* below node_dir, 0700, ours, one for each store; NULL: none */
	const char *node_dir;    /* <runtime>: the memo, shared by all stores of the user */
	const char *seeds[STORE_SEEDS_MAX + 1];
	int writable;
	uint64_t max_size;
	/* For people. passed: why the store is not where the settings say first; passed_runtime:
	 * why node_dir is not REPRISE_RUNTIME_DIR. NULL: they are. */
	const char *passed, *passed_runtime;
	/* Whose queues (store/queue.h) this process means, by remote_tag (remote/tag.h). "" until it is asked: then
	 * nothing is queued. */
	char remote[STORE_REMOTE];
	int64_t *page;           /* store/counters.h, mapped by its first use */
};

/* Resolves and makes the directories. 0 also when there is no usable store: then dir is NULL and
 * *fault says why. Cheap: a handful of system calls when all is there. */
int store_open(struct store *s, const struct settings *set, char *const envp[], struct arena *a,
               struct fault *fault);
/* Where the settings lead to first, made or not. */
const char *store_default_dir(const struct settings *set, char *const envp[], struct arena *a);
const char *store_default_runtime(const struct settings *set, char *const envp[], struct arena *a);

/* slot is 0 but for manifests and sets. Local, then seeds. ENTRY_BAD was removed where it can be. A small
 * entry costs openat, newfstatat, read and close. */
enum entry_status store_get(struct store *s, enum store_class class, const struct digest *key,
                            int slot, struct entry *out, struct arena *a, struct fault *fault);
/* Replaces. 0 or -1 with *fault (ENOSPC, EROFS, ...): nothing half-written is visible. */
int store_put(struct store *s, enum store_class class, const struct digest *key, int slot,
              const void *payload, size_t n, struct fault *fault);
/* What another store had, as it was checked: nothing of its payload may have been written to since. */
int store_put_entry(struct store *s, int slot, const struct entry *e, struct fault *fault);
/* MANIFEST and SET: a slot whose candidate has the same result (the payload's first DIGEST_SIZE bytes), else the
 * first free one, else the least recently used. Never overwrites a newer writer's slot. Slots fill
 * from 0 without gaps, so a reader may stop at the first ENTRY_ABSENT. */
int store_add_candidate(struct store *s, enum store_class class, const struct digest *key,
                        const void *payload, size_t n, struct fault *fault);
/* Marks use of what store_get gave, for eviction: sets mtime when it is older than STORE_TOUCH_S, else does
 * nothing. An entry of a seed stays as it is. */
#define STORE_TOUCH_S 3600 /* least recently used to the hour; a hit rarely writes */
void store_touch(struct store *s, enum store_class class, const struct digest *key, int slot,
                 const struct entry *e);

#endif
