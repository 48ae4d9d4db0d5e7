/* tests/unit/test_pattern.c - path patterns: the language, and guards. */
#include "units/shape/pattern.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "units/class.h"

static int fits(const char *pattern, const char *path, size_t *name)
{
	/* On the heap, exactly: a sanitizer sees each byte read before or behind it. */
	size_t n = strlen(path);
	char *copy = memcpy(malloc(n ? n : 1), path, n);
	int rc = pattern_fits(pattern, copy, n, name);

	free(copy);
	return rc;
}

static int fits_above(const char *pattern, const char *path)
{
	size_t n = strlen(path);
	char *copy = memcpy(malloc(n ? n : 1), path, n);
	int rc = pattern_fits_above(pattern, copy, n);

	free(copy);
	return rc;
}

Test(pattern, language)
{
	static const struct {
		const char *pattern, *path;
		int fits;
	} v[] = {
		{"abc", "abc", 1}, {"abc", "abcd", 0}, {"abc", "ab", 0}, {"", "", 1}, {"", "a", 0},
		{"[a-c_]", "b", 1}, {"[a-c_]", "_", 1}, {"[a-c_]", "d", 0}, {"[a-c_-]", "-", 1},
		{"[a-c]{2}d", "bcd", 1}, {"[a-c]{2}d", "bd", 0},
		{"x{3}", "xxx", 1}, {"x{3}", "xx", 0}, {"x{12}", "xxxxxxxxxxxx", 1},
		{"a?c", "abc", 1}, {"a?c", "a/c", 0}, {"?", ".", 0}, {"a?", "a.", 1},
		{"x/?", "x/.", 0},
		{"*", "", 1}, {"*", "abc", 1}, {"*", "a/c", 0}, {"*", ".a", 0}, {"a*", "a.b", 1},
		{"*.so", "lib.so", 1}, {"*.so", "lib.so.1", 0},
		{"*a*b", "xaxxab", 1}, {"*a*b", "xb", 0}, {"x/*", "x/.y", 0},
		{"v#", "v12", 1}, {"v#", "v", 0}, {"v#.#", "v1.25", 1}, {"v#.#", "v1.", 0},
		{"#2", "12", 0},
		{"(a|bc)d", "ad", 1}, {"(a|bc)d", "bcd", 1}, {"(a|bc)d", "bd", 0},
		{"(a|)d", "d", 1}, {"(a|ab)c", "abc", 1},
		{"(#|[x-z]{2})_", "12_", 1}, {"(#|[x-z]{2})_", "xz_", 1},
		{"(#|[x-z]{2})_", "x_", 0}, {"(a*|b)c/d", "axc/d", 1},
		{"!(ab|c*)?*", "ab", 0}, {"!(ab|c*)?*", "abc", 1}, {"!(ab|c*)?*", "cde", 0},
		{"!(ab|c*)?*", "d", 1},
		{"!(a)?*/x", "a/x", 0}, {"!(a)?*/x", "b/x", 1}, {"x/!(a|b)?", "x/b", 0},
		{"x/!(a|b)?", "x/c", 1},
		{"[a-z]{2}/f\\2[a-z]", "ab/fabz", 1}, {"[a-z]{2}/f\\2[a-z]", "ab/fbaz", 0},
		{"[a-z]/f\\2", "a/fa", 0}, {"f\\2", "fab", 0},
		{"a/b c", "a/b", 1}, {"a c/d", "c", 0},
	};
	size_t name;

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		cr_expect_eq(fits(v[i].pattern, v[i].path, &name), v[i].fits, "%s: %s",
		             v[i].pattern, v[i].path);
}

/* Ways through a component are not tried again for each way through those behind it: this would
 * take minutes. */
Test(pattern, components_do_not_multiply)
{
	char path[4 * 256 + 2];

	memset(path, 'a', sizeof path);
	for (int i = 1; i <= 4; i++)
		path[256 * i - 1] = '/';
	path[1024] = 'c';
	path[1025] = '\0';
	cr_expect_not(fits("*a/*a/*a/*a/b", path, &(size_t){0}));
	cr_expect(fits("*a/*a/*a/*a/c", path, &(size_t){0}));
	cr_expect(fits("*a*a/(a*|b)/*a/(b|a)*/c", path, &(size_t){0}));
	cr_expect(fits("(x|xy)/z*w", "xy/zw", &(size_t){0}));
	cr_expect(fits("*a*/*b", "xaay/zb", &(size_t){0}));
}

Test(pattern, where_the_name_begins)
{
	size_t name = 99;

	cr_assert(fits("ab/<c*", "ab/cd", &name));
	cr_expect_eq(name, 3);
	cr_assert(fits("ab/c*", "ab/cd", &name));
	cr_expect_eq(name, 0);
}

Test(pattern, directories_above)
{
	static const struct {
		const char *pattern, *path;
		int fits;
	} v[] = {
		{"a/[b-c]{2}/<f\\2x", "a", 1}, {"a/[b-c]{2}/<f\\2x", "/r/a", 1},
		{"a/[b-c]{2}/<f\\2x", "/r/a/bc", 1}, {"a/[b-c]{2}/<f\\2x", "/r/a/bd", 0},
		{"a/[b-c]{2}/<f\\2x", "/r/a/bc/fbcx", 0}, {"a/[b-c]{2}/<f\\2x", "/r/xa", 0},
		{"a/[b-c]{2}/<f\\2x", "/r/a/b", 0}, {"a/[b-c]{2}/<f\\2x", "bc", 0},
		{"a/b c/d", "/a", 1}, {"a/b c/d", "/c", 0}, {"a/b c/d", "/b", 0},
		{"?*/x", "/r/y", 1}, {"(a|bc)/*z/x", "bc/.z", 0}, {"(a|bc)/*z/x", "bc/yz", 1},
		{"!(a)?*/x", "r/a", 0}, {"!(a)?*/x", "r/b", 1},
		{"abc", "abc", 0}, {"", "", 0}, {"a/b", "", 0}, {"a/b", "/", 0},
	};

	const char *graphs = unit_text(unit_rows[UNIT_FXGRAPH].path);
	const char *outer = unit_text(unit_rows[UNIT_AOTAUTOGRAD].path);

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		cr_expect_eq(fits_above(v[i].pattern, v[i].path), v[i].fits, "%s: %s",
		             v[i].pattern, v[i].path);
	cr_expect(fits_above(graphs, "/t/fxgraph"));
	cr_expect(fits_above(graphs, "/t/fxgraph/bc"));
	cr_expect_not(fits_above(graphs, "/t"));
	cr_expect(fits_above(outer, "/t/aotautograd"));
	cr_expect_not(fits_above(outer, "/t/aotautograd/bc"));
}

Test(pattern, lists)
{
	const char *text = "a/b/c d e/f";

	cr_expect_eq(pattern_components(text), 3);
	text = pattern_next(text);
	cr_expect_eq(pattern_components(text), 1);
	text = pattern_next(text);
	cr_expect_eq(pattern_components(text), 2);
	cr_expect_null(pattern_next(text));
}

static int allows(const struct pattern_guard *g, const char *component)
{
	size_t n = strlen(component);
	unsigned char c = g->distance &&
		n >= g->distance ? (unsigned char)component[n - g->distance] : 0;

	return n >= g->least && n <= g->most && (!g->distance || (g->set[c / 8] >> c % 8 & 1));
}

Test(pattern, guards)
{
	static const struct {
		const char *pattern;
		unsigned after;
		size_t least, most, distance;
		char one; /* of the set */
	} v[] = {
		{"abc", 0, 3, 3, 1, 'c'}, {"[a-z]{3}.x[0-9]{2}", 0, 7, 7, 3, 'x'},
		{"?*", 0, 1, PATTERN_ANY_LENGTH, 0, 0},
		{"a/?*", 1, 1, 1, 1, 'a'}, {"?*_[0-9]{4}/x", 1, 6, PATTERN_ANY_LENGTH, 5, '_'},
		{"x#", 0, 2, PATTERN_ANY_LENGTH, 1, '7'},
		{"(ab|c)", 0, 1, 2, 1, 'b'}, {"(ab|)", 0, 0, 2, 0, 0},
		{"(ab|cd)e", 0, 3, 3, 1, 'e'}, {"!(x)[a-b]{2}", 0, 2, 2, 1, 'b'},
		{"<f\\2[a-z]", 0, 4, 4, 4, 'f'}, {"(a#|b#)/?*", 1, 2, PATTERN_ANY_LENGTH, 1, '0'},
		{"a*", 0, 1, PATTERN_ANY_LENGTH, 0, 0},
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct pattern_guard g;
		unsigned char c = (unsigned char)v[i].one;

		pattern_guard(&g, v[i].pattern, v[i].after);
		cr_expect_eq(g.least, v[i].least, "%s", v[i].pattern);
		cr_expect_eq(g.most, v[i].most, "%s", v[i].pattern);
		cr_expect_eq(g.distance, v[i].distance, "%s: %zu", v[i].pattern, g.distance);
		cr_expect(!c || (g.set[c / 8] >> c % 8 & 1), "%s", v[i].pattern);
		cr_expect_eq(g.set['/' / 8] >> '/' % 8 & 1, 0, "%s", v[i].pattern);
	}
}

/* A text that fits a pattern passes its guard. The texts are made of a pattern's own characters. */
Test(pattern, a_guard_never_refuses_what_fits)
{
	static const char *const v[] = {"(a|bc)#", "?*_(x|yy)", "(ab|)[a-c]{2}", "a#b", "!(ab)?*",
	                                "(a#|b)", "[ab]*c"};
	static const char letters[] = "abcxy_1";
	size_t name;

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		struct pattern_guard g;

		pattern_guard(&g, v[i], 0);
		for (unsigned long k = 0; k < 7 * 7 * 7 * 7 * 7; k++)
			for (size_t n = 1; n <= 5; n++) {
				char text[8] = "";
				unsigned long left = k;

				for (size_t at = 0; at < n; at++, left /= 7)
					text[at] = letters[left % 7];
				cr_assert(!pattern_fits(v[i], text, n, &name) || allows(&g, text),
				          "%s: %s", v[i], text);
			}
	}
}

/* Patterns of the table hold what the language allows, balanced. */
Test(pattern, those_of_the_table_are_well_formed)
{
	for (unsigned class = 1; class < UNIT_CLASSES_MAX; class++) {
		const struct unit_row *row = &unit_rows[class];
		const char *texts[] = {unit_text(row->path), unit_text(row->member),
		                       unit_text(row->index)};

		for (size_t i = 0; i < 3; i++) {
			int groups = 0, names = 0, in_set = 0;

			for (const char *p = texts[i]; *p; p++) {
				in_set += (*p == '[') - (*p == ']');
				groups += (*p == '(') - (*p == ')');
				names = *p == ' ' ? 0 : names + (*p == '<');
				cr_assert(groups >= 0 && groups <= 1 && in_set >= 0 &&
				          in_set <= 1 && names <= 1, "%s", texts[i]);
				cr_assert(*p != '!' || p[1] == '(', "%s", texts[i]);
				cr_assert(*p != '\\' || (p[1] > '0' && p[1] <= '9'), "%s",
				          texts[i]);
			}
			cr_assert(groups == 0 && in_set == 0, "%s", texts[i]);
			cr_assert(i == 0 || !strchr(texts[i], '/'), "a member is a name");
		}
	}
}
