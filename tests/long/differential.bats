#!/usr/bin/env bats
# 100,000 random starts of all tools, with random edits between them, each as a plain one
# (differential/differential.py, which names its variables:
# DIFFERENTIAL_STARTS, DIFFERENTIAL_SEED).

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "differential: every start leaves what a plain one leaves" {
	# Within the time that a file has (tests/run.sh).
	machine differential DIFFERENTIAL_SECONDS="${DIFFERENTIAL_SECONDS:-13500}"
}
