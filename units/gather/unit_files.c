/* units/gather/unit_files.c - reads one file completely, if it belongs to the right user. */
#include "units/gather/gather.h"

#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "units/format/whole.h"

/* --- gather check --- */

/* 256 bits, five a letter. */
enum { BASE32_FULL = 52, BASE32_CUT = 51 };
/* The content of a zlib stream is not kept. */
#define INFLATED_AT_ONCE 16384

static int is_zlib_stream(const unsigned char *bytes, size_t n)
{
	unsigned char content[INFLATED_AT_ONCE];
	z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)n};
	int rc = Z_OK;

	if (n != z.avail_in || inflateInit(&z) != Z_OK)
		return 0;
	while (rc == Z_OK) {
		z.next_out = content;
		z.avail_out = sizeof content;
		rc = inflate(&z, Z_NO_FLUSH);
	}
	n = z.avail_in;
	inflateEnd(&z);
	return rc == Z_STREAM_END && !n;
}

int check_digest_name(const char *name)
{
	size_t n = strlen(name);

	return (n == BASE32_CUT || n == BASE32_FULL) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz234567") == n;
}

int check_digest(const char *name, const void *bytes, size_t n)
{
	unsigned char digest[crypto_hash_sha256_BYTES + 1] = {0};
	char text[BASE32_FULL];

	crypto_hash_sha256(digest, bytes, n);
	for (unsigned i = 0; i < BASE32_FULL; i++) {
		unsigned at = 5 * i, two = (unsigned)digest[at / 8] << 8 | digest[at / 8 + 1];

		text[i] = "abcdefghijklmnopqrstuvwxyz234567"[two >> (11 - at % 8) & 31];
	}
	return check_digest_name(name) && memcmp(name, text, strlen(name)) == 0;
}

int check_kernel(const char *name, const void *bytes, size_t n)
{
	return strstr(name, "_sass_") ? whole_elf(bytes, n) : whole_ptx(bytes, n);
}

int check_compressed(const void *bytes, size_t n)
{
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd}; /* of zstd, RFC 8878 */

	if (n >= sizeof frame && memcmp(bytes, frame, sizeof frame) == 0)
		return ZSTD_findFrameCompressedSize(bytes, n) == n;
	return is_zlib_stream(bytes, n);
}

int check_configuration(const void *bytes, size_t n)
{
	static const char *const members[] = {"\"config\":", "\"key\":", "\"kernel_source_hash\":"};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (!memmem(bytes, n, members[i], strlen(members[i])))
			return 0;
	return 1;
}

int check_bytecode(const void *bytes, size_t n)
{
	static const unsigned char magic[] = {'M', 'L', 0xef, 'R'};
	const unsigned char *p = bytes;

	return n > sizeof magic + 4 && n < UINT32_MAX && memcmp(p, magic, sizeof magic) == 0 &&
	       crc32(0, p, (uInt)(n - 4)) == le_get(p + n - 4, 4);
}

int check_damaged(const char *name, const void *bytes, size_t n)
{
	static const char *const pickled[] = {".nbi", ".nbc", ".pkl", ".pickle"};
	unsigned char first = n ? *(const unsigned char *)bytes : 0;

	/* Programs call other formats .pkl, too, such as compressed pickles. */
	for (size_t i = 0; i < sizeof pickled / sizeof *pickled; i++)
		if (path_ends(name, pickled[i]) && (i < 2 || first == 0x80 || !first))
			return check_pickles(bytes, n) != CHECK_WHOLE;
	return whole_file(name, bytes, n) == WHOLE_NO;
}

/* A process that writes in place writes all at once. */
#define REST_NS 1000000000ll

enum gather_status gather_wait(struct gathering *g, const char *why)
{
	int64_t age = sys_now_ns(CLOCK_REALTIME) / 1000000000 - g->o->made_at;

	fault_set(g->fault, 0, "%s", why);
	return age < GATHER_REST_MAX_S ? GATHER_LATER : GATHER_DROPPED;
}

static enum gather_status judge(struct gathering *g, int fd, const char *name, int said,
                                const struct statx *st)
{
	if (!S_ISREG(st->stx_mode))
		return gather_drop(g, "%s is no regular file", name);
	if (st->stx_uid != g->o->uid)
		return gather_drop(g, "%s belongs to another user", name);
	if (st->stx_nlink != 1)
		return gather_drop(g, "%s has %u names", name, st->stx_nlink);
	if (said && !offer_same(g->o, st))
		return gather_drop(g, "%s was replaced or changed since", name);
	if (st->stx_mode & 07000)
		return gather_drop(g, "%s has a setuid, setgid or sticky bit", name);
	if (st->stx_size > PARCEL_BYTES_MAX)
		return gather_drop(g, "%s is too large", name);
	/* A program that closes a file may open it again to add to it. */
	if (said && (g->o->opened || g->o->closed)) {
		if (sys_now_ns(CLOCK_REALTIME) - gather_ctime(st) < REST_NS)
			return gather_wait(g, "it was written to a moment ago");
		if (g->o->opened &&
		    SYS2(SYS_flock, fd, LOCK_SH | LOCK_NB) == -EWOULDBLOCK)
			return gather_wait(g, "another process has it locked");
	}
	return GATHER_KEPT;
}

static int changed(const struct statx *a, const struct statx *b)
{
	return a->stx_size != b->stx_size || gather_ctime(a) != gather_ctime(b);
}

enum gather_status gather_read(struct gathering *g, int dirfd, const char *name, int said,
                               struct parcel_file *f,
                               struct statx *st)
{
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	struct statx after;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return gather_drop(g, "%s is gone", name);
	if (fd == -ELOOP)
		return gather_drop(g, "%s is gone: a symbolic link stands there", name);
	if (fd < 0) {
		fault_sys(g->fault, -fd, "open", name);
		return GATHER_DROPPED;
	}
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, st);
	enum gather_status status = rc < 0 ? GATHER_KEPT : judge(g, fd, name, said, st);
	if (rc == 0 && status == GATHER_KEPT) {
		unsigned char *bytes = arena_alloc(g->a, st->stx_size + 1);
		ssize_t n = bytes ? sys_read_all(fd, bytes, st->stx_size + 1) : -ENOMEM;

		rc = n < 0 ? (int)n : sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, &after);
		if (rc == 0 && ((uint64_t)n != st->stx_size || changed(st, &after)))
			status = said && !g->o->opened
				? gather_drop(g, "%s changed while it was read", name)
				: gather_wait(g, "a file changed while it was read");
		if (rc == 0 && status == GATHER_KEPT && said && g->o->closed) {
			struct digest content;

			digest_name(&content, bytes, (size_t)n);
			if (!digest_equal(&content, &g->o->content))
				status = gather_drop(g, "%s changed since it was closed", name);
		}
		*f = (struct parcel_file){.name = path_base(name), .mode = st->stx_mode & 07777,
		                          .data = bytes, .len = st->stx_size};
	}
	sys_close(fd);
	if (rc < 0) {
		fault_sys(g->fault, -rc, "read", name);
		return GATHER_DROPPED;
	}
	return status;
}
