/* judge/tree_special.c - the kernel's own paths in a trace: devices, terminals, /proc and /sys. */
#include "judge/tree_special.h"

#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

/* Files about a process: its program, memory and limits are ignored. Its environment and
 * descriptors are not. cwd and root lead to ordinary files. */
static enum tree_special special_process(const char *name)
{
	static const char harmless[][12] = {
		"",       "auxv",      "cgroup", "cmdline", "comm",  "exe",    "limits",
		"maps", "mountinfo", "mounts", "smaps",   "stat", "statm", "status",
	};

	if (path_below(name, "cwd") || path_below(name, "root"))
		return ORDINARY;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strcmp(name, harmless[i]) == 0)
			return IGNORED;
	return SPECIAL_DEVICE;
}

int tree_special_tells(const char *path)
{
	/* libselinux asks for the first two in each start of cp, ls, sed and others; grep prepares
	 * for a full stack by the third. */
	static const char always[][24] = {"/proc/filesystems", "/proc/mounts", "/proc/self/maps"};

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		if (strcmp(path, always[i]) == 0)
			return 0;
	return path_below(path, "/proc") || path_below(path, "/sys");
}

int tree_special_descriptor(const char *path)
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

/* Kernel files. An ignored file cannot shape an output. */
enum tree_special tree_special(const char *path)
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
