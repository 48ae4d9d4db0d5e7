/* Commands that are shortened keep their source and output. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "judge/start_event.h"

TestSuite(command_text);

static struct start start = {.arena = ARENA_INIT};
static struct primary source[1];

static const char *text_of(size_t size, char *const *argv, const char *path)
{
	static char out[2048];

	start.call.argv = (char **)argv;
	start.call.argc = 0;
	while (argv[start.call.argc])
		start.call.argc++;
	source[0].path = path;
	start.primaries = (struct primaries){.v = source, .count = 1};
	memset(out, 'x', sizeof out);
	command_text(out, size, &start);
	cr_assert_lt(strlen(out), size);
	return out;
}

static char *words[202];

/* The source stands at the place; all other words are options. */
static char *const *long_command(int place, char *path)
{
	static char many[200][24];

	words[0] = "/usr/bin/gcc";
	for (int i = 1; i < 200; i++) {
		snprintf(many[i], sizeof many[i], "-I/a/long/directory/%d", i);
		words[i] = i == place ? path : many[i];
	}
	words[200] = NULL;
	return words;
}

Test(command_text, what_fits_is_as_it_was)
{
	char *argv[] = {"/usr/bin/gcc", "-c", "a.c", "-o", "a.o", NULL};

	cr_expect_str_eq(text_of(64, argv, "a.c"), "/usr/bin/gcc -c a.c -o a.o");
	cr_expect_str_eq(text_of(27, argv, "a.c"), "/usr/bin/gcc -c a.c -o a.o");
}

Test(command_text, the_source_stays_wherever_it_stands)
{
	for (int place = 1; place < 200; place++) {
		const char *text = text_of(128, long_command(place, "dir/source.cc"),
		                           "dir/source.cc");

		cr_expect(strstr(text, " dir/source.cc"), "%d: %s", place, text);
		cr_expect_eq(strncmp(text, "gcc ", 4), 0, "%s", text);
	}
}

Test(command_text, the_output_stays_too)
{
	struct cmdline_arg v[7] = {[1] = {.text = ""}, {.text = ""}, {.text = ""}, {.text = ""},
	                           {.text = ""}, {.text = "out.o", .role = ARG_OUTPUT}};

	long_command(3, "s.cc");
	words[5] = "-o";
	words[6] = "out.o";
	start.cmd = (struct cmdline){.v = v, .count = 7, .first_output = 6};
	cr_expect(strstr(text_of(128, words, "s.cc"), "gcc ... s.cc ... -o out.o ... "), "%s",
	          text_of(128, words, "s.cc"));
	start.cmd = (struct cmdline){0};
}

Test(command_text, options_of_one_letter_stay)
{
	static char c[] = "-c", i[] = "-I";

	long_command(20, "s.cc");
	words[19] = c;
	words[30] = i;
	words[31] = words[33] + 2; /* its value */
	cr_expect(strstr(text_of(128, words, "s.cc"), "gcc ... -c s.cc ... -I/a/long"), "%s",
	          text_of(128, words, "s.cc"));
}

Test(command_text, of_a_long_path_the_end_stays)
{
	static char path[1024];
	const char *text;

	memset(path, 'd', 1000);
	strcpy(path + 900, "/source.cc");
	text = text_of(232, long_command(7, path), path);
	cr_expect(strstr(text, "dd/source.cc"), "%s", text);
	cr_expect(strstr(text, " ...ddd"), "%s", text);
}

Test(command_text, without_arguments)
{
	char *none[] = {NULL}, *one[] = {"gcc", NULL};

	cr_expect_str_eq(text_of(16, none, ""), "");
	cr_expect_str_eq(text_of(16, one, ""), "gcc");
}
