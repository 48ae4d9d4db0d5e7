/* cli/report/job_line.c - the line at the end of a job. */
#include "cli/report/report.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/explain/explain.h"
#include "shim/kernel/process.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/settings/job.h"
#include "tools/tool.h"

/* Processes between a job and the `reprise run` that it is part of. */
#define PARENTS_MAX 64
/* Of the command, in the line. */
#define COMMAND_SHOWN 60

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Of process pid: its parent's pid, or 0. */
static int parent_of(int pid)
{
	struct process p;

	process_read(&p, pid);
	return p.parent;
}

/* The base name of a process's program; "": it is not known. */
static const char *program_of(int pid, char exe[PATH_SIZE])
{
	cli_program_of(pid, exe);
	return path_base(exe);
}

/* 1: the process is `reprise run`. */
static int is_run(int pid)
{
	char path[64], exe[PATH_SIZE], words[PATH_SIZE];
	ssize_t got, n;

	if (strcmp(program_of(pid, exe), "reprise") != 0)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	got = sys_read_text(path, words, sizeof words);
	n = (ssize_t)strlen(words) + 1;
	return n < got && strcmp(words + n, "run") == 0;
}

int job_line_is_part(struct cli *c, const char *job)
{
	const char *given = env_get(c->envp, "REPRISE_JOB");
	int pid = getppid();

	if (!given || (job && strcmp(job, given) != 0))
		return 0;
	for (int i = 0; i < PARENTS_MAX && pid > 1; i++, pid = parent_of(pid))
		if (is_run(pid))
			return 1;
	return 0;
}

int job_line_speaks(struct cli *c, const char *job)
{
	struct rank r;

	rank_read(&r, c->envp);
	if (r.known > 0 && (r.local_name ? r.local_rank : r.rank) != 0)
		return 0;
	return !job_line_is_part(c, job);
}

int job_line_below_build(struct cli *c, const char *command)
{
	static const char builds[] = "make\0gmake\0ninja\0ninja-build\0samu\0cmake\0ctest\0";
	static const char shells[] = "sh\0dash\0bash\0busybox\0";
	const char *tools = setting_text(&c->settings, SETTING_TOOLS);
	char exe[PATH_SIZE];
	int pid = getppid();

	if (!tool_find(path_base(command), tools))
		return 0;
	if (list_has(shells, program_of(pid, exe)))
		pid = parent_of(pid);
	return list_has(builds, program_of(pid, exe));
}

/* 1: some tool, compile or unit has left an event. */
static int has_seen(void *ctx)
{
	const struct job_line *l = ctx;

	for (int i = 0; l->now && i < EVENT_TRANSFER * EVENT_VERDICTS; i++)
		if (__atomic_load_n(&l->now->count[i], __ATOMIC_RELAXED) != l->before.count[i])
			return 1;
	return 0;
}

void job_line_begin(struct job_line *l, struct cli *c, char *const argv[], int quiet)
{
	struct fault ignored;
	struct store s;

	memset(l, 0, sizeof *l);
	l->argv = argv;
	l->quiet = quiet;
	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE) ||
	    !setting_number(&c->settings, SETTING_EVENTS) || cli_find_store(c, &s, &ignored) < 0)
		return;
	/* cli/run/launch.c has set it. */
	l->job = getenv("REPRISE_JOB");
	l->since = now_ns();
	l->now = l->job ? job_counts_of(&s, l->job, 1) : NULL;
	if (l->now)
		l->before = *l->now;
	if (l->now && !quiet)
		unseen_begin(&l->unseen, c, argv[0], has_seen, l);
}

int job_line_look(struct job_line *l, pid_t pid)
{
	unseen_look(&l->unseen, pid);
	return l->unseen.wait_ms;
}

/* What this run of the job did. Other nodes and earlier boots may have left events of the same name
 * in the store, which the sums that were read include. */
static void since(struct events *e, const struct job_line *l)
{
	size_t first = 0;

	while (first < e->count && e->v[first].start + e->v[first].duration < l->since)
		first++;
	e->v += first;
	e->count -= first;
	memset(&e->sums, 0, sizeof e->sums);
	if (!l->now || l->now->id != l->before.id)
		return; /* the events count */
	e->sums = *l->now;
	e->sums.dropped -= l->before.dropped;
	e->sums.spent -= l->before.spent;
	e->sums.waited -= l->before.waited;
	e->sums.worth -= l->before.worth;
	for (int i = 0; i < EVENT_KINDS * EVENT_VERDICTS; i++)
		e->sums.count[i] -= l->before.count[i];
}

static const char *remote_name(const struct cli *c, char out[16])
{
	const char *urls = setting_text(&c->settings, SETTING_REMOTE_URL),
	           *url = *urls ? urls : setting_text(&c->settings, SETTING_REDIS_URL);
	size_t n = strchr(urls, ' ') ? 0 : strcspn(url, ":+");

	snprintf(out, 16, "%.*s", n && n < 15 ? (int)n : 6, n && n < 15 ? url : "remote");
	return out;
}

static void print_share(const char *what, uint64_t part, uint64_t all, const char *before)
{
	if (all)
		fprintf(stderr, "%s%llu of %llu %ss", before, (unsigned long long)part,
		        (unsigned long long)all, what);
}

static void print_seconds(int64_t ns, const char *before, const char *after)
{
	double s = (double)ns / 1e9;

	fprintf(stderr, s < 10 ? "%s%.1f s %s" : "%s%.0f s %s", before, s, after);
}

/* Wall time, and the work that was not done: where work ran side by side, it is more. */
static void print_saved(const struct figures *f)
{
	int lost = f->saved < 0;

	print_seconds(lost ? -f->saved : f->saved, ", ", lost ? "lost" : "saved");
	if (f->worth > 0)
		print_seconds(f->worth, " (", "of compile work not done)");
}

/* The job's command, as one line. */
static void command_of(char *out, size_t size, char *const *argv)
{
	size_t at = 0;

	*out = '\0';
	for (; *argv && at + 1 < size; argv++) {
		int n = snprintf(out + at, size - at, "%s%s", at ? " " : "",
		                 at ? *argv : path_base(*argv));

		at += n > 0 ? (size_t)n : 0;
	}
	if (at >= size)
		strcpy(out + size - sizeof " ...", " ...");
}

/* What a job does that was not run before is no fault. */
static int is_expected(const char *reason)
{
	static const enum reason expected[] = {REASON_MISS_NEW, REASON_MISS_FIRST,
	                                       REASON_MISS_UNIT, REASON_MISS_RECACHE};

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		if (strcmp(reason_rows[expected[i]].name, reason) == 0)
			return 1;
	return 0;
}

/* The group whose starts took longest. */
static const char *worst_reason(const struct events *e, uint64_t *count, struct arena *a)
{
	const struct figures *worst = NULL;
	struct figures *v;
	size_t n = figures_by(&v, e, BY_REASON, a);

	for (size_t i = 0; i < n; i++)
		if (!is_expected(v[i].name) && (!worst || v[i].took > worst->took))
			worst = &v[i];
	if (!worst)
		return NULL;
	*count = figures_events(worst);
	return worst->name;
}

/* For `reprise jobs` and the page. */
static void add_command(const struct job_line *l, struct cli *c, struct store *s)
{
	char command[sizeof((struct event_texts *)0)->command];
	struct event e = {.kind = EVENT_JOB, .start = l->since, .duration = now_ns() - l->since,
	                  .pid = getpid(), .rank = EVENT_NO_RANK, .command = command,
	                  .detail = l->job};
	struct rank r;

	rank_read(&r, c->envp);
	if (r.known > 0)
		e.rank = (int)r.rank;
	command_of(command, sizeof command, l->argv);
	events_add(s, l->job, &e, 0);
}

static void print_figures(const struct job_line *l, struct cli *c, const struct figures *f)
{
	char size[CLI_SIZE_TEXT], remote[16], command[COMMAND_SHOWN];
	uint64_t compiles = figures_compiles(f), units = figures_units_wanted(f);

	if (!compiles && !units)
		return;
	fputs("reprise: ", stderr);
	print_share("compile", figures_hits(f), compiles, "");
	print_share("unit", figures_units(f), units, compiles ? " and " : "");
	fputs(" replayed", stderr);
	print_saved(f);
	if (f->received.bytes)
		fprintf(stderr, "; %s from %s", cli_size(size, f->received.bytes),
		        remote_name(c, remote));
	if (f->sent.bytes)
		fprintf(stderr, "%s %s to %s", f->received.bytes ? "," : ";",
		        cli_size(size, f->sent.bytes), remote_name(c, remote));
	command_of(command, sizeof command, l->argv);
	fputs(": ", stderr);
	cli_print_safe(stderr, command, strlen(command), sizeof command);
	fputc('\n', stderr);
}

static void print_unseen(const struct unseen *u)
{
	const char *test = u->kind == UNSEEN_TOOL ? "LAUNCHER" : u->program;

	fputs("reprise: no compiler was seen: reprise doctor -- ", stderr);
	cli_print_safe(stderr, test, strlen(test), COMMAND_SHOWN);
	if (u->kind != UNSEEN_LAUNCHER) {
		fputs(" (", stderr);
		cli_print_safe(stderr, u->program, strlen(u->program), COMMAND_SHOWN);
		fputs(" ran without libreprise.so)", stderr);
	}
	fputc('\n', stderr);
}

void job_line_end(const struct job_line *l, struct cli *c)
{
	const char *worst, *text;
	uint64_t count = 0;
	struct events e;
	struct figures f;
	struct fault ignored;
	struct store s;

	if (!l->job || cli_find_store(c, &s, &ignored) < 0)
		return;
	if (events_read(&e, &s, l->job, &c->arena) < 0)
		memset(&e, 0, sizeof e);
	else
		since(&e, l);
	figures_of(&f, &e, &c->arena);
	if (figures_events(&f))
		add_command(l, c, &s);
	if (l->quiet)
		return;
	if (!figures_events(&f) && *l->unseen.program)
		print_unseen(&l->unseen);
	print_figures(l, c, &f);
	worst = worst_reason(&e, &count, &c->arena);
	text = worst ? reason_text(worst) : NULL;
	if (worst)
		fprintf(stderr, "reprise: %llu %s: %s: `reprise explain --job %s`\n",
		        (unsigned long long)count, count == 1 ? "was not" : "were not",
		        text ? text : worst, l->job);
}
