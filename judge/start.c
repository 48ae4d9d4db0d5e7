/* judge/start.c - the texts that describe a start: words, paths, names, the journal line. */
#include "judge/start.h"

#include <stdarg.h>
#include <string.h>

#include "judge/start_event.h"
#include "keying/hashfile.h"
#include "names/bases.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "store/job/counters.h"
#include "store/job/journal.h"
#include "tools/driver.h"
#include "tools/text/dependency.h"

#include "shim/banned.h"

/* The journal cuts a longer command line. */
#define ARGV_TEXT_MAX 1024

int start_detail(struct start *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	format_args(s->verdict.detail, sizeof s->verdict.detail, fmt, args);
	va_end(args);
	return 0;
}

/* How much a reason says: more than that nothing is stored says another name, then a changed input.
 * 0: it is no reason of a look-up. */
static int weight_of(enum reason reason)
{
	switch (reason) {
	case REASON_MISS_NEW:
		return 1;
	case REASON_MISS_NAMES:
		return 2;
	case REASON_MISS_INPUT:
	case REASON_MISS_MEMORY:
		return 3;
	case REASON_MISS_PROOF:
		return 4;
	case REASON_MISS_RESULT:
	case REASON_MISS_CORRUPT:
		return 5;
	case REASON_MISS_REFUSED:
		return 6;
	case REASON_MISS_RECACHE:
	case REASON_MISS_VERIFY:
		return 7;
	default:
		return 0;
	}
}

void start_missed(struct start *s, enum reason reason)
{
	struct miss *m = &s->verdict.miss;

	if (!weight_of(reason) || weight_of(reason) < weight_of(m->reason))
		return;
	m->reason = reason;
	format_text(m->detail, sizeof m->detail, "%s", s->verdict.detail);
}

void start_prober(struct start *s)
{
	static const struct probe_texts texts = {dependency_near, dependency_in};

	_Static_assert(DEPENDENCY_MOST <= HASHFILE_SEARCH_MOST, "it may lie across two reads");
	prober_init(&s->prober, &s->arena, &s->memo, &texts);
}

int start_nests(const struct start *s)
{
	return s->row->flags & TOOL_NESTS || (s->cmd.flags & CMD_NESTS && !s->call.nested);
}

int start_has_operand(const struct cmdline *cmd, const char *path)
{
	for (int i = 1; i < cmd->count; i++)
		if (!cmd->v[i].option && strcmp(cmd->v[i].text, path) == 0)
			return 1;
	return 0;
}

/* 1: the path lies in the directory that an argument gives for the source, and in that the cwd does
 * not lie. */
static int below_source(const struct invocation *call, const struct names *names, const char *path)
{
	const char *dir = names_base(names, NAME_KIND_TRIED);

	return dir && strlen(dir) > call->cwd_len && path_below(path, dir);
}

void start_spec(struct start *s, const char *path, int relative, int *bound, struct buf *out)
{
	int below = s->call.cwd_len > 1 && path_below(path, s->call.cwd);

	if (relative && below && path[s->call.cwd_len] == '/') {
		names_path(&s->names, path + s->call.cwd_len + 1, out);
		return;
	}
	if (relative && below) { /* the cwd itself */
		names_path(&s->names, ".", out);
		return;
	}
	if (relative && s->call.cwd_len == 1) {
		names_path(&s->names, path + 1, out);
		return;
	}
	/* An absolute spelling below the cwd may come from getcwd(). A relative spelling outside
	 * the cwd was used after a chdir. */
	if (relative || (below && !below_source(&s->call, &s->names, path)))
		*bound = 1;
	names_path(&s->names, path, out);
}

int start_streams(const struct tool_row *row, const struct result_output *o)
{
	return !(row->flags & TOOL_READS_OUTPUT) && result_output_streams(o);
}

int start_variables_say(const struct tool_row *row, const struct invocation *call,
                        int (*says)(const char *words))
{
	for (const char *name = driver_of(row)->variables; *name; name = LIST_NEXT(name)) {
		const char *value = invocation_env(call, name);

		if (value && says(value))
			return 1;
	}
	return 0;
}

static int any_word(const char *words)
{
	return words[0] != '\0';
}

int start_variables_add(const struct tool_row *row, const struct invocation *call)
{
	const char *editor = driver_of(row)->editor;
	const char *edits = *editor ? invocation_env(call, editor) : NULL;

	return (edits && *edits) || start_variables_say(row, call, any_word);
}

int start_accepts(const struct settings *set, const char *difference)
{
	return setting_lists(set, SETTING_SLOPPY, difference);
}

void start_report(struct start *s, const char *verdict, enum reason reason,
                  const char *key_history)
{
	char hex[DIGEST_HEX + 1], *command = arena_alloc(&s->arena, ARGV_TEXT_MAX);
	char both[sizeof s->verdict.detail + sizeof s->verdict.remote_note + 2];
	struct journal_record r = {
		.time = sys_now_ns(CLOCK_REALTIME) / 1000000000,
		.pid = sys_getpid(),
		.job = settings_job(&s->set, s->call.envp, &s->arena, NULL),
		.tool = s->call.base,
		.verdict = verdict,
		.reason = reason_rows[reason].name,
		.detail = both,
		.cwd = s->call.cwd,
		.key = hex,
		.key_history = key_history,
		.argv = command,
	};

	if (command)
		command_text(command, ARGV_TEXT_MAX, s);
	format_text(both, sizeof both, "%s%s%s", s->verdict.detail,
	            *s->verdict.detail && *s->verdict.remote_note ? "; " : "",
	            s->verdict.remote_note);
	digest_hex(&s->k1, hex);
	s->verdict.errors += reason_rows[reason].group == REASON_GROUP_ERROR;
	counters_reason(&s->store, reason);
	journal_add(&s->store, &r);
	log_write(reason_rows[reason].group == REASON_GROUP_ERROR ? LOG_ERROR : LOG_INFO,
	          "%s: %s: %s", verdict, reason_rows[reason].text, s->verdict.detail);
}

void names_flat(const struct bound_name *from, size_t n, struct patch_name *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct patch_name){from[i].kind, from[i].index, from[i].text,
		                             from[i].len};
}

/* Asks the clocks. */

void start_times_begin(struct start_times *t)
{
	t->began_ns = t->started_ns = sys_now_ns(CLOCK_MONOTONIC);
	t->started_at = t->ran_at = sys_now_ns(CLOCK_REALTIME_COARSE);
}

int64_t start_times_took(const struct start_times *t)
{
	return sys_now_ns(CLOCK_MONOTONIC) - t->started_ns;
}
