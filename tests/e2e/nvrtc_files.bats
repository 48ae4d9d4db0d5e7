#!/usr/bin/env bats
# The library's own files as inputs of what NVRTC compiles inside a process: its place, its version,
# and the library of built-ins beside it.

setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
}
teardown() { case_teardown; }

# own_copy: a directory with links to the library, so that the case decides which files are beside
# it.
own_copy() {
	mkdir lib
	ln -s "$NVRTC" lib/libnvrtc.so.13
	cp "${NVRTC%/*}"/libnvrtc-builtins.so.13.* lib/
	BUILTINS=$(echo lib/libnvrtc-builtins.so.13.*)
}

@test "nvrtc_files: the builtins are missing" {
	own_copy
	kernel k | job j -arch=sm_90
	mv "$BUILTINS" away
	differential --cold any --warm any -- "$RUN" "$W/lib/libnvrtc.so.13" o j
	mv away "$BUILTINS"
	again miss
	mv "$BUILTINS" away
	again any
	mv away "$BUILTINS"
	again any
}

@test "nvrtc_files: other builtins" {
	own_copy
	kernel k | job j -arch=sm_90
	differential -- "$RUN" "$W/lib/libnvrtc.so.13" o j
	# A word that stands in a built-in header of the library, if there is one.
	echo more >>"$BUILTINS"
	again any
	LC_ALL=C sed -i 's/threadIdx/threadIdy/g' "$BUILTINS"
	again any
}

@test "nvrtc_files: the library elsewhere, and another version in its place" {
	mkdir lib
	ln -s "$NVRTC" lib/libnvrtc.so
	kernel k | job j -arch=sm_90
	differential --cold any --warm any -- "$RUN" "$W/lib/libnvrtc.so" o j
	ln -sf "$NVRTC_OLD" lib/libnvrtc.so
	again any
	ln -sf "$NVRTC" lib/libnvrtc.so
	again any
}
