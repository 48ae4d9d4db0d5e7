# Nodes that sign, nodes that trust, and entries that change on their way. After remote_lib.bash.
#
#     setup() { load lib; load redis; load remote_lib; load trust_lib; trust_setup; }
#     teardown() { remote_teardown; }
#     publish a "${SIGNS[@]}"       # node a compiles, signs and publishes
#     replays b "${TRUSTS[@]}"      # node b has it from there
#     tampered PATTERN LUA "${TRUSTS[@]}"           # changed in Redis: a new node says why not
#     forged PATTERN "${TRUSTS[@]}" -- WHAT...      # made by build/helpers/remote_forge

trust_setup() {
	case_setup
	redis_need
	need gcc
	FORGE=$(helper remote_forge)
	source_with_header 'int a(void) { return A; }'
	age
	gcc -c a.c -o "$ROOT/plain.o"
	KEY=$ROOT/key
	PUBLIC=$("$REPRISE_BIN" keygen "$KEY")
	redis_start main
	REDIS_URL=redis+unix://$REDIS_SOCKET
	SIGNS=(REPRISE_SIGN_KEY="$KEY")
	TRUSTS=(REPRISE_TRUST="$PUBLIC")
	NODES=0
	export REPRISE_LOG_LEVEL=info REPRISE_STRICT=1
}

# A node that only reads: it mends nothing behind a case's back.
reader() {
	local name=$1
	shift
	node "$name" REPRISE_REMOTE_READONLY=1 "$@"
}

# compile NODE [NAME=VALUE...]: on it, right in every respect.
compile() {
	local name=$1
	shift
	rm -f a.o
	"${ON:-node}" "$name" "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c \
		-o a.o >out 2>err </dev/null ||
		{ fail "$name: status $?: $(cat err)"; return 1; }
	[ ! -s out ] && [ ! -s err ] || { fail "$name: said $(cat out err)"; return 1; }
	cmp a.o "$ROOT/plain.o" ||
		{ fail "$name: another a.o: $(tail -n 5 "$ROOT/$name.log")"; return 1; }
	[ "$(stat -c %a a.o)" = 644 ] || { fail "$name: mode $(stat -c %a a.o)"; return 1; }
	rm -f out err
	[ -z "$(ls "$TMPDIR")" ] || { fail "$name: left $(ls "$TMPDIR")"; return 1; }
	! grep -aE '^[^ ]+ [0-9]+ error ' "$ROOT/$name.log" || { fail "$name: errors"; return 1; }
}

counted() { # NODE COUNTER=NUMBER...; COUNTER=+: any but 0
	local name=$1 pair got
	local -A said
	shift
	node_stats "$name" said || return 1
	for pair; do
		got=${said[${pair%%=*}]-none}
		[ "$got" = "${pair#*=}" ] || { [ "${pair#*=}" = + ] && [ "$got" != 0 ]; } ||
			{
				fail "$name: $pair, counted $got; $(tail -n 4 "$ROOT/$name.log")"
				return 1
			}
	done
}

# The node replays the result from the remote store.
replays() {
	ON=reader compile "$@" && counted "$1" hits_remote=1 misses=0 refused_entries=0 &&
		{ [ "$(warnings "$ROOT/$1.log")" = 0 ] || { fail "$1: warnings"; return 1; }; }
}

# refuses PATTERN [NAME=VALUE...]: a new node refuses the entry, says so, and compiles.
refuses() {
	local name=r$((++NODES)) pattern=$1
	shift
	ON=reader compile "$name" "$@" &&
		counted "$name" hits_remote=0 misses=1 refused_entries=+ || return 1
	node "$name" "$REPRISE_BIN" explain 1 >"$ROOT/explain"
	grep -q ': refused ' "$ROOT/explain" && grep -qE -- "$pattern" "$ROOT/explain" ||
		{ fail "no '$pattern' in $(cat "$ROOT/explain")"; return 1; }
	[ "$(warnings "$ROOT/$name.log")" -ge 1 ] || { fail "$name: no warning"; return 1; }
}

# publish NODE [NAME=VALUE...]: compiles and sends. `pristine` restores the state of Redis after it.
publish() {
	compile "$@" && node "$@" "$REPRISE_BIN" publish --wait 10 >/dev/null || return 1
	MANIFEST=$(redis_cli main --scan --pattern 'reprise:1:m:*' | head -n 1)
	RESULT=$(redis_cli main --scan --pattern 'reprise:1:r:*' | head -n 1)
	[ -n "$MANIFEST" ] && [ -n "$RESULT" ] ||
		{ fail "nothing was published: $(cat "$ROOT/$1.log")"; return 1; }
	K1=$(sed 's/.*{\(.*\)}.*/\1/' <<<"$MANIFEST")
	keep
}

# publish_anew NODE yes|no: into an empty Redis. FORGES and READS sign and trust, or are empty.
publish_anew() {
	redis_cli main flushall >/dev/null
	FORGES=() READS=()
	[ "$2" = no ] || FORGES=("${SIGNS[@]}") READS=("${TRUSTS[@]}")
	publish "$1" "${FORGES[@]}"
}

keep() {
	lua "for _, k in ipairs(redis.call('keys', 'reprise:1:*')) do
		redis.call('set', 'kept:' .. k, redis.call('dump', k)) end"
}

pristine() {
	lua "for _, k in ipairs(redis.call('keys', 'reprise:1:*')) do redis.call('del', k) end
		for _, k in ipairs(redis.call('keys', 'kept:*')) do
			redis.call('restore', k:sub(6), 0, redis.call('get', k)) end"
}

# lua SCRIPT: M and R are the keys of the manifest and the result. edit(key, f) changes a value, or
# the newest value of a list.
lua() {
	local said
	said=$(redis_cli main eval "
		local M, R = KEYS[1], KEYS[2]
		local function put(v, at, bytes)
			return v:sub(1, at) .. bytes .. v:sub(at + #bytes + 1)
		end
		local function flip(v, at)
			return put(v, at, string.char(bit.bxor(v:byte(at + 1), 1)))
		end
		local function edit(k, f)
			if redis.call('type', k).ok == 'list' then
				redis.call('lset', k, 0, f(redis.call('lindex', k, 0)))
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

# forged PATTERN [NAME=VALUE...] -- WHAT ARGS...: changes by the maker of the entries, with the key
# if keys are used.
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
forge() { node forger "${FORGES[@]}" "$FORGE" "$K1" "$@"; }
