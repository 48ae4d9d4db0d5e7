/* units/shape/files_read.c - counts what is read, and what the count was at each look-up. */
#include "units/shape/files_read.h"

#include <stdint.h>
#include <string.h>

#include "shim/buf.h"
#include "shim/digest.h"
#include "shim/path.h"

#include "shim/banned.h"

#define LOOKUPS 64u
static struct {
	uint64_t path, files; /* path: a digest; 0 while files changes */
} lookups[LOOKUPS];
static unsigned next;
static uint64_t read_files;

static uint64_t digest_of_path(const char *path)
{
	struct digest d;

	digest_name(&d, path, strlen(path));
	return le_get(d.b, 8) | 1;
}

/* The count at the look-up, and 1; or 0. */
static int find(uint64_t path, uint64_t *files)
{
	for (unsigned i = 0; i < LOOKUPS; i++) {
		if (__atomic_load_n(&lookups[i].path, __ATOMIC_ACQUIRE) != path)
			continue;
		*files = __atomic_load_n(&lookups[i].files, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(&lookups[i].path, __ATOMIC_RELAXED) == path)
			return 1;
	}
	return 0;
}

void files_read_begin(const char *path)
{
	uint64_t digest = digest_of_path(path), files;
	unsigned i;

	if (find(digest, &files))
		return;
	i = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % LOOKUPS;
	__atomic_store_n(&lookups[i].path, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&lookups[i].files, __atomic_load_n(&read_files, __ATOMIC_RELAXED),
	                 __ATOMIC_RELEASE);
	__atomic_store_n(&lookups[i].path, digest, __ATOMIC_RELEASE);
}

void files_read_add(const char *path)
{
	if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
	    strncmp(path, "/dev/", 5) == 0 || path_ends(path, ".py") || path_ends(path, ".pyc") ||
	    path_ends(path, ".so") || strstr(path_base(path), ".so."))
		return;
	__atomic_fetch_add(&read_files, 1, __ATOMIC_RELAXED);
}

int files_read_none(const char *path)
{
	uint64_t files;

	return find(digest_of_path(path), &files) &&
	       files == __atomic_load_n(&read_files, __ATOMIC_RELAXED);
}
