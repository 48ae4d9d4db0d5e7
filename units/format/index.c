/* units/format/index.c - Triton's __grp__<name>.json. */
#include "units/format/index.h"

#include <string.h>

#include "shim/path.h"
#include "units/format/json_path.h"
#include "units/format/scan.h"
#include "units/format/whole.h"

#include "shim/banned.h"

/* "<key>": "<dir>/<key>" */
static int take_child(struct index *x, struct scan *t, struct arena *a)
{
	size_t key_len, path_len, dir_len;
	const char *key = scan_string(t, &key_len), *path, *name;

	if (!key || !scan_take(t, ':') || !(path = scan_string(t, &path_len)) ||
	    x->names == INDEX_NAMES_MAX)
		return -1;
	if (path_len <= key_len + 1 || path[path_len - key_len - 1] != '/' ||
	    memcmp(path + path_len - key_len, key, key_len) != 0)
		return -1;
	dir_len = path_len - key_len - 1;
	name = json_path_unescape(key, key_len, a);
	if (!name || !parcel_name_ok(name))
		return -1;
	for (unsigned i = 0; i < x->names; i++)
		if (strcmp(x->name[i], name) == 0)
			return -1;
	if (x->names == 0) {
		x->dir = json_path_unescape(path, dir_len, a);
		x->dir_text_len = dir_len;
		if (!x->dir || x->dir[0] != '/')
			return -1;
	} else if (dir_len != x->dir_text_len || memcmp(path, t->begin + x->at[0], dir_len) != 0) {
		return -1;
	}
	x->at[x->names] = (uint64_t)(path - t->begin);
	x->name[x->names++] = name;
	return 0;
}

int index_parse(struct index *x, const void *text, size_t n, struct arena *a)
{
	static const char member[] = "child_paths";
	struct scan t = {text, text, (const char *)text + n};
	size_t len;
	const char *s;

	memset(x, 0, sizeof *x);
	if (n > INDEX_TEXT_MAX || !scan_take(&t, '{') || !(s = scan_string(&t, &len)) ||
	    len != sizeof member - 1 || memcmp(s, member, len) != 0 || !scan_take(&t, ':') ||
	    !scan_take(&t, '{'))
		return -1;
	do
		if (take_child(x, &t, a) < 0)
			return -1;
	while (scan_take(&t, ','));
	if (!scan_take(&t, '}') || !scan_take(&t, '}'))
		return -1;
	scan_space(&t);
	return t.p == t.end ? 0 : -1;
}

unsigned char *index_strip(const struct index *x, const void *text, size_t n, size_t *len,
                           uint64_t **mark, struct arena *a)
{
	const unsigned char *from = text;
	unsigned char *out = arena_alloc(a, n), *to = out;
	uint64_t *at = arena_alloc(a, x->names * sizeof *at);

	if (!out || !at)
		return NULL;
	for (unsigned i = 0; i < x->names; i++) {
		size_t piece = (size_t)((const unsigned char *)text + x->at[i] - from);

		memcpy(to, from, piece);
		to += piece;
		at[i] = (uint64_t)(to - out);
		from += piece + x->dir_text_len;
	}
	memcpy(to, from, (size_t)((const unsigned char *)text + n - from));
	*len = n - x->names * x->dir_text_len;
	*mark = at;
	return out;
}

int index_is_overridden(const char *name, const void *text, size_t n)
{
	static const char option[] = "\"ir_override\":";
	const char *at = path_ends(name, ".json") ? memmem(text, n, option, sizeof option - 1)
	                 : NULL;

	if (!at)
		return 0;
	at += sizeof option - 1;
	n -= (size_t)(at - (const char *)text);
	while (n && *at == ' ')
		at++, n--;
	return n < 4 || memcmp(at, "null", 4) != 0;
}

int index_file_is_damaged(const char *name, const void *bytes, size_t n)
{
	enum whole what = whole_file(name, bytes, n);

	return what == WHOLE_NO || (what == WHOLE_UNKNOWN && whole_ends_in_zeros(bytes, n));
}

int index_is_of_npu(const char *name)
{
	return path_ends(name, ".npubin");
}
