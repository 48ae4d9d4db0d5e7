/* tools/asks/definitions.c - which macros of a command may be left out of its key.
 *
 * Some options show a macro that no text names: -g3 and -dD write all definitions, -fverbose-asm
 * writes the options. gcc leaves -D out of DW_AT_producer. A compiler's own macros do not count as
 * words of a text. For Linux on x86-64 and AArch64 their names, and the words in their values,
 * begin with an underscore or have only small letters; defines_target() looks for such a target.
 * Others define WIN32, MIPSEL or LANGUAGE_C, and warn of a second definition. A C++ compiler
 * refuses to define and_eq and its like. */
#include "tools/asks/definitions.h"

#include <string.h>

#include "shim/buf.h"
#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

/* --- definitions --- */

static const char undefining[] = "--undefine-macro\0" "-U\0";
static const char defining[] = "--define-macro\0" "-D\0";

/* The value of -D, -U or a longer spelling of these at argument i: "NAME=VALUE", or "". The value
 * may be the next argument. NULL: argument i is another option, or itself such a value. */
static const char *definition_at(const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];
	const char *text;

	if (!arg->option || arg->is_value ||
	    (!list_has(defining, arg->option) && !list_has(undefining, arg->option)))
		return NULL;
	text = arg->text + strlen(arg->option);
	if (*text)
		return text + (*text == '=');
	return i + 1 < c->count && c->v[i + 1].is_value ? c->v[i + 1].text : "";
}

static int definition_undefines(const struct cmdline *c, int i)
{
	return list_has(undefining, c->v[i].option);
}

/* Reprise does not read this argument as a definition. It may be one for a program that the
 * compiler starts: -Wp,-DX, -Xclang -DX, an abbreviation of --define-macro. */
static int may_define(const struct cmdline *c, int i)
{
	const char *text = c->v[i].text;

	if (strstr(text, "-U") || strstr(text, "undef"))
		return 1;
	return strncmp(text, "-D", 2) == 0 || strncmp(text, "--def", 5) == 0 ||
	       ((strncmp(text, "-W", 2) == 0 || strncmp(text, "-X", 2) == 0) && strstr(text, "-D"));
}

/* -DX=y is a definition like those in texts. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena, int *all)
{
	struct buf lines = BUF_INIT(arena);

	for (int i = 1; i < c->count; i++) {
		const char *text = definition_at(c, i), *equals;
		int undefines = text && definition_undefines(c, i);

		if (all && (text ? undefines || strchr(text, '\n') : may_define(c, i)))
			*all = 0;
		if (!text || undefines)
			continue;
		equals = strchr(text, '=');
		buf_add(&lines, "#define ", 8);
		buf_add(&lines, text, equals ? (size_t)(equals - text) : strlen(text));
		buf_u8(&lines, ' ');
		buf_add(&lines, equals ? equals + 1 : "1", equals ? strlen(equals + 1) : 1);
		buf_u8(&lines, '\n');
	}
	buf_u8(&lines, 0);
	return lines.failed ? NULL : (const char *)lines.data;
}

static int is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* asks_is_word() without '$'. */
static int is_name_byte(char c)
{
	return asks_is_word(c) && c != '$';
}

static int is_plain_name(const char *s, size_t n)
{
	static const char operators[] = "and_eq\0" "not_eq\0" "or_eq\0" "xor_eq\0";
	/* of other systems whose objects are ELF for the same processors */
	static const char others[] =
		"CPU\0" "CPU_FAMILY\0" "MACH\0" "PIC\0" "PWB\0" "TOOL\0" "TOOL_FAMILY\0";
	int distinct = 0;

	if (!n || *s == '_' || (*s >= '0' && *s <= '9') || list_has_n(operators, s, n) ||
	    list_has_n(others, s, n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_name_byte(s[i]))
			return 0;
		distinct |= is_upper(s[i]) || s[i] == '_';
	}
	return distinct;
}

/* One word, number or string: no value of these is an error, or the path of a file. */
static int is_plain_value(const char *s)
{
	size_t n = strlen(s);
	int quoted = n >= 2 && s[0] == '"' && s[n - 1] == '"';

	for (size_t i = quoted ? 1 : 0; i < n - (quoted ? 1 : 0); i++)
		if (!is_name_byte(s[i]) && !strchr(quoted ? ".+- ,:" : ".+-", s[i]))
			return 0;
	return 1;
}

/* The option shows all definitions, or defines macros in another way. */
static int forbids(const char *s)
{
	static const char prefixes[] =
		"--define\0" "--undefine\0" "-Wp,-D\0" "-Wp,-U\0" "-Xpreprocessor\0" "-d\0"
		"-fdebug-macro\0" "-fverbose-asm\0" "-undef\0" "--target\0" "-target\0"
		"--config\0" "-b\0" "-fdefine-target-os-macros\0";

	return list_begins(prefixes, s) ||
	       (s[0] == '-' && s[1] == 'g' && strchr(s, '3') != NULL);
}

static int is_named_again(const struct cmdline *c, const struct define *d)
{
	for (int i = 1; i < c->count; i++) {
		const char *text = definition_at(c, i);

		if (text && i != d->first && strncmp(text, d->name, d->len) == 0 &&
		    !is_name_byte(text[d->len]))
			return 1;
	}
	return 0;
}

int defines_of(const struct cmdline *c, struct define v[DEFINES_MAX])
{
	int count = 0;

	for (int i = 1; i < c->count; i++) {
		const char *text = definition_at(c, i);
		struct define d = {.name = text, .first = i, .last = i};
		int undefines;

		if (!c->v[i].is_value && forbids(c->v[i].text))
			return -1;
		if (!text)
			continue;
		undefines = definition_undefines(c, i);
		d.last += i + 1 < c->count && c->v[i + 1].text == text;
		d.len = strcspn(text, "=");
		d.value = undefines ? NULL : text[d.len] ? text + d.len + 1 : "1";
		if (!is_plain_name(text, d.len) || (undefines && text[d.len]) ||
		    (d.value && !is_plain_value(d.value)) || is_named_again(c, &d))
			continue;
		if (count == DEFINES_MAX)
			return -1;
		v[count++] = d;
	}
	return count;
}

int defines_target(const void *object, size_t n)
{
	static const unsigned char head[] = {0x7f, 'E', 'L', 'F', 2, 1};
	const unsigned char *p = object;

	/* EM_X86_64, EM_AARCH64 */
	return n > 20 && memcmp(p, head, sizeof head) == 0 && p[19] == 0 &&
	       (p[18] == 62 || p[18] == 183);
}

/* Macros of the compiler's own that paste: a word before such an ending could be one of ours. */
static const char own_pasting[] =
	"#define __INT8_C(c) c ## L c ## LL\n#define __INT16_C(c) c ## L c ## LL\n"
	"#define __INT32_C(c) c ## L c ## LL\n#define __INT64_C(c) c ## L c ## LL\n"
	"#define __INTMAX_C(c) c ## L c ## LL\n#define __UINT8_C(c) c ## U c ## UL c ## ULL\n"
	"#define __UINT16_C(c) c ## U c ## UL c ## ULL\n"
	"#define __UINT32_C(c) c ## U c ## UL c ## ULL\n"
	"#define __UINT64_C(c) c ## U c ## UL c ## ULL\n"
	"#define __UINTMAX_C(c) c ## U c ## UL c ## ULL\n";

/* Most macros that matter are named: this needs no table of macros. */
static int is_spelled(const struct asks_text *t, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = t->s; (p = asks_seek(p, t->end, name)) != NULL; p++)
		if ((p == t->s || !asks_is_word(p[-1])) &&
		    (p + n == t->end || !asks_is_word(p[n])))
			return 1;
	return 0;
}

void defines_seek(struct asks *x, const char *names)
{
	asks_add_given(x, own_pasting, sizeof own_pasting - 1);
	x->sought = names;
}

int defines_unused(struct asks *x, const char *names)
{
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++)
		for (const char *name = names; *name; name = LIST_NEXT(name))
			if (ASKS_AT(x->texts, asks_text, i)->own &&
			    is_spelled(ASKS_AT(x->texts, asks_text, i), name))
				return 0;
	defines_seek(x, names);
	return asks_answer(x) == ASKS_NOT;
}
