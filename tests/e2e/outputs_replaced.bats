#!/usr/bin/env bats
# How an existing output changes: written in place, removed first, or replaced by a rename, as the
# program does it (tools/tool.h, enum write_style).

setup() {
	load lib
	case_setup
	source_with_header 'int a(int x) { return x + A; }'
}
teardown() { case_teardown; }

@test "outputs_replaced: in place keeps the inode, unlink makes a new one" {
	under gcc -S a.c -o p.s
	under gcc -c a.c -o p.o
	age
	local t k
	for k in plain reprise; do
		rm -f x.s x.o
		put x.s old
		put x.o old
		ln x.s keep.s
		ln x.o keep.o
		if [ $k = plain ]; then
			gcc -S a.c -o x.s && gcc -c a.c -o x.o
		else
			under gcc -S a.c -o x.s && under gcc -c a.c -o x.o
		fi
		echo "$(stat -c %h x.s x.o keep.s keep.o | tr '\n' ' ')" >"links.$k"
		rm -f keep.s keep.o
	done
	cmp links.plain links.reprise
}

@test "outputs_replaced: an assembler's output over an empty file" {
	: >a.o
	under gcc -c a.c -o a.o
	# A file with content is replaced by a new file, too.
	echo old >a.o
	chmod 600 a.o
	ln a.o other.o
	under gcc -c a.c -o a.o
	[ "$(cat other.o)" = old ] || fail "the other name was written over"
	gcc -c a.c -o want.o
	cmp a.o want.o
	[ "$(stat -c %a a.o)" = "$(stat -c %a want.o)" ]
	: >a.o
	under gcc -c a.c -o a.o
	cmp a.o want.o
	[ "$(stat_of hits_local)" -ge 1 ]
}

# lay_old FILE STATE: puts an old file in place before a program makes FILE.
lay_old() {
	rm -f "$1" other
	case $2 in
	nothing) ;;
	named) put "$1" old && chmod 600 "$1" && ln "$1" other ;;
	link) put other old && ln -s other "$1" ;;
	dangling) ln -s other "$1" ;;
	empty) : >"$1" && chmod 600 "$1" && ln "$1" other ;;
	esac
}

# over_each_state FILE HIT COMMAND...: recorded over nothing, then over the old file in each state.
# HIT is "hit" if the first record serves both, and "any" otherwise.
over_each_state() {
	local file=$1 hit=$2 state first
	shift 2
	lay_old "$file" nothing
	differential --fresh --makes "$file" -- "$@" || fail "$*"
	for state in named nothing link named; do
		lay_old "$file" $state
		first=any
		[ $state = named ] || first=hit
		again "${first/any/$hit}" || fail "$*, over $state"
		hit=hit
	done
	for state in dangling empty; do
		lay_old "$file" $state
		again any || fail "$*, over $state"
	done
	lay_old "$file" nothing
	again hit || fail "$*"
}

# bats test_tags=check
@test "outputs_replaced: lld replaces its outputs, and writes listings in place" {
	need ld.lld
	gcc -fPIC -c a.c
	over_each_state out hit ld.lld -shared a.o -o out
	over_each_state out any ld.lld -shared --no-mmap-output-file -Map=out.map a.o -o out
	over_each_state out any ld.lld -r --no-mmap-output-file a.o -o out
	over_each_state map any ld.lld -shared -Map=map a.o -o out
	over_each_state dep hit ld.lld -shared --dependency-file=dep a.o -o out
}

# bats test_tags=check
@test "outputs_replaced: clang removes its diagnostics, and writes dependency files in place" {
	need clang
	put a.c '#warning x' 'int a;'
	over_each_state a.dia any clang --serialize-diagnostics a.dia -c a.c
	over_each_state a.d hit clang -MD -MF a.d -c a.c
	over_each_state a.json hit clang -MJ a.json -c a.c
}

# bats test_tags=check
@test "outputs_replaced: a script that removes the output first" {
	put_script mygcc '#!/bin/sh' 'rm -f a.o' 'exec gcc "$@"'
	RPENV+=(REPRISE_TOOLS=+mygcc)
	over_each_state a.o any ./mygcc -c a.c
}

@test "outputs_replaced: what another process puts in an output's place meanwhile is not stored" {
	put a.c 'int a(int x) { return x * 3; }'
	put b.s '.globl b' 'b: .long 7'
	age
	gcc -O2 -c a.c -o want.o
	as b.s -o b.o
	while [ ! -e stop ]; do cp b.o c.o && mv c.o a.o; done &
	for n in 1 2 3; do
		env "${RPENV[@]}" gcc -O2 -c a.c -o a.o
	done
	touch stop
	wait
	env "${RPENV[@]}" gcc -O2 -c a.c -o got.o
	cmp want.o got.o
	env "${RPENV[@]}" gcc -O2 -c a.c -o again.o
	cmp want.o again.o
}

# a.c takes ten times as long as b.c. The file's first case makes what each shall become.
two_sources() {
	{ echo 'int f(int);' && numbered 1000 'int a%d(int x) { return f(x) + %d * %d; }'; } >a.c
	{ echo 'int f(int);' && numbered 100 'int b%d(int x) { return f(x) - %d * %d; }'; } >b.c
	age
	local kept=$BATS_FILE_TMPDIR/want
	[ -e "$kept" ] || {
		mkdir "$kept.new"
		gcc -O2 -S a.c -o "$kept.new/a.want"
		gcc -O2 -S b.c -o "$kept.new/b.want"
		mv "$kept.new" "$kept"
	}
	cp "$kept"/*.want .
}

# Runs the command as soon as a.c's compiler, in the background, has made the output.
meanwhile() {
	rm -f out.s
	under gcc -O2 -S a.c -o out.s &
	until [ -e out.s ]; do sleep 0.01; done
	sleep 0.05
	"$@"
	[ -d /proc/$! ] || fail "a.c was compiled before the other process wrote its output"
	wait $!
}

# Each of the sources gets its own text, whatever the store holds.
neither_is_wrong() {
	local name
	for name in a b; do
		rm -f out.s
		under gcc -O2 -S "$name.c" -o out.s
		cmp "$name.want" out.s
	done
}

shared_count() {
	local -A c
	stats_read c
	echo "${c[reason_output-shared]:-0}"
}

# bats test_tags=check
@test "outputs_replaced: two compilers that write one output are not stored" {
	two_sources
	meanwhile under gcc -O2 -S b.c -o out.s
	[ "$(shared_count)" = 2 ] || fail "$(shared_count) of 2"
	neither_is_wrong
}

# bats test_tags=check
@test "outputs_replaced: a compiler whose output a replay writes is not stored" {
	two_sources
	under gcc -O2 -S b.c -o out.s
	meanwhile under gcc -O2 -S b.c -o out.s
	[ "$(shared_count)" = 1 ] || fail "$(shared_count) of 1"
	neither_is_wrong
}

# bats test_tags=check
@test "outputs_replaced: an output that a program of another kind has open to write it" {
	two_sources
	hold() {
		exec 5<>out.s
		printf '#other\n' >&5
	}
	meanwhile hold
	exec 5>&-
	[ "$(shared_count)" = 1 ] || fail "$(shared_count) of 1"
	neither_is_wrong
}

@test "outputs_replaced: a device that another compiler writes is no output" {
	age
	exec 5>/dev/null
	flock 5
	under gcc -E -MD -MF /dev/null a.c -o a.i
	exec 5>&-
	[ "$(stat_of unstored)" = 0 ] && [ "$(stat_of misses)" = 1 ] || fail "$(cat "$LOG")"
}

@test "outputs_replaced: a wrapper that keeps a file open, and waits for a program that locks it" {
	mkdir bin
	put_script bin/as '#!/bin/sh' 'exec 3>>"$LOGGED"' 'flock -w 5 "$LOGGED" true || exit 1' \
		"exec $(command -v as) \"\$@\""
	age
	LOGGED=$PWD/log differential --cold any --warm any -- gcc -B bin/ -c a.c
}
