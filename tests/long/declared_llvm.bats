#!/usr/bin/env bats
# Tools of LLVM that a user declares: iree-compile, which names temporary files by random numbers
# and starts a linker by a shell.
#
# pip makes a virtual environment (0.4 GB). REPRISE_TEST_VENVS=DIR keeps it as DIR/iree-<version>.
# REPRISE_TEST_PYTHON (default python3) makes it.

VERSION=3.13.0

setup_file() {
	export VENVS=${REPRISE_TEST_VENVS:-$BATS_FILE_TMPDIR}
	local at=$VENVS/iree-$VERSION
	[ ! -e "$at/made" ] || return 0
	"${REPRISE_TEST_PYTHON:-python3}" -m venv "$at" &&
		"$at/bin/pip" install -q --no-input --no-cache-dir --no-compile --no-deps \
			"iree-base-compiler==$VERSION" >"$BATS_FILE_TMPDIR/pip" 2>&1 &&
		: >"$at/made" || rm -rf "$at"
}
setup() {
	load ../e2e/lib
	case_setup
	IREE=$(echo "$VENVS/iree-$VERSION"/lib/python3*/site-packages/iree/compiler/_mlir_libs)
	[ -x "$IREE/iree-compile" ] || skip "pip installs no iree-base-compiler $VERSION here"
	put a.mlir 'func.func @abs(%input : tensor<f32>) -> (tensor<f32>) {' \
		'%result = math.absf %input : tensor<f32>' 'return %result : tensor<f32>' '}'
}
teardown() { case_teardown; }

compiles() { # OPTION...
	differential --env REPRISE_TOOLS=+iree-compile --makes a.vmfb -- \
		"$IREE/iree-compile" a.mlir "$@" -o a.vmfb
	sed -i 's/@abs/@other/' a.mlir
	again miss
	sed -i 's/@other/@abs/' a.mlir
	again hit
}

@test "declared llvm: iree-compile for the processor, with its linker" {
	compiles --iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic
}
@test "declared llvm: iree-compile for its virtual machine, Vulkan and CUDA" {
	compiles --iree-hal-target-backends=vmvx
	compiles --iree-hal-target-backends=vulkan-spirv
	compiles --iree-hal-target-backends=cuda --iree-cuda-target=sm_80
}
