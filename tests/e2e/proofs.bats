#!/usr/bin/env bats
# REPRISE_PROOFS: for each proof a hit that rests on it. It is counted under the proof's name. With
# the proof off it is a miss that says so, and what is recorded then serves no such start.

setup() {
	load lib
	load wrappers_lib
	case_setup
	PTY="$PY $BATS_TEST_DIRNAME/on_pty.py"
}
teardown() { case_teardown; }

# store NAME [SETTING]: an empty store.
store() {
	use_store "$ROOT/$1"
	RPENV+=(REPRISE_JOB="$1" ${2+"REPRISE_PROOFS=$2"})
}

# counted NAME: the last hit of the job rests on this proof.
counted() {
	reprise stats --last --by proof --json >"$ROOT/said"
	"$PY" - "$1" "$ROOT/said" <<-'END' || fail "not counted under $1: $(cat "$ROOT/said")"
		import json, sys
		groups = json.load(open(sys.argv[2]))["proof"]
		sys.exit(groups.get(sys.argv[1], {}).get("hits", 0) < 1)
	END
}

# explained NAME: the last miss needs this proof.
explained() {
	reprise explain 2 >"$ROOT/said"
	grep -q "a hit needs the proof $1, which is off" "$ROOT/said" ||
		fail "$1: $(cat "$ROOT/said")"
}

# rests NAME FIRST SECOND [OPTION...]: texts for sh, each of which starts one tool.
rests() {
	local name=$1 first=$2 second=$3
	shift 3
	store "$name-on"
	differential "$@" --warm none -- sh -c "$first" || return 1
	again hit --warm none -- sh -c "$second" || return 1
	counted "$name" || return 1
	# The same candidate, and the proof is off.
	RPENV+=(REPRISE_PROOFS="-$name")
	again hit --warm none -- sh -c "$first" || return 1
	rm -rf "$RUNTIME"
	store "$name-asked"
	differential "$@" --warm none -- sh -c "$first" || return 1
	RPENV+=(REPRISE_PROOFS="-$name")
	again miss:proof-off --warm none -- sh -c "$second" || return 1
	explained "$name" || return 1
	again hit --warm none -- sh -c "$second" || return 1
	again hit --warm none -- sh -c "$first" || return 1
	# Recorded while it was off.
	rm -rf "$RUNTIME"
	store "$name-off" "-$name"
	differential "$@" --warm none -- sh -c "$second" || return 1
	store "$name-off"
	again miss --warm none -- sh -c "$first"
}

# dirs TEXT... : a.c in two directories. A text's @ is the directory's number.
dirs() {
	local d
	for d in 1 2; do put "dir$d/a.c" "${@//@/$d}"; done
}
# temps FILE TEXT...: the same in two directories with generated names.
temps() {
	local d file=$1
	shift
	for d in tmpa1b2c3d4 tmpq9w8e7r6; do put "$d/$file" "$@"; done
}
# in_temps CMD: a text in which TEMP is the first and then the second of them.
in_temps() { echo "${1//TEMP/tmpa1b2c3d4}"; }
in_other() { echo "${1//TEMP/tmpq9w8e7r6}"; }

@test "proofs: comments" {
	dirs '/* word @@ */' 'int a = 1; // the @'
	rests comments 'cd dir1; gcc -c a.c' 'cd dir2; gcc -c a.c'
}

# bats test_tags=check
@test "proofs: comments of a header, with another proof off" {
	put dir1/a.h '/* one */'
	put dir2/a.h '/* the other one */'
	dirs '#include "a.h"' 'int a = 1;'
	rests comments 'cd dir1; gcc -c a.c' 'cd dir2; gcc -c a.c'
	store both -comments,-defines
	differential --warm none -- sh -c 'cd dir1; gcc -c a.c'
	again miss -- sh -c 'cd dir2; gcc -c a.c'
	store all
	differential -- sh -c 'cd dir1; gcc -c a.c'
	RPENV+=(REPRISE_PROOFS=-all)
	again miss:proof-off -- sh -c 'cd dir2; gcc -c a.c'
	reprise explain 1 | grep -q "a hit needs the proofs comments, names, which are off" ||
		fail "$(reprise explain 1)"
	store all-off -all
	differential -- sh -c 'cd dir1; gcc -c a.c'
	again miss -- sh -c 'cd dir2; gcc -c a.c'
}

# gcc reads no comment at the end of a source a second time: the key leaves it out as well.
# bats test_tags=check
@test "proofs: comments at the end of a C++ source" {
	put dir1/a.cc 'int a = 1;' '// one'
	put dir2/a.cc 'int a = 1;' '// two' '// three'
	rests comments 'cd dir1; g++ -c a.cc' 'cd dir2; g++ -c a.cc'
	rests comments 'cd dir1; g++ -c -Wp,-DX a.cc' 'cd dir2; g++ -c -Wp,-DX a.cc'
}

# bats test_tags=check
@test "proofs: defines" {
	put a.c 'int a = 1;'
	rests defines 'gcc -c a.c -DX=1' 'gcc -c a.c -DY'
}

# bats test_tags=check
@test "proofs: names" {
	dirs 'int a = 1;'
	rests names 'cd dir1; gcc -c a.c' 'cd dir2; gcc -c a.c'
	temps a.c 'int a = 1;'
	local cmd='gcc -c "$PWD/TEMP/a.c" -o a.o'
	rests names "$(in_temps "$cmd")" "$(in_other "$cmd")"
}

# bats test_tags=check
@test "proofs: asks" {
	temps a.c 'int a = 1;'
	local cmd='gcc -c "$PWD/TEMP/a.c" -o a.o'
	rests asks "$(in_temps "$cmd")" "$(in_other "$cmd")"
}

# bats test_tags=check
@test "proofs: expanded" {
	temps tell.h '#define LOUD 0' '#if LOUD' '#define TELL(x) tell(__FILE__, x)' '#else' \
		'#define TELL(x) (x)' '#endif'
	temps a.c '#include "tell.h"' 'int f(int x) { return TELL(x); }'
	local cmd='gcc -c "$PWD/TEMP/a.c" -o a.o'
	rests expanded "$(in_temps "$cmd")" "$(in_other "$cmd")"
}

# bats test_tags=check
@test "proofs: order" {
	# gcc writes the source's name and its directory in an order that depends on both. Two names
	# of one order are taken.
	local n d=() order first=
	for n in 0 1 2 3 4 5 6 7; do
		put "tmpa1b2c3d$n/a.c" 'int a = 1;'
		gcc -g -c "$PWD/tmpa1b2c3d$n/a.c" -o plain.o
		order=$(readelf -p .debug_line_str plain.o | sed -n 's/.*\] *//p' | head -n 1)
		order=${order/tmpa1b2c3d$n/TEMP}
		rm plain.o
		[ "$order" != "${first:=$order}" ] || d+=("tmpa1b2c3d$n")
	done
	local cmd='gcc -g -c "$PWD/TEMP/a.c" -o a.o'
	rests order "${cmd//TEMP/${d[0]}}" "${cmd//TEMP/${d[1]}}"
}

@test "proofs: directory" {
	mkdir longer
	dirs 'int a = 1;'
	cp dir1/a.c longer/
	rests directory 'cd dir1; gcc -g -c a.c' 'cd longer; gcc -g -c a.c'
}

# bats test_tags=check
@test "proofs: maps" {
	mkdir longer
	dirs 'int a = 1;'
	cp dir1/a.c longer/
	local cmd='gcc -g -ffile-prefix-map=$PWD=. -c $PWD/a.c -o a.o'
	rests maps "cd dir1; $cmd" "cd longer; $cmd"
}

# bats test_tags=check
@test "proofs: outputs" {
	put a.c 'int a = 1;'
	rests outputs 'gcc -c a.c -o x.o' 'gcc -c a.c -o other.o'
}

# bats test_tags=check
@test "proofs: preprocessed" {
	temps a.hpp '#include <stddef.h>' 'size_t x;'
	local cmd='g++ "$PWD/TEMP/a.hpp" -E -P -o "$PWD/TEMP/a.i"'
	rests preprocessed "$(in_temps "$cmd")" "$(in_other "$cmd")"
}

# bats test_tags=check
@test "proofs: links" {
	# gcc writes two strings in an order that depends on the directory; here it is the same.
	local d n=0 order first=
	while [ $n -lt 2 ]; do
		d=$(temp_name)
		put "$d/a.c" 'int a(int x) { return x; }'
		put "$d/b.c" 'int b(int x) { return x; }'
		(cd "$d" && gcc -g -fPIC -c "$d/a.c" -o a.o && gcc -g -fPIC -c "$d/b.c" -o b.o)
		order=$(readelf -p .debug_line_str "$d/a.o" "$d/b.o" | sed -n 's/.*\] *//p')
		order=${order//$d/D}
		if [ -z "$first" ] || [ "$order" = "$first" ]; then
			first=$order n=$((n + 1))
			mkdir "dir$n"
			cp "$d"/*.o "dir$n/"
		fi
		rm -r "$d"
	done
	rests links 'cd dir1; gcc -shared a.o b.o -o l.so' 'cd dir2; gcc -shared a.o b.o -o l.so'
}

# bats test_tags=check
@test "proofs: streams" {
	put a.c 'int a = 1;'
	rests streams 'gcc -c a.c' "$PTY gcc -c a.c"
}

# bats test_tags=check
@test "proofs: failures" {
	put bad.c 'int x = ;'
	store on
	differential --status 1 -- gcc -c bad.c
	counted failures
	RPENV+=(REPRISE_PROOFS=-failures)
	again unstored:proof-off --status 1 --warm none
	explained failures
	store off -failures
	differential --status 1 --cold unstored:failed -- gcc -c bad.c
	put bad.c 'int x = 1;'
	again miss --status 0 --fresh
}

@test "proofs: scripts" {
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
	put_script bin/as '#!/bin/sh' "exec $(command -v as) \"\$@\""
	store on
	differential -- gcc -B bin -c a.c
	counted scripts
	RPENV+=(REPRISE_PROOFS=-scripts)
	again unstored:proof-off --warm none
	store off -scripts
	differential --cold unstored:script -- gcc -B bin -c a.c
	# Its owner vouches for it.
	RPENV+=(REPRISE_WRAPPERS="$W/bin/as")
	again miss
}

# ptx DIR: a kernel whose debug information gives kernel.py in this directory as its source.
ptx() {
	local i dir=$1 file=kernel.py
	printf '%s\n' '.version 8.4' '.target sm_90a' '.address_size 64' \
		'.visible .entry k(.param .u64 k_0)' '{' '.reg .b64 %rd<4>;' '.loc 1 9 0' \
		'ld.param.u64 %rd1, [k_0];' 'st.global.u64 [%rd1], %rd1;' 'ret;' '}' \
		".file 1 \"$dir/$file\"" '.section .debug_abbrev' '{' '.b8 1'
	printf '.b8 %d\n' 17 0 37 8 19 5 3 8 16 6 27 8 0 0 0
	printf '%s\n' '}' '.section .debug_info' '{' ".b32 $((22 + ${#file} + ${#dir}))" \
		'.b8 2' '.b8 0' '.b32 .debug_abbrev' '.b8 8' '.b8 1'
	printf '.b8 %d\n' 116 114 105 116 111 110 0 2 0
	for ((i = 0; i < ${#file}; i++)); do printf '.b8 %d\n' "'${file:i:1}"; done
	printf '.b8 0\n.b32 .debug_line\n'
	for ((i = 0; i < ${#dir}; i++)); do printf '.b8 %d\n' "'${dir:i:1}"; done
	printf '.b8 0\n}\n.section .debug_macinfo { }\n'
}

# bats test_tags=check
@test "proofs: names in PTX" {
	load ptxas
	need_ptxas
	mkdir dir1 dir2
	ptx /srv/train/job >dir1/k.ptx
	ptx /data/rank1/ab >dir2/k.ptx
	local cmd="${PTXAS[0]} -lineinfo --gpu-name=sm_90a k.ptx -o k.o"
	rests ptx "cd dir1; $cmd" "cd dir2; $cmd"
}

# bats test_tags=check
@test "proofs: hashes" {
	command -v nvcc >/dev/null || skip "no nvcc"
	local d
	for d in dir1 dir2; do
		put $d/b.cu \
			'namespace { __device__ int v; __global__ void h(int *p) { *p = v; } }' \
			'void l(int *p) { h<<<1, 1>>>(p); }'
	done
	local cmd='nvcc -gencode arch=compute_80,code=sm_80 -c b.cu'
	store on
	age
	(cd dir1 && under $cmd) && (cd dir2 && under $cmd)
	counted hashes
}

# A result that was made of a step's hit rests on what that hit rests on.
# bats test_tags=check
@test "proofs: of a step" {
	command -v nvcc >/dev/null || skip "no nvcc"
	put a.cu '__global__ void k(int *p) { *p = 1; }'
	local cmd='nvcc -gencode arch=compute_80,code=sm_80 -c a.cu'
	store steps
	age
	under $cmd
	under $cmd -Xptxas -O2
	counted names
	under $cmd -Xptxas -O2
	grep -q ' nvcc: hit' "$LOG" || fail "nvcc itself is a hit"
	RPENV+=(REPRISE_PROOFS=-names)
	under $cmd -Xptxas -O2
	grep -q ' nvcc: miss: .*needs the proof names, which is off' "$LOG" ||
		fail "$(grep ' nvcc:' "$LOG")"
}

@test "proofs: libraries" {
	load nvrtc
	need_nvrtc
	kernel k | job j -arch=sm_90
	put j/name /tmp/tmpab12cd34/k.cu
	store on
	rtc
	put j/name /tmp/tmpzz98xw76/k.cu
	again hit
	counted libraries
	RPENV+=(REPRISE_PROOFS=-libraries)
	put j/name /tmp/tmp7_q0mn5v/k.cu
	again miss:proof-off
	explained libraries
}

@test "proofs: a name that is no proof" {
	put a.c 'int a = 1;'
	store wrong '-coments,-Defines,names'
	run env "${RPENV[@]}" "$REPRISE_BIN" config
	[ $status = 1 ]
	[[ $output == *'REPRISE_PROOFS: "-coments,-Defines,names" is not '* ]] || fail "$output"
	# The words that are right hold.
	differential --warm none --warnings -- gcc -c a.c -DX
	again miss --warnings -- gcc -c a.c -DY
	grep -q 'REPRISE_PROOFS' "$LOG"
}

# bats test_tags=check
@test "proofs: the file of settings" {
	put a.c 'int a = 1;'
	put "$HOME/.config/reprise/reprise.conf" 'PROOFS=-defines'
	store conf
	differential -- gcc -c a.c -DX
	again miss -- gcc -c a.c -DY
}
