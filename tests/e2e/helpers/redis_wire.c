/* redis_wire - asks a Redis as the object does, for the suites of remote/.
 *
 *   redis_wire [-t MS] [-l LIMIT] [-r RUNTIME] [-n TIMES] [-w MS] [-f] [-c TAG] [-q] [-k]
 *              CMD ARG... [, CMD ARG...]...
 *
 * The server comes from REPRISE_REDIS_* as always. All commands are one pipeline; `%N` as an
 * argument stands for N bytes of 'x'.
 *
 *   -t  deadline (2000)              -l  limit of each reply (1 MiB)
 *   -r  runtime directory            -n  repeats, over one connection
 *   -f  a new connection each time   -w  pause between repeats
 *   -q  only the status              -c  through remote/wire/cluster.h with that tag
 *   -k  forks after the first run: the child must find the connection closed, the parent open
 *
 * One line a run: "<status> <ms> ms[: why]", then a line a reply. Exit status 0 if the last run is
 * ok, else 1; 3 if the remote is off. Descriptors left open or children left over are worth 4. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "remote/wire/cluster.h"
#include "remote/wire/resolve.h"
#include "remote/wire/wire.h"
#include "shim/kernel/sys.h"

#define COMMANDS_MAX 64

extern char **environ;

static struct cluster_command commands[COMMANDS_MAX];
static unsigned count;
static size_t limit = 1 << 20;

static void read_commands(int argc, char **argv)
{
	static const char *words[4096];
	static size_t lens[4096];
	int n = 0;

	for (int i = 0; i < argc && n < 4096 && count < COMMANDS_MAX; i++) {
		struct cluster_command *c = &commands[count];

		if (!strcmp(argv[i], ",")) {
			count++;
			continue;
		}
		if (!c->argc) {
			c->argv = words + n;
			c->len = lens + n;
			c->limit = limit;
		}
		words[n] = argv[i];
		lens[n] = strlen(argv[i]);
		if (argv[i][0] == '%') {
			char *body;

			lens[n] = strtoul(argv[i] + 1, NULL, 10);
			body = malloc(lens[n] + 1);
			memset(body, 'x', lens[n]);
			words[n] = body;
		}
		c->argc++;
		n++;
	}
	count++;
}

static void show(const redisReply *r, int depth)
{
	printf("%*s", 2 * depth, "");
	switch (r->type) {
	case REDIS_REPLY_STATUS: printf("+%s\n", r->str); break;
	case REDIS_REPLY_ERROR: printf("-%s\n", r->str); break;
	case REDIS_REPLY_INTEGER: printf(":%lld\n", r->integer); break;
	case REDIS_REPLY_NIL: puts("nil"); break;
	case REDIS_REPLY_STRING:
		if (r->len > 200)
			printf("$%zu bytes\n", r->len);
		else
			printf("$%.*s\n", (int)r->len, r->str);
		break;
	case REDIS_REPLY_ARRAY:
		printf("*%zu\n", r->elements);
		for (size_t i = 0; i < r->elements; i++)
			show(r->element[i], depth + 1);
		break;
	default: puts("?");
	}
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static enum wire_status once(struct wire *w, struct cluster *cluster, const char *tag,
                             const struct redis_config *config, long ms, int quiet)
{
	struct fault fault = {0, ""};
	int64_t start = sys_now_ns(CLOCK_MONOTONIC), deadline = start + ms * 1000000;
	enum wire_status s = WIRE_OK;

	if (tag) {
		s = cluster_run(cluster, tag, strlen(tag), commands, count, deadline, &w, &fault);
	} else {
		for (unsigned i = 0; i < count && s == WIRE_OK; i++)
			if (wire_queue(w, commands[i].argc, commands[i].argv, commands[i].len,
			               commands[i].limit) < 0)
				s = WIRE_FAULT;
		if (s == WIRE_OK)
			s = wire_run(w, config, deadline, &fault);
	}
	double took = (double)(sys_now_ns(CLOCK_MONOTONIC) - start) / 1e6;
	printf("%s %.1f ms%s%s\n", wire_status_text(s), took, *fault.text ? ": " : "", fault.text);
	for (unsigned i = 0; s == WIRE_OK && !quiet && i < w->replies; i++)
		show(w->reply[i], 0);
	/* A margin for the scheduler. It is too short to hide an ignored deadline. */
	if (took > (double)ms + 100) {
		printf("LATE: the deadline was %ld ms\n", ms);
		exit(5);
	}
	return s;
}

struct request {
	const char *runtime, *tag;
	long ms, times, apart;
	int fresh, quiet, forked;
};

/* 0, or -1 with an option that does not exist. */
static int read_options(struct request *r, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+t:l:r:n:w:c:fqk")) != -1) {
		switch (option) {
		case 't': r->ms = atol(optarg); break;
		case 'l': limit = strtoul(optarg, NULL, 10); break;
		case 'r': r->runtime = optarg; break;
		case 'n': r->times = atol(optarg); break;
		case 'w': r->apart = atol(optarg); break;
		case 'c': r->tag = optarg; break;
		case 'f': r->fresh = 1; break;
		case 'q': r->quiet = 1; break;
		case 'k': r->forked = 1; break;
		default: return -1;
		}
	}
	return 0;
}

/* Checks that a forked child finds the parent's connection closed. 0: it does. */
static int ask_in_child(struct wire *wire, struct cluster *cluster,
                        const struct redis_config *config, long ms)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		enum wire_status s;

		cluster_free(cluster);
		s = once(wire, cluster, NULL, config, ms, 1);
		wire_close(wire);
		fflush(stdout);
		_exit(s == WIRE_CLOSED ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

/* The status for exit: 0, 1 as the last answer was, or 6. */
static int ask(const struct request *r, const struct redis_config *config)
{
	struct wire wire = WIRE_INIT;
	struct cluster cluster;
	enum wire_status s = WIRE_OK;

	cluster_init(&cluster, config, r->runtime);
	for (long i = 0; i < r->times; i++) {
		if (i > 0)
			usleep((useconds_t)r->apart * 1000);
		s = once(&wire, &cluster, r->tag, config, r->ms, r->quiet);
		fflush(stdout);
		if (i == 0 && r->forked && ask_in_child(&wire, &cluster, config, r->ms))
			return 6;
		if (r->fresh) {
			wire_close(&wire);
			cluster_free(&cluster);
			cluster_init(&cluster, config, r->runtime);
		}
	}
	wire_close(&wire);
	cluster_free(&cluster);
	return s == WIRE_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct request request = {.ms = 2000, .times = 1};
	struct arena arena = ARENA_INIT;
	struct settings settings;
	struct remote_place place[PLACES_MAX];
	struct redis_config config = {.scheme = REMOTE_NONE};
	struct fault fault = {0, ""};
	int before, status, answer;

	if (read_options(&request, argc, argv) < 0)
		return 2;
	read_commands(argc - optind, argv + optind);
	settings_load(&settings, environ, &arena);
	int places = places_load(place, &settings, environ, &arena, &fault);
	if (places < 0 || (places && redis_config_load(&config, &place[0], &arena, &fault) < 0)) {
		printf("off: %s\n", fault.text);
		return 3;
	}
	config.runtime_dir = request.runtime;
	before = descriptors();
	answer = ask(&request, &config);
	arena_free(&arena);
	if (answer == 6)
		return answer;
	resolve_forget();
	if (descriptors() != before) {
		printf("LEAK: %d descriptors, %d before\n", descriptors(), before);
		return 4;
	}
	if (waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD) {
		puts("LEAK: a child that wait() sees");
		return 4;
	}
	return answer;
}
