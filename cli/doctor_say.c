/* cli/doctor_say.c - prints a finding of a check, as text or for --json. */
#include "cli/doctor_say.h"

#include <stdarg.h>
#include <string.h>

#include "cli/print.h"

#define TEXT_MAX 1024

void doctor_say(struct doctor *d, enum doctor_level level, const char *name, const char *remedy,
                const char *fmt, ...)
{
	static const char *const words[] = {"ok", "note", "mend"};
	char text[TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	d->mend += level == DOCTOR_MEND;
	if (d->checks) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(name));
		json_object_object_add(o, "level", json_object_new_string(words[level]));
		json_object_object_add(o, "text", json_object_new_string(text));
		if (remedy)
			json_object_object_add(o, "remedy", json_object_new_string(remedy));
		json_object_array_add(d->checks, o);
		return;
	}
	printf("%-5s %-10s ", words[level], name);
	cli_print_safe(stdout, text, strlen(text), TEXT_MAX);
	putchar('\n');
	if (remedy)
		printf("%-16s -> %s\n", "", remedy);
}

void doctor_figure(struct doctor *d, const char *name, double value)
{
	char text[64];

	if (!d->figures)
		return;
	snprintf(text, sizeof text, "%.6g", value);
	json_object_object_add(d->figures, name, json_object_new_double_s(value, text));
}
