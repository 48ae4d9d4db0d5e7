/* jit/compile.c - the compile of a program as an action. */
#include "jit/jit.h"

#include <errno.h>
#include <string.h>

#include "jit/remote_lookup.h"
#include "jit/source_text.h"
#include "judge/inputs.h"
#include "judge/lookup.h"
#include "judge/name/name_list.h"
#include "judge/output/confine.h"
#include "judge/output/output.h"
#include "judge/recorded.h"
#include "judge/start_event.h"
#include "judge/wait/flight.h"
#include "keying/memo_file.h"
#include "shim/buf.h"
#include "shim/kernel/process.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"
#include "store/job/counters.h"
#include "store/job/job_list.h"
#include "store/lock.h"
#include "trace/tree.h"

#include "shim/banned.h"

#define OUTPUT "answers"
#define TRACE_BYTES (8u << 20) /* 40,000 probes; only pages that are written take memory */
#define TRACE_KEPT (64u << 10)
/* A compile opens one for each level of headers, and its recording one for the lock. */
#define DESCRIPTORS_NEEDED 64
#define SETS_LOCALE "this library changes how the process writes numbers (LC_NUMERIC)"
#define PASSED_BY "an object of the process uses unknown functions of the library"

struct served {
	struct program *p;
	struct start *start;
	struct tool_row row;
	enum reason unstored; /* why the result was not stored */
	const char *printed;  /* why an unknown text may have been printed; NULL: none was */
	struct signals_size held;
};

/* -1: this compile is not served, and the program knows why. */
static int prepare(struct start *start, struct served *s)
{
	struct program *p = s->p;

	if (compile_start(start, &s->row, p->library->id, p->library->name, p) < 0 ||
	    !start->store.dir)
		return -1;
	if (!setting_number(&start->set, SETTING_LOCAL)) {
		p->bypass = (struct program_bypass){REASON_BYPASS_STORE, "REPRISE_LOCAL is off"};
		return -1;
	}
	if (!start->call.cwd_len) {
		p->bypass = (struct program_bypass){REASON_BYPASS_LIBRARY, "no working directory"};
		return -1;
	}
	start->confines = 1;
	start->cmd.flags = CMD_CWD_FREE;
	judge_names_begin(start);
	memo_open(&start->memo, start->store.node_dir);
	start_prober(start);
	if (compile_key(start, p) == 0)
		return 0;
	p->bypass = (struct program_bypass){REASON_BYPASS_LIBRARY,
	                                    "the library's files or names cannot be keyed"};
	return -1;
}

/* The answers in a result, whoever wrote it: one output of this name and no file, of a compile that
 * may be stored. */
static struct answers *answers_of(const struct name_list *names, struct arena *arena,
                                  struct result *r, const struct program *p)
{
	struct patch_name *from = arena_alloc(arena, (r->name_count + 1) * sizeof *from);
	struct answers *v = arena_alloc(arena, sizeof *v);
	unsigned char *bytes;

	if (!v || !from || r->out_count != 1 || r->chunk_count ||
	    strcmp(r->out[0].spec, OUTPUT) != 0 || r->wall_ns > CONFINE_WALL_MAX)
		return NULL;
	bytes = result_output_bytes(&r->out[0], arena);
	names_flat(r->name, r->name_count, from);
	if (bytes && patch_apply(bytes, r->out[0].len, r->out[0].patches.v, r->out[0].patches.count,
	                         from, r->name_count, names->v, names->count) < 0)
		return NULL;
	return bytes && answers_decode(v, bytes, r->out[0].len, arena) == 0 &&
	                       p->compile.keeps(v->status)
		       ? v
		       : NULL;
}

static int look_up(struct served *s)
{
	struct start *start = s->start;
	struct answers *found;
	struct result *r;
	int64_t took;

	if (!judge_lookup(start, &r))
		return 0;
	found = answers_of(&start->all_names, &start->arena, r, s->p);
	if (!found) {
		start_missed(start, REASON_MISS_CORRUPT);
		return 0;
	}
	s->p->answers = found;
	s->p->counted = 1;
	counters_add(&start->store,
	             start->verdict.from_remote ? COUNTER_HITS_REMOTE : COUNTER_HITS_LOCAL, 1);
	counters_add(&start->store, (enum counter)libraries_hits(s->p->library->id), 1);
	took = start_times_took(&start->times);
	counters_add(&start->store, COUNTER_SAVED_NS, (int64_t)r->wall_ns - took);
	counters_add(&start->store, COUNTER_REPLAYED_BYTES, (int64_t)r->out[0].len);
	judge_event_hit(start, took, (int64_t)r->wall_ns, r->out[0].len);
	job_list_add(&start->store, job_list_job(&start->set, start->call.envp, &start->arena),
	             STORE_MANIFEST, &start->k1, &start->verdict.held->result);
	return 1;
}

/* A library without such a log keeps no failures (jit/program.h). */
static int is_of_machine(const struct answers *now)
{
	const struct answer *log = answers_find(now, ANSWER_DATA, "ProgramLog");

	return !log || compile_error_by_machine(log->value);
}

static enum reason judge(struct served *s, struct tree *t, const struct answers *now, int64_t took)
{
	struct start *start = s->start;
	struct candidate c = {0};
	struct result r = {.wall_ns = (uint64_t)took};
	struct result_output out = {.spec = OUTPUT,
	                            .spec_len = strlen(OUTPUT),
	                            .style = WRITE_TRUNCATE,
	                            .mode_kind = MODE_PLAIN};
	struct buf bytes = BUF_INIT(&start->arena);
	enum reason reason;
	int texts;

	if (t->reason != REASON_NONE) {
		start_detail(start, "%s", t->detail ? t->detail : "");
		return t->reason;
	}
	if (now->status != 0 && is_of_machine(now)) {
		start_detail(start, "status %d, and the source is not the cause", now->status);
		return REASON_UNSTORED_FAILED;
	}
	for (size_t i = 0; i < t->count; i++)
		if (tree_is(&t->file[i], TREE_MADE, TREE_GONE) ||
		    t->file[i].flags & TREE_UNLINKED) {
			start_detail(start, "it writes %s", t->file[i].path);
			return REASON_UNSTORED_OUTPUT;
		}
	texts = compile_texts_flags(start, t, s->p);
	if (texts & SOURCE_TIME)
		return REASON_UNSTORED_TIME;
	start->verdict.names_shown = generated_name_shown(s->p, start, t, now, texts);
	compile_texts_unbind(start, t, s->p, texts);
	start_prober(start);
	reason = judge_inputs(start, t, &c);
	if (reason != REASON_NONE)
		return reason;
	answers_encode(&bytes, now);
	if (bytes.failed || judge_result_names(&start->all_names, &start->arena, &r) < 0)
		return REASON_UNSTORED_LARGE;
	out.data = bytes.data;
	out.len = bytes.len;
	patch_find(&out.patches, out.data, out.len, start->all_names.v,
	           start->all_names.output_count, &start->arena);
	r.out = &out;
	r.out_count = 1;
	reason = judge_store(start, &c, &r);
	if (reason == REASON_NONE)
		remote_lookup_publish(start, &c.result, took);
	return reason;
}

/* Memory of the last trace, for the next one, unless it was large. */
static void *last_trace;

static void *trace_memory(void)
{
	void *memory = __atomic_exchange_n(&last_trace, NULL, __ATOMIC_ACQUIRE);

	if (!memory)
		memory = sys_mmap(NULL, TRACE_BYTES, PROT_READ | PROT_WRITE,
		                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sys_mmap_failed(memory) ? NULL : memory;
}

static void trace_done(void *memory, size_t used)
{
	void *none = NULL;

	if (used > TRACE_KEPT || !__atomic_compare_exchange_n(&last_trace, &none, memory, 0,
	                                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		sys_munmap(memory, TRACE_BYTES);
}

/* The real compile runs under the limits that the host set, and with no descriptor of Reprise but
 * the lock's. */
static int compile(struct served *s)
{
	int status;

	memo_map(&s->start->memo);
	signals_size_release(&s->held);
	status = s->p->compile.run(s->p);
	s->held = signals_size_hold();
	return status;
}

/* What it prints to stderr reaches no log that a hit could answer from. */
static int compile_recorded(struct served *s)
{
	int64_t written = thread_io(THREAD_IO_WRITTEN);
	int status = compile(s);

	s->printed = written < 0                     ? "/proc/thread-self/io cannot be read"
	             : thread_io(THREAD_IO_WRITTEN) != written ? "the library prints messages"
	                                           : NULL;
	return status;
}

/* For this compile alone: later ones of the program may be served. */
static int bypass(struct served *s, enum reason reason, const char *text)
{
	s->p->bypass = (struct program_bypass){reason, text};
	return compile(s);
}

static int record(struct served *s)
{
	struct start *start = s->start;
	void *memory = trace_memory();
	struct answers now = {.arena = &start->arena};
	enum reason miss = start->verdict.miss.reason, reason;
	struct tree t = {0};
	int64_t began = sys_now_ns(CLOCK_MONOTONIC), took;
	size_t n;

	if (!memory)
		return bypass(s, REASON_BYPASS_SYSTEM, "no memory");
	s->p->counted = 1;
	start->times.ran_at = sys_now_ns(CLOCK_REALTIME_COARSE);
	s->p->recorded = 1;
	trace_thread_begin(memory, TRACE_BYTES);
	now.status = compile_recorded(s);
	n = trace_thread_end();
	s->p->recorded = 0;
	took = sys_now_ns(CLOCK_MONOTONIC) - began;
	start->times.ran_ns = took;
	/* The library refuses an input. */
	if (s->p->adding && !s->p->compile.keeps(now.status)) {
		trace_done(memory, TRACE_BYTES);
		s->unstored = REASON_UNSTORED_FAILED;
		return now.status;
	}
	start_detail(start, "%s", start->verdict.miss.detail);
	start_report(start, "miss", miss, "");
	counters_add(&start->store, (enum counter)libraries_misses(s->p->library->id), 1);
	if (s->p->mixed) {
		reason = REASON_UNSTORED_MIXED;
	} else if (!s->p->compile.keeps(now.status)) {
		reason = REASON_UNSTORED_FAILED;
		start_detail(start, "status %d", now.status);
	} else if (s->printed) {
		reason = REASON_UNSTORED_OUTPUT;
		start_detail(start, "%s", s->printed);
	} else {
		if (!s->p->adding)
			product_take(s->p, &now);
		tree_read(&t, memory, n, (uint32_t)sys_getpid(), NULL, NULL,
		          &start->arena);
		reason = judge(s, &t, &now, took);
	}
	trace_done(memory, n > TRACE_HEAD ? n : TRACE_BYTES /* it ran over */);
	if (reason != REASON_NONE)
		start_report(start, "unstored", reason, "");
	judge_event(start, reason == REASON_NONE ? EVENT_MISS : EVENT_UNSTORED,
	            reason == REASON_NONE ? miss : reason);
	s->unstored = reason;
	return now.status;
}

static int serve(struct served *s)
{
	struct start *start = s->start;
	struct lock lock = LOCK_INIT;
	int recache = setting_number(&start->set, SETTING_RECACHE) != 0, status;
	enum lock_status locked;
	int waited;

	if (recache)
		start_missed(start, REASON_MISS_RECACHE);
	else if (look_up(s) ||
	         (remote_lookup_ahead(start) && (start_prober(start), look_up(s))) ||
	         (remote_lookup(start) && (start_prober(start), look_up(s))))
		return s->p->answers->status;
	if (setting_number(&start->set, SETTING_READONLY) || !start->store.writable)
		return bypass(s, REASON_BYPASS_READONLY, NULL);
	if (!start->store.runtime_dir)
		return bypass(s, REASON_BYPASS_RUNTIME, NULL);
	if (!descriptors_free(DESCRIPTORS_NEEDED))
		return bypass(s, REASON_BYPASS_SYSTEM, "too few descriptors are free");
	start->flight = start->k1;
	locked = single_flight(start, &lock, &waited);
	if (locked == LOCK_UNSTORABLE || locked == LOCK_FAULT)
		return bypass(s, locked == LOCK_FAULT ? REASON_BYPASS_RUNTIME
		                                      : REASON_BYPASS_CONTENDED, NULL);
	if (waited) {
		start_prober(start);
		if (!recache && look_up(s)) {
			lock_release(&lock);
			return s->p->answers->status;
		}
	}
	status = record(s);
	/* Processes that wait for the lock must not wait for the same compile again. */
	if (s->unstored != REASON_NONE)
		lock_mark_unstorable(&lock, &start->flight);
	lock_release(&lock);
	return status;
}

int serve_compile(struct program *p)
{
	struct arena arena = ARENA_INIT;
	struct start *start;
	struct served s;
	int status, error = errno;

	if (!p->adding)
		p->state = PROGRAM_REAL;
	if (p->off || !compile_permitted())
		return p->compile.run(p);
	if (linked_passes_by(p->library)) {
		p->bypass = (struct program_bypass){REASON_BYPASS_LIBRARY, PASSED_BY};
		return p->compile.run(p);
	}
	if (library_changes_locale(p->library)) {
		p->bypass = (struct program_bypass){REASON_BYPASS_LIBRARY, SETS_LOCALE};
		return p->compile.run(p);
	}
	start = arena_alloc_aligned(&arena, sizeof *start, _Alignof(struct start));
	if (!start)
		return p->compile.run(p);
	start->arena = arena;
	s = (struct served){.p = p,
	                    .start = start,
	                    .unstored = REASON_NONE,
	                    .held = signals_size_hold()};
	status = prepare(start, &s) < 0 ? compile(&s) : serve(&s);
	counters_close(&start->store);
	memo_close(&start->memo);
	signals_size_release(&s.held);
	arena = start->arena;
	if (p->answers && !p->adding) {
		p->state = PROGRAM_HIT;
		p->served = arena;
	} else {
		p->answers = NULL;
		arena_free(&arena);
	}
	errno = error;
	return status;
}
