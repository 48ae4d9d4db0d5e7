/* cli/doctor/launch_probe.c - `reprise doctor -- LAUNCHER...`: checks each rank that the launcher
 * starts. Does the preload arrive, is a second compile a hit, and what does the rank see?
 *
 * The probe (cli/doctor/process_view.c) is this program again, started after the launcher's own
 * arguments, with the environment of `reprise run`. Its path is the real one, or that of --there:
 * an image has Reprise where it was built with it. Its lines come through the
 * launcher's standard output, which may put text before each line (srun -l, mpirun -tag-output).
 * All other output of the launcher is copied to standard error. Ranks of one node that report the
 * same share a line. */
#include "cli/doctor/doctor.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/kernel/sys.h"

extern char **environ;

/* Facts about launchers, found by the base name of the program. */
struct launcher {
	const char *name;
	/* without this argument it starts Python scripts only; "": no such argument */
	const char *program;
	const char *remedy;  /* what to do if it strips the preload */
};
#define LAUNCHER(name, program, remedy) {name, program, remedy " (launchers.md)"},
static const struct launcher launchers[] = {
	LAUNCHER("srun", "", "srun --export=ALL, or `srun ... reprise-run COMMAND`")
	LAUNCHER("sudo", "", "sudo drops LD_PRELOAD, with -E too: `sudo ... reprise-run COMMAND`")
	LAUNCHER("doas", "", "doas drops it: `doas ... reprise-run COMMAND`")
	LAUNCHER("ssh", "", "ssh passes no environment on: `ssh ... HOST reprise-run COMMAND`")
	LAUNCHER("mpirun", "", "mpirun -x LD_PRELOAD -x REPRISE_JOB (Open MPI), -genvall (MPICH), "
	         "or `mpirun ... reprise-run COMMAND`")
	LAUNCHER("mpiexec", "", "mpiexec -x LD_PRELOAD -x REPRISE_JOB (Open MPI), -genvall "
	         "(MPICH), or `mpiexec ... reprise-run COMMAND`")
	LAUNCHER("systemd-run", "", "systemd-run -E LD_PRELOAD -E REPRISE_JOB, or `systemd-run ... "
	         "reprise-run COMMAND`; `--scope` passes all on")
	LAUNCHER("docker", "", "`docker run ... IMAGE reprise-run COMMAND`, with Reprise in the "
	         "image and the store mounted")
	LAUNCHER("podman", "", "`podman run ... IMAGE reprise-run COMMAND`, with Reprise in the "
	         "image and the store mounted")
	LAUNCHER("buildah", "", "`buildah run ... CONTAINER -- reprise-run COMMAND`, with Reprise "
	         "in the image and the store mounted")
	LAUNCHER("kubectl", "", "a process of a pod gets the `env` of its container: set "
	         "LD_PRELOAD there, or `kubectl exec ... -- reprise-run COMMAND`")
	LAUNCHER("torchrun", "--no-python",
	         "torchrun passes its environment on, but the program that starts it there does "
	         "not: `... reprise-run torchrun ...`")
	LAUNCHER("accelerate", "--no_python",
	         "accelerate passes its environment on, but the program that starts it there does "
	         "not: `... reprise-run accelerate ...`")
	LAUNCHER("deepspeed", "--no_python", "add a line LD_PRELOAD=... to ~/.deepspeed_env")
	LAUNCHER("", "", "put reprise-run after it: `LAUNCHER ... reprise-run COMMAND`")
};

/* 1: the program is that launcher, under a name such as mpirun.openmpi or mpiexec.hydra, too. */
static int is_named(const char *program, const char *launcher)
{
	size_t n = strlen(launcher);

	return strncmp(program, launcher, n) == 0 && (!program[n] || program[n] == '.');
}

static const struct launcher *find_launcher(int argc, char **argv)
{
	const struct launcher *l = launchers;
	const char *name = path_base(argv[0]);

	/* torchrun is a script around python -m torch.distributed.run. */
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], "-m") == 0 &&
		    (strcmp(argv[i + 1], "torch.distributed.run") == 0 ||
		     strcmp(argv[i + 1], "torch.distributed.launch") == 0))
			name = "torchrun";
	while (*l->name && !is_named(name, l->name))
		l++;
	return l;
}

static const char *text_of(struct json_object *rank, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(rank, name, &value) ? json_object_get_string(value) : "";
}

/* The probe's object in a line of the launcher's output; NULL: the line has none. */
static struct json_object *rank_in(const char *line, const char *mark)
{
	const char *at = strstr(line, mark);
	struct json_object *o = at ? json_tokener_parse(at + strlen(mark)) : NULL;

	if (o && json_object_is_type(o, json_type_object))
		return o;
	json_object_put(o);
	return NULL;
}

/* Ranks report in any order. */
static int by_rank(const void *a, const void *b)
{
	const char *one = text_of(*(struct json_object *const *)a, "rank");
	const char *other = text_of(*(struct json_object *const *)b, "rank");

	return atoi(one) < atoi(other) ? -1 : atoi(one) > atoi(other);
}

/* Runs the launcher and appends what ranks report to ranks. Returns the launcher's exit status as a
 * shell gives it, or a negative errno if it did not start. */
static int run_launcher(char **argv, const char *mark, struct json_object *ranks)
{
	posix_spawn_file_actions_t actions;
	char *line = NULL;
	size_t room = 0;
	int fds[2], status = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	FILE *from = error ? NULL : fdopen(fds[0], "r");
	while (from && getline(&line, &room, from) > 0) {
		struct json_object *rank = rank_in(line, mark);

		if (rank)
			json_object_array_add(ranks, rank);
		else
			fputs(line, stderr);
	}
	free(line);
	if (from)
		fclose(from);
	else
		close(fds[0]);
	if (error)
		return -error;
	if (waitpid(pid, &status, 0) != pid)
		return 128;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- report of a rank --- */

static enum doctor_level judge(struct json_object *rank, const struct launcher *l, char *text,
                               size_t cap, const char **remedy)
{
	const char *preload = text_of(rank, "preload"), *second = text_of(rank, "second");
	const char *compiler = text_of(rank, "compiler");
	struct json_object *failed;

	*remedy = NULL;
	if (*text_of(rank, "off")) {
		snprintf(text, cap, "a setting turns Reprise off");
		return DOCTOR_NOTE;
	}
	if (strcmp(preload, "no") == 0) {
		snprintf(text, cap, "the preload did not arrive: LD_PRELOAD does not name it");
		*remedy = l->remedy;
		return DOCTOR_MEND;
	}
	if (strcmp(preload, "yes") != 0) {
		snprintf(text, cap, "LD_PRELOAD names it, but libreprise.so is not in the process");
		*remedy = "install libreprise.so under the same path there";
		return DOCTOR_MEND;
	}
	if (!*compiler) {
		snprintf(text, cap, "the preload arrived; no C compiler on PATH to try it with");
		return DOCTOR_NOTE;
	}
	if (json_object_object_get_ex(rank, "status", &failed) && json_object_get_int(failed)) {
		snprintf(text, cap, "the preload arrived; %s ends with status %d there", compiler,
		         json_object_get_int(failed));
		*remedy = "check whether it compiles there without Reprise";
		return DOCTOR_MEND;
	}
	if (strcmp(second, "hit") == 0) {
		snprintf(text, cap, "the preload arrived; %s twice: %s, hit", compiler,
		         text_of(rank, "first"));
		return DOCTOR_OK;
	}
	snprintf(text, cap, "the preload arrived, but the second %s was not a hit: %s%s%s",
	         compiler, *second ? second : "the log does not mention it",
	         *text_of(rank, "store") ? "" : "; no store: ", text_of(rank, "store_fault"));
	*remedy = "run `reprise doctor` there, and see tools.md";
	return DOCTOR_MEND;
}

/* True if one line can report both ranks. */
static int are_alike(struct json_object *a, struct json_object *b)
{
	static const char *const fields[] = {"host", "user", "version", "preload", "off",
	                                     "store", "store_fault", "remote", "job",
	                                     "compiler", "first", "second"};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(text_of(a, fields[i]), text_of(b, fields[i])) != 0)
			return 0;
	return 1;
}

/* Writes "node1, ranks 0 1 2" into out. from: index of the first of these ranks. */
static void name_ranks(struct json_object *ranks, size_t from, char *out, size_t cap)
{
	struct json_object *first = json_object_array_get_idx(ranks, from);
	size_t used = (size_t)snprintf(out, cap, "%s", text_of(first, "host")), count = 0;

	for (size_t i = from; i < json_object_array_length(ranks); i++) {
		struct json_object *rank = json_object_array_get_idx(ranks, i);

		if (!are_alike(first, rank))
			continue;
		if (used < cap && *text_of(rank, "rank"))
			used += (size_t)snprintf(out + used, cap - used, "%s %s",
			                         count ? "" : ", rank", text_of(rank, "rank"));
		count++;
	}
	if (used < cap && count > 1)
		snprintf(out + used, cap - used, " (%zu)", count);
}

static void say_rank(struct doctor *d, struct json_object *ranks, size_t i,
                     const struct launcher *l)
{
	struct json_object *rank = json_object_array_get_idx(ranks, i);
	const char *remedy, *store = text_of(rank, "store"), *job = text_of(rank, "job");
	char who[256], text[512];

	for (size_t k = 0; k < i; k++)
		if (are_alike(json_object_array_get_idx(ranks, k), rank))
			return;
	name_ranks(ranks, i, who, sizeof who);
	enum doctor_level level = judge(rank, l, text, sizeof text, &remedy);
	doctor_say(d, level, "rank", remedy, "%s: %s", who, text);
	doctor_say(d, DOCTOR_OK, "rank", NULL, "%s: user %s, store %s, remote %s, job %s", who,
	           text_of(rank, "user"), *store ? store : "none", text_of(rank, "remote"), job);
	if (strcmp(text_of(rank, "version"), REPRISE_VERSION) != 0)
		doctor_say(d, DOCTOR_MEND, "rank", "install one build everywhere",
		           "%s: version %s, here it is " REPRISE_VERSION, who,
		           text_of(rank, "version"));
}

/* Reports the first rank whose field differs from that of `first`. */
static void compare(struct doctor *d, struct json_object *ranks, struct json_object *first,
                    const char *who, const char *field, const char *remedy)
{
	for (size_t i = 0; i < json_object_array_length(ranks); i++) {
		struct json_object *rank = json_object_array_get_idx(ranks, i);

		if (strcmp(text_of(first, field), text_of(rank, field)) == 0)
			continue;
		doctor_say(d, DOCTOR_NOTE, "rank", remedy, "%s: %s %s, but %s %s",
		           text_of(rank, "host"), field, text_of(rank, field), who,
		           text_of(first, field));
		return;
	}
}

static void say_all(struct doctor *d, struct json_object *ranks, const struct launcher *l)
{
	static const char remedy[] =
		"put settings into /etc/reprise.conf or that user's "
	        "~/.config/reprise/reprise.conf: files need no environment";
	struct json_object *here = doctor_describe(d->cli);
	size_t count = json_object_array_length(ranks);

	for (size_t i = 0; i < count; i++)
		say_rank(d, ranks, i, l);
	doctor_figure(d, "ranks", (double)count);
	compare(d, ranks, here, "here it is", "store", remedy);
	compare(d, ranks, here, "here it is", "remote", remedy);
	if (count)
		compare(d, ranks, json_object_array_get_idx(ranks, 0), "the first rank's is", "job",
		        "set the same REPRISE_JOB for all ranks: wait budgets and lists are kept "
		        "for each job");
	json_object_put(here);
}

/* Reports how the launcher ended. given: the program that it was to start. */
static void say_end(struct doctor *d, struct json_object *ranks, const char *launcher, int status,
                    const char *given)
{
	if (status < 0)
		doctor_say(d, DOCTOR_MEND, "launcher", "check that it is installed and on PATH",
		           "%s: %s", launcher, strerror(-status));
	else if (json_object_array_length(ranks) == 0)
		doctor_say(d, DOCTOR_MEND, "launcher",
		           "install reprise under the same path there, or say where it is with "
		           "--there PATH; let the launcher return its output",
		           "%s ended with status %d and no rank reported: it was to start %s",
		           launcher, status, given);
	else if (status)
		doctor_say(d, DOCTOR_NOTE, "launcher", NULL, "%s ended with status %d", launcher,
		           status);
}

/* The launcher's command line: argv, the extra argument that it may need, and the probe. NULL: no
 * memory. */
static char **command_line(struct doctor *d, int argc, char **argv, const struct launcher *l,
                           const char *token)
{
	char **all = calloc((size_t)argc + 6, sizeof *all);
	char *self = d->there ? strdup(d->there) : realpath("/proc/self/exe", NULL);
	char *probe = arena_cat(&d->cli->arena, "--probe=", token, NULL);
	int n = 0, given = 0;

	if (!all || !self || !probe) {
		free(all);
		free(self);
		return NULL;
	}
	for (; n < argc; n++) {
		all[n] = argv[n];
		given |= strcmp(argv[n], l->program) == 0;
	}
	if (*l->program && !given)
		all[n++] = (char *)l->program;
	all[n++] = self;
	all[n++] = "doctor";
	all[n] = probe;
	return all;
}

void doctor_launch(struct doctor *d, int argc, char **argv)
{
	struct json_object *ranks = json_object_new_array();
	const struct launcher *l = find_launcher(argc, argv);
	uint64_t salt = 0;
	char token[24], mark[64];

	if (getrandom(&salt, sizeof salt, GRND_NONBLOCK) < 0)
		salt = (uint64_t)sys_now_ns(CLOCK_REALTIME);
	snprintf(token, sizeof token, "%016llx", (unsigned long long)salt);
	snprintf(mark, sizeof mark, DOCTOR_PROBE_MARK "%s ", token);
	char **all = command_line(d, argc, argv, l, token);
	if (all) {
		fflush(stdout);
		int status = run_launcher(all, mark, ranks);

		json_object_array_sort(ranks, by_rank);
		say_all(d, ranks, l);
		say_end(d, ranks, argv[0], status, all[argc + (all[argc][0] == '-')]);
	}
	d->ranks = ranks;
	free(all);
}
