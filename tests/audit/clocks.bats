#!/usr/bin/env bats
# The trace holds each call for time and chance. Each tool runs without a vdso, and clocks.py
# compares the kernel's calls with the trace.

setup() {
	load ../e2e/lib
	case_setup
	put m.c '#include <stdio.h>' 'int main(void) { return puts("x") < 0; }'
	CLOCKS=$(helper clocks)
}
teardown() { case_teardown; }

# clocks OPTION... -- COMMAND...
clocks() {
	local s out
	out=$("$PY" "$TOP/tests/audit/clocks.py" --lib "$REPRISE_LIB" \
		--helper "$CLOCKS" "$@" 2>&1) && s=0 || s=$?
	[ $s != 77 ] || skip "$out"
	[ $s = 0 ] || { printf '%s\n' "$out" | head -n 40 >&2; fail "clocks of: $*"; }
}

@test "clocks: gcc, cc1, as, ld, ar" {
	clocks gcc -O2 -g -c m.c
	gcc -S m.c
	clocks --least 0 as m.s -o m2.o
	clocks --least 0 ld -r m.o -o r.o
	clocks --least 0 ar rcs l.a m.o
}

# bats test_tags=check
@test "clocks: a link with LTO, dumps, coverage" {
	clocks gcc -flto -O2 m.c -o m
	clocks gcc -save-temps --coverage m.c -o m
}

# bats test_tags=check
@test "clocks: clang and lld" {
	need clang
	need ld.lld
	clocks clang -O2 -c m.c
	clocks clang -flto=thin -fuse-ld=lld m.c -o m
}

# bats test_tags=check
@test "clocks: gold, llvm-ar" {
	need ld.gold
	gcc -c m.c
	clocks --least 0 gcc -fuse-ld=gold m.o -o m
	need llvm-ar
	clocks --least 0 llvm-ar rcs l.a m.o
}

# bats test_tags=check
@test "clocks: gfortran" {
	need gfortran
	put m.f90 'module m' 'real, parameter :: k = 2.0' 'end module'
	put p.f90 'program p' 'use m' 'print *, k' 'end program'
	clocks gfortran -O2 -g -c m.f90
	clocks gfortran -cpp p.f90 -o p
}

# bats test_tags=check
@test "clocks: rustc" {
	# A proxy of another installation may come first.
	PATH=/usr/bin:$PATH
	need rustc
	put m.rs 'pub fn main() { println!("x"); }'
	clocks rustc -O m.rs
	clocks rustc -g --crate-type rlib m.rs
}

# bats test_tags=check
# bats test_tags=check
@test "clocks: nvcc and all its steps" {
	load ../e2e/cuda
	need_nvcc
	cuda_source a.cu
	clocks nvcc -t 2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
		-c a.cu -o c.o
	# nvlink and cicc with LTO.
	clocks nvcc -arch=sm_80 -dc a.cu -o d.o
	clocks nvcc -arch=sm_80 -dlink d.o -o l.o
	clocks nvcc -arch=sm_80 -dlto -dc a.cu -o t.o
}

# bats test_tags=check
@test "clocks: nvlink with LTO" {
	load ../e2e/cuda
	need_nvcc
	cuda_source a.cu
	nvcc -arch=sm_80 -dlto -dc a.cu -o t.o
	nvcc -arch=sm_80 -dlto -dlink t.o -o o.o ||
		skip "no libNVVM beside this nvcc, by which nvlink links with LTO"
	clocks nvcc -arch=sm_80 -dlto -dlink t.o -o o.o
}

@test "clocks: a call that the trace lacks is found" {
	local form s out
	for form in 'long v; syscall(SYS_gettimeofday, b, 0); v = 0; (void)v' \
		'syscall(SYS_getrandom, b, 16, 0)' \
		'for (int i = 0; i < 2; i++) syscall(SYS_getrandom, b, 8, 1)' \
		'syscall(SYS_clock_gettime, 0, b)'; do
		put mytool.c \
			'#include <sys/syscall.h>' '#include <unistd.h>' '#include <stdlib.h>' \
			"int main(void) { char b[64]; free(malloc(1)); $form; return 0; }"
		gcc -w mytool.c -o mytool
		out=$(REPRISE_TOOLS=+mytool "$PY" "$TOP/tests/audit/clocks.py" \
			--lib "$REPRISE_LIB" --helper "$CLOCKS" ./mytool 2>&1) && s=0 || s=$?
		[ $s != 77 ] || skip "$out"
		[ $s = 1 ] || fail "status $s: $form: $out"
		[[ $out == *missed:* ]]
	done
}
