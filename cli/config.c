/* cli/config.c - `reprise config`, and the table of docs/settings.md. */
#include <limits.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/run/run.h"
#include "cli/report/report.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "shim/settings/setting_value.h"
#include "store/dirs.h"
#include "units/shape/declared.h"

/* scripts/tables.sh prints the same rows from the same table; a test compares both. */
static void print_docs(void)
{
	puts("| setting | default | values | meaning |\n"
	     "|---|---|---|---|");
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *row = &setting_rows[i];
		const char *tick = *row->dflt ? "`" : "";
		printf("| `REPRISE_%s` | %s%s%s | %s | ", row->name, tick, row->dflt, tick,
		       setting_type_name(row->type));
		for (const char *p = row->help; *p; p++) {
			if (*p == '|' || *p == '<')
				putchar('\\');
			putchar(*p);
		}
		puts(" |");
	}
}

static const char *origin_name(enum setting_origin origin)
{
	static const char *const names[] = {
		[ORIGIN_DEFAULT] = "default",
		[ORIGIN_ETC] = SETTINGS_ETC,
		[ORIGIN_USER] = "user's file",
		[ORIGIN_ENVIRONMENT] = "environment",
		[ORIGIN_ETC_FORCED] = SETTINGS_ETC ", fixed by '!'",
	};

	return names[origin];
}

static void print_path(const char *what, const char *path, const char *if_null)
{
	printf("%-18s ", what);
	if (path)
		cli_print_safe(stdout, path, strlen(path), PATH_MAX);
	else
		fputs(if_null, stdout);
	putchar('\n');
}

static void print_places(struct cli *c)
{
	const char *dir = dirs_default_cache(&c->settings, c->envp, &c->arena);
	const char *user = settings_user_file(c->envp, &c->arena);
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	char library[PATH_MAX];

	printf("\n%-18s %s\n", "version", REPRISE_VERSION);
	print_path("library", cli_find_library(library, sizeof library, NULL) == 0 ? library : NULL,
	           "not found, or its path cannot be preloaded (see reprise run)");
	print_path("cache directory", dir, "none");
	print_path("runtime directory",
	           dirs_default_runtime(&c->settings, c->envp, &c->arena), "none");
	print_path("log", log_locate(&c->settings, dir, c->envp, &c->arena), "none");
	print_path("user's file", user, "none: neither XDG_CONFIG_HOME nor HOME is set");
	if (user && access(user, F_OK) != 0)
		printf("%-18s (does not exist)\n", "");
	print_path("job", job, "");
	printf("%-18s (from %s)\n", "", variable ? variable : "the session");
	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE))
		puts("\nReprise is disabled: all processes run without it.");
}

static void warn(void *arg, const char *line)
{
	print_path("warning:", line, "");
}

/* The line that counts in the place of line i, or NULL. That is the last line of the same name, or
 * the first such line that begins with '!' (units/shape/declared.c). */
static const struct setting_unit *replaced_by(const struct settings *s, int i)
{
	const struct setting_unit *counts = NULL;
	struct declared row, mine;

	if (declared_parse(&mine, s->unit[i].text))
		return NULL;
	for (int k = 0; k < s->units; k++)
		if (!(counts && counts->fixed) && !declared_parse(&row, s->unit[k].text) &&
		    strcmp(row.name, mine.name) == 0)
			counts = &s->unit[k];
	return counts == &s->unit[i] ? NULL : counts;
}

static void print_units(const struct settings *s)
{
	for (int i = 0; i < s->units; i++) {
		const struct setting_unit *u = &s->unit[i], *other = replaced_by(s, i);

		printf("%-18s ", "UNIT");
		cli_print_safe(stdout, u->text, strlen(u->text), PATH_MAX);
		printf("  (%s:%u", u->path, u->line);
		if (other)
			printf(", replaced by %s:%u", other->path, other->line);
		puts(")");
	}
}

static void json_path(struct json_object *o, const char *key, const char *path)
{
	json_text(o, key, path ? path : "");
}

static void json_places(struct json_object *o, struct cli *c)
{
	const char *dir = dirs_default_cache(&c->settings, c->envp, &c->arena);
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	char library[PATH_MAX];

	json_path(o, "library",
	          cli_find_library(library, sizeof library, NULL) == 0 ? library : NULL);
	json_path(o, "cache_directory", dir);
	json_path(o, "runtime_directory", dirs_default_runtime(&c->settings, c->envp, &c->arena));
	json_path(o, "log", log_locate(&c->settings, dir, c->envp, &c->arena));
	json_path(o, "user_file", settings_user_file(c->envp, &c->arena));
	json_text(o, "job", job);
	json_text(o, "job_from", variable ? variable : "");
	json_flag(o, "disabled", settings_disabled(c->envp) ||
	          setting_number(&c->settings, SETTING_FORCE_DISABLE));
}

static void json_warning(void *arg, const char *line)
{
	json_add_text(arg, line);
}

static void json_units(struct json_object *o, const struct settings *s)
{
	struct json_object *all = json_object_new_array();

	for (int i = 0; i < s->units; i++) {
		struct json_object *unit = json_object_new_object();

		json_text(unit, "text", s->unit[i].text);
		json_text(unit, "file", s->unit[i].path);
		json_number(unit, "line", s->unit[i].line);
		json_flag(unit, "replaced", replaced_by(s, i) != NULL);
		json_object_array_add(all, unit);
	}
	json_object_object_add(o, "units", all);
}

static int print_json(struct cli *c)
{
	struct json_object *o = json_report(), *settings = json_object_new_object(),
	                   *warnings = json_object_new_array();
	int wrong;

	for (int i = 0; i < SETTING_COUNT; i++) {
		struct json_object *one = json_object_new_object();

		json_text(one, "value", shown_setting(c, i));
		json_text(one, "origin", origin_name(c->settings.v[i].origin));
		json_object_object_add(settings, setting_rows[i].name, one);
	}
	json_object_object_add(o, "settings", settings);
	json_units(o, &c->settings);
	json_places(o, c);
	cli_check_services(c, json_warning, warnings);
	wrong = cli_check_settings(c, json_warning, warnings) +
	        cli_check_remote_settings(c, json_warning, warnings);
	json_object_object_add(o, "warnings", warnings);
	return json_print(stdout, o) != CLI_OK || wrong ? CLI_FINDING : CLI_OK;
}

int cli_config(struct cli *c, int argc, char **argv)
{
	int docs = 0, json = 0;
	const char *what = NULL;
	const struct cli_option options[] = {
		CLI_JSON(&json),
		{"docs", 'd', NULL,
		 "Print the table of docs/settings.md: every setting with default, values and "
		 "meaning", &docs},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.operands = "[classes]",
		.text = "Shows the value and origin of every setting, and the directories in use. "
			"Exit status 1 if a setting is malformed or unknown, or makes the remote "
			"store unusable. classes: lists the frameworks' caches that are carried, "
			"whether each is on, and where one of its units was seen last "
			"(REPRISE_EVENTS).",
		.operand = &what};

	cli_parse(argc, argv, &syntax);
	if (what && strcmp(what, "classes") != 0)
		cli_wrong_usage(argv[0], "neither an option nor classes: %s", what);
	if (what)
		return cli_classes(c, json, argv[0]);
	if (docs) {
		print_docs();
		return CLI_OK;
	}
	if (json)
		return print_json(c);
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_value *v = &c->settings.v[i];
		const char *text = shown_setting(c, i);
		printf("%-18s ", setting_rows[i].name);
		cli_print_safe(stdout, text, strlen(text), PATH_MAX);
		printf("%s(%s)\n", *v->text ? "  " : "", origin_name(v->origin));
	}
	print_units(&c->settings);
	print_places(c);
	cli_check_services(c, warn, NULL);
	return cli_check_settings(c, warn, NULL) + cli_check_remote_settings(c, warn, NULL)
	       ? CLI_FINDING : CLI_OK;
}
