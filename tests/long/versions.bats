#!/usr/bin/env bats
# Versions of torch and Triton: a node whose directories are empty and whose store is new finds in Redis what another one
# compiled, with the same bits. The list is that of the cases.
#
# Each gets a virtual environment by pip, 0.3 GB for Triton and up to 7 GB for a torch with CUDA libraries, removed before the
# next; REPRISE_TEST_VENVS=DIR keeps them as DIR/torch-<version> and uses what is there. What pip cannot install is skipped.
# REPRISE_TEST_PYTHON (default python3) makes them: wheels of all these exist for CPython 3.10 to 3.12.

setup_file() { export VENVS=${REPRISE_TEST_VENVS:-$BATS_FILE_TMPDIR}; }

setup() {
	load ../e2e/units_lib
	units_setup
	units_two_nodes
}
teardown() {
	remote_teardown
	[ -n "${REPRISE_TEST_VENVS-}" ] || rm -rf "$VENVS"/torch-* "$VENVS"/triton-*
}

# venv NAME VERSION [PACKAGE...]: JOB_PYTHON is one that has it, just installed or kept.
venv() {
	local at=$VENVS/$1-$2 base=${REPRISE_TEST_PYTHON:-python3}
	if [ ! -e "$at/made" ]; then
		rm -rf "$at"
		"$base" -m venv "$at" || { fail "$base makes no virtual environment"; return 1; }
		"$at/bin/pip" install -q --no-input --no-cache-dir --no-compile "$1==$2" "${@:3}" >"$ROOT/pip" 2>&1 || {
			rm -rf "$at"
			skip "pip installs no $1 $2 here: $(grep -a '^ERROR' "$ROOT/pip" | tail -n 1 | cut -c 1-160)"
		}
		: >"$at/made"
	fi
	JOB_PYTHON=$at/bin/python
	[ "$("$JOB_PYTHON" -c "import $1; print($1.__version__.split('+')[0])")" = "$2" ] || fail "no $1 $2 in $at"
}

# Node a has compiled; node b, whose directories are empty, finds what it looks for: $ROOT/warm.out is $ROOT/cold.out.
fresh_node() { # SCRIPT ARGS
	unit_job cold under "$@"
	drain
	[ "$(stat_of units_dropped)" = 0 ] || fail "dropped: $(cat "$LOG")"
	on b
	units_wipe
	unit_job warm under "$@"
	cmp "$ROOT/cold.out" "$ROOT/warm.out" || { fail "other results: $(diff "$ROOT/cold.out" "$ROOT/warm.out")"; return 1; }
	units_clean
}

torch_version() {
	# setuptools: Triton up to 3.4 builds with it.
	venv torch "$1" numpy setuptools
	need_torch
	graphs_alone
	train_py
	unit_job plain plain train.py
	units_wipe
	fresh_node train.py
	cmp "$ROOT/plain.out" "$ROOT/warm.out" || fail "other results than without Reprise"
	[ "$(counted cold fx_miss)" -gt 0 ]
	served warm
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	[ "$(counted warm aot_on)" = False ] || [ "$(stat_of brought_aotautograd)" -gt 0 ]
	echo "# torch $1: $(grep -h '^{"fx' "$ROOT/warm.err")" >&3
}

triton_version() {
	venv triton "$1" setuptools
	triton_kernels_py
	fresh_node kernels.py 128,256,1024
	[ "$(stat_of brought_triton)" = 3 ]
	[ "$(stat_of misses)" = 0 ] || fail "a tool ran"
	echo "# triton $1: 3 kernels, $(find "$ROOT/fw/triton" -type f | wc -l) files" >&3
}

@test "versions: torch 2.6.0" { torch_version 2.6.0; }
@test "versions: torch 2.9.1" { torch_version 2.9.1; }
@test "versions: torch 2.12.1" { torch_version 2.12.1; }
@test "versions: triton 3.2.0" { triton_version 3.2.0; }
@test "versions: triton 3.3.1" { triton_version 3.3.1; }
@test "versions: triton 3.4.0" { triton_version 3.4.0; }
@test "versions: triton 3.5.1" { triton_version 3.5.1; }
@test "versions: triton 3.6.0" { triton_version 3.6.0; }
@test "versions: triton 3.7.1" { triton_version 3.7.1; }
@test "versions: triton 3.8.0" { triton_version 3.8.0; }
