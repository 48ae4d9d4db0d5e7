#!/usr/bin/env bats
# Standard streams that take no more: a full disk, a limit on the size of files.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# on_full SIZE SCRIPT: FULL is the command that runs the script with a tmpfs of SIZE on ./full.
on_full() {
	put full.sh "mount -t tmpfs -o size=$1 none full || exit" "$2"
	FULL=(unshare -m sh full.sh)
}

# bats test_tags=check
@test "streams_full: a full disk behind stdout, stderr, both: the tool's own message" {
	need_mounts
	seq -f 'int variable_number_%.0f;' 8000 >big.c
	seq -f '#warning number %.0f' 2000 >warn.c
	mkdir full
	on_full 64k 'gcc -E big.c >full/out; echo $?; cksum full/out'
	# On the full disk nothing is recorded or replayed.
	differential --cold bypass:stdio -- "${FULL[@]}"
	grep -q 'No space left' "$ROOT/r/warm.err" || fail "$(cat "$ROOT/r/warm.err")"
	differential -- gcc -E big.c
	differential --cold bypass:replay -- "${FULL[@]}"
	grep -q 'No space left' "$ROOT/r/warm.err" || fail "$(cat "$ROOT/r/warm.err")"
	on_full 64k 'echo first >full/out; gcc -E big.c >>full/out 2>&1; echo $?; cksum full/out'
	differential --cold bypass -- "${FULL[@]}"
	differential --makes warn.o -- gcc -c warn.c
	on_full 64k 'gcc -c warn.c 2>full/err; echo $?; cksum full/err'
	differential --cold bypass:replay --makes warn.o -- "${FULL[@]}"
	# The disk has room for the known output, but not for a new recording.
	on_full 1m 'gcc -E big.c >full/out; echo $?; cksum full/out'
	differential --cold hit -- "${FULL[@]}"
	on_full 1m 'gcc -E -DX big.c >full/out; echo $?; cksum full/out'
	differential --cold bypass:stdio -- "${FULL[@]}"
	on_full 32m 'gcc -E -DY big.c >full/out; echo $?; cksum full/out'
	differential -- "${FULL[@]}"
}

@test "streams_full: a limit on the size of stdout's file" {
	seq -f 'int variable_number_%.0f;' 8000 >big.c
	differential -- gcc -E big.c
	# The replay notices when it writes, and the tool runs instead.
	differential --cold bypass:replay -- \
		sh -c 'ulimit -c 0; ulimit -f 64; gcc -E big.c >out; echo $?; cksum out; rm out'
	differential --cold bypass:replay -- sh -c 'ulimit -c 0; echo 1 >out; exec 1<>out; echo 2;
		ulimit -f 64; gcc -E big.c; s=$?; cksum out >&2; rm out; exit 0'
	# Under this limit a run is recorded, and a write of the replay would still be a signal.
	differential --cold bypass:replay -- bash -c 'truncate -s 300M out; ulimit -c 0
		ulimit -f 307201; gcc -E big.c >>out; echo $?; tail -c 1000 out; rm out'
	differential --cold bypass:stdio -- bash -c 'truncate -s 300M out; ulimit -c 0
		ulimit -f 307201; gcc -E -DX big.c >>out; echo $?; tail -c 1000 out; rm out'
	differential --cold hit -- bash -c 'truncate -s 300M out
		ulimit -f 400000; gcc -E big.c >>out; echo $?; tail -c 1000 out; rm out'
}
