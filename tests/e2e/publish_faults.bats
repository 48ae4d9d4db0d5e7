#!/usr/bin/env bats
# Publishing if Redis hangs, is full, refuses or is absent, and if processes are killed: no record
# is lost, and no wait is long.

setup() {
	load lib
	load redis
	load remote_lib
	load publish_lib
	publish_setup
}
teardown() { publish_teardown; }

# bats test_tags=check
@test "publish: a Redis that hangs: a wait ends in time, even if it is shorter than a transfer" {
	redis_start main
	node a "$DRIVER" fill 0 2 2000
	redis_kill main STOP
	export REPRISE_REMOTE_TRANSFER_TIMEOUT=8s
	start=$(date +%s%N)
	run node a "$REPRISE_BIN" publish --wait=100ms
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$status" = 1 ] || fail "$output"
	[ $took -ge 95 ] && [ $took -lt 2000 ] || fail "--wait=100ms took $took ms"
	start=$(date +%s%N)
	run node a REPRISE_DRAIN=300ms "$REPRISE_BIN" run true
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$status" = 0 ] || fail "$output"
	[ $took -ge 295 ] && [ $took -lt 2500 ] || fail "REPRISE_DRAIN=300ms took $took ms"
	# Half a second without a byte ends the wait, whatever limit the drain has.
	start=$(date +%s%N)
	run node a "$REPRISE_BIN" run true
	took=$((($(date +%s%N) - start) / 1000000))
	[ $took -ge 490 ] && [ $took -lt 2500 ] || fail "a Redis that hangs took $took ms"
	[[ $output == 'reprise-run: '*' wait for the remote store: '* ]] || fail "$output"
	redis_kill main CONT
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(node b "$DRIVER" count 0 2)" = 2 ]
}

# A reboot removes the runtime directory, which is on a file system in memory.
# bats test_tags=check
@test "publish: records that a job spooled before a reboot" {
	redis_start main
	redis_kill main
	put a.c 'int a(int x) { return x + 1; }'
	age
	node a LD_PRELOAD="$REPRISE_LIB" REPRISE_STRICT=1 gcc -c a.c -o a.o
	gcc -c a.c -o want.o
	cmp a.o want.o
	node a "$DRIVER" fill 0 20 2000
	# A publisher had taken some records, and found no server.
	run node a "$REPRISE_BIN" publish --wait 300ms
	[ "$status" = 1 ] || fail "$output"
	[ -n "$(find "$ROOT/a/spool" -name 'work.*')" ] ||
		fail "nothing was taken: $(find "$ROOT/a/spool")"
	node a "$DRIVER" fill 20 40 2000
	remote_end
	[ -d "$ROOT/a.run" ]
	rm -rf "$ROOT/a.run"
	[ "$(node a "$DRIVER" pending)" = 82 ]
	redis_start main
	[ "$(rcli dbsize)" = 0 ]
	node a "$REPRISE_BIN" publish --wait 30
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ "$(rcli dbsize)" = 82 ]
	[ "$(node b "$DRIVER" count 0 40)" = 40 ]
	rm a.o
	node c LD_PRELOAD="$REPRISE_LIB" REPRISE_STRICT=1 \
		REPRISE_REMOTE_LOOKUP_TIMEOUT=3s gcc -c a.c -o a.o
	cmp a.o want.o
	[ "$(counter_of c hits_remote)" = 1 ] || fail "the job's own entry did not arrive"
}

# bats test_tags=long
@test "publish: kill -9 of the publisher, again and again" {
	redis_start main
	node a "$DRIVER" fill 0 800 20000
	kills=0
	for i in $(seq 400); do
		[ "$(node a "$DRIVER" pending)" = 0 ] && break
		node_exec a "$REPRISE_BIN" publish --wait 60 2>/dev/null 3>&- &
		pid=$!
		PUBLISHERS="$PUBLISHERS $pid"
		# Longer from round to round: the next publisher sends the whole file again, and one
		# must finish.
		ms=$((10 * i + RANDOM % 90))
		sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
		# Some records are added while the publisher works.
		[ "$i" -gt 5 ] || node a "$DRIVER" fill $((800 + i)) $((801 + i)) 100
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null && s=0 || s=$?
		[ $s != 137 ] || kills=$((kills + 1))
	done
	node a "$REPRISE_BIN" publish --wait 60
	echo "# $kills kills" >&3
	[ $kills -ge 3 ]
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ "$(node b "$DRIVER" count 0 806)" = 805 ]
	[ -z "$(find "$ROOT/a/spool" -type f)" ]
	# No list names a result twice.
	for key in $(rcli --scan --pattern 'reprise:1:m:*' | head -n 50); do
		[ "$(rcli llen "$key")" = 1 ]
	done
}

# bats test_tags=check
@test "publish: kill -9 of Redis; what it acknowledged is there, the rest comes later" {
	redis_start main --appendonly yes --appendfsync always
	node a "$DRIVER" fill 0 600 5000
	node_exec a "$REPRISE_BIN" publish --wait 100 3>&- &
	pid=$!
	PUBLISHERS=$pid
	for i in 1 2 3; do
		sleep 0.1
		redis_kill main
		sleep 0.3
		redis_start main --appendonly yes --appendfsync always
	done
	wait $pid
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ "$(node b "$DRIVER" count 0 600)" = 600 ]
	[ "$(counter_of a spool_dropped)" = 0 ]
}

# bats test_tags=check
@test "publish: a full Redis keeps the spool; it is sent when there is room" {
	redis_start main
	node a "$DRIVER" fill 0 20 100
	rcli config set maxmemory 1 >/dev/null
	run node a "$REPRISE_BIN" publish --wait 1
	[ "$status" = 1 ]
	[[ $output == *OOM* ]]
	[ "$(node a "$DRIVER" pending)" = 40 ]
	rcli config set maxmemory 0 >/dev/null
	node a "$REPRISE_BIN" publish --wait 10
	[ "$(node b "$DRIVER" count 0 20)" = 20 ]
	[ "$(grep -c 'publishing waits' "$ROOT/a.log")" -le 2 ]
}

@test "publish: a user that may not write publishes nothing, with one warning" {
	redis_start main --user reader on '>secret' '~*' -@all +ping +get +lrange +llen
	REDIS_URL=redis+unix://reader:secret@$SOCKET
	node a "$DRIVER" fill 0 20 100
	run node a "$REPRISE_BIN" publish --wait 20
	[ "$status" = 1 ]
	run node a "$REPRISE_BIN" publish --daemon
	[ "$status" = 9 ] # AGENT_DENIED
	[ "$(grep -c 'does not let this user write' "$ROOT/a.log")" = 1 ]
	! grep -q secret "$ROOT/a.log" || fail "the log holds the password"
	# The agent may start one publisher, which finds that out anew.
	[ "$(node a "$TREE/driver" start)" = 1 ]
	sleep 0.2
	none_stays publish || fail "a publisher stays"
	[ "$(grep -c 'does not let this user write' "$ROOT/a.log")" -le 2 ]
}

# bats test_tags=check
@test "publish: without a server the publisher leaves, and loses nothing" {
	local start took
	redis_start main
	node a "$DRIVER" fill 0 20 2000
	redis_kill main KILL
	start=$(date +%s%N)
	run node a "$REPRISE_BIN" publish --daemon
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$status" = 1 ] || fail "$output"
	[ $took -lt 8000 ] || fail "it left after $took ms"
	[ "$(node a "$DRIVER" pending)" = 40 ]
	redis_start main
	node a "$REPRISE_BIN" publish --daemon
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ "$(node c "$DRIVER" count 0 20)" = 20 ]
}
