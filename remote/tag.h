/* remote/tag.h - one name for where a job's entries go and how they are signed.
 *
 * Jobs of one user on one node may share a local store and have nothing else in common: another server, another prefix,
 * another key. What waits for one remote store must not go to another nor under another's key. So queues
 * (store/queue.h), their publisher's lock (remote/spool.h) and fetchers (units/ask.h) carry this tag, and a process
 * meets only those of its own settings. Two jobs have one tag exactly when these are equal:
 *
 *   version   of entries (store/entry.h): a publisher or fetcher takes one of another version for absent
 *   where     scheme, host and port or socket, user, database, prefix of keys; with TLS the files and the name
 *   what      classes and units that travel, the largest entry, read-only or not, TTL
 *   by whom   SIGN_KEY and TRUST, as they are written: the content of files is not read, so a key that is replaced in
 *             its place signs what waits from then on (remote_reload_keys)
 *
 * REMOTE_TAG_LOCAL where no remote store is asked for, or none that could be used: what frameworks completed is packed there, too.
 *
 * Not in it: passwords and where they come from. A rotated one must find the queue that waits, and a name that others may
 * see must be of no use to who guesses secrets. Nor what says how fast and how long the remote is talked to, nor log and job.
 * Settings alone decide, no file but theirs is read: a job and the publisher that it starts come to the same. Two spellings
 * of one server are two tags, which costs a second publisher and nothing else. */
#ifndef REMOTE_TAG_H
#define REMOTE_TAG_H

#include "store/entry.h"
#include "store/store.h"

#define REMOTE_TAG_LOCAL_OF(version) "local." #version
#define REMOTE_TAG_LOCAL_NUMBER(version) REMOTE_TAG_LOCAL_OF(version)
#define REMOTE_TAG_LOCAL REMOTE_TAG_LOCAL_NUMBER(ENTRY_VERSION)
_Static_assert(sizeof REMOTE_TAG_LOCAL <= STORE_REMOTE, "its room");

/* Sets s->remote. Before anything is queued or asked, and only then: a hit needs none of it. One system call at most,
 * for memory. THREAD. */
void remote_tag(struct store *s, const struct settings *set, char *const envp[], struct arena *a);

#endif
