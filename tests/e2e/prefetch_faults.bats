#!/usr/bin/env bats
# Entries ahead of the job, where something stands against it: limits, stores that cannot be
# written, what others forge or leave in Redis, and a Redis that dies.

bats_require_minimum_version 1.5.0

setup() { load prefetch_lib; prefetch_setup; }
teardown() { remote_teardown; }

# bats test_tags=check
@test "prefetch_faults: 0 turns it off; bytes, the store's limit, a store that cannot be written" {
	works a
	works b REPRISE_PREFETCH=0 -- true
	[ -z "$(find "$ROOT/b" -path '*inbox*manifest*' -type f)" ]
	brings_none b REPRISE_PREFETCH=0
	grep -q 'REPRISE_PREFETCH is 0' "$ROOT/said"
	# One entry may exceed the limit, and then no more come.
	brought c REPRISE_PREFETCH=1
	grep -q '^2 entries came, .*; not all: REPRISE_PREFETCH' "$ROOT/said" ||
		fail "$(cat "$ROOT/said")"
	brought d REPRISE_MAX_SIZE=1K
	grep -q '^[0-4] entries came, .*; not all: .*REPRISE_MAX_SIZE' "$ROOT/said" ||
		fail "$(cat "$ROOT/said")"
	[ "$(find "$ROOT/d" -path '*inbox*result*' -type f | wc -l)" -lt 6 ]
	# Nobody would ask for it.
	works e REPRISE_READONLY=1 -- true
	works e REPRISE_RECACHE=1 -- true
	[ -z "$(find "$ROOT/e" -path '*inbox*manifest*' -type f)" ]
	# A job that publishes nothing leaves no list.
	redis_cli main flushall >/dev/null
	works f REPRISE_REMOTE_READONLY=1
	[ -z "$(remote_keys main n)" ]
	brings_none f
	grep -q 'no job of that name has left a list' "$ROOT/said" || fail "$(cat "$ROOT/said")"
}

# bats test_tags=check
@test "prefetch_faults: lists that others forge" {
	trust_setup
	publish a
	LIST=$(helper remote_list)
	forge output A/etc/reprise-forged
	k2=$(remote_keys main r | sed 's/.*{\(.*\)}.*/\1/')
	args=()
	for k in $k2; do args+=(1 "$K1" "$k"); done
	node x "$LIST" J "${args[@]}"
	brought b
	# The forged result came, into the inbox, and is refused there by the tool.
	[ ! -e "$ROOT/b/result" ]
	[ ! -e "$ROOT/b/manifest" ]
	[ -n "$(find "$ROOT/b/inbox" -path '*/result/*' -type f)" ]
	ON=reader compile b
	counted b hits_remote=0 misses=1 refused_entries=+
	[ ! -e /etc/reprise-forged ]
	# An action as a unit, as a set; no list at all; classes that no list has.
	pristine
	node x "$LIST" J 4 "$K1" "$K1" 5 "$K1" "$K1"
	brought c
	grep -q '^0 entries came' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	node x "$LIST" J junk 'RPU and so on'
	brings_none d
	node x "$LIST" J 2 "$K1" "$K1"
	brings_none e
	# With trust, an unsigned list is none; a signed one is.
	node x "$LIST" J 1 "$K1" "$K1"
	brings_none f "${TRUSTS[@]}"
	node x "${SIGNS[@]}" "$LIST" J 1 "$K1" "$K1"
	brought g "${TRUSTS[@]}"
}

# bats test_tags=check
@test "prefetch_faults: a large value of another program is skipped alone" {
	works a
	local key
	key=$(redis_cli main --raw keys 'reprise:1:r:*' | head -n 1)
	head -c 3000000 /dev/zero | redis_cli main -x set "$key" >/dev/null
	brought b || fail "$(cat "$ROOT/said")"
	grep -qx '10 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	works b REPRISE_REMOTE_READONLY=1
	hits b hits_remote 5
	hits b misses 1
	# Nor does a look-up of it keep others from the server.
	works c REPRISE_PREFETCH=0 REPRISE_REMOTE_READONLY=1
	hits c hits_remote 5
	hits c breaker_openings 0
}

# bats test_tags=check
@test "prefetch_faults: Redis that dies in the middle" {
	works a
	redis_proxy half "$(redis_port main)" half 20000
	REDIS_URL=redis://127.0.0.1:$PROXY_PORT
	brings_none b REPRISE_REMOTE_LOOKUP_TIMEOUT=300ms REPRISE_REMOTE_TRANSFER_TIMEOUT=300ms
	[ "$(find "$ROOT/b/inbox" -path '*/result/*' -type f | wc -l)" -lt 6 ]
	# What came is used, and the rest is compiled.
	works b REPRISE_REMOTE_LOOKUP_TIMEOUT=300ms REPRISE_REMOTE_TRANSFER_TIMEOUT=300ms
	[ $(($(counter_of b hits_remote) + $(counter_of b misses))) = 6 ]
	hits b errors 0
	gcc -O1 -c s6.c -o "$ROOT/s6.o"
	cmp s6.o "$ROOT/s6.o"
	# The job begins at once where Redis hangs.
	redis_proxy hang "$(redis_port main)" hang
	REDIS_URL=redis://127.0.0.1:$PROXY_PORT
	works c REPRISE_REMOTE_LOOKUP_TIMEOUT=300ms REPRISE_DRAIN=0
	hits c misses 6
}
