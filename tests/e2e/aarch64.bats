#!/usr/bin/env bats
# Reprise for aarch64, below qemu-user: compilers, a host and the remote store. At length:
# tests/long/aarch64_suites.bats.
# bats file_tags=check

setup_file() { load aarch64; aarch64_find build/aarch64; }
setup() {
	load lib
	load aarch64
	[ -z "$WHY" ] || skip "$WHY"
}

@test "aarch64: gcc, g++, ld, a host with a cache, processors, a filter, a remote store" {
	# A program of this machine: qemu-user knows no filters.
	gcc -D_GNU_SOURCE -static -o "$TOP/build/root-aarch64/tmp/filter" \
		"$TOP/tests/e2e/helpers/filter.c"
	in_aarch64 'sh tests/e2e/aarch64_short.sh'
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = 'all is as it should be' ] || fail "$output"
}
