/* remote/cluster.h - Redis Cluster: which node has a key.
 *
 * A pipeline whose keys share one hash tag goes to one node. The map of slots is learned when a server
 * answers MOVED (a plain Redis never does, so that nothing is asked of it), and kept for the node's other
 * processes in <runtime>/cluster, a small file replaced by rename, valid for CLUSTER_MAP_S and dropped on
 * the next MOVED that contradicts it or when its node does not answer. ASK is followed once per
 * command, with ASKING. At most CLUSTER_REDIRECTS hops, all within the caller's deadline. THREAD. */
#ifndef REMOTE_CLUSTER_H
#define REMOTE_CLUSTER_H

#include "remote/wire.h"

#define CLUSTER_SLOTS 16384
#define CLUSTER_REDIRECTS 5
#define CLUSTER_MAP_S 300
#define CLUSTER_NODES_MAX 64 /* connections are opened to those that are needed only */

struct cluster_node {
	char host[256];
	unsigned port;
	struct wire wire;
};
struct cluster {
	const struct remote_config *config;
	const char *runtime_dir; /* NULL: the map lives in this process only */
	struct wire seed;        /* to the configured server */
	struct cluster_node *node[CLUSTER_NODES_MAX];
	unsigned nodes;
	unsigned char *owner;    /* CLUSTER_SLOTS bytes: index into node, CLUSTER_UNKNOWN; NULL: a plain Redis so far */
	int loaded;              /* the map's file was looked at */
	void *const *room;       /* of the next cluster_run's commands, as of wire_queue_room; NULL: none has any */
};
#define CLUSTER_UNKNOWN 255

/* Pure: CRC16 of the key, or of what stands between its first { and the next } when that is not empty. */
unsigned cluster_slot(const char *key, size_t n);

int cluster_init(struct cluster *c, const struct remote_config *config, const char *runtime_dir);
/* Runs argc/argv/len commands (count of them, all keys in one slot; slot from tag) wherever the slot lives and
 * follows redirects. Replies are in *out, which stays valid until the next call. */
struct cluster_command { int argc; const char **argv; const size_t *len; size_t limit; };
enum wire_status cluster_run(struct cluster *c, const char *tag, size_t tag_len,
                             const struct cluster_command *v, unsigned count, int64_t deadline,
                             struct wire **out, struct fault *fault);
void cluster_free(struct cluster *c);

#endif
