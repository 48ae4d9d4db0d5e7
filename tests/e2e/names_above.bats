#!/usr/bin/env bats
# A path into a base directory that was formed from a directory above the base. Such a path leads to
# one file, whatever the base is. Also bases that lie in bases (judge/name/above.c).

setup() {
	load lib
	load names_table
	case_setup
}
teardown() { case_teardown; }

# The file is one's own in one/ alone, so its result serves no other checkout. The result of two/
# also serves the third.
@test "names above: an #include by the checkout's name, from a directory above it" {
	export REPRISE_BASE_DIRS="$ROOT/checkouts/*"
	names_table <<-'END'
	in   | one two a-third-one
	x.h  | #define X 1
	a.c  | #include "one/x.h"\nint x = X;
	miss miss hit | gcc -I"$PWD" -I"$C" -c a.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -iquote"$C/." -c a.c -o "$PWD/a.o"
	one/x.h | #define X 2
	miss miss hit | gcc -I"$PWD" -I"$C" -c a.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -iquote"$C/." -c a.c -o "$PWD/a.o"
	# Below the checkout, and no directory above it.
	in   | one two a-third-one
	inc/one/x.h | #define X 3
	all  | gcc -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	END
}

@test "names above: without base directories, -g and a map of the working directory" {
	# two/ records a compile of one/x.h. With -g it has fewer directories than one/ has.
	names_table <<-'END'
	in   | one two
	x.h  | #define X 1
	a.c  | #include "one/x.h"\nint x = X;
	own  | gcc -g -I"$C" -c a.c -o a.o
	own  | gcc -ffile-prefix-map=$PWD=. -I"$PWD" -I"$C" -c a.c -o a.o
	one/x.h | #define X 2
	any miss | gcc -g -I"$C" -c a.c -o a.o
	any miss | gcc -ffile-prefix-map=$PWD=. -I"$PWD" -I"$C" -c a.c -o a.o
	in   | two one
	one/x.h | #define X 3
	any  | gcc -g -I"$C" -c a.c -o a.o
	any  | gcc -ffile-prefix-map=$PWD=. -I"$PWD" -I"$C" -c a.c -o a.o
	END
}

# The path of another run's file, in pieces. pieces DEFINITION DIR/FILE: what asks for it.
pieces() {
	local text=("$1" '#define PASTE(x, y) x##y' "#if __has_include($2)" 'int there;' '#endif')
	local d
	shift 2
	for d; do put "$d/a.c" '#include <x.h>' "${text[@]}" 'int x = X;'; done
}

@test "names above: a text that names a checkout in pieces, behind a directory above it" {
	export REPRISE_BASE_DIRS="$ROOT/checkouts/*"
	names_table <<-'END'
	in   | checkone checktwo
	x.h  | #define X 1
	a.c  | #include <x.h>\n#define IN(x, y) <@C@/x##y/x.h>\n#define PASTE(x, y) x##y\n \
		#if __has_include(IN(check, one))\nint there;\n#endif\nint x = X;
	own  | gcc -I"$PWD" -c "$PWD/a.c" -o "$PWD/a.o"
	END
}

# in_pieces DEFINITION ASKED ARG...: a header in a generated directory, which is gone in the next
# run, as the text says.
in_pieces() {
	local dir=tmpab12cd34 gone=tmpzz98zw76
	mkdir -p "$dir" w
	put "$dir/x.h" '#define X 1'
	pieces "$1" "$2" w
	shift 2
	differential --cd w -- gcc "-I$W/$dir" "$@" -c a.c -o a.o
	mv "$dir" "$gone"
	age
	differential --cd w --cold any --warm any -- gcc "-I$W/$gone" "$@" -c a.c -o a.o
	rm -r "$gone"
}

@test "names above: a text that names a generated directory in pieces" {
	in_pieces "#define IN(x, y) <$W/x##y/x.h>" 'IN(tmpab, 12cd34)'
	in_pieces '#define IN(x, y) <ROOT/x##y/x.h>' 'IN(tmpab, 12cd34)' "-DROOT=$W" -g
	in_pieces '#define IN(x, y) <ROOT/x##y/x.h>' 'IN(tmpab12cd3, 4)' "-DROOT=$W" -O2
	in_pieces '#define IN(a, b, c, d) <ROOT/a##b##c##d/x.h>' 'IN(tmp, ab1, 2cd, 34)' "-DROOT=$W"
}

# looks LINE...: __has_include stands behind what only looks like a comment.
looks() {
	local one=tmpab12cd34 two=tmpzz98zw76 pieces='IN(tmp, ab1, 2cd, 34)'
	put "$one/x" ''
	put "$two/x" ''
	put a.c "#define IN(a, b, c, d) <$W/a##b##c##d/x>" '#define NO(x)' "$@" \
		"#if LOOK($pieces)" 'int there;' '#endif' 'int a;'
	age
	differential -- gcc "-I$W/$one" -c a.c -o o.o
	rm "$one/x"
	age
	differential --cold miss -- gcc "-I$W/$two" -c a.c -o o.o
}

@test "names above: a question for a generated directory in pieces, behind no comment" {
	looks '#define LOOK NO("\ ' ' // ") __has_include'
	looks $'#define LOOK NO(" \\\t' '/* ") __has_include'
	looks $'#define LOOK NO(" \\\r' '// ") __has_include'
}

# hidden TOOL OPTIONS LINE...: a question, or an #import, that no search for its words finds.
hidden() {
	local one=tmpab12cd34 two=tmpzz98zw76 tool=$1 options=$2
	put "$one/x" 'int x;'
	put a.c "#define IN(a, b, c, d) <$W/a##b##c##d/x>" '#define PASTE(a, b) a##b' "${@:3}" \
		'int a;'
	age
	# shellcheck disable=SC2086
	differential -- "$tool" $options "-I$W/$one" -c a.c -o o.o
	if [[ $* == *'#import'* ]]; then put "$one/x" 'long y;'; else rm -r "$one"; fi
	put "$two/x" 'int x;'
	age
	# shellcheck disable=SC2086
	differential --cold miss -- "$tool" $options "-I$W/$two" -c a.c -o o.o
	# The same header by its plain name.
	put a.c '#include "./x"' 'int a;'
	age
	# shellcheck disable=SC2086
	differential --cold any -- "$tool" $options "-I$W/$two" -c a.c -o o.o
	put "$one/x" 'int x;'
	rm -r "$two"
	age
	# shellcheck disable=SC2086
	differential --cold hit -- "$tool" $options "-I$W/$one" -c a.c -o o.o
}

# bats test_tags=check
@test "names above: a question in other words for a generated directory in pieces" {
	local tool look='#if LOOK(IN(tmp, ab1, 2cd, 34))'
	for tool in gcc clang; do
		hidden $tool '' '#define LOOK(x) __has_include(x)' "$look" 'int b;' '#endif'
		hidden $tool '-DLOOK(x)=__has_include(x)' "$look" 'int b;' '#endif'
		hidden $tool -w '#import IN(tmp, ab1, 2cd, 34)'
	done
	hidden gcc '' '#define LOOK PASTE(__has_, include)' "$look" 'int b;' '#endif'
}

@test "names above: a question in other words for a checkout in pieces" {
	export REPRISE_BASE_DIRS="$W/co/*"
	local dir option file="<$W/co/PASTE(on, e)/x.h>"
	for option in '-DLOOK=__has_include' '-DLOOK=PASTE(__has_, include)'; do
		for dir in one two; do
			put "$W/co/$dir/x.h" ''
			put "$W/co/$dir/a.c" '#define JOIN(a, b) a##b' \
				'#define PASTE(a, b) JOIN(a, b)' "#define AT $file" \
				'#if LOOK(AT)' 'int b;' '#endif' 'int a;'
			age
			differential --cd "co/$dir" --cold miss -- \
				gcc "-I$W/co/$dir" "$option" -c a.c -o o.o
			rm "$W/co/$dir/x.h"
		done
	done
}

# assembled FILE TEXT TOOL...: the text reads a file of one directory, whatever the option gives.
assembled() {
	local file=$1 one=tmpab12cd34 two=tmpzz98zw76
	put "$file" "$2"
	put "$one/x" 1
	put "$two/x" 1
	shift 2
	age
	differential -- "$@" "-I$W/$one" -c "$file" -o o.o
	put "$one/x" 2
	age
	differential --cold miss -- "$@" "-I$W/$two" -c "$file" -o o.o
}

# bats test_tags=check
@test "names above: assembler text that names a file of a generated directory in pieces" {
	local macro='.macro in a, b\n.incbin "%s/tmpab\\a\\b\\()/x"\n.endm\n.data\nin 12c, d34'
	# shellcheck disable=SC2059
	assembled a.s "$(printf "$macro" "$W")" gcc
	assembled b.s ".incbin \"$W/tmpab\\061\\062cd34/x\"" gcc
	assembled a.c "__asm__(\".incbin \\\"$W/tmpab\" \"12c\" \"d34/x\\\"\");" gcc
	assembled b.c "__asm__(\".incbin \\\"\" \"$W/tmpab1\" \"2cd\" \"34/x\\\"\");" clang
	# Strings make the directive, or a comment of C is none of the assembler.
	assembled a.c "__asm__(\".inc\" \"bin \\\"\" \"$W/tmp\" \"ab1\" \"2cd\" \"34/x\\\"\");" gcc
	put x.inc 'nop # /*' '.macro in a, b, c' ".incbin \"$W/tmp\\a\\b\\c/x\"" '.endm' \
		'in ab1, 2cd, 34' 'nop # */'
	assembled b.c '__asm__(".include \"x.inc\"");' gcc
	# A name between quotes is no such text.
	put c.s '.incbin "x"'
	put tmpab12cd34/x 1
	put tmpzz98zw76/x 1
	age
	differential -- gcc "-I$W/tmpab12cd34" -c c.s -o o.o
	differential --cold hit -- gcc "-I$W/tmpzz98zw76" -c c.s -o o.o
	put c.c '__asm__(".incbin \"x\"");'
	age
	differential -- gcc "-I$W/tmpab12cd34" -c c.c -o o.o
	differential --cold hit -- gcc "-I$W/tmpzz98zw76" -c c.c -o o.o
}

# bats test_tags=check
@test "names above: a variable, a header above, -include, a computed #include" {
	export REPRISE_BASE_DIRS="$ROOT/checkouts/*"
	put "$ROOT/checkouts/all.h" '#include "one/x.h"'
	put f.c 'int f = 1;'
	put x.h '#define X 1'
	put a.c '#include "x.h"' 'int x = X;'
	gcc -c a.c -o o.o
	gcc -c f.c -o f.o
	names_table <<-'END'
	in   | one two a-third-one
	f.c  | #include "one/x.h"\nint x = X;
	c.c  | #define FILE_OF(dir) <dir/x.h>\n#include FILE_OF(one)\nint x = X;
	b.s  | .macro of dir\n.incbin "\dir/x.h"\n.endm\nof one
	miss miss hit | CPATH=$C gcc -I"$PWD" -c f.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -include "$C/all.h" -c a.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -I"$C" -include one/x.h -c a.c -o "$PWD/a.o"
	own  | gcc -I"$PWD" -I"$C" -c c.c -o "$PWD/a.o"
	own  | gcc -I"$PWD" -I"$C" -c b.s -o "$PWD/a.o"
	one/x.h  | #define X 2
	miss miss hit | CPATH=$C gcc -I"$PWD" -c f.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -include "$C/all.h" -c a.c -o "$PWD/a.o"
	miss miss hit | gcc -I"$PWD" -I"$C" -include one/x.h -c a.c -o "$PWD/a.o"
	bound | gcc -I"$PWD" -I"$C" -c c.c -o "$PWD/a.o"
	bound | gcc -I"$PWD" -I"$C" -c b.s -o "$PWD/a.o"
	in   | one two a-third-one
	l.c  | #define FILE_OF(dir) <dir/late.h>\n#if __has_include(FILE_OF(one))\nint late;\n#endif
	own  | gcc -I"$PWD" -I"$C" -c l.c -o "$PWD/a.o"
	one/late.h | int late_header;
	bound | gcc -I"$PWD" -I"$C" -c l.c -o "$PWD/a.o"
	# A file that a linker's script names.
	in   | one two
	s.ld | INPUT(one/f.o)
	own  | ld -r -L"$C" "$PWD/o.o" s.ld -o "$PWD/r.o"
	END
}

@test "names above: a build directory that is a base in a base" {
	put x.h '#define X 1'
	put src/a.c '#include "x.h"' '#include "y.h"' 'int x = X + Y;'
	put b/gen/y.h '#define Y 4'
	put c-2/gen/y.h '#define Y 4'
	# In the end the messages name both headers.
	names_table <<-'END'
	in   | one two a-third-one
	all  | export REPRISE_BASE_DIRS="$PWD:$PWD/*"; P=$PWD; cd b && gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"
	hit hit hit | export REPRISE_BASE_DIRS="$PWD:$PWD/*"; P=$PWD; cd c-2 && gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"
	b/gen/y.h   | #define Y 4\nstatic int unused;
	c-2/gen/y.h | #define Y 4\nstatic int unused;
	x.h  | #define X 1\nstatic int other;
	all  | export REPRISE_BASE_DIRS="$PWD:$PWD/*"; P=$PWD; cd b && gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"
	hit hit hit | export REPRISE_BASE_DIRS="$PWD:$PWD/*"; P=$PWD; cd c-2 && gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"
	END
}
