/* trace/tree.c - computes the state of every path from a trace. */
#include "trace/tree.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/path.h"
#include "shim/trace.h"
#include "tools/script/script.h"
#include "tools/tool.h"
#include "trace/kernel.h"
#include "trace/made_files.h"
#include "trace/processes.h"
#include "trace/real_names.h"

#include "shim/banned.h"

/* A record that names a path is about that long. A longer trace names most of its paths again. */
#define RECORD_BYTES 128
#define EXPECTED_MOST 4096

/* A question whether the path exists, before the tree made or removed it. A process that wants to
 * read the path uses the answer, whatever its program is. Examples are __has_include of the
 * compile's own output, and ld's -lx before it makes libx.so. */
static void asked(struct tree *t, struct tree_file *f, const struct event *e, unsigned answer)
{
	const struct tree_process *p = tree_process_of(t, e->pid);

	if (p && p->declared)
		f->flags |= TREE_LOOKED;
	if (!(f->flags & (TREE_MADE | TREE_UNLINKED)))
		f->flags |= answer | (!p || p->minds_output || e->flags & TRACE_FLAG_READING
		                              ? TREE_MINDED : 0);
}

/* A question about the path itself, such as lstat: was a link there? A mode of 0 does not say. */
static void asked_link(struct tree_file *f, const struct event *e)
{
	unsigned type = e->arg & S_IFMT;

	if (!(e->flags & TRACE_FLAG_NOFOLLOW) || f->flags & (TREE_MADE | TREE_UNLINKED))
		return;
	switch (e->op) {
	case TRACE_STAT:
	case TRACE_PRESENT:
		f->flags |= type && type != S_IFLNK ? TREE_NOT_LINK : TREE_NOFOLLOW;
		break;
	case TRACE_ABSENT:
	case TRACE_READ:
	case TRACE_LIST:
		f->flags |= TREE_NOT_LINK;
		break;
	default:
		break;
	}
}

/* A question for permissions. A compiler that may not use a directory for temporary files takes the
 * next directory, and nothing else depends on the answer. It asks for all permissions at once. */
static void asked_access(struct tree *t, struct tree_file *f, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);
	unsigned now = e->arg & ~TRACE_LOWER_HALF, both = f->permissions & now & TRACE_ASKED_ANY;

	if (e->op == TRACE_FAILED && p && !p->declared && p->language == SCRIPT_NONE &&
	    !p->minds_output &&
	    (now & TRACE_ASKED_ANY) == TRACE_ASKED(R_OK | W_OK | X_OK))
		return;
	/* The bits of TRACE_GRANTED are those of TRACE_ASKED, eight higher. */
	if (both && (f->permissions ^ now) & both << 8)
		tree_refuse(t, REASON_UNSTORED_INPUT_CHANGED, f->path);
	f->permissions |= now;
}

/* A nested action sets the flag itself. */
static int enters_times(struct tree *t, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);

	return e->flags & TRACE_FLAG_TIMES || (p && p->enters_times);
}

/* What a step did with an answer is not known. */
static void real_use(struct tree *t, struct tree_file *f, const struct event *e)
{
	struct tree_process *p = tree_process_of(t, e->pid);

	if (!p || e->flags & TRACE_FLAG_NESTED) {
		f->real_uses |= REAL_ANY;
		return;
	}
	if (p->real_use == REAL_INPUT && !p->asked_real)
		f->flags |= TREE_FIRST;
	p->asked_real = 1;
	f->real_uses |= p->real_use;
}

static void look_event(struct tree *t, struct tree_file *f, const struct event *e);

/* What the tree made has a real path that its directory gives: ar names the members of a thin
 * archive by it. */
static void real_of_made(struct tree *t, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);
	struct event of_dir = *e;
	struct tree_file *dir;

	if (!p || p->real_use != REAL_ANY)
		return;
	of_dir.a_len = path_dir_len(e->a);
	of_dir.a = arena_memdup(t->arena, e->a, of_dir.a_len);
	of_dir.b_len = path_dir_len(e->b);
	of_dir.b = arena_memdup(t->arena, e->b, of_dir.b_len);
	if (!of_dir.a || !of_dir.b) {
		tree_no_memory(t);
		return;
	}
	dir = tree_file_of(t, of_dir.a, of_dir.a_len, e->flags & TRACE_FLAG_RELATIVE);
	if (dir && !(dir->flags & TREE_MADE))
		look_event(t, dir, &of_dir);
}

static int preprocesses(struct tree *t, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);

	return p && p->preprocesses;
}

/* An earlier EXEC event may have counted it as a program that runs. */
static void not_started(struct tree *t, struct tree_file *f, const struct event *e)
{
	const struct tree_process *p = tree_process_of(t, e->pid);
	unsigned error = e->arg;

	if (error == ENOEXEC) { /* its content gave the error */
		f->flags |= TREE_READ | TREE_RUN;
		if (p && p->language != SCRIPT_NONE) /* the shell then reads it as a script */
			tree_refuse(t, REASON_UNSTORED_SCRIPT, f->path);
		return;
	}
	if (!f->opens && !f->identity)
		f->flags &= ~(unsigned)(TREE_READ | TREE_RUN);
	if (error == ENOENT || error == ENOTDIR)
		asked(t, f, e, TREE_ABSENT);
	else /* no question could find out when it may be started */
		f->flags |= TREE_PRESENT | TREE_DENIED;
}

static unsigned by_assembler(struct tree *t, const struct event *e)
{
	const struct tree_process *p = e->op == TRACE_READ ? tree_process_of(t, e->pid) : NULL;

	return p && !p->preprocesses && tool_assembles(p->program) ? TREE_BY_ASSEMBLER : 0;
}

static void note_time(struct tree_file *f, const struct event *e)
{
	int64_t at = 0;

	if (e->op == TRACE_READ && e->b_len == sizeof at)
		memcpy(&at, e->b, sizeof at);
	if (!(f->flags & TREE_READ) || at < f->opened_at)
		f->opened_at = at;
}

/* A question to a file that the tree did not make. */
static void look_event(struct tree *t, struct tree_file *f, const struct event *e)
{
	unsigned spare;

	switch (e->op) {
	case TRACE_LOADED:
	case TRACE_READ:
		note_time(f, e);
		if (!(f->flags & TREE_READ))
			f->reader = e->op == TRACE_READ ? e->pid : 0;
		f->opens += e->op == TRACE_READ;
		tree_named_open(t, e, f);
		f->flags |= TREE_READ | (e->flags & TRACE_FLAG_RUN ? TREE_RUN : 0) |
		            by_assembler(t, e);
		f->is_data |= e->op == TRACE_LOADED || !preprocesses(t, e);
		tree_identity(t, f, e->arg);
		break;
	case TRACE_EXEC_FAILED:
		not_started(t, f, e);
		break;
	case TRACE_STAT:
	case TRACE_PRESENT:
		asked(t, f, e, TREE_PRESENT | (e->op == TRACE_STAT ? TREE_STAT : 0));
		f->flags |= e->op == TRACE_STAT && enters_times(t, e) ? TREE_TIMES : 0;
		f->mode = e->arg & TRACE_LOWER_HALF;
		asked_access(t, f, e);
		break;
	case TRACE_FAILED: /* it exists and the tool could not use it: its type is an input */
		f->flags |= TREE_PRESENT |
		            (tree_denies(e->arg & TRACE_LOWER_HALF) ? TREE_DENIED : 0) |
		            (e->flags & TRACE_FLAG_READING ? TREE_MINDED : 0);
		asked_access(t, f, e);
		break;
	case TRACE_LIST:
		f->flags |= TREE_LISTED;
		tree_identity(t, f, e->arg);
		break;
	case TRACE_READLINK:
		if (!f->text) {
			f->flags |= TREE_LINK;
			f->text = tree_copy(t, e->b);
		}
		break;
	case TRACE_REALPATH:
		spare = (unsigned)(strlen(e->a) - strlen(f->path));
		if (e->flags & TRACE_FLAG_RELATIVE && spare > f->real_spare)
			f->real_spare = spare;
		real_use(t, f, e);
		if (!f->real) {
			f->flags |= TREE_REAL;
			f->real = tree_copy(t, e->b);
		}
		break;
	default:
		break;
	}
}

static void file_event(struct tree *t, const struct event *e)
{
	struct tree_file *f;
	int made;

	if (tree_kernel_event(t, e))
		return;
	f = tree_file_of(t, e->a, e->a_len, e->flags & TRACE_FLAG_RELATIVE);
	if (!f)
		return;
	made = f->flags & TREE_MADE;
	asked_link(f, e);
	switch (e->op) {
	case TRACE_EXEC:
	case TRACE_SPAWN:
		/* nvcc --run: the user's program is no compile, and its inputs are unknown. */
		if (made) {
			tree_refuse(t, REASON_UNSTORED_STEP,
			            "a program that the run made was started");
			break;
		}
		f->flags |= TREE_READ | TREE_RUN;
		tree_started(t, e, f);
		break;
	case TRACE_ABSENT:
		asked(t, f, e, TREE_ABSENT);
		break;
	case TRACE_WRITE:
	case TRACE_TEMP:
		tree_make(t, f, e);
		break;
	case TRACE_UPDATE:
		if (!made)
			tree_refuse(t, REASON_UNSTORED_READ_WRITE, f->path);
		break;
	case TRACE_UNLINK:
		tree_removed(t, f, e);
		break;
	case TRACE_MKDIR:
		tree_make(t, f, e);
		f->flags |= TREE_DIR;
		break;
	case TRACE_CHMOD:
	case TRACE_TIMES:
		if (!made)
			tree_refuse(t, REASON_UNSTORED_OUTPUT, f->path);
		else if (e->op == TRACE_CHMOD)
			f->flags |= TREE_CHMOD;
		break;
	default:
		if (!made)
			look_event(t, f, e);
		else if (e->op == TRACE_READ && e->pid == f->maker)
			f->flags |= TREE_READ_BACK;
		else if (e->op == TRACE_REALPATH)
			real_of_made(t, e);
	}
}

/* Results hold no links. Through a symbolic link the tree could read and write files that existed
 * before, under a name that the tree itself made. */
static void link_event(struct tree *t, const struct event *e)
{
	struct tree_file *to = tree_file_of(t, e->b, e->b_len, e->flags & TRACE_FLAG_RELATIVE_B);
	struct tree_file *from;

	if (!to)
		return;
	tree_make(t, to, e);
	from = e->flags & TRACE_FLAG_SYMBOLIC ? NULL : tree_find(t, e->a);
	if (!from || !(from->flags & TREE_MADE))
		tree_refuse(t, REASON_UNSTORED_OUTPUT, to->path);
}

/* The program itself, after all links, however it was started. */
static void program_event(struct tree *t, const struct event *e)
{
	struct event loaded = {.op = TRACE_LOADED, .a = e->a, .a_len = e->a_len};

	tree_process_event(t, e);
	if (e->op == TRACE_PROGRAM)
		loaded.arg = e->arg;
	else if (tool_asks_driver(path_base(e->a)))
		tree_refuse(t, REASON_UNSTORED_STEP,
		            "a program asked for the GPUs here: write -arch=sm_NN, not native");
	if (e->a[0] == '/')
		file_event(t, &loaded);
}

static void event(struct tree *t, const struct event *e)
{
	if (e->flags & TRACE_FLAG_CUT) {
		tree_refuse(t, REASON_UNSTORED_TRACE, "a path is too long to record");
		return;
	}
	tree_named_event(t, e);
	switch (e->op) {
	case TRACE_RENAME:
		tree_rename(t, e);
		break;
	case TRACE_LINK:
		link_event(t, e);
		break;
	case TRACE_GETENV:
		tree_env_event(t, e);
		break;
	case TRACE_GETCWD:
		break; /* results are bound to the cwd wherever it could matter */
	case TRACE_CLOCK:
		tree_clock_event(t, e);
		break;
	case TRACE_CHANCE:
		tree_chance(t, e->pid, e->arg, e->a, e->b);
		break;
	case TRACE_SOCKET:
		tree_refuse(t, REASON_UNSTORED_NETWORK, "");
		break;
	case TRACE_REFUSE:
		tree_refuse(t, REASON_UNSTORED_STEP, tree_copy(t, e->a));
		break;
	case TRACE_PROOFS:
		t->proofs |= e->arg;
		break;
	case TRACE_HOST:
		t->host |= e->arg;
		break;
	case TRACE_OTHER:
		if (tree_makes_jobserver(t, e))
			t->jobserver_left = 1;
		else
			tree_refuse(t, REASON_UNSTORED_OUTPUT, tree_copy(t, e->a));
		break;
	case TRACE_HELLO:
	case TRACE_PROGRAM:
		program_event(t, e);
		break;
	case TRACE_STARTED: /* for the processes that wait for this run */
		break;
	case TRACE_BYE:
	case TRACE_FORKED:
	case TRACE_SYSTEM:
	case TRACE_SCRIPT:
		tree_process_event(t, e);
		break;
	case TRACE_EXEC:
	case TRACE_EXEC_FAILED:
	case TRACE_SPAWN:
		tree_process_event(t, e);
		file_event(t, e);
		break;
	default:
		file_event(t, e);
	}
}

void tree_read(struct tree *t, const void *bytes, size_t n, uint32_t main_pid,
               const char *jobserver, const char *wrappers, struct arena *a)
{
	uint64_t tail, at = TRACE_HEAD;
	uint32_t overflow;
	struct event e;

	memset(t, 0, sizeof *t);
	t->arena = a;
	t->jobserver = jobserver;
	t->wrappers = wrappers;
	if (n < TRACE_HEAD || memcmp(bytes, TRACE_MAGIC, 8) != 0) {
		tree_refuse(t, REASON_UNSTORED_TRACE, "the trace file is missing or damaged");
		return;
	}
	memcpy(&tail, (const char *)bytes + 8, sizeof tail);
	memcpy(&overflow, (const char *)bytes + 24, sizeof overflow);
	if (overflow || tail > n || tail < TRACE_HEAD) {
		tree_refuse(t, REASON_UNSTORED_TRACE, "the trace file is full");
		return;
	}
	t->expected = tail / RECORD_BYTES < EXPECTED_MOST ? tail / RECORD_BYTES : EXPECTED_MOST;
	while (at < tail) {
		if (tree_event_next(&e, bytes, &at, tail) < 0) {
			tree_refuse(t, REASON_UNSTORED_TRACE, "a process left a record incomplete");
			return;
		}
		event(t, &e);
	}
	if (t->jobserver_left)
		tree_refuse(t, REASON_UNSTORED_OUTPUT, t->jobserver);
	tree_check_processes(t, main_pid);
}
