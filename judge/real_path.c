/* judge/real_path.c - the answers of realpath as inputs. */
#include "judge/real_path.h"

#include <string.h>

#include "judge/tree_file.h"
#include "keying/probe.h"
#include "shim/buf.h"
#include "shim/path.h"
#include "tools/cmdline.h"
#include "tools/driver.h"
#include "tools/language.h"
#include "tools/list.h"

#include "shim/banned.h"

/* A relative path may have letters to spare, as "./x" and "a/./x" have. With so many letters it may
 * be longer than the answer of realpath: in "/", and in a directory whose name has one letter. */
#define REAL_SPARE_ROOT 2
#define REAL_SPARE_ANY 4

/* 1: the tool asks for real paths to use the shorter one, and for nothing else: gcc and its
 * passes. */
static int asks_to_shorten(const struct tool_row *row)
{
	return row->flags & TOOL_LIBCPP && !(row->flags & TOOL_EITHER);
}

/* 1: the answer follows from the question alone, as no component is a link. A relative question
 * also has to be shorter than its answer: gcc uses the shorter of both. */
static int is_folded(struct collect *k, const struct tree_file *f)
{
	struct buf spec = BUF_INIT(&k->start->arena);
	char *fold = arena_strdup(&k->start->arena, f->path);
	int bound = 0;

	if (!fold || !strstr(f->path, "/.."))
		return 0;
	path_fold(fold);
	if (strcmp(fold, f->real) != 0)
		return 0;
	if (collect_relative(f)) /* what other tools do with the answer is not known */
		return asks_to_shorten(k->start->row) && f->real_spare < REAL_SPARE_ROOT &&
		       path_below(f->path, k->start->call.cwd) &&
		       strlen(f->real) > strlen(f->path) - k->start->call.cwd_len;
	start_spec(k->start, f->path, 0, &bound, &spec);
	return !spec.failed && memchr(spec.data, NAMES_MARK, spec.len) != NULL;
}

/* Where one command compiles and links, only the compiler asks for a C source. */
static int asks_a_compiler(const struct cmdline *c, const char *path)
{
	return c->flags & CMD_CWD_FREE &&
	       (!(c->flags & CMD_LINK) ||
	        (!(c->flags & CMD_LTO) && language_of_file(path) == LANGUAGE_C));
}

/* Directories whose headers gcc calls by the shorter of two names. */
static int has_system_directories(struct start *s)
{
	for (const char *name = driver_system_variables; *name; name = LIST_NEXT(name))
		if (invocation_env(&s->call, name))
			return 1;
	return driver_names_system_directories(&s->cmd);
}

/* The path is an operand and a C source, and no directory of system headers is named. */
static int is_source(struct start *s, const char *path)
{
	return language_of_file(path) == LANGUAGE_C && start_has_operand(s, path) &&
	       !has_system_directories(s);
}

/* 1: the tool read this text, and may use the answer only to shorten a header's name. Other names
 * may stand for the path. Of a header, gcc takes the shorter path. cc1 also compares
 * its source with its output; action/ refuses a start where these are one file. A driver finds its
 * passes by the answer for its own program. Other languages and linkers may use the answer. */
static int only_shortens(struct collect *k, const struct tree_file *f)
{
	struct buf spec = BUF_INIT(&k->start->arena);
	int bound = 0;

	if (!asks_to_shorten(k->start->row) || !asks_a_compiler(&k->start->cmd, f->path) ||
	    (f->flags & (TREE_READ | TREE_RUN | TREE_RELATIVE | TREE_MADE)) != TREE_READ)
		return 0;
	start_spec(k->start, f->path, 0, &bound, &spec);
	return !spec.failed && memchr(spec.data, NAMES_MARK, spec.len) != NULL;
}

/* --- public, in header order --- */

int real_path_is_itself(const struct tree_file *f)
{
	return f->flags & TREE_REAL && strcmp(f->real, f->path) == 0;
}

void collect_answer(struct collect *k, const struct tree_file *f, unsigned kind,
                    const char *answer)
{
	struct input *in = collect_input(k, kind);

	if (!in)
		return;
	collect_text(k, in, answer);
	collect_spec(k, in, f->path, collect_relative(f));
}

void collect_real_path(struct collect *k, const struct tree_file *f, int held)
{
	struct input *in;
	int shortens;

	if (real_path_is_itself(f)) {
		/* gcc asks this for system headers and uses the answer if it is shorter. The answer
		 * to a relative question is the cwd, a slash and the tidy question. That is longer,
		 * unless the question has letters to spare. The key says whether the cwd is "/".
		 * ld asks for its output if that exists. */
		if (f->real_spare >= REAL_SPARE_ANY)
			k->bound = 1;
		in = held || f->flags & TREE_MADE ? NULL : collect_input(k, INPUT_REAL);
		if (in)
			collect_spec(k, in, f->path, collect_relative(f));
		return;
	}
	shortens = only_shortens(k, f);
	if (shortens && is_source(k->start, f->path))
		return; /* it is only compared with the output */
	if (is_folded(k, f) || (shortens && strlen(f->real) >= strlen(f->path))) {
		in = collect_input(k, is_folded(k, f) ? INPUT_FOLDED : INPUT_LONGER);
		if (in)
			collect_spec(k, in, f->path, collect_relative(f));
		return;
	}
	if (collect_relative(f))
		k->start->verdict.real_of_cwd = 1;
	/* An answer below the cwd holds the cwd's name. */
	if (k->start->call.cwd_len > 1 && path_below(f->real, k->start->call.cwd))
		k->bound = 1;
	collect_answer(k, f, INPUT_REALPATH, f->real);
}
