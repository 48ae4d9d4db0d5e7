/* store/entry/entry.c - entry, version 4; little-endian, no padding
 *
 *   offset 0   4      magic   "RPE" and the version, 4
 *          4   4      class   number from STORE_CLASSES
 *          8   8      length  payload bytes, at most ENTRY_PAYLOAD_MAX
 *         16  32      key     repeated, so that a file under a wrong name is bad
 *         48  length  payload
 *          .  32      check   digest of all before it
 *
 * The file ends there. A digest is 16 bytes of XXH3-128 (canonical, high half first), 15 zero bytes
 * and the algorithm's number, 1. If entries are signed, it is 32 bytes of BLAKE2b-256. The check
 * uses the algorithm of the key. The version covers the head, all payloads and their meaning: any
 * change raises it, and action keys change with it. Version 1 had other modes in results and fewer
 * kinds of input. Version 2 bound results to names by what two runs seemed to show. Version 3 knew
 * three ways in which an output replaces an older file.
 *
 * Classes and their payloads: 1 manifest, a candidate in each slot (candidate.c); 2 result
 * (result.c); 3 key history: two strings, the fields of a command's previous key ("" if there was
 * none) and of its key, each a row of 1 tag (keying/key.h), string label, string value, strings as
 * in candidate.c; 4 unit (units/format/parcel.c); 5 set, a member in each slot
 * (units/format/member.c); 6 texts (judge/text/precompiled.c, judge/text/texts.c).
 *
 * Specimen: tests/data/entry-v<version>.bin, decoded by tests/unit/test_entry.c. */
#include "store/entry/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

enum { OFF_MAGIC = 0, OFF_CLASS = 4, OFF_LENGTH = 8, OFF_KEY = 16 };
_Static_assert(OFF_KEY + DIGEST_SIZE == ENTRY_HEAD, "table above");

/* Entries up to this size are read into memory: mapping them costs more than the copy. A new page
 * of memory costs as much as copying ten. */
#define ENTRY_SMALL (64u << 10)
/* Larger entries are digested in pieces that stay in the processor's cache and take few new
 * pages. */
#define ENTRY_PIECE (32u << 10)
/* A multiple of the page size on every kernel. Where the page cache holds large folios, they are
 * mapped at once. */
#define MAP_ALIGN (2u << 20)

/* Checks the file's bytes after the head against its tail. */
static enum entry_status check_pieces(int fd, const unsigned char *head, unsigned long long size,
                                      unsigned char *piece, int *error)
{
	struct digest_state state;
	struct digest key, check;
	unsigned long long left = size - ENTRY_HEAD - ENTRY_TAIL;
	ssize_t got = 0;

	memcpy(key.b, head + OFF_KEY, DIGEST_SIZE);
	digest_init_as(&state, digest_algorithm(&key));
	digest_add(&state, head, ENTRY_HEAD);
	for (; left; left -= (unsigned long long)got) {
		size_t want = left < ENTRY_PIECE ? (size_t)left : ENTRY_PIECE;

		got = sys_read_all(fd, piece, want);
		if (got != (ssize_t)want)
			break;
		digest_add(&state, piece, want);
	}
	if (!left)
		got = sys_read_all(fd, piece, ENTRY_TAIL);
	if (got < 0) {
		*error = (int)-got;
		return ENTRY_FAULT;
	}
	digest_final(&state, &check);
	return !left && got == ENTRY_TAIL && memcmp(check.b, piece, ENTRY_TAIL) == 0 ? ENTRY_OK
	                                                                             : ENTRY_BAD;
}

/* True where mapped pages stay as they were read. They come from this node, not from a server that
 * may have forgotten the file. A process that cuts or changes the file waits for the lease until it
 * is no longer mapped. The file of another user, as in a seed, gets no lease: it is mapped where
 * nobody can write to it here. */
static int stays(int fd)
{
	struct statfs fs;

	if (SYS2(SYS_fstatfs, fd, &fs) < 0)
		return 0;
	switch ((unsigned long)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC: /* its upper layer is one of these */
		return sys_lease(fd, F_RDLCK) == 0 || fs.f_flags & ST_RDONLY;
	default:
		return 0;
	}
}

/* Opens an entry beyond ENTRY_SMALL: checks its head, digests it in pieces unless it is checked,
 * then maps it. The mapping is private: it may be patched, and takes memory only for patched
 * pages. */
static enum entry_status map_open(struct entry *out, int fd, unsigned long long size,
                                  enum store_class class, const struct digest *key, int checked,
                                  struct arena *a, int *error)
{
	unsigned char head[ENTRY_HEAD];
	unsigned char *piece = arena_alloc(a, ENTRY_PIECE), *place;
	ssize_t got = sys_read_all(fd, head, sizeof head);
	enum entry_status st;

	if (got < 0 || !piece) {
		*error = piece ? (int)-got : ENOMEM;
		return ENTRY_FAULT;
	}
	st = entry_check_head(head, (size_t)got < sizeof head ? 0 : size, class, key);
	if (st == ENTRY_OK && !checked)
		st = check_pieces(fd, head, size, piece, error);
	if (st != ENTRY_OK)
		return st;
	/* Mapped over untouched memory of the arena, so that it is freed with the arena. */
	place = arena_alloc(a, size + 2 * MAP_ALIGN);
	if (place)
		place += MAP_ALIGN - (uintptr_t)place % MAP_ALIGN;
	if (!place || sys_mmap_failed(sys_mmap(place, size, PROT_READ | PROT_WRITE,
	                                       MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0))) {
		*error = ENOMEM;
		return ENTRY_FAULT;
	}
	out->class = class;
	memcpy(out->key.b, head + OFF_KEY, DIGEST_SIZE);
	out->payload = place + ENTRY_HEAD;
	out->len = size - ENTRY_HEAD - ENTRY_TAIL;
	out->whole = 1;
	return ENTRY_OK;
}

/* Reads an open entry of that size. */
static enum entry_status read_open(struct entry *out, int fd, unsigned long long size,
                                   enum store_class class, const struct digest *key,
                                   struct arena *a, int *error)
{
	unsigned char head[ENTRY_HEAD];
	unsigned char *p;
	size_t have = 0;
	ssize_t got;

	if (size > ENTRY_SMALL) {
		got = sys_read_all(fd, head, sizeof head);
		if (got < 0)
			goto error;
		enum entry_status st = entry_check_head(
			head, (size_t)got < sizeof head ? 0 : size, class, key);
		if (st != ENTRY_OK)
			return st;
		have = sizeof head;
	}
	p = arena_alloc(a, size ? size : 1);
	if (!p) {
		got = -ENOMEM;
		goto error;
	}
	memcpy(p, head, have);
	got = sys_read_all(fd, p + have, size - have);
	if (got < 0)
		goto error;
	return entry_parse(out, p, have + (size_t)got, class, key);
error:
	*error = (int)-got;
	return ENTRY_FAULT;
}

void entry_head(unsigned char head[ENTRY_HEAD], enum store_class class, const struct digest *key,
                size_t len)
{
	memcpy(head + OFF_MAGIC, "RPE", 3);
	head[OFF_MAGIC + 3] = ENTRY_VERSION;
	le_put(head + OFF_CLASS, class, 4);
	le_put(head + OFF_LENGTH, len, 8);
	memcpy(head + OFF_KEY, key->b, DIGEST_SIZE);
}

void entry_seal(unsigned char head[ENTRY_HEAD], unsigned char tail[ENTRY_TAIL],
                enum store_class class, const struct digest *key, const struct tmp_part *parts,
                int count)
{
	struct digest_state state;
	struct digest check;
	size_t len = 0;

	for (int i = 0; i < count; i++)
		len += parts[i].len;

	entry_head(head, class, key, len);
	digest_init_as(&state, digest_algorithm(key));
	digest_add(&state, head, ENTRY_HEAD);
	for (int i = 0; i < count; i++)
		digest_add(&state, parts[i].data, parts[i].len);
	digest_final(&state, &check);
	memcpy(tail, check.b, ENTRY_TAIL);
}

int entry_seal_file(int fd, enum store_class class, const struct digest *key, uint64_t len)
{
	unsigned char head[ENTRY_HEAD], piece[ENTRY_PIECE];
	struct digest_state state;
	struct digest check;
	ssize_t n;

	entry_head(head, class, key, len);
	digest_init_as(&state, digest_algorithm(key));
	digest_add(&state, head, ENTRY_HEAD);
	for (uint64_t at = 0; at < len; at += (uint64_t)n) {
		size_t want = len - at < sizeof piece ? (size_t)(len - at) : sizeof piece;

		n = sys_pread_all(fd, piece, want, (off_t)(ENTRY_HEAD + at));
		if (n != (ssize_t)want)
			return n < 0 ? (int)n : -EIO;
		digest_add(&state, piece, want);
	}
	digest_final(&state, &check);
	n = sys_pwrite_all(fd, head, ENTRY_HEAD, 0);
	if (n >= 0)
		n = sys_pwrite_all(fd, check.b, ENTRY_TAIL, (off_t)(ENTRY_HEAD + len));
	return n < 0 ? (int)n : 0;
}

enum entry_status entry_parse(struct entry *out, const void *bytes, size_t n,
                              enum store_class class, const struct digest *key)
{
	const unsigned char *p = bytes;
	struct digest check;
	enum entry_status st = entry_check_head(p, n, class, key);

	if (st != ENTRY_OK)
		return st;
	memcpy(out->key.b, p + OFF_KEY, DIGEST_SIZE);
	digest_of_as(digest_algorithm(&out->key), &check, p, n - ENTRY_TAIL);
	if (memcmp(check.b, p + n - ENTRY_TAIL, ENTRY_TAIL) != 0)
		return ENTRY_BAD;
	out->class = class;
	out->payload = p + ENTRY_HEAD;
	out->len = n - ENTRY_HEAD - ENTRY_TAIL;
	out->mtime = 0;
	out->ino = out->mtime_ns = 0;
	out->whole = 1;
	return ENTRY_OK;
}

enum entry_status entry_check_head(const unsigned char *head, unsigned long long n,
                                   enum store_class class, const struct digest *key)
{
	if (n < 4 || memcmp(head, "RPE", 3) != 0)
		return ENTRY_BAD;
	if (head[3] != ENTRY_VERSION && head[3] != 0)
		return ENTRY_ABSENT;
	if (head[3] == 0 || n < ENTRY_HEAD + ENTRY_TAIL)
		return ENTRY_BAD;
	if (le_get(head + OFF_CLASS, 4) != (unsigned long long)class)
		return ENTRY_BAD;
	if (le_get(head + OFF_LENGTH, 8) != n - ENTRY_HEAD - ENTRY_TAIL ||
	    n - ENTRY_HEAD - ENTRY_TAIL > ENTRY_PAYLOAD_MAX)
		return ENTRY_BAD;
	if (key && memcmp(head + OFF_KEY, key->b, DIGEST_SIZE) != 0)
		return ENTRY_BAD;
	return ENTRY_OK;
}

enum entry_status entry_read(struct entry *out, const char *path, enum store_class class,
                             const struct digest *key, enum entry_reading how, struct arena *a,
                             struct fault *fault)
{
	enum entry_status st = ENTRY_FAULT;
	struct statx sx;
	int error = 0;

	/* NOFOLLOW, NONBLOCK: another user may have put a link or a FIFO there. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ESTALE)
		return ENTRY_ABSENT;
	if (fd == -ELOOP || fd == -ENXIO)
		return ENTRY_BAD;
	if (fd < 0) {
		fault_sys(fault, -fd, "open entry", path);
		return ENTRY_FAULT;
	}
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_INO,
	                   &sx);
	if (rc < 0)
		error = -rc;
	else if (!S_ISREG(sx.stx_mode) || sx.stx_size > ENTRY_HEAD + ENTRY_PAYLOAD_MAX + ENTRY_TAIL)
		st = ENTRY_BAD;
	else
		st = how != ENTRY_COPIES && sx.stx_size > ENTRY_SMALL && stays(fd)
		             ? map_open(out, fd, sx.stx_size, class, key,
		                        how == ENTRY_MAPS_CHECKED, a, &error)
		             : read_open(out, fd, sx.stx_size, class, key, a, &error);
	sys_close(fd);
	if (st == ENTRY_OK) {
		out->mtime = sx.stx_mtime.tv_sec;
		out->mtime_ns = sx.stx_mtime.tv_nsec;
		out->ino = sx.stx_ino;
	}
	if (st == ENTRY_FAULT && error == ESTALE)
		return ENTRY_ABSENT; /* replaced on a network file system during the read */
	if (st == ENTRY_FAULT)
		fault_sys(fault, error, "read entry", path);
	return st;
}

/* Path of an entry in a store. */

static const char *class_dir(enum store_class class)
{
	switch (class) {
#define X(id, number, dir)                                                                         \
	case STORE_##id:                                                                           \
		return dir;
	STORE_CLASSES(X)
#undef X
	}
	return "unknown";
}

size_t store_path(char *out, size_t cap, const char *dir, enum store_class class,
                  const struct digest *key, int slot)
{
	char hex[DIGEST_HEX + 1], suffix[16] = "";

	digest_hex(key, hex);
	if (slot)
		format_text(suffix, sizeof suffix, ".%d", slot);
	size_t dir_len = strlen(dir), class_len = strlen(class_dir(class)),
	       suffix_len = strlen(suffix);
	size_t need = dir_len + 1 + class_len + 1 + 2 + 1 + DIGEST_HEX - 2 + suffix_len;
	if (need >= cap) {
		if (cap)
			out[0] = '\0';
		return need;
	}
	char *p = out;
	p = mempcpy(p, dir, dir_len);
	*p++ = '/';
	p = mempcpy(p, class_dir(class), class_len);
	*p++ = '/';
	p = mempcpy(p, hex, 2);
	*p++ = '/';
	p = mempcpy(p, hex + 2, DIGEST_HEX - 2);
	memcpy(p, suffix, suffix_len + 1);
	return need;
}
