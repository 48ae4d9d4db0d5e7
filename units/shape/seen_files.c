/* units/shape/seen_files.c - hash tables of fixed sizes, filled one after the other; slots go from
 * 0 to a value once. */
#include "units/shape/seen_files.h"

#include <stdint.h>
#include <string.h>

#include "shim/buf.h"
#include "shim/digest.h"
#include "shim/path.h"

#include "shim/banned.h"

/* --- absent --- */

/* A look-up of a free slot that takes longer counts as a full table. */
#define TRIES 64u

static uint64_t absent_slots[ABSENT_SLOTS];

/* The slot that holds the path, or a free one; NULL: neither is found. */
static uint64_t *find(const char *path, uint64_t *digest)
{
	struct digest d;

	digest_name(&d, path, strlen(path));
	memcpy(digest, d.b, sizeof *digest);
	*digest |= 1; /* 0 is a free slot */
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t *slot = &absent_slots[(*digest / 2 + i) % ABSENT_SLOTS];
		uint64_t has = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!has || has == *digest)
			return slot;
	}
	return NULL;
}

int absent_is_known(const char *path)
{
	uint64_t digest;
	const uint64_t *slot = find(path, &digest);

	return !slot || *slot == digest;
}

void absent_add(const char *path)
{
	uint64_t digest, *slot, none = 0;

	do
		slot = find(path, &digest);
	while (slot && *slot != digest &&
	       !__atomic_compare_exchange_n(slot, &none, digest, 0, __ATOMIC_RELAXED,
	                                    __ATOMIC_RELAXED) &&
	       (none = 0, 1));
}

#define FOR_ANY_NAME (SEEN_FILES_SLOTS / 4)

/* A process touches only the tables that it fills: most look at some hundred files. */
#define TABLES 4
#define FIRST_TABLE (SEEN_FILES_SLOTS / 64)
static const struct table {
	uint32_t at, slots; /* the first slot, and how many */
} tables[TABLES] = {{0, FIRST_TABLE},
	{FIRST_TABLE, 4 * FIRST_TABLE},
	{5 * FIRST_TABLE, 16 * FIRST_TABLE},
	{21 * FIRST_TABLE, SEEN_FILES_SLOTS}};
static uint64_t slots[21 * FIRST_TABLE + SEEN_FILES_SLOTS];
static unsigned taken[TABLES], used;

/* The last step of MurmurHash3, which maps different numbers to different ones. */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

/* Files of one device have different digests. 0 means a free slot. */
static uint64_t digest_of_file(uint64_t device, uint64_t inode)
{
	uint64_t d = mixed(inode ^ mixed(device));

	return d ? d : 1;
}

/* The slot of the digest in table t, or the free one where it belongs. */
static uint64_t *slot_of(unsigned t, uint64_t digest, uint64_t *holds)
{
	for (uint64_t i = digest;; i++) {
		uint64_t *slot = &slots[tables[t].at + i % tables[t].slots];

		*holds = __atomic_load_n(slot, __ATOMIC_RELAXED);
		if (!*holds || *holds == digest)
			return slot;
	}
}

static int is_full(unsigned t)
{
	return __atomic_load_n(&taken[t], __ATOMIC_RELAXED) >= tables[t].slots / 4 * 3;
}

static int is_python_source(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && memcmp(path + n - 3, ".py", 3) == 0;
}

void seen_files_add(const char *path, uint64_t device, uint64_t inode)
{
	uint64_t digest = digest_of_file(device, inode), holds;
	unsigned n = __atomic_load_n(&used, __ATOMIC_RELAXED), t = 0;
	uint64_t *slot;

	if (n >= SEEN_FILES_MOST || (n >= FOR_ANY_NAME && !is_python_source(path)))
		return;
	for (; t < TABLES && is_full(t); t++) {
		slot_of(t, digest, &holds);
		if (holds)
			return;
	}
	while (t < TABLES) {
		slot = slot_of(t, digest, &holds);
		if (holds)
			return;
		/* Another thread may take the slot for another file. */
		if (__atomic_compare_exchange_n(slot, &holds, digest, 0, __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&taken[t], 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
			return;
		}
	}
}

int seen_files_have(uint64_t device, uint64_t inode)
{
	uint64_t digest = digest_of_file(device, inode), holds = 0;

	for (unsigned t = 0; t < TABLES && !holds; t++) {
		slot_of(t, digest, &holds);
		if (!is_full(t))
			break;
	}
	return holds != 0;
}

/* --- what is read --- */

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
static int find_lookup(uint64_t path, uint64_t *files)
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

	if (find_lookup(digest, &files))
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

	return find_lookup(digest_of_path(path), &files) &&
	       files == __atomic_load_n(&read_files, __ATOMIC_RELAXED);
}
