#!/usr/bin/env bats
# Units whose key is another one in each process stay local; others are sent. See units/unasked.h.

setup() {
	load units_own_lib
	own_setup
	redis_need
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	start
	echo 'UNIT=made path=kernels/<[0-9a-f]{32}.bin complete=rename kind=file' >"$CONF"
	cat >draw.py <<-'END'
	# A kernel below KEY, or below a key that this process draws.
	import os, sys, time, uuid
	key = os.environ.get("KEY") or uuid.uuid4().hex
	path = os.path.join(os.environ["AT"], "kernels", key + ".bin")
	def crowd(sign):
	    if "CROWD" not in os.environ:
	        return
	    at = os.path.join(os.environ["AT"], sign)
	    os.makedirs(at, exist_ok=True)
	    open(os.path.join(at, str(os.getpid())), "w").close()
	    while len(os.listdir(at)) < int(os.environ["CROWD"]):
	        time.sleep(0.01)
	crowd("begun")
	os.makedirs(os.path.dirname(path), exist_ok=True)
	if not os.path.exists(path):
	    with open(path + ".tmp", "w") as f:
	        f.write(key)
	    os.rename(path + ".tmp", path)
	    print("made", key)
	END
}
teardown() { remote_teardown; }

AT_FW() { JOB_ENV=(AT="$ROOT/fw" "$@"); }

# drawn COUNT [ARG...]: so many starts, each of which makes a unit. LAST: the key of the last one.
drawn() {
	local n=$1
	shift
	for ((; n > 0; n--)); do
		unit_job drawn under draw.py "$@"
		LAST=$(sed -n 's/^made //p' "$ROOT/drawn.out")
		[ -n "$LAST" ]
	done
}
# What is not sent is in the log, whoever packs: the agent, or this command.
locals() { REPRISE_LOG_LEVEL=info drain; stat_of units_local; }

# bats test_tags=check
@test "units_unasked: units of drawn keys stay local until one of them is found" {
	AT_FW
	drawn 11
	[ "$(locals)" = 3 ] || fail "local: $(locals)"
	[ "$(stat_of units_packed) $(stat_of published)" = "11 8" ] || fail "$(reprise stats)"
	reprise stats | grep -q ' 3  units_local .*key is of one process'
	grep -q 'not sent: made .*kernels' "$LOG"
	# The kept units are found here, and this shows that they are asked for.
	AT_FW KEY="$LAST"
	units_wipe
	unit_job found under draw.py
	! grep -q made "$ROOT/found.out" || fail "the unit was made anew"
	AT_FW
	drawn 2
	[ "$(locals)" = 3 ]
	[ "$(stat_of published)" = 10 ]
	units_clean
}

# bats test_tags=check
@test "units_unasked: a later start with the same key shows that the key is the same" {
	local n
	for n in 1 2 3; do
		AT_FW
		drawn 7
		AT_FW KEY="${n}0123456789abcdef0123456789abcde"
		drawn 1
		# As where the store lost it.
		rm -rf "$ROOT/a/unit" "$ROOT/fw"
		drawn 1
	done
	[ "$(locals)" = 0 ] || fail "local: $(locals)"
}

# bats test_tags=check
@test "units_unasked: other arguments, an edited script and a crowd of processes do not count" {
	local n pids=()
	AT_FW
	for n in {1..10}; do
		drawn 1 "$n"
	done
	for n in {1..10}; do
		echo "# edit $n" >>draw.py
		drawn 1
	done
	AT_FW CROWD=12
	for n in {1..12}; do
		unit_job "crowd$n" under draw.py &
		pids+=($!)
	done
	for n in "${pids[@]}"; do wait "$n" || fail "one of the crowd failed"; done
	AT_FW
	drawn 6
	[ "$(locals)" = 0 ] || fail "local: $(locals)"
	[ "$(stat_of published)" = "$(stat_of units_packed)" ]
	# Another node has what was made last.
	AT_FW KEY="$LAST"
	on b
	agent_for_hosts
	units_wipe
	unit_job found under draw.py
	! grep -q made "$ROOT/found.out" || fail "node b made it anew"
	units_clean
}
