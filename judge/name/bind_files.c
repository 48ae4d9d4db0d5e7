/* judge/name/bind_files.c - may the files that a command line names have other names?
 *
 * The driver said that the options let no such name into a result (driver_output_free()). The run
 * must show the rest: it wrote no file whose name may be made of such a name, and no message that
 * spells one. */
#include "judge/name/name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/output/mode.h"
#include "judge/output/output.h"
#include "shim/kernel/sys.h"
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
static int stream_spells(struct arena *arena, const struct result *r, int stream, int i,
                         const char *word)
{
	struct buf text = BUF_INIT(arena);
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
static int is_spelled(struct names *names, struct arena *arena, const struct result *r, int i)
{
	const struct name *f = &names->file[i];
	const char *base = path_base(f->text);
	char *word = arena_memdup(arena, base, (size_t)(f->text + f->len - base));
	const char *sought = f->text[f->len] ? base : word;

	return !word || stream_spells(arena, r, 1, i, sought) ||
	       stream_spells(arena, r, 2, i, sought);
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
	return is_spelled(&s->names, &s->arena, r, i) ? "a message spells the name" : NULL;
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

/* Compares the command's files with the inputs of a candidate. */

/* One of the command's files. */
struct asked {
	const char *path, *base;
	struct place place; /* asked for when an input has the same last component */
	int met;            /* it exists, and another path that was asked for leads to it */
	struct statx file;
};

/* 1: `path` is spelled with the directory of the file. Its last component is compared already. */
static int is_beside(struct arena *arena, struct prober *prober, struct asked *f, const char *path)
{
	const char *dir = place_directory(arena, path);
	struct statx st;
	int rc = f->place.path ? 0 : place_of(arena, f->path, &f->place);

	if (!dir || rc == -ENOMEM)
		return 1;
	/* Nothing can lie where no directory is. */
	return rc == 0 && probe_stat(prober, dir, &st) == 0 &&
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
		if (!path || is_beside(&s->arena, &s->prober, f, path))
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
	if (!path || (strcmp(path_base(path), f->base) == 0 &&
	              is_beside(&s->arena, &s->prober, f, path)))
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
