/* shim/format.c - a formatter of a dozen conversions, without stdio. */
#include "shim/format.h"

#include <errno.h>
#include <string.h>

#include "shim/banned.h"

struct out {
	char *at, *end; /* end leaves room for the NUL */
};

/* Errors of file and process calls; strerror() may load a locale. */
static const struct {
	int code;
	char text[44];
} errno_rows[] = {
	{EPERM, "Operation not permitted"},
	{ENOENT, "No such file or directory"},
	{ESRCH, "No such process"},
	{EINTR, "Interrupted system call"},
	{EIO, "Input/output error"},
	{ENXIO, "No such device or address"},
	{E2BIG, "Argument list too long"},
	{ENOEXEC, "Exec format error"},
	{EBADF, "Bad file descriptor"},
	{ECHILD, "No child processes"},
	{EAGAIN, "Resource temporarily unavailable"},
	{ENOMEM, "Cannot allocate memory"},
	{EACCES, "Permission denied"},
	{EFAULT, "Bad address"},
	{EBUSY, "Device or resource busy"},
	{EEXIST, "File exists"},
	{EXDEV, "Invalid cross-device link"},
	{ENODEV, "No such device"},
	{ENOTDIR, "Not a directory"},
	{EISDIR, "Is a directory"},
	{EINVAL, "Invalid argument"},
	{ENFILE, "Too many open files in system"},
	{EMFILE, "Too many open files"},
	{ENOTTY, "Inappropriate ioctl for device"},
	{ETXTBSY, "Text file busy"},
	{EFBIG, "File too large"},
	{ENOSPC, "No space left on device"},
	{ESPIPE, "Illegal seek"},
	{EROFS, "Read-only file system"},
	{EMLINK, "Too many links"},
	{EPIPE, "Broken pipe"},
	{ENAMETOOLONG, "File name too long"},
	{ENOLCK, "No locks available"},
	{ENOSYS, "Function not implemented"},
	{ENOTEMPTY, "Directory not empty"},
	{ELOOP, "Too many levels of symbolic links"},
	{EOVERFLOW, "Value too large for defined data type"},
	{EOPNOTSUPP, "Operation not supported"},
	{ECONNREFUSED, "Connection refused"},
	{ECONNRESET, "Connection reset by peer"},
	{ETIMEDOUT, "Connection timed out"},
	{ESTALE, "Stale file handle"},
	{EDQUOT, "Disk quota exceeded"},
};

static void out_char(struct out *o, char c)
{
	if (o->at < o->end)
		*o->at++ = c;
}

static void out_str(struct out *o, const char *s)
{
	for (; *s && o->at < o->end; s++)
		*o->at++ = *s;
}

static void out_number(struct out *o, unsigned long long v, unsigned base)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = "0123456789abcdef"[v % base];
	while (v /= base);
	while (n)
		out_char(o, digits[--n]);
}

static void out_signed(struct out *o, long long v)
{
	if (v < 0)
		out_char(o, '-');
	out_number(o, v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, 10);
}

/* 'i' int, 'l' long, 'L' long long, 'z' size_t; moves past the modifier. */
static char length_modifier(const char **p)
{
	char size = 'i';

	if (**p == 'z') {
		size = 'z';
		(*p)++;
	} else if (**p == 'l') {
		size = 'l';
		(*p)++;
		if (**p == 'l') {
			size = 'L';
			(*p)++;
		}
	}
	return size;
}

size_t format_args(char *out, size_t cap, const char *fmt, va_list ap)
{
	struct out o = {out, out};

	if (!cap)
		return 0;
	o.end = out + cap - 1;
	for (const char *p = fmt; *p; p++) {
		const char *start = p;
		char size;

		if (*p != '%') {
			out_char(&o, *p);
			continue;
		}
		p++;
		size = length_modifier(&p);
		if (*p == 's' && size == 'i') {
			const char *s = va_arg(ap, const char *);

			out_str(&o, s ? s : "(null)");
		} else if (*p == 'c' && size == 'i') {
			out_char(&o, (char)va_arg(ap, int));
		} else if (*p == 'd') {
			out_signed(&o, size == 'i'   ? va_arg(ap, int)
			               : size == 'l' ? va_arg(ap, long)
			               : size == 'z' ? va_arg(ap, ptrdiff_t)
			                             : va_arg(ap, long long));
		} else if (*p == 'u' || *p == 'x') {
			out_number(&o,
			           size == 'i'   ? va_arg(ap, unsigned)
			           : size == 'l' ? va_arg(ap, unsigned long)
			           : size == 'z' ? va_arg(ap, size_t)
			                         : va_arg(ap, unsigned long long),
			           *p == 'x' ? 16 : 10);
		} else if (*p == '%' && size == 'i') {
			out_char(&o, '%');
		} else {
			/* The size of its argument is unknown, so no later argument can be read. */
			out_str(&o, start);
			break;
		}
	}
	*o.at = 0;
	return (size_t)(o.at - out);
}

size_t format_text(char *out, size_t cap, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = format_args(out, cap, fmt, ap);
	va_end(ap);
	return n;
}

const char *format_errno(int code)
{
	for (size_t i = 0; i < sizeof errno_rows / sizeof *errno_rows; i++)
		if (errno_rows[i].code == code)
			return errno_rows[i].text;
	return NULL;
}
