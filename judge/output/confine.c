/* judge/output/confine.c - checks the entries of other users before they are used. */
#include "judge/output/confine.h"

#include <string.h>
#include <sys/stat.h>

#include "judge/output/output.h"
#include "shim/buf.h"
#include "store/entry/candidate.h"
#include "tools/cmdline/written.h"

#include "shim/banned.h"

static struct written command_of(struct start *s)
{
	return (struct written){s->row, &s->cmd, s->call.envp, &s->arena};
}

static int may_write(struct start *s, const char *path)
{
	struct written w = command_of(s);

	/* If the tool has no row, the key counted a file at an output path as an input. */
	for (size_t i = 0; i < s->primaries.count && !(s->row->flags & TOOL_UNKNOWN); i++)
		if (written_is_input(path, s->primaries.v[i].path))
			return 0;
	return written_may(&w, path);
}

const char *confine_candidate(struct start *s, const struct candidate *c, const struct digest *k2)
{
	const char *why = digest_equal(k2, &c->result) ? foreign_candidate(&s->k1, c)
	                                               : "it names a result of another action";

	return why ? why : confine_inputs(s, c);
}

const char *confine_inputs(struct start *s, const struct candidate *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!foreign_reads(in->kind))
			continue;
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path)
			return "a malformed input";
		if (foreign_special(s->call.cwd, path, &s->arena))
			return arena_cat(&s->arena, "an input in a special file system: ", path,
			                 NULL);
		if (input_reads(in->kind) != INPUT_READS_LISTING &&
		    probe_stat(&s->prober, path, &st) == 0)
			bytes += st.stx_size < CONFINE_READ_MAX ? st.stx_size : CONFINE_READ_MAX;
		if (bytes >= CONFINE_READ_MAX)
			return "its inputs are too large to be read";
	}
	return NULL;
}

/* 1: the candidate holds only for a start in this very directory. */
static int bound_here(struct start *s, const struct candidate *c)
{
	struct buf spec = BUF_INIT(&s->arena);
	struct digest d;

	names_path(&s->names, s->call.cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_CWD && c->v[i].type == 0)
			return !spec.failed && digest_equal(&d, &c->v[i].value);
	return 0;
}

/* Tests an output path as the command line would spell it. */
static int output_allowed(struct start *s, const struct candidate *c, const char *path)
{
	const char *cwd = s->call.cwd;
	size_t len = s->call.cwd_len;

	return may_write(s, path) ||
	       (len > 1 && path_below(path, cwd) && path[len] == '/' && bound_here(s, c) &&
	        may_write(s, path + len + 1));
}

const char *confine_result(struct start *s, const struct candidate *c, const struct result *r)
{
	uint64_t bytes = 0;

	if (r->exit_status != 0 && !judge_failure_is_of_input(s, r))
		return "a failure that is not known to come from the input";
	if (r->wall_ns > CONFINE_WALL_MAX)
		return "its recorded run time is more than a day";
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		const char *path = names_resolve(&s->names, o->spec, o->spec_len, &s->arena);

		if (!path || strlen(path) >= PATH_SIZE)
			return "a malformed output path";
		if (o->mode & ~0777u)
			return arena_cat(&s->arena, "mode bits beyond rwx on ", path, NULL);
		if (!output_allowed(s, c, path))
			return arena_cat(&s->arena,
			                 "an output that the command line does not account for: ",
			                 path, NULL);
		bytes += o->len;
	}
	for (size_t i = 0; i < r->chunk_count; i++)
		bytes += r->chunk[i].len;
	return bytes > CONFINE_BYTES_MAX ? "it is too large" : NULL;
}

int confine_asked_for(struct start *s, const char *path)
{
	struct written w = command_of(s);

	return written_asked_for(&w, path);
}
