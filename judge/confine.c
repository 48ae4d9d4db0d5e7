/* judge/confine.c - what an entry that others made may do here. */
#include "judge/confine.h"

#include <string.h>
#include <sys/stat.h>

#include "judge/start.h"
#include "store/foreign.h"
#include "tools/written.h"

#include "shim/banned.h"

static struct written command_of(struct start *a)
{
	return (struct written){a->row, &a->cmd, a->envp, &a->arena};
}

static int may_write(struct start *a, const char *path)
{
	struct written w = command_of(a);

	/* What stands where a tool of unknown habits may write was taken for an input by the key. */
	for (size_t i = 0; i < a->primary_count && !(a->row->flags & TOOL_UNKNOWN); i++)
		if (written_is_input(path, a->primary[i].path))
			return 0;
	return written_may(&w, path);
}

const char *confine_candidate(struct start *a, const struct candidate *c, const struct digest *k2)
{
	const char *why = digest_equal(k2, &c->result) ? foreign_candidate(&a->k1, c) : "it names a result of another action";

	return why ? why : confine_inputs(a, c);
}

const char *confine_inputs(struct start *a, const struct candidate *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;
		struct statx st;

		if (!foreign_reads(in->kind))
			continue;
		path = names_resolve(&a->names, in->spec, in->spec_len, &a->arena);
		if (!path)
			return "a malformed input";
		if (foreign_special(a->cwd, path, &a->arena))
			return arena_cat(&a->arena, "an input in a special file system: ", path, NULL);
		if (in->kind != INPUT_DIRECTORY && probe_stat(&a->prober, path, &st) == 0)
			bytes += st.stx_size < CONFINE_READ_MAX ? st.stx_size : CONFINE_READ_MAX;
		if (bytes >= CONFINE_READ_MAX)
			return "its inputs are too large to be read";
	}
	return NULL;
}

/* Held by nothing but a start in this very directory. */
static int bound_here(struct start *a, const struct candidate *c)
{
	struct buf spec = BUF_INIT(&a->arena);
	struct digest d;

	names_path(&a->names, a->cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].kind == INPUT_CWD && c->v[i].type == 0)
			return !spec.failed && digest_equal(&d, &c->v[i].value);
	return 0;
}

/* Output paths as the command line would spell them. */
static int output_allowed(struct start *a, const struct candidate *c, const char *path)
{
	return may_write(a, path) || (a->cwd_len > 1 && path_below(path, a->cwd) && path[a->cwd_len] == '/' &&
	                              bound_here(a, c) && may_write(a, path + a->cwd_len + 1));
}

const char *confine_result(struct start *a, const struct candidate *c, const struct result *r)
{
	uint64_t bytes = 0;

	if (r->exit_status != 0 && !(a->row->flags & TOOL_FAILURE_STORED))
		return "a failure of a tool whose failures are not kept";
	if (r->wall_ns > CONFINE_WALL_MAX)
		return "it says that it took more than a day";
	for (size_t i = 0; i < r->out_count; i++) {
		const struct result_output *o = &r->out[i];
		const char *path = names_resolve(&a->names, o->spec, o->spec_len, &a->arena);

		if (!path || strlen(path) >= PATH_SIZE)
			return "a malformed output path";
		if (o->mode & ~0777u)
			return arena_cat(&a->arena, "mode bits beyond rwx on ", path, NULL);
		if (!output_allowed(a, c, path))
			return arena_cat(&a->arena, "an output that the command line does not stand for: ", path, NULL);
		bytes += o->len;
	}
	for (size_t i = 0; i < r->chunk_count; i++)
		bytes += r->chunk[i].len;
	return bytes > CONFINE_BYTES_MAX ? "it is too large" : NULL;
}

int confine_asked_for(struct start *a, const char *path)
{
	struct written w = command_of(a);

	return written_asked_for(&w, path);
}
