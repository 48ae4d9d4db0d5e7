/* tools/drivers/gcc_failure.c - the messages of gcc, cc1 and cc1plus, line by line.
 *
 * gcc/diagnostic.cc prints `FILE:LINE:COLUMN: KIND: TEXT` for what it found in the input, and lines
 * of the source behind a blank. Other messages have no place in a file: those of the driver (a pass
 * that a signal ended, a program that could not be started), of the assembler and the linker, and
 * `cc1: out of memory`. libcpp/files.cc reports a file that cannot be opened or read at the place
 * of its #include, with the text of errno. There only a missing file counts, since its absence is
 * an input. */
#include "tools/drivers/drivers.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/list.h"

#include "shim/banned.h"

#define FAILED 1 /* FATAL_EXIT_CODE of gcc */

struct line {
	const char *text;
	size_t n;
};

/* Words of errno, of files that could not be opened or written, and of limits. */
static const char of_machine[] =
	"emory\0" "denied\0" "No space\0" "Too many open\0" "nput/output\0" "nterrupted\0"
	"unavailable\0" "timed out\0" "quota\0" "Read-only\0" "not open\0" "opening\0"
	"unable to\0" "writing\0" "closing\0" "internal compiler\0";
/* Lines that stand alone. */
static const char alone[] =
	"compilation terminated.\0"
	"cc1: all warnings being treated as errors\0"
	"cc1: some warnings being treated as errors\0"
	"cc1plus: all warnings being treated as errors\0"
	"cc1plus: some warnings being treated as errors\0";
/* What the driver says of its command line. */
static const char of_command[] =
	": error: unrecognized command-line option \0" ": fatal error: no input files\0";

/* Behind a place in a file. */
static const char remarks[] =
	": warning: \0" ": note: \0" ":   required \0" ":   recursively required \0";

static int holds(const struct line *l, const char *word)
{
	return memmem(l->text, l->n, word, strlen(word)) != NULL;
}

static int ends(const struct line *l, const char *word)
{
	size_t n = strlen(word);

	return l->n >= n && memcmp(l->text + l->n - n, word, n) == 0;
}

static int holds_any(const struct line *l, const char *list)
{
	for (const char *word = list; *word; word = LIST_NEXT(word))
		if (holds(l, word))
			return 1;
	return 0;
}

/* 1: the n bytes at text end with `:LINE` or `:LINE:COLUMN`. */
static int is_place(const char *text, size_t n)
{
	size_t at = n;

	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	return at < n && at > 1 && text[at - 1] == ':';
}

/* 1: a message of this kind about a place in a file. */
static int is_at_place(const struct line *l, const char *kind)
{
	const char *at = memmem(l->text, l->n, kind, strlen(kind));

	return at && is_place(l->text, (size_t)(at - l->text));
}

/* "x.c: In function 'f':", "x.c: At top level:" */
static int is_heading(const struct line *l)
{
	return l->n && l->text[l->n - 1] == ':' && (holds(l, ": In ") || holds(l, ": At "));
}

/* 1: the text ends like strerror(), with a capital letter behind a colon. gcc's own texts have a
 * small letter there. */
static int ends_with_errno(const struct line *l)
{
	const char *last = NULL;

	for (size_t i = 0; i + 2 < l->n; i++)
		if (l->text[i] == ':' && l->text[i + 1] == ' ')
			last = l->text + i + 2;
	return last && *last >= 'A' && *last <= 'Z';
}

enum meaning { UNKNOWN, REMARK, ERROR };

static enum meaning meaning(const struct line *l)
{
	if (l->n == 0 || l->text[0] == ' ' || list_has_n(alone, l->text, l->n))
		return REMARK;
	if (holds_any(l, of_machine))
		return UNKNOWN;
	if (is_at_place(l, ": error: "))
		return ends_with_errno(l) ? UNKNOWN : ERROR;
	if (is_at_place(l, ": fatal error: "))
		return ends(l, ": No such file or directory") ? ERROR : UNKNOWN;
	if (holds_any(l, of_command))
		return ERROR;
	if (ascii_begins(l->text, l->n, "In file included from ") || is_heading(l))
		return REMARK;
	for (const char *kind = remarks; *kind; kind = LIST_NEXT(kind))
		if (is_at_place(l, kind))
			return REMARK;
	return UNKNOWN;
}

int gcc_failure(int status, const char *text, size_t n)
{
	int errors = 0;

	if (status != FAILED)
		return 0;
	while (n) {
		const char *end = memchr(text, '\n', n);
		struct line l = {text, end ? (size_t)(end - text) : n};
		size_t whole = l.n + (end != NULL);

		switch (meaning(&l)) {
		case UNKNOWN:
			return 0;
		case ERROR:
			errors++;
			break;
		case REMARK:
			break;
		}
		text += whole;
		n -= whole;
	}
	return errors > 0;
}
