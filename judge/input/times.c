/* judge/input/times.c - sizes and times of files that a tool enters into its output or compares. */
#include "judge/input/input.h"

#include "tools/asks/definitions.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/language.h"
#include "tools/driver.h"
#include "tools/text/dependency.h"

#include "shim/banned.h"

void collect_times(struct collect *k, const char *path, int relative, const struct statx *st)
{
	struct input *in = collect_input(k, INPUT_STAT);

	if (!in)
		return;
	in->size = st->stx_size;
	in->mtime_ns = times_ns(&st->stx_mtime);
	collect_spec(k, in, path, relative);
}

/* clang's precompiled headers and modules hold and check the times of their inputs. ar's archives
 * hold the times of their members. */
int times_matter(const struct collect *k)
{
	if (k->start->cmd.flags & CMD_AR_TIMES)
		return 1;
	if (!(k->start->cmd.flags & CMD_PCH_TIMES))
		return 0;
	if (k->start->cmd.flags & CMD_PCH)
		return 1;
	/* The option counts, not the name of its file. */
	if (driver_names_compiled(&k->start->cmd))
		return 1;
	for (size_t i = 0; i < k->t->count; i++)
		if (k->t->file[i].flags & (TREE_READ | TREE_MADE) &&
		    text_kind_holds_times(k->t->file[i].path))
			return 1;
	return 0;
}

/* 1: this text and those before it may hold the pragma. */
static int joined(struct collect *k, int flags)
{
	k->pragmas |= flags;
	return dependency_asks(k->pragmas);
}

int times_compared(struct collect *k, const struct tree_file *f)
{
	return k->start->row->flags & TOOL_GOES_BY_TIMES && !(f->flags & TREE_RUN) &&
	       joined(k, probe_goes_by_times(&k->start->prober, f->path));
}

static int text_compared(struct collect *k, const char *text, size_t n)
{
	return text && dependency_near(text, n) &&
	       joined(k, dependency_in(text, n, &k->start->arena));
}

static int source_compared(struct collect *k)
{
	const struct stdin_source *s = &k->start->source;
	struct arena arena = ARENA_INIT;
	char *text;
	int rc = 1;

	if (s->kind == STDIN_PIPE)
		return text_compared(k, (const char *)s->text, s->len);
	if (s->kind != STDIN_FILE)
		return 0;
	text = arena_alloc(&arena, s->len + 1);
	if (text && sys_pread(0, text, s->len, s->at) == (ssize_t)s->len)
		rc = text_compared(k, text, s->len);
	arena_free(&arena);
	return rc;
}

void collect_compared_times(struct collect *k)
{
	const char *lines;

	if (!(k->start->row->flags & TOOL_GOES_BY_TIMES))
		return;
	lines = definitions_lines(&k->start->cmd, &k->start->arena, NULL);
	if (lines && text_compared(k, lines, strlen(lines)))
		collect_refuse(k, REASON_UNSTORED_TIME, "a macro of the command line");
	else if (source_compared(k))
		collect_refuse(k, REASON_UNSTORED_TIME, "standard input");
}

static int is_compiled(const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	char head[TEXT_KIND_HEAD];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = sys_pread(fd, head, sizeof head, 0);
	sys_close(fd);
	return n > 0 && text_kind(head, (size_t)n) == TEXT_COMPILED;
}

const char *times_untimed(const struct collect *k)
{
	const char *only = NULL;

	if (k->start->cmd.flags & (CMD_PCH | CMD_AR_TIMES))
		return NULL;
	for (size_t i = 0; i < k->t->count; i++) {
		const struct tree_file *f = &k->t->file[i];

		if (!(f->flags & (TREE_READ | TREE_MADE)) || f->flags & (TREE_RUN | TREE_GONE) ||
		    (!text_kind_holds_times(f->path) && !is_compiled(f->path)))
			continue;
		if (only || f->flags & TREE_MADE || !is_compiled(f->path))
			return NULL;
		only = f->path;
	}
	return only;
}

void collect_primary_times(struct collect *k)
{
	const struct primaries *p = &k->start->primaries;

	for (size_t i = 0; i < p->count && k->times; i++)
		if (!k->untimed || primaries_at(p, k->untimed) != &p->v[i])
			collect_times(k, p->v[i].path, p->v[i].path[0] != '/', &p->v[i].st);
}
