/* trace/kernel.c - what may be done with the kernel's own paths, and by which programs. */
#include "trace/kernel.h"

#include <errno.h>

#include "shim/list.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "tools/chance.h"
#include "tools/cmdline/jobserver.h"
#include "tools/script/script.h"
#include "trace/processes.h"

#include "shim/banned.h"

/* An ordinary file, an ignored kernel file, a terminal or device, or a source of random bytes. An
 * ignored file cannot shape an output. A tree may look at a terminal or device, but may neither
 * open nor run it. */
enum tree_special { ORDINARY, IGNORED, SPECIAL_TERMINAL, SPECIAL_DEVICE, SPECIAL_RANDOM };

/* Files about a process: its program, memory and limits are ignored. Its environment and
 * descriptors are not. cwd and root lead to ordinary files. */
static enum tree_special special_process(const char *name)
{
	static const char harmless[] =
		"auxv\0cgroup\0cmdline\0comm\0exe\0limits\0maps\0mountinfo\0mounts\0smaps\0stat\0"
		"statm\0status\0";

	if (path_below(name, "cwd") || path_below(name, "root"))
		return ORDINARY;
	return !*name || list_has(harmless, name) ? IGNORED : SPECIAL_DEVICE;
}

/* A file that tells of the processes or the machine even where a trace ignores it. */
static int tells(const char *path)
{
	/* libselinux asks for the first two in each start of cp, ls, sed and others; grep prepares
	 * for a full stack by the third. */
	static const char always[] = "/proc/filesystems\0/proc/mounts\0/proc/self/maps\0";

	return !list_has(always, path) && (path_below(path, "/proc") || path_below(path, "/sys"));
}

/* The path names an open descriptor of the process that asks, or the list of them. */
static int is_descriptor(const char *path)
{
	static const char proc[] = "/proc/", task[] = "/task";

	if (path_below(path, "/dev/fd") || path_below(path, "/dev/stdin") ||
	    path_below(path, "/dev/stdout") || path_below(path, "/dev/stderr"))
		return 1;
	if (strncmp(path, proc, sizeof proc - 1) != 0)
		return 0;
	path += sizeof proc - 1;
	path += strcspn(path, "/");
	if (path_below(path, task)) {
		path += sizeof task - 1;
		path += *path == '/';
		path += strcspn(path, "/");
	}
	return path_below(path, "/fd") || path_below(path, "/fdinfo");
}

/* The path behind the directory of this process below /proc, by its number, or NULL. nvdisasm 13.5
 * asks so for its own program. */
static const char *below_own(const char *path, uint32_t pid)
{
	static const char proc[] = "/proc/";
	uint32_t number = 0;

	if (strncmp(path, proc, sizeof proc - 1) != 0)
		return NULL;
	for (path += sizeof proc - 1; *path >= '0' && *path <= '9'; path++)
		number = number * 10 + (uint32_t)(*path - '0');
	return number == pid && *path == '/' ? path + 1 : NULL;
}

/* The kind of a path, of which this process asks. Pure. */
static enum tree_special kind_of(const char *path, uint32_t pid)
{
	static const char harmless[][40] = {
		"/dev/null", "/dev/zero", "/proc/meminfo",
		"/proc/cpuinfo", /* read for the number of threads to start */
		"/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/ngroups_max",
		"/proc/filesystems", "/proc/mounts", "/proc/stat", "/sys/devices/system/cpu",
		"/sys/kernel/mm/transparent_hugepage",
	};
	static const char processes[][20] = {"/proc/self", "/proc/thread-self"};

	if (path[0] != '/' || (strncmp(path, "/dev", 4) && strncmp(path, "/proc", 5) &&
	                       strncmp(path, "/sys", 4)))
		return ORDINARY;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (path_below(path, harmless[i]))
			return IGNORED;
	for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
		const char *rest = path + strlen(processes[i]);

		if (path_below(path, processes[i]))
			return special_process(*rest == '/' ? rest + 1 : rest);
	}
	if (below_own(path, pid))
		return special_process(below_own(path, pid));
	if (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0)
		return SPECIAL_RANDOM;
	if (strcmp(path, "/dev/tty") == 0 || path_below(path, "/dev/pts"))
		return SPECIAL_TERMINAL;
	if (path_below(path, "/dev/shm"))
		return ORDINARY;
	return path_below(path, "/dev") || path_below(path, "/proc") || path_below(path, "/sys")
	               ? SPECIAL_DEVICE
	               : ORDINARY;
}

/* These errors come from a file's type, its permissions or the kind of request, so they return each
 * time. The next run may not meet other errors: too many descriptors, memory, a failing disk or
 * server, a signal. ELOOP is not here, since each link of the loop would have to be an input. A
 * name that is too long is not here, since its limit depends on the file system. */
static const unsigned char of_file[] = {
	EACCES, EPERM, EROFS,              /* permissions */
	EISDIR, EEXIST, ENOTEMPTY, EINVAL, /* its type: readlink of no link, mkdir of a file */
	EXDEV, EOPNOTSUPP, ENOSYS, ENODATA, ENOEXEC /* the caller uses another way */
};
_Static_assert(EOPNOTSUPP < 256, "errors fit");

/* 1: the error comes from the moment or the machine, and no input could hold it. */
static int is_of_machine(unsigned error, enum tree_special special)
{
	/* /dev/tty without a terminal, an operation that a kernel file lacks */
	if (special != ORDINARY)
		return error == EMFILE || error == ENFILE || error == ENOMEM;
	if (error == ENOENT || error == ENOTDIR)
		return 0;
	for (size_t i = 0; i < sizeof of_file; i++)
		if (of_file[i] == error)
			return 0;
	return 1;
}

/* A shell may pass on what it reads. */
static int reads_for_script(const struct tree_process *p, const struct event *e)
{
	return p && !p->declared && e->op == TRACE_READ && tells(e->a) &&
	       p->language != SCRIPT_NONE;
}

/* 1: the question is about a descriptor of the process, which the next start may lack. LLVM asks
 * whether the list is there, and for the name of a file that it has opened. */
static int asks_descriptor(const struct tree_process *p, const struct event *e)
{
	static const char list[] = "/proc/self/fd";

	if (!is_descriptor(e->a))
		return 0;
	if (p && p->language == SCRIPT_NONE && strcmp(e->a, list) == 0 && e->op != TRACE_LIST)
		return 0;
	return !(p && tool_known(p->program) && e->op == TRACE_READLINK);
}

/* bash opens the terminal when it starts. */
static int tries_terminal(const struct tree_process *p, const struct event *e)
{
	return p && script_tries_terminal(p->program) &&
	       (e->op == TRACE_UPDATE || e->op == TRACE_FAILED) &&
	       !(e->flags & (TRACE_FLAG_KEEPS | TRACE_FLAG_READING));
}

/* What the result of a declared wrapper does not depend on. Python, for example, lists the
 * descriptors to close them, and Open MPI's mpicc asks for the network's addresses. */
static int is_not_used(const struct tree_process *p, const struct event *e)
{
	return p && p->declared &&
	       (strcmp(e->a, "/proc/self/fd") == 0 || path_below(e->a, "/proc/net"));
}

/* What may be done with a terminal or device: 1, and nothing depends on it; 0: it is a question as
 * one to any path; -1: nothing is stored. */
static int special_use(const struct tree_process *p, const struct event *e,
                       enum tree_special special)
{
	if (is_not_used(p, e))
		return 1;
	if (asks_descriptor(p, e))
		return -1;
	if (special == SPECIAL_TERMINAL && tries_terminal(p, e))
		return 1;
	switch (e->op) {
	case TRACE_STAT:
	case TRACE_PRESENT:
	case TRACE_ABSENT:
	case TRACE_READLINK:
	case TRACE_REALPATH:
		return is_descriptor(e->a);
	case TRACE_FAILED: /* a question for permissions, or an open. rustc tries the terminal. */
		if (e->arg & TRACE_ASKED_ANY)
			return 0;
		return p && tool_known(p->program) && !(e->flags & TRACE_FLAG_READING) ? 1 : -1;
	default:
		return -1;
	}
}

int tree_kernel_event(struct tree *t, const struct event *e)
{
	enum tree_special special = kind_of(e->a, e->pid);
	const struct tree_process *p;
	int use;

	if ((e->op == TRACE_FAILED || e->op == TRACE_EXEC_FAILED) &&
	    is_of_machine(e->arg & TRACE_LOWER_HALF, special)) {
		tree_refuse(t, REASON_UNSTORED_SYSTEM, tree_copy(t, e->a));
		return 1;
	}
	if (t->jobserver && jobserver_is(t->jobserver, e->a)) {
		t->jobserver_left &= e->op != TRACE_UNLINK;
		return 1;
	}
	p = special == ORDINARY ? NULL : tree_process_of(t, e->pid);
	if (special != ORDINARY && reads_for_script(p, e))
		tree_refuse(t, REASON_UNSTORED_SCRIPT, tree_copy(t, e->a));
	if (special == IGNORED)
		return 1;
	if (special == SPECIAL_RANDOM) {
		if (e->op == TRACE_READ)
			tree_chance(t, e->pid, CHANCE_OPENED, CHANCE_DEVICE, "");
		else if (e->op == TRACE_UPDATE)
			tree_chance(t, e->pid, CHANCE_RANDOM, CHANCE_DEVICE, "");
		return 1;
	}
	if (special != SPECIAL_TERMINAL && special != SPECIAL_DEVICE)
		return 0;
	use = special_use(p, e, special);
	if (use < 0)
		tree_refuse(t, special == SPECIAL_TERMINAL ? REASON_UNSTORED_TERMINAL
		                                           : REASON_UNSTORED_DEVICE,
		            tree_copy(t, e->a));
	return use != 0;
}

/* Errors that come from a file, and errors that come from the machine. */

int tree_denies(unsigned error)
{
	return error == EACCES || error == EPERM || error == EROFS;
}
