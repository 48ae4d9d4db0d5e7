/* remote_forge WHAT KEY ELSEWHERE - puts a result in good order under KEY of the remote store that does what none
 * may, for remote.bats. The server and the prefix come from the settings; KEY is "P:1:r:{hex}".
 *
 *   escape absolute dotfile source   its first output is ../escaped, ELSEWHERE, .escaped, a.c
 *   setuid                           its first output is mode 4755
 *   status                           it failed
 *   bomb                             a frame that unpacks to far more than its head says
 *   huge                             its head says that it unpacks to a terabyte */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "remote/remote.h"
#include "store/result.h"

/* As above remote/blob.c. */
enum { OFF_FLAGS = 12, OFF_ENTRY = 16, OFF_STORED = 24, OFF_DIGEST = 72, FLAG_ZSTD = 1 };
#define BOMB_BYTES (256u << 20)

static struct arena arena;
static struct settings set;
static struct store store;
static struct remote r;
static struct fault fault;

static void put_le(unsigned char *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++, v >>= 8)
		p[i] = (unsigned char)v;
}

static int put_value(const char *key, const void *value, size_t n)
{
	const char *argv[] = {"SET", key, value};
	size_t len[] = {3, strlen(key), n};
	struct wire w = WIRE_INIT;
	int rc = wire_queue(&w, 3, argv, len, 64) == 0 &&
	         wire_run(&w, &r.config, INT64_MAX, &fault) == WIRE_OK && w.reply[0]->type == REDIS_REPLY_STATUS;

	wire_close(&w);
	return rc ? 0 : -1;
}

/* A head of ours, its lengths and its digest those of another body. */
static int put_bomb(const char *key, const struct digest *k2, int huge)
{
	size_t cap = ZSTD_compressBound(BOMB_BYTES), stored_len;
	unsigned char head[BLOB_HEAD], *zeros = calloc(1, BOMB_BYTES), *value = malloc(BLOB_HEAD + cap);
	const unsigned char *stored;
	struct digest d;

	if (!zeros || !value ||
	    blob_make(head, &stored, &stored_len, STORE_RESULT, k2, zeros, 4096, NULL, &arena, &fault) < 0)
		return -1;
	stored_len = ZSTD_compress(value + BLOB_HEAD, cap, zeros, BOMB_BYTES, 1);
	put_le(head + OFF_FLAGS, FLAG_ZSTD, 4);
	put_le(head + OFF_ENTRY, huge ? 1ull << 40 : stored_len + 1, 8);
	put_le(head + OFF_STORED, stored_len, 8);
	digest_of(&d, value + BLOB_HEAD, stored_len);
	memcpy(head + OFF_DIGEST, &d, sizeof d);
	memcpy(value, head, BLOB_HEAD);
	return put_value(key, value, BLOB_HEAD + stored_len);
}

static int put_altered(const char *what, const struct digest *k2, const char *elsewhere)
{
	struct buf out = BUF_INIT(&arena);
	struct result result;
	struct entry e;

	if (remote_result(&r, k2, &e, &fault) != REMOTE_HIT ||
	    result_decode(&result, e.payload, e.len, &arena) < 0 || result.out_count < 1)
		return -1;
	for (size_t i = 0; i < result.out_count; i++)
		result.out[i].data = result_output_bytes(&result.out[i], &arena);
	struct result_output *o = &result.out[0];
	if (strcmp(what, "setuid") == 0) {
		o->mode_kind = MODE_EXACT;
		o->mode = 04755;
	} else if (strcmp(what, "status") == 0) {
		result.exit_status = 1;
	} else {
		o->spec = strcmp(what, "escape") == 0    ? "../escaped"
		          : strcmp(what, "absolute") == 0 ? elsewhere
		          : strcmp(what, "dotfile") == 0  ? ".escaped"
		          : strcmp(what, "source") == 0   ? "a.c" : NULL;
		if (!o->spec)
			return -1;
		o->spec_len = strlen(o->spec);
	}
	result_encode(&out, &result, COMPRESS_NEVER);
	return out.failed || remote_put_result(&r, k2, out.data, out.len, &fault) != 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	const char *brace = argc == 4 ? strchr(argv[2], '{') : NULL;
	char hex[DIGEST_HEX + 1] = "";
	struct digest k2;
	int rc = -1;

	if (!brace || strlen(brace) < DIGEST_HEX + 1)
		return 2;
	memcpy(hex, brace + 1, DIGEST_HEX);
	settings_load(&set, environ, &arena);
	if (digest_parse(&k2, hex) == 0 && store_open(&store, &set, environ, &arena, &fault) == 0 && store.dir &&
	    remote_open(&r, &set, environ, "forge", &store, &arena, &fault) == 0 && r.on) {
		if (strcmp(argv[1], "bomb") == 0 || strcmp(argv[1], "huge") == 0)
			rc = put_bomb(argv[2], &k2, strcmp(argv[1], "huge") == 0);
		else
			rc = put_altered(argv[1], &k2, argv[3]);
		remote_close(&r);
	}
	if (rc < 0)
		fprintf(stderr, "remote_forge: %s\n", fault.text);
	arena_free(&arena);
	return rc < 0;
}
