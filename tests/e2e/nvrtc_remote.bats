#!/usr/bin/env bats
# Compilers inside a process, and the remote store. A process of one node compiles, a process of
# another node replays, through fetcher and publisher. A remote store in trouble; foreign entries.

setup() {
	load lib
	load redis
	load remote_lib
	load nvrtc
	remote_setup
	need_nvrtc
	kernel k | job j -arch=sm_90
}
teardown() { remote_teardown; }

# bats test_tags=check
@test "nvrtc remote: one node compiles, another replays" {
	start
	on a
	differential --warm hit -- "$RUN" "$NVRTC" o j
	drain
	fresh b
	rm -rf o
	under "$RUN" "$NVRTC" o j >/dev/null
	[ "$(stat_of hits_remote)" = 1 ] ||
		fail "hits_remote $(stat_of hits_remote), misses $(stat_of misses)"
	[ "$(stat_of nvrtc_hits)" = 1 ]
	[ "$(stat_of misses)" = 0 ]
	"$RUN" "$NVRTC" plain j >/dev/null
	cmp o/j/CUBIN plain/j/CUBIN
	cmp o/j/PTX plain/j/PTX
	# The node's own store has the result now.
	redis_kill main
	rm -r o
	under "$RUN" "$NVRTC" o j >/dev/null
	[ "$(stat_of hits_local)" = 1 ]
	cmp o/j/CUBIN plain/j/CUBIN
}

# bats test_tags=check
@test "nvrtc remote: nvJitLink's links as well" {
	start
	on a
	two_ltoir_job
	under "$LINK" "$NVJITLINK" o l >/dev/null
	mv o first
	drain
	fresh b
	under "$LINK" "$NVJITLINK" o l >/dev/null
	[ "$(stat_of hits_remote)" = 1 ] ||
		fail "$(reprise stats; reprise explain 3; tail -5 "$LOG")"
	[ "$(stat_of nvjitlink_hits)" = 1 ]
	diff -r first o
}

two_ltoir_job() {
	local i
	echo 'extern __device__ float f(float);
		extern "C" __global__ void k(float *a) { *a = f(*a); }' |
		job m1 -arch=sm_90 -dlto -rdc=true
	echo '__device__ float f(float x) { return x * 3; }' | job m2 -arch=sm_90 -dlto -rdc=true
	"$RUN" "$NVRTC" made m1 m2 >/dev/null
	mkdir l
	printf '%s\n' -arch=sm_90 -lto >l/options
	for i in 1 2; do
		cp "made/m$i/LTOIR" "l/$i.ltoir"
		echo "data 3 $i.ltoir input$i"
	done >l/inputs
}

# bats test_tags=check
@test "nvrtc remote: the two nodes have different headers" {
	start
	on a
	put a.h '#define A 1'
	job j -arch=sm_90 <<<'#include "a.h"
	extern "C" __global__ void k(int *o) { *o = A; }'
	age
	under "$RUN" "$NVRTC" o j >/dev/null
	drain
	fresh b
	put a.h '#define A 2'
	age
	rm -r o
	under "$RUN" "$NVRTC" o j >/dev/null
	[ "$(stat_of hits_remote)" = 0 ]
	"$RUN" "$NVRTC" plain j >/dev/null
	cmp o/j/CUBIN plain/j/CUBIN
	put a.h '#define A 1'
	age
	rm -r o plain
	under "$RUN" "$NVRTC" o j >/dev/null
	"$RUN" "$NVRTC" plain j >/dev/null
	cmp o/j/CUBIN plain/j/CUBIN
}

@test "nvrtc remote: a server that is not there costs no compile" {
	start
	redis_kill main
	on a
	"$RUN" "$NVRTC" plain j >/dev/null
	local i
	for i in 1 2; do
		rm -rf o
		under "$RUN" "$NVRTC" o j >/dev/null
		diff -r plain o
	done
	[ "$(stat_of hits_local)" = 1 ]
	[ "$(stat_of errors)" = 0 ]
}

@test "nvrtc remote: REPRISE_REMOTE_CLASSES without compile asks and offers nothing" {
	start
	on a
	export REPRISE_REMOTE_CLASSES=triton
	under "$RUN" "$NVRTC" o j >/dev/null
	[ "$(redis_cli main dbsize)" = 0 ]
	[ "$(stat_of remote_asked)" = 0 ]
}

# bats test_tags=long
@test "nvrtc remote: unsigned entries are refused where trust is asked for" {
	start
	on a
	under "$RUN" "$NVRTC" o j >/dev/null
	drain
	reprise keygen "$ROOT/key" >/dev/null
	fresh b
	export REPRISE_TRUST=$ROOT/key.pub
	under "$RUN" "$NVRTC" o2 j >/dev/null
	[ "$(stat_of hits_remote)" = 0 ]
	cmp o/j/CUBIN o2/j/CUBIN
}

# bats test_tags=check
@test "nvrtc remote: bytes that do not decode as answers are refused" {
	start
	on a
	under "$RUN" "$NVRTC" o j >/dev/null
	# The store's result with another output in its place.
	local f
	f=$(find "$STORE" -type f -path '*/r*/*' -size +1k | head -n 1)
	[ -n "$f" ] || fail "no result entry found to damage"
	printf x | dd of="$f" bs=1 seek=200 conv=notrunc status=none
	rm -r o
	under "$RUN" "$NVRTC" o j >/dev/null
	"$RUN" "$NVRTC" plain j >/dev/null
	cmp o/j/CUBIN plain/j/CUBIN
	[ "$(stat_of corrupt)" = 1 ]
}

# bats test_tags=check
@test "nvrtc remote: candidates of other nodes are checked before they are stored" {
	start
	on a
	age
	under "$RUN" "$NVRTC" o j >/dev/null
	drain
	local k1 what forge
	: >sparse
	truncate -s 17G sparse
	forge=$(helper remote_forge)
	k1=$(redis_cli main --scan --pattern 'reprise:1:m:*' | sed 's/.*{\(.*\)}.*/\1/')
	[ -n "$k1" ]
	for what in "elsewhere $k1" "file 1 A/proc/self/pagemap" "file 1 A/usr/../dev/zero" \
		"set foo" \
		"file 1 C../../../../../../../../../../proc/self/pagemap" "file 1 Csparse"; do
		on a
		REDIS_URL=$REPRISE_REDIS_URL node forger "$forge" "$k1" $what ||
			fail "$what was not put there"
		fresh b
		rm -rf o plain
		under "$RUN" "$NVRTC" o j >/dev/null
		[ "$(stat_of refused_entries)" -ge 1 ] || fail "$what: nothing was refused"
		[ "$(stat_of nvrtc_misses)" = 1 ] || fail "$what: it was believed"
		"$RUN" "$NVRTC" plain j >/dev/null
		cmp o/j/CUBIN plain/j/CUBIN
		drain
	done
}

# bats test_tags=check
@test "nvrtc remote: a result of another node that Reprise would not store is refused" {
	start
	on a
	under "$RUN" "$NVRTC" o j >/dev/null
	drain
	local k1 what forge
	forge=$(helper remote_forge)
	k1=$(redis_cli main --scan --pattern 'reprise:1:m:*' | sed 's/.*{\(.*\)}.*/\1/')
	[ -n "$k1" ]
	"$RUN" "$NVRTC" plain j >/dev/null
	for what in "wall 18000000000000000000" "answers 11" "answers 5" "output answer"; do
		REDIS_URL=$REPRISE_REDIS_URL node forger "$forge" "$k1" $what ||
			fail "$what was not put there"
		fresh b
		rm -rf o
		under "$RUN" "$NVRTC" o j >/dev/null
		[ "$(stat_of nvrtc_misses)" = 1 ] || fail "$what: it was believed"
		diff -r plain o
		drain
	done
}
