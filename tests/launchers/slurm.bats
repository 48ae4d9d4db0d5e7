#!/usr/bin/env bats
# Slurm: a cluster of two nodes on this machine, with munge, slurmctld and two slurmd.

setup_file() {
	load ../e2e/job_python
	job_python_find
}
setup() {
	load launchers_lib
	launchers_setup
}
teardown() {
	local pid
	[ ! -e "$ROOT/slurm/slurm.conf" ] || scontrol shutdown >/dev/null 2>&1 || :
	# Of a case that failed, a step may still wait for its node's daemon.
	for pid in $(pgrep -x slurmstepd); do
		case $(readlink "/proc/$pid/fd/3") in "$ROOT"/*) DAEMONS+=("$pid") ;; esac
	done
	launchers_end
	find /sys/fs/cgroup/freezer/slurm_node[12] -depth -type d -exec rmdir {} + 2>/dev/null || :
}

# daemon COMMAND...: it ends with the case.
daemon() {
	"$@" </dev/null >"$ROOT/slurm/$1.out" 2>&1 3>&- &
	DAEMONS+=($!)
}

# slurm_start LINE...: the cluster, with these lines in slurm.conf.
slurm_start() {
	need munged slurmctld slurmd sbatch srun
	need_root "slurmd"
	local dir=$ROOT/slurm n host
	host=$(hostname)
	mkdir -p "$dir/state"
	head -c 1024 /dev/urandom >"$dir/key"
	chmod 400 "$dir/key"
	daemon munged --foreground --force --key-file="$dir/key" --socket="$dir/munge" \
		--pid-file="$dir/munge.pid" --log-file="$dir/munge.log" --seed-file="$dir/seed"
	wait_for munged munge -n -S "$dir/munge"
	export SLURM_CONF=$dir/slurm.conf
	put "$SLURM_CONF" ClusterName=reprise "SlurmctldHost=$host(127.0.0.1)" \
		"SlurmctldPort=$(free_port)" AuthType=auth/munge "AuthInfo=socket=$dir/munge" \
		CredType=cred/munge SlurmUser=root SlurmdUser=root "StateSaveLocation=$dir/state" \
		"SlurmdSpoolDir=$dir/spool-%n" "SlurmctldPidFile=$dir/ctld.pid" \
		"SlurmdPidFile=$dir/%n.pid" "SlurmctldLogFile=$dir/ctld.log" \
		"SlurmdLogFile=$dir/%n.log" TaskPlugin=task/none ReturnToService=2 \
		SelectType=select/cons_tres \
		SelectTypeParameters=CR_CPU MpiDefault=none SlurmdParameters=config_overrides \
		"NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4" \
		"NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4" \
		'PartitionName=all Nodes=ALL Default=YES State=UP' "$@"
	daemon slurmctld -D
	for n in node1 node2; do daemon slurmd -D -N $n; done
	wait_for 'two nodes' two_idle
}
two_idle() { [ "$(sinfo -h -t idle -o %D)" = 2 ]; }

# batch ARGUMENT...: sbatch, until the job has ended. Its output is copied.
batch() {
	local status=0
	sbatch --wait -o "$ROOT/batch.out" "$@" || status=$?
	cat "$ROOT/batch.out"
	return $status
}

# bats test_tags=long
@test "slurm: the recipe for sbatch, with and without the caller's environment" {
	slurm_start ProctrackType=proctrack/linuxproc
	twice 2 batch "$RECIPES/slurm.sbatch" "${JOB[@]}"
	# Each job has its id for a name.
	[ "$JOB_NAME" = $((COLD_NAME + 1)) ] || fail "jobs $COLD_NAME and $JOB_NAME"
	# Slurm then reads the user's login files: PATH, locale and settings are there.
	local login="LC_ALL=C PATH=$PATH REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME"
	sed "s#^exec#export $login\n&#" "$RECIPES/slurm.sbatch" >"$W/login.sbatch"
	warm 2 batch --export=NONE "$W/login.sbatch" "${JOB[@]}"
	# Below one reprise-run, tasks on both nodes are one job.
	ranks 4 reprise-run --job outside srun -N 2 -n 4 "${JOB[@]}"
	[ "$JOB_NAME" = outside ]
}

# bats test_tags=long
@test "slurm: what doctor says of srun, and of mpirun in a job" {
	slurm_start ProctrackType=proctrack/linuxproc
	asks 0 srun -N 2 -n 2
	says ', rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
	asks 0 srun -N 2 -n 2 --export=ALL,A=b
	asks 1 srun -N 2 -n 2 --export=NONE
	says 'mend  rank' 'the preload did not arrive: LD_PRELOAD does not name it' \
		'-> srun --export=ALL, or `srun ... reprise-run COMMAND`' 'but here it is'
	asks 0 srun -N 2 -n 2 --export=NONE "$TOP/scripts/reprise-run"
	says ', rank 0 1 (2): the preload arrived; gcc twice: '
	# srun without PATH does not find a program by its name.
	run srun --export=NONE reprise-run true
	[ "$status" != 0 ]
	need mpirun.openmpi
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	put_script "$W/asks" '#!/bin/sh' 'exec reprise doctor -- mpirun.openmpi -np 4'
	run batch -N 2 -n 4 "$W/asks"
	[ "$status" = 0 ] || fail "$output"
	says ', rank 0 1 2 3 (4): the preload arrived; gcc twice: '
}

# bats test_tags=long
@test "slurm: torchrun on each node, as its recipe says" {
	load ../e2e/job_python
	need_torch
	put_script "$ROOT/bin/torchrun" '#!/bin/sh' \
		"exec $JOB_PYTHON -m torch.distributed.run \"\$@\""
	slurm_start ProctrackType=proctrack/linuxproc
	twice 2 batch "$RECIPES/slurm.sbatch" torchrun --nnodes 2 --nproc-per-node 1 \
		--rdzv-backend c10d --rdzv-endpoint "127.0.0.1:$(free_port)" "${JOB[@]:1}"
	[ "$JOB_NAME" = $((COLD_NAME + 1)) ] || fail "jobs $COLD_NAME and $JOB_NAME"
}

# site [LINE...]: a cluster with the site's recipes. Each node has a store, and settings as
# /etc/reprise.conf would give them. With a step Slurm ends
# all that it started, where it can.
site() {
	local nodes=$ROOT/nodes/\$SLURMD_NODENAME name lib=${REPRISE_LIB%/*}
	mkdir "$ROOT/etc" "$ROOT/nodes" "$ROOT/shared" "$ROOT/slurm"
	chmod 755 "$ROOT/nodes"
	for name in slurm-prolog slurm-task-prolog slurm-task-epilog; do
		sed "s#/var/cache/reprise#$nodes#; s#/usr/local/lib/reprise#$lib#
			s#/usr/local/bin/reprise#$REPRISE_BIN#
			s#/etc/slurm/\(.*\)\.sh)#$ROOT/etc/\1)#" \
			"$RECIPES/$name.sh" >"$ROOT/etc/$name"
		chmod +x "$ROOT/etc/$name"
	done
	sed -i "\$i echo export REPRISE_RUNTIME_DIR=$RUNTIME-\$SLURMD_NODENAME\n\
		echo export REPRISE_REMOTE_URL=file://$ROOT/shared" "$ROOT/etc/slurm-task-prolog"
	if [ -w /sys/fs/cgroup/freezer ]; then
		put "$ROOT/slurm/cgroup.conf" CgroupPlugin=cgroup/v1
		set -- ProctrackType=proctrack/cgroup "$@"
	else
		set -- ProctrackType=proctrack/linuxproc "$@"
	fi
	slurm_start "Prolog=$ROOT/etc/slurm-prolog" PrologFlags=Alloc \
		"TaskProlog=$ROOT/etc/slurm-task-prolog" "$@"
	unset REPRISE_CACHE_DIR REPRISE_RUNTIME_DIR
}

# on_node NODE FIGURES: of root's store on that node.
on_node() {
	local seen
	seen=$(REPRISE_RUNTIME_DIR=$RUNTIME-$1 figures "$ROOT/nodes/$1/0")
	[ "$seen" = "$2" ] || fail "$1: $seen misses and hits, not $2"
}

# bats test_tags=long
@test "slurm: the recipes for a cluster: one store on each node" {
	site
	local node
	ranks 2 srun -N 2 -n 2 "${JOB[@]}"
	for node in node1 node2; do on_node $node '2 0'; done
	local first=$JOB_NAME
	# srun leaves out PATH, by which gcc finds its passes, and the locale, which is keyed.
	ranks 2 srun -N 2 -n 2 --export=NONE /usr/bin/env PATH=/usr/bin:/bin LC_ALL=C \
		"${JOB[@]}"
	[ "$JOB_NAME" = $((first + 1)) ]
	for node in node1 node2; do on_node $node '2 2'; done
	asks 0 srun -N 2 -n 2 --export=NONE
	says "node1/0" "node2/0" 'the preload arrived; gcc twice: miss, hit'
	# Another user's store is that user's.
	chmod 755 "$ROOT" "$ROOT/slurm"
	chmod 777 "$ROOT/slurm/munge"
	as_user srun -N 1 -n 1 -w node1 --export=NONE -D / /bin/true
	[ "$(stat -c '%u %a' "$ROOT/nodes/node1/65534")" = '65534 700' ]
}

# bats test_tags=long
@test "slurm: the recipes for a cluster: what one node recorded, another one replays" {
	site "TaskEpilog=$ROOT/etc/slurm-task-epilog"
	ranks 1 srun -w node1 "${JOB[@]}"
	on_node node1 '2 0'
	ranks 1 srun -w node2 "${JOB[@]}"
	on_node node2 '0 2'
	# Slurm ends the agent with the job that started it. Another job goes on, with one of its
	# own.
	put a.c 'int a;'
	put z.c 'int z;'
	srun -w node2 sh -c 'gcc -c z.c -o other.o'
	on_node node2 '1 2'
	local first second
	srun -w node1 sh -c 'gcc -c a.c -o a.o; touch began
		while [ ! -e both ]; do sleep .1; done' &
	first=$!
	wait_for 'the first job' test -e began
	srun -w node1 sh -c 'gcc -c a.c -o b.o; touch both; while [ ! -e over ]; do sleep .1; done
		gcc -c z.c -o z.o' &
	second=$!
	wait "$first"
	touch over
	wait "$second"
	cmp z.o other.o
	on_node node1 '3 2'
}

# bats test_tags=long
@test "slurm: a job that is cancelled has sent what it recorded" {
	site
	put a.c 'int a;'
	put_script job '#!/bin/sh' \
		"srun --export=ALL reprise-run sh -c 'gcc -c a.c -o a.o; touch began; sleep 100'"
	sbatch -w node1 -o "$ROOT/batch.out" job
	wait_for 'the job' test -e began
	scancel 1
	wait_for 'an end of the job' no_jobs
	on_node node1 '1 0'
	srun -w node2 sh -c 'gcc -c a.c -o b.o'
	on_node node2 '0 1'
	cmp a.o b.o
}
no_jobs() { [ -z "$(squeue -h)" ]; }
