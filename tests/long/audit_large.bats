#!/usr/bin/env bats
# The audit of tests/audit over large commands: hundreds of headers, large libraries, real kernels.

setup() {
	load ../e2e/lib
	load ../audit/audit
	case_setup
	need strace
}
teardown() { case_teardown; }

torch_dir() {
	TORCH=$(ls -d \
		"${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}"/lib/python3*/site-packages/torch \
		2>/dev/null | head -n 1)
	[ -n "$TORCH" ] || skip "no torch in ${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}"
	PYINC=$("${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}/bin/python" -c \
		'import sysconfig; print(sysconfig.get_paths()["include"])')
}

@test "audit large: a C++ translation unit of the standard library's largest" {
	put a.cc '#include <regex>' '#include <iostream>' '#include <thread>' \
		'#include <filesystem>' '#include <map>' \
		'int main() { std::regex r("a+"); std::cout << std::regex_match("aa", r); }'
	audit g++ -std=c++17 -O2 -c a.cc
	audit g++ -std=c++17 -O2 a.cc -o a -pthread
}

@test "audit large: an extension against torch's headers, and its link" {
	torch_dir
	put k.cpp '#include <torch/extension.h>' \
		'torch::Tensor f(torch::Tensor x) { return x + x; }' \
		'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }'
	audit g++ -std=c++20 -DTORCH_EXTENSION_NAME=k -I"$TORCH/include" \
		-I"$TORCH/include/torch/csrc/api/include" -I"$PYINC" \
		-fPIC -c k.cpp -o k.o
	put s.cpp 'extern "C" int f() { return 1; }'
	audit g++ s.cpp -shared -fPIC -O3 -march=native -fopenmp -o s.so -ltorch -ltorch_cpu \
		-lgomp -L"$TORCH/lib"
}

@test "audit large: clang on the same" {
	need clang
	put a.cc '#include <regex>' '#include <map>' 'std::regex r("a+");'
	audit clang++ -std=c++17 -O2 -c a.cc
}

@test "audit large: LTO over many objects" {
	local i objs=()
	for i in $(seq 1 40); do
		put f$i.c "int f$i(int x) { return x + $i; }"
		gcc -O2 -flto -c f$i.c
		objs+=(f$i.o)
	done
	audit gcc -O2 -flto -shared "${objs[@]}" -o all.so
	audit ar rcs all.a "${objs[@]}"
}

@test "audit large: ptxas on a long kernel" {
	load ../e2e/ptxas
	need_ptxas
	local p=${PTXAS[0]} i
	{
		printf '%s\n' '.version 7.0' '.target sm_75' '.address_size 64' \
			'.visible .entry k(.param .u64 p) {' \
			'.reg .f32 %f<3000>; .reg .b64 %d<3>;' \
			'ld.param.u64 %d1, [p];'
		for ((i = 1; i < 2000; i++)); do echo "ld.global.f32 %f$i, [%d1+$((i * 4))];"; done
		for ((i = 1; i < 1999; i++)); do
			echo "fma.rn.f32 %f$((i + 1)), %f$i, %f$((i + 1)), %f1;"
		done
		printf 'st.global.f32 [%%d1], %%f1999;\nret; }\n'
	} >k.ptx
	audit "$p" -arch=sm_80 k.ptx -o k.o
}
