/* shim/log.h - Reprise's own log. Nothing is written to the job's stdout or stderr.
 *
 * One line a record: "2026-01-31T12:00:00Z 4711 warning gcc: text". The file is opened, appended to
 * and closed for each line (jobs close descriptors that we keep). At LOG_BYTES_MAX it is renamed to
 * <file>.1, once. If no log can be written, lines are dropped. */
#pragma once

#include "shim/settings/settings.h"

#define LOG_BYTES_MAX (4u << 20)
/* Session ids and job names are reused; a job of several days may log a warning daily. */
#define LOG_ONCE_SECONDS (24 * 3600)
enum log_level { LOG_ERROR = 1, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* THREAD. Fixes level and path for this process. cache_dir may be NULL. who: the tool's name. All
 * strings are kept by reference, as long as lines are written. Logs malformed settings, each at
 * most once a job (marked in runtime_dir; without one each process logs them). */
void log_init(const struct settings *s, const char *cache_dir, const char *runtime_dir,
              const char *who, char *const envp[], struct arena *a);
/* THREAD. printf with only %s %d %u %ld %lu %x %c (fault_set's formatter). Lines are cut at 1 KiB;
 * bytes below 0x20 are written as '?'. Does nothing before log_init. */
void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* THREAD. Like log_write(LOG_WARNING), but once per job and `once` name: a marker file in
 * runtime_dir is valid for LOG_ONCE_SECONDS. */
void log_once(const char *once, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* THREAD. True if a line of that level is written. */
int log_enabled(enum log_level level);
/* THREAD. The path that log_init would use, or NULL; for `reprise config`. */
const char *log_locate(const struct settings *s, const char *cache_dir, char *const envp[],
                       struct arena *a);
