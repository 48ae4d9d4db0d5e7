/* remote/cluster_map.h - which node has a slot: what CLUSTER SLOTS and MOVED say, and the node's file of it.
 *
 * <runtime>/cluster-<digest of the remote>, written whole and renamed (layout: cluster_map.c). An old or dropped map
 * still names nodes, to ask when the configured server does not answer. THREAD. */
#ifndef REMOTE_CLUSTER_MAP_H
#define REMOTE_CLUSTER_MAP_H

#include "remote/cluster.h"

/* Fills nodes and owners from the file, where it is there, whole and of this remote. Owners stay unknown when
 * it is older than CLUSTER_MAP_S or was dropped. */
void cluster_map_load(struct cluster *c);
/* made_at of the file is now, or with dropped 0. */
void cluster_map_save(struct cluster *c, int dropped);
/* The reply of CLUSTER SLOTS over what is known; host: whom it came from, which it may not name. 0, or -1: it is no
 * such reply, and what was known stays. */
int cluster_map_read(struct cluster *c, const redisReply *slots, const char *host);
/* Index of a node, added where it is new; -1 when there are too many or the name is none. */
int cluster_map_node(struct cluster *c, const char *host, size_t host_len, unsigned port);
/* That node has the slot. */
void cluster_map_set(struct cluster *c, unsigned slot, int node);
/* "MOVED 3999 127.0.0.1:6381", or ASK. from: who said it, which an empty host means. 0 or -1. */
int cluster_map_redirect(const char *error, const char *from, unsigned *slot, char host[256],
                         unsigned *port);

#endif
