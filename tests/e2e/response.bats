#!/usr/bin/env bats
# Response files.

setup() {
	load lib
	case_setup
	put a.c 'int a = A;'
	put b.c 'int a = B;'
}
teardown() { case_teardown; }

@test "response: @file; its text changes" {
	put args '-DA=1 -O2'
	differential --makes a.o -- gcc @args -c a.c
	put args '-DA=2 -O2'
	again miss
	put args '-DA=1 -O2'
	again hit
}

@test "response: nested, quoted, escaped" {
	put in2 '"-DA=1" -DB=\"x\ y\"'
	put args '@in2' "-D'C=3 4'" '-O1'
	differential --makes a.o -- gcc @args -c a.c
	put in2 '"-DA=7"'
	again miss
}

@test "response: the source and the output stand in it" {
	put args '-c a.c -o x.o -DA=1 -MMD'
	differential --makes "x.o x.d" -- gcc @args
	put args '-c b.c -o x.o -DB=1 -MMD'
	again miss
}

@test "response: missing, empty, a directory" {
	differential --cold any --status 1 -- gcc @missing -c a.c
	: >empty
	differential --makes b.o -- gcc @empty -DB=1 -c b.c
	mkdir dir
	differential --cold any --status 1 -- gcc @dir -DB=1 -c b.c
}

@test "response: a file that names itself" {
	put loop '@loop'
	local s
	gcc @loop -c b.c >/dev/null 2>&1 && s=0 || s=$?
	differential --cold any --status "$s" -- gcc @loop -c b.c
}

@test "response: in other directories, by absolute path" {
	put sub/args '-DA=1'
	differential --makes a.o -- gcc "@$W/sub/args" -c a.c
	put sub/args '-DA=3'
	again miss
}

@test "response: under a random name, as build tools write them" {
	put one.c 'int v = 1;'
	local i f
	for i in 1 2 3; do
		f=$(temp_name)
		echo "-O2 -DN=1" >"$f"
		age
		under gcc "@$f" -c one.c
		rm -f "$f" one.o
	done
	[ "$(stat_of hits_local)" -ge 1 ] || fail "no hit under a third name"
	[ "$(stat_of errors)" = 0 ]
}

@test "response: the linker's and ar's" {
	put m.c 'int a; int main(void) { return a; }'
	gcc -c m.c
	put args 'm.o -o prog'
	differential --makes prog -- gcc @args
	put largs '-r m.o -o r.o'
	differential --makes r.o -- ld @largs
	put aargs 'rcs lib.a m.o'
	differential --makes lib.a -- ar @aargs
}

# bats test_tags=long
@test "response: a hundred thousand arguments" {
	put a.s '.globl x' 'x: .long 1'
	local many
	mapfile -t many < <(yes -- -W | head -n 100000)
	differential --cold any --warm any --makes a.o -- as "${many[@]}" a.s -o a.o
	printf '%s\n' "${many[@]}" >args
	differential --cold any --warm any --makes a.o -- as @args a.s -o a.o
	# Too many arguments for the driver's own children: its message, each time.
	seq -f '-DV%.0f=1' 1 100000 >args
	differential --cold any --status 1 -- gcc @args -c a.c
}

@test "response: an empty file" {
	put one.c 'int v = 1;'
	mkdir out
	# gcc 13 passes the options for its cc1 by a file then, and -save-temps keeps it.
	local each="gcc -save-temps=obj -I. -c one.c -o out/one.o"
	differential --cold any --makes out -- $each
	: >args
	differential --cold any --makes out -- $each @args
	echo >args
	differential --cold any --makes out -- $each @args
	differential --cold any --makes out -- $each
}

@test "response: clang's, with its own quoting" {
	need clang
	put args '-DA=1' "-DS='x y'"
	differential --makes a.o -- clang @args -c a.c
	put args '-DA=2'
	again miss
}

@test "response: a file that the assembler reads, in two directories" {
	mkdir one two
	put s.c 'int f(void) { return 1; }'
	cp s.c one/
	mv s.c two/
	put opts '-g'
	local by
	for by in -Wa,@../opts '-Xassembler @../opts'; do
		differential --cold any --cd one -- gcc -pipe $by -c s.c
		again any --cd two
	done
}

@test "response: a FIFO keeps its text for the tool" {
	command -v clang >/dev/null || skip "no clang"
	# Whoever opens the FIFO takes the only text that it will hold. gcc refuses it.
	differential --cold bypass --makes a.o -- bash -c 'mkfifo args
		(echo "-DA=3" >args &)
		sleep 0.1
		timeout 10 clang @args -c a.c
		s=$?
		rm args
		exit $s'
}
