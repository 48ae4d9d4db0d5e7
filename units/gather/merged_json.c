/* units/gather/merged_json.c - checks and merges JSON files of the frameworks. */
#include "units/gather/gather.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Inductor's files are five levels deep. */
#define DEPTH_MAX 32

/* The object, or NULL: the text is not one object followed by white space. *what tells why, unless
 * NULL. */
static struct json_object *parse(const void *bytes, size_t n, enum check *what)
{
	static const char space[] = " \t\r\n";
	const char *p = bytes, *end = p + n;
	struct json_tokener *t;
	struct json_object *o = NULL;
	enum check ignored;

	what = what ? what : &ignored;
	*what = CHECK_NEVER;
	/* A NUL would cut a key. */
	if (n > INT_MAX || memchr(bytes, 0, n) || memmem(bytes, n, "\\u0000", 6))
		return NULL;
	while (p < end && strchr(space, *p))
		p++;
	if (p == end || *p != '{' || !(t = json_tokener_new_ex(DEPTH_MAX))) {
		*what = p == end ? CHECK_CUT : CHECK_NEVER;
		return NULL;
	}
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	o = json_tokener_parse_ex(t, p, (int)(end - p));
	if (json_tokener_get_error(t) == json_tokener_success) {
		p += json_tokener_get_parse_end(t);
		while (p < end && strchr(space, *p))
			p++;
		*what = p == end && json_object_is_type(o, json_type_object) ? CHECK_WHOLE
		                                                             : CHECK_NEVER;
	} else if (json_tokener_get_error(t) == json_tokener_continue) {
		*what = CHECK_CUT;
	}
	json_tokener_free(t);
	if (*what == CHECK_WHOLE)
		return o;
	json_object_put(o);
	return NULL;
}

enum check check_json(const void *bytes, size_t n)
{
	enum check what;

	json_object_put(parse(bytes, n, &what));
	return what;
}

static int is_number(struct json_object *o)
{
	return json_object_is_type(o, json_type_double) || json_object_is_type(o, json_type_int);
}

static int is_finite(struct json_object *o)
{
	return is_number(o) && isfinite(json_object_get_double(o));
}

static int any_finite(struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object))
		return is_finite(o);
	json_object_object_foreach(o, key, value) {
		(void)key;
		if (any_finite(value))
			return 1;
	}
	return 0;
}

/* 1: an object of timings in which no choice worked: the GPU had no memory left, or all timed
 * out. */
static int all_failed(struct json_object *o)
{
	json_object_object_foreach(o, key, value) {
		(void)key;
		if (!is_number(value) || is_finite(value))
			return 0;
	}
	return json_object_object_length(o) > 0;
}

/* Removes such objects, and objects that are empty then. 1: there were some. */
static int prune(struct json_object *o)
{
	int pruned = 0;

	json_object_object_foreach(o, key, value) {
		int below = json_object_is_type(value, json_type_object) && prune(value);

		pruned |= below;
		if (json_object_is_type(value, json_type_object) &&
		    (all_failed(value) || (below && !json_object_object_length(value)))) {
			json_object_object_del(o, key);
			pruned = 1;
		}
	}
	return pruned;
}

/* Malloc'd text; NULL: no memory, or no timing is left. */
static char *text_of(struct json_object *o, int pruned, size_t *len)
{
	int form = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text =
		pruned && !any_finite(o) ? NULL : json_object_to_json_string_ext(o, form);
	char *out = text ? strdup(text) : NULL;

	*len = out ? strlen(out) : 0;
	return out;
}

int json_prune(const void *bytes, size_t n, char **out, size_t *len)
{
	struct json_object *o = parse(bytes, n, NULL);
	int pruned = o ? prune(o) : 0;

	*out = pruned ? text_of(o, pruned, len) : NULL;
	json_object_put(o);
	return pruned && !*out ? -1 : pruned;
}

/* Merges as deep as both texts were parsed. 0 or -1. */
static int merge(struct json_object *into, struct json_object *newer)
{
	int rc = 0;

	json_object_object_foreach(newer, key, value) {
		struct json_object *old = NULL;

		json_object_object_get_ex(into, key, &old);
		if (json_object_is_type(old, json_type_object) &&
		    json_object_is_type(value, json_type_object))
			rc |= merge(old, value);
		else if (!is_finite(old) || !is_number(value) || is_finite(value))
			rc |= json_object_object_add(into, key, json_object_get(value));
	}
	return rc;
}

char *json_merge(const void *older, size_t older_len, const void *newer, size_t newer_len,
                size_t *len)
{
	struct json_object *a = parse(older, older_len, NULL), *b = parse(newer, newer_len, NULL);
	int pruned = a && b ? prune(a) | prune(b) : 0;
	char *out = a && b && merge(a, b) == 0 ? text_of(a, pruned, len) : NULL;

	json_object_put(a);
	json_object_put(b);
	return out;
}
