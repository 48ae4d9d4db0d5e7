/* store/dirs.c - finds, makes and checks the directories of the store and its runtime directory. */
#include "store/dirs.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "shim/ascii.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

#define WANTED (STATX_TYPE | STATX_MODE | STATX_UID)
#define IDENTITY (WANTED | STATX_INO | STATX_BTIME)
/* Places in the order in which they are tried. From CACHE_TMPDIR on, another user may have made the
 * directory. */
enum {
	RUNTIME_ASKED,
	RUNTIME_XDG,
	RUNTIME_USER,
	RUNTIME_SHM,
	RUNTIME_TMPDIR,
	RUNTIME_TMP,
	RUNTIME_PLACES
};
enum { CACHE_ASKED, CACHE_XDG, CACHE_HOME, CACHE_TMPDIR, CACHE_TMP, CACHE_PLACES };

/* mkdir with mode 0700, also under a umask that removes the owner's bits. */
static int make_one(const char *path)
{
	int rc = sys_mkdir(path, 0700);

	if (rc == 0)
		SYS3(SYS_fchmodat, AT_FDCWD, path, 0700);
	return rc == -EEXIST ? 0 : rc;
}

static int absolute(const char *path)
{
	return path && path[0] == '/';
}

/* The user's name becomes part of a path in a shared directory. */
static int name_is_plain(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	if (n == 0 || n > 64 || s[0] == '.')
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!ascii_word(s[i]) && s[i] != '-' && s[i] != '.')
			return 0;
	return 1;
}

static const char *uid_text(struct arena *a)
{
	char text[16];

	format_text(text, sizeof text, "%u", (unsigned)sys_geteuid());
	return arena_strdup(a, text);
}

static const char *tidy(char *path)
{
	if (path)
		path_tidy(path);
	return path;
}

/* The runtime directory at this place of the list. NULL: the place does not apply, or no memory. */
static const char *runtime_at(int place, const struct settings *set, char *const envp[],
                              struct arena *a)
{
	const char *wish = setting_text(set, SETTING_RUNTIME_DIR);
	const char *xdg = env_get(envp, "XDG_RUNTIME_DIR"), *tmp = env_get(envp, "TMPDIR");
	const char *uid = place > RUNTIME_XDG ? uid_text(a) : "";

	if (!uid)
		return NULL;
	switch (place) {
	case RUNTIME_ASKED: return *wish ? tidy(arena_strdup(a, wish)) : NULL;
	case RUNTIME_XDG: return absolute(xdg) ? tidy(arena_cat(a, xdg, "/reprise", NULL)) : NULL;
	case RUNTIME_USER: return arena_cat(a, "/run/user/", uid, "/reprise", NULL);
	case RUNTIME_SHM: return arena_cat(a, "/dev/shm/reprise-", uid, NULL);
	case RUNTIME_TMPDIR:
		return absolute(tmp) ? tidy(arena_cat(a, tmp, "/reprise-runtime-", uid, NULL))
		                     : NULL;
	default: return arena_cat(a, "/tmp/reprise-runtime-", uid, NULL);
	}
}

static const char *user_name(char *const envp[], struct arena *a)
{
	const char *user = env_get(envp, "USER");

	/* The user database is not asked: libc would read it through libraries of the host
	 * (nss). */
	if (!name_is_plain(user))
		user = env_get(envp, "LOGNAME");
	return name_is_plain(user) ? user : uid_text(a);
}

/* The cache directory at this place of the list, likewise. */
static const char *cache_at(int place, const struct settings *set, char *const envp[],
                            struct arena *a)
{
	const char *wish = setting_text(set, SETTING_CACHE_DIR);
	const char *xdg = env_get(envp, "XDG_CACHE_HOME"), *home = env_get(envp, "HOME");
	const char *tmp = env_get(envp, "TMPDIR"), *user;

	switch (place) {
	case CACHE_ASKED: return *wish ? tidy(arena_strdup(a, wish)) : NULL;
	case CACHE_XDG: return absolute(xdg) ? tidy(arena_cat(a, xdg, "/reprise", NULL)) : NULL;
	case CACHE_HOME:
		return absolute(home) ? tidy(arena_cat(a, home, "/.cache/reprise", NULL)) : NULL;
	default: break;
	}
	if (place == CACHE_TMP)
		tmp = "/tmp";
	user = absolute(tmp) ? user_name(envp, a) : NULL;
	return user ? tidy(arena_cat(a, tmp, "/reprise_", user, NULL)) : NULL;
}

static int make_plain(const char *path)
{
	int rc = sys_mkdir(path, 0777);

	return rc == -EEXIST ? 0 : rc;
}

static int make_chain(const char *path, int (*one)(const char *))
{
	char part[PATH_SIZE];
	size_t n = strlen(path), at = n;
	int rc;

	if (n == 0)
		return -ENOENT;
	if (n >= sizeof part)
		return -ENAMETOOLONG;
	memcpy(part, path, n + 1);
	/* Climbs to the nearest parent that exists or can be made, then makes the rest
	 * downwards. */
	while ((rc = one(part)) == -ENOENT) {
		size_t up = path_dir_len(part);
		if (up == 0 || up >= at)
			return rc;
		part[up] = '\0';
		at = up;
	}
	while (rc == 0 && at < n) {
		part[at] = path[at];
		at += strlen(part + at);
		rc = one(part);
	}
	return rc;
}

int dirs_make(const char *path)
{
	return make_chain(path, make_one);
}

int dirs_make_plain(const char *path)
{
	return make_chain(path, make_plain);
}

int dirs_make_root(const char *dir)
{
	static const char version[] = "reprise 1\n"; /* STORE_LAYOUT */
	char path[PATH_SIZE];
	int rc = dirs_make(dir);

	if (rc < 0 || path_join(path, sizeof path, dir, "VERSION") >= sizeof path)
		return rc;
	int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		sys_fchmod(fd, 0600);
		sys_write_all(fd, version, sizeof version - 1);
		sys_close(fd);
	}
	return 0; /* a store without VERSION works, too */
}

int dirs_layout(const char *dir)
{
	char path[PATH_SIZE], text[32];
	int layout = 0;

	if (path_join(path, sizeof path, dir, "VERSION") >= sizeof path)
		return -1;
	ssize_t n = sys_read_file(path, O_NOFOLLOW, text, sizeof text - 1);
	if (n == 0 || n == -ENOENT)
		return STORE_LAYOUT; /* or the writer of VERSION was killed, or the disk was full */
	if (n < 9 || memcmp(text, "reprise ", 8) != 0)
		return -1;
	for (ssize_t i = 8; i < n && i < 12 && text[i] >= '0' && text[i] <= '9'; i++)
		layout = layout * 10 + (text[i] - '0');
	return layout ? layout : -1;
}

int dirs_use_cache(struct dirs_cache *out, const char *dir, int guessed, struct fault *fault)
{
	int links = guessed ? AT_SYMLINK_NOFOLLOW : 0;
	struct statx st;
	int rc = sys_statx(AT_FDCWD, dir, links, IDENTITY, &st);

	if (rc == -ENOENT) {
		rc = dirs_make_root(dir);
		if (rc == 0)
			rc = sys_statx(AT_FDCWD, dir, links, IDENTITY, &st);
	}
	if (rc == 0 && !S_ISDIR(st.stx_mode))
		rc = -ENOTDIR;
	if (rc < 0)
		return fault_sys(fault, -rc, "cache directory", dir);
	int may_write = sys_access(dir, W_OK | X_OK) == 0;
	/* A directory that the user named, and that others fill but we cannot write to, is as good
	 * as a seed. */
	if ((may_write || guessed) && st.stx_uid != sys_geteuid())
		return fault_set(fault, EACCES, "cache directory %s belongs to user %u, not to %u",
		                 dir, (unsigned)st.stx_uid, (unsigned)sys_geteuid());
	if (may_write && (st.stx_mode & (guessed ? S_IWGRP | S_IWOTH : S_IWOTH)))
		return fault_set(fault, EACCES, "cache directory %s can be written by %s", dir,
		                 guessed ? "others" : "everyone");
	if (!may_write && (rc = sys_access(dir, X_OK)) < 0)
		return fault_sys(fault, -rc, "cache directory", dir);
	*out = (struct dirs_cache){.dir = dir, .writable = may_write};
	/* A removed store's inode may be another store's. btime is 0 if a file system has none. */
	format_text(out->identity, sizeof out->identity, "%u:%u:%llu:%lld.%u", st.stx_dev_major,
	            st.stx_dev_minor, (unsigned long long)st.stx_ino,
	            (long long)st.stx_btime.tv_sec, st.stx_btime.tv_nsec);
	return 0;
}

void dirs_cache(struct dirs_cache *out, const struct settings *set, char *const envp[],
                struct arena *a, struct fault *fault)
{
	int readonly = setting_number(set, SETTING_READONLY) != 0, tried = 0;
	struct dirs_cache at, to_read = {.dir = NULL};
	struct fault later;

	*out = (struct dirs_cache){.dir = NULL};
	fault_set(fault, ENOMEM, "no memory for the path of a store");
	for (int place = 0; place < CACHE_PLACES && !out->dir; place++) {
		const char *dir = cache_at(place, set, envp, a);
		struct fault *why = tried ? &later : fault;

		if (!dir)
			continue;
		tried = 1;
		/* A read-only job gets an empty directory, too: seed stores and remote stores
		 * serve it where there is one. */
		if (dirs_use_cache(&at, dir, place >= CACHE_TMPDIR, why) < 0)
			continue;
		if (at.writable || readonly) {
			*out = at;
			out->writable = !readonly;
			out->passed = why == fault ? NULL : arena_strdup(a, fault->text);
			out->seed = to_read.dir;
		} else {
			fault_set(why, EROFS, "cache directory %s cannot be written", dir);
			to_read = to_read.dir ? to_read : at;
		}
	}
	if (!out->dir)
		*out = to_read;
	if (out->dir)
		fault_set(fault, 0, "%s", "");
}

int dirs_use_seed(const char *dir)
{
	struct statx st;

	if (sys_statx(AT_FDCWD, dir, 0, WANTED, &st) < 0 || !S_ISDIR(st.stx_mode))
		return -1;
	return (st.stx_mode & S_IWOTH) && sys_access(dir, W_OK) != -EROFS ? -1 : 0;
}

int dirs_use_runtime(const char *dir, int parents, struct fault *fault)
{
	struct statx st;
	int rc = sys_statx(AT_FDCWD, dir, AT_SYMLINK_NOFOLLOW, WANTED, &st);

	if (rc == -ENOENT) {
		rc = parents ? dirs_make(dir) : make_one(dir);
		if (rc == 0)
			rc = sys_statx(AT_FDCWD, dir, AT_SYMLINK_NOFOLLOW, WANTED, &st);
	}
	if (rc == 0 && !S_ISDIR(st.stx_mode))
		rc = -ENOTDIR; /* a link is refused, too: its target may change */
	if (rc < 0)
		return fault_sys(fault, -rc, "runtime directory", dir);
	if (st.stx_uid != sys_geteuid())
		return fault_set(fault, EACCES, "runtime directory %s belongs to user %u, not to "
		                 "%u", dir, (unsigned)st.stx_uid, (unsigned)sys_geteuid());
	if (st.stx_mode & (S_IWGRP | S_IWOTH))
		return fault_set(fault, EACCES, "runtime directory %s can be written by others",
		                 dir);
	return 0;
}

const char *dirs_runtime(const struct settings *set, char *const envp[], struct arena *a,
                         const char **passed, struct fault *fault)
{
	*passed = NULL;
	fault_set(fault, ENOMEM, "no memory for a runtime directory's path");
	for (int place = 0; place < RUNTIME_PLACES; place++) {
		const char *dir = runtime_at(place, set, envp, a);

		if (dir && dirs_use_runtime(dir, place == RUNTIME_ASKED, fault) == 0)
			return dir;
		if (dir && place == RUNTIME_ASKED)
			*passed = arena_strdup(a, fault->text);
	}
	return NULL;
}

void dirs_host(char out[DIRS_HOST])
{
	struct utsname u;

	if (SYS1(SYS_uname, &u) < 0 || !u.nodename[0] || u.nodename[0] == '.')
		strcpy(u.nodename, "localhost");
	for (size_t i = 0; i < 64 && u.nodename[i]; i++) {
		out[i] = u.nodename[i] == '/' ? '_' : u.nodename[i];
		out[i + 1] = '\0';
	}
}

const char *dirs_default_cache(const struct settings *set, char *const envp[], struct arena *a)
{
	const char *dir = NULL;

	for (int place = 0; place < CACHE_PLACES && !dir; place++)
		dir = cache_at(place, set, envp, a);
	return dir;
}

/* Guesses whether the directory is usable, without making it. */
static int seems_usable(const char *dir)
{
	size_t up = path_dir_len(dir);
	char parent[PATH_SIZE];
	struct statx st;

	if (sys_statx(AT_FDCWD, dir, AT_SYMLINK_NOFOLLOW, WANTED, &st) == 0)
		return S_ISDIR(st.stx_mode) && st.stx_uid == sys_geteuid() &&
		       !(st.stx_mode & (S_IWGRP | S_IWOTH));
	if (up >= sizeof parent)
		return 0;
	memcpy(parent, dir, up);
	parent[up] = '\0';
	return sys_access(parent, W_OK | X_OK) == 0;
}

const char *dirs_default_runtime(const struct settings *set, char *const envp[], struct arena *a)
{
	for (int place = 0; place < RUNTIME_PLACES; place++) {
		const char *dir = runtime_at(place, set, envp, a);

		if (dir && (place == RUNTIME_ASKED || place == RUNTIME_TMP || seems_usable(dir)))
			return dir;
	}
	return NULL;
}
