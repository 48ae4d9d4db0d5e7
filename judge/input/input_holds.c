/* judge/input/input_holds.c - compares what an earlier run depended on with what is there now. */
#include "judge/input/input.h"

#include "judge/output/mode.h"
#include "judge/proof_notes.h"
#include "judge/script/variables.h"
#include "judge/text/text.h"
#include "keying/probe_dir.h"
#include "shim/trace.h"
#include "tools/cmdline/cmdline.h"
#include "tools/object/debug_strings.h"

#include "shim/banned.h"

static int text_is(const struct digest *want, const char *text)
{
	struct digest d;

	digest_of(&d, text, strlen(text));
	return digest_equal(&d, want);
}

static int env_holds(struct start *s, const struct input *in)
{
	const char *now = invocation_env(&s->call, in->spec);
	struct buf spec = BUF_INIT(&s->arena);
	struct digest d;

	if (in->type == 0 || !now) {
		if (in->type == 0 && !now)
			return 1;
		return start_detail(s, "variable %s was %s, is %s", in->spec,
		                    in->type ? in->text : "unset", now ? now : "unset");
	}
	names_env(&s->names, now, tool_env_quotes(in->spec), &spec);
	digest_of(&d, spec.data, spec.len);
	return digest_equal(&d, &in->value) ||
	       start_detail(s, "variable %s was %s, is %s", in->spec, in->text, now);
}

static int cwd_holds(struct start *s, const struct input *in)
{
	struct buf spec = BUF_INIT(&s->arena);
	struct digest d;

	names_path(&s->names, s->call.cwd, &spec);
	digest_of(&d, spec.data, spec.len);
	if (digest_equal(&d, &in->value))
		return 1;
	/* Behind the 'A' of an absolute path. */
	start_detail(s, "recorded in the directory %s",
	             in->text_len ? names_print(in->text + 1, in->text_len - 1, &s->arena) : "");
	return 0;
}

static int order_holds(struct start *s, const struct input *in, const char *name)
{
	const char *written = prefix_map_debug(&s->cmd, name, &s->arena);
	const char *directory = prefix_map_debug(&s->cmd, s->call.cwd, &s->arena);

	return (written && directory &&
	        (unsigned)debug_strings_order(s->row, written, directory) == in->type) ||
	       start_detail(s, "debug information holds the source's name and directory in another "
	                    "order");
}

static int pwd_holds(struct start *s, const struct input *in)
{
	return text_is(&in->value, judge_pwd(s)) ||
	       start_detail(s, "PWD spells the working directory otherwise: cd to its real path");
}

static int search_holds(struct start *s, const struct input *in)
{
	const char *found = search_set_find(s, in->spec, in->text);

	return (found && text_is(&in->value, found)) ||
	       start_detail(s, "PATH finds %s as %s, was %s", in->spec,
	                    found && *found ? found : "nothing", *in->text ? in->text : "nothing");
}

static int duplicates_hold(struct start *s, const struct input *in)
{
	struct digest d;

	return (judge_duplicates(s, in, &d) == 0 && digest_equal(&d, &in->value)) ||
	       start_detail(s, "%s and files equal to it: times or links among them changed",
	                    names_print(in->names[0], strlen(in->names[0]), &s->arena));
}

static int stat_holds(struct start *s, const struct input *in, const char *path)
{
	struct statx st;

	return (probe_stat(&s->prober, path, &st) == 0 && st.stx_size == in->size &&
	        st.stx_mtime.tv_sec * 1000000000ll + st.stx_mtime.tv_nsec == in->mtime_ns) ||
	       start_detail(s, "size or time of %s changed", path);
}

static int present_holds(struct start *s, const struct input *in, const char *path)
{
	unsigned type = 0;

	/* Few directories are links, and most are asked for on the way to files, too. */
	if ((in->type & S_IFMT) == S_IFDIR)
		probe_no_link(&s->prober, path);
	if (probe_present(&s->prober, path, &type) != 0 || type != (in->type & S_IFMT))
		return start_detail(s, "path %s is gone or of another type", path);
	return permissions_of(path, in->type) == (in->type & ~TRACE_LOWER_HALF) ||
	       start_detail(s, "path %s has other permissions", path);
}

static int nodir_holds(struct start *s, const struct input *in, const char *path)
{
	unsigned type = 0;
	int rc;

	if (in->type == NODIR_OR_DENIED && search_set_absent(s, path))
		return 1;
	rc = probe_present(&s->prober, path, &type);
	if (in->type == NODIR_OR_DENIED && (rc == -EACCES || rc == -ENOTDIR))
		return 1;
	if (in->type > NODIR_OR_DENIED ? rc == 0 && type == in->type : rc == -ENOENT)
		return 1;
	return start_detail(s, "absent directory %s appeared", path);
}

static int answer_holds(struct start *s, const struct input *in, const char *path)
{
	const char *real = NULL;

	return (probe_realpath(&s->prober, path, &real) == 0 && text_is(&in->value, real)) ||
	       start_detail(s, "path %s leads to another file", path);
}

static int folded_holds(struct start *s, const char *path)
{
	const char *real;
	int whole = path[0] == '/';
	char *fold = arena_cat(&s->arena, whole ? "" : s->call.cwd, whole ? "" : "/", path, NULL);

	if (fold)
		path_fold(fold);
	if (fold && probe_realpath(&s->prober, path, &real) == 0 && strcmp(fold, real) == 0 &&
	    (whole || strlen(real) > strlen(path)))
		return 1;
	return start_detail(s, "path %s leads through a symbolic link, or is longer than its real "
	                    "path", path);
}

static int longer_holds(struct start *s, const char *path)
{
	const char *real;

	return (probe_realpath(&s->prober, path, &real) == 0 && strlen(real) >= strlen(path)) ||
	       start_detail(s, "path %s is longer than its real path", path);
}

static int real_holds(struct start *s, const char *path)
{
	return probe_real(&s->prober, path) == 0 ||
	       start_detail(s, "path %s is gone or has a symbolic link now", path);
}

static int content_holds(struct start *s, const struct input *in, const char *path)
{
	struct digest d;
	int rc = probe_file(&s->prober, path, &d, NULL);

	if (rc == 0 && (digest_equal(&d, &in->value) ||
	                (in->form && comment_free_holds(s, in, path, &d)))) {
		if (!digest_equal(&d, &in->value))
			proof_rests(&s->proofs, PROOF_COMMENTS);
		return 1;
	}
	return start_detail(s, rc == 0 ? "file %s changed" : "file %s is gone", path);
}

static int program_holds(struct start *s, const struct input *in, const char *path)
{
	if (sys_access(path, X_OK) == 0)
		return content_holds(s, in, path);
	return start_detail(s, "program %s is gone or may not be executed", path);
}

static int source_holds(struct start *s, const struct input *in, const char *path)
{
	return comment_free_source_holds(s, in, path) ||
	       start_detail(s, "file %s changed", path);
}

static int absent_holds(struct start *s, const struct input *in, const char *path)
{
	size_t which = 0;

	return probe_absent(&s->prober, path, in->names, in->name_count, &in->value, &which) ||
	       start_detail(s, "absent path %s/%s appeared", path, in->names[which]);
}

static int symlink_holds(struct start *s, const struct input *in, const char *path)
{
	const char *text = NULL;

	return (probe_symlink(&s->prober, path, &text) == 0 && text_is(&in->value, text)) ||
	       start_detail(s, "symbolic link %s leads elsewhere", path);
}

static int no_link_holds(struct start *s, const char *path)
{
	return probe_no_link(&s->prober, path) == 0 ||
	       start_detail(s, "path %s is a symbolic link now", path);
}

static int directory_holds(struct start *s, const struct input *in, const char *path)
{
	struct digest d;

	if (probe_listing(&s->prober, path, NULL, NULL, &d) == 0 && digest_equal(&d, &in->value))
		return 1;
	return start_detail(s, "names in directory %s changed", path);
}

int judge_input_holds(struct start *s, const struct input *in)
{
	const char *path = NULL;

	if (input_is_path(in->kind)) {
		path = names_resolve(&s->names, in->spec, in->spec_len, &s->arena);
		if (!path)
			return 0;
	}
	switch (in->kind) {
#define INPUT(kind, number, spec, fields, reads, holds, ...) \
	case number: \
		return holds;
#include "judge/inputs.def"
#undef INPUT
	default: /* written by a later version */
		return start_detail(s, "input of an unknown kind");
	}
}
