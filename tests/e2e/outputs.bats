#!/usr/bin/env bats
# Every row of the table of wrong-hit triggers, "Outputs". Here: the files of a command, and its
# streams. How files are written: outputs_places, outputs_replaced. Large and damaged ones:
# outputs_entries.

setup() {
	load lib
	case_setup
	source_with_header 'int a(int x) { return x + A; }'
}
teardown() { case_teardown; }

@test "outputs: .d files (more in depfiles.bats)" {
	differential --makes "a.o a.d" -- gcc -MD -MP -MT x -c a.c
	differential --makes "a.o a.d" --streams merged -- gcc -Wall -MMD -c a.c
}

@test "outputs: -fstack-usage, -fcallgraph-info" {
	differential --makes "a.o a.su" -- gcc -fstack-usage -c a.c
	differential --makes "a.o a.ci" -- gcc -fcallgraph-info -c a.c
	differential --makes "a.o a.ci" -- gcc -fcallgraph-info=su,da -c a.c
	mkdir d
	differential --makes "d/x.o d/x.su" -- gcc -fstack-usage -c a.c -o d/x.o
}

@test "outputs: -Wa,-a=file and -Wa,-a on stdout" {
	# The listing's head names a random temporary.
	differential --ignore list --makes "a.o list" -- gcc -Wa,-a=list -c a.c
	differential --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- gcc -Wa,-adhln -g0 -c a.c
}

# bats test_tags=check
@test "outputs: -Wl,-Map, -save-temps, -fdump-*, -aux-info" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	differential --makes "m map" -- gcc m.o -o m -Wl,-Map=map
	differential --makes "a.i a.s" -- gcc -save-temps -c a.c
	differential --cold any -- gcc -O2 -fdump-tree-optimized -fdump-rtl-final -c a.c
	differential --cold any -- gcc -O2 -fdump-tree-optimized=dumped -c a.c
	differential --cold any -- gcc -O2 -fdump-tree-all -c a.c
	differential --cold any --makes aux -- gcc -aux-info aux -c a.c
	differential --cold any -- gcc -O2 -fopt-info-all=opt.txt -c a.c
	differential -- gcc -O2 -fopt-info-inline -c a.c
	mkdir dumps
	differential --cold any -- gcc -O2 -dumpdir dumps/ -fdump-tree-optimized -c a.c
	differential --cold any -- gcc -da -O1 -c a.c
}

@test "outputs: -fdiagnostics-format=json-file, -fsave-optimization-record, -ftime-report" {
	put w.c 'int f(void) { int unused; return 0; }'
	differential --cold any --status any -- gcc -fdiagnostics-format=json-file -Wall -c w.c
	differential --cold any --ignore '*.gz' -- gcc -O2 -fsave-optimization-record -c a.c
	differential --cold any --filter d --warm any -- gcc -ftime-report -c a.c
	differential --cold any --filter d --warm any -- gcc -Q -c a.c
}

@test "outputs: text on stdout and on stderr" {
	put w.c '#warning one' 'int v;' '#warning two' 'int w;'
	differential -- gcc -E w.c
	[ -s "$ROOT/r/warm.out" ]
	[ -s "$ROOT/r/warm.err" ]
	differential --streams pipe --cold any --warm hit -- gcc -E w.c
	differential --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- gcc -Wa,-al -Wall -c w.c
}

@test "outputs: warnings in order, from macros, with line numbers" {
	put w.c '#define BAD(x) int x##_unused' 'int f(void) { BAD(one); BAD(two); return 1; }' \
		'int g(int a) { if (a = 2) return 1; }' '#line 100 "other.c"' \
		'int h(void) { BAD(three); return 2; }'
	differential -- gcc -Wall -Wextra -c w.c
	again miss -- gcc -Wextra -Wno-unused -Wall -c w.c
	again miss -- gcc -Wall -Wno-unused -c w.c
}

@test "outputs: the preprocessor's and the compiler's warnings together" {
	put w.c '#warning from the preprocessor' 'int f(void) { int unused; return 0; }'
	differential -- gcc -Wall -c w.c
	differential --cold any -- gcc -Wall -no-integrated-cpp -c w.c
	differential --cold any -- gcc -Wall -save-temps -c w.c
}

@test "outputs: -Werror and -MP -Werror stay failures" {
	put w.c '#include "a.h"' 'int f(void) { int unused; return 0; }'
	differential --status 1 -- gcc -Wall -Werror -c w.c
	differential --cold unstored:failed --status 1 -- gcc -Wall -Werror -MMD -MP -c w.c
}

@test "outputs: -o /dev/null stays a device, as root too" {
	differential --cold any -- gcc -c a.c -o /dev/null
	[ -c /dev/null ]
	put m.c 'int main(void) { return 0; }'
	differential --cold any -- gcc -E a.c -o /dev/null
	differential --cold any --status any -- gcc m.c -o /dev/null
	[ -c /dev/null ]
	[ "$(stat -c %t,%T /dev/null)" = 1,3 ]
}

# bats test_tags=check
@test "outputs: -o /dev/stdout, -o -, /proc/self/fd/1" {
	differential --cold any --status any -- gcc -S a.c -o /dev/stdout
	differential --cold any --status any --streams pipe -- gcc -S a.c -o /dev/stdout
	differential --cold any --status any --streams pipe -- gcc -E a.c -o -
	differential --cold any --status any --streams pipe -- gcc -S a.c -o /proc/self/fd/1
	differential --cold any --status any -- \
		bash -c 'gcc -S a.c -o >(cat >got); sleep 0.2; cat got'
}

# bats test_tags=check
@test "outputs: -fsyntax-only, -E, -S, -P, no -c" {
	put m.c 'int main(void) { return 0; }'
	differential -- gcc -fsyntax-only a.c
	differential -- gcc -E a.c
	differential --makes a.s -- gcc -S a.c
	differential -- gcc -E -P a.c
	differential --makes a.out -- gcc m.c
}

@test "outputs: an empty object, an empty -E, several sources" {
	: >e.c
	differential --makes e.o -- gcc -c e.c
	differential -- gcc -E -P e.c
	put b.c 'int b;'
	differential --makes "a.o b.o" -- gcc -c a.c b.c
}

@test "outputs: several sources with one -o fail" {
	put b.c 'int b;'
	differential --cold any --status any -- gcc -c a.c b.c -o x.o
}

@test "outputs: nothing but what the tool writes" {
	differential -- gcc -c a.c
	[ "$(find . | sort | tr '\n' ' ')" = ". ./a.c ./a.h " ]
	under gcc -c a.c
	[ "$(find . | sort | tr '\n' ' ')" = ". ./a.c ./a.h ./a.o " ]
}
