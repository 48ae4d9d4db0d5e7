/* shim/fault.c - writes error texts into the caller's struct. */
#include "shim/fault.h"

#include "shim/format.h"

#include "shim/banned.h"

int fault_sys(struct fault *f, int code, const char *what, const char *path)
{
	const char *text = format_errno(code);

	f->code = code;
	if (path && text)
		format_text(f->text, sizeof f->text, "%s %s: %s", what, path, text);
	else if (path)
		format_text(f->text, sizeof f->text, "%s %s: error %d", what, path, code);
	else if (text)
		format_text(f->text, sizeof f->text, "%s: %s", what, text);
	else
		format_text(f->text, sizeof f->text, "%s: error %d", what, code);
	return -1;
}

int fault_set(struct fault *f, int code, const char *fmt, ...)
{
	va_list ap;

	f->code = code;
	va_start(ap, fmt);
	if (!format_args(f->text, sizeof f->text, fmt, ap))
		format_text(f->text, sizeof f->text, "error %d", code);
	va_end(ap);
	return -1;
}
