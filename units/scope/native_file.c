/* units/scope/native_file.c - reads a file from its begin into a digest; finds loaded files. */
#include "units/scope/native_file.h"

#include <string.h>
#include <sys/stat.h>

#include "keying/memo_file.h"
#include "keying/probe_table.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

int native_begin(struct native *r, char *const envp[], const char *node_dir, struct arena *a)
{
	*r = (struct native){.arena = a, .envp = envp, .head = arena_alloc(a, NATIVE_HEAD)};
	r->memo = arena_alloc_aligned(a, sizeof *r->memo, _Alignof(struct memo));
	if (!r->head || !r->memo)
		return -1;
	memo_open(r->memo, node_dir);
	return 0;
}

void native_end(struct native *r)
{
	if (r->memo)
		memo_close(r->memo);
}

void native_seen(struct native *r, const struct statx *st)
{
	int64_t ctime = st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;

	if (ctime > r->newest_ns)
		r->newest_ns = ctime;
}

/* *n: how many bytes of the last piece are in r->head. */
static int read_file(struct native *r, int fd, const struct statx *st, size_t most,
                     struct digest *d, ssize_t *n)
{
	struct digest_state s;

	digest_init(&s);
	digest_add(&s, &st->stx_size, sizeof st->stx_size);
	do {
		*n = sys_read_all(fd, r->head, most < NATIVE_HEAD ? most : NATIVE_HEAD);
		if (*n > 0)
			digest_add(&s, r->head, (size_t)*n);
		most -= *n > 0 ? (size_t)*n : 0;
	} while (*n == NATIVE_HEAD && most);
	digest_final(&s, d);
	return *n < 0 ? -1 : 0;
}

/* What the memo keeps it under, beside the whole content's digest. */
static void name_of_part(size_t most, struct digest *name)
{
	const uint64_t part[2] = {most, NATIVE_HEAD};

	digest_of(name, part, sizeof part);
}

static int add_open(struct native *r, int fd, size_t most, size_t *got)
{
	struct digest d, part;
	struct statx st;
	ssize_t n = 0;
	char mark[2];
	int script;

	if (sys_statx(fd, "", AT_EMPTY_PATH, MEMO_STATX, &st) < 0 || !S_ISREG(st.stx_mode))
		return -1;
	native_seen(r, &st);
	name_of_part(most, &part);
	script = got && sys_pread(fd, mark, 2, 0) == 2 && memcmp(mark, "#!", 2) == 0;
	if (script || !memo_get(r->memo, MEMO_CONTENT, fd, NULL, &st, &part, &d)) {
		if (read_file(r, fd, &st, most, &d, &n) < 0)
			return -1;
		memo_put(r->memo, MEMO_CONTENT, fd, NULL, &st, &part, &d);
	}
	digest_add(&r->s, d.b, sizeof d.b);
	if (got)
		*got = script ? (size_t)n : 0;
	return 0;
}

int native_file(struct native *r, const char *path, size_t most, size_t *got)
{
	int fd = sys_above_streams(sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	                                    0));
	int rc = fd < 0 ? -1 : add_open(r, fd, most, got);

	if (fd >= 0)
		sys_close(fd);
	return rc;
}

void scope_put(struct buf *b, const char *name, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	buf_str(b, name);
	buf_add(b, hex, SCOPE_HEX);
}

void native_finish(struct native *r, struct buf *b, const char *name)
{
	struct digest d;

	digest_final(&r->s, &d);
	scope_put(b, name, &d);
}

const char *native_mapped(struct native *r, const char *maps, const char **from, const char *head)
{
	const char *at = arena_cat(r->arena, "/", head, NULL), *found = at ? *from : NULL, *end;

	while (found && (found = strstr(found, at))) {
		const char *begin = found;

		end = strchr(found, '\n');
		found += strlen(at);
		if (!end || memchr(found, '/', (size_t)(end - found)))
			continue;
		while (begin > maps && begin[-1] != '\n')
			begin--;
		begin = memchr(begin, '/', (size_t)(end - begin));
		*from = end;
		return arena_memdup(r->arena, begin, (size_t)(end - begin));
	}
	return NULL;
}

int native_add_mapped(struct native *r, const char *maps, const char *head)
{
	const char *from = maps, *path, *last = "";
	int files = 0;

	for (; (path = native_mapped(r, maps, &from, head)); last = path)
		if (strcmp(path, last) != 0 &&
		    (files++, native_file(r, path, NATIVE_HEAD, NULL) < 0))
			return -1;
	return files;
}

int native_libc(struct native *r, const char *maps)
{
	int files = native_add_mapped(r, maps, "libc.so.6");

	/* Its name before glibc 2.34. */
	if (!files)
		files = native_add_mapped(r, maps, "libc-2.");
	return files > 0 ? 0 : -1;
}

int native_each_of(struct native *r, const char *list, const void *what,
                   int (*each)(struct native *r, const char *dir, const void *what))
{
	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		const char *dir;

		n = strcspn(list, ":");
		dir = n ? arena_memdup(r->arena, list, n) : ".";
		if (dir && each(r, dir, what))
			return 1;
	}
	return 0;
}

enum { KEPT_NOT, KEPT_MAKING, KEPT_MADE };

int native_has_kept(const struct native_kept *k, struct buf *b)
{
	if (__atomic_load_n(&k->state, __ATOMIC_ACQUIRE) != KEPT_MADE)
		return 0;
	buf_str(b, k->text);
	return 1;
}

void native_keep(struct native_kept *k, const struct buf *b, size_t from)
{
	int none = KEPT_NOT;

	if (b->failed || b->len - from >= sizeof k->text ||
	    !__atomic_compare_exchange_n(&k->state, &none, KEPT_MAKING, 0, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED))
		return;
	memcpy(k->text, b->data + from, b->len - from);
	__atomic_store_n(&k->state, KEPT_MADE, __ATOMIC_RELEASE);
}
