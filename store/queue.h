/* store/queue.h - files of records that many processes append to and one publisher takes.
 *
 * <cache>/spool/<host>/<remote>/<name>, each record appended by one write(2). <remote> is the store's `remote`: which
 * remote store the record is for, and under whose key, "local.<version>" where there is none; jobs of one store may differ in
 * that, and never meet in a queue. The publisher of that host and remote (a kernel lock) renames the file to
 * <work><time>.<pid> and removes that when all in it is done; an appender that finds that the file
 * it wrote to is no longer the queue appends again (so what is taken twice must be harmless). So a record survives a
 * killed job, a killed publisher and a reboot. What a host that was not heard of for QUEUE_ADOPT_S left behind for the
 * same remote is taken over (containers have a new name each).
 *
 * Where nothing was appended or taken for QUEUE_UNUSED_S, as for a remote that no job names any more, clean-up
 * (store/gc.h) removes what waits, and so files directly below <host>, as versions left them whose queues named no
 * remote: nobody can tell where these may be sent. Entries stay in the store; only their sending is given up. THREAD. */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include <stdint.h>

#include "shim/path.h"
#include "store/store.h"

#define QUEUE_ADOPT_S 3600
/* A server that is away for a week of holidays finds what waited. */
#define QUEUE_UNUSED_S (14 * 24 * 3600)
#define QUEUE_NAME 48 /* of a file in the directory, with its NUL */
struct queue {
	const char *name; /* the file that is appended to */
	const char *work; /* what names of taken ones begin with, and of nothing else */
};

/* Of a file of this host for the store's remote, or (name NULL) of its directory. 0 or -1. */
int queue_path(char out[PATH_SIZE], const struct store *s, const char *name);
/* 0, or -1: no store, read-only, its remote was not asked for, or max_bytes in the queue already. */
int queue_append(struct store *s, const struct queue *q, const void *bytes, size_t n, uint64_t max_bytes);

/* Publisher only, under its lock. */
void queue_adopt(struct store *s, const struct queue *q);
/* 0 and the file's new name; -ENOENT: nothing was appended; -errno. */
int queue_take(struct store *s, const struct queue *q, char name[QUEUE_NAME]);
/* Names of what was taken before, oldest first. 0 or -errno. */
struct queue_names {
	char (*v)[QUEUE_NAME];
	size_t count, cap;
};
int queue_taken(struct store *s, const struct queue *q, struct queue_names *out, struct arena *a);
/* True for the queue's own file and those taken from it. */
int queue_owns(const struct queue *q, const char *name);
/* What waits on this host for other remotes: visit as walk_names calls it, for each such file of the queue. */
void queue_elsewhere(struct store *s, const struct queue *q,
                     int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx);
/* Clean-up's part, of all hosts and remotes: how many files it removed. */
uint64_t queue_drop_unused(struct store *s);

#endif
