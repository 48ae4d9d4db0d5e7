#!/usr/bin/env bats
# Eight ranks of one job that start their compilers through a script of the compiler's name, first
# in PATH, as ccache and distcc are set up: each object is compiled once.

setup_file() {
	load job_python
	job_python_find
}

setup() {
	load lib
	load redis # a free port
	load job_python
	case_setup
	RANKS=8
	SOURCES=3
	# Each takes long enough for all ranks to ask at once.
	local i
	slow_source 250000
	for ((i = 0; i < SOURCES; i++)); do
		{ cat slow.cc; echo "int u$i = v + $i;"; } >u$i.cc
	done
	put_script masked/g++ '#!/bin/sh' '# The next g++ in PATH.' 'here=$(dirname "$0")' \
		'IFS=:' 'rest=' \
		'for d in $PATH; do [ "$d" = "$here" ] || rest=$rest${rest:+:}$d; done' \
		'unset IFS' "PATH=\$rest exec ${SLOW[*]:0:3} -O1 \"\$@\""
	# rank.sh: the command of each rank.
	put_script rank.sh '#!/bin/sh' 'r=${RANK:-${PMI_RANK:-${OMPI_COMM_WORLD_RANK:?}}}' \
		'mkdir out.$r' "for i in $(seq -s ' ' 0 $((SOURCES - 1))); do" \
		'	g++ -c u$i.cc -o out.$r/u$i.o || exit 1' 'done'
	PATH=$W/masked:$PATH
	age
}
teardown() { case_teardown; }

# one_compile_each LAUNCHER...: cold, then in emptied directories.
one_compile_each() {
	local i r all
	for ((i = 0; i < SOURCES; i++)); do masked/g++ -c u$i.cc -o want.u$i.o; done
	for all in $((RANKS * SOURCES)) $((2 * RANKS * SOURCES)); do
		rm -rf out.*
		under "$@" >"$ROOT/said" 2>&1 || fail "$(tail -n 20 "$ROOT/said")"
		for ((r = 0; r < RANKS; r++)); do
			for ((i = 0; i < SOURCES; i++)); do
				cmp want.u$i.o out.$r/u$i.o || fail "rank $r: another u$i.o"
			done
		done
		[ "$(grep -c '++-[0-9]*: miss' "$LOG") $(grep -c '++-[0-9]*: hit' "$LOG")" = \
			"$SOURCES $((all - SOURCES))" ] || fail "$(grep -v ' hit' "$LOG")"
	done
	[ "$(stat_of errors) $(stat_of unstored)" = "0 0" ]
	round_log
}

# torchrun_job: job.py, whose ranks run rank.sh at once, and TORCHRUN, which starts it.
torchrun_job() {
	need_torch
	cat >job.py <<-'END'
	import os, subprocess, sys
	import torch, torch.distributed as dist
	dist.init_process_group("gloo")
	one = torch.ones(1)
	dist.all_reduce(one) # all are there
	subprocess.run(["./rank.sh"], check=True)
	dist.barrier()
	dist.destroy_process_group()
	sys.exit(int(one) != int(os.environ["WORLD_SIZE"]))
	END
	export OMP_NUM_THREADS=1
	TORCHRUN=("$JOB_PYTHON" -m torch.distributed.run --nproc-per-node "$RANKS"
		--master-addr 127.0.0.1 --master-port "$(redis_free_port)" job.py)
}

# bats test_tags=long
@test "wrappers_ranks: eight ranks of torchrun, with gloo" {
	torchrun_job
	one_compile_each "${TORCHRUN[@]}"
}

# The script is between nvcc and g++.
# bats test_tags=long
@test "wrappers_ranks: eight ranks of torchrun, nvcc with a script as its host compiler" {
	load cuda
	need_nvcc
	torchrun_job
	cuda_source k.cu
	put_script host/g++ '#!/bin/sh' 'set -f' 'exec /usr/bin/g++ -DADDED "$@"'
	put_script rank.sh '#!/bin/sh' "exec nvcc -ccbin '$W/host/g++' -c k.cu -o k.o"
	age
	under "${TORCHRUN[@]}" >"$ROOT/said" 2>&1 || fail "$(tail -n 20 "$ROOT/said")"
	[ "$(grep -c ' nvcc: miss' "$LOG") $(grep -c ' nvcc: hit' "$LOG")" = "1 $((RANKS - 1))" ] ||
		fail "$(grep nvcc "$LOG")"
	# Another job, with another port, hits.
	cp k.o first.o
	rm k.o
	torchrun_job
	under "${TORCHRUN[@]}" >"$ROOT/said" 2>&1 || fail "$(tail -n 20 "$ROOT/said")"
	cmp k.o first.o
	[ "$(grep -c ' nvcc: hit' "$LOG") $(stat_of errors)" = "$((2 * RANKS - 1)) 0" ]
	round_log
}

# bats test_tags=check
@test "wrappers_ranks: eight ranks of MPICH's mpirun, or Open MPI's" {
	local m found='' more
	for m in mpirun.mpich mpirun.openmpi mpirun; do
		command -v $m >/dev/null && [ "$m$found" != mpirun1 ] || continue
		more=()
		case $($m --version 2>&1) in *'Open MPI'* | *OpenRTE*)
			more=(--oversubscribe --allow-run-as-root) ;;
		esac
		found=1
		rm -rf "$STORE" "$LOG"
		one_compile_each $m "${more[@]}" -n "$RANKS" ./rank.sh
	done
	[ -n "$found" ] || skip "no mpirun of MPICH or Open MPI here"
}
