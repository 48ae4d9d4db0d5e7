/* store/queue_unused.c - removes queues that no process uses any more. */
#include "store/queue_unused.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/sys.h"
#include "store/walk.h"

#include "shim/banned.h"

struct unused {
	int64_t before; /* s since 1970 */
	int64_t newest; /* of the current directory */
	uint64_t removed;
};

static int see(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;
	struct statx st;

	(void)path;
	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) == 0 &&
	    st.stx_mtime.tv_sec > u->newest)
		u->newest = st.stx_mtime.tv_sec;
	return 0;
}

/* Names of any queue: "queue", "work.<time>...", "offers", "offers.<time>...", and "units" of
 * earlier versions. A directory that a user named may have had a spool/ of its own. */
static int is_queue(const char *name)
{
	static const char *const known[] = {"queue", "work", "offers", "units"};
	static const char digits[] = "0123456789abcdef.";
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == n && strncmp(name, known[i], n) == 0)
			return !name[n] || (name[n + 1] &&
			                    !name[n + 1 + strspn(name + n + 1, digits)]);
	return 0;
}

/* The time is checked again just before, since a process may have appended. */
static int drop(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;
	struct statx st;

	(void)path;
	if (is_queue(name) && sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME,
	                                &st) == 0 && !S_ISDIR(st.stx_mode) &&
	    st.stx_mtime.tv_sec < u->before && SYS3(SYS_unlinkat, dirfd, name, 0) == 0)
		u->removed++;
	return 0;
}

/* All queues of a remote stay if one of them is used: a server that is away must not lose its
 * oldest records. */
static int visit_remote(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;
	struct statx st;

	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) < 0)
		return 0;
	if (!S_ISDIR(st.stx_mode))
		return drop(u, dirfd, path, name);
	u->newest = st.stx_mtime.tv_sec;
	walk_names_at(dirfd, name, see, u);
	if (u->newest >= u->before)
		return 0;
	walk_names_at(dirfd, name, drop, u);
	SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

static int visit_host(void *ctx, int dirfd, const char *path, const char *name)
{
	(void)path;
	walk_names_at(dirfd, name, visit_remote, ctx);
	SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

uint64_t queue_drop_unused(struct store *s)
{
	struct unused u = {.before = sys_now_ns(CLOCK_REALTIME) / 1000000000 - QUEUE_UNUSED_S};
	char path[PATH_SIZE];

	if (s->dir && path_join(path, sizeof path, s->dir, "spool") < sizeof path)
		walk_names(path, visit_host, &u);
	return u.removed;
}
