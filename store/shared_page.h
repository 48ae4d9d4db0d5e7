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
 * node. THREAD; the caller owns the descriptor. */
#ifndef STORE_SHARED_PAGE_H
#define STORE_SHARED_PAGE_H

#include <stddef.h>
#include <sys/types.h>

#include "shim/digest.h"

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

#endif
