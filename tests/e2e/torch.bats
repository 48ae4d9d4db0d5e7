#!/usr/bin/env bats
# Real jobs: torch.compile, AOTInductor, load_inline, Triton without a GPU. Results must equal those
# without Reprise. The framework's own directories are emptied between runs, so that every compile
# is started again. torch is that of $REPRISE_TEST_VENV (default build/venv), else of python3.

setup_file() {
	load job_python
	job_python_find
}
teardown_file() {
	load lib
	load job_python
	graphs_end
}

setup() {
	load lib
	load job_python
	case_setup
	need_torch
	# The compilers alone: units_torch.bats has the frameworks' own caches.
	export REPRISE_CLASSES=none
	# ninja of the virtual environment, for load_inline
	PATH=$(dirname "$JOB_PYTHON"):$PATH
}
teardown() { case_teardown; }

# job NAME PRELOAD SCRIPT ARGS: a run with empty framework directories at the same paths.
job() {
	local name=$1 pre=() s
	[ "$2" = plain ] || pre=("${RPENV[@]}")
	shift 2
	rm -rf "$ROOT/cache" "$ROOT/tmp" "$HOME"
	mkdir -p "$ROOT/cache" "$TMPDIR" "$HOME"
	env "${pre[@]}" TORCHINDUCTOR_CACHE_DIR="$ROOT/cache/inductor" \
		TRITON_CACHE_DIR="$ROOT/cache/triton" \
		TORCH_EXTENSIONS_DIR="$ROOT/cache/ext" "$JOB_PYTHON" "$@" >"$ROOT/$name.out" \
		2>"$ROOT/$name.err" && s=0 || s=$?
	[ $s = 0 ] || { tail -n 20 "$ROOT/$name.err" >&2; fail "$name: status $s"; return 1; }
}

same_results() {
	cmp "$ROOT/plain.out" "$ROOT/$1.out" || {
		diff "$ROOT/plain.out" "$ROOT/$1.out" | head -n 20 >&2
		fail "$1: other results"
		return 1
	}
	[ "$(stat_of errors)" = 0 ] || fail "errors counted"
	! grep -aE '^[^ ]+ [0-9]+ error ' "$LOG" >&2 || fail "the log holds the above"
}

three_runs() { # SCRIPT ARGS: plain, cold, warm
	(graphs_alone && job plain plain "$@") || return 1
	job cold reprise "$@"
	same_results cold
	local misses
	misses=$(stat_of misses)
	[ "$misses" -gt 0 ] || fail "nothing was recorded"
	job warm reprise "$@"
	same_results warm
	echo "# ${1##*/}: $misses misses cold, $(($(stat_of misses) - misses)) more warm," \
		"$(stat_of hits_local) hits" >&3
	[ "$(stat_of hits_local)" -gt 0 ] || fail "no hit"
	NEW=$(($(stat_of misses) - misses))
}

# bats test_tags=long
@test "torch: a training step by torch.compile" {
	cat >train.py <<-'EOP'
	import torch
	torch.manual_seed(0)
	m = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
	opt = torch.optim.SGD(m.parameters(), lr=0.1)
	@torch.compile
	def loss(x, y): return torch.nn.functional.cross_entropy(m(x), y)
	x, y = torch.randn(16, 64), torch.randint(0, 8, (16,))
	for i in range(3):
	    opt.zero_grad(); l = loss(x, y); l.backward(); opt.step(); print("%.9f" % l.item())
	EOP
	three_runs train.py
	[ "$NEW" -le 4 ] || fail "$NEW compiles on the warm run: $(reprise explain)"
}

# bats test_tags=long
@test "torch: dynamic shapes, and max-autotune with its candidate kernels" {
	cat >modes.py <<-'EOP'
	import torch
	from torch._inductor import config
	torch.manual_seed(0)
	f = torch.compile(lambda x: torch.softmax(x * 2 + 1, 0).cumsum(0), dynamic=True)
	for n in (33, 65, 130):
	    print(n, "%.5f" % f(torch.arange(float(n)) / n).sum().item())
	# Every candidate is compiled and timed. The fastest one, and the last digits, depend on
	# chance.
	config.max_autotune_gemm_backends = "CPP,ATEN"
	config.freezing = True
	m = torch.nn.Sequential(torch.nn.Linear(128, 64), torch.nn.ReLU()).eval()
	with torch.no_grad():
	    y = torch.compile(m, mode="max-autotune")(torch.randn(64, 128))
	print("%.3f" % y.sum().item())
	EOP
	graphs_alone
	three_runs modes.py
	[ "$NEW" -le 4 ] || fail "$NEW compiles on the warm run: $(reprise explain)"
}

# bats test_tags=long
@test "torch: AOTInductor export, packaged and loaded" {
	cat >aot.py <<-'EOP'
	import os, torch
	torch.manual_seed(0)
	m = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.GELU()).eval()
	x = torch.randn(4, 32)
	ep = torch.export.export(m, (x,))
	path = torch._inductor.aoti_compile_and_package(
	    ep, package_path=os.path.join(os.environ["TMPDIR"], "m.pt2"))
	r = torch._inductor.aoti_load_package(path)(x)
	print([("%.7f" % v) for v in r.flatten().tolist()])
	EOP
	graphs_alone
	three_runs aot.py
}

# bats test_tags=long
@test "torch: cpp_extension.load_inline" {
	"$JOB_PYTHON" -c 'import ninja' 2>/dev/null || need ninja
	cat >ext.py <<-'EOP'
	import torch
	from torch.utils.cpp_extension import load_inline
	source = "torch::Tensor twice(torch::Tensor x) { return x + x; }"
	m = load_inline(name="twice_ext", cpp_sources=source, functions=["twice"])
	print(m.twice(torch.arange(4)).tolist())
	EOP
	three_runs ext.py
	[ "$NEW" -le 1 ] || fail "$NEW compiles on the warm run: $(reprise explain)"
}

@test "torch: a Triton kernel compiled by the real ptxas, without a GPU" {
	need_triton
	triton_kernels_py
	three_runs kernels.py 128,256,1024
	[ "$NEW" = 0 ] || fail "$NEW compiles on the warm run: $(reprise explain)"
}

# bats test_tags=long
@test "torch: two different jobs at once on one store" {
	cat >one.py <<-'EOP'
	import sys, torch
	torch.manual_seed(0)
	k = int(sys.argv[1])
	f = torch.compile(lambda x: (torch.sin(x) * k + torch.cos(x)).sum())
	print("%.6f" % f(torch.arange(64.)).item())
	EOP
	local i s e=(TORCHINDUCTOR_CACHE_DIR="$ROOT/cache/i")
	mkdir -p "$ROOT/cache"
	(
		graphs_alone && mkdir -p "$TMPDIR" && for i in 2 3; do
			env "${e[@]}$i" "$JOB_PYTHON" one.py $i >"$ROOT/want$i" || exit 1
		done
	)
	rm -rf "$ROOT/cache"/*
	for s in cold warm; do
		for i in 2 3; do
			env "${RPENV[@]}" "${e[@]}$i" \
				"$JOB_PYTHON" one.py $i >"$ROOT/got$i" 2>"$ROOT/err$i" &
		done
		wait
		for i in 2 3; do cmp "$ROOT/want$i" "$ROOT/got$i"; done
		rm -rf "$ROOT/cache"/*
	done
	[ "$(stat_of errors)" = 0 ]
}
