#!/usr/bin/env bats
# Large results on their way into the inbox: cut, changed, of another user, brought for two at once,
# and agents, disks and stores that fail while they come. Each start leaves what a plain one leaves,
# and nothing half-written stays.

setup() {
	load lib
	load redis
	load remote_lib
	remote_setup
	need as
	unset REPRISE_REDIS_URL
	export REPRISE_REMOTE_URL=file://$ROOT/shared
	head -c 20M /dev/urandom >data
	put big.s '.globl b' '.data' 'b: .incbin "data"'
	as big.s -o want.o
	age
}
teardown() { remote_teardown; }

publish() {
	under as big.s -o big.o
	cmp big.o want.o
	drain
	remote_end
	# Nothing is mended behind the case's back.
	export REPRISE_REMOTE_READONLY=1
}
file() { find "$ROOT/shared" -name 'r-*'; }

no_rest() { # NODE
	local rest
	rest=$(find "$ROOT/$1" "$ROOT/$1.run" -path "$ROOT/*/tmp/*" -type f)
	[ -z "$rest" ] || fail "files are left: $rest"
}

# comes NODE COUNTER: on a fresh node the output is right, and that counter is 1.
comes() {
	fresh "$1"
	rm -f big.o
	under as big.s -o big.o || return 1
	cmp big.o want.o || return 1
	[ "$(stat_of "$2")" = 1 ] || fail "$2 is $(stat_of "$2"): $(cat "$LOG")" || return 1
	no_rest "$1"
}

change() { # FILE PYTHON: of the bytes b
	"$PY" -c 'import sys
b = bytearray(open(sys.argv[1], "rb").read())
exec(sys.argv[2])
open(sys.argv[1], "wb").write(b)' "$1" "$2"
}

# bats test_tags=check
@test "remote_stream: a directory's file that was changed, cut or lengthened" {
	publish
	cp "$(file)" good
	local how
	for how in 'b[10000000] ^= 1' 'b[-1] ^= 128' 'b[300] ^= 2' 'b[72] ^= 1'; do
		cp good "$(file)"
		change "$(file)" "$how"
		comes b refused_entries || fail "$how"
		[ "$(stat_of misses)" = 1 ]
	done
	for how in 'del b[15000000:]' 'del b[1048776:]' 'del b[1048775:]' 'b += b"x"'; do
		cp good "$(file)"
		change "$(file)" "$how"
		comes b misses || fail "$how"
	done
	cp good "$(file)"
	comes b hits_remote
}

# bats test_tags=check
@test "remote_stream: parts in Redis that are gone, changed, or of another length" {
	start
	export REPRISE_REMOTE_URL=$REPRISE_REDIS_URL
	unset REPRISE_REDIS_URL
	publish
	local part how
	part=$(redis_cli main --raw keys 'reprise:1:r:*:9')
	[ -n "$part" ]
	raw main get "$part" >good
	for how in 'b[500000] ^= 1' 'del b[-1]' 'b += b"x"'; do
		cp good bad
		change bad "$how"
		raw main set "$part" @bad >/dev/null
		comes b misses || fail "$how"
	done
	redis_cli main del "$part" >/dev/null
	comes b misses
	redis_cli main lpush "$part" x >/dev/null
	comes b misses
	redis_cli main del "$part" >/dev/null
	raw main set "$part" @good >/dev/null
	comes b hits_remote
}

# bats test_tags=check
@test "remote_stream: another user's file" {
	[ "$(id -u)" = 0 ] || lacks root
	publish
	chown 12345 "$(file)"
	comes b misses
	grep -q 'belongs to another user' "$LOG" || fail "$(cat "$LOG")"
	chown 0 "$(file)"
	comes b hits_remote
}

# At most 64 KB each 8 ms: three seconds for all.
slow_stream() {
	start
	redis_proxy slow "$REDIS_PORT" delay 8
	export REPRISE_REMOTE_URL=redis://127.0.0.1:$REDIS_PORT REPRISE_REMOTE_MIN_RATE=1M
	unset REPRISE_REDIS_URL
	publish
	export REPRISE_REMOTE_URL=redis://127.0.0.1:$PROXY_PORT
}

partly() { # NODE: waits until a part of the entry is on the node
	local i
	for ((i = 0; i < 400; i++)); do
		[ -z "$(find "$ROOT/$1/inbox" -size +100k 2>/dev/null)" ] || return 0
		sleep 0.02
	done
	fail "nothing comes: $(cat "$LOG")"
}

# bats test_tags=check
@test "remote_stream: starts at once take one transfer, and all are served" {
	slow_stream
	fresh b
	local i pids=()
	for i in 1 2 3 4 5 6; do
		mkdir $i
		env "${RPENV[@]}" as big.s -o $i/big.o 3>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in 1 2 3 4 5 6; do cmp $i/big.o want.o || fail "start $i"; done
	[ "$(stat_of misses)" = 0 ] || fail "$(cat "$LOG")"
	[ "$(stat_of remote_bytes_in)" -lt 30000000 ] ||
		fail "$(stat_of remote_bytes_in) bytes came"
	no_rest b
}

# bats test_tags=check
@test "remote_stream: an agent or a worker that is killed in the middle" {
	slow_stream
	local who pid
	for who in worker agent; do
		fresh b
		rm -f big.o
		env "${RPENV[@]}" as big.s -o big.o 3>&- &
		pid=$!
		partly b
		[ $who = agent ] && kill -9 "$(daemons agent)" ||
			kill -9 "$(pgrep -P "$(daemons agent)" -n)"
		wait $pid
		cmp big.o want.o
		[ "$(stat_of errors)" = 0 ] || fail "$who: errors"
		remote_end
		# What is left is no entry, and goes as other litter does.
		[ -z "$(find "$ROOT/b/inbox" -path '*/result/*' -type f)" ] || fail "$who: an entry"
		find "$ROOT/b" -type f -exec touch -d '2 hours ago' {} +
		reprise gc >/dev/null
		no_rest b
	done
}

# The agent's own store is too small for the entry, and the job's output has room.
# bats test_tags=check
@test "remote_stream: a full disk" {
	need_mounts
	publish
	fresh b
	mkdir -p "$ROOT/b"
	rm -f big.o
	run under unshare -m sh -c 'mount -t tmpfs -o size=12m none "$0" || exit 99
		as big.s -o big.o && find "$0" -path "*/tmp/*" -type f' "$ROOT/b"
	[ "$status" = 0 ] || fail "status $status: $output"
	[ -z "$output" ] || fail "$output"
	cmp big.o want.o
}

# bats test_tags=check
@test "remote_stream: a store that cannot be written" {
	publish
	export REPRISE_READONLY=1
	comes b hits_remote
	[ -z "$(find "$ROOT/b" -path '*/result/*' -type f)" ] || fail "it was written to"
}
