#!/usr/bin/env bats
# remote/wire and resolve against real servers and misbehaving ones, through
# build/helpers/redis_wire. TLS: redis_wire_tls. Clusters: redis_wire_cluster.

setup() { load lib; load redis; load wire_lib; wire_setup; }
teardown() { wire_teardown; }

@test "redis_wire: a pipeline, values of all kinds, one connection" {
	redis_start main
	wire "redis://127.0.0.1:$REDIS_PORT" set a b , get a , get nope , lpush l x y , lrange l 0 \
		-1 , foo , set e "" , get e
	says 0 "ok" $'\n+OK\n$b\nnil\n:2\n*2\n  $y\n  $x\n-ERR unknown command' $'+OK\n$'
	wire "redis://127.0.0.1:$REDIS_PORT" -n 20 get a
	says 0 '$b'
	# One connection for twenty runs; a new one each time with -f.
	redis_proxy count "$REDIS_PORT" count
	wire "redis://127.0.0.1:$PROXY_PORT" -q -n 20 get a
	says 0
	[ "$(cat "$REDIS_DIR/count.port.count")" = 1 ]
	wire "redis://127.0.0.1:$PROXY_PORT" -q -f -n 5 get a
	[ "$(cat "$REDIS_DIR/count.port.count")" = 6 ]
}

@test "redis_wire: 64 MiB in one value, and a limit below it" {
	redis_start main
	wire "redis://127.0.0.1:$REDIS_PORT" -t 20000 -l 67108864 set big %67108864 , get big
	says 0 '$67108864 bytes'
	wire "redis://127.0.0.1:$REDIS_PORT" -l 67108863 get big
	says 1 'no Redis protocol'
	wire "redis://127.0.0.1:$REDIS_PORT" -l 10 get big , get nope
	says 1 'no Redis protocol'
}

@test "redis_wire: localhost, unix socket, database" {
	redis_start main
	local s=$REDIS_SOCKET
	wire "redis://localhost:$REDIS_PORT/3" set a three
	says 0 +OK
	wire "redis+unix://$s?db=3" get a
	says 0 '$three'
	wire "redis+unix://$s" get a
	says 0 nil
	run env REPRISE_REDIS_SOCKET="$s" REPRISE_REDIS_DB=3 "$WIRE" get a
	says 0 '$three'
	wire "redis://localhost:$REDIS_PORT/99" get a
	says 1 'server not ready' 'SELECT was refused: ERR'
	wire "redis+unix://$REDIS_DIR/none" get a
	says 1 'no connection' 'No such file'
}

@test "redis_wire: IPv6" {
	grep -qs '^0\{31\}1 .* lo$' /proc/net/if_inet6 || skip "no ::1 on this machine"
	redis_start main
	redis_cli main -n 3 set a three >/dev/null
	wire "redis://[::1]:$REDIS_PORT/3" get a
	says 0 '$three'
	run env REPRISE_REDIS_HOST=::1 REPRISE_REDIS_PORT="$REDIS_PORT" \
		REPRISE_REDIS_DB=3 "$WIRE" get a
	says 0 '$three'
}

@test "redis_wire: password, ACL user, and what is refused" {
	redis_start main --requirepass 's ec%ret'
	local host=127.0.0.1:$REDIS_PORT
	wire "redis://:s%20ec%25ret@$host/1" set a b , get a
	says 0 '$b'
	printf 's ec%%ret\n' >pw
	run env REPRISE_REDIS_URL="redis://$host" REPRISE_REDIS_PASSWORD_FILE="$PWD/pw" "$WIRE" \
		-n 3 -f get a
	says 0 nil
	run env REPRISE_REDIS_HOST=127.0.0.1 REPRISE_REDIS_PORT="$REDIS_PORT" \
		REPRISE_REDIS_PASSWORD='s ec%ret' "$WIRE" get a
	says 0 nil
	wire "redis://$host" get a
	says 1 'access denied' 'requires a password'
	wire "redis://:wr0ng@$host" get a
	says 1 'access denied' 'AUTH was refused: WRONGPASS'
	[[ $output != *wr0ng* ]]
	redis_cli main -a 's ec%ret' --no-auth-warning acl setuser joe on '>hunter2' \
		'~r:*' +get +set +ping >/dev/null
	wire "redis://joe:hunter2@$host" set r:a 1 , get r:a , get x , del r:a
	says 0 $'+OK\n$1\n-NOPERM' '-NOPERM'
	wire "redis://joe:nope@$host" get r:a
	says 1 'access denied' 'WRONGPASS'
	redis_cli main -a 's ec%ret' --no-auth-warning acl setuser free on nopass \
		'~*' +@all >/dev/null
	wire "redis://free@$host" get r:a
	says 0 '$1'
	redis_start open
	wire "redis://:secret9@127.0.0.1:$REDIS_PORT" get a
	says 1 'access denied' 'AUTH was refused: ERR'
	# A server without AUTH quotes the refused command in its error.
	redis_start odd --rename-command AUTH ''
	wire "redis://:secret9@127.0.0.1:$REDIS_PORT" get a
	says 1 'access denied'
	[[ $output != *secret9* ]] || fail "$output"
}

@test "redis_wire: a connection belongs to its process" {
	redis_start main
	redis_cli main set a b >/dev/null
	wire "redis://127.0.0.1:$REDIS_PORT" -k -n 2 get a
	says 0 'closed by the server ' ' ms: the connection belongs to another process' '$b'
}

@test "redis_wire: a server that closed while idle is dialled anew" {
	redis_start main
	redis_cli main set a b >/dev/null
	redis_proxy idle "$REDIS_PORT" pass
	# client kill between two runs of one process: the first command ends the other clients'
	# connections at the server. Through the proxy, the end comes after the reply: idle waits
	# for it.
	wire "redis://127.0.0.1:$PROXY_PORT" -n 3 -w 300 get a , client kill type normal skipme no
	says 0 '$b'
}

@test "redis_wire: no server, and a server that does not answer" {
	local free
	free=$(redis_free_port)
	wire "redis://127.0.0.1:$free" get a
	says 1 'no connection' 'refused'
	wire "redis://localhost:$free" -n 50 -f get a
	says 1 'no connection' 'refused'
	[[ $output != *"ok "* ]]
	redis_proxy full 0 full
	wire "redis://127.0.0.1:$PROXY_PORT" -t 150 get a
	timed_out 150
	redis_proxy hang 0 hang
	wire "redis://127.0.0.1:$PROXY_PORT" -t 150 get a
	timed_out 150
	redis_start main
	redis_kill main STOP
	wire "redis+unix://$REDIS_SOCKET" -t 150 get a
	timed_out 150
	redis_kill main CONT
}

@test "redis_wire: slow servers are waited for, up to the deadline" {
	redis_start main
	redis_cli main set a b >/dev/null
	redis_proxy late "$REDIS_PORT" delay 120
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a
	says 0 '$b'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 80 get a
	timed_out 80
	redis_proxy drip "$REDIS_PORT" slow 5
	wire "redis://127.0.0.1:$PROXY_PORT" -t 3000 get a , get nope
	says 0 $'$b\nnil'
	redis_cli main set l "$(printf '%0200d' 1)" >/dev/null
	wire "redis://127.0.0.1:$PROXY_PORT" -t 200 get l
	timed_out 200
}

# bats test_tags=check
@test "redis_wire: wrong lengths, and replies that are no protocol" {
	local text
	for text in 'HTTP/1.1 400 Bad Request\r\n\r\n!' '\x15\x03\x01\x00\x02\x02!' \
		'$99999999999999999999\r\n' '$-2\r\n' '$50000000\r\n' \
		'$3\r\nabcde\r\n' '$x\r\n' '*1000000000\r\n' '*-2\r\n' \
		'*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n' ':1x\r\n' \
		':99999999999999999999\r\n' '%1\r\n' '_\r\n' '+OK\r\n+OK\r\n' '$-1\r\n$-1\r\n' \
		'$0\r\nab' ':\r\n' '$\r\n' '\x00\x00' '+OK\r\n!!'; do
		redis_proxy liar 0 say "$text"
		wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a
		says 1 'no Redis protocol' || fail "$text: $output"
		kill "${REDIS_PIDS[-1]}"
	done
	for text in '!' '$5\r\nab!' '*2\r\n$1\r\na\r\n!' '+O!' ':1!'; do
		redis_proxy liar 0 say "$text"
		wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a
		says 1 'closed by the server' || fail "$text: $output"
		kill "${REDIS_PIDS[-1]}"
	done
	# An error and then the end says why.
	redis_proxy liar 0 say '-ERR max number of clients reached\r\n!'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a , get b
	says 1 'server not ready' 'max number of clients'
	wire "redis://:pw@127.0.0.1:$PROXY_PORT" -t 1000 get a
	says 1 'server not ready' 'accepts no more clients'
	redis_proxy liar 0 say '-DENIED Redis is running in protected mode\r\n!'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a , get b
	says 1 'access denied' 'protected mode'
}

# The dialogue of three replies, ended after each of its bytes; under ASan if that was built.
sweep() {
	local program=$WIRE
	[ -x "$TOP/build/fuzz/helpers/redis_wire" ] &&
		program=$TOP/build/fuzz/helpers/redis_wire
	redis_start main --requirepass pw
	redis_cli main -a pw --no-auth-warning -n 2 set a "$(printf '%040d' 1)" >/dev/null
	redis_cli main -a pw --no-auth-warning -n 2 rpush l x y >/dev/null
	local kind ok ended url
	for kind in cut reset swallow half; do
		redis_proxy sweep "$REDIS_PORT" sweep "$kind"
		url=redis://:pw@127.0.0.1:$PROXY_PORT/2
		# 82 bytes of replies, some 140 of commands.
		local n=100 t=1000
		[ "$kind" != half ] || t=30
		[ "$kind" != swallow ] || n=170
		run env REPRISE_REDIS_URL="$url" "$program" -f -t $t \
			-n $n get a , set b c , lrange l 0 -1
		[[ $output != *LATE* && $output != *LEAK* && $output != *Sanitizer* &&
			$output != *"runtime error"* ]] ||
			{
				fail "$kind: $(grep -m 5 \
					-E 'LATE|LEAK|Sanitizer|runtime error' <<<"$output")"
				return 1
			}
		[ "$status" = 0 ] || [ "$status" = 1 ] ||
			{ fail "$kind: status $status: $(tail -n 3 <<<"$output")"; return 1; }
		# An early end is never taken for a reply, and after the last byte all is well.
		ok=$(grep -c '^ok' <<<"$output") || true
		ended=$(grep -c -E '^(closed|timed out)' <<<"$output") || true
		echo "$kind: $ok ok, $ended ended"
		((ok + ended == n && ended >= 70 && ok >= 10)) ||
			{
				fail "$kind: $(grep -E ' ms' <<<"$output" | sed 's/[0-9.]* ms/ms/' |
					sort | uniq -c)"
				return 1
			}
	done
}

# bats test_tags=check
@test "redis_wire: a connection that ends at any byte" {
	sweep
	[ -x "$TOP/build/fuzz/helpers/redis_wire" ] ||
		echo "# without ASan: make fuzz builds it" >&3
}

@test "redis_wire: a name's addresses are remembered" {
	need_mounts
	need strace
	redis_start main
	redis_cli main set a b >/dev/null
	# The first address has no server.
	printf '127.0.0.9 cache.test\n127.0.0.1 cache.test\n' >hosts
	# Three connections, and one child that looks the name up.
	export REPRISE_REDIS_URL=redis://cache.test:$REDIS_PORT
	run unshare -m sh -c "mount --bind $PWD/hosts /etc/hosts &&
		strace -f -o trace $WIRE -f -n 3 get a"
	says 0 '$b'
	[ "$(grep -cE '^[0-9]+ +(clone3?|v?fork)\(' trace)" = 1 ] ||
		fail "$(grep -E 'clone|fork' trace)"
}

# A resolver that takes its time: the library is preloaded into the driver.
slow_resolver() {
	put slow.c '#define _GNU_SOURCE' '#include <dlfcn.h>' '#include <netdb.h>' \
		'#include <stdlib.h>' '#include <unistd.h>' \
		'int getaddrinfo(const char *n, const char *s, const struct addrinfo *h,' \
		'struct addrinfo **r) {' \
		'int (*real)(const char *, const char *, const struct addrinfo *,' \
		'struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");' \
		'if (!h || !(h->ai_flags & AI_NUMERICHOST)) {' \
		'usleep(atoi(getenv("SLOW_MS")) * 1000); n = getenv("SLOW_NAME"); }' \
		'if (n && !*n) return EAI_NONAME;' \
		'return real(n, s, h, r); }'
	gcc -shared -fPIC -o slow.so slow.c -ldl
}

@test "redis_wire: a slow look-up of a name goes on for the next question" {
	slow_resolver
	redis_start main
	redis_cli main set a b >/dev/null
	# The first two questions end at their deadline, the third one hears the answer.
	run env LD_PRELOAD="$PWD/slow.so" SLOW_MS=900 SLOW_NAME=127.0.0.1 \
		REPRISE_REDIS_URL="redis://cache.test:$REDIS_PORT" "$WIRE" -t 400 -n 3 get a
	says 0 '$b'
	[ "$(grep -c 'timed out.*look up cache.test' <<<"$output")" = 2 ] || fail "$output"
}

@test "redis_wire: a late look-up holds no descriptor of the job" {
	slow_resolver
	local start=$EPOCHREALTIME
	# The pipe is closed when the driver ends, even if its child still runs.
	env LD_PRELOAD="$PWD/slow.so" SLOW_MS=3000 SLOW_NAME=127.0.0.1 \
		REPRISE_REDIS_URL=redis://cache.test:1 \
		"$WIRE" -t 100 get a 2>&1 | cat >out
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 2) }' ||
		fail "the pipe stayed open"
	grep -q 'timed out' out
}
