#!/usr/bin/env bats
# Comment edits: a text that differs in the words of comments alone is the same text. What may
# depend on these words is a miss. Each row: the verdict after the edit; the command; the edit; a
# line.
#
# The line, if there is one, comes first in the header l.h. @NAME is the text of a variable. The
# rounds compare all bytes with a run without Reprise.

FALL='static inline int f(int x) { switch (x) {\ncase 1: x++; /* falls through */\n'
FALL+='case 2: return x; } return 0; } /* going */'
IF='static inline int f(int x)\n{\n\tif (x)\n\t\tx++;\n'
THEN='\n\t\tx--;\n\treturn x;\n}'
BETWEEN=$IF'\t/* between\n  */'$THEN
BEFORE=$IF'\t/* between */'$THEN
INSIDE=$IF'\t\t/*\n\t *\n\t\t*/'$THEN
DOXYGEN='#pragma clang diagnostic warning "-Wdocu" "mentation"\n/** \\param x one */ int f(int x);'
HEADERS='#if __has_include(<a//b>) || __has_include(<c/*d>) // */\n#endif'
INCBIN='asm(".section .rodata\\n.inc" "bin \\"a.h\\"\\n.text");'

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# texts LINE: headers and sources with comments in many places.
texts() {
	put a.h '/* The licence' ' * of this header */' '#ifndef A_H' '#define A_H /* guard */' \
		'#define ADD(x) \' '	((x) /* add */ + \' '	 1) /* one */' \
		'/* in front */ int a(int x /* the value */);' '#endif // A_H'
	printf '%b' "${1:+$1\\n}" >l.h
	echo 'extern int l; // word' >>l.h
	put a.c '#include "a.h" // ours' '#include "l.h"' 'int a(int x)' '{' \
		'	if (x)' '		x++;' '	/* sum */ int s = ADD(x); /* and' \
		'	   more */ return s;' '}' '// the end'
	cp a.c a.cc
}

# rows < TABLE: fields are separated by " ; ". An edit without a file is one of l.h.
rows() {
	local row verdict cmd edit line
	while IFS= read -r row; do
		[[ $row == [a-z]*' ; '* ]] || continue
		row+=' ; '
		verdict=${row%% ; *} row=${row#* ; }
		cmd=${row%% ; *} row=${row#* ; }
		edit=${row%% ; *} row=${row#* ; }
		line=${row%% ; *}
		[[ $line != @* ]] || line=${line#@} line=${!line}
		echo "row: $verdict ; $cmd ; $edit ; $line"
		rm -f ./*
		texts "$line"
		read -ra cmd <<<"$cmd"
		age
		differential --cold any --warm none --status any -- "${cmd[@]}"
		[[ $edit == *' '[a-z]*.[a-z]* ]] || edit+=' l.h'
		sed -i "${edit% *}" "${edit##* }"
		age
		again "${verdict%% *}" --warm none
	done
}

@test "comment_free: words of other lengths" {
	rows <<-'END'
	hit ; gcc -c a.c ; s/licence/LICENSE,/;s/this/that longer/ a.h
	hit ; gcc -g3 -MD -c a.c ; s/guard/the guard/;s/one/ONE, and more/;s,// A_H,// a_h, a.h
	hit ; gcc -O2 -g -Wall -Wextra -c a.c -o x.o ; s/sum/SUM/;s/and$/and then/;s/more/MORE/ a.c
	hit ; g++ -std=c++17 -O2 -g -c a.cc ; s/more/MORE/;s/the end/the very end/ a.cc
	miss ; gcc -c a.c ; s/ours/theirs/ a.c
	hit ; clang -O2 -Wall -Wdocumentation -c a.c ; s/value/VALUE/;s/add/ADD/ a.h
	miss ; gcc -c a.c ; s/in front/in the front/ a.h
	miss ; gcc -c a.c ; s,// ours,, a.c
	miss ; gcc -c a.c ; s,// A_H,/* A_H */, a.h
	miss ; gcc -c a.c ; s,one,one/*, a.h
	miss ; gcc -c a.c ; 1i// in front
	END
}

# bats test_tags=long
@test "comment_free: commands" {
	rows <<-'END'
	hit ; cc -c ./a.c ; s/word/words/
	hit ; gcc -S a.c ; s/word/words/
	hit ; gcc -fsanitize=undefined -c a.c ; s/word/words/
	hit ; gcc -Wp,-D_FORTIFY_SOURCE=2 -Wp,-MMD,a.d -O2 -c a.c ; s/word/words/
	hit ; gcc -w -Wimplicit-fallthrough=1 -Wc90-c99-compat -c a.c ; s/word/words/
	hit ; clang++ -Wall -c a.cc ; s/word/words/
	hit ; clang -fsanitize=undefined -S a.c ; s/word/words/
	hit ; clang -Weverything -w -c a.c ; s/word/words/
	miss ; gcc -E -C a.c -o a.i ; s/word/words/
	miss ; gcc -E a.c -o a.i ; s/word/words/
	any ; gcc -E -CC -fdirectives-only a.c -o a.i ; s/word/words/
	any ; gcc -save-temps -c a.c ; s/word/words/
	any ; gcc -S -fverbose-asm a.c ; s/word/words/
	any ; gcc -Wa,-adhln=a.lst -g -c a.c ; s/word/words/
	any ; gcc -c -traditional-cpp a.c ; s/word/words/
	any ; gcc -std=c90 -c a.c ; s/word/words/
	any ; gcc -x c++ -std=c++20 -fmodules-ts -c a.c ; s/word/words/
	any ; gcc -c -x c a.h -o a.h.gch ; s/guard/guards/ a.h
	miss ; clang -g -gdwarf-5 -c a.c ; s/word/words/
	any ; clang -fmodules -c a.c ; s/word/words/
	any ; clang -Xclang -verify -c a.c ; s/word/words/
	END
}

# bats test_tags=check
@test "comment_free: comments that the compiler looks at" {
	rows <<-'END'
	hit ; gcc -Wextra -c a.c ; s/going/GOING/ ; @FALL
	miss ; gcc -Wextra -c a.c ; s/falls/goes/ ; @FALL
	miss ; gcc -Wall -c a.c ; s,word,/* word, ; /* word */
	miss ; gcc -Wall -c a.c ; s,word,word \\,
	miss ; gcc -Wall -c a.c ; s,word,\xe2\x80\xae word,
	miss ; clang -Wdocumentation -c a.c ; s/param x/param y/ ; @DOXYGEN
	miss ; clang -c a.c ; s/param x/param y/ ; @DOXYGEN
	hit ; gcc -c a.c ; s/param x/param y and more/ ; int f(int x); /** \\param x one */
	hit ; gcc -Wall -c a.c ; s/between/BETWEEN THEM/ ; @BETWEEN
	miss ; gcc -Wall -c a.c ; s,^\t/,\t\t/, ; @BEFORE
	miss ; gcc -Wall -c a.c ; s,^\t \*,\t\t *, ; @INSIDE
	miss ; gcc -Wall -c a.c ; s/word/words/ ; static int unused;
	miss ; gcc -g3 -c a.c ; s/word/&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&/
	miss ; clang -w -c a.c ; s/hidden/changed/ ; #warning a /*\nint hidden;\n/* */
	END
}

# bats test_tags=check
@test "comment_free: texts that the lexer refuses" {
	rows <<-'END'
	miss ; g++ -c a.cc ; s/word/words/ ; static const char *r = R"(a)";
	miss ; g++ -c a.cc ; s/other/another/ ; static const char *r = R"x(\n// other\n)x";
	miss ; g++ -std=c++17 -c a.cc ; s/word/words/ ; enum { N = 1'000 };
	miss ; gcc -c a.c ; s/word/words/ ; #define X a\\\n b
	hit ; gcc -c a.c ; s/word/words/ ; #define X(a) do { a; \\\n } while (0)
	miss ; gcc -c a.c ; s/other/another/ ; enum { N = 4 /\\\n* other */ / 2 };
	miss ; gcc -c a.c ; s/other/another/ ; static const char *s = "a\\\n// other";
	miss ; gcc -trigraphs -c a.c ; s/other/another/ ; int b; // other ??/\nint c;
	miss ; gcc -c a.c ; s/word/words/ ; int b;\r
	miss ; gcc -c a.c ; s/word/words/ ; #if 0\ndon't\n#endif
	hit ; gcc -c a.c ; s/word/words/ ; @HEADERS
	miss ; gcc -c a.c ; s,a//b,a//c, ; @HEADERS
	miss ; gcc -c a.c ; s/no/yes/ ; #if __has_include(<a/b.h>) // no\n#endif
	hit ; gcc -c a.c ; s/word/words/ ; #if __has_include(<a/b.h>) // no\n#endif
	miss ; gcc -c a.c ; s/word/words/ ; # 7
	miss ; gcc -c a.c ; s/guard/guards/ a.h ; #line 10 "a.h"
	END
}

# bats test_tags=check
@test "comment_free: files that are read as data" {
	rows <<-'END'
	miss ; gcc -c a.c ; s/licence/LICENSE/ a.h ; @INCBIN
	miss ; clang -c a.c ; s/licence/LICENSE/ a.h ; @INCBIN
	hit ; clang -c a.c ; s/licence/LICENSE/ a.h ; static inline void f() { asm("nop"); }
	END
	local cmd
	for cmd in gcc clang; do
		put s.c '__asm__(".incbin \"s.c\"");' 'int a; // a'
		age
		differential -- $cmd -c s.c
		sed -i 's,// a,// b,' s.c
		age
		again miss --warm none
	done
	# The list has another name, and so its bytes count.
	put list.txt '// a' 'int n;'
	put a.c '#include "list.txt"' 'int a; // a'
	age
	differential --warm none -- gcc -c a.c
	sed -i 's,// a,// b,' a.c
	age
	again hit
	sed -i 's,// a,// b,' list.txt
	age
	again miss
	put p.h '/* a */' 'int p;'
	gcc -c p.h -o p.h.gch
	put a.c '#include "p.h"' 'int a; // a'
	age
	differential --warm none -- gcc -c a.c
	sed -i 's,// a,// b,' a.c
	age
	again miss
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

# bats test_tags=long
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
	put a.cc '#include "place.h"' '#include "a.h"' '#include "big.h"' '#include "cols.h"'
	age
	differential --warm none -- g++ -c a.cc
	g++ -c a.cc -o "$ROOT/before.o"
	sed -i 's,// a,// another comment,' a.h
	age
	again miss --warm none
	g++ -c a.cc -o "$ROOT/after.o"
	cmp -s "$ROOT/before.o" "$ROOT/after.o" && fail "columns end where they did"
	# Lines at the source's end have no place.
	echo '// the end' >>a.cc
	age
	again hit
}

# ends VERDICT COMMAND...: comment lines come to the end of a.cpp.
ends() {
	local verdict=$1
	shift
	put a.h 'static int a(void) { return 1; }'
	put a.cpp '#include "a.h"' 'int f(int x) { return x; }'
	age
	differential --warm none --cold any -- "$@"
	printf '// Compile cmd\n// g++ %s\n\n// Link\n' "$(printf '%03000d' 7)" >>a.cpp
	age
	again "$verdict" --warm none || fail "$*"
}

@test "comment_free: lines at the end of a C++ source, as Inductor writes them" {
	ends hit g++ -O1 -g -c a.cpp
	ends hit g++ -Wall -c a.cpp # the run prints a warning
	ends miss clang++ -g -c a.cpp
	ends miss g++ -E -C a.cpp -o a.i
	g++ -x c++-header a.h -o a.h.gch
	put a.cpp 'int b;'
	age
	differential --warm none -- g++ -include a.h -c a.cpp
	echo '// g++ -include a.h -c a.cpp' >>a.cpp
	age
	again hit --warm none
	sed -i '1i// at the beginning' a.cpp
	age
	again miss --warm none
	# A line that ends a comment, a raw string, or itself.
	local cmd row
	while IFS=';' read -r cmd row; do
		printf '%b' "$row" >a.cpp
		age
		differential --warm none --cold any -- $cmd
		sed -i '$s/one/two/' a.cpp
		age
		again miss --warm none || fail "$cmd: $row"
	done <<-'END'
	g++ -c a.cpp;int b; /*\n// */ int one;\n
	g++ -c a.cpp;const char *r = R"x(\n// )x"; int one;\n
	g++ -w -c a.cpp;const char *s = "a\\ \n// one";\n
	g++ -finput-charset=UTF-7 -c a.cpp;int b;\n// +AAo-int one;\n
	END
	# The comment is joined to the next line, or ends in a blank.
	put a.cpp 'int b;'
	age
	differential --warm none -- g++ -c a.cpp
	for row in '// joined \' '// blank '; do
		put a.cpp 'int b;' "$row"
		age
		again miss --warm none
	done
}

# bats test_tags=check
@test "comment_free: a source that includes or embeds itself, with comments at its end" {
	put b.cc '#ifndef AGAIN' '#define AGAIN' 'int one;' '#include __FILE__' '#else' \
		'__asm__(".incbin \"b.cc\"");' '#endif'
	differential --cold any -- g++ -c b.cc
	echo '// more' >>b.cc
	again any
}
