# Cases of the test machines. After tests/e2e/lib.bash and case_setup.

# machine NAME [VARIABLE=VALUE...] [-- ARGUMENT...]: the machine finds nothing. Its last lines go
# to the report; scripts that show differences are in build/reports/machines/NAME-PART.
machine() {
	local name=$1 variables=() part=${1^^}_PART
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	local reports=$TOP/build/reports/machines/$name${!part:+-${!part}}
	run env REPRISE_LIB="$REPRISE_LIB" "${name^^}_REPORTS=$reports" \
		"${variables[@]}" "$PY" -B "$TOP/tests/long/$name/$name.py" "$@"
	[ "$status" != 77 ] || skip "$output"
	tail -n 3 <<<"$output" | cut -c 1-300 | sed 's/^/# /' >&3
	[ "$status" = 0 ] || fail "$(cut -c 1-400 <<<"$output" | head -n 150)"
}

# notices NAME PATTERN [VARIABLE=VALUE...] [-- ARGUMENT...]: with a cache that is wrong in place
# of Reprise the machine finds differences, one of a kind that matches.
notices() {
	local name=$1 pattern=$2 variables=()
	shift 2
	gcc -O2 -shared -fPIC "$TOP/tests/long/machine/wrong_cache.c" -o "$ROOT/wrong.so"
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	run env REPRISE_LIB="$ROOT/wrong.so" "${variables[@]}" \
		"$PY" -B "$TOP/tests/long/$name/$name.py" "$@"
	[ "$status" = 1 ] || fail "status $status: $output"
	grep -Eq "^DIFFERENT .*$pattern" <<<"$output" || fail "no $pattern: $output"
	! grep -q 'Traceback' <<<"$output" || fail "$output"
}
