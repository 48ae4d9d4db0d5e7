#!/usr/bin/env bats
# A .cu project under 2,000 random edits of sources, headers, flags, variables, times and the host
# compiler. After each edit nvcc makes the same with Reprise as without. NVCC_EDITS=N for another
# number in each of four parts, NVCC_SEED=N for other edits.
# parameter NVCC_PART: 1of4 2of4 3of4 4of4

setup() {
	load ../e2e/lib
	load ../e2e/cuda
	case_setup
	need_nvcc
	need clang++
}
teardown() { case_teardown; }

@test "nvcc edits: every build is the plain one" {
	local part=${NVCC_PART:-1of4}
	run "$PY" "$TOP/tests/long/nvcc_edits.py" "${NVCC_EDITS:-500}" "$REPRISE_LIB" \
		"$ROOT/edits" \
		$((${NVCC_SEED:-1} * 4 + ${part%of4}))
	echo "$output" >&3
	[ "$status" = 0 ] || fail "$output"
	# A run in which nothing was replayed would show nothing.
	[[ $output =~ nvcc:\ ([0-9]+)\ hits ]] && [ "${BASH_REMATCH[1]}" -gt 0 ]
}
