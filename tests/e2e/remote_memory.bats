#!/usr/bin/env bats
# The memory of the agent and of the publisher (REPRISE_REMOTE_MEMORY): entries that are larger than
# the address space of these processes come, go, and fill a faster store. Results that stay packed:
# remote_large; ahead of a job: prefetch.

setup() {
	load lib
	load redis
	load remote_lib
	load web
	web_setup
	redis_need
	need as
	REDIS_URL=
	# Many suites share this machine.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s REPRISE_REMOTE_MIN_RATE=2M
	export REPRISE_REMOTE_MEMORY=32M
	# Nothing of it packs.
	head -c 100M /dev/urandom >data
	put big.s '.globl b' '.data' 'b: .incbin "data"'
	as big.s -o want.o
	age
}
teardown() {
	remote_end
	redis_teardown
	web_teardown
}

# KB: libcurl and TLS have 30 MB of address space.
LIMIT=65536

# An agent and a publisher of this node that have little memory.
limited() { (ulimit -v $LIMIT && agent_up); }
send() { (ulimit -v $LIMIT && drain) || fail "$(cat "$ROOT/drain")"; }

at() { export REPRISE_REMOTE_URL=$1; }

# compile EXPECTATION: on the current node, whose agent has little memory.
compile() {
	limited || return 1
	rm -f big.o
	under as big.s -o big.o || return 1
	cmp big.o want.o || return 1
	[ "$(stat_of "$1")" = 1 ] || fail "no $1: $(cat "$LOG")" || return 1
	[ "$(stat_of refused_entries)" = 0 ] || fail "an entry was refused: $(cat "$LOG")"
}

goes_and_comes() { # URL
	at "$1"
	fresh a
	compile misses
	send
	fresh b
	compile hits_remote
}

@test "remote_memory: a result goes to Redis and comes from there" {
	start
	unset REPRISE_REDIS_URL
	goes_and_comes "redis+unix://$REDIS_DIR/main/socket"
}

@test "remote_memory: a result goes to a directory and comes from there" {
	goes_and_comes "file://$ROOT/shared"
}

# bats test_tags=check
@test "remote_memory: a result goes to a web server and comes from there" {
	nginx_start
	goes_and_comes "http://127.0.0.1:$WEB_PORT/team"
}

# What fills in is the blob as it came, so its signature still holds.
filled() { # FAST SLOW FULL
	local i
	at "$2"
	fresh a
	REPRISE_SIGN_KEY=$ROOT/key under as big.s -o big.o
	REPRISE_SIGN_KEY=$ROOT/key drain
	at "$1 $2"
	fresh b
	compile hits_remote
	for ((i = 0; i < 600; i++)); do
		! "$3" || break
		sleep 0.05
	done
	"$3" || fail "the faster one was not filled: $(cat "$LOG")"
	at "$1"
	fresh c
	compile hits_remote
	# No file of the copy stays.
	[ -z "$(find "$ROOT/b" -path "$ROOT/b*/tmp/*")" ] || fail "$(find "$ROOT/b" -type f)"
}
# The entry is whole in that store: head and parts, or a file.
redis_full() { [ "$(redis_cli main --raw keys 'reprise:1:r:*' | grep -cE '\}$')" = 1 ]; }
dir_full() { [ -n "$(find "$ROOT/shared" -name 'r-*')" ]; }
web_full() { [ -n "$(find "$WEB/data/fast" -name 'r-*')" ]; }

# bats test_tags=check
@test "remote_memory: a directory's result fills Redis, and Redis's a directory" {
	export REPRISE_TRUST
	REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/key")
	start
	unset REPRISE_REDIS_URL
	local redis=redis+unix://$REDIS_DIR/main/socket
	filled "$redis" "file://$ROOT/shared" redis_full
	rm -rf "$ROOT/shared"
	filled "file://$ROOT/shared" "$redis" dir_full
}

@test "remote_memory: a directory's result fills a web server" {
	export REPRISE_TRUST
	REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/key")
	nginx_start
	filled "http://127.0.0.1:$WEB_PORT/fast" "file://$ROOT/shared" web_full
}

# Without a faster store that takes it, or room for a copy, the entry itself still comes.
@test "remote_memory: a faster store that is away, and a disk without room for two copies" {
	need_mounts
	at "file://$ROOT/shared"
	fresh a
	under as big.s -o big.o
	drain
	at "redis://127.0.0.1:1 file://$ROOT/shared"
	fresh b
	compile hits_remote
	fresh c
	at "file://$ROOT/fast file://$ROOT/shared"
	rm -f big.o
	mkdir -p "$ROOT/c"
	run under unshare -m sh -c 'mount -t tmpfs -o size=150m none "$0" || exit 99
		exec as big.s -o big.o' "$ROOT/c"
	[ "$status" = 0 ] || fail "status $status: $output"
	cmp big.o want.o
}

# What the bounds do not cover, the kernel refuses.
@test "remote_memory: the kernel bounds a worker, and wrong values are named" {
	at "file://$ROOT/shared"
	under as big.s -o big.o
	local worker limit
	worker=$(pgrep -P "$(daemons agent)" | head -n 1)
	limit=$(sed -n 's/^Max data size *\([0-9]*\) .*/\1/p' "/proc/$worker/limits")
	[ "$limit" -ge 33554432 ] && [ "$limit" -le 60000000 ] || fail "limit '$limit'"
	REPRISE_REMOTE_MEMORY=1M reprise doctor >doctor || :
	grep 'REMOTE_MEMORY must be at least 32M' doctor || fail "$(cat doctor)"
	REPRISE_REMOTE_MEMORY=much reprise doctor >doctor 2>&1 || :
	grep 'REPRISE_REMOTE_MEMORY' doctor || fail "$(cat doctor)"
}
