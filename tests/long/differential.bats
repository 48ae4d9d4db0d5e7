#!/usr/bin/env bats
# 100,000 random starts of all tools, with random edits between them, each as a plain one
# (differential/differential.py, which names its variables:
# DIFFERENTIAL_STARTS, DIFFERENTIAL_SEED). Where nothing relevant changed, most of them are hits.
# parameter DIFFERENTIAL_PART: 1of8 2of8 3of8 4of8 5of8 6of8 7of8 8of8

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "differential: every start leaves what a plain one leaves" {
	machine differential DIFFERENTIAL_HITS=60
}
