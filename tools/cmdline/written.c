/* tools/cmdline/written.c - every argument that may be a path is a token; the path in question is
 * compared with each. */
#include "tools/cmdline/written.h"

#include "shim/ascii.h"
#include "shim/list.h"
#include "shim/path.h"
#include "shim/settings/settings.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"
#include "tools/drivers/drivers.h"

#include "shim/banned.h"

/* Endings of files that tools put beside a named file, and when. The first rows are the outputs
 * that the command is run for. */
enum { WHEN_ALWAYS, WHEN_ASSEMBLY, WHEN_BITCODE, WHEN_COVERAGE, WHEN_DUMP, WHEN_PCH };
static const struct {
	char ending[12];
	int when;
} beside_rows[] = {
	{".o", WHEN_ALWAYS}, {".s", WHEN_ASSEMBLY}, {".bc", WHEN_BITCODE},
	{".ll", WHEN_BITCODE}, {".gch", WHEN_PCH}, {".pch", WHEN_PCH}, {".pcm", WHEN_PCH},
#define MAIN_ROWS 7
	{".d", WHEN_ALWAYS}, {".gcno", WHEN_COVERAGE}, {".i", WHEN_DUMP}, {".ii", WHEN_DUMP},
	{".s", WHEN_DUMP}, {".bc", WHEN_DUMP}, {".ll", WHEN_DUMP}, {".dwo", WHEN_DUMP},
	{".su", WHEN_DUMP}, {".ci", WHEN_DUMP}, {".json", WHEN_DUMP}, {".dia", WHEN_DUMP},
	{".res", WHEN_DUMP}, {".out", WHEN_DUMP}, {"_args", WHEN_DUMP}, {".args.0", WHEN_DUMP},
	{".json.gz", WHEN_DUMP},
};
#define ALL_ROWS (sizeof beside_rows / sizeof *beside_rows)

/* One path that an argument may hold. */
enum token_kind { TOKEN_OUTPUT, TOKEN_INPUT, TOKEN_ANY };
struct token {
	const char *text;
	size_t len;
	enum token_kind kind;
};
/* A caller visits all tokens: 1 from visit ends the walk. */
typedef int token_visit(void *ctx, const struct token *t);

struct question {
	const char *path;     /* as spelled, tidied */
	size_t len, dir_len;  /* length of its directory with the slash, 0 for the cwd */
	int named, input, stem, directory;
};

/* Spelled as in the trace: "./x" is "x", and "a//x" is "a/x". */
static int visit_text(token_visit *visit, void *ctx, const char *text, size_t len,
                      enum token_kind kind)
{
	char tidy[PATH_SIZE];

	if (len == 0 || len >= sizeof tidy)
		return 0; /* the kernel would not take this path */
	memcpy(tidy, text, len);
	tidy[len] = '\0';
	path_tidy(tidy);
	for (text = tidy; text[0] == '.' && text[1] == '/';)
		text += 2;
	return visit(ctx, &(struct token){text, strlen(text), kind});
}

/* The tokens of an argument without a known role. They are the argument itself, the text behind two
 * characters of a flag, and the text between '=', ',' and the end. */
static int plain_tokens(const char *s, token_visit *visit, void *ctx)
{
	if (s[0] != '-' && visit_text(visit, ctx, s, strlen(s), TOKEN_ANY))
		return 1;
	if (s[0] == '-' && s[1] && s[2] && visit_text(visit, ctx, s + 2, strlen(s + 2), TOKEN_ANY))
		return 1;
	for (const char *p = strpbrk(s, "=,"); p; p = strpbrk(p, "=,")) {
		size_t n = strcspn(++p, ",");

		if (visit_text(visit, ctx, p, n, TOKEN_ANY))
			return 1;
	}
	return 0;
}

static int argument_tokens(const struct cmdline_arg *arg, token_visit *visit, void *ctx)
{
	size_t at = arg->role == ARG_OUTPUT_JOINED || arg->role == ARG_INPUT_JOINED ? arg->at : 0;
	const char *s = arg->text + at;

	switch (arg->role) {
	case ARG_OUTPUT:
	case ARG_OUTPUT_JOINED:
		return visit_text(visit, ctx, s, strlen(s), TOKEN_OUTPUT);
	case ARG_INPUT:
	case ARG_INPUT_JOINED:
		return visit_text(visit, ctx, s, strlen(s), TOKEN_INPUT);
	case ARG_PLAIN:
		return plain_tokens(s, visit, ctx);
	case ARG_LITERAL:
		break;
	}
	return 0;
}

static void each_token(const struct written *w, token_visit *visit, void *ctx)
{
	/* gcc: "file" or "file target" */
	static const char variables[] = "DEPENDENCIES_OUTPUT\0SUNPRO_DEPENDENCIES\0";

	for (int i = 1; i < w->cmd->count; i++) {
		const char *text = w->cmd->v[i].text;
		char *file = NULL;

		if (argument_tokens(&w->cmd->v[i], visit, ctx))
			return;
		/* -dumpdir names a directory for dumps, like an output's directory. */
		if (strcmp(text, "-dumpdir") == 0 && i + 1 < w->cmd->count)
			file = arena_cat(w->arena, w->cmd->v[i + 1].text, "-", NULL);
		if (file && visit_text(visit, ctx, file, strlen(file), TOKEN_OUTPUT))
			return;
	}
	for (const char *name = variables; *name; name = LIST_NEXT(name)) {
		const char *value = env_get(w->envp, name);

		if (value && visit_text(visit, ctx, value, strcspn(value, " "), TOKEN_OUTPUT))
			return;
	}
}

static int same_text(const struct question *q, const struct token *t)
{
	return t->len == q->len && memcmp(t->text, q->path, t->len) == 0;
}

static int visit_named(void *ctx, const struct token *t)
{
	struct question *q = ctx;

	if (!same_text(q, t))
		return 0;
	if (t->kind == TOKEN_INPUT)
		q->input = 1;
	else
		q->named = 1;
	return q->input; /* a path that is an input anywhere is no output */
}

static int visit_input(void *ctx, const struct token *t)
{
	return same_text(ctx, t);
}

/* The first name of the file: up to a dot that is not its first character. */
static int has_stem(const char *base, size_t len, const struct token *t)
{
	const char *slash = memrchr(t->text, '/', t->len);
	const char *name = slash ? slash + 1 : t->text;
	size_t n = (size_t)(t->text + t->len - name);
	const char *dot = n > 1 ? memchr(name + 1, '.', n - 1) : NULL;

	if (dot)
		n = (size_t)(dot - name);
	return n && n < len && memcmp(base, name, n) == 0 && (base[n] == '.' || base[n] == '-');
}

static int visit_beside(void *ctx, const struct token *t)
{
	struct question *q = ctx;
	const char *slash = memrchr(t->text, '/', t->len);
	size_t dir = slash ? (size_t)(slash - t->text) + 1 : 0;

	if (has_stem(q->path + q->dir_len, q->len - q->dir_len, t))
		q->stem = 1;
	if (q->dir_len == 0 || (t->kind == TOKEN_OUTPUT && dir == q->dir_len &&
	                        memcmp(t->text, q->path, dir) == 0))
		q->directory = 1;
	return q->stem && q->directory;
}

/* A header's precompiled form is put beside the header. */
static int visit_header(void *ctx, const struct token *t)
{
	struct question *q = ctx;

	if (t->len < q->len && memcmp(t->text, q->path, t->len) == 0 &&
	    strcmp(q->path + t->len, ".gch") == 0)
		q->directory = q->stem = 1;
	return q->stem;
}

static int happens(const struct written *w, int when)
{
	switch (when) {
	case WHEN_ASSEMBLY:
		return w->row->family == FAMILY_CC1 || cmdline_has(w->cmd, "--assemble\0" "-S\0");
	case WHEN_BITCODE:
		return cmdline_has(w->cmd, "-emit-llvm\0");
	case WHEN_COVERAGE:
		return (w->cmd->flags & CMD_COVERAGE) != 0;
	case WHEN_DUMP:
		return (w->cmd->flags & CMD_DUMP) != 0;
	case WHEN_PCH:
		return (w->cmd->flags & CMD_PCH) != 0;
	}
	return 1;
}

/* ".005t.original": a pass of gcc, its number and kind. */
static int is_dump(const char *base)
{
	for (const char *p = strchr(base, '.'); p; p = strchr(p + 1, '.'))
		if (ascii_digit(p[1]) && ascii_digit(p[2]) && ascii_digit(p[3]) && p[4] &&
		    strchr("tri", p[4]) && p[5] == '.')
			return 1;
	return 0;
}

static int known_ending(const struct written *w, const char *base, size_t rows)
{
	size_t len = strlen(base);

	for (size_t i = 0; i < rows; i++) {
		size_t n = strlen(beside_rows[i].ending);

		if (n < len && strcmp(base + len - n, beside_rows[i].ending) == 0 &&
		    happens(w, beside_rows[i].when))
			return 1;
	}
	return rows == ALL_ROWS && happens(w, WHEN_DUMP) && is_dump(base);
}

static int is_default(const struct written *w, const char *path)
{
	const char *name = driver_default_output(w->row, w->cmd);

	return name && strcmp(path, name) == 0;
}

static void ask(struct question *q, const char *path)
{
	const char *slash = strrchr(path, '/');

	*q = (struct question){.path = path, .len = strlen(path),
	                       .dir_len = slash ? (size_t)(slash - path) + 1 : 0};
}

static int is_named(const struct written *w, const char *path)
{
	struct question q;

	ask(&q, path);
	each_token(w, visit_named, &q);
	return q.named && !q.input;
}

/* The path has the form that these tools use for a file beside another, with an ending of the first
 * rows. */
static int is_beside(const struct written *w, const char *path, size_t rows)
{
	struct question q;

	ask(&q, path);
	if (!known_ending(w, path + q.dir_len, rows))
		return 0;
	/* An unknown tool is assumed to put no file beside another. */
	if (!(w->row->flags & TOOL_UNKNOWN))
		each_token(w, visit_beside, &q);
	if (!(q.stem && q.directory) && w->cmd->flags & CMD_PCH)
		each_token(w, visit_header, &q);
	return q.stem && q.directory;
}

static int is_module_name(const char *base)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_@";
	const char *ending = base + strspn(base, letters);

	return ending > base && (strcmp(ending, ".mod") == 0 || strcmp(ending, ".smod") == 0);
}

/* True if the directory, with or without a slash behind it, is this path's directory. */
static int is_directory_of(const char *directory, const struct question *q)
{
	size_t n = strlen(directory);

	while (n && directory[n - 1] == '/')
		n--;
	return q->dir_len == n + 1 && memcmp(q->path, directory, n) == 0;
}

/* A source names its modules, and an option names their directory, by default the working
 * directory. A result recorded by others may write any file with such a name there. */
static int is_module(const struct written *w, const char *path)
{
	struct question q;

	ask(&q, path);
	if (!(w->row->flags & TOOL_WRITES_MODULES) || !is_module_name(path + q.dir_len))
		return 0;
	CMDLINE_OUTPUTS(i, w->cmd) {
		const struct cmdline_arg *arg = &w->cmd->v[i];

		if (arg->option && strcmp(arg->option, "-J") == 0)
			return is_directory_of(cmdline_output(arg), &q);
	}
	return q.dir_len == 0;
}

int written_may(const struct written *w, const char *path)
{
	return (w->row->family == FAMILY_RUSTC && rustc_writes(w->cmd, path)) ||
	       is_module(w, path) || is_named(w, path) || is_default(w, path) ||
	       is_beside(w, path, ALL_ROWS);
}

int written_asked_for(const struct written *w, const char *path)
{
	return is_named(w, path) || is_default(w, path) || is_beside(w, path, MAIN_ROWS);
}

int written_is_input(const char *path, const char *argument)
{
	struct question q;

	ask(&q, path);
	return visit_text(visit_input, &q, argument, strlen(argument), TOKEN_INPUT);
}

int written_is_kind(const char *name)
{
	static const char kinds[] = ".o\0.s\0.i\0.ii\0.d\0.su\0.dwo\0.gcno\0.bc\0.ll\0";

	for (const char *kind = kinds; *kind; kind = LIST_NEXT(kind))
		if (path_ends(name, kind))
			return 1;
	return 0;
}
