/* store/walk.c - walks the directories of a store, for clean-up. */
#include "store/walk.h"

#include <sys/stat.h>

#include "shim/ascii.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

const struct walk_class walk_classes[WALK_CLASSES] = {
#define X(id, number, dir) {STORE_##id, dir},
	STORE_CLASSES(X)
#undef X
};

struct litter {
	int64_t before; /* s since 1970 */
	uint64_t removed;
};

static int drop_old(void *ctx, int dirfd, const char *name)
{
	struct litter *l = ctx;

	l->removed += walk_drop_old(dirfd, name, l->before);
	return 0;
}

/* Names of store/tmp.c, "<pid>.<hex>.<serial>": a directory that a user named may have had a tmp/
 * of its own. */
static int drop_tmp(void *ctx, int dirfd, const char *path, const char *name)
{
	static const char hex[] = "0123456789abcdef";
	size_t pid = strspn(name, "0123456789"), time, serial;

	if (!pid || name[pid] != '.')
		return 0;
	time = strspn(name + pid + 1, hex);
	if (!time || name[pid + 1 + time] != '.')
		return 0;
	serial = strspn(name + pid + time + 2, "0123456789");
	return serial && !name[pid + time + 2 + serial] ? drop_old(ctx, dirfd, name) : 0;
}

static int any_name(void *ctx, int dirfd, const char *path, const char *name)
{
	return 1;
}

static int drop_file(void *ctx, int dirfd, const char *path, const char *name)
{
	SYS3(SYS_unlinkat, dirfd, name, 0);
	return 0;
}

int walk_names_at(int at_fd, const char *path,
                  int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx)
{
	/* small, since a visitor may walk, too, on the small stack of a host's thread */
	_Alignas(8) char list[2048];
	int fd = sys_above_streams(
		sys_openat(at_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0));
	int rc = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	while (rc == 0 && (n = sys_getdents(fd, list, sizeof list)) > 0)
		for (ssize_t at = 0; at < n && rc == 0;) {
			/* struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
			const char *name = list + at + 19;
			unsigned short size;

			memcpy(&size, list + at + 16, sizeof size);
			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
				rc = visit(ctx, fd, path, name);
			at += size;
		}
	sys_close(fd);
	return rc;
}

int walk_names(const char *path,
               int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx)
{
	return walk_names_at(AT_FDCWD, path, visit, ctx);
}

int walk_finds_names(int at_fd, const char *path)
{
	return walk_names_at(at_fd, path, any_name, NULL);
}

unsigned walk_drop_old(int dirfd, const char *name, int64_t before)
{
	struct statx st;

	return sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) == 0 &&
	       !S_ISDIR(st.stx_mode) && st.stx_mtime.tv_sec < before &&
	       SYS3(SYS_unlinkat, dirfd, name, 0) == 0;
}

void walk_drop_files(int at_fd, const char *path)
{
	walk_names_at(at_fd, path, drop_file, NULL);
}

void walk_shard(char out[PATH_SIZE], const struct store *s, size_t class, unsigned shard)
{
	char name[32], digits[3] = "";

	ascii_put_hex(digits, shard, 2);
	format_text(name, sizeof name, "%s/%s", walk_classes[class].dir, digits);
	path_join(out, PATH_SIZE, s->dir, name);
}

int walk_parse(const char *name, unsigned shard, struct digest *key, int *slot)
{
	char hex[DIGEST_HEX + 1];
	size_t n = strlen(name);
	const char *suffix = name + DIGEST_HEX - 2;

	if (n < DIGEST_HEX - 2)
		return -1;
	ascii_put_hex(hex, shard, 2);
	memcpy(hex + 2, name, DIGEST_HEX - 2);
	hex[DIGEST_HEX] = '\0';
	if (digest_parse(key, hex) < 0)
		return -1;
	*slot = 0;
	if (!*suffix)
		return 0;
	if (*suffix++ != '.' || *suffix < '1' || *suffix > '9')
		return -1;
	unsigned n_slot = (unsigned)(*suffix++ - '0');
	if (ascii_digit(*suffix))
		n_slot = n_slot * 10 + (unsigned)(*suffix++ - '0');
	if (*suffix || n_slot >= STORE_SLOTS)
		return -1;
	*slot = (int)n_slot;
	return 0;
}

uint64_t walk_drop_litter(struct store *s)
{
	struct litter l = {sys_now_ns(CLOCK_REALTIME) / 1000000000 - WALK_LITTER_AGE_S, 0};
	char path[PATH_SIZE];

	if (path_join(path, sizeof path, s->dir, "tmp") < sizeof path)
		walk_names(path, drop_tmp, &l);
	return l.removed;
}
