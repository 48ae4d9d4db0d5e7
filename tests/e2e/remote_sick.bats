#!/usr/bin/env bats
# The remote store behind servers that hang, lie or are absent, and behind a silent name server.
# Each job is right, quiet and not delayed. A breaker spares later jobs.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

# sick NAME...: node b against a proxy in that mode, after node a published. In strict mode; the
# result is right, and there is no output.
sick() {
	redis_proxy sick "$REDIS_PORT" "$@" || return 1
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	fresh b
	again any --warnings || { fail "proxy mode $*"; return 1; }
	! grep -aE ' error ' "$LOG" || fail "proxy mode $*"
}

# bats test_tags=check
@test "remote_sick: a server that hangs, is slow, closes, or is not there" {
	start
	across -- gcc -Wall -c a.c
	local n
	sick hang
	sick full
	sick slow 5
	sick delay 100
	for n in 0 5 300; do
		sick half $n
		sick cut $n
		sick reset $n
		sick swallow $n
	done
	remote_url "redis://127.0.0.1:$(redis_free_port)"
	fresh b
	again stored --warnings
	remote_url "redis://no-such-host.invalid"
	fresh b
	again stored --warnings
	remote_url "redis+unix://$ROOT/nothing"
	fresh b
	again stored --warnings
}

# bats test_tags=check
@test "remote_sick: garbage, lying lengths and other protocols" {
	start
	across -- gcc -Wall -c a.c
	local said
	for said in 'HTTP/1.1 400 Bad Request\r\n\r\n!' '*2\r\n$2147483647\r\n' '*2\r\n*-5\r\n' \
		'*2147483647\r\n' '$99999999999999999999\r\n' \
		'\x00\x00\x00' '+OK\r\n+OK\r\n+OK\r\n' '-ERR unknown\r\n-ERR unknown\r\n' \
		'-MOVED 1 127.0.0.1:1\r\n' ':1\r\n:1\r\n' '*0\r\n' \
		'*1\r\n$3\r\nabc\r\n:1\r\n' '*1\r\n$-1\r\n:1\r\n' '-LOADING x\r\n-LOADING x\r\n' \
		'!'; do
		sick say "$said"
	done
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=long
@test "remote_sick: a slow result in parts: given up in time, or waited for at a lower rate" {
	start
	head -c 8000000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	age
	under as big.s -o big.o >out 2>&1
	drain
	[ -n "$(redis_cli main --raw keys 'reprise:1:r:*:7')" ] || fail "it is not in parts"
	as big.s -o want.o
	# At most 64 KB each 40 ms: five seconds for all, 0.6 s for the first part, which a look-up
	# reads.
	redis_proxy slow "$REDIS_PORT" delay 40
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	slowly() { # NAME
		fresh "$1"
		under as big.s -o big.o >out 2>&1
		[ ! -s out ] || fail "it said $(cat out)" || return 1
		cmp big.o want.o
		[ "$(stat_of errors)" = 0 ]
	}
	export REPRISE_REMOTE_READONLY=1
	REPRISE_REMOTE_TRANSFER_TIMEOUT=1s slowly c
	[ "$(stat_of hits_remote) $(stat_of misses) $(stat_of remote_timeouts)" = "0 1 1" ] ||
		fail "$(reprise stats)"
	# The wait ends after its limit, and before the five seconds are over.
	[ "$(stat_of remote_wait_ns)" -ge 1000000000 ] &&
		[ "$(stat_of remote_wait_ns)" -lt 3500000000 ] ||
		fail "$(stat_of remote_wait_ns) ns waited"
	reprise explain 1 | grep -q 'remote: .*timed out' || fail "$(reprise explain 1)"
	# So many bytes get ten seconds or more at 500 KB a second, whatever the shortest deadline
	# is.
	REPRISE_REMOTE_TRANSFER_TIMEOUT=1s REPRISE_REMOTE_MIN_RATE=500K slowly d
	[ "$(stat_of hits_remote) $(stat_of misses) $(stat_of remote_timeouts)" = "1 0 0" ] ||
		fail "$(reprise stats)"
	[ "$(stat_of remote_wait_ns)" -gt 3500000000 ] ||
		fail "it came in $(stat_of remote_wait_ns) ns: the case is void"
}

# bats test_tags=long
@test "remote_sick: a redirect and its target have one deadline" {
	start
	across -- gcc -Wall -c a.c
	redirected() { # MS: there and where it leads
		redis_proxy slow "$REDIS_PORT" delay "$1"
		redis_proxy elsewhere 0 moved "$1:$PROXY_PORT"
		remote_url "redis://127.0.0.1:$PROXY_PORT"
		fresh b
	}
	redirected 40
	again remote --warnings
	# Each of the two answers alone would be in time.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=500ms
	redirected 300
	again stored --warnings
	local ms=$(($(stat_of remote_wait_ns) / 1000000))
	[ "$(stat_of remote_timeouts)" = 1 ] ||
		fail "$(stat_of remote_timeouts) look-ups ended at the deadline"
	[ $ms -ge 480 ] && [ $ms -lt 1000 ] || fail "it waited for $ms ms"
}

@test "remote_sick: a name server that does not answer is waited for no longer than Redis is" {
	need_mounts
	need ip
	unshare -n true 2>/dev/null || skip "no network namespaces here"
	put a.sh 'ip link set lo up' 'ip addr add 192.0.2.1/24 dev lo' \
		'mount --bind "$1/resolv.conf" /etc/resolv.conf' 'shift' 'exec "$@"'
	put resolv.conf 'nameserver 198.51.100.1' 'options timeout:5'
	remote_url redis://cache.example
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	local start=$EPOCHREALTIME end
	unshare -nm sh a.sh "$PWD" env "${RPENV[@]}" REPRISE_REDIS_URL=redis://cache.example \
		gcc -c a.c >out 2>&1 || { cat out >&2; fail "status $?"; }
	end=$EPOCHREALTIME
	[ ! -s out ]
	gcc -c a.c -o want.o
	cmp a.o want.o
	awk -v a="$start" -v b="$end" 'BEGIN { exit b - a > 2.5 }' ||
		fail "it took from $start to $end"
}

# The other end of a veth drops packets to 192.0.2.9. The resolver names that address first: packets
# would have an address of its network, and not of the server's.
# bats test_tags=check
@test "remote_sick: the first of two addresses drops packets" {
	need_mounts
	need ip
	unshare -n true 2>/dev/null || skip "no network namespaces here"
	put net.sh 'set -e' 'ip link set lo up' 'ip link add v0 type veth peer name v1 || exit 99' \
		'ip addr add 192.0.2.1/24 dev v0' 'ip link set v0 up' 'ip link set v1 up' \
		'ip neigh add 192.0.2.9 lladdr 02:00:00:00:00:01 dev v0 nud permanent' \
		'ip route add local 198.51.100.1/32 dev lo table local src 192.0.2.1' \
		'mount --bind "$1/hosts" /etc/hosts' 'shift' 'exec "$@"'
	put hosts '127.0.0.1 localhost' '192.0.2.9 cache.example' '198.51.100.1 cache.example'
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	local port
	port=$(redis_free_port)
	gcc -c a.c -o want.o
	age
	# node NAME URL: compiles; what it counted and how long it took go to NAME.said.
	put job.sh 'node() {' \
		'	at=$(date +%s%N)' \
		'	env LD_PRELOAD="$LIB" REPRISE_STRICT=1 REPRISE_CACHE_DIR="$ROOT/$1" \' \
		'		REPRISE_RUNTIME_DIR="$ROOT/$1.run" REPRISE_LOG="$ROOT/$1.log" \' \
		'		REPRISE_REDIS_URL="$2" gcc -c a.c || exit 1' \
		'	echo $((($(date +%s%N) - at) / 1000000)) >"$1.ms"' \
		'	cmp a.o want.o && rm a.o || exit 1' \
		'}' \
		'redis-server --port "$PORT" --bind 198.51.100.1 --save "" --protected-mode no \' \
		'	--dir "$ROOT" >redis.log 2>&1 &' \
		'server=$!' \
		'trap "kill -9 $server" EXIT' \
		'until redis-cli -h 198.51.100.1 -p "$PORT" ping >/dev/null 2>&1' \
		'do sleep 0.02; done' \
		'"$PY" -c "import socket' \
		'found = socket.getaddrinfo(\"cache.example\", 1, type=socket.SOCK_STREAM)' \
		'print([a[4][0] for a in found])" >order' \
		'timeout 0.5 "$PY" -c "import socket' \
		'socket.create_connection((\"192.0.2.9\", $PORT))" 2>>order' \
		'echo $? >>order' \
		'node a "redis://198.51.100.1:$PORT"' \
		'REPRISE_CACHE_DIR="$ROOT/a" REPRISE_RUNTIME_DIR="$ROOT/a.run" \' \
		'	REPRISE_REDIS_URL="redis://198.51.100.1:$PORT" \' \
		'	"$BIN" publish --wait 20 || exit 1' \
		'node b "redis://cache.example:$PORT"' \
		'kill -9 $server' \
		'node c "redis://cache.example:$PORT"' 'exit 0'
	run unshare -nm env LIB="$REPRISE_LIB" BIN="$REPRISE_BIN" ROOT="$ROOT" PY="$PY" \
		PORT="$port" sh net.sh "$PWD" sh job.sh
	[ "$status" != 99 ] || skip "no veth here"
	[ "$status" = 0 ] || fail "$output"
	# Checks the set-up: the order of addresses, and that the first one drops packets.
	[ "$(cat order)" = "['192.0.2.9', '198.51.100.1']"$'\n124' ] || fail "$(cat order)"
	on b
	[ "$(stat_of hits_remote) $(stat_of remote_timeouts)" = "1 0" ] ||
		fail "no remote hit after $(cat b.ms) ms"
	# If the second address refuses, the first one is waited for until the deadline.
	on c
	local ms=$(($(stat_of remote_wait_ns) / 1000000))
	[ "$(stat_of misses) $(stat_of remote_timeouts)" = "1 1" ] ||
		fail "$(stat_of remote_timeouts) timeouts"
	[ $ms -ge 240 ] && [ $ms -lt 750 ] || fail "it waited for $ms ms"
}

# bats test_tags=check
@test "remote_sick: doctor reports an open breaker, and jobs do not ask the remote store" {
	start
	redis_proxy hang "$REDIS_PORT" hang
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	local i
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	for i in 1 2 3 4 5 6; do
		put a$i.c "int a$i;"
		age
		under gcc -c a$i.c
	done
	[ "$(stat_of breaker_openings)" -ge 1 ]
	[ "$(stat_of remote_wait_ns)" -lt 1000000000 ] || fail "$(stat_of remote_wait_ns) ns waited"
	run reprise doctor
	[ "$status" = 1 ]
	[[ $output == *'mend  breaker    open since the last failure (timeout)'* &&
		$output == *'records wait'* ]] || fail "$output"
	reprise explain 1 >explain
	grep -q 'remote: the remote store is not used for a while' explain || fail "$(cat explain)"
}

# bats test_tags=check
@test "remote_sick: explain names the class that goes without a slow remote; others still ask" {
	start
	redis_proxy slow "$REDIS_PORT" delay 150
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	export REPRISE_JOB=one
	local i n=0 asked
	# A look-up takes longer than such an action: a second of it is all that the job may lose.
	for ((i = 0; i < 30 && n < 2; i++)); do
		put "a$i.s" ".globl a$i" "a$i: ret"
		age
		asked=$(stat_of remote_asked)
		under as "a$i.s" -o "a$i.o" >out 2>&1
		[ ! -s out ] || fail "it said $(cat out)"
		as "a$i.s" -o want.o
		cmp "a$i.o" want.o
		reprise explain 1 >explain
		if grep -q 'remote: the remote store is slower than these compiles' explain; then
			[ "$(stat_of remote_asked)" = "$asked" ] || fail "it asked all the same"
			n=$((n + 1))
		else
			[ $n = 0 ] && [ "$(stat_of remote_asked)" -gt "$asked" ] ||
				fail "the remote was left alone, but: $(cat explain)"
		fi
	done
	[ $n = 2 ] || fail "after $i look-ups of $(stat_of remote_wait_ns) ns the class still asks"
	[ $i -ge 3 ] || fail "it was given up before it was asked"
	[ "$(stat_of breaker_openings)" = 0 ]
	[ "$(stat_of remote_wait_ns)" -lt 2500000000 ] || fail "$(stat_of remote_wait_ns) ns waited"
	# Another kind of tool has lost nothing yet.
	asked=$(stat_of remote_asked)
	under gcc -c a.c
	[ "$(stat_of remote_asked)" -gt "$asked" ]
}

# bats test_tags=check
@test "remote_sick: slow look-ups of units do not turn off a class of actions" {
	start
	put b.s '.globl b' 'b: ret'
	across -- as b.s -o b.o
	redis_proxy slow "$REDIS_PORT" delay 150
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	export REPRISE_JOB=one
	fresh b
	# More look-ups of units and of sets than a class may lose.
	local driver=$ROOT/tree/driver
	mkdir "$ROOT/tree"
	cp "$(helper remote_driver)" "$driver"
	ln -s "$TOP/build/libexec" "$ROOT/tree/libexec"
	for class in 4 5; do
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
			REPRISE_LOG="$LOG" "$driver" ask $class 6 >out
		grep -q 2 out && grep -q 3 out || fail "$(cat out)"
	done
	again remote
}
