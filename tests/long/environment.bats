#!/usr/bin/env bats
# Each variable of each tool: recorded with it and replayed without, and the reverse
# (environment/environment.py).

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "environment: a result is given for the variables that it was made with" {
	machine environment
}
