#!/usr/bin/env bats
# Keys of the remote store: which nodes trust which keys, invalid keys, rotation, one local store of
# nodes with and without trust, and TLS. All in strict mode: no byte on stderr, no descriptor left.
# Entries made to deceive: remote_forged.

setup() { load lib; load redis; load remote_lib; load trust_lib; load tls; trust_setup; }
teardown() { remote_teardown; }

# bats test_tags=check
@test "remote_trust: a signed entry is replayed only by nodes that trust the key" {
	publish a "${SIGNS[@]}"
	counted a misses=1 published=2
	replays b "${TRUSTS[@]}"
	# The node's own store has the result now.
	ON=reader compile b "${TRUSTS[@]}"
	counted b hits_local=1 remote_asked=2
	# A node that signs trusts its own key.
	replays c "${SIGNS[@]}"
	# A file of keys.
	put "$ROOT/trusted" '# the farm' "$PUBLIC   # since March"
	replays d REPRISE_TRUST="$ROOT/trusted"
	other=$("$REPRISE_BIN" keygen "$ROOT/other")
	refuses 'not signed by a trusted key' REPRISE_TRUST="$other"
	refuses 'not signed by a trusted key' REPRISE_SIGN_KEY="$ROOT/other"
	# The refused entry is not in the local store, either. The store has the result of this
	# node's compile.
	ON=reader compile "r$NODES" REPRISE_SIGN_KEY="$ROOT/other"
	counted "r$NODES" hits_local=1 misses=1
	# The secret is nowhere in Redis, logs or stores.
	secret=$(cut -d' ' -f2 "$KEY")
	! grep -ralF -e "$secret" "$ROOT"/{a,b,c} "$ROOT"/{a,b,c}.* ||
		fail "the secret is in the above"
	# A reader without a key publishes nothing, although the setting permits it.
	compile e REPRISE_TRUST="$other"
	node e REPRISE_TRUST="$other" "$REPRISE_BIN" publish --wait 5
	counted e published=0
	[ "$(redis_cli main llen "$MANIFEST")" = 1 ]
}

@test "remote_trust: a bad entry is replaced by a node that may publish" {
	publish a "${SIGNS[@]}"
	lua "edit(M, function(v) return flip(v, 140) end)
		edit(R, function(v) return flip(v, 300) end)"
	compile b "${SIGNS[@]}"
	[ "$(counter_of b refused_entries)" -ge 1 ]
	node b "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10 >/dev/null
	ON=reader compile c "${TRUSTS[@]}"
	counted c hits_remote=1
}

# bats test_tags=check
@test "remote_trust: rotation" {
	new=$("$REPRISE_BIN" keygen "$ROOT/new")
	publish a "${SIGNS[@]}"
	replays b REPRISE_TRUST="$PUBLIC:$new"
	replays c REPRISE_TRUST="$new:$PUBLIC"
	# The old key is withdrawn: its entries are refused, and entries of the new key replace
	# them.
	refuses 'not signed by a trusted key' REPRISE_TRUST="$new"
	compile d REPRISE_SIGN_KEY="$ROOT/new"
	node d REPRISE_SIGN_KEY="$ROOT/new" "$REPRISE_BIN" publish --wait 10
	ON=reader compile e REPRISE_TRUST="$new"
	counted e hits_remote=1
	# Nodes with the old key alone find no result of theirs: the new result replaced it. They
	# compile.
	ON=reader compile f "${TRUSTS[@]}"
	counted f hits_remote=0 misses=1
}

# bats test_tags=check
@test "remote_trust: keys that are not safe or not keys turn the remote off, with one warning" {
	publish a "${SIGNS[@]}"
	asked() {
		redis_cli main info stats | sed -n 's/^total_connections_received:\([0-9]*\).*/\1/p'
	}
	off() { # PATTERN NAME=VALUE...
		local pattern=$1 name=o$((++NODES)) before
		shift
		before=$(asked)
		compile "$name" "$@" && touch a.h && compile "$name" "$@" && put b.c 'int b;' &&
			age || return 1
		node "$name" "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c b.c -o b.o 2>err &&
			[ ! -s err ] || return 1
		rm b.o b.c err
		# by asked itself
		[ "$(asked)" = $((before + 1)) ] || { fail "the remote was asked"; return 1; }
		[ "$(warnings "$ROOT/$name.log")" = 1 ] ||
			{ fail "warnings: $(cat "$ROOT/$name.log")"; return 1; }
		grep -qE " warning .*remote store is off.*$pattern" "$ROOT/$name.log" ||
			{ fail "$(cat "$ROOT/$name.log")"; return 1; }
		counted "$name" hits_remote=0 remote_asked=0
		run node "$name" "$@" "$REPRISE_BIN" publish --wait 1
		[ "$(redis_cli main llen "$MANIFEST")" = 1 ]
	}
	cp "$KEY" "$ROOT/open"
	chmod 0640 "$ROOT/open"
	off 'can be read by others' REPRISE_SIGN_KEY="$ROOT/open"
	chmod 0604 "$ROOT/open"
	off 'can be read by others' REPRISE_SIGN_KEY="$ROOT/open" "${TRUSTS[@]}"
	off 'read key file' REPRISE_SIGN_KEY="$ROOT/none"
	off 'is not a file' REPRISE_SIGN_KEY="$ROOT"
	: >"$ROOT/empty"
	chmod 600 "$ROOT/empty"
	off 'is not a secret key file' REPRISE_SIGN_KEY="$ROOT/empty"
	off 'item 1 of REPRISE_TRUST' REPRISE_TRUST="${PUBLIC%?}"
	off 'item 2 of REPRISE_TRUST' REPRISE_TRUST="$PUBLIC:nonsense"
	off 'item 1 of REPRISE_TRUST' REPRISE_TRUST=relative/file
	off 'REPRISE_TRUST holds no key' REPRISE_TRUST=:
	put "$ROOT/trusted" "$PUBLIC"
	chmod 666 "$ROOT/trusted"
	off 'can be written by others' REPRISE_TRUST="$ROOT/trusted"
	put "$ROOT/words" "$PUBLIC" 'not a key'
	off 'line 2 of' REPRISE_TRUST="$ROOT/words"
}

# bats test_tags=check
@test "remote_trust: with trust and without in one local store" {
	# Neither kind of process finds or changes the other's entries.
	compile s REPRISE_REDIS_URL=
	counted s misses=1
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	counted s misses=2 hits_local=0
	(cd "$ROOT/s" && find . -type f -path './[mr]*' | sort) >"$ROOT/both"
	[ "$(grep -c result/ "$ROOT/both")" = 2 ]
	[ "$(grep -c manifest/ "$ROOT/both")" = 2 ]
	compile s REPRISE_REDIS_URL=
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	counted s misses=2 hits_local=2
	for env in REPRISE_TRUST= "${TRUSTS[0]}"; do
		node s REPRISE_REDIS_URL= "$env" "$REPRISE_BIN" verify >/dev/null
		node s REPRISE_REDIS_URL= "$env" "$REPRISE_BIN" gc >/dev/null
	done
	(cd "$ROOT/s" && find . -type f -path './[mr]*' | sort) | diff "$ROOT/both" -
	# Both see a changed header, whichever looked at it last.
	put a.h '#define A 2'
	age
	gcc -c a.c -o "$ROOT/plain.o"
	compile s REPRISE_REDIS_URL=
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	compile s REPRISE_REDIS_URL=
	counted s misses=4 hits_local=4
	# They do not share entries in Redis, either.
	publish a
	ON=reader compile t "${TRUSTS[@]}"
	counted t hits_remote=0 misses=1 refused_entries=0
	# In a shared store, an entry from a remote with trust serves only processes with trust.
	publish b "${SIGNS[@]}"
	redis_cli main del "$(redis_cli main --scan --pattern 'reprise:1:m:*' |
		head -n 1)" >/dev/null
	ON=reader compile u
	ON=reader compile u "${TRUSTS[@]}"
	ON=reader compile u
	ON=reader compile u "${TRUSTS[@]}"
	[ "$(($(counter_of u misses) + $(counter_of u hits_remote)))" = 2 ]
	counted u hits_local=2 corrupt=0
}

# bats test_tags=check
@test "remote_trust: TLS for look-ups and the publisher, and never without it" {
	need_tls
	authority ca
	authority wrong
	certificate server ca 2 "$LOCAL_NAMES"
	tls_start tls server --port 0 --requirepass s3cret
	REDIS_URL=rediss://:s3cret@localhost:$TLS_PORT
	# An EC handshake on a busy machine takes its time.
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt REPRISE_REMOTE_LOOKUP_TIMEOUT=2s
	compile a "${SIGNS[@]}"
	node a "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10
	[ "$(REDISCLI_AUTH=s3cret redis_cli tls dbsize)" = 2 ]
	replays b "${TRUSTS[@]}"
	replays c REPRISE_TRUST="$PUBLIC" REPRISE_REDIS_TLS_NAME=localhost
	# Another authority: the job is right, no entry is used and nothing is sent.
	export REPRISE_REDIS_TLS_CA=$PWD/pki/wrong.crt
	compile d "${SIGNS[@]}"
	counted d hits_remote=0 misses=1 refused_entries=0
	run node d "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 500ms
	[ "$status" = 1 ]
	node d "${SIGNS[@]}" "$REPRISE_BIN" explain 1 >"$ROOT/explain"
	grep -qi 'remote' "$ROOT/explain" || fail "$(cat "$ROOT/explain")"
	# A server that answers like a Redis, and writes down what it receives.
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	"$PY" -c '
import socket, sys, threading
s = socket.create_server(("127.0.0.1", 0))
heard = open(sys.argv[2], "ab", buffering=0)
open(sys.argv[1], "w").write(str(s.getsockname()[1]))
def talk(c):
    try:
        while True:
            data = c.recv(65536)
            if not data:
                break
            heard.write(data)
            c.sendall(b"+OK\r\n*0\r\n:0\r\n")
    except OSError:
        pass
while True:
    threading.Thread(target=talk, args=(s.accept()[0],), daemon=True).start()' \
		"$ROOT/port" "$ROOT/heard" </dev/null >/dev/null 2>&1 3>&- &
	REDIS_PIDS+=($!)
	for _ in $(seq 200); do [ -s "$ROOT/port" ] && break; sleep 0.02; done
	REDIS_URL=rediss://:s3cret@localhost:$(cat "$ROOT/port")
	compile e "${SIGNS[@]}"
	run node e "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 500ms
	[ "$status" = 1 ]
	counted e hits_remote=0 misses=1 published=0
	# The server received the first byte of a handshake, and no command.
	[ "$(head -c 1 "$ROOT/heard" | od -An -tx1 | tr -d ' ')" = 16 ]
	! grep -aqE 's3cret|AUTH|LRANGE|LPUSH|reprise:1' "$ROOT/heard" || fail "commands were sent"
	! grep -aqF s3cret "$ROOT"/*.log || fail "a log holds the password"
}
