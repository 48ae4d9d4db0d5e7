/* cli/warn.c - the warnings of `reprise run`: one line on standard error for each thing that will
 * not work. If everything works it prints nothing; the object itself never prints. */
#include "cli/warn.h"

#include <string.h>

#include "cli/check_settings.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "remote/remote.h"
#include "shim/job.h"

static void say(void *who, const char *line)
{
	fprintf(stderr, "%s: ", (const char *)who);
	cli_print_safe(stderr, line, strlen(line), PATH_SIZE);
	fputc('\n', stderr);
}

/* Says a, b and end as one line. */
static void say_cat(struct cli *c, const char *who, const char *a, const char *b, const char *end)
{
	const char *line = arena_cat(&c->arena, a, b, end, NULL);

	say((void *)who, line ? line : a);
}

static void check_store(struct cli *c, const char *who, const struct store *s, const char *why)
{
	if (!s->dir)
		say_cat(c, who, "nothing is cached: no usable store: ", why, "");
	else if (!s->runtime_dir)
		say_cat(c, who, "nothing is recorded: no usable runtime directory: ", why, "");
	else if (!s->writable && !setting_number(&c->settings, SETTING_READONLY))
		say_cat(c, who, "nothing is added to the store: ", s->dir, " cannot be written");
	if (s->dir && s->passed)
		say_cat(c, who, s->passed, ": the store is ", s->dir);
	if (s->runtime_dir && s->passed_runtime)
		say_cat(c, who, s->passed_runtime, ": it is ", s->node_dir);
}

/* Asks the remote store once, as a look-up would. */
static void check_remote(struct cli *c, const char *who, struct store *s)
{
	struct fault fault = {0, ""};
	struct remote r;

	/* A wrong configuration was reported by cli_check_remote_settings. */
	const char *job = settings_job(&c->settings, c->envp, &c->arena, NULL);
	if (!s->dir ||
	    remote_open(&r, &c->settings, c->envp, job, s, &c->arena, &fault) < 0)
		return;
	if (r.on && remote_answers(&r, &fault) < 0) {
		const char *where = remote_address(&r);

		say_cat(c, who, arena_cat(&c->arena, where, ": ", NULL), fault.text,
		        ": nothing is shared until the server answers");
	}
	remote_close(&r);
}

void cli_warn(struct cli *c, const char *who)
{
	struct fault fault = {0, ""};
	struct store s;

	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE))
		return;
	cli_check_settings(c, say, (void *)who);
	cli_check_services(c, say, (void *)who);
	cli_check_remote_settings(c, say, (void *)who);
	memset(&s, 0, sizeof s);
	if (store_open(&s, &c->settings, c->envp, &c->arena, &fault) < 0)
		s.dir = NULL;
	if (setting_number(&c->settings, SETTING_LOCAL))
		check_store(c, who, &s, fault.text);
	check_remote(c, who, &s);
}
