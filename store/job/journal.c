/* store/job/journal.c - the last misses, bypasses and unstored runs, one line each.
 *
 * <runtime>/journal: time, pid, job, tool, verdict, reason, detail, cwd, key, key history, argv,
 * separated by tabs and ended by a newline; \t, \n, \\ and \xNN stand for tab, newline, backslash
 * and the other control bytes. A line is one write(2) on an O_APPEND descriptor, so lines of
 * several processes do not mix. A truncated line (full disk, killed writer) has too few fields and
 * is skipped. */
#include "store/job/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include "shim/ascii.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

#define FIELDS 11
#define ARGV_MAX 1024
/* Longer than any path: only a hostile file has longer fields. */
#define FIELD_MAX 8192
/* Writers may append between the size check and the rename, so a journal may exceed its limit. */
#define READ_MAX (2 * JOURNAL_BYTES_MAX)

static void add_escaped(struct buf *b, const char *s, size_t max)
{
	size_t n = s ? strnlen(s, max) : 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '\t')
			buf_str(b, "\\t");
		else if (c == '\n')
			buf_str(b, "\\n");
		else if (c == '\\')
			buf_str(b, "\\\\");
		else if (c < 0x20 || c == 0x7f) {
			char hex[] = "\\x00";

			ascii_put_hex(hex + 2, c, 2);
			buf_str(b, hex);
		} else
			buf_u8(b, c);
	}
}

/* Unescapes in place, up to a NUL. 0, or -1 for an escape that add_escaped does not write. */
static int unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (*s != '\\') {
			*out++ = *s++;
			continue;
		}
		int64_t byte;
		switch (s[1]) {
		case 't': *out++ = '\t'; s += 2; break;
		case 'n': *out++ = '\n'; s += 2; break;
		case '\\': *out++ = '\\'; s += 2; break;
		case 'x':
			byte = ascii_get_hex(s + 2, 2);
			if (byte <= 0)
				return -1;
			*out++ = (char)byte;
			s += 4;
			break;
		default:
			return -1;
		}
	}
	*out = '\0';
	return 0;
}

static int64_t number(const char *s)
{
	int64_t v = 0;

	if (!*s)
		return -1;
	for (; *s; s++)
		if (*s < '0' || *s > '9' || v > INT64_MAX / 16)
			return -1;
		else
			v = v * 10 + (*s - '0');
	return v;
}

/* Parses a line that ends in NUL and changes it in place. 0 or -1. */
static int parse_line(char *line, struct journal_record *r)
{
	char *field[FIELDS];

	for (int i = 0; i < FIELDS; i++) {
		field[i] = line;
		char *end = strchrnul(line, '\t');
		if ((*end == '\t') != (i < FIELDS - 1))
			return -1;
		line = end + 1;
		*end = '\0';
		if (unescape(field[i]) < 0)
			return -1;
	}
	int64_t when = number(field[0]), pid = number(field[1]);
	if (when < 0 || pid < 0 || pid > INT32_MAX)
		return -1;
	*r = (struct journal_record){when, (int)pid, field[2], field[3], field[4], field[5],
	                             field[6],
	                             field[7], field[8], field[9], field[10]};
	return 0;
}

/* Reads the last lines of a file, newest first, into out[*at - 1] and below. */
static void read_file(const char *path, struct journal_record *out, int *at, struct arena *a)
{
	struct statx st;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);

	if (fd < 0)
		return;
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st);
	size_t size = rc < 0 || !S_ISREG(st.stx_mode) ? 0 : st.stx_size;
	if (size > READ_MAX) {
		sys_lseek(fd, (off_t)(size - READ_MAX), SEEK_SET);
		size = READ_MAX;
	}
	char *text = size ? arena_alloc(a, size + 1) : NULL;
	ssize_t n = text ? sys_read_all(fd, text, size) : 0;
	sys_close(fd);
	if (n > 0)
		journal_parse(text, (size_t)n, out, at);
}

void journal_parse(char *text, size_t n, struct journal_record *out, int *at)
{
	/* Bytes after the last newline are a line that is still being written. */
	while (n > 0 && text[n - 1] != '\n')
		n--;
	while (n > 0 && *at > 0) {
		char *end = text + n - 1;
		char *start = n > 1 ? memrchr(text, '\n', n - 1) : NULL;

		start = start ? start + 1 : text;
		*end = '\0';
		/* A NUL in a line ends it early, and then fields are missing. */
		if (parse_line(start, out + *at - 1) == 0)
			(*at)--;
		n = (size_t)(start - text);
	}
}

void journal_add(struct store *s, const struct journal_record *r)
{
	char path[PATH_SIZE], old[PATH_SIZE], head[48];
	const char *text[] = {r->job, r->tool, r->verdict, r->reason, r->detail, r->cwd, r->key,
	                      r->key_history};
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	struct statx st;

	if (!s->runtime_dir || path_join(path, sizeof path, s->runtime_dir, "journal") >=
	    sizeof path || path_join(old, sizeof old, s->runtime_dir, "journal.1") >= sizeof old)
		return;
	format_text(head, sizeof head, "%ld\t%d", (long)r->time, r->pid);
	buf_str(&b, head);
	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		buf_u8(&b, '\t');
		add_escaped(&b, text[i], FIELD_MAX);
	}
	buf_u8(&b, '\t');
	add_escaped(&b, r->argv, ARGV_MAX);
	buf_u8(&b, '\n');
	int fd = sys_open_made(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && !b.failed) {
		sys_write(fd, b.data, b.len);
		if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) == 0 &&
		    st.stx_size > JOURNAL_BYTES_MAX)
			/* two renames at once lose the lines of one file, no more */
			sys_rename(path, old);
	}
	if (fd >= 0)
		sys_close(fd);
	arena_free(&a);
}

int journal_read(struct store *s, struct journal_record *out, int max, struct arena *a)
{
	char path[PATH_SIZE];
	int at = max;

	if (!s->runtime_dir)
		return -1;
	if (path_join(path, sizeof path, s->runtime_dir, "journal") < sizeof path)
		read_file(path, out, &at, a);
	if (path_join(path, sizeof path, s->runtime_dir, "journal.1") < sizeof path)
		read_file(path, out, &at, a);
	memmove(out, out + at, (size_t)(max - at) * sizeof *out);
	return max - at;
}
