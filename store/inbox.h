/* store/inbox.h - what the agent brought for tools, until they accept it.
 *
 * An entry of a remote store may be another user's work. A tool checks what it would do here
 * (judge/output/confine.h) before it joins the local store, where nobody asks again. Until then it
 * lies in the inbox: <dir>/inbox/<tag>, or <runtime>/inbox/<tag> where the store cannot be written.
 * The tag is that of the remote store and who is trusted (remote/tag.c): what one job does not
 * trust must not reach it through another. What no tool accepts is removed after INBOX_KEEP_S.
 * THREAD. */
#pragma once

#include "store/store.h"

#define INBOX_KEEP_S 3600
/* s->remote is set. 0; -1: there is no place for one. The strings lie in the arena. */
int inbox_open(struct store *inbox, const struct store *s, struct arena *a);
/* A result or unit of so many bytes was put into the inbox: it counts as part of the store, if the
 * inbox lies there. Candidates, a block each, count where the store is measured. */
void inbox_account(struct store *s, uint64_t bytes);
/* A result that was read from the inbox becomes one of the local store: a rename, which leaves
 * the store's size as it is. 0, or -1: that file is gone, or another one has its name, or the store
 * cannot be written. */
int inbox_accept(const struct store *inbox, struct store *s, const struct entry *e);
/* What the agent itself has just put into the inbox goes into the local store, unseen. 0 or
 * -errno. */
int inbox_move(const struct store *inbox, struct store *s, enum store_class class,
               const struct digest *key);
/* A start was served: the candidates of its manifest are not needed there any more. result: only
 * the candidate that names it is not; other starts of the job use the others, which came ahead. */
void inbox_done(const struct store *inbox, const struct digest *k1, const unsigned char *result);
/* Removes entries that are older than age_s (INBOX_ALL: all, for a store that was cleared); returns
 * their number. */
#define INBOX_ALL (-1)
uint64_t inbox_sweep(struct store *s, int64_t age_s, struct arena *a);
