# remote/wire, cluster, resolve, tunnel against real servers and ones that misbehave, through build/helpers/redis_wire.

setup() {
	load lib
	load redis
	case_setup
	redis_need
	WIRE=${REPRISE_TEST_WIRE:-$TOP/build/helpers/redis_wire}
	[ -x "$WIRE" ] || skip "no $WIRE: make helpers"
}

teardown() {
	redis_teardown
	case_teardown
}

# wire URL ARGS...: output in $output, status in $status
wire() {
	local url=$1
	shift
	run env REPRISE_REDIS_URL="$url" "$WIRE" "$@"
}

# says STATUS TEXT...: the last run ended so and printed these lines among others
says() {
	[ "$status" = "$1" ] || { fail "status $status, not $1: $output"; return 1; }
	shift
	local want
	for want; do
		[[ $output == *"$want"* ]] || { fail "no '$want' in: $output"; return 1; }
	done
}

# timed_out MS [TEXT]: the last run gave up at its deadline, or as much later as a busy machine makes it
timed_out() {
	says 1 'timed out' "${2-}" || return 1
	[[ $output =~ timed\ out\ ([0-9]+) ]] || fail "$output"
	[ "${BASH_REMATCH[1]}" -ge "$1" ] && [ "${BASH_REMATCH[1]}" -lt $((3 * $1)) ] || fail "$output"
}

@test "redis_wire: a pipeline, values of all kinds, one connection" {
	redis_start main
	wire "redis://127.0.0.1:$REDIS_PORT" set a b , get a , get nope , lpush l x y , lrange l 0 -1 , foo , set e "" , get e
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

@test "redis_wire: localhost, IPv6, unix socket, database" {
	redis_start main
	local s=$REDIS_SOCKET
	wire "redis://localhost:$REDIS_PORT/3" set a three
	says 0 +OK
	wire "redis+unix://$s?db=3" get a
	says 0 '$three'
	wire "redis+unix://$s" get a
	says 0 nil
	if [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6; then
		wire "redis://[::1]:$REDIS_PORT/3" get a
		says 0 '$three'
	fi
	run env REPRISE_REDIS_SOCKET="$s" REPRISE_REDIS_DB=3 "$WIRE" get a
	says 0 '$three'
	wire "redis://localhost:$REDIS_PORT/99" get a
	says 1 'server not ready' 'SELECT was refused: ERR'
	wire "redis+unix://$REDIS_DIR/none" get a
	says 1 'no connection' 'No such file'
}

@test "redis_wire: password, ACL user, and what is refused" {
	redis_start main --requirepass 's ec%ret'
	local host=127.0.0.1:$REDIS_PORT
	wire "redis://:s%20ec%25ret@$host/1" set a b , get a
	says 0 '$b'
	printf 's ec%%ret\n' >pw
	run env REPRISE_REDIS_URL="redis://$host" REPRISE_REDIS_PASSWORD_FILE="$PWD/pw" "$WIRE" -n 3 -f get a
	says 0 nil
	run env REPRISE_REDIS_HOST=127.0.0.1 REPRISE_REDIS_PORT="$REDIS_PORT" REPRISE_REDIS_PASSWORD='s ec%ret' "$WIRE" get a
	says 0 nil
	wire "redis://$host" get a
	says 1 'access denied' 'wants a password'
	wire "redis://:wr0ng@$host" get a
	says 1 'access denied' 'AUTH was refused: WRONGPASS'
	[[ $output != *wr0ng* ]]
	redis_cli main -a 's ec%ret' --no-auth-warning acl setuser joe on '>hunter2' '~r:*' +get +set +ping >/dev/null
	wire "redis://joe:hunter2@$host" set r:a 1 , get r:a , get x , del r:a
	says 0 $'+OK\n$1\n-NOPERM' '-NOPERM'
	wire "redis://joe:nope@$host" get r:a
	says 1 'access denied' 'WRONGPASS'
	redis_cli main -a 's ec%ret' --no-auth-warning acl setuser free on nopass '~*' +@all >/dev/null
	wire "redis://free@$host" get r:a
	says 0 '$1'
	redis_start open
	wire "redis://:secret9@127.0.0.1:$REDIS_PORT" get a
	says 1 'access denied' 'AUTH was refused: ERR'
	# A server that does not know AUTH quotes what it was told.
	redis_start odd --rename-command AUTH ''
	wire "redis://:secret9@127.0.0.1:$REDIS_PORT" get a
	says 1 'access denied'
	[[ $output != *secret9* ]] || fail "$output"
}

@test "redis_wire: a connection belongs to its process" {
	redis_start main
	redis_cli main set a b >/dev/null
	wire "redis://127.0.0.1:$REDIS_PORT" -k -n 2 get a
	says 0 'closed by the server ' ' ms: the connection is another process' '$b'
}

@test "redis_wire: a server that closed while idle is dialled anew" {
	redis_start main
	redis_cli main set a b >/dev/null
	redis_proxy idle "$REDIS_PORT" pass
	# client kill between two runs of one process: the first command kills the others' connection at the server.
	wire "redis://127.0.0.1:$PROXY_PORT" -n 3 get a , client kill type normal skipme no
	says 0 '$b'
}

@test "redis_wire: nobody there, nobody who answers" {
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

@test "redis_wire: lies about lengths, and what is no protocol" {
	local text
	for text in 'HTTP/1.1 400 Bad Request\r\n\r\n!' '\x15\x03\x01\x00\x02\x02!' '$99999999999999999999\r\n' '$-2\r\n' '$5000000\r\n' \
		'$3\r\nabcde\r\n' '$x\r\n' '*1000000000\r\n' '*-2\r\n' '*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n' ':1x\r\n' \
		':99999999999999999999\r\n' '%1\r\n' '_\r\n' '+OK\r\n+OK\r\n' '$-1\r\n$-1\r\n' '$0\r\nab' ':\r\n' '$\r\n' '\x00\x00' '+OK\r\n!!'; do
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
	says 1 'server not ready' 'no room'
	redis_proxy liar 0 say '-DENIED Redis is running in protected mode\r\n!'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 get a , get b
	says 1 'access denied' 'protected mode'
}

# The dialogue of three replies, ended after every one of its bytes, under ASan where that was built.
sweep() {
	local program=$WIRE
	[ -x "$TOP/build/sanitize/helpers/redis_wire" ] && program=$TOP/build/sanitize/helpers/redis_wire
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
		run env REPRISE_REDIS_URL="$url" "$program" -f -t $t -n $n get a , set b c , lrange l 0 -1
		[[ $output != *LATE* && $output != *LEAK* && $output != *Sanitizer* && $output != *"runtime error"* ]] ||
			{ fail "$kind: $(grep -m 5 -E 'LATE|LEAK|Sanitizer|runtime error' <<<"$output")"; return 1; }
		[ "$status" = 0 ] || [ "$status" = 1 ] || { fail "$kind: status $status: $(tail -n 3 <<<"$output")"; return 1; }
		# An early end is never taken for a reply, and after the last byte all is well.
		ok=$(grep -c '^ok' <<<"$output") || true
		ended=$(grep -c -E '^(closed|timed out)' <<<"$output") || true
		echo "$kind: $ok ok, $ended ended"
		((ok + ended == n && ended >= 70 && ok >= 10)) ||
			{ fail "$kind: $(grep -E ' ms' <<<"$output" | sed 's/[0-9.]* ms/ms/' | sort | uniq -c)"; return 1; }
	done
}

@test "redis_wire: a connection that ends at any byte" {
	sweep
	[ -x "$TOP/build/sanitize/helpers/redis_wire" ] || skip "passed, but without ASan: make sanitize builds it"
}

@test "redis_wire: a name's addresses are kept for the node's other processes" {
	need_root "a hosts file of its own"
	need unshare strace
	redis_start main
	redis_cli main set a b >/dev/null
	# The first address has no server.
	printf '127.0.0.9 cache.test\n127.0.0.1 cache.test\n' >hosts
	mkdir rt && chmod 700 rt
	run unshare -m sh -c "mount --bind $PWD/hosts /etc/hosts && REPRISE_REDIS_URL=redis://cache.test:$REDIS_PORT $WIRE -r $PWD/rt get a"
	says 0 '$b'
	ls rt/address-* >/dev/null || fail "nothing kept: $(ls rt)"
	# Without the hosts file, and without a child: from the file.
	run env REPRISE_REDIS_URL="redis://cache.test:$REDIS_PORT" strace -f -o trace "$WIRE" -r "$PWD/rt" get a
	says 0 '$b'
	! grep -q -E 'clone|fork' trace || fail "a child was made"
	# A damaged file is none.
	local file
	file=$(echo rt/address-????????????????)
	printf 'x' | dd of="$file" bs=1 seek=30 conv=notrunc 2>/dev/null
	wire "redis://cache.test:$REDIS_PORT" -r "$PWD/rt" get a
	says 1 'no connection' 'look up cache.test'
}

# A resolver that takes its time: the library is preloaded into the driver.
slow_resolver() {
	put slow.c '#define _GNU_SOURCE' '#include <dlfcn.h>' '#include <netdb.h>' '#include <stdlib.h>' '#include <unistd.h>' \
		'int getaddrinfo(const char *n, const char *s, const struct addrinfo *h, struct addrinfo **r) {' \
		'int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");' \
		'if (!h || !(h->ai_flags & AI_NUMERICHOST)) { usleep(atoi(getenv("SLOW_MS")) * 1000); n = getenv("SLOW_NAME"); }' \
		'if (n && !*n) return EAI_NONAME;' \
		'return real(n, s, h, r); }'
	gcc -shared -fPIC -o slow.so slow.c -ldl
	mkdir -p rt && chmod 700 rt
}

@test "redis_wire: a slow look-up of a name goes on for those who come later" {
	slow_resolver
	redis_start main
	redis_cli main set a b >/dev/null
	local url=redis://cache.test:$REDIS_PORT
	run env LD_PRELOAD="$PWD/slow.so" SLOW_MS=600 SLOW_NAME=127.0.0.1 REPRISE_REDIS_URL="$url" "$WIRE" -t 100 -r "$PWD/rt" get a
	timed_out 100 'look up cache.test'
	# Another one does not begin a second look-up: it waits for the first one's.
	run env LD_PRELOAD="$PWD/slow.so" SLOW_MS=5000 SLOW_NAME=127.0.0.1 REPRISE_REDIS_URL="$url" "$WIRE" -t 2000 -r "$PWD/rt" get a
	says 0 '$b'
	wire "$url" -r "$PWD/rt" get a
	says 0 '$b'
}

@test "redis_wire: a late look-up holds nothing of the job" {
	slow_resolver
	local start=$EPOCHREALTIME
	# The pipe ends with the driver, not with its child.
	env LD_PRELOAD="$PWD/slow.so" SLOW_MS=3000 SLOW_NAME=127.0.0.1 REPRISE_REDIS_URL=redis://cache.test:1 \
		"$WIRE" -t 100 -r "$PWD/rt" get a 2>&1 | cat >out
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 2) }' || fail "the pipe stayed open"
	grep -q 'timed out' out
}

# Certificates of a case: ca (good), other (another authority), and of the server: good, named (no address in it), old
# (expired), foreign (by the other authority), and client.
certificates() {
	need openssl
	[ -x "$TOP/build/libexec/reprise-remote" ] || skip "built without OpenSSL: no reprise-remote"
	mkdir -p pki tls
	local name
	# Beside libexec/, as an installed program has it.
	cp "$WIRE" tls/redis_wire
	ln -s "$TOP/build/libexec" tls/libexec
	WIRE=$PWD/tls/redis_wire
	for name in ca other; do
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$name" \
			-keyout "pki/$name.key" -out "pki/$name.crt" 2>/dev/null
	done
	certificate good ca 2 'subjectAltName=DNS:localhost,IP:127.0.0.1'
	certificate named ca 2 'subjectAltName=DNS:cache.test'
	certificate foreign other 2 'subjectAltName=DNS:localhost,IP:127.0.0.1'
	certificate client ca 2 'extendedKeyUsage=clientAuth'
	certificate old ca -1 'subjectAltName=DNS:localhost,IP:127.0.0.1'
}

certificate() { # NAME AUTHORITY DAYS EXTENSION
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "pki/$1.key" -out "pki/$1.csr" 2>/dev/null
	printf '%s\n' "$4" >pki/ext
	if [ "$3" -gt 0 ]; then
		openssl x509 -req -in "pki/$1.csr" -CA "pki/$2.crt" -CAkey "pki/$2.key" -CAcreateserial -days "$3" -extfile pki/ext \
			-out "pki/$1.crt" 2>/dev/null
	else
		mkdir -p pki/ca.d
		: >pki/ca.d/index.txt
		printf '[ca]\ndefault_ca=c\n[c]\nnew_certs_dir=pki/ca.d\ndatabase=pki/ca.d/index.txt\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' >pki/ca.conf
		openssl ca -batch -config pki/ca.conf -cert "pki/$2.crt" -keyfile "pki/$2.key" -in "pki/$1.csr" -extfile pki/ext \
			-startdate 20200101000000Z -enddate 20200201000000Z -out "pki/$1.crt" -notext 2>/dev/null
	fi
	[ -s "pki/$1.crt" ] || fail "no certificate $1"
}

tls_start() { # NAME CERTIFICATE [settings...]: TLS_PORT
	local name=$1 cert=$2
	shift 2
	TLS_PORT=$(redis_free_port)
	redis_start "$name" --tls-port "$TLS_PORT" --tls-cert-file "$PWD/pki/$cert.crt" --tls-key-file "$PWD/pki/$cert.key" \
		--tls-ca-cert-file "$PWD/pki/ca.crt" --tls-auth-clients no "$@"
}

@test "redis_wire: TLS" {
	certificates
	tls_start main good --requirepass s3cret
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	wire "rediss://:s3cret@localhost:$TLS_PORT/2" set a b , get a , lpush l x
	says 0 $'+OK\n$b\n:1'
	wire "rediss://:s3cret@127.0.0.1:$TLS_PORT/2" -n 5 get a
	says 0 '$b'
	wire "rediss://:s3cret@localhost:$TLS_PORT" -t 20000 -l 67108864 set big %20000000 , get big
	says 0 '$20000000 bytes'
	# The driver checks that no descriptor and no child is left over.
	wire "rediss://:s3cret@localhost:$TLS_PORT/2" -f -n 5 get a
	says 0 '$b'
	[[ $output != *LEAK* ]]
	wire "rediss://:wrong1@localhost:$TLS_PORT" get a
	says 1 'access denied' WRONGPASS
	# A directory of certificates; the system's variable.
	mkdir cas && cp pki/ca.crt "cas/$(openssl x509 -in pki/ca.crt -noout -hash).0"
	REPRISE_REDIS_TLS_CA=$PWD/cas wire "rediss://:s3cret@localhost:$TLS_PORT/2" get a
	says 0 '$b'
	unset REPRISE_REDIS_TLS_CA
	SSL_CERT_FILE=$PWD/pki/ca.crt wire "rediss://:s3cret@localhost:$TLS_PORT/2" get a
	says 0 '$b'
	wire "rediss://:s3cret@localhost:$TLS_PORT/2" get a
	says 1 'access denied' 'TLS: ' certificate
}

@test "redis_wire: TLS, what is wrong with a certificate" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	tls_start main named
	wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'hostname mismatch'
	wire "rediss://127.0.0.1:$TLS_PORT" get a
	says 1 'access denied' 'IP address mismatch'
	REPRISE_REDIS_TLS_NAME=cache.test wire "rediss://127.0.0.1:$TLS_PORT" get a
	says 0 nil
	tls_start foreign foreign
	wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'unable to get local issuer certificate'
	tls_start old old
	wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'certificate has expired'
	REPRISE_REDIS_TLS_CA=$PWD/none wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'cannot be loaded'
	tls_start ancient good --tls-protocols TLSv1.1
	wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'TLS: '
}

@test "redis_wire: TLS, a client's certificate" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	tls_start main good --tls-auth-clients yes
	wire "rediss://localhost:$TLS_PORT" get a
	[ "$status" = 1 ]
	export REPRISE_REDIS_TLS_CERT=$PWD/pki/client.crt REPRISE_REDIS_TLS_KEY=$PWD/pki/client.key
	wire "rediss://localhost:$TLS_PORT" get a
	says 0 nil
	REPRISE_REDIS_TLS_KEY=$PWD/pki/good.key wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'client certificate or key'
}

@test "redis_wire: rediss:// never ends in plaintext" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	redis_start main
	# A plaintext server behind it, one that hangs, one that is not there.
	wire "rediss://:s3cret@localhost:$REDIS_PORT" -t 1000 get a
	[ "$status" = 1 ]
	[[ $output == 'access denied'* || $output == 'no connection'* || $output == 'timed out'* ]] || fail "$output"
	redis_proxy hang 0 hang
	wire "rediss://localhost:$PROXY_PORT" -t 200 get a
	timed_out 200
	wire "rediss://localhost:$(redis_free_port)" get a
	says 1 'no connection' 'refused'
	# Without the program there is no remote.
	mkdir bin && cp "$WIRE" bin/
	run env REPRISE_REDIS_URL="rediss://localhost:$REDIS_PORT" bin/redis_wire get a
	says 3 'off: ' 'reprise-remote'
	# One that says nothing, one that says anything.
	mkdir -p bin/libexec
	put bin/libexec/reprise-remote '#!/bin/sh' 'exit 0'
	chmod +x bin/libexec/reprise-remote
	run env REPRISE_REDIS_URL="rediss://localhost:$REDIS_PORT" bin/redis_wire get a
	says 1 'out of resources' 'without a word'
	put bin/libexec/reprise-remote '#!/bin/sh' 'echo hello >&0; sleep 5'
	run env REPRISE_REDIS_URL="rediss://localhost:$REDIS_PORT" bin/redis_wire get a
	says 1 'out of resources'
	# The server heard no command.
	[ "$(redis_cli main info commandstats | grep -c -E 'cmdstat_(get|auth)')" = 0 ]
}

@test "redis_wire: the TLS program has no secret, no environment and nothing of the job" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	tls_start main good --requirepass s3cret
	redis_cli main -a s3cret --no-auth-warning config set slowlog-log-slower-than 0 >/dev/null
	# A command that keeps the connection open for a second.
	exec 7<pki/ca.crt
	LD_PRELOAD='' REPRISE_REDIS_URL="rediss://:s3cret@localhost:$TLS_PORT" "$WIRE" -t 3000 blpop nothing 1 >out 7<&7 &
	local driver=$! pid= i
	for ((i = 0; i < 100; i++)); do
		pid=$(pgrep -f "^$PWD/tls/libexec/reprise-remote localhost $TLS_PORT" | head -n 1)
		[ -z "$pid" ] || [ ! -e "/proc/$pid/fd/3" ] || break
		sleep 0.01
	done
	[ -n "$pid" ] || fail "no such process"
	! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q s3cret
	[ ! -s "/proc/$pid/environ" ] || fail "environment: $(tr '\0' ' ' <"/proc/$pid/environ")"
	! ls -l "/proc/$pid/fd" | grep -q -E 'ca.crt|/out|pipe:' || fail "$(ls -l "/proc/$pid/fd")"
	[ "$(readlink "/proc/$pid/cwd")" = / ]
	wait "$driver"
	sleep 0.2
	[ ! -e "/proc/$pid" ] || [ "$(ps -o stat= -p "$pid")" = '' ] || fail "it is still there: $(ps -p "$pid")"
	exec 7<&-
}

# A key of the slots that a node has.
key_on() { # NODE
	local i id slot
	id=$(redis_cli "$1" cluster myid)
	for ((i = 0; i < 1000; i++)); do
		slot=$(redis_cli "$1" cluster keyslot "{k$i}")
		redis_cli "$1" cluster nodes | grep "^$id " | grep -o ' [0-9]*-[0-9]*' | while IFS=- read -r a b; do
			((slot >= a && slot <= b)) && echo yes
		done | grep -q yes && { echo "k$i"; return; }
	done
}

@test "redis_wire: a cluster: slots, MOVED, ASK, a node lost" {
	redis_cluster 3 1
	local url key home other slot
	url=redis://127.0.0.1:$(redis_port n0)
	mkdir rt && chmod 700 rt
	key=$(key_on n1)
	# A plain server's client learns of the cluster from the first MOVED, and tells the others of the node.
	wire "$url" -r "$PWD/rt" -c "$key" lpush "l:{$key}" a b c , ltrim "l:{$key}" 0 1 , expire "l:{$key}" 100 , set "s:{$key}" v
	says 0 $':3\n+OK\n:1\n+OK'
	[ "$(redis_cli n1 lrange "l:{$key}" 0 -1 | tr '\n' ' ')" = 'c b ' ]
	ls rt/cluster-* >/dev/null
	redis_cli n0 config resetstat >/dev/null
	redis_cli n1 config resetstat >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" get "s:{$key}"
	says 0 '$v'
	[ "$(redis_cli n0 info commandstats | grep -c cmdstat_get)" = 0 ] || fail "the map was not used"
	# Every slot's home is found, over one process and over many.
	local i
	for ((i = 0; i < 12; i++)); do
		wire "$url" -r "$PWD/rt" -c "t$i" set "x:{t$i}" "$i" , get "x:{t$i}"
		says 0 "\$$i" || return 1
	done
	wire "$url" -c "$key" -n 3 get "s:{$key}"
	says 0 '$v'

	# A slot on its way: ASK for what has left, the old home for what has not.
	slot=$(redis_cli n1 cluster keyslot "$key")
	home=$(redis_cli n1 cluster myid) other=$(redis_cli n2 cluster myid)
	redis_cli n2 cluster setslot "$slot" importing "$home" >/dev/null
	redis_cli n1 cluster setslot "$slot" migrating "$other" >/dev/null
	redis_cli n1 migrate 127.0.0.1 "$(redis_port n2)" "s:{$key}" 0 1000 >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" lrange "l:{$key}" 0 -1 , get "s:{$key}" , get "new:{$key}"
	says 0 $'*2\n  $c\n  $b\n$v\nnil'
	[ "$(redis_cli n2 info commandstats | grep -c cmdstat_asking)" = 1 ]
	# Arrived: MOVED from the home that the map names.
	redis_cli n1 migrate 127.0.0.1 "$(redis_port n2)" "l:{$key}" 0 1000 >/dev/null
	for i in n2 n1 n0; do redis_cli $i cluster setslot "$slot" node "$other" >/dev/null; done
	wire "$url" -r "$PWD/rt" -c "$key" lrange "l:{$key}" 0 -1 , get "s:{$key}"
	says 0 $'*2\n  $c\n  $b\n$v'
	redis_cli n1 config resetstat >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" get "s:{$key}"
	says 0 '$v'
	[ "$(redis_cli n1 info commandstats | grep -c cmdstat_get)" = 0 ] || fail "the new home was not remembered"

	# A master is killed: refused at once, then its replica serves; n0, the configured one, is next.
	redis_kill n2
	wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
	[ "$status" = 1 ] || [[ $output == *CLUSTERDOWN* ]] || fail "$output"
	for ((i = 0; i < 100; i++)); do
		wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
		[[ $output != *'$v'* ]] || break
		sleep 0.1
	done
	says 0 '$v' || return 1
	redis_kill n0
	sleep 0.1
	for ((i = 0; i < 100; i++)); do
		wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
		[[ $output != *'$v'* ]] || break
		sleep 0.1
	done
	says 0 '$v' || fail "the other nodes of the map were not asked: $output"
}

@test "redis_wire: redirects that lead nowhere end" {
	# To a port where nobody is, and back to the one who says it.
	redis_proxy liar 0 always '-MOVED 1 :1\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a
	says 1 'refused'
	redis_proxy liar 0 always '-MOVED 1 127.0.0.1:{port}\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a , get b
	says 1 'server not ready' 'lead nowhere'
	redis_proxy liar 0 always '-ASK 1 127.0.0.1:{port}\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a , get b
	says 1 'server not ready' 'lead nowhere'
	redis_proxy liar 0 always '-MOVED x y\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a
	says 1 'server not ready' 'lead nowhere'
}
