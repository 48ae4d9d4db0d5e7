/* shim/kernel/process.c - /proc/<pid>/stat and /proc/<pid>/task/<pid>/children. */
#include "shim/kernel/process.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* --- progress --- */

#define LOOK_NS 25000000ll
/* A fair part: a quarter. */
#define RUNNING_PART 4

int progress_goes_on(struct progress *p, int64_t waited_ns)
{
	struct process_tree t;
	struct process self;

	if (p->looks && waited_ns < p->looked_ns + LOOK_NS)
		return 1;
	if (!p->looks && process_read(&self, 0) == 0)
		p->nice = self.nice;
	if (!p->pid || process_tree(p->pid, p->nice, &t) < 0)
		return waited_ns < PROGRESS_PATIENCE_NS;
	/* A limit of its control group leaves a process without a processor, and "running". */
	if (!p->looks)
		p->apart = !process_shares(p->pid);
	p->running += p->apart ? t.used > p->used : t.runs;
	p->looked_ns = waited_ns;
	p->looks++;
	p->used = t.used;
	return !t.stopped &&
	       (waited_ns < PROGRESS_PATIENCE_NS || p->running * RUNNING_PART >= p->looks);
}

/* --- command --- */

char **command_environment(char *const envp[], struct arena *a)
{
	size_t n = 0, kept = 0;

	while (envp[n])
		n++;
	char **out = arena_alloc(a, (n + 1) * sizeof *out);
	for (size_t i = 0; out && i < n; i++)
		if (strncmp(envp[i], "LD_", 3) != 0 && strncmp(envp[i], "GLIBC_", 6) != 0)
			out[kept++] = envp[i];
	return out;
}

/* proc(5) counts its fields from 1. */
enum {
	FIELD_NAME = 2,
	FIELD_STATE = 3,
	FIELD_PARENT = 4,
	FIELD_USER_TIME = 14, /* and system time, and both of the children that have ended */
	FIELD_CHILDREN_TIME = 17,
	FIELD_NICE = 19,
	FIELD_START = 22
};

static int64_t number(const char *p)
{
	int64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	return v;
}

int process_read(struct process *p, pid_t pid)
{
	char path[32], text[1024];

	*p = (struct process){0};
	format_text(path, sizeof path, pid ? "/proc/%d/stat" : "/proc/self/stat", (int)pid);
	if (sys_read_text(path, text, sizeof text) < 0)
		return -1;
	p->pid = (pid_t)number(text);
	/* The name in parentheses may contain any character. */
	const char *at = strrchr(text, ')');
	for (int field = FIELD_NAME; at && field < FIELD_START; field++) {
		at = strchr(at + 1, ' ');
		if (at && field + 1 >= FIELD_USER_TIME && field + 1 <= FIELD_CHILDREN_TIME)
			p->used += number(at + 1);
		if (at && field + 1 == FIELD_STATE)
			p->state = at[1];
		if (at && field + 1 == FIELD_PARENT)
			p->parent = (pid_t)number(at + 1);
		if (at && field + 1 == FIELD_NICE)
			p->nice = at[1] == '-' ? -(int)number(at + 2) : (int)number(at + 1);
	}
	if (at)
		p->began = number(at + 1);
	return p->began ? 0 : -1;
}

int64_t thread_io(const char *line)
{
	char text[512];
	const char *at = sys_read_text("/proc/thread-self/io", text, sizeof text) < 0
		? NULL : strstr(text, line);

	return at ? number(at + strlen(line)) : -1;
}

/* Appends the children of a process to v, and returns how many v holds then. */
static int add_children(pid_t pid, pid_t *v, int count)
{
	char path[64], text[512];
	const char *p = text;

	format_text(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (sys_read_text(path, text, sizeof text) < 0)
		return count;
	while (*p >= '1' && *p <= '9' && count < PROCESS_TREE_MOST) {
		const char *end = strchr(p, ' ');

		if (!end) /* the last number may be cut */
			break;
		v[count++] = (pid_t)number(p);
		p = end + 1;
	}
	return count;
}

/* 1: both files have the same text, or cannot be read. */
static int same_text(const char *one, const char *other)
{
	char x[1024], y[1024];

	return sys_read_text(one, x, sizeof x) < 0 || sys_read_text(other, y, sizeof y) < 0 ||
	       strcmp(x, y) == 0;
}

int process_shares(pid_t pid)
{
	unsigned char ours[128] = {0}, theirs[sizeof ours] = {0};
	char path[32];

	SYS3(SYS_sched_getaffinity, 0, sizeof ours, ours);
	SYS3(SYS_sched_getaffinity, pid, sizeof theirs, theirs);
	format_text(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	return memcmp(ours, theirs, sizeof ours) == 0 &&
	       SYS1(SYS_sched_getscheduler, 0) == SYS1(SYS_sched_getscheduler, pid) &&
	       same_text("/proc/self/cgroup", path);
}

int process_tree(pid_t pid, int nice, struct process_tree *t)
{
	pid_t v[PROCESS_TREE_MOST] = {pid};
	struct process p;
	int count = 1;

	*t = (struct process_tree){0};
	for (int i = 0; i < count; i++) {
		if (process_read(&p, v[i]) < 0) {
			if (i == 0)
				return -1;
			continue; /* it has ended since */
		}
		t->runs |= p.state == 'R' && p.nice <= nice;
		t->stopped |= p.state == PROCESS_STOPPED;
		t->used += p.used;
		count = add_children(v[i], v, count);
	}
	return 0;
}
