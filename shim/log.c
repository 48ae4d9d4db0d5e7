/* shim/log.c - appends one line a record to a file that is opened for each.
 *
 * The marker of a logged warning is an empty file, <runtime>/once/<32 hex digits of digest(job NUL
 * name)>. Its mtime is the time of the warning. Markers older than LOG_ONCE_SECONDS are removed
 * when a new one is made. */

#include "shim/log.h"
#include "shim/digest.h"
#include "shim/format.h"
#include "shim/kernel/signals.h"
#include "shim/path.h"
#include "shim/settings/job.h"

#include "shim/banned.h"

#define LINE_MAX_BYTES 1024

struct linux_dirent64 {
	uint64_t d_ino;
	int64_t d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

static START_DATA struct {
	int level; /* 0: nothing is written */
	int flags; /* of open: a path that the user chose may be a link, as /dev/stderr is */
	const char *path, *runtime_dir, *who, *job;
} logger;

/* "2026-01-31T12:00:00Z". Computed here: localtime and gmtime take locks and are hooked. Days
 * become a date by the 400-year cycle of the Gregorian calendar, with years that begin in March. */
static void put_time(char *out, size_t cap, int64_t now)
{
	int64_t days = now / 86400 + 719468, era = days / 146097;
	unsigned rest = (unsigned)(now % 86400), in_era = (unsigned)(days - era * 146097);
	unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	unsigned day = in_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * day + 2) / 153;
	unsigned f[6] = {0, month < 10 ? month + 3 : month - 9, day - (153 * month + 2) / 5 + 1,
	                 rest / 3600, rest / 60 % 60, rest % 60};
	static const char after[] = "--T::Z";
	unsigned y = (unsigned)(year + era * 400) + (f[1] <= 2);

	size_t n = format_text(out, cap, "%u", y);
	for (int i = 0; i < 6 && n + 3 < cap; i++) {
		if (i) {
			out[n++] = (char)('0' + f[i] / 10);
			out[n++] = (char)('0' + f[i] % 10);
		}
		out[n++] = after[i];
	}
	out[n] = 0;
}

/* Descriptors are then moved above 0-2, which another thread of the host may be using. */
#define OPEN_FLAGS (O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int is_regular(const struct statx *st)
{
	return (st->stx_mode & S_IFMT) == S_IFREG;
}

/* Renames a full log. If several processes find it full at once, the later ones replace the old log
 * by a young one. Nothing else is lost. False for anything but a regular file: /dev/stderr must
 * never be renamed. */
static int rotate(void)
{
	char old[PATH_SIZE];
	struct statx st;

	return sys_statx(AT_FDCWD, logger.path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0 &&
	       is_regular(&st) &&
	       format_text(old, sizeof old, "%s.1", logger.path) < sizeof old - 1 &&
	       sys_rename(logger.path, old) == 0;
}

/* One write, so that lines of several processes do not mix. */
static void append(const char *line, size_t n)
{
	struct statx st;
	int fd = sys_above_streams(sys_open_made(logger.path, logger.flags | OPEN_FLAGS, 0600));

	if (fd < 0)
		return;
	int known = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE | STATX_UID, &st) == 0;
	if (known && is_regular(&st) && st.stx_size + n > LOG_BYTES_MAX && rotate()) {
		sys_close(fd);
		fd = sys_above_streams(sys_open_made(logger.path, logger.flags | OPEN_FLAGS, 0600));
		if (fd < 0)
			return;
	}
	/* The default name below $TMPDIR can be guessed: never write into another user's file. */
	if (known && (!(logger.flags & O_NOFOLLOW) || st.stx_uid == sys_geteuid()))
		sys_write(fd, line, n);
	sys_close(fd);
}

static void write_line(enum log_level level, const char *fmt, va_list ap)
{
	static const char *const names[] = {"", "error", "warning", "info", "debug"};
	char when[32], line[LINE_MAX_BYTES];

	put_time(when, sizeof when, sys_now_ns(CLOCK_REALTIME) / 1000000000);
	size_t n = format_text(line, sizeof line, "%s %d %s %s: ", when, sys_getpid(), names[level],
	                       logger.who);
	n += format_args(line + n, sizeof line - n, fmt, ap);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < 0x20)
			line[i] = '?';
	line[n++] = '\n'; /* replaces the NUL */
	struct signals_size held = signals_size_hold();
	append(line, n);
	signals_size_release(&held);
}

/* mtime in seconds, or -1 */
static int64_t modified(int dir, const char *path)
{
	struct statx st;

	if (sys_statx(dir, path, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) < 0)
		return -1;
	return st.stx_mtime.tv_sec;
}

static void remove_old_markers(const char *dir, int64_t now)
{
	_Alignas(8) char names[2048];
	ssize_t n;
	int fd = sys_above_streams(sys_open(dir, O_RDONLY | O_DIRECTORY | OPEN_FLAGS, 0));

	if (fd < 0)
		return;
	while ((n = sys_getdents(fd, names, sizeof names)) > 0) {
		for (ssize_t at = 0; at < n;) {
			struct linux_dirent64 *e = (struct linux_dirent64 *)(void *)(names + at);
			at += e->d_reclen;
			if (e->d_name[0] != '.' && now - modified(fd, e->d_name) > LOG_ONCE_SECONDS)
				SYS3(SYS_unlinkat, fd, e->d_name, 0);
		}
	}
	sys_close(fd);
}

/* True if this process must log the warning. If no marker can be made, every process logs it. */
static int first_to_say(const char *once)
{
	struct digest_state state;
	struct digest d;
	/* the only large buffer: host stacks can be small */
	char hex[DIGEST_HEX + 1], path[PATH_SIZE];
	int64_t now = sys_now_ns(CLOCK_REALTIME) / 1000000000;

	if (!logger.runtime_dir)
		return 1;
	digest_init(&state);
	digest_add(&state, logger.job, strlen(logger.job) + 1);
	digest_add(&state, once, strlen(once));
	digest_final(&state, &d);
	digest_hex(&d, hex);
	hex[32] = 0; /* enough digits to tell them apart */
	size_t len = path_join(path, sizeof path, logger.runtime_dir, "once");
	if (len + sizeof hex >= sizeof path)
		return 1;
	if (sys_mkdir(path, 0700) == 0)
		SYS3(SYS_fchmodat, AT_FDCWD, path, 0700); /* whatever the umask */
	format_text(path + len, sizeof path - len, "/%s", hex);
	int fd = sys_above_streams(sys_open(path, O_WRONLY | O_CREAT | O_EXCL | OPEN_FLAGS, 0600));
	if (fd == -EEXIST && now - modified(AT_FDCWD, path) > LOG_ONCE_SECONDS &&
	    sys_unlink(path) == 0)
		fd = sys_above_streams(sys_open(path, O_WRONLY | O_CREAT | O_EXCL | OPEN_FLAGS,
		                                0600));
	if (fd < 0)
		return fd != -EEXIST;
	sys_close(fd);
	path[len] = 0;
	remove_old_markers(path, now);
	return 1;
}

void log_init(const struct settings *s, const char *cache_dir, const char *runtime_dir,
              const char *who, char *const envp[], struct arena *a)
{
	logger.level = 0;
	logger.path = log_locate(s, cache_dir, envp, a);
	if (!logger.path)
		return;
	logger.flags = O_WRONLY | O_APPEND;
	if (!*setting_text(s, SETTING_LOG))
		logger.flags |= O_NOFOLLOW;
	logger.who = who;
	logger.runtime_dir = runtime_dir;
	logger.job = settings_job(s, envp, a, NULL);
	logger.level = (int)setting_number(s, SETTING_LOG_LEVEL);
	for (int i = 0; i < s->bad_count && i < SETTINGS_BAD_MAX; i++)
		log_once(s->bad[i], "%s", s->bad[i]);
	if (s->bad_count > SETTINGS_BAD_MAX)
		log_once("settings", "%d more malformed settings", s->bad_count - SETTINGS_BAD_MAX);
}

void log_write(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if (!log_enabled(level))
		return;
	va_start(ap, fmt);
	write_line(level, fmt, ap);
	va_end(ap);
}

void log_once(const char *once, const char *fmt, ...)
{
	va_list ap;

	if (!log_enabled(LOG_WARNING) || !first_to_say(once))
		return;
	va_start(ap, fmt);
	write_line(LOG_WARNING, fmt, ap);
	va_end(ap);
}

int log_enabled(enum log_level level)
{
	return (int)level <= logger.level;
}

const char *log_locate(const struct settings *s, const char *cache_dir, char *const envp[],
                       struct arena *a)
{
	const char *set = setting_text(s, SETTING_LOG), *tmp = env_get(envp, "TMPDIR");
	char name[32];

	if (*set)
		return set;
	if (cache_dir)
		return arena_cat(a, cache_dir, "/log", NULL);
	if (!tmp || *tmp != '/')
		return NULL;
	format_text(name, sizeof name, "/reprise_%u.log", sys_geteuid());
	return arena_cat(a, tmp, name, NULL);
}
