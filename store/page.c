/* store/page.c - shared pages in the runtime directory. */
#include "store/page.h"

#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

int64_t *page_map(const char *runtime_dir, const char *name, size_t bytes)
{
	char path[PATH_SIZE];
	struct statx st;

	if (!runtime_dir || path_join(path, sizeof path, runtime_dir, name) >= sizeof path)
		return NULL;
	int fd = sys_open_made(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_BLOCKS, &st);
	if (rc == 0 && (st.stx_size < bytes || st.stx_blocks * 512 < bytes))
		rc = sys_fallocate(fd, 0, 0, (off_t)bytes);
	void *p = rc < 0 ? NULL : sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sys_close(fd);
	return p && !sys_mmap_failed(p) ? p : NULL;
}

void page_unmap(int64_t *page, size_t bytes)
{
	if (page)
		sys_munmap(page, bytes);
}

int page_claim(int64_t *page, int64_t magic)
{
	int64_t was = 0;

	if (__atomic_compare_exchange_n(page, &was, magic, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 1;
	return was == magic ? 0 : -1;
}

void page_remove(const char *runtime_dir, const char *name)
{
	char path[PATH_SIZE];

	if (path_join(path, sizeof path, runtime_dir, name) < sizeof path)
		sys_unlink(path);
}
