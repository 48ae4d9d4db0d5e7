/* agent/reprise-agent.c - reprise-agent: all that speaks to other machines (store/agent.h). Tools,
 * hosts and reprise-run start it; people need not. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ahead.h"
#include "agent/dispatch.h"
#include "remote/backends.h"
#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/inbox.h"
#include "store/lock.h"
#include "store/trust.h"

/* Beside this program: the same with HTTP, S3 and TLS (remote/http/net_backends.h). */
#define NET "/reprise-agent-net"

struct agent_place {
	struct store store;
	char name[AGENT_NAME_SIZE];
	struct lock lock;
	struct statx bound; /* the socket's file, as it was made */
};

/* What the process that started the agent may do, the agent does not inherit: it serves others. */
static void leave_limits(void)
{
	static const int limits[] = {RLIMIT_CPU, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS,
	                             RLIMIT_DATA, RLIMIT_NPROC};
	cpu_set_t all;
	struct rlimit r;

	memset(&all, 0xff, sizeof all);
	(void)sched_setaffinity(0, sizeof all, &all);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (getrlimit((__rlimit_resource_t)limits[i], &r) == 0 &&
		    r.rlim_cur != r.rlim_max) {
			r.rlim_cur = r.rlim_max;
			(void)setrlimit((__rlimit_resource_t)limits[i], &r);
		}
}

static const char *socket_path(struct agent_place *p, char out[PATH_SIZE])
{
	return path_join(out, PATH_SIZE, p->store.runtime_dir, p->name) < PATH_SIZE ? out : NULL;
}

static int is_lost(void *ctx)
{
	struct agent_place *p = ctx;
	char path[PATH_SIZE];
	struct statx now;

	return !socket_path(p, path) ||
	       sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &now) < 0 ||
	       now.stx_ino != p->bound.stx_ino;
}

/* Another agent's socket of that name stays: it was made after ours was lost. */
static void retire(void *ctx)
{
	struct agent_place *p = ctx;
	char path[PATH_SIZE];

	if (!is_lost(p) && socket_path(p, path))
		unlink(path);
	/* From now on the name is a new agent's, whose file may have the same number. */
	p->bound.stx_ino = 0;
	lock_release(&p->lock);
}

static void sweep(void *ctx)
{
	struct agent_place *p = ctx;
	struct arena a = ARENA_INIT;

	inbox_sweep(&p->store, INBOX_KEEP_S, &a);
	arena_free(&a);
}

/* `reprise` of the same build tree or prefix. NULL: there is none. */
static const char *find_command(struct arena *a)
{
	static const char places[][20] = {"../reprise", "../../bin/reprise"};
	char self[PATH_SIZE], out[PATH_SIZE];
	struct stat st;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	self[path_dir_len(self)] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (path_join(out, sizeof out, self, places[i]) < sizeof out &&
		    stat(out, &st) == 0 && S_ISREG(st.st_mode) && access(out, X_OK) == 0)
			return arena_strdup(a, out);
	return NULL;
}

/* If a store needs what this program lacks, reprise-agent-net takes its place. Returns where that
 * program is missing: these stores are then refused by its name. */
static void become_net(const struct remote_place *place, int n, char **argv)
{
	char self[PATH_SIZE];
	int lacks = 0;
	ssize_t len;

	for (int i = 0; i < n; i++)
		lacks |= !backends_have(place[i].scheme);
	if (!lacks || (len = readlink("/proc/self/exe", self, sizeof self - sizeof NET)) <= 0)
		return;
	self[len] = '\0';
	strcpy(self + path_dir_len(self), NET);
	execve(self, argv, environ);
}

/* The listening socket; -1: another agent serves, or none can. */
static int begin(struct agent_place *p, const struct settings *set, struct arena *a)
{
	struct digest key;
	char path[PATH_SIZE];

	agent_name(p->name, &p->store, set);
	digest_name(&key, p->name, strlen(p->name));
	if (!p->store.runtime_dir ||
	    lock_take(&p->lock, p->store.runtime_dir, &key, 0, NULL) != LOCK_HELD)
		return -1;
	int fd = agent_socket(p->store.runtime_dir, p->name, 1);
	if (fd < 0)
		log_once("agent", "cannot listen at %s/%s: error %d", p->store.runtime_dir,
		         p->name, -fd);
	else if (socket_path(p, path))
		sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &p->bound);
	return fd;
}

int main(int argc, char **argv)
{
	static struct agent_place place = {.lock = LOCK_INIT};
	static struct remote_place where[PLACES_MAX];
	static struct settings set;
	struct arena arena = ARENA_INIT;
	struct fault fault = {0, ""};
	struct remote_use use;

	if (argc > 1) {
		int version = strcmp(argv[1], "--version") == 0;

		if (version)
			printf("reprise-agent %s\n", REPRISE_VERSION);
		else
			fputs("reprise-agent: jobs start this program, which speaks to their "
			      "remote stores; see `reprise doctor`\n", stderr);
		return version ? 0 : 2;
	}
	signal(SIGXFSZ, SIG_IGN);
	leave_limits();
	settings_load(&set, environ, &arena);
	int places = places_load(where, &set, environ, &arena, &fault);
	become_net(where, places, argv);
	if (trust_configured(&set))
		digest_use(DIGEST_BLAKE2B);
	if (store_open(&place.store, &set, environ, &arena, &fault) < 0)
		return 3;
	log_init(&set, place.store.dir, place.store.runtime_dir, "agent", environ, &arena);
	remote_tag(&place.store, &set, environ, &arena);
	struct dispatch d = {.terms = {&place.store, &set, environ, &arena},
	                     .listening = begin(&place, &set, &arena), .retire = retire,
	                     .is_lost = is_lost, .sweep = sweep, .ctx = &place};
	if (d.listening < 0)
		return 0;
	backends_prepare(where, places);
	d.has_remote = remote_use_load(&use, &set, environ, &arena);
	d.publisher = find_command(&arena);
	d.secrets = agent_secrets(&set, environ);
	d.memory = remote_memory_make();
	remote_memory_use(d.memory);
	ahead_open();
	dispatch_run(&d);
	return 0;
}
