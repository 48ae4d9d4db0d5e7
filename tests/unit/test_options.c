/* The option tables, and the search in them. */
#include "tools/options/options.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct option_table *const tables[] = {
	&options_gcc, &options_cc1, &options_as, &options_ld, &options_ptxas, &options_generic,
	&options_nvcc, &options_cudafe, &options_cicc, &options_fatbinary, &options_nvlink,
	&options_tileiras,
	&options_rustc};

Test(options, tables_are_sorted)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			cr_expect(memchr(tables[t]->rows[i].text, 0, OPTION_TEXT), "no NUL in %.*s",
			          OPTION_TEXT, tables[t]->rows[i].text);
			cr_expect(strlen(tables[t]->rows[i].text) >= 2);
			if (i)
				cr_expect(strcmp(tables[t]->rows[i - 1].text,
				                 tables[t]->rows[i].text) < 0,
				          "%s before %s", tables[t]->rows[i - 1].text,
				          tables[t]->rows[i].text);
			if (tables[t]->rows[i].set & OPT_BYPASS)
				cr_expect_str_neq(options_why(&tables[t]->rows[i]),
				                  tables[t]->rows[i].text);
		}
}

Test(options, every_row_finds_itself)
{
	size_t at;

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->count; i++)
			cr_expect_eq(options_find(tables[t], tables[t]->rows[i].text, &at),
			             &tables[t]->rows[i], "%s", tables[t]->rows[i].text);
	cr_assert_null(options_find(&options_gcc, "-Zz", &at));
	cr_assert_null(options_find(&options_gcc, "", &at));
	cr_assert_null(options_find(&options_gcc, "-", &at));
	cr_assert_null(options_find(&options_gcc, "zzz", &at));
	cr_assert_str_eq(options_find(&options_gcc, "-include-pchx", &at)->text, "-include");
	cr_assert_eq(at, 8);
	cr_assert_str_eq(options_find(&options_gcc, "-fopt-info-vec=x", &at)->text, "-fopt-info");
	cr_assert_eq(at, 15);
}
