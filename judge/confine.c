/* judge/confine.c - what an entry that others made may do here. */
#include "judge/confine.h"

#include <string.h>
#include <sys/stat.h>

#include "judge/start.h"
#include "store/foreign.h"

#include "shim/banned.h"

/* Endings of what tools lay beside a named file, and when; first those of what they are run for. */
enum { WHEN_ALWAYS, WHEN_ASSEMBLY, WHEN_BITCODE, WHEN_COVERAGE, WHEN_DUMP, WHEN_PCH };
static const struct {
	char ending[12];
	int when;
} beside_rows[] = {
	{".o", WHEN_ALWAYS},   {".s", WHEN_ASSEMBLY},      {".bc", WHEN_BITCODE}, {".ll", WHEN_BITCODE},
	{".gch", WHEN_PCH},    {".pch", WHEN_PCH},         {".pcm", WHEN_PCH},
#define MAIN_ROWS 7
	{".d", WHEN_ALWAYS},   {".gcno", WHEN_COVERAGE},   {".i", WHEN_DUMP},     {".ii", WHEN_DUMP},
	{".s", WHEN_DUMP},     {".bc", WHEN_DUMP},         {".ll", WHEN_DUMP},    {".dwo", WHEN_DUMP},
	{".su", WHEN_DUMP},    {".ci", WHEN_DUMP},         {".json", WHEN_DUMP},  {".dia", WHEN_DUMP},
	{".res", WHEN_DUMP},   {".out", WHEN_DUMP},        {"_args", WHEN_DUMP},  {".args.0", WHEN_DUMP},
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
/* Where a caller goes through all of them: 1 from visit ends it. */
typedef int token_visit(void *ctx, const struct token *t);

struct question {
	const char *path;     /* as spelled, tidied */
	size_t len, dir_len;  /* of its directory with the slash, 0 for the cwd */
	int named, input, stem, directory;
};

/* As the trace spells it: "./x" and "x", "a//x" and "a/x" are one. */
static int visit_text(token_visit *visit, void *ctx, const char *text, size_t len, enum token_kind kind)
{
	char tidy[PATH_SIZE];

	if (len == 0 || len >= sizeof tidy)
		return 0; /* no path the kernel would take */
	memcpy(tidy, text, len);
	tidy[len] = '\0';
	path_tidy(tidy);
	for (text = tidy; text[0] == '.' && text[1] == '/';)
		text += 2;
	return visit(ctx, &(struct token){text, strlen(text), kind});
}

/* An argument of no known role: itself, what follows two characters of a flag, and what stands between '=',
 * ',' and the end. */
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

static void each_token(struct start *a, token_visit *visit, void *ctx)
{
	/* gcc: "file" or "file target" */
	static const char *const variables[] = {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"};

	for (int i = 1; i < a->cmd.count; i++) {
		const char *text = a->cmd.v[i].text;
		char *file = NULL;

		if (argument_tokens(&a->cmd.v[i], visit, ctx))
			return;
		/* A directory to lay dumps in, as that of some output. */
		if (strcmp(text, "-dumpdir") == 0 && i + 1 < a->cmd.count)
			file = arena_cat(&a->arena, a->cmd.v[i + 1].text, "-", NULL);
		if (file && visit_text(visit, ctx, file, strlen(file), TOKEN_OUTPUT))
			return;
	}
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = start_env(a, variables[i]);

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
	return q->input; /* what is an input anywhere is no output */
}

static int visit_input(void *ctx, const struct token *t)
{
	return same_text(ctx, t);
}

/* The first name of the file: up to a dot that does not begin it. */
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

/* A header's precompiled form lies beside the header. */
static int visit_header(void *ctx, const struct token *t)
{
	struct question *q = ctx;

	if (t->len < q->len && memcmp(t->text, q->path, t->len) == 0 && strcmp(q->path + t->len, ".gch") == 0)
		q->directory = q->stem = 1;
	return q->stem;
}

static int has_argument(const struct start *a, const char *text)
{
	for (int i = 1; i < a->cmd.count; i++)
		if (strcmp(a->cmd.v[i].text, text) == 0)
			return 1;
	return 0;
}

static int happens(const struct start *a, int when)
{
	switch (when) {
	case WHEN_ASSEMBLY:
		return a->row->family == FAMILY_CC1 || has_argument(a, "-S") || has_argument(a, "--assemble");
	case WHEN_BITCODE:
		return has_argument(a, "-emit-llvm");
	case WHEN_COVERAGE:
		return (a->cmd.flags & CMD_COVERAGE) != 0;
	case WHEN_DUMP:
		return (a->cmd.flags & CMD_DUMP) != 0;
	case WHEN_PCH:
		return (a->cmd.flags & CMD_PCH) != 0;
	}
	return 1;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ".005t.original": a pass of gcc, its number and kind. */
static int is_dump(const char *base)
{
	for (const char *p = strchr(base, '.'); p; p = strchr(p + 1, '.'))
		if (is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) && p[4] && strchr("tri", p[4]) && p[5] == '.')
			return 1;
	return 0;
}

static int known_ending(const struct start *a, const char *base, size_t rows)
{
	size_t len = strlen(base);

	for (size_t i = 0; i < rows; i++) {
		size_t n = strlen(beside_rows[i].ending);

		if (n < len && strcmp(base + len - n, beside_rows[i].ending) == 0 && happens(a, beside_rows[i].when))
			return 1;
	}
	return rows == ALL_ROWS && happens(a, WHEN_DUMP) && is_dump(base);
}

/* What these write where no argument says: in the cwd. */
static int is_default(const struct start *a, const char *path)
{
	switch (a->row->family) {
	case FAMILY_PTXAS:
		return strcmp(path, "elf.o") == 0;
	case FAMILY_GCC:
	case FAMILY_CLANG:
		return a->cmd.flags & CMD_LINK && strcmp(path, "a.out") == 0;
	case FAMILY_AS:
	case FAMILY_LD:
		return strcmp(path, "a.out") == 0;
	default:
		return 0;
	}
}

static void ask(struct question *q, const char *path)
{
	const char *slash = strrchr(path, '/');

	*q = (struct question){.path = path, .len = strlen(path),
	                       .dir_len = slash ? (size_t)(slash - path) + 1 : 0};
}

static int is_named(struct start *a, const char *path)
{
	struct question q;

	ask(&q, path);
	each_token(a, visit_named, &q);
	return q.named && !q.input;
}

/* Called as these tools call what they lay beside, with an ending of the first rows. */
static int is_beside(struct start *a, const char *path, size_t rows)
{
	struct question q;

	ask(&q, path);
	if (!known_ending(a, path + q.dir_len, rows))
		return 0;
	/* A tool of which nothing is known lays nothing beside. */
	if (a->row->family != FAMILY_GENERIC)
		each_token(a, visit_beside, &q);
	if (!(q.stem && q.directory) && a->cmd.flags & CMD_PCH)
		each_token(a, visit_header, &q);
	return q.stem && q.directory;
}

static int may_write(struct start *a, const char *path)
{
	struct question q;

	ask(&q, path);
	/* What stands where a tool of unknown habits may write was taken for an input by the key. */
	for (size_t i = 0; i < a->primary_count && a->row->family != FAMILY_GENERIC; i++)
		if (visit_text(visit_input, &q, a->primary[i].path, strlen(a->primary[i].path), TOKEN_INPUT))
			return 0;
	return is_named(a, path) || is_default(a, path) || is_beside(a, path, ALL_ROWS);
}

const char *confine_candidate(struct start *a, const struct candidate *c, const struct digest *k2)
{
	const char *why = digest_equal(k2, &c->result) ? foreign_candidate(&a->k1, c) : "it names a result of another action";

	return why ? why : confine_inputs(a, c);
}

const char *confine_inputs(struct start *a, const struct candidate *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!foreign_reads(in->kind))
			continue;
		path = names_resolve(&a->names, in->spec, in->spec_len, &a->arena);
		if (!path)
			return "a malformed input";
		if (foreign_special(a->cwd, path, &a->arena))
			return arena_cat(&a->arena, "an input in a special file system: ", path, NULL);
		if (in->kind != INPUT_DIRECTORY && probe_stat(&a->prober, path, &st) == 0)
			bytes += st.stx_size < CONFINE_READ_MAX ? st.stx_size : CONFINE_READ_MAX;
		if (bytes >= CONFINE_READ_MAX)
			return "its inputs are too large to be read";
	}
	return NULL;
}

/* Held by nothing but a start in this very directory. */
static int bound_here(struct start *a, const struct candidate *c)
{
	struct buf spec = BUF_INIT(&a->arena);
	struct digest d;

	names_path(&a->names, a->cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_CWD && c->v[i].type == 0)
			return !spec.failed && digest_equal(&d, &c->v[i].value);
	return 0;
}

/* Output paths as the command line would spell them. */
static int output_allowed(struct start *a, const struct candidate *c, const char *path)
{
	return may_write(a, path) || (a->cwd_len > 1 && path_below(path, a->cwd) && path[a->cwd_len] == '/' &&
	                              bound_here(a, c) && may_write(a, path + a->cwd_len + 1));
}

const char *confine_result(struct start *a, const struct candidate *c, const struct result *r)
{
	uint64_t bytes = 0;

	if (r->exit_status != 0 && !(a->row->flags & TOOL_FAILURE_STORED))
		return "a failure of a tool whose failures are not kept";
	if (r->wall_ns > CONFINE_WALL_MAX)
		return "it says that it took more than a day";
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		const char *path = names_resolve(&a->names, o->spec, o->spec_len, &a->arena);

		if (!path || strlen(path) >= PATH_SIZE)
			return "a malformed output path";
		if (o->mode & ~0777u)
			return arena_cat(&a->arena, "mode bits beyond rwx on ", path, NULL);
		if (!output_allowed(a, c, path))
			return arena_cat(&a->arena, "an output that the command line does not stand for: ", path, NULL);
		bytes += o->len;
	}
	for (size_t i = 0; i < r->chunk_count; i++)
		bytes += r->chunk[i].len;
	return bytes > CONFINE_BYTES_MAX ? "it is too large" : NULL;
}

int confine_asked_for(struct start *a, const char *path)
{
	return is_named(a, path) || is_default(a, path) || is_beside(a, path, MAIN_ROWS);
}
