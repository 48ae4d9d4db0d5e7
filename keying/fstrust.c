/* keying/fstrust.c - verdicts on file systems. */
#include "keying/fstrust.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <xxhash.h>

#include "shim/ascii.h"
#include "shim/format.h"
#include "shim/path.h"

#include "shim/banned.h"

#ifndef EROFS_SUPER_MAGIC_V1
#define EROFS_SUPER_MAGIC_V1 0xE0F5E1E2
#endif
#define MAJOR_NONE 0 /* a file system without a device */
#define FLAG_RDONLY 1 /* ST_RDONLY in f_flags */

/* A node of 2,000 containers has 600 KB. A mount beyond this limit is not trusted. */
#define MOUNTINFO_MAX (1u << 20)
/* Overlay over overlay over a plain file system; the kernel itself refuses deeper stacks. */
#define LOWER_DEPTH_MAX 2

/* Cuts the next space-separated word; 0 at the end. */
static size_t next_word(const char **p, const char *end, const char **word)
{
	while (*p < end && **p == ' ')
		(*p)++;
	*word = *p;
	while (*p < end && **p != ' ')
		(*p)++;
	return (size_t)(*p - *word);
}

static int parse_number(const char *s, size_t n, unsigned long long *out)
{
	*out = 0;
	if (!n || n > 19)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		*out = *out * 10 + (unsigned long long)(s[i] - '0');
	}
	return 0;
}

/* "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard": true for the wanted id. */
static int parse_line(const char *p, const char *end, unsigned long long id, struct mount_line *out)
{
	const char *word;
	unsigned long long number;
	size_t n = next_word(&p, end, &word);

	if (parse_number(word, n, &number) || number != id)
		return 0;
	while ((n = next_word(&p, end, &word)))
		if (n == 1 && *word == '-')
			break;
	out->fstype_len = next_word(&p, end, &out->fstype);
	out->source_len = next_word(&p, end, &out->source);
	out->options_len = next_word(&p, end, &out->options);
	return out->options_len != 0;
}

static unsigned long long mount_id_by_fdinfo(int fd, const char *path)
{
	char name[64], text[512];
	unsigned long long id = 0;
	int own = fd < 0 ? sys_open(path, O_PATH | O_CLOEXEC, 0) : -1;
	const char *at;

	if (fd < 0 && own < 0)
		return 0;
	format_text(name, sizeof name, "/proc/self/fdinfo/%d", fd < 0 ? own : fd);
	sys_read_text(name, text, sizeof text);
	if (own >= 0)
		sys_close(own);
	at = strstr(text, "mnt_id:");
	if (!at)
		return 0;
	for (at += 7; *at == '\t' || *at == ' '; at++)
		;
	return parse_number(at, strcspn(at, "\n"), &id) ? 0 : id;
}

/* 0 where the kernel does not tell the id: no mount has id 0. */
static unsigned long long mount_id(int fd, const char *path)
{
#ifdef STATX_MNT_ID
	struct statx st;
	int rc = fd >= 0 ? sys_statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st)
	                 : sys_statx(AT_FDCWD, path, 0, STATX_MNT_ID, &st);

	if (rc == 0 && (st.stx_mask & STATX_MNT_ID))
		return st.stx_mnt_id;
#endif
	return mount_id_by_fdinfo(fd, path); /* before Linux 5.8 */
}

/* The text of mountinfo in a mapping of MOUNTINFO_MAX bytes, or NULL. */
static char *read_mountinfo(size_t *n)
{
	char *text = sys_mmap(NULL, MOUNTINFO_MAX, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t got;

	if (sys_mmap_failed(text))
		return NULL;
	got = sys_read_file("/proc/self/mountinfo", 0, text, MOUNTINFO_MAX);
	*n = got > 0 ? (size_t)got : 0;
	return text;
}

static enum fstrust judge(int fd, const char *path, unsigned major, const struct statfs *fs,
                          unsigned long long *identity, int depth);

/* False when a visible lower directory is on an untrusted file system. */
static int lowers_trusted(const struct mount_line *line, int depth)
{
	size_t at = 0;
	char dir[PATH_SIZE];

	while (fstrust_next_lower(line->options, line->options_len, &at, dir, sizeof dir)) {
		struct statfs fs;
		struct statx st;
		unsigned long long identity = 0;

		if (SYS2(SYS_statfs, dir, &fs) < 0 ||
		    sys_statx(AT_FDCWD, dir, 0, STATX_TYPE, &st) < 0)
			continue;
		if (depth >= LOWER_DEPTH_MAX)
			return 0;
		switch (judge(-1, dir, st.stx_dev_major, &fs, &identity, depth + 1)) {
		case FSTRUST_NO:
		case FSTRUST_MOUNT: /* a file of the overlay does not show the mount below */
			return 0;
		default:
			break;
		}
	}
	return 1;
}

static int is_image(unsigned long type)
{
	return type == SQUASHFS_MAGIC || type == EROFS_SUPER_MAGIC_V1;
}

static enum fstrust judge(int fd, const char *path, unsigned major, const struct statfs *fs,
                          unsigned long long *identity, int depth)
{
	int readonly = (fs->f_flags & FLAG_RDONLY) != 0;
	unsigned long type = (unsigned long)fs->f_type & 0xfffffffful;
	struct mount_line line;
	enum fstrust level = FSTRUST_NO;
	size_t n;
	char *text;

	if (type != OVERLAYFS_SUPER_MAGIC && (!readonly || is_image(type)))
		return fstrust_verdict(type, 0, major, NULL);
	text = read_mountinfo(&n);
	if (!text)
		return FSTRUST_NO;
	if (fstrust_find_mount(text, n, mount_id(fd, path), &line) == 0) {
		level = fstrust_verdict(type, readonly, major, &line);
		if (level != FSTRUST_NO && type == OVERLAYFS_SUPER_MAGIC &&
		    !lowers_trusted(&line, depth))
			level = FSTRUST_NO;
		/* A later overlay may get this overlay's device number and its top layer. */
		*identity ^= XXH3_64bits(line.options, line.options_len);
	}
	sys_munmap(text, MOUNTINFO_MAX);
	return level;
}

int fstrust_find_mount(const char *text, size_t n, unsigned long long id, struct mount_line *out)
{
	const char *p = text, *end = text + n;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			return -1; /* a truncated line does not count */
		if (parse_line(p, eol, id, out))
			return 0;
		p = eol + 1;
	}
	return -1;
}

size_t fstrust_next_lower(const char *options, size_t n, size_t *at, char *out, size_t cap)
{
	static const char *const keys[] = {"lowerdir=", "lowerdir+=", "datadir+="};

	while (*at < n) {
		size_t start = *at, len = 0, i = start;

		/* At the start of an option: skip a key, or an option that names no layer. */
		if (start == 0 || options[start - 1] == ',') {
			size_t key = 0;

			for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
				if (ascii_begins(options + start, n - start, keys[k]))
					key = strlen(keys[k]);
			if (!key) {
				while (i < n && options[i] != ',')
					i++;
				*at = i + 1;
				continue;
			}
			i = start += key;
		}
		while (i < n && options[i] != ',' && options[i] != ':')
			i++;
		len = i - start;
		*at = i + 1;
		if (!len || len >= cap || options[start] != '/' ||
		    memchr(options + start, '\\', len))
			continue;
		memcpy(out, options + start, len);
		out[len] = 0;
		return len;
	}
	return 0;
}

enum fstrust fstrust_verdict(unsigned long type, int readonly, unsigned major,
                             const struct mount_line *line)
{
	/* A read-only mount of a superblock that is writable elsewhere is as good as the writable
	 * mount. */
	int frozen = readonly &&
	             (!line || !(ascii_begins(line->options, line->options_len, "rw,") ||
	                         (line->options_len == 2 &&
	                          ascii_begins(line->options, 2, "rw"))));

	if (is_image(type))
		return FSTRUST_MOUNT;
	switch (type) {
	case EXT4_SUPER_MAGIC: /* and ext2, ext3 */
	case XFS_SUPER_MAGIC:
		return frozen || major == SYS_MAJOR_LOOP ? FSTRUST_NO : FSTRUST_YES;
	case TMPFS_MAGIC:
		return frozen ? FSTRUST_NO : FSTRUST_MAPPED;
	case BTRFS_SUPER_MAGIC:
		/* Its device number does not reveal a loop device, so its files are judged. */
		return frozen ? FSTRUST_NO : FSTRUST_BORN;
	case OVERLAYFS_SUPER_MAGIC:
		return line ? FSTRUST_BORN : FSTRUST_NO;
	default:
		return FSTRUST_NO;
	}
}

/* The state of the file that a loop device reads. 0: this cannot be seen from here. */
static unsigned long long backing_stamp(unsigned minor)
{
	char name[64], path[PATH_SIZE];
	struct statx st;

	format_text(name, sizeof name, "/sys/dev/block/%d:%u/loop/backing_file", SYS_MAJOR_LOOP,
	            minor);
	sys_read_text(name, path, sizeof path);
	path[strcspn(path, "\n")] = '\0';
	if (sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) < 0)
		return 0;
	memset(&st.stx_atime, 0, sizeof st.stx_atime);
	return XXH3_64bits(&st, sizeof st);
}

/* A user may build an image anew in the same file, although it is mounted. The file's times show
 * it, where the file is known: not where the kernel reads it without a device, nor where another
 * mount namespace has it. */
static enum fstrust judge_image(const struct statx *st, unsigned long long *identity)
{
	unsigned long long backing;

	if (st->stx_dev_major == MAJOR_NONE)
		return FSTRUST_NO;
	if (st->stx_dev_major != SYS_MAJOR_LOOP)
		return FSTRUST_MOUNT;
	backing = backing_stamp(st->stx_dev_minor);
	*identity ^= backing;
	return backing ? FSTRUST_MOUNT : FSTRUST_NO;
}

int fstrust_judge(int fd, const char *path, const struct statx *st, unsigned long long *identity)
{
	enum fstrust level;
	struct statfs fs;
	long rc = fd >= 0 ? SYS2(SYS_fstatfs, fd, &fs) : SYS2(SYS_statfs, path, &fs);

	if (rc < 0)
		return (int)rc;
	*identity = 0;
	memcpy(identity, &fs.f_fsid, sizeof fs.f_fsid < sizeof *identity ? sizeof fs.f_fsid
	                                                                 : sizeof *identity);
	level = judge(fd, path, st->stx_dev_major, &fs, identity, 0);
	return level == FSTRUST_MOUNT ? judge_image(st, identity) : level;
}
