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

@test "explain: a new key: the source leads, and what differs from the nearest command" {
	local i
	for i in 1 2 3 4 5 6; do put "c$i.c" "int f$i;"; done
	mkdir other
	cp c1.c other
	age
	for i in 1 2 3 4 5 6; do REPRISE_JOB=one compile -O1 c$i.c -o c$i.o; done
	run reprise explain --job one
	[[ $output == *'6 miss: new ('*'
    c1.c, c2.c, c3.c, c4.c and 2 more (--full): was not seen before
    -> '* ]] || fail "$output"
	# Of outputs that were there, the last key is compared.
	for i in 1 2 3 4 5 6; do REPRISE_JOB=two compile -O2 c$i.c -o c$i.o; done
	run reprise explain --job two
	[[ $output == *'
    c1.c, c2.c, c3.c, c4.c and 2 more (--full): argument 2: -O1 -> -O2
    -> '* ]] || fail "$output"
	# Of another output, the nearest command of the source.
	REPRISE_JOB=three compile -O2 -g c1.c -o d1.o
	run reprise explain --job three
	[[ $output == *'
    c1.c: c1.o -> d1.o, -g is new
    -> '* ]] || fail "$output"
	run reprise explain 1
	local since='in job two: c1.o -> d1.o, -g is new'
	[[ $output == *' c1.c: miss: new '*'since its run at '*" $since"* ]] ||
		fail "$output"
	reprise explain --job three --json >three
	"$PY" -c 'import json; r, = json.load(open("three"))["records"]
assert r["subject"] == "c1.c" and r["changed"] == ["c1.o -> d1.o, -g is new"], r'
	# Of another directory.
	cd other
	REPRISE_JOB=four compile -Wall c1.c -o e1.o
	run reprise explain --job four
	[[ $output == *"
    c1.c: directory $W -> $W/other, "*'-Wall'* ]] || fail "$output"
	# A new source beside others, with options of its own.
	cd ..
	put new.c 'int n;'
	age
	REPRISE_JOB=five compile -O3 new.c -o new.o
	run reprise explain --job five
	[[ $output == *'
    new.c: was not seen before; beside '*': '*' -> -O3'* ]] || fail "$output"
}

@test "explain: commands of one cause keep their source" {
	put bad.c 'asm("nonsense");'
	age
	local i
	for i in 1 2 3; do REPRISE_JOB=bad compile -O1 bad.c -o bad.o 2>/dev/null || :; done
	run reprise explain --job bad
	[[ $output == *'3 unstored: failed'*'
    gcc ... bad.c ...
    -> '* ]] || fail "$output"
}

@test "explain: a command of 5000 letters keeps its source and output" {
	local many=()
	for i in $(seq 250); do many+=("-I/no/such/directory/$i"); done
	put long.c 'int l;'
	age
	compile long.c -o l.o "${many[@]}"
	run reprise explain 1
	[[ $output == *'  gcc -c long.c -o l.o ... -I'*'/250'* ]] || fail "$output"
	compile "${many[@]}" long.c -O1 "${many[@]}" -o l2.o
	run reprise explain 1
	[[ $output == *'  gcc -c ... long.c ... -I'*'/250 -o l2.o'* ]] || fail "$output"
	run reprise explain long.c
	[[ $output == *' long.c: miss: new '*'l.o'*' long.c: miss: new '*'l2.o'* ]] ||
		fail "$output"
}

@test "explain: a directory that the result depends on is shown as people write it" {
	local d
	for d in one other; do
		mkdir $d
		put $d/a.c 'int a;'
	done
	age one/a.c other/a.c
	for d in one other; do
		(cd $d && under clang -g -c a.c)
	done
	run reprise explain 1
	[[ $output == *"miss: names"*"recorded in the directory /"*"/one"* ]] || fail "$output"
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
