/* judge/files_asked.c - compares the command's files with the inputs of a candidate. */
#include "judge/files_asked.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/place.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* One of the command's files. */
struct asked {
	const char *path, *base;
	struct place place; /* asked for when an input has the same last component */
	int met;            /* it exists, and another path that was asked for leads to it */
	struct statx file;
};

/* 1: `path` is spelled with the directory of the file. Its last component is compared already. */
static int is_beside(struct start *s, struct asked *f, const char *path)
{
	const char *dir = place_directory(&s->arena, path);
	struct statx st;
	int rc = f->place.path ? 0 : place_of(&s->arena, f->path, &f->place);

	if (!dir || rc == -ENOMEM)
		return 1;
	/* Nothing can lie where no directory is. */
	return rc == 0 && probe_stat(&s->prober, dir, &st) == 0 &&
	       sys_same_file(&st, &f->place.directory);
}

/* 1: the spec may lead to a file that is called `base`. */
static int may_be(const struct input *in, const char *base)
{
	size_t n = strlen(base);

	return memchr(in->spec, NAMES_MARK, in->spec_len) ||
	       (in->spec_len > n && memcmp(in->spec + in->spec_len - n, base, n) == 0);
}

static int is_absent_there(struct start *s, struct asked *f, const struct input *in)
{
	for (size_t i = 0; i < in->name_count; i++) {
		const char *dir, *path;

		if (strcmp(path_base(in->names[i]), f->base) != 0)
			continue;
		dir = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		path = dir ? arena_cat(&s->arena, *dir ? dir : ".", "/", in->names[i], NULL) : NULL;
		if (!path || is_beside(s, f, path))
			return 1;
	}
	return 0;
}

static int is_input(struct start *s, struct asked *f, const struct input *in)
{
	const char *path;
	struct statx st;

	if (in->spec_len < 2 || (in->spec[0] != SPEC_ABSOLUTE && in->spec[0] != SPEC_RELATIVE))
		return 0;
	if (in->kind == INPUT_ABSENT)
		return is_absent_there(s, f, in);
	if (!f->met && !may_be(in, f->base))
		return 0;
	path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
	if (!path || (strcmp(path_base(path), f->base) == 0 && is_beside(s, f, path)))
		return 1;
	return f->met && input_is_content(in->kind) && probe_stat(&s->prober, path, &st) == 0 &&
	       sys_same_file(&st, &f->file);
}

static int is_asked(struct start *s, const struct candidate *c, const char *path)
{
	struct asked f = {.path = path};

	if (!path) /* no memory */
		return 1;
	f.base = path_base(path);
	f.met = sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &f.file) == 0 &&
	        probe_led_to(&s->prober, &f.file, path);
	for (size_t i = 0; i < c->count; i++)
		if (is_input(s, &f, &c->v[i]))
			return 1;
	return 0;
}

/* --- public, in header order --- */

int judge_file_asked(struct start *s, const struct candidate *c, int i)
{
	const struct name *f = &s->names.file[i];
	const char *stem;

	if (is_asked(s, c, f->text))
		return 1;
	if (i != s->names.depfile_of - 1)
		return 0;
	stem = arena_memdup(&s->arena, f->text, f->len);
	return is_asked(s, c, stem ? arena_cat(&s->arena, stem, ".d", NULL) : NULL);
}

enum reason judge_no_file_asked(struct start *s, const struct candidate *c)
{
	for (int i = 0; i < s->names.files; i++)
		if (candidate_binding(c, NAME_KIND_FILE, i) == NAME_FREE &&
		    judge_file_asked(s, c, i)) {
			start_detail(s, "the tool looks for %s", s->names.file[i].text);
			return REASON_MISS_NAMES;
		}
	return REASON_NONE;
}
