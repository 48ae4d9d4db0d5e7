#!/usr/bin/env bats
# nvcc and another node: results of the parent action and of each step reach the other node.

setup() {
	load lib
	load redis
	load remote_lib
	load cuda
	remote_setup
	need_nvcc
	cuda_source a.cu
}
teardown() { remote_teardown; }

# bats test_tags=check
@test "nvcc remote: the parent action is replayed on another node" {
	start
	across --cold any --mask "$XFT" --makes a.o -- nvcc -c a.cu
	[ "$(stat_of misses)" = 0 ] || fail "something ran on the other node"
	across --cold any --mask "$XFT" --makes "a.o a.d" -- nvcc -MD -rdc=true -c a.cu -o a.o
}

# bats test_tags=long
@test "nvcc remote: an edit on another node runs no device step" {
	start
	on a
	under nvcc -c a.cu
	drain
	fresh b
	sed -i 's/return 1;/return 2;/' a.cu
	age
	under nvcc -c a.cu
	[ "$(grep -c 'cicc: hit' "$LOG")" = 1 ] || fail "cicc ran"
	[ "$(grep -c 'ptxas: hit' "$LOG")" = 1 ] || fail "ptxas ran"
	nvcc -c a.cu -o real.o
	LC_ALL=C sed -E -i "$XFT" a.o real.o
	cmp a.o real.o
}
