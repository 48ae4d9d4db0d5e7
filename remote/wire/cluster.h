/* remote/wire/cluster.h - Redis Cluster: finds the node that has a key.
 *
 * A pipeline whose keys share one hash tag goes to one node. The map of slots is learned when a
 * server answers MOVED; a plain Redis never does, so it is not asked for a map. The map is kept for
 * the node's other processes in <runtime>/cluster, a small file replaced by rename. It is valid for
 * CLUSTER_MAP_S, and dropped on the next MOVED that contradicts it or when a node in it does not
 * answer. ASK is followed once per command, with ASKING. At most CLUSTER_REDIRECTS hops, all within
 * the caller's deadline. THREAD. */
#pragma once

#include "remote/wire/wire.h"

#define CLUSTER_SLOTS 16384
#define CLUSTER_REDIRECTS 5
#define CLUSTER_MAP_S 300
#define CLUSTER_NODES_MAX 64 /* connections are opened only to nodes that are needed */

struct cluster_node {
	char host[256];
	unsigned port;
	struct wire wire;
};
struct cluster {
	const struct redis_config *config;
	const char *runtime_dir; /* NULL: the map exists only in this process */
	struct wire seed;        /* to the configured server */
	struct cluster_node *node[CLUSTER_NODES_MAX];
	unsigned nodes;
	/* CLUSTER_SLOTS bytes: index into node, or CLUSTER_UNKNOWN; NULL: a plain Redis so far */
	unsigned char *owner;
	int loaded;              /* the map's file was read */
	/* buffers for the replies of the next cluster_run, as for wire_queue_room; NULL: none */
	void *const *room;
};
#define CLUSTER_UNKNOWN 255

/* CRC16 of the key, or of the text between its first { and the next } if that is not empty.
 * Pure. */
unsigned cluster_slot(const char *key, size_t n);

/* Commands of keys with one owner may run together: an index into node, or CLUSTER_UNKNOWN. */
unsigned cluster_owner(const struct cluster *c, const char *tag, size_t tag_len);

int cluster_init(struct cluster *c, const struct redis_config *config, const char *runtime_dir);
/* Runs count commands, whose keys are in the slot of the tag or have its owner, on that node, and
 * follows redirects. Replies are in *out, which is valid until the next call. */
struct cluster_command { int argc; const char **argv; const size_t *len; size_t limit; };
enum wire_status cluster_run(struct cluster *c, const char *tag, size_t tag_len,
                             const struct cluster_command *v, unsigned count, int64_t deadline,
                             struct wire **out, struct fault *fault);
void cluster_free(struct cluster *c);
