/* agent/ahead.c - brings what a job will use, before it asks. */
#include "agent/ahead.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/fill.h"
#include "agent/memory_limit.h"
#include "shim/format.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/sys.h"
#include "store/job/counters.h"
#include "store/job/events.h"
#include "store/job/job_used.h"

#define LISTS 8
#define SETS 4096u
/* Where a store answers one question at a time, a list is brought by several processes. Four for a
 * long list, and more where a row takes long: each waits for its rows' round trips for so long. */
#define PARTS 4u
#define PARTS_FROM 64
#define PARTS_MOST 8u
#define PART_NS 100000000ll
/* A store may hold a process in the kernel, as a directory on a server that went away does. */
#define LASTS_MOST_NS 600000000000ll
/* Questions that last longer than this are of a store that hangs: each one has its deadline. */
#define YIELD_MOST_MS 1000

/* One list. Its processes write what is atomic here; the agent writes the rest. */
struct ahead_list {
	struct digest key;
	pid_t pid;        /* 0: it has ended */
	int64_t at;       /* it began, or ended */
	uint32_t answer;  /* of enum agent_answer; 0: not yet */
	uint32_t entries;
	uint64_t bytes;
	char text[120];   /* written once, before the answer */
};
static struct ahead_shared {
	uint32_t questions;
	struct ahead_list list[LISTS];
	struct { uint64_t id; int64_t at; } set[SETS];
} *shared;

struct bringer {
	const struct worker_terms *t;
	const struct agent_question *q;
	struct ahead_list *list;
	struct remote remote;
	struct store inbox;
	struct filler f;
	struct job_list rows;
	struct arena kept, work, ahead; /* of the process, of one row, of rows to come */
	struct fault fault;
	uint64_t received; /* of the remote's bytes, those of earlier rows */
	uint64_t most;    /* bytes that the store may still take; 0: no limit */
	int failed;       /* no store answers */
	const char *why;  /* it ended early; NULL: it did not */
};

static int64_t now_ns(void)
{
	return sys_now_ns(CLOCK_MONOTONIC);
}

void ahead_open(void)
{
	void *p = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	               -1, 0);

	shared = p == MAP_FAILED ? NULL : p;
}

void ahead_yield(unsigned questions)
{
	int64_t now = now_ns();

	if (shared)
		__atomic_store_n(&shared->questions, questions, __ATOMIC_RELAXED);
	for (int i = 0; shared && i < LISTS; i++) {
		struct ahead_list *l = &shared->list[i];

		if (l->pid && now - l->at > LASTS_MOST_NS) {
			kill(l->pid, SIGKILL);
			l->pid = 0;
			l->at = now;
		}
	}
}

/* --- sets --- */

static uint64_t id_of(const struct digest *key)
{
	uint64_t id;

	memcpy(&id, key->b, sizeof id);
	return id;
}

static void note_set(const struct digest *key)
{
	uint64_t id = id_of(key);

	__atomic_store_n(&shared->set[id % SETS].id, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&shared->set[id % SETS].at, now_ns(), __ATOMIC_RELEASE);
	__atomic_store_n(&shared->set[id % SETS].id, id, __ATOMIC_RELEASE);
}

int ahead_has_set(const struct digest *key)
{
	uint64_t id = id_of(key);

	return shared && id &&
	       __atomic_load_n(&shared->set[id % SETS].id, __ATOMIC_ACQUIRE) == id &&
	       now_ns() - __atomic_load_n(&shared->set[id % SETS].at, __ATOMIC_ACQUIRE) <
	       AHEAD_AGAIN_NS;
}

/* --- one process --- */

/* 0; -1 with b->fault: there is no remote store. */
static int open_remote(struct bringer *b)
{
	const struct worker_terms *t = b->t;

	if (remote_open(&b->remote, t->set, t->envp, b->q->events_of, t->store, &b->kept,
	                &b->fault) < 0)
		return -1;
	if (!b->remote.on || inbox_open(&b->inbox, t->store, &b->kept) < 0)
		return fault_set(&b->fault, ENOENT, "no remote store, or no directory");
	b->remote.memory = setting_number(t->set, SETTING_REMOTE_MEMORY);
	/* Each row leaves one event. */
	b->remote.job = NULL;
	b->remote.arena = &b->work;
	remote_charge(&b->remote, b->q->job, REMOTE_BUDGET_NONE);
	b->f = (struct filler){.store = t->store, .inbox = &b->inbox, .remote = &b->remote,
	                       .set = t->set};
	return 0;
}

/* Bytes that may come onto the disk until less than 10 % of what this user may fill is free. */
static uint64_t disk_room(const char *dir)
{
	struct statvfs fs;
	uint64_t kept;

	if (statvfs(dir, &fs) < 0)
		return 0;
	kept = (fs.f_blocks - fs.f_bfree + fs.f_bavail) / 10;
	return fs.f_bavail < kept ? 0 : (fs.f_bavail - kept) * fs.f_frsize;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Why nothing more may come; NULL: more may, of which b->f.room bytes by unpacking. */
static const char *why_full(struct bringer *b)
{
	uint64_t brought = __atomic_load_n(&b->list->bytes, __ATOMIC_RELAXED),
	         disk = disk_room(b->t->store->dir);

	if (brought >= b->q->most)
		return "REPRISE_PREFETCH allows no more bytes";
	if (b->most && brought >= b->most)
		return "the store is nearly as large as REPRISE_MAX_SIZE";
	b->f.room = less(disk, less(b->q->most, b->most ? b->most : b->q->most) - brought);
	return disk ? NULL : "the disk of the store is nearly full";
}

/* What the store may still take. */
static void set_most(struct bringer *b)
{
	struct store *s = b->t->store;
	int64_t size = counters_size(s), most = (int64_t)(s->max_size - s->max_size / 10);

	if (s->max_size)
		b->most = size < most ? (uint64_t)(most - size) : 1;
}

static void yield_to_questions(void)
{
	for (int ms = 0; ms < YIELD_MOST_MS; ms++) {
		if (!__atomic_load_n(&shared->questions, __ATOMIC_RELAXED))
			return;
		sys_sleep_ns(1000000);
	}
}

/* The event of a row that came: with the key of the hit that uses it. */
static void note_row(struct bringer *b, const struct job_list_record *row, int64_t start)
{
	struct event e = {.kind = EVENT_TRANSFER, .verdict = EVENT_HIT, .source = EVENT_AHEAD,
	                  .start = start, .duration = sys_now_ns(CLOCK_REALTIME) - start,
	                  .pid = getpid(), .rank = b->q->rank, .key = row->key, .tool = "ahead",
	                  .command = remote_address(&b->remote)};

	e.bytes = remote_received(&b->remote) - b->received;
	b->received += e.bytes;
	__atomic_add_fetch(&b->list->entries, b->f.entries, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->list->bytes, b->f.bytes, __ATOMIC_RELAXED);
	if (b->f.entries && *b->q->events_of)
		events_add(b->t->store, b->q->events_of, &e, 0);
	b->f.entries = 0;
	b->f.bytes = 0;
}

static void bring_row(struct bringer *b, const struct job_list_record *row)
{
	int64_t start = sys_now_ns(CLOCK_REALTIME);
	int is_set = row->class == STORE_SET;
	enum agent_answer answer;

	if (is_set && ahead_has_set(&row->key))
		return;
	answer = fill_ahead(&b->f, row->class, &row->key, &row->result, &b->fault);
	if (answer == AGENT_FILLED && is_set && !remote_failed(&b->remote))
		note_set(&row->key);
	note_row(b, row, start);
	remote_backfill(&b->remote);
	arena_free(&b->work);
	b->failed = answer == AGENT_SKIPPED && remote_failed(&b->remote);
}

/* Rows of one key belong to one process. */
static int is_of_part(const struct job_list_record *row, unsigned part, unsigned parts)
{
	return row->key.b[0] % parts == part;
}

/* Reads what the next rows need. Returns the index behind them. */
static size_t read_rows(struct bringer *b, size_t from, unsigned part, unsigned parts)
{
	struct remote_read want[REMOTE_READS];
	unsigned n = 0, most = remote_reads_most(&b->remote);
	size_t i;

	remote_read_end(&b->remote);
	arena_free(&b->ahead);
	for (i = from; i < b->rows.count && n + 2 <= most; i++) {
		const struct job_list_record *row = &b->rows.v[i];

		if (!is_of_part(row, part, parts))
			continue;
		n += fill_ahead_reads(&b->f, row->class, &row->key, &row->result, want + n);
		/* The members of a set are read together, in place of what was read before. */
		if (row->class == STORE_SET) {
			i++;
			break;
		}
	}
	if (n > 1 && remote_reads_ahead(&b->remote))
		remote_read_ahead(&b->remote, want, n, &b->ahead);
	return i;
}

static void bring_part(struct bringer *b, unsigned part, unsigned parts)
{
	b->received = remote_received(&b->remote);
	for (size_t i = 0, end = 0; i < b->rows.count && !b->failed && !(b->why = why_full(b));
	     i++) {
		yield_to_questions();
		if (i == end)
			end = read_rows(b, i, part, parts);
		if (is_of_part(&b->rows.v[i], part, parts))
			bring_row(b, &b->rows.v[i]);
	}
	remote_read_end(&b->remote);
}

/* Forks the process of a part, with its own connection. */
static void start_part(struct bringer *b, unsigned part, unsigned parts)
{
	pid_t self = getpid();

	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	remote_close(&b->remote);
	if (getppid() == self && open_remote(b) == 0)
		bring_part(b, part, parts);
	_exit(0);
}

static void say(struct ahead_list *l, enum agent_answer answer, const char *text)
{
	memccpy(l->text, text, '\0', sizeof l->text - 1);
	__atomic_store_n(&l->answer, answer, __ATOMIC_RELEASE);
}

/* The list. 0, or -1: it is said why there is none. */
static int get_list(struct bringer *b)
{
	struct entry e;
	enum remote_status status;

	if (open_remote(b) < 0) {
		say(b->list, AGENT_SKIPPED, b->fault.text);
		return -1;
	}
	status = remote_result(&b->remote, STORE_JOB_USED, &b->q->key, &e, &b->fault);
	if (status == REMOTE_HIT &&
	    job_used_decode(&b->rows, e.payload, e.len, &b->kept) == 0)
		return 0;
	say(b->list, status == REMOTE_SKIPPED ? AGENT_SKIPPED : AGENT_ABSENT,
	    status == REMOTE_HIT ? "it is no list of a job" : b->fault.text);
	return -1;
}

static unsigned parts_of(struct bringer *b)
{
	int64_t start = now_ns(), rows = (int64_t)b->rows.count, wanted;
	unsigned least = rows >= PARTS_FROM ? PARTS : 1;

	if (remote_reads_ahead(&b->remote))
		return 1;
	/* Two round trips a row: one for the list, one for the result. */
	wanted = remote_ping(&b->remote, &b->fault) == 0 ? 2 * rows * (now_ns() - start) / PART_NS
	                                                 : 0;
	return wanted < least ? least : wanted < PARTS_MOST ? (unsigned)wanted : PARTS_MOST;
}

_Noreturn static void bring(struct bringer *b)
{
	unsigned parts;

	if (nice(5) < 0)
		errno = 0;
	memory_limit(b->t->set);
	if (get_list(b) < 0)
		_exit(0);
	set_most(b);
	parts = parts_of(b);
	for (unsigned part = 1; part < parts; part++)
		start_part(b, part, parts);
	bring_part(b, 0, parts);
	while (waitpid(-1, NULL, 0) > 0)
		;
	if (b->failed)
		say(b->list, AGENT_SKIPPED, b->fault.text);
	else
		say(b->list, AGENT_FILLED, b->why ? b->why : "");
	remote_close(&b->remote);
	_exit(0);
}

/* --- the agent --- */

static pid_t start(const struct worker_terms *t, const struct agent_question *q,
                   struct ahead_list *l)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;

	if (pid != 0)
		return pid;
	struct bringer b = {.t = t, .q = q, .list = l, .kept = ARENA_INIT, .work = ARENA_INIT,
	                    .ahead = ARENA_INIT};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "reprise-worker");
	if (getppid() != parent)
		_exit(0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	descriptors_close_others((int[]){0, 1, 2}, 3);
	bring(&b);
}

/* The list's place, or one for it. NULL: all are at work. */
static struct ahead_list *place_of(const struct digest *key)
{
	struct ahead_list *oldest = NULL;

	for (int i = 0; i < LISTS; i++) {
		struct ahead_list *l = &shared->list[i];

		if (l->at && digest_equal(&l->key, key))
			return l;
		if (!l->pid && (!oldest || l->at < oldest->at))
			oldest = l;
	}
	return oldest;
}

/* What is known of a list. */
static struct agent_reply reply_of(const struct ahead_list *l)
{
	struct agent_reply r = {.magic = AGENT_MAGIC, .left_ms = -1, .more = l->pid != 0};
	uint32_t answer = __atomic_load_n(&l->answer, __ATOMIC_ACQUIRE);

	r.answer = r.more ? AGENT_FILLED : answer ? answer : AGENT_SKIPPED;
	if (!r.more && answer)
		memcpy(r.text, l->text, sizeof r.text);
	else if (!r.more)
		strcpy(r.text, "what brings the list was killed");
	r.count = __atomic_load_n(&l->entries, __ATOMIC_RELAXED);
	r.listed = (int64_t)__atomic_load_n(&l->bytes, __ATOMIC_RELAXED);
	return r;
}

struct agent_reply ahead_ask(const struct worker_terms *t, const struct agent_question *q)
{
	struct ahead_list *l = shared ? place_of(&q->key) : NULL;
	int known;

	if (!l || !t->store->dir || !t->store->writable)
		return (struct agent_reply){.magic = AGENT_MAGIC, .answer = AGENT_SKIPPED,
		                            .left_ms = -1,
		                            .text = "no store to write to, or too many lists"};
	known = l->at && digest_equal(&l->key, &q->key) &&
	        (l->pid || now_ns() - l->at < AHEAD_AGAIN_NS);
	if (!known) {
		*l = (struct ahead_list){.key = q->key, .at = now_ns()};
		l->pid = start(t, q, l);
		if (l->pid < 0)
			l->pid = 0;
		if (!l->pid)
			say(l, AGENT_SKIPPED, "the agent cannot start a process");
	}
	return reply_of(l);
}

int ahead_ended(pid_t pid)
{
	for (int i = 0; shared && i < LISTS; i++)
		if (shared->list[i].pid == pid) {
			shared->list[i].pid = 0;
			shared->list[i].at = now_ns();
			return 1;
		}
	return 0;
}

int ahead_at_work(void)
{
	int n = 0;

	for (int i = 0; shared && i < LISTS; i++)
		n |= shared->list[i].pid != 0;
	return n;
}
