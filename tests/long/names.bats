#!/usr/bin/env bats
# Units that ask for their own name in ways that no search for a word shows, each under twenty
# names (tests/long/names/names.py).

setup() {
	load ../e2e/lib
	load machine/machine
	case_setup
}
teardown() { case_teardown; }

@test "names: every unit under every name is as a plain run makes it" {
	machine names
}
