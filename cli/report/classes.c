/* cli/report/classes.c - classes of units, with the last event of each. */
#include <limits.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report/report.h"
#include "store/job/events_read.h"
#include "units/scope/condition.h"
#include "units/shape/declared.h"

struct row {
	const char *name, *help, *why; /* why: NULL where it is on */
	const struct event *seen;      /* NULL: never */
};

/* The latest event of the class. The publisher counts a unit of a UNIT line by its kind. */
static const struct event *last_of(const struct events *e, const char *name)
{
	for (size_t i = e->count; i-- > 0;)
		if (e->v[i].kind == EVENT_UNIT && e->v[i].tool &&
		    strcmp(e->v[i].tool, name) == 0)
			return &e->v[i];
	return NULL;
}

static const char *what_of(const struct event *e)
{
	return e->verdict == EVENT_HIT ? "placed" : e->verdict == EVENT_STORED ? "packed"
	       : "not found";
}

static void print_row(const struct row *r)
{
	char when[CLI_TIME_TEXT];

	printf("%-18s %-4s ", r->name, r->why ? "off" : "on");
	if (r->why)
		printf("(%s) ", r->why);
	if (!r->seen) {
		puts("never seen");
		return;
	}
	printf("%s %s ", cli_time(when, r->seen->start / 1000000000), what_of(r->seen));
	if (r->seen->command)
		cli_print_safe(stdout, r->seen->command, strlen(r->seen->command), PATH_MAX);
	putchar('\n');
}

static void add_row(struct json_object *list, const struct row *r)
{
	struct json_object *o = json_object_new_object();

	json_text(o, "class", r->name);
	json_text(o, "what", r->help);
	json_flag(o, "on", r->why == NULL);
	json_text(o, "why_off", r->why ? r->why : "");
	json_number(o, "last_seen", r->seen ? (uint64_t)(r->seen->start / 1000000000) : 0);
	json_text(o, "last_seen_as", r->seen ? what_of(r->seen) : "");
	json_text(o, "last_path", r->seen && r->seen->command ? r->seen->command : "");
	json_object_array_add(list, o);
}

static void show(struct cli *c, const struct events *e, struct json_object *list, unsigned class,
                 const char *name, const char *help)
{
	struct row r = {.name = name, .help = help, .seen = last_of(e, name)};
	const char *why = NULL;

	if (!unit_class_on((enum unit_class)class, &c->settings, c->envp, &why))
		r.why = why;
	if (list)
		add_row(list, &r);
	else
		print_row(&r);
}

static void show_declared(struct cli *c, const struct events *e, struct json_object *list)
{
	struct declared d;

	for (int i = 0; i < c->settings.units; i++)
		if (!declared_parse(&d, c->settings.unit[i].text))
			show(c, e, list, d.class, d.name, c->settings.unit[i].text);
}

int cli_classes(struct cli *c, int json, const char *who)
{
	struct json_object *o = json ? json_report() : NULL,
	                   *list = json ? json_object_new_array() : NULL;
	struct events e = {0};
	struct store s;
	int status = cli_open_store(c, &s, who);

	/* Without a store the classes are listed all the same. */
	if (status == CLI_OK)
		events_read(&e, &s, NULL, &c->arena);
	for (unsigned class = 1; class < UNIT_CLASSES_MAX; class++)
		if (unit_rows[class].class && !(unit_rows[class].scope & SCOPE_DECLARED))
			show(c, &e, list, class, unit_name(class),
			     unit_text(unit_rows[class].help));
	show_declared(c, &e, list);
	if (!json)
		return status;
	json_object_object_add(o, "classes", list);
	return json_print(stdout, o) == CLI_OK ? status : CLI_FINDING;
}
