/* units/scope/native_file.c - reads a file from its begin into a digest; finds loaded files. */
#include "units/scope/native_file.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

int native_file(struct native *r, const char *path, size_t most, size_t *got)
{
	int fd = sys_above_streams(sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	                                    0));
	struct statx st;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) == 0 &&
	    S_ISREG(st.stx_mode)) {
		digest_add(&r->s, &st.stx_size, sizeof st.stx_size);
		do {
			n = sys_read_all(fd, r->head, most < NATIVE_HEAD ? most : NATIVE_HEAD);
			if (n > 0)
				digest_add(&r->s, r->head, (size_t)n);
			most -= n > 0 ? (size_t)n : 0;
		} while (n == NATIVE_HEAD && most);
	}
	sys_close(fd);
	if (got)
		*got = n > 0 ? (size_t)n : 0;
	return n < 0 ? -1 : 0;
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
