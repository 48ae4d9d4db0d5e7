#!/usr/bin/env bats
# Code for this processor: its CPUID leaves are in the key, wherever the flag hides.

setup() {
	load lib
	case_setup
	put a.c 'void f(float *p, int n) { for (int i = 0; i < n; i++) p[i] *= 2; }'
}
teardown() { case_teardown; }

@test "native: -march=native, -mtune=native" {
	differential -- gcc -O3 -march=native -c a.c
	differential -- gcc -O3 -mtune=native -c a.c
	differential -- gcc -O3 -march=native -mtune=generic -S a.c
}

@test "native: inside @file, nested" {
	put inner '-march=native'
	put outer '-O3 @inner'
	differential -- gcc @outer -c a.c
	put inner '-march=x86-64'
	again miss
}

@test "native: behind -Wp, -Wa and -Xclang" {
	differential --cold any -- gcc -O3 -Wa,-march=generic64 -c a.c
	need clang
	differential -- clang -O3 -march=native -c a.c
	differential --cold any -- clang -O3 -Xclang -target-cpu -Xclang x86-64-v3 -c a.c
}

# bats test_tags=check
@test "native: the memory size that tunes gcc's collector, if gcc prints it" {
	differential -- gcc -fverbose-asm -S a.c
	again hit
	[ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -gt 2000000 ] ||
		skip 'less than 2 GB of memory'
	(ulimit -v 700000 && again miss && again hit) || fail 'address space'
	(ulimit -m 90000 && again miss) || fail 'resident pages'
	differential --makes '' -- gcc -Q --help=params
	(ulimit -v 700000 && again miss) || fail 'parameters'
	# If gcc does not print the value, it is no input.
	differential -- gcc -c a.c
	(ulimit -v 700000 && again hit) || fail 'a plain compile'
}

@test "native: another processor is another key" {
	# Without a virtual machine a process always sees the real CPUID; QEMU's user mode traps it.
	local q
	q=$(command -v qemu-x86_64 || command -v qemu-x86_64-static) || lacks qemu-x86_64
	differential -- gcc -O3 -march=native -c a.c
	# Reprise does not see the driver under QEMU as a tool. Its cc1 is one, with the other CPU's
	# flags.
	again any --warm any -- \
		"$q" -cpu qemu64 "$(readlink -f "$(command -v gcc)")" -O3 -march=native -c a.c
}

@test "native: as Inductor calls g++" {
	cp a.c k.cpp
	differential --makes k.so -- \
		g++ k.cpp -D TORCH_INDUCTOR_CPP_WRAPPER -O3 -DNDEBUG -fno-trapping-math \
		-march=native -shared -fPIC -Wall -std=c++17 -Wno-unused-variable -fopenmp -o k.so
}
