#!/usr/bin/env bats
# NVRTC inside a process: 200 generated programs get the same answers with and without Reprise.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# generated SEED: 50 programs with options of every kind, one after the other; then from four
# threads, from the store. Real compiles with different options at once are not reproducible: NVRTC
# 13.5 at times writes ld.global.nc for ld.global. Options that affect every later compile of a
# process (jit/library/option_state.c) have a process of their own.
generated() {
	"$PY" "$E2E_DIR/nvrtc_programs.py" "$1" 50 programs "$CUDA_INCLUDE"
	local jobs=() alone=() p
	for p in programs/p*; do
		if grep -q -e restrict -e opt-info "$p/options"; then
			alone+=("$p")
		else
			jobs+=("$p")
		fi
	done
	[ $((${#jobs[@]} + ${#alone[@]})) = 50 ]
	# Some options are refused before anything is compiled.
	differential --cold any --warm any -- "$RUN" "$NVRTC" o "${jobs[@]}"
	for p in "${alone[@]}"; do
		differential --cold any --warm any -- "$RUN" "$NVRTC" o "$p"
	done
	[ -z "${REPRISE_TEST_UNCOUNTED-}" ] || return 0
	[ "$(stat_of hits_local)" -ge 40 ] || { fail "$(stat_of hits_local) hits of 50"; return 1; }
	"$RUN" "$NVRTC" plain "${jobs[@]}" >/dev/null
	under "$RUN" -t 4 "$NVRTC" ours "${jobs[@]}" >/dev/null
	diff -r plain ours
}

# bats test_tags=long
@test "nvrtc generated: programs, first fifty" { generated 1; }
# bats test_tags=long
@test "nvrtc generated: programs, second fifty" { generated 2; }
# bats test_tags=long
@test "nvrtc generated: programs, third fifty" { generated 3; }
# bats test_tags=long
@test "nvrtc generated: programs, fourth fifty" { generated 4; }
# bats test_tags=long
@test "nvrtc generated: programs, and the library of CUDA 12.1" {
	"$PY" "$E2E_DIR/nvrtc_programs.py" 5 20 programs "$CUDA_INCLUDE" 12
	# One a process: 12.1 numbers its calls across programs (`{ // callseq 2` in PTX).
	for p in programs/p*; do
		differential --cold any --warm any -- "$RUN" "$NVRTC_OLD" o "$p"
	done
}
