/* store/shared_page.c - shared pages in the runtime directory. */
#include "store/shared_page.h"

#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

static int64_t *map(const char *path, size_t bytes)
{
	struct statx st;
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

/* 1: the page was new and is ours now. 0: it was ours. -1: it is damaged. */
static int claim(int64_t *page, int64_t magic)
{
	int64_t was = 0;

	if (__atomic_compare_exchange_n(page, &was, magic, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 1;
	return was == magic ? 0 : -1;
}

int64_t *shared_page_open(const char *runtime_dir, const char *name, size_t bytes, int64_t magic,
                          int *made)
{
	char path[PATH_SIZE];

	*made = 0;
	if (!runtime_dir || path_join(path, sizeof path, runtime_dir, name) >= sizeof path)
		return NULL;
	for (int i = 0; i < 2; i++) {
		int64_t *page = map(path, bytes);
		int claimed = page ? claim(page, magic) : 0;

		*made = claimed > 0;
		if (claimed >= 0)
			return page;
		shared_page_unmap(page, bytes);
		/* Processes that have it mapped keep it. */
		sys_unlink(path);
	}
	return NULL;
}

void shared_page_unmap(int64_t *page, size_t bytes)
{
	if (page)
		sys_munmap(page, bytes);
}
