#!/usr/bin/env bats
# Flags that tools/cmdline/cmdline.c calls free of the working directory, proved with the real
# compilers.

setup() {
	load ../e2e/lib
	case_setup
	need gcc g++ clang clang++
}
teardown() { case_teardown; }

@test "cwd free: objects, dependency files and streams are equal in two directories" {
	run sh "$BATS_TEST_DIRNAME/cwd_free.sh"
	[ "$status" = 0 ] || fail "$output"
	echo "# ${lines[-1]}" >&3
}
