#!/usr/bin/env bats
# The preprocessor alone.

setup() { load lib; case_setup; }
teardown() { case_teardown; }

tree() {
	put inc/a.h '#define A 1' '/* comment */'
	put a.c '#include "a.h"' '#ifdef D' 'D' '#endif' 'int v = A + __LINE__; /* tail */'
}

@test "preprocess: -E to stdout" {
	tree
	differential -- gcc -E -Iinc a.c
	[ -s "$ROOT/r/warm.out" ]
	put inc/a.h '#define A 2'
	again miss
}

@test "preprocess: -E -o" {
	tree
	differential --makes a.i -- gcc -E -Iinc a.c -o a.i
}

# bats test_tags=check
@test "preprocess: -P -C -CC -dM -dD -dI -H" {
	tree
	local o
	for o in -P -C -CC -dM -dD -dI -H -fdirectives-only; do
		differential -- gcc -E $o -Iinc a.c
	done
}

@test "preprocess: cpp, with its output as second argument" {
	tree
	differential -- cpp -Iinc a.c
	differential --makes a.i -- cpp -Iinc a.c a.i
}

@test "preprocess: -D and -U" {
	tree
	differential -- gcc -E -Iinc -DD=7 a.c
	again miss -- gcc -E -Iinc -DD=8 a.c
	again miss -- gcc -E -Iinc -D D=9 a.c
	again miss -- gcc -E -Iinc -DD=9 -UD a.c
}

@test "preprocess: an already preprocessed source" {
	tree
	gcc -E -Iinc a.c -o b.i
	rm -r inc
	differential --makes b.o -- gcc -c b.i
	differential --makes b.o -- gcc -fpreprocessed -c b.i
}

@test "preprocess: __has_include turns true" {
	put a.c '#if __has_include("late.h")' 'int yes;' '#else' 'int no;' '#endif'
	differential -- gcc -E a.c
	put late.h ''
	again miss
	rm late.h
	again hit
}

@test "preprocess: standard input" {
	tree
	differential --stdin a.c -- gcc -E -Iinc -
	differential --stdin a.c --makes o.o -- gcc -x c -Iinc -c - -o o.o
	differential --stdin a.c --cold bypass --makes o.o -- gcc -x c -Iinc -c /dev/stdin -o o.o
}

@test "preprocess: /dev/null as the source" {
	differential --cold any -- gcc -E -dM -x c /dev/null
	differential --cold any -- gcc -x c -c /dev/null -o o.o
	differential --cold any -- g++ -E -v -x c++ /dev/null
}

@test "preprocess: #include_next, computed includes, #line" {
	put one/x.h '#define X one' '#include_next <x.h>'
	put two/x.h '#define Y two'
	put a.c '#define H <x.h>' '#include H' '#line 7 "odd \"name\".c"' 'X Y __FILE__ __LINE__'
	differential -- gcc -E -Ione -Itwo a.c
	put two/x.h '#define Y three'
	again miss
}

@test "preprocess: #error and a missing header" {
	put a.c '#error no'
	differential --status 1 -- gcc -E a.c
	put b.c '#include "missing.h"'
	differential --status 1 -- gcc -E b.c
	put missing.h 'int v;'
	again miss --status 0
}

@test "preprocess: #warning on stderr beside text on stdout" {
	put a.c '#warning one' 'int v;' '#warning two'
	differential -- gcc -E a.c
	differential --streams merged --cold any --warm hit -- gcc -E a.c
	differential --streams pipe --cold any --warm hit -- gcc -E a.c
}

@test "preprocess: traditional cpp and other dialects" {
	tree
	differential -- gcc -E -traditional-cpp -Iinc a.c
	differential -- gcc -E -x assembler-with-cpp -Iinc a.c
	differential -- gcc -E -std=c90 -pedantic -Iinc a.c
}

# bats test_tags=check
@test "preprocess: -imacros, -include, -nostdinc, -undef, --include" {
	tree
	put pre.h '#define A 3'
	differential -- gcc -E -imacros pre.h -Iinc a.c
	differential -- gcc -E --include=pre.h -Iinc a.c
	differential -- gcc -E -nostdinc -undef -Iinc a.c
	put pre.h '#define A 4'
	again hit
}

@test "preprocess: as Inductor asks for a header's digest" {
	put torch.h '#include <stddef.h>' 'size_t x;'
	local d
	for d in one two; do
		mkdir "$TMPDIR/tmpabcdefg$d"
		rmdir "$TMPDIR/tmpabcdefg$d"
	done
	put main.h '#include "torch.h"'
	differential --makes main.i -- g++ -x c++ -std=c++17 -E -P main.h -o main.i
}
