#!/usr/bin/env bats
# Build systems that run nvcc and do not know Reprise: CMake's language CUDA with ninja and with
# make, ninja, make, and torch's cpp_extension. A build in an emptied directory is replayed, also
# links and archives, and equals the first one byte for byte.
# parameter E2E_NVCC: installed wheel

setup_file() {
	load job_python
	job_python_find
}

setup() {
	load lib
	load job_python
	load cuda
	case_setup
	need_nvcc
	CUDA_HOME=${NVCC%/bin/nvcc}
	export CUDA_HOME
	CONFIGURE=()
	put p/inc/scale.h '#define SCALE 2.0f'
	put p/a.cu '#include <cstdio>' '#include "scale.h"' \
		'__global__ void k(float *x) { x[threadIdx.x] = SCALE * x[threadIdx.x]; }' \
		'#ifndef __CUDA_ARCH__' 'int host_only(void) { return 1; }' '#else' \
		'int host_only(void);' '#endif' \
		'void launch(float *x) { k<<<1, 32>>>(x); printf("launched %d\n", host_only()); }'
	put p/b.cu '__device__ float twice(float x) { return 2 * x; }'
	put p/c.cu 'extern __device__ float twice(float);' 'void launch(float *);' \
		'__global__ void q(float *x) { *x = twice(*x); }' \
		'int main() { q<<<1, 1>>>(0); launch(0); return 0; }'
	put p/host.cpp 'int host(void) { return 1; }'
}
teardown() { case_teardown; }

# one_build NAME [CMD...]: CONFIGURE and BUILD behind CMD in an empty directory b.
one_build() {
	rm -rf b
	mkdir b
	[ ${#CONFIGURE[@]} = 0 ] || "${@:2}" "${CONFIGURE[@]}" >"$ROOT/said" 2>&1 ||
		{ tail -n 20 "$ROOT/said" >&2; fail "$1: not configured"; return 1; }
	rebuild "$@"
}

# The same build without emptying the directory. $ROOT/out.NAME gets the products. The log holds
# this build alone.
rebuild() {
	local name=$1
	shift
	age
	rm -f "$LOG"
	"$@" "${BUILD[@]}" >"$ROOT/said" 2>&1 ||
		{ tail -n 20 "$ROOT/said" >&2; fail "$name: not built"; return 1; }
	rm -rf "$ROOT/out.$name"
	mkdir "$ROOT/out.$name"
	# Without the files of CMake's tests.
	(
		cd b && find . -type f \( -name '*.[oad]' -o -name '*.so' -o -perm -100 \) \
			! -path '*CMakeFiles/[0-9]*' -exec cp -a --parents {} "$ROOT/out.$name" \;
	)
	[ "$(find "$ROOT/out.$name" -type f | wc -l)" -ge "$PRODUCTS" ] ||
		fail "$name made only $(find "$ROOT/out.$name" -type f)"
}

# Replaces pids, and the hash of a linked file that contains them.
masked() { # NAME
	rm -rf "$ROOT/masked"
	cp -a "$ROOT/out.$1" "$ROOT/masked"
	find "$ROOT/masked" -type f -exec env LC_ALL=C sed -E -i "$XFT" {} +
	find "$ROOT/masked" -type f \( -name '*.so' -o -perm -100 \) -exec objcopy \
		--remove-section .note.gnu.build-id {} \;
	rm -rf "$ROOT/masked.$1"
	mv "$ROOT/masked" "$ROOT/masked.$1"
}

as_plain() { # NAME PLAIN: but for the pid
	masked "$1"
	masked "$2"
	diff -r "$ROOT/masked.$2" "$ROOT/masked.$1" || { fail "$1 is not as $2"; return 1; }
	diff <(cd "$ROOT/out.$2" && find . -printf '%M %P\n' | sort) \
		<(cd "$ROOT/out.$1" && find . -printf '%M %P\n' | sort) || fail "$1 has other modes"
}

# all_replayed LEAST: of the build that the log is about
all_replayed() {
	! grep -E ': (miss|unstored)' "$LOG" >&2 || { fail "something ran"; return 1; }
	[ "$(grep -c ': hit' "$LOG")" -ge "$1" ] || fail "$(grep -c ': hit' "$LOG") hits, not $1"
}

# builds_alike LEAST: plain, cold, warm.
builds_alike() {
	one_build plain && one_build cold under && as_plain cold plain || return 1
	[ "$(grep -c 'nvcc: miss' "$LOG")" -gt 0 ] || { fail "nvcc was not seen"; return 1; }
	! grep ': unstored' "$LOG" >&2 || { fail "something was not stored"; return 1; }
	one_build warm under && all_replayed "$1" || return 1
	diff -r "$ROOT/out.cold" "$ROOT/out.warm" ||
		{ fail "warm is not cold, byte for byte"; return 1; }
}

# An edit of code that only the host pass sees, in the present directory.
host_edit() {
	sed -i 's/return 1;/return 2;/' p/a.cu
	rebuild edited under || return 1
	[ "$(grep -c 'cudafe++: miss' "$LOG")" = 1 ] ||
		{ fail "cudafe++ ran $(grep -c 'cudafe++: miss' "$LOG") times"; return 1; }
	! grep -E '(cicc|ptxas): miss' "$LOG" >&2 || { fail "a device step ran"; return 1; }
	one_build edited_plain && as_plain edited edited_plain
}

cmake_project() { # GENERATOR
	need cmake
	put p/CMakeLists.txt 'cmake_minimum_required(VERSION 3.20)' \
		'project(kernels LANGUAGES CXX CUDA)' \
		'add_library(device STATIC b.cu)' \
		'set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON' \
		'	POSITION_INDEPENDENT_CODE ON)' \
		'add_library(shared SHARED a.cu host.cpp)' \
		'target_include_directories(shared PRIVATE inc)' \
		'add_executable(program c.cu)' \
		'set_target_properties(program PROPERTIES CUDA_SEPARABLE_COMPILATION ON)' \
		'target_link_libraries(program device shared)'
	CONFIGURE=(env "CUDACXX=$NVCC" cmake -G "$1" -S p -B b -DCMAKE_BUILD_TYPE=Release
		'-DCMAKE_CUDA_ARCHITECTURES=80;90')
	BUILD=(cmake --build b --parallel 2)
	PRODUCTS=7 # four objects, two libraries, the program
}

# bats test_tags=long
@test "nvcc builds: CMake with ninja" {
	cmake_project Ninja
	builds_alike 8
	[ "$(b/program)" = "launched 1" ]
	host_edit
	[ "$(b/program)" = "launched 2" ]
}

# bats test_tags=long
@test "nvcc builds: CMake with make" {
	cmake_project 'Unix Makefiles'
	builds_alike 8
	[ "$(b/program)" = "launched 1" ]
	host_edit
	[ "$(b/program)" = "launched 2" ]
}

# bats test_tags=long
@test "nvcc builds: ninja" {
	put p/build.ninja 'builddir = b' \
		"arch = -gencode arch=compute_80,code=sm_80" \
		"flags = -O2 -Ip/inc -rdc=true \$arch -Xcompiler -fPIC" \
		'rule cu' '  command = nvcc $flags -MD -MF $out.d -c $in -o $out' \
		'  depfile = $out.d' '  deps = gcc' \
		'rule link' '  command = nvcc -gencode arch=compute_80,code=sm_80 $in -o $out' \
		'build b/a.o: cu p/a.cu' 'build b/b.o: cu p/b.cu' 'build b/c.o: cu p/c.cu' \
		'build b/program: link b/a.o b/b.o b/c.o'
	BUILD=(ninja -j 2 -f p/build.ninja)
	PRODUCTS=4
	builds_alike 4
	[ "$(b/program)" = "launched 1" ]
	host_edit
	[ "$(b/program)" = "launched 2" ]
}

# bats test_tags=long
@test "nvcc builds: make" {
	put p/Makefile 'all: b/program' \
		'b/%.o: p/%.cu' $'\tnvcc -O2 -Ip/inc -dc -arch=sm_80 -MD -MF $(@:.o=.d) $< -o $@' \
		'b/host.o: p/host.cpp' $'\tg++ -O2 -c $< -o $@' \
		'b/libdevice.a: b/a.o b/b.o' $'\tnvcc -lib $^ -o $@' \
		'b/dlink.o: b/c.o b/libdevice.a' $'\tnvcc -arch=sm_80 -dlink $^ -o $@' \
		'b/program: b/c.o b/host.o b/dlink.o b/libdevice.a' \
		$'\tg++ $^ -L$(CUDA_HOME)/lib -L$(CUDA_HOME)/lib64 -lcudadevrt -lcudart_static \\' \
		$'\t\t-ldl -lrt -lpthread -o $@' \
		'-include b/*.d'
	BUILD=(make -j 2 -f p/Makefile)
	PRODUCTS=10
	builds_alike 7
	[ "$(b/program)" = "launched 1" ]
	host_edit
	[ "$(b/program)" = "launched 2" ]
}

# bats test_tags=long
@test "nvcc builds: torch.utils.cpp_extension" {
	need_torch
	# torch puts ccache before compilers where it finds one. ccache then runs the compilers,
	# which Reprise serves.
	export TORCH_CUDA_ARCH_LIST=8.0 MAX_JOBS=2 CCACHE_DISABLE=1
	BUILD=("$JOB_PYTHON" "$E2E_DIR/cuda_extension.py" b)
	PRODUCTS=3
	builds_alike 3
	grep -q '^counted 5$' "$ROOT/said" || fail "$(tail -n 3 "$ROOT/said")"
	[ -e b/ext.cuda.o ] || fail "no object of nvcc: $(ls b)"
}

# bats test_tags=long
@test "nvcc builds: torch's load_inline of a CUDA source, with scripts as host compilers" {
	need_torch
	local c
	# CC becomes -ccbin.
	for c in gcc g++; do put_script bin/$c '#!/bin/sh' "exec $c \"\$@\""; done
	export TORCH_CUDA_ARCH_LIST=9.0 MAX_JOBS=2 CCACHE_DISABLE=1 CC=$W/bin/gcc CXX=$W/bin/g++
	BUILD=("$JOB_PYTHON" "$E2E_DIR/cuda_extension.py" b inline)
	PRODUCTS=3
	builds_alike 3
	grep -q '^counted 5$' "$ROOT/said" || fail "$(tail -n 3 "$ROOT/said")"
	grep -q -- "-ccbin $CC" b/build.ninja || fail "$(cat b/build.ninja)"
	[ -e b/cuda.cuda.o ] || fail "no object of nvcc: $(ls b)"
}
