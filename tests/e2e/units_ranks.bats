#!/usr/bin/env bats
# Ranks of one host: graphs stay with their rank, and kernels are shared. Workers that learn their
# rank by argument share no graphs. Ranks that look in one directory: units_ranks_directory.bats.

load units_suite

setup() {
	load units_lib
	load ranks_lib
	ranks_setup
}

# bats test_tags=long
@test "units_ranks: each rank finds its own graphs, and never the other rank's" {
	plain_ranks differ
	ranks cold under differ
	same plain cold
	[ "$(said cold 0 fx_miss)" -gt 0 ]
	[ "$(said cold 1 fx_miss)" -gt 0 ]
	drain
	units_wipe
	ranks warm under differ
	same plain warm
	all_hit warm
	# Each rank now compiles the other rank's graphs. It looks for their names, and finds
	# nothing.
	units_wipe
	local before
	before=$(stat_of brought_fxgraph)
	JOB_ENV=(REPRISE_READONLY=1)
	ranks swapped under swapped
	[ "$(said swapped 0 fx_miss)" -gt 0 ]
	[ "$(said swapped 1 fx_miss)" -gt 0 ]
	[ "$(stat_of brought_fxgraph)" = "$before" ] || fail "a graph of another rank was laid"
	units_clean
}

# bats test_tags=long
@test "units_ranks: each in a directory of its own: different sets are laid, each finds its own" {
	plain_ranks same
	ranks cold under same,own
	drain
	units_wipe
	ranks warm under same,own
	same plain warm
	all_hit warm
	[ "$(stat_of brought_fxgraph)" -ge 2 ]
	# One graph for the forward pass and one for the backward pass.
	local r
	for r in 0 1; do
		[ "$(find "$ROOT/fw/inductor/$r/fxgraph" -type f | wc -l)" = 2 ] ||
			fail "rank $r: $(find "$ROOT/fw/inductor/$r/fxgraph")"
	done
	# The script between does not say how many ranks a host has, as srun does.
	cat >between.sh <<-END
	#!/bin/sh
	unset LOCAL_WORLD_SIZE
	"$JOB_PYTHON" "\$@"
	exit
	END
	chmod +x between.sh
	units_wipe
	BETWEEN=$PWD/between.sh
	ranks between under same,own
	same plain between
	all_hit between
	units_clean
}

# bats test_tags=long
@test "units_ranks: DistributedDataParallel, three starts" {
	plain_ranks same,ddp
	ranks cold under same,ddp
	same plain cold
	drain
	units_wipe
	ranks warm under same,ddp
	same plain warm
	units_clean
}

# bats test_tags=long
@test "units_ranks: REPRISE_FX_SCOPE=shared: one set for every rank and world" {
	one_rank one under REPRISE_FX_SCOPE=shared
	drain
	[ "$(said one 0 fx_miss)" -gt 0 ]
	units_wipe
	JOB_ENV=(REPRISE_FX_SCOPE=shared)
	ranks warm under same
	all_hit warm
	cmp "$ROOT/one.rank.0" "$ROOT/warm.rank.0"
	units_wipe
	# Without the setting a rank finds nothing of another rank or world.
	JOB_ENV=(REPRISE_READONLY=1)
	ranks apart under same,own
	[ "$(said apart 0 fx_miss)" -gt 0 ]
	[ "$(said apart 1 fx_miss)" -gt 0 ]
	units_clean
}

# bats test_tags=long
@test "units_ranks: kernels of Triton are every rank's" {
	need_triton
	cat >kernels.py <<-'END'
	import hashlib, os, triton, triton.language as tl
	rank = os.environ["RANK"]
	os.environ["TRITON_CACHE_DIR"] += "/rank" + rank
	from triton.backends.compiler import GPUTarget
	@triton.jit
	def k(x, y, o, n, B: tl.constexpr):
	    i = tl.program_id(0) * B + tl.arange(0, B)
	    tl.store(o + i, tl.load(x + i, i < n) * 2 + tl.load(y + i, i < n), i < n)
	with open(os.environ["OUT"] + rank, "w") as f:
	    for b in (128, 256, 512):
	        types = {"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}
	        s = triton.compiler.ASTSource(fn=k, signature=types, constexprs={(4,): b})
	        cubin = triton.compile(s, target=GPUTarget("cuda", 90, 32)).asm["cubin"]
	        print(b, hashlib.sha256(cubin).hexdigest(), file=f)
	END
	torchrun() {
		JOB_ENV=(OUT="$ROOT/$1.")
		unit_job "$1" under -m torch.distributed.run --nproc-per-node 2 \
			--master-addr 127.0.0.1 --master-port "$(redis_free_port)" kernels.py
	}
	# Both at once, each in a directory of its own: ptxas runs once for each kernel.
	torchrun cold
	cmp "$ROOT/cold.0" "$ROOT/cold.1"
	ptxas_runs() { reprise explain 100 | grep -c -- '--gpu-name=' || :; }
	[ "$(ptxas_runs)" = 3 ] || fail "ptxas ran $(ptxas_runs) times: $(reprise explain 100)"
	drain
	[ "$(find "$STORE/unit" -type f | wc -l)" = 3 ]
	units_wipe
	torchrun warm
	cmp "$ROOT/cold.0" "$ROOT/warm.0"
	cmp "$ROOT/cold.1" "$ROOT/warm.1"
	[ "$(ptxas_runs)" = 3 ]
	units_clean
}

# Ranks of torch.multiprocessing get their rank as an argument.
# bats test_tags=long
@test "units_ranks: children of multiprocessing share no graphs, unless they state their rank" {
	cat >spawn.py <<-'END'
	import json, os, sys, torch, torch.multiprocessing as mp
	def work(rank, out):
	    if os.environ.get("TOLD"):
	        os.environ["RANK"], os.environ["WORLD_SIZE"] = str(rank), "2"
	    from graph_counts import graph_counts
	    def f(x):
	        return torch.sin(x) * (rank + 2) + 1
	    x = torch.arange(64.0)
	    torch.testing.assert_close(torch.compile(f)(x), f(x))
	    with open("%s.%d.json" % (out, rank), "w") as o:
	        json.dump(graph_counts(), o)
	if __name__ == "__main__":
	    mp.spawn(work, (sys.argv[1],), nprocs=2)
	END
	spawn() {
		units_wipe
		unit_job "$1" under spawn.py "$ROOT/$1.rank"
	}
	spawn cold
	drain
	[ "$(stat_of packed_fxgraph)" = 0 ]
	[ "$(stat_of packed_aotautograd)" = 0 ]
	JOB_ENV=(TOLD=1)
	spawn told
	[ "$(said told 0 fx_miss)" -gt 0 ]
	drain
	[ "$(stat_of packed_fxgraph)" -gt 0 ]
	spawn warm
	all_hit warm
	# Without variables of a rank nothing is laid, whatever the store has.
	JOB_ENV=(REPRISE_READONLY=1)
	local before
	before=$(stat_of brought_fxgraph)
	spawn untold
	[ "$(said untold 0 fx_miss)" -gt 0 ]
	[ "$(said untold 1 fx_miss)" -gt 0 ]
	[ "$(stat_of brought_fxgraph)" = "$before" ]
	units_clean
}
