/* tools/drivers/ar.c - ar: letters and places, and whether an archive holds times.
 *
 * Archive, as ar(5): "!<arch>\n" (thin: "!<thin>\n"), then members at even offsets:
 *   offset 0  size 16  name     "/" and "/SYM64/" symbol table, "//" long names
 *         16       12  date     decimal, padded with spaces; 0 under D
 *         28       20  owner, group, mode
 *         48       10  size     decimal
 *         58        2  "`\n"
 *         60     size  content; in a thin archive only for the tables */
#include "tools/drivers/drivers.h"

#include <ar.h>
#include <string.h>

#include "shim/list.h"
#include "tools/driver.h"
#include "shim/list.h"
#include "tools/options/options.h"

#include "shim/banned.h"

#define AR_HEADER 60

struct ar_line {
	char operation; /* 0: none seen */
	unsigned letters;
	int values; /* arguments the modifiers take before the archive: member name, count */
};

static unsigned letter_bit(char c)
{
	if (c >= 'a' && c <= 'z')
		return 1u << (c - 'a');
	/* Capital letters that matter here. None collides with a small letter of another
	 * meaning. */
	switch (c) {
	case 'D': return 1u << 26;
	case 'U': return 1u << 27;
	case 'M': return 1u << 28;
	case 'N': return 1u << 29;
	case 'V': return 1u << 30;
	default: return 0;
	}
}

static void take_letters(struct ar_line *l, const char *s)
{
	for (; *s; s++) {
		if (strchr("dmpqrstx", *s) && (!l->operation || l->operation == 's'))
			l->operation = *s;
		l->letters |= letter_bit(*s);
	}
}

static int has(const struct ar_line *l, char c) { return (l->letters & letter_bit(c)) != 0; }

static void refuse(struct cmdline *c, const char *why)
{
	c->bypass = REASON_BYPASS_ARGUMENTS;
	c->bypass_detail = why;
}

static void mark_places(struct cmdline *c, const struct ar_line *l)
{
	int place = 0;

	for (int i = 1; i < c->count; i++) {
		struct cmdline_arg *arg = &c->v[i];

		if (arg->role != ARG_PLAIN)
			continue;
		if (place < l->values)
			arg->role = ARG_LITERAL;
		else if (place == l->values)
			arg->role = strchr("dmqrs", l->operation) ? ARG_OUTPUT : ARG_INPUT;
		else
			arg->role = strchr("qr", l->operation) ? ARG_INPUT : ARG_LITERAL;
		place++;
	}
}

static void judge(struct cmdline *c, const struct ar_line *l)
{
	if (has(l, 'M'))
		c->flags |= CMD_STDIN;
	if (has(l, 'U') && !has(l, 'D')) {
		c->flags |= CMD_AR_TIMES;
		refuse(c, "ar U: times, owners and modes of members");
	}
	c->updates = has(l, 'u') && l->operation == 'r';
	if (l->operation == 'x' && has(l, 'o'))
		refuse(c, "ar xo: sets file times");
	if (l->operation == 't' && has(l, 'v'))
		refuse(c, "ar tv: prints local times");
}

void cmdline_classify_ar(struct cmdline *c)
{
	static const char *const with_value[] = {"--plugin", "--target", "--output",
		"--record-libdeps"};
	struct ar_line l = {0, 0, 0};

	for (int i = 1; i < c->count; i++) {
		struct cmdline_arg *arg = &c->v[i];

		if (arg->text[0] == '-' && arg->text[1] == '-') {
			arg->role = arg->text[2] ? ARG_LITERAL : ARG_PLAIN;
			for (size_t k = 0; k < sizeof with_value / sizeof *with_value; k++) {
				if (strcmp(arg->text, with_value[k]) == 0 && i + 1 < c->count)
					c->v[++i].role = k == 0 ? ARG_INPUT : ARG_LITERAL;
				else if (k == 0 && strncmp(arg->text, "--plugin=", 9) == 0) {
					arg->role = ARG_INPUT_JOINED;
					arg->at = 9;
				}
			}
		} else if (arg->text[0] == '-' || i == 1) {
			/* Only the first argument may leave its hyphen out. */
			arg->role = ARG_LITERAL;
			take_letters(&l, arg->text + (arg->text[0] == '-'));
		}
	}
	/* Since 2.36 GNU's l takes a value, LLVM's does not: so the archive's place is not
	 * known. */
	if (has(&l, 'l') || !l.operation) {
		judge(c, &l);
		return;
	}
	l.values = (has(&l, 'a') || has(&l, 'b') || has(&l, 'i')) + has(&l, 'N');
	mark_places(c, &l);
	judge(c, &l);
}

static size_t decimal(const unsigned char *p, size_t n)
{
	size_t value = 0;

	for (size_t i = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		value = value * 10 + (size_t)(p[i] - '0');
	return value;
}

int cmdline_archive_has_times(const void *data, size_t n)
{
	const unsigned char *p = data;
	int thin = n >= 8 && memcmp(p, "!<thin>\n", 8) == 0;
	size_t at = 8;

	if (!thin && (n < 8 || memcmp(p, "!<arch>\n", 8) != 0))
		return 0;
	while (at + AR_HEADER <= n) {
		const unsigned char *h = p + at;
		int table = h[0] == '/' && (h[1] == ' ' || h[1] == '/' || h[1] == 'S');
		size_t size = decimal(h + 48, 10); /* ten digits cannot overflow */

		if (decimal(h + 16, 12) != 0)
			return 1;
		at += AR_HEADER;
		if (!thin || table) {
			if (size > n - at)
				return 0;
			at += size + (size & 1);
		}
	}
	return 0;
}

/* Archives hold base names of members, and no directory, except thin archives and archives made
 * with P. An assembler's object holds neither: it has no symbol with its source's name. Measured
 * with GNU ar and llvm-ar, gas (docs/internals/names.md). */

static unsigned archive_fact(const struct tool_row *row, const struct cmdline *c, int i)
{
	const char *text = c->v[i].text;
	/* rcs, rcsD, -rcU: letters that add nothing to the usual operation. */
	int is_plain = i == 1 ? c->count > 2 && !text[strspn(text, "-rcsqD")]
	                      : text[0] != '-' && text[0] != '@';

	return is_plain ? 0 : FACT_BOUND;
}

static unsigned archive(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	return driver_plain(c) &&
	       (role == ROLE_SOURCE || role == ROLE_CWD || role == ROLE_OUTPUT) ? 0
	                                                                        : REACH_ANYTHING;
}

static const char plain[] =
	"--32\0" "--64\0" "--fatal-warnings\0" "--noexecstack\0" "-I\0" "-W\0" "-o\0";

static unsigned assembler_fact(const struct tool_row *row, const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];

	return (arg->option ? !list_has(plain, arg->option) : arg->text[0] == '-') ? FACT_BOUND : 0;
}

static unsigned assembler(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	if (c->flags & (CMD_STDIN | CMD_DEBUG | CMD_DUMP) || !driver_plain(c))
		return REACH_ANYTHING;
	switch (role) {
	case ROLE_SOURCE:
	case ROLE_BASE:
	case ROLE_CWD:
	case ROLE_OUTPUT:
	case ROLE_INCLUDE:
	case ROLE_RESPONSE: return 0;
	default: return REACH_ANYTHING;
	}
}

static enum name_role archive_role(const struct cmdline *c, int i, int last)
{
	return i == 1 ? ROLE_OTHER : i == 2 ? ROLE_OUTPUT : last ? ROLE_BASE : ROLE_SOURCE;
}

/* 1: an archive that is not a thin one. */
static int is_archive(const void *data, size_t n)
{
	return n >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0;
}

static enum output_flaw archive_flaw(const void *data, size_t n, long pid)
{
	return !is_archive(data, n)               ? FLAW_MODE
	       : cmdline_archive_has_times(data, n) ? FLAW_TIME
	                                            : FLAW_NONE;
}

const struct driver driver_ar = {.fact = archive_fact, .reach = archive, .role = archive_role,
	.flaw = archive_flaw};
const struct driver driver_as = {.fact = assembler_fact, .reach = assembler, .output = "a.out"};
