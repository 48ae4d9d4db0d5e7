#!/bin/sh
# accelerate.sh JOB MACHINES THIS HEAD PORT PROCESSES SCRIPT [ARGUMENT...] - on each machine, with
# THIS from 0: `accelerate launch` under Reprise. PROCESSES counts those of all machines.
job=$1 machines=$2 this=$3 head=$4 port=$5 processes=$6
shift 6
exec reprise-run --job "$job" accelerate launch --multi_gpu \
	--num_machines "$machines" --machine_rank "$this" \
	--main_process_ip "$head" --main_process_port "$port" --num_processes "$processes" "$@"
