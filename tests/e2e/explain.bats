#!/usr/bin/env bats
# reprise explain: what it says of a miss and of a start that was not stored.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

compile() { under gcc -c "$@"; }

@test "explain: nothing yet" {
	run reprise explain
	[ "$status" = 0 ]
	[[ $output == "Nothing to explain"* ]]
}

@test "explain: a header that changed, an absent path that appeared" {
	mkdir inc1 inc2
	put inc2/h.h '#define V 1'
	put a.c '#include "h.h"' 'int a = V;'
	age
	compile -Iinc1 -Iinc2 a.c
	put inc2/h.h '#define V 2'
	age
	compile -Iinc1 -Iinc2 a.c
	run reprise explain 1
	[[ $output == *"input"*"inc2/h.h"* ]] || fail "$output"
	put inc1/h.h '#define V 3'
	age
	compile -Iinc1 -Iinc2 a.c
	run reprise explain 1
	[[ $output == *"inc1/h.h"* ]] || fail "$output"
}

@test "explain: an argument, the source, a variable" {
	put a.c 'int a(void) { return 1; }'
	age
	compile -O1 a.c
	run reprise explain 1
	[[ $output == *"miss: new"*"gcc -c -O1 a.c"*"was not seen before"* ]] || fail "$output"
	compile -O2 a.c
	run reprise explain 1
	[[ $output == *": -O1 -> -O2"* ]] || fail "$output"
	put a.c 'int a(void) { return 2; }'
	age
	compile -O2 a.c
	run reprise explain 1
	[[ $output == *"content of a.c changed"* ]] || fail "$output"
	CPATH=$W compile -O2 a.c
	run reprise explain 1
	[[ $output == *"CPATH"*"$W"* ]] || fail "$output"
}

@test "explain: a start that was not stored, and how many are shown" {
	put bad.c 'asm("nonsense");'
	age
	compile bad.c 2>/dev/null && return 1
	run reprise explain 1
	[[ $output == *"unstored: failed"* ]] || fail "$output"
	put a.c 'int a;'
	age
	compile a.c
	compile -O1 a.c
	[ "$(reprise explain 2 | grep -c '^20..-')" = 2 ]
	[ "$(reprise explain 1 | grep -c '^20..-')" = 1 ]
	reprise explain 1 | grep -q -- '-O1 a.c'
}

@test "explain: no control bytes reach the terminal" {
	put a.c 'int a;'
	age
	compile $'-DX="\033[31m"' a.c
	! reprise explain | grep -q $'\033' || fail "explain prints an escape"
	reprise explain | grep -qF 'x1b['
}
