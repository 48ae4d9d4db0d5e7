#!/usr/bin/env bats
# Many fresh nodes of one Redis, simulated: each has a store, a runtime directory and an agent of
# its own, and runs the job that another node published. What one node costs the server does not
# grow with their number: one connection, and the commands of the first node.
# REPRISE_TEST_NODES (default 1000) sets their number.

setup() {
	load ../e2e/lib
	load ../e2e/redis
	load ../e2e/remote_lib
	remote_setup
	start --maxclients 4000
	REDIS_URL=redis+unix://$REDIS_SOCKET
	NODES=$((${REPRISE_TEST_NODES:-1000} / 4 * 4))
	for i in 1 2 3; do
		put "n$i.c" "int n$i(int x) { return x + $i; }"
	done
	put job.sh 'cd "$1"' 'for i in 1 2 3; do gcc -O1 -c n$i.c -o n$i.o || exit 1; done'
	age
}
teardown() { remote_teardown; }

# figure NAME: of the server.
figure() {
	redis_cli main info all | tr -d '\r' | sed -n "s/^$1:\([0-9]*\).*/\1/p"
}

# Redis's own answers, and the connections that ask for them.
commands() {
	redis_cli main info commandstats | tr -d '\r' | sed -n \
		's/^cmdstat_\(get\|lrange\|llen\|set\|eval\|pttl\):calls=\([0-9]*\).*/\2/p' |
		awk '{ n += $1 } END { print n + 0 }'
}

# one NUMBER: the job on that node. An agent whose socket is gone ends within a second.
one() {
	local i dir=$ROOT/at$1
	mkdir "$dir"
	cp -p n?.c "$dir"
	node "f$1" LD_PRELOAD="$REPRISE_LIB" sh job.sh "$dir" || echo "node $1: $?"
	for i in 1 2 3; do
		cmp "$dir/n$i.o" "want$i.o" || echo "node $1: n$i.o differs"
	done
	echo "$(counter_of "f$1" hits_remote) $(counter_of "f$1" misses)" >>"$ROOT/hits"
	cat "$ROOT/f$1.log" >>"$ROOT/logs" 2>/dev/null || true
	rm -rf "$ROOT/f$1.run" "$ROOT/f$1" "$dir"
}

some() { # FIRST LAST
	local i
	for ((i = $1; i <= $2; i++)); do
		one "$i"
	done
}

@test "many_nodes: each costs the server one connection" {
	for i in 1 2 3; do
		gcc -O1 -c "n$i.c" -o "want$i.o"
	done
	node a LD_PRELOAD="$REPRISE_LIB" sh job.sh "$PWD"
	node a "$REPRISE_BIN" publish --wait 20
	local c0 q0 c1 q1 c2 q2 quarter=$((NODES / 4))
	c0=$(figure total_connections_received) q0=$(commands)
	one 0
	c1=$(figure total_connections_received) q1=$(commands)
	local part parts=()
	for part in 0 1 2 3; do
		some $((part * quarter + 1)) $(((part + 1) * quarter)) 3>&- &
		parts+=($!)
	done
	wait "${parts[@]}"
	c2=$(figure total_connections_received) q2=$(commands)
	[ "$(sort "$ROOT/hits" | uniq -c | awk '{ print $1, $2, $3 }')" = "$((NODES + 1)) 3 0" ] ||
		fail "$(sort "$ROOT/hits" | uniq -c; tail -n 3 "$ROOT/logs")"
	# Each figure above asked over a connection of its own.
	echo "# one node: $((c1 - c0 - 2)) connections, $((q1 - q0)) commands;" \
		"each of $NODES: $(((c2 - c1 - 2) * 100 / NODES)) % of a connection," \
		"$(((q2 - q1) * 100 / NODES)) % of a command" >&3
	[ $((c1 - c0 - 2)) = 1 ] || fail "one node: $((c1 - c0 - 2)) connections"
	[ $((c2 - c1 - 2)) -le $((NODES * 102 / 100)) ] || fail "$((c2 - c1 - 2)) connections"
	[ $((q2 - q1)) -le $(((q1 - q0) * NODES * 102 / 100)) ] ||
		fail "$((q2 - q1)) commands, of one node $((q1 - q0))"
}
