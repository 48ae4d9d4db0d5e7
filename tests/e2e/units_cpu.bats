#!/usr/bin/env bats
# Units that hold machine code, on processors with other vector instructions: QEMU's user mode
# answers CPUID for another one.

setup() {
	load units_lib
	units_setup
	JOB_PYTHON=$PY
	QEMU=$(command -v qemu-x86_64 || command -v qemu-x86_64-static) || lacks qemu-x86_64
	[ "$(uname -m)" = x86_64 ] || skip "QEMU answers CPUID of x86-64 here"
	# As JAX writes a program: looked for, then written in place and closed.
	cat >program.py <<-'END'
	import os, sys, zlib
	path = "%s/jax/jit_step-%s-cache" % (sys.argv[1], "0123456789abcdef" * 4)
	os.makedirs(os.path.dirname(path), exist_ok=True)
	try:
	    with open(path, "rb") as f:
	        print("found", zlib.decompress(f.read()).decode())
	except FileNotFoundError:
	    with open(path, "wb") as f:
	        f.write(zlib.compress(sys.argv[2].encode()))
	    print("made", sys.argv[2])
	END
}
teardown() { remote_teardown; }

# on_cpu NAME MODEL TEXT: as a process of that processor ("own": of this one).
on_cpu() {
	local v emulated=()
	if [ "$2" = own ]; then
		unit_job "$1" under program.py "$ROOT/fw" "$3"
	else
		# QEMU itself runs without the object.
		for v in "${RPENV[@]}"; do emulated+=(-E "$v"); done
		mkdir -p "$ROOT/fw" "$TMPDIR"
		"$QEMU" -cpu "$2" "${emulated[@]}" "$(readlink -f "$PY")" program.py \
			"$ROOT/fw" "$3" \
			>"$ROOT/$1.out" 2>"$ROOT/$1.err" || fail "$1: $(cat "$ROOT/$1.err")"
	fi || return 1
	drain
	units_wipe
}

says() { [ "$(cat "$ROOT/$1.out")" = "$2" ] || fail "$1: $(cat "$ROOT/$1.out")"; }

# bats test_tags=check
@test "units_cpu: a program of JAX is found only on the CPU that it was made for" {
	on_cpu first own mine
	says first "made mine"
	[ "$(stat_of packed_jax)" = 1 ] || fail "$(cat "$LOG")"
	on_cpu plain qemu64 plain
	says plain "made plain"
	# The store now has both programs.
	[ "$(stat_of packed_jax)" = 2 ] || fail "$(cat "$LOG")"
	on_cpu again own other
	says again "found mine"
	on_cpu plain_again qemu64 other
	says plain_again "found plain"
	on_cpu wide Haswell other
	says wide "made other"
	reprise explain >"$ROOT/explained"
	[ "$(sed -n 's/^  shared by \(isa=[0-9a-f]*\).*/\1/p' "$ROOT/explained" | sort -u |
		wc -l)" = 3 ] || fail "$(cat "$ROOT/explained")"
	units_clean
}
