/* store/queue/queue.h - files of records that many processes append to and one publisher takes.
 *
 * <cache>/spool/<host>/<remote>/<name>, each record appended by one write(2). <remote> is the
 * store's `remote`. It says which remote store the record is for and with whose key it is signed.
 * Without a remote store it is "local.<version>". Jobs of one store may have different remote
 * stores, and then they never share a queue.
 *
 * The publisher of that host and remote (a kernel lock) renames the file to <work><time>.<pid>, and
 * removes it when all its records are done. If an appender finds that its file is no longer the
 * queue, it appends again. So a record may be taken twice, and this must be harmless. A record
 * survives a killed job, a killed publisher and a reboot. Since each container has a new host name,
 * a publisher also takes over other hosts' files. Such a host must have written nothing for
 * QUEUE_ADOPT_S, and its files must be for the same remote.
 *
 * Clean-up (store/eviction.h) removes a queue if nothing was appended to it or taken from it for
 * QUEUE_UNUSED_S. An example is the queue of a remote that no job names any more. Entries stay in
 * the store; only their sending is given up. THREAD. */
#pragma once

#include <stdint.h>

#include "store/store.h"

#define QUEUE_ADOPT_S 3600
#define QUEUE_NAME 48 /* length of a file name in the directory, with its NUL */
struct queue {
	const char *name; /* the file that processes append to */
	const char *work; /* prefix of the names of taken files, and of no others */
};

/* Path of a file of this host for the store's remote, or (name NULL) of its directory. 0 or -1. */
int queue_path(char out[PATH_SIZE], const struct store *s, const char *name);
/* 0, or -1: no store, read-only, remote_tag not called, or max_bytes already in the queue. */
int queue_append(struct store *s, const struct queue *q, const void *bytes, size_t n,
                 uint64_t max_bytes);

/* For the publisher, under its lock. */
void queue_adopt(struct store *s, const struct queue *q);
/* Takes the queue. 0 and the file's new name; -ENOENT: nothing was appended; -errno. */
int queue_take(struct store *s, const struct queue *q, char name[QUEUE_NAME]);
/* Lists files that were taken before, oldest first. 0 or -errno. */
struct queue_names {
	char (*v)[QUEUE_NAME];
	size_t count, cap;
};
int queue_taken(struct store *s, const struct queue *q, struct queue_names *out, struct arena *a);
/* True for the queue's own file and for files taken from it. */
int queue_owns(const struct queue *q, const char *name);
/* Calls begin. Then calls visit, as walk_names does, for each file of this host for the store's
 * remote. A visit that finds its file gone returns QUEUE_GONE. Then the walk begins anew, since a
 * publisher may have given the file another name, which this walk did not meet. 0; QUEUE_GONE after
 * QUEUE_WALKS walks that all ended with QUEUE_GONE: there is work. -1: no store. */
#define QUEUE_GONE 1
#define QUEUE_WALKS 100
int queue_walk(struct store *s, void (*begin)(void *ctx),
               int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx);
/* How long ago a record was made, in s, at least 0; -1 for a negative time: there is none. */
int64_t queue_age(int64_t made_at);
/* Calls visit, as walk_names does, for each file of the queue that waits on this host for another
 * remote. */
void queue_elsewhere(struct store *s, const struct queue *q,
                     int (*visit)(void *ctx, int dirfd, const char *path, const char *name),
                     void *ctx);

/* Clean-up of queues that no publisher takes. */

/* Records must survive while a server is away for a week of holidays. */
#define QUEUE_UNUSED_S (14 * 24 * 3600)

/* For clean-up, of all hosts and remotes. Returns the number of removed files. */
uint64_t queue_drop_unused(struct store *s);
