#!/usr/bin/env bats
# mpirun of MPICH and of Open MPI, on one node and on two that Open MPI reaches by ssh.

setup() {
	load launchers_lib
	launchers_setup
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_MCA_rmaps_base_oversubscribe=1
	unset OMPI_MCA_plm_rsh_agent
}
teardown() { launchers_end; }

# bats test_tags=check
@test "mpirun: MPICH's: the recipe, and what doctor says" {
	need mpirun.mpich
	export MPIRUN=mpirun.mpich
	twice 3 sh "$RECIPES/mpirun.sh" mpich-job 3 "${JOB[@]}"
	[ "$JOB_NAME" = mpich-job ]
	asks 0 mpirun.mpich -n 2
	says ', rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
}

# bats test_tags=long
@test "mpirun: Open MPI's: the recipe, before and behind it, and what doctor says" {
	need mpirun.openmpi
	export MPIRUN=mpirun.openmpi
	twice 3 sh "$RECIPES/mpirun.sh" mpi-job 3 "${JOB[@]}"
	[ "$JOB_NAME" = mpi-job ]
	warm 3 reprise-run --job mpi-job mpirun.openmpi -n 3 "${JOB[@]}"
	asks 0 mpirun.openmpi -n 2
	says 'rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
	run reprise-run mpirun.openmpi -n 1 /bin/true
	says 'no compiler was seen: reprise doctor -- mpirun.openmpi'
	# Without reprise-run: Open MPI's own name of the job.
	LD_PRELOAD=$REPRISE_LIB run mpirun.openmpi -n 2 reprise config --json
	[ "$(grep -c '"job_from": "PMIX_NAMESPACE"' <<<"$output")" = 2 ] || fail "$output"
}

# bats test_tags=long
@test "mpirun: Open MPI's over two hosts by ssh: what is lost, and the recipe" {
	need mpirun.openmpi
	ssh_start
	export OMPI_MCA_plm_rsh_agent="$SSH"
	local hosts=(--host 127.0.0.1,127.0.0.2)
	export MPIRUN="mpirun.openmpi ${hosts[*]}"
	twice 2 sh "$RECIPES/mpirun.sh" mpi-hosts 2 "${JOB[@]}"
	[ "$JOB_NAME" = mpi-hosts ]
	asks 1 mpirun.openmpi "${hosts[@]}" -n 2
	says 'mend  rank' 'rank 1: the preload did not arrive' \
		'-> mpirun -x LD_PRELOAD -x REPRISE_JOB' ', rank 0: the preload arrived'
	asks 0 mpirun.openmpi "${hosts[@]}" -n 2 -x LD_PRELOAD -x REPRISE_JOB
}

# bats test_tags=long
@test "mpirun: MPICH's over two hosts by ssh, which passes the environment on" {
	need mpirun.mpich
	ssh_start
	put_script "$ROOT/bin/reach" '#!/bin/sh' "echo \$2 >>$ROOT/reached" "exec $SSH \"\$@\""
	local hosts=(-launcher ssh -launcher-exec "$ROOT/bin/reach" -hosts 127.0.0.1,127.0.0.2)
	asks 0 mpirun.mpich "${hosts[@]}" -n 2
	says ', rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
	[ "$(cat "$ROOT/reached")" = 127.0.0.2 ] || fail "$(cat "$ROOT/reached")"
	export MPIRUN="mpirun.mpich ${hosts[*]}"
	on_hosts() { sh "$RECIPES/mpirun.sh" mpich-hosts 2 "${JOB[@]}"; }
	ranks 2 on_hosts
	[ "$JOB_NAME" = mpich-hosts ]
	warm 2 on_hosts
}
