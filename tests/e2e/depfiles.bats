#!/usr/bin/env bats
# Dependency files: for the current target, on every hit.

setup() {
	load lib
	case_setup
	put inc/a.h '#define A 1'
	put a.c '#include "a.h"' '#include <stddef.h>' 'size_t v = A;'
}
teardown() { case_teardown; }

@test "depfiles: -MD and -MMD" {
	differential --makes "a.o a.d" -- gcc -MD -Iinc -c a.c
	differential --makes "a.o a.d" -- gcc -MMD -Iinc -c a.c
}

@test "depfiles: -MF, joined and apart" {
	mkdir dep
	differential --makes "a.o dep/x.d" -- gcc -MMD -MF dep/x.d -Iinc -c a.c
	differential --makes "a.o dep/y.d" -- gcc -MMD -MFdep/y.d -Iinc -c a.c
}

@test "depfiles: -MT, -MQ, -MP" {
	differential --makes a.d -- gcc -MD -MT 'tar$get' -Iinc -c a.c
	differential --makes a.d -- gcc -MD -MQ 'tar$get' -Iinc -c a.c
	differential --makes a.d -- gcc -MD -MP -Iinc -c a.c
	differential --makes a.d -- gcc -MD -MT one -MT two -MQ three -MP -Iinc -c a.c
}

@test "depfiles: the target of another -o" {
	differential --makes "x.o x.d" -- gcc -MMD -Iinc -c a.c -o x.o
	differential --cold any --warm hit --makes "y.o y.d" -- gcc -MMD -Iinc -c a.c -o y.o
	mkdir sub
	differential --cold any --warm hit --makes "sub/z.o sub/z.d" -- \
		gcc -MMD -Iinc -c a.c -o sub/z.o
	grep -q '^sub/z.o:' "$ROOT/r/warm.tree/sub/z.d"
}

@test "depfiles: -MF /dev/null" {
	differential --cold any --makes a.o -- gcc -MD -MF /dev/null -Iinc -c a.c
	[ -c /dev/null ]
}

@test "depfiles: -M, -MM and -MG on stdout" {
	differential -- gcc -M -Iinc a.c
	differential -- gcc -MM -Iinc a.c
	differential --makes deps -- gcc -MM -MF deps -Iinc a.c
	put b.c '#include "generated.h"'
	differential -- gcc -MM -MG b.c
}

@test "depfiles: -MD on .S" {
	put b.S '#include "a.h"' '.long A'
	differential --makes "b.o b.d" -- gcc -MD -Iinc -c b.S
}

@test "depfiles: -MD with -E and -S" {
	differential --makes "a.d a.s" -- gcc -MD -Iinc -S a.c
	differential --makes a.d -- gcc -MD -MF a.d -Iinc -E a.c
}

@test "depfiles: -Wp,-MD and -Wp,-MMD" {
	differential --makes "a.o x.d" -- gcc -Wp,-MD,x.d -Iinc -c a.c
	differential --makes "a.o x.d" -- gcc -Wp,-MMD,x.d,-MT,tt -Iinc -c a.c
}

@test "depfiles: compile and link, several sources" {
	put m.c 'int main(void) { return 0; }'
	differential --makes "prog" -- gcc -MMD -Iinc m.c a.c -o prog
	differential --makes "m.d a.d m.o a.o" -- gcc -MMD -Iinc -c m.c a.c
}

@test "depfiles: deleted after use, as ninja does, comes back" {
	differential --makes a.d -- gcc -MMD -Iinc -c a.c
	under gcc -MMD -Iinc -c a.c
	[ -e a.d ]
	cp a.d first
	rm a.d
	under gcc -MMD -Iinc -c a.c
	cmp a.d first
}

@test "depfiles: an existing .d is written over" {
	put a.d old
	put a.o old
	differential --fresh --makes "a.d a.o" -- gcc -MMD -Iinc -c a.c
}

@test "depfiles: a header's new include is a miss and stands in the .d" {
	differential -- gcc -MMD -Iinc -c a.c
	put inc/b.h '#define B 2'
	put inc/a.h '#include "b.h"' '#define A B'
	again miss
	grep -q 'inc/b.h' "$ROOT/r/warm.tree/a.d"
}

@test "depfiles: a deleted header" {
	differential -- gcc -MMD -Iinc -c a.c
	rm inc/a.h
	again miss:input --status 1
}

@test "depfiles: warnings and a .d together" {
	put a.c '#include "a.h"' '#warning here' 'int v = A;'
	differential --makes "a.d a.o" -- gcc -MD -Wall -Iinc -c a.c
	[ -s "$ROOT/r/warm.err" ]
}

# bats test_tags=check
@test "depfiles: DEPENDENCIES_OUTPUT and SUNPRO_DEPENDENCIES" {
	differential --cold any --makes deps --env "DEPENDENCIES_OUTPUT=deps" -- gcc -Iinc -c a.c
	differential --cold any --makes deps --env "SUNPRO_DEPENDENCIES=deps" -- gcc -Iinc -c a.c
	# The variables append to the file.
	put deps before
	differential --fresh --cold any --makes deps --env "DEPENDENCIES_OUTPUT=deps" -- \
		gcc -Iinc -c a.c
	rm deps
	differential --cold any --env "DEPENDENCIES_OUTPUT=one" -- gcc -Iinc -c a.c
	differential --cold any --makes two --env "DEPENDENCIES_OUTPUT=two tgt" -- gcc -Iinc -c a.c
}

@test "depfiles: -MJ and clang's -MD" {
	need clang
	differential --makes "a.o a.d" -- clang -MD -Iinc -c a.c
	differential --makes "a.o a.json" -- clang -MJ a.json -Iinc -c a.c
}

# bats test_tags=check
@test "depfiles: -MJ over an old file, and what clang appends to" {
	need clang
	local v
	put a.json before
	differential --fresh --cold any --warm any -- clang -MJ a.json -Iinc -c a.c
	for v in CC_PRINT_HEADERS CC_LOG_DIAGNOSTICS CC_PRINT_OPTIONS; do
		rm -f log
		differential --cold any --warm any --makes log --env "$v=1"$'\n'"${v}_FILE=log" -- \
			clang -Iinc -c a.c
		put log before
		again any --fresh
		grep -q before "$ROOT/r/plain.tree/log" || fail "$v: this clang writes anew"
	done
}

@test "depfiles: the linker's --dependency-file" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	differential --makes "prog prog.d" --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc m.o -o prog -Wl,--dependency-file=prog.d
}

@test "depfiles: a file without a directory, whose name does not end in .d" {
	put a.c 'int a;'
	for dep in deps x.dep; do
		differential --makes "$dep one.o" -- gcc -c a.c -MD -MF $dep -o one.o
		again hit --makes "$dep another.o" -- gcc -c a.c -MD -MF $dep -o another.o
		grep -q '^another.o:' "$ROOT/r/warm.tree/$dep"
	done
}
