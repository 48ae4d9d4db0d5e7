/* action/actionkey.c - the action key: everything known before the tool runs (docs/internals/keys.md). */
#include "action/actionkey.h"

#include <link.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "action/command.h"
#include "judge/names.h"
#include "judge/start.h"
#include "action/stdin.h"
#include "action/stream_files.h"
#include "keying/cpu.h"
#include "keying/loader.h"
#include "shim/format.h"
#include "shim/object.h"
#include "shim/sys.h"
#include "tools/driver.h"
#include "tools/jobserver.h"

#include "shim/banned.h"

/* Number of the key's composition; raise it when a field changes meaning. */
#define KEY_FORMAT_TEXT "5"
/* Numbers beyond are what a shell or a job keeps for itself. */
#define GENERIC_DESCRIPTORS 256

static void add_library(struct start *a, const char *path)
{
	struct digest d;
	const char *label = a->row->flags & TOOL_SELF_CONTAINED ? path_base(path) : path;

	if (probe_file(&a->prober, path, &d, NULL) == 0)
		key_add_digest(&a->key, KEY_LIBRARY, label, &d);
	else
		key_add_str(&a->key, KEY_LIBRARY, label, "unreadable");
}

static int each_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *path = object_library(info);

	(void)size;
	if (path)
		add_library(ctx, path);
	return 0;
}

static enum reason add_tool(struct start *a)
{
	struct digest d;
	int rc = probe_file(&a->prober, a->exe, &d, NULL);

	if (rc < 0) {
		start_detail(a, "cannot read %s", a->exe);
		return REASON_BYPASS_ARGUMENTS;
	}
	key_add_digest(&a->key, KEY_TOOL, a->base, &d);
	if (!(a->row->flags & TOOL_SELF_CONTAINED)) {
		key_add_str(&a->key, KEY_TOOL_PATH, "runs", a->exe);
		key_add_str(&a->key, KEY_TOOL_PATH, "called", a->execfn);
	}
	dl_iterate_phdr(each_library, a);
	return REASON_NONE;
}

static enum reason add_arguments(struct start *a)
{
	struct buf spec = BUF_INIT(&a->arena);

	/* The names of response files are no arguments any more, but the tool reads them. */
	for (int i = 1; i < a->argc; i++)
		if (a->argv[i][0] == '@')
			names_arg(&a->names, a->argv[i], 1, &spec);
	for (int i = 0; i < a->cmd.count; i++) {
		const struct cmdline_arg *arg = &a->cmd.v[i];
		const char *text = arg->text;

		if (i == 0 && a->row->flags & TOOL_SELF_CONTAINED)
			text = path_base(text);
		spec.len = 0;
		names_arg(&a->names, text, 1, &spec);
		if (spec.failed || a->names.overflow)
			return REASON_BYPASS_TOO_LARGE;
		key_add(&a->key, arg->from_response ? KEY_RESPONSE : KEY_ARG, "", spec.data, spec.len);
		if (arg->role == ARG_OUTPUT || arg->role == ARG_OUTPUT_JOINED) {
			struct statx st;
			const char *path = text + (arg->role == ARG_OUTPUT ? 0 : arg->at);
			unsigned type = S_IFREG;

			if (sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) == 0)
				type = st.stx_mode & S_IFMT;
			if (type != S_IFREG)
				key_add(&a->key, KEY_OUTPUT_TYPE, "", &type, sizeof type);
		}
	}
	return REASON_NONE;
}

static void add_variable(struct start *a, const char *name)
{
	struct buf spec = BUF_INIT(&a->arena);
	const char *value = start_env(a, name);

	if (!value)
		return;
	names_env(&a->names, value, tool_env_quotes(name), &spec);
	key_add(&a->key, KEY_ENV, name, spec.data, spec.len);
}

/* What the loader does for the passes below is out of sight; this program's own libraries are keyed
 * one by one. */
static enum reason add_loader(struct start *a)
{
	int self_contained = (a->row->flags & TOOL_SELF_CONTAINED) != 0;
	const char *acts = loader_acts(a->envp);
	struct buf others = BUF_INIT(&a->arena);

	if (acts) {
		start_detail(a, "%s is set", acts);
		return REASON_BYPASS_LOADER;
	}
	for (const char *name = loader_variables(self_contained); *name; name += strlen(name) + 1)
		if (loader_value_counts(name, start_env(a, name)))
			add_variable(a, name);
	if (self_contained)
		return REASON_NONE;
	loader_preloads(&others, start_env(a, "LD_PRELOAD"), object_path());
	if (others.len)
		key_add(&a->key, KEY_ENV, "LD_PRELOAD", others.data, others.len);
	if (sys_access(LOADER_PRELOAD_FILE, F_OK) == 0)
		add_library(a, LOADER_PRELOAD_FILE);
	return others.failed ? REASON_BYPASS_TOO_LARGE : REASON_NONE;
}

static void add_stream(struct start *a, int fd, const char *label)
{
	struct termios t;
	struct winsize w = {0, 0, 0, 0};

	if (sys_fcntl(fd, F_GETFD, 0) == -EBADF) {
		a->stream[fd] = STREAM_CLOSED;
		key_add_str(&a->key, KEY_STREAM, label, "closed");
	} else if (sys_ioctl(fd, TCGETS, &t) == 0) {
		const char *columns = start_env(a, "COLUMNS");
		const char *term = start_env(a, "TERM");
		unsigned short size[2];

		a->stream[fd] = STREAM_TERMINAL;
		sys_ioctl(fd, TIOCGWINSZ, &w);
		size[0] = w.ws_row;
		size[1] = w.ws_col;
		key_add_str(&a->key, KEY_STREAM, label, "terminal");
		key_add(&a->key, KEY_STREAM, "window", size, sizeof size);
		key_add_str(&a->key, KEY_ENV, "COLUMNS", columns ? columns : "");
		key_add_str(&a->key, KEY_ENV, "TERM", term ? term : "");
	} else {
		a->stream[fd] = STREAM_OTHER;
		key_add_str(&a->key, KEY_STREAM, label, "other");
	}
}

static int writes_terminal(const struct start *a)
{
	return a->stream[1] == STREAM_TERMINAL || a->stream[2] == STREAM_TERMINAL;
}

static void add_stdin_window(struct start *a)
{
	struct winsize w;

	if (sys_ioctl(0, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		key_add(&a->key, KEY_STREAM, "stdin window", &w.ws_col, sizeof w.ws_col);
	else
		key_add_str(&a->key, KEY_STREAM, "stdin window", "none");
}

/* Where writing may fail or mean something by itself (/dev/full), the tool must write itself. */
static int is_device(int fd)
{
	struct statx st;

	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0 ||
	    (st.stx_mode & S_IFMT) != S_IFCHR)
		return 0;
	return !(st.stx_rdev_major == 1 && st.stx_rdev_minor == 3);
}

/* Descriptors beyond the streams: known tools do not ask for them (make's jobserver is handed to
 * everyone). A tool nobody described may, so their numbers are keyed, and one it could read from is
 * out of sight. */
static enum reason add_descriptors(struct start *a)
{
	for (int fd = 3; fd < GENERIC_DESCRIPTORS; fd++) {
		long flags = sys_fcntl(fd, F_GETFL, 0);
		struct statx st;

		/* One to be closed by an exec did not come through ours: the memo's. */
		if (flags < 0 || sys_fcntl(fd, F_GETFD, 0) & FD_CLOEXEC)
			continue;
		key_add(&a->key, KEY_STREAM, "descriptor", &fd, sizeof fd);
		if ((flags & O_ACCMODE) != O_WRONLY &&
		    sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) == 0 &&
		    (st.stx_mode & S_IFMT) == S_IFREG) {
			start_detail(a, "descriptor %d is an open file", fd);
			return REASON_BYPASS_SPECIAL_FILE;
		}
	}
	return REASON_NONE;
}

static enum reason add_streams(struct start *a)
{
	const char *jobserver;
	enum reason reason;
	struct statx st;

	add_stream(a, 1, "stdout");
	add_stream(a, 2, "stderr");
	for (int fd = 1; fd <= 2; fd++)
		if (a->stream[fd] == STREAM_OTHER && is_device(fd)) {
			start_detail(a, "standard %s is a device", fd == 1 ? "output" : "error");
			return REASON_BYPASS_STDIO;
		}
	reason = stream_files(a);
	if (reason != REASON_NONE)
		return reason;
	key_add_str(&a->key, KEY_STREAM, "one", a->one_stream ? "yes" : "no");
	jobserver = jobserver_state(&(struct jobserver_start){a->row, &a->cmd, a->envp, &a->arena});
	if (jobserver)
		key_add_str(&a->key, KEY_STREAM, "jobserver", jobserver);
	if (driver_asks_stdin_width(a->row, &a->cmd, writes_terminal(a)))
		add_stdin_window(a);
	if (a->row->flags & TOOL_UNKNOWN && add_descriptors(a) != REASON_NONE)
		return REASON_BYPASS_SPECIAL_FILE;
	if (a->row->flags & TOOL_STDIN_NEVER)
		return REASON_NONE;
	/* /dev/null reads as nothing, a closed stdin fails: both known. */
	if (sys_statx(0, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0) {
		key_add_str(&a->key, KEY_STREAM, "stdin", "closed");
		return REASON_NONE;
	}
	if ((st.stx_mode & S_IFMT) == S_IFCHR && st.stx_rdev_major == 1 && st.stx_rdev_minor == 3)
		return REASON_NONE;
	start_detail(a, "standard input is not /dev/null");
	return REASON_BYPASS_STDIN;
}

/* The canonical PTX stands for its file. */
static void add_primaries(struct start *a)
{
	struct buf spec = BUF_INIT(&a->arena);

	for (size_t i = 0; i < a->primary_count; i++) {
		struct primary *p = &a->primary[i];

		if (p->response)
			continue;
		spec.len = 0;
		names_path(&a->names, p->path, &spec);
		buf_u8(&spec, 0);
		key_add_digest(&a->key, KEY_PRIMARY, spec.failed ? "" : (const char *)spec.data,
		               a->ptx ? &a->ptx->canonical : &p->keyed);
	}
}

/* A result that the directory may reach is bound to the base above it, whether an argument names that or not. */
static void mind_directory(struct start *a)
{
	struct buf unused = BUF_INIT(&a->arena);

	if (!(a->cmd.flags & CMD_CWD_FREE))
		names_path(&a->names, a->cwd, &unused);
}

enum reason action_key(struct start *a)
{
	enum reason reason;
	struct digest d;
	char entries[16];

	key_init(&a->key, &a->arena);
	format_text(entries, sizeof entries, "%d", ENTRY_VERSION);
	key_add_str(&a->key, KEY_FORMAT, "", KEY_FORMAT_TEXT);
	key_add_str(&a->key, KEY_FORMAT, "of entries", entries);
	reason = add_tool(a);
	if (reason == REASON_NONE)
		reason = add_arguments(a);
	if (reason != REASON_NONE)
		return reason;
	for (const char *name = a->row->env; *name; name += strlen(name) + 1)
		add_variable(a, name);
	reason = add_loader(a);
	if (reason == REASON_NONE)
		reason = add_streams(a);
	if (reason != REASON_NONE)
		return reason;
	if (a->cmd.flags & CMD_NATIVE) {
		cpu_digest(&d);
		key_add_digest(&a->key, KEY_CPU, "native", &d);
	}
	/* Of a step that took another's line table the whole's result holds it. */
	if (a->ptx)
		key_add_str(&a->key, KEY_SETTING, "SLOPPY", a->ptx->sloppy ? "lineinfo" : "");
	else if (start_nests(a) && start_accepts_lineinfo(a))
		key_add_str(&a->key, KEY_SETTING, "SLOPPY", "lineinfo");
	add_primaries(a);
	action_stdin_key(a);
	mind_directory(a);
	if (judge_names(a) < 0)
		return REASON_BYPASS_TOO_LARGE;
	key_final(&a->key, &a->k1);
	return REASON_NONE;
}
