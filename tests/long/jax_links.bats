#!/usr/bin/env bats
# JAX 0.12 on a GPU: XLA compiles and links PTX by nvJitLink in the process, or by ptxas. No GPU is
# needed, but CPython 3.12 or later, and 1.5 GB for the wheels. REPRISE_TEST_VENVS=DIR keeps them as
# DIR/jax-<version>.

setup() {
	load ../e2e/lib
	case_setup
	jax 0.12.0.1
}
teardown() { case_teardown; }

# jax VERSION: JOB_PYTHON has it, with the CUDA plugin and the parts of CUDA that compile.
jax() {
	local at=${REPRISE_TEST_VENVS:-$BATS_FILE_TMPDIR}/jax-$1 base c
	for c in python3 python3.12 python3.13 python3.14 ${REPRISE_TEST_PYTHON:-}; do
		"$c" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && base=$c
	done
	[ -n "${base-}" ] || skip "no CPython 3.12 here"
	if [ ! -e "$at/made" ]; then
		rm -rf "$at"
		"$base" -m venv "$at" && "$at/bin/pip" install -q --no-input "jax==$1" &&
			"$at/bin/pip" install -q --no-input --no-deps "jax-cuda13-plugin==$1" \
				"jax-cuda13-pjrt==$1" nvidia-nvjitlink nvidia-cuda-nvcc \
				nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-nvrtc \
				nvidia-cuda-cupti ||
			{ rm -rf "$at"; skip "pip installs no JAX $1 here"; }
		: >"$at/made"
	fi 3>&-
	JOB_PYTHON=$at/bin/python
	export JAX_PLATFORMS=cpu
}

# second_start COUNTER: a first start fills the store, and a second one compiles nothing.
second_start() {
	local program=("$JOB_PYTHON" "$TOP/tests/long/jax_links.py") misses hits
	"${program[@]}" >plain 2>/dev/null
	grep -q '^scan [0-9a-f]' plain
	under "${program[@]}" >cold 2>/dev/null
	cmp plain cold
	misses=$(stat_of misses) hits=$(stat_of "$1")
	[ "$misses" -ge 10 ]
	under "${program[@]}" >warm 2>/dev/null
	cmp plain warm
	[ "$(stat_of misses) $(stat_of bypasses) $(stat_of unstored)" = "$misses 0 0" ]
	[ "$(stat_of "$1")" -ge $((hits + misses)) ]
}

# bats test_tags=long
@test "jax links: the second start makes no link of nvJitLink" {
	second_start nvjitlink_hits
	[ "$(stat_of nvjitlink_misses)" = "$(stat_of misses)" ]
}

# bats test_tags=long
@test "jax links: the second start starts no ptxas" {
	XLA_FLAGS=--xla_gpu_enable_libnvjitlink=false second_start hits_local
}
