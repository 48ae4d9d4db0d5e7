/* judge/bind_files.c - may the files that a command line names have other names?
 *
 * The driver said that the options let no such name into a result (driver_output_free()). What is
 * left is to look at the run: it wrote no file whose name may be made of theirs, and no message
 * that spells one. */
#include "judge/bind_files.h"

#include <string.h>

#include "shim/log.h"
#include "shim/path.h"

#include "shim/banned.h"

/* 1: an output that is none of the command's files, such as "prog-a.d" beside "prog". */
static int left_another(const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++)
		if (r->out[i].spec[0] != 'F')
			return 1;
	return 0;
}

static int stream_spells(struct start *s, const struct result *r, int stream, const char *word)
{
	struct buf text = BUF_INIT(&s->arena);

	for (size_t i = 0; i < r->chunk_count; i++)
		if (r->chunk[i].stream == stream)
			buf_add(&text, r->chunk[i].data, r->chunk[i].len);
	return text.failed || (text.len && memmem(text.data, text.len, word, strlen(word)));
}

/* 1: a message holds the last component of file i, with or without its ending. */
static int is_spelled(struct start *s, const struct result *r, int i)
{
	const struct name *f = &s->names.file[i];
	const char *base = path_base(f->text);
	char *word = arena_memdup(&s->arena, base, (size_t)(f->text + f->len - base));
	const char *sought = f->text[f->len] ? base : word;

	return !word || stream_spells(s, r, 1, sought) || stream_spells(s, r, 2, sought);
}

void judge_bind_files(struct start *s, struct candidate *c, const struct result *r,
                      int adds_options)
{
	int another = left_another(r);

	for (int i = 0; i < s->names.files; i++) {
		const struct name *f = &s->names.file[i];
		int bound = another || adds_options || is_spelled(s, r, i);

		c->name[c->name_count++] = (struct bound_name){
			'F', (unsigned char)i, f->text, f->len, bound ? NAME_BOUND : NAME_FREE};
		if (bound)
			log_write(LOG_INFO, "bound to the name of %s: %s", f->text,
			          another        ? "the run wrote other files as well"
			          : adds_options ? "a variable or a file adds options"
			                         : "a message spells it");
	}
}
