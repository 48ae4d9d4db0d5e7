#!/usr/bin/env bats
# Every row of the table of wrong-hit triggers, "Inputs". Here: sources, headers, the search path,
# and other files that a tool reads by name. The tool itself: inputs_tools. Stamps: inputs_stamps.
# Links and mounts: inputs_links. Changes during a run: inputs_meanwhile. Comments: comments.

setup() {
	load lib
	case_setup
	source_with_header 'int a = A;'
}
teardown() { case_teardown; }

@test "inputs: __TIME__ in the source" {
	put a.c 'const char t[] = __TIME__;'
	differential --ignore a.o --cold unstored:time -- gcc -c a.c
}

@test "inputs: __TIME__ in a header" {
	put a.h '#define A sizeof(__TIME__)' \
		'static const char t[] __attribute__((used)) = __TIME__;'
	differential --ignore a.o --cold unstored:time -- gcc -c a.c
}

@test "inputs: __DATE__ in a header" {
	put a.h '#define A __DATE__[5]' 'static const char t[] __attribute__((used)) = __DATE__;'
	put a.c '#include "a.h"' 'const char *a(void) { return __DATE__; }'
	differential --cold unstored:time -- gcc -c a.c
}

@test "inputs: __TIMESTAMP__ follows the source's time" {
	put a.c 'const char t[] = __TIMESTAMP__;'
	touch -d '2020-02-02 02:02:02' a.c
	differential --cold any -- gcc -c a.c
	touch -d '2021-01-01 01:01:01' a.c
	again any
	strings "$ROOT/r/warm.tree/a.o" | grep -q 2021
}

# bats test_tags=check
@test "inputs: __TIMESTAMP__ in a header follows the header's time" {
	put a.h '#define A 1' 'static const char t[] __attribute__((used)) = __TIMESTAMP__;'
	need clang
	local c epoch
	for c in gcc clang; do
		for epoch in 'A=' SOURCE_DATE_EPOCH=1000000000; do
			touch -d '2020-02-02 02:02:02' a.h
			differential --cold any --env "$epoch" -- $c -c a.c
			touch -d '2021-01-01 01:01:01' a.h
			again any
		done
	done
}

# bats test_tags=long
@test "inputs: #pragma GCC dependency goes by the times of two files" {
	local c text flag flags='-Wall -Werror' want
	need clang
	put gram.y x
	for text in '#pragma GCC dependency "gram.y"' ' # pragma  GCC	dependency "gram.y"' \
		'_Pragma("GCC dependency \"gram.y\"")'; do
		# The word is in the source, and in a header behind the part that one read takes.
		put p.c "$text" 'int x;'
		put q.c '#include "q.h"' 'int x;'
		{ printf '%65521s\n' ''; echo "$text"; } >q.h
		for c in gcc clang; do
			for flag in $flags; do
				touch -d '-1 hour' gram.y
				touch -d '-30 minutes' p.c q.c q.h
				differential --cold unstored:time -- $c $flag -c p.c
				differential --cold unstored:time -- $c $flag -c q.c
				want=0
				[ $flag = -Wall ] || want=1
				touch -d '-1 minute' gram.y
				differential --cold unstored --status $want -- $c $flag -c p.c
				differential --cold unstored --status $want -- $c $flag -c q.c
				[ $flag = -Werror ] || grep -q 'older than' "$ROOT/r/warm.err"
			done
		done
		flags=-Wall
	done
}

# bats test_tags=check
@test "inputs: #pragma GCC dependency with comments, joined lines and macros" {
	local c text
	need clang
	put gram.y x
	for text in '#pragma GCC /* a */ dependency "gram.y"' \
		$'#pragma GCC depend\\\nency "gram.y"' \
		$'#define D(x) _Pragma(#x)\nD(GCC dependency "gram.y")' \
		$'#define D(x) _Pragma(#x)\n#define F(x) D(GCC dependency x)\nF("gram.y")'; do
		put p.c "$text" 'int x;'
		touch -d '-1 hour' gram.y
		touch -d '-30 minutes' p.c
		for c in gcc clang; do
			differential --cold unstored:time -- $c -c p.c
		done
		touch gram.y
		for c in gcc clang; do
			differential --cold unstored:time -- $c -c p.c
			grep -q 'older than' "$ROOT/r/warm.err" || fail "no warning: $text"
		done
	done
}

# bats test_tags=check
@test "inputs: #pragma GCC dependency behind macros, and in comments of some compilers only" {
	local text c pragma='#pragma GCC dependency "gram.y"'
	local make=$'#define Q(x) _Pragma(#x)\n#define P(x) Q(x)\n'
	need clang
	put gram.y x
	for text in "gcc $make"$'#define D dependency\nP(GCC D "gram.y")' \
		"gcc $make"$'#define C(a, b) a##b\nP(GCC C(depend, ency) "gram.y")' \
		$'clang // a\r'"$pragma" \
		$'c99 #define S(x) #x\nconst char *s = S(1\'0 /*\');\n'"$pragma"$'\n/* */' \
		$'c99 #define M R"x(" )x" /* "\n'"$pragma"$'\n/* */' \
		$'g++ const char *s = R"(x)\\\n"/*)";\n'"$pragma"$'\n/* */' \
		$'gcc #if __has_include(<a \\\n/*b>)\n#endif\n'"$pragma"$'\n/* */'; do
		c=${text%% *}
		[ "$c" != c99 ] || c="gcc -std=c99"
		[ "$c" != g++ ] || c="g++ -std=c++17"
		put p.c "${text#* }" 'int x;'
		touch -d '-1 hour' gram.y
		touch -d '-30 minutes' p.c
		differential --cold unstored:time -- $c -c p.c
		touch gram.y
		again unstored:time
		grep -q 'older than' "$ROOT/r/warm.err" || fail "no warning: $text"
	done
	put p.c '#pragma GCC d\u0065pendency "gram.y"'
	differential --cold unstored --status any -- gcc -c p.c
	put p.c P 'int x;'
	differential --cold unstored:time -- \
		gcc '-DP=Q(GCC D "gram.y")' '-DQ(x)=R(x)' '-DR(x)=_Pragma(#x)' -DD=dependency -c p.c
}

# bats test_tags=check
@test "inputs: #pragma GCC dependency that macros of two files make" {
	local text c make=$'#define Q(x) _Pragma(#x)\n#define P(x) Q(x)'
	need clang
	put gram.y x
	for text in '#define G(x) P(GCC x "gram.y")|G(dependency)' \
		$'#define OWN clang\n#define G(x) P(OWN x "gram.y")|G(dependency)' \
		$'#define G(o, x, n) P(o x n)|G(GCC,\n dependency, "gram.y")' \
		'#define G(...) P(GCC __VA_ARGS__)|#define D dependency "gram.y"@G(D)' \
		$'#define C(c, b, a) a##b##c|P(GCC C(ency, end, dep) "gram.y")' \
		'#define C(x) depen##x|P(GCC C(dency) "gram.y")'; do
		put q.h "$make" "${text%%|*}"
		put p.c '#include "q.h"' "${text#*|}" 'int x;'
		sed -i 's/@/\n/' p.c
		touch -d '-1 hour' gram.y
		touch -d '-30 minutes' p.c q.h
		case $text in *clang*) c=clang ;; *) c=gcc ;; esac
		differential --cold unstored:time -- $c -c p.c
		touch gram.y
		again unstored:time
		grep -q 'older than' "$ROOT/r/warm.err" || fail "no warning: $text"
	done
	# A header that passes pragmas on, and the word elsewhere than in code.
	put q.h "$make" '#define G(x) P(GCC x)'
	put p.c '#include "q.h"' 'G(diagnostic push) /* dependency */' 'char s[] = "dependency";'
	touch -d '-30 minutes' p.c q.h
	differential -- gcc -c p.c
}

# bats test_tags=check
@test "inputs: #pragma GCC dependency on the command line and on standard input" {
	local c
	need clang
	put gram.y x
	put p.c 'X' 'int x;'
	put q.c '#pragma GCC dependency "gram.y"' 'int x;'
	for c in gcc clang; do
		touch -d '-1 hour' gram.y
		touch -d '-30 minutes' p.c q.c
		differential --cold unstored:time -- \
			$c '-DX=_Pragma("GCC dependency \"gram.y\"")' -c p.c
		differential --cold unstored:time --stdin q.c -- $c -x c - -c -o q.o
		touch gram.y
		again unstored:time
		differential --cold unstored:time -- \
			$c '-DX=_Pragma("GCC dependency \"gram.y\"")' -c p.c
	done
	put q.c '/* #pragma GCC dependency "gram.y" */' 'int x;'
	differential --stdin q.c -- gcc -x c - -c -o q.o
}

@test "inputs: #pragma GCC dependency in comments and strings" {
	local c
	need clang
	put gram.y x
	put p.c '/* as #pragma GCC dependency "gram.y" does */' \
		'// #pragma GCC dependency "gram.y"' '/*' '#pragma GCC dependency "gram.y"' '*/' \
		'const char a[] = "#pragma GCC dependency \"gram.y\"", c = '"'\"'"';' \
		'const char b[] = "_Pragma(\"GCC dependency \\\"gram.y\\\"\")";'
	cp p.c q.cc
	put q.h '#define X "a dependency"'
	echo '#include "q.h"' >>q.cc
	for c in gcc clang; do
		differential -- $c -c p.c
		differential -- $c -std=gnu++17 -c q.cc
		touch gram.y
		again hit
	done
	# What an #if leaves out counts as well, and a line of a raw string.
	put p.cc '#if 0' '#pragma GCC dependency "gram.y"' '#endif' 'int x;'
	differential --cold unstored:time -- g++ -c p.cc
	put p.cc 'const char r[] = R"(' '#pragma GCC dependency "gram.y"' ')";'
	differential --cold unstored:time -- g++ -c p.cc
}

@test "inputs: SOURCE_DATE_EPOCH" {
	put a.c 'const char t[] = __DATE__ __TIME__;'
	differential --cold any --env SOURCE_DATE_EPOCH=1000000000 -- gcc -c a.c
	again any --env SOURCE_DATE_EPOCH=1500000000
	again any --env SOURCE_DATE_EPOCH=1000000000
	again any --env SOURCE_DATE_EPOCH=bad --status any
}

@test "inputs: the word __TIME__ in a comment or an unused macro" {
	put a.c '/* __TIME__ */' '#define T __TIME__' 'int a;'
	differential -- gcc -c a.c
}

@test "inputs: a header is modified, removed, empty" {
	differential -- gcc -c a.c
	put a.h '#define A 2'
	again miss:input
	rm a.h
	again miss:input --status 1
	put a.h '#define A 1'
	again hit
	: >a.h
	again miss:input --status 1
}

@test "inputs: an empty source" {
	: >e.c
	differential --makes e.o -- gcc -c e.c
	: >e.cc
	differential --makes e.o -- g++ -c e.cc
}

@test "inputs: a header appears earlier on the search path" {
	mkdir one two
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione -Itwo -c a.c
	put one/h.h 'int v = 1;'
	again miss
	rm one/h.h
	again hit
}

@test "inputs: a header appears beside the source" {
	put two/h.h 'int v = 2;'
	put a.c '#include "h.h"'
	differential -- gcc -Itwo -c a.c
	put h.h 'int v = 1;'
	again miss
}

# bats test_tags=check
@test "inputs: __has_include of the compile's own output" {
	local cc
	put own.c '#if __has_include("own.o")' 'int x = 1;' '#else' 'int x = 0;' '#endif'
	for cc in gcc clang; do
		rm -f own.o
		differential --makes own.o -- "$cc" -c own.c
		# own.o exists: a result that was recorded without it must not be replayed.
		"$cc" -DOTHER -c own.c
		again any --fresh
		rm own.o
		again hit
	done
}

@test "inputs: a library that the link looks for before it makes it" {
	mkdir far
	put l.c 'int l(void) { return 1; }'
	put m.c 'int m(void) { return 2; }'
	gcc -shared -fPIC l.c -o far/libx.so
	gcc -fPIC -c m.c
	differential --makes libx.so -- gcc -shared m.o -L. -Lfar -lx -o libx.so
	gcc -shared m.o -o libx.so
	again any --fresh
}

@test "inputs: __has_include turns true, in a header" {
	put a.h '#if __has_include(<late.h>)' '#define A 7' '#else' '#define A 8' '#endif'
	mkdir inc
	differential -- gcc -Iinc -c a.c
	put inc/late.h ''
	again miss
}

@test "inputs: a directory of the search path comes into being" {
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione/deep/er -Itwo -c a.c
	put one/deep/er/h.h 'int v = 1;'
	again miss
	rm -r one
	again hit
	put one 'a file in its place'
	again any --status any
}

@test "inputs: a directory takes the place of a header" {
	mkdir one
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione -Itwo -c a.c
	mkdir one/h.h
	again any --status any
}

@test "inputs: .incbin" {
	put blob 'abc'
	put a.c '__asm__(".data\n.globl b\nb: .incbin \"blob\"\n");'
	differential -- gcc -c a.c
	put blob 'abd'
	again miss
	rm blob
	again any --status any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g'
}

@test "inputs: .include of the assembler" {
	put x.inc '.long 1'
	put a.s '.include "x.inc"'
	differential -- gcc -c a.s
	put x.inc '.long 2'
	again miss
}

@test "inputs: #embed" {
	local cc some=
	put a.c '#if __has_embed("blob")' '#endif' 'char b[] = {' '#embed "blob"' '};'
	for cc in gcc clang; do
		printf '%s\n' '#ifdef __has_embed' has '#endif' |
			"$cc" -std=c23 -E -P -x c - 2>/dev/null | grep -q has || continue
		some=1
		put blob abc
		differential -- "$cc" -std=c23 -c a.c
		put blob abd
		again miss
	done
	[ -n "$some" ] ||
		skip "neither gcc $(gcc -dumpversion) nor clang $(clang -dumpversion) has #embed"
}

@test "inputs: a C++20 module's interface" {
	put m.cc 'export module m;' 'export inline int f() { return 1; }'
	put u.cc 'import m;' 'int u() { return f(); }'
	differential --cold any --ignore '*.gcm' -- g++ -std=c++20 -fmodules-ts -c m.cc
	g++ -std=c++20 -fmodules-ts -c m.cc
	differential -- g++ -std=c++20 -fmodules-ts -O1 -c u.cc
	put m.cc 'export module m;' 'export inline int f() { return 2; }'
	g++ -std=c++20 -fmodules-ts -c m.cc
	again miss
	rm gcm.cache/m.gcm
	again any --status 1
}

@test "inputs: a response file's content" {
	put args '-DX=1'
	put b.c 'int b = X;'
	differential -- gcc @args -c b.c
	put args '-DX=2'
	again miss
}

@test "inputs: the source on stdin, by - , /dev/stdin, /proc/self/fd/0" {
	put b.c 'int b = 1;'
	differential --stdin b.c --makes o.o -- gcc -x c -c - -o o.o
	put b.c 'int b = 2;'
	again miss
	differential --stdin b.c --cold bypass --makes o.o -- gcc -x c -c /dev/stdin -o o.o
	differential --stdin b.c --cold bypass --makes o.o -- gcc -x c -c /proc/self/fd/0 -o o.o
	differential --makes o.o -- sh -c 'cat b.c | gcc -x c -c - -o o.o'
}

@test "inputs: process substitution and FIFOs" {
	differential --cold bypass --makes o.o -- bash -c 'gcc -x c -c <(echo "int p;") -o o.o'
	differential --cold bypass --makes o.o -- \
		bash -c 'mkfifo p; (echo "int p;" >p) & gcc -x c -c p -o o.o; wait; rm p'
	# A FIFO that an #include names, too.
	put i.c '#include "fifo.h"'
	differential --cold any --makes o.o -- bash -c 'mkfifo fifo.h
		(for i in 1 2; do echo "int p$RANDOM;" >fifo.h; done) &
		gcc -c i.c -o o.o >/dev/null 2>&1
		kill $! 2>/dev/null
		rm fifo.h
		gcc -x c -c /dev/null -o o.o'
}

@test "inputs: -x c -c /dev/null, -x none, an unknown language" {
	differential --cold any --makes o.o -- gcc -x c -c /dev/null -o o.o
	differential --makes "a.o" -- gcc -x none -c a.c
	differential --cold any --status 1 -- gcc -x nosuch -c a.c
	differential --cold any --status any -- gcc -x c -c a.c -x
}

@test "inputs: no extension, a final dot, several extensions, extensionless assembler" {
	put noext 'int n;'
	put 'dot.' 'int d;'
	put several.ext.c 'int s;'
	put asm '.globl x' 'x: ret'
	differential --cold any --status any -- gcc -c noext
	differential --makes noext.o -- gcc -x c -c noext
	differential --cold any --status any -- gcc -x c -c 'dot.'
	differential --makes several.ext.o -- gcc -c several.ext.c
	differential --makes asm.o -- gcc -x assembler -c asm
}

@test "inputs: a header is readable, then not, then again" {
	need setpriv
	for_user
	age
	as_user env "${RPENV[@]}" gcc -c a.c -o 1.o
	as_user env "${RPENV[@]}" gcc -c a.c -o 1.o
	chmod 000 a.h
	if as_user env "${RPENV[@]}" gcc -c a.c -o 2.o 2>err; then
		fail "compiled without leave to read"
	fi
	grep -q 'ermission' err
	chmod 644 a.h
	as_user env "${RPENV[@]}" gcc -c a.c -o 3.o
	cmp 1.o 3.o
}

@test "inputs: a directory of the search path without leave to search" {
	for_user
	put two/h.h 'int v = 2;'
	put one/h.h 'int v = 1;'
	put a.c '#include <h.h>'
	for_user
	chmod 000 one
	age
	as_user env "${RPENV[@]}" gcc -Ione -Itwo -c a.c -o 1.o || true
	chmod 755 one
	age
	as_user env "${RPENV[@]}" gcc -Ione -Itwo -c a.c -o 2.o
	as_user gcc -Ione -Itwo -c a.c -o want.o
	cmp 2.o want.o
}

@test "inputs: PCH rows" {
	# The other rows are in pch.bats. Here: a compile with a plain header must notice a new PCH.
	differential -- gcc -c a.c
	gcc -DOTHER a.h -o a.h.gch
	again miss
}

@test "inputs: profile rows" {
	# The other rows are in coverage.bats. Here: a .gcda appears where a compile looked for it.
	put m.c 'int main(int c, char **v) { return c > 5; }'
	differential -- gcc -O2 -fprofile-use -Wno-missing-profile -c m.c
	gcc -O2 -fprofile-generate m.c -o m
	./m
	mv m-m.gcda m.gcda 2>/dev/null || true
	rm m
	[ -e m.gcda ] || fail "this gcc names its profile otherwise"
	again any
}

@test "inputs: the same includes in two directories" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put one/a.c '#include "h.h"'
	put two/a.c '#include "h.h"'
	differential -- gcc -c one/a.c -o a.o
	again miss -- gcc -c two/a.c -o a.o
	differential --cd one --cold any -- gcc -c a.c
	again miss --cd two
}

@test "inputs: a source becomes a FIFO, a directory, a link to nothing" {
	put s.c 'int s;'
	differential -- gcc -c s.c
	mv s.c t.c
	ln -s nothing s.c
	again any --status 1
	rm s.c
	mkdir s.c
	again any --status 1
	rmdir s.c
	differential --cold any --makes s.o -- \
		bash -c 'mkfifo s.c; (cat t.c >s.c &); gcc -c s.c; s=$?; rm s.c; exit $s'
	mv t.c s.c
	again any --warm hit -- gcc -c s.c
}
