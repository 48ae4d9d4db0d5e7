/* cli/run/unseen.c - looks for processes without the object. */
#include "cli/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim/kernel/sys.h"
#include "shim/loader/foreign.h"
#include "tools/tool.h"

/* A look at a larger job is not worth its time. */
#define PROCESSES_MAX 256
#define WAIT_MOST_MS 60000

/* They start programs on other nodes, in containers or as other users, where no LD_PRELOAD
 * arrives. */
static const char *const launchers[] = {"srun", "sbatch", "salloc", "sudo", "doas", "su", "runuser",
                                        "ssh", "pdsh", "mpirun", "mpiexec", "prun", "jsrun",
                                        "aprun", "flux", "docker", "podman", "nerdctl", "kubectl",
                                        "apptainer", "singularity", "enroot"};

/* Also under a name such as mpirun.openmpi or mpiexec.hydra. */
static int is_launcher(const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (strncmp(launchers[i], name, n) == 0 && !launchers[i][n])
			return 1;
	return 0;
}

static void found(struct unseen *u, const char *program, int kind)
{
	u->kind = kind;
	snprintf(u->program, sizeof u->program, "%.63s", program);
	u->wait_ms = 0;
}

void unseen_begin(struct unseen *u, struct cli *c, const char *command, int (*seen)(void *ctx),
                  void *ctx)
{
	*u = (struct unseen){.c = c, .seen = seen, .ctx = ctx, .wait_ms = 1};
	if (is_launcher(path_base(command)))
		found(u, path_base(command), UNSEEN_LAUNCHER);
}

/* Whether the process has the object. The loader maps it before the C library. The list of a
 * process that ends meanwhile is cut before the stack. */
enum loaded { LOADED_OBJECT, LOADED_OTHERS, LOADED_MUSL, LOADED_NOT_YET };
static enum loaded loaded(pid_t pid)
{
	enum loaded l = LOADED_NOT_YET;
	char path[64], *line = NULL;
	size_t room = 0;
	int whole = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && l != LOADED_OBJECT && getline(&line, &room, f) > 0) {
		const char *base = path_base(line);

		whole |= strstr(line, "[stack]") != NULL;
		if (strncmp(base, "libreprise", 10) == 0)
			l = LOADED_OBJECT;
		else if (strncmp(base, "ld-musl", 7) == 0)
			l = LOADED_MUSL;
		else if (strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-2.", 7) == 0)
			l = LOADED_OTHERS;
	}
	free(line);
	if (f)
		fclose(f);
	return l == LOADED_OBJECT || whole ? l : LOADED_NOT_YET;
}

int cli_program_of(pid_t pid, char out[PATH_MAX])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	n = readlink(path, out, PATH_MAX - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0 ? 0 : -1;
}

/* 1: the process runs without the object, and not only until its loader is done. */
static int is_without(struct unseen *u, pid_t pid, const char *program)
{
	const char *why;
	char exe[64];
	enum loaded l = loaded(pid);

	if (l == LOADED_OBJECT || l == LOADED_OTHERS)
		return l == LOADED_OTHERS;
	/* musl's loader is its C library, and there before the object. */
	if (l == LOADED_MUSL) {
		int again = u->suspect == pid;

		u->suspect = pid;
		return again;
	}
	/* A static program maps no library. Its file may be in another mount namespace. */
	snprintf(exe, sizeof exe, "/proc/%d/exe", (int)pid);
	why = *program ? program_unserved(exe) : NULL;
	return why && access(exe, R_OK) == 0;
}

/* Adds the children of a process. Returns how many. */
static int add_children(pid_t parent, pid_t *list, int *count)
{
	char path[320], numbers[4096];
	int before = *count;
	struct dirent *thread;
	DIR *threads;

	snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
	threads = opendir(path);
	while (threads && *count < PROCESSES_MAX && (thread = readdir(threads))) {
		ssize_t n;

		if (*thread->d_name == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)parent,
		         thread->d_name);
		n = sys_read_text(path, numbers, sizeof numbers);
		/* A number that was cut would be another process. */
		if (n == sizeof numbers - 1)
			while (n > 0 && numbers[n - 1] != ' ')
				numbers[--n] = '\0';
		for (char *p = numbers, *end; *count < PROCESSES_MAX; p = end) {
			long pid = strtol(p, &end, 10);

			if (end == p)
				break;
			list[(*count)++] = (pid_t)pid;
		}
	}
	if (threads)
		closedir(threads);
	return *count - before;
}

/* 1: a sanitizer's program, from which Reprise leaves the object out. */
static int must_lack_it(pid_t pid)
{
	char exe[64];

	snprintf(exe, sizeof exe, "/proc/%d/exe", (int)pid);
	return foreign_program(exe) == FOREIGN_SANITIZER;
}

/* A process without the object explains missing events if it is a compiler, starts others, or is
 * the whole job. */
static void look_at(struct unseen *u, pid_t pid, int children, int first)
{
	const char *tools = setting_text(&u->c->settings, SETTING_TOOLS);
	char program[PATH_MAX];
	const char *base;

	if (cli_program_of(pid, program) < 0) {
		char path[64];

		snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
		if (errno != EACCES || !(first || children) ||
		    sys_read_text(path, program, sizeof program) <= 0)
			return;
		program[strcspn(program, "\n")] = '\0';
		found(u, program, UNSEEN_LOST);
		return;
	}
	base = path_base(program);
	/* Helpers of our own run without it. */
	if (strncmp(base, "reprise", 7) == 0)
		return;
	/* git and rsync use ssh as well. */
	if (is_launcher(base) && (first || strcmp(base, "ssh") != 0))
		found(u, base, UNSEEN_LAUNCHER);
	else if (tool_find(base, tools) && is_without(u, pid, program))
		found(u, base, UNSEEN_TOOL);
	else if ((first || children) && is_without(u, pid, program) && !must_lack_it(pid))
		found(u, base, UNSEEN_LOST);
}

void unseen_look(struct unseen *u, pid_t pid)
{
	pid_t list[PROCESSES_MAX] = {pid};
	int count = 1;

	if (!u->wait_ms)
		return;
	u->wait_ms = u->wait_ms < WAIT_MOST_MS / 2 ? 2 * u->wait_ms : WAIT_MOST_MS;
	if (u->seen(u->ctx)) {
		u->wait_ms = 0;
		return;
	}
	for (int i = 0; i < count && u->wait_ms; i++)
		look_at(u, list[i], add_children(list[i], list, &count), i == 0);
}
