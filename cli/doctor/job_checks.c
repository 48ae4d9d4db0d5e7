/* cli/doctor/job_checks.c - `reprise doctor`: checks that the object loads, and which compilers it
 * serves. */
#include "cli/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "store/dirs.h"
#include "store/walk.h"
#include "tools/tool.h"

/* The output of the programs that are run here, the maps of `cat` included, is shorter. */
#define OUTPUT_MAX 65536
#define RUN_TIMEOUT_MS 10000

extern char **environ;

/* Runs a program with the library preloaded; out gets both its output streams. Returns its exit
 * status or -1. */
static int run_with(const char *library, char *const argv[], char *out, size_t cap)
{
	posix_spawn_file_actions_t actions;
	const char *old = getenv("LD_PRELOAD");
	int fds[2], status = -1;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	*out = 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 2);
	setenv("LD_PRELOAD", library, 1);
	int rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (old)
		setenv("LD_PRELOAD", old, 1);
	else
		unsetenv("LD_PRELOAD");
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	while (rc == 0 && n < cap - 1) {
		struct pollfd p = {fds[0], POLLIN, 0};

		if (poll(&p, 1, RUN_TIMEOUT_MS) <= 0) {
			kill(pid, SIGKILL);
			break;
		}
		got = read(fds[0], out + n, cap - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	out[n] = 0;
	close(fds[0]);
	if (rc != 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_object(struct doctor *d)
{
	char library[PATH_MAX], version[PRELOAD_VERSION], *out = malloc(OUTPUT_MAX);
	char *yes[] = {"true", NULL}, *maps[] = {"cat", "/proc/self/maps", NULL};
	int status = -1;

	if (!out)
		return;
	if (cli_find_library(library, sizeof library, NULL) < 0) {
		doctor_say(d, DOCTOR_MEND, "object",
		           "run `reprise run -- true`: it says what is wrong",
		           "libreprise.so is missing, or LD_PRELOAD cannot hold its path");
		goto out;
	}
	status = run_with(library, yes, out, OUTPUT_MAX);
	if (status != 0 || *out) {
		out[strcspn(out, "\n")] = 0;
		doctor_say(d, DOCTOR_MEND, "object",
		           "it needs glibc 2.28 or later (or musl) of its own architecture",
		           "%s: `true` exits with status %d when it is preloaded: %s", library,
		           status, out);
		goto out;
	}
	run_with(library, maps, out, OUTPUT_MAX);
	if (access(maps[1], R_OK) < 0)
		doctor_say(d, DOCTOR_NOTE, "object", NULL,
		           "%s: `true` runs with it; without /proc nothing shows whether it is "
		           "loaded", library);
	else if (!strstr(out, library))
		doctor_say(d, DOCTOR_MEND, "object",
		           "check whether the system's programs are linked dynamically",
		           "%s is not loaded by `cat`", library);
	else if (preload_version(library, version) < 0 || strcmp(version, REPRISE_VERSION) != 0)
		doctor_say(d, DOCTOR_MEND, "object", "install both from one build",
		           "%s has another version than this command (" REPRISE_VERSION ")",
		           library);
	else
		doctor_say(d, DOCTOR_OK, "object", NULL, "%s, version %s, loads", library, version);
out:
	free(out);
}

/* Two builds in one process: the one that is loaded later steps back. */
static void check_others(struct doctor *d)
{
	char library[PATH_MAX], *said;

	if (cli_find_library(library, sizeof library, NULL) < 0)
		return;
	said = preload_several(library);
	if (said)
		doctor_say(d, DOCTOR_MEND, "object", "preload one of them", "%s", said);
	free(said);
}

/* Finds the first executable of that name on PATH. 0 or -1. */
static int find_on_path(const char *name, char out[PATH_MAX])
{
	const char *path = getenv("PATH");

	for (const char *p = path ? path : ""; *p; p += strcspn(p, ":"), p += *p == ':') {
		size_t n = strcspn(p, ":");
		struct stat st;

		if (n == 0 || *p != '/' || n + strlen(name) + 2 > PATH_MAX)
			continue;
		snprintf(out, PATH_MAX, "%.*s/%s", (int)n, p, name);
		if (stat(out, &st) == 0 && S_ISREG(st.st_mode) && access(out, X_OK) == 0)
			return 0;
	}
	return -1;
}

/* Why no row serves a known tool. */
static const char *off_by(const char *name)
{
	return tool_known(name)->flags & TOOL_OFF ? "it is off until REPRISE_TOOLS adds it"
	                                          : "REPRISE_TOOLS removes it";
}

static void add_word(char *list, size_t size, const char *word)
{
	size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used ? " " : "", word);
}

static void check_tools(struct doctor *d)
{
	static const char *const names[] = {
#define TOOL(name, family, flags, env) name,
#include "tools/tools.def"
	};
	const char *setting = setting_text(&d->cli->settings, SETTING_TOOLS);
	char path[PATH_MAX], resolved[PATH_MAX], served[512] = "", launchers[128] = "";
	char scripts[512] = "";

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct tool_row *row = tool_find(names[i], setting);
		const char *why;

		if (find_on_path(names[i], path) < 0)
			continue;
		if (!realpath(path, resolved))
			strcpy(resolved, path);
		if (!row) {
			doctor_say(d, DOCTOR_NOTE, "tools", NULL, "%s is not served: %s", names[i],
			           off_by(names[i]));
			continue;
		}
		why = program_unserved(resolved);
		if (!why && !tool_find(path_base(resolved), setting))
			why = "it is a link to a program that is not a known tool";
		if (why && strcmp(why, PROGRAM_IS_SCRIPT) == 0) {
			add_word(scripts, sizeof scripts, names[i]);
			continue;
		}
		if (why) {
			doctor_say(d, DOCTOR_NOTE, "tools", NULL, "%s is not served: %s", path,
			           why);
			continue;
		}
		if (row->flags & TOOL_LAUNCHER)
			add_word(launchers, sizeof launchers, names[i]);
		else
			add_word(served, sizeof served, names[i]);
	}
	if (*served)
		doctor_say(d, DOCTOR_OK, "tools", NULL, "served: %s", served);
	else
		doctor_say(d, DOCTOR_NOTE, "tools",
		           "a job may bring compilers of its own, as Triton does; see tools.md",
		           "no tool on PATH is served");
	if (*scripts)
		doctor_say(d, DOCTOR_OK, "tools", NULL,
		           "scripts, whose compilers are served: %s", scripts);
	if (*launchers)
		doctor_say(d, DOCTOR_NOTE, "tools", "let the build call the compiler directly",
		           "%s: passed through; compiles that they cache never reach Reprise",
		           launchers);
}

void doctor_job(struct doctor *d)
{
	check_object(d);
	check_others(d);
	check_tools(d);
}

/* --- the seed stores --- */

/* True if a directory of entries is there; *error: errno of one that cannot be read, or 0. */
static int has_classes(const char *dir, int *error)
{
	char path[PATH_SIZE];
	int found = 0;

	*error = 0;
	for (int i = 0; i < WALK_CLASSES; i++) {
		if (path_join(path, sizeof path, dir, walk_classes[i].dir) >= sizeof path)
			continue;
		if (access(path, R_OK | X_OK) == 0)
			found = 1;
		else if (errno != ENOENT)
			*error = errno;
	}
	return found;
}

static void check_seed(struct doctor *d, const char *dir)
{
	int found, error = access(dir, R_OK | X_OK) < 0 ? errno : 0;

	if (!error && dirs_use_seed(dir) < 0) {
		doctor_say(d, DOCTOR_MEND, "seed store", "take that right from others (chmod o-w)",
		           "%s: not used: it is no directory, or all users may write to it", dir);
		return;
	}
	if (!error)
		found = has_classes(dir, &error);
	if (error == EACCES)
		doctor_say(d, DOCTOR_MEND, "seed store", "chmod -R a+rX where it is made",
		           "%s: not used: this user may not read it", dir);
	else if (error)
		doctor_say(d, DOCTOR_MEND, "seed store",
		           "mount it there, or name another directory", "%s: not used: %s", dir,
		           strerror(error));
	else if (!found)
		doctor_say(d, DOCTOR_MEND, "seed store",
		           "name the directory that holds its VERSION",
		           "%s: of no use: it is no store", dir);
	else if (dirs_layout(dir) != STORE_LAYOUT)
		doctor_say(d, DOCTOR_MEND, "seed store", "make it again with this version",
		           "%s: another version of Reprise made it: entries that this one does not "
		           "know are misses", dir);
	else
		doctor_say(d, DOCTOR_OK, "seed store", NULL, "%s", dir);
}

void doctor_seeds(struct doctor *d)
{
	char *dirs = arena_strdup(&d->cli->arena,
	                          setting_text(&d->cli->settings, SETTING_SEED_DIRS)), *rest = NULL;

	for (char *dir = dirs ? strtok_r(dirs, ":", &rest) : NULL; dir;
	     dir = strtok_r(NULL, ":", &rest))
		check_seed(d, dir);
}
