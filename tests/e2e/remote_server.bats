#!/usr/bin/env bats
# The remote store on a server that loses something: a node of its cluster, entries for want of memory, its life. Jobs are
# right, quiet and on time, and what is gone is published again.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

@test "remote_server: a cluster" {
	redis_cluster 3 0
	remote_url "redis://127.0.0.1:$(redis_port n0)"
	local i
	for i in 1 2 3 4 5 6; do
		put a$i.c "int a$i(int x) { return x + $i; }"
		across -- gcc -O1 -c a$i.c
	done
	# They are spread.
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
	# A node less: what was on the others is found, the rest is compiled.
	redis_kill n2
	fresh c
	for i in 1 2 3 4 5 6; do again any --warnings -- gcc -O1 -c a$i.c; done
}

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
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do under as s$i.s -o s$i.o; done
	drain
	[ "$(evicted)" -gt 0 ] || fail "nothing was evicted"
	local n before
	fresh b
	before=$(evicted)
	# The newest first: what b adds takes the place of the oldest. Another node's results come between its starts.
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
