/* cli/trace_event.c - prints events in the Trace Event Format. */
#include "cli/trace_event.h"

#include <json-c/json.h>
#include <string.h>

#include "cli/utf8.h"

static void add(struct json_object *o, const char *key, const char *text)
{
	char clean[1024];

	if (*text)
		json_object_object_add(o, key, json_object_new_string(
			utf8_clean(clean, sizeof clean, text)));
}

static void put(FILE *to, struct json_object *o, int *some)
{
	fprintf(to, "%s%s", *some ? ",\n" : "",
	        json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
	                                       JSON_C_TO_STRING_NOSLASHESCAPE));
	*some = 1;
	json_object_put(o);
}

static void print_name(FILE *to, const struct lane *lane, size_t at, int *some)
{
	struct json_object *o = json_object_new_object(), *args = json_object_new_object();
	char name[96];

	if (lane->rank == EVENT_NO_RANK)
		snprintf(name, sizeof name, "%s", lane->host);
	else
		snprintf(name, sizeof name, "%s rank %d", lane->host, lane->rank);
	add(o, "name", "process_name");
	add(o, "ph", "M");
	json_object_object_add(o, "pid", json_object_new_int64((int64_t)at + 1));
	add(args, "name", name);
	json_object_object_add(o, "args", args);
	put(to, o, some);
}

static struct json_object *microseconds(int64_t ns)
{
	unsigned long long size = ns < 0 ? -(unsigned long long)ns : (unsigned long long)ns;
	char text[40];

	snprintf(text, sizeof text, "%s%llu.%03llu", ns < 0 ? "-" : "", size / 1000, size % 1000);
	return json_object_new_double_s((double)ns / 1000, text);
}

static void print_event(FILE *to, const struct event *e, int64_t begin, size_t lane, int *some)
{
	struct json_object *o = json_object_new_object(), *args = json_object_new_object();
	char key[DIGEST_HEX + 1];

	digest_hex(&e->key, key);
	add(o, "name", e->tool);
	add(o, "cat", event_kind_name(e->kind));
	add(o, "ph", "X");
	json_object_object_add(o, "ts", microseconds(e->start - begin));
	json_object_object_add(o, "dur", microseconds(e->duration));
	json_object_object_add(o, "pid", json_object_new_int64((int64_t)lane + 1));
	json_object_object_add(o, "tid", json_object_new_int64(e->pid));
	add(args, "verdict", event_verdict_name(e->verdict));
	add(args, "source", event_source_name(e->source));
	add(args, "reason", e->reason);
	add(args, "detail", e->detail);
	add(args, "command", e->command);
	add(args, "key", key);
	json_object_object_add(args, "bytes", json_object_new_int64((int64_t)e->bytes));
	json_object_object_add(o, "args", args);
	put(to, o, some);
}

void trace_event_print(FILE *to, const struct lanes *l)
{
	int some = 0;

	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", to);
	for (size_t i = 0; i < l->count; i++) {
		print_name(to, &l->v[i], i, &some);
		for (size_t k = 0; k < l->v[i].count; k++)
			print_event(to, l->event[l->v[i].first + k].e, l->begin, i, &some);
	}
	fputs("\n]}\n", to);
}
