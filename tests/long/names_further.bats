#!/usr/bin/env bats
# Tables of names, each line under twenty further names (tests/e2e/names_table.bash).
# parameter FURTHER_SUITE: debug_paths directory names names_above names_expanded
# parameter FURTHER_SUITE: names_facts names_preprocessed names_proof prefix_maps

setup() {
	load ../e2e/lib
	case_setup
}
teardown() { case_teardown; }

@test "names further: every command of the suite leaves what a plain one leaves" {
	local e=$TOP/tests/e2e suite said
	for suite in ${FURTHER_SUITE:-$(sed -n 's/^# parameter .*: //p' "$BATS_TEST_FILENAME")}; do
		said=$(env E2E_FURTHER=1 bats -F tap "$e/$suite.bats" 2>&1) || fail "$said"
		grep -q '^ok ' <<<"$said"
	done
}
