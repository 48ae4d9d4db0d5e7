#!/usr/bin/env bats
# Options of NVRTC and nvJitLink that outlive their compile: jit/library/option_state.c knows all of
# them.

setup() {
	load ../e2e/lib
	load ../e2e/nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

@test "nvrtc options that outlive their compile: the newest NVRTC and nvJitLink" {
	"$PY" "$TOP/tests/long/nvrtc_options.py" "$NVRTC"
	"$PY" "$TOP/tests/long/nvrtc_options.py" "$NVRTC" "$NVJITLINK"
}

@test "nvrtc options that outlive their compile: those of CUDA 12.1" {
	"$PY" "$TOP/tests/long/nvrtc_options.py" "$NVRTC_OLD"
	"$PY" "$TOP/tests/long/nvrtc_options.py" "$NVRTC_OLD" "$NVJITLINK_OLD"
}
