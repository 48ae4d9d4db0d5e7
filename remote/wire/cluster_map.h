/* remote/wire/cluster_map.h - map of slots to nodes, from CLUSTER SLOTS and MOVED, and its file.
 *
 * <runtime>/cluster-<digest of the remote>, written whole and renamed (layout: cluster_map.c). An
 * old or dropped map still names nodes, which are asked if the configured server does not answer.
 * THREAD. */
#pragma once

#include "remote/wire/cluster.h"

/* Fills nodes and owners from the file, if it exists, is intact and belongs to this remote. Owners
 * stay unknown if it is older than CLUSTER_MAP_S or was dropped. */
void cluster_map_load(struct cluster *c);
/* Writes the file with made_at now, or 0 if dropped. */
void cluster_map_save(struct cluster *c, int dropped);
/* Replaces the owners by the reply of CLUSTER SLOTS. host: the server that sent it, which the reply
 * need not name. 0, or -1: it is no such reply, and the owners stay. */
int cluster_map_read(struct cluster *c, const redisReply *slots, const char *host);
/* Index of a node, which is added if it is new; -1 if there are too many or the name is
 * unusable. */
int cluster_map_node(struct cluster *c, const char *host, size_t host_len, unsigned port);
/* Notes that the node has the slot. */
void cluster_map_set(struct cluster *c, unsigned slot, int node);
/* Parses "MOVED 3999 127.0.0.1:6381", or ASK. from: the server that sent it, which an empty host
 * means. 0 or -1. */
int cluster_map_redirect(const char *error, const char *from, unsigned *slot, char host[256],
                         unsigned *port);
