/* UNIT lines: which lines declare a class, which paths are its units, what its scope contains. */
#include "scratch.h"

#include <time.h>

#include "shim/path.h"
#include "units/scope/scope.h"
#include "units/shape/declared.h"

static struct arena arena;
static struct settings set;

static void stop(void)
{
	arena_free(&arena);
	scratch_remove();
}
TestSuite(declared, .init = scratch_make, .fini = stop);

#define REST " complete=rename kind=file"
#define SHAPE "path= is no shape"

static const struct {
	const char *text, *wrong; /* NULL: the line is valid */
} lines[] = {
	{"a path=x/<abcd" REST, NULL},
	{"a-b_2\tpath=x/abcd\t complete=close kind=file scope=env:A", NULL},
	{"a path=warp/<ml_*_[0-9a-f]{7} complete=rename kind=dir scope=", NULL},
	{"a path=abcd scope=env:A,file:/b,file:~/c,,env:_1" REST, NULL},
	{"a path=[a-z]{2}/f\\2[a-z]{4}" REST, NULL},
	{"a path=!(a|b*)?*.best_config" REST, NULL},
	{"", "its name"}, {" path=abcd" REST, "its name"}, {"A path=abcd" REST, "its name"},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa path=abcd" REST, "its name"},
	{"triton path=abcd" REST, "of a class of Reprise"},
	{"jax path=abcd" REST, "of a class of Reprise"},
	{"a" REST, "it needs path="}, {"a path=abcd kind=file", "it needs"},
	{"a path=abcd complete=rename", "it needs"},
	{"a path=abcd complete=closed kind=file", "complete= is"},
	{"a path=abcd complete=rename kind=tree", "kind= is"},
	{"a path=abcd complete=close kind=dir scope=cpu,gpu,env:A", NULL},
	{"a path=abcd scope=cpus" REST, "scope= is"},
	{"a path=abcd path=abcd" REST, "occurs twice"},
	{"a path=abcd name=x" REST, "it has a word"},
	{"a path=abcd x" REST, "it has a word"}, {"a path=abcd scope=A" REST, "scope= is"},
	{"a path=abcd scope=env:1A" REST, "scope= is"},
	{"a path=abcd scope=env:" REST, "scope= is"},
	{"a path=abcd scope=env:A=b" REST, "scope= is"},
	{"a path=abcd scope=file:b" REST, "scope= is"},
	{"a path=abcd scope=file:~" REST, "scope= is"},
	{"a path=abcd scope=file:" REST, "scope= is"},
	{"a path=x/abcd<" REST, SHAPE}, {"a path=x/abcd*</y" REST, SHAPE}, {"a path=" REST, SHAPE},
	{"a path=/x/abcd" REST, SHAPE}, {"a path=x//abcd" REST, SHAPE},
	{"a path=abcd/" REST, SHAPE}, {"a path=abc" REST, SHAPE}, {"a path=*.so" REST, SHAPE},
	{"a path=?{9}*" REST, SHAPE}, {"a path=(abcd|efgh)*" REST, SHAPE},
	{"a path=abcd[" REST, SHAPE}, {"a path=abcd[]" REST, SHAPE},
	{"a path=abcd[.-0]" REST, SHAPE}, {"a path=abcd[z-a]" REST, SHAPE},
	{"a path=abcd[a" REST, SHAPE}, {"a path=abcd[/]" REST, SHAPE},
	{"a path=abcd{0}" REST, SHAPE}, {"a path=abcd{256}" REST, SHAPE},
	{"a path=abcd{" REST, SHAPE}, {"a path=abcd{x}" REST, SHAPE},
	{"a path=abcd#{2}" REST, SHAPE}, {"a path={2}abcd" REST, SHAPE},
	{"a path=abcd]" REST, SHAPE}, {"a path=abcd}" REST, SHAPE},
	{"a path=abcd*{2}" REST, SHAPE}, {"a path=abcd(" REST, SHAPE},
	{"a path=abcd)" REST, SHAPE}, {"a path=abcd(a(b))" REST, SHAPE},
	{"a path=abcd(a|!(b))" REST, SHAPE}, {"a path=abcd!x" REST, SHAPE},
	{"a path=abcd|x" REST, SHAPE}, {"a path=abcd(x/y)" REST, SHAPE},
	{"a path=<abcd/<x" REST, SHAPE}, {"a path=abcd(<x)" REST, SHAPE},
	{"a path=abcd\\1" REST, SHAPE}, {"a path=abcd/\\0" REST, SHAPE},
	{"a path=abcd/(\\1)" REST, SHAPE}, {"a path=abcd/*a*b*" REST, SHAPE},
	{"a path=abcd/**/**/*" REST, SHAPE}, {"a path=abcd(a)(b)(c)(d)(e)" REST, SHAPE},
};

Test(declared, lines)
{
	struct declared row;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		const char *wrong = declared_parse(&row, lines[i].text);

		cr_expect_eq(wrong == NULL, lines[i].wrong == NULL, "%s: %s", lines[i].text,
		             wrong ? wrong : "right");
		cr_expect(!wrong || !lines[i].wrong || strstr(wrong, lines[i].wrong), "%s: %s",
		          lines[i].text, wrong);
	}
	cr_assert_null(declared_parse(&row, lines[1].text));
	cr_expect_str_eq(row.name, "a-b_2");
	cr_expect_str_eq(row.path, "x/abcd");
	cr_expect_str_eq(row.scope, "env:A");
	cr_expect_eq(row.complete, COMPLETE_CLOSED);
	cr_expect_eq(row.class, UNIT_USER_FILES);
}

/* The classes of these lines. */
static void declare(const char *text)
{
	char *none[] = {NULL};

	settings_defaults(&set);
	settings_merge_file(&set, "/conf", text, strlen(text), ORIGIN_USER, none, &arena);
	cr_expect_eq(set.bad_count, 0);
	declared_expect();
	declared_load(&set);
}

static enum unit_part part(struct unit_path *u, const char *path)
{
	char *copy = strdup(path); /* exactly: a sanitizer sees each byte read behind it */
	enum unit_part p = unit_shape(u, copy);

	u->member = NULL;
	free(copy);
	return p;
}

Test(declared, paths)
{
	struct unit_path u;

	cr_expect_eq(part(&u, "/c/numba/x.nbi"), PART_NONE);
	declare("UNIT=nbi path=numba/<*.nbi" REST "\n"
	        "UNIT = mods path=mods/#.#.#/<md_*_[0-9a-f]{7} complete=rename kind=dir\n"
	        "# UNIT=not path=abcd" REST "\n"
	        "REPRISE_UNIT=closed path=<[0-9a-f]{8}.mlir complete=close kind=file\n"
	        "UNIT=grow path=grow/<[a-d]{4} complete=close kind=dir\n"
	        "UNIT=wrong path=abc\n");
	cr_expect_eq(set.units, 5);
	cr_assert_eq(part(&u, "/c/numba/x.nbi"), PART_UNIT);
	cr_expect_eq(u.class, UNIT_USER_FILES);
	cr_expect_str_eq(declared_name(&u), "nbi");
	cr_expect_eq(u.root_len, 2);
	cr_expect_eq(u.name_at, strlen("/c/numba/"));
	cr_expect_eq(u.name_len, 5);
	cr_expect(unit_looked_up(&u) && unit_completes(&u, 0) && !unit_completes(&u, 1));
	cr_assert_eq(part(&u, "/h/mods/1.9.0/md_k_0123abc"), PART_UNIT);
	cr_expect(unit_looked_up(&u) && unit_completes(&u, 0) && !unit_completes(&u, 1));
	cr_assert_eq(part(&u, "/h/mods/1.9.0/md_k_0123abc/md_k.o"), PART_MEMBER);
	cr_expect_eq(u.class, UNIT_USER_DIRS);
	cr_expect_eq(u.unit_len, strlen("/h/mods/1.9.0/md_k_0123abc"));
	cr_expect_eq(u.name_len, strlen("md_k_0123abc"));
	cr_expect(unit_looked_up(&u) && !unit_completes(&u, 0) && !unit_completes(&u, 1));
	cr_assert_eq(part(&u, "/h/mods/1.9.0/md_k_0123abc/.committed"), PART_MEMBER);
	cr_expect(unit_looked_up(&u) && !unit_completes(&u, 0) && !unit_completes(&u, 1));
	cr_assert_eq(part(&u, "/h/grow/abcd/x"), PART_MEMBER);
	cr_assert_eq(part(&u, "0123abcd.mlir"), PART_UNIT);
	cr_expect(unit_looked_up(&u) && !unit_completes(&u, 0) && unit_completes(&u, 1));
	cr_expect_eq(u.root_len, 0);
	static const char *const none[] = {"/c/numba/x.nbi.tmp.1", "/c/numba/.x.nbi", "/c/x.nbi",
	                                   "x.nbi", "/numba/x/y.nbi",
	                                   "/h/mods/1.9.0/md_k_0123abc/",
	                                   "/h/mods/1.9.0/md_k_0123abc/.",
	                                   "/h/mods/1.9.0/md_k_0123abc/..",
	                                   "/h/grow/abcd/.x", "/h/grow/abcd/..",
	                                   "/h/mods/1.9.0/md_k_0123abc/a/b",
	                                   "/h/mods/1.9/md_k_0123abc", "md_k_0123abc/x", "", "/"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		cr_expect_eq(part(&u, none[i]), PART_NONE, "%s", none[i]);
	/* A class of Reprise comes first. */
	cr_assert_eq(part(&u, "/c/jit_f-"
	                  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	                  "-cache"), PART_UNIT);
	cr_expect_str_eq(declared_name(&u), "jax");
}

Test(declared, the_last_line_of_a_name_counts_and_64_fit)
{
	static char text[16384];
	char *none[] = {NULL};
	struct unit_path u;
	size_t n = 0;

	for (int i = 0; i < 63; i++)
		n += (size_t)sprintf(text + n, "UNIT=c%d path=dir%d/<abcd%d" REST "\n", i, i, i);
	n += (size_t)sprintf(text + n, "UNIT=c5 path=other/<abcd" REST "\n");
	declare(text);
	cr_expect_eq(part(&u, "/dir5/abcd5"), PART_NONE);
	cr_assert_eq(part(&u, "/other/abcd"), PART_UNIT);
	cr_expect_str_eq(declared_name(&u), "c5");
	cr_assert_eq(part(&u, "/dir62/abcd62"), PART_UNIT);
	cr_expect_str_eq(declared_name(&u), "c62");
	/* The administrator's. */
	static const char etc[] = "!UNIT=own path=kept/<abcd" REST "\n";
	static const char mine[] = "UNIT=own path=mine/<abcd" REST "\n";

	settings_defaults(&set);
	settings_merge_file(&set, "/etc", etc, sizeof etc - 1, ORIGIN_ETC, none, &arena);
	settings_merge_file(&set, "/user", mine, sizeof mine - 1, ORIGIN_USER, none, &arena);
	cr_expect_eq(set.bad_count, 0);
	declared_expect();
	declared_load(&set);
	cr_expect_eq(part(&u, "/kept/abcd"), PART_UNIT);
	cr_expect_eq(part(&u, "/mine/abcd"), PART_NONE);
	n += (size_t)sprintf(text + n, "UNIT=more path=more/<abcd" REST "\n");
	settings_defaults(&set);
	settings_merge_file(&set, "/conf", text, n, ORIGIN_USER, none, &arena);
	cr_expect_eq(set.units, 64);
	cr_assert_eq(set.bad_count, 1);
	cr_expect_str_eq(set.bad[0], "/conf:65: more than 64 UNIT lines; this one is ignored");
}

static const char *scope(const char *path, char *const envp[], int64_t began, const char **why)
{
	struct unit_path u;

	cr_assert_neq(part(&u, path), PART_NONE);
	return declared_scope(&u, envp, began, &arena, why);
}

Test(declared, scopes)
{
	char line[1024], home[600];
	char *env[] = {"A=one", "C=with blank", home, NULL}, *other[] = {"A=two", home, NULL};
	const char *why, *first, *second;
	struct unit_path u;

	snprintf(home, sizeof home, "HOME=%s", scratch_dir);
	scratch_write("src.py", "x = 1\n");
	snprintf(line, sizeof line, "UNIT=plain path=p/<abcd" REST "\nUNIT=all path=q/<abcd "
	         "complete=rename kind=dir scope=env:A,env:B,env:C,file:~/src.py\n"
	         "UNIT=gone path=r/<abcd scope=file:%s/none" REST "\n", scratch_dir);
	declare(line);
	cr_expect_str_eq(scope("/p/abcd", env, 0, &why), "unit=plain kind=file path=p/<abcd");
	int64_t later = time(NULL) + 10;
	first = scope("/q/abcd", env, later, &why);
	cr_assert_not_null(first);
	cr_expect(strncmp(first, "unit=all kind=dir A=", 20) == 0 && strstr(first, " B C=") &&
	          strstr(first, " ~/src.py=") && path_ends(first, " path=q/<abcd"), "%s", first);
	cr_expect(!strstr(first, "one") && !strstr(first, "blank"), "a value may be a secret");
	cr_assert_eq(part(&u, "/q/abcd"), PART_UNIT);
	cr_expect(declared_owns(&u, first));
	cr_expect_not(declared_owns(&u, "unit=all kind=file"));
	cr_expect_not(declared_owns(&u, "unit=plain kind=dir"));
	cr_expect_not(declared_owns(&u, "unit=all kind=dirs"));
	cr_expect_not(declared_owns(&u, ""));
	second = scope("/q/abcd", other, later, &why);
	cr_expect(second && strcmp(first, second) != 0);
	scratch_write("src.py", "x = 2\n");
	second = scope("/q/abcd", env, later, &why);
	cr_expect(second && strcmp(first, second) != 0);
	cr_expect_null(scope("/q/abcd", env, time(NULL), &why));
	cr_expect_str_eq(why, "~/src.py, a file of its scope, may have changed since this process "
	                 "began");
	cr_expect_null(scope("/q/abcd", env, 0, &why));
	cr_expect_null(scope("/r/abcd", env, later, &why));
	cr_expect(strstr(why, "/none, a file of its scope, is not here"), "%s", why);
}
