/* tests/unit/test_script_words.c - what the texts of scripts ask for, and their comments. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/script_words.h"

struct row {
	const char *text, *word; /* NULL: nothing */
};

Test(script_words, asks)
{
	static const struct row rows[] = {
		{"exec gcc -g -O -u x -t \"$@\"", NULL},
		{"x=$$", "$$"},
		{"x=${$}", "${$}"},
		{"eval \"x=\\$$y \\$${y}\"", NULL},
		{"eval \"x=\\$\\$\"", "$$"},
		{"eval \"x=\\$$\"", "$$"},
		{"x$", NULL},
		{"gcc -I/x/sys/inc ${A}/proc/x", NULL},
		{"x=/sys/class", "/sys/"},
		{"cat </proc/1/x", "/proc/"},
		{"cd ~bob", "~"},
		{"cd ~/x y~z", NULL},
		{"time gcc \"$@\"", "time"},
		{"$time --time", NULL},
		{"$RANDOM", "RANDOM"},
		{"x=$((RANDOM))", "RANDOM"},
		{"$MY_RANDOM $RANDOMLY", NULL},
		{"if [ -t 1 ]; then", "-t"},
		{"test -t 2 && x", "-t"},
		{"[[ -n $a && -t 2 ]]", "-t"},
		{"[ -n \"$a\" ] && gcc -t", NULL},
		{"test -n x && gcc -g", NULL},
		{"[ a -nt b ]", "-nt"},
		{"[ -w a ]", NULL},
		{"[ -x a -a -r b ]", NULL},
		{"umask 077", "umask"},
		{"for d in $dirs; do --enable-x $times; done", NULL},
		{"x=$_", "$_"},
		{"x=$_x", NULL},
		{"read x", "read"},
		{"while read x; do y; done <f", NULL},
		{"a | while read x; do y; done", NULL},
		{"grep x /proc/cpuinfo", "/proc/"},
		{"printf '%(%s)T'", "%("},
		{"mapfile x", "mapfile"},
		{"eval \"x=$y\"", NULL},
		{"\"ti\"me x", "time"},
		{"\\read x", "read"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char clean[128];
		const char *word;

		script_clean(rows[i].text, strlen(rows[i].text), clean);
		word = script_asks(clean);
		if (rows[i].word)
			cr_expect(word && strcmp(word, rows[i].word) == 0,
			          "%s: %s", rows[i].text, word ? word : "nothing");
		else
			cr_expect_null(word, "%s: %s", rows[i].text, word);
	}
}

Test(script_words, races)
{
	static const struct { const char *text, *word; int is_bash; } rows[] = {
		{"a && b || c\nexec d \"$@\" 2>&1 >&2 <&3 3<&-", NULL, 0},
		{"case x in a) b ;& c) d ;;& esac", NULL, 1},
		{"a |& b &>f", NULL, 1},
		{"sed 's/x/&y/' \"a & b\" c\\&d", NULL, 0},
		{"a &", "&", 0}, {"a & b", "&", 0}, {"a&b\nwait", "&", 0}, {"(a &)", "&", 0},
		{"a &>f", "&", 0}, {"a 2>&1 &", "&", 0}, {"a 2>&1&", "&", 0},
		{"x=\"$(a & b)\"", "&", 0}, {"x=\"`a & b`\"", "&", 0}, {"a \\;& b", "&", 0},
		{"a \\>& b", "&", 0}, {"a \">\"& b", "&", 0}, {"eval \"a & b\"", "&", 0},
		{"trap 'a &' EXIT", "&", 0}, {"cat <<E\n\"\nE\na & b", "&", 0},
		{"tee >(a)", ">(", 1}, {"echo '\\' & a", "&", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *word = script_races(rows[i].text, rows[i].is_bash);

		cr_expect_str_eq(word ? word : "", rows[i].word ? rows[i].word : "", "%s",
		                 rows[i].text);
	}
}

Test(script_words, comments)
{
	static const struct { const char *text, *clean; } rows[] = {
		{"#!/bin/sh\n# it's $A\nx # y\"\n", "\n\nx \n"},
		{"a'#b'\"#c\"#d", "a'#b'\"#c\"#d"},
		{"x=\"$(a '\"' # c\n)\"", "x=\"$(a '\"' \n)\""},
		/* Texts that are not understood: they stay complete. */
		{"cat <<E\n# $A it's\nE\n", "cat <<E\n# $A it's\nE\n"},
		{"# a\n'", "# a\n'"},
		{"${x#a} $#", "${x#a} $#"},
		{"\\\n# $A", "\\\n# $A"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char clean[128];

		script_clean(rows[i].text, strlen(rows[i].text), clean);
		cr_expect_str_eq(clean, rows[i].clean, "%s: %s", rows[i].text, clean);
	}
}

Test(script_words, all_variables)
{
	static const char *const yes[] = {
		"echo ${!SLURM*}", "set", "set | grep x", "x=`set`", "\\set >f", "(export)",
		"export -p", "declare -x", "typeset", "compgen -v", "\"se\"t;", "readonly &",
	};
	static const char *const no[] = {"export A", "set -- x", "set -e", "reset", "local x=1"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(script_lists_variables(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(script_lists_variables(no[i]), "%s", no[i]);
}

Test(script_words, composes)
{
	static const char *const yes[] = {
		"eval \"x=\\$$a$b\"", "eval x='$'$a$b", "eval \\${${a}NK}", "eval \"x=\\$RA$b\"",
		"eval \\$\"$a\"\"$b\"", "eval \"x=\\$LOCAL_$a\"", "eval \"x=\\$SLURM_X_$a\"",
	};
	static const char *const no[] = {
		"x=\\$$a$b", "eval \"x=\\$$1\"", "eval \"x=\\${$1:-y}\"", "eval \"\\$RANK\"",
		"eval \"x=$a$b\"", "eval \"x=\\${SPACK_${a}_ARG:?y}\"",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(script_composes(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(script_composes(no[i]), "%s", no[i]);
}

Test(script_words, evaluates)
{
	cr_expect(script_evaluates("if x; then eval y; fi"));
	cr_expect(script_evaluates("\\eval x"));
	cr_expect_not(script_evaluates("evaluate x; ./eval.sh; x=$eval"));
}
