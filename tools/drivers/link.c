/* tools/drivers/link.c - linkers: ld.bfd, gold and lld use the contents of files, and no names of
 * objects or directories.
 *
 * Measured in 14 command lines, three linkers, six roles under nine names each
 * (docs/internals/names.md). Linkers' own scripts look for `*crtbegin?.o` and the like, which no
 * generated name is (names/name_shape.h). These are left out, and bind: scripts (their patterns and
 * SORT see names), maps and messages, and -b binary. So do values that the output holds unchanged
 * (-rpath, -soname, -dynamic-linker) where a name is in them. So does a shared library that is
 * named by a path, which the output holds if the library has no soname. */
#include "tools/drivers/drivers.h"

#include <string.h>

#include "shim/list.h"
#include "tools/driver.h"
#include "shim/list.h"
#include "tools/object/sections.h"

#include "shim/banned.h"

/* Complete words. A word with '=' at the end takes any value; a name in the value has a role of its
 * own. */
static const char plain[] =
	"--allow-shlib-undefined\0" "--as-needed\0" "--build-id\0" "--build-id=\0"
	"--disable-new-dtags\0" "--eh-frame-hdr\0" "--enable-new-dtags\0" "--end-group\0"
	"--fatal-warnings\0" "--gc-sections\0" "--hash-style=\0" "--icf=\0" "--no-add-needed\0"
	"--no-allow-shlib-undefined\0" "--no-as-needed\0" "--no-copy-dt-needed-entries\0"
	"--no-gc-sections\0" "--no-undefined\0" "--no-whole-archive\0" "--pop-state\0"
	"--push-state\0" "--relax\0" "--start-group\0" "--strip-all\0" "--strip-debug\0"
	"--threads=\0" "--warn-common\0" "--whole-archive\0" "-(\0" "-)\0" "-Bdynamic\0"
	"-Bstatic\0" "-Bsymbolic\0" "-Bsymbolic-functions\0" "-E\0" "-L\0" "-O0\0" "-O1\0"
	"-O2\0" "-S\0" "-dynamic-linker\0" "-e\0" "-export-dynamic\0" "-h\0" "-l\0" "-m\0"
	"-no-pie\0" "-nostdlib\0" "-o\0" "-pie\0" "-r\0" "-rpath\0" "-s\0" "-shared\0"
	"-soname\0" "-static\0" "-u\0" "-v\0" "-x\0" "-z\0";

/* -zrelro, -lc, -L/x. lld takes its long options with one dash, too: -lto-obj-path=x, -mllvm. */
static int is_short(const char *s)
{
	if (s[0] != '-' || !s[1] || !s[2] || s[2] == '-')
		return 0;
	if (s[1] == 'm' || s[1] == 'u')
		return !strchr(s + 2, '-') && strcmp(s, "-mllvm") != 0;
	if (s[1] == 'l')
		return strncmp(s, "-lto-", 5) != 0 && strncmp(s, "-load-", 6) != 0;
	return s[1] == 'L' || s[1] == 'z';
}

static int is_word(const char *s)
{
	const char *value = strchr(s, '=');
	char key[64];

	if (list_has(plain, s))
		return 1;
	if (value && (size_t)(value - s) + 2 < sizeof key) {
		memcpy(key, s, (size_t)(value - s) + 1);
		key[value - s + 1] = '\0';
		if (list_has(plain, key))
			return 1;
		key[value - s] = '\0'; /* -rpath=x */
		return list_has(plain, key[0] == '-' && key[1] == '-' ? key + 1 : key);
	}
	return is_short(s);
}

/* The output holds the value of these options unchanged, or the linker searches there. A name in it
 * has a role of its own. */
static int takes_value(const char *s)
{
	static const char with[] =
		"--dynamic-linker\0" "--rpath\0" "--soname\0" "-L\0" "-dynamic-linker\0" "-e\0"
		"-h\0" "-l\0" "-m\0" "-rpath\0" "-soname\0" "-u\0" "-z\0";

	return list_has(with, s);
}

static int is_marker(const struct cmdline_arg *arg)
{
	return !arg->is_value && strcmp(arg->text, "-Xlinker") == 0;
}

/* 1: the driver hands argument i on to the linker. */
static int is_handed(const struct cmdline *c, int i)
{
	const char *option = i > 0 && i < c->count ? c->v[i].option : NULL;

	return option && (strcmp(option, "-Wl,") == 0 || strcmp(option, "-Xlinker") == 0);
}

/* Reads the words of argument i, -Wl,a,b or the one behind -Xlinker. value: the first one is the
 * value of the word before it. Returns 1 if the last one takes the next word as its value. */
static int read_words(const struct cmdline *c, int i, int value, int *is_plain)
{
	const char *s = c->v[i].text;
	char word[4096];

	if (strncmp(s, "-Wl,", 4) != 0) {
		*is_plain = value || is_word(s) || (s[0] != '-' && !strchr(s, '/'));
		return !value && takes_value(s);
	}
	for (s += 4;; s++) {
		size_t n = strcspn(s, ",");

		if (n >= sizeof word) {
			*is_plain = 0;
			return 0;
		}
		memcpy(word, s, n);
		word[n] = '\0';
		/* A separate path would be an input. */
		*is_plain &= value || is_word(word);
		value = !value && takes_value(word);
		s += n;
		if (!*s)
			return value;
	}
}

/* 1: the first word of argument i is the value of the word that was handed on just before it:
 * -Wl,-rpath -Wl,/dir, or -Xlinker -rpath -Xlinker /dir. */
static int begins_with_value(const struct cmdline *c, int i)
{
	int before = is_marker(&c->v[i - 1]) ? i - 2 : i - 1, ignored = 1, value;
	const char *last;

	if (!is_handed(c, before) || is_marker(&c->v[before]))
		return 0;
	last = strrchr(c->v[before].text, ',');
	if (!takes_value(last ? last + 1 : c->v[before].text))
		return 0;
	value = begins_with_value(c, before);
	return read_words(c, before, value, &ignored);
}

int link_plain(const struct cmdline *c, int i)
{
	int is_plain = 1;

	if (is_marker(&c->v[i]))
		return 1;
	if (read_words(c, i, begins_with_value(c, i), &is_plain) && !is_handed(c, i + 1))
		return 0;
	return is_plain;
}

static int is_script(const char *text)
{
	return strcmp(text, "-T") == 0 || strcmp(text, "--script") == 0 || strcmp(text, "-c") == 0;
}

static unsigned fact(const struct tool_row *row, const struct cmdline *c, int i)
{
	const struct cmdline_arg *arg = &c->v[i];

	return arg->text[0] == '-' && !arg->is_value &&
	       (is_script(arg->text) || !is_word(arg->text)) ? FACT_BOUND : 0;
}

static unsigned reach(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	if (c->flags & (CMD_DUMP | CMD_STDIN | CMD_LTO) || !driver_plain(c))
		return REACH_ANYTHING;
	switch (role) {
	case ROLE_SOURCE:
	case ROLE_BASE:
	case ROLE_CWD:
	case ROLE_OUTPUT:
	case ROLE_RESPONSE:
	case ROLE_LIBRARY: return 0;
	default: return REACH_ANYTHING;
	}
}

/* With versions of symbols, and without a soname, linkers call the first version after the output:
 * `.symver f,f@@V1` in a program that exports f. Whether a version is defined is in the table of
 * sections. Files of other formats hold the name as well (exports of a DLL). */
int link_enters_output(const void *data, size_t n)
{
	struct section s;

	return section_named(&s, data, n, ".dynstr") == 0
	               ? section_named(&s, data, n, ".gnu.version_d") == 0
	               : section_named(&s, data, n, ".shstrtab") < 0;
}

const struct driver driver_link = {
	.fact = fact, .reach = reach, .output = "a.out", .flows = 1};
/* collect2, mold and rust-lld: not measured. */
const struct driver driver_mold = {.output = "a.out"};
