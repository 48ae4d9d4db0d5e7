# Ranks under torchrun, with gloo on the CPU, that compile graphs. After units_lib.bash.
#
#     setup() { load units_lib; load ranks_lib; ranks_setup; }
#     plain_ranks differ                # the results without Reprise
#     ranks warm under differ           # the same job in store and directories of the case
#     same plain warm; all_hit warm

ranks_setup() {
	units_setup
	need_torch
	graphs_alone
	graph_counts_py
	# Arguments: settings that differ between ranks. Results: $OUT.<rank>; counts:
	# $OUT.<rank>.json.
	cat >job.py <<-'END'
	import json, os, sys
	what = sys.argv[1]
	rank = int(os.environ.get("RANK", 0))
	if "own" in what:  # a directory for each rank
	    os.environ["TORCHINDUCTOR_CACHE_DIR"] += "/%d" % rank
	import torch, torch.distributed as dist
	from graph_counts import graph_counts
	dist.init_process_group("gloo")
	def report(text):
	    with open("%s.%d" % (os.environ["OUT"], rank), "w") as f:
	        f.write(text + "\n")
	    with open("%s.%d.json" % (os.environ["OUT"], rank), "w") as f:
	        json.dump(graph_counts(), f)
	torch.manual_seed(0)
	# The graphs differ between ranks, are swapped, or are the same.
	width = {"differ": 16 + 8 * rank, "swapped": 24 - 8 * rank}.get(what.split(",")[0], 16)
	m = torch.nn.Sequential(torch.nn.Linear(32, width), torch.nn.GELU(),
	                        torch.nn.Linear(width, 8))
	if "ddp" in what:
	    m = torch.nn.parallel.DistributedDataParallel(m)
	c = torch.compile(m)
	x = torch.randn(16, 32) + rank
	if "turns" in what and rank:
	    dist.barrier()
	with torch.set_grad_enabled("forward" not in what):
	    loss = c(x).square().mean()
	if "forward" not in what:
	    loss.backward()
	if "turns" in what and not rank:
	    dist.barrier()
	report("%.9g %s" % (loss.item(), ["%.9g" % p.grad.sum().item() for p in m.parameters()
	                                if p.grad is not None]))
	dist.barrier()
	dist.destroy_process_group()
	# DDP and compiled code hold the group. The group's threads may free tensors while the
	# interpreter ends, and abort.
	sys.stdout.flush()
	os._exit(0)
	END
}

each_rank() { seq 0 $((${RANKS:-2} - 1)); }

# ranks NAME plain|under WHAT: RANKS of them (2), each started by the script in BETWEEN where that
# is set. DIRECT: without torchrun, which takes seconds.
ranks() {
	local name=$1 how=$2 r port pids=()
	shift 2
	if [ -n "${DIRECT-}" ]; then
		port=$(redis_free_port)
		for r in $(each_rank); do
			JOB_ENV=(RANK="$r" LOCAL_RANK="$r" WORLD_SIZE="${RANKS:-2}"
				LOCAL_WORLD_SIZE="${RANKS:-2}" MASTER_ADDR=127.0.0.1
				MASTER_PORT="$port" OUT="$ROOT/$name.rank")
			unit_job "$name.$r" "$how" job.py "$@" &
			pids+=($!)
		done
		for r in "${pids[@]}"; do wait "$r" || return 1; done
		return
	fi
	JOB_ENV+=("OUT=$ROOT/$name.rank")
	unit_job "$name" "$how" -m torch.distributed.run --nproc-per-node "${RANKS:-2}" \
		--master-addr 127.0.0.1 --master-port "$(redis_free_port)" \
		${BETWEEN:+--no-python "$BETWEEN"} job.py "$@" || return 1
}

# one_rank NAME plain|under [VARIABLE=VALUE...]: job.py as the only rank of a job.
one_rank() {
	local name=$1 how=$2
	shift 2
	JOB_ENV=(RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 MASTER_PORT="$(redis_free_port)"
		OUT="$ROOT/$name.rank" "$@")
	unit_job "$name" "$how" job.py same
}

# The results without Reprise, computed once for all cases.
plain_ranks() { # WHAT
	# shellcheck disable=SC2046
	once "plain.${RANKS:-2}.$1" $(each_rank | sed 's/^/plain.rank./') -- ranks plain plain "$1"
	units_wipe
}

said() { # NAME RANK KEY
	"$PY" -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
		"$ROOT/$1.rank.$2.json" "$3"
}

# same NAME OTHER: results of all ranks.
same() {
	local r
	for r in $(each_rank); do
		cmp "$ROOT/$1.rank.$r" "$ROOT/$2.rank.$r" ||
			{ fail "rank $r: other results"; return 1; }
	done
}

all_hit() { # NAME
	local r
	for r in $(each_rank); do
		[ "$(said "$1" $r fx_miss)" = 0 ] && [ "$(said "$1" $r aot_miss)" = 0 ] &&
			[ $(($(said "$1" $r fx_hit) + $(said "$1" $r aot_hit))) -gt 0 ] ||
			{
				fail "$1: rank $r compiled: $(cat "$ROOT/$1.rank.$r.json";
					reprise explain 30)"
				return 1
			}
	done
}

# default_directories N TRUTH WHAT: ranks that look where torch puts its files by default. TRUTH:
# plain, or cold, a job that compiles all itself.
default_directories() {
	RANKS=$1
	[ "$2" = cold ] || plain_ranks "$3"
	ranks cold under "$3"
	same "$2" cold
	drain
	units_wipe
	local packed
	packed=$(stat_of packed_fxgraph)
	[ "$packed" -gt 0 ]
	ranks warm under "$3"
	same "$2" warm
	all_hit warm
	drain
	[ "$(stat_of packed_fxgraph)" = "$packed" ] || fail "graphs were packed again"
	units_clean
}
