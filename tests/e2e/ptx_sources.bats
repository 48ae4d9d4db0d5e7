#!/usr/bin/env bats
# Up to 13.0 ptxas asks for the time and size of every source that the PTX names, and writes both
# into the line table. A hit must hold those of the current start. PTX: Triton's own
# (tests/data/ptx). Tools: every installed ptxas.

setup() {
	load lib
	load ptxas
	case_setup
	need_ptxas
}
teardown() { case_teardown; }

# sources LETTER SIZE DATE: two source files in a directory of the tests' own.
sources() {
	mkdir -p "$PWD/src-$1/sub"
	truncate -s "$2" "$PWD/src-$1/kernel_$1.py" "$PWD/src-$1/sub/helper_$1.py"
	touch -d "$3" "$PWD/src-$1/kernel_$1.py" "$PWD/src-$1/sub/helper_$1.py"
}

# ptx LETTER: a kernel that names them.
ptx() {
	cat <<-PTX
	.version 8.4
	.target sm_90a
	.address_size 64
	.visible .entry k(.param .u64 k_0)
	{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.loc 1 9 0                          // kernel_$1.py:9:0
	ld.param.u64 %rd1, [k_0];
	.loc 2 4 0                          // helper_$1.py:4:0
	ld.global.u32 %r1, [%rd1];
	add.s32 %r2, %r1, 7;
	.loc 1 10 0                         // kernel_$1.py:10:0
	st.global.u32 [%rd1], %r2;
	ret;
	}
	.file 1 "$PWD/src-$1/kernel_$1.py"
	.file 2 "$PWD/src-$1/sub/helper_$1.py"
	PTX
}

# as_real PTXAS LETTER HITS MISSES [OPTION...]: compares a start with a plain one. HITS and MISSES
# are the sums after it.
as_real() {
	ptx "$2" >k.ptx
	under "$1" "${@:5}" -lineinfo --gpu-name=sm_90a k.ptx -o k.o
	"$1" "${@:5}" -lineinfo --gpu-name=sm_90a k.ptx -o real.o
	cmp k.o real.o
	[ "$(stat_of hits_local) $(stat_of misses) $(stat_of errors)" = "$3 $4 0" ] ||
		fail "$1: hits $(stat_of hits_local), misses $(stat_of misses)," \
			"errors $(stat_of errors)"
}

@test "ptxas: times and sizes of sources, in one directory and another" {
	local p hits=0 misses=0
	for p in "${PTXAS[@]}"; do
		sources a 300 2024-05-06
		sources b 4000 2020-01-02
		as_real "$p" a $hits $((misses += 1))
		as_real "$p" a $((hits += 1)) $misses
		as_real "$p" b $((hits += 1)) $misses
		touch -d 2021-02-03 src-a/kernel_a.py
		as_real "$p" a $((hits += 1)) $misses
	done
}

# The name of a section is then a hash of the sources' paths. Their times are patched as in other
# cases.
# bats test_tags=check
@test "ptxas: -c tells sources of equal length from each other" {
	local p option hits=0 misses=0
	for p in "${PTXAS[@]}"; do
		for option in -c --compile-only; do
			sources a 300 2024-05-06
			sources b 300 2024-05-06
			as_real "$p" a $hits $((misses += 1)) $option
			as_real "$p" b $hits $((misses += 1)) $option
			touch -d 2023-01-01 src-a/kernel_a.py
			as_real "$p" a $((hits += 1)) $misses $option
		done
	done
}

@test "ptxas: a source of another size class, and one that is gone" {
	local p
	for p in "${PTXAS[@]}"; do
		sources a 300 2024-05-06
		for change in : 'truncate -s 20 src-a/kernel_a.py' 'rm src-a/kernel_a.py' \
			'rm -r src-a'; do
			$change
			ptx a >k.ptx
			under "$p" -lineinfo --gpu-name=sm_90a k.ptx -o k.o
			"$p" -lineinfo --gpu-name=sm_90a k.ptx -o real.o
			cmp k.o real.o
		done
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "ptxas: sources of a PTX that is not understood" {
	local p=${PTXAS[0]} i
	sources a 300 2024-05-06
	for i in 1 2 3; do
		{ ptx a; echo '/* a block comment */'; } >k.ptx
		under "$p" -lineinfo --gpu-name=sm_90a k.ptx -o k.o
		"$p" -lineinfo --gpu-name=sm_90a k.ptx -o real.o
		cmp k.o real.o
		touch -d "2021-02-0$i" src-a/sub/helper_a.py
	done
}

@test "ptxas: a relative source" {
	local p=${PTXAS[0]} i
	mkdir -p rel
	for i in 1 2 3; do
		echo "$i" >rel/kernel_rel.py
		touch -d "2021-02-0$i" rel/kernel_rel.py
		ptx a | sed "s#\"$PWD/src-a/kernel_a.py\"#\"rel/kernel_rel.py\"#" >k.ptx
		under "$p" -lineinfo --gpu-name=sm_90a k.ptx -o k.o
		"$p" -lineinfo --gpu-name=sm_90a k.ptx -o real.o
		cmp k.o real.o
	done
}
