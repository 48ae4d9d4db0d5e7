#!/usr/bin/env bats
# remote/tls: TLS to real servers with good and bad certificates, and never a connection without it,
# through build/helpers/redis_wire.

setup() { load lib; load redis; load wire_lib; load tls; wire_setup; }
teardown() { wire_teardown; }

# Certificates of a case: ca (good) and other (another authority). Of the server: good, named
# (without address), old (expired), foreign (by the other authority), and client.
certificates() {
	need_tls
	authority ca
	authority other
	certificate good ca 2 "$LOCAL_NAMES"
	certificate named ca 2 'subjectAltName=DNS:cache.test'
	certificate foreign other 2 "$LOCAL_NAMES"
	certificate client ca 2 'extendedKeyUsage=clientAuth'
	certificate old ca -1 "$LOCAL_NAMES"
}

@test "redis_wire_tls: TLS" {
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

@test "redis_wire_tls: TLS, what is wrong with a certificate" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	tls_start main named
	wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'ostname mismatch'
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

@test "redis_wire_tls: TLS, a client's certificate" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	for protocol in TLSv1.2 TLSv1.3; do
		tls_start "$protocol" good --tls-auth-clients yes --tls-protocols "$protocol"
		wire "rediss://localhost:$TLS_PORT" get a
		says 1 'access denied' 'TLS: ' alert
	done
	export REPRISE_REDIS_TLS_CERT=$PWD/pki/client.crt REPRISE_REDIS_TLS_KEY=$PWD/pki/client.key
	wire "rediss://localhost:$TLS_PORT" get a
	says 0 nil
	REPRISE_REDIS_TLS_KEY=$PWD/pki/good.key wire "rediss://localhost:$TLS_PORT" get a
	says 1 'access denied' 'client certificate or key'
}

# bats test_tags=check
@test "redis_wire_tls: nobody is asked for the password of a client's key" {
	certificates
	tls_start main good --tls-auth-clients yes
	openssl pkey -in pki/client.key -aes256 -passout pass:word -out pki/locked.key
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt REPRISE_REDIS_TLS_CERT=$PWD/pki/client.crt \
		REPRISE_REDIS_TLS_KEY=$PWD/pki/locked.key \
		REPRISE_REDIS_URL=rediss://localhost:$TLS_PORT
	run timeout 20 "$PY" "$TOP/tests/e2e/on_pty.py" "$WIRE" get a
	says 1 'access denied' 'client certificate or key'
	[[ $output != *phrase* ]] || fail "$output"
	# Nor is the standard input read.
	{
		run timeout 20 setsid -w "$WIRE" get a
		says 1 'access denied' 'client certificate or key'
		[ "$(cat)" = word ] || fail 'the input was read'
	} < <(echo word)
}

# bats test_tags=check
@test "redis_wire_tls: rediss:// never ends in plaintext" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	redis_start main
	# A plaintext server behind it, one that hangs, one that is not there.
	wire "rediss://:s3cret@localhost:$REDIS_PORT" -t 1000 get a
	[ "$status" = 1 ]
	[[ $output == 'access denied'* || $output == 'no connection'* ||
		$output == 'timed out'* ]] || fail "$output"
	redis_proxy hang 0 hang
	wire "rediss://localhost:$PROXY_PORT" -t 200 get a
	timed_out 200
	wire "rediss://localhost:$(redis_free_port)" get a
	says 1 'no connection' 'refused'
	# Without OpenSSL there is no remote store.
	sed 's/libssl\.so\.3/libssl.so.8/g; s/libssl\.so\.1\.1/libssl.so.8.8/g' "$WIRE" >wire
	chmod +x wire
	WIRE=$PWD/wire wire "rediss://localhost:$REDIS_PORT" get a
	says 1 'access denied' 'OpenSSL is not installed'
	# The server received no command.
	[ "$(redis_cli main info commandstats | grep -c -E 'cmdstat_(get|auth)')" = 0 ]
}

# The server's tickets come after the handshake, and no answer of its own.
@test "redis_wire_tls: one connection serves many look-ups, and a large value in both directions" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	for protocol in TLSv1.2 TLSv1.3; do
		tls_start "$protocol" good --tls-protocols "$protocol"
		wire "rediss://localhost:$TLS_PORT" -t 20000 -w 100 -n 5 -l 67108864 \
			set big %20000000 , get big
		says 0 '$20000000 bytes'
		[ "$(redis_cli "$protocol" info stats |
			sed -n 's/^total_connections_received:\([0-9]*\).*/\1/p')" -le 3 ] ||
			fail "$protocol: $(redis_cli "$protocol" info stats)"
	done
}

# bats test_tags=check
@test "redis_wire_tls: a child of the process leaves its connection alone" {
	certificates
	export REPRISE_REDIS_TLS_CA=$PWD/pki/ca.crt
	tls_start main good
	wire "rediss://localhost:$TLS_PORT" -k -n 3 get a
	says 0 nil
}
