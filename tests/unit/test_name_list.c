/* Names in texts and specs. */
#include "judge/name/name_list.h"

#include <criterion/criterion.h>
#include <string.h>

#include "names/names.h"

static struct patch_name names[] = {
	{'T', 0, "tmpabc12", 8}, {'B', 3, "/srv/build", 10}, {'F', 0, "main.c", 6}};
static const struct name_list list = {.v = names, .count = 2, .files = 1, .output_count = 2};

Test(name_list, counts_and_finds)
{
	cr_expect_eq(name_list_all(&list), 3);
	cr_expect_eq(name_list_find(&list, 'B', 3), &names[1]);
	cr_expect_null(name_list_find(&list, 'B', 0));
	cr_expect_null(name_list_find(&list, 'F', 0), "files are not looked for");
}

static uint64_t spelled(const char *text)
{
	uint64_t found = name_list_spelled(&list, text, strlen(text));

	cr_expect_eq(name_list_occurs(&list, text, strlen(text)), found != 0, "%s", text);
	return found;
}

Test(name_list, names_in_a_text)
{
	cr_expect_eq(spelled("/srv/build/tmpabc12/x"), 3);
	cr_expect_eq(spelled("/srv/buildings"), 2);
	cr_expect_eq(spelled("main.c"), 0);
	cr_expect_eq(spelled(""), 0);
}

static uint64_t pieces(const char *text)
{
	return name_list_pieces(&list, text, strlen(text));
}

Test(name_list, pieces_of_a_generated_name)
{
	cr_expect_eq(pieces("IN(tmpa, bc12)"), 1);
	cr_expect_eq(pieces("x##bc12"), 1);
	cr_expect_eq(pieces("tmpabc ## 12"), 1);
	cr_expect_eq(pieces("abc123 dc12 c12 tmpa"), 0, "other words");
	cr_expect_eq(pieces("/srv/buil ild"), 0, "an ordinary directory");
	cr_expect_eq(pieces(""), 0);
}

Test(name_list, names_in_a_spec)
{
	const char both[] = {NAMES_MARK, 'B', '3', '/', NAMES_MARK, 'T', '0', 0};
	const char marks[] = {NAMES_MARK, NAMES_MARK, 'T', '0', 0};

	cr_expect_eq(name_list_in_spec(&list, both, strlen(both)), 3);
	cr_expect_eq(name_list_in_spec(&list, both, 3), 2);
	cr_expect_eq(name_list_in_spec(&list, marks, strlen(marks)), 0, "a mark is spelled twice");
}
