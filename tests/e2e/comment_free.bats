#!/usr/bin/env bats
# Comment edits: a text that differs inside comments alone is the same text. What depends on a
# comment is not.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# texts: a header and two sources with comments in many places.
texts() {
	put a.h '/* The licence' ' * of this header */' '#ifndef A_H' '#define A_H /* guard */' \
		'#define ADD(x) \' '	((x) /* add */ + \' \
		'	1 /* one */)' '/* in front */ int a(int x /* the value */);' '#endif // A_H'
	put a.c '#include "a.h" // ours' 'int a(int x)' '{' '	/* sum */ int s = ADD(x); /* and' \
		'	   more */ return s;' '}' '// the end'
	cp a.c a.cc
}

# edit: other comments, tokens where they were.
edit() {
	sed -i 's/licence/LICENSE/; s/of this header/of that header, which is longer/
		s/guard/GUARD and more/; s/one/ONE/; s/in front/in FRONT/
		s/the value/the VALUE/; s,// A_H,/* A_H */,' a.h
	sed -i 's,// ours,// theirs and ours,; s/sum/SUM/; s/and$/and then/; s/more/MORE/
		s,// the end,// the very end,' a.c a.cc
	age
}

# bats test_tags=check
@test "comment_free: other comments in a header and in its source" {
	local cmd
	for cmd in "gcc -c a.c" "gcc -O2 -Wall -Wextra -c a.c -o x.o" "gcc -g -O2 -c a.c" \
		"gcc -g3 -MD -c a.c" "gcc -S a.c" "cc -c ./a.c" \
		"g++ -std=c++17 -O2 -g -c a.cc" "gcc -fsanitize=undefined -c a.c" \
		"clang -O2 -c a.c" "clang++ -Wall -c a.cc" \
		"clang -fsanitize=undefined -S a.c"; do
		read -ra cmd <<<"$cmd"
		texts
		age
		differential -- "${cmd[@]}"
		edit
		again hit
	done
}

# after EXPECT SED FILE...: edits the files. EXPECT is the verdict of the next start.
after() {
	local expect=$1 edit=$2
	shift 2
	sed -i "$edit" "$@"
	age
	again "$expect"
}

# bats test_tags=check
@test "comment_free: a comment that comes or goes at the end of a line" {
	texts
	age
	differential -- gcc -g -Wall -c a.c
	after hit 's,^int a(int x)$,int a(int x) // new,' a.c
	after hit 's, // ours,,' a.c
	after hit 's,and$,and no/* more,; s,no/. ,no ,' a.c
	after hit 's, /\* guard \*/,,' a.h
	after miss 's,^int a(int x) // new,int a(int y) // new,; s/ADD(x)/ADD(y)/' a.c
	# Lines count, and so do columns before a token.
	after miss '1i// in front' a.c
	after miss 's,/. in front ,/* in front and longer ,' a.h
}

@test "comment_free: where a directive ends" {
	put a.h '#define A 1'
	put a.c '#include "a.h" /* one' ' two */' 'int a = A;'
	age
	# The file is included from the second line.
	differential -- gcc -g3 -c a.c
	after hit 's/one/ONE/; s/two/and two/' a.c
	after miss 's,/\* ONE,// ONE,; s,^ and two ./, // two,' a.c
}

# bats test_tags=check
@test "comment_free: comments that the compiler looks at" {
	put a.h '// a'
	put a.c '#include "a.h"' 'int f(int x)' '{' '	switch (x) {' \
		'	case 1: x++; /* fall through */' '	case 2: return x;' '	}' \
		'	return 0; // end' '}'
	age
	differential -- gcc -Wall -Wextra -c a.c
	after miss 's,/\* fall through \*/,/* goes on */,' a.c
	after miss 's,/\* goes on \*/,/* FALLTHRU */,' a.c
	after miss 's,// a,/* /* */,' a.h
	# The header as it was.
	after hit 's,^.*$,// a,' a.h
	after miss 's,^}$,} // joined \\,' a.c
	after miss 's,// joined.*,// end,' a.c
	after miss 's,0; // end,0; // \xe2\x80\xae end,' a.c
	after hit 's,// .*end,// end,' a.c
	after hit 's,// end,// done,' a.c
}

# bats test_tags=check
@test "comment_free: a warning that a pragma of tokens turns on" {
	local say compiler
	for compiler in gcc clang; do
		for say in 'W(-Wc90-c99-compat)' \
			'P(GCC diagnostic warning M "W" "c90-c99-compat")' \
			'P(GCC diagnostic warning T(-Wc90-c99-compat))' \
			'P(GCC diagnostic LEVEL T(-Wc90-c99-compat))' \
			'R(L(=, "GCC diagnostic warning \"-Wc90-c99-compat\""))'; do
			[ $compiler = gcc ] || say=${say//c90-c99-compat/documentation}
			put a.h '#define Q(x) _Pragma(#x)' '#define P(x) Q(x)' '#define T(x) #x' \
				'#define W(w) Q(GCC diagnostic warning #w)' '#define M "-"' \
				'#define LEVEL warning' '#define L(a, b) b' \
				'#define R(x) _Pragma(x)'
			put a.c '#include "a.h"' "$say" 'int a(int x); /* a */' \
				'/** \param x is it */' 'int b(int x);'
			age
			differential -- $compiler -c a.c
			sed -i 's,/\* a \*/,// a,; s/param x/param y/' a.c
			age
			again miss
		done
	done
}

# bats test_tags=check
@test "comment_free: indentation that a warning goes by" {
	put a.c 'int f(int x)' '{' '	if (x)' '		x++;' '	/* between */' \
		'		x--;' '	return x;' '}'
	age
	differential -- gcc -Wall -c a.c
	after hit 's,between,BETWEEN THEM,' a.c
	after miss 's,^	/,		/,' a.c
	# another comment on the lines between
	printf 'int f(int x)\n{\n\tif (x)\n\t\tx++; /* a\n\t*/\n\t\tx--;\n\treturn x;\n}\n' >a.c
	age
	again hit
	after miss 's,^	\*/,	 */,' a.c
}

# bats test_tags=check
@test "comment_free: a printed line shows its comment" {
	put a.h 'static int unused; // a'
	put a.c '#include "a.h"' 'int a; // b'
	age
	differential -- gcc -Wall -c a.c
	after miss 's,// a,// c,' a.h
	after miss 's,// b,// d,' a.c
	after miss 's,^static ,,' a.h
	after hit 's,// c,// e,' a.h
	after hit 's,// d,// f,' a.c
}

# bats test_tags=check
@test "comment_free: commands by which a comment counts" {
	local cmd
	local -A counts
	for cmd in "gcc -E -C a.c -o a.i" "gcc -E a.c -o a.i" "gcc -save-temps -c a.c" \
		"gcc -S -fverbose-asm a.c" "gcc -Wa,-adhln=a.lst -g -c a.c" \
		"clang -g -gdwarf-5 -c a.c" "gcc -std=c90 -c b.c" "gcc -c -traditional-cpp b.c" \
		"clang -Weverything -c b.c" "clang -fmodules -c b.c" \
		"clang -Xclang -verify -c b.c" \
		"gcc -x c++ -std=c++20 -fmodules-ts -c b.c" \
		"clang -Wdocumentation -c b.c" "gcc -c -x c a.h -o a.h.gch"; do
		read -ra cmd <<<"$cmd"
		rm -f ./*
		texts
		put b.c '#include "a.h"' 'int a(int x)' '{' '	/* sum */ return ADD(x);' '}'
		age
		differential --status any --cold any --warm none -- "${cmd[@]}"
		sed -i 's/guard/GUARD/' a.h
		age
		again any --warm none
		stats_read counts
		[ "${counts[hits_local]}" = 0 ] || fail "${cmd[*]}: a hit"
	done
}

# bats test_tags=check
@test "comment_free: files that are read as data" {
	put a.h '/* one */'
	put a.c '#include "a.h"' 'asm(".section .rodata\n.incbin \"a.h\"\n.text");' 'int a;'
	local cmd
	for cmd in gcc clang; do
		put a.h '/* one */'
		age
		differential -- $cmd -c a.c
		after miss 's/one/two/' a.h
	done
	# If the directive is spelled in parts, the assembler reads the file.
	put a.c '#include "a.h"' 'asm(".section .rodata\n.inc" "bin \"a.h\"\n.text");' 'int a;'
	age
	differential -- gcc -c a.c
	after miss 's/two/six/' a.h
}

# Each puts the word together in another way. The header is included, too, or read as data alone.
# bats test_tags=long
@test "comment_free: files that clang's assembler reads" {
	local form first cmd forms=(
		'asm(S ".inc" "bin \"a.h\"" T);'
		'#define Q(x) #x
		#define J(x) Q(x)
		#define W bin
		asm(S ".inc" J(W) " \"a.h\"" T);'
		'asm(S R"(.in)" R"x(cbin "a.h")x" T);'
		'asm(S ".INCBIN \"a.h\"" T);'
		'asm(S "\x2e\x69nc\142in \"./a.h\"" T);'
		'asm(S ".inc\
bin \"a.h\"" T);'
		'asm(S D "bin \"a.h\"" T);'
		'asm(S ".macro m x, y\n.\\x\\y \"a.h\"\n.endm\nm inc, bin" T);'
		'asm(S ".inc" "lude \"a.s\"" T);'
		'void f(void) { asm volatile(".pushsection .rodata\n.inc" "bin \"l.h\"\n"
			".popsection"); }')
	ln -s a.h l.h
	put a.s '.INCBIN "a.h"'
	for form in "${forms[@]}"; do
		for first in '#include "a.h"' 'int b;'; do
			put a.h '/* one */'
			put a.cc '#define S ".section .rodata\n"' '#define T "\n.text"' \
				"$first" "$form"
			age
			cmd=(clang++ "-DD=\".inc\"" -c a.cc)
			"${cmd[@]}"
			grep -q one a.o || fail "$form: reads no file"
			rm a.o
			differential -- "${cmd[@]}"
			after miss 's/one/two/' a.h
		done
	done
}

# bats test_tags=check
@test "comment_free: clang with library headers, assembly and two sources" {
	put a.h '#include <stdio.h>' '#include <signal.h>' '/* one */' \
		'static inline void wait(void) { asm volatile("pause" ::: "memory"); }'
	put a.cc '#include <string>' '#include "a.h"' 'std::string a() { wait(); return "a"; }'
	put b.cc '#include "a.h"' 'int b() { wait(); return puts("b"); }'
	local cmd
	for cmd in "clang++ -O2 -c a.cc" "clang++ -MD -c a.cc" "clang++ -c a.cc b.cc"; do
		read -ra cmd <<<"$cmd"
		age
		differential -- "${cmd[@]}"
		after hit 's/one/ONE/; s/two/one/; s/ONE/two/' a.h
	done
}

# bats test_tags=check
@test "comment_free: names that no text has, precompiled headers" {
	put list.txt '// a' 'int n;'
	put a.c '#include "list.txt"' 'int a; // a'
	age
	differential -- gcc -c a.c
	after hit 's,// a,// b,' a.c
	after miss 's,// a,// b,' list.txt
	put list.txt '#pragma clang diagnostic warning "-Wdocumentation"'
	age
	differential -- clang -c a.c
	after miss 's,// b,// c,' a.c
	# A pragma joins its strings.
	put a.h '#pragma clang diagnostic warning "-Wdocu" "mentation"' '/** @param x one */' \
		'int f(int x);'
	put a.c '#include "a.h"'
	age
	differential -- clang -c a.c
	after miss 's,@param x,@param y,' a.h
	put p.h '/* a */' 'int p;'
	gcc -c p.h -o p.h.gch
	put a.c '#include "p.h"' 'int a; // a'
	age
	differential -- gcc -c a.c
	after miss 's,// a,// b,' a.c
}

# bats test_tags=check
@test "comment_free: equal files with #pragma once" {
	put a.h '#pragma once' '// a' 'enum { A = __COUNTER__ };'
	mkdir d
	put d/a.h '#pragma once' '// b' 'enum { A = __COUNTER__ };'
	put a.c '#include "a.h"' '#define A B' '#include "d/a.h"' 'int x = __COUNTER__;'
	touch -d '2020-01-01' a.h d/a.h
	age
	differential -- gcc -c a.c
	sed -i 's,// b,// a,' d/a.h
	touch -d '2020-01-01' a.h d/a.h
	age
	again miss
}

# bats test_tags=check
@test "comment_free: raw strings, separators, skipped text, long lines" {
	put a.h 'const char *r = R"x(' '// a' ')x";' 'int n = 1'"'"'000;' '#if 0' 'its // skipped' \
		'#endif' 'int m; // m'
	put a.cc '#include "a.h"' '#if __has_include(<no/such.h>) // c' '#endif'
	age
	differential -- g++ -std=c++17 -g -c a.cc
	after hit 's,// m,// M and more,; s,// c,// C,' a.h a.cc
	after miss 's,// a,// b,' a.h
	after hit 's,// skipped,// SKIPPED,' a.h
	after miss "s,// M.*,// $(printf '%0130d' 1)," a.h
	after miss "s,// 0*1,// $(printf '%0140d' 2)," a.h
}

# bats test_tags=check
@test "comment_free: trigraphs, CRLF, other ends of lines" {
	printf 'int a; // one\r\nint b; /* two\r\n*/\r\n' >a.c
	age
	differential -- gcc -c a.c
	after hit 's/one/ONE/; s/two/more than two/' a.c
	put a.c 'int a; // one ??/' 'int b;'
	age
	again any
	after miss 's/one/ONE/' a.c
}

# bats test_tags=check
@test "comment_free: a text that joins lines, and one that changes the place" {
	put a.h '#define A(x) \' '	(x) /* a */ \' '	+ 1' 'int a /* b' \
		'	c */ = A(1);'
	put a.c '#include "a.h"' '#line 10 "b.y"' 'int b; // c'
	put b.y 'x'
	age
	differential -- gcc -Wall -c a.c
	# In a text with #line, every comment counts.
	after miss 's,// c,// d,' a.c
	after miss '/line/d' a.c
	after hit 's,/\* a \*/,/* A \*/,; s,/\* b,/* BBB,; s,	c \*/,	C */,' a.h
	after miss 's,/\* A \*/,/\* A,; s,+ 1,*/ + 1,' a.h
}

# bats test_tags=check
@test "comment_free: a unit with more lines than gcc has columns for" {
	local major
	major=$(gcc -dumpversion)
	((${major%%.*} < 15)) || skip "this gcc has 64 bits for a place"
	((${major%%.*} > 10)) || skip "this gcc has no __builtin_source_location"
	# 327,680 lines of 4,096 numbers, then 2,097,152 of 128: columns end in cols.h.
	{ yes // || true; } | head -n 2422700 >big.h
	for ((i = 0; i < 4000; i++)); do
		echo "extern const unsigned c$i; const unsigned c$i = HERE;"
	done >cols.h
	put place.h 'namespace std { struct source_location { struct __impl {' \
		'const char *_M_file_name, *_M_function_name; unsigned _M_line, _M_column; };}; }' \
		'typedef const std::source_location::__impl *place;' \
		'#define HERE (place(__builtin_source_location()))->_M_column'
	put a.h '/* the' ' * licence */' 'int a(); // a'
	put a.cc '#include "place.h"' '#include "a.h" // x' '#include "big.h"' \
		'#include "cols.h" // y'
	age
	differential -- g++ -c a.cc
	g++ -c a.cc -o "$ROOT/before.o"
	after hit 's/licence/LICENCE/; s,// a,// b,' a.h
	after hit '$s,$,\n// the end,' a.cc
	# Columns end elsewhere by a longer comment in a header's last line, or one line more.
	after miss 's,// b,// another comment,' a.h
	g++ -c a.cc -o "$ROOT/after.o"
	cmp -s "$ROOT/before.o" "$ROOT/after.o" && fail "columns end where they did"
	after miss '$s,$,\n// the end,' a.h
	after hit 's,the end,THE END,' a.h
	# and by a comment behind an #include of the source
	after hit 's,// x,// X,' a.cc
	after miss 's,// x,// another x,I' a.cc
}
