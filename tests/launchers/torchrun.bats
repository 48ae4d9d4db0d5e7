#!/usr/bin/env bats
# torchrun: static and c10d rendezvous, two nodes, and ranks that are started again.

setup_file() {
	load ../e2e/job_python
	job_python_find
}
setup() {
	load launchers_lib
	launchers_setup
	load ../e2e/job_python
	need_torch
	put_script "$ROOT/bin/torchrun" '#!/bin/sh' \
		"exec $JOB_PYTHON -m torch.distributed.run \"\$@\""
	JOB=("${JOB[@]:1}")
	HEAD=127.0.0.1:$(free_port)
}
teardown() { launchers_end; }

# bats test_tags=long
@test "torchrun: the recipe on two nodes, with c10d" {
	two_nodes() {
		sh "$RECIPES/torchrun.sh" "$@" 2 1 "$HEAD" "${JOB[@]}" &
		sh "$RECIPES/torchrun.sh" "$@" 2 1 "$HEAD" "${JOB[@]}"
		wait $!
	}
	twice 2 two_nodes c10d-job
	[ "$JOB_NAME" = c10d-job ]
}

# bats test_tags=long
@test "torchrun: a static rendezvous, and what doctor says" {
	twice 2 reprise-run --job static-job torchrun --nproc-per-node 2 --master-port \
		"${HEAD#*:}" "${JOB[@]}"
	[ "$JOB_NAME" = static-job ]
	asks 0 torchrun --nproc-per-node 2 --master-port "${HEAD#*:}"
	says ', rank 0 1 (2): the preload arrived; gcc twice: ' ', job run-'
	# Without reprise-run, ranks are named by the rendezvous.
	LD_PRELOAD=$REPRISE_LIB run torchrun --rdzv-backend c10d --rdzv-id by-id --rdzv-endpoint \
		"$HEAD" --no-python reprise config --json
	says '"job": "by-id"' '"job_from": "TORCHELASTIC_RUN_ID"'
}

# bats test_tags=long
@test "torchrun: a rank is killed while its compiler runs; the ranks that follow" {
	ranks 2 sh "$RECIPES/torchrun.sh" elastic-job 1 2 "$HEAD" "${JOB[@]}" kill
	[ "$JOB_NAME" = elastic-job ]
	grep -q 'exitcode: -9' "$SAID" || fail "no rank was killed: $(cat "$SAID")"
	warm 2 sh "$RECIPES/torchrun.sh" elastic-job 1 2 "$HEAD" "${JOB[@]}"
	[ "$(stat_of errors)" = 0 ]
}
