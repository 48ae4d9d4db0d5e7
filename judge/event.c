/* judge/event.c - the event of a start. */
#include "judge/event.h"

#include <string.h>

#include "shim/path.h"
#include "shim/rank.h"
#include "shim/sys.h"
#include "store/dirs.h"
#include "store/events.h"

#include "shim/banned.h"

/* Adds a word behind a space. */
static size_t add_word(char *out, size_t size, size_t at, const char *word)
{
	size_t n = strlen(word);

	if (at && at + 1 < size)
		out[at++] = ' ';
	if (n > size - 1 - at)
		n = size - 1 - at;
	memcpy(out + at, word, n);
	out[at + n] = '\0';
	return at + n;
}

/* The command for people: the tool's base name, then its last arguments that fit, since a compile's
 * source and output stand there or at its first ones. */
static void shorten(char *out, size_t size, int argc, char *const argv[])
{
	size_t used = 0, at;
	int first = argc;

	if (argc <= 0)
		return;
	at = add_word(out, size, 0, path_base(argv[0]));
	while (first > 1 && at + used + strlen(argv[first - 1]) + sizeof " ... " < size)
		used += strlen(argv[--first]) + 1;
	if (first > 1)
		at = add_word(out, size, at, "...");
	for (; first < argc; first++)
		at = add_word(out, size, at, argv[first]);
}

void judge_event(struct start *s, enum event_verdict verdict, enum reason reason, int64_t worth,
                 uint64_t bytes)
{
	const char *job = events_job(&s->set, s->envp, &s->arena);
	char host[DIRS_HOST], command[sizeof((struct event_texts *)0)->command] = "";
	struct rank rank;
	struct event e = {.kind = s->inside ? EVENT_INSIDE : EVENT_ACTION,
	                  .verdict = verdict,
	                  .worth = worth, .bytes = bytes,
	                  .waited = s->waited_ns,
	                  .pid = sys_getpid(),
	                  .rank = EVENT_NO_RANK,
	                  .key = s->k1,
	                  .tool = s->base,
	                  .host = host,
	                  .command = command,
	                  .detail = s->verdict.detail};

	if (!job)
		return;
	if (verdict == EVENT_HIT)
		e.source = s->verdict.from_remote ? EVENT_REMOTE
		           : s->waited_ns         ? EVENT_WAITED
		                                  : EVENT_LOCAL;
	else
		e.reason = reason_rows[reason].name;
	e.duration = sys_now_ns(CLOCK_MONOTONIC) - s->began_ns;
	e.spent = e.duration - s->ran_ns;
	e.start = sys_now_ns(CLOCK_REALTIME) - e.duration;
	rank_read(&rank, s->envp);
	if (rank.known > 0)
		e.rank = (int)rank.rank;
	dirs_host(host);
	shorten(command, sizeof command, s->argc, s->argv);
	events_add(&s->store, job, &e);
}
