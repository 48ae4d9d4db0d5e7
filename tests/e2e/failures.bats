#!/usr/bin/env bats
# Failures of gcc that come from the input alone are stored, as a configure script and CMake make
# them. Others run for real each time.

setup() {
	load lib
	case_setup
	put bad.c 'int x = ;'
	put want.c '#include "want.h"' 'int x = W;'
	put w.c 'int f(void) { int unused; return 0; }'
}
teardown() { case_teardown; }

# bats test_tags=check
@test "failures: an error in a source, and its end" {
	differential --status 1 -- gcc -c bad.c
	[ -s "$ROOT/r/warm.err" ] || fail "no message"
	again hit --status 1
	put bad.c 'int x = 1;'
	again miss --status 0
	put bad.c 'int x = ;'
	again hit --fresh --status 1
	put bad.c 'int x = +;'
	again miss --fresh --status 1
}

# bats test_tags=check
@test "failures: a missing header appears, in the source's directory and behind -I" {
	mkdir inc
	differential --status 1 -- gcc -Iinc -c want.c
	again hit --status 1
	put inc/want.h '#define W 1'
	again miss --status 0
	put want.h '#define W 2'
	again miss --status 0
	rm want.h inc/want.h
	again hit --fresh --status 1
	differential --status 1 -- gcc -E want.c
	put want.h '#define W 2'
	again miss --status 0
}

@test "failures: an output is there, under its name and under another" {
	differential --status 1 -- gcc -c bad.c -o bad.o
	put bad.o old
	again any --status 1
	again any --status 1
	put other.o old
	again any --status 1 -- gcc -c bad.c -o other.o
	again any --status 1 -- gcc -c bad.c -o other.o
	rm -f bad.o other.o
	# gcc leaves a dependency file.
	differential --cold unstored --warm unstored --status 1 -- gcc -MD -c bad.c
}

@test "failures: warnings as errors, C++, an #error, an unknown option" {
	differential --status 1 -- gcc -Wall -Werror -c w.c
	put e.c '#if __GNUC__ > 3' '#error no' '#endif'
	differential --status 1 -- gcc -c e.c
	put t.cc 'template <class T> struct s { typename T::x y; };' 's<int> v;'
	differential --status 1 -- g++ -c t.cc
	differential --status 1 -- gcc -V
	differential --status 1 -- gcc -qversion
}

@test "failures: in another directory, with its messages" {
	mkdir one two
	cp bad.c one
	cp bad.c two
	differential --status 1 --cd one -- gcc -c bad.c
	again hit --status 1 --cd two
}

# Compiles twice under Reprise, and asks that neither run is kept.
runs_for_real() { # REASON ARG...
	local i s why=$1
	shift
	for i in 1 2; do
		s=0
		under "$@" >"$ROOT/said" 2>&1 || s=$?
		[ $s = 1 ] || fail "$*: status $s: $(cat "$ROOT/said")"
	done
	[ "$(stat_of hits_local)" = 0 ] || fail "$*: a hit"
	[[ $(reprise explain 1) == *"unstored: $why"* ]] || fail "$*: $(reprise explain 1)"
}

@test "failures: an assembler's and a linker's run for real" {
	put a.c 'asm("nonsense");'
	put l.c 'int missing(void);' 'int main(void) { return missing(); }'
	age
	runs_for_real failed gcc -c a.c
	grep -q 'no such instruction' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	runs_for_real failed gcc l.c -o l
	grep -q 'undefined reference' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	# What the second source made is an output.
	runs_for_real failed gcc -c bad.c w.c
}

@test "failures: no directory for the output or the dependency file" {
	put a.c 'int a;'
	age
	runs_for_real failed gcc -c a.c -o none/a.o
	put a.c 'int a;' 'int x = ;'
	age
	runs_for_real failed gcc -MD -MF none/a.d -c a.c
	grep -q 'none/a.d' "$ROOT/said" || skip "this gcc looks at the text before the directory"
}

@test "failures: a full disk behind an error of the source" {
	need_mounts
	mkdir tiny
	# cc1 writes its assembly until it sees the error.
	{ printf 'int v[] = {'; yes 1, | head -n 100000; printf '};\nint x = ;\n'; } >full.c
	{ printf 'int v[] = {'; yes 1, | head -n 100000; printf '};\n'; } >good.c
	age
	ROOT=$ROOT unshare -m sh -c '
		mount -t tmpfs -o size=64k none tiny
		export TMPDIR=$PWD/tiny
		for source in good.c full.c; do
			env "$@" gcc -c $source -o x.o 2>"$ROOT/said.$source" && exit 9
		done
		exit 0' sh "${RPENV[@]}" || fail "it did not fail"
	grep -q 'No space' "$ROOT/said.good.c" || fail "$(cat "$ROOT/said.good.c")"
	under gcc -c good.c -o x.o || fail "the full disk's failure came back"
	! under gcc -c full.c -o x.o 2>"$ROOT/said" || fail "no failure"
	! grep -q 'No space' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	grep -q 'error: expected' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	[ "$(stat_of misses)" -ge 2 ] || fail "$(reprise stats)"
}

@test "failures: a compile without memory is not what is kept" {
	local s=0
	awk 'BEGIN { print "int x = ;"; for (i = 1; i < 8000; i++) {
		printf "struct s%d { int a[%d]; };\n", i, i
		printf "static inline int f%d(struct s%d *p) { return p->a[%d]; }\n", i, i, i - 1
	} }' >big.c
	age
	(ulimit -v 70000 && under gcc -c big.c) >"$ROOT/said" 2>&1 || s=$?
	[ $s = 1 ] || fail "status $s: $(cat "$ROOT/said")"
	grep -q 'error: expected' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	grep -q 'emory' "$ROOT/said" || skip "gcc does with 70 MB"
	differential --status 1 -- gcc -c big.c
	! grep -q 'emory' "$ROOT/r/warm.err" || fail "the failure without memory came back"
}

@test "failures: a pass that a signal ends" {
	mkdir bin
	put bin/as.c '#include <signal.h>' '#include <unistd.h>' \
		'int main(void) { return kill(getpid(), SIGKILL); }'
	put a.c 'int a;'
	gcc bin/as.c -o bin/as
	age
	PATH=$W/bin:$PATH runs_for_real child-alive gcc -c a.c
	grep -q 'terminated program as' "$ROOT/said" || fail "$(cat "$ROOT/said")"
}
