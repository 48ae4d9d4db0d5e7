#!/bin/sh
# torchrun.sh JOB NODES RANKS HEAD:PORT SCRIPT [ARGUMENT...] - on each node: so many ranks of
# torchrun under Reprise.
#
# JOB names the rendezvous and Reprise's job, on all nodes. Ranks that are started again after one
# died belong to it, too, and replay what the first ones compiled.
job=$1 nodes=$2 ranks=$3 head=$4
shift 4
exec reprise-run --job "$job" torchrun --nnodes "$nodes" --nproc-per-node "$ranks" \
	--rdzv-backend c10d --rdzv-id "$job" --rdzv-endpoint "$head" --max-restarts 3 "$@"
