/* cli/doctor/check_settings.c - finds settings that cannot be obeyed. */
#include "cli/doctor/doctor.h"

#include <ctype.h>

#include "remote/remote.h"
#include "shim/settings/service.h"
#include "shim/settings/setting_value.h"
#include "store/trust.h"
#include "units/shape/declared.h"

/* --- shown --- */

const char *shown_setting(struct cli *c, int id)
{
	const char *text = c->settings.v[id].text;

	if (id == SETTING_REDIS_PASSWORD && *text)
		return "(set, not shown)";
	return (id == SETTING_REDIS_URL || id == SETTING_REMOTE_URL) && *text
	       ? remote_url_print(text, &c->arena) : text;
}

typedef const char *check(const char *word, size_t n);

/* tools/tool.c reads the words in the same way: names of programs, without a directory. */
static const char *tool_wrong(const char *word, size_t n)
{
	if (*word != '+' && *word != '-')
		return "begins with neither + nor -";
	return n == 1 || memchr(word, '/', n) ? "is not a program name" : NULL;
}

static const char *sloppy_wrong(const char *word, size_t n)
{
	static const char *const known[] = {"lineinfo", "debugdir"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == n && memcmp(word, known[i], n) == 0)
			return NULL;
	return "is not a difference that can be accepted";
}

/* Checks the words of a comma list; empty words are skipped. */
static int check_words(struct cli *c, enum setting_id id, check *wrong, cli_say *say, void *arg)
{
	const char *text = setting_text(&c->settings, id);
	int count = 0;

	for (size_t n; *text; text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		const char *why = n ? wrong(text, n) : NULL,
		           *word = why ? arena_memdup(&c->arena, text, n) : NULL;

		if (!why)
			continue;
		const char *line = word ? arena_cat(&c->arena, setting_rows[id].name, ": \"", word,
		                                    "\" ", why, ": ignored", NULL) : NULL;
		say(arg, line ? line : why);
		count++;
	}
	return count;
}

static int is_known(const char *name, size_t n)
{
	static const char *const internal[] = {"TRACE", "TRACE_KEEP"};

	for (int i = 0; i < SETTING_COUNT; i++)
		if (strlen(setting_rows[i].name) == n && memcmp(setting_rows[i].name, name, n) == 0)
			return 1;
	for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
		if (strlen(internal[i]) == n && memcmp(internal[i], name, n) == 0)
			return 1;
	return 0;
}

static const char *unknown(struct cli *c, const char *name, size_t n)
{
	const char *own = arena_memdup(&c->arena, name, n), *meant = setting_nearest(name, n);

	if (!own || !meant)
		return own ? arena_cat(&c->arena, "REPRISE_", own, " is not a setting", NULL)
		           : NULL;
	return arena_cat(&c->arena, "REPRISE_", own, " is not a setting; did you mean REPRISE_",
	                 meant, "?", NULL);
}

/* Without this check a misspelt variable name goes unnoticed. */
static int check_names(struct cli *c, cli_say *say, void *arg)
{
	int count = 0;

	for (char **e = c->envp; *e; e++) {
		const char *name = *e + 8, *line;
		size_t n = strncmp(*e, "REPRISE_", 8) == 0 ? strcspn(name, "=") : 0;

		if (!n || is_known(name, n) || service_variable(*e))
			continue;
		line = unknown(c, name, n);
		say(arg, line ? line : "a variable that is not a setting");
		count++;
	}
	return count;
}

/* The service's name, as Kubernetes has it. */
static const char *service_name(struct cli *c, const char *entry, size_t n)
{
	char *name = arena_memdup(&c->arena, entry, n);

	for (char *p = name; p && *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return name;
}

void cli_check_services(struct cli *c, cli_say *say, void *arg)
{
	const char *first = NULL, *name, *line;
	char more[64] = "";
	int count = 0;

	for (char **e = c->envp; *e; e++)
		if (strncmp(*e, "REPRISE_", 8) == 0 && service_variable(*e)) {
			first = first ? first : *e;
			count++;
		}
	if (!first)
		return;
	name = service_name(c, first, service_variable(first));
	if (count > 1)
		snprintf(more, sizeof more, " and %d more", count - 1);
	line = arena_cat(&c->arena, arena_memdup(&c->arena, first, strcspn(first, "=")), more,
	                 ": set by Kubernetes for a service called ", name ? name : "reprise",
	                 ", and not settings: nothing is taken from them "
	                 "(enableServiceLinks: false leaves them out)", NULL);
	say(arg, line ? line : "variables of a Kubernetes service are not settings");
}

static int check_values(struct cli *c, cli_say *say, void *arg)
{
	const struct settings *s = &c->settings;
	char more[64];

	for (int i = 0; i < s->bad_count && i < SETTINGS_BAD_MAX; i++)
		say(arg, s->bad[i]);
	if (s->bad_count > SETTINGS_BAD_MAX) {
		snprintf(more, sizeof more, "%d more malformed settings",
		         s->bad_count - SETTINGS_BAD_MAX);
		say(arg, more);
	}
	return s->bad_count;
}

/* The user's own classes: each line that is left out. */
static int check_units(struct cli *c, cli_say *say, void *arg)
{
	int count = 0;

	for (int i = 0; i < c->settings.units; i++) {
		const struct setting_unit *u = &c->settings.unit[i];
		struct declared row;
		const char *why = declared_parse(&row, u->text), *line;
		char at[16];

		if (!why)
			continue;
		snprintf(at, sizeof at, ":%u: ", u->line);
		line = arena_cat(&c->arena, u->path, at, "UNIT=",
		                 arena_memdup(&c->arena, u->text, strcspn(u->text, " \t")), ": ",
		                 why, "; the line is ignored", NULL);
		say(arg, line ? line : why);
		count++;
	}
	return count;
}

int cli_check_settings(struct cli *c, cli_say *say, void *arg)
{
	return check_values(c, say, arg) + check_names(c, say, arg) + check_units(c, say, arg) +
	       check_words(c, SETTING_TOOLS, tool_wrong, say, arg) +
	       check_words(c, SETTING_SLOPPY, sloppy_wrong, say, arg);
}

static void say_off(struct cli *c, const struct fault *fault, cli_say *say, void *arg)
{
	const char *line = arena_cat(&c->arena, fault->text, ": the remote store is off", NULL);

	say(arg, line ? line : fault->text);
}

int cli_check_remote_settings(struct cli *c, cli_say *say, void *arg)
{
	struct fault fault = {0, ""};
	struct trust trust;
	int count = 0;

	if (remote_config_check(&c->settings, c->envp, &c->arena, &fault) < 0) {
		say_off(c, &fault, say, arg);
		count++;
	}
	if (trust_load(&trust, &c->settings, &c->arena, &fault) < 0) {
		say_off(c, &fault, say, arg);
		count++;
	}
	trust_wipe(&trust);
	return count;
}
