/* names/name_shape.c - which path components look generated (the shapes of names.h). */
#include "names/name_shape.h"

#include <limits.h>
#include <string.h>

#include "names/names.h"
#include "shim/ascii.h"

#include "shim/banned.h"

/* A mkstemp name is a prefix and six characters. Longer names with such an end are digests
 * (Inductor's c + 51, hex of MD5 and above), which are the same in every run. */
#define GENERIC_MAX 31
#define RANDOM_TAIL 6
#define PYTHON_TAIL 8
#define CMAKE_TAIL 5
#define MOJO_TAIL 7
#define MS_DIGITS 13 /* milliseconds since 1970, from 2001 to 2286 */
#define NUMBER_MOST 9
#define NANOID 21
#define UUID 36
#define UUID_HEX 32
#define DEEP_PART 9
#define PID_DIGITS 7 /* Linux counts to 4194304 */
#define TIME_DIGITS 10 /* seconds since 1970, and their fractions */

static int is_lower(int c) { return c >= 'a' && c <= 'z'; }
static int is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static int is_hex(int c) { return ascii_digit(c) || (c >= 'a' && c <= 'f'); }

static size_t hex_run(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && is_hex((unsigned char)p[n]))
		n++;
	return n;
}

size_t name_xft_len(const char *p, size_t len)
{
	size_t n = sizeof "tmpxft_" - 1, run;

	if (!ascii_begins(p, len, "tmpxft_"))
		return 0;
	run = hex_run(p + n, len - n);
	if (run < 4 || n + run == len || p[n + run] != '_')
		return 0;
	n += run + 1;
	run = hex_run(p + n, len - n);
	if (run < 4)
		return 0;
	n += run;
	/* The count of nvcc's files so far: each further architecture changes it. */
	if (n + 1 < len && p[n] == '-' && ascii_digit((unsigned char)p[n + 1]))
		for (n++; n < len && ascii_digit((unsigned char)p[n]); n++)
			;
	return n;
}

/* Length of a complete component of the form "tmp." and six or more letters and digits; else 0. */
static size_t mktemp_len(const char *p, size_t len)
{
	size_t n = 4;

	if (!ascii_begins(p, len, "tmp."))
		return 0;
	while (n < len && ascii_alnum((unsigned char)p[n]))
		n++;
	return n < 4 + RANDOM_TAIL || n < len ? 0 : n;
}

/* Six characters of mkstemp's alphabet that no word would end in. Letters followed by digits alone
 * ("user01", "ct2024") count as words; this loses one random tail in 300. */
static int tail_is_random(const char *tail)
{
	int lower = 0, upper = 0, digit = 0, word = 1;

	for (int i = 0; i < RANDOM_TAIL; i++) {
		int c = (unsigned char)tail[i];

		if (!ascii_alnum(c))
			return 0;
		if (digit && !ascii_digit(c))
			word = 0;
		lower |= is_lower(c);
		upper |= is_upper(c);
		digit |= ascii_digit(c);
	}
	if (lower && upper)
		return 1;
	return digit && (lower || upper) && !word;
}

/* LLVM's temporaries end in '-' and six hex digits, behind a prefix of any length, Mojo's in seven.
 * "my-facade" also does, and passes for a generated name. This does no harm: each action must show
 * that no name reaches its result. */
static int tail_is_hex(const char *text, size_t len, size_t digits)
{
	return len > digits + 1 && text[len - digits - 1] == '-' &&
	       hex_run(text + len - digits, digits) == digits;
}

/* Linkers' scripts know files by these letters: "*crtbegin?.o". */
static int is_for_linkers(const char *text, size_t len)
{
	return memmem(text, len, "crtbegin", 8) || memmem(text, len, "crtend", 6);
}

/* A time, anywhere, or a process number behind a separator. Dates look like one, too. */
static int has_number(const char *text, size_t len)
{
	size_t digits = 0;

	for (size_t i = 0; i < len; i++) {
		digits = ascii_digit((unsigned char)text[i]) ? digits + 1 : 0;
		if (digits == TIME_DIGITS)
			return 1;
	}
	return digits >= RANDOM_TAIL && digits < len && strchr("-_", text[len - digits - 1]);
}

/* Python's tempfile: eight of [a-z0-9_]. */
static int tail_is_python(const char *tail)
{
	size_t i = 0;

	while (i < PYTHON_TAIL && (is_lower(tail[i]) || ascii_digit(tail[i]) || tail[i] == '_'))
		i++;
	return i == PYTHON_TAIL;
}

/* A prefix of tools that build Python packages: one in 17 of their names ends in a word. */
static int has_builder_prefix(const char *text, size_t len)
{
	static const char prefixes[] =
		".\0" "build-env-\0" "build-via-sdist-\0" "cibw-\0" "pip-\0" "tmp\0";
	const char *p = prefixes;

	while (*p && !ascii_begins(text, len, p))
		p += strlen(p) + 1;
	return *p != '\0';
}

/* A prefix with a hyphen, and Python's eight characters. A word of eight letters is no such end but
 * behind the prefixes of tools. */
static int is_python_name(const char *text, size_t len)
{
	const char *tail = text + len - PYTHON_TAIL;
	size_t letters = 0;

	if (tail[-1] != '-' || !tail_is_python(tail))
		return 0;
	if (has_builder_prefix(text, len))
		return 1;
	while (letters < PYTHON_TAIL && is_lower(tail[letters]))
		letters++;
	return letters < PYTHON_TAIL && len <= GENERIC_MAX;
}

/* A name, '_', and the hex digits of a random UUID (version 4): pip's sources of a package. */
static int is_pip_source(const char *text, size_t len)
{
	const char *hex;

	if (len < UUID_HEX + 2)
		return 0;
	hex = text + len - UUID_HEX;
	return hex[-1] == '_' && hex_run(hex, UUID_HEX) == UUID_HEX && hex[12] == '4' &&
	       strchr("89ab", hex[16]);
}

static int is_all(const char *text, size_t len, int (*is)(int c))
{
	for (size_t i = 0; i < len; i++)
		if (!is((unsigned char)text[i]))
			return 0;
	return 1;
}

static int is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID; i++) {
		int dash = i == 8 || i == 13 || i == 18 || i == 23, c = (unsigned char)text[i];

		if (dash ? c != '-' : !is_hex(c) && !(c >= 'A' && c <= 'F'))
			return 0;
	}
	return 1;
}

/* A process number, and three times '-' and 8 hex digits: deep_jit, of DeepGEMM. */
static int is_deep_jit(const char *text, size_t len)
{
	size_t digits = len > 3 * DEEP_PART ? len - 3 * DEEP_PART : 0;

	if (!digits || digits > PID_DIGITS || text[0] == '0' || !is_all(text, digits, ascii_digit))
		return 0;
	for (const char *part = text + digits; part < text + len; part += DEEP_PART)
		if (part[0] != '-' || hex_run(part + 1, DEEP_PART - 1) != DEEP_PART - 1)
			return 0;
	return 1;
}

/* words: 1: text without a digit counts as well, as one in 30 of these names has none. */
static int is_nanoid(const char *text, int words)
{
	int lower = 0, upper = 0, digit = words;

	for (size_t i = 0; i < NANOID; i++) {
		int c = (unsigned char)text[i];

		if (!ascii_alnum(c) && c != '-' && c != '_')
			return 0;
		lower |= is_lower(c);
		upper |= is_upper(c);
		digit |= ascii_digit(c);
	}
	return lower && upper && digit;
}

/* A name, '_', milliseconds, '_' and a number. */
static int is_stamped(const char *text, size_t len)
{
	const char *end = text + len, *ms;

	while (end > text && ascii_digit((unsigned char)end[-1]))
		end--;
	if (end == text + len || text + len - end > NUMBER_MOST || end - text < MS_DIGITS + 3)
		return 0;
	ms = end - 1 - MS_DIGITS;
	return end[-1] == '_' && ms[-1] == '_' && *ms != '0' && is_all(ms, MS_DIGITS, ascii_digit);
}

static int is_unique(const char *text, size_t len)
{
	if (is_stamped(text, len))
		return 1;
	if (len == sizeof "cmTC_" - 1 + CMAKE_TAIL && ascii_begins(text, len, "cmTC_") &&
	    hex_run(text + sizeof "cmTC_" - 1, CMAKE_TAIL) == CMAKE_TAIL)
		return 1;
	if (len == sizeof ".tmp" - 1 + RANDOM_TAIL && ascii_begins(text, len, ".tmp"))
		return is_all(text + sizeof ".tmp" - 1, RANDOM_TAIL, ascii_alnum);
	if (len == sizeof "tempfile_" - 1 + RANDOM_TAIL && ascii_begins(text, len, "tempfile_"))
		return is_all(text + sizeof "tempfile_" - 1, RANDOM_TAIL, ascii_alnum);
	if (len == sizeof ".mesonpy-" - 1 + PYTHON_TAIL && ascii_begins(text, len, ".mesonpy-"))
		return tail_is_python(text + sizeof ".mesonpy-" - 1);
	if (is_deep_jit(text, len))
		return 1;
	return len == NANOID ? is_nanoid(text, 0) : len == UUID && is_uuid(text);
}

static int is_volatile(const char *text, size_t len)
{
	if (is_unique(text, len))
		return 1;
	if (len < NAME_VOLATILE_MIN || ascii_begins(text, len, "torchinductor_"))
		return 0;
	if (len == 3 + PYTHON_TAIL && ascii_begins(text, len, "tmp") && tail_is_python(text + 3))
		return 1;
	if ((len > 4 + PYTHON_TAIL && is_python_name(text, len)) || is_pip_source(text, len))
		return 1;
	if (ascii_begins(text, len, "tmp.") && mktemp_len(text, len) == len)
		return 1;
	/* gcc's files, whatever the six characters are: treating a word of eight letters as a name
	 * costs nothing (docs/internals/names.md). */
	if (len == 2 + RANDOM_TAIL && name_is_scratch(text, len))
		return 1;
	if (ascii_begins(text, len, "tmpxft_") && name_xft_len(text, len) == len)
		return 1;
	for (size_t i = 0; i < len; i++)
		if ((text[i] == '.' && i) || text[i] == '/')
			return 0;
	if (tail_is_hex(text, len, RANDOM_TAIL) || tail_is_hex(text, len, MOJO_TAIL))
		return 1;
	return len <= GENERIC_MAX &&
	       (tail_is_random(text + len - RANDOM_TAIL) || has_number(text, len));
}

/* --- public, in header order --- */

int name_is_scratch(const char *text, size_t len)
{
	size_t n = 0;

	if (ascii_begins(text, len, "cc")) {
		for (n = 2; n < len && ascii_alnum((unsigned char)text[n]); n++)
			;
		if (n == 2 + RANDOM_TAIL)
			return 1;
	}
	len = len < NAME_MAX ? len : NAME_MAX;
	for (n = 0; n < len && text[n] > ' ' && !strchr("/\"':", text[n]); n++)
		if (text[n] == '-' && hex_run(text + n + 1, len - n - 1) == RANDOM_TAIL &&
		    n + 1 + RANDOM_TAIL < len &&
		    text[n + 1 + RANDOM_TAIL] == '.')
			return 1;
	return 0;
}

int name_is_unique(const char *text, size_t len)
{
	return is_unique(text, len) && !is_for_linkers(text, len);
}

int name_is_uv(const char *path, size_t at, size_t len)
{
	if (len != NANOID || !is_nanoid(path + at, 1))
		return 0;
	for (size_t i = 0, end; i < at; i = end + 1) {
		size_t n = 0;

		for (end = i; end < at && path[end] != '/'; end++)
			;
		if (ascii_begins(path + i, end - i, "archive-v"))
			n = i + sizeof "archive-v" - 1;
		else if (ascii_begins(path + i, end - i, "sdists-v"))
			n = i + sizeof "sdists-v" - 1;
		if (n && n < end && is_all(path + n, end - n, ascii_digit))
			return 1;
	}
	return 0;
}

size_t name_cmake_len(const char *path)
{
	static const char files[] = "/CMakeFiles/", fixed[] = "CMakeTmp";
	static const char random[] = "CMakeScratch/TryCompile-";
	const char *p = path;

	while ((p = strstr(p, files)) != NULL) {
		size_t n = 0;

		p += sizeof files - 1;
		if (strncmp(p, fixed, sizeof fixed - 1) == 0) {
			n = sizeof fixed - 1;
		} else if (strncmp(p, random, sizeof random - 1) == 0) {
			n = sizeof random - 1;
			for (size_t i = 0; i < RANDOM_TAIL && n; i++, n++)
				if (!ascii_alnum((unsigned char)p[n]))
					return 0;
		}
		if (n && (p[n] == '/' || !p[n]))
			return (size_t)(p - path) + n;
		p--; /* the slash may begin the next one */
	}
	return 0;
}

int name_is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                            "0123456789_./+-";

	return text[strspn(text, plain)] == '\0';
}

int name_is_volatile(const char *text, size_t len)
{
	return is_volatile(text, len) && !is_for_linkers(text, len);
}

size_t name_token(const char *p, size_t len)
{
	size_t n = mktemp_len(p, len);
	const char *dot;

	if (!n)
		n = name_xft_len(p, len);
	if (n)
		return n;
	dot = len ? memchr(p + 1, '.', len - 1) : NULL;
	return dot ? (size_t)(dot - p) : len;
}
