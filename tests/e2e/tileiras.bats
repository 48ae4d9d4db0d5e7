#!/usr/bin/env bats
# tileiras, by itself, below cuTile and below nvcc. No device is needed.
# parameter E2E_NVCC: wheel

setup() {
	load lib
	load cuda
	case_setup
	need_nvcc
	[ -x "${NVCC%/*}/tileiras" ] || skip "no tileiras beside this nvcc"
	VENV_PYTHON=${NVCC%/lib/python3*}/bin/python
}
teardown() { case_teardown; }

# bytecode NAME FILE: the bytecode of a kernel.
bytecode() {
	"$VENV_PYTHON" "$TOP/tests/e2e/tile_kernels.py" "$ROOT/r"
	mv "$ROOT/r/$1.bytecode" "$2"
}
# What cuTile asks for. The order of remarks is another one in each real run.
REMARKS=(--remark-format=yaml --remarks=all)
same_remarks() { cmp <(sort "$1") <(sort "$2"); }

@test "tileiras: a kernel in another directory, under another name, with remarks" {
	bytecode vector one.bytecode
	differential --makes "one.cubin one.yaml" --ignore one.yaml -- \
		tileiras one.bytecode -o one.cubin --gpu-name sm_90 -O3 --lineinfo \
		"${REMARKS[@]}" --remarks-output-file=one.yaml
	local a b
	a=$(temp_name) b=$(temp_name)
	mkdir "$a" "$b"
	cp one.bytecode "$a/vector1a2b3c4d.bytecode"
	cp one.bytecode "$b/vector_xyzwxyz.bytecode"
	age
	O=()
	for dir in "$a/vector1a2b3c4d" "$b/vector_xyzwxyz"; do
		before=$(stat_of hits_local)
		under tileiras "$dir.bytecode" -o "$dir.cubin" --gpu-name sm_90 -O3 --lineinfo \
			"${REMARKS[@]}" --remarks-output-file="$dir.remarks.yaml"
		[ "$(stat_of hits_local)" = $((before + 1)) ] || fail "$dir: no hit"
		cmp "$dir.cubin" "$ROOT/r/plain.tree/one.cubin"
		same_remarks "$dir.remarks.yaml" "$ROOT/r/plain.tree/one.yaml"
	done
	rm -r "$a" "$b"
}

@test "tileiras: what decides the cubin is in the key" {
	bytecode vector one.bytecode
	differential -- tileiras one.bytecode -o one.cubin --gpu-name sm_90
	again miss -- tileiras one.bytecode -o one.cubin --gpu-name sm_100
	again miss -- tileiras one.bytecode -o one.cubin --gpu-name sm_90 -O1
	again miss -- tileiras one.bytecode -o one.cubin --gpu-name sm_90 --lineinfo
	again miss -- tileiras one.bytecode -o one.cubin --gpu-name sm_90 --host-os=windows
	again miss -- tileiras one.bytecode --gpu-name sm_90
	bytecode matrix one.bytecode
	again miss -- tileiras one.bytecode -o one.cubin --gpu-name sm_90
	put args 'one.bytecode -o two.cubin --gpu-name sm_90'
	again any --makes two.cubin -- tileiras @args
	put args 'one.bytecode -o two.cubin --gpu-name sm_80'
	again miss --makes two.cubin -- tileiras @args
}

# bats test_tags=check
@test "tileiras: debug information binds names, and failures are not kept" {
	bytecode vector one.bytecode
	differential -- tileiras one.bytecode -o one.cubin --gpu-name sm_90 -g -O0
	cp one.bytecode two.bytecode
	again miss -- tileiras two.bytecode -o one.cubin --gpu-name sm_90 -g -O0
	differential --cold unstored --status any -- tileiras missing.bc -o x --gpu-name sm_90
	head -c 200 one.bytecode >cut.bc
	differential --cold unstored --status any -- tileiras cut.bc -o x --gpu-name sm_90
	differential --cold unstored --status any -- tileiras one.bytecode -o no/x --gpu-name sm_90
}

# cutile: the kernels by cuTile, in temporary directories of its own, and its cache empty.
cutile() {
	rm -rf "$ROOT/r/made" && mkdir "$ROOT/r/made"
	CUDA_TILE_CACHE_DIR=$ROOT/r/cache "$@" "$VENV_PYTHON" "$TOP/tests/e2e/tile_kernels.py" \
		"$ROOT/r/made" sm_90
	rm -rf "$ROOT/r/cache"
}

# bats test_tags=check
@test "tileiras: a second job of cuTile starts no tileiras and no ptxas" {
	cutile env
	mv "$ROOT/r/made" "$ROOT/r/plain"
	cutile under
	diff -r "$ROOT/r/plain" "$ROOT/r/made"
	local -A s
	stats_read s
	[ "${s[misses]} ${s[hits_local]} ${s[unstored]}" = "4 0 0" ] || fail "${s[*]}"
	cutile under
	diff -r "$ROOT/r/plain" "$ROOT/r/made"
	stats_read s
	[ "${s[misses]} ${s[hits_local]} ${s[unstored]}" = "4 4 0" ] || fail "${s[*]}"
}

# Its own ptxas, where tileiras is removed from the tools.
# bats test_tags=check
@test "tileiras: the ptxas that it starts is served by itself" {
	bytecode vector one.bytecode
	differential --env REPRISE_TOOLS=-tileiras -- \
		tileiras one.bytecode -o one.cubin --gpu-name sm_90
}

tile_source() { # FILE
	put "$1" '#include <cuda_tile.h>' 'namespace ct = cuda::tiles;' \
		'__tile_global__ void scale(float *p, float f) {' \
		'using T = ct::tile<int, ct::shape<128>>; auto at = p + ct::iota<T>();' \
		'ct::store(at, ct::load(at) * f); }' \
		'namespace { struct H {};' \
		'template <class T> __tile_global__ void local(float *p) {' \
		'using I = ct::tile<int, ct::shape<64>>; auto at = p + ct::iota<I>();' \
		'ct::store(at, ct::load(at) + 1.0f); } }' \
		'__global__ void simt(float *p) { p[threadIdx.x] *= 2; }' \
		'int launch() { simt<<<1, 32>>>(nullptr); local<H><<<1, 1>>>(nullptr);' \
		'return 1; }'
}

# bats test_tags=check
@test "tileiras: nvcc with tile code" {
	tile_source a.cu
	cuda --makes a.o -- nvcc -std=c++20 -arch=sm_90 --enable-tile -c a.cu -o a.o
	cuda --makes a.cubin -- \
		nvcc -std=c++20 -arch=sm_100 --enable-tile -tilecubin a.cu -o a.cubin
	# The device code twice: for the plain architecture, too.
	cuda --makes a.o -- nvcc -std=c++20 -arch=sm_100a --enable-tile -c a.cu -o a.o
}

# The hash of the source's path is in the name of a local kernel.
# bats test_tags=long
@test "tileiras: nvcc -tilecubin in directories of generated names" {
	local a b dir
	a=$(temp_name) b=$(temp_name)
	for dir in "$a" "$b"; do
		mkdir "$dir"
		tile_source "$dir/k.cu"
	done
	age
	for dir in "$a" "$b"; do
		under nvcc -std=c++20 -arch=sm_90 --enable-tile -tilecubin "$dir/k.cu" \
			-o "$dir/k.cubin" >"$ROOT/out" 2>&1
		nvcc -std=c++20 -arch=sm_90 --enable-tile -tilecubin "$dir/k.cu" \
			-o "$dir/plain.cubin" >"$ROOT/plain" 2>&1
		cmp "$dir/plain.cubin" "$dir/k.cubin"
		cmp "$ROOT/plain" "$ROOT/out"
	done
	! cmp -s "$a/k.cubin" "$b/k.cubin" || fail "no hash of the source's path"
	grep -q 'nvcc: hit' "$LOG" || fail "no hit in another directory"
	rm -r "$a" "$b"
}

# bats test_tags=long
@test "tileiras: an edit that only the host pass sees runs no device step" {
	tile_source a.cu
	local edit
	for edit in 's/return 1/return 2/' 's/return 2/return 1/'; do
		age
		rm -f "$LOG"
		under nvcc -std=c++20 -arch=sm_100a --enable-tile -c a.cu -o a.o
		sed -i "$edit" a.cu
	done
	[ "$(grep -c 'tileiras: hit' "$LOG")" = 1 ] || fail "tileiras ran"
	[ "$(grep -c 'ptxas: hit' "$LOG")" = 2 ] || fail "ptxas ran"
}
