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
		asks_add(x, line, strlen(line), 1);
}

/* The texts that the program was given. own: all are taken as texts that are compiled. */
static void add_given(struct asks *x, const struct program *p, int own)
{
	for (const struct program_text *t = p->texts; t; t = t->next)
		asks_add(x, t->s, t->len, own || t->own);
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

/* 1: no text and no option can name a date, as its pieces in all of them seem to allow. */
static int shows_no_date(const struct tree *t, const struct program *p)
{
	static const char names[] = "__TIME__\0__DATE__\0__TIMESTAMP__\0";
	struct arena arena = ARENA_INIT;
	struct source_text_room room = {&arena, NULL, 0};
	struct asks all;
	int shown = p->texts != NULL;

	asks_init(&all, &arena, ASKS_CXX | ASKS_NVRTC);
	add_given(&all, p, 1);
	for (size_t i = 0; i < t->count && shown; i++) {
		const char *text;
		size_t n;

		if (!(t->file[i].flags & TREE_READ))
			continue;
		room.data = NULL;
		text = source_text_read(&room, t->file[i].path, &n);
		if (text)
			asks_add(&all, text, n, 1);
		shown = text != NULL;
	}
	shown = shown && defines_unused(&all, names);
	arena_free(&arena);
	return shown;
}

/* --- public, in header order --- */

/* A header or an option, too, may use a date, or ask for the program's generated name. */
int compile_texts_flags(struct start *s, const struct tree *t, const struct program *p)
{
	struct arena arena = ARENA_INIT;
	struct source_text_room room = {&arena, NULL, 0};
	struct asks own;
	int found = p->source_flags, named = s->all_names.count > 0 && !(found & SOURCE_ITSELF);

	asks_init(&own, &arena, ASKS_CXX | ASKS_NVRTC);
	add_given(&own, p, 0);
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
			asks_add(&own, text, n, 0);
			room.data = NULL;
		}
	}
	if (named && !(found & SOURCE_ITSELF) && !(found & SOURCE_TIME) &&
	    (!p->texts || facts_answer(s, &own, NULL)))
		found |= SOURCE_ITSELF;
	arena_free(&arena);
	return found;
}

int compile_texts_date(int flags, const struct tree *t, const struct program *p)
{
	return source_text_dates(flags) && (flags & SOURCE_TIME || !shows_no_date(t, p));
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
