/* names/patch.c - finds and replaces names in bytes. store/entry/result.c says how an entry keeps
 * patches. */
#include "names/patch.h"

#include <string.h>

#include "shim/buf.h"

#include "shim/banned.h"

/* The bytes that may begin a name: candidates by first byte, so that data is read only once. */
struct starts {
	unsigned char any[256];
};

static int usable(const struct patch_name *name) { return name->len >= NAME_VOLATILE_MIN; }

static const struct patch_name *longest_at(const struct patch_name *names, size_t count,
                                           const unsigned char *p, size_t left)
{
	const struct patch_name *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (usable(&names[i]) && names[i].len <= left &&
		    (!best || names[i].len > best->len) &&
		    memcmp(names[i].text, p, names[i].len) == 0)
			best = &names[i];
	return best;
}

/* Names of one tool begin alike: all of nvcc's begin with "tmpxft_". */
#define COMMON_LEAST 4
static size_t common_prefix(const char *text, size_t len, const struct patch_name *name)
{
	size_t n = 0;

	while (n < len && n < name->len && text[n] == name->text[n])
		n++;
	return n;
}

static int list_add(struct patch_list *out, size_t *cap, uint64_t offset,
                    const struct patch_name *name, struct arena *a)
{
	struct patch *v = NULL;

	if (out->count < PATCHES_MAX)
		v = arena_grow(a, out->v, out->count, cap, sizeof *v, 16);
	if (!v)
		return -1;
	out->v = v;
	out->v[out->count].offset = offset;
	out->v[out->count].kind = name->kind;
	out->v[out->count].index = name->index;
	out->count++;
	return 0;
}

static const struct patch_name *name_of(const struct patch_name *names, size_t count,
                                        const struct patch *p)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].kind == p->kind && names[i].index == p->index)
			return &names[i];
	return NULL;
}

/* True when data holds the `from` name at the place that patch p gives. A damaged or foreign list
 * must not make us write over other bytes. */
static int holds(const void *data, size_t n, const struct patch *p, const struct patch_name *from)
{
	return from && p->offset <= n && from->len <= n - p->offset &&
	       memcmp((const char *)data + p->offset, from->text, from->len) == 0;
}

/* --- public, in header order --- */

void patch_find(struct patch_list *out, const void *data, size_t n, const struct patch_name *names,
                size_t name_count, struct arena *a)
{
	const unsigned char *p = data;
	struct starts s = {{0}};
	size_t cap = 0, shortest = 0, common = 0;
	const char *first = NULL;

	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < name_count; i++) {
		if (!usable(&names[i]))
			continue;
		s.any[(unsigned char)names[i].text[0]] = 1;
		common = first ? common_prefix(first, common, &names[i]) : names[i].len;
		if (!first)
			first = names[i].text;
		if (!shortest || names[i].len < shortest)
			shortest = names[i].len;
	}
	if (!shortest)
		return;
	for (size_t at = 0; n - at >= shortest && at < n;) {
		const struct patch_name *name;

		if (common >= COMMON_LEAST) {
			const unsigned char *next = memmem(p + at, n - at, first, common);

			if (!next)
				return;
			at = (size_t)(next - p);
		}
		if (!s.any[p[at]] || !(name = longest_at(names, name_count, p + at, n - at))) {
			at++;
			continue;
		}
		if (list_add(out, &cap, at, name, a) < 0) {
			out->overflow = 1;
			return;
		}
		at += name->len;
	}
}

/* Names too short to be found have to be the same. */
static int fits_in_place(const struct patch_name *f, const struct patch_name *t)
{
	return f && t && f->len == t->len &&
	       (usable(t) || memcmp(f->text, t->text, f->len) == 0);
}

int patch_needs_rewrite(const struct patch *v, size_t count, const struct patch_name *from,
                        size_t from_count, const struct patch_name *to, size_t to_count)
{
	for (size_t i = 0; i < count; i++)
		if (!fits_in_place(name_of(from, from_count, &v[i]),
		                   name_of(to, to_count, &v[i])))
			return 1;
	return 0;
}

int patch_apply(void *data, size_t n, const struct patch *v, size_t count,
                const struct patch_name *from, size_t from_count, const struct patch_name *to,
                size_t to_count)
{
	uint64_t done = 0;

	for (size_t i = 0; i < count; i++) {
		const struct patch_name *f = name_of(from, from_count, &v[i]);
		const struct patch_name *t = name_of(to, to_count, &v[i]);

		if (!fits_in_place(f, t) || !holds(data, n, &v[i], f) || v[i].offset < done)
			return -1;
		memcpy((char *)data + v[i].offset, t->text, t->len);
		done = v[i].offset + t->len;
	}
	return 0;
}

int patch_rewrite(struct buf *out, const void *data, size_t n, const struct patch *v, size_t count,
                  const struct patch_name *from, size_t from_count, const struct patch_name *to,
                  size_t to_count)
{
	uint64_t done = 0;

	for (size_t i = 0; i < count; i++) {
		const struct patch_name *f = name_of(from, from_count, &v[i]);
		const struct patch_name *t = name_of(to, to_count, &v[i]);

		if (!t || v[i].offset < done || !holds(data, n, &v[i], f))
			return -1;
		buf_add(out, (const char *)data + done, v[i].offset - done);
		buf_add(out, t->text, t->len);
		done = v[i].offset + f->len;
	}
	if (n > done)
		buf_add(out, (const char *)data + done, n - done);
	return out->failed ? -1 : 0;
}
