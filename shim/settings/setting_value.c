/* shim/settings/setting_value.c - the table of settings, and parsers of each type. Pure. */
#include "shim/settings/setting_value.h"

#include <string.h>

#include "shim/path.h"
#include "units/units.def"

#include "shim/banned.h"

/* --- distance --- */

static int lower_case(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

size_t distance(const char *x, size_t n, const char *y)
{
	size_t row[DISTANCE_MOST + 1], m = strlen(y);

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t same = before + (lower_case(x[i - 1]) != lower_case(y[j - 1]));
			size_t other = row[j] < row[j - 1] ? row[j] : row[j - 1];

			before = row[j];
			row[j] = same <= other ? same : other + 1;
		}
	}
	return row[m];
}

const struct setting_row setting_rows[SETTING_COUNT] = {
#define SETTING(id, name, type, dflt, help) {name, type, dflt, help},
#include "shim/settings/settings.def"
#undef SETTING
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static int same_word(const char *text, const char *word)
{
	while (*text && lower(*text) == *word)
		text++, word++;
	return !*text && !*word;
}

/* The number of the word in a list of words, each with its NUL. 0 or -1. */
static int parse_word(const char *text, const char *words, uint64_t *out)
{
	for (uint64_t i = 0; *words; words += strlen(words) + 1, i++)
		if (same_word(text, words)) {
			*out = i;
			return 0;
		}
	return -1;
}

/* Parses decimal digits at *p and moves *p past them. 0, or -1 for none or more than 64 bits. */
static int parse_digits(const char **p, uint64_t *out)
{
	const char *start = *p;
	uint64_t v = 0;

	for (; **p >= '0' && **p <= '9'; (*p)++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (unsigned)(**p - '0'), &v))
			return -1;
	*out = v;
	return *p == start ? -1 : 0;
}

static int parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "kmgt";
	uint64_t v;

	if (parse_digits(&text, &v) < 0)
		return -1;
	const char *unit = *text ? strchr(units, lower(*text)) : NULL;
	if (unit) {
		unsigned shift = 10u * (unsigned)(unit - units + 1);
		if (v > UINT64_MAX >> shift)
			return -1;
		v <<= shift;
		text++;
		if (lower(text[0]) == 'i' && lower(text[1]) == 'b')
			text++;
	}
	if (lower(*text) == 'b')
		text++;
	*out = v;
	return *text ? -1 : 0;
}

/* Parses a time into milliseconds. */
static int parse_time(const char *text, uint64_t *out)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = {{"ms", 1}, {"", 1000}, {"s", 1000}, {"m", 60000}, {"h", 3600000},
	             {"d", 86400000}};
	uint64_t v;

	if (parse_digits(&text, &v) < 0)
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (same_word(text, units[i].name))
			return __builtin_mul_overflow(v, units[i].ms, out) ? -1 : 0;
	return -1;
}

static int parse_number(const char *text, uint64_t *out)
{
	return parse_digits(&text, out) < 0 || *text ? -1 : 0;
}

static int parse_bool(const char *text, uint64_t *out)
{
	if (parse_word(text, "0\0" "1\0" "false\0true\0no\0yes\0off\0on\0", out) < 0)
		return -1;
	*out &= 1;
	return 0;
}

static int parse_percent(const char *text, uint64_t *out)
{
	if (parse_digits(&text, out) < 0 || *out > 100)
		return -1;
	if (*text == '%')
		text++;
	return *text ? -1 : 0;
}

static int parse_compress(const char *text, uint64_t *out)
{
	if (parse_word(text, "0\0" "auto\0" "1\0", out) == 0)
		return 0;
	/* "off", "yes": accepted as booleans */
	return parse_bool(text, out) < 0 ? -1 : (*out = *out ? 2 : 0, 0);
}

static int parse_events(const char *text, uint64_t *out)
{
	if (!same_word(text, "remote"))
		return parse_bool(text, out);
	*out = EVENTS_REMOTE;
	return 0;
}

/* A control byte in a path comes from a broken script, and would break every line that prints
 * it. */
static int is_path(const char *text)
{
	size_t n = 0;

	if (*text != '/')
		return 0;
	for (; text[n]; n++)
		if ((unsigned char)text[n] < 0x20)
			return 0;
	return n < PATH_SIZE;
}

static int is_path_list(const char *text)
{
	for (; *text; text++) {
		if (*text == ':')
			continue;
		if (!is_path(text))
			return 0;
		while (text[1] && text[1] != ':')
			text++;
	}
	return 1;
}

/* True if the n letters at p are the word, in any case. */
static int is_word(const char *p, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (lower(p[i]) != word[i])
			return 0;
	return !word[n];
}

/* The bits of the class, or of all; 0 for an unknown word. */
static uint64_t class_bits(const char *p, size_t n)
{
	static const struct {
		const char *name;
		unsigned number;
	} classes[] = {
#define ROW(id, number, name, ...) {name, number},
		UNIT_CLASSES(ROW)
#undef ROW
	};
	uint64_t all = 0;

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		if (is_word(p, n, classes[i].name))
			return 1ull << classes[i].number;
		all |= 1ull << classes[i].number;
	}
	return is_word(p, n, "all") ? all : 0;
}

static int parse_classes(const char *text, uint64_t *out)
{
	uint64_t bits = *text == '+' || *text == '-' ? class_bits("all", 3) : 0;

	while (*text) {
		char sign = *text == '+' || *text == '-' ? *text++ : '+';
		size_t n = strcspn(text, ",");
		uint64_t these = class_bits(text, n);

		if (is_word(text, n, "none"))
			bits = sign == '+' ? 0 : bits;
		else if (n && !these) /* "a,,b" and "a," are fine */
			return -1;
		bits = sign == '+' ? bits | these : bits & ~these;
		text += n + (text[n] == ',');
	}
	*out = bits;
	return 0;
}

/* The bit of the proof, or of all; 0 for an unknown word. */
static uint64_t proof_bits(const char *p, size_t n)
{
	static const char names[][16] = {
#define PROOF(id, number, name, ...) [number] = name,
#include "proofs/proofs.def"
	};
	const unsigned count = sizeof names / sizeof *names;

	for (unsigned i = 0; i < count; i++)
		if (is_word(p, n, names[i]))
			return 1ull << i;
	return is_word(p, n, "all") ? (1ull << count) - 1 : 0;
}

/* Bits of the proofs that are off. A wrong word turns no other one on. */
static int parse_proofs(const char *text, uint64_t *out)
{
	int rc = 0;

	while (*text) {
		size_t n = strcspn(text, ",");
		uint64_t these = *text == '-' ? proof_bits(text + 1, n - 1) : 0;

		rc = n && !these ? -1 : rc;
		*out |= these;
		text += n + (text[n] == ',');
	}
	return rc;
}

const char *setting_parse(enum setting_type type, const char *text, uint64_t *number)
{
	*number = 0;
	switch (type) {
	case SETTING_BOOL:
		return parse_bool(text, number) < 0 ? "0 or 1" : NULL;
	case SETTING_SIZE:
		return parse_size(text, number) < 0 ? "a whole number of bytes or of K, M, G, T"
		                                    : NULL;
	case SETTING_NUMBER:
		return parse_number(text, number) < 0 ? "a whole number" : NULL;
	case SETTING_TIME:
		return parse_time(text, number) < 0 ? "a whole number of ms, s, m, h or d" : NULL;
	case SETTING_PERCENT:
		return parse_percent(text, number) < 0 ? "a percentage from 0 to 100" : NULL;
	case SETTING_STRING:
		return NULL;
	case SETTING_PATH:
		return is_path(text) ? NULL : "an absolute path";
	case SETTING_PATHS:
		return is_path_list(text) ? NULL : "a colon list of absolute paths";
	case SETTING_LEVEL:
		return parse_word(text, "none\0error\0warning\0info\0debug\0", number) < 0
		       ? "none, error, warning, info or debug" : NULL;
	case SETTING_COMPRESS_MODE:
		return parse_compress(text, number) < 0 ? "auto, 0 or 1" : NULL;
	case SETTING_EVENTS_MODE:
		return parse_events(text, number) < 0 ? "0, 1 or remote" : NULL;
	case SETTING_CLASS_LIST:
		return parse_classes(text, number) < 0 ? "a comma list of classes, all or none"
		                                       : NULL;
	case SETTING_PROOF_LIST:
		return parse_proofs(text, number) < 0 ? "a comma list of proofs, each with a -"
		                                      : NULL;
	case SETTING_SHARING:
		/* as in enum setting_sharing */
		return parse_word(text, "off\0rank\0shared\0", number) < 0 ? "rank, shared or off"
		                                                            : NULL;
	}
	return "known";
}

const char *setting_type_name(enum setting_type type)
{
	static const char *const names[] = {
		[SETTING_BOOL] = "0 or 1",
		[SETTING_SIZE] = "bytes, or with K, M, G, T",
		[SETTING_NUMBER] = "a number",
		[SETTING_TIME] = "time: ms, s, m, h or d",
		[SETTING_PERCENT] = "0 to 100",
		[SETTING_STRING] = "text",
		[SETTING_PATH] = "path",
		[SETTING_PATHS] = "paths, with colons between",
		[SETTING_LEVEL] = "a level",
		[SETTING_COMPRESS_MODE] = "auto, 0 or 1",
		[SETTING_EVENTS_MODE] = "0, 1 or remote",
		[SETTING_CLASS_LIST] = "words, with commas between",
		[SETTING_SHARING] = "rank, shared or off",
		[SETTING_PROOF_LIST] = "-proof, with commas between",
	};

	return names[type];
}

const char *setting_nearest(const char *name, size_t n)
{
	const char *nearest = NULL;
	size_t least = n / 3 + 1;

	for (unsigned i = 0; i < SETTING_COUNT && n <= DISTANCE_MOST; i++) {
		const char *row = setting_rows[i].name;
		size_t far = strlen(row) <= DISTANCE_MOST ? distance(name, n, row) : least;

		if (far < least) {
			least = far;
			nearest = row;
		}
	}
	return nearest;
}
