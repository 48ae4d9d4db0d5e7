#!/usr/bin/env bats
# Publishing: records of the spool reach Redis. The job does not wait for it.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	load remote_lib
	load publish_lib
	publish_setup
}
teardown() { publish_teardown; }

@test "publish: records that one node spooled are found by another node" {
	redis_start main
	node a "$DRIVER" fill 0 50 2000
	[ "$(node a "$DRIVER" pending)" = 100 ]
	[ "$(node b "$DRIVER" count 0 50)" = 0 ]
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ -z "$(find "$ROOT/a/spool" -type f)" ]
	[ "$(node c "$DRIVER" count 0 50)" = 50 ]
	[ "$(counter_of a published)" = 100 ]
	[ "$(counter_of a spool_dropped)" = 0 ]
	[ "$(rcli dbsize)" = 100 ]
	! grep -E ' (error|warning) ' "$ROOT"/*.log || fail "a log holds the above"
}

# bats test_tags=check
@test "publish: exit status and words" {
	run "$REPRISE_BIN" publish --help
	[ "$status" = 0 ]
	[[ $output == *--wait* && $output != *--daemon* ]]
	for words in x '--wait' '--wait x' '--wait -1' '--bogus'; do
		run "$REPRISE_BIN" publish $words
		[ "$status" = 2 ] || fail "'$words': $status"
	done
	# Without a remote store the status depends only on whether records wait.
	run env REPRISE_CACHE_DIR="$ROOT/a" \
		REPRISE_RUNTIME_DIR="$ROOT/a.run" "$REPRISE_BIN" publish --wait 0
	[ "$status" = 0 ]
	node a "$DRIVER" fill 0 1 100
	run env REPRISE_CACHE_DIR="$ROOT/a" \
		REPRISE_RUNTIME_DIR="$ROOT/a.run" "$REPRISE_BIN" publish --wait 1
	[ "$status" = 1 ]
	[[ $output == *"2 entries not published: no remote store is configured"* ]]
	# No server: the command waits until its time is up.
	start=$(date +%s%N)
	run node a "$REPRISE_BIN" publish --wait 700ms
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$status" = 1 ]
	[[ $output == *"2 entries not published"* ]]
	[ $took -ge 690 ]
	[ $took -lt 3000 ]
	redis_start main
	node a "$REPRISE_BIN" publish --wait 10s
	REPRISE_REMOTE_READONLY=1 node a "$REPRISE_BIN" publish --wait 1
	node a "$DRIVER" fill 0 1 100
	run env REPRISE_REMOTE_READONLY=1 REPRISE_CACHE_DIR="$ROOT/a" \
		REPRISE_RUNTIME_DIR="$ROOT/a.run" \
		REPRISE_REDIS_URL="$REDIS_URL" "$REPRISE_BIN" publish --wait 5
	[ "$status" = 1 ]
	[[ $output == *"nothing is published from here"* ]]
}

@test "publish: leased records first, a result before its candidate, the lease released last" {
	redis_start main
	node a "$DRIVER" fill 0 20 100
	node a "$DRIVER" fill 100 101 100 lease
	[ "$(rcli --scan --pattern 'reprise:1:l:*' | wc -l)" = 1 ]
	redis-cli -s "$SOCKET" monitor >monitor 3>&- &
	monitor=$!
	for _ in $(seq 100); do grep -q OK monitor && break; sleep 0.02; done
	node a "$REPRISE_BIN" publish --wait 10
	sleep 0.2
	kill $monitor
	[ "$(rcli --scan --pattern 'reprise:1:l:*' | wc -l)" = 0 ]
	# The leased record is sent first: these are its first SET, LPUSH and EVAL.
	grep -oE '"(SET|LPUSH|EVAL)"' monitor | head -n 3 | tr -d '"\n' >order
	[ "$(cat order)" = SETLPUSHEVAL ]
	[ "$(grep -c '"LPUSH"' monitor)" = 21 ]
	[ "$(node b "$DRIVER" count 100 101)" = 1 ]
}

# bats test_tags=check
@test "publish: leases of waiting records are renewed" {
	redis_start main
	redis_proxy slow "$REDIS_PORT" delay 60
	# Each by a job of its own: on a busy machine a job waits for a few slow answers alone.
	for from in {0..11}; do
		REPRISE_JOB=$from REDIS_URL=redis://127.0.0.1:$PROXY_PORT REPRISE_REMOTE_LEASE=30s \
			REPRISE_REMOTE_LOOKUP_TIMEOUT=3s \
			node a "$DRIVER" fill $from $((from + 1)) 100 lease
	done
	export REPRISE_REMOTE_LEASE=1500ms
	for key in $(rcli --scan --pattern 'reprise:1:l:*'); do
		rcli pexpire "$key" 1500 >/dev/null
	done
	# Four answers a record, 60 ms each: the last waits for longer than a lease lasts.
	REDIS_URL=redis://127.0.0.1:$PROXY_PORT node_exec a "$REPRISE_BIN" publish --wait 30 3>&- &
	pid=$!
	sleep 2.2
	held=$(rcli --scan --pattern 'reprise:1:l:*' | wc -l)
	kill -0 $pid
	wait $pid
	[ "$held" -ge 1 ]
	[ "$(rcli --scan --pattern 'reprise:1:l:*' | wc -l)" = 0 ]
	[ "$(node b "$DRIVER" count 0 12)" = 12 ]
}

@test "publish: entries that are gone and entries that are too large are not waited for" {
	redis_start main
	node a "$DRIVER" bare 0 10 100
	REPRISE_REMOTE_MAX_ENTRY=1M
	export REPRISE_REMOTE_MAX_ENTRY
	node a "$DRIVER" fill 10 12 3000000
	node a "$REPRISE_BIN" publish --wait 10
	[ "$(node a "$DRIVER" pending)" = 0 ]
	[ "$(rcli dbsize)" = 0 ]
	unset REPRISE_REMOTE_MAX_ENTRY
	node a "$DRIVER" fill 10 12 3000000
	node a "$REPRISE_BIN" publish --wait 10
	[ "$(node b "$DRIVER" count 10 12)" = 2 ]
}

# bats test_tags=check
@test "publish: one publisher at a time; a waiting one finds the records sent" {
	redis_start main
	node a "$DRIVER" fill 0 1500 3000
	node_exec a "$REPRISE_BIN" publish --wait 60 3>&- &
	one=$!
	node_exec a "$REPRISE_BIN" publish --wait 60 3>&- &
	two=$!
	# Without a time it waits, too, and is done when nothing is left.
	run node a "$REPRISE_BIN" publish
	[ "$status:$output" = 0: ] || fail "$status: $output"
	[ "$(node a "$DRIVER" pending)" = 0 ]
	wait $one
	wait $two
	[ "$(counter_of a published)" = 3000 ]
	# On a loaded machine the breaker may end the look-ups of one process.
	local i=0 found=0
	while [ "$found" != 1500 ] && ((i++ < 3)); do
		found=$(node b "$DRIVER" count 0 1500)
	done
	[ "$found" = 1500 ] || fail "$found of 1500"
}

# bats test_tags=check
@test "publish: the agent is told, starts the publisher, and the job does not notice" {
	redis_start main
	node a "$DRIVER" fill 0 5 100
	put held x
	exec 7<held
	LD_PRELOAD='' node a "$TREE/driver" start >out
	[ "$(cat out)" = 1 ] || fail "$(cat out)"
	one_comes publish
	pid=$(publishers)
	[ "$(echo "$pid" | wc -l)" = 1 ]
	[ "$(readlink /proc/$pid/cwd)" = / ]
	[ "$(readlink /proc/$pid/exe)" = "$(realpath "$TOP/build/reprise")" ]
	for fd in 0 1 2; do [ "$(readlink /proc/$pid/fd/$fd)" = /dev/null ]; done
	! ls -l /proc/$pid/fd | grep -E 'held|pipe:|/out' || fail "the publisher holds the above"
	! tr '\0' '\n' </proc/$pid/environ | grep LD_PRELOAD || fail "the publisher has the above"
	# shellcheck disable=SC2046
	set -- $(cut -d')' -f2- /proc/$pid/stat)
	# session and group of its own
	[ "$4" = "$3" ]
	[ "$4" != "$(ps -o sid= -p $$ | tr -d ' ')" ]
	[ "${17}" = 19 ]
	chrt -p "$pid" | grep -q SCHED_IDLE || fail "$(chrt -p "$pid")"
	# SIGXFSZ alone; posix_spawn may add 32 and 33, which are glibc's own.
	grep -Eq 'SigIgn:.*0000000[01][08]1000000' /proc/$pid/status ||
		fail "$(cat /proc/$pid/status)"
	grep -q 'SigBlk:.*0000000000000000' /proc/$pid/status
	# A second publisher is not started. The running one also sends later records.
	[ "$(node a "$TREE/driver" start)" = 1 ]
	sleep 0.1
	[ "$(publishers)" = "$pid" ] || fail "$pid, now $(publishers)"
	node a "$DRIVER" fill 5 10 100
	for _ in $(seq 200); do [ "$(node a "$DRIVER" pending)" = 0 ] && break; sleep 0.02; done
	[ "$(node b "$DRIVER" count 0 10)" = 10 ]
	# The publisher ends by itself.
	none_stays publish
	! grep -E ' (error|warning) ' "$ROOT/a.log" || fail "the log holds the above"
}

# bats test_tags=check
@test "publish: from an installed prefix; without its programs it says so" {
	redis_start main
	mkdir -p pre/bin pre/lib/reprise pre/libexec/reprise
	cp "$DRIVER" pre/lib/reprise/driver
	node a "$DRIVER" fill 0 5 100
	node a pre/lib/reprise/driver start >out
	grep -q -- '^-1$' out
	grep -q 'no `reprise-agent` that belongs to' out
	# A program in PATH is not used.
	PATH=$TOP/build/libexec:$PATH node a pre/lib/reprise/driver start >out
	grep -q -- '^-1$' out
	cp "$TOP/build/libexec/reprise-agent" pre/libexec/reprise
	[ "$(node a pre/lib/reprise/driver start)" = 1 ]
	for _ in $(seq 100); do
		grep -q 'nothing is published' "$ROOT/a.log" && break
		sleep 0.02
	done
	grep -q 'no `reprise` beside the agent: nothing is published' "$ROOT/a.log"
	remote_end
	cp "$TOP/build/reprise" pre/bin
	[ "$(node a pre/lib/reprise/driver start)" = 1 ]
	for _ in $(seq 200); do [ "$(node a "$DRIVER" pending)" = 0 ] && break; sleep 0.02; done
	[ "$(node b "$DRIVER" count 0 5)" = 5 ]
}

@test "publish: no remote, nothing to do, nothing started" {
	run env REPRISE_CACHE_DIR="$ROOT/a" REPRISE_RUNTIME_DIR="$ROOT/a.run" \
		REPRISE_LOG="$ROOT/a.log" \
		strace -f -e trace=network,clone,fork,vfork "$REPRISE_BIN" publish --daemon
	[ "$status" = 0 ] || [ "$status" = 127 ]
	! grep -E 'socket\(|clone' <<<"$output" || fail "the publisher made the above calls"
}

# bats test_tags=check
@test "publish: reprise-run waits at its end, and ends as the command did" {
	RUN=$TOP/scripts/reprise-run
	redis_start main
	run node a "$RUN" sh -c "LD_PRELOAD= '$DRIVER' fill 0 20 1000; exit 7"
	[ "$status" = 7 ]
	[ "$(node b "$DRIVER" count 0 20)" = 20 ]
	# REPRISE_DRAIN=0: no wait.
	run env REPRISE_DRAIN=0 true
	REPRISE_DRAIN=0 node a "$RUN" sh -c "LD_PRELOAD= '$DRIVER' fill 20 30 1000"
	[ "$(node a "$DRIVER" pending)" = 20 ]
	# If no server answers, reprise-run does not wait, and says so.
	redis_kill main
	start=$(date +%s%N)
	node a "$RUN" sh -c 'echo out; echo err >&2' >out 2>err
	took=$((($(date +%s%N) - start) / 1000000))
	[ $took -lt 900 ] || fail "a server that is gone took $took ms"
	[ "$(cat out)" = out ]
	[ "$(wc -l <err)" = 3 ] || fail "$(cat err)"
	local why='connect to .*: Connection refused'
	[[ "$(head -n 1 err)" == *'nothing is shared until the server answers' ]]
	[ "$(sed -n 2p err)" = err ]
	grep -q "^reprise-run: 20 results wait for .*: $why; the next job" \
		err || fail "$(cat err)"
	node a "$RUN" -q sh -c 'echo err >&2' 2>err
	[ "$(cat err)" = err ]
	# A command that is not there, or cannot be run.
	run -127 node a "$RUN" ./nowhere
	put plain x
	run -126 node a "$RUN" ./plain
}

@test "publish: signals to a reprise-run that waits are the command's" {
	RUN=$TOP/scripts/reprise-run
	redis_start main
	# The process must be reprise-run itself, not a function of the shell.
	NODE=(REPRISE_CACHE_DIR="$ROOT/a" REPRISE_RUNTIME_DIR="$ROOT/a.run"
		REPRISE_REDIS_URL="$REDIS_URL")
	env "${NODE[@]}" "$RUN" sh -c 'trap "echo got; exit 5" TERM; echo $$ >pid; while :;
		do sleep 0.05; done' >out 3>&- &
	pid=$!
	for _ in $(seq 200); do [ -s pid ] && break; sleep 0.02; done
	kill -TERM $pid
	wait $pid && s=0 || s=$?
	[ $s = 5 ]
	[ "$(cat out)" = got ]
	run env "${NODE[@]}" "$RUN" sh -c 'kill -KILL $$'
	[ "$status" = 137 ]
	run env "${NODE[@]}" "$RUN" sh -c 'kill -USR1 $$'
	[ "$status" = 138 ]
	# If reprise-run is killed, the command dies, too.
	rm pid
	env "${NODE[@]}" "$RUN" sh -c 'echo $$ >pid; exec sleep 60' 3>&- &
	pid=$!
	for _ in $(seq 200); do [ -s pid ] && break; sleep 0.02; done
	kill -KILL $pid
	wait $pid 2>/dev/null || true
	child=$(cat pid)
	for _ in $(seq 100); do [ -e /proc/$child/exe ] || break; sleep 0.02; done
	! [ -e /proc/$child/exe ] || fail "the command outlives reprise-run"
	# The command is stopped and continued with reprise-run.
	env "${NODE[@]}" "$RUN" sh -c 'echo $$ >pid2; while :; do sleep 0.05; done' 3>&- &
	pid=$!
	for _ in $(seq 200); do [ -s pid2 ] && break; sleep 0.02; done
	# SIGTSTP stops no process of an orphaned group, as below setsid.
	kill -STOP "$(cat pid2)"
	for _ in $(seq 100); do grep -q 'State:.T' /proc/$pid/status && break; sleep 0.02; done
	grep -q 'State:.T' /proc/$pid/status
	kill -CONT $pid
	for _ in $(seq 100); do
		grep -q 'State:.T' "/proc/$(cat pid2)/status" || break
		sleep 0.02
	done
	! grep -q 'State:.T' "/proc/$(cat pid2)/status" || fail "the command is still stopped"
	kill -TERM $pid
	wait $pid && s=0 || s=$?
	[ $s = 143 ]
}

# bats test_tags=check
@test "publish: hits from the remote store are among the hits that stats prints" {
	redis_start main
	put a.c 'int a(int x) { return x + 1; }'
	put b.c 'int b(int x) { return x + 1; }'
	age
	REPRISE_REMOTE_LOOKUP_TIMEOUT=3s node a LD_PRELOAD="$REPRISE_LIB" gcc -c a.c
	node a "$REPRISE_BIN" publish --wait 10
	for i in a a a b; do
		REPRISE_REMOTE_LOOKUP_TIMEOUT=3s node b REPRISE_REMOTE_READONLY=1 \
			LD_PRELOAD="$REPRISE_LIB" gcc -c $i.c
	done
	[ "$(counter_of b hits_remote) $(counter_of b hits_local)" = '1 2' ]
	[ "$(counter_of b misses)" = 1 ]
	node b "$REPRISE_BIN" stats >stats
	grep -qE '^hits +3 +actions replayed \(75\.0 %\)$' stats || fail "$(cat stats)"
	grep -qE '^ +1 of the hits; received ' stats || fail "$(cat stats)"
}

@test "publish: the remote's counters in stats" {
	redis_start main
	node a "$DRIVER" fill 0 3 1000
	node a "$REPRISE_BIN" publish --wait 10
	node b "$DRIVER" count 0 4
	node b "$REPRISE_BIN" stats --json | "$PY" -c '
import json, sys
d = json.load(sys.stdin)
for k in ("hits_remote remote_asked remote_absent remote_wait_seconds remote_bytes_in "
          "remote_bytes_out remote_timeouts breaker_openings refused_entries published "
          "spool_dropped leases_taken lease_waits lease_waited_seconds").split():
    assert k in d, k
assert d["remote_asked"] == 7 and d["remote_absent"] == 1, d
assert d["remote_bytes_in"] > 3000 and 0 < d["remote_wait_seconds"] < 5, d'
	node b "$REPRISE_BIN" stats | grep -E '^remote +7 '
	[ "$(counter_of a published)" = 6 ]
}

# Waits until no record waits in a node's spool.
sent() { # NODE
	local i
	for ((i = 0; i < 500; i++)); do
		[ "$(node "$1" "$DRIVER" pending)" != 0 ] || return 0
		sleep 0.02
	done
	fail "$(node "$1" "$DRIVER" pending) records still wait"
}

@test "publish: records of a job are sent by the next job, even if all its starts are hits" {
	redis_start main
	remote_url "$REDIS_URL"
	put a.c 'int a(int x) { return x + 1; }'
	age
	on a
	under gcc -c a.c
	node a "$REPRISE_BIN" publish --wait 20
	node b "$DRIVER" fill 0 5 2000
	[ "$(node b "$DRIVER" pending)" = 10 ]
	on b
	under gcc -c a.c
	[ "$(stat_of hits_remote)" = 1 ]
	[ "$(stat_of misses)" = 0 ]
	sent b
	[ "$(node c "$DRIVER" count 0 5)" = 5 ]
}

@test "publish: the agent of a job that only looks for units starts the publisher" {
	redis_start main
	node b "$DRIVER" fill 0 5 2000
	node b "$TREE/driver" ask 4 1 >out
	sent b
	[ "$(node c "$DRIVER" count 0 5)" = 5 ]
}
