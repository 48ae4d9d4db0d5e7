/* judge/bind_files.c - may the files that a command line names have other names?
 *
 * The driver said that the options let no such name into a result (driver_output_free()). The run
 * must show the rest: it wrote no file whose name may be made of such a name, and no message that
 * spells one. */
#include "judge/bind_files.h"

#include <string.h>

#include "judge/files_asked.h"
#include "judge/outputs.h"
#include "proofs/note.h"
#include "shim/log.h"
#include "shim/path.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* 1: an output that is none of the command's files, such as "prog-a.d" beside "prog", or one that
 * holds its own name. */
static int left_another(struct start *s, const struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];

		if (o->spec[0] != SPEC_FILE || (!judge_is_depfile(s, o, o->data) &&
		                          driver_output_named(&s->cmd, o->data, o->len)))
			return 1;
	}
	return 0;
}

/* 1: the stream holds the word at other places than those that are known. */
static int stream_spells(struct start *s, const struct result *r, int stream, int i,
                         const char *word)
{
	struct buf text = BUF_INIT(&s->arena);
	size_t known = 0, found = 0;

	for (size_t k = 0; k < r->chunk_count; k++) {
		const struct result_chunk *c = &r->chunk[k];

		if (c->stream != stream)
			continue;
		buf_add(&text, c->data, c->len);
		for (size_t p = 0; p < c->patches.count; p++)
			known += c->patches.v[p].kind == NAME_KIND_FILE &&
			         c->patches.v[p].index == i;
	}
	for (const unsigned char *p = text.data, *end = p + text.len;
	     text.len && (p = memmem(p, (size_t)(end - p), word, strlen(word))); p++)
		found++;
	return text.failed || found != known;
}

/* 1: a message holds the last component of file i where it is not exchanged. */
static int is_spelled(struct start *s, const struct result *r, int i)
{
	const struct name *f = &s->names.file[i];
	const char *base = path_base(f->text);
	char *word = arena_memdup(&s->arena, base, (size_t)(f->text + f->len - base));
	const char *sought = f->text[f->len] ? base : word;

	return !word || stream_spells(s, r, 1, i, sought) || stream_spells(s, r, 2, i, sought);
}

/* 1: file i is the target of the dependency file, and that is not written so. */
static int is_lost(struct start *s, const struct result *r, int i)
{
	int lost = (r->chunk_count || r->out_count) && judge_lacks_depfile(s, r);

	if (i != s->names.target_of - 1)
		return 0;
	for (size_t k = 0; k < r->out_count; k++) {
		const struct result_output *o = &r->out[k];

		if (judge_is_depfile(s, o, o->data))
			lost |= !o->patches.count || o->patches.v[0].kind != NAME_KIND_FILE ||
			        !depfile_has(driver_depfile_layout(s->row), (const char *)o->data,
			                     o->len, &s->arena);
	}
	return lost;
}

/* Why the result is bound to the name of file i; NULL: it is free. */
static const char *why_bound(struct start *s, const struct candidate *c, const struct result *r,
                             int i)
{
	if (is_lost(s, r, i))
		return "the dependency file has another target";
	if (judge_file_asked(s, c, i))
		return "the run looked for the file";
	if (s->verdict.files_exact)
		return "the tool read an output that it had made";
	return is_spelled(s, r, i) ? "a message spells the name" : NULL;
}

void judge_bind_files(struct start *s, struct candidate *c, const struct result *r,
                      int adds_options)
{
	const char *all = left_another(s, r) ? "the run wrote other files, or one that holds its "
	                                       "own name"
	                  : adds_options     ? "a variable or a file adds options"
	                                     : NULL;

	for (int i = 0; i < s->names.files; i++) {
		const struct name *f = &s->names.file[i];
		const char *why = all                                 ? all
		                  : proof_on(&s->set, PROOF_OUTPUTS) ? why_bound(s, c, r, i)
		                                                     : "the proof is off";

		if (!why)
			proof_frees(&s->proofs, PROOF_OUTPUTS, c->name_count);
		c->name[c->name_count++] = (struct bound_name){
			NAME_KIND_FILE, (unsigned char)i, f->text, f->len,
			why ? NAME_BOUND : NAME_FREE};
		if (why)
			log_write(LOG_INFO, "the result serves only the name of %s: %s", f->text,
			          why);
	}
}
