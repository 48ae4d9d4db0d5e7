#!/usr/bin/env bats
# Each option of each tool, alone, and after it each kind of edit (each_option/each_option.py).
# parameter EACH_OPTION_PART: 1of6 2of6 3of6 4of6 5of6 6of6

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "each option: every start leaves what a plain one leaves" {
	machine each_option
}
