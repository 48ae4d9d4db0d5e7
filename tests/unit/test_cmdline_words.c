/* Questions about the words of a command line. */
#include "tests/unit/driver_fixture.h"
#include "tools/cmdline/cmdline.h"

static const struct cmdline *words(const char *line)
{
	static struct cmdline c;

	split(line, &c);
	return &c;
}

Test(cmdline_words, has_one_of_a_list)
{
	const struct cmdline *c = words("gcc -c a.c -o b.o -v");

	cr_expect(cmdline_has(c, "-E\0-v\0"));
	cr_expect(!cmdline_has(c, "-E\0"));
	cr_expect(!cmdline_has(c, "gcc\0"), "argv[0] is left out");
	cr_expect(!cmdline_has(c, ""));
}

Test(cmdline_words, begins_and_holds)
{
	const struct cmdline *c = words("gcc -finput-charset=latin1 -c /srv/a.c");

	cr_expect(cmdline_begins(c, "-x\0-finput-charset\0"));
	cr_expect(!cmdline_begins(c, "input-charset\0"));
	cr_expect(cmdline_holds(c, "input-charset"));
	cr_expect(cmdline_holds(c, "/srv"));
	cr_expect(!cmdline_holds(c, "gcc"), "argv[0] is left out");
}

Test(cmdline_words, the_only_operand)
{
	cr_expect_str_eq(cmdline_operand(words("gcc -I x -c a.c -o b.o")), "a.c");
	cr_expect_null(cmdline_operand(words("gcc -c a.c b.c")));
	cr_expect_null(cmdline_operand(words("gcc --version")));
}

Test(cmdline_words, paths_of_outputs)
{
	const struct cmdline *c = words("gcc -c a.c -o b.o -MFx.d -MD");
	static const char *const want[] = {NULL, NULL, NULL, NULL, "b.o", "x.d", NULL};

	for (int i = 0; i < c->count; i++) {
		const char *path = cmdline_output(&c->v[i]);

		cr_expect(want[i] ? path && strcmp(path, want[i]) == 0 : !path, "argument %d", i);
	}
}
