#!/usr/bin/env bats
# Each system call that a start under Reprise makes fails, with each error of its page
# (faults/faults.py).
# parameter FAULTS_PART: 1of4 2of4 3of4 4of4

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "faults: the compile ends as a plain one does" {
	machine faults
}
