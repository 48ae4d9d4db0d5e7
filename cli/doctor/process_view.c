/* cli/doctor/process_view.c - the probe that `reprise doctor -- LAUNCHER...` starts on each rank.
 *
 * The probe looks whether the object is in its own process. If it is, the probe compiles one small
 * file twice in a new directory, and reads the verdicts from a log of its own. It writes one line
 * to standard output: DOCTOR_PROBE_MARK, the token that it was given, and a JSON object. The line
 * is short enough that a pipe does not mix it with the lines of other ranks. The source holds a
 * number that no compile had before, so the first compile is always recorded; the remote store is
 * not used. */
#include "cli/doctor/doctor.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/remote.h"
#include "shim/settings/job.h"

/* --- doctor say --- */

#define TEXT_MAX 1024

void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...)
{
	static const char *const words[] = {"ok", "note", "mend"};
	char text[TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	d->mend += level == DOCTOR_MEND;
	if (d->checks) {
		struct json_object *o = json_object_new_object();

		json_text(o, "name", name);
		json_text(o, "level", words[level]);
		json_text(o, "text", text);
		if (remedy)
			json_text(o, "remedy", remedy);
		json_object_array_add(d->checks, o);
		return;
	}
	printf("%-5s %-10s ", words[level], name);
	cli_print_safe(stdout, text, strlen(text), TEXT_MAX);
	putchar('\n');
	if (remedy)
		printf("%-16s -> %s\n", "", remedy);
}

/* A publisher that works packs and sends within seconds. */
#define LATE_S 600

void doctor_waiting(struct doctor *d, struct store *s, const struct doctor_queue *q)
{
	const char *publisher = spool_publisher_busy(s) ? "a publisher is running"
	                                                : "no publisher is running";
	int64_t oldest;
	size_t count;

	if (q->pending(s, &count, &oldest) < 0)
		return;
	doctor_figure(d, q->figure, (double)count);
	if (count && oldest > LATE_S)
		doctor_say(d, DOCTOR_MEND, q->name,
		           "run `reprise publish --wait 5m`: it says what is wrong",
		           "%zu %s, the oldest for %lld s; %s", count, q->what, (long long)oldest,
		           publisher);
	else if (count || !q->silent)
		doctor_say(d, DOCTOR_OK, q->name, NULL, "%zu %s; %s", count, q->what, publisher);
	count = q->elsewhere(s);
	if (count)
		doctor_say(d, DOCTOR_NOTE, q->name,
		           "run `reprise publish` with the settings of those jobs", "%zu %s",
		           count, q->others);
}

void doctor_figure(struct doctor *d, const char *name, double value)
{
	char text[64];

	if (!d->figures)
		return;
	snprintf(text, sizeof text, "%.6g", value);
	json_object_object_add(d->figures, name, json_object_new_double_s(value, text));
}

#define LOG "log"
#define LOG_MAX 65536

extern char **environ;

static int is_ours(struct dl_phdr_info *info, size_t size, void *arg)
{
	char real[PATH_MAX];

	return info->dlpi_name && *info->dlpi_name && realpath(info->dlpi_name, real) &&
	       strcmp(path_base(real), "libreprise.so") == 0;
}

int doctor_is_preloaded(void)
{
	return dl_iterate_phdr(is_ours, NULL) != 0;
}

static const char *rank(void)
{
	/* Ranks that mpirun or torchrun starts inherit srun's variables from the daemon of their
	 * node, so those of srun come last. */
	static const char *const names[] = {
		"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "FLUX_TASK_RANK",
		"SLURM_PROCID",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return value;
	}
	return "";
}

struct json_object *doctor_describe(struct cli *c)
{
	struct json_object *o = json_object_new_object();
	struct fault fault = {0, ""};
	char host[256] = "", id[32];
	const char *variable, *remote, *list = getenv("LD_PRELOAD");
	struct store s;

	gethostname(host, sizeof host - 1);
	json_text(o, "host", host);
	json_text(o, "rank", rank());
	const struct passwd *user = getpwuid(geteuid());
	snprintf(id, sizeof id, "%ld", (long)geteuid());
	json_text(o, "user", user ? user->pw_name : id);
	json_text(o, "version", REPRISE_VERSION);
	int named = list && strstr(list, "reprise");
	json_text(o, "preload", doctor_is_preloaded() ? "yes" : named ? "named" : "no");
	int usable = cli_find_store(c, &s, &fault) == 0;
	json_text(o, "store", usable ? s.dir : "");
	json_text(o, "store_fault", usable ? "" : fault.text);
	remote = remote_use_address(&c->settings, c->envp, &c->arena, &fault);
	json_text(o, "remote", remote ? remote : "off: its settings are wrong");
	json_text(o, "job", settings_job(&c->settings, c->envp, &c->arena, &variable));
	json_text(o, "off", settings_disabled(c->envp) ||
	    setting_number(&c->settings, SETTING_FORCE_DISABLE) ? "yes" : "");
	return o;
}

/* Runs the first compiler on PATH that starts. Returns its exit status, -1 if there is none. */
static int compile(const char **compiler)
{
	static const char *const names[] = {"gcc", "cc", "clang", "g++"};
	int status;
	pid_t pid;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *argv[] = {(char *)names[i], "-c", "probe.c", "-o", "probe.o", NULL};

		if (posix_spawnp(&pid, names[i], NULL, NULL, argv, environ) != 0)
			continue;
		*compiler = names[i];
		if (waitpid(pid, &status, 0) != pid)
			return 128;
		/* On older systems posix_spawn does not report a failed exec: the child exits with
		 * 127. */
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			continue;
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	*compiler = "";
	return -1;
}

/* Takes the verdict of a compile from the log, with the reason if it was not stored, and removes
 * the log. "": the log has none. */
static void take_verdict(char *out, size_t cap)
{
	static const char *const words[] = {": hit", ": miss", ": unstored: ", ": bypass: "};
	static char text[LOG_MAX];
	FILE *f = fopen(LOG, "re");
	size_t got = f ? fread(text, 1, sizeof text - 1, f) : 0;

	*out = 0;
	if (f)
		fclose(f);
	unlink(LOG);
	text[got] = 0;
	for (char *next = text, *line; (line = strsep(&next, "\n"));)
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			const char *at = strstr(line, words[i]);
			/* A run that was not stored is logged as a miss first; the later line
			 * wins. */
			if (at)
				snprintf(out, cap, "%.*s",
				         i < 2 ? (int)strcspn(at + 2, ":") : INT_MAX, at + 2);
		}
}

static void try_twice(struct json_object *o)
{
	char place[PATH_MAX], log[PATH_MAX + sizeof LOG], text[96], first[200], second[200];
	const char *tmp = getenv("TMPDIR"), *compiler = "";
	struct timespec now;

	snprintf(place, sizeof place, "%s/reprise-doctor.XXXXXX",
	         tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(place) || chdir(place) < 0) {
		json_text(o, "compiler", "");
		json_text(o, "fault", "no directory below $TMPDIR or /tmp can be made");
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(text, sizeof text, "unsigned long long probe = %llu%09luull + %ld;\n",
	         (unsigned long long)now.tv_sec % 1000000000, (unsigned long)now.tv_nsec,
	         (long)getpid());
	FILE *f = fopen("probe.c", "we");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
	snprintf(log, sizeof log, "%s/" LOG, place);
	setenv("REPRISE_LOG", log, 1);
	setenv("REPRISE_LOG_LEVEL", "info", 1);
	setenv("REPRISE_REMOTE", "0", 1);
	/* gcc looks for its passes in the directories of PATH. */
	setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0);
	int status = compile(&compiler);
	take_verdict(first, sizeof first);
	if (status == 0)
		status = compile(&compiler);
	take_verdict(second, sizeof second);
	json_text(o, "compiler", compiler);
	json_object_object_add(o, "status", json_object_new_int(status));
	json_text(o, "first", first);
	json_text(o, "second", second);
	unlink("probe.c");
	unlink("probe.o");
	if (chdir("/") == 0)
		rmdir(place);
}

int doctor_probe(struct cli *c, const char *token)
{
	struct json_object *o = doctor_describe(c);
	char *line;

	if (doctor_is_preloaded())
		try_twice(o);
	int n = asprintf(&line, "%s%s %s\n", DOCTOR_PROBE_MARK, token,
	                 json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
	                                                JSON_C_TO_STRING_NOSLASHESCAPE));
	ssize_t done = n > 0 ? write(STDOUT_FILENO, line, (size_t)n) : -1;
	json_object_put(o);
	return done == n ? CLI_OK : CLI_FINDING;
}
