/* store/queue_unused.h - clean-up of queues that no publisher takes (store/queue.h). THREAD. */
#ifndef STORE_QUEUE_UNUSED_H
#define STORE_QUEUE_UNUSED_H

#include "store/queue.h"

/* Records must survive while a server is away for a week of holidays. */
#define QUEUE_UNUSED_S (14 * 24 * 3600)

/* For clean-up, of all hosts and remotes. Returns the number of removed files. */
uint64_t queue_drop_unused(struct store *s);

#endif
