#!/usr/bin/env bats
# Tests that free a name, each with twenty further names (tests/e2e/names_further.bash).
# parameter FURTHER_SUITE: directory names_above names_expanded names_proof prefix_maps

setup() {
	load ../e2e/lib
	case_setup
}
teardown() { case_teardown; }

@test "names further: every command of the suite leaves what a plain one leaves" {
	local e=$TOP/tests/e2e all="directory names_above names_expanded names_proof prefix_maps"
	local suite said
	for suite in ${FURTHER_SUITE:-$all}; do
		said=$(env E2E_FURTHER=1 bats -F tap "$e/$suite.bats" 2>&1) || fail "$said"
		grep -q '^ok ' <<<"$said"
	done
}
