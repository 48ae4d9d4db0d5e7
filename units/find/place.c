/* units/find/place.c - looks at the directories of a path, from the last one on. */
#include "units/find/place.h"

#include <errno.h>
#include <string.h>
#include <sys/statfs.h>

#include "shim/kernel/realpath.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

/* As statfs(2) names them: f_type of ext2, 3 and 4, xfs, btrfs, bcachefs, f2fs, zfs, tmpfs,
 * overlayfs. */
static const unsigned long one_host[] = {0xef53, 0x58465342, 0x9123683e, 0xca451a4e, 0xf2f52010,
                                         0x2fc12fc1, 0x01021994,
                                         0x794c7630};

int place_open(const char *path, size_t *len, struct arena *a)
{
	char *there = arena_strdup(a, path);
	int fd = -ENOENT;

	while (there && *there) {
		fd = sys_above_streams(sys_open(there, O_PATH | O_CLOEXEC, 0));
		if (fd != -ENOENT)
			break;
		there[path_dir_len(there)] = '\0';
	}
	*len = there ? strlen(there) : 0;
	return fd;
}

int place_is_of_one_host(const char *path, struct arena *a)
{
	struct statfs fs;
	size_t len;
	int fd = place_open(path, &len, a), known;

	if (fd < 0)
		return 0;
	known = sys_fstatfs(fd, &fs) == 0;
	sys_close(fd);
	for (size_t i = 0; known && i < sizeof one_host / sizeof *one_host; i++)
		if ((unsigned long)fs.f_type == one_host[i])
			return 1;
	return 0;
}

static int identify(struct statx *st, const char *path)
{
	return sys_statx(AT_FDCWD, path, 0, STATX_INO, st);
}

int place_is_below(const char *path, const char *dir, struct arena *a)
{
	char *above = arena_alloc(a, PATH_SIZE);
	struct statx wanted, st;
	size_t n = path_dir_len(path), len;
	const char *from = arena_memdup(a, path, n);
	int fd = above && from ? place_open(from, &len, a) : -ENOMEM, found = 0;

	if (fd < 0)
		return 0;
	if (fdpath(above, PATH_SIZE, fd) > 0 && identify(&wanted, dir) == 0) {
		for (n = strlen(above); !found && n > 1; n = path_dir_len(above)) {
			above[n] = '\0';
			found = identify(&st, above) == 0 && st.stx_ino == wanted.stx_ino &&
			        st.stx_dev_major == wanted.stx_dev_major &&
			        st.stx_dev_minor == wanted.stx_dev_minor;
		}
	}
	sys_close(fd);
	return found;
}
