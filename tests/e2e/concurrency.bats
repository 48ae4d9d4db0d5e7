#!/usr/bin/env bats
# Many starts at once: one compile, and every result is right.

setup() {
	load lib
	case_setup
	slow_source 250000
	age
}
teardown() { case_teardown; }

# bats test_tags=check
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
	[ "$(stat_of misses)" = 1 ] || fail "$(stat_of misses) compiles"
}

# bats test_tags=check
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

# bats test_tags=check
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

# bats test_tags=check
@test "concurrency: nobody waits for a compile that is stopped" {
	local pid start
	slow_source 1000000
	age
	setsid env "${RPENV[@]}" "${SLOW[@]}" -o first.o &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ -z "$(pgrep -g "$pid" cc1plus 2>/dev/null)" ] || break
		sleep 0.02
	done
	kill -STOP "$pid"
	under "${SLOW[@]}" -o second.o
	[ "$(stat_of misses) $(stat_of errors)" = "1 0" ] || fail "misses $(stat_of misses)"
	# A wait ends long before that of a compile that goes on.
	[ "$(stat_of waited_ns)" -lt 2000000000 ] || fail "waited $(stat_of waited_ns) ns"
	kill -CONT "$pid"
	wait "$pid"
	cmp first.o second.o
}

# in_dirs N CMD...: the command in N directories at once, each with the tree of its own. An @ is
# the directory's number.
in_dirs() {
	local i n=$1 pids=()
	shift
	for i in $(seq "$n"); do
		(cd "d$i" && under "${@//@/$i}") &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || fail "status $?"; done
}

# A header that only one directory has like this decides how long a compile takes. The one that
# needs it otherwise ends while the first one still runs.
@test "concurrency: nobody waits for a compile that reads another header" {
	local pid i rounds
	for rounds in 9000000 9; do
		mkdir d$rounds
		echo "#define ROUNDS $rounds" >d$rounds/config.h
		printf '%s\n' '#include "config.h"' \
			'constexpr int f() { int s = 0;' \
			'for (int i = 0; i < ROUNDS; i++) s += i % 7;' \
			'return s; }' 'constexpr int v = f();' 'int x = v;' >d$rounds/slow.cc
	done
	age
	cd d9000000
	setsid env "${RPENV[@]}" "${SLOW[@]}" &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ -z "$(pgrep -g "$pid" cc1plus 2>/dev/null)" ] || break
		sleep 0.02
	done
	cd ../d9
	under "${SLOW[@]}"
	kill -0 "$pid" || fail "it waited for the other one"
	kill -KILL -- "-$pid"
	wait "$pid" || true
	cp slow.o got.o
	"${SLOW[@]}"
	cmp slow.o got.o
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
}

# Their results cannot be shared, which shows before they run.
# bats test_tags=check
@test "concurrency: nobody waits for a compile that is bound to other names" {
	need clang
	local i
	for i in 1 2 3 4 5 6; do
		mkdir d$i
		put d$i/a.c 'void tell(const char *);' 'void f(void) { tell(__FILE__); }'
	done
	age
	in_dirs 6 gcc -gdwarf-4 -c a.c
	in_dirs 6 clang -g -c a.c
	for i in 1 2 3 4 5 6; do
		(cd d$i && clang -g -c a.c -o want.o) && cmp d$i/a.o d$i/want.o
	done
	# Triton compiles its launchers so: in a directory of mkdtemp's, with __FILE__.
	for i in 1 2 3 4 5 6; do
		rm -rf d$i
		mkdir "$TMPDIR/tmpq8w2e4r$i"
		ln -s "$TMPDIR/tmpq8w2e4r$i" d$i
		put d$i/a.c 'void tell(const char *);' 'void f(void) { tell(__FILE__); }'
	done
	age
	in_dirs 6 gcc "$TMPDIR/tmpq8w2e4r@/a.c" -O3 -shared -fPIC \
		-o "$TMPDIR/tmpq8w2e4r@/a.so" -I"$TMPDIR/tmpq8w2e4r@"
	[ "$(stat_of waits) $(stat_of errors)" = "0 0" ] || fail "$(stat_of waits) waits"
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
}

@test "concurrency: 8 identical compiles in directories of mkdtemp's are 1 compile" {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		mkdir "$TMPDIR/tmpq8w2e4r$i"
		ln -s "$TMPDIR/tmpq8w2e4r$i" d$i
		cp slow.cc d$i
	done
	age
	in_dirs 8 "${SLOW[@]:0:${#SLOW[@]}-1}" "$TMPDIR/tmpq8w2e4r@/slow.cc" \
		-o "$TMPDIR/tmpq8w2e4r@/slow.o" -I"$TMPDIR/tmpq8w2e4r@"
	"${SLOW[@]}"
	for i in 1 2 3 4 5 6 7 8; do cmp d$i/slow.o slow.o; done
	[ "$(stat_of misses)" = 1 ] || fail "$(stat_of misses) compiles"
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
}

# bats test_tags=long
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
# bats test_tags=check
@test "concurrency: commands that differ in a macro that is not used" {
	local round
	for round in 1 2 3; do
		put a.c "int a = $round;"
		many_threads
	done
}
