/* A blob, made of an entry, and what reads it. */
#pragma once

#include "store/entry/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "scratch.h"

#define MAX_ENTRY (64u << 20)

static struct arena arena;
static struct fault fault;
static struct trust writer, reader __attribute__((unused));
static struct digest key;
static unsigned char *value; /* head and all stored bytes */
static size_t size;
static struct blob_head head;

static __attribute__((unused)) void trust_pair(void)
{
	static char one[4096], two[256], text[TRUST_TEXT];
	struct settings set;
	char *env[] = {one, NULL};

	scratch_make();
	cr_assert_eq(trust_keygen(scratch("key"), text, &fault), 0);
	snprintf(one, sizeof one, "REPRISE_SIGN_KEY=%s", scratch("key"));
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	cr_assert_eq(trust_load(&writer, &set, &arena, &fault), 0, "%s", fault.text);
	snprintf(two, sizeof two, "REPRISE_TRUST=%s", text);
	env[0] = two;
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	cr_assert_eq(trust_load(&reader, &set, &arena, &fault), 0, "%s", fault.text);
	scratch_remove();
	digest_use(DIGEST_BLAKE2B);
}

static __attribute__((unused)) void make(const void *payload, size_t n, const struct trust *t)
{
	unsigned char made[BLOB_HEAD];
	const unsigned char *stored;
	size_t stored_len;

	digest_of(&key, "the key", 7);
	cr_assert_eq(blob_make(made, &stored, &stored_len, STORE_RESULT, &key, payload, n, t,
	                       &arena, &fault), 0,
	             "%s", fault.text);
	size = BLOB_HEAD + stored_len;
	value = arena_alloc(&arena, size + 64);
	memcpy(value, made, BLOB_HEAD);
	memcpy(value + BLOB_HEAD, stored, stored_len);
}

static __attribute__((unused)) enum blob_status read_head(const struct trust *t)
{
	return blob_head_read(&head, value, size, STORE_RESULT, &key, MAX_ENTRY, t);
}

struct taken {
	const unsigned char *want; /* the entry */
	size_t n;
};

static __attribute__((unused)) int take(void *arg, const void *p, size_t n)
{
	struct taken *t = arg;

	if (t->want)
		cr_expect_eq(memcmp(t->want + t->n, p, n), 0);
	t->n += n;
	return 0;
}

/* The same blob in pieces. want: its entry, or NULL where it is damaged. */
static __attribute__((unused)) enum blob_status stream_all(const unsigned char *want, size_t piece)
{
	struct arena memory = ARENA_INIT;
	struct taken t = {want, 0};
	struct blob_stream s;
	int rc = 0;

	cr_assert_eq(blob_stream_begin(&s, &head, value, STORE_RESULT, &key, take, &t, &memory),
	             0);
	for (size_t at = 0; at < head.stored && rc == 0; at += piece)
		rc = blob_stream_add(&s, value + BLOB_HEAD + at,
		                     head.stored - at < piece ? head.stored - at : piece);
	cr_expect_leq(t.n, head.entry_len);
	enum blob_status st = blob_stream_end(&s);
	arena_free(&memory);
	return rc ? BLOB_DAMAGED : st;
}

/* In one piece, and in pieces with the same outcome. */
static __attribute__((unused)) enum blob_status open_whole(struct entry *e)
{
	enum blob_status st =
		blob_open(e, &head, value, value + BLOB_HEAD, STORE_RESULT, &key, &arena);
	const unsigned char *want = st == BLOB_OK ? e->payload - ENTRY_HEAD : NULL;

	cr_expect_eq(stream_all(want, 7 + head.stored / 3), st);
	cr_expect_eq(stream_all(want, head.stored), st);
	return st;
}

static __attribute__((unused)) enum blob_status open_all(struct entry *e, const struct trust *t)
{
	enum blob_status st = read_head(t);

	return st == BLOB_OK ? open_whole(e) : st;
}

static __attribute__((unused)) unsigned char *noise(size_t n)
{
	unsigned char *p = arena_alloc(&arena, n + 1);
	unsigned x = 1;

	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((x = x * 1103515245 + 12345) >> 16);
	return p;
}

static __attribute__((unused)) void put(size_t at, uint64_t v, int n)
{
	for (int i = 0; i < n; i++, v >>= 8)
		value[at + i] = (unsigned char)v;
}
