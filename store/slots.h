/* store/slots.h - tables of small records in a file of the runtime directory, shared by the
 * processes of a node.
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
#ifndef STORE_SLOTS_H
#define STORE_SLOTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/digest.h"

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
void slots_put(int fd, uint32_t slot, const void *record, size_t size);
/* Open-file-description lock of n bytes: F_WRLCK or F_UNLCK. 0 or -errno; -EAGAIN where it is
 * held. */
int slots_lock(int fd, off_t at, off_t n, short type);

#endif
