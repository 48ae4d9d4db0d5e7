#!/usr/bin/env bats
# Many starts at once: one compile, and every result is right.

setup() {
	load lib
	case_setup
	slow_source 250000
	age
}
teardown() { case_teardown; }

@test "concurrency: 8 compiles at once, other outputs" {
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do
		under "${SLOW[@]}" -o o$i.o &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	"${SLOW[@]}" -o want.o
	for i in 1 2 3 4 5 6 7 8; do cmp o$i.o want.o; done
	[ "$(stat_of errors)" = 0 ]
}

@test "concurrency: 8 identical compiles to one name, in 8 directories" {
	local i
	for i in 1 2 3 4 5 6 7 8; do mkdir d$i; cp slow.cc d$i; done
	age
	# The same command and content: single flight, whatever the directory (no -g).
	for i in 1 2 3 4 5 6 7 8; do (cd d$i && under "${SLOW[@]}") & done
	wait
	"${SLOW[@]}"
	for i in 1 2 3 4 5 6 7 8; do cmp d$i/slow.o slow.o; done
	[ "$(stat_of misses)" = 1 ] || fail "$(stat_of misses) compiles, $(stat_of hits_local) hits"
	[ "$(stat_of hits_local)" = 7 ]
}

@test "concurrency: 8 identical compiles are 1 compile" {
	local i
	for i in 1 2 3 4 5 6 7 8; do under "${SLOW[@]}" & done
	wait
	cp slow.o got.o
	"${SLOW[@]}"
	cmp slow.o got.o
	[ "$(stat_of misses)" = 1 ] || fail "$(stat_of misses) compiles, $(stat_of hits_local) hits"
}

@test "concurrency: a lock holder that is killed releases the lock" {
	local pid i
	setsid env "${RPENV[@]}" "${SLOW[@]}" -o first.o &
	pid=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.03
		[ -z "$(pgrep -g "$pid" cc1plus 2>/dev/null)" ] || break
	done
	for i in 1 2 3; do under "${SLOW[@]}" -o first.o & done
	sleep 0.05
	kill -KILL -- -"$pid" 2>/dev/null || kill -KILL "$pid"
	local start=$SECONDS
	wait
	[ $((SECONDS - start)) -lt 20 ] || fail "waited $((SECONDS - start)) s"
	"${SLOW[@]}" -o want.o
	cmp first.o want.o
	[ "$(stat_of errors)" = 0 ]
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
}

# bats test_tags=long
@test "concurrency: a lock holder that is stopped does not block the others for ever" {
	local pid start
	env "${RPENV[@]}" "${SLOW[@]}" -o first.o &
	pid=$!
	sleep 0.1
	kill -STOP "$pid"
	start=$SECONDS
	timeout 100 env "${RPENV[@]}" "${SLOW[@]}" -o first.o ||
		{ kill -KILL "$pid"; fail "the waiter ended with $?"; }
	kill -CONT "$pid"
	wait "$pid"
	"${SLOW[@]}" -o want.o
	cmp first.o want.o
}

@test "concurrency: many different compiles" {
	local i
	for i in $(seq 1 40); do put m$i.c "int v$i = $i;"; done
	age
	seq 1 40 | xargs -P 8 -I{} env "${RPENV[@]}" gcc -c m{}.c
	seq 1 40 | xargs -P 8 -I{} env "${RPENV[@]}" gcc -c m{}.c
	[ "$(stat_of misses) $(stat_of hits_local) $(stat_of errors)" = "40 40 0" ] ||
		fail "misses $(stat_of misses), hits $(stat_of hits_local)," \
			"errors $(stat_of errors)"
	for i in 1 20 40; do gcc -c m$i.c -o w.o; cmp w.o m$i.o; done
}

@test "concurrency: two versions of one source in turns" {
	put h.h '#define A 1'
	put a.c '#include "h.h"' 'int a = A;'
	local i
	for i in 1 2; do
		put h.h "#define A $i"
		age
		under gcc -c a.c -o a$i.o
	done
	for i in 1 2 1 2 1 2; do
		put h.h "#define A $i"
		age
		under gcc -c a.c -o a.o
		cmp a.o a$i.o
	done
	[ "$(stat_of hits_local)" -ge 4 ] || fail "hits $(stat_of hits_local)"
}

# bats test_tags=check
@test "concurrency: more candidates than a manifest holds" {
	put a.c '#include "h.h"' 'int a = A;'
	local i
	for i in $(seq 1 40); do
		put h.h "#define A $i"
		age
		under gcc -c a.c
	done
	under gcc -c a.c
	gcc -c a.c -o want.o
	cmp a.o want.o
	[ "$(stat_of errors)" = 0 ]
	[ "$(stat_of hits_local)" = 1 ] ||
		fail "the newest candidate is gone: hits $(stat_of hits_local)"
}

@test "concurrency: readers beside a writer, gc and clear" {
	put a.c 'int a;'
	age
	under gcc -c a.c -o want.o
	local i
	(
		for i in 1 2 3 4 5; do
			reprise gc >/dev/null 2>&1
			reprise clear --yes >/dev/null 2>&1 </dev/null || true
		done
	) &
	for i in 1 2 3 4 5 6 7 8 9 10; do
		under gcc -c a.c -o got.o
		cmp got.o want.o
	done
	wait
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "concurrency: equal actions that cannot be stored do not wait for each other" {
	put slow.cc 'const char t[] = __TIME__;' "$(cat slow.cc)"
	age
	local i t
	t=$EPOCHREALTIME
	"${SLOW[@]}" -o p.o
	for i in 1 2 3 4 5 6; do under "${SLOW[@]}" -o t$i.o & done
	wait
	for i in 1 2 3 4 5 6; do [ -s t$i.o ]; done
	[ "$(stat_of hits_local)" = 0 ]
}

# many_threads: 48 compiles of a.c at once, which are six commands with an output each.
many_threads() {
	cat >threads.py <<-'EOP'
	import concurrent.futures, subprocess, sys
	def one(i):
	    return subprocess.run(["gcc", "-c", "a.c", "-DI=%d" % (i % 6), "-o",
	                           "o%d.o" % (i % 6)]).returncode
	with concurrent.futures.ThreadPoolExecutor(12) as ex: print(sum(ex.map(one, range(48))))
	EOP
	age
	under "$PY" threads.py >got
	[ "$(cat got)" = 0 ]
	[ "$(stat_of errors)" = 0 ]
	gcc -c a.c
	local i
	for i in 0 1 2 3 4 5; do cmp a.o o$i.o; done
}

@test "concurrency: fork and compile from many threads" {
	put a.c 'int a;' '#if I > 6' 'int b;' '#endif'
	many_threads
	[ "$(stat_of misses)" = 6 ] || fail "$(stat_of misses) compiles of 6 actions"
}

# One command may get the result of another command while the first one still runs.
@test "concurrency: commands that differ in a macro that is not used" {
	local round
	for round in 1 2 3; do
		put a.c "int a = $round;"
		many_threads
	done
}
