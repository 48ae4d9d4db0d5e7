#!/usr/bin/env bats
# Every row of the table of wrong-hit triggers, "Arguments and environment"; and odd argument lists.

setup() {
	load lib
	case_setup
	put a.c '#ifndef X' '#define X 1' '#endif' 'int a = X;' \
		'int f(int x) { int unused; return x / 3; }'
}
teardown() { case_teardown; }

# The tool under exactly these argument bytes: argv.py PROGRAM ARGV0 ARG...; ARGV0 "-" is argc 0.
argv_py() {
	cat >argv.py <<-'EOP'
	import os, sys
	prog, argv = sys.argv[1], sys.argv[2:]
	os.execv(prog, [os.fsencode(a) for a in argv])
	EOP
}

# bats test_tags=check
@test "arguments: -D, -U, an ignored argument" {
	differential -- gcc -c a.c
	again miss -- gcc -DX=2 -c a.c
	again miss -- gcc -DX=3 -c a.c
	again miss -- gcc -DX=3 -UX -c a.c
	again miss -- gcc -UX -DX=3 -c a.c
	again any --warm hit -- gcc -DUNUSED=1 -c a.c
	again any --warm hit -- gcc -DUNUSED=2 -c a.c
}

# bats test_tags=check
@test "arguments: where one argument ends and the next begins" {
	mkdir -p -- '-O2' inc
	put inc/h.h 'int v;'
	put b.c 'int b = sizeof(int);'
	differential --cold any --status any -- gcc -I -O2 -c b.c
	again any --status any -- gcc -I-O2 -c b.c
	again any --status any -- gcc -O2 -I. -c b.c
	differential --cold any -- gcc -DA -DB -c b.c
	again miss -- gcc -DA-DB -c b.c
	again hit -- gcc -D A -DB -c b.c
	again miss -- gcc '-DA -DB' -c b.c
}

# bats test_tags=check
@test "arguments: empty arguments" {
	differential --cold any --status any -- gcc '' -c a.c
	differential --cold any --status any -- gcc -c a.c ''
	differential --cold any --status any -- gcc -D '' -c a.c
	differential --cold any --status any -- gcc -o '' -c a.c
	differential --cold any --status any -- gcc -I '' -c a.c
	differential --cold any --status any -- gcc -include '' -c a.c
}

@test "arguments: --" {
	differential --cold any --status any -- gcc -c -- a.c
	need clang
	put -- -b.c 'int b;'
	differential --cold any --status any -- clang -c -- -b.c
}

@test "arguments: order counts" {
	put one.h '#define Y 1'
	put two.h '#undef Y' '#define Y 2'
	put b.c 'int b = Y;'
	differential -- gcc -include one.h -include two.h -c b.c
	again any --status any -- gcc -include two.h -include one.h -c b.c
}

# bats test_tags=check
@test "arguments: optimisation, standards, targets" {
	local o
	for o in -O0 -O1 -O2 -O3 -Os -Og -Ofast -std=c99 -std=gnu17 -m32 -march=x86-64-v2 -fPIC \
		-fno-inline -funroll-loops; do
		differential --cold miss --warm hit -- gcc $o -c a.c
	done
}

@test "arguments: -march=native row" {
	differential -- gcc -march=native -c a.c
	again miss -- gcc -mtune=native -c a.c
}

@test "arguments: -frecord-gcc-switches" {
	differential -- gcc -frecord-gcc-switches -c a.c
	again miss -- gcc -frecord-gcc-switches -DUNUSED -c a.c
}

# bats test_tags=check
@test "arguments: CPATH, C_INCLUDE_PATH, CPLUS_INCLUDE_PATH" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put b.c '#include <h.h>'
	put b.cc '#include <h.h>'
	local v
	for v in CPATH C_INCLUDE_PATH; do
		differential --cold any --warm hit --env "$v=$W/one" -- gcc -c b.c
		again any --warm hit --env "$v=$W/two"
		again any --warm hit --env "$v=one:two"
		again any --warm hit --env "$v=two:one"
	done
	differential --cold any --warm hit --env "CPLUS_INCLUDE_PATH=$W/one" -- g++ -c b.cc
	again any --warm hit --env "CPLUS_INCLUDE_PATH=$W/two"
	differential --cold any --status 1 --env "CPLUS_INCLUDE_PATH=$W/one" -- gcc -c b.c
}

@test "arguments: an empty element of CPATH is the current directory" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	cp a.c one
	put one/b.c '#include <h.h>'
	put two/b.c '#include <h.h>'
	put s/b.c '#include <h.h>'
	differential --cd one --env "CPATH=:/nowhere" -- gcc -c ../s/b.c
	again miss --cd two
}

# bats test_tags=check
@test "arguments: COMPILER_PATH, GCC_EXEC_PREFIX, LIBRARY_PATH" {
	mkdir tools
	printf '#!/bin/sh\necho mine >&2\nexec %s "$@"\n' "$(command -v as)" >tools/as
	chmod +x tools/as
	differential -- gcc -c a.c
	again any --env "COMPILER_PATH=$W/tools"
	grep -q mine "$ROOT/r/warm.err"
	again hit --env ""
	again any --status any --env "GCC_EXEC_PREFIX=$W/tools/"
	again any --env "LIBRARY_PATH=$W/tools"
}

@test "arguments: another PATH finds another as" {
	mkdir early
	put as.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5);' \
		'execv("'"$(command -v as)"'", v); return 9; }'
	gcc -w as.c -o early/as
	differential -- gcc -c a.c
	again any --env "PATH=$W/early:$PATH"
	grep -q mine "$ROOT/r/warm.err"
	again any --warm hit --env "PATH=$PATH:$W/early"
	[ ! -s "$ROOT/r/warm.err" ]
}

@test "arguments: DEPENDENCIES_OUTPUT set, then another, then none" {
	differential -- gcc -c a.c
	again any --makes d1 --env DEPENDENCIES_OUTPUT=d1
	again any --makes d2 --env DEPENDENCIES_OUTPUT=d2
	again hit --env ""
}

# bats test_tags=check
@test "arguments: LANG, LC_ALL, LC_MESSAGES, LANGUAGE" {
	local l=C.UTF-8
	LC_ALL=$l locale charmap | grep -qx UTF-8
	put b.c 'int b(void) { int unused; return missing_; }'
	differential --cold any --status 1 --env LC_ALL=C -- gcc -Wall -c b.c
	again any --env "LC_ALL=$l"
	put b.c 'int b(void) { int unused; return 0; }'
	differential --cold any --warm hit --env LC_ALL=C -- gcc -Wall -c b.c
	again any --warm hit --env "LC_ALL=$l"
	again any --warm hit --env $'LC_ALL=\nLANG='"$l"
	again any --warm hit --env $'LC_ALL=\nLC_MESSAGES='"$l"
	again any --warm hit --env $'LC_ALL=\nLC_CTYPE='"$l"
	again any --warm hit --env "LANGUAGE=de:fr"
}

# Variables under which gcc speaks German and French. The locale is C's under another name: glibc
# since 2.39 does not translate under C's own name.
languages() {
	! grep -qs '^path-exclude.*/locale' /etc/dpkg/dpkg.cfg.d/* ||
		skip "dpkg leaves catalogues out here"
	mkdir "$ROOT/locales"
	cp -r /usr/lib/locale/C.utf8 "$ROOT/locales/de_DE.utf8"
	cp -r /usr/lib/locale/C.utf8 "$ROOT/locales/fr_FR.utf8"
	GERMAN="LOCPATH=$ROOT/locales"$'\nLC_ALL=de_DE.UTF-8'
	FRENCH="LOCPATH=$ROOT/locales"$'\nLC_ALL=fr_FR.UTF-8'
	put b.c 'int b(void) { int unused; return 0; }'
	local said
	said=$(env LOCPATH="$ROOT/locales" LC_ALL=de_DE.UTF-8 gcc -Wall -c b.c -o /dev/null 2>&1)
	[[ $said == *Warnung* ]] ||
		fail "gcc speaks no German: scripts/setup installs its catalogues: $said"
}

# says WORD: the last run, which equals the plain one, printed the word on stderr.
says() { grep -q "$1" "$ROOT/r/warm.err" || fail "no '$1' on stderr: $(cat "$ROOT/r/warm.err")"; }

# bats test_tags=check
@test "arguments: a warning recorded in one language is not replayed in another" {
	languages
	differential --env LC_ALL=C -- gcc -Wall -c b.c
	says 'warning: unused'
	again miss --env "$GERMAN"
	says 'Warnung: Variable'
	again miss --env "$FRENCH"
	says 'attention:'
	# LANGUAGE goes before the locale's own, in the order of its list.
	again miss --env "$GERMAN"$'\nLANGUAGE=fr:de'
	says 'attention:'
	again miss --env "LOCPATH=$ROOT/locales"$'\nLC_ALL=\nLANG=de_DE.UTF-8'
	says 'Warnung: Variable'
	# Both results are still there, one for each language.
	again hit --env LC_ALL=C
	says 'warning: unused'
	again hit --env "$GERMAN"
	says 'Warnung: Variable'
	again hit --env "$FRENCH"
	again hit --env "$GERMAN"$'\nLANGUAGE=fr:de'
	says 'attention:'
}

@test "arguments: recorded in German first, and a failing compile" {
	languages
	differential --env "$GERMAN" -- gcc -Wall -c b.c
	says 'Warnung: Variable'
	again miss --env LC_ALL=C
	says 'warning: unused'
	put b.c 'int b(void) { return missing_; }'
	differential --cold unstored --status 1 --env "$GERMAN" -- gcc -Wall -c b.c
	says 'nicht deklariert'
	again miss --status 1 --env LC_ALL=C
	says 'undeclared'
}

@test "arguments: LOCPATH, OUTPUT_CHARSET" {
	languages
	differential --env "$GERMAN" -- gcc -Wall -c b.c
	says 'Warnung: Variable »unused«'
	# If the locale is missing, messages are untranslated.
	again miss --env LC_ALL=de_DE.UTF-8
	says 'warning: unused'
	again miss --env "$GERMAN"$'\nOUTPUT_CHARSET=ISO-8859-1'
	says $'Warnung: Variable \xbbunused\xab'
	again hit --env "$GERMAN"
	says 'Warnung: Variable »unused«'
}

@test "arguments: GCONV_PATH says what a character set is" {
	put one/gconv-modules 'alias ODD// ISO-8859-15//'
	put two/gconv-modules 'alias ODD// CP1252//'
	put s.c 'const char s[] = "€";'
	differential --env "GCONV_PATH=$W/one" -- gcc -fexec-charset=ODD -c s.c
	again miss --env "GCONV_PATH=$W/two"
	[ "$(objdump -s -j .rodata "$ROOT/r/warm.tree/s.o" | tail -n 1 | cut -c 7-10)" = 8000 ]
	again hit --env "GCONV_PATH=$W/one"
	[ "$(objdump -s -j .rodata "$ROOT/r/warm.tree/s.o" | tail -n 1 | cut -c 7-10)" = a400 ]
}

@test "arguments: POSIXLY_CORRECT makes ar's option a member that is not there" {
	gcc -c a.c
	# ar asks for the time of the member that --record-libdeps adds.
	differential --cold unstored --warm unstored --makes l.a -- ar rc l.a a.o --record-libdeps=x
	again unstored --status 1 --env POSIXLY_CORRECT=1
}

@test "arguments: variables that libc itself asks for in an added tool" {
	local dir=$ROOT/locales
	mkdir "$dir"
	cp -r /usr/lib/locale/C.utf8 "$dir/xx_YY.utf8"
	cat >mytool.c <<-'EOF'
	#include <locale.h>
	#include <stdio.h>
	#include <time.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		FILE *f = fopen("out", "w");

		setlocale(LC_ALL, "");
		fprintf(f, "%s %s %s\n", setlocale(LC_COLLATE, NULL), setlocale(LC_NUMERIC, NULL),
		        setlocale(LC_TIME, NULL));
		while (getopt(argc, argv, "x") != -1)
			fputs("option\n", f);
		tzset();
		return fprintf(f, "%s\n", tzname[0]) < 0;
	}
	EOF
	gcc mytool.c -o mytool
	RPENV+=(REPRISE_TOOLS=+mytool)
	differential --makes out --env $'LC_ALL=\nTZ=UTC' -- ./mytool operand -x
	local v
	for v in LC_COLLATE LC_NUMERIC LC_TIME; do
		again miss --env $'LC_ALL=\nTZ=UTC\nLOCPATH='"$dir"$'\n'"$v=xx_YY.UTF-8"
		grep -q xx_YY "$ROOT/r/warm.tree/out" || fail "$v: $(cat "$ROOT/r/warm.tree/out")"
	done
	again miss --env $'LC_ALL=\nTZ=UTC\nPOSIXLY_CORRECT=1'
	! grep -q option "$ROOT/r/warm.tree/out" || fail "$(cat "$ROOT/r/warm.tree/out")"
	again miss --env $'LC_ALL=\nTZ=XST-3'
	grep -q XST "$ROOT/r/warm.tree/out"
	again hit --env $'LC_ALL=\nTZ=UTC'
}

# bats test_tags=check
@test "arguments: -fdiagnostics-color, GCC_COLORS, -fdiagnostics-format, -fmessage-length" {
	local o
	for o in -fdiagnostics-color=always -fdiagnostics-color=never -fdiagnostics-format=json \
		-fmessage-length=40 \
		-fno-diagnostics-show-caret -fdiagnostics-plain-output -fdiagnostics-urls=always; do
		differential --cold any --warm hit -- gcc $o -Wall -c a.c
	done
	differential --cold any --warm hit --env 'GCC_COLORS=warning=01;36' -- \
		gcc -fdiagnostics-color=always -Wall -c a.c
}

@test "arguments: GCC_EXTRA_DIAGNOSTIC_OUTPUT" {
	differential --cold any --warm hit -- gcc -Wall -c a.c
	again any --warm hit --env GCC_EXTRA_DIAGNOSTIC_OUTPUT=fixits-v1
}

# bats test_tags=check
@test "arguments: one program by two names" {
	need clang clang++
	put u.cc 'int u;'
	differential -- clang -shared -fPIC u.cc -o u.so
	again miss -- clang++ -shared -fPIC u.cc -o u.so
	readelf -d "$ROOT/r/warm.tree/u.so" >d
	differential --cold any --warm hit -- g++ -shared -fPIC u.cc -o u.so
	again any --warm hit -- gcc -shared -fPIC u.cc -o u.so
}

# bats test_tags=check
@test "arguments: -Wp, -Wa, -Wl, -Xlinker, -Xassembler, -Xpreprocessor" {
	differential --makes x.d -- gcc -Wp,-MD,x.d -c a.c
	differential -- gcc -Wp,-DX=5 -c a.c
	again miss -- gcc -Wp,-DX=6 -c a.c
	differential -- gcc -Wp,-P -E a.c
	differential -- gcc -Xpreprocessor -DX=7 -c a.c
	differential -- gcc -Wa,--noexecstack,--defsym,q=3 -c a.c
	again miss -- gcc -Wa,--noexecstack,--defsym,q=4 -c a.c
	differential -- gcc -Xassembler --defsym -Xassembler q=5 -c a.c
	put m.c 'int main(void) { return 0; }'
	differential -- gcc m.c -Wl,-z,now -Xlinker -s -o m
	again miss -- gcc m.c -Wl,-z,lazy -Xlinker -s -o m
}

@test "arguments: a failing compile, an unknown option" {
	differential --cold any --status 1 -- gcc --unknown -c a.c
	put a.c 'int a = ;'
	differential --status 1 -- gcc -c a.c
}

@test "arguments: argv[0] is a lie" {
	argv_py
	local g
	g=$(readlink -f "$(command -v gcc)")
	differential --cold any --warm any --status any -- \
		"$PY" argv.py "$(command -v gcc)" /no/such/cat -c a.c
	differential --cold any --warm any --status any -- \
		"$PY" argv.py "$(command -v gcc)" '' -c a.c
	differential --cold any --warm any --status any -- "$PY" argv.py "$g" gcc -c a.c
	differential --cold any --warm any --status any -- \
		"$PY" argv.py "$(command -v gcc)" as -c a.c
	put w.c 'int f(void) { int unused; return missing; }'
	differential --cold any --warm any --status any -- \
		"$PY" argv.py "$(command -v gcc)" /bin/otherwise -Wall -c w.c
}

@test "arguments: argv[0] NULL" {
	put null.c '#include <unistd.h>' \
		'int main(void) { char *none[] = {0}; char *env[] = {"PATH=/usr/bin", 0};' \
		'extern char **environ; (void)env; execve("'"$(command -v as)"'", none, environ);' \
		'return 9; }'
	gcc -w null.c -o null
	differential --cold any --warm any --status any -- timeout 10 ./null </dev/null
}

@test "arguments: bytes that are no UTF-8" {
	local n=$'caf\xe9'
	put "$n.c" 'int a;'
	differential --makes "$n.o" -- gcc -c "$n.c"
	put b.c 'const char *s = S;'
	differential --makes b.o -- gcc "-DS=\"$n\"" -c b.c
	again miss -- gcc "-DS=\"${n}x\"" -c b.c
}

@test "arguments: many arguments in argv" {
	local many
	mapfile -t many < <(seq -f '-DV%.0f=1' 1 3000)
	differential --makes a.o -- gcc "${many[@]}" -c a.c
	many[2999]=-DX=9
	again miss -- gcc "${many[@]}" -c a.c
}

@test "arguments: an argument of a hundred kilobytes" {
	local long
	long=$(head -c 100000 /dev/zero | tr '\0' x)
	put b.s '.globl b' 'b: ret'
	differential --cold any --warm any --status any -- as --defsym "$long=1" b.s -o b.o
}

@test "arguments: an environment near its limit" {
	local big
	big=$(head -c 120000 /dev/zero | tr '\0' x)
	differential --cold any --warm any --env "BIG1=$big
BIG2=$big" -- gcc -c a.c
	# At the very limit adding a variable of ours may not turn a working start into E2BIG.
	cat >limit.py <<-'EOP'
	import os, subprocess, sys
	env = dict(os.environ)
	for i in range(17): env["FILL%d" % i] = "x" * 120000
	lo, hi = 0, 120000
	r = 0
	for n in (0, 20000, 40000, 45000, 50000, 60000):
	    env["LAST"] = "x" * n
	    try: r = subprocess.run(["/bin/true"], env=env).returncode; print(n, r)
	    except OSError as e: print(n, "E2BIG" if e.errno == 7 else e.errno)
	EOP
	differential --cold any --warm any -- "$PY" limit.py
}

@test "arguments: TMPDIR, PATH, TERM, MAKEFLAGS change nothing" {
	differential -- gcc -c a.c
	mkdir t2 "$ROOT/bin"
	again hit --env "TERM=vt100"
	again hit --env "MAKEFLAGS=-j4"
	again hit --env "PATH=$PATH:$ROOT/bin"
	again hit --env "TMPDIR=$ROOT/tmp/"
	again hit --env "SOME_VARIABLE=1"
}

# bats test_tags=long
@test "arguments: POSIXLY_CORRECT, TZ, GLIBC_TUNABLES, MALLOC_PERTURB_" {
	put b.s '.globl b' 'b: ret'
	differential --cold any --warm hit -- as b.s -o b.o
	again any --warm any --status any --env POSIXLY_CORRECT=1
	again any --warm hit --env TZ=Asia/Tokyo
	again any --warm hit --env MALLOC_PERTURB_=7
	gcc -c b.s
	differential --cold any --warm hit -- ld -r b.o -o c.o
	again any --warm any --status any --env POSIXLY_CORRECT=1
	differential --cold any --warm hit -- ar rcs b.a b.o
	again any --warm any --status any --env POSIXLY_CORRECT=1
}

@test "arguments: -wrapper" {
	differential --cold any --warm any --makes a.o -- gcc -wrapper env,X=1 -c a.c
	put w.sh 'echo "$MINE" >&2; exec "$@"'
	differential --cold any --warm any --env MINE=one -- gcc -wrapper sh,w.sh -c a.c
	again any --warm any --env MINE=two
}

@test "arguments: an outer tool that runs gcc" {
	put m.c '#include <stdlib.h>' 'int main(void) { return system("gcc -c a.c"); }'
	gcc -w m.c -o mytool
	differential --cold any --warm any --makes a.o --env REPRISE_TOOLS=+mytool -- ./mytool
	put a.c 'int changed;'
	again any --warm any
}
