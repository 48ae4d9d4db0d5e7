/* action/command.c - the files that a command line names on this machine: primary inputs, outputs,
 * the text of the only input. */
#include "action/action.h"

#include <string.h>

#include "judge/name/name_list.h"
#include "judge/proof_verbs.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/response.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* Larger response files are not worth keying. Those of nvcc and ninja have some hundred KiB. */
#define RESPONSE_BYTES_MAX (16u << 20)

struct visit {
	struct start *start;
	enum reason reason;
	const struct cmdline_arg *arg;
	/* The first input of a tool with TOOL_TEXT_NAMES. Only the reading of its names needs this
	 * memory. */
	struct arena work;
	char *text;
	size_t len;
};

static const char *response_text(void *ctx, const char *path, size_t *n)
{
	struct start *s = ctx;
	struct statx st;

	/* To open a FIFO lets its writer go on, and the tool would wait for another one. */
	if (sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) < 0 ||
	    (st.stx_mode & S_IFMT) != S_IFREG)
		return NULL;
	return arena_file(&s->arena, path, RESPONSE_BYTES_MAX, n, NULL);
}

static int is_descriptor_path(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
	       strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/stdout") == 0 ||
	       strcmp(path, "/dev/stderr") == 0;
}

static int add_primary(struct start *s, const char *path, int response)
{
	struct primary *p;

	if (primaries_name(&s->primaries, path))
		return 0;
	p = primaries_next(&s->primaries, &s->arena);
	if (!p)
		return -1;
	p->response = response;
	p->path = arena_strdup(&s->arena, path);
	p->whole = invocation_whole(&s->call, path, &s->arena);
	if (!p->path || !p->whole || probe_file(&s->prober, p->path, &p->content, &p->st) < 0)
		return 0; /* unreadable: the tool reports it and the trace records it */
	p->keyed = p->content;
	s->primaries.count++;
	return 0;
}

/* A text is read for its names. Its digest is made of the same bytes, so the file is not read or
 * remembered separately. A text that cannot be read this way is an ordinary input. */
static int add_input(struct visit *v, const char *path, size_t size)
{
	struct start *s = v->start;
	struct primary *p;
	struct statx st;

	if (!(s->row->flags & TOOL_TEXT_NAMES) || s->primaries.count || size > INPUT_TEXT_MAX ||
	    arena_expect(&v->work, INPUT_TEXT_WORK(size)) < 0 ||
	    !(v->text = arena_file(&v->work, path, INPUT_TEXT_MAX, &v->len, &st)))
		return add_primary(s, path, 0);
	p = primaries_next(&s->primaries, &s->arena);
	if (!p)
		return -1;
	p->path = arena_strdup(&s->arena, path);
	p->whole = invocation_whole(&s->call, path, &s->arena);
	if (!p->path || !p->whole)
		return -1;
	p->st = st;
	digest_of(&p->content, v->text, v->len);
	p->keyed = p->content;
	s->primaries.count++;
	return 0;
}

/* Visits a path that an argument names. */
static void visit_path(void *ctx, const char *path)
{
	struct visit *v = ctx;
	struct statx st;
	int rc, null;

	if (v->reason != REASON_NONE || !path[0])
		return;
	rc = sys_statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_SIZE, &st);
	/* Where it is no device, it holds what was written to it. */
	null = strcmp(path, "/dev/null") == 0;
	if ((null && (rc < 0 || !sys_is_null(&st))) || is_descriptor_path(path)) {
		start_detail(v->start, "%s", path);
		v->reason = REASON_BYPASS_SPECIAL_FILE;
		return;
	}
	if (null || rc < 0)
		return;
	switch (st.stx_mode & S_IFMT) {
	case S_IFREG:
		if (v->arg->adds) {
			start_detail(v->start, "it adds to an existing list");
			v->reason = REASON_BYPASS_ARGUMENTS;
		} else if (v->arg->role != ARG_OUTPUT && v->arg->role != ARG_OUTPUT_JOINED &&
		           add_input(v, path, st.stx_size) < 0) {
			v->reason = REASON_BYPASS_TOO_LARGE;
		}
		break;
	case S_IFDIR:
		break;
	default:
		start_detail(v->start, "%s", path);
		v->reason = REASON_BYPASS_SPECIAL_FILE;
	}
}

static int lacks_tmpdir(const struct tool_row *row, const struct invocation *call)
{
	const char *dir = invocation_env(call, "TMPDIR");

	return dir && *dir && row->flags & TOOL_NEEDS_TMPDIR && sys_access(dir, W_OK | X_OK) < 0;
}

static void pass_by(struct cmdline *c, const char *why)
{
	if (c->bypass != REASON_NONE)
		return;
	c->bypass = REASON_BYPASS_ARGUMENTS;
	c->bypass_detail = why;
}

/* Variables add options, which no table has seen. */
static void variable_options(struct start *s)
{
	const char *editor = driver_of(s->row)->editor;
	const char *edits = *editor ? invocation_env(&s->call, editor) : NULL;

	if (start_variables_add(s->row, &s->call))
		s->cmd.flags &= ~(unsigned)(CMD_CWD_FREE | CMD_PLAIN_CPP);
	if (start_variables_say(s->row, &s->call, cmdline_says_native) ||
	    (edits && strstr(edits, "native")))
		s->cmd.flags |= CMD_NATIVE;
}

enum reason action_arguments(struct start *s)
{
	struct cmdline_reader reader = {response_text, s};

	if (s->call.argc < 1 || !s->call.argv[0]) {
		start_detail(s, "the tool was started without a name (argv[0])");
		return REASON_BYPASS_ARGUMENTS;
	}
	if (cmdline_expand(&s->cmd, s->row, s->call.argc, s->call.argv, &reader, &s->arena) < 0)
		return REASON_BYPASS_TOO_LARGE;
	cmdline_classify(&s->cmd, s->row);
	driver_read(s->row, &s->cmd);
	if (s->cmd.flags & CMD_DEBUG && driver_of(s->row)->maps &&
	    start_accepts(&s->set, "debugdir"))
		s->cmd.flags |= CMD_DEBUG_ANYWHERE;
	judge_names_command(s);
	/* A hash of the path is a separate name and binds on its own. */
	if (!(driver_reach(s->row, &s->cmd, ROLE_CWD) & ~(unsigned)REACH_HASH) ||
	    driver_asks_itself(s->row, &s->cmd))
		s->cmd.flags |= CMD_CWD_FREE;
	variable_options(s);
	if (start_variables_say(s->row, &s->call, driver_says_time))
		pass_by(&s->cmd, "a variable asks for times");
	if (lacks_tmpdir(s->row, &s->call))
		pass_by(&s->cmd, "TMPDIR is no directory that can be written to");
	return REASON_NONE;
}

static void proofs_command(struct start *s, struct visit *v)
{
#define COMMAND(call) call;
#include "proofs/proofs.def"
}

/* The stamp of a response file is older than the arguments that are read from it: if the file
 * changes, changed_primaries() notices. */
static void stamp_responses(struct start *s)
{
	struct digest d;

	INVOCATION_RESPONSES(i, &s->call)
		probe_file(&s->prober, s->call.argv[i] + 1, &d, NULL);
}

static enum reason visit_command(struct visit *v)
{
	struct start *s = v->start;
	enum reason reason;

	stamp_responses(s);
	reason = action_arguments(s);
	if (reason != REASON_NONE)
		return reason;
	if (s->cmd.bypass != REASON_NONE) {
		start_detail(s, "%s", s->cmd.bypass_detail ? s->cmd.bypass_detail : "");
		return s->cmd.bypass;
	}
	if (s->cmd.flags & CMD_STDIN && !driver_reads_stdin(s->row, &s->cmd))
		return REASON_BYPASS_STDIN;
	for (int i = 1; i < s->cmd.count && v->reason == REASON_NONE; i++) {
		v->arg = &s->cmd.v[i];
		if (strlen(v->arg->text) >= PATH_SIZE && v->arg->text[0] != '-')
			continue; /* the kernel accepts no such path */
		cmdline_each_path(v->arg, visit_path, v);
	}
	if (v->reason != REASON_NONE)
		return v->reason;
	proofs_command(s, v);
	judge_names_text(s);
	INVOCATION_RESPONSES(i, &s->call)
		if (add_primary(s, s->call.argv[i] + 1, 1) < 0)
			return REASON_BYPASS_TOO_LARGE;
	return s->cmd.flags & CMD_STDIN ? action_stdin(s) : REASON_NONE;
}

enum reason action_command(struct start *s)
{
	struct visit v = {s, REASON_NONE, NULL, ARENA_INIT, NULL, 0};
	enum reason reason = visit_command(&v);

	arena_recycle(&s->arena, &v.work);
	return reason;
}
