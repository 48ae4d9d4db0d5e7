#!/usr/bin/env bats
# Remote stores at http(s)://: the backend by itself, on real servers and on a faulty one.

setup() {
	load lib
	load redis
	load tls
	load web
	web_setup
}
teardown() { web_teardown; }

# All verbs, on an empty store.
all_verbs() {
	head -c 3000000 /dev/urandom >big
	web "path=/a/b c" -- ping , get r:x , has r:x , put r:x small , has r:x , \
		get r:x small , put r:big big , get r:big big , get r:big - , get r:x small , \
		put r:x big , get r:x big
	prints ok 'absent: *404' 'not there' ok there 'ok: 206 bytes' ok 'ok: 3000200 bytes' \
		'ok: *' 'ok: 206 bytes' ok 'ok: 3000200 bytes'
	web "path=/a/b c/" -- list m:a , add m:a one , add m:a two , list m:a , \
		addat m:a three 0 , list m:a , add m:a one , list m:a , \
		put r:y small , read r:none m:a m:none r:y r:x , remove m:a , list m:a , \
		remove r:x , has r:x
	# A large one is no part of what comes at once.
	prints 'absent: *' ok ok 'ok: two one' ok 'ok: three one' ok 'ok: one three' ok \
		absent 'ok: one three' absent ok fault ok 'absent: *' ok 'not there'
	find "$WEB/data" -type f | grep -q "^$WEB/data/a/b c/[0-9a-f][0-9a-f]/r-[0-9a-f]\{62\}$"
}

# bats test_tags=check
@test "http: all verbs on nginx" {
	nginx_start
	all_verbs
}

# bats test_tags=check
@test "http: all verbs on Apache" {
	apache_start
	all_verbs
}

# bats test_tags=check
@test "http: a server that makes directories by itself gets no MKCOL" {
	nginx_start 'create_full_put_path on;'
	web -- put r:x small , get r:x small
	prints ok 'ok: 206 bytes'
	! grep MKCOL "$WEB/log" || fail "MKCOL"
}

@test "http: each fault is a miss with a word" {
	faulty_start
	local path expected
	while read -r path expected; do
		web "path=/$path" ms=400 most=10000000 -- get r:x small
		prints "$expected" || fail "/$path"
	done <<-'END'
		404 absent: the server: GET answers 404
		410 absent: the server: GET answers 410
		401 denied: the server: GET answers 401: wrong credentials, or not allowed
		403 denied: the server: GET answers 403: wrong credentials, or not allowed
		500 server: the server: GET answers 500
		503 server: the server: GET answers 503
		busy server: the server: GET answers 503: retry after 7 s
		redirect server: the server: GET answers 302, a redirect, which is not followed
		sameplace server: the server: GET answers 301, a redirect, which is not followed
		206 garbage: the server: GET answers 206, which is no object
		nocontent garbage: the server: GET answers 204, which is no object
		cut closed: *
		cuthead closed: *
		short garbage: *length*
		long garbage: *length*
		tiny garbage: *
		empty ok: *
		nolength ok: 206 bytes
		endless garbage: *length*
		huge garbage: *too large
		trickle timeout: *
		slowhead timeout: *
		hang timeout: *
		garbage garbage: *
		close closed: *
		gzip ok: 206 bytes
	END
}

# bats test_tags=check
@test "http: writes and questions meet the same faults" {
	faulty_start
	web path=/403 ms=400 -- put r:x small , has r:x , add m:x one , remove r:x , ping
	prints 'denied: *PUT answers 403*' '*HEAD answers 403*' 'denied: *GET answers 403*' \
		'denied: *DELETE*' 'denied: *GET answers 403*'
	web path=/500 ms=400 -- put r:x small , has r:x , add m:x one , ping
	prints 'server: *PUT answers 500' '*HEAD answers 500' 'server: *' 'server: *'
	web path=/404 ms=400 -- put r:x small , ping
	prints 'server: *PUT answers 404' ok
	web path=/507 ms=400 -- put r:x small
	prints 'server: *507'
	web path=/hang ms=300 -- put r:x small , add m:x one , has r:x , ping
	prints 'timeout: *' 'timeout: *' '*timed out*' 'timeout: *'
	web path=/redirect ms=300 -- put r:x small , has r:x
	prints 'server: *redirect*' '*redirect*'
	WEB_PORT=1 web -- get r:x , ping
	prints 'refused: *' 'refused: *'
	web host=no.such.name.invalid -- get r:x
	prints 'refused: *resolve*'
}

# bats test_tags=check
@test "http: many reads at once meet the same faults, and end together" {
	faulty_start
	web path=/403 ms=400 -- read r:x m:x
	prints 'denied: *GET answers 403*'
	web path=/500 ms=400 -- read r:x m:x
	prints 'server: *GET answers 500'
	web path=/404 ms=400 -- read r:x m:x
	prints absent absent
	web path=/cut ms=400 -- read m:x m:y
	prints 'closed: *'
	local start=$(date +%s%N)
	web path=/hang ms=500 -- read r:1 r:2 r:3 r:4 m:1 m:2 m:3 m:4
	prints 'timeout: *'
	[ $((($(date +%s%N) - start) / 1000000)) -lt 1500 ] || fail "one after the other"
	: >"$WEB/log"
	web path=/ok -- add m:x one , add m:y two , \
		read m:x m:y m:{1..30} , read m:x m:y m:{1..30} , list m:x , counts
	prints ok ok 'ok: one' 'ok: two' $(printf 'absent %.0s' {1..30}) \
		'ok: one' 'ok: two' $(printf 'absent %.0s' {1..30}) 'ok: one' 69
	[ "$(connections)" -gt 1 ] || fail "one connection"
	[ "$(connections)" -le 16 ] || fail "$(connections) connections"
}

# bats test_tags=check
@test "http: a fault ends by its deadline" {
	faulty_start
	local path start took
	for path in trickle slowhead hang; do
		start=${EPOCHREALTIME/./}
		web path=/$path ms=500 -- get r:x
		took=$(((${EPOCHREALTIME/./} - start) / 1000))
		prints 'timeout: *'
		[ "$took" -ge 500 ] || fail "/$path: $took ms"
		[ "$took" -lt 3000 ] || fail "/$path: $took ms"
	done
}

# bats test_tags=check
@test "http: a large object gets more time than its head, while bytes come" {
	faulty_start
	web path=/slow ms=500 -- get r:x
	prints 'timeout: timed out: 20? bytes came'
	web path=/slow ms=500 rest=5000 -- get r:x small
	prints 'ok: 206 bytes'
	web path=/slow ms=5000 rest=300 -- get r:x small
	prints 'timeout: *'
	web path=/slow ms=5000 stall=1000 -- get r:x small
	prints 'ok: 206 bytes'
	local start=${EPOCHREALTIME/./}
	web path=/hang ms=20000 stall=300 -- get r:x
	prints 'timeout: *'
	[ $((${EPOCHREALTIME/./} - start)) -lt 10000000 ]
}

# bats test_tags=check
@test "http: one connection serves all requests, also after errors and in a child" {
	faulty_start
	web path=/ok -- put r:x small , get r:x small , get r:y , list m:x , add m:x one , \
		fork , get r:x small , remove r:x
	prints ok 'ok: 206 bytes' 'absent: *' 'absent: *' ok 'ok: 206 bytes' ok
	[ "$(connections)" = 1 ] || fail "$(cat "$WEB/log")"
}

# bats test_tags=check
@test "http: a kept connection that the server closed is made again" {
	nginx_start 'keepalive_timeout 1;'
	web -- put r:x small , get r:x small , sleep 1500 , get r:x small , put r:x small
	prints ok 'ok: 206 bytes' 'ok: 206 bytes' ok
}

@test "http: a writer that was overtaken reads the list again" {
	faulty_start
	web path=/overtaken -- add m:x one , list m:x , add m:x two , list m:x
	prints ok 'ok: one theirs' ok 'ok: two one theirs'
	web path=/always -- add m:x one , add m:x two , list m:x
	prints ok ok 'ok: two one'
	web path=/unconditional -- add m:x one , add m:x two , list m:x
	prints ok ok 'ok: two one'
	[ "$(grep -c 'PUT /unconditional' "$WEB/log")" = 3 ]
}

# bats test_tags=check
@test "http: user and password, and neither in a fault" {
	nginx_start 'auth_basic x; auth_basic_user_file users;'
	printf 'me:%s\n' "$(openssl passwd -apr1 s3cret:@x)" >"$WEB/users"
	web user=me "password=s3cret:@x" -- put r:x small , get r:x small
	prints ok 'ok: 206 bytes'
	web user=me password=s3cret -- get r:x , put r:x small
	prints 'denied: *401*' 'denied: *401*'
	[[ $output != *s3cret* ]] || fail "$output"
	web -- get r:x
	prints 'denied: *401*'
	printf 'machine 127.0.0.1 login me password s3cret:@x\n' >"$HOME/.netrc"
	web -- get r:x small
	prints 'ok: 206 bytes'
	# A user of the URL is the user.
	web user=you password=x -- get r:x
	prints 'denied: *401*'
}

@test "http: a bearer token, and its successor" {
	faulty_start
	echo one >"$WEB/token"
	echo one >token
	export REPRISE_REMOTE_TOKEN_FILE=$W/token
	web path=/token -- put r:x small , get r:x small , \
		shell "echo two >$WEB/token" , get r:x , get r:x , \
		shell "echo two >$W/token" , get r:x small , get r:x small
	prints ok 'ok: 206 bytes' 'denied: *401*' 'denied: *401*' 'ok: 206 bytes' 'ok: 206 bytes'
	[[ $output != *one* ]] || fail "$output"
	# A user of the URL wins.
	web path=/token user=a password=b -- get r:x
	prints 'denied: *401*'
	[[ $(tail -n 1 "$WEB/log") == *Basic* ]] || fail "$(tail -n 1 "$WEB/log")"
	printf 'a\nb\n' >token
	web path=/token -- get r:x
	prints 'off: credentials * are not one line of text'
	export REPRISE_REMOTE_TOKEN_FILE=$W/none
	web path=/token -- get r:x
	prints 'off: read credentials */none: No such file or directory'
}

# bats test_tags=check
@test "http: TLS with an authority of one's own" {
	authority ca
	authority other
	certificate good ca 2 "$LOCAL_NAMES"
	certificate named ca 2 subjectAltName=DNS:example.com
	faulty_start good
	web scheme=https path=/ok -- get r:x
	prints 'denied: *certificate*'
	CURL_CA_BUNDLE=$W/pki/ca.crt web scheme=https path=/ok -- put r:x small , fork , \
		get r:x small
	prints ok 'ok: 206 bytes'
	[ "$(connections)" = 1 ] || fail "$(cat "$WEB/log")"
	SSL_CERT_FILE=$W/pki/ca.crt web scheme=https host=localhost path=/ok -- get r:x small
	prints 'ok: 206 bytes'
	SSL_CERT_FILE=$W/pki/other.crt web scheme=https path=/ok -- get r:x
	prints 'denied: *certificate*'
	SSL_CERT_FILE=$W/none web scheme=https path=/ok -- get r:x
	prints 'denied: *certificate*'
	# Neither speaks to a server of the other kind.
	web path=/ok ms=1000 -- get r:x
	prints '[cgt]*: *'
	faulty_start named
	SSL_CERT_FILE=$W/pki/ca.crt web scheme=https path=/ok -- get r:x
	prints 'denied: *'
	faulty_start
	SSL_CERT_FILE=$W/pki/ca.crt web scheme=https path=/ok -- get r:x
	prints 'denied: *'
}

# bats test_tags=check
@test "http: HTTP/2 and IPv6" {
	grep -q . /proc/net/if_inet6 || skip "no IPv6"
	authority ca
	certificate good ca 2 "subjectAltName=DNS:localhost,IP:::1,IP:127.0.0.1"
	local tls
	tls=$(redis_free_port)
	nginx_start "listen [::1]:$tls ssl http2; ssl_certificate $W/pki/good.crt;
		ssl_certificate_key $W/pki/good.key;"
	head -c 3000000 /dev/urandom >big
	export SSL_CERT_FILE=$W/pki/ca.crt
	WEB_PORT=$tls web scheme=https host=::1 path=/x -- put r:x big , get r:x big , get r:x - , \
		get r:x big , has r:y , add m:x one , list m:x
	prints ok 'ok: 3000200 bytes' 'ok: *' 'ok: 3000200 bytes' 'not there' ok 'ok: one'
	grep -q 'GET .* HTTP/2.0" 200' "$WEB/log"
}

# bats test_tags=check
@test "http: a proxy of the environment is asked" {
	faulty_start
	http_proxy=http://127.0.0.1:$WEB_PORT web host=no.such.name.invalid path=/x -- get r:x
	[[ $output != *resolve* ]] || fail "$output"
	grep -q 'GET http://no.such.name.invalid' "$WEB/log"
	: >"$WEB/log"
	http_proxy=http://127.0.0.1:$WEB_PORT no_proxy=127.0.0.1 web path=/ok -- get r:x
	grep -q 'GET /ok' "$WEB/log"
}

# bats test_tags=check
@test "http: without libcurl the URL is refused" {
	mkdir none
	: >none/libcurl.so.4
	: >none/libcurl-gnutls.so.4
	WEB_PORT=1 LD_LIBRARY_PATH=$W/none web -- get r:x
	prints 'off: libcurl is not installed: neither libcurl.so.4 nor libcurl-gnutls.so.4 can*'
	rm none/libcurl-gnutls.so.4
	[ -e /usr/lib/x86_64-linux-gnu/libcurl-gnutls.so.4 ] || skip "no libcurl-gnutls"
	nginx_start
	LD_LIBRARY_PATH=$W/none web -- put r:x small , get r:x small
	prints ok 'ok: 206 bytes'
}
