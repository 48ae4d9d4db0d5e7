/* Calls a backend for HTTP or S3 as the agent does: for remote_http.bats and remote_s3.bats.
 *
 *   net_backend FIELD=VALUE... -- VERB ARGUMENTS [, VERB ARGUMENTS]...
 *
 * Fields: scheme host port path user password endpoint region (remote/remote_place.h), ms (of each
 * call), most (bytes of an object), rest (ms after an object's head), stall (ms). All verbs use one
 * backend. Each prints a line: a status, and what it found or the fault. A name is a kind and a
 * word: m:one.
 *
 *   put NAME FILE      the file's bytes, behind a head of BLOB_HEAD bytes
 *   get NAME [FILE]    compares with that file; "-": refuses the object after its head
 *   add NAME TEXT      to a list; addat NAME TEXT N: in the place of element N
 *   list NAME          its elements
 *   read NAME...       at once; a line for each: the status, and what a list has
 *   has NAME           remove NAME           ping
 *   sleep MS           shell COMMAND         counts: round trips so far
 *   fork: a child closes the backend and ends */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/http/http.h"
#include "remote/remote_place.h"
#include "remote/s3/s3.h"
#include "shim/kernel/sys.h"
#include "store/entry/blob.h"

static const char *const words[] = {"ok",     "absent", "foreign", "timeout", "refused",
                                    "denied", "closed", "garbage", "server",  "fault"};
static struct arena arena;
static struct settings set;
static struct backend b;
static struct fault fault;
static int64_t ms = 5000;
static int64_t rest;
static uint64_t most = 64u << 20;
static struct backend_limit limit;

/* The head says how long the object is. */
static uint64_t accept_head(void *ctx, const void *first, size_t n)
{
	char text[BLOB_HEAD + 1] = "";

	memcpy(text, first, n < BLOB_HEAD ? n : BLOB_HEAD);
	if (rest)
		limit.rest_by = sys_now_ns(CLOCK_MONOTONIC) + rest * 1000000;
	return ctx ? 0 : strtoull(text, NULL, 10);
}

static struct backend_name name_of(const char *text)
{
	struct backend_name name = {.kind = *text};

	digest_of_as(DIGEST_BLAKE2B, &name.key, text, strlen(text));
	return name;
}

static unsigned char *file_bytes(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	unsigned char *p = malloc(64u << 20);

	if (!f || !p) {
		perror(path);
		exit(2);
	}
	*len = fread(p, 1, 64u << 20, f);
	fclose(f);
	return p;
}

static void say(enum backend_status s, const char *detail)
{
	printf("%s%s%s\n", words[s], s == BACKEND_OK && !*detail ? "" : ": ",
	       s == BACKEND_OK ? detail : fault.text);
}

static void put(const char *name, const char *path, int64_t deadline)
{
	struct backend_name n = name_of(name);
	char head[BLOB_HEAD + 1];
	size_t len;
	unsigned char *bytes = file_bytes(path, &len);

	snprintf(head, sizeof head, "%0200zu", len + BLOB_HEAD);
	say(b.ops->put(&b, &n, (struct backend_bytes){(unsigned char *)head, BLOB_HEAD},
	               &(struct source){.data = bytes, .len = len}, 0, deadline, &fault),
	    "");
	free(bytes);
}

static void get(const char *name, const char *path, int64_t deadline)
{
	int refuse = path && !strcmp(path, "-");
	struct backend_name n = name_of(name);
	struct backend_bytes out = {0};

	limit = (struct backend_limit){.accept = accept_head, .ctx = refuse ? &b : NULL,
	                               .most = most};
	enum backend_status s = b.ops->get(&b, &n, &limit, &out, deadline, &fault);
	char detail[64];
	size_t len = 0;

	snprintf(detail, sizeof detail, "%zu bytes", out.len);
	if (s == BACKEND_OK && path && !refuse) {
		unsigned char *bytes = file_bytes(path, &len);

		if (out.len != len + BLOB_HEAD || memcmp(out.data + BLOB_HEAD, bytes, len) != 0)
			snprintf(detail, sizeof detail, "other bytes");
		free(bytes);
	}
	say(s, detail);
}

static void say_list(enum backend_status s, const struct backend_list *l)
{
	char detail[1024] = "";

	for (unsigned i = 0; s == BACKEND_OK && i < l->count; i++)
		snprintf(detail + strlen(detail), sizeof detail - strlen(detail), "%s%.*s",
		         i ? " " : "", (int)l->v[i].len, (const char *)l->v[i].data);
	say(s, detail);
}

static void list(const char *name, int64_t deadline)
{
	struct backend_name n = name_of(name);
	struct backend_list l;

	say_list(b.ops->candidates(&b, &n, 0, BACKEND_LIST, &l, deadline, &fault), &l);
}

static void read_all(char **names, int64_t deadline)
{
	struct backend_read v[BACKEND_READS];
	unsigned n = 0;

	memset(v, 0, sizeof v);
	for (; names[n] && n < BACKEND_READS; n++) {
		v[n].name = name_of(names[n]);
		v[n].max = *names[n] == 'm' ? BACKEND_LIST : 0;
	}
	enum backend_status s = b.ops->read(&b, v, n, deadline, &fault);

	if (s != BACKEND_OK)
		say(s, "");
	for (unsigned i = 0; s == BACKEND_OK && i < n; i++)
		if (v[i].status == BACKEND_OK)
			say_list(BACKEND_OK, &v[i].list);
		else
			puts(words[v[i].status]);
}

static void in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		b.ops->close(&b);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int verb(char **v)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + ms * 1000000;
	struct backend_name n = name_of(v[1] ? v[1] : "");
	struct backend_bytes text = {(unsigned char *)v[2], v[1] && v[2] ? strlen(v[2]) : 0};
	int there;

	arena_free(&arena);
	if (!strcmp(*v, "put"))
		put(v[1], v[2], deadline);
	else if (!strcmp(*v, "get"))
		get(v[1], v[2], deadline);
	else if (!strcmp(*v, "add"))
		say(b.ops->add_candidate(&b, &n, text, -1, 0, deadline, &fault), "");
	else if (!strcmp(*v, "addat"))
		say(b.ops->add_candidate(&b, &n, text, atoi(v[3]), 0, deadline, &fault), "");
	else if (!strcmp(*v, "read"))
		read_all(v + 1, deadline);
	else if (!strcmp(*v, "list"))
		list(v[1], deadline);
	else if (!strcmp(*v, "remove"))
		say(b.ops->remove(&b, &n, deadline, &fault), "");
	else if (!strcmp(*v, "ping"))
		say(b.ops->ping(&b, deadline, &fault), "");
	else if (!strcmp(*v, "has"))
		puts((there = b.ops->has(&b, &n, deadline, &fault)) < 0 ? fault.text
		     : there                                            ? "there"
		                                                        : "not there");
	else if (!strcmp(*v, "sleep"))
		usleep((unsigned)atoi(v[1]) * 1000);
	else if (!strcmp(*v, "fork"))
		in_child();
	else if (!strcmp(*v, "shell"))
		return system(v[1]);
	else if (!strcmp(*v, "counts"))
		printf("%u\n", b.round_trips);
	else
		return 2;
	fflush(stdout);
	return 0;
}

static const char *field(char **argv, const char *name, const char *other)
{
	size_t n = strlen(name);

	for (; *argv && strcmp(*argv, "--") != 0; argv++)
		if (!strncmp(*argv, name, n) && (*argv)[n] == '=')
			return *argv + n + 1;
	return other;
}

int main(int argc, char **argv)
{
	struct arena kept = ARENA_INIT;
	int rc = 0;

	settings_load(&set, environ, &kept);
	const char *scheme = field(argv, "scheme", "http");
	struct remote_place place = {
		.scheme = scheme, .host = field(argv, "host", "127.0.0.1"),
		.port = (unsigned)atoi(field(argv, "port", "0")), .path = field(argv, "path", ""),
		.user = field(argv, "user", NULL), .password = field(argv, "password", NULL),
		.endpoint = field(argv, "endpoint", NULL), .region = field(argv, "region", NULL),
		.shown = scheme,
	};

	place_add_settings(&place, &set, environ);
	ms = atoi(field(argv, "ms", "5000"));
	rest = atoi(field(argv, "rest", "0"));
	most = (uint64_t)atoll(field(argv, "most", "67108864"));
	b.ops = strcmp(scheme, "s3") ? &backend_http : &backend_s3;
	b.arena = &arena;
	if (b.ops->open(&b, &place, &kept, &fault) < 0) {
		printf("off: %s\n", fault.text);
		return 1;
	}
	b.stall_ns = atoll(field(argv, "stall", "0")) * 1000000;
	while (*argv && strcmp(*argv, "--") != 0)
		argv++;
	for (argv += *argv != NULL; *argv && !rc;) {
		char **end = argv, **next;

		while (*end && strcmp(*end, ",") != 0)
			end++;
		next = end + (*end != NULL);
		*end = NULL;
		rc = verb(argv);
		argv = next;
	}
	b.ops->close(&b);
	return rc;
}
