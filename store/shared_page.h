/* store/shared_page.h - a few words that all processes of the user and store share on a node.
 *
 * <runtime>/<name> is a file of whole pages, mapped shared. Memory is allocated for each page: a
 * hole would be a SIGBUS on a full tmpfs. A new file is zeros. The first process claims the file by
 * compare-and-swap on the first word, its magic. All other words are changed by atomics alone, so a
 * killed process leaves nothing locked. A file with another magic is damaged and is replaced:
 * otherwise nothing would be counted or limited until the next boot. THREAD; the mapping survives
 * fork.
 *
 * Tables of small records in a file of the runtime directory, shared by the processes of a node.
 *
 *     int fd = slots_open(runtime_dir, "makers");
 *     if (fd >= 0 && slots_get(fd, n, &record, sizeof record))
 *             ...                                 // the record that a process put there last
 *     slots_put(fd, n, &record, sizeof record);   // for the next one
 *     sys_close(fd);
 *
 * A slot is the record and 8 bytes of check, the first bytes of the record's digest. No lock is
 * taken. If two writers tore a slot, or it was never written, it fails its check and reads as
 * absent. So a table holds only hints that may be lost. Two keys may share a slot: a record
 * holds its key, and the reader compares it. Native byte order, since the file never leaves the
 * node. THREAD; the caller owns the descriptor.
 *
 * Two such tables are here. <runtime>/asked holds keys that the agent was asked for in vain a
 * moment ago, in NEGATIVE_CACHE_SLOTS slots of
 *   0  8  the key's first bytes, which are its hash
 *   8  8  time, CLOCK_BOOTTIME ns
 * A new key replaces another key in its slot. With it a cold start asks once for each key, not once
 * for each attempt. At worst, an entry that another node publishes meanwhile is found some seconds
 * late. Nothing is kept open.
 *
 * <runtime>/writers holds files that two recorded tools, or a tool and a replay, write at the same
 * time. Two compilers may write one output in place, and the file may then hold bytes of both. No
 * stamp shows that to the one that ends last. So the one that ends first, or replays, leaves a note
 * for it. Whether another process has the file open is asked by a lease, which is returned at once:
 * a lock on a job's file would be noticed by tools that lock it themselves. WRITERS_SLOTS slots, a
 * file's chosen by its stamp, of
 *   0  8  trace_made() of the file
 *   8  8  CLOCK_MONOTONIC when it was found open */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/digest.h"
#include "store/store.h"

/* bytes: a multiple of 4096. *made: the page is new, and zero but for the magic. NULL without a
 * runtime directory or without space. */
int64_t *shared_page_open(const char *runtime_dir, const char *name, size_t bytes, int64_t magic,
                          int *made);
/* The process may keep the page mapped, for its next shared_page_open. */
void shared_page_close(int64_t *page, size_t bytes);

#define SLOTS_RECORD_MAX 56
#define SLOTS_SIZE(record) (sizeof(record) + sizeof(uint64_t))

/* Opens the file, and makes it if it is missing. The descriptor is never that of a standard stream,
 * which a caller may have closed. Returns -errno without a runtime directory, or if the file cannot
 * be opened. */
int slots_open(const char *runtime_dir, const char *name);
/* The slot of a key in a table of `count`: by bytes 8 to 11 of the digest. */
uint32_t slots_of(const struct digest *key, uint32_t count);
/* 1: *record is what was put there; 0: nothing was, or it is torn. */
int slots_get(int fd, uint32_t slot, void *record, size_t size);
/* 0, or -1: it could not be written. */
int slots_put(int fd, uint32_t slot, const void *record, size_t size);
/* Open-file-description lock of n bytes: F_WRLCK or F_UNLCK. 0 or -errno; -EAGAIN where it is
 * held. */
int slots_lock(int fd, off_t at, off_t n, short type);

/* --- keys that the agent was asked for in vain. THREAD --- */

#define NEGATIVE_CACHE_S 5
#define NEGATIVE_CACHE_SLOTS 4096u
/* 1 if the key was noted in the last NEGATIVE_CACHE_S. */
int negative_cache_known(const struct store *s, const struct digest *key);
/* 0; -1: the runtime directory cannot be written. */
int negative_cache_note(const struct store *s, const struct digest *key);
void negative_cache_forget(const struct store *s, const struct digest *key);

/* --- files that two processes write --- */

#define WRITERS_SLOTS 4096

/* 1: another process has the file open, and a note was left for it in the runtime directory (NULL:
 * no note). kind: of shim/kernel/sys.h, sys_lease(). 0: no other process, or not known. THREAD. */
int writers_met(int fd, int kind, const char *runtime_dir);
/* 1: such a note about the file was left since then (CLOCK_MONOTONIC). THREAD. */
int writers_noted(const char *runtime_dir, uint64_t made, int64_t since);
