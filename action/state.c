/* action/state.c - what the steps of an action share. */
#include "action/state.h"

#include <stdarg.h>
#include <string.h>

#include "keying/hashfile.h"
#include "shim/childenv.h"
#include "shim/format.h"
#include "shim/log.h"
#include "shim/signals.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/journal.h"
#include "tools/dependency.h"

#include "shim/banned.h"

/* For the journal: a command line longer than this is cut. */
#define ARGV_TEXT_MAX 1024

void action_detail(struct action *a, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	format_args(a->detail, sizeof a->detail, fmt, args);
	va_end(args);
}

const char *action_env(const struct action *a, const char *name)
{
	return env_get(a->envp, name);
}

void action_prober(struct action *a)
{
	_Static_assert(DEPENDENCY_MOST <= HASHFILE_SEARCH_MOST, "it may lie across two reads");
	prober_init(&a->prober, &a->arena, &a->memo, dependency_in);
}

int action_nests(const struct action *a)
{
	return a->row->flags & TOOL_NESTS || (a->cmd.flags & CMD_NESTS && !a->nested);
}

void action_untraced(const struct action *a)
{
	if (!action_nests(a))
		childenv_set_trace(CHILDENV_UNTRACED);
}

void action_spec(struct action *a, const char *path, int relative, int *bound, struct buf *out)
{
	int below = a->cwd_len > 1 && path_below(path, a->cwd);

	if (relative && below && path[a->cwd_len] == '/') {
		names_path(&a->names, path + a->cwd_len + 1, out);
		return;
	}
	if (relative && below) { /* the cwd itself */
		names_path(&a->names, ".", out);
		return;
	}
	if (relative && a->cwd_len == 1) {
		names_path(&a->names, path + 1, out);
		return;
	}
	/* An absolute spelling below the cwd may have been made from getcwd(); a relative one elsewhere
	 * was used after a chdir. */
	if (below || relative)
		*bound = 1;
	names_path(&a->names, path, out);
}

void action_flat_names(const struct bound_name *from, size_t n, struct patch_name *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (struct patch_name){from[i].kind, from[i].index, from[i].text, from[i].len};
}

int action_streams(const struct action *a, const struct result_output *o)
{
	return !(a->row->flags & TOOL_READS_OUTPUT) && result_output_streams(o);
}

static const char *argv_text(struct action *a)
{
	char *text = arena_alloc(&a->arena, ARGV_TEXT_MAX + 4);
	size_t len = 0;

	if (!text)
		return "";
	for (int i = 0; i < a->argc && len < ARGV_TEXT_MAX; i++) {
		size_t n = strlen(a->argv[i]);

		if (i)
			text[len++] = ' ';
		if (n > ARGV_TEXT_MAX - len)
			n = ARGV_TEXT_MAX - len;
		memcpy(text + len, a->argv[i], n);
		len += n;
	}
	text[len] = '\0';
	return text;
}

void action_report(struct action *a, const char *verdict, enum reason reason, const char *trail)
{
	char hex[DIGEST_HEX + 1], both[sizeof a->detail + sizeof a->remote_note + 2];
	struct journal_record r = {
		.time = sys_now_ns(CLOCK_REALTIME) / 1000000000,
		.pid = sys_getpid(),
		.job = settings_job(&a->set, a->envp, &a->arena, NULL),
		.tool = a->base,
		.verdict = verdict,
		.reason = reason_rows[reason].name,
		.detail = both,
		.cwd = a->cwd,
		.key = hex,
		.trail = trail,
		.argv = argv_text(a),
	};

	format_text(both, sizeof both, "%s%s%s", a->detail, *a->detail && *a->remote_note ? "; " : "", a->remote_note);
	digest_hex(&a->k1, hex);
	a->errors += reason_rows[reason].group == REASON_GROUP_ERROR;
	counters_reason(&a->store, reason);
	journal_add(&a->store, &r);
	log_write(reason_rows[reason].group == REASON_GROUP_ERROR ? LOG_ERROR : LOG_INFO,
	          "%s: %s: %s", verdict, reason_rows[reason].text, a->detail);
}

void action_close_remote(struct action *a)
{
	if (!a->remote)
		return;
	if (a->remote->waited_ns)
		log_write(LOG_DEBUG, "remote: waited %ld us", (long)(a->remote->waited_ns / 1000));
	remote_close(a->remote);
	a->remote = NULL;
}

/* The action lies in its own arena. */
void action_free(struct action *a)
{
	struct arena arena = a->arena;

	if (a->size_limited)
		signal_handler(SIGXFSZ, a->xfsz);
	action_close_remote(a);
	memo_close(&a->memo);
	arena_free(&arena);
}
