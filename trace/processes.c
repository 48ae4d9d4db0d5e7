/* trace/processes.c - the processes of a tree, and whether all of them reported. */
#include "trace/processes.h"

#include <string.h>

#include "shim/path.h"
#include "shim/trace.h"
#include "tools/chance.h"
#include "tools/cmdline/jobserver.h"
#include "tools/script/script.h"

#include "shim/banned.h"

/* libc runs it for system and popen. */
#define SYSTEM_SHELL "/bin/sh"

#define INDEX_FIRST 128

/* The slot of a pid, or the free slot for it. The pid is its hash: the pids of a tree are
 * neighbours, and neighbours get neighbouring slots. */
static struct index_slot *slot_of(struct tree *t, uint32_t pid)
{
	struct index_slot *s = index_table_first(&t->process_index, pid);

	while (t->process_steps++, s->place && s->hash != pid)
		s = index_table_next(&t->process_index, s);
	return s;
}

struct tree_process *tree_process_of(struct tree *t, uint32_t pid)
{
	struct tree_process *p;
	struct index_slot *slot;

	if (index_table_room(&t->process_index, INDEX_FIRST, t->arena) < 0)
		goto fail;
	slot = slot_of(t, pid);
	if (slot->place)
		return &t->process[slot->place - 1];
	if (t->process_count == t->process_cap) {
		if (!arena_room(t->arena, t->process, t->process_count, &t->process_cap, 64))
			goto fail;
	}
	p = &t->process[t->process_count++];
	*p = (struct tree_process){.pid = pid, .program = "", .path = "", .minds_output = 1,
	                            .real_use = REAL_ANY};
	index_table_take(&t->process_index, slot, pid);
	return p;
fail:
	tree_no_memory(t);
	return NULL;
}

static void add_script(struct tree *t, const struct tree_script *new)
{
	if (!arena_room(t->arena, t->script, t->script_count, &t->script_cap, 16)) {
		tree_no_memory(t);
		return;
	}
	t->script[t->script_count++] = *new;
}

/* verb, what: what is wrong with the script. script: NULL: not known. */
static void refuse_script(struct tree *t, const char *verb, const char *what, const char *script)
{
	const char *detail = script ? arena_cat(t->arena, path_base(script), ": ", verb, what,
	                                        ": set REPRISE_WRAPPERS=", script, NULL)
	                            : what;

	tree_refuse(t, REASON_UNSTORED_SCRIPT, detail ? detail : what);
}

/* What it runs, its owner vouches for, and for the programs that it starts. */
static void declare(struct tree *t, struct tree_process *p, const char *path)
{
	p->declared = 1;
	p->language = SCRIPT_NONE;
	p->scripted = 0;
	add_script(t, &(struct tree_script){path, path, SCRIPT_OTHER, SCRIPT_DECLARED});
}

/* 1: whatever the process draws does not count. */
static int draws_freely(const struct tree_process *p)
{
	/* A library of a host. */
	return p && ((p->hello && !*p->program) || p->declared);
}

static void refuse_chance(struct tree *t, unsigned kind, const char *program, const char *what)
{
	const char *detail = arena_cat(t->arena, program, ": ", what, NULL);

	if (!detail)
		tree_no_memory(t);
	else
		tree_refuse(t, kind == CHANCE_TIME ? REASON_UNSTORED_TIME : REASON_UNSTORED_RANDOM,
		            detail);
}

/* The recorded tool, under a name that its user added (REPRISE_TOOLS). */
static int is_added(struct tree *t, const struct tree_process *p)
{
	return !tool_known(p->program) && !tree_process_of(t, p->parent)->hello;
}

/* A compiled wrapper has no text that says what it asks for. */
static void check_wrapper(struct tree *t, const struct tree_process *starter, const char *program,
                          int in_place)
{
	if (!starter->declared && script_language(starter->program) == SCRIPT_NONE &&
	    tool_is_wrapper(starter->program, program, in_place) && !is_added(t, starter))
		refuse_script(t, "starts ", program, starter->path);
}

/* Random numbers of the program that no name accounts for. */
static void settle_draws(struct tree *t, struct tree_process *p)
{
	if (p->devices && !chance_harmless(p->program, CHANCE_DEVICE))
		refuse_chance(t, CHANCE_RANDOM, p->program, CHANCE_DEVICE);
	if (p->draws && !chance_harmless(p->program, p->drew))
		refuse_chance(t, CHANCE_RANDOM, p->program, p->drew);
	p->devices = p->draws = 0;
}

static void hello(struct tree *t, struct tree_process *p, const struct event *e)
{
	struct tree_process *parent = tree_process_of(t, e->arg);
	const struct tool_row *row;
	const char *script;
	int by_declared;

	p = tree_process_of(t, e->pid); /* the table may have moved */
	p->by_script = p->scripted || (parent && parent->scripted);
	script = p->script ? p->script : parent ? parent->script : NULL;
	by_declared = p->declared || (parent && parent->declared);
	if (!draws_freely(p))
		settle_draws(t, p);

	if (p->became && !p->bye)
		check_wrapper(t, p, path_base(e->a), 1);
	else if (parent)
		check_wrapper(t, parent, path_base(e->a), 0);
	p->became = 1;

	/* A launcher's own cache would be among the inputs and outputs. */
	p->path = tree_copy(t, e->a);
	p->program = path_base(p->path);
	p->minds_output = tool_minds_output(p->program);
	row = tool_known(p->program);
	p->enters_times = row && row->flags & TOOL_ENTERS_TIMES;
	p->holds_output = row && row->flags & TOOL_HOLDS_OUTPUT;
	p->preprocesses = tool_preprocesses(p->program);
	p->real_use = tool_real_use(p->program);
	p->asked_real = 0;
	p->language = SCRIPT_NONE;
	p->scripted = p->by_script && script_language(p->program) != SCRIPT_NONE;
	p->script = p->scripted ? script : NULL;
	p->declared = by_declared && !row;
	if (script_declared(t->wrappers, p->path))
		declare(t, p, p->path);
	else if (p->by_script && !script_may_start(p->program))
		refuse_script(t, "starts ", p->program, script);
	if (row && row->flags & TOOL_LAUNCHER)
		tree_refuse(t, REASON_UNSTORED_STEP, p->program);
	p->parent = e->arg;
	p->hello = 1;
	p->bye = 0;
	p->reports += !p->expected;
	p->reporting = !p->expected;
	p->expected = 0;
	p->identity = 0;
	if (!parent || parent->systems == 0 || strcmp(e->b, SYSTEM_SHELL) != 0)
		return;
	parent->systems--;
	p->reports = 0; /* that was the shell */
}

/* The former program of this process says nothing about the new program. */
static void starting(struct tree_process *p)
{
	p->expected = 1;
	p->identity = 0;
	p->started = 0;
}

void tree_started(struct tree *t, const struct event *e, struct tree_file *f)
{
	struct tree_process *p = tree_process_of(t, e->op == TRACE_SPAWN ? e->arg : e->pid);
	int late = p && p->late && e->op == TRACE_SPAWN;

	/* By now it may run another program. */
	if (late && !p->reporting)
		tree_identity(t, f, p->reported_identity);
	else if (p && p->identity)
		tree_identity(t, f, p->identity);
	else if (p)
		p->started = (size_t)(f - t->file) + 1;
}

static const char *tidied(struct tree *t, const char *path)
{
	char *tidy = arena_strdup(t->arena, path);

	if (!tidy) {
		tree_no_memory(t);
		return "";
	}
	path_tidy(tidy);
	return tidy;
}

/* 1: a tool wrote the script, such as the makefile of lto-wrapper, or that script's interpreter
 * runs a line of it. */
static int is_of_tool(struct tree *t, uint32_t pid, const char *interpreter)
{
	const struct tree_process *p = tree_process_of(t, pid);
	const char *program = p ? p->program : "";

	if (tool_writes_script(program, interpreter))
		return 1;
	p = p && p->hello ? tree_process_of(t, p->parent) : NULL;
	return p && tool_writes_script(p->program, program);
}

/* judge/script/scripts.c reads a shell's script. A script in another language is declared, or
 * refused. */
static void script(struct tree *t, struct tree_process *p, const struct event *e)
{
	struct tree_script new = {.what = tree_copy(t, e->a), .language = e->arg & 0xff,
	                          .form = e->arg >> 8};
	int shell = new.language == SCRIPT_SH || new.language == SCRIPT_BASH;
	int own = is_of_tool(t, p->parent, e->a);
	const struct tree_process *parent = tree_process_of(t, p->parent);

	p = tree_process_of(t, e->pid); /* the table may have moved */
	if (own || p->declared)
		return;
	if (new.form == SCRIPT_READS_STDIN) {
		if (p->by_script)
			refuse_script(t, "standard input is read by ", new.what, p->script);
		return;
	}
	if (new.form == SCRIPT_FILE)
		new.what = tidied(t, new.what);
	if (new.form == SCRIPT_FILE && script_declared(t->wrappers, new.what)) {
		declare(t, p, new.what);
		return;
	}
	if (new.form == SCRIPT_UNKNOWN)
		refuse_script(t, "starts ", new.what, p->script);
	if (new.form == SCRIPT_FILE && !shell)
		refuse_script(t, "", "not a shell script", new.what);
	if (new.form == SCRIPT_TEXT || new.form == SCRIPT_FILE) {
		p->language = new.language;
		p->scripted = 1;
		p->script = new.form == SCRIPT_FILE ? new.what : parent ? parent->path : "";
		new.where = p->script;
	}
	add_script(t, &new);
}

/* A child runs its parent's program until it starts another. */
static void forked(struct tree *t, const struct event *e)
{
	const struct tree_process *parent = tree_process_of(t, e->arg);
	/* Second, since the first call may move the table; this process is in it already. */
	struct tree_process *p = tree_process_of(t, e->pid);

	if (p && parent) {
		p->program = parent->program;
		p->path = parent->path;
		p->minds_output = parent->minds_output;
		p->enters_times = parent->enters_times;
		p->holds_output = parent->holds_output;
		p->preprocesses = parent->preprocesses;
		p->real_use = parent->real_use;
		p->asked_real = parent->asked_real;
		p->language = parent->language;
		p->scripted = parent->scripted;
		p->script = parent->script;
		p->declared = parent->declared;
	}
	if (p) {
		p->hello = 1;
		p->bye = p->became = 0;
	}
}

void tree_process_event(struct tree *t, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid);

	if (!p)
		return;
	switch (e->op) {
	case TRACE_HELLO:
		hello(t, p, e);
		break;
	case TRACE_PROGRAM:
		/* The file that was started may be a script, and this its interpreter. */
		p->identity = script_language(p->program) == SCRIPT_NONE ? e->arg : 0;
		if (p->reporting)
			p->reported_identity = p->identity;
		p->reporting = 0;
		if (p->started && p->identity)
			tree_identity(t, &t->file[p->started - 1], e->arg);
		p->started = 0;
		break;
	case TRACE_FORKED:
		forked(t, e);
		break;
	case TRACE_BYE:
		p->bye = 1;
		break;
	case TRACE_EXEC: /* by this pid: a vfork or fork child, or the process itself */
		starting(p);
		break;
	case TRACE_EXEC_FAILED:
		p->expected = 0;
		p->started = 0;
		break;
	case TRACE_SPAWN: /* the child may have said hello already, and bye */
		p = tree_process_of(t, e->arg);
		if (p)
			p->late = p->reports > 0;
		if (p && p->late)
			p->reports--;
		else if (p)
			starting(p);
		break;
	case TRACE_SYSTEM:
		p->systems++;
		break;
	case TRACE_SCRIPT:
		script(t, p, e);
		break;
	default:
		break;
	}
}

/* Another answer to the same question: a process of the tree set the variable for some processes,
 * and others still see the first value. */
static int is_known(const struct tree_env *known, const struct event *e)
{
	if (strcmp(known->name, e->a) != 0)
		return 0;
	return e->flags & TRACE_FLAG_UNSET ? !known->value
	                                   : known->value && strcmp(known->value, e->b) == 0;
}

void tree_env_event(struct tree *t, const struct event *e)
{
	for (size_t i = 0; i < t->env_count; i++)
		if (is_known(&t->env[i], e))
			return;
	if (t->env_count == t->env_cap) {
		if (!arena_room(t->arena, t->env, t->env_count, &t->env_cap, 64)) {
			tree_no_memory(t);
			return;
		}
	}
	t->env[t->env_count++] = (struct tree_env){
		tree_copy(t, e->a), e->flags & TRACE_FLAG_UNSET ? NULL : tree_copy(t, e->b)};
}

/* These compilers call localtime for __TIME__ and __DATE__ only. In an unknown program every call
 * counts. */
void tree_clock_event(struct tree *t, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid);
	const struct tool_row *row = p ? tool_known(p->program) : NULL;

	/* A library of a host: jit/source_text.h searches its texts instead. */
	if (p && p->hello && !*p->program)
		return;
	if (p && p->declared)
		return;
	if (e->arg == 1 && row && tool_dates_outputs(row)) {
		t->dates++;
		return;
	}
	if (e->arg == 1 && (!row || row->flags & TOOL_TIME_BY_LOCALTIME))
		tree_refuse(t, REASON_UNSTORED_TIME, p ? p->program : "");
}

int tree_makes_jobserver(struct tree *t, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid);

	if (!p || t->jobserver || !jobserver_is_made(p->program, e->a, e->b))
		return 0;
	t->jobserver = tree_copy(t, e->b);
	return 1;
}

/* rustc makes files when all macros have run. */
static int makes(const struct tree *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->file[i].flags & TREE_MADE)
			return 1;
	return 0;
}

static void add_drawn(struct tree *t, const char *text)
{
	const char **v = arena_grow(t->arena, t->drawn, t->drawn_count, &t->drawn_cap, sizeof *v,
	                            8);

	if (!v) {
		tree_no_memory(t);
		return;
	}
	t->drawn = v;
	v[t->drawn_count++] = tree_copy(t, text);
}

/* 1: the event says where random numbers of this process went. */
static int accounts(struct tree *t, struct tree_process *p, unsigned kind, const char *what)
{
	switch (kind) {
	case CHANCE_OPENED:
		p->devices++;
		return 1;
	case CHANCE_SEEDED:
		p->devices--;
		break;
	case CHANCE_DRAWN:
		p->draws++;
		p->drew = tree_copy(t, what);
		return 1;
	case CHANCE_NAMED:
		p->draws--;
		break;
	default:
		return 0;
	}
	if (!chance_harmless(p->program, CHANCE_DEVICE))
		add_drawn(t, what);
	return 1;
}

void tree_chance(struct tree *t, uint32_t pid, unsigned kind, const char *what,
                 const char *library)
{
	struct tree_process *p = tree_process_of(t, pid);
	const char *program = p ? p->program : "";
	const struct tool_row *row;

	if (draws_freely(p) || (p && accounts(t, p, kind, what)))
		return;
	if (strcmp(what, CHANCE_SHARED_SEED) == 0) {
		t->shared_seed |= *library || !makes(t);
		return;
	}
	if (*library ? chance_library_harmless(library, what) : chance_harmless(program, what))
		return;
	if (!*library && chance_measures(program, what)) {
		t->linker_asks_time = p->asked_time = 1;
		return;
	}
	if (strcmp(what, CHANCE_STATS) == 0)
		kind = CHANCE_TIME;
	row = tool_known(program);
	program = *library ? path_base(library) : program;
	if (kind == CHANCE_TIME && row && tool_dates_outputs(row) && strcmp(what, "time") == 0)
		t->dated = 1;
	else
		refuse_chance(t, kind, program, what);
}

void tree_check_processes(struct tree *t, uint32_t main_pid)
{
	const struct tree_process *tool = tree_process_of(t, main_pid);

	/* The tool could not map the trace (a limit on address space), so its actions are
	 * unknown. */
	if (!tool || !tool->hello)
		tree_refuse(t, REASON_UNSTORED_TRACE,
		            "the tool could not map the trace file (`ulimit -v`)");
	for (size_t i = 0; i < t->process_count; i++) {
		struct tree_process *p = &t->process[i];

		if (!draws_freely(p))
			settle_draws(t, p);
		if (p->expected || p->systems > 0)
			tree_refuse(t, REASON_UNSTORED_UNTRACED, p->program);
		else if (p->hello && !p->bye)
			tree_refuse(t, REASON_UNSTORED_ALIVE, p->program);
	}
}
