#!/usr/bin/env bats
# Scripts in front of nvcc's host compiler: those of users, of modules, Spack and MPI.

setup() {
	load lib
	load wrappers_lib
	load cuda
	case_setup
	mkdir bin
}
teardown() { case_teardown; }

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
	script gcc '#!/bin/sh' 'exec gcc -DEXTRA "$@"'
	nvcc_with bin/gcc
	# A flag that the tool's own arguments do not show. gcc sorts the names that it writes by a
	# hash. nvcc's names have random parts, so no two runs are equal.
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

# bats test_tags=long
@test "wrappers_nvcc: a compiler that reads the file of a module, as Cray's" {
	nvcc_setup
	put module/default 'PE_CC=gcc' 'PE_FLAGS="-DPE -I$PE_ROOT/include"' 'export PE_LEVEL=1'
	script cc '#!/bin/bash' '# Picks the compiler of the loaded module.' 'set -e' \
		'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)' \
		'source "$here/../module/${PE_ENV:-default}"' 'exec "$PE_CC" $PE_FLAGS "$@"'
	nvcc_with bin/cc --env "REPRISE_WRAPPERS=$W/bin/cc"
	put module/default 'PE_CC=gcc' 'PE_FLAGS="-DPE2 -I$PE_ROOT/include"'
	again any --warm hit --env "REPRISE_WRAPPERS=$W/bin/cc"
	[ "$(stat_of reason_input)" -ge 1 ] || fail "an edited module was no miss: $(cat "$LOG")"
}

# spack_script REPOSITORY TAG FILE: that release's wrapper as spack/cc and spack/gcc/gcc. GIVEN: a
# copy of it, or a name of nothing.
spack_script() {
	mkdir spack spack/gcc
	if [ -e "$GIVEN" ]; then
		cp "$GIVEN" spack/cc
	else
		timeout 60 git clone -q --depth 1 --branch "$2" --filter=blob:none --no-checkout \
			"https://github.com/$1" "$ROOT/spack" 2>/dev/null ||
			skip "$1 is out of reach, and no variable names a copy of $3"
		git -C "$ROOT/spack" show "HEAD:$3" >spack/cc
	fi
	chmod +x spack/cc
	ln -s ../cc spack/gcc/gcc
	SPACK=$(printf '%s\n' "REPRISE_WRAPPERS=$W/spack/*" SPACK_SHORT_SPEC=zlib@1 \
		SPACK_DEBUG_LOG_DIR=/tmp \
		SPACK_DEBUG_LOG_ID=zlib "SPACK_CC=$(command -v gcc)" \
		'SPACK_SYSTEM_DIRS=/usr/include|/usr/lib' 'SPACK_MANAGED_DIRS=/opt/spack/*' \
		SPACK_DTAGS_TO_ADD=--disable-new-dtags SPACK_DTAGS_TO_STRIP=--enable-new-dtags)
}

# spack_serves: nvcc with the wrapper. The parent action is stored, and the variables that configure
# the wrapper are inputs.
spack_serves() {
	nvcc_with spack/gcc/gcc --env "$SPACK"
	again hit --env "$SPACK"$'\nRANK=4\nSLURM_JOB_ID=5'
	again any --warm hit --env "$SPACK"$'\nSPACK_CFLAGS=-DX'
	[ "$(stat_of reason_input)" -ge 1 ] || fail "a flag of Spack was no miss: $(cat "$LOG")"
}

# bats test_tags=check
@test "wrappers_nvcc: Spack's compiler wrapper" {
	nvcc_setup
	GIVEN=${REPRISE_TEST_SPACK-}/lib/spack/env/cc
	spack_script spack/spack v0.23.1 lib/spack/env/cc
	SPACK+=$(printf '\n%s' "SPACK_ENV_PATH=$W/spack/gcc" \
		SPACK_{CC,CXX,F77,FC}_RPATH_ARG=-Wl,-rpath, SPACK_LINKER_ARG=-Wl, \
		SPACK_COMPILER_SPEC=gcc@12 SPACK_TARGET_ARGS=-O1)
	spack_serves
}

# bats test_tags=long
@test "wrappers_nvcc: the compiler wrapper of Spack 1, a package of its own" {
	nvcc_setup
	GIVEN=${REPRISE_TEST_SPACK_WRAPPER-}/cc.sh
	spack_script spack/compiler-wrapper v1.1.0 cc.sh
	SPACK+=$(printf '\n%s' "SPACK_COMPILER_WRAPPER_PATH=$W/spack/gcc" \
		SPACK_CC_RPATH_ARG=-Wl,-rpath, SPACK_CC_LINKER_ARG=-Wl, SPACK_TARGET_ARGS_CC=-O1)
	spack_serves
	# The wrapper makes -frandom-seed from arguments that are no options, such as nvcc's
	# temporary names.
	SPACK+=$'\nSPACK_CC_HAS_FRANDOM_SEED=1'
	again any --warm hit --env "$SPACK"
	again hit --env "$SPACK"$'\nRANK=4'
}

# bats test_tags=check
@test "wrappers_nvcc: MPICH's mpicc, a script, and Open MPI's, a program" {
	nvcc_setup
	local found='' m
	for m in mpicc.mpich mpicc.openmpi mpicc; do
		$m --version >/dev/null 2>&1 || continue
		found=1
		# MPICH's is a script, Open MPI's a link to one program of many names.
		nvcc_with "$(command -v $m)" --env \
			"REPRISE_WRAPPERS=$(command -v $m):$(realpath "$(command -v $m)")"
	done
	[ -n "$found" ] || skip "no mpicc of MPICH or Open MPI here"
}
