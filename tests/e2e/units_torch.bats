#!/usr/bin/env bats
# torch.compile in containers that start with empty directories. Graphs come from the store, the
# framework compiles nothing again, and the results are those without Reprise.

load units_suite

setup() {
	load units_lib
	load ranks_lib
	units_setup
	need_torch
	train_py
	# One graph without a gradient, for cases that are not about the job itself.
	cat >one.py <<-'END'
	import json, sys, torch
	from graph_counts import graph_counts
	f = torch.compile(lambda x: (torch.sin(x) * 3 + torch.cos(x)).sum())
	print("%.6f" % f(torch.arange(64.)).item())
	print(json.dumps(graph_counts()), file=sys.stderr)
	END
	# The least job with a graph for the forward pass, and one for the backward pass.
	cat >least.py <<-'END'
	import json, sys, torch
	from graph_counts import graph_counts
	x = torch.arange(64., requires_grad=True)
	y = torch.compile(lambda x: (torch.sin(x) * 3 + torch.cos(x)).sum())(x)
	y.backward()
	print("%.6f %.6f" % (y.item(), x.grad.sum().item()))
	print(json.dumps(graph_counts()), file=sys.stderr)
	END
}

same_as() { cmp "$ROOT/$1.out" "$ROOT/$2.out" || { fail "$1 and $2: other results"; return 1; }; }
same_plain() { same_as plain "$1"; }

# The results without Reprise, worked out once for all cases.
plain_start() { # SCRIPT ARGS
	once "plain.$*" plain.out -- plain_job "$@"
}
# With the shared precompiled header, even if the case itself has none.
plain_job() {
	(graphs_alone && unit_job plain plain "$@") || return 1
	units_wipe
}

# three_starts ARGS: train.py plain, cold, drained, warm in empty directories
three_starts() {
	plain_start train.py "$@"
	two_starts train.py "$@"
	same_plain cold
}
two_starts() { # SCRIPT ARGS
	unit_job cold under "$@"
	[ "$(graphs_counted cold fx_miss)" -gt 0 ]
	drain
	[ "$(stat_of packed_fxgraph)" -gt 0 ] || fail "no graph was packed: $(cat "$LOG")"
	units_wipe
	unit_job warm under "$@"
	same_as cold warm
}

# bats test_tags=check
@test "units: a training job in empty directories finds its graphs in the local store" {
	graphs_alone
	two_starts least.py
	graphs_served warm
	units_clean
	# Without classes the graphs are compiled again, and their compiles are hits.
	units_wipe
	local hits misses
	hits=$(stat_of hits_local) misses=$(stat_of misses)
	JOB_ENV=(REPRISE_CLASSES=none)
	unit_job actions under least.py
	same_as cold actions
	[ "$(graphs_counted actions fx_miss)" -gt 0 ]
	[ "$(stat_of hits_local)" -gt "$hits" ]
	[ $(($(stat_of misses) - misses)) -le 4 ] || fail "$(reprise explain)"
}

# More of ranks: units_ranks.bats, units_ranks_directory.bats. Here they use this file's precompiled
# header.
# bats test_tags=check
@test "units_ranks: two ranks in one directory, which is emptied: all is found, nothing packed" {
	ranks_setup
	DIRECT=1
	default_directories 2 cold same,forward
}

# With the precompiled header, compile workers and questions to g++ that the other cases leave out.
# bats test_tags=long
@test "units: a training job in an empty container finds its graphs in the local store" {
	three_starts
	graphs_served warm
	units_clean
}

# bats test_tags=long
@test "units: dynamic shapes, several guard sets to a key" {
	graphs_alone
	three_starts dynamic
	graphs_served warm
	units_clean
}

# bats test_tags=long
@test "units: mode max-autotune" {
	graphs_alone
	three_starts mode=max-autotune
	graphs_served warm
	units_clean
}

# bats test_tags=long
@test "units: mode max-autotune-no-cudagraphs" {
	graphs_alone
	three_starts mode=max-autotune-no-cudagraphs
	graphs_served warm
	units_clean
}

# bats test_tags=long
@test "units: mode reduce-overhead" {
	graphs_alone
	three_starts mode=reduce-overhead
	graphs_served warm
	units_clean
}

# bats test_tags=long
@test "units: another node finds them in Redis" {
	graphs_alone
	units_two_nodes
	plain_start train.py
	unit_job cold under train.py
	drain
	on b
	units_wipe
	unit_job warm under train.py
	same_plain warm
	graphs_served warm
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	units_clean
}

# bats test_tags=long
@test "units: REPRISE_CLASSES takes a class away, the frameworks' own switches theirs" {
	graphs_alone
	plain_start one.py
	JOB_ENV=(REPRISE_CLASSES=all,-fxgraph,-aotautograd)
	unit_job cold under one.py
	drain
	[ "$(stat_of packed_fxgraph)" = 0 ]
	units_wipe
	JOB_ENV=(TORCHINDUCTOR_FORCE_DISABLE_CACHES=1)
	unit_job forced under one.py
	same_plain forced
	drain
	[ "$(stat_of packed_fxgraph)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "units: a fresh_cache() is not filled, nor is its content packed" {
	graphs_alone
	cat >fresh.py <<-'END'
	import runpy
	from torch._inductor.utils import fresh_cache
	with fresh_cache(): runpy.run_path("one.py")
	END
	plain_start one.py
	unit_job held under fresh.py
	same_plain held
	drain
	[ "$(stat_of packed_fxgraph)" = 0 ] || fail "a graph of fresh_cache() was packed"
	unit_job cold under one.py
	drain
	[ "$(stat_of packed_fxgraph)" -gt 0 ]
	units_wipe
	unit_job fresh under fresh.py
	same_plain fresh
	[ "$(graphs_counted fresh fx_hit)" = 0 ] ||
		fail "a graph was brought into a directory that is to be fresh"
	[ "$(graphs_counted fresh fx_miss)" -gt 0 ]
	unit_job warm under one.py
	same_plain warm
	[ "$(graphs_counted warm fx_miss)" = 0 ]
	units_clean
}

# made_by_rank_0: rank 0 of two makes graphs. not_for RANK-AND-WORLD...: jobs of these ranks compile
# them again.
made_by_rank_0() {
	graphs_alone
	plain_start one.py
	JOB_ENV=(RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1)
	unit_job cold under one.py
	drain
}
not_for() {
	local other
	for other; do
		units_wipe
		read -ra JOB_ENV <<<"$other REPRISE_READONLY=1"
		unit_job other under one.py
		[ "$(graphs_counted other fx_miss)" -gt 0 ] ||
			fail "$other: a graph of another scope was used"
		case $other in
		*avx2)
			# A sum in other vectors may differ in its last digits.
			units_wipe
			unit_job alone plain one.py
			same_as alone other
			;;
		*) same_plain other ;;
		esac
	done
	units_wipe
}

# bats test_tags=long
@test "units: graphs are bound to their rank, and to the CPU's instructions" {
	made_by_rank_0
	not_for "RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1" \
		"RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 ATEN_CPU_CAPABILITY=avx2"
	JOB_ENV=(RANK=0 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1)
	unit_job warm under one.py
	same_plain warm
	[ "$(graphs_counted warm fx_miss)" = 0 ]
	units_clean
}

# bats test_tags=long
@test "units: graphs are bound to the size of their world, and not shared if the scope is off" {
	made_by_rank_0
	not_for "WORLD_SIZE=1 RANK=0"
	JOB_ENV=(RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 REPRISE_FX_SCOPE=off)
	unit_job off under one.py
	[ "$(graphs_counted off fx_miss)" -gt 0 ]
	units_clean
}

# The frameworks' own caches in a Redis, with the package that they want for it.
stock_redis() {
	local at=$TOP/build/redis-py
	# With the packages that it needs: Python before 3.11.3 needs more.
	PYTHONPATH=$at "$JOB_PYTHON" -c 'import redis' 2>"$ROOT/pip" ||
		"$JOB_PYTHON" -m pip install -q --upgrade --target "$at" redis >"$ROOT/pip" 2>&1 ||
		skip "no redis package for Python here: $(grep ERROR "$ROOT/pip" | tail -n 1)"
	redis_need
	redis_start stock
	JOB_ENV=(PYTHONPATH="$at" TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=1
		TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE=1
		TORCHINDUCTOR_REDIS_HOST=127.0.0.1 TORCHINDUCTOR_REDIS_PORT="$REDIS_PORT")
}

# bats test_tags=long
@test "units: beside the frameworks' own remote caches" {
	graphs_alone
	plain_start train.py
	stock_redis
	unit_job cold under train.py
	same_plain cold
	[ "$(redis_cli stock dbsize)" -gt 0 ] ||
		fail "torch has put nothing into its own remote cache: nothing is shown here"
	drain
	units_wipe
	unit_job both under train.py
	same_plain both
	graphs_served both
	# torch's remote cache alone: torch writes no file of what it gets from there, so nothing is
	# packed.
	units_wipe
	rm -rf "$STORE"
	local before
	before=$(stat_of packed_fxgraph)
	unit_job theirs under train.py
	same_plain theirs
	graphs_served theirs
	drain
	[ "$(stat_of packed_fxgraph)" = "$before" ]
	# Reprise alone.
	units_wipe
	redis_cli stock flushall
	unit_job again under train.py
	drain
	units_wipe
	redis_cli stock flushall
	unit_job ours under train.py
	same_plain ours
	graphs_served ours
	units_clean
}

# bats test_tags=long
@test "units: a program's own cache of max-autotune's shape stays; torch's file is carried" {
	cat >app.py <<-'END'
	import hashlib, json, os
	from torch._inductor.codecache import LocalCache
	root = os.environ["TORCHINDUCTOR_CACHE_DIR"] + "/app/cache/"
	os.makedirs(root, exist_ok=True)
	for name, text in ("answers", {"answer": 42}), ("nested", {"system": {"hash": "linux"},
	                                                           "cache": {"answer": 42}}):
	    path = root + hashlib.sha256(name.encode()).hexdigest()
	    print(name, os.path.exists(path))
	    with open(path, "w") as f:
	        json.dump(text, f)
	print("choices", LocalCache().lookup("mm"))
	LocalCache().set_value("mm", value={"aten": 1.5})
	END
	unit_job cold under app.py
	REPRISE_LOG_LEVEL=info drain
	[ "$(stat_of packed_gemm)" = 1 ] || fail "packed $(stat_of packed_gemm): $(cat "$LOG")"
	[ "$(grep -ac "not kept: gemm .*it is not a file of max-autotune's choices" "$LOG")" = 2 ]
	units_wipe
	unit_job warm under app.py
	printf '%s\n' 'answers False' 'nested False' "choices {'aten': 1.5}" |
		diff - "$ROOT/warm.out"
	units_clean
}

# More of such keys: units_unasked.bats. AOTAutograd's key holds a UUID here.
# bats test_tags=long
@test "units: entries that no other process can ask for stay local" {
	redis_need
	graphs_alone
	on a
	start
	local n
	JOB_ENV=(TORCH_CACHING_PRECOMPILE=1)
	for n in {1..10}; do
		units_wipe
		unit_job cold under least.py
		drain
	done
	[ "$(stat_of packed_aotautograd) $(stat_of units_local)" = "10 2" ] ||
		fail "$(reprise stats)"
	[ "$(stat_of brought_aotautograd)" = 0 ]
	units_clean
}
