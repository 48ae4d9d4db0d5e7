/* units/choices.c - the form of max-autotune's file. */
#include "units/choices.h"

#include <string.h>

#include "units/scan.h"

#include "shim/banned.h"

static int is(const char *s, size_t n, const char *text)
{
	return s && strlen(text) == n && memcmp(s, text, n) == 0;
}

/* Skips a value of any kind, without a check of what is inside. -1: no value stands here. */
static int skip_value(struct scan *t)
{
	size_t depth = 0, n;
	const char *from;

	do {
		if (scan_take(t, '{') || scan_take(t, '[')) {
			depth++;
		} else if (scan_take(t, '}') || scan_take(t, ']')) {
			if (!depth)
				return -1;
			depth--;
		} else if (depth && (scan_take(t, ',') || scan_take(t, ':'))) {
			continue;
		} else if (t->p < t->end && *t->p == '"') {
			if (!scan_string(t, &n))
				return -1;
		} else {
			/* A number, true, false, null, NaN, Infinity. */
			for (from = t->p; t->p < t->end && !strchr(" \t\r\n,:{}[]\"", *t->p);
			     t->p++)
				;
			if (t->p == from)
				return -1;
		}
	} while (depth);
	return 0;
}

/* "<key>": *key is NULL where there is none. */
static int take_key(struct scan *t, const char **key, size_t *n)
{
	*key = scan_string(t, n);
	return *key && scan_take(t, ':');
}

/* {..., "hash": "<name>", ...} */
static int is_system(struct scan *t, const char *name)
{
	const char *key, *value;
	size_t n, len = 0;
	int named = 0;

	if (!scan_take(t, '{'))
		return 0;
	do {
		if (!take_key(t, &key, &n))
			return 0;
		if (is(key, n, "hash")) {
			value = scan_string(t, &len);
			if (named++ || !is(value, len, name))
				return 0;
		} else if (skip_value(t) < 0) {
			return 0;
		}
	} while (scan_take(t, ','));
	return named && scan_take(t, '}');
}

static int is_object(struct scan *t)
{
	scan_space(t);
	return t->p < t->end && *t->p == '{' && skip_value(t) == 0;
}

int choices_are(const char *name, const void *bytes, size_t n)
{
	struct scan t = {bytes, bytes, (const char *)bytes + n};
	int systems = 0, caches = 0;
	const char *key;
	size_t len = 0;

	if (!scan_take(&t, '{'))
		return 0;
	do {
		if (!take_key(&t, &key, &len))
			return 0;
		if (is(key, len, "system") ? systems++ || !is_system(&t, name)
		                           : !is(key, len, "cache") || caches++ || !is_object(&t))
			return 0;
	} while (scan_take(&t, ','));
	if (!systems || !caches || !scan_take(&t, '}'))
		return 0;
	scan_space(&t);
	return t.p == t.end;
}
