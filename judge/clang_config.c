/* judge/clang_config.c - files by which compilers add to their own command line: clang's configuration files, and gcc's specs, which it finds
 * by itself beside its libraries and along LIBRARY_PATH.
 *
 * They are inputs like any other. But the key took the command line for the whole: two things that a flag may change are what a
 * result is bound to, the working directory (-g) and the processor (-march=native). */
#include "judge/clang_config.h"

#include <string.h>

#include "judge/collect.h"
#include "judge/start.h"
#include "judge/tree_file.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

#define CONFIG_MOST (1u << 20)

static int is_specs(const char *path)
{
	return strcmp(path_base(path), "specs") == 0 || path_ends(path, ".specs") || path_ends(path, ".spec");
}

/* What gcc prints with -dumpspecs, and some distributions put into a file, speaks of "march=native" in conditions; a flag begins
 * with a minus. */
static int adds_native(const char *text, size_t n)
{
	static const char *const flags[] = {"-march=native", "-mtune=native", "-mcpu=native"};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (memmem(text, n, flags[i], strlen(flags[i])))
			return 1;
	return 0;
}

/* "%include <conda.specs>" is looked at when it is read; by another name it is not known for one. */
static int includes_unseen(const char *text, const char *end)
{
	static const char word[] = "%include";

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)) != NULL; p++) {
		const char *close = memchr(p, '>', (size_t)(end - p));
		char name[256];
		const char *opening = close ? memrchr(p, '<', (size_t)(close - p)) : NULL;

		if (!opening || (size_t)(close - opening) > sizeof name)
			return 1;
		memcpy(name, opening + 1, (size_t)(close - opening - 1));
		name[close - opening - 1] = '\0';
		if (!is_specs(name))
			return 1;
	}
	return 0;
}

void collect_config(struct collect *k, const struct tree_file *f)
{
	int config = (k->a->cmd.flags & CMD_CONFIG || start_nests(k->a)) && path_ends(f->path, ".cfg");
	struct statx st;
	char *text = NULL;
	ssize_t n = -1;
	int fd;

	if (!config && !is_specs(f->path))
		return;
	k->bound = 1;
	fd = sys_open(f->path, O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0 && sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) == 0 && st.stx_size <= CONFIG_MOST)
		text = arena_alloc(&k->a->arena, st.stx_size + 1);
	if (text)
		n = sys_read_all(fd, text, st.stx_size);
	if (fd >= 0)
		sys_close(fd);
	if (n < 0 || (config ? memmem(text, (size_t)n, "native", 6) || memchr(text, '@', (size_t)n)
	                     : adds_native(text, (size_t)n) || includes_unseen(text, text + n)))
		collect_refuse(k, REASON_UNSTORED_OUTPUT, f->path);
}
