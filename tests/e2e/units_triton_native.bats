#!/usr/bin/env bats
# Triton's own C for the host: functions of its driver, and launchers of kernels. The real Triton
# compiles and loads them without a GPU, against a library that defines libcuda's functions. A fresh
# directory gets them without a compiler where libc, Python, Triton, compiler and libcuda agree.

load units_suite

setup() {
	load units_lib
	units_setup
	need_triton
	JOB=$UNITS_AT/triton_native.py
	libcuda_in cuda
	NATIVE_ENV=(TRITON_LIBCUDA_PATH="$ROOT/cuda" LD_LIBRARY_PATH="$ROOT/cuda")
	JOB_ENV=("${NATIVE_ENV[@]}")
}

libcuda_in() { # DIRECTORY [SUFFIX]
	mkdir -p "$ROOT/$1"
	"$JOB_PYTHON" "$JOB" --libcuda "$ROOT/$1/libcuda.so.1" ${2+"$2"}
	ln -sf libcuda.so.1 "$ROOT/$1/libcuda.so"
}

# How often the processes of this run started a compiler.
compiled() { awk '/^compiled / { n += $2 } END { print n + 0 }' "$ROOT/$1.err"; }

is_compiled() { # NAME COUNT
	[ "$(compiled "$1")" = "$2" ] ||
		{ fail "$1: $(compiled "$1") compiles, not $2: $(reprise explain 5)"; return 1; }
}

# The files, without the directories' names.
native_files() { (cd "$1" && find . -type f -name '*.so' -exec sha256sum {} + | LC_ALL=C sort); }

cold() {
	unit_job cold under "$JOB"
	N=$(compiled cold)
	[ "$N" -gt 0 ]
	native_files "$ROOT/fw/triton" >"$ROOT/cold.files"
	drain
	units_wipe
}

# bats test_tags=check
@test "units: a fresh directory has Triton's own C, and no compiler is started" {
	unit_job plain plain "$JOB"
	units_wipe
	cold
	cmp "$ROOT/plain.out" "$ROOT/cold.out"
	is_compiled plain "$N"
	[ "$(stat_of packed_triton_native)" = "$N" ]
	unit_job warm under "$JOB"
	is_compiled warm 0
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	native_files "$ROOT/fw/triton" | cmp - "$ROOT/cold.files"
	[ "$(stat_of brought_triton_native)" = "$N" ]
	# The directories of several devices, as Inductor names them.
	JOB_ENV+=(TRITON_CACHE_DIR="$ROOT/fw/inductor/triton/1")
	unit_job device under "$JOB"
	is_compiled device 0
	cmp "$ROOT/plain.out" "$ROOT/device.out"
	units_clean
}

# bats test_tags=check
@test "units: what a unit carries is not stored as a compile, too, before it is compiled twice" {
	local d=$ROOT/tmp1a2b3c4d add=1
	as_triton() { # DIRECTORY [SETTING...]
		local at=$1
		shift
		mkdir -p "$at"
		put "$at/main.c" "int launch(int x) { return x + $add; }"
		under "$@" gcc "$at/main.c" -O3 -shared -fPIC -o "$at/cuda_utils.so"
	}
	last_is() { # WORDS
		reprise explain 1 | grep -q "$1" || fail "not '$1': $(reprise explain 1)"
	}
	as_triton "$d"
	last_is 'miss: first'
	as_triton "$d"
	last_is 'miss: new'
	as_triton "$d"
	[ "$(stat_of hits_local)" = 1 ]
	# No unit will carry these.
	as_triton "$ROOT/build"
	as_triton "$ROOT/build"
	[ "$(stat_of hits_local)" = 2 ]
	add=2
	as_triton "$ROOT/tmp5e6f7g8h" REPRISE_CLASSES=-triton_native
	last_is 'miss: new'
	as_triton "$ROOT/tmp5e6f7g8h" REPRISE_CLASSES=-triton_native
	[ "$(stat_of hits_local)" = 3 ] || fail "$(reprise explain 3)"
	units_clean
}

# bats test_tags=check
@test "units: Triton compiles its C where libcuda, the compiler or Python is another" {
	cold
	libcuda_in other more
	JOB_ENV=(TRITON_LIBCUDA_PATH="$ROOT/cuda" LD_LIBRARY_PATH="$ROOT/cuda"
		CPATH="$ROOT/headers")
	unit_job headers under "$JOB"
	is_compiled headers "$N"
	units_wipe
	# Another one under the same path.
	mv "$ROOT/cuda" "$ROOT/before"
	mv "$ROOT/other" "$ROOT/cuda"
	JOB_ENV=("${NATIVE_ENV[@]}")
	unit_job driver under "$JOB"
	is_compiled driver "$N"
	units_wipe
	rm -r "$ROOT/cuda"
	mv "$ROOT/before" "$ROOT/cuda"
	put cc.sh '#!/bin/sh
exec gcc "$@"'
	chmod +x cc.sh
	JOB_ENV+=(CC="$PWD/cc.sh")
	unit_job compiler under "$JOB"
	is_compiled compiler "$N"
	drain
	units_wipe
	unit_job compiler_warm under "$JOB"
	is_compiled compiler_warm 0
	units_wipe
	printf '# other options\n' >>cc.sh
	unit_job edited under "$JOB"
	is_compiled edited "$N"
	units_wipe
	JOB_ENV=("${NATIVE_ENV[@]}")
	unit_job warm under "$JOB"
	is_compiled warm 0
	units_clean
}

# bats test_tags=check
@test "units: another build of Python gets none of Triton's C from this one" {
	cold
	local at
	at=$("$JOB_PYTHON" -c 'import sys, triton, os
print(os.path.realpath(sys.executable), sys.base_prefix,
      os.path.dirname(os.path.dirname(triton.__file__)))')
	set -- $at
	cp "$1" "$ROOT/python3-other"
	printf 'x' >>"$ROOT/python3-other"
	JOB_ENV=("${NATIVE_ENV[@]}" PYTHONHOME="$2" PYTHONPATH="$3"
		LD_LIBRARY_PATH="$ROOT/cuda:$2/lib")
	JOB_PYTHON=$ROOT/python3-other unit_job other under "$JOB"
	is_compiled other "$N"
	cmp "$ROOT/cold.out" "$ROOT/other.out"
	units_clean
}

# bats test_tags=check
@test "units: workers that need Triton's C at once compile no more than plain, then nothing" {
	unit_job plain plain "$JOB" 4
	units_wipe
	unit_job cold under "$JOB" 4
	[ "$(compiled cold)" -le "$(compiled plain)" ]
	cmp "$ROOT/plain.out" "$ROOT/cold.out"
	drain
	units_wipe
	unit_job warm under "$JOB" 4
	is_compiled warm 0
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	units_clean
}

# bats test_tags=long
@test "units: another node finds Triton's C in Redis" {
	units_two_nodes
	cold
	on b
	unit_job warm under "$JOB"
	is_compiled warm 0
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(stat_of misses)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "units: the functions of AMD's driver are carried, too" {
	put hip.py '
import os, sys
from triton.backends.amd import driver
from triton.runtime.build import compile_so_from_src
sys.addaudithook(lambda e, a: e == "subprocess.Popen" and "-shared" in a[1] and
                 print("compiled 1", file=sys.stderr))
# As HIPUtils does, without loading the object: its library is not here.
with open(os.path.join(driver.dirname, "driver.c")) as f:
    src = f.read().replace("/*py_libhip_search_path*/", "/opt/rocm/lib/libamdhip64.so", 1)
so = compile_so_from_src(src, name="hip_utils", include_dirs=driver.include_dirs)
print(os.path.getsize(so))'
	unit_job cold under hip.py
	is_compiled cold 1
	drain
	units_wipe
	unit_job warm under hip.py
	is_compiled warm 0
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	units_clean
}

# Renames a changed object into place, as Triton does.
replaces_py() {
	cat >replaces.py <<-'END'
	import glob, os, sys, triton
	[so] = glob.glob(os.environ["TRITON_CACHE_DIR"] + "/*/cuda_utils*.so")
	data = open(so, "rb").read()
	if sys.argv[1] == "cut":
	    data = data[:len(data) * 3 // 4]
	else:
	    data = data.replace(b"PyInit_cuda_utils", b"PyInit_cuda_other")
	with open("new", "wb") as f:
	    f.write(data)
	os.replace("new", so)
	END
}

# bats test_tags=long
@test "units: a cut object of Triton's C is not carried" {
	replaces_py
	unit_job cold under "$JOB"
	drain
	unit_job cut under replaces.py cut
	drain
	grep -q 'not kept: triton_native .*: it is no whole ELF object' "$LOG"
	units_wipe
	unit_job warm under "$JOB"
	is_compiled warm 0
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	units_clean
}

# bats test_tags=check
@test "units: an object that Triton cannot load is replaced by the one that it compiles then" {
	replaces_py
	unit_job cold under "$JOB"
	unit_job bad under replaces.py renamed
	drain
	units_wipe
	# The loader has that path already: this start ends as one with the bad file kept ends.
	unit_job again under "$JOB" 2>"$ROOT/said" || grep -q '^ImportError: ' "$ROOT/again.err"
	drain
	units_wipe
	unit_job warm under "$JOB"
	is_compiled warm 0
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	units_clean
}

# module.py NAME [LIBRARY...]: a module with a header, by Triton's own code.
module_py() {
	mkdir -p headers
	echo '#define OWN 1' >headers/own.h
	cat >module.py <<-'END'
	import sys, triton
	from triton.runtime.build import compile_module_from_src
	sys.addaudithook(lambda e, a: e == "subprocess.Popen" and "-shared" in a[1] and
	                 print("compiled 1", file=sys.stderr))
	asks = "extern char __cxa_demangle[];" if "stdc++" in sys.argv else "static char *%s;"
	m = compile_module_from_src(src="""
	#include <Python.h>
	#include <own.h>
	""" + asks.replace("%s", "__cxa_demangle") + """
	#ifndef BY
	#define BY 0
	#endif
	static struct PyModuleDef d = {PyModuleDef_HEAD_INIT, "mod", 0, -1};
	PyMODINIT_FUNC PyInit_NAME(void)
	{
	    PyObject *m = __cxa_demangle == (char *)1 ? 0 : PyModule_Create(&d);
	    PyModule_AddIntConstant(m, "own", OWN);
	    PyModule_AddIntConstant(m, "by", BY);
	    return m;
	}
	""".replace("NAME", sys.argv[1]), name=sys.argv[1], libraries=sys.argv[2:],
	include_dirs=["headers"])
	print(m.own, m.by)
	END
}

# as_plain NAME COUNT: module.py in a fresh directory, with Reprise and without.
as_plain() {
	units_wipe
	unit_job "$1" under module.py hip_utils
	is_compiled "$1" "$2"
	drain
	units_wipe
	unit_job "$1.plain" plain module.py hip_utils
	cmp "$ROOT/$1.plain.out" "$ROOT/$1.out"
}

# bats test_tags=check
@test "units: a module that needs a library which its scope does not name is not carried" {
	module_py
	unit_job cold under module.py hip_utils
	unit_job linked under module.py hip_utils stdc++
	drain
	grep -q 'not kept: triton_native .*: it needs a library that its scope' "$LOG"
	units_wipe
	unit_job warm under module.py hip_utils
	is_compiled warm 0
	unit_job linked_again under module.py hip_utils stdc++
	is_compiled linked_again 1
	units_clean
}

# bats test_tags=check
@test "units: another program's module is not carried: the scope does not hold its headers" {
	module_py
	unit_job cold under module.py fast_ops
	drain
	units_wipe
	echo '#define OWN 2' >headers/own.h
	unit_job edited under module.py fast_ops
	is_compiled edited 1
	[ "$(cat "$ROOT/cold.out" "$ROOT/edited.out")" = "1 0"$'\n'"2 0" ]
	[ "$(stat_of units_offered)" = 0 ]
	units_clean
}

# bats test_tags=check
@test "units: the programs behind a script or ccache are in the scope of Triton's C" {
	module_py
	mkdir cached first
	ln -s "$(command -v ccache)" cached/gcc
	put_script first/gcc '#!/bin/sh' '# ours' "exec '$(command -v gcc)' -DBY=1 \"\$@\""
	put_script cc '#!/bin/sh' "exec $PWD/first/gcc -isystem $ROOT/none -O2 \"\$@\""
	JOB_ENV=(CC="$PWD/cc")
	as_plain script 1
	as_plain script_again 0
	JOB_ENV=(PATH="$PWD/cached:$PWD/first:$PATH" CCACHE_DIR="$ROOT/ccache")
	as_plain ccache 1
	as_plain ccache_again 0
	sed -i s/BY=1/BY=2/ first/gcc
	as_plain ccache_edited 1
	JOB_ENV=(CC="$PWD/cc")
	as_plain script_edited 1
	units_clean
}

# bats test_tags=check
@test "units: Triton's C is not carried where a script or a variable may bring anything" {
	module_py
	mkdir more
	echo '#define BY 1' >more/stdbool.h
	for v in CPATH C_INCLUDE_PATH TRITON_CUDART_PATH; do
		JOB_ENV=("$v=$PWD/more")
		as_plain "$v" 1
		as_plain "$v.again" 1
	done
	put_script cc '#!/bin/sh' "exec gcc \$MORE \"\$@\""
	JOB_ENV=(CC="$PWD/cc" MORE=-DBY=1)
	as_plain script 1
	JOB_ENV=(CC="$PWD/cc" MORE=-DBY=2)
	as_plain script_other 1
	[ "$(stat_of units_offered)" = 0 ]
	units_clean
}

# bats test_tags=check
@test "units: what a cache manager of the user's brings is none of Triton's C for this host" {
	module_py
	unit_job cold under module.py hip_utils
	drain
	units_wipe
	JOB_ENV+=(TRITON_CACHE_MANAGER=triton.runtime.cache:FileCacheManager)
	unit_job managed under module.py hip_utils
	is_compiled managed 1
	[ "$(stat_of units_offered)" = 1 ]
	units_clean
}
