#!/usr/bin/env bats
# The trace is complete: each tool under strace, kernel against trace (see audit.py).

setup() {
	load ../e2e/lib
	load audit
	case_setup
	need strace
	put m.c '#include <stdio.h>' 'int main(void) { return puts("x") < 0; }'
	put s.cc '#include <string>' 'std::string s = "x";'
	put x.s '.globl x' 'x: ret'
}
teardown() { case_teardown; }

# bats test_tags=check
@test "audit: gcc -c, -S, -E, -g, -MMD, -save-temps, dumps" {
	audit gcc -c m.c
	audit gcc -O2 -g -MMD -c m.c
	audit gcc -E m.c -o m.i
	audit gcc -S m.c
	audit gcc -save-temps -fdump-tree-optimized -O2 -c m.c -o n.o
	audit gcc -g -gsplit-dwarf -c m.c -o d.o
	audit gcc --coverage -c m.c -o c.o
	audit gcc -march=native -O3 -fopenmp -c m.c -o o.o
}

# bats test_tags=check
@test "audit: g++, and a header search that fails often" {
	audit g++ -std=c++17 -c s.cc
	audit g++ -x c++-header s.cc -o s.gch
	mkdir i1 i2 i3
	put i3/late.h 'int late;'
	put l.c '#if __has_include(<never.h>)' '#endif' '#include <late.h>'
	audit gcc -Ii1 -Ii2 -Inone -Ii3 -c l.c
}

# bats test_tags=check
@test "audit: links by bfd, gold and lld, static, shared, -r" {
	gcc -c m.c
	audit gcc m.o -o m
	audit gcc m.c -o m1
	audit gcc -static m.o -o m2
	audit gcc -shared -fPIC x.s -o x.so
	audit gcc -r -nostdlib m.o -o r.o
	need ld.gold ld.lld
	audit gcc -fuse-ld=gold m.o -o m3
	audit gcc -fuse-ld=lld m.o -o m4
	need llvm-ar
	audit llvm-ar rcs l.a m.o
}

# bats test_tags=check
@test "audit: LTO" {
	gcc -O2 -flto -c m.c
	audit gcc -O2 -flto m.o -o m
	audit gcc -O2 -flto -c m.c -o n.o
}

# bats test_tags=check
@test "audit: clang" {
	need clang ld.lld
	audit clang -c m.c
	audit clang -O2 -g m.c -o m
	audit clang -x c-header m.c -o m.pch
	audit clang -MD -MJ m.json -c m.c -o n.o
	audit clang -flto=thin -fuse-ld=lld m.c -o t
}

# bats test_tags=check
@test "audit: gfortran, which reads and writes modules" {
	need gfortran
	put m.f90 'module m' "  include 'k.inc'" 'end module'
	put k.inc '  real, parameter :: k = 2.0'
	put p.f90 'program p' '  use m' '  print *, k' 'end program'
	audit gfortran -O2 -c m.f90
	audit gfortran -J. -I/no/such -cpp p.f90 -o p
}

# bats test_tags=check
@test "audit: rustc, which reads modules and crates" {
	# A proxy of another installation may come first.
	PATH=/usr/bin:$PATH
	need rustc
	put a.rs 'pub fn add(a: i32, b: i32) -> i32 { a + b }'
	put m.rs 'mod sub;' 'fn main() { println!("{} {}", a::add(1, sub::two()), env!("HOME")); }'
	put sub.rs 'pub fn two() -> i32 { include_str!("m.s").len() as i32 }'
	put m.s two
	audit rustc --crate-type rlib a.rs
	audit rustc --extern a=liba.rlib -L dependency=none --emit link,dep-info m.rs
}

# bats test_tags=check
# bats test_tags=check
@test "audit: cc1, as, ld, ar by name" {
	gcc -c m.c
	audit "$(gcc -print-prog-name=cc1)" -quiet -imultiarch "$(gcc -print-multiarch)" m.c -o m.s
	audit as x.s -o x.o
	audit ld -r m.o -o r.o
	audit ar rcs lib.a m.o
	audit cpp m.c m.i
}

# bats test_tags=check
@test "audit: ptxas" {
	local p
	load ../e2e/ptxas
	need_ptxas
	put k.ptx '.version 7.0' '.target sm_75' '.address_size 64' '.visible .entry k() { ret; }'
	for p in "${PTXAS[@]}"; do
		audit "$p" -v -arch=sm_80 k.ptx -o k.o
		audit "$p" -lineinfo -arch=sm_90 k.ptx -o k2.o
	done
}

# bats test_tags=long
@test "audit: nvcc and all its steps, as one" {
	load ../e2e/cuda
	need_nvcc
	cuda_source a.cu
	# Steps that are actions of their own have traces of their own.
	export REPRISE_NEST=0
	audit nvcc -c a.cu
	audit nvcc -rdc=true -lineinfo -gencode arch=compute_80,code=sm_80 \
		-gencode arch=compute_90,code=[sm_90,compute_90] -c a.cu -o b.o
	audit nvcc -shared -Xcompiler -fPIC a.cu -o l.so
	audit nvcc -t 2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
		-c a.cu -o c.o
}

# bats test_tags=long
@test "audit: nvcc gets the same inputs from replayed steps as from steps that run" {
	local i=0 flags
	load ../e2e/cuda
	need_nvcc
	cuda_source a.cu
	mkdir inc
	put inc/q.h '#define Q'
	sed -i '1i#include "q.h"' a.cu
	age
	local two='-gencode arch=compute_80,code=sm_80'
	two+=' -gencode arch=compute_90,code=[sm_90,compute_90]'
	for flags in '' '-lineinfo -rdc=true' "$two"; do
		i=$((i + 1))
		mkdir "$ROOT/nested$i"
		# shellcheck disable=SC2086 # words
		"$PY" "$TOP/tests/audit/nested.py" --lib "$REPRISE_LIB" "$ROOT/nested$i" \
			nvcc -Iearly -Iinc $flags -c a.cu -o a.o || fail "status $?: $flags"
	done
}

@test "audit: a read that the trace lacks is found" {
	# No hook sees a read by a raw system call: the audit must fail on it.
	put mytool.c '#include <fcntl.h>' '#include <sys/syscall.h>' '#include <unistd.h>' \
		'#include <stdio.h>' '#include <sys/stat.h>' \
		'int main(void) { struct stat s; stat("m.c", &s); fopen("x.s", "r");' \
		'syscall(SYS_openat, AT_FDCWD, "hidden", O_RDONLY); return 0; }'
	gcc -w mytool.c -o mytool
	put hidden x
	local s out
	out=$(REPRISE_TOOLS=+mytool "$PY" "$BATS_TEST_DIRNAME/audit.py" \
		--lib "$REPRISE_LIB" ./mytool 2>&1) && s=0 || s=$?
	[ $s != 77 ] || skip "$out"
	[ $s = 1 ] || fail "status $s: $out"
	[[ $out == *"missed: read $W/hidden"* ]]
}
