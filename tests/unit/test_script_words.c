/* tests/unit/test_script_words.c - what the texts of scripts ask for, and their comments. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/script.h"
#include "tools/script_words.h"

struct row {
	enum script_language l;
	const char *text, *word; /* NULL: nothing */
};

Test(script_words, asks)
{
	static const struct row rows[] = {
		{SCRIPT_SH, "exec gcc -g -O -u x -t \"$@\"", NULL}, {SCRIPT_SH, "x=$$", "$$"},
		{SCRIPT_SH, "x=${$}", "${$}"}, {SCRIPT_SH, "eval \"x=\\$$y \\$${y}\"", NULL},
		{SCRIPT_SH, "eval \"x=\\$\\$\"", "$$"}, {SCRIPT_SH, "eval \"x=\\$$\"", "$$"},
		{SCRIPT_SH, "x$", NULL},
		{SCRIPT_SH, "gcc -I/x/sys/inc ${A}/proc/x", NULL}, {SCRIPT_SH, "x=/sys/class",
		"/sys/"}, {SCRIPT_SH, "cat </proc/1/x", "/proc/"},
		{SCRIPT_SH, "cd ~bob", "~"}, {SCRIPT_SH, "cd ~/x y~z", NULL}, {SCRIPT_BASH,
		"time gcc \"$@\"", "time"}, {SCRIPT_SH, "$time --time", NULL}, {SCRIPT_SH,
		"$RANDOM", "RANDOM"},
		{SCRIPT_BASH, "x=$((RANDOM))", "RANDOM"}, {SCRIPT_SH,
		"$MY_RANDOM $RANDOMLY", NULL}, {SCRIPT_SH, "if [ -t 1 ]; then", "-t"},
		{SCRIPT_SH, "test -t 2 && x", "-t"}, {SCRIPT_BASH, "[[ -n $a && -t 2 ]]", "-t"},
		{SCRIPT_SH, "[ -n \"$a\" ] && gcc -t", NULL},
		{SCRIPT_SH, "test -n x && gcc -g", NULL}, {SCRIPT_SH, "[ a -nt b ]", "-nt"},
		{SCRIPT_SH, "[ -w a ]", "-w"}, {SCRIPT_SH, "[ -x a -a -r b ]", NULL},
		{SCRIPT_SH, "umask 077", "umask"}, {SCRIPT_SH,
		"for d in $dirs; do --enable-x $times; done", NULL}, {SCRIPT_SH, "x=$_", "$_"},
		{SCRIPT_SH, "x=$_x", NULL},
		{SCRIPT_SH, "read x", "read"}, {SCRIPT_SH, "while read x; do y; done <f", NULL},
		{SCRIPT_SH, "a | while read x; do y; done", NULL},
		{SCRIPT_SH, "grep x /proc/cpuinfo", "/proc/"}, {SCRIPT_BASH, "printf '%(%s)T'",
		"%("}, {SCRIPT_BASH, "mapfile x", "mapfile"},
		{SCRIPT_PYTHON, "import os, sys\nos.execvp('gcc', sys.argv)", NULL},
		{SCRIPT_PYTHON, "import os, time", "time"}, {SCRIPT_PYTHON,
		"if x:\n\tfrom datetime import x", "datetime"},
		{SCRIPT_PYTHON, "# import time\ntime = 1", NULL}, {SCRIPT_PYTHON, "os.getpid()",
		"getpid"}, {SCRIPT_PYTHON, "x = valid(y)", NULL}, {SCRIPT_PYTHON, "id(y)", "id("},
		{SCRIPT_PYTHON, "sys.stderr.isatty()", "isatty"}, {SCRIPT_PYTHON, "eval(x)",
		"eval("}, {SCRIPT_PYTHON, "call(x, stdin=None)", NULL},
		{SCRIPT_PERL, "exec('gcc', @ARGV);", NULL}, {SCRIPT_PERL, "$x = $$;", "$$"},
		{SCRIPT_PERL, "localtime", "localtime"}, {SCRIPT_PERL, "if (-t STDERR)",
		"-t STDERR"},
		{SCRIPT_PERL, "use POSIX;", "POSIX"}, {SCRIPT_AWK, "{ print $1 }", NULL},
		{SCRIPT_AWK, "BEGIN { srand() }", "srand"}, {SCRIPT_OTHER, "x", ""},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char clean[128];
		const char *word;

		script_clean(rows[i].l, rows[i].text, strlen(rows[i].text), clean);
		word = script_asks(rows[i].l, clean);
		if (rows[i].word)
			cr_expect(word && strcmp(word, rows[i].word) == 0,
			"%s: %s", rows[i].text, word ? word : "nothing");
		else
			cr_expect_null(word, "%s: %s", rows[i].text, word);
	}
}

Test(script_words, comments)
{
	static const struct { enum script_language l; const char *text, *clean; } rows[] = {
		{SCRIPT_SH, "#!/bin/sh\n# it's $A\nx # y\"\n", "\n\nx \n"}, {SCRIPT_SH,
		"a'#b'\"#c\"#d", "a'#b'\"#c\"#d"}, {SCRIPT_SH, "x=\"$(a '\"' # c\n)\"",
		"x=\"$(a '\"' \n)\""},
		/* Not understood: all of it stays. */
		{SCRIPT_SH, "cat <<E\n# $A it's\nE\n", "cat <<E\n# $A it's\nE\n"}, {SCRIPT_SH,
		"# a\n'", "# a\n'"}, {SCRIPT_SH, "${x#a} $#", "${x#a} $#"},
		{SCRIPT_SH, "\\\n# $A", "\\\n# $A"},
		{SCRIPT_PYTHON, "#!/x\n  # time\nx = '#y'\n", "x = '#y'\n"}, {SCRIPT_PERL,
		"a;\n=head1\ntime\n=cut\nb;\n__END__\nrand", "a;\nb;\n"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char clean[128];

		script_clean(rows[i].l, rows[i].text, strlen(rows[i].text), clean);
		cr_expect_str_eq(clean, rows[i].clean, "%s: %s", rows[i].text, clean);
	}
}

Test(script_words, all_variables)
{
	cr_expect(script_lists_variables(SCRIPT_PYTHON, "for k in os.environ:"));
	cr_expect(script_lists_variables(SCRIPT_BASH, "echo ${!SLURM*}"));
	cr_expect(script_lists_variables(SCRIPT_PERL, "for (keys %ENV)"));
	cr_expect_not(script_lists_variables(SCRIPT_PYTHON, "env = dict(os.environ, A='1')"));
	cr_expect_not(script_lists_variables(SCRIPT_SH, "export A"));
}
