/* judge/start_event.c - the event of a start. */
#include "judge/start_event.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/job.h"
#include "store/job/events.h"

#include "shim/banned.h"

/* --- command text --- */

#define GAP "..."
#define GAP_LEN (sizeof GAP - 1)

struct text {
	char *out;
	size_t size, at;
	unsigned char *shown; /* by argument */
	size_t room;          /* for more of them */
};

/* Of one word. */
static size_t longest(const struct text *t)
{
	return t->shown ? t->size / 2 - GAP_LEN : t->size;
}

static void put(struct text *t, const char *bytes, size_t n)
{
	if (n > t->size - 1 - t->at)
		n = t->size - 1 - t->at;
	memcpy(t->out + t->at, bytes, n);
	t->at += n;
	t->out[t->at] = '\0';
}

/* Of a long word, the end: it names the file. */
static void put_word(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if (t->at)
		put(t, " ", 1);
	if (n > longest(t)) {
		put(t, GAP, GAP_LEN);
		word += n - longest(t) + GAP_LEN;
		n = longest(t) - GAP_LEN;
	}
	put(t, word, n);
}

/* Shows the word if there is room, with a blank and a gap. 0: there is none. */
static int show(struct text *t, char *const *argv, int i)
{
	size_t n = strlen(argv[i]);

	n = (n > longest(t) ? longest(t) : n) + 2 + GAP_LEN;
	if (t->shown[i])
		return 1;
	if (n > t->room)
		return 0;
	t->shown[i] = 1;
	t->room -= n;
	return 1;
}

static int is_output(const struct cmdline *cmd, const char *word)
{
	CMDLINE_OUTPUTS(i, cmd)
		if (strcmp(cmd->v[i].text, word) == 0)
			return 1;
	return 0;
}

/* The source, then the output, options of one letter such as -c, then words from the end on. */
static void choose(struct text *t, const struct start *s)
{
	char *const *argv = s->call.argv;
	int argc = s->call.argc;

	for (int i = 1; i < argc; i++)
		if (primaries_name(&s->primaries, argv[i]))
			show(t, argv, i);
	for (int i = 1; i < argc; i++)
		if (is_output(&s->cmd, argv[i]) && show(t, argv, i) && i > 1 &&
		    argv[i - 1][0] == '-')
			show(t, argv, i - 1);
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1] && !argv[i][2] &&
		    (i + 1 == argc || t->shown[i + 1] || argv[i + 1][0] == '-'))
			show(t, argv, i);
	for (int i = argc - 1; i > 0 && show(t, argv, i); i--)
		;
}

void command_text(char *out, size_t size, struct start *s)
{
	struct text t = {.out = out, .size = size};
	char *const *argv = s->call.argv;
	int argc = s->call.argc;
	size_t all = 0;

	*out = '\0';
	if (argc <= 0)
		return;
	for (int i = 0; i < argc; i++)
		all += strlen(argv[i]) + 1;
	if (all > size) {
		t.shown = arena_alloc(&s->arena, (size_t)argc);
		if (!t.shown)
			return;
		memset(t.shown, 0, (size_t)argc);
		t.room = size - 1 - GAP_LEN;
		show(&t, argv, 0);
		choose(&t, s);
	}
	put_word(&t, t.shown ? path_base(argv[0]) : argv[0]);
	for (int i = 1; i < argc; i++) {
		if (!t.shown || t.shown[i])
			put_word(&t, argv[i]);
		else if (i == 1 || t.shown[i - 1])
			put_word(&t, GAP);
	}
}

/* Fills in what is the same of all events, and appends it. The time is that of the start's first
 * question to the clock, so that a hit asks it no more. */
static void add(struct start *s, struct event *e)
{
	const char *job = events_job(&s->set, s->call.envp, &s->arena);
	char command[sizeof((struct event_texts *)0)->command] = "";
	struct rank rank;

	if (!job)
		return;
	rank_read(&rank, s->call.envp);
	command_text(command, sizeof command, s);
	e->kind = s->call.inside ? EVENT_INSIDE : EVENT_ACTION;
	e->start = s->times.started_at;
	e->spent = e->duration - s->times.ran_ns;
	e->waited = s->times.waited_ns;
	e->pid = sys_getpid();
	e->step = s->call.nested != 0;
	e->rank = rank.known > 0 ? (int)rank.rank : EVENT_NO_RANK;
	e->key = s->k1;
	e->tool = s->call.base;
	e->command = command;
	events_add(&s->store, job, e, e->verdict == EVENT_HIT && !s->call.inside);
}

void judge_event_hit(struct start *s, int64_t took, int64_t worth, uint64_t bytes)
{
	struct event e = {.verdict = EVENT_HIT, .duration = took, .worth = worth, .bytes = bytes,
	                  .proofs = s->proofs.rests};

	if (s->verdict.held)
		e.recorded_at = candidate_recorded_at(s->verdict.held);
	e.source = s->verdict.from_remote ? EVENT_REMOTE
	           : s->times.waited_ns   ? EVENT_WAITED
	                                  : EVENT_LOCAL;
	add(s, &e);
}

void judge_event(struct start *s, enum event_verdict verdict, enum reason reason)
{
	struct event e = {.verdict = verdict, .reason = reason_rows[reason].name,
	                  .detail = s->verdict.detail};

	e.duration = sys_now_ns(CLOCK_MONOTONIC) - s->times.began_ns;
	add(s, &e);
}
