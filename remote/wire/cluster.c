/* remote/wire/cluster.c - sends commands to the node that has their slot. */
#include "remote/wire/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "remote/wire/cluster_map.h"
#include "shim/kernel/sys.h"

/* 16384 ranges of one slot with three nodes each would be 2 MB, and an element takes at least four
 * bytes. Real maps are some KB. */
#define SLOTS_LIMIT (2u << 20)
#define SLOTS_ELEMENTS (SLOTS_LIMIT / 4)
#define SEED (-1)

/* XMODEM: polynomial 0x1021, initial value 0. */
static unsigned crc16(const char *p, size_t n)
{
	unsigned crc = 0;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned)(unsigned char)p[i] << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
		crc &= 0xffff;
	}
	return crc;
}

unsigned cluster_slot(const char *key, size_t n)
{
	const char *open = memchr(key, '{', n), *close;

	if (open) {
		close = memchr(open, '}', n - (size_t)(open - key));
		if (close && close > open + 1)
			return crc16(open + 1, (size_t)(close - open - 1)) % CLUSTER_SLOTS;
	}
	return crc16(key, n) % CLUSTER_SLOTS;
}

unsigned cluster_owner(const struct cluster *c, const char *tag, size_t tag_len)
{
	return c->owner ? c->owner[cluster_slot(tag, tag_len)] : CLUSTER_UNKNOWN;
}

int cluster_init(struct cluster *c, const struct redis_config *config, const char *runtime_dir)
{
	memset(c, 0, sizeof *c);
	c->config = config;
	c->runtime_dir = runtime_dir;
	c->seed = (struct wire)WIRE_INIT;
	return 0;
}

/* State of a call of cluster_run. */
struct course {
	struct cluster *c;
	const struct cluster_command *v;
	unsigned count, slot;
	unsigned char pending[WIRE_PIPELINE_MAX]; /* commands that have no reply yet */
	redisReply *reply[WIRE_PIPELINE_MAX];
	int asking;     /* the next node wants ASKING before each command */
	int learn;      /* the next node is asked for the map */
	unsigned tried; /* other nodes that were asked instead of the seed */
	int64_t deadline;
	struct fault *fault;
};

static struct wire *wire_of(struct cluster *c, int target)
{
	return target == SEED ? &c->seed : &c->node[target]->wire;
}

static const char *host_of(const struct cluster *c, int target)
{
	if (target != SEED)
		return c->node[target]->host;
	return c->config->host ? c->config->host : "localhost";
}

static int queue(struct course *k, struct wire *w)
{
	static const char *asking[] = {"ASKING"}, *slots[] = {"CLUSTER", "SLOTS"};
	static const size_t asking_len[] = {6}, slots_len[] = {7, 5};

	wire_clear(w);
	for (unsigned i = 0; i < k->count; i++) {
		const struct cluster_command *v = &k->v[i];

		if (!k->pending[i])
			continue;
		if (k->asking && wire_queue(w, 1, asking, asking_len, 0) < 0)
			return -1;
		if (wire_queue(w, v->argc, v->argv, v->len, v->limit) < 0)
			return -1;
		if (k->c->room)
			wire_queue_room(w, k->c->room[i]);
	}
	if (!k->learn)
		return 0;
	/* Sent with the commands, so the map takes no round trip of its own. */
	if (wire_queue(w, 2, slots, slots_len, SLOTS_LIMIT) < 0)
		return -1;
	wire_queue_elements(w, SLOTS_ELEMENTS);
	return 0;
}

/* Takes the replies; *redirect is a reply that redirects, or NULL. */
static void collect(struct course *k, struct wire *w, redisReply **redirect)
{
	unsigned at = 0;

	*redirect = NULL;
	for (unsigned i = 0; i < k->count; i++) {
		enum wire_error e;

		if (!k->pending[i])
			continue;
		at += k->asking != 0;
		e = wire_error(w->reply[at]);
		wire_reply_free(k->reply[i]);
		k->reply[i] = w->reply[at];
		w->reply[at++] = NULL;
		if (e == WIRE_ERR_MOVED || e == WIRE_ERR_ASK)
			*redirect = k->reply[i];
		else
			k->pending[i] = 0;
	}
}

/* Reads the map from a node that a redirect named and that has answered. */
static void learn(struct course *k, struct wire *w, int target)
{
	struct cluster *c = k->c;

	/* If this user may not ask for the map, the owners that redirects named stay. */
	if (w->replies && w->reply[w->replies - 1])
		cluster_map_read(c, w->reply[w->replies - 1], host_of(c, target));
	cluster_map_save(c, 0);
	k->learn = 0;
}

/* The node that the redirect names, or -2 if it makes no sense. */
static int follow(struct course *k, const redisReply *redirect, int from)
{
	struct cluster *c = k->c;
	char host[256];
	unsigned slot, port;
	int target;

	k->asking = wire_error(redirect) == WIRE_ERR_ASK;
	if (cluster_map_redirect(redirect->str, host_of(c, from), &slot, host, &port) < 0)
		return -2;
	target = cluster_map_node(c, host, strlen(host), port);
	if (target < 0)
		return -2;
	if (!k->asking) {
		k->learn = 1;
		cluster_map_set(c, slot, target);
	}
	return target;
}

/* Drops the map: a node in it does not answer, so it is out of date. */
static void drop_map(struct cluster *c)
{
	if (!c->owner)
		return;
	memset(c->owner, CLUSTER_UNKNOWN, CLUSTER_SLOTS);
	cluster_map_save(c, 1);
}

/* The next node to ask after target failed: the seed, then every known node once; -2 if none is
 * left. */
static int another(struct course *k, int target)
{
	struct cluster *c = k->c;

	if (target != SEED && k->tried == 0) {
		k->tried = 1;
		return SEED;
	}
	for (k->tried = k->tried ? k->tried : 1; k->tried <= c->nodes; k->tried++)
		if ((int)k->tried - 1 != target)
			return (int)k->tried++ - 1;
	return -2;
}

static enum wire_status hop(struct course *k, int target)
{
	struct wire *w = wire_of(k->c, target);
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);

	if (queue(k, w) < 0) {
		wire_clear(w);
		fault_set(k->fault, ENOMEM, "no memory for a command");
		return WIRE_FAULT;
	}
	/* If other nodes can be asked, connecting to a silent node must leave time for them. */
	w->connect_by = k->c->nodes ? now + (k->deadline - now) / 2 : 0;
	if (target == SEED)
		return wire_run(w, k->c->config, k->deadline, k->fault);
	return wire_run_at(w, k->c->config, k->c->node[target]->host, k->c->node[target]->port,
	                   k->deadline, k->fault);
}

/* *last: the wire of the last replies. */
static enum wire_status travel(struct course *k, struct wire **last)
{
	struct cluster *c = k->c;
	unsigned owner = c->owner ? c->owner[k->slot] : CLUSTER_UNKNOWN;
	int target = owner == CLUSTER_UNKNOWN ? SEED : (int)owner;
	enum wire_status s = WIRE_FAULT;

	for (unsigned hops = 0; hops <= CLUSTER_REDIRECTS && target != -2; hops++) {
		redisReply *redirect;

		s = hop(k, target);
		*last = wire_of(c, target);
		if (s == WIRE_OK) {
			if (k->learn)
				learn(k, *last, target);
			collect(k, *last, &redirect);
			if (!redirect)
				return WIRE_OK;
			target = follow(k, redirect, target);
			continue;
		}
		/* A denial or garbage is an answer, and no other node is asked. */
		if ((s != WIRE_REFUSED && s != WIRE_TIMEOUT && s != WIRE_CLOSED) ||
		    sys_now_ns(CLOCK_MONOTONIC) >= k->deadline)
			return s;
		if (target != SEED)
			drop_map(c);
		k->asking = k->learn = 0;
		target = another(k, target);
	}
	if (s == WIRE_OK) {
		fault_set(k->fault, ELOOP, "the cluster redirects without end");
		s = WIRE_SERVER;
	}
	return s;
}

enum wire_status cluster_run(struct cluster *c, const char *tag, size_t tag_len,
                             const struct cluster_command *v, unsigned count, int64_t deadline,
                             struct wire **out, struct fault *fault)
{
	struct course k = {.c = c, .v = v, .count = count, .slot = cluster_slot(tag, tag_len),
	                   .deadline = deadline, .fault = fault};
	struct wire *last = &c->seed;
	enum wire_status s;

	*out = &c->seed;
	if (!c->loaded)
		cluster_map_load(c);
	c->loaded = 1;
	/* The pipeline must have space for ASKING and CLUSTER SLOTS. */
	if (count > (WIRE_PIPELINE_MAX - 1) / 2) {
		c->room = NULL;
		fault_set(fault, E2BIG, "too many commands at once");
		return WIRE_FAULT;
	}
	memset(k.pending, 1, count);
	s = travel(&k, &last);
	c->room = NULL;
	wire_clear(last);
	for (unsigned i = 0; i < count; i++) {
		if (s == WIRE_OK)
			last->reply[i] = k.reply[i];
		else
			wire_reply_free(k.reply[i]);
	}
	last->replies = s == WIRE_OK ? count : 0;
	*out = last;
	return s;
}

void cluster_free(struct cluster *c)
{
	wire_close(&c->seed);
	for (unsigned i = 0; i < c->nodes; i++) {
		wire_close(&c->node[i]->wire);
		free(c->node[i]);
	}
	free(c->owner);
	c->nodes = 0;
	c->owner = NULL;
}
