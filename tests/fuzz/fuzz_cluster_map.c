/* tests/fuzz/fuzz_cluster_map.c - a node's file about a cluster, and redirects.
 *
 * The first byte chooses. 0: the rest is the text of a redirect. 1: it is the file. 2: the file is
 * made from it, with a right check: its time (8 bytes), the number of nodes, then for each its port
 * (4 bytes) and a host of up to 16, then runs of slots (owner, length). Resulting nodes have a name
 * and a port, slots an owner among them. A saved map loads as the same map. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remote/wire/cluster_map.h"
#include "shim/buf.h"
#include "shim/digest.h"
#include "store/entry/entry.h"
#include "tests/fuzz/expect.h"

#define HOST 256
#define NODES_AT 16404 /* remote/wire/cluster_map.c */
#define FILE_MAX (NODES_AT + CLUSTER_NODES_MAX * (4 + HOST) + DIGEST_SIZE)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[64], path[400];
static const struct redis_config config = {.scheme = REMOTE_TCP, .host = "cache", .port = 7000,
                                        .shown = "redis://cache:7000/0"};

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", root);
	expect(system(command) == 0);
}

/* The file's name is the module's affair: one is saved and looked for. */
static void set_up(void)
{
	struct cluster c;

	snprintf(root, sizeof root, "%s/fuzz-cluster-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	expect(mkdtemp(root) != NULL);
	atexit(clean_up);
	cluster_init(&c, &config, root);
	cluster_map_set(&c, 0, cluster_map_node(&c, "h", 1, 1));
	cluster_map_save(&c, 0);
	cluster_free(&c);
	DIR *d = opendir(root);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			snprintf(path, sizeof path, "%s/%s", root, e->d_name);
	closedir(d);
	expect(*path);
}

static size_t make_file(unsigned char out[FILE_MAX], const uint8_t *data, size_t size)
{
	struct reader r = {data, data + size, 0};
	const char *text = config.shown;
	struct digest_state s;
	struct digest d;

	memset(out, 0, FILE_MAX);
	memcpy(out, "RPRCLUS\1", 8);
	uint64_t made_at = reader_u64(&r);
	memcpy(out + 8, &made_at, 8);
	uint32_t nodes = size > 8 ? data[8] % (CLUSTER_NODES_MAX + 2) : 0;
	r.p += r.p < r.end;
	memcpy(out + 16, &nodes, 4);
	nodes = nodes < CLUSTER_NODES_MAX ? nodes : CLUSTER_NODES_MAX;
	for (uint32_t i = 0; i < nodes; i++) {
		unsigned char *node = out + NODES_AT + i * (4 + HOST);
		uint32_t port = reader_u32(&r);
		size_t left = (size_t)(r.end - r.p), n = left ? *r.p % 17 : 0;

		n = n < left ? n : left;
		memcpy(node, &port, 4);
		memcpy(node + 4, r.p, n);
		r.p += n;
	}
	memset(out + 20, CLUSTER_UNKNOWN, CLUSTER_SLOTS);
	for (size_t at = 0; r.end - r.p >= 2 && at < CLUSTER_SLOTS; r.p += 2) {
		size_t n = (size_t)r.p[1] * 64 + 1;

		n = n < CLUSTER_SLOTS - at ? n : CLUSTER_SLOTS - at;
		memset(out + 20 + at, r.p[0], n);
		at += n;
	}
	size_t body = NODES_AT + nodes * (4 + HOST);
	digest_init(&s);
	digest_add(&s, text, strlen(text) + 1);
	digest_add(&s, out, body);
	digest_final(&s, &d);
	memcpy(out + body, d.b, DIGEST_SIZE);
	return body + DIGEST_SIZE;
}

static void check(const struct cluster *c)
{
	expect(c->nodes <= CLUSTER_NODES_MAX);
	for (unsigned i = 0; i < c->nodes; i++) {
		const struct cluster_node *n = c->node[i];
		expect(n->port && n->port <= 65535 && *n->host &&
		       strnlen(n->host, sizeof n->host) < sizeof n->host);
	}
	for (unsigned i = 0; c->owner && i < CLUSTER_SLOTS; i++)
		expect(c->owner[i] == CLUSTER_UNKNOWN || c->owner[i] < c->nodes);
}

static void fuzz_file(const unsigned char *p, size_t n)
{
	struct cluster c, again;
	FILE *f = fopen(path, "wb");

	expect(f && fwrite(p, 1, n, f) == n);
	fclose(f);
	cluster_init(&c, &config, root);
	cluster_init(&again, &config, root);
	cluster_map_load(&c);
	check(&c);
	if (c.owner) {
		cluster_map_save(&c, 0);
		cluster_map_load(&again);
		check(&again);
		expect(again.nodes == c.nodes && memcmp(again.owner, c.owner, CLUSTER_SLOTS) == 0);
		for (unsigned i = 0; i < c.nodes; i++)
			expect(again.node[i]->port == c.node[i]->port &&
			       !strcmp(again.node[i]->host, c.node[i]->host));
	}
	cluster_free(&c);
	cluster_free(&again);
}

static void fuzz_redirect(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), host[HOST];
	unsigned slot = CLUSTER_SLOTS, port = 0;

	memcpy(text, data, size);
	text[size] = '\0';
	if (cluster_map_redirect(text, "from", &slot, host, &port) == 0)
		expect(slot < CLUSTER_SLOTS && port && port <= 65535 && *host &&
		       strlen(host) < HOST);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned char file[FILE_MAX];

	if (!size)
		return 0;
	if (!*root)
		set_up();
	switch (data[0] % 3) {
	case 0: fuzz_redirect(data + 1, size - 1); break;
	case 1: fuzz_file(data + 1, size - 1); break;
	case 2: fuzz_file(file, make_file(file, data + 1, size - 1)); break;
	}
	return 0;
}
