/* judge/name/key_files.c - arguments that name a file whose name is no part of the action key. */
#include "judge/name/name.h"

#include <string.h>
#include <sys/stat.h>

#include "names/name_shape.h"
#include "names/names.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* "-" is a stream for some tools. */
static int is_special(const char *path)
{
	return strcmp(path, "-") == 0 || path_special(path);
}

/* 1: a source is this file. The tool refuses that, or reads what it has just written. */
static int is_source(const struct primaries *p, const char *path, const struct statx *st)
{
	return primaries_name(p, path) || (st && primaries_have_file(p, st));
}

/* 1: another argument names this file as well. */
static int is_named_twice(const struct cmdline *cmd, struct prober *prober, int i, const char *path,
                          const struct statx *st)
{
	CMDLINE_OUTPUTS(k, cmd) {
		const char *other = cmdline_output(&cmd->v[k]);
		struct statx also;

		if (k != i && (strcmp(other, path) == 0 ||
		               (st && probe_stat(prober, other, &also) == 0 &&
		                sys_same_file(&also, st))))
			return 1;
	}
	return 0;
}

/* A text whose names leave the key: the tool looks at nothing but its content. */
static int is_free_source(const struct start *s, int i)
{
	const struct cmdline_arg *arg = &s->cmd.v[i];

	return s->text && s->cmd.flags & CMD_NAME_FREE && arg->role == ARG_PLAIN && !arg->option &&
	       s->primaries.count == 1 && strcmp(s->primaries.v[0].path, arg->text) == 0;
}

static int is_free_output(struct start *s, int i, const char *path, const struct statx *st)
{
	return !is_special(path) && !(st && !S_ISREG(st->stx_mode)) &&
	       driver_output_free(s->row, &s->cmd, i) && !is_source(&s->primaries, path, st) &&
	       !is_named_twice(&s->cmd, &s->prober, i, path, st);
}

/* The number of a file of the command, which may have one already. -1: it can have none. */
static int number_of(struct names *names, const char *path)
{
	for (int i = 0; i < names->files; i++)
		if (names->file[i].text == path)
			return i;
	return names_file(names, path);
}

/* The same for the file that argument i names. */
static int argument_file(struct start *s, int i, const struct statx *st)
{
	const struct cmdline_arg *arg = &s->cmd.v[i];
	const char *path = cmdline_output(arg);

	if (path ? !is_free_output(s, i, path, st) : !is_free_source(s, i))
		return -1;
	/* A dependency file spells other letters in its own way, and gcc leaves out a "./" in
	 * front. */
	if (path && driver_names_target(s->row, &s->cmd, i) &&
	    (!name_is_plain(path) || strncmp(path, "./", 2) == 0))
		return -1;
	return number_of(&s->names, path ? path : arg->text);
}

/* -MT, -MQ: the file of the output that is the target as well. */
static int target_file(struct start *s, int i)
{
	int output = driver_target_output(s->row, &s->cmd, i);
	struct statx st;

	if (!output)
		return -1;
	return argument_file(s, output, probe_stat(&s->prober, s->cmd.v[output].text, &st) == 0
	                                ? &st : NULL);
}

int key_file(struct start *s, int i, const struct statx *st, struct buf *out)
{
	const struct cmdline_arg *arg = &s->cmd.v[i];
	int file = i ? target_file(s, i) : -1;

	if (i && file < 0)
		file = argument_file(s, i, st);
	if (file < 0)
		return 0;
	if (arg->role == ARG_OUTPUT_JOINED)
		buf_add(out, arg->text, arg->at);
	names_put_file(&s->names, file, out);
	if (cmdline_output(arg) && driver_names_depfile(&s->cmd, i))
		s->names.depfile_of = file + 1;
	if (cmdline_output(arg) && driver_names_target(s->row, &s->cmd, i))
		s->names.target_of = file + 1;
	return 1;
}
