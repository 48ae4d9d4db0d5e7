/* cli/find_library.c - finds libreprise.so.
 *
 *   <dir of reprise>/libreprise.so                    the build tree
 *   <dir of reprise>/../lib/reprise/libreprise.so     an installed prefix
 *
 * ld.so splits LD_PRELOAD at spaces and colons and expands '$', and has no quotes: a path with one
 * of these characters cannot be preloaded. The real path is tried first, because it stays valid
 * when links change. If it cannot be preloaded, the path by which this program was called is tried:
 * a link can give a plain name. */
#include "cli/find_library.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cli/cli.h"

static int can_be_preloaded(const char *path)
{
	return !strpbrk(path, " :$");
}

/* Finds the library beside or below the program's directory. 0 or -1. */
static int beside(char *out, size_t cap, const char *program)
{
	static const char *const places[] = {"libreprise.so", "../lib/reprise/libreprise.so", NULL};
	const char *slash = strrchr(program, '/');

	for (int i = 0; slash && places[i]; i++) {
		int n = snprintf(out, cap, "%.*s/%s", (int)(slash - program), program, places[i]);
		if (n > 0 && (size_t)n < cap && access(out, R_OK) == 0)
			return 0;
	}
	return -1;
}

/* The absolute path that was given to execve, links included. 0 or -1. */
static int called_as(char out[PATH_MAX])
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	char cwd[PATH_MAX];
	int n;

	if (!name || !strchr(name, '/'))
		return -1;
	if (*name == '/')
		n = snprintf(out, PATH_MAX, "%s", name);
	else
		n = getcwd(cwd, sizeof cwd) ? snprintf(out, PATH_MAX, "%s/%s", cwd, name) : -1;
	return n > 0 && n < PATH_MAX ? 0 : -1;
}

int cli_find_library(char *out, size_t cap, const char *who)
{
	char program[PATH_MAX], found[PATH_MAX], resolved[PATH_MAX] = "", linked[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

	if (n > 0) {
		program[n] = 0;
		if (beside(found, sizeof found, program) == 0 && realpath(found, resolved) &&
		    can_be_preloaded(resolved) && strlen(resolved) < cap) {
			strcpy(out, resolved);
			return 0;
		}
	}
	if (called_as(program) == 0 && beside(linked, sizeof linked, program) == 0) {
		if (can_be_preloaded(linked) && strlen(linked) < cap) {
			strcpy(out, linked);
			return 0;
		}
		if (!*resolved && !realpath(linked, resolved))
			strcpy(resolved, linked);
	}
	if (!who)
		return -1;
	if (!*resolved) {
		fprintf(stderr, "%s: libreprise.so is neither beside this program nor in "
		        "../lib/reprise of its directory\n", who);
		return -1;
	}
	fprintf(stderr, "%s: %s: LD_PRELOAD cannot hold a path with a space, ':' or '$'.\n"
	        "Make a link to its directory tree under a plain name, for instance\n"
	        "    ln -s '<the tree>' /opt/reprise\n"
	        "and call reprise or reprise-run through that link.\n", who, resolved);
	return -1;
}
