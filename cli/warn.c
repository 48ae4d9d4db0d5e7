/* cli/warn.c - what `reprise run` says at its start: one line on standard error for each thing that
 * will not work. Nothing where everything does; the object itself never says anything. */
#include <string.h>

#include "cli/cli.h"

static void say(void *who, const char *line)
{
	fprintf(stderr, "%s: ", (const char *)who);
	cli_print_safe(stderr, line, strlen(line), PATH_SIZE);
	fputc('\n', stderr);
}

/* a, b and end one after the other. */
static void say_cat(struct cli *c, const char *who, const char *a, const char *b, const char *end)
{
	const char *line = arena_cat(&c->arena, a, b, end, NULL);

	say((void *)who, line ? line : a);
}

static void check_store(struct cli *c, const char *who)
{
	struct fault fault = {0, ""};
	const char *why = fault.text;
	struct store s;

	memset(&s, 0, sizeof s);
	if (store_open(&s, &c->settings, c->envp, &c->arena, &fault) < 0 || !s.dir)
		say_cat(c, who, "nothing is cached: no usable store: ", why, "");
	else if (!s.runtime_dir)
		say_cat(c, who, "nothing is recorded: no usable runtime directory: ", why, "");
	else if (!s.writable && !setting_number(&c->settings, SETTING_READONLY))
		say_cat(c, who, "nothing is added to the store: ", s.dir, " cannot be written");
	if (s.dir && s.passed)
		say_cat(c, who, s.passed, ": the store is ", s.dir);
	if (s.runtime_dir && s.passed_runtime)
		say_cat(c, who, s.passed_runtime, ": it is ", s.node_dir);
}

void cli_warn(struct cli *c, const char *who)
{
	if (setting_number(&c->settings, SETTING_QUIET) || settings_disabled(c->envp) ||
	    setting_number(&c->settings, SETTING_FORCE_DISABLE))
		return;
	cli_misset(c, say, (void *)who);
	cli_misset_remote(c, say, (void *)who);
	if (setting_number(&c->settings, SETTING_LOCAL))
		check_store(c, who);
}
