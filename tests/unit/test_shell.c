/* The grammar of shell scripts: what is read, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/script/script.h"

static char used[512];

static void variable(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	strncat(used, name, n);
	strcat(used, " ");
}

static struct shell_found found = {variable, NULL, 0, 0};

static const char *reads(const char *text)
{
	*used = '\0';
	return shell_read(text, strlen(text), &found);
}

static void expect(const char *text, int passes)
{
	const char *why = reads(text);

	cr_expect(!why, "line %d: %s:\n%s", found.line, why, text);
	cr_expect_eq(found.passes, passes, "passes %d:\n%s", found.passes, text);
}

static void refuse(const char *text)
{
	cr_expect(reads(text), "is read:\n%s", text);
}

Test(shell, a_script_that_passes_its_arguments_on)
{
	expect("#!/bin/sh\nexec gcc \"$@\"\n", 1);
	expect("# a\n\n  exec /opt/x/gcc-real \"$@\" # b", 1);
	expect("gcc \"$@\"", 1);
	expect("exec gcc -g \"$@\"", 0);
	expect("exec gcc \"$@\" a.c", 0);
	expect("set -e\nexec gcc \"$@\"", 0);
	expect("exec gcc \\\n\t\"$@\"\n", 1);
	expect("exec '/opt/a b/gcc' \"$@\"", 0);
}

Test(shell, words)
{
	expect("exec gcc '$y' \"-D$1=a b\" -I\"$2\"/x \"\" '' \"\\\"\\$A\\\\\"", 0);
}

Test(shell, commands)
{
	expect("set -eu\nif [ \"$1\" = -c ]; then\n/bin/x\nelif [ x = x ]\nthen /bin/y; else"
	       " gcc -v\nfi\nexec gcc \"$@\"", 0);
	expect("case \"$1\" in -c | -S) ;; *) /bin/x ;; 'a b'|\"-x\") ;; *) gcc\nesac", 0);
	expect("case \"$1\" in\n(a) ;;\nb) exec as -x \"$@\" ;;\nesac", 0);
	expect("LLD_VERSION=IREE /opt/x/lld -o /tmp/a.so --", 0);
	expect("A_B=1 /opt/x \"$@\"", 0);
	expect("A_B=1\nB_C=a/b\nexec gcc \"$@\"", 0);
	cr_expect_str_eq(used, "A_B B_C ");
	expect("A_B=1 B_C=2 /opt/x \"$@\"", 0);
	expect("gcc -c \"a.c\"  > /tmp/x_stdout 2>/tmp/x_stderr", 0);
	expect("exec gcc \"$@\" >x", 0);
	expect("exec gcc a>x", 0);
	expect("\"`gcc -print-prog-name=ar`\" cr \"l.a\" \"a.o\" ", 0);
	expect("\"`/opt/x/gcc -print-prog-name=ar`\" cr l.a", 0);
	expect("\"$CICC_PATH/cicc\" \"-D$A_B\" ", 0);
	cr_expect_str_eq(used, "CICC_PATH A_B ");
}

/* Each of these asks for something that is neither in the text, the arguments nor the environment,
 * or could. */
Test(shell, what_is_not_of_the_grammar)
{
	static const char *const texts[] = {
		"exec gcc $A", "exec gcc \"$A\"", "exec gcc ${A}", "exec gcc \"${A:-b}\"",
		"exec gcc \"${1}\"", "exec gcc \"$0\"", "exec \"${0%/*}/x\" \"$@\"",
		"exec \"$1\"", "exec '-a' x gcc", "\"$1\"/as", "\"$A_B\" x", "exec gcc $A_B",
		"exec gcc \"$A_b\"", "exec gcc \"$A_1\"", "exec gcc \"${A_B}\"", "exec gcc \"$_A\"",
		"exec gcc \"$_\"", "exec gcc \"$BASH_X\"",
		"exec gcc \"$PROMPT_COMMAND\"", "x=1", "a=1 /x",
		"for a in \"$@\"; do :; done", "set -- \"$@\" x", "[ $# -gt 2 ]", "[ -n \"$1\" ]",
		"[ -z \"$1\" ]", "test \"$1\" = x", "! true", "[ a == b ]", "[ a = b]",
		"[ a ! = b ]",
		"[ ! = b ]", "exec gcc \"\\a\"", "exec gcc \"\\\n\"",
		"exec gcc \"\\`x\\`\"", "exec gcc '\303\251'",
		"exec gcc\\\n x", "_=1 /x",
		"case x$1 in a) ;; esac", "case $1x in a) ;; esac", "case $X in a) ;; esac",
		"x=$(date)", "x=`date`", "exec gcc -D\"$(date)\"", "eval x", "exec eval\\\n x",
		"x=$$", "echo $RANDOM", "exec gcc $$", "exec gcc \"$$\"", "exec gcc $!",
		"exec gcc $?", "exec gcc $-", "exec gcc $_", "exec gcc \"$_\"", "exec gcc $*",
		"exec gcc $@", "exec gcc $1", "exec gcc \"$*\"", "exec gcc \"a$@\"",
		"exec gcc \"$@\"b", "exec gcc ${!b}", "exec gcc \"${!B}\"", "exec gcc \"${B@P}\"",
		"exec gcc \"${B[1]}\"", "exec gcc \"${#B}\"", "exec gcc \"${B%x}\"",
		"exec gcc \"${1%x}\"", "exec gcc \"${B:1:2}\"", "exec gcc \"${B/x/y}\"",
		"exec gcc \"${B:=x}\"", "exec gcc \"${B:?x}\"", "exec gcc $((A))",
		"exec gcc $[A]", "exec gcc \"$((A))\"", "exec gcc $'x'", "exec gcc $\"x\"",
		"exec gcc \"${B:-$$}\"", "exec gcc \"${B:-`x`}\"", "exec gcc \"$RANDOM\"",
		"exec gcc \"$SECONDS\"", "exec gcc \"$EPOCHREALTIME\"", "exec gcc \"$PPID\"",
		"exec gcc \"$BASHPID\"", "exec gcc \"$LINENO\"", "exec gcc \"$OLDPWD\"",
		"exec gcc \"$PWD\"", "exec gcc \"$HOME\"", "exec gcc \"$UID\"",
		"exec gcc \"$HOSTNAME\"", "exec gcc \"$PATH\"", "exec gcc \"$SHLVL\"",
		"exec gcc \"$LD_PRELOAD\"", "exec gcc \"$REPRISE_X\"",
		"exec gcc \"$BASH_LINENO\"", "exec gcc \"$COMP_LINE\"", "exec gcc \"$LC_ALL\"",
		"exec gcc ~", "exec gcc ~x/y", "exec gcc *.c", "exec gcc a?", "exec gcc [ab]",
		"exec gcc {a,b}", "exec gcc a\\b", "exec gcc a#b", "exec gcc \"\n\"",
		"exec gcc '\n'", "exec gcc <x", "exec gcc 2>&1", "exec gcc >&5",
		"exec 3>x", "exec <&3", "exec gcc <<E\nE\n", "exec gcc <<<x", "exec gcc <(x)",
		"exec gcc &", "as x & wait", "as x | as y", "(exec gcc)", "{ exec gcc; }",
		"f() { :; }", "function f { :; }", "trap x EXIT", "trap '' INT", ". x",
		"source x", "cd /x", "cd -", "command gcc", "builtin :", "printf -v x y",
		"declare -n x=y", "typeset x", "local x", "export X=1", "readonly x", "unset x",
		"read x", "getopts a x", "let x=1", "wait", "jobs", "kill 1", "kill -l",
		"ulimit -n", "umask", "times", "time as x", "shopt -s x", "alias a=b",
		"unalias a", "hash", "type x", "coproc x", "select x in a; do :; done", "echo x",
		"while :; do :; done", "until :; do :; done", "set", "set -x", "set -a", "set -o",
		"set -o posix", "set +e", "set x", "X=1", "PATH=/x", "IFS=:", "X=1 as x",
		"X=1 ./x | as", "X=$(y) /x",
		"X= /x", "X=$A /x", "X=\"1\" /x", "X=~ /x", "X=1 Y=2 /x", "X=1 [ a = b ]",
		"X=1 exec /x", "X=1 set -e", "A_B=1 as x", "A_B=1 B_C=2", "A_B=1 exec /x",
		"A_B=1 B_C=2 as x", "A_B=", "A_B=$X", "A_B=\"1\"",
		"A_B=1 set -e", "A_B+=1", "A_B=1 eval x", "gcc >>x",
		"\"`x -print-prog-name=ar`\" a",
		"\"`gcc -print-prog-name=ld`\"", "\"`gcc -print-prog-name=ar`x\"",
		"\"`gcc -print-prog-name=ar`\"x", "exec \"`gcc -print-prog-name=ar`\"",
		"A_B=1 \"`gcc -print-prog-name=ar`\"", "\"`gcc x -print-prog-name=ar`\"",
		"gcc >&2", "gcc 2>&1",
		"gcc >|x", "gcc 3>x", "gcc >\"$A_B\"", "gcc > ", "gcc >",
		"gcc >'x'", "gcc 2>$1", "exec >x", "gcc a1>x", "exec gcc 12>x", "gcc <>x",
		"X=1 : /x", "PATH=/x /x", "LD_AUDIT=/x /x",
		"LD_PRELOAD=/x /x", "BASH_ENV=/x /x", "ENV=/x /x", "TMPDIR=/x /x", "IFS=: /x",
		"REPRISE_X=1 /x", "X+=1 /x", "X=1 \"$X\" /x",
		"x=1 as x", "x+=1", "x[1]=2", "x=(a b)", "x=~", "x=$y", "x=$1", "x=\"$@\"",
		"A=$(x)", "-x", "\\exec gcc", "\"exec\" gcc", "$X gcc", "\"$X\" \"$@\"", "exec",
		"exec -a x gcc", "exec -c gcc", "exec \"$@\"", "gcc-unknown-x \"$@\"",
		"dirname x", "env gcc \"$@\"", "[ $1 = x ]", "[ $X = x ]",
		"[ \"$a\" $op \"$b\" ]", "[ a \"$op\" b ]", "[ -f x ]", "[ -L x ]", "[ -h x ]",
		"[ -p /dev/stderr ]", "[ -t 1 ]", "[ -e \"$1\" ]", "[ \"-f\" x ]", "[ a -nt b ]",
		"[ a -ef b ]", "[ x ]", "[ \"$1\" ]", "[ -v X ]", "[ a = b -o -t 1 ]",
		"[ a = b -a c = d ]", "[ a = b", "[[ a = b ]]", "[ a -eq b ]", "[ \"$1\" -eq 1 ]",
		"[ $# -eq X ]", "[ $# -eq \"$1\" ]", "test $X", "test -t 1", "test $op a",
		"((x))", "if :; then :", "if :; fi", "case x in a) ;; ",
		"case x in a) : ;& b) ;; esac", "case $1 in *a*) ;; esac",
		"case $1 in /tmp/cc*) ;; esac", "case $1 in [a-m]*) ;; esac",
		"case $1 in ?) ;; esac", "case $1 in *b) ;; esac", "case $1 in a*) ;; esac",
		"case $1 in -o/tmp/c*) ;; esac", "case $1 in \"$2\") ;; esac",
		"case $1 in $X) ;; esac", "case $1 in @(a|b)) ;; esac", "case $@ in a) ;; esac",
		"case $* in a) ;; esac", "for X in a; do :; done", "for a in $1; do :; done",
		"for a in *; do :; done", "for ((;;)); do :; done", "for a in x; do :", "done",
		"fi", "then", "a\rb", "exec gcc \r", "\357\273\277exec gcc", "exec gcc \303\244",
		"exec g\tcc |", "exit $?", "exit $X", "shift $X", ": $((x))", "true \"$(x)\"",
		": \"${x:=y}\"", "!exec gcc", "exec gcc && && x", "exec gcc;;", "exec gcc )",
		"~/x", "*/as x", "X+=/x", "FLAGS+=:/x", "x+=/x as", "\"${CC:-/x/as}\" \"$@\"",
		"\"${0%/*}\" \"$@\"", "\"}${X:-/}\"", "exec gcc ${1+\"$@\"}", "shift", "exit 3",
		":", "true", "false", "/bin/x && gcc", "/bin/x || gcc", "[ \"$1\" = x ]",
		"if [ a != b ]; then gcc; fi", "if [ a = b ] then gcc; fi", "if gcc; then gcc; fi",
		"if [ a = b ] && [ c = d ]; then gcc; fi", "if [ -n \"$1\" ]; then gcc; fi",
		"if [ -f x ]; then gcc; fi", "if [ \"$@\" = x ]; then gcc; fi",
		"case $1 in a) ;; esac", "case \"$1\" in *.c) ;; esac",
		"case \"$1\" in -O*) ;; esac", "case \"$1\" in \"$2\") ;; esac",
		"case \"$@\" in a) ;; esac", "case \"$1\" in **) ;; esac",
		"set -euo pipefail", "set -e x"
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		refuse(texts[i]);
	cr_expect(shell_read("exec gcc\0x", 10, &found));
	reads("gcc\n\nexec gcc $$\n");
	cr_expect_eq(found.line, 3);
}

Test(shell, depth)
{
	char text[4096] = "";

	for (int i = 0; i < 100; i++)
		strcat(text, "if [ a = b ]; then ");
	refuse(text);
}
