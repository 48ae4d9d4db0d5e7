/* jit/compile_texts.c - the texts of a compile, each read where a question needs it. */
#include "jit/jit.h"

#include <string.h>

#include "jit/source_text.h"
#include "judge/name/name_list.h"
#include "judge/text/text.h"
#include "tools/asks/asks.h"
#include "tools/asks/definitions.h"
#include "tools/asks/words.h"
#include "trace/tree.h"

#include "shim/banned.h"

/* The words of an option are used, and it may define a macro. */
static void add_option(struct asks *x, const char *text)
{
	const char *line = source_text_definition(text, x->arena);

	asks_add(x, text, strlen(text), 1);
	x->unclear |= !line;
	if (line && *line)
		asks_add(x, line, strlen(line), 0);
}

/* The texts that the program was given. */
static void add_given(struct asks *x, const struct program *p)
{
	for (const struct program_text *t = p->texts; t; t = t->next)
		asks_add(x, t->s, t->len, t->own);
	for (int i = 0; i < p->option_count; i++)
		add_option(x, p->options[i]);
	for (unsigned i = 0; i < p->expressions; i++)
		add_option(x, p->expression[i]);
}

static int flags_of_option(const char *text, const struct invocation *call)
{
	return source_text_flags(text, strlen(text), call->cwd, call->cwd_len) |
	       (source_text_reaches(text, call->cwd) ? SOURCE_DIRECTORY : 0);
}

/* Headers are looked for beside the program as well. */
static int is_beside(struct start *s, const struct program *p)
{
	char *dir = p->name ? arena_memdup(&s->arena, p->name, path_dir_len(p->name)) : NULL;

	return p->name && (!dir || source_text_reaches(dir, s->call.cwd));
}

/* Adds what the compile read. 0: not all of it. */
static int add_files(struct asks *x, const struct tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct source_text_room room = {x->arena, NULL, 0};
		const char *text;
		size_t n;

		if (!(t->file[i].flags & TREE_READ))
			continue;
		text = source_text_read(&room, t->file[i].path, &n);
		if (!text)
			return 0;
		asks_add(x, text, n, 0);
	}
	return 1;
}

/* 1: no text and no option can name a date, as its pieces in all of them seem to allow. x: all of
 * these. */
static int shows_no_date(struct start *s, const struct asks *x, const struct program *p)
{
	static const char names[] = "__TIME__\0__DATE__\0__TIMESTAMP__\0";
	struct asks all;

	asks_init(&all, x->arena, x->words);
	all.texts = x->texts;
	all.unclear = x->unclear;
	all.whole = 1;
	defines_seek(&all, names);
	return p->texts && facts_answer(s, &all, NULL) == ASKS_NOT;
}

/* --- public, in header order --- */

/* A header or an option, too, may use a date, or ask for the program's generated name. */
int compile_texts_flags(struct start *s, const struct tree *t, const struct program *p)
{
	struct arena arena = ARENA_INIT;
	struct source_text_room room = {&arena, NULL, 0};
	struct asks all;
	int found = p->source_flags, named = s->all_names.count > 0 && !(found & SOURCE_ITSELF);

	asks_init(&all, &arena, ASKS_CXX | ASKS_NVRTC);
	add_given(&all, p);
	for (int i = 0; i < p->option_count; i++)
		found |= flags_of_option(p->options[i], &s->call);
	for (unsigned i = 0; i < p->expressions; i++)
		found |= flags_of_option(p->expression[i], &s->call);
	for (size_t i = 0; i < t->count && !(found & SOURCE_TIME); i++) {
		const char *text;
		size_t n;

		if (!(t->file[i].flags & TREE_READ))
			continue;
		text = source_text_read(&room, t->file[i].path, &n);
		if (!text) {
			found |= SOURCE_ALL;
			break;
		}
		found |= source_text_flags_kept(&s->memo, text, n, s->call.cwd, s->call.cwd_len) |
		         (name_list_occurs(&s->all_names, text, n) ? SOURCE_ITSELF : 0);
		if (named) {
			asks_add(&all, text, n, 0);
			room.data = NULL;
		}
	}
	if (!(found & SOURCE_TIME) && source_text_dates(found) &&
	    ((!named && !add_files(&all, t)) || !shows_no_date(s, &all, p)))
		found |= SOURCE_TIME;
	if (named && !(found & (SOURCE_ITSELF | SOURCE_TIME)) &&
	    (!p->texts || facts_answer(s, &all, NULL)))
		found |= SOURCE_ITSELF;
	arena_free(&arena);
	return found;
}

void compile_texts_unbind(struct start *s, struct tree *t, const struct program *p, int flags)
{
	const struct invocation *call = &s->call;

	if (call->cwd_len <= 1 || flags & SOURCE_DIRECTORY || is_beside(s, p))
		return;
	for (size_t i = 0; i < t->count; i++) {
		struct tree_file *f = &t->file[i];

		if (path_below(f->path, call->cwd) &&
		    !(f->flags & (TREE_READ | TREE_MADE | TREE_LISTED | TREE_LINK | TREE_REAL)))
			f->flags = (f->flags & ~(unsigned)TREE_ABSOLUTE) | TREE_RELATIVE;
	}
}
