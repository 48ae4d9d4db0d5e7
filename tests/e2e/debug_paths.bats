#!/usr/bin/env bats
# Debug information and the directories in it.

setup() {
	load lib
	case_setup
	one_tree one
}
teardown() { case_teardown; }

one_tree() {
	put "$1/a.c" '#include "a.h"' 'int a(int x) { return x + A; }'
	put "$1/a.h" '#define A 1'
}
comp_dir() {
	readelf --debug-dump=info "$1" 2>/dev/null | sed -n 's/.*DW_AT_comp_dir.*: //p' | head -n 1
}

# bats test_tags=check
@test "debug: -g and its relatives" {
	local o
	for o in -g -g1 -g3 -ggdb -gdwarf-4 -gdwarf-5 -gz -gz=zlib "-g -g0" -gno-column-info \
		-gstatement-frontiers; do
		differential --cd one --makes one/a.o -- gcc $o -O1 -c a.c
	done
}

# bats test_tags=check
@test "debug: from another directory" {
	one_tree two
	differential --cd one -- gcc -g -c a.c
	again hit --cd two
	[[ $(comp_dir "$ROOT/r/warm.tree/two/a.o") == */two ]]
	again hit --cd one
}

# bats test_tags=check
@test "debug: without -g directories share" {
	one_tree two
	differential --cd one -- gcc -O2 -c a.c
	again hit --cd two
	local o
	for o in "-g -g0" -gz -gz=zlib; do
		differential --cold any --warm hit --cd one -- gcc $o -c a.c
		again any --warm hit --cd two
	done
}

# bats test_tags=check
@test "debug: without -g, another header in the other directory" {
	one_tree two
	differential --cd one -- gcc -O2 -c a.c
	put two/a.h '#define A 2'
	again miss --cd two
	again hit --cd one
}

# bats test_tags=check
@test "debug: -gsplit-dwarf, .dwo beside the object" {
	differential --cd one --makes "one/a.o one/a.dwo" -- gcc -g -gsplit-dwarf -c a.c
	mkdir one/obj
	differential --cd one --makes "one/obj/x.o one/obj/x.dwo" -- \
		gcc -g -gsplit-dwarf -c a.c -o obj/x.o
	differential --cd one --makes "one/noext" -- gcc -g -gsplit-dwarf -c a.c -o noext
	differential --cd one --makes "one/two.dots.o" -- gcc -g -gsplit-dwarf -c a.c -o two.dots.o
	differential --cd one --makes "one/a.o" -- gcc -g1 -gsplit-dwarf -c a.c
	differential --cd one --cold any -- gcc -gsplit-dwarf -g0 -c a.c
}

@test "debug: -gsplit-dwarf from another directory" {
	one_tree two
	differential --cd one -- gcc -g -gsplit-dwarf -c a.c
	again miss --cd two
}

@test "debug: prefix maps" {
	one_tree two
	differential --cd one -- gcc -g "-fdebug-prefix-map=$W/one=/src" -c a.c
	[ "$(comp_dir "$ROOT/r/warm.tree/one/a.o" | tail -c 5)" = /src ] ||
		[[ $(comp_dir "$ROOT/r/warm.tree/one/a.o") == */src* ]]
	differential --cd two --cold any -- gcc -g "-fdebug-prefix-map=$W/two=/src" -c a.c
	differential --cd one --cold any -- gcc -g "-ffile-prefix-map=$W=." -c "$W/one/a.c"
	differential --cd one --cold any -- gcc -g "-fmacro-prefix-map=$W=." -c "$W/one/a.c"
}

@test "debug: -fdebug-prefix-map that fits one directory only" {
	one_tree two
	differential --cd one -- gcc -g "-fdebug-prefix-map=$W/one=/src" -c a.c
	again miss --cd two
}

@test "debug: -frecord-gcc-switches" {
	differential --cd one -- gcc -frecord-gcc-switches -O1 -c a.c
	again miss -- gcc -frecord-gcc-switches -O1 -DX -c a.c
	differential --cd one -- gcc -g -grecord-gcc-switches -c a.c
}

@test "debug: -fdebug-compilation-dir-like PWD through a link" {
	ln -s one alias
	differential --cd one -- gcc -g -c a.c
	again any --warm hit -- sh -c 'cd ../alias && gcc -g -c a.c'
	[[ $(comp_dir "$ROOT/r/warm.tree/one/a.o") == */alias ]]
	again any --warm hit -- sh -c 'cd ../one && gcc -g -c a.c'
	[[ $(comp_dir "$ROOT/r/warm.tree/one/a.o") == */one ]]
}

# bats test_tags=check
@test "debug: PWD unset, relative, wrong" {
	differential --cd one -- gcc -g -c a.c
	again any -- env -u PWD gcc -g -c a.c
	again any -- env PWD=. gcc -g -c a.c
	again any -- env PWD=/ gcc -g -c a.c
	again any -- env PWD=/no/such/place gcc -g -c a.c
	again any -- env "PWD=$W/one/../one" gcc -g -c a.c
}

@test "debug: a linked program with -g, in two directories" {
	put one/m.c 'int a(int); int main(void) { return a(0); }'
	put two/m.c 'int a(int); int main(void) { return a(0); }'
	one_tree two
	differential --cd one --steps 2 --makes one/prog -- gcc -g m.c a.c -o prog
	again miss --cd two
}

@test "debug: assembler sources with -g" {
	put one/s.s '.globl s' '.text' 's: ret'
	mkdir two
	cp one/s.s two
	differential --cd one -- gcc -g -c s.s
	again miss --cd two
}

# line_directives TOOL: .loc in assembler text, in one directory and then in another.
line_directives() {
	mkdir two
	put one/s.s '.text' '.file 1 "x.c"' '.globl s' 's: .loc 1 1 0' 'ret'
	cp one/s.s two
	differential --cd one -- "$1" -c s.s
	again miss --cd two
	differential --cd one --cold any -- "$1" -Wa,--compress-debug-sections=zlib -c s.s
	again miss --cd two
}

# bats test_tags=check
@test "debug: gcc: .loc in assembler text enters the directory" {
	line_directives gcc
}

# bats test_tags=check
@test "debug: clang: .loc in assembler text enters the directory, as a section's first string" {
	need clang
	line_directives clang
}

# bats test_tags=check
@test "debug: clang -g from another directory" {
	need clang
	one_tree two
	differential --cd one -- clang -g -c a.c
	again miss --cd two
	differential --cd one -- clang -O2 -c a.c
	again hit --cd two
	differential --cd one --makes one/a.dwo -- clang -g -gsplit-dwarf -c a.c
}

# bats test_tags=long
@test "debug: the assembler's own -g" {
	put one/s.s '.globl s' '.text' 's: ret'
	mkdir two
	cp one/s.s two
	local o
	for o in -Wa,-g -Wa,--gdwarf-5 '-Xassembler -g' -Wa,--gen-debug; do
		differential --cd one --cold any --warm hit -- gcc $o -c s.s
		again any --warm hit --cd two
		[[ $(comp_dir "$ROOT/r/warm.tree/two/s.o") == */two ]] ||
			fail "$o: $(comp_dir "$ROOT/r/warm.tree/two/s.o")"
	done
	differential --cd one --cold any --warm hit -- as -g s.s -o s.o
	again any --warm hit --cd two
}

@test "debug: listings with the assembler's particulars" {
	# -ag writes the date and time.
	put one/s.s '.globl s' 's: ret'
	under as -ag=l1 one/s.s -o s.o
	grep -qi 'time stamp' l1
	rm s.o
	differential --cold any --warm any --filter '/time stamp/d' -- as -ag one/s.s -o s.o
	sleep 1
	under as -ag one/s.s -o s.o >l2
	! cmp -s <(grep -i 'time stamp' l2) <(grep -i 'time stamp' l1) ||
		fail "an old time was replayed"
}

@test "debug: -E -g and -fworking-directory name the directory" {
	one_tree two
	differential --cd one -- gcc -E -g a.c
	again any --warm hit --cd two
	differential --cd one --cold any --warm hit -- gcc -E -fworking-directory a.c
	again any --warm hit --cd two
}

# bats test_tags=check
@test "debug: diagnostics that name the directory" {
	one_tree two
	put one/w.c 'int f(void) { int unused; return 0; }'
	cp one/w.c two
	local o seen=0
	# Each gcc version knows some of these options.
	for o in -fdiagnostics-format=json -fdiagnostics-format=json-stderr \
		-fdiagnostics-format=sarif-stderr -fdiagnostics-absolute-paths; do
		(cd one && gcc $o -Wall -c w.c -o /dev/null 2>/dev/null) || continue
		differential --cd one --cold any --warm hit -- gcc $o -Wall -c w.c
		again any --warm hit --cd two
		seen=$((seen + 1))
	done
	[ $seen -gt 0 ]
	need clang
	differential --cd one --cold any --warm hit -- \
		clang -fdiagnostics-absolute-paths -Wall -c w.c
	again any --warm hit --cd two
}

# bats test_tags=long
@test "debug: clang's embedded command lines, -MJ, -ffile-compilation-dir" {
	need clang
	one_tree two
	local o seen=0
	for o in -fembed-bitcode -frecord-command-line '-MJ a.json' -ffile-compilation-dir=/x \
		'-emit-llvm' '-fembed-bitcode=marker'; do
		(cd one && clang $o -c a.c -o /dev/null 2>/dev/null) || continue
		rm -f one/a.json
		differential --cd one --cold any --warm hit -- clang $o -c a.c
		again any --warm hit --cd two
		seen=$((seen + 1))
	done
	[ $seen -gt 3 ] || fail "this clang knows $seen of them"
}

# bats test_tags=long
@test "debug: sanitizers and asserts contain the source's name, not the directory" {
	one_tree two
	put one/s.c '#include <assert.h>' 'int g[4]; int f(int i) { assert(i < 4); return g[i]; }'
	cp one/s.c two
	local o
	for o in -fsanitize=address -fsanitize=undefined -fsanitize=thread -DX; do
		differential --cd one --cold any --warm hit -- gcc $o -O1 -c s.c
		again any --warm hit --cd two
	done
}

# bats test_tags=check
@test "debug: lines in assembler text hold the directory without -g" {
	need clang
	one_tree two
	put one/l.c '__asm__(".file 1 \"g.y\"\n .loc 1 3 1");' 'int f(int a) { return a + 1; }'
	put one/m.S '.file 1 "g.y"' '.loc 1 3 1' 'nop'
	cp one/l.c one/m.S two
	differential --cd one -- gcc -c l.c
	again miss --cd two
	[[ $(comp_dir "$ROOT/r/warm.tree/two/l.o") == */two ]]
	again hit --cd one
	differential --cd one --cold any --warm hit -- gcc -c m.S
	again any --warm hit --cd two
	[[ $(comp_dir "$ROOT/r/warm.tree/two/m.o") == */two ]]
	differential --cd one --cold any --warm hit -- clang -c m.S
	again any --warm hit --cd two
	# An object without a directory serves both directories.
	differential --cd one -- gcc -c a.c
	again hit --cd two
}
