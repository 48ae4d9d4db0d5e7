/* cli/run/preload.c - reads preload lists and the versions of objects. */
#include "cli/run/run.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- program --- */

const char *program_unserved(const char *path)
{
	union {
		Elf64_Ehdr h;
		unsigned char b[4096];
	} head;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC), interpreter = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		n = -1;
	else
		n = pread(fd, &head, sizeof head, 0);
	if (fd >= 0)
		close(fd);
	if (n < 4)
		return "it cannot be read";
	if (memcmp(head.b, "#!", 2) == 0)
		return PROGRAM_IS_SCRIPT;
	if (memcmp(head.b, ELFMAG, SELFMAG) != 0 || (size_t)n < sizeof head.h)
		return "not a program of this system";
	if (head.h.e_ident[EI_CLASS] != ELFCLASS64)
		return "a 32-bit program";
	if ((st.st_mode & (S_ISUID | S_ISGID)) ||
	    getxattr(path, "security.capability", NULL, 0) > 0)
		return "set-user-id or with capabilities: the loader ignores LD_PRELOAD";
	for (unsigned i = 0; i < head.h.e_phnum; i++) {
		size_t at = head.h.e_phoff + (size_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr p;

		if (at + sizeof p > (size_t)n)
			return NULL; /* an unusual layout: assume that it is served */
		memcpy(&p, head.b + at, sizeof p);
		interpreter |= p.p_type == PT_INTERP;
	}
	return interpreter ? NULL : "statically linked: nothing can be preloaded into it";
}

/* Finds libreprise.so.
 *
 *   <dir of reprise>/libreprise.so                    the build tree
 *   <dir of reprise>/../lib/reprise/libreprise.so     an installed prefix
 *
 * ld.so splits LD_PRELOAD at spaces and colons and expands '$', and has no quotes: a path with one
 * of these characters cannot be preloaded. The real path is tried first, because it stays valid
 * when links change. If it cannot be preloaded, the path by which this program was called is tried:
 * a link can give a plain name. */

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

/* shim/loader/object.c keeps the version behind this text. */
#define VERSION_MARK "reprise-object "
/* More builds than these are not named. */
#define BUILDS_MAX 4

struct builds {
	struct {
		char path[PATH_MAX], version[PRELOAD_VERSION];
		struct stat file;
	} v[BUILDS_MAX];
	int count;
};

static void add_build(struct builds *b, const char *path)
{
	char resolved[PATH_MAX];
	struct stat st;

	if (b->count == BUILDS_MAX || !realpath(path, resolved) || stat(resolved, &st) < 0)
		return;
	/* Of two names of one file the loader loads one. */
	for (int i = 0; i < b->count; i++)
		if (b->v[i].file.st_ino == st.st_ino && b->v[i].file.st_dev == st.st_dev)
			return;
	if (preload_version(resolved, b->v[b->count].version) < 0)
		return;
	b->v[b->count].file = st;
	strcpy(b->v[b->count++].path, resolved);
}

/* Names without a directory are the loader's to find: such an entry is not ours to read. */
static void add_list(struct builds *b, const char *list)
{
	char entry[PATH_MAX];

	while (*list) {
		size_t n = strcspn(list, " :\n\t");

		if (n && n < sizeof entry && memchr(list, '/', n)) {
			memcpy(entry, list, n);
			entry[n] = 0;
			add_build(b, entry);
		}
		list += n + (list[n] != 0);
	}
}

static void add_system(struct builds *b)
{
	FILE *f = fopen("/etc/ld.so.preload", "re");
	char list[8192];
	size_t n = f ? fread(list, 1, sizeof list - 1, f) : 0;

	list[n] = 0;
	if (f)
		fclose(f);
	add_list(b, list);
}

int preload_version(const char *library, char out[PRELOAD_VERSION])
{
	FILE *f = fopen(library, "re");
	char *bytes = NULL, *mark;
	size_t n = 0;
	struct stat st;

	if (!f)
		return -1;
	if (fstat(fileno(f), &st) == 0 && st.st_size > 0 && st.st_size < 64 << 20)
		bytes = malloc((size_t)st.st_size);
	if (bytes)
		n = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	/* The mark that is found is the object's: the copy in this program is in another file. */
	mark = n ? memmem(bytes, n, VERSION_MARK, strlen(VERSION_MARK)) : NULL;
	if (mark) {
		size_t at = (size_t)(mark - bytes) + strlen(VERSION_MARK),
		       len = strnlen(bytes + at, n - at);
		snprintf(out, PRELOAD_VERSION, "%.*s", (int)len, bytes + at);
	}
	free(bytes);
	return mark ? 0 : -1;
}

char *preload_several(const char *ours)
{
	struct builds *b = calloc(1, sizeof *b);
	const char *list = getenv("LD_PRELOAD");
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	if (!b)
		return NULL;
	add_list(b, list ? list : "");
	add_build(b, ours);
	add_system(b);
	to = b->count > 1 ? open_memstream(&text, &size) : NULL;
	for (int i = 0; to && i < b->count; i++)
		fprintf(to, i == 0 ? "several builds of Reprise are preloaded: %s (version %s) "
		                     "serves"
		                   : ", %s (version %s) steps back",
		        b->v[i].path, b->v[i].version);
	free(b);
	if (!to)
		return NULL;
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
