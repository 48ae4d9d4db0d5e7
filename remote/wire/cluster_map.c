/* remote/wire/cluster_map.c - the map of slots, in memory and in its file:
 *   offset 0  size 8  magic    "RPRCLUS" and the version, 1
 *          8       8  made_at  seconds since 1970; 0: the owners are not valid
 *         16       4  nodes    at most CLUSTER_NODES_MAX
 *         20   16384  owner of each slot: index of a node, 255 unknown
 *      16404   nodes  times port (4 bytes) and host (256 bytes, NUL at its end)
 *        ...      32  digest of the remote's printed configuration and all before
 * Native byte order: the file never leaves the node. */
#include "remote/wire/cluster_map.h"

#include <stdlib.h>
#include <string.h>

#include "shim/digest.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

struct map_node {
	uint32_t port;
	char host[256];
};
struct map_file {
	char magic[8];
	int64_t made_at;
	uint32_t nodes;
	unsigned char owner[CLUSTER_SLOTS];
	unsigned char rest[CLUSTER_NODES_MAX * sizeof(struct map_node) + DIGEST_SIZE];
} __attribute__((packed));
_Static_assert(offsetof(struct map_file, rest) == 16404, "table above");
static const char magic[8] = {'R', 'P', 'R', 'C', 'L', 'U', 'S', 1};

static size_t body_size(const struct map_file *f)
{
	return offsetof(struct map_file, rest) + f->nodes * sizeof(struct map_node);
}

static void remote_digest(struct digest *out, const struct cluster *c, const void *bytes, size_t n)
{
	const char *text = c->config->shown;
	struct digest_state s;

	digest_init(&s);
	digest_add(&s, text, strlen(text) + 1);
	digest_add(&s, bytes, n);
	digest_final(&s, out);
}

static int map_path(char out[PATH_SIZE], const struct cluster *c, const char *suffix)
{
	char name[64], hex[DIGEST_HEX + 1];
	struct digest d;

	if (!c->runtime_dir)
		return -1;
	remote_digest(&d, c, NULL, 0);
	digest_hex(&d, hex);
	hex[16] = '\0';
	format_text(name, sizeof name, "cluster-%s%s", hex, suffix);
	return path_join(out, PATH_SIZE, c->runtime_dir, name) < PATH_SIZE ? 0 : -1;
}

int cluster_map_node(struct cluster *c, const char *host, size_t host_len, unsigned port)
{
	struct cluster_node *n;

	if (!host_len || host_len >= sizeof n->host || !port || port > 65535 ||
	    memchr(host, 0, host_len))
		return -1;
	for (unsigned i = 0; i < c->nodes; i++)
		if (c->node[i]->port == port && strlen(c->node[i]->host) == host_len &&
		    !memcmp(c->node[i]->host, host, host_len))
			return (int)i;
	if (c->nodes == CLUSTER_NODES_MAX || !(n = calloc(1, sizeof *n)))
		return -1;
	memcpy(n->host, host, host_len);
	n->port = port;
	n->wire = (struct wire)WIRE_INIT;
	c->node[c->nodes] = n;
	return (int)c->nodes++;
}

static int need_owners(struct cluster *c)
{
	if (!c->owner && (c->owner = malloc(CLUSTER_SLOTS)))
		memset(c->owner, CLUSTER_UNKNOWN, CLUSTER_SLOTS);
	return c->owner ? 0 : -1;
}

void cluster_map_set(struct cluster *c, unsigned slot, int node)
{
	if (need_owners(c) == 0)
		c->owner[slot] = (unsigned char)node;
}

/* Takes over a checked file. */
static void take_file(struct cluster *c, const struct map_file *f)
{
	int64_t now = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	int counts = f->made_at <= now && f->made_at > now - CLUSTER_MAP_S,
	    index[CLUSTER_NODES_MAX];
	/* Nodes that get new addresses must not fill the table for ever. The newest half of an old
	 * map is enough to find the cluster. */
	unsigned first = counts || f->nodes <= CLUSTER_NODES_MAX / 2 ? 0
	                                                             : f->nodes -
	                 CLUSTER_NODES_MAX / 2;

	if (need_owners(c) < 0)
		return;
	for (unsigned i = first; i < f->nodes; i++) {
		struct map_node n;

		memcpy(&n, f->rest + i * sizeof n, sizeof n);
		n.host[sizeof n.host - 1] = '\0';
		index[i] = cluster_map_node(c, n.host, strlen(n.host), n.port);
	}
	for (unsigned s = 0; counts && s < CLUSTER_SLOTS; s++)
		if (f->owner[s] < f->nodes && index[f->owner[s]] >= 0)
			c->owner[s] = (unsigned char)index[f->owner[s]];
}

void cluster_map_load(struct cluster *c)
{
	char path[PATH_SIZE];
	struct map_file *f;
	struct digest want, have;
	ssize_t n;

	if (map_path(path, c, "") < 0)
		return;
	f = malloc(sizeof *f);
	n = f ? sys_read_file(path, O_NOFOLLOW, f, sizeof *f) : -1;
	if (n > (ssize_t)offsetof(struct map_file, rest) &&
	    !memcmp(f->magic, magic, sizeof magic) && f->nodes <= CLUSTER_NODES_MAX &&
	    (size_t)n == body_size(f) + DIGEST_SIZE) {
		remote_digest(&want, c, f, body_size(f));
		memcpy(&have, (const char *)f + body_size(f), sizeof have);
		if (digest_equal(&want, &have))
			take_file(c, f);
	}
	free(f);
}

void cluster_map_save(struct cluster *c, int dropped)
{
	char path[PATH_SIZE], temporary[PATH_SIZE], suffix[32];
	struct map_file *f;
	struct digest d;
	int fd = -1;

	format_text(suffix, sizeof suffix, ".%d.new", (int)sys_getpid());
	if (!c->owner || map_path(path, c, "") < 0 || map_path(temporary, c, suffix) < 0 ||
	    !(f = calloc(1, sizeof *f)))
		return;
	memcpy(f->magic, magic, sizeof magic);
	f->made_at = dropped ? 0 : sys_now_ns(CLOCK_REALTIME) / 1000000000;
	f->nodes = c->nodes;
	memcpy(f->owner, c->owner, CLUSTER_SLOTS);
	for (unsigned i = 0; i < c->nodes; i++) {
		struct map_node n = {.port = c->node[i]->port};

		memcpy(n.host, c->node[i]->host, sizeof n.host);
		memcpy(f->rest + i * sizeof n, &n, sizeof n);
	}
	remote_digest(&d, c, f, body_size(f));
	memcpy((char *)f + body_size(f), &d, sizeof d);
	fd = sys_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	              0600);
	if (fd >= 0) {
		ssize_t all = (ssize_t)(body_size(f) + DIGEST_SIZE);

		if (sys_write_all(fd, f, (size_t)all) != all || sys_rename(temporary, path) < 0)
			sys_unlink(temporary);
		sys_close(fd);
	}
	free(f);
}

/* Reads one row: [first, last, [host, port, ...], ...]; the first node is the master. */
static int read_row(struct cluster *c, const redisReply *row, const char *host,
                    unsigned char owner[CLUSTER_SLOTS])
{
	const redisReply *node;
	long long first, last;
	int index;

	if (row->type != REDIS_REPLY_ARRAY || row->elements < 3 ||
	    row->element[0]->type != REDIS_REPLY_INTEGER ||
	    row->element[1]->type != REDIS_REPLY_INTEGER)
		return -1;
	node = row->element[2];
	if (node->type != REDIS_REPLY_ARRAY || node->elements < 2 ||
	    node->element[1]->type != REDIS_REPLY_INTEGER)
		return -1;
	first = row->element[0]->integer;
	last = row->element[1]->integer;
	if (first < 0 || last < first || last >= CLUSTER_SLOTS || node->element[1]->integer < 1 ||
	    node->element[1]->integer > 65535)
		return -1;
	/* Redis 7: nil means the server that replied, "?" a node with an unknown name. */
	if (node->element[0]->type == REDIS_REPLY_STRING && node->element[0]->len) {
		const redisReply *name = node->element[0];
		index = name->len == 1 && *name->str == '?'
		        ? -1 : cluster_map_node(c, name->str, name->len,
		                                (unsigned)node->element[1]->integer);
	} else {
		index = cluster_map_node(c, host, strlen(host),
		                         (unsigned)node->element[1]->integer);
	}
	memset(owner + first, index < 0 ? CLUSTER_UNKNOWN : index, (size_t)(last - first + 1));
	return 0;
}

int cluster_map_read(struct cluster *c, const redisReply *slots, const char *host)
{
	unsigned char owner[CLUSTER_SLOTS];

	if (slots->type != REDIS_REPLY_ARRAY || !slots->elements || need_owners(c) < 0)
		return -1;
	memset(owner, CLUSTER_UNKNOWN, sizeof owner);
	for (size_t i = 0; i < slots->elements; i++)
		if (read_row(c, slots->element[i], host, owner) < 0)
			return -1;
	memcpy(c->owner, owner, sizeof owner);
	return 0;
}

int cluster_map_redirect(const char *error, const char *from, unsigned *slot, char host[256],
                         unsigned *port)
{
	const char *p = strchr(error, ' '), *colon, *name;
	unsigned long v = 0;
	size_t n;

	for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9' && v < CLUSTER_SLOTS; p++)
		v = v * 10 + (unsigned long)(*p - '0');
	if (*p != ' ' || v >= CLUSTER_SLOTS)
		return -1;
	*slot = (unsigned)v;
	name = p + 1;
	/* The last colon, since an IPv6 address has no brackets here. */
	colon = strrchr(name, ':');
	if (!colon)
		return -1;
	for (v = 0, p = colon + 1; *p >= '0' && *p <= '9' && v <= 65535; p++)
		v = v * 10 + (unsigned long)(*p - '0');
	n = (size_t)(colon - name);
	if (*p || !v || v > 65535 || n >= 256)
		return -1;
	*port = (unsigned)v;
	if (!n || (n == 1 && *name == '?')) {
		name = from;
		n = strlen(from);
	}
	if (!n || n >= 256)
		return -1;
	memcpy(host, name, n);
	host[n] = '\0';
	return 0;
}
