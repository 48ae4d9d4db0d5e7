/* The difference between two keys, in the words of `reprise explain`. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "cli/explain/explain.h"
#include "keying/key.h"

static struct arena arena;
static struct key x, y;

static void start(void)
{
	key_init(&x, &arena);
	key_init(&y, &arena);
}

static void stop(void)
{
	arena_free(&arena);
}

TestSuite(key_diff, .init = start, .fini = stop);

static void args(struct key *k, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");
		key_add(k, KEY_ARG, "", words, n);
		words += n + (words[n] != 0);
	}
}

static void expect(const char *wanted)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	cli_key_diff(f, x.fields.data, x.fields.len, y.fields.data, y.fields.len, &arena);
	fclose(f);
	cr_expect_str_eq(text, wanted);
	free(text);
}

Test(key_diff, equal)
{
	args(&x, "gcc -c a.c");
	args(&y, "gcc -c a.c");
	expect("");
}

Test(key_diff, an_argument_changed)
{
	args(&x, "gcc -c -O2 a.c");
	args(&y, "gcc -c -O3 a.c");
	expect("    argument 2: -O2 -> -O3\n");
}

Test(key_diff, an_argument_added_and_one_dropped)
{
	args(&x, "gcc -c -Wall a.c -o a.o");
	args(&y, "gcc -g -c a.c -o a.o");
	expect("    argument 1: -Wall -> -g\n");
}

Test(key_diff, all_arguments_differ)
{
	args(&x, "a b");
	args(&y, "c d e");
	expect("    argument 0: a -> c\n    argument 1: b -> d\n    argument 2 added: e\n");
}

Test(key_diff, labelled_fields)
{
	struct digest d1 = {{1}}, d2 = {{2}};

	key_add_digest(&x, KEY_TOOL, "gcc", &d1);
	key_add_digest(&y, KEY_TOOL, "gcc", &d2);
	key_add_str(&x, KEY_ENV, "LANG", "C");
	key_add_str(&y, KEY_ENV, "CPATH", "/x");
	key_add_digest(&x, KEY_PRIMARY, "Cmain.c", &d1);
	key_add_digest(&y, KEY_PRIMARY, "Cmain.c", &d2);
	key_add_str(&x, KEY_STREAM, "stdout", "other");
	key_add_str(&y, KEY_STREAM, "stdout", "terminal");
	key_add_digest(&y, KEY_LIBRARY, "/lib/libx.so", &d2);
	expect("    tool content gcc changed\n"
	       "    variable LANG: C -> unset\n"
	       "    content of main.c changed\n"
	       "    stream stdout: other -> terminal\n"
	       "    variable CPATH: unset -> /x\n"
	       "    loaded library /lib/libx.so is new\n");
}

Test(key_diff, specs_and_control_bytes)
{
	args(&x, "-I/tmp/\001T0/a");
	args(&y, "-I/tmp/\001B1/\001\001\033");
	expect("    argument 0: -I/tmp/@T0/a -> -I/tmp/@B1/\\x01\\x1b\n");
}

Test(key_diff, lines_are_bounded)
{
	for (int i = 0; i < 50; i++)
		key_add_str(&y, KEY_ENV, "V", "1");
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	cr_expect_eq(cli_key_diff(f, NULL, 0, y.fields.data, y.fields.len, &arena), 50);
	fclose(f);
	cr_expect_not_null(strstr(text, "    and 30 more\n"), "%s", text);
	free(text);
}

Test(key_diff, another_order_and_arguments_that_repeat)
{
	args(&x, "ld a.o b.o -lc -lm -lc");
	args(&y, "ld b.o a.o -lc -lm -lc");
	expect("    arguments have another order\n");
	start();
	args(&x, "ld -lc a.o");
	args(&y, "ld -lc -lc a.o");
	expect("    argument 2 added: -lc\n");
}

Test(key_diff, hostile_bytes_are_no_fields)
{
	static const unsigned char bytes[] = {5, 255, 255, 255, 255, 'x'};
	FILE *f = fopen("/dev/null", "w");

	args(&x, "gcc");
	cr_expect_eq(cli_key_diff(f, x.fields.data, x.fields.len, bytes, sizeof bytes, &arena), 0);
	for (size_t cut = 0; cut < x.fields.len; cut++)
		cli_key_diff(f, x.fields.data, cut, x.fields.data, x.fields.len, &arena);
	fclose(f);
}
