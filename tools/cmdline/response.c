/* tools/cmdline/response.c - @files of gcc, clang, binutils and lld, and the option files of ptxas.
 *
 * libiberty's buildargv: words are split at white space; a backslash takes the next byte literally,
 * inside quotes too; ' and " group. clang (14) differs only in dropping empty words. ptxas (13.0):
 * as libiberty, but ' is an ordinary byte. An expanded file's own @files are expanded in turn,
 * relative to the cwd. If a file cannot be read, its argument stays, as in the tools. */
#include "tools/cmdline/response.h"

#include "shim/path.h"
#include "tools/driver.h"

#include "shim/banned.h"

#define RESPONSE_LEVELS_MAX 100 /* a file that names itself */
/* libiberty's limit; it also keeps two files that name each other finite */
#define RESPONSE_FILES_MAX 2000
#define RESPONSE_TOTAL_MAX (64u << 20) /* bytes of all text: a large file that names itself */
#define ARGS_FIRST 64

struct expansion {
	struct cmdline *c;
	enum argument_files files;
	const struct cmdline_reader *reader;
	struct arena *arena;
	size_t cap, bytes;
	int read; /* files so far */
};

static int add_argument(struct expansion *e, const char *text, int from_response)
{
	struct cmdline *c = e->c;
	struct cmdline_arg *v = NULL;

	if (c->count < ARGS_MAX)
		v = arena_grow(e->arena, c->v, (size_t)c->count, &e->cap, sizeof *v, ARGS_FIRST);
	if (!v)
		return -1;
	c->v = v;
	c->v[c->count++] =
		(struct cmdline_arg){.text = text, .role = ARG_PLAIN,
		                     .from_response = from_response};
	return 0;
}

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Cuts the next word off *s, unquoted, into out, which must have room for all of *s. Returns its
 * length, or -1 at the end. *quoted: quotes were seen, so that an empty word may be meant. */
static long next_word(const char **s, char *out, enum argument_files files, int *quoted)
{
	const char *p = *s;
	char quote = 0;
	long n = 0;

	while (is_space(*p))
		p++;
	*quoted = 0;
	if (!*p) {
		*s = p;
		return -1;
	}
	for (; *p && (quote || !is_space(*p)); p++) {
		if (*p == '\\' && p[1]) {
			out[n++] = *++p;
		} else if (*p == '\\') {
			/* A backslash at the very end: libiberty drops it, clang keeps it. */
			if (files == FILES_CLANG)
				out[n++] = *p;
		} else if (quote) {
			if (*p == quote)
				quote = 0;
			else
				out[n++] = *p;
		} else if (*p == '"' || (*p == '\'' && files != FILES_PTXAS)) {
			quote = *p;
			*quoted = 1;
		} else {
			out[n++] = *p;
		}
	}
	out[n] = '\0';
	*s = p;
	return n;
}

static int expand_one(struct expansion *e, const char *arg, int level, int from_response);

/* 1: expanded; 0: the file cannot be read; -1: no memory, or too many files. */
static int expand_file(struct expansion *e, const char *path, int level)
{
	size_t n = 0;
	const char *text;
	char *word;
	long len;
	int quoted;

	if (e->c->bypass != REASON_NONE)
		return 0;
	text = e->reader->read(e->reader->ctx, path, &n);
	if (!text)
		return 0;
	e->bytes += n;
	if (level >= RESPONSE_LEVELS_MAX || ++e->read > RESPONSE_FILES_MAX ||
	    e->bytes > RESPONSE_TOTAL_MAX) {
		e->c->bypass = REASON_BYPASS_ARGUMENTS;
		e->c->bypass_detail =
			"response files nest too deeply, or are too many or too large";
		return 0;
	}
	if (e->files == FILES_CLANG && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	/* Words follow each other. Each is shorter than its source text, at least by the
	 * delimiter. */
	word = arena_alloc(e->arena, strlen(text) + 2);
	if (!word)
		return -1;
	while ((len = next_word(&text, word, e->files, &quoted)) >= 0) {
		if (len == 0 && (e->files == FILES_CLANG || !quoted))
			continue;
		if (expand_one(e, word, level + 1, 1) < 0)
			return -1;
		word += len + 1;
	}
	return 1;
}

/* ptxas, nvcc and similar tools: the files named by --options-file or -optf, a comma list. */
static int expand_list(struct expansion *e, const char *list, int level)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		char *path = arena_memdup(e->arena, list, n);

		if (!path || (n && expand_file(e, path, level) < 0))
			return -1;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int expand_cuda(struct expansion *e, const char *arg, int level, int from_response)
{
	static const char *const names[] = {"--options-file", "-optf"};
	const struct cmdline_arg *before = e->c->count > 1 ? &e->c->v[e->c->count - 1] : NULL;
	const char *list = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i]);

		if (before && strcmp(before->text, names[i]) == 0)
			list = arg;
		else if (strncmp(arg, names[i], len) == 0 && arg[len] == '=')
			list = arg + len + 1;
	}
	if (add_argument(e, arg, from_response) < 0)
		return -1;
	return list ? expand_list(e, list, level) : 0;
}

static int expand_one(struct expansion *e, const char *arg, int level, int from_response)
{
	if (e->files == FILES_CUDA || e->files == FILES_PTXAS)
		return expand_cuda(e, arg, level, from_response);
	if (e->files != FILES_NONE && arg[0] == '@' && arg[1]) {
		int rc = expand_file(e, arg + 1, level);

		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	return add_argument(e, arg, from_response);
}

int cmdline_expand(struct cmdline *c, const struct tool_row *row, int argc, char *const argv[],
                   const struct cmdline_reader *reader, struct arena *a)
{
	struct expansion e = {c, driver_of(row)->files, reader, a, ARGS_FIRST, 0, 0};

	memset(c, 0, sizeof *c);
	c->v = arena_alloc(a, e.cap * sizeof *c->v);
	if (!c->v)
		return -1;
	for (int i = 0; i < argc && argv[i]; i++)
		if ((i == 0 ? add_argument(&e, argv[i], 0) : expand_one(&e, argv[i], 0, 0)) < 0)
			return -1;
	return 0;
}

/* Looks for flags in files from which compilers take flags. */

int specs_is_config(const char *path)
{
	return path_ends(path, ".cfg");
}

int specs_is(const char *path)
{
	return strcmp(path_base(path), "specs") == 0 || path_ends(path, ".specs") ||
	       path_ends(path, ".spec");
}

/* The output of gcc -dumpspecs, which some distributions put into a file, has "march=native" in
 * conditions. A flag begins with a minus. */
static int adds_native(const char *text, size_t n)
{
	static const char *const flags[] = {"-march=native", "-mtune=native", "-mcpu=native"};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (memmem(text, n, flags[i], strlen(flags[i])))
			return 1;
	return 0;
}

/* "%include <conda.specs>" is checked when it is read. A file with another name is not recognised
 * as specs. */
static int includes_unseen(const char *text, const char *end)
{
	static const char word[] = "%include";

	for (const char *p = text;
	     (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)) != NULL; p++) {
		const char *close = memchr(p, '>', (size_t)(end - p));
		char name[256];
		const char *opening = close ? memrchr(p, '<', (size_t)(close - p)) : NULL;

		if (!opening || (size_t)(close - opening) > sizeof name)
			return 1;
		memcpy(name, opening + 1, (size_t)(close - opening - 1));
		name[close - opening - 1] = '\0';
		if (!specs_is(name))
			return 1;
	}
	return 0;
}

int specs_config_adds(const char *text, size_t n)
{
	return memmem(text, n, "native", 6) || memchr(text, '@', n);
}

int specs_adds(const char *text, size_t n)
{
	return adds_native(text, n) || includes_unseen(text, text + n);
}
