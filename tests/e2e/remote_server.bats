#!/usr/bin/env bats
# The remote store on a server that loses something: a cluster node, entries without memory, its own
# process. Jobs are right, quiet and on time. Lost entries are published again.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

# bats test_tags=check
@test "remote_server: a cluster" {
	redis_cluster 3 0
	remote_url "redis://127.0.0.1:$(redis_port n0)"
	local i
	for i in 1 2 3 4 5 6; do
		put a$i.c "int a$i(int x) { return x + $i; }"
		across -- gcc -O1 -c a$i.c
	done
	# The keys are on several nodes.
	[ "$(redis_cli n0 dbsize)" -lt 12 ]
	# A result in parts has them all on one node.
	head -c 3000000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	across --makes big.o -- as big.s -o big.o
	local name key keys
	for name in n0 n1 n2; do
		key=$(redis_cli $name --raw keys 'reprise:1:r:*:2')
		[ -n "$key" ] || continue
		keys=$(redis_cli $name --raw keys "${key%\}*}}*" | wc -l)
		[ "$keys" = 3 ] || fail "$name has $keys of the result's 3 keys"
		redis_cli $name del "$key" >/dev/null
		break
	done
	[ "${keys-}" = 3 ] || fail "no node has parts"
	fresh c
	again miss:result
	drain
	fresh c
	again remote
	# One node is gone: entries of the other nodes are found, the rest is compiled.
	redis_kill n2
	fresh c
	for i in 1 2 3 4 5 6; do again any --warnings -- gcc -O1 -c a$i.c; done
}

# made NAME...: compiles these sources, without output and with right results.
made() {
	local name
	for name; do
		under gcc -O1 -c "$name.c" >out 2>&1 ||
			{ cat out >&2; fail "$name: status $?"; return 1; }
		[ ! -s out ] || { fail "$name: it said $(cat out)"; return 1; }
		gcc -O1 -c "$name.c" -o want.o
		cmp "$name.o" want.o || return 1
		rm "$name.o"
	done
	[ "$(stat_of errors)" = 0 ]
}

# is_over COUNT NODE: NODE sees that COUNT masters are gone and that others have all their slots.
# True if NODE is gone.
is_over() {
	local nodes
	nodes=$(redis_cli "$2" cluster nodes 2>/dev/null) || return 0
	[ "$(grep -c ' master,fail ' <<<"$nodes")" = "$1" ] &&
		[ "$(grep -cE ' (myself,)?master .* [0-9]+-[0-9]+' <<<"$nodes")" = 3 ] &&
		redis_cli "$2" cluster info | grep -q cluster_state:ok
}

# failed_over COUNT: as each node sees it. One that learns it later answers CLUSTERDOWN until then.
failed_over() {
	local try node behind
	for ((try = 0; try < 400; try++)); do
		behind=
		for node in n0 n1 n2 n3 n4 n5; do is_over "$1" $node || behind+=" $node"; done
		[ -n "$behind" ] || return 0
		sleep 0.05
	done
	fail "no failover as seen by$behind: $(redis_cli n0 cluster nodes)"
}

# bats test_tags=long
@test "remote_server: a cluster whose masters are killed under a job and under the publisher" {
	redis_cluster 3 1
	remote_url "redis://127.0.0.1:$(redis_port n0)"
	local i try pid keys
	for i in 1 2 3 4 5 6 7 8; do
		put a$i.c "int a$i(int x) { return x + $i; }"
		put b$i.c "int b$i(int x) { return x - $i; }"
	done
	age
	on a
	made a1 a2 a3 a4 a5 a6 a7 a8
	drain
	# Waits until the replicas have all that the masters acknowledged.
	for ((try = 0; try < 100; try++)); do
		keys=0
		for i in 0 1 2 3 4 5; do keys=$((keys + $(redis_cli n$i dbsize))); done
		[ $keys != 32 ] || break
		sleep 0.05
	done
	[ $keys = 32 ] || fail "$keys keys, not 16 twice"
	# A master is killed when the job has looked up half of its entries.
	fresh b
	made a1 a2 a3 a4
	[ "$(stat_of hits_remote)" = 4 ] || fail "$(reprise stats)"
	redis_kill n1
	made a5 a6 a7 a8
	failed_over 1
	fresh c
	made a1 a2 a3 a4 a5 a6 a7 a8
	[ "$(stat_of hits_remote) $(stat_of misses)" = "8 0" ] || fail "$(reprise stats)"
	# A master is killed under a new publisher, which waits for its answer. With a wrong
	# password the records are there, and no publisher has sent them yet.
	fresh d
	REPRISE_REDIS_PASSWORD=wrong made b1 b2 b3 b4 b5 b6 b7 b8
	remote_end
	redis_kill n2 STOP
	env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" publish \
		--wait 30 >"$ROOT/publish" 2>&1 3>&- &
	pid=$!
	sleep 0.5
	kill -0 $pid || fail "it did not wait: $(cat "$ROOT/publish")"
	redis_kill n2
	wait $pid || fail "status $?: $(cat "$ROOT/publish")"
	failed_over 2
	fresh e
	made a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8
	[ "$(stat_of hits_remote) $(stat_of misses)" = "16 0" ] || fail "$(reprise stats)"
}

# bats test_tags=check
@test "remote_server: an evicted result is a miss, and repaired" {
	start
	across -- gcc -c a.c
	redis_cli main del "$(remote_keys main r)" >/dev/null
	fresh c
	again miss:result
	drain
	fresh d
	again remote
	redis_cli main del "$(remote_keys main m)" >/dev/null
	fresh e
	again stored
	drain
	fresh f
	again remote
	redis_cli main flushall >/dev/null
	fresh g
	again stored
}

@test "remote_server: maxmemory is met while a job runs" {
	start --maxmemory 3mb --maxmemory-policy allkeys-lru
	local i
	head -c 300000 /dev/urandom >blob
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		put s$i.s ".globl b$i" '.data' "b$i: .incbin \"blob\"" ".byte $i"
	done
	evicted() { redis_cli main info stats | sed -n 's/^evicted_keys:\([0-9]*\).*/\1/p'; }
	age
	for i in 1 2 3 4 5 6 7 8; do under as s$i.s -o s$i.o; done
	drain
	# Redis tells ages apart by seconds: of keys of one second it may remove the newest.
	sleep 1.1
	for i in 9 10 11 12; do under as s$i.s -o s$i.o; done
	drain
	[ "$(evicted)" -gt 0 ] || fail "nothing was evicted"
	local n before
	fresh b
	before=$(evicted)
	# Node b starts with the newest file, so its new entries replace the oldest. Another node's
	# results come between.
	for i in 12 11 10 9 8 7 6 5 4 3 2 1; do
		if [ $i = 8 ]; then
			fresh c
			for n in 13 14 15; do under as s$n.s -o s$n.o; done
			drain
			[ "$(evicted)" -gt "$before" ] || fail "nothing was evicted while b ran"
			on b
		fi
		under as s$i.s -o s$i.o >out 2>&1
		[ ! -s out ]
		as s$i.s -o want.o
		cmp s$i.o want.o
	done
	[ "$(stat_of hits_remote)" -gt 0 ]
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "remote_server: full and without eviction: nothing is published, jobs do not notice" {
	start --maxmemory 100kb --maxmemory-policy noeviction
	differential --warnings -- gcc -c a.c
	run reprise publish --wait 500ms
	[ "$status" = 1 ] || fail "status $status: $output; $(redis_cli main dbsize) keys"
	[[ $output == *'not published'* ]]
	redis_cli main config set maxmemory 0 >/dev/null
	drain
	fresh b
	again remote
}

# bats test_tags=check
@test "remote_server: kill -9 of Redis in the middle of a job" {
	start
	local i
	for i in 1 2 3 4 5 6 7 8; do put a$i.c "int a$i(int x) { return x + $i; }"; done
	age
	for i in 1 2 3 4 5 6 7 8; do under gcc -c a$i.c; done
	drain
	fresh b
	for i in 1 2 3 4 5 6 7 8; do
		[ $i != 4 ] || redis_kill main
		under gcc -c a$i.c >out 2>&1
		[ ! -s out ] || fail "it said $(cat out)"
		gcc -c a$i.c -o want.o
		cmp a$i.o want.o
	done
	[ "$(stat_of hits_remote)" = 3 ]
	[ "$(stat_of misses)" = 5 ]
	[ "$(stat_of errors)" = 0 ]
}
