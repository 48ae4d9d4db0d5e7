/* Entries that a writer to the remote store, perhaps with a key, can put there. Our own encoders
 * make them from a real entry, for remote_forged.bats. Settings come from the environment; with
 * REPRISE_SIGN_KEY all is signed.
 *
 *   remote_forge K1 WHAT [ARGS]
 *
 * Takes the newest candidate of that key and its result, changes one thing, and puts both back as
 * the key's only ones.
 *
 *   output SPEC [MODE]     the first output goes to SPEC, a path with 'A' (absolute) or 'C'
 *                          (relative)
 *                          before it; MODE in octal, as if the tool had set it
 *   add SPEC TEXT          one more output, holding TEXT
 *   status N               the exit status
 *   wall NS                the duration of the run
 *   answers N              the status that answers begin with (jit/product.h)
 *   inner claim            an output that claims to unpack to more than a result may hold
 *   inner lie              an output that claims to unpack to less than it does
 *   inner part             a large output of which only the begin is there
 *   elsewhere K2           the candidate names that result
 *   file KIND SPEC         one more input of that number of enum input_kind
 *   set NAME               one more set of absent names, with another set's digest
 *   outer claim            a value that claims to unpack to more than fits into memory
 *   outer lie              a value that claims to unpack to less than it does
 *   heap N                 N different candidates of 20 MB that pack to a few KB
 *   junk                   neither a candidate nor a result, but well wrapped */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "remote/redis/redis.h"
#include "remote/server.h"
#include "shim/buf.h"
#include "shim/log.h"

extern char **environ;
static struct arena arena;
static struct settings set;
static struct store store;
static struct remote r;
static struct fault fault;
static struct digest k1;
static struct candidate c;
static struct result result;

static int die(const char *what)
{
	fprintf(stderr, "remote_forge: %s: %s\n", what, fault.text);
	return 1;
}

static int command(char kind, const struct digest *key, const char *verb, const void *value,
                   size_t n)
{
	struct backend *b = &r.server->backend;
	struct backend_name named = {kind, *key};
	char name[REDIS_KEY_MAX];
	const char *argv[] = {verb, name, value};
	size_t len[] = {strlen(verb), redis_key(name, b, &named), n};
	struct cluster_command v = {value ? 3 : 2, argv, len, 64};
	struct wire *w;

	return redis_run(b, key, &v, 1, sys_now_ns(CLOCK_MONOTONIC) + 5000000000ll, &w, &fault) ==
	       BACKEND_OK && redis_judge(w, &fault) == BACKEND_OK ? 0 : -1;
}

/* A zstd frame by hand: its head claims `claim` bytes, and it holds `runs` times 128 KiB of
 * zeros. */
static size_t frame(unsigned char *out, uint64_t claim, unsigned runs)
{
	/* 8 bytes of size, one segment */
	static const unsigned char head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0},
	                           /* or a window of 2 MiB */
	                           windowed[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 11 << 3};
	int large = claim > COMPRESS_LARGE && claim <= RESULT_BYTES_MAX;
	unsigned char *p = mempcpy(out, large ? windowed : head,
	                           large ? sizeof windowed : sizeof head);

	for (int i = 0; i < 8; i++)
		*p++ = (unsigned char)(claim >> 8 * i);
	for (unsigned i = 1; i <= runs; i++) {
		unsigned block = (128u << 10) << 3 | 1 << 1 | (i == runs);

		*p++ = (unsigned char)block;
		*p++ = (unsigned char)(block >> 8);
		*p++ = (unsigned char)(block >> 16);
		*p++ = 0;
	}
	return (size_t)(p - out);
}

static int read_pristine(void)
{
	struct entry e[REMOTE_FIRST], value;
	unsigned count;
	int more;

	if (remote_candidates(&r, STORE_MANIFEST, &k1, 0, e, REMOTE_FIRST, &count, &more,
	                      &fault) != REMOTE_HIT || count == 0 ||
	    candidate_decode(&c, e[0].payload, e[0].len, &arena) < 0)
		return die("candidate");
	if (remote_result(&r, STORE_RESULT, &c.result, &value, &fault) != REMOTE_HIT ||
	    result_decode(&result, value.payload, value.len, &arena) < 0 || result.out_count == 0)
		return die("result");
	return 0;
}

static void set_spec(struct result_output *o, const char *spec)
{
	o->spec = spec;
	o->spec_len = strlen(spec);
}

static void change_output(struct result_output *o, const char *spec, const char *mode)
{
	set_spec(o, spec);
	if (!*mode)
		return;
	o->mode_kind = MODE_EXACT;
	o->mode = (unsigned)strtoul(mode, NULL, 8);
}

static void add_output(const char *spec, const char *text)
{
	struct result_output *v = arena_alloc(&arena, (result.out_count + 1) * sizeof *v),
		*o = v + result.out_count;

	memcpy(v, result.out, result.out_count * sizeof *v);
	*o = (struct result_output){.style = WRITE_TRUNCATE, .mode_kind = MODE_PLAIN, .mode = 0644,
	                            .data = (const unsigned char *)text, .len = strlen(text)};
	set_spec(o, spec);
	result.out = v;
	result.out_count++;
}

static void swell_output(const char *how)
{
	struct result_output *o = &result.out[0];
	unsigned char *bytes = arena_alloc(&arena, 4096);

	o->data = NULL;
	o->packed = bytes;
	o->patches.count = 0;
	o->len = strcmp(how, "lie") == 0 ? 1000 : strcmp(how, "part") == 0 ? COMPRESS_LARGE + 1000
		: RESULT_BYTES_MAX + 1;
	o->packed_len = frame(bytes, o->len, 8);
}

static void change_answers(int status)
{
	struct result_output *o = &result.out[0];
	unsigned char *bytes = result_output_bytes(o, &arena);

	for (int i = 0; i < 4; i++)
		bytes[1 + i] = (unsigned char)((unsigned)status >> 8 * i);
	o->data = bytes;
	o->packed = NULL;
}

/* The candidate's own inputs lead to another result's name. A writer can compute such names. */
static void add_input(const struct input *in)
{
	struct input *v = arena_alloc(&arena, (c.count + 1) * sizeof *v);

	memcpy(v, c.v, c.count * sizeof *v);
	v[c.count++] = *in;
	c.v = v;
	candidate_result_key(&c, &k1, &c.result);
}

/* A blob whose stored bytes are a frame of ours: head and digest are right otherwise. */
static int put_swollen(int lies)
{
	unsigned char head[BLOB_HEAD], value[BLOB_HEAD + 4096];
	const unsigned char *stored;
	uint64_t entry = lies ? 100000 : 1ull << 40;
	size_t n, len;
	int algorithm;

	/* Zeros are packed, so that its flags say so. */
	if (blob_make(head, &stored, &n, STORE_RESULT, &c.result, arena_alloc(&arena, 65536), 65536,
	              NULL, &arena, &fault) < 0)
		return -1;
	len = frame(value + BLOB_HEAD, entry, 8);
	for (int i = 0; i < 8; i++) {
		head[16 + i] = (unsigned char)(entry >> 8 * i);
		head[24 + i] = (unsigned char)(len >> 8 * i);
	}
	algorithm = digest_algorithm(&c.result);
	if (r.shared->trust.signing) {
		head[12] |= 2;
		algorithm = DIGEST_BLAKE2B;
	}
	digest_of_as(algorithm, (struct digest *)(head + 72), value + BLOB_HEAD, len);
	if (r.shared->trust.signing)
		trust_sign(&r.shared->trust, head, 136, head + 136, head + 104);
	memcpy(value, head, BLOB_HEAD);
	return command('r', &c.result, "SET", value, BLOB_HEAD + len);
}

static int put_back(int junk)
{
	struct buf candidate = BUF_INIT(&arena), whole = BUF_INIT(&arena);

	candidate_encode(&candidate, &c);
	result_encode(&whole, &result, COMPRESS_AUTO);
	if (candidate.failed || whole.failed)
		return -1;
	if (junk == 'r')
		memset(whole.data, 0xff, whole.len);
	if (junk == 'm')
		memset((unsigned char *)candidate.data + DIGEST_SIZE, 0xff,
		       candidate.len - DIGEST_SIZE);
	if (command('m', &k1, "DEL", NULL, 0) < 0)
		return -1;
	return remote_put_result(&r, STORE_RESULT, &c.result, whole.data, whole.len, &fault) == 0 &&
	       remote_put_candidate(&r, STORE_MANIFEST, &k1, candidate.data, candidate.len,
	                            &fault) == 0 ? 0 : -1;
}

static int put_heap(int n)
{
	size_t size = 20u << 20;
	unsigned char *payload = arena_alloc(&arena, size);

	if (command('m', &k1, "DEL", NULL, 0) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		payload[0] = (unsigned char)(i + 1); /* the result it names */
		if (remote_put_candidate(&r, STORE_MANIFEST, &k1, payload, size, &fault) != 0)
			return -1;
	}
	return 0;
}

static int forge(const char *what, const char *arg, const char *more)
{
	int junk = 0;

	if (strcmp(what, "output") == 0)
		change_output(&result.out[0], arg, more);
	else if (strcmp(what, "add") == 0)
		add_output(arg, more);
	else if (strcmp(what, "status") == 0)
		result.exit_status = atoi(arg);
	else if (strcmp(what, "wall") == 0)
		result.wall_ns = strtoull(arg, NULL, 10);
	else if (strcmp(what, "answers") == 0)
		change_answers(atoi(arg));
	else if (strcmp(what, "inner") == 0)
		swell_output(arg);
	else if (strcmp(what, "elsewhere") == 0 && digest_parse(&c.result, arg) == 0)
		;
	else if (strcmp(what, "file") == 0)
		add_input(&(struct input){.kind = (unsigned char)atoi(arg), .spec = more,
		                          .spec_len = strlen(more)});
	else if (strcmp(what, "set") == 0)
		add_input(&(struct input){.kind = INPUT_ABSENT, .spec = "C.", .spec_len = 2,
		                          .names = &arg, .name_count = 1});
	else if (strcmp(what, "outer") == 0)
		return put_swollen(strcmp(arg, "lie") == 0);
	else if (strcmp(what, "heap") == 0)
		return put_heap(atoi(arg));
	else if (strcmp(what, "junk") == 0)
		junk = *arg;
	else
		return fault_set(&fault, 0, "what?"), -1;
	return put_back(junk);
}

int main(int argc, char **argv)
{
	if (argc < 4 || digest_parse(&k1, argv[1]) < 0)
		return die("arguments");
	digest_use(digest_algorithm(&k1));
	settings_load(&set, environ, &arena);
	if (store_open(&store, &set, environ, &arena, &fault) < 0 || !store.dir)
		return die("store");
	log_init(&set, store.dir, store.runtime_dir, "forge", environ, &arena);
	if (remote_open(&r, &set, environ, "job", &store, &arena, &fault) < 0 || !r.on)
		return die("remote");
	if (read_pristine() != 0)
		return 1;
	if (forge(argv[2], argv[3], argc > 4 ? argv[4] : "") < 0)
		return die(argv[2]);
	remote_close(&r);
	return 0;
}
