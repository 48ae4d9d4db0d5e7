#!/usr/bin/env bats
# What a remote store may do to those who read it: nothing but give back what was published. Real compiles on nodes
# with a store and a runtime directory of their own, a real Redis between them, and what somebody who may write there
# puts into it, with a trusted key and without. All in strict mode: no byte on stderr, no descriptor left.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	redis_need
	need gcc
	FORGE=$TOP/build/helpers/remote_forge
	[ -x "$FORGE" ] || fail "no $FORGE: make helpers"
	put a.c '#include "a.h"' 'int a(void) { return A; }'
	put a.h '#define A 1'
	age
	gcc -c a.c -o "$ROOT/plain.o"
	KEY=$ROOT/key
	PUBLIC=$("$REPRISE_BIN" keygen "$KEY")
	redis_start main
	REMOTE=redis+unix://$REDIS_SOCKET
	SIGNS=(REPRISE_SIGN_KEY="$KEY")
	TRUSTS=(REPRISE_TRUST="$PUBLIC")
	NODES=0
}

teardown() {
	local p
	for p in /proc/[0-9]*; do
		{ [ "$(tr '\0' ' ' <"$p/cmdline")" = "reprise publish --daemon " ] &&
			tr '\0' '\n' <"$p/environ" | grep -q "^REPRISE_CACHE_DIR=$ROOT/" && kill -9 "${p#/proc/}"; } 2>/dev/null
	done
	redis_teardown
	case_teardown
}

# on NODE [NAME=VALUE...] COMMAND...: in the environment of that node.
on() {
	local name=$1
	shift
	env REPRISE_CACHE_DIR="$ROOT/$name" REPRISE_RUNTIME_DIR="$ROOT/$name.run" REPRISE_LOG="$ROOT/$name.log" \
		REPRISE_LOG_LEVEL=info REPRISE_STRICT=1 REPRISE_REDIS_URL="$REMOTE" "$@"
}

# A node that only reads: it mends nothing behind a case's back.
reader() {
	local name=$1
	shift
	on "$name" REPRISE_REMOTE_READONLY=1 "$@"
}

stats() { on "$1" REPRISE_REDIS_URL= "$REPRISE_BIN" stats --json; }
count() { stats "$1" | sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" | head -n 1; } # NODE COUNTER
warnings() { grep -cE '^[^ ]+ [0-9]+ warning ' "$ROOT/$1.log" || true; }

# compile NODE [NAME=VALUE...]: on it, right in every respect.
compile() {
	local name=$1
	shift
	rm -f a.o
	"${ON:-on}" "$name" "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c -o a.o >out 2>err </dev/null ||
		{ fail "$name: status $?: $(cat err)"; return 1; }
	[ ! -s out ] && [ ! -s err ] || { fail "$name: said $(cat out err)"; return 1; }
	cmp a.o "$ROOT/plain.o" || { fail "$name: another a.o: $(tail -n 5 "$ROOT/$name.log")"; return 1; }
	[ "$(stat -c %a a.o)" = 644 ] || { fail "$name: mode $(stat -c %a a.o)"; return 1; }
	rm -f out err
	[ -z "$(ls "$TMPDIR")" ] || { fail "$name: left $(ls "$TMPDIR")"; return 1; }
	! grep -aE '^[^ ]+ [0-9]+ error ' "$ROOT/$name.log" || { fail "$name: errors"; return 1; }
}

counted() { # NODE COUNTER=NUMBER...; COUNTER=+: any but 0
	local name=$1 pair said got
	shift
	said=$(stats "$name")
	for pair; do
		[[ $said =~ \"${pair%%=*}\":\ *([0-9.]+) ]] || { fail "no counter $pair"; return 1; }
		got=${BASH_REMATCH[1]}
		[ "$got" = "${pair#*=}" ] || { [ "${pair#*=}" = + ] && [ "$got" != 0 ]; } ||
			{ fail "$name: $pair, counted $got; $(tail -n 4 "$ROOT/$name.log")"; return 1; }
	done
}

# Reads it from the remote.
replays() {
	ON=reader compile "$@" && counted "$1" hits_remote=1 misses=0 refused_entries=0 &&
		{ [ "$(warnings "$1")" = 0 ] || { fail "$1: warnings"; return 1; }; }
}

# refuses PATTERN [NAME=VALUE...]: a new node does not believe what is there, says so, and does the job.
refuses() {
	local name=r$((++NODES)) pattern=$1
	shift
	ON=reader compile "$name" "$@" && counted "$name" hits_remote=0 misses=1 refused_entries=+ || return 1
	on "$name" "$REPRISE_BIN" explain 1 >"$ROOT/explain"
	grep -q ': refused ' "$ROOT/explain" && grep -qE -- "$pattern" "$ROOT/explain" ||
		{ fail "no '$pattern' in $(cat "$ROOT/explain")"; return 1; }
	[ "$(warnings "$name")" -ge 1 ] || { fail "$name: no warning"; return 1; }
}

# publish NODE [NAME=VALUE...]: compiles there, sends, keeps what Redis has then as the state of `pristine`.
publish() {
	compile "$@" && on "$@" "$REPRISE_BIN" publish --wait 10 >/dev/null || return 1
	MANIFEST=$(redis_cli main --scan --pattern 'reprise:1:m:*' | head -n 1)
	RESULT=$(redis_cli main --scan --pattern 'reprise:1:r:*' | head -n 1)
	[ -n "$MANIFEST" ] && [ -n "$RESULT" ] || { fail "nothing was published: $(cat "$ROOT/$1.log")"; return 1; }
	K1=$(sed 's/.*{\(.*\)}.*/\1/' <<<"$MANIFEST")
	keep
}

keep() {
	lua "for _, k in ipairs(redis.call('keys', 'reprise:1:*')) do redis.call('set', 'kept:' .. k, redis.call('dump', k)) end"
}

pristine() {
	lua "for _, k in ipairs(redis.call('keys', 'reprise:1:*')) do redis.call('del', k) end
		for _, k in ipairs(redis.call('keys', 'kept:*')) do redis.call('restore', k:sub(6), 0, redis.call('get', k)) end"
}

# lua SCRIPT: M and R are the manifest's and the result's key; edit(key, f) changes a value, the newest of a list.
lua() {
	local said
	said=$(redis_cli main eval "
		local M, R = KEYS[1], KEYS[2]
		local function put(v, at, bytes) return v:sub(1, at) .. bytes .. v:sub(at + #bytes + 1) end
		local function flip(v, at) return put(v, at, string.char(bit.bxor(v:byte(at + 1), 1))) end
		local function edit(k, f)
			if redis.call('type', k).ok == 'list' then redis.call('lset', k, 0, f(redis.call('lindex', k, 0)))
			else redis.call('set', k, f(redis.call('get', k))) end
		end
		$1
		return 'done'" 2 "${MANIFEST-x}" "${RESULT-x}")
	[ "$said" = done ] || { fail "lua: $said"; return 1; }
}

# tampered PATTERN LUA [NAME=VALUE...]
tampered() {
	local pattern=$1 script=$2
	shift 2
	pristine && lua "$script" && refuses "$pattern" "$@" || { fail "after: $script"; return 1; }
}

# forged PATTERN [NAME=VALUE...] -- WHAT ARGS...: as the maker of the entries, who has the key where one is wanted.
forged() {
	local pattern=$1 env=()
	shift
	while [ "$1" != -- ]; do
		env+=("$1")
		shift
	done
	shift
	pristine && forge "$@" && refuses "$pattern" "${env[@]}" || { fail "after: $*"; return 1; }
}
forge() { on forger "${FORGES[@]}" "$FORGE" "$K1" "$@"; }

@test "remote_trust: what was signed is replayed by who trusts the key, and by nobody else" {
	publish a "${SIGNS[@]}"
	counted a misses=1 published=2
	replays b "${TRUSTS[@]}"
	# Its own store has it now.
	ON=reader compile b "${TRUSTS[@]}"
	counted b hits_local=1 remote_asked=2
	# Who signs trusts itself.
	replays c "${SIGNS[@]}"
	# A file of keys.
	put "$ROOT/trusted" '# the farm' "$PUBLIC   # since March"
	replays d REPRISE_TRUST="$ROOT/trusted"
	other=$("$REPRISE_BIN" keygen "$ROOT/other")
	refuses 'not signed by a trusted key' REPRISE_TRUST="$other"
	refuses 'not signed by a trusted key' REPRISE_SIGN_KEY="$ROOT/other"
	# What was refused is not in the local store either: it has what this node compiled.
	ON=reader compile "r$NODES" REPRISE_SIGN_KEY="$ROOT/other"
	counted "r$NODES" hits_local=1 misses=1
	# The secret is nowhere in Redis, logs or stores.
	secret=$(cut -d' ' -f2 "$KEY")
	! grep -raqF -e "$secret" "$ROOT"/a "$ROOT"/a.* "$ROOT"/b "$ROOT"/b.* "$ROOT"/c "$ROOT"/c.*
	# Without a key of its own a reader publishes nothing, although it may.
	compile e REPRISE_TRUST="$other"
	on e REPRISE_TRUST="$other" "$REPRISE_BIN" publish --wait 5
	counted e published=0
	[ "$(redis_cli main llen "$MANIFEST")" = 1 ]
}

@test "remote_trust: a bad entry is replaced by who may publish" {
	publish a "${SIGNS[@]}"
	lua "edit(M, function(v) return flip(v, 140) end) edit(R, function(v) return flip(v, 300) end)"
	compile b "${SIGNS[@]}"
	[ "$(count b refused_entries)" -ge 1 ]
	on b "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10 >/dev/null
	ON=reader compile c "${TRUSTS[@]}"
	counted c hits_remote=1
}

@test "remote_trust: every byte of a head, and payloads, signed" {
	publish a "${SIGNS[@]}"
	replays b "${TRUSTS[@]}"
	# Magic, class, flags, lengths, part name, key, digest, public key, signature; the stored bytes.
	for at in 0 8 12 16 24 32 40 72; do
		tampered 'damaged|signature is wrong|too large|not signed' "edit(M, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
		tampered 'damaged|signature is wrong|too large|not signed' "edit(R, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
	done
	for at in 104; do
		tampered 'not signed by a trusted key' "edit(R, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
	done
	for at in 136 199; do
		tampered 'signature is wrong' "edit(M, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
		tampered 'signature is wrong' "edit(R, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
	done
	for at in 200 '#v - 1'; do
		tampered damaged "edit(M, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
		tampered damaged "edit(R, function(v) return flip(v, $at) end)" "${TRUSTS[@]}"
	done
}

@test "remote_trust: unsigned, downgraded, cut short" {
	# Made without a key, under the keys that trust asks for.
	publish a "${SIGNS[@]}"
	unsign="local function unsign(v) return put(put(v, 12, string.char(bit.band(v:byte(13), 1))), 104, ('\\0'):rep(96)) end"
	tampered 'not signed by a trusted key' "$unsign edit(M, unsign)" "${TRUSTS[@]}"
	tampered 'not signed by a trusted key' "$unsign edit(R, unsign)" "${TRUSTS[@]}"
	tampered damaged "edit(R, function(v) return put(v, 12, string.char(bit.band(v:byte(13), 1))) end)" "${TRUSTS[@]}"
	FORGES=(REPRISE_SIGN_KEY=)
	forged 'candidate is not signed' "${TRUSTS[@]}" -- status 0
	# Format 0; the signature of another format.
	tampered damaged "edit(R, function(v) return put(v, 7, '\\0') end)" "${TRUSTS[@]}"
	tampered damaged "edit(R, function(v) return put(v, 0, 'RPRBLOC') end)" "${TRUSTS[@]}"
	for n in 0 7 199 200 '#v - 1'; do
		tampered 'damaged' "edit(R, function(v) return v:sub(1, $n) end)" "${TRUSTS[@]}"
	done
	tampered 'damaged' "edit(M, function(v) return v:sub(1, 199) end)" "${TRUSTS[@]}"
	tampered damaged "edit(R, function(v) return v .. 'x' end)" "${TRUSTS[@]}"
	# A later format is not ours to judge: absent, and not counted.
	pristine
	lua "edit(R, function(v) return put(v, 7, '\\2') end) edit(M, function(v) return put(v, 7, '\\2') end)"
	ON=reader compile later "${TRUSTS[@]}"
	counted later hits_remote=0 misses=1 refused_entries=0
	[ "$(warnings later)" = 0 ]
}

@test "remote_trust: the same without trust" {
	publish a
	replays b
	for at in 0 8 12 24 40 72; do
		tampered 'damaged|too large' "edit(M, function(v) return flip(v, $at) end)"
		tampered 'damaged|too large' "edit(R, function(v) return flip(v, $at) end)"
	done
	tampered damaged "edit(R, function(v) return flip(v, 104) end)"
	tampered damaged "edit(M, function(v) return flip(v, #v - 1) end)"
	tampered damaged "edit(R, function(v) return flip(v, #v - 1) end)"
	tampered damaged "edit(R, function(v) return v:sub(1, #v / 2) end)"
	tampered 'too large' "edit(R, function(v) return put(put(v, 16, ('\\255'):rep(7)), 12, '\\1') end)"
}

@test "remote_trust: values under other keys" {
	put b.c 'int b(void) { return 2; }'
	age
	publish a "${SIGNS[@]}"
	first_manifest=$MANIFEST first_result=$RESULT
	on a "${SIGNS[@]}" LD_PRELOAD="$REPRISE_LIB" gcc -c b.c -o a.o
	on a "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10
	second_manifest=$(redis_cli main --scan --pattern 'reprise:1:m:*' | grep -vF "$first_manifest")
	second_result=$(redis_cli main --scan --pattern 'reprise:1:r:*' | grep -vF "$first_result")
	[ -n "$second_manifest" ] && [ -n "$second_result" ]
	keep
	tampered 'result is damaged' "redis.call('copy', '$second_result', R, 'replace')" "${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('copy', '$second_manifest', M, 'replace')" "${TRUSTS[@]}"
	# Of another class.
	tampered 'result is damaged' "local v = redis.call('lindex', M, 0) redis.call('set', R, v)" "${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('lset', M, 0, redis.call('get', R))" "${TRUSTS[@]}"
	# A candidate that leads to another action's result, made by somebody with the key.
	other=$(sed 's/.*{\(.*\)}.*/\1/' <<<"$second_result")
	FORGES=("${SIGNS[@]}")
	forged 'names a result of another action' "${TRUSTS[@]}" -- elsewhere "$other"
}

@test "remote_trust: types that Redis has and nobody expects" {
	publish a "${SIGNS[@]}"
	tampered 'list of candidates is damaged' "redis.call('set', M, redis.call('lindex', M, 0))" "${TRUSTS[@]}"
	tampered 'result is damaged' "local v = redis.call('get', R) redis.call('del', R) redis.call('lpush', R, v)" "${TRUSTS[@]}"
	tampered 'list of candidates is damaged' "redis.call('del', M) redis.call('hset', M, 'a', 'b')" "${TRUSTS[@]}"
	tampered 'result is damaged' "redis.call('del', R) redis.call('zadd', R, 1, 'b')" "${TRUSTS[@]}"
	tampered 'candidate is damaged' "redis.call('lset', M, 0, '')" "${TRUSTS[@]}"
	# A list of 10,000: no more are looked at than a manifest has.
	pristine
	lua "for i = 1, 10000 do redis.call('lpush', M, 'junk ' .. i) end"
	refuses 'candidate is damaged' "${TRUSTS[@]}"
	[ "$(count "r$NODES" refused_entries)" -le 32 ]
	[ "$(count "r$NODES" remote_asked)" -le 9 ]
	# A true one among them is found where look-ups come by.
	pristine
	lua "for i = 1, 20 do redis.call('lpush', M, 'junk ' .. i) end"
	ON=reader compile found "${TRUSTS[@]}"
	counted found hits_remote=1 refused_entries=20
}

@test "remote_trust: bombs" {
	for signed in yes no; do
		redis_cli main flushall >/dev/null
		FORGES=() READS=()
		[ $signed = no ] || FORGES=("${SIGNS[@]}") READS=("${TRUSTS[@]}")
		publish a$signed "${FORGES[@]}"
		forged 'result is too large' "${READS[@]}" -- outer claim
		forged 'result is damaged' "${READS[@]}" -- outer lie
		forged 'it is no result' "${READS[@]}" -- inner claim
		forged 'does not unpack' "${READS[@]}" -- inner lie
		forged 'it is no result' "${READS[@]}" -- junk r
		forged 'it is no candidate' "${READS[@]}" -- junk m
		# Each is small enough: no more is unpacked than a look-up may take.
		forged 'candidate is too large' "${READS[@]}" -- heap 6
		# What unpacks to more than this reader takes.
		pristine
		refuses 'candidate is too large|result is too large' "${READS[@]}" REPRISE_REMOTE_MAX_ENTRY=1000
	done
	# Larger than any answer that is asked for.
	pristine
	lua "redis.call('set', R, ('x'):rep(3000000))"
	ON=reader compile big
	counted big hits_remote=0 misses=1
}

@test "remote_trust: results that write elsewhere" {
	mkdir "$ROOT/else" sub
	put "$ROOT/else/precious" kept
	put victim.o kept
	for signed in yes no; do
		redis_cli main flushall >/dev/null
		FORGES=() READS=()
		[ $signed = no ] || FORGES=("${SIGNS[@]}") READS=("${TRUSTS[@]}")
		publish a$signed "${FORGES[@]}"
		replays b$signed "${READS[@]}"
		for spec in C../../x C../else/precious "A$ROOT/else/precious" "A$W/a.o" C.bashrc Csub/../../x C A C/; do
			forged 'does not stand for|malformed output path' "${READS[@]}" -- output "$spec"
		done
		for spec in Ca.c Ca.h Cvictim.o Csub/a.o A/etc/reprise.conf A/dev/shm/x; do
			forged 'does not stand for' "${READS[@]}" -- add "$spec" evil
		done
		for mode in 4755 1777; do forged 'mode bits beyond rwx' "${READS[@]}" -- output Ca.o $mode; done
		forged 'failures are not kept' "${READS[@]}" -- status 1
		forged 'more than a day' "${READS[@]}" -- wall 18000000000000000000
	done
	[ "$(cat "$ROOT/else/precious")" = kept ] && [ "$(cat victim.o)" = kept ]
	[ "$(ls "$ROOT/else")" = precious ] && [ -z "$(ls sub)" ]
	! [ -e "$ROOT/x" ] && ! [ -e "${ROOT%/*}/x" ] && ! [ -e /dev/shm/x ]
}

@test "remote_trust: a link where an output is laid beside" {
	put "$ROOT/precious" kept
	for signed in yes no; do
		redis_cli main flushall >/dev/null
		FORGES=() READS=()
		[ $signed = no ] || FORGES=("${SIGNS[@]}") READS=("${TRUSTS[@]}")
		publish a$signed "${FORGES[@]}"
		# Allowed by its name, but somebody laid a link there.
		ln -sfn "$ROOT/precious" a.d
		forge add Ca.d evil
		ON=reader compile b$signed "${READS[@]}"
		[ "$(cat "$ROOT/precious")" = kept ]
		rm a.d a.o
		# The output itself is written through a link, as the tool does it.
		pristine
		put real.o old
		ln -s real.o a.o
		reader c$signed "${READS[@]}" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c -o a.o >out 2>err </dev/null
		counted c$signed hits_remote=1
		[ -L a.o ] && cmp real.o "$ROOT/plain.o"
		rm a.o real.o
	done
}

@test "remote_trust: candidates that ask for what must not be read" {
	mkfifo fifo
	put sparse ''
	truncate -s 17G sparse
	for signed in yes no; do
		redis_cli main flushall >/dev/null
		FORGES=() READS=()
		[ $signed = no ] || FORGES=("${SIGNS[@]}") READS=("${TRUSTS[@]}")
		publish a$signed "${FORGES[@]}"
		for kind in 1 13 15; do # file, program, file of real path
			forged 'special file system' "${READS[@]}" -- file $kind A/usr/../proc/kmsg
			forged 'special file system' "${READS[@]}" -- file $kind C../../../../../../../../dev/zero
			forged 'too large to be read' "${READS[@]}" -- file $kind Csparse
		done
		forged 'special file system' "${READS[@]}" -- file 7 A/proc/self/fd
		forged 'absent names has another digest' "${READS[@]}" -- set nowhere
		# Nobody waits for the other end.
		pristine
		forge file 1 Cfifo
		start=$(date +%s%N)
		ON=reader compile b$signed "${READS[@]}"
		[ $((($(date +%s%N) - start) / 1000000)) -lt 5000 ]
		counted b$signed hits_remote=0 misses=1
	done
}

@test "remote_trust: rotation" {
	new=$("$REPRISE_BIN" keygen "$ROOT/new")
	publish a "${SIGNS[@]}"
	replays b REPRISE_TRUST="$PUBLIC:$new"
	replays c REPRISE_TRUST="$new:$PUBLIC"
	# The old one is withdrawn: its entries are refused, and the new one's replace them.
	refuses 'not signed by a trusted key' REPRISE_TRUST="$new"
	compile d REPRISE_SIGN_KEY="$ROOT/new"
	on d REPRISE_SIGN_KEY="$ROOT/new" "$REPRISE_BIN" publish --wait 10
	ON=reader compile e REPRISE_TRUST="$new"
	counted e hits_remote=1
	# Those who know the old key alone still have theirs: the new result took its place, and they compile.
	ON=reader compile f "${TRUSTS[@]}"
	counted f hits_remote=0 misses=1
}

@test "remote_trust: keys that are not safe or not keys turn the remote off, with one warning" {
	publish a "${SIGNS[@]}"
	asked() { redis_cli main info stats | sed -n 's/^total_connections_received:\([0-9]*\).*/\1/p'; }
	off() { # PATTERN NAME=VALUE...
		local pattern=$1 name=o$((++NODES)) before
		shift
		before=$(asked)
		compile "$name" "$@" && touch a.h && compile "$name" "$@" && put b.c 'int b;' && age || return 1
		on "$name" "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c b.c -o b.o 2>err && [ ! -s err ] || return 1
		rm b.o b.c err
		[ "$(asked)" = $((before + 1)) ] || { fail "the remote was asked"; return 1; } # by asked itself
		[ "$(warnings "$name")" = 1 ] || { fail "warnings: $(cat "$ROOT/$name.log")"; return 1; }
		grep -qE " warning .*remote store is off.*$pattern" "$ROOT/$name.log" || { fail "$(cat "$ROOT/$name.log")"; return 1; }
		counted "$name" hits_remote=0 remote_asked=0
		run on "$name" "$@" "$REPRISE_BIN" publish --wait 1
		[ "$(redis_cli main llen "$MANIFEST")" = 1 ]
	}
	cp "$KEY" "$ROOT/open"
	chmod 0640 "$ROOT/open"
	off 'may be read by others' REPRISE_SIGN_KEY="$ROOT/open"
	chmod 0604 "$ROOT/open"
	off 'may be read by others' REPRISE_SIGN_KEY="$ROOT/open" "${TRUSTS[@]}"
	off 'read key file' REPRISE_SIGN_KEY="$ROOT/none"
	off 'is no file' REPRISE_SIGN_KEY="$ROOT"
	: >"$ROOT/empty"
	chmod 600 "$ROOT/empty"
	off 'is no secret key file' REPRISE_SIGN_KEY="$ROOT/empty"
	off 'item 1 of REPRISE_TRUST' REPRISE_TRUST="${PUBLIC%?}"
	off 'item 2 of REPRISE_TRUST' REPRISE_TRUST="$PUBLIC:nonsense"
	off 'item 1 of REPRISE_TRUST' REPRISE_TRUST=relative/file
	off 'no key in REPRISE_TRUST' REPRISE_TRUST=:
	put "$ROOT/trusted" "$PUBLIC"
	chmod 666 "$ROOT/trusted"
	off 'may be written by others' REPRISE_TRUST="$ROOT/trusted"
	put "$ROOT/words" "$PUBLIC" 'not a key'
	off 'line 2 of' REPRISE_TRUST="$ROOT/words"
}

@test "remote_trust: with trust and without in one local store" {
	# Neither sees, nor harms, what the other has.
	compile s REPRISE_REDIS_URL=
	counted s misses=1
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	counted s misses=2 hits_local=0
	(cd "$ROOT/s" && find . -type f -path './[mr]*' | sort) >"$ROOT/both"
	[ "$(grep -c result/ "$ROOT/both")" = 2 ] && [ "$(grep -c manifest/ "$ROOT/both")" = 2 ]
	compile s REPRISE_REDIS_URL=
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	counted s misses=2 hits_local=2
	for env in REPRISE_TRUST= "${TRUSTS[0]}"; do
		on s REPRISE_REDIS_URL= "$env" "$REPRISE_BIN" verify >/dev/null
		on s REPRISE_REDIS_URL= "$env" "$REPRISE_BIN" gc >/dev/null
	done
	(cd "$ROOT/s" && find . -type f -path './[mr]*' | sort) | diff "$ROOT/both" -
	# A changed header is seen by both, whoever looked at it last.
	put a.h '#define A 2'
	age
	gcc -c a.c -o "$ROOT/plain.o"
	compile s REPRISE_REDIS_URL=
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	compile s REPRISE_REDIS_URL= "${TRUSTS[@]}"
	compile s REPRISE_REDIS_URL=
	counted s misses=4 hits_local=4
	# Nor do they meet in Redis.
	publish a
	ON=reader compile t "${TRUSTS[@]}"
	counted t hits_remote=0 misses=1 refused_entries=0
	# What a remote with trust gave to a shared store serves those who trust, and them only.
	publish b "${SIGNS[@]}"
	redis_cli main del "$(redis_cli main --scan --pattern 'reprise:1:m:*' | head -n 1)" >/dev/null
	ON=reader compile u
	ON=reader compile u "${TRUSTS[@]}"
	ON=reader compile u
	ON=reader compile u "${TRUSTS[@]}"
	[ "$(($(count u misses) + $(count u hits_remote)))" = 2 ]
	counted u hits_local=2 corrupt=0
}

authority() { # NAME: $ROOT/NAME.crt, and a server's certificate by it, $ROOT/NAME-server.crt
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
		-keyout "$ROOT/$1.key" -out "$ROOT/$1.crt" 2>/dev/null
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server \
		-keyout "$ROOT/$1-server.key" -out "$ROOT/$1.csr" 2>/dev/null
	echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' >"$ROOT/ext"
	openssl x509 -req -in "$ROOT/$1.csr" -CA "$ROOT/$1.crt" -CAkey "$ROOT/$1.key" -CAcreateserial -days 2 \
		-extfile "$ROOT/ext" -out "$ROOT/$1-server.crt" 2>/dev/null
}

@test "remote_trust: TLS for look-ups and the publisher, and never without it" {
	need openssl
	[ -x "$TOP/build/libexec/reprise-remote" ] || skip "built without OpenSSL: no reprise-remote"
	authority ca
	authority wrong
	port=$(redis_free_port)
	redis_start tls --port 0 --tls-port "$port" --tls-cert-file "$ROOT/ca-server.crt" --tls-key-file "$ROOT/ca-server.key" \
		--tls-ca-cert-file "$ROOT/ca.crt" --tls-auth-clients no --requirepass s3cret
	REMOTE=rediss://:s3cret@localhost:$port
	# An EC handshake on a busy machine takes its time.
	export REPRISE_REDIS_TLS_CA=$ROOT/ca.crt REPRISE_REMOTE_LOOKUP_TIMEOUT=2s
	compile a "${SIGNS[@]}"
	on a "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 10
	[ "$(REDISCLI_AUTH=s3cret redis_cli tls dbsize)" = 2 ]
	replays b "${TRUSTS[@]}"
	replays c REPRISE_TRUST="$PUBLIC" REPRISE_REDIS_TLS_NAME=localhost
	# Another authority: the job is right, nothing is believed and nothing is sent.
	export REPRISE_REDIS_TLS_CA=$ROOT/wrong.crt
	compile d "${SIGNS[@]}"
	counted d hits_remote=0 misses=1 refused_entries=0
	run on d "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 500ms
	[ "$status" = 1 ]
	on d "${SIGNS[@]}" "$REPRISE_BIN" explain 1 >"$ROOT/explain"
	grep -qi 'remote' "$ROOT/explain" || fail "$(cat "$ROOT/explain")"
	# One that listens, answers like a Redis, and writes down what it hears.
	export REPRISE_REDIS_TLS_CA=$ROOT/ca.crt
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
    threading.Thread(target=talk, args=(s.accept()[0],), daemon=True).start()' "$ROOT/port" "$ROOT/heard" </dev/null >/dev/null 2>&1 3>&- &
	REDIS_PIDS+=($!)
	for _ in $(seq 200); do [ -s "$ROOT/port" ] && break; sleep 0.02; done
	REMOTE=rediss://:s3cret@localhost:$(cat "$ROOT/port")
	compile e "${SIGNS[@]}"
	run on e "${SIGNS[@]}" "$REPRISE_BIN" publish --wait 500ms
	[ "$status" = 1 ]
	counted e hits_remote=0 misses=1 published=0
	# A handshake's first byte, and no word of ours.
	[ "$(head -c 1 "$ROOT/heard" | od -An -tx1 | tr -d ' ')" = 16 ]
	! grep -aqE 's3cret|AUTH|LRANGE|LPUSH|reprise:1' "$ROOT/heard"
	! grep -aqF s3cret "$ROOT"/*.log
}
