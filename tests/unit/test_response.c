/* tests/unit/test_response.c - response files. Expectations with quotes were checked against ld
 * 2.40, clang 14, lld 14 and ptxas 13.0. */
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/response.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	const char *path, *text;
};
static const struct file none[] = {{NULL, NULL}};

static const char *read_one(void *ctx, const char *path, size_t *n)
{
	for (const struct file *f = ctx; f->path; f++)
		if (strcmp(f->path, path) == 0) {
			*n = strlen(f->text);
			return f->text;
		}
	return NULL;
}

/* Arguments joined by '|'. */
static char joined[4096];
static struct arena arena;

static struct cmdline expand(const char *tool, const struct file *files, char **argv)
{
	struct cmdline_reader reader = {read_one, (void *)files};
	struct cmdline c;
	int argc = 0;

	while (argv[argc])
		argc++;
	cr_assert_eq(cmdline_expand(&c, tool_find(tool, "+mytool"), argc, argv, &reader, &arena),
	             0);
	joined[0] = '\0';
	for (int i = 0; i < c.count; i++) {
		strcat(joined, i ? "|" : "");
		strcat(joined, c.v[i].text);
	}
	return c;
}
#define ARGV(...) ((char *[]){__VA_ARGS__, NULL})

Test(response, plain_arguments_stay)
{
	struct cmdline c = expand("gcc", none, ARGV("gcc", "", "-c", "a.c", "@"));

	cr_assert_str_eq(joined, "gcc||-c|a.c|@");
	cr_assert_eq(c.count, 5);
	cr_assert_eq(c.v[2].from_response, 0);
	cr_assert_eq(c.bypass, REASON_NONE);
}

Test(response, no_arguments_at_all)
{
	struct cmdline c = expand("gcc", none, (char *[]){NULL});

	cr_assert_eq(c.count, 0);
	cr_assert_not_null(c.v);
}

Test(response, quoting_as_libiberty)
{
	static const struct file files[] = {
		{"r", "a.c \"\" x\\ y 'q\\'r s' \"u\\v\" mid\"dle q\"uote\t\n\r\f\v tail\\"},
		{NULL, NULL}};
	struct cmdline c = expand("ld", files, ARGV("ld", "@r", "z"));

	cr_assert_str_eq(joined, "ld|a.c||x y|q'r s|uv|middle quote|tail|z");
	cr_assert_eq(c.v[1].from_response, 1);
	cr_assert_eq(c.v[c.count - 1].from_response, 0);
	/* clang drops empty words and keeps a last backslash */
	expand("clang", files, ARGV("clang", "@r", "z"));
	cr_assert_str_eq(joined, "clang|a.c|x y|q'r s|uv|middle quote|tail\\|z");
}

Test(response, empty_files_and_byte_order_mark)
{
	static const struct file files[] = {{"e", ""}, {"w", " \n\t "}, {"b", "\xef\xbb\xbf-c"},
	                                    {NULL, NULL}};

	expand("gcc", files, ARGV("gcc", "@e", "@w", "x"));
	cr_assert_str_eq(joined, "gcc|x");
	expand("clang", files, ARGV("clang", "@b"));
	cr_assert_str_eq(joined, "clang|-c");
}

Test(response, missing_file_leaves_argument)
{
	struct cmdline c = expand("gcc", none, ARGV("gcc", "@gone", "a.c"));

	cr_assert_str_eq(joined, "gcc|@gone|a.c");
	cr_assert_eq(c.bypass, REASON_NONE);
}

Test(response, argv0_is_never_expanded)
{
	static const struct file files[] = {{"r", "x"}, {NULL, NULL}};

	expand("gcc", files, ARGV("@r", "@r"));
	cr_assert_str_eq(joined, "@r|x");
}

Test(response, nested)
{
	static const struct file files[] = {{"a", "1 @b 4"}, {"b", "2 '@c' 3"}, {"c", "C"},
	                                    {NULL, NULL}};

	expand("gcc", files, ARGV("gcc", "@a", "5"));
	cr_assert_str_eq(joined, "gcc|1|2|C|3|4|5");
}

Test(response, a_file_that_names_itself_ends)
{
	static const struct file once[] = {{"a", "@a"}, {NULL, NULL}};
	static const struct file twice[] = {{"a", "x @a @b"}, {"b", "@a @b"}, {NULL, NULL}};
	struct cmdline_reader reader = {read_one, (void *)twice};
	struct cmdline c = expand("gcc", once, ARGV("gcc", "@a"));
	char *argv[] = {"gcc", "@a", NULL};

	cr_assert_eq(c.bypass, REASON_BYPASS_ARGUMENTS);
	cr_assert_eq(cmdline_expand(&c, tool_find("gcc", NULL), 2, argv, &reader, &arena), 0);
	cr_assert_eq(c.bypass, REASON_BYPASS_ARGUMENTS);
	/* classification keeps it */
	cmdline_classify(&c, tool_find("gcc", NULL));
	cr_assert_eq(c.bypass, REASON_BYPASS_ARGUMENTS);
}

Test(response, families_without)
{
	static const struct file files[] = {{"r", "x"}, {NULL, NULL}};

	expand("mytool", files, ARGV("t", "@r"));
	cr_assert_str_eq(joined, "t|@r");
	expand("ptxas", files, ARGV("ptxas", "@r"));
	cr_assert_str_eq(joined, "ptxas|@r");
}

Test(response, ptxas_option_files)
{
	static const struct file files[] = {
		{"o", "-o \"b 1\" it's c\\ d\n--options-file n"}, {"n", "-v"}, {"m", "-lineinfo"},
		{NULL, NULL}};

	expand("ptxas", files, ARGV("ptxas", "-optf", "o", "k.ptx"));
	cr_assert_str_eq(joined, "ptxas|-optf|o|-o|b 1|it's|c d|--options-file|n|-v|k.ptx");
	expand("ptxas", files, ARGV("ptxas", "--options-file=n,m", "k.ptx"));
	cr_assert_str_eq(joined, "ptxas|--options-file=n,m|-v|-lineinfo|k.ptx");
	expand("ptxas", files, ARGV("ptxas", "-optf", "gone", "-optf=n"));
	cr_assert_str_eq(joined, "ptxas|-optf|gone|-optf=n|-v");
	expand("ptxas", files, ARGV("ptxas", "-optfx=n"));
	cr_assert_str_eq(joined, "ptxas|-optfx=n");
}

Test(response, hundred_thousand_arguments)
{
	size_t each = 8, count = 100000;
	char *text = malloc(each * count + 1);
	struct file files[] = {{"big", text}, {NULL, NULL}};
	struct cmdline_reader reader = {read_one, files};
	struct cmdline c;
	char *argv[] = {"gcc", "@big", NULL};

	for (size_t i = 0; i < count; i++)
		snprintf(text + i * each, each + 1, "-D%05zu\n", i);
	cr_assert_eq(cmdline_expand(&c, tool_find("gcc", NULL), 2, argv, &reader, &arena), 0);
	cr_assert_eq(c.count, 100001);
	cr_assert_str_eq(c.v[100000].text, "-D99999");
	cmdline_classify(&c, tool_find("gcc", NULL));
	free(text);
}

Test(response, too_many_arguments_are_refused)
{
	size_t count = ARGS_MAX;
	char *text = malloc(2 * count + 1);
	struct file files[] = {{"big", text}, {NULL, NULL}};
	struct cmdline_reader reader = {read_one, files};
	struct cmdline c;
	char *argv[] = {"gcc", "@big", NULL};

	for (size_t i = 0; i < count; i++)
		memcpy(text + 2 * i, "x ", 2);
	text[2 * count] = '\0';
	cr_assert_eq(cmdline_expand(&c, tool_find("gcc", NULL), 2, argv, &reader, &arena), -1);
	text[2 * (count - 1)] = '\0';
	cr_assert_eq(cmdline_expand(&c, tool_find("gcc", NULL), 2, argv, &reader, &arena), 0);
	free(text);
}
