#!/usr/bin/env bats
# The steps below nvcc are actions of their own. After an edit only steps with changed inputs run. A
# link of replayed steps gives what a real run gives.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load cuda
	cuda_setup
}
teardown() { case_teardown; }

# built [CMD]: under Reprise, compared with a real run. RAN gets the steps that ran for real, each
# with its count.
declare -gA RAN
built() {
	local -a command=(nvcc -c a.cu -o a.o)
	[ $# = 0 ] || command=("$@")
	age
	rm -f "$LOG" a.o
	under "${command[@]}" || fail "status $?"
	mv a.o ours.o
	"${command[@]}"
	mv a.o real.o
	LC_ALL=C sed -E -i "$XFT" ours.o real.o
	cmp real.o ours.o || fail "another object than a real run's"
	RAN=([cudafe++]=0 [cicc]=0 [ptxas]=0 [fatbinary]=0 [nvlink]=0 [nvcc]=0)
	local tool rest
	while read -r _ _ _ tool rest; do
		case $rest in
		miss:*) RAN[${tool%:}]=$((${RAN[${tool%:}]-0} + 1)) ;;
		unstored:*) fail "$tool $rest" ;;
		esac
	done <"$LOG"
}
ran() { # TOOL COUNT ...
	while [ $# -gt 0 ]; do
		[ "${RAN[$1]}" = "$2" ] || { fail "$1 ran ${RAN[$1]} times, not $2"; return 1; }
		shift 2
	done
}
edit() { sed -i "$1" a.cu; }

TWO=(-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90)

# bats test_tags=check
@test "nvcc steps: an edit that only the host pass sees runs no device step" {
	built
	ran nvcc 1 cicc 1 ptxas 1 fatbinary 1
	edit 's/return 1;/return 2;/'
	built
	ran nvcc 1 cudafe++ 1 cicc 0 ptxas 0 fatbinary 0
	edit 's/return 2;/return 1;/'
	built
	ran nvcc 0
}
# bats test_tags=long
@test "nvcc steps: an edit of other host code runs cicc, and ptxas not" {
	built
	edit 's/return 10;/return 11;/'
	built
	ran nvcc 1 cicc 1 ptxas 0 fatbinary 0
	edit '1i// a line more'
	built
	ran nvcc 1 ptxas 0
}
# bats test_tags=long
@test "nvcc steps: an edit of device code runs all" {
	built
	edit 's/2.0f/3.0f/'
	built
	ran nvcc 1 cicc 1 ptxas 1 fatbinary 1
}
# bats test_tags=long
@test "nvcc steps: one more architecture is compiled alone" {
	built nvcc "${TWO[@]}" -c a.cu -o a.o
	ran cicc 2 ptxas 2
	built nvcc "${TWO[@]}" -gencode arch=compute_75,code=sm_75 -c a.cu -o a.o
	ran cicc 1 ptxas 1
	# The cubin has another name now, which does not change the result.
	built nvcc "${TWO[@]}" -gencode arch=compute_75,code=[sm_75,compute_75] -c a.cu -o a.o
	ran cicc 0 ptxas 0
}
# bats test_tags=check
@test "nvcc steps: the same kernel in another directory runs no ptxas" {
	built
	mkdir deeper
	mv a.cu deeper/
	cd deeper
	built
	ran nvcc 1 ptxas 0
}
# bats test_tags=long
@test "nvcc steps: an anonymous namespace follows the source's path" {
	put a.cu 'namespace { __global__ void k(int *p) { *p = 1; } }' \
		'void l(int *p) { k<<<1, 1>>>(p); }'
	built
	mkdir deeper
	mv a.cu deeper/
	cd deeper
	built
	ran cicc 1 ptxas 1
	built nvcc -rdc=true -c a.cu -o a.o
	cd ..
	mv deeper/a.cu a.cu
	built nvcc -rdc=true -c a.cu -o a.o
}
# bats test_tags=long
@test "nvcc steps: a source without an external symbol gets another id in each run" {
	local flag o id
	put s.cu 'namespace { __global__ void k(int *p) { *p = 1; } }' \
		'static int q() { k<<<1, 1>>>(0); return 0; }' 'static int z = q();'
	put m.cc 'int main() { return 0; }'
	g++ -c m.cc
	age
	for flag in "" -rdc=true; do
		for o in a b c d; do
			# shellcheck disable=SC2086 # a word or none
			under nvcc $flag -c s.cu -o $o.o
		done
		for o in a b c d; do
			id=$(nm $o.o | grep -oE '_s_cu_[0-9a-f]{8}_[0-9]+' | sort | uniq -c |
				sort -n | tail -1) && [ -n "$id" ] || fail "no id in $o.o"
			echo "${id##* }"
		done | sort | uniq -d >twice
		[ ! -s twice ] || fail "$flag: $(cat twice) in two objects"
		nvcc $flag m.o a.o b.o c.o d.o -o m || fail "$flag: they do not link"
		# The parent action knows the inputs of its steps.
		rm "$LOG"
		cp d.o first.o
		# shellcheck disable=SC2086
		under nvcc $flag -c s.cu -o d.o
		grep -q 'nvcc: hit' "$LOG" && cmp first.o d.o || fail "$flag: $(cat "$LOG")"
	done
	echo '// more' >>s.cu
	age
	rm "$LOG"
	under nvcc -c s.cu -o d.o
	grep -q 'nvcc: miss' "$LOG" && ! grep -q 'nvcc: unstored' "$LOG" || fail "$(cat "$LOG")"
}
# bats test_tags=check
@test "nvcc steps: a header that changed, appeared, or is found earlier" {
	put inc/h.h '#define V 1.0f'
	edit '1i#include "h.h"'
	edit 's/2.0f/V/'
	built nvcc -Iearlier -Iinc -c a.cu -o a.o
	put inc/h.h '#define V 2.0f'
	built nvcc -Iearlier -Iinc -c a.cu -o a.o
	ran nvcc 1 ptxas 1
	put earlier/h.h '#define V 3.0f'
	built nvcc -Iearlier -Iinc -c a.cu -o a.o
	ran nvcc 1 ptxas 1
	# All steps are replayed now. What they read is still an input of the parent action.
	rm -r earlier
	built nvcc -Iearlier -Iinc -c a.cu -o a.o
	ran nvcc 0
}
# bats test_tags=long
@test "nvcc steps: inputs of replayed steps are inputs of the parent action" {
	put h.h '#define V 1.0f'
	edit '1i#include "h.h"'
	edit 's/2.0f/V/'
	built
	# Another parent action with the same steps: all its steps are replayed.
	built nvcc -c a.cu -o a.o -Xptxas -O3 -DUNUSED
	built nvcc -c a.cu -o a.o -Xptxas -O3 -DUNUSED
	ran nvcc 0
	put h.h '#define V 2.0f'
	built nvcc -c a.cu -o a.o -Xptxas -O3 -DUNUSED
	ran nvcc 1 ptxas 1
	put h.h '#define V 1.0f'
	built
	ran nvcc 0
	put h.h '#define V 4.0f'
	built
	ran nvcc 1
}
# bats test_tags=check
@test "nvcc steps: a file that the step before has just written is not too new to be an input" {
	need_mounts
	unshare --pid --fork true 2>/dev/null || skip "namespaces of pids are not permitted here"
	put cc '#!/bin/sh' 'for f in "$TMPDIR"/tmpxft_*.fatbin.c; do' \
		'[ ! -e "$f" ] || touch -d "+1 hour" "$f"; done' 'exec g++ "$@"'
	chmod +x cc
	age
	# The host source holds nvcc's pid. With an equal pid, the same source occurs twice.
	under unshare --pid --fork --kill-child nvcc -ccbin "$W/cc" -c a.cu -Xptxas -O3
	rm "$LOG"
	under unshare --pid --fork --kill-child nvcc -ccbin "$W/cc" -c a.cu -Xptxas -O2
	! grep 'g++.*: unstored' "$LOG" || fail "the compile of the host pass was not stored"
	[ "$(grep -c 'g++.*: miss' "$LOG")" = 3 ] && ! grep 'g++.*a host compile' "$LOG" ||
		fail "g++ was not recorded three times"
}
# bats test_tags=long
@test "nvcc steps: -lineinfo holds the source's path and time" {
	built nvcc -lineinfo -c a.cu -o a.o
	touch -d '2021-02-03' a.cu
	built nvcc -lineinfo -c a.cu -o a.o
	touch -d '2022-02-03' a.cu
	built nvcc -lineinfo -c a.cu -o a.o
}
# bats test_tags=long
@test "nvcc steps: steps of the host pass are recorded from their second run on" {
	# gcc runs four times: for its version, as preprocessor for host and device, and as the
	# compiler.
	local first='miss: first run here of a host compile below another compiler'
	built nvcc -Xptxas -O3 -c a.cu -o a.o
	ran cudafe++ 1 cicc 1
	[ "$(grep -c "gcc.*$first" "$LOG") $(grep -c "cudafe.*$first" "$LOG")" = "3 1" ] ||
		fail "$(cat "$LOG")"
	built nvcc -Xptxas -O2 -c a.cu -o a.o
	ran cudafe++ 1 cicc 0 ptxas 1
	# The compile is not recorded: its source holds nvcc's pid. The version question is
	# preprocessed at once.
	[ "$(grep -c "$first" "$LOG")" = 1 ] && [ "$(grep -c 'gcc[^:]*: miss' "$LOG")" = 3 ] ||
		fail "$(cat "$LOG")"
	built nvcc -Xptxas -O1 -c a.cu -o a.o
	ran cudafe++ 0 cicc 0 ptxas 1
	# The preprocessed text does not hold the name of its file.
	[ "$(grep -c 'gcc[^:]*: hit' "$LOG")" = 3 ] || fail "$(cat "$LOG")"
	built nvcc -Xptxas -O0 -c a.cu -o a.o
	ran cudafe++ 0 cicc 0 ptxas 1
	[ "$(grep -c 'gcc[^:]*: hit' "$LOG")" = 3 ] || fail "$(cat "$LOG")"
	reprise stats | grep -q ' 7  first ' || fail "$(reprise stats)"
	# The parent action knows the inputs that the traced steps read.
	built nvcc -Xptxas -O3 -c a.cu -o a.o
	ran nvcc 0
	edit 's/return 10;/return 11;/'
	built nvcc -Xptxas -O3 -c a.cu -o a.o
	ran nvcc 1
}
# bats test_tags=long
@test "nvcc steps: with REPRISE_NEST=0 only the parent action is replayed" {
	RPENV+=(REPRISE_NEST=0)
	built
	ran nvcc 1 cicc 0 ptxas 0
	built
	ran nvcc 0
	edit 's/return 1;/return 2;/'
	built
	ran nvcc 1 cicc 0
}
# bats test_tags=long
@test "nvcc steps: two runs differ in tmpxft names alone" {
	# nvcc_step_names_free relies on this: the files of two runs with different pids differ in
	# these names alone.
	local i f option
	for option in "" "-rdc=true" "-lineinfo" "-G" "-dlto -arch=sm_80" "-Xptxas -v" \
		"-std=c++20"; do
		for i in 1 2; do
			rm -rf now "$i" && mkdir now
			# shellcheck disable=SC2086 # words
			TMPDIR=$W/now nvcc $option -c a.cu -o now/kept.o 2>/dev/null &
			local pid=$!
			# Links are made before nvcc removes the files. They keep the content.
			while kill -0 $pid 2>/dev/null; do
				for f in now/tmpxft_*; do
					ln -f "$f" "now/kept.${f#*-}" 2>/dev/null || true
				done
			done
			wait $pid
			rm -f now/tmpxft_*
			LC_ALL=C sed -E -i "$XFT" now/kept.*
			mv now "$i"
		done
		[ "$(ls 1/kept.* | wc -l)" -ge 4 ] ||
			fail "only $(ls 1/kept.* | wc -l) files were seen"
		for f in 1/kept.*; do
			[ -e "2/${f#1/}" ] || continue
			# Under -G a cubin holds the name of its PTX, and results hold it
			# compressed. ptxas is bound then.
			case $option:$f in -G:*.cubin | -G:*.fatbin* | -G:*.o) continue ;; esac
			cmp "$f" "2/${f#1/}" || fail "$option: $f"
		done
	done
}
# bats test_tags=long
@test "nvcc steps: nvcc killed at any time stores nothing wrong" {
	local i killed=0
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		edit "s/return [0-9]*; }\$/return $i; }/"
		age
		under setsid nvcc -c a.cu -o a.o &
		sleep "$(printf '0.%02d' $((i * 5 + 3)))"
		# On a fast machine nvcc may end before it is killed.
		if kill -KILL $! 2>/dev/null; then killed=$((killed + 1)); fi
		wait $! || true
		built
	done
	[ $killed -ge 6 ] || fail "only $killed of 12 were there to be killed"
}
# bats test_tags=long
@test "nvcc steps: a full temporary directory fails as uncached" {
	need_mounts
	mkdir tiny
	ROOT=$ROOT unshare -m sh -c '
		mount -t tmpfs -o size=64k none tiny
		export TMPDIR=$PWD/tiny
		env "$@" nvcc -c a.cu -o a.o 2>"$ROOT/said" && exit 9
		exit 0' sh "${RPENV[@]}" || fail "it did not fail"
	built
}
# bats test_tags=long
@test "nvcc steps: a full disk that has room again when nvcc has removed its files" {
	need_mounts
	mkdir tiny
	nvcc -M a.cu -o want
	# nvcc ends with success though its list is cut. The space that its files need is unknown;
	# in some of these sizes the list begins to fit.
	ROOT=$ROOT unshare -m sh -c '
		env=$1 TMPDIR=$PWD/tiny
		export TMPDIR
		mount -t tmpfs -o size=64m none tiny
		nvcc -M a.cu -o tiny/out.d -v --keep --keep-dir tiny >/dev/null 2>&1
		used=$(df -k --output=used tiny | tail -1)
		umount tiny
		for size in -12 -8 -4 0 4 8 12; do
			mount -t tmpfs -o size=$((used + size))k none tiny
			env $env REPRISE_CACHE_DIR="$ROOT/of$size" \
				nvcc -M a.cu -o tiny/out.d 2>/dev/null &&
				[ "$(wc -c <tiny/out.d)" -lt "$(wc -c <want)" ] &&
				echo "$size" >>"$ROOT/cut"
			umount tiny
			mount -t tmpfs -o size=64m none tiny
			env $env REPRISE_CACHE_DIR="$ROOT/of$size" \
				nvcc -M a.cu -o tiny/out.d 2>/dev/null || exit 8
			sed "s,tiny/,,;s,out,a," tiny/out.d | cmp - want || exit 9
			umount tiny
		done' sh "${RPENV[*]}" || fail "status $?"
	[ -s "$ROOT/cut" ] ||
		skip "no size of the disk at which nvcc cuts its list and says nothing"
}
# bats test_tags=long
@test "nvcc steps: a step that crashes with half an output" {
	local step how status file
	file=$W/how
	cuda_tree bin/nvcc.profile
	# The way in which the program ends is decided by a raw system call, which no trace holds.
	put crash.c '#include <fcntl.h>' '#include <signal.h>' '#include <stdio.h>' \
		'#include <string.h>' '#include <sys/syscall.h>' '#include <unistd.h>' \
		'int main(int c, char **v) { char how = 0; long fd = syscall(SYS_openat,' \
		'AT_FDCWD, HOW, O_RDONLY); if (fd >= 0) syscall(SYS_read, fd, &how, 1);' \
		'for (int i = 1; i < c - 1 && strchr("ske",' \
		'how); i++) if (how && !strcmp(v[i], "-o")) { FILE *f = fopen(v[i + 1], "w");' \
		'fputs("half", f); fclose(f); }' \
		'switch (how) { case 115: raise(SIGSEGV); case 107: raise(SIGKILL);' \
		'case 101: return 3; } v[0] = REAL; execv(REAL, v); return 126; }'
	for step in nvvm/bin/cicc bin/ptxas bin/fatbinary; do
		mv "cuda/$step" "cuda/$step.linked"
		gcc -w -DHOW="\"$file\"" -DREAL="\"$(readlink -f "cuda/$step.linked")\"" crash.c \
			-o "cuda/$step"
		for how in s k e; do
			edit "s/return [0-9]*[.]0f/return $RANDOM.0f/"
			age
			echo $how >"$file"
			status=0
			nvcc -c a.cu -o a.o >want 2>&1 || status=$?
			[ $status != 0 ] || fail "it did not fail"
			for _ in 1 2; do
				rm -f a.o
				! under nvcc -c a.cu -o a.o >said 2>&1 ||
					fail "$step, $how: ended well"
				sed -E "$XFT" said | cmp - <(sed -E "$XFT" want) ||
					fail "$step, $how: says something else"
			done
			rm "$file"
			built
		done
		mv "cuda/$step.linked" "cuda/$step"
	done
}
# bats test_tags=long
@test "nvcc steps: a temporary directory that vanishes stores nothing wrong" {
	local i
	for i in 1 2 3 4 5 6; do
		edit "s/return [0-9]*; }\$/return 2$i; }/"
		age
		mkdir -p gone
		TMPDIR=$W/gone under nvcc -c a.cu -o a.o >/dev/null 2>&1 &
		sleep "0.$((i + 1))"
		until rm -rf gone 2>/dev/null; do :; done
		wait $! || true
		built
	done
}
# bats test_tags=long
@test "nvcc steps: two containers with one pid and one store" {
	need_mounts
	unshare --pid --fork true 2>/dev/null || skip "namespaces of pids are not permitted here"
	local i j
	mkdir 1 2
	for j in 1 2 3; do
		for i in 1 2; do
			sed "s/return 10;/return $i$j;/; s/2.0f/$i.${j}f/" a.cu >$i/a.cu
			age
		done
		for i in 1 2; do
			(
				cd $i && mkdir -p tmp && TMPDIR=$PWD/tmp under unshare --pid \
					--fork --kill-child nvcc -c a.cu -o a.o
			) &
		done
		wait
		for i in 1 2; do
			(
				cd $i && nvcc -c a.cu -o real.o &&
					LC_ALL=C sed -E -i "$XFT" a.o real.o && cmp a.o real.o
			) || fail "container $i, round $j"
			rm -f "$i/a.o"
			# Each container replays what both have stored.
			(
				cd $i && under nvcc -c a.cu -o a.o &&
					LC_ALL=C sed -E -i "$XFT" a.o && cmp a.o real.o
			) || fail "container $i, round $j, again"
		done
	done
}
# bats test_tags=long
@test "nvcc steps: a step's program or nvcc.profile changed under the same nvcc" {
	local f
	cuda_tree bin/nvcc.profile bin/cudafe++ bin/ptxas bin/fatbinary nvvm/bin/cicc
	built
	ran nvcc 1
	built
	ran nvcc 0
	local -A more=([bin/ptxas]="ptxas 1 cicc 0" [nvvm/bin/cicc]="cicc 1"
		[bin/cudafe++]="cudafe++ 1" [bin/fatbinary]="fatbinary 1 ptxas 0")
	for f in "${!more[@]}"; do
		echo >>"cuda/$f" # behind what is loaded
		# shellcheck disable=SC2086 # words
		built
		ran nvcc 1 ${more[$f]}
	done
	put a.cu 'int a(void) { return V; }'
	echo 'INCLUDES += "-DV=5" $(_SPACE_)' >>cuda/bin/nvcc.profile
	built
	ran nvcc 1
	sed -i 's/DV=5/DV=6/' cuda/bin/nvcc.profile
	built
	ran nvcc 1
}
# bats test_tags=check
@test "nvcc steps: nvlink with LTO, its objects and its libNVVM" {
	cuda_two_sources
	lto_objects
	cuda_tree nvvm/lib64/libnvvm.so
	local link=(nvcc -arch=sm_80 -dlto b.o c.o -o a.o)
	built "${link[@]}"
	ran nvcc 1 nvlink 1 fatbinary 1
	built "${link[@]}"
	ran nvcc 0
	sed -i 's/2 \* x/3 * x/' b.cu
	nvcc -arch=sm_80 -dlto -dc b.cu
	built "${link[@]}"
	ran nvcc 1 nvlink 1 fatbinary 1
	# Another parent action, the same device link.
	built "${link[@]}" -Xcompiler -O1
	ran nvcc 1 nvlink 0 fatbinary 0
	echo >>cuda/nvvm/lib64/libnvvm.so # behind what is loaded
	built "${link[@]}"
	ran nvcc 1 nvlink 1 fatbinary 0
	built "${link[@]}"
	ran nvcc 0
}
