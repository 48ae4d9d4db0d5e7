/* remote/absent.h - a short memory, of all processes of the node, of what the remote store does not have.
 *
 * <runtime>/absent.<name>, a table by key (above absent.c) of ABSENT_SLOTS; what meets in a slot forgets what was there.
 * A cold start then asks once for each key and not in each of its tries. At worst an entry that another node
 * published meanwhile is found some seconds late. THREAD; nothing is kept open. */
#ifndef REMOTE_ABSENT_H
#define REMOTE_ABSENT_H

#include "shim/arena.h"
#include "shim/digest.h"
#include "store/store.h"

#define ABSENT_S 5
#define ABSENT_SLOTS 4096u
struct absent {
	const char *path; /* NULL: no memory */
};
void absent_init(struct absent *t, const struct store *s, const struct digest *remote, struct arena *a);
/* 1 when it was said to be absent in the last ABSENT_S. */
int absent_known(const struct absent *t, const struct digest *key);
void absent_note(const struct absent *t, const struct digest *key);
void absent_forget(const struct absent *t, const struct digest *key);

#endif
