/* store/job/job_node.c - a node's part of a job, as bytes. */
#include "store/job/job_node.h"

#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"

enum { VERSION = 1, SUMS = 5, COUNTS = EVENT_KINDS * EVENT_VERDICTS,
       HOST_AT = 16 + 8 * (SUMS + COUNTS),
       HOST = 72, JOB_AT = HOST_AT + HOST, JOB = JOB_NODE_HEAD - JOB_AT };
_Static_assert(HOST_AT == 248 && JOB == 192 && JOB > EVENTS_NAME_MAX, "the header's table");
_Static_assert(HOST > 65, "a host's name and a NUL");
/* No node and no start reaches these. They keep the sums of all nodes, and of all events of a
 * report, in 64 bits. */
#define SUM_MAX (1ll << 52)
#define EVENT_MAX (1ll << 45)

static void key_of(struct digest *out, const char *const text[], size_t n)
{
	struct digest_state s;

	digest_init(&s); /* other keys with trust (store/entry/entry.h) */
	for (size_t i = 0; i < n; i++)
		digest_add(&s, text[i], strlen(text[i]) + 1);
	digest_final(&s, out);
}

void job_node_key(struct digest *out, const char *job, const char *host, const char *runtime_dir)
{
	char name[EVENTS_NAME_MAX + 1];

	events_name(name, job);
	key_of(out, (const char *[]){"job node", name, host, runtime_dir}, 4);
}

void job_node_list_key(struct digest *out, const char *job, unsigned list)
{
	char name[EVENTS_NAME_MAX + 1], number[16];

	format_text(number, sizeof number, "%u", list);
	events_name(name, job);
	key_of(out, (const char *[]){"job nodes", name, number}, 3);
}

unsigned job_node_list(const struct digest *key)
{
	return key->b[0] % JOB_NODE_LISTS;
}

/* The words of the sums, in the order of the table. */
static void words_of(int64_t *out[SUMS + COUNTS], struct job_counts *c)
{
	int64_t *const first[SUMS] = {&c->dropped, &c->spent, &c->waited, &c->worth, &c->bytes};

	memcpy(out, first, sizeof first);
	for (int i = 0; i < COUNTS; i++)
		out[SUMS + i] = &c->count[i];
}

static void encode_head(unsigned char *out, struct job_counts *sums, uint32_t events,
                        const char *job, const char *host)
{
	int64_t *word[SUMS + COUNTS];
	char name[EVENTS_NAME_MAX + 1];
	unsigned char *p = out + 4;

	events_name(name, job);
	memset(out, 0, JOB_NODE_HEAD);
	memcpy(out, "RPJ", 3);
	out[3] = VERSION;
	p = le_put(p, events, 4);
	p = le_put(p, (uint64_t)(sys_now_ns(CLOCK_REALTIME) / 1000000000), 8);
	words_of(word, sums);
	for (int i = 0; i < SUMS + COUNTS; i++)
		p = le_put(p, (uint64_t)*word[i], 8);
	memcpy(out + HOST_AT, host, strnlen(host, HOST - 1));
	memcpy(out + JOB_AT, name, strlen(name));
}

unsigned char *job_node_encode(size_t *len, const struct events *e, const char *job,
                               const char *host, int with_events, struct arena *a)
{
	struct job_counts sums, seen = {0};
	uint64_t counted = 0;
	uint32_t own = 0, skip, n = 0;
	unsigned char *out;

	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->v[i].host, host) == 0) {
			job_counts_add(&seen, &e->v[i]);
			own++;
		}
	for (int i = 0; i < COUNTS; i++)
		counted += (uint64_t)e->sums.count[i];
	sums = counted >= own ? e->sums : seen;
	skip = !with_events ? own : own > JOB_NODE_EVENTS_MAX ? own - JOB_NODE_EVENTS_MAX : 0;
	own -= skip;
	out = arena_alloc(a, JOB_NODE_HEAD + (size_t)own * EVENT_BYTES);
	if (!out)
		return NULL;
	encode_head(out, &sums, own, job, host);
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->v[i].host, host) == 0 && !(skip && skip--))
			event_encode(out + JOB_NODE_HEAD + (size_t)n++ * EVENT_BYTES, &e->v[i]);
	*len = JOB_NODE_HEAD + (size_t)n * EVENT_BYTES;
	return out;
}

/* A name that is text, with a NUL in its field. */
static const char *take_name(const unsigned char *at, size_t size, struct arena *a)
{
	size_t n = strnlen((const char *)at, size);

	if (!n || n == size)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (at[i] < 0x21 || at[i] > 0x7e)
			return NULL;
	return arena_memdup(a, at, n);
}

static int within(int64_t v, int64_t most)
{
	return v >= -most && v <= most;
}

static int sums_are_sane(struct job_counts *c)
{
	int64_t *word[SUMS + COUNTS];

	words_of(word, c);
	for (int i = 0; i < SUMS + COUNTS; i++)
		if (!within(*word[i], SUM_MAX) || (i >= SUMS && *word[i] < 0))
			return 0;
	return c->dropped >= 0 && c->bytes >= 0;
}

/* Records of other versions are skipped by the join. */
static int event_is_sane(const struct event *e)
{
	return e->kind < EVENT_KINDS && e->start >= 0 && e->start < INT64_MAX - EVENT_MAX &&
	       e->duration >= 0 && e->duration < EVENT_MAX && within(e->spent, EVENT_MAX) &&
	       within(e->waited, EVENT_MAX) && within(e->worth, EVENT_MAX) &&
	       e->recorded_at >= 0 && e->recorded_at < INT64_MAX - EVENT_MAX &&
	       e->bytes < (uint64_t)EVENT_MAX;
}

int job_node_decode(struct job_node *out, const unsigned char *in, size_t len, const char *job,
                    struct arena *a, const char **why)
{
	char name[EVENTS_NAME_MAX + 1];
	const unsigned char *p = in + 16;
	int64_t *word[SUMS + COUNTS];

	memset(out, 0, sizeof *out);
	*why = "it is of another version";
	if (len < JOB_NODE_HEAD || memcmp(in, "RPJ", 3) != 0 || in[3] != VERSION)
		return -1;
	out->events = (uint32_t)le_get(in + 4, 4);
	*why = "its length is wrong";
	if (out->events > JOB_NODE_EVENTS_MAX ||
	    len != JOB_NODE_HEAD + (size_t)out->events * EVENT_BYTES)
		return -1;
	out->made_at = (int64_t)le_get(in + 8, 8);
	out->records = in + JOB_NODE_HEAD;
	words_of(word, &out->sums);
	for (int i = 0; i < SUMS + COUNTS; i++, p += 8)
		*word[i] = (int64_t)le_get(p, 8);
	*why = "its figures are impossible";
	if (!sums_are_sane(&out->sums))
		return -1;
	out->host = take_name(in + HOST_AT, HOST, a);
	out->job = take_name(in + JOB_AT, JOB, a);
	events_name(name, job);
	*why = "it is of another job";
	return out->host && out->job && strcmp(out->job, name) == 0 ? 0 : -1;
}

/* e->v is sorted by start. */
static int is_there(const struct events *e, size_t count, const struct event *x)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (e->v[mid].start < x->start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < count && e->v[low].start == x->start; low++)
		if (e->v[low].pid == x->pid && e->v[low].kind == x->kind &&
		    digest_equal(&e->v[low].key, &x->key))
			return 1;
	return 0;
}

static void add_sums(struct job_counts *to, const struct job_counts *from)
{
	struct job_counts more = *from;
	int64_t *sum[SUMS + COUNTS], *word[SUMS + COUNTS];

	words_of(sum, to);
	words_of(word, &more);
	for (int i = 0; i < SUMS + COUNTS; i++)
		*sum[i] += *word[i];
}

int job_node_join(struct events *e, const struct job_node *n, int known, size_t own, size_t most,
                  struct arena *a)
{
	size_t cap = e->count;
	int64_t counted = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n->events && e->count < most; i++) {
		struct event_texts *t = arena_alloc(a, sizeof *t);
		struct event x;

		if (!t)
			return -1;
		if (event_decode(&x, t, n->records + (size_t)i * EVENT_BYTES) < 0 ||
		    !event_is_sane(&x)) {
			e->malformed++;
			continue;
		}
		if (known && is_there(e, own, &x))
			continue;
		if (!arena_room(a, e->v, e->count, &cap, 1024))
			return -1;
		x.host = n->host;
		e->v[e->count++] = x;
		kept++;
		if (known)
			job_counts_add(&e->sums, &x);
	}
	for (int i = 0; i < COUNTS; i++)
		counted += n->sums.count[i];
	if (known)
		return 0;
	add_sums(&e->sums, &n->sums);
	/* Those that the node did not send or that did not fit are counted, and not here. */
	e->sums.dropped += counted - kept - n->sums.dropped > 0 ? counted - kept - n->sums.dropped
	                                                          : 0;
	return 0;
}
