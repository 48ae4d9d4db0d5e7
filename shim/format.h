/* shim/format.h - the small part of printf that faults and log lines need.
 *
 * %s (NULL prints "(null)") %c %d %u %x %ld %lu %lx %lld %llu %llx %zu %zd %%, no widths, no flags.
 * An unknown conversion is copied unchanged and ends the output.
 *
 * CHILD: the caller's buffer, no locale, errno kept. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Returns the length written without the NUL; cut at cap - 1, always ends in NUL if cap > 0. */
size_t format_text(char *out, size_t cap, const char *fmt,
                   ...) __attribute__((format(printf, 3, 4)));
size_t format_args(char *out, size_t cap, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/* "No such file or directory": English whatever the locale; NULL for a code without a row. */
const char *format_errno(int code);
