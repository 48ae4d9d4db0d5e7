#!/usr/bin/env bats
# Scripts in front of nvcc's host compiler.

setup() {
	load lib
	load cuda
	case_setup
	mkdir bin
}
teardown() { case_teardown; }

# script NAME LINE...: bin/NAME, which gcc -B bin starts where it is called as.
script() { put_script "bin/$1" "${@:2}"; }

nvcc_setup() {
	need_nvcc
	cuda_source a.cu
	put m.cu 'void launch(float *); int main() { launch(0); return 0; }'
}

# nvcc_with FILE [options of differential]: nvcc with this host compiler; the second run is one hit.
nvcc_with() { differential --cold any --warm hit --mask "$XFT" --filter "$XFT" --makes a.o \
	"${@:2}" -- nvcc -ccbin "$1" -c a.cu; }

# bats test_tags=check
@test "wrappers_nvcc: nvcc with a script as its host compiler, and the link behind it" {
	nvcc_setup
	script gcc '#!/bin/sh' 'exec gcc "$@"'
	nvcc_with bin/gcc
	age
	local i
	for i in 1 2; do
		rm -f a.o m.o prog
		under nvcc -ccbin bin/gcc -c a.cu -o a.o
		under nvcc -ccbin bin/gcc -c m.cu -o m.o
		under g++ a.o m.o -o prog -L"${NVCC%/bin/nvcc}/lib64" -lcudart_static -ldl -lrt \
			-lpthread
		[ $i = 1 ] || break
		cp a.o want.o
		local misses
		misses=$(stat_of misses)
	done
	cmp a.o want.o
	[ "$(stat_of misses)" = "$misses" ] || fail "$(cat "$LOG")"
}

# bats test_tags=long
@test "wrappers_nvcc: nvcc with scripts that add flags" {
	nvcc_setup
	script gcc '#!/bin/sh' 'exec gcc $MY_FLAGS -DEXTRA "$@"'
	nvcc_with bin/gcc
	again any --warm hit --env MY_FLAGS=-DMORE
	# A flag that the tool's own arguments do not show. gcc sorts what it writes of names by a
	# hash, and nvcc's have random parts: no two runs are equal.
	script gcc '#!/bin/sh' 'exec gcc -g "$@"'
	age
	local i
	for i in cold warm; do
		rm -f a.o
		under nvcc -ccbin bin/gcc -c a.cu -o a.o
		cp a.o $i.o
	done
	cmp cold.o warm.o
	readelf -S warm.o | grep -q debug_line
	rm -f ./*.o
	script gcc '#!/bin/sh' 'exec gcc -march=native "$@"'
	differential --cold any --warm any --mask "$XFT" --filter "$XFT" -- nvcc -ccbin bin/gcc -c \
		a.cu
	[ "$(stat_of reason_step)" -ge 1 ] || fail "stored by this processor: $(cat "$LOG")"
}
