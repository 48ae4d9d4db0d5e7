# build/helpers/redis_wire, which asks a Redis as the object does. After lib.bash and redis.bash.
#
#     setup() { load lib; load redis; load wire_lib; wire_setup; }
#     teardown() { wire_teardown; }

wire_setup() {
	case_setup
	redis_need
	WIRE=${REPRISE_TEST_WIRE:-$(helper redis_wire)}
}

wire_teardown() {
	redis_teardown
	case_teardown
}

# wire URL ARGS...: output in $output, status in $status
wire() {
	local url=$1
	shift
	run env REPRISE_REDIS_URL="$url" "$WIRE" "$@"
}

# says STATUS TEXT...: the last run ended so and printed these lines among others
says() {
	[ "$status" = "$1" ] || { fail "status $status, not $1: $output"; return 1; }
	shift
	local want
	for want; do
		[[ $output == *"$want"* ]] || { fail "no '$want' in: $output"; return 1; }
	done
}

# timed_out MS [TEXT]: the last run gave up at its deadline, or as much later as a busy machine
# needs.
timed_out() {
	says 1 'timed out' "${2-}" || return 1
	[[ $output =~ timed\ out\ ([0-9]+) ]] || fail "$output"
	[ "${BASH_REMATCH[1]}" -ge "$1" ] && [ "${BASH_REMATCH[1]}" -lt $((3 * $1)) ] ||
		fail "$output"
}
