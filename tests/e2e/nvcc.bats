#!/usr/bin/env bats
# nvcc as a parent action, in its forms: the second run is one hit.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load cuda
	cuda_setup
	cuda_two_sources
}
teardown() { case_teardown; }

TWO='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90'

# bats test_tags=check
@test "nvcc: -c" { cuda --makes a.o -- nvcc -c a.cu; }
# bats test_tags=long
@test "nvcc: -c -o, options of host and device" {
	# ptxas -v says how long it took.
	XFT+=';s/Compile time = [0-9.]+ ms/Compile time = T ms/'
	cuda --makes x.o -- nvcc -O3 -std=c++17 --expt-relaxed-constexpr -Xcompiler -fPIC,-Wall \
		-Xptxas -v,-O2 -DX=1 -I. -c a.cu -o x.o
}
# bats test_tags=check
@test "nvcc: -c with an output of another name" {
	local alone="-gencode arch=compute_80,code=sm_80"
	mkdir sub
	cuda --makes x.o -- nvcc $alone -c a.cu -o x.o
	again hit -- nvcc $alone -c a.cu -o y.o
	again hit -- nvcc $alone -c a.cu -o sub/a-longer-name.o
}
# bats test_tags=long
@test "nvcc: -cubin, -ptx, -fatbin" {
	cuda --makes a.cubin -- nvcc -cubin a.cu
	cuda --makes a.ptx -- nvcc -ptx a.cu
	cuda --makes a.fatbin -- nvcc -fatbin a.cu
}
# build_dirs_nvcc.bats has more forms.
# bats test_tags=check
@test "nvcc: -ltoir, -optix-ir" {
	cuda --makes a.ltoir -- nvcc -arch=sm_80 -dlto -ltoir a.cu
	cuda --makes a.optixir -- nvcc -optix-ir a.cu
}
# bats test_tags=long
@test "nvcc: -dc, -rdc of two sources, -dlink" {
	cuda --makes b.o -- nvcc -dc b.cu
	cuda --makes "b.o c.o" -- nvcc -rdc=true -c b.cu c.cu
	nvcc -rdc=true -c b.cu c.cu
	cuda --makes d.o -- nvcc -dlink b.o c.o -o d.o
}
# bats test_tags=long
@test "nvcc: compile and link in one, -shared, -lib" {
	cuda --makes x -- nvcc -rdc=true b.cu c.cu -o x
	cuda --makes l.so -- nvcc -shared -Xcompiler -fPIC a.cu -o l.so
	cuda --makes l.a -- nvcc -lib a.cu -o l.a
	# Each architecture's nvlink adds to the list of the one before.
	cuda --makes l.so -- nvcc -shared -Xcompiler -fPIC $TWO a.cu -o l.so
	cuda --makes x -- nvcc $TWO -t 2 b.cu -rdc=true c.cu -o x
}
# bats test_tags=long
@test "nvcc: link with LTO" {
	lto_objects
	cuda --makes x -- nvcc -arch=sm_80 -dlto b.o c.o -o x
	cuda --makes d.o -- nvcc -arch=sm_80 -dlto -dlink b.o c.o -o d.o
	rm b.o c.o
	cuda --makes x -- nvcc -arch=sm_80 -dlto -rdc=true b.cu c.cu -o x
	cuda --makes l.so -- \
		nvcc -arch=sm_80 -dlto -rdc=true -shared -Xcompiler -fPIC b.cu c.cu -o l.so
}
@test "nvcc: -E, -M" {
	cuda -- nvcc -E a.cu
	cuda -- nvcc -M a.cu
}
# bats test_tags=long
@test "nvcc: dependency files beside a compile" {
	cuda --makes "a.o a.d" -- nvcc -MD -c a.cu -o a.o
	cuda --makes "a.o z.d" -- \
		nvcc -c a.cu --generate-dependencies-with-compile --dependency-output z.d
	cuda --makes "a.o y.d" -- nvcc -MMD -MF y.d -MT target -MP -c a.cu
}
# bats test_tags=long
@test "nvcc: several architectures, threads" {
	# shellcheck disable=SC2086 # words
	cuda --makes a.o -- nvcc $TWO -gencode arch=compute_89,code=[sm_89,compute_89] -c a.cu
	# shellcheck disable=SC2086
	cuda --makes a.o -- nvcc -t 4 $TWO -gencode arch=compute_89,code=sm_89 -c a.cu
	cuda --makes a.o -- nvcc -split-compile=2 -c a.cu
}
# bats test_tags=long
@test "nvcc: -lineinfo; -G -g, whose outputs differ in each real run" {
	cuda --makes a.o -- nvcc -lineinfo -c a.cu
	cuda --ignore a.o --makes a.o -- nvcc -G -g -c a.cu
}
# bats test_tags=long
@test "nvcc: -odir, -objtemp, --keep" {
	mkdir od kd
	cuda --makes "od/a.o od/b.o" -- nvcc -odir od -c a.cu b.cu
	cuda --makes a.o -- nvcc -objtemp -c a.cu -o a.o
	cuda --makes "a.o kd/a.ptx kd/a.cudafe1.cpp" -- nvcc --keep --keep-dir kd -c a.cu
}
# bats test_tags=long
@test "nvcc: --options-file is read, and a changed one is a miss" {
	put o.txt '-O1 -DX=2'
	cuda --makes a.o -- nvcc --options-file o.txt -c a.cu
	put o.txt '-O1 -DX=3'
	put a.cu 'int a(void) { return X; }'
	cuda_again
	put o.txt '-O1 -DX=4'
	cuda_again
}
# bats test_tags=long
@test "nvcc: NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS" {
	put a.cu 'int a(void) { return X; }'
	cuda --env NVCC_APPEND_FLAGS=-DX=5 -- nvcc -c a.cu
	cuda --env NVCC_APPEND_FLAGS=-DX=6 -- nvcc -c a.cu
	cuda --env NVCC_PREPEND_FLAGS=-DX=7 -- nvcc -c a.cu
	# cicc's allocator reports that the variable is malformed.
	again any --env $'NVCC_PREPEND_FLAGS=-DX=7\nMALLOC_CONF=1'
}
# bats test_tags=long
@test "nvcc: a variable that only the shell of a step expands" {
	put n.cc 'int x = X;'
	cuda --makes n.o --env FOO=5 --warm any -- nvcc -c '-DX=$FOO' n.cc -o n.o
	again any --warm any --env FOO=7
	! grep -q 'nvcc: hit' "$LOG" || fail "$(grep 'nvcc:' "$LOG")"
	# Variables that nvcc sets for its steps are not the caller's.
	cuda -- nvcc -c a.cu
}
# bats test_tags=long
@test "nvcc: -march=native of the host compiler" {
	cuda --makes a.o -- nvcc -Xcompiler -march=native -c a.cu
}
# bats test_tags=long
@test "nvcc: -arch=native: steps are replayed, the parent action is not, with or without driver" {
	local word
	cuda --makes a.o --warm any -- nvcc -arch=native -c a.cu
	cuda --makes a.o --warm any --env NVCC_APPEND_FLAGS=-arch=native -- nvcc -c a.cu
	! grep -q 'nvcc: hit' "$LOG" || fail "a driver's answer was kept"
	for word in cicc ptxas fatbinary; do
		grep -q "$word: hit" "$LOG" || fail "$word was not served"
	done
	grep -q "nvcc: unstored: .* asked for the GPUs here" "$LOG" || fail "$(grep 'nvcc:' "$LOG")"
}
# bats test_tags=long
@test "nvcc: flags that say native, in variables or among others, are keyed by the processor" {
	cuda --env NVCC_APPEND_FLAGS='-Xcompiler -march=native' -- nvcc -c a.cu
	cuda --env NVCC_PREPEND_FLAGS='-Xcompiler -march=native' --env REPRISE_NEST=0 -- \
		nvcc -c a.cu
	cuda --makes a.o -- nvcc -Xcompiler '-O1 -march=native' -c a.cu
}
# bats test_tags=long
@test "nvcc: if only a step names the processor, the parent action is not stored" {
	cuda_tree bin/nvcc.profile
	echo 'INCLUDES += -march=native $(_SPACE_)' >>cuda/bin/nvcc.profile
	nvcc --dryrun -c a.cu 2>&1 | grep 'gcc.*-march=native' >/dev/null ||
		{ nvcc --dryrun -c a.cu >&2; fail "nvcc's profile is read otherwise"; }
	# Traced, recorded and replayed steps report the same.
	local i
	for i in 3 2 3; do
		cuda --warm any -- nvcc -Xptxas -O$i -c a.cu
	done
	[ "$(grep -c "nvcc: unstored: .* the processor's features" "$LOG")" = 6 ] ||
		fail "the whole was stored"
	# Nor is the parent action stored if no step is recorded.
	for i in REPRISE_NEST=0 REPRISE_TOOLS=-gcc,-g++; do
		rm -f "$LOG"
		cuda --warm any --env $i -- nvcc -Xptxas -O1 -c a.cu
		[ "$(grep -c "nvcc: unstored: .* the processor's features" "$LOG")" = 2 ] ||
			fail "$i: $(grep 'nvcc:' "$LOG")"
	done
}
# bats test_tags=long
@test "nvcc: a response file that only the host compiler reads says native" {
	put flags.txt '-march=native'
	local i
	for i in REPRISE_NEST=0 REPRISE_NEST=1; do
		rm -f "$LOG"
		cuda --warm any --env $i -- nvcc -Xcompiler @flags.txt -c a.cu
		[ "$(grep -c "nvcc: unstored: .* the processor's features" "$LOG")" = 2 ] ||
			fail "$i: $(grep 'nvcc:' "$LOG")"
	done
	put flags.txt '-O1'
	cuda --env REPRISE_NEST=0 -- nvcc -Xcompiler @flags.txt -c a.cu
}
# bats test_tags=check
@test "nvcc: a result with another line table is replayed only where REPRISE_SLOPPY accepts it" {
	local d
	mkdir "$ROOT/one" "$ROOT/second"
	age
	for d in one second; do
		cp a.cu "$ROOT/$d/"
	done
	age
	for d in one second; do
		(cd "$ROOT/$d" && under env REPRISE_SLOPPY=lineinfo nvcc -lineinfo -cubin a.cu) ||
			fail "status $?"
	done
	grep -q 'ptxas: hit' "$LOG" || fail "ptxas was not served"
	(
		cd "$ROOT/second" && under nvcc -lineinfo -cubin a.cu && mv a.cubin ours &&
			nvcc -lineinfo -cubin a.cu && cmp ours a.cubin
	) ||
		fail "another's line table"
	rm -f "$LOG"
	(cd "$ROOT/second" && under env REPRISE_SLOPPY=lineinfo nvcc -lineinfo -cubin a.cu)
	grep -q 'nvcc: hit' "$LOG" || fail "nor did who accepts them get it"
}
# bats test_tags=long
@test "nvcc: equal headers, of one time or of two, and a shell that becomes what it runs" {
	need_mounts
	mkdir one two
	put one/h.h '#pragma once' '__device__ int N = 1;'
	cp -p one/h.h two/h.h
	put k.cu '#define N A' '#include "one/h.h"' '#undef N' '#define N B' '#include "two/h.h"'
	age
	local at
	for at in 0 0 2020-01-01 2020-01-01; do
		[ $at = 0 ] || touch -d $at two/h.h
		unshare -m \
			sh -c 'mount --bind "$(readlink -f /bin/bash)" "$(readlink -f /bin/sh)" &&
			exec "$@"' sh \
			env "${RPENV[@]}" nvcc -ptx k.cu -o 1.ptx
		nvcc -ptx k.cu -o 2.ptx
		cmp 1.ptx 2.ptx || fail "$at"
	done
	grep -q 'nvcc: hit' "$LOG" || fail "the whole was never served"
}
# bats test_tags=long
@test "nvcc: C++ and C sources, -x cu" {
	put h.cpp 'int h(void) { return 3; }'
	cuda --makes h.o -- nvcc -c h.cpp
	cuda --makes h.o -- nvcc -x cu -c h.cpp
}
# bats test_tags=long
@test "nvcc: clang as the host compiler" {
	need clang
	cuda --makes a.o -- nvcc -ccbin clang -allow-unsupported-compiler -c a.cu
}
# bats test_tags=long
@test "nvcc: with ccache before the host compiler the parent action is not stored" {
	need ccache
	local i before
	mkdir links
	ln -s "$(command -v ccache)" links/g++
	export CCACHE_DIR=$ROOT/ccache
	for i in 1 2; do
		under nvcc -ccbin "$W/links/g++" -c a.cu -o a.o
		nvcc -ccbin "$W/links/g++" -c a.cu -o real.o
		LC_ALL=C sed -E -i "$XFT" a.o real.o
		cmp a.o real.o
		rm a.o
	done
	[ "$(grep -c 'nvcc: unstored: .*ccache' "$LOG")" = 2 ] || fail "$(grep 'nvcc:' "$LOG")"
	[ "$(grep -c 'ptxas: hit' "$LOG")" = 1 ] || fail "ptxas was not served"
	# Reprise put no file into ccache's directory.
	before=$(find "$CCACHE_DIR" -type f | sort)
	rm -rf "$CCACHE_DIR"
	under nvcc -ccbin g++ -c a.cu -o a.o
	[ ! -e "$CCACHE_DIR" ] || fail "$before"
}
# bats test_tags=check
@test "nvcc: steps are served below an nvcc that runs for real" {
	put r.cu '#include <cstdio>' '__global__ void k() {}' \
		'int main() { puts("ran"); return 0; }'
	under nvcc -run r.cu -o r >/dev/null
	rm -f "$LOG"
	under nvcc -run r.cu -o r >said
	[ "$(cat said)" = ran ]
	[ "$(grep -c 'nvcc: bypass' "$LOG")" = 1 ]
	[ "$(grep -c 'ptxas: hit' "$LOG")" = 1 ] || fail "ptxas was not served"
	[ "$(grep -c 'cicc: hit' "$LOG")" = 1 ] || fail "cicc was not served"
}
# bats test_tags=check
@test "nvcc: --version, -v" {
	cuda -- nvcc --version
	cuda --makes a.o -- nvcc -v -c a.cu -o a.o
}
# bats test_tags=check
@test "nvcc: errors are as uncached, and not stored" {
	put bad.cu '__global__ void k(int *p) { *p = undefined; }'
	differential --cold any --warm any --status any --filter "$XFT" -- nvcc -c bad.cu
	differential --cold any --warm any --status any --filter "$XFT" -- nvcc -c gone.cu
	put bad.cu '__global__ void k(int *p) { asm volatile("nonsense;"); }'
	differential --cold any --warm any --status any --filter "$XFT" -- nvcc -c bad.cu
	put bad.cu '#if __CUDACC__' '#warning seen' '#endif' 'int x;'
	cuda --makes bad.o -- nvcc -c bad.cu
}
# bats test_tags=long
@test "nvcc: --run and --clean-targets run for real" {
	under nvcc -c a.cu
	differential --fresh --cold bypass:arguments -- nvcc --clean-targets -c a.cu
	put r.cu '#include <cstdio>' 'int main() { puts("ran"); return 0; }'
	differential --cold any --warm any --makes a.out --mask "$XFT" -- nvcc -run r.cu
	grep -q 'nvcc: bypass' "$LOG" || fail "--run was served"
}
# bats test_tags=check
@test "nvcc: a replayed object is the recorded one, messages contain the pid of this start" {
	local pid
	under nvcc -c a.cu
	mv a.o first.o
	under nvcc -c a.cu
	grep -q 'nvcc: hit' "$LOG" || fail "no hit"
	cmp first.o a.o
	[ "$(strings a.o | grep -o 'tmpxft_[0-9a-f]*' | sort -u | wc -l)" = 1 ]
	# So a link of the object is the same action.
	under g++ -shared -fPIC a.o -o a.so
	rm a.o a.so
	under nvcc -c a.cu
	under g++ -shared -fPIC a.o -o a.so
	[ "$(grep -c 'g++-*[0-9]*: hit' "$LOG")" = 1 ] || fail "the link ran again"
	cuda -- nvcc --dryrun -c a.cu
	pid=$(under sh -c 'printf %08x $$; exec nvcc --dryrun -c a.cu 2>said')
	grep -q "tmpxft_${pid}_" said ||
		fail "not $pid: $(grep -o 'tmpxft_[0-9a-f]*' said | sort -u)"
	[ "$(grep -o 'tmpxft_[0-9a-f]*' said | sort -u | wc -l)" = 1 ]
}
# bats test_tags=long
@test "nvcc: the temporary directory, where debug information names it" {
	local d
	mkdir "$ROOT/ta" "$ROOT/tlonger"
	age
	for d in ta ta tlonger ta; do
		rm -f "$LOG"
		TMPDIR=$ROOT/$d under nvcc -g -c a.cu
		[ "$(strings -a a.o | grep -o "$ROOT/t[a-z]*" | sort -u)" = "$ROOT/$d" ] ||
			fail "$d: $(strings -a a.o | grep "$ROOT/t" | head -3)"
	done
	grep -q 'nvcc: hit' "$LOG" || fail "it was never served"
	for d in ta ta tlonger; do
		rm -f "$LOG"
		TMPDIR=$ROOT/$d under nvcc -g -Xcompiler -gz -c a.cu
		objcopy --decompress-debug-sections a.o plain.o
		[ "$(strings -a plain.o | grep -o "$ROOT/t[a-z]*" | sort -u)" = "$ROOT/$d" ] ||
			fail "$d, compressed: $(strings -a plain.o | grep "$ROOT/t" | head -3)"
	done
	# Without debug information TMPDIR does not matter.
	TMPDIR=$ROOT/ta under nvcc -c a.cu
	rm -f "$LOG"
	TMPDIR=$ROOT/tlonger under nvcc -c a.cu
	grep -q 'nvcc: hit' "$LOG" || fail "$(grep 'nvcc:' "$LOG")"
}
# bats test_tags=long
@test "nvcc: --run by a variable runs the program each time" {
	local v said
	put t.cu '#include <cstdio>' '#include <ctime>' \
		'int main() { timespec t; clock_gettime(CLOCK_REALTIME, &t);' \
		'printf("%ld.%09ld\n", (long)t.tv_sec, (long)t.tv_nsec); return 0; }'
	put run.txt --run
	age
	for v in NVCC_APPEND_FLAGS=--run NVCC_PREPEND_FLAGS=--run \
		"NVCC_APPEND_FLAGS=--options-file run.txt"; do
		said=$(for _ in 1 2 3; do under env "$v" nvcc t.cu -o t; done) || fail "$v: $said"
		[ "$(sort -u <<<"$said" | grep -c '^[0-9]*[.][0-9]*$')" = 3 ] || fail "$v: $said"
	done
	# The times that nvcc prints differ in each run, too.
	rm -f "$LOG"
	for _ in 1 2; do under env NVCC_APPEND_FLAGS=-time=- nvcc -c a.cu >/dev/null; done
	[ "$(grep -c 'nvcc: bypass' "$LOG")" = 2 ] || fail "$(grep nvcc: "$LOG")"
}
# bats test_tags=long
@test "nvcc: -v and --dryrun print PATH" {
	local option
	for option in --dryrun -v; do
		cuda -- nvcc $option -c a.cu
		cuda_again --env "PATH=$PATH:/elsewhere"
		grep -q '^#[$] PATH=.*:/elsewhere' "$ROOT/r/warm.err" ||
			fail "$option: $(grep PATH= "$ROOT/r/warm.err")"
		again hit --warm hit
		! grep -q /elsewhere "$ROOT/r/warm.err" || fail "$option: an old PATH was replayed"
	done
	# Other commands do not depend on PATH.
	cuda -- nvcc -c a.cu
	again hit --warm hit --env "PATH=$PATH:/elsewhere"
}
# bats test_tags=long
@test "nvcc: __TIME__ and __DATE__ are not stored" {
	local side word
	for side in '' __device__; do
		for word in __TIME__ __DATE__; do
			put a.cu "$side const char *t(void) { return $word; }"
			age
			rm -f "$LOG"
			under nvcc -c a.cu
			under nvcc -c a.cu
			[ "$(grep -c 'nvcc: unstored' "$LOG")" = 2 ] ||
				fail "$side $word: the whole was stored"
		done
	done
}
# bats test_tags=check
@test "nvcc: eight equal starts at once are one tree of steps" {
	local i pids=() runs
	for i in 1 2 3 4 5 6 7 8; do
		mkdir "$i"
		cp a.cu "$i/"
	done
	age
	for i in 1 2 3 4 5 6 7 8; do
		under nvcc -c a.cu -o "$i/a.o" &
		pids+=($!)
	done
	wait "${pids[@]}"
	nvcc -c a.cu -o real.o
	for i in real 1/a 2/a 3/a 4/a 5/a 6/a 7/a 8/a; do LC_ALL=C sed -E -i "$XFT" $i.o; done
	for i in 1 2 3 4 5 6 7 8; do cmp real.o $i/a.o; done
	runs=$(grep -c 'cicc: miss' "$LOG")
	[ "$runs" = 1 ] || fail "cicc ran $runs times"
}
