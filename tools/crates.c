/* tools/crates.c - which names in a directory of -L matter to rustc.
 *
 * rustc reads the names in each directory of -L, and then opens the files that may be the crate
 * that it looks for: lib<crate>*.rlib, *.rmeta and *.so. Every crate that it used was opened
 * somewhere, so the opened files tell the crates. In a directory of -L dependency= rustc looks only
 * for crates that crates use. It knows their names up to the ending, and checks their hash. In a
 * directory of -L native= it looks for no crate. */
#include "tools/crates.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Ascending: what is looked for in a directory. */
enum search { SEARCH_NOT, SEARCH_NATIVE, SEARCH_DEPENDENCY, SEARCH_CRATE };

static int same_dir(const struct listed_dir *dir, const char *text)
{
	char path[PATH_SIZE];
	size_t n = 0, len = strlen(text);

	if (text[0] != '/') {
		n = strlen(dir->cwd);
		if (n + len + 2 >= sizeof path)
			return 0;
		memcpy(path, dir->cwd, n);
		path[n++] = '/';
	}
	if (n + len >= sizeof path)
		return 0;
	memcpy(path + n, text, len + 1);
	path_tidy(path);
	n = strlen(path);
	if (n > 2 && strcmp(path + n - 2, "/.") == 0)
		path[n - 2] = '\0';
	return strcmp(path, dir->path) == 0;
}

/* The argument's search in that directory. */
static enum search search_of(const struct cmdline_arg *arg, const struct listed_dir *dir)
{
	static const struct { char kind[16]; enum search search; } kinds[] = {
		{"dependency=", SEARCH_DEPENDENCY}, {"crate=", SEARCH_CRATE},
		{"native=", SEARCH_NATIVE}, {"framework=", SEARCH_NATIVE}, {"all=", SEARCH_CRATE}};
	const char *text = arg->text + (arg->is_value ? 0 : 2);

	if (!arg->option || strcmp(arg->option, "-L") != 0)
		return SEARCH_NOT;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t n = strlen(kinds[i].kind);

		if (strncmp(text, kinds[i].kind, n) == 0)
			return same_dir(dir, text + n) ? kinds[i].search : SEARCH_NOT;
	}
	return same_dir(dir, text) ? SEARCH_CRATE : SEARCH_NOT;
}

/* Length of a library's name without its ending; 0: it is none. */
static size_t library_stem(const char *base)
{
	static const char *const endings[] = {".rlib", ".rmeta", ".so"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (strncmp(base, "lib", 3) == 0 && path_ends(base, endings[i]))
			return strlen(base) - strlen(endings[i]);
	return 0;
}

int crates_prefix(const struct tool_row *row, const struct cmdline *c,
                  const struct listed_dir *dir, const char *file)
{
	enum search most = SEARCH_NOT;
	const char *base;
	size_t n = 0, stem;

	if (row->family != FAMILY_RUSTC)
		return -1;
	for (int i = 1; i < c->count; i++) {
		enum search search = search_of(&c->v[i], dir);

		most = search > most ? search : most;
	}
	if (most == SEARCH_NOT)
		return -1;
	if (!file || most == SEARCH_NATIVE)
		return 0;
	base = path_base(file);
	stem = library_stem(base);
	if (most == SEARCH_DEPENDENCY)
		return (int)stem;
	while (n < stem && ascii_word(base[n]))
		n++;
	return (int)n;
}

/* --extern name=path, with options before the name. */
static int is_extern(const struct cmdline_arg *arg, const char *cwd, const char *file)
{
	struct listed_dir whole = {file, cwd};
	const char *path = arg->option && strcmp(arg->option, "--extern") == 0
	                           ? strrchr(arg->text, '=') : NULL;

	return path && same_dir(&whole, path + 1);
}

/* A library of procedural macros, by --extern or in such a directory. */
int crates_run(const struct tool_row *row, const struct cmdline *c, const char *cwd,
               const char *file)
{
	char dir[PATH_SIZE];
	struct listed_dir listed = {dir, cwd};
	size_t n = path_dir_len(file);

	if (row->family != FAMILY_RUSTC || !path_ends(file, ".so") || n >= sizeof dir)
		return 0;
	for (int i = 1; i < c->count; i++)
		if (is_extern(&c->v[i], cwd, file))
			return 1;
	memcpy(dir, file, n);
	dir[n] = '\0';
	return crates_prefix(row, c, &listed, file) > 0;
}

int crates_replaced(const struct tool_row *row, const char *name, char other[LISTED_NAME_SIZE])
{
	size_t n = strlen(name);

	if (row->family != FAMILY_RUSTC || !path_ends(name, ".rlib") ||
	    n + 2 > LISTED_NAME_SIZE)
		return 0;
	memcpy(other, name, n - 4);
	memcpy(other + n - 4, "rmeta", 6);
	return 1;
}
