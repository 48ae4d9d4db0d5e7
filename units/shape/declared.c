/* units/shape/declared.c - UNIT lines, and the table of the classes that they declare. */
#include "units/shape/declared.h"

#include <string.h>

#include "shim/ascii.h"

#include "shim/banned.h"

int declared_state;
static unsigned count;
static struct declared table[SETTINGS_UNITS_MAX];

/* '*' and groups make the matcher go back: a look-up must stay at some microseconds. */
#define STARS_MOST 4
#define STARS_OF_COMPONENT 2
#define GROUPS_MOST 4
#define COUNT_MOST 255
/* A shape with fewer certain characters would ask the stores for nearly every missing file. */
#define CERTAIN_LEAST 4

/* --- lines --- */

static int is_name(const char *p, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	for (size_t i = 0; i < n; i++)
		if (!strchr(letters, p[i]))
			return 0;
	return n > 0 && n < DECLARED_NAME;
}

static int is_builtin(const char *p, size_t n)
{
	for (unsigned i = 1; i < UNIT_CLASSES_MAX; i++)
		if (unit_rows[i].class && strlen(unit_name(i)) == n &&
		    memcmp(unit_name(i), p, n) == 0)
			return 1;
	return 0;
}

static int is_variable(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ascii_word(p[i]) || (!i && ascii_digit(p[i])))
			return 0;
	return n > 0;
}

/* Behind the ']' of the set at p, or NULL: it is empty, has no end, or takes '/'. */
static const char *set_end(const char *p)
{
	const char *q = p + 1;

	for (; *q && *q != ']'; q++) {
		int is_range = q[1] == '-' && q[2] && q[2] != ']';
		unsigned char first = (unsigned char)*q, last = (unsigned char)q[is_range ? 2 : 0];

		if (first == '[' || first <= ' ' || last < first || (first <= '/' && last >= '/'))
			return NULL;
		q += is_range ? 2 : 0;
	}
	return *q && q > p + 1 ? q + 1 : NULL;
}

/* Behind the character or set at p with its {n}, or NULL. *times is n, or 1. */
static const char *element_end(const char *p, unsigned *times)
{
	*times = 1;
	if ((unsigned char)*p <= ' ' || strchr("]{}", *p))
		return NULL;
	p = *p == '[' ? set_end(p) : p + 1;
	if (!p || *p != '{')
		return p;
	for (*times = 0, p++; *p >= '0' && *p <= '9' && *times <= COUNT_MOST; p++)
		*times = *times * 10 + (unsigned)(*p - '0');
	return *p == '}' && *times && *times <= COUNT_MOST ? p + 1 : NULL;
}

/* 1: one pattern of units/shape/pattern.h, which costs a look-up little. The matcher tests nothing.
 * */
static int is_shape(const char *text)
{
	unsigned stars = 0, stars_here = 0, groups = 0, certain = 0, named = 0, components = 0, n;
	int in_group = 0;

	for (const char *p = text, *next; *p; p = next) {
		next = p + 1;
		if (strchr(in_group ? "(!<\\/" : "|)", *p))
			return 0;
		switch (*p) {
		case '(':
		case ')':
			in_group = *p == '(';
			groups += *p == '(';
			break;
		case '|':
		case '#':
			break;
		case '!':
			if (*next != '(')
				return 0;
			break;
		case '/':
			components++;
			stars_here = 0;
			break;
		case '*':
			stars++;
			if (++stars_here > STARS_OF_COMPONENT)
				return 0;
			break;
		case '<':
			named++;
			break;
		case '\\':
			if (!components || *next < '1' || *next++ > '9')
				return 0;
			break;
		default:
			next = element_end(p, &n);
			if (!next)
				return 0;
			certain += *p == '?' || in_group ? 0 : n;
		}
		/* A component is not empty, and neither is the part that is the key. */
		if (strchr("/<", *p) && (!*next || *next == '/'))
			return 0;
	}
	return *text != '/' && !in_group && named <= 1 && stars <= STARS_MOST &&
	       groups <= GROUPS_MOST && certain >= CERTAIN_LEAST;
}

/* "cpu,env:A,file:B" */
static const char *scope_wrong(const char *p)
{
	for (size_t n; *p; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		if (!n)
			continue;
		if (n == 3 && (strncmp(p, "cpu", 3) == 0 || strncmp(p, "gpu", 3) == 0))
			continue;
		if (strncmp(p, "env:", 4) == 0 && n > 4 && is_variable(p + 4, n - 4))
			continue;
		if (strncmp(p, "file:", 5) == 0 && n > 6 &&
		    (p[5] == '/' || (p[5] == '~' && p[6] == '/' && n > 7)))
			continue;
		return "scope= is a list of cpu, gpu, env:NAME and file:PATH (absolute, or ~/)";
	}
	return NULL;
}

enum { WORD_PATH = 1, WORD_COMPLETE = 2, WORD_KIND = 4, WORD_SCOPE = 8 };

static const char *take_path(struct declared *d, const char *value)
{
	if (strlen(value) > DECLARED_PATH)
		return "path= is longer than 200 characters";
	memcpy(d->path, value, strlen(value) + 1);
	return NULL;
}

static const char *take_complete(struct declared *d, const char *value)
{
	d->complete = strcmp(value, "rename") == 0 ? COMPLETE_RENAME
	              : strcmp(value, "close") == 0 ? COMPLETE_CLOSED : 0;
	return d->complete ? NULL : "complete= is rename or close";
}

static const char *take_kind(struct declared *d, const char *value)
{
	d->class = strcmp(value, "file") == 0 ? UNIT_USER_FILES
	           : strcmp(value, "dir") == 0 ? UNIT_USER_DIRS : 0;
	return d->class ? NULL : "kind= is file or dir";
}

static const char *take_scope(struct declared *d, const char *value)
{
	if (strlen(value) >= sizeof d->scope)
		return "scope= is longer than 511 characters";
	memcpy(d->scope, value, strlen(value) + 1);
	return scope_wrong(value);
}

/* "path=..." with a NUL behind it. */
static const char *take_word(struct declared *d, const char *word, unsigned *seen)
{
	static const struct {
		char key[12];
		unsigned bit;
	} words[] = {{"path=", WORD_PATH}, {"complete=", WORD_COMPLETE}, {"kind=", WORD_KIND},
	             {"scope=", WORD_SCOPE}};
	unsigned bit = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(word, words[i].key, strlen(words[i].key)) == 0)
			bit = words[i].bit;
	if (!bit || *seen & bit)
		return bit ? "a word occurs twice"
		           : "it has a word that is not path=, complete=, kind= or scope=";
	*seen |= bit;
	word = strchr(word, '=') + 1;
	switch (bit) {
	case WORD_PATH:
		return take_path(d, word);
	case WORD_COMPLETE:
		return take_complete(d, word);
	case WORD_KIND:
		return take_kind(d, word);
	default:
		return take_scope(d, word);
	}
}

static const char *take_words(struct declared *d, const char *p, unsigned *seen)
{
	char word[DECLARED_SCOPE + 16];
	const char *wrong = NULL;

	for (size_t n; !wrong; p += n) {
		p += strspn(p, " \t");
		n = strcspn(p, " \t");
		if (!n)
			break;
		if (n >= sizeof word)
			return "it has a word that is too long";
		memcpy(word, p, n);
		word[n] = '\0';
		wrong = take_word(d, word, seen);
	}
	return wrong;
}

const char *declared_parse(struct declared *out, const char *text)
{
	size_t n = strcspn(text, " \t");
	unsigned seen = 0;
	const char *wrong;

	memset(out, 0, sizeof *out);
	if (!is_name(text, n))
		return "its name is not a-z, 0-9, '_' and '-', 31 characters at most";
	if (is_builtin(text, n))
		return "its name is that of a class of Reprise";
	memcpy(out->name, text, n);
	wrong = take_words(out, text + n, &seen);
	if (wrong)
		return wrong;
	if ((seen & (WORD_PATH | WORD_COMPLETE | WORD_KIND)) !=
	    (WORD_PATH | WORD_COMPLETE | WORD_KIND))
		return "it needs path=, complete= and kind=";
	if (!is_shape(out->path))
		return "path= is no shape as frameworks-own.md lists them: it is malformed, begins "
		       "with '/', or fits nearly every file";
	if (out->class == UNIT_USER_DIRS && out->complete == COMPLETE_CLOSED)
		out->class = UNIT_USER_CACHES;
	out->components = (unsigned char)pattern_components(out->path);
	pattern_guard(&out->guard, out->path, 0);
	return NULL;
}

/* --- the table --- */

static void add(const struct setting_unit *line)
{
	struct declared *d = &table[count];

	if (declared_parse(d, line->text))
		return;
	d->fixed = (unsigned char)line->fixed;
	for (unsigned i = 0; i < count; i++)
		if (strcmp(table[i].name, d->name) == 0) {
			if (!table[i].fixed)
				table[i] = *d;
			return;
		}
	count++;
}

void declared_load(const struct settings *set)
{
	int state = DECLARED_WAITING;

	if (!__atomic_compare_exchange_n(&declared_state, &state, DECLARED_MAKING, 0,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	count = 0;
	for (int i = 0; i < set->units; i++)
		add(&set->unit[i]);
	__atomic_store_n(&declared_state, count ? DECLARED_READY : DECLARED_NONE,
	                 __ATOMIC_RELEASE);
}

void declared_after_fork(void)
{
	if (declared_state == DECLARED_MAKING)
		declared_state = DECLARED_WAITING;
}

/* --- paths --- */

static int is_allowed(const struct pattern_guard *g, const char *component, size_t n)
{
	unsigned char c;

	if (n < g->least || n > g->most)
		return 0;
	if (!g->distance)
		return 1;
	c = (unsigned char)component[n - g->distance];
	return g->set[c / 8] >> c % 8 & 1;
}

/* path[0 .. n), whose last component begins at `at`. */
static int fits(struct unit_path *u, const struct declared *d, const char *path, size_t n,
                size_t at)
{
	ptrdiff_t from;
	size_t name;

	if (!is_allowed(&d->guard, path + at, n - at))
		return 0;
	from = pattern_place(path, n, d->components);
	if (from < 0 || !pattern_fits(d->path, path + from, n - (size_t)from, &name))
		return 0;
	u->class = (enum unit_class)d->class;
	u->declared = (unsigned char)(d - table);
	u->unit_len = n;
	u->root_len = from ? (size_t)from - 1 : 0;
	u->name_at = (size_t)from + name;
	u->name_len = n - u->name_at;
	u->member = NULL;
	return 1;
}

/* Temporary names begin with a dot, as programs give them in a directory that grows. A directory
 * that is renamed as a whole has no such files. There a program may look for a file with a dot that
 * says that all is written: deep_jit's ".committed". */
static int is_file_name(const char *name, unsigned class)
{
	if (*name != '.')
		return *name != 0;
	return !unit_grows(class) && name[1] && strcmp(name, "..") != 0;
}

enum unit_part declared_shape(struct unit_path *u, const char *path, size_t n)
{
	size_t at = (size_t)pattern_place(path, n, 1), dir = at ? at - 1 : 0;
	size_t dir_at = dir ? (size_t)pattern_place(path, dir, 1) : 0;

	for (unsigned i = 0; i < count; i++) {
		if (fits(u, &table[i], path, n, at))
			return u->part = PART_UNIT;
		if (unit_rows[table[i].class].form != UNIT_WHOLE || !dir ||
		    !is_file_name(path + at, table[i].class) ||
		    !fits(u, &table[i], path, dir, dir_at))
			continue;
		u->member = path + at;
		return u->part = PART_MEMBER;
	}
	return PART_NONE;
}

unsigned declared_complete(const struct unit_path *u)
{
	return table[u->declared].complete;
}

const char *declared_path(const struct unit_path *u)
{
	return table[u->declared].path;
}

const char *declared_list(const struct unit_path *u)
{
	return table[u->declared].scope;
}

const char *declared_name(const struct unit_path *u)
{
	return unit_rows[u->class].scope & SCOPE_DECLARED ? table[u->declared].name
	       : unit_name(u->class);
}
