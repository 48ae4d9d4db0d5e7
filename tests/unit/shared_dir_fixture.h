/* A file:// remote store in a scratch directory, used by its operations. */
#pragma once

#include <sys/time.h>
#include <time.h>

#include "remote/bundle.h"
#include "remote/dir/shared_dir.h"
#include "remote/remote_place.h"
#include "scratch.h"
#include "store/entry/blob.h"

static struct arena arena;
static struct fault fault;
static struct settings settings;
static struct remote_place place;
static struct backend backend;
static struct backend_name name;
static char root_path[256];

#define OPS (backend.ops)

static inline int64_t soon(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)(ts.tv_sec + 10) * 1000000000;
}

/* Opens the store another time, as another process would. env: of REPRISE_TRUST, or NULL. */
static inline void reopen(const char *env)
{
	char *envp[] = {(char *)env, NULL};

	if (backend.ops)
		shared_dir_ops.close(&backend);
	settings_defaults(&settings);
	settings_merge_env(&settings, envp, &arena);
	place = (struct remote_place){.scheme = "file", .host = "", .path = root_path,
	                              .prefix = "reprise", .shown = "file://", .set = &settings};
	backend = (struct backend){.ops = &shared_dir_ops, .arena = &arena};
	cr_assert_eq((shared_dir_ops.open)(&backend, &place, &arena, &fault), 0, "%s", fault.text);
}

static inline void dir_start(void)
{
	scratch_make();
	snprintf(root_path, sizeof root_path, "%s/remote", scratch_dir);
	name.kind = 'r';
	digest_of_as(DIGEST_XXH3, &name.key, "a result", 8);
	reopen(NULL);
}

static inline void dir_stop(void)
{
	shared_dir_ops.close(&backend);
	scratch_remove();
}

static inline struct backend_bytes text(const char *s)
{
	return (struct backend_bytes){(const unsigned char *)s, strlen(s)};
}

/* Path of a name's file: a static buffer. */
static inline const char *path_of(const struct backend_name *n)
{
	static char path[512];
	char hex[DIGEST_HEX + 1];

	digest_hex(&n->key, hex);
	snprintf(path, sizeof path, "%s/%.2s/%c-%s", root_path, hex, n->kind, hex + 2);
	return path;
}

static inline const char *folder_of(const struct backend_name *n)
{
	static char path[512];

	strcpy(path, path_of(n));
	*strrchr(path, '/') = '\0';
	return path;
}

static inline struct stat stat_of(const char *path)
{
	struct stat st;

	cr_assert_eq(lstat(path, &st), 0, "%s is missing", path);
	return st;
}

static inline mode_t mode_of(const char *path)
{
	return stat_of(path).st_mode & 07777;
}

static inline enum backend_status put(const char *head, const char *stored)
{
	struct source rest = {.data = text(stored).data, .len = text(stored).len};

	return OPS->put(&backend, &name, text(head), &rest, 0, soon(), &fault);
}

/* Puts the blob of an entry of n bytes, whose bytes do not pack. */
static inline size_t put_blob(size_t n)
{
	unsigned char head[BLOB_HEAD], *payload = arena_alloc(&arena, n);
	const unsigned char *stored;
	uint64_t x = 88172645463325252ull;
	size_t len;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		payload[i] = (unsigned char)x;
	}
	cr_assert_eq(blob_make(head, &stored, &len, STORE_RESULT, &name.key, payload, n, NULL,
	                       &arena, &fault), 0);
	cr_assert_eq(OPS->put(&backend, &name, (struct backend_bytes){head, BLOB_HEAD},
	                      &(struct source){.data = stored, .len = len}, 0, soon(), &fault),
	             BACKEND_OK, "%s", fault.text);
	return BLOB_HEAD + len;
}

static inline void age_file(const char *path, time_t seconds)
{
	struct timeval t[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};

	cr_assert_eq(utimes(path, t), 0);
}

static inline time_t age_of(const char *path)
{
	return time(NULL) - stat_of(path).st_mtime;
}
