/* cli/json.c - members of JSON objects, and their printing. */
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"

static struct json_object *string_of(const char *text)
{
	/* Each byte may become three. */
	size_t size = 3 * strlen(text) + 1;
	char *clean = malloc(size);
	struct json_object *o = json_object_new_string(clean ? utf8_clean(clean, size, text) : "");

	free(clean);
	return o;
}

void json_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, string_of(text));
}

void json_add_text(struct json_object *array, const char *text)
{
	json_object_array_add(array, string_of(text));
}

void json_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

void json_flag(struct json_object *o, const char *key, int set)
{
	json_object_object_add(o, key, json_object_new_boolean(set));
}

void json_seconds(struct json_object *o, const char *key, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof text, "%.6f", (double)ns / 1e9);
	json_object_object_add(o, key, json_object_new_double_s((double)ns / 1e9, text));
}

struct json_object *json_report(void)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "version", json_object_new_string(REPRISE_VERSION));
	return o;
}

int json_print(FILE *to, struct json_object *o)
{
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
	                                                  JSON_C_TO_STRING_SPACED |
	                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
	int ok = text && fprintf(to, "%s\n", text) >= 0 && fflush(to) == 0;

	json_object_put(o);
	return ok ? CLI_OK : CLI_FINDING;
}
