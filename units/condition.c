/* units/condition.c - compares the sources that a member names with those of this process. */
#include "units/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "keying/hashfile.h"
#include "shim/sys.h"
#include "units/seen_files.h"

#include "shim/banned.h"

static int is_source(int fd, const char *path, int64_t began, struct statx *st)
{
	return sys_statx(fd, path, *path ? 0 : AT_EMPTY_PATH,
	                 STATX_TYPE | STATX_SIZE | STATX_CTIME | STATX_INO, st) == 0 &&
	       S_ISREG(st->stx_mode) && st->stx_size <= MEMBER_SOURCE_MAX &&
	       member_is_imported(st->stx_ctime.tv_sec, began);
}

/* NULL, or why the condition fails. Another node wrote the path, so a file that is no source here,
 * such as a device without an end, is not even opened. */
static const char *condition_fails(const struct member_condition *c, int64_t began,
                                   unsigned char *buffer)
{
	struct statx st;
	int fd = is_source(AT_FDCWD, c->path, began, &st)
	         ? sys_open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) : -ENOENT;
	const char *wrong = NULL;
	unsigned long long bytes;
	struct digest d;

	if (fd < 0)
		return "is not here, or may have changed since this process began";
	if (!is_source(fd, "", began, &st) || hashfile(fd, buffer, 0, &d, &bytes, NULL) != 0 ||
	    !digest_equal(&d, &c->content))
		wrong = "differs here";
	else if (!seen_files_have(makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino))
		wrong = "is here, and this process never looked at it";
	sys_close(fd);
	return wrong;
}

int condition_all_hold(const struct member *m, int64_t began, struct arena *a, const char **why)
{
	unsigned char *buffer = m->conditions ? arena_alloc(a, HASHFILE_BUFFER) : NULL;

	for (unsigned i = 0; i < m->conditions; i++) {
		const char *wrong = buffer ? condition_fails(&m->condition[i], began, buffer)
		                    : "cannot be read: memory is refused";

		if (wrong) {
			*why = arena_cat(a, m->condition[i].path,
			                 ", a source of the stored unit, ", wrong, NULL);
			return 0;
		}
	}
	return 1;
}
