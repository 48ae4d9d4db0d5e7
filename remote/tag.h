/* remote/tag.h - tag: names the remote store that a job's entries go to, and how they are signed.
 *
 * Jobs of one user on one node may share a local store and nothing else: they may use other
 * servers, prefixes or keys. Records for one remote store must not go to another, nor be signed
 * with another key. So queues (store/queue.h), their publisher's lock (store/spool.h) and fetchers
 * (units/ask.h) carry this tag, and a process uses only those of its own settings. Two jobs have
 * the same tag exactly if these are equal:
 *
 *   version   of entries (store/entry.h): publishers and fetchers treat other versions as absent
 *   where     scheme, host and port or socket, user, database, prefix of keys; with TLS the files
 *             and the name
 *   what      classes and units that are exchanged, the largest entry, read-only or not, TTL
 *   by whom   SIGN_KEY and TRUST, as they are written: the content of files is not read, so a key
 *             that is replaced in its file signs the records that wait (remote_reload_keys)
 *
 * Without a configured or usable remote store the tag is REMOTE_TAG_LOCAL: framework files are
 * packed there, too.
 *
 * Passwords and their origin are not in the tag: a changed password must find the queue that waits,
 * and a name that others may see must not help to guess secrets. Timeouts and rates, log and job
 * are not in it either. Settings alone decide, and no file but theirs is read: so a job and the
 * publisher that it starts compute the same tag. Two spellings of one server are two tags, which
 * only costs a second publisher. */
#ifndef REMOTE_TAG_H
#define REMOTE_TAG_H

#include "store/entry.h"
#include "store/store.h"

#define REMOTE_TAG_LOCAL_OF(version) "local." #version
#define REMOTE_TAG_LOCAL_NUMBER(version) REMOTE_TAG_LOCAL_OF(version)
#define REMOTE_TAG_LOCAL REMOTE_TAG_LOCAL_NUMBER(ENTRY_VERSION)
_Static_assert(sizeof REMOTE_TAG_LOCAL <= STORE_REMOTE, "its room");

/* Sets s->remote. To be called before anything is queued or asked, and only then: a hit does not
 * need it. At most one system call, for memory. THREAD. */
void remote_tag(struct store *s, const struct settings *set, char *const envp[], struct arena *a);

#endif
