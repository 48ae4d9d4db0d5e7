/* hooks/init.c - the constructor: picks this process's role. In most processes nothing else ever
 * runs.
 *
 * The object is linked with -z initfirst: no thread exists, `environ` is NULL, malloc and fork
 * work. Changes of the environment by a constructor are lost before main, so the exec hooks add the
 * markers for children.
 *
 * The object does nothing in a process that is not its own (shim/loader/object.h). Its hooks then
 * only call the real function, and its variables pass to children, which may be glibc's. */
#include <sys/auxv.h>
#include <sys/resource.h>

#include "action/serve.h"
#include "hooks/caller.h"
#include "jit/jit.h"
#include "keying/loader_variables.h"
#include "shim/kernel/exe.h"
#include "shim/kernel/sandbox.h"
#include "shim/loader/childenv.h"
#include "shim/loader/elfobject.h"
#include "shim/loader/object.h"
#include "shim/loader/stand_in.h"
#include "store/dirs.h"
#include "store/trust.h"
#include "tools/script/script.h"
#include "units/native_build.h"

/* The row of the program, if the kernel was asked to run the program itself; *exe is its resolved
 * path. A script called gcc is a shell, whatever its name; a link called cc is the program that it
 * leads to. */
static const struct tool_row *tool_here(const char *execfn, const char *tools, struct arena *a,
                                        const char **exe)
{
	const struct tool_row *called = tool_find(path_base(execfn), tools), *runs;
	char resolved[PATH_SIZE];
	struct statx x, y;

	if (!called)
		return NULL;
	if (exe_path(resolved, sizeof resolved) <= 0)
		return NULL;
	/* If both names are equal, the kernel runs the file that it was asked for. The names differ
	 * for a script's interpreter, and for a program whose file was moved or replaced since.
	 * Then the inode decides. */
	if (strcmp(execfn, resolved) == 0) {
		*exe = execfn;
		return called;
	}
	if (sys_statx(AT_FDCWD, execfn, 0, STATX_BASIC_STATS, &x) < 0 ||
	    exe_statx(resolved, 0, STATX_BASIC_STATS, &y) < 0 ||
	    !sys_same_file(&x, &y))
		return NULL;
	*exe = arena_strdup(a, resolved);
	/* Facts belong to the program, not to its other names: cc may be clang, ar busybox. */
	runs = tool_find(path_base(resolved), tools);
	if (!*exe || (!runs && !(called->flags & TOOL_UNKNOWN)))
		return NULL;
	return runs ? runs : called;
}

/* Scripts read variables without getenv, and some programs tell what no trace shows. */
static void tell_script(const char *base, int argc, char **argv)
{
	enum script_language language = script_language(base);
	enum script_form form = SCRIPT_UNKNOWN;
	const char *what;

	if (script_teller(base))
		trace_text(TRACE_SCRIPT, 0, base, "", SCRIPT_ARG(SCRIPT_OTHER, form));
	if (script_compiles_input(base, argc, argv))
		trace_text(TRACE_SCRIPT, 0, base, "",
		           SCRIPT_ARG(SCRIPT_OTHER, SCRIPT_READS_STDIN));
	if (language == SCRIPT_NONE)
		return;
	form = script_form(base, argc, argv, &what);
	if (form == SCRIPT_FILE)
		trace_path(TRACE_SCRIPT, 0, AT_FDCWD, what, SCRIPT_ARG(language, form));
	else if (form != SCRIPT_PASSES)
		trace_text(TRACE_SCRIPT, 0, form == SCRIPT_TEXT ? what : base, "",
		           SCRIPT_ARG(language, form));
}

/* 1 if a tool here is an action of its own. */
static int enter_trace(const char *marker, int argc, char **argv, char **envp)
{
	int nests = marker[0] == CHILDENV_NESTS[0];
	const char *acts, *asks;
	char exe[PATH_SIZE];

	if (strcmp(marker, CHILDENV_UNTRACED) == 0) {
		childenv_set_trace(marker);
		return 0;
	}
	if (trace_attach(marker + nests) < 0)
		return 0; /* no hello: the recorder refuses */
	childenv_set_trace(marker);
	trace_hello();
	if (exe_path(exe, sizeof exe) < 0)
		exe[0] = '\0';
	tell_script(path_base(exe), argc, argv);
	/* A process of the tree set the variable: otherwise the tool itself would not have been
	 * recorded. */
	acts = loader_acts(envp);
	if (acts)
		trace_text(TRACE_REFUSE, 0, acts, "", 0);
	asks = chance_argument(argc, argv);
	if (asks)
		trace_text(TRACE_CHANCE, 0, asks, "", CHANCE_RANDOM);
	return nests;
}

/* The row of a step; processes below it are traced for it alone. The compiler of a launcher is a
 * step. A parent action below a parent action is part of it. as and ld below gcc are run, since
 * that is cheaper than storing them. */
static const struct tool_row *step_here(const char *execfn, const char *tools, struct arena *a,
                                        const char **exe, const char *marker)
{
	const struct tool_row *row = tool_here(execfn, tools, a, exe);

	if (!row || row->flags & (TOOL_LAUNCHER | TOOL_PASSED_BY | TOOL_NESTS))
		return NULL;
	childenv_set_trace(marker + 1);
	return row;
}

/* If everything is configured by the environment, a process that is no tool needs no settings of
 * its own. It needs only those that a child with a cleared environment would lack. This is the
 * usual case, and cheap. */
static int plain_host(const char *execfn, char **envp)
{
	const char *xdg = env_get(envp, "XDG_CACHE_HOME"), *home = env_get(envp, "HOME");

	if (env_get(envp, "XDG_RUNTIME_DIR") ||
	    tool_find(path_base(execfn), env_get(envp, "REPRISE_TOOLS")) ||
	    settings_files_present(envp))
		return 0;
	if (env_get(envp, "REPRISE_CACHE_DIR"))
		childenv_init(envp, NULL, "", NULL, 0);
	else if (xdg && *xdg == '/')
		childenv_init(envp, xdg, "/reprise", NULL, 0);
	else if (home && *home == '/')
		childenv_init(envp, home, "/.cache/reprise", NULL, 0);
	else
		return 0;
	return 1;
}

/* True for a tool, judged by its name: it makes more calls than a system call filter may allow.
 * Below a recorded tool the trace checks the filters. */
static int is_called_tool(const char *execfn, const char *tools, const char *trace)
{
	return !(trace && trace[0]) && tool_find(path_base(execfn), tools);
}

struct exec_start {
	const char *execfn;
	int argc;
	char **argv, **envp;
};

/* Counts and logs a tool that is not served because of a system call filter. Runs in a child that
 * the filter may kill. */
static void say_filtered(void *arg)
{
	const struct exec_start *s = arg;
	struct arena arena = ARENA_INIT;
	struct settings *set = arena_alloc(&arena, sizeof *set);
	const struct tool_row *row;
	const char *exe;

	if (!set)
		return;
	settings_load(set, s->envp, &arena);
	if (trust_configured(set))
		digest_use(DIGEST_BLAKE2B);
	row = tool_here(s->execfn, setting_text(set, SETTING_TOOLS), &arena, &exe);
	if (row && !setting_number(set, SETTING_FORCE_DISABLE))
		action_serve(&(struct tool_start){row, exe, s->execfn, s->argc, s->argv, s->envp,
		                                  NESTED_NOT, 0, REASON_BYPASS_FILTER}, set, arena);
}

/* What the process is: a tool that is served, or not (row NULL). */
struct role {
	const struct tool_row *row;
	const char *exe;
	enum nested nested;
};

static void find_role(struct role *r, const struct exec_start *s, const char *tools,
                      const char *trace, struct arena *a)
{
	if (!trace || !trace[0]) {
		r->row = tool_here(s->execfn, tools, a, &r->exe);
		return;
	}
	if (!enter_trace(trace, s->argc, s->argv, s->envp))
		return;
	r->nested = NESTED_STEP;
	r->row = step_here(s->execfn, tools, a, &r->exe, trace);
	if (!r->row && (r->row = step_here(s->execfn, NULL, a, &r->exe, trace)))
		r->nested = NESTED_WATCHED;
}

/* The settings of this process, which its children get, too. */
static void take_settings(struct settings *set, char **envp, struct arena *a)
{
	settings_load(set, envp, a);
	if (trust_configured(set))
		digest_use(DIGEST_BLAKE2B);
	childenv_init(envp, dirs_default_cache(set, envp, a), "",
	              dirs_default_runtime(set, envp, a),
	              setting_number(set, SETTING_FORCE_DISABLE) != 0);
}

static void begin_host(int declares)
{
	unit_host_begin();
	if (declares)
		unit_host_declares();
	jit_on = 1;
}

/* A process without settings. */
static void pass_by(const struct exec_start *s, int filtered)
{
	childenv_init(s->envp, NULL, "", NULL, 0);
	if (filtered) {
		childenv_set_trace(CHILDENV_UNTRACED);
		sandbox_apart(say_filtered, (void *)s);
	}
	real_resolve();
}

/* The work for a tool takes some 40 KB of its stack. Compilers of small texts run with less. */
#define STACK_LEAST (256u << 10)

static int has_stack(void)
{
	struct rlimit stack = {RLIM_INFINITY, RLIM_INFINITY};

	SYS4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &stack);
	return stack.rlim_cur >= STACK_LEAST;
}

/* A tool, a traced process, or a host with settings of its own. */
static void begin(const struct exec_start *s, const char *trace)
{
	int called = is_called_tool(s->execfn, env_get(s->envp, "REPRISE_TOOLS"), trace);
	int filtered = called && !sandbox_begin(0), declares;
	struct arena arena = ARENA_INIT;
	struct settings *set = arena_alloc(&arena, sizeof *set);
	struct role role = {0};
	const char *tools;

	if (!set || filtered) {
		arena_free(&arena);
		pass_by(s, filtered);
		return;
	}
	take_settings(set, s->envp, &arena);
	tools = setting_text(set, SETTING_TOOLS);
	if (!called && is_called_tool(s->execfn, tools, trace)) {
		filtered = !sandbox_begin(0);
		if (filtered)
			sandbox_apart(say_filtered, (void *)s);
	}
	if (!setting_number(set, SETTING_FORCE_DISABLE) && !filtered)
		find_role(&role, s, tools, trace, &arena);
	/* A hit needs none of the real functions, and looking them up is a tenth of its cost. */
	declares = set->units > 0;
	if (role.row && STAND_IN_MARK()) { /* the tool was served */
		if (trace_process())
			trace_detach();
		real_resolve();
		return;
	}
	if (role.row)
		action_serve(&(struct tool_start){role.row, role.exe, s->execfn, s->argc, s->argv,
		                                  s->envp, role.nested,
		                                  unit_native_build(s->argv, set, s->envp),
		                                  REASON_NONE}, set, arena);
	else
		arena_free(&arena);
	real_resolve();
	if (trace_process()) {
		caller_begin();
		preloaded_begin(s->argv, s->envp);
	}
	if (!role.row && !(trace && trace[0]))
		begin_host(declares);
}

static __attribute__((constructor)) void init(int argc, char **argv, char **envp)
{
	struct exec_start start;
	const char *trace;

	if (!owner_is_glibc() || owner_is_sanitizer()) {
		real_resolve();
		return;
	}
	start = (struct exec_start){(const char *)getauxval(AT_EXECFN), argc, argv, envp};
	object_locate();
	/* Two versions in one process would record each other. The first one gets all calls, so
	 * the later one steps back. */
	if (!start.execfn || settings_disabled(envp) || elfobject_precedes(OBJECT_SONAME)) {
		real_resolve();
		childenv_init(envp, NULL, "", NULL, 1);
		return;
	}
	trace = env_get(envp, "REPRISE_TRACE");
	if ((!trace || !trace[0]) && plain_host(start.execfn, envp)) {
		real_resolve();
		begin_host(0);
		return;
	}
	if (!has_stack()) {
		pass_by(&start, 0);
		return;
	}
	emulator_alone = 1;
	begin(&start, trace);
	emulator_alone = 0;
}

/* exit(3) of a traced process: records objects loaded since, and the end. */
static __attribute__((destructor)) void fini(void)
{
	if (!trace_active || !trace_process())
		return;
	trace_loaded();
	trace_bye();
	trace_active = 0;
}
