#!/usr/bin/env bats
# Results above 32 MiB. They travel packed, stay packed in the store of the node that fetches them,
# and are unpacked while they are written.

setup() {
	load lib
	load redis
	load remote_lib
	remote_setup
	start
	seq 1 6000000 >data # 46 MB that pack well
	put big.s '.globl b' '.data' 'b: .incbin "data"'
}
teardown() { remote_teardown; }

# publish: on node a. The expected output is want.o.
publish() {
	as big.s -o want.o
	age
	under as big.s -o big.o
	cmp big.o want.o
	drain
	rm big.o
}

stored_mb() { du -sm "$ROOT/$1" | cut -f 1; }

# bats test_tags=long
@test "remote_large: packed on its way and where it arrives" {
	across --makes big.o -- as big.s -o big.o
	[ "$(stored_mb a)" -ge 40 ] ||
		fail "the compiling node holds $(stored_mb a) MB: its hits would pay for unpacking"
	[ "$(stored_mb b)" -le 15 ] || fail "the fetching node holds $(stored_mb b) MB"
	[ "$(redis_cli main info memory | sed -n 's/^used_memory:\([0-9]*\).*/\1/p')" -le 30000000 ]
	again hit
	on a
	again hit
}

# bats test_tags=check
@test "remote_large: into a file that is there, of another size" {
	publish
	fresh b
	for size in 3 100000000; do
		truncate -s $size big.o
		under as big.s -o big.o
		cmp big.o want.o
	done
	[ "$(stat_of hits_remote)" = 1 ]
	[ "$(stat_of hits_local)" = 1 ]
}

# A fetched result goes into the store after the replay. The replay writes the small output under
# its own names.
# bats test_tags=check
@test "remote_large: beside an output whose names are exchanged" {
	local d
	in_directory() {
		d=$TMPDIR/tmp$1
		mkdir "$d"
		cp big.c "$d"
		age
		under gcc -MMD -MF "$d/big.d" -MT big.o -c "$d/big.c" -o "$d/big.o"
		gcc -MMD -MF want.d -MT big.o -c "$d/big.c" -o "$d/want.o"
		cmp "$d/big.d" want.d
		cmp "$d/big.o" "$d/want.o"
		rm -r "$d"
	}
	put big.c '__asm__(".data\n.globl b\nb: .incbin \"data\"");'
	in_directory aaaaaaaa
	drain
	fresh b
	in_directory cccccccc
	[ "$(stat_of hits_remote)" = 1 ] || fail "no remote hit"
	in_directory dddddddd
	[ "$(stat_of hits_local)" = 1 ] || fail "not replayed from what was fetched"
	[ "$(stat_of corrupt)" = 0 ] || fail "$(stat_of corrupt) entries were damaged"
}

# The code that computes the duration of earlier runs reads their results one after the other.
# bats test_tags=check
@test "remote_large: a run among many of other inputs leaves the tool its memory" {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		echo $i >>data
		age
		under as big.s -o big.o
	done
	[ "$(stat_of misses)" = 8 ]
	echo 9 >>data
	age
	(ulimit -v 400000 && under as big.s -o big.o)
	[ "$(stat_of unstored)" = 0 ] || fail "$(stat_of unstored) were not kept"
	under as big.s -o big.o
	[ "$(stat_of hits_local)" = 1 ]
}

# The agent raises its limits no further than the job could. A large result is a hit or a miss,
# whatever they are.
# bats test_tags=check
@test "remote_large: an agent with little memory" {
	publish
	for limit in 400000 60000 30000; do
		fresh "m$limit"
		rm -f big.o
		(ulimit -v "$limit" && under as big.s -o big.o)
		cmp big.o want.o
		[ "$(stat_of refused_entries)" = 0 ] || fail "$limit: $(cat "$LOG")"
		[ "$limit" != 400000 ] || [ "$(stat_of hits_remote)" = 1 ] || fail "$(cat "$LOG")"
	done
}

# A worker of the agent holds a part of a large result at a time.
# bats test_tags=check
@test "remote_large: an agent with less memory than the result" {
	comes_in_parts() {
		publish
		fresh b
		(ulimit -v 60000 && agent_up)
		under as big.s -o big.o
		cmp big.o want.o
		[ "$(stat_of hits_remote)" = 1 ] || fail "no remote hit: $(cat "$LOG")"
		rm big.o
		fresh a
	}
	dd if=/dev/urandom of=data bs=1M count=128 status=none
	comes_in_parts
	unset REPRISE_REDIS_URL
	export REPRISE_REMOTE_URL=file://$ROOT/shared
	comes_in_parts
}

# Values have a mebibyte and a head, so that no command takes long. One large value shows that
# nothing but the size of values keeps commands short.
# bats test_tags=check
@test "remote_large: no command holds up Redis" {
	local bound=20000 key n try largest=0
	dd if=/dev/urandom of=data bs=1M count=128 status=none
	redis_cli main config set slowlog-log-slower-than $bound >/dev/null
	# The server itself has to wait for a processor now and then: not three times.
	for try in 1 2 3; do
		redis_cli main flushall >/dev/null
		redis_cli main slowlog reset >/dev/null
		fresh a
		publish
		fresh b
		under as big.s -o big.o
		cmp big.o want.o
		[ "$(stat_of hits_remote)" = 1 ] || fail "no remote hit"
		[ "$(redis_cli main slowlog len)" != 0 ] || break
	done
	[ "$(redis_cli main slowlog len)" = 0 ] ||
		fail "$(redis_cli main slowlog get 3 | cut -c 1-200)"
	[ "$(redis_cli main dbsize)" -ge 128 ] || fail "$(redis_cli main dbsize) keys"
	for key in $(redis_cli main --raw keys 'reprise:1:r:*'); do
		n=$(redis_cli main strlen "$key")
		[ "$n" -le "$largest" ] || largest=$n
	done
	[ "$largest" -le $((1048576 + 1024)) ] || fail "a value of $largest bytes"
	raw main set uncut @big.o >/dev/null
	raw main get uncut | cmp - big.o
	[ "$(redis_cli main slowlog len)" -ge 1 ] || fail "128 MB at once are below $bound us"
}

# The output's disk is too small, the store's is not: no part of the output stays, and the tool says
# why.
# bats test_tags=check
@test "remote_large: the disk is full" {
	need_mounts
	differential --warm none --makes big.o -- as big.s -o big.o
	drain
	fresh b
	mkdir small
	run under unshare -m sh -c 'mount -t tmpfs -o size=20m none small || exit 99;
		exec as big.s -o small/big.o'
	[ "$status" != 0 ] && [ "$status" != 99 ] || fail "status $status: $output"
	again remote -- as big.s -o big.o
}

# Ended in the middle of writing, it leaves no entry that others would believe.
# bats test_tags=long
@test "remote_large: killed while it writes" {
	publish
	for ms in 005 020 040 080 120; do
		fresh b
		rm -f big.o
		env "${RPENV[@]}" as big.s -o big.o &
		local pid=$!
		sleep 0.$ms
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		under as big.s -o big.o
		cmp big.o want.o
		rm big.o
		under as big.s -o big.o
		cmp big.o want.o
	done
}
