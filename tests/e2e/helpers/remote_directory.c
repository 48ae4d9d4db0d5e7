/* Uses a directory as a remote store by the calls of its backend: for remote_dir_server.bats and
 * remote_dir.bats.
 *
 *   remote_directory ROOT put WORD TEXT    an entry of that text, under a key made of the word
 *   remote_directory ROOT fill WORD SIZE   an entry of so many bytes that do not pack
 *   remote_directory ROOT get WORD         prints its text
 *   remote_directory ROOT add WORD TEXT    a candidate
 *   remote_directory ROOT list WORD        prints the candidates
 *   remote_directory ROOT has WORD | remove WORD | ping | path WORD
 *
 * Prints a word for the status, and the fault if there is one. REPRISE_TRUST is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "remote/dir/shared_dir.h"
#include "remote/dir/shared_root.h"
#include "remote/remote_place.h"
#include "store/entry/blob.h"

static struct arena arena;
static struct backend b = {.arena = &arena};
static struct backend_name name = {'r', {{0}}};
static struct fault fault;
static struct blob_head head;

static uint64_t accept_head(void *ctx, const void *first, size_t n)
{
	return blob_head_read(&head, first, n, STORE_RESULT, &name.key, 1u << 30, NULL) == BLOB_OK
	       ? BLOB_HEAD + head.stored : 0;
}

static void put(const void *text, size_t size, int64_t deadline, enum backend_status *s)
{
	unsigned char made[BLOB_HEAD];
	const unsigned char *stored;
	size_t n;

	if (blob_make(made, &stored, &n, STORE_RESULT, &name.key, text, size, NULL, &arena,
	              &fault) == 0)
		*s = b.ops->put(&b, &name, (struct backend_bytes){made, BLOB_HEAD},
		                &(struct source){.data = stored, .len = n}, 0, deadline, &fault);
}

static void fill(size_t size, int64_t deadline, enum backend_status *s)
{
	unsigned char *bytes = arena_alloc(&arena, size);
	uint64_t v = 88172645463325252ull;

	for (size_t i = 0; i < size; i++) {
		v ^= v << 13;
		v ^= v >> 7;
		v ^= v << 17;
		bytes[i] = (unsigned char)v;
	}
	put(bytes, size, deadline, s);
}

static void get(int64_t deadline, enum backend_status *s)
{
	const struct backend_limit limit = {.accept = accept_head, .most = 1u << 30};
	struct backend_bytes out;
	struct entry e;

	*s = b.ops->get(&b, &name, &limit, &out, deadline, &fault);
	if (*s == BACKEND_OK && head.stored && out.len == BLOB_HEAD + head.stored &&
	    blob_open(&e, &head, out.data, out.data + BLOB_HEAD, STORE_RESULT, &name.key,
	              &arena) == BLOB_OK)
		printf("%.*s\n", (int)e.len, (const char *)e.payload);
	else if (*s == BACKEND_OK)
		puts("damaged");
}

static void list(int64_t deadline, enum backend_status *s)
{
	struct backend_list all;

	*s = b.ops->candidates(&b, &name, 0, BACKEND_LIST, &all, deadline, &fault);
	for (unsigned i = 0; *s == BACKEND_OK && i < all.count; i++)
		printf("%.*s\n", (int)all.v[i].len, (const char *)all.v[i].data);
}

static void path(const char *root)
{
	char folder[FOLDER_NAME], file[FILE_NAME];

	root_names(&name, folder, file);
	printf("%s/%s/%s\n", root, folder, file);
	exit(0);
}

int main(int argc, char **argv)
{
	static const char *const words[] = {"ok", "absent", "foreign", "timeout", "refused",
	                                    "denied", "closed", "garbage", "server", "fault"};
	const char *what = argc > 2 ? argv[2] : "", *text = argc > 4 ? argv[4] : "";
	char *trust[] = {NULL, NULL}, line[4096];
	enum backend_status s = BACKEND_FAULT;
	struct settings set;
	struct timespec ts;

	if (argc < 3 || (argc < 4 && strcmp(what, "ping") != 0))
		return 2;
	if (getenv("REPRISE_TRUST")) {
		snprintf(line, sizeof line, "REPRISE_TRUST=%s", getenv("REPRISE_TRUST"));
		trust[0] = line;
	}
	settings_defaults(&set);
	settings_merge_env(&set, trust, &arena);
	struct remote_place place = {.scheme = "file", .host = "", .path = argv[1], .set = &set};
	b.ops = &shared_dir_ops;
	if (b.ops->open(&b, &place, &arena, &fault) < 0) {
		printf("off: %s\n", fault.text);
		return 0;
	}
	if (argc > 3)
		digest_of_as(DIGEST_XXH3, &name.key, argv[3], strlen(argv[3]));
	clock_gettime(CLOCK_MONOTONIC, &ts);
	int64_t deadline = (int64_t)(ts.tv_sec + 20) * 1000000000;
	if (!strcmp(what, "put"))
		put(text, strlen(text), deadline, &s);
	else if (!strcmp(what, "fill"))
		fill((size_t)atol(text), deadline, &s);
	else if (!strcmp(what, "get"))
		get(deadline, &s);
	else if (!strcmp(what, "add"))
		s = b.ops->add_candidate(&b, &name,
		                         (struct backend_bytes){(const unsigned char *)text,
		                                                strlen(text)},
		                         -1, 0, deadline, &fault);
	else if (!strcmp(what, "list"))
		list(deadline, &s);
	else if (!strcmp(what, "remove"))
		s = b.ops->remove(&b, &name, deadline, &fault);
	else if (!strcmp(what, "ping"))
		s = b.ops->ping(&b, deadline, &fault);
	else if (!strcmp(what, "path"))
		path(argv[1]);
	if (!strcmp(what, "has")) {
		int rc = b.ops->has(&b, &name, deadline, &fault);

		puts(rc == 1 ? "there" : rc == 0 ? "not there" : "unknown");
		s = rc < 0 ? BACKEND_FAULT : BACKEND_OK;
	}
	if (s == BACKEND_OK)
		puts("ok");
	else
		printf("%s: %s\n", words[s], fault.text);
	return 0;
}
