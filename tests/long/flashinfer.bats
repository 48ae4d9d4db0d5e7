#!/usr/bin/env bats
# A module of FlashInfer, which its own code compiles by ninja, without a GPU.
# E2E_FLASHINFER=DIR: flashinfer-python 0.7.4 and what it imports, and ninja, by pip install
# --target, for the Python that has torch: 0.9 GB.

setup_file() {
	load ../e2e/units_lib
	load ../e2e/lib
	units_setup_file
}

setup() {
	load ../e2e/units_lib
	units_setup
	load ../e2e/cuda
	[ -n "${E2E_FLASHINFER-}" ] || skip "E2E_FLASHINFER names no FlashInfer"
	need_torch
	need_nvcc
	cat >f.py <<-'END'
	from flashinfer.page import gen_page_module
	gen_page_module().build(verbose=False)
	END
	# It links libcuda, which a machine without a GPU lacks.
	mkdir stub
	echo 'int cuInit(unsigned f) { return 0; }' |
		gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o stub/libcuda.so -x c -
}
teardown() { remote_teardown; }

# flashinfer NAME plain|under WORKSPACE
flashinfer() {
	age
	JOB_ENV=(PYTHONPATH="$E2E_FLASHINFER" PATH="$E2E_FLASHINFER/bin:$PATH" MAX_JOBS=2
		CUDA_HOME="${NVCC%/bin/nvcc}" LIBRARY_PATH="$W/stub"
		FLASHINFER_CUDA_ARCH_LIST=9.0a FLASHINFER_WORKSPACE_BASE="$3")
	: >"$LOG"
	unit_job "$1" "$2" f.py
}
hit() { grep -cE ' (nvcc|[^ ]*[cg][+][+][^ ]*): hit' "$LOG" || true; }

@test "flashinfer: a module in another workspace: neither nvcc nor the linker runs" {
	flashinfer cold under "$ROOT/one"
	flashinfer warm under "$ROOT/two/deeper"
	[ "$(grep -c ': miss' "$LOG")" = 0 ] || fail "$(cat "$LOG")"
	# nvcc says its version, too.
	[ "$(hit)" = 4 ] || fail "$(cat "$LOG")"
	for file in page.so csrc_page.cuda.o csrc_page.cuda.o.d; do
		[ -z "$(find "$ROOT/one" -name $file)" ] ||
			cmp "$(find "$ROOT/one" -name $file)" "$(find "$ROOT/two" -name $file)"
	done
	flashinfer plain plain "$ROOT/plain"
	LC_ALL=C sed -E -i "$XFT" "$(find "$ROOT/plain" -name page.so)" \
		"$(find "$ROOT/two" -name page.so)"
	cmp "$(find "$ROOT/plain" -name page.so)" "$(find "$ROOT/two" -name page.so)"
}
