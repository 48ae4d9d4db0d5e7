/* cli/doctor/check_settings.c - finds settings that cannot be obeyed. */
#include "cli/doctor/doctor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include "remote/remote.h"
#include "shim/settings/setting_value.h"
#include "shim/settings/settings.h"
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

int cli_tell(cli_say *say, void *arg, const char *fmt, ...)
{
	char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	say(arg, line ? line : fmt);
	free(line);
	return 1;
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
		const char *why = n ? wrong(text, n) : NULL;

		if (why)
			count += cli_tell(say, arg, "%s: \"%.*s\" %s: ignored",
			                  setting_rows[id].name, (int)n, text, why);
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

/* Without this check a misspelt variable name goes unnoticed. */
static int check_names(struct cli *c, cli_say *say, void *arg)
{
	int count = 0;

	for (char **e = c->envp; *e; e++) {
		const char *name = *e + 8, *meant;
		size_t n = strncmp(*e, "REPRISE_", 8) == 0 ? strcspn(name, "=") : 0;

		if (!n || is_known(name, n) || service_variable(*e))
			continue;
		meant = setting_nearest(name, n);
		count += cli_tell(say, arg, "REPRISE_%.*s is not a setting%s%s%s", (int)n, name,
		              meant ? "; did you mean REPRISE_" : "", meant ? meant : "",
		              meant ? "?" : "");
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
	const char *first = NULL, *name;
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
	cli_tell(say, arg, "%.*s%s: set by Kubernetes for a service called %s, and not settings: "
	     "nothing is taken from them (enableServiceLinks: false leaves them out)",
	     (int)strcspn(first, "="), first, more, name ? name : "reprise");
}

static int check_values(struct cli *c, cli_say *say, void *arg)
{
	const struct settings *s = &c->settings;

	for (int i = 0; i < s->bad_count && i < SETTINGS_BAD_MAX; i++)
		say(arg, s->bad[i]);
	if (s->bad_count > SETTINGS_BAD_MAX)
		cli_tell(say, arg, "%d more malformed settings", s->bad_count - SETTINGS_BAD_MAX);
	return s->bad_count;
}

/* The user's own classes: each line that is left out. */
static int check_units(struct cli *c, cli_say *say, void *arg)
{
	int count = 0;

	for (int i = 0; i < c->settings.units; i++) {
		const struct setting_unit *u = &c->settings.unit[i];
		struct declared row;
		const char *why = declared_parse(&row, u->text);

		if (why)
			count += cli_tell(say, arg, "%s:%u: UNIT=%.*s: %s; the line is ignored",
			              u->path, u->line, (int)strcspn(u->text, " \t"), u->text,
			              why);
	}
	return count;
}

int cli_check_settings(struct cli *c, cli_say *say, void *arg)
{
	return check_values(c, say, arg) + check_names(c, say, arg) + check_units(c, say, arg) +
	       check_words(c, SETTING_TOOLS, tool_wrong, say, arg) +
	       check_words(c, SETTING_SLOPPY, sloppy_wrong, say, arg);
}

int cli_check_remote_settings(struct cli *c, cli_say *say, void *arg)
{
	struct fault fault = {0, ""};
	struct trust trust;
	static const char off[] = "%s: the remote store is off";
	int count = 0;

	if (remote_config_check(&c->settings, c->envp, &c->arena, &fault) < 0)
		count += cli_tell(say, arg, off, fault.text);
	if (trust_load(&trust, &c->settings, &c->arena, &fault) < 0)
		count += cli_tell(say, arg, off, fault.text);
	trust_wipe(&trust);
	return count;
}
