/* cli/print.c - prints sizes, untrusted text and progress. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* --- json --- */

static struct json_object *string_of(const char *text)
{
	/* Each byte may become three. */
	size_t size = 3 * strlen(text) + 1;
	char *clean = malloc(size);
	struct json_object *o = json_object_new_string(clean ? utf8_clean(clean, size, text) : "");

	free(clean);
	return o;
}

void json_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, string_of(text));
}

void json_add_text(struct json_object *array, const char *text)
{
	json_object_array_add(array, string_of(text));
}

void json_number(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

void json_flag(struct json_object *o, const char *key, int set)
{
	json_object_object_add(o, key, json_object_new_boolean(set));
}

void json_seconds(struct json_object *o, const char *key, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof text, "%.6f", (double)ns / 1e9);
	json_object_object_add(o, key, json_object_new_double_s((double)ns / 1e9, text));
}

struct json_object *json_report(void)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "version", json_object_new_string(REPRISE_VERSION));
	return o;
}

int json_print(FILE *to, struct json_object *o)
{
	const char *text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
	                                                  JSON_C_TO_STRING_SPACED |
	                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
	int ok = text && fprintf(to, "%s\n", text) >= 0 && fflush(to) == 0;

	json_object_put(o);
	return ok ? CLI_OK : CLI_FINDING;
}

/* --- utf8 --- */

#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* The length of the sequence at s; 0: no valid sequence begins here. */
static size_t sequence(const unsigned char *s)
{
	size_t n = s[0] < 0x20 || s[0] == 0x7f ? 0
	           : s[0] < 0x80               ? 1
	           : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
	           : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
	           : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                         : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, above U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

char *utf8_clean(char *out, size_t size, const char *in)
{
	size_t at = 0;

	while (*in) {
		size_t n = sequence((const unsigned char *)in), put = n ? n : sizeof BAD - 1;

		if (at + put >= size)
			break;
		memcpy(out + at, n ? in : BAD, put);
		at += put;
		in += n ? n : 1;
	}
	out[at] = '\0';
	return out;
}

/* --- html --- */

void html_text(FILE *to, const char *s)
{
	char clean[1024];

	for (s = utf8_clean(clean, sizeof clean, s); *s; s++)
		switch (*s) {
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '&': fputs("&amp;", to); break;
		case '"': fputs("&quot;", to); break;
		default: fputc(*s, to);
		}
}

/* Of a spec, that is printed. */
#define SPEC_MAX 200

static int progress_shown;

const char *cli_size(char out[CLI_SIZE_TEXT], uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = (double)bytes;
	int u = 0;

	while (v >= 1024 && u < 6) {
		v /= 1024;
		u++;
	}
	snprintf(out, CLI_SIZE_TEXT, u ? "%.1f %s" : "%.0f %s", v, units[u]);
	return out;
}

const char *cli_time(char out[CLI_TIME_TEXT], int64_t s)
{
	time_t t = (time_t)s;
	struct tm tm;

	strftime(out, CLI_TIME_TEXT, "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
	return out;
}

void cli_print_safe(FILE *to, const char *s, size_t n, size_t max)
{
	for (size_t i = 0; i < n && i < max; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c < 0x20 || c == 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			putc(c, to);
	}
	if (n > max)
		fputs("...", to);
}

void cli_progress(const char *fmt, ...)
{
	static int terminal = -1;
	static struct timespec last;
	struct timespec now;
	va_list ap;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (!terminal)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double since = (double)(now.tv_sec - last.tv_sec) +
	               (double)(now.tv_nsec - last.tv_nsec) / 1e9;
	if (progress_shown && since < 0.1)
		return;
	last = now;
	progress_shown = 1;
	fputs("\r\033[K", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
}

void cli_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = 0;
}

int cli_confirmed(const char *fmt, ...)
{
	char *line = NULL;
	size_t cap = 0;
	va_list ap;
	int yes;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fputs(" [y/N] ", stdout);
	fflush(stdout);
	yes = getline(&line, &cap, stdin) > 0 && (line[0] == 'y' || line[0] == 'Y');
	free(line);
	return yes;
}

void cli_print_spec(FILE *to, const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && i < SPEC_MAX) {
		if (s[i] == 1 && i + 2 < n && s[i + 1] != 1) {
			fprintf(to, "@%c%d", s[i + 1], s[i + 2] - '0');
			i += 3;
		} else {
			i += s[i] == 1 && i + 1 < n;
			cli_print_safe(to, s + i, 1, 1);
			i++;
		}
	}
	if (i < n)
		fputs("...", to);
	if (n == 0)
		fputs("(empty)", to);
}
