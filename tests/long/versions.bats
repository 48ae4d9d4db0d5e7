#!/usr/bin/env bats
# Versions of torch, Triton and JAX. A node with empty directories and a new store finds another
# node's results in Redis, with the same bits. The cases are the list.
#
# pip makes a virtual environment for each: 0.3 GB for Triton, up to 7 GB for a torch with CUDA
# libraries. It is removed before the next one. REPRISE_TEST_VENVS=DIR keeps them as
# DIR/torch-<version>, and uses present ones. What pip cannot install is skipped.
# REPRISE_TEST_PYTHON (default python3) makes them; all these versions have wheels for CPython 3.11.

setup_file() { export VENVS=${REPRISE_TEST_VENVS:-$BATS_FILE_TMPDIR}; }

setup() {
	load ../e2e/units_lib
	units_setup
	units_two_nodes
}
teardown() {
	remote_teardown
	[ -n "${REPRISE_TEST_VENVS-}" ] || rm -rf "$VENVS"/torch-* "$VENVS"/triton-* "$VENVS"/jax-*
}

# venv NAME VERSION [PACKAGE...]: JOB_PYTHON is one that has it, just installed or kept.
venv() {
	local at=$VENVS/$1-$2 base=${REPRISE_TEST_PYTHON:-python3}
	if [ ! -e "$at/made" ]; then
		rm -rf "$at"
		"$base" -m venv "$at" || { fail "$base makes no virtual environment"; return 1; }
		"$at/bin/pip" install -q --no-input --no-cache-dir --no-compile "$1==$2" \
			"${@:3}" >"$ROOT/pip" 2>&1 || {
			rm -rf "$at"
			skip "pip installs no $1 $2 here: $(grep -a '^ERROR' "$ROOT/pip" |
				tail -n 1 | cut -c 1-160)"
		}
		: >"$at/made"
	fi
	JOB_PYTHON=$at/bin/python
	[ "$("$JOB_PYTHON" -c "import $1; print($1.__version__.split('+')[0])")" = "$2" ] ||
		fail "no $1 $2 in $at"
}

# Node $1 compiled. Node $2 has empty directories and finds the results: $ROOT/warm.out equals
# $ROOT/cold.out.
fresh_node() { # FROM TO SCRIPT ARGS
	local from=$1 to=$2
	shift 2
	on "$from"
	units_wipe
	unit_job cold under "$@"
	drain
	[ "$(stat_of units_dropped)" = 0 ] || fail "dropped: $(cat "$LOG")"
	on "$to"
	units_wipe
	unit_job warm under "$@"
	cmp "$ROOT/cold.out" "$ROOT/warm.out" ||
		{ fail "other results: $(diff "$ROOT/cold.out" "$ROOT/warm.out")"; return 1; }
	# A compiler that a new version brings, and that is not served, is noticed here.
	[ "$(stat_of misses) $(stat_of bypasses) $(stat_of unstored)" = "0 0 0" ] ||
		{ fail "not served: $(reprise stats)"; return 1; }
	units_clean
}

# For a node whose directories are empty. The library's graphs_served looks at one run.
graphs_carried() { # FROM TO
	fresh_node "$1" "$2" train.py
	cmp "$ROOT/plain.out" "$ROOT/warm.out" || fail "other results than without Reprise"
	[ "$(graphs_counted cold fx_miss)" -gt 0 ] || [ "$(graphs_counted cold aot_miss)" -gt 0 ]
	graphs_served warm
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	[ "$(graphs_counted warm aot_on)" = False ] || [ "$(stat_of brought_aotautograd)" -gt 0 ]
	echo "# torch $VERSION: $(grep -h '^{"fx' "$ROOT/warm.err")" >&3
}

# Autotuning needs GPUs to run kernels. The code that writes and reads its files is torch's anyway.
choices_py() {
	cat >choices.py <<-'END'
	import os, sys
	from torch._inductor.codecache import LocalCache
	from torch._inductor.runtime.autotune_cache import AutotuneCache
	from triton import Config
	meta = {"autotune_local_cache": True, "autotune_remote_cache": False, "backend_hash": "b"}
	kernel = os.path.join(os.environ["TORCHINDUCTOR_CACHE_DIR"], "bc", "cbc" + 49 * "a" + ".py")
	os.makedirs(os.path.dirname(kernel), exist_ok=True)
	configs = [Config({"XBLOCK": x}, num_warps=4, num_stages=1) for x in (64, 128)]
	best = lambda: AutotuneCache.create(meta, kernel, 64 * "0").read_best(meta, configs)
	print("autotune", bool(best()), "gemm", bool(LocalCache().lookup("mm")), file=sys.stderr)
	if not best():
	    AutotuneCache.create(meta, kernel, 64 * "0").save(configs[1], 1000)
	if not LocalCache().lookup("mm"):
	    LocalCache().set_value("mm", value={"aten": 1.5, "cpp": 2.5})
	print(best(), LocalCache().lookup("mm"))
	END
}

torch_version() {
	# setuptools: Triton up to 3.4 builds with it.
	venv torch "$1" numpy setuptools
	need_torch
	graphs_alone
	VERSION=$1
	train_py
	unit_job plain plain train.py
	graphs_carried a b
	if [ "$(graphs_counted plain aot_on)" = False ]; then
		JOB_ENV=(TORCHINDUCTOR_AUTOGRAD_CACHE=1)
		graphs_carried c d
	fi
	choices_py
	fresh_node a b choices.py
	grep -q '^autotune False gemm False$' "$ROOT/cold.err"
	grep -q '^autotune True gemm True$' "$ROOT/warm.err" || fail "$(cat "$ROOT/warm.err")"
}

triton_version() {
	local n
	venv triton "$1" setuptools
	triton_kernels_py
	# sm_90a, sm_80, sm_100a and gfx942. Up to 3.4 an lld of ROCm links for gfx942.
	case $1 in
	3.[23].*) fresh_node a b kernels.py 128,cuda:80,256,1024 ;;
	3.4.*) fresh_node a b kernels.py 128,cuda:80,256,1024,cuda:100,128 ;;
	*) fresh_node a b kernels.py 128,cuda:80,256,hip:gfx942,1024,cuda:100,128 ;;
	esac
	n=$(grep -c . "$ROOT/cold.out")
	[ "$(stat_of brought_triton)" = "$n" ]
	echo "# triton $1: $n kernels, $(find "$ROOT/fw/triton" -type f | wc -l) files" >&3
	triton_native
}

# Triton's own C: tests/e2e/units_triton_native.bats.
triton_native() {
	local job=$UNITS_AT/triton_native.py
	mkdir -p "$ROOT/cuda"
	"$JOB_PYTHON" "$job" --libcuda "$ROOT/cuda/libcuda.so.1"
	ln -s libcuda.so.1 "$ROOT/cuda/libcuda.so"
	JOB_ENV=(TRITON_LIBCUDA_PATH="$ROOT/cuda" LD_LIBRARY_PATH="$ROOT/cuda")
	fresh_node c d "$job"
	grep -q '^compiled [1-9]' "$ROOT/cold.err"
	grep -q '^compiled 0$' "$ROOT/warm.err" || fail "$(cat "$ROOT/warm.err")"
}

# JAX's programs for the CPU, by its own cache.
jax_version() {
	local base c
	# Since 0.11 JAX needs CPython 3.12.
	for c in python3 python3.12 python3.13 python3.14 ${REPRISE_TEST_PYTHON:-}; do
		"$c" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && base=$c
	done
	case $1 in
	0.9.* | 0.10.*) ;;
	*) [ -n "${base-}" ] || skip "no CPython 3.12 here" ;;
	esac
	REPRISE_TEST_PYTHON=${base:-python3} venv jax "$1"
	JOB_ENV=(JAX_COMPILATION_CACHE_DIR="$ROOT/fw/jax" JAX_PLATFORMS=cpu
		JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0
		JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1
		JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES=none)
	cat >job.py <<-'END'
	import sys, jax, jax.numpy as jnp, numpy as np
	counts = {"hits": 0, "misses": 0}
	def count(event, **kw):
	    for k in counts:
	        counts[k] += event == "/jax/compilation_cache/cache_" + k
	jax.monitoring.register_event_listener(count)
	f = jax.jit(jax.grad(lambda w, x: jnp.tanh(jnp.sin(x @ w)).sum()))
	for n in range(3):
	    print(np.asarray(f(jnp.ones((16, 8 + n)), jnp.ones((4, 16)))).tobytes().hex())
	print("hits %(hits)d misses %(misses)d" % counts, file=sys.stderr)
	END
	fresh_node a b job.py
	grep '^hits 0 misses [1-9]' "$ROOT/cold.err"
	grep '^hits [1-9][0-9]* misses 0$' "$ROOT/warm.err" || fail "$(cat "$ROOT/warm.err")"
	echo "# jax $1: $(grep '^hits' "$ROOT/warm.err")" >&3
}

@test "versions: jax 0.9.2" { jax_version 0.9.2; }
@test "versions: jax 0.10.2" { jax_version 0.10.2; }
@test "versions: jax 0.11.2" { jax_version 0.11.2; }
@test "versions: jax 0.12.0.1" { jax_version 0.12.0.1; }
@test "versions: torch 2.6.0" { torch_version 2.6.0; }
@test "versions: torch 2.7.1" { torch_version 2.7.1; }
@test "versions: torch 2.8.0" { torch_version 2.8.0; }
@test "versions: torch 2.9.1" { torch_version 2.9.1; }
@test "versions: torch 2.10.0" { torch_version 2.10.0; }
@test "versions: torch 2.11.0" { torch_version 2.11.0; }
@test "versions: torch 2.12.1" { torch_version 2.12.1; }
@test "versions: torch 2.14.0" { torch_version 2.14.0; }
@test "versions: torch 2.15.0" { torch_version 2.15.0; }
@test "versions: triton 3.2.0" { triton_version 3.2.0; }
@test "versions: triton 3.3.1" { triton_version 3.3.1; }
@test "versions: triton 3.4.0" { triton_version 3.4.0; }
@test "versions: triton 3.5.1" { triton_version 3.5.1; }
@test "versions: triton 3.6.0" { triton_version 3.6.0; }
@test "versions: triton 3.7.1" { triton_version 3.7.1; }
@test "versions: triton 3.8.0" { triton_version 3.8.0; }
@test "versions: triton 3.9.0" { triton_version 3.9.0; }
