#!/usr/bin/env bats
# Several remote stores (REPRISE_REMOTE_URL): two servers, fast before slow. A node publishes to
# both and asks them in order; one that is away, hung or read-only hides nothing that the other has.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	load remote_lib
	several_setup
	redis_start fast
	redis_start slow
	FAST=redis+unix://$REDIS_DIR/fast/socket SLOW=redis+unix://$REDIS_DIR/slow/socket
}
teardown() { remote_teardown; }

# compile NODE URLS SOURCE [NAME=VALUE...]: the object is what a plain compiler makes. Then all is
# sent.
compile() {
	local name=$1 urls=$2 source=$3
	shift 3
	rm -f "$source.o"
	node "$name" REPRISE_REMOTE_URL="$urls" "$@" LD_PRELOAD="$REPRISE_LIB" \
		gcc -c "$source.c" -o "$source.o" || return 1
	gcc -c "$source.c" -o "$source.plain.o" || return 1
	cmp "$source.o" "$source.plain.o" || return 1
	node "$name" REPRISE_REMOTE_URL="$urls" "$@" "$REPRISE_BIN" publish --wait 20 \
		>"$ROOT/sent" 2>&1 || [ -n "${AWAY-}" ] || fail "$(cat "$ROOT/sent")"
}

# hits NODE COUNT: of the remote store.
hits() {
	local n
	n=$(counter_of "$1" hits_remote)
	[ "$n" = "$2" ] || fail "$1: $n hits of the remote store, not $2"
}

# keys SERVER COUNT: candidates and results.
keys() {
	local n
	n=$(redis_cli "$1" --raw keys 'reprise:1:*' | grep -c '^reprise:1:[mr]:' || true)
	[ "$n" = "$2" ] || fail "$1 has $n keys, not $2"
}

@test "remote_several: a node publishes to both, and each serves" {
	compile a "$FAST $SLOW" a
	keys fast 2
	keys slow 2
	compile b "$FAST" a
	hits b 1
	compile c "$SLOW" a
	hits c 1
	compile d "$SLOW $FAST" a
	hits d 1
	! grep -q 'REPRISE_REDIS' "$ROOT/d.log" || fail "a warning without a reason"
	# The two elements are one remote store: a publisher of another list has a spool of its own.
	[ "$(counter_of a published)" = 2 ]
}

@test "remote_several: what the slow one has is found behind the fast one" {
	compile a "$SLOW" a
	compile b "$FAST $SLOW" a
	hits b 1
	# Another candidate of the same action in the fast one does not hide it.
	put h.h '#define N 1'
	put c.c '#include "h.h"' 'int c(int x) { return x + N; }'
	compile c "$SLOW" c
	put h.h '#define N 2'
	compile d "$FAST" c
	put h.h '#define N 1'
	compile e "$FAST $SLOW" c
	hits e 1
	[ "$(counter_of e misses)" = 0 ]
}

@test "remote_several: what the slow one had is put into the fast one" {
	node a REPRISE_REMOTE_URL="$SLOW" "$DRIVER" fill 0 20 3000
	node a REPRISE_REMOTE_URL="$SLOW" "$REPRISE_BIN" publish --wait 20
	keys slow 40
	[ "$(node b REPRISE_REMOTE_URL="$FAST $SLOW" "$DRIVER" backfill 0 20)" = 20 ]
	keys fast 40
	[ "$(node c REPRISE_REMOTE_URL="$FAST" "$DRIVER" count 0 20)" = 20 ]
	# Signed entries stay what they are, also through a node without the signing key.
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	signing=(REPRISE_SIGN_KEY="$ROOT/key" REPRISE_TRUST="$public")
	redis_cli fast flushall >out
	redis_cli slow flushall >out
	node d REPRISE_REMOTE_URL="$SLOW" "${signing[@]}" "$DRIVER" fill 0 5 3000
	node d REPRISE_REMOTE_URL="$SLOW" "${signing[@]}" "$REPRISE_BIN" publish --wait 20
	keys slow 10
	[ "$(node e REPRISE_REMOTE_URL="$FAST $SLOW" REPRISE_TRUST="$public" "$DRIVER" \
		backfill 0 5)" = 5 ]
	[ "$(node f REPRISE_REMOTE_URL="$FAST" REPRISE_TRUST="$public" "$DRIVER" count 0 5)" = 5 ]
}

@test "remote_several: the agent fills the fast one after its answer" {
	compile a "$SLOW" a
	compile b "$FAST $SLOW" a
	hits b 1
	for ((i = 0; i < 500; i++)); do
		[ "$(redis_cli fast dbsize)" != 2 ] || break
		sleep 0.02
	done
	keys fast 2
	compile c "$FAST" a
	hits c 1
}

@test "remote_several: a set holds the members that either has" {
	local at=fxgraph/ab/fabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs
	UNITS=$(helper remote_units)
	export SCOPE='world=8 rank=3'
	member() { # NODE TEXT URL
		mkdir -p "$ROOT/$1.dir/$at"
		"$PY" - "$ROOT/$1.dir/$at" "$2" <<-'END'
		import base64, hashlib, sys
		content = b'\x80\x04\x8c\x03' + sys.argv[2].encode() + b'.'
		name = base64.b32encode(hashlib.sha256(content).digest())[:51].decode().lower()
		open(sys.argv[1] + '/' + name, 'wb').write(content)
		END
		cp -r "$ROOT/$1.dir/." "$ROOT/both"
		node "$1" REPRISE_REMOTE_URL="$3" "$UNITS" scan "$ROOT/$1.dir"
		node "$1" REPRISE_REMOTE_URL="$3" "$REPRISE_BIN" publish --wait 20
	}
	mkdir "$ROOT/both"
	member a one "$FAST"
	member b two "$SLOW"
	# A list of what a job used, so that the agent fetches the set.
	local set parcel
	set=$(remote_keys fast s | sed 's/.*{\(.*\)}.*/\1/')
	parcel=$(remote_keys fast u | sed 's/.*{\(.*\)}.*/\1/')
	node x REPRISE_REMOTE_URL="$SLOW" "$(helper remote_list)" J 5 "$set" "$parcel"
	local both="REPRISE_REMOTE_URL=$FAST $SLOW"
	node c "$both" "$REPRISE_BIN" prefetch J
	[ "$(find "$ROOT/c/unit" -type f | wc -l)" = 2 ] || fail "$(cat "$ROOT/c/log")"
	node c REPRISE_REMOTE_URL= "$UNITS" lay "$ROOT/c.dir/$at"
	diff -r "$ROOT/both/$at" "$ROOT/c.dir/$at"
	# Where the first one is away, the second one's are there.
	redis_kill fast
	node d "$both" "$REPRISE_BIN" prefetch J
	node d REPRISE_REMOTE_URL= "$UNITS" lay "$ROOT/d.dir/$at"
	diff -r "$ROOT/b.dir/$at" "$ROOT/d.dir/$at"
}

@test "remote_several: a read-only one is read, and nothing is sent there" {
	compile a "$FAST" a
	compile b "$FAST?readonly=1 $SLOW" a
	hits b 1
	compile b "$FAST?readonly=1 $SLOW" b
	keys fast 2
	keys slow 2
	compile c "$FAST $SLOW" b
	hits c 1
}

@test "remote_several: one that is dead costs nothing but its own entries" {
	local dead=redis://127.0.0.1:1
	compile a "$dead $SLOW" a
	keys slow 2
	compile b "$dead $SLOW" a
	hits b 1
	compile c "$SLOW $dead" b
	keys slow 4
	compile d "$SLOW $dead" b
	hits d 1
	# Both are away: the real compiler runs, and the records wait.
	redis_kill slow
	redis_kill fast
	AWAY=1 compile e "$FAST $SLOW" a
	hits e 0
	[ "$(node e REPRISE_REMOTE_URL="$FAST $SLOW" "$DRIVER" pending)" -gt 0 ]
}

@test "remote_several: one that hangs costs one deadline" {
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=300ms
	compile a "$SLOW" a
	compile a "$SLOW" b
	redis_kill fast STOP
	# The first question ends with the hung server, and then it is left alone.
	AWAY=1 compile b "$FAST $SLOW" a
	AWAY=1 compile b "$FAST $SLOW" b
	redis_kill fast CONT
	hits b 1
	[ "$(counter_of b remote_timeouts)" = 1 ]
}

@test "remote_several: doctor shows each; wrong settings are named without secrets" {
	node a REPRISE_REMOTE_URL="$FAST redis://127.0.0.1:1 $SLOW?readonly=1" \
		"$REPRISE_BIN" doctor >out 2>&1 || true
	grep -q "^ok *redis *$FAST?db=0 answers" out || fail "$(cat out)"
	grep -q '^mend *redis *redis://127.0.0.1:1/0: ' out || fail "$(cat out)"
	grep -q 'readonly.*publishes nothing there' out || fail "$(cat out)"
	node a REPRISE_REMOTE_URL="$FAST" REPRISE_REDIS_URL="$SLOW" LD_PRELOAD="$REPRISE_LIB" \
		gcc -c a.c -o a.o
	grep -q 'REPRISE_REMOTE_URL is used, and not' "$ROOT/a.log" || fail "$(cat "$ROOT/a.log")"
	node b REPRISE_REMOTE_URL="$FAST redis://joe:hunter2@h?color=1" "$REPRISE_BIN" doctor \
		>out 2>&1 || true
	grep -q 'REMOTE_URL: element 2: unknown option color' out || fail "$(cat out)"
	node b REPRISE_REMOTE_URL="$FAST redis://joe:hunter2@h gopher://h" "$REPRISE_BIN" config \
		>>out 2>&1 || true
	grep -qF 'redis://..@h:6379/0 (malformed, not shown: unknown scheme gopher)' out ||
		fail "$(cat out)"
	! grep -q 'hunter2\|joe' out || fail "a secret is shown"
	# A wrong list turns the remote store off, and the compile goes on.
	node c REPRISE_REMOTE_URL="$SLOW gopher://h" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c -o a.o
	keys slow 0
}
