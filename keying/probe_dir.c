/* keying/probe_dir.c - questions about directories: listings, and many absences at once. */
#include "keying/probe_dir.h"

#include <dirent.h>

#include "keying/probe_table.h"
#include "shim/path.h"
#include "shim/sort.h"

#include "shim/banned.h"

/* One getdents call serves most directories. */
#define DENTS_BUFFER (32u << 10)

/* The kernel's layout. libc's struct dirent64 is the same, but sized for one name. */
struct dent {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

struct listing {
	struct arena arena;
	const char **v;
	size_t count, cap;
};

static int listing_add(struct listing *l, const char *name)
{
	if (!arena_room(&l->arena, l->v, l->count, &l->cap, 256))
		return -ENOMEM;
	l->v[l->count++] = name;
	return 0;
}

static int is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int listing_read(struct listing *l, int fd, int (*skip)(void *ctx, const char *name),
                        void *ctx)
{
	for (;;) {
		char *dents = arena_alloc(&l->arena, DENTS_BUFFER);
		ssize_t n, at;

		if (!dents)
			return -ENOMEM;
		n = sys_getdents(fd, dents, DENTS_BUFFER);
		if (n <= 0)
			return (int)n;
		for (at = 0; at < n;) {
			const struct dent *d = (const struct dent *)(dents + at);

			at += d->len;
			if (is_dots(d->name) || (skip && skip(ctx, d->name)))
				continue;
			if (listing_add(l, d->name) < 0)
				return -ENOMEM;
		}
	}
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int listing_sort(struct listing *l)
{
	const char **sorted = sort_stable(&l->arena, l->v, l->count, sizeof *l->v, by_name);

	if (!sorted)
		return l->count ? -ENOMEM : 0;
	l->v = sorted;
	return 0;
}

static int listing_digest(int fd, int (*skip)(void *ctx, const char *name), void *ctx,
                          struct digest *names)
{
	struct listing l = {ARENA_INIT, NULL, 0, 0};
	struct digest_state state;
	int rc = listing_read(&l, fd, skip, ctx);

	if (rc == 0)
		rc = listing_sort(&l);
	if (rc == 0) {
		digest_init(&state);
		for (size_t i = 0; i < l.count; i++)
			digest_add(&state, l.v[i], strlen(l.v[i]) + 1);
		digest_final(&state, names);
	}
	arena_free(&l.arena);
	return rc;
}

int probe_listing(struct prober *p, const char *path, int (*skip)(void *ctx, const char *name),
                  void *ctx, struct digest *names)
{
	struct probe_answer *a = probe_answer(p, path);
	int rc = a ? probe_answer_stat(a) : -ENOMEM;
	struct statx st;
	int fd;

	if (rc < 0)
		return rc;
	probe_seen(a, &st);
	/* If this process may not read the listing, it has no answer, whatever the memo knows. */
	if (!skip && (st.stx_mode & 0444) == 0444 &&
	    memo_get(p->memo, MEMO_LISTING, -1, path, &st, NULL, names))
		return 0;
	fd = sys_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	rc = sys_statx(fd, "", AT_EMPTY_PATH, MEMO_STATX, &st);
	if (rc == 0 && (skip || !memo_get(p->memo, MEMO_LISTING, fd, NULL, &st, NULL, names))) {
		rc = listing_digest(fd, skip, ctx, names);
		if (rc == 0 && !skip)
			memo_put(p->memo, MEMO_LISTING, fd, NULL, &st, NULL, names);
	}
	sys_close(fd);
	return rc;
}

/* So few names are asked for by their paths: the memo would take longer, all the more where the
 * directory changes with each output. */
#define FEW_NAMES 2

static int means_absent(int rc)
{
	/* A name that is too long can never exist here. */
	return rc == -ENOENT || rc == -ENOTDIR || rc == -ENAMETOOLONG;
}

/* 1: none of a few names exists in the directory. */
static int few_absent(const char *dir, const char *const *names, size_t count)
{
	char path[PATH_SIZE];
	struct statx st;

	for (size_t i = 0; i < count; i++)
		if (path_join(path, sizeof path, dir, names[i]) >= sizeof path ||
		    !means_absent(sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st)))
			return 0;
	return 1;
}

enum name_state { NAME_ABSENT, NAME_DANGLING, NAME_EXISTS };

static enum name_state name_ask(int dir, const char *name)
{
	struct statx st;
	int rc = sys_statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st);

	if (rc < 0) /* a name that cannot be checked does not count as absent */
		return means_absent(rc) ? NAME_ABSENT : NAME_EXISTS;
	if ((st.stx_mode & S_IFMT) != S_IFLNK)
		return NAME_EXISTS;
	return means_absent(sys_statx(dir, name, 0, STATX_TYPE, &st)) ? NAME_DANGLING : NAME_EXISTS;
}

/* A stamp speaks for the directory's own entries only. */
static int is_entry_name(const char *name)
{
	return *name && !is_dots(name) && !strchr(name, '/');
}

int probe_absent(struct prober *p, const char *dir, const char *const *names, size_t count,
                 const struct digest *set, size_t *which)
{
	const char *path = *dir ? dir : "."; /* "" never exists, so every absence would hold */
	struct probe_answer *a = probe_answer(p, path);
	int rc = a ? probe_answer_stat(a) : -ENOMEM;
	int vouch = set != NULL;
	struct statx st;
	int fd;

	*which = 0;
	if (rc < 0)
		return means_absent(rc);
	probe_seen(a, &st);
	if ((st.stx_mode & S_IFMT) != S_IFDIR)
		return 1;
	if (count <= FEW_NAMES && few_absent(path, names, count))
		return 1;
	if (set && memo_get(p->memo, MEMO_ABSENT, -1, path, &st, set, NULL))
		return 1;
	fd = sys_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return means_absent(fd);
	/* The stamp of the directory that is asked; another directory may have taken the name just
	 * now. */
	if (vouch && (sys_statx(fd, "", AT_EMPTY_PATH, MEMO_STATX, &st) < 0 ||
	              memo_get(p->memo, MEMO_ABSENT, fd, NULL, &st, set, NULL)))
		vouch = 0;
	for (size_t i = 0; i < count; i++) {
		enum name_state state = name_ask(fd, names[i]);

		if (state == NAME_EXISTS) {
			*which = i;
			sys_close(fd);
			return 0;
		}
		if (state == NAME_DANGLING || !is_entry_name(names[i]))
			vouch = 0;
	}
	if (vouch) {
		static const struct digest nothing;

		memo_put(p->memo, MEMO_ABSENT, fd, NULL, &st, set, &nothing);
	}
	sys_close(fd);
	return 1;
}
