/* action/actionkey.c - the action key: everything that is known before the tool runs
 * (docs/internals/keys.md). */
#include "action/action.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "judge/input/input.h"
#include "judge/name/name_list.h"
#include "judge/proof_verbs.h"
#include "judge/start.h"
#include "keying/loader_variables.h"
#include "keying/machine.h"
#include "names/bases.h"
#include "names/names.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"
#include "tools/cmdline/jobserver.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* Number of the key's composition; raise it when a field changes meaning. */
#define KEY_FORMAT_TEXT "14"
/* A shell or a job keeps higher numbers for itself. */
#define GENERIC_DESCRIPTORS 256

static void add_library(struct start *s, const char *path)
{
	struct digest d;
	const char *label = s->row->flags & TOOL_SELF_CONTAINED ? path_base(path) : path;

	if (probe_file(&s->prober, path, &d, NULL) == 0)
		key_add_digest(&s->key, KEY_LIBRARY, label, &d);
	else
		key_add_str(&s->key, KEY_LIBRARY, label, "unreadable");
}

static int each_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *path = object_library(info);

	if (path)
		add_library(ctx, path);
	return 0;
}

static enum reason add_tool(struct start *s)
{
	struct digest d;
	int rc = probe_file(&s->prober, s->call.exe, &d, NULL);

	if (rc < 0) {
		start_detail(s, "cannot read %s", s->call.exe);
		return REASON_BYPASS_ARGUMENTS;
	}
	key_add_digest(&s->key, KEY_TOOL, s->call.base, &d);
	if (!(s->row->flags & TOOL_SELF_CONTAINED)) {
		key_add_str(&s->key, KEY_TOOL_PATH, "runs", s->call.exe);
		key_add_str(&s->key, KEY_TOOL_PATH, "called", s->call.execfn);
	}
	dl_iterate_phdr(each_library, s);
	return REASON_NONE;
}

/* The file that is there where the argument names an output. NULL: none is named, or there. */
static const struct statx *output_now(struct prober *prober, const struct cmdline_arg *arg,
                                      struct statx *st)
{
	const char *path = arg->text + (arg->role == ARG_OUTPUT_JOINED ? arg->at : 0);

	if (arg->role != ARG_OUTPUT && arg->role != ARG_OUTPUT_JOINED)
		return NULL;
	return probe_stat(prober, path, st) == 0 ? st : NULL;
}

/* Spells argument i for the key. now: the file that is there, if the argument names an output. 0:
 * the key leaves the argument out. */
static int spell(struct start *s, int i, const struct statx *now, struct buf *spec)
{
	const char *text = s->cmd.v[i].text;
	int done = 0;

	spec->len = 0;
#define ARGUMENT(call) done = done ? done : (call);
#include "proofs/proofs.def"
	if (!done)
		names_arg(&s->names, i == 0 && s->row->flags & TOOL_SELF_CONTAINED ? path_base(text)
		                                                                   : text, 1, spec);
	return done >= 0;
}

static enum reason add_arguments(struct start *s)
{
	struct buf spec = BUF_INIT(&s->arena);

	/* Arguments no longer hold the names of response files, but the tool reads the files. */
	INVOCATION_RESPONSES(i, &s->call)
		names_arg(&s->names, s->call.argv[i], 1, &spec);
	for (int i = 0; i < s->cmd.count; i++) {
		const struct cmdline_arg *arg = &s->cmd.v[i];
		struct statx st;
		const struct statx *now = output_now(&s->prober, arg, &st);

		if (!spell(s, i, now, &spec))
			continue;
		if (spec.failed || s->names.overflow)
			return REASON_BYPASS_TOO_LARGE;
		key_add(&s->key, arg->from_response ? KEY_RESPONSE : KEY_ARG, "", spec.data,
		        spec.len);
		if (now && !S_ISREG(now->stx_mode)) {
			unsigned type = now->stx_mode & S_IFMT;

			key_add(&s->key, KEY_OUTPUT_TYPE, "", &type, sizeof type);
		}
	}
	return REASON_NONE;
}

static void add_variable(struct start *s, const char *name)
{
	struct buf spec = BUF_INIT(&s->arena);
	const char *value = invocation_env(&s->call, name);

	if (!value)
		return;
	names_env(&s->names, value, tool_env_quotes(name), &spec);
	key_add(&s->key, KEY_ENV, name, spec.data, spec.len);
}

/* Reprise cannot see the loader's work for the passes below. This program's own libraries are keyed
 * separately. */
static enum reason add_loader(struct start *s)
{
	int self_contained = (s->row->flags & TOOL_SELF_CONTAINED) != 0;
	const char *acts = loader_acts(s->call.envp);
	struct buf others = BUF_INIT(&s->arena);

	if (acts) {
		start_detail(s, "%s is set", acts);
		return REASON_BYPASS_LOADER;
	}
	for (const char *name = loader_variables(self_contained); *name; name += strlen(name) + 1)
		if (loader_value_counts(name, invocation_env(&s->call, name)))
			add_variable(s, name);
	if (self_contained)
		return REASON_NONE;
	loader_preloads(&others, invocation_env(&s->call, "LD_PRELOAD"), object_path());
	if (others.len)
		key_add(&s->key, KEY_ENV, "LD_PRELOAD", others.data, others.len);
	if (sys_access(LOADER_PRELOAD_FILE, F_OK) == 0)
		add_library(s, LOADER_PRELOAD_FILE);
	return others.failed ? REASON_BYPASS_TOO_LARGE : REASON_NONE;
}

static void look_at_stream(struct streams *s, int fd)
{
	struct termios t;
	struct winsize w = {0, 0, 0, 0};

	s->flags[fd] = sys_fcntl(fd, F_GETFL, 0);
	if (s->flags[fd] == -EBADF) {
		s->kind[fd] = STREAM_CLOSED;
	} else if (sys_ioctl(fd, TCGETS, &t) == 0) {
		s->kind[fd] = STREAM_TERMINAL;
		sys_ioctl(fd, TIOCGWINSZ, &w);
		s->columns[fd] = w.ws_col;
	} else {
		s->kind[fd] = STREAM_OTHER;
	}
}

/* A closed stream's number goes to the next file that the tool opens. Whether an open stream is a
 * terminal matters to known tools only if they write to it (judge/input/stream_state.c). */
static void add_stream(struct start *s, int fd, const char *label)
{
	if (s->streams.kind[fd] == STREAM_CLOSED)
		key_add_str(&s->key, KEY_STREAM, label, "closed");
	else if (s->row->flags & TOOL_UNKNOWN)
		key_add_str(&s->key, KEY_STREAM, label,
		            s->streams.kind[fd] == STREAM_TERMINAL ? "terminal" : "other");
	if (s->streams.kind[fd] == STREAM_TERMINAL && s->row->flags & TOOL_UNKNOWN) {
		const char *columns = invocation_env(&s->call, "COLUMNS");
		const char *term = invocation_env(&s->call, "TERM");

		key_add(&s->key, KEY_STREAM, "columns", &s->streams.columns[fd],
		        sizeof s->streams.columns[fd]);
		key_add_str(&s->key, KEY_ENV, "COLUMNS", columns ? columns : "");
		key_add_str(&s->key, KEY_ENV, "TERM", term ? term : "");
	}
}

/* The width of the terminal on standard input, for a tool that asks for it. */
static void look_at_stdin(struct start *s)
{
	struct winsize w;

	s->streams.asks_width = driver_asks_stdin_width(s->row, &s->cmd, 0);
	if (driver_asks_stdin_width(s->row, &s->cmd, streams_any_terminal(&s->streams)) &&
	    sys_ioctl(0, TIOCGWINSZ, &w) == 0)
		s->streams.stdin_columns = w.ws_col;
}

/* A write to a device may fail or have an effect of its own (/dev/full), so the tool itself must
 * write. */
static int is_device(const struct statx *st)
{
	return (st->stx_mode & S_IFMT) == S_IFCHR &&
	       !(st->stx_rdev_major == 1 && st->stx_rdev_minor == 3);
}

/* The reader of a datagram, or of a packet of a pipe, sees where each write ends. Over a network a
 * write succeeds although the peer has gone. Neither is so of a stream within this machine. */
static int shows_writes(int fd, const struct statx *st, long flags)
{
	int type = 0, domain = 0;
	socklen_t n = sizeof type, m = sizeof domain;

	if (S_ISFIFO(st->stx_mode))
		return flags >= 0 && (flags & O_DIRECT) != 0;
	if (!S_ISSOCK(st->stx_mode))
		return 0;
	return SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &n) < 0 ||
	       SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &m) < 0 ||
	       type != SOCK_STREAM || domain != AF_UNIX;
}

/* NULL, or why the tool itself must write to this stream. To our pipe no write fails. Bash leaves a
 * descriptor for reading where stderr was closed: that of its script. */
static const char *odd_stream(int fd, const struct statx *st, long flags)
{
	if (is_device(st))
		return "a device";
	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
		return "open for reading alone";
	return shows_writes(fd, st, flags) ? "a socket or pipe whose reader sees each write" : NULL;
}

static enum reason check_streams(struct start *s)
{
	struct statx st[3];

	memset(st, 0, sizeof st);
	for (int fd = 1; fd <= 2; fd++) {
		long flags = s->streams.flags[fd];
		const char *odd;

		if (s->streams.kind[fd] == STREAM_OTHER &&
		    sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st[fd]) < 0)
			memset(&st[fd], 0, sizeof st[fd]);
		odd = odd_stream(fd, &st[fd], flags);
		if (!odd)
			continue;
		start_detail(s, "standard %s is %s", streams_name(fd), odd);
		return REASON_BYPASS_STDIO;
	}
	return stream_files(s, st);
}

/* Descriptors other than the streams. Known tools do not look at them: every process inherits
 * make's jobserver. A tool without a row may look, so their numbers are keyed. A start that could
 * read from such a descriptor is refused. */
static enum reason add_descriptors(struct start *s)
{
	for (int fd = 3; fd < GENERIC_DESCRIPTORS; fd++) {
		long flags = sys_fcntl(fd, F_GETFL, 0);
		struct statx st;

		/* A close-on-exec descriptor is the memo's: no such descriptor survives the exec of
		 * this tool. */
		if (flags < 0 || sys_fcntl(fd, F_GETFD, 0) & FD_CLOEXEC)
			continue;
		key_add(&s->key, KEY_STREAM, "descriptor", &fd, sizeof fd);
		if ((flags & O_ACCMODE) != O_WRONLY &&
		    sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) == 0 &&
		    (st.stx_mode & S_IFMT) == S_IFREG) {
			start_detail(s, "descriptor %d is an open file", fd);
			return REASON_BYPASS_SPECIAL_FILE;
		}
	}
	return REASON_NONE;
}

static enum reason add_streams(struct start *s)
{
	const char *jobserver;
	enum reason reason;
	struct statx st;

	look_at_stream(&s->streams, 1);
	look_at_stream(&s->streams, 2);
	add_stream(s, 1, "stdout");
	add_stream(s, 2, "stderr");
	reason = check_streams(s);
	if (reason != REASON_NONE)
		return reason;
	if (s->row->flags & TOOL_UNKNOWN) {
		const char *limits = stream_limits(s);

		key_add_str(&s->key, KEY_STREAM, "one", s->streams.one_stream ? "yes" : "no");
		if (!limits || *limits)
			key_add_str(&s->key, KEY_STREAM, "limits", limits ? limits : "unknown");
	}
	jobserver = jobserver_state(&(struct jobserver_start){s->row, &s->cmd, s->call.envp,
	                                                      &s->arena});
	if (jobserver)
		key_add_str(&s->key, KEY_STREAM, "jobserver", jobserver);
	look_at_stdin(s);
	if (s->row->flags & TOOL_UNKNOWN && add_descriptors(s) != REASON_NONE)
		return REASON_BYPASS_SPECIAL_FILE;
	/* nvcc without one starts gcc with a file in its place, and fails. */
	if (sys_fcntl(0, F_GETFD, 0) < 0) {
		key_add_str(&s->key, KEY_STREAM, "stdin", "closed");
		return REASON_NONE;
	}
	if (s->row->flags & TOOL_STDIN_NEVER)
		return REASON_NONE;
	/* /dev/null reads as empty. */
	if (sys_statx(0, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0)
		return REASON_BYPASS_STDIN;
	if ((st.stx_mode & S_IFMT) == S_IFCHR && st.stx_rdev_major == 1 && st.stx_rdev_minor == 3)
		return REASON_NONE;
	start_detail(s, "standard input is not /dev/null");
	return REASON_BYPASS_STDIN;
}

/* The digest of a text without its names replaces that of the file. The arguments in response files
 * are keyed elsewhere. Here the number of response files is keyed. Even for an empty response file
 * gcc passes options by a file of its own, which -save-temps keeps and -v names. */
static void add_primaries(struct start *s)
{
	struct buf spec = BUF_INIT(&s->arena);
	size_t responses = 0;

	for (size_t i = 0; i < s->primaries.count; i++) {
		struct primary *p = &s->primaries.v[i];

		responses += p->response != 0;
		if (p->response)
			continue;
		spec.len = 0;
		if (!names_put_output(&s->names, s->call.cwd, p->whole, &spec))
			names_path(&s->names, p->path, &spec);
		buf_u8(&spec, 0);
		key_add_digest(&s->key, KEY_PRIMARY, spec.failed ? "" : (const char *)spec.data,
		               &p->keyed);
	}
	if (responses) {
		char number[24];

		format_text(number, sizeof number, "%zu", responses);
		key_add_str(&s->key, KEY_RESPONSE_FILES, "", number);
	}
}

/* 1: generated names of the directory can be exchanged in debug information. */
static int shows_directory(const struct tool_row *row, const struct cmdline *cmd)
{
	unsigned reach = driver_reach(row, cmd, ROLE_CWD);

	return reach & (REACH_LINES | REACH_DEBUG) && !(reach & REACH_ANYTHING);
}

/* If the directory may reach the result, the result is bound to the base above the directory. This
 * holds whether or not an argument names that base. Generated names of the directory that can be
 * exchanged are numbered behind those of the arguments. */
static void mind_directory(struct start *s)
{
	struct buf unused = BUF_INIT(&s->arena);

	/* An answer of realpath may be shorter than its question there (judge/inputs.c). */
	if (s->call.cwd_len == 1)
		key_add_str(&s->key, KEY_SETTING, "directory", s->call.cwd);
#define SPELLED(call) call;
#include "proofs/proofs.def"
	if (!(s->cmd.flags & CMD_CWD_FREE) && !s->names.base[NAME_KIND_DIRECTORY].len &&
	    names_generated(&s->names, s->call.cwd, s->call.cwd_len) &&
	    shows_directory(s->row, &s->cmd))
		names_arg(&s->names, s->call.cwd, 1, &unused);
	if (!(s->cmd.flags & CMD_CWD_FREE))
		names_path(&s->names, s->call.cwd, &unused);
}

static int ignores_children(void)
{
	struct signals_kernel was = {0};

	return SYS4(SYS_rt_sigaction, SIGCHLD, NULL, &was, SIGNALS_SET_SIZE) == 0 &&
	       was.handler == SIG_IGN;
}

/* From 1000 levels on, each bash below the tool says so. Fewer levels shape nothing. */
static void add_shell_level(struct start *s)
{
	const char *level = invocation_env(&s->call, "SHLVL");
	size_t n = level ? strlen(level) : 0;

	if (n > 3 || (n == 3 && (*level < '0' || *level > '8')))
		key_add_str(&s->key, KEY_ENV, "SHLVL", level);
}

enum reason action_key(struct start *s)
{
	enum reason reason;
	struct digest d;
	char entries[16];

	key_init(&s->key, &s->arena);
	s->names.files = s->names.target_of = s->names.depfile_of = 0;
	format_text(entries, sizeof entries, "%d", ENTRY_VERSION);
	key_add_str(&s->key, KEY_FORMAT, "", KEY_FORMAT_TEXT);
	key_add_str(&s->key, KEY_FORMAT, "of entries", entries);
	reason = add_tool(s);
	if (reason == REASON_NONE)
		reason = add_arguments(s);
	if (reason != REASON_NONE)
		return reason;
	for (const char *name = s->row->env; *name; name += strlen(name) + 1)
		add_variable(s, name);
	reason = add_loader(s);
	if (reason == REASON_NONE)
		reason = add_streams(s);
	if (reason != REASON_NONE)
		return reason;
	if (s->cmd.flags & CMD_NATIVE) {
		cpu_digest(&d);
		key_add_digest(&s->key, KEY_CPU, "native", &d);
	}
	if (s->cmd.flags & CMD_SHOWS_MEMORY) {
		struct host_memory memory;

		host_memory(&memory);
		key_add(&s->key, KEY_CPU, "memory", &memory, sizeof memory);
	}
	if (s->lines)
		key_add_str(&s->key, KEY_SETTING, "order of strings", "settled");
	/* The parent action's result contains the line table of a step that accepted another line
	 * table. */
	if (s->text)
		key_add_str(&s->key, KEY_SETTING, "SLOPPY", s->text->sloppy ? "lineinfo" : "");
	else if (start_nests(s) && start_accepts(&s->set, "lineinfo"))
		key_add_str(&s->key, KEY_SETTING, "SLOPPY", "lineinfo");
	else if (s->cmd.flags & CMD_DEBUG_ANYWHERE)
		key_add_str(&s->key, KEY_SETTING, "SLOPPY", "debugdir");
	/* clang and rustc then cannot learn how a process that they start has ended. */
	if (ignores_children())
		key_add_str(&s->key, KEY_SETTING, "SIGCHLD", "ignored");
	add_shell_level(s);
	add_primaries(s);
	action_stdin_key(s);
	mind_directory(s);
	if (judge_names(s) < 0)
		return REASON_BYPASS_TOO_LARGE;
	key_final(&s->key, &s->k1);
	s->flight = s->k1;
#define FLIGHT(call) call;
#include "proofs/proofs.def"
	return REASON_NONE;
}
