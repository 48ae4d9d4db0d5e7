#!/usr/bin/env bats
# Inductor's and Triton's own tests of their caches, as far as they run without a GPU. Each ends as
# it does without Reprise, with an empty store and with a full one.
#
# The sources are not in this tree. REPRISE_TEST_PYTORCH_SRC and REPRISE_TEST_TRITON_SRC name
# checkouts of the installed releases. Without them the sources are fetched for the run, by their
# tag. REPRISE_TEST_FRAMEWORK_SELECT: pytest's -k.

setup_file() {
	load ../e2e/units_lib
	units_setup_file
	[ -n "${JOB_PYTHON-}" ] || return 0
	# Packages that the modules import beside their framework; for this run alone.
	if ! "$JOB_PYTHON" -c 'import pytest, expecttest, hypothesis' 2>/dev/null; then
		"$JOB_PYTHON" -m pip install -q --target "$BATS_FILE_TMPDIR/site" pytest \
			expecttest hypothesis >&2 || return 0
		export PYTHONPATH=$BATS_FILE_TMPDIR/site
	fi
}

setup() {
	load ../e2e/units_lib
	units_setup
	need_triton
	"$JOB_PYTHON" -c 'import pytest, expecttest, hypothesis' 2>/dev/null ||
		skip "no pytest, expecttest and hypothesis for this Python, nor can pip bring them"
	# Compile workers, which only Triton's kernels use, are not started.
	export TORCH_WARM_POOL=0
	TESTS=$TOP/tests/long/framework_tests.py
}
teardown() { remote_teardown; }

installed() { "$JOB_PYTHON" -c "import $1; print($1.__version__.split('+')[0])"; } # MODULE

# sources NAMED REPOSITORY MODULE DIR...: the top of a tree that has these directories, in SOURCES.
sources() {
	local named=$1 repository=$2 version at
	version=v$(installed "$3")
	shift 3
	if [ -n "$named" ]; then
		SOURCES=$named
	else
		at=$BATS_FILE_TMPDIR/${repository##*/}
		if [ ! -d "$at" ]; then
			GIT_TERMINAL_PROMPT=0 timeout 600 git -c http.lowSpeedLimit=1000 \
				-c http.lowSpeedTime=30 clone -q --depth 1 \
				--filter=blob:none --sparse --branch "$version" "$repository" \
				"$at.new" 2>"$ROOT/clone" &&
				timeout 600 git -C "$at.new" sparse-checkout set \
					"$@" 2>>"$ROOT/clone" || {
				rm -rf "$at.new"
				local why
				why=$(tail -n 1 "$ROOT/clone")
				skip "no sources of ${repository##*/} $version: $why"
			}
			mv "$at.new" "$at"
		fi
		SOURCES=$at
	fi
	for at; do
		[ -d "$SOURCES/$at" ] || { fail "no $at in $SOURCES"; return 1; }
	done
}

# Containers of their own, one after the other: the frameworks' default places are empty in each.
one_run() { # NAME plain|under TOP MODULE...
	local name=$1 how=$2 s=0
	shift 2
	rm -rf "$TMPDIR" "$HOME"
	mkdir "$TMPDIR" "$HOME"
	[ "$how" = under ] || how=
	$how "$JOB_PYTHON" -B "$TESTS" run "$ROOT/$name.tests" "$@" \
		${REPRISE_TEST_FRAMEWORK_SELECT:+-k "$REPRISE_TEST_FRAMEWORK_SELECT"} \
		>"$ROOT/$name.out" 2>&1 </dev/null || s=$?
	[ $s = 0 ] || { tail -n 30 "$ROOT/$name.out" >&2; fail "$name: status $s"; }
}

# MINIMUM tests must pass on a machine that has only some of the optional packages.
ends_alike() { # MINIMUM TOP MODULE...
	local minimum=$1
	shift
	[ -z "${REPRISE_TEST_FRAMEWORK_SELECT-}" ] || minimum=1
	one_run plain plain "$@" && one_run cold under "$@" && drain && one_run warm under "$@" &&
		drain || return 1
	"$PY" "$TESTS" compare "$minimum" "$ROOT/plain.tests" "$ROOT/cold.tests" \
		"$ROOT/warm.tests" >"$ROOT/counts" ||
		{
			cat "$ROOT/counts" >&2
			fail "tests of the framework end otherwise with Reprise"
			return 1
		}
	{
		echo "torch $(installed torch), triton $(installed triton), ${*:2}"
		cat "$ROOT/counts"
		echo "with Reprise, two runs: the same; $(stat_of hits_local) compiles replayed," \
			"$(stat_of units_packed) units packed"
	} | sed 's/^/# /' >&3
	units_clean
}

pytorch() {
	sources "${REPRISE_TEST_PYTORCH_SRC-}" https://github.com/pytorch/pytorch torch \
		test/inductor test/dynamo
}
triton() {
	sources "${REPRISE_TEST_TRITON_SRC-}" https://github.com/triton-lang/triton triton \
		python/test
}

@test "framework_tests: Inductor's code cache" {
	pytorch
	ends_alike 30 "$SOURCES/test/inductor" test_codecache.py
}

@test "framework_tests: Inductor's local side of its remote cache" {
	pytorch
	ends_alike 3 "$SOURCES/test/inductor" test_remote_cache.py
}

@test "framework_tests: AOTAutograd's cache" {
	pytorch
	ends_alike 5 "$SOURCES/test/dynamo" test_aot_autograd_cache.py
}

@test "framework_tests: Triton's cache and its compiled launchers" {
	triton
	ends_alike 10 "$SOURCES/python/test" unit/runtime/test_cache.py unit/runtime/test_build.py
}
