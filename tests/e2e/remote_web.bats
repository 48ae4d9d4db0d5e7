#!/usr/bin/env bats
# Jobs of several nodes whose remote store is at http:// or s3://: real servers, wrong credentials,
# servers in trouble, signatures, damaged entries. The backends alone: remote_http, remote_s3.

setup_file() { load lib && load redis && load web && moto_start; }
teardown_file() { load web && moto_end; }

setup() {
	load lib
	load redis
	load remote_lib
	load web
	web_setup
	need gcc
	REDIS_URL=
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() {
	remote_end
	web_teardown
}

# The remote store is at this URL; SERVER is replaced.
store_at() { export REPRISE_REMOTE_URL=${1//SERVER/127.0.0.1:$WEB_PORT}; }

# What a team does: a small result, a large one, an error, two candidates, a program.
jobs() {
	source_with_header 'int a(void) { return A; }'
	across -- gcc -c a.c
	put a.h '#define A 2'
	rm -f a.o
	across -- gcc -c a.c
	head -c 3500000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	across --makes big.o -- as big.s -o big.o
	put bad.c 'int a(int x) { return y; }'
	across --status 1 -- gcc -c bad.c -o b.o
	nodes_whole a b
	put a.h '#define A 1'
	age
	fresh c
	REPRISE_REMOTE_READONLY=1 again remote --warnings
}

# bats test_tags=check
@test "remote_web: nodes share a WebDAV directory" {
	nginx_start
	store_at http://SERVER/team/cache
	jobs
	[ "$(find "$WEB/data/team/cache" -name 'm-*' | wc -l)" = 3 ]
	reprise doctor >doctor || fail "$(cat doctor)"
	grep "http://127.0.0.1:$WEB_PORT/team/cache" doctor
}

# bats test_tags=check
@test "remote_web: entries come ahead of a job, over several connections" {
	local i
	nginx_start
	store_at http://SERVER/team
	for i in 1 2 3 4 5 6; do put "s$i.c" "int f$i(int x) { return x + $i; }"; done
	head -c 3500000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	put build.sh 'for i in 1 2 3 4 5 6; do gcc -O1 -c s$i.c -o s$i.o || exit 1; done' \
		'as big.s -o big.o'
	sh build.sh
	cp big.o want.big
	cp s6.o want.s6
	age
	export REPRISE_QUIET=1
	reprise run --job J -- sh build.sh
	on b
	rm -f ./*.o
	reprise prefetch J >said || fail "$(cat said)"
	grep -q '^14 entries came' said || fail "$(cat said)"
	: >"$WEB/log"
	reprise run --job J -- sh build.sh
	cmp big.o want.big
	cmp s6.o want.s6
	[ "$(stat_of hits_remote)" = 7 ] || fail "$(cat "$LOG")"
	! grep 'GET [^ ]*/[mr]-' "$WEB/log" || fail "it was asked for"
}

# bats test_tags=check
@test "remote_web: nodes share a bucket" {
	need_moto
	moto PUT /jobs
	store_at "s3://jobs/team?endpoint=http://127.0.0.1:$MOTO_PORT&region=eu-west-1"
	jobs
	# doctor may find moto slow.
	reprise doctor >doctor || :
	grep 'publish  *allowed' doctor || fail "$(cat doctor)"
}

# publisher_killed: some of 24 entries are sent when the publisher is killed, and all by the next.
publisher_killed() {
	local i kills=0 pid s wait
	for i in {1..12}; do put "k$i.c" "int k$i(void) { return $i; }"; done
	age
	for i in {1..12}; do under gcc -c "k$i.c"; done
	remote_end
	# The first two die as they start: a publisher sends all of it in 40 ms.
	for wait in 0.002 0.005 0.01 0.02 0.03 0.04; do
		REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME \
			"$REPRISE_BIN" publish --wait 60 >/dev/null 2>&1 3>&- &
		pid=$!
		sleep $wait
		kill -9 $pid 2>/dev/null || :
		wait $pid 2>/dev/null && s=0 || s=$?
		[ $s != 137 ] || kills=$((kills + 1))
	done
	[ $kills != 0 ] || fail "no publisher was killed"
	reprise publish --wait 60 || fail "not published"
	on b
	rm -f k*.o
	for i in {1..12}; do under gcc -c "k$i.c"; done
	[ "$(stat_of hits_remote)" = 12 ] || fail "$(stat_of hits_remote) hits: $(cat "$LOG")"
	[ "$(stat_of refused_entries)" = 0 ]
}

# bats test_tags=check
@test "remote_web: a publisher that is killed loses nothing" {
	nginx_start
	store_at http://SERVER/team
	publisher_killed
	need_moto
	moto PUT /killed
	remote_end
	rm -rf "$ROOT/a" "$ROOT/b" "$ROOT/a.run" "$ROOT/b.run"
	on a
	store_at "s3://killed/team?endpoint=http://127.0.0.1:$MOTO_PORT&region=eu-west-1"
	publisher_killed
}

# The compile is right, nothing is found, and doctor says why. The bound is loose: a busy machine.
sick() { # WHAT WORDS
	local start
	fresh s
	start=${EPOCHREALTIME/./}
	again miss --warnings || { fail "$1"; return 1; }
	[ $((${EPOCHREALTIME/./} - start)) -lt 20000000 ] || { fail "$1: slow"; return 1; }
	! reprise doctor >doctor || { fail "$1: nothing to mend"; return 1; }
	grep -q "^mend .*$2" doctor || { fail "$1: $(grep -A 1 ^mend doctor)"; return 1; }
}

# bats test_tags=check
@test "remote_web: servers in trouble cost a bounded time, and doctor says what is wrong" {
	faulty_start
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=300ms
	store_at http://SERVER/403
	differential --warm none --warnings -- gcc -c a.c
	local fault words
	while read -r fault words; do
		store_at "http://SERVER/$fault"
		sick "$fault" "$words"
	done <<-'END'
		busy retry after 7 s
		hang timed out
	END
	store_at "s3://bucket?endpoint=http://127.0.0.1:$WEB_PORT/nobucket"
	sick nobucket 'the bucket does not exist (NoSuchBucket)'
	unset AWS_ACCESS_KEY_ID
	sick credentials 'S3: no credentials'
}

# bats test_tags=check
@test "remote_web: a server that needs 200 ms serves, without a setting" {
	faulty_start
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	store_at http://SERVER/ok
	across -- gcc -c a.c
	store_at http://SERVER/late
	fresh c
	REPRISE_REMOTE_READONLY=1 again remote --warnings
}

# bats test_tags=check
@test "remote_web: user, password and token reach the server and no file" {
	nginx_start 'auth_basic x; auth_basic_user_file users;'
	printf 'me:%s\n' "$(openssl passwd -apr1 s3cret)" >"$WEB/users"
	store_at http://me:s3cret@SERVER/cache
	across -- gcc -c a.c
	reprise doctor >"$ROOT/doctor" || fail "$(cat "$ROOT/doctor")"
	! grep -rlF s3cret "$ROOT"/{a,b} "$ROOT"/{a,b}.* "$ROOT/doctor" ||
		fail "the password is in the above"
	store_at http://me:wr0ng@SERVER/cache
	sick password '401: wrong credentials'
	! grep -F wr0ng doctor || fail "the password is in doctor"
}

# bats test_tags=check
@test "remote_web: only signed entries, where keys are configured" {
	nginx_start
	store_at http://SERVER/cache
	local public
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	REPRISE_SIGN_KEY=$ROOT/key across -- gcc -c a.c || true
	on a
	REPRISE_SIGN_KEY=$ROOT/key drain
	fresh c
	REPRISE_TRUST=$public REPRISE_REMOTE_READONLY=1 again remote
	fresh d
	REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/other") REPRISE_REMOTE_READONLY=1 \
		again miss:refused --warnings
	[ "$(stat_of refused_entries)" -ge 1 ]
}

# bats test_tags=check
@test "remote_web: damaged objects are refused, and replaced" {
	nginx_start
	store_at http://SERVER/cache
	across -- gcc -c a.c
	local f how
	for how in 'truncate -s 300' 'truncate -s +10' \
		'dd bs=1 seek=400 conv=notrunc count=8 if=/dev/urandom status=none of='; do
		for f in "$WEB"/data/cache/*/[mr]-*; do
			cp "$f" "$ROOT/kept"
			if [[ $how == *= ]]; then $how"$f"; else $how "$f"; fi
			fresh c
			REPRISE_REMOTE_READONLY=1 again any --warnings || fail "$how ${f##*/}"
			[ "$(stat_of hits_remote)" = 0 ] || fail "$how ${f##*/}: believed"
			cp "$ROOT/kept" "$f"
		done
	done
	# A list of another version is replaced by the next publisher.
	for f in "$WEB"/data/cache/*/m-*; do printf 'RPRLIST\002more' >"$f"; done
	fresh c
	again any --warnings
	drain
	fresh d
	again remote --warnings
}

# bats test_tags=check
@test "remote_web: without reprise-agent-net these stores are refused by name" {
	mkdir -p "$ROOT/build/libexec"
	cp "$REPRISE_LIB" "$REPRISE_BIN" "$ROOT/build"
	cp "$TOP/build/libexec/reprise-agent" "$ROOT/build/libexec"
	nginx_start
	store_at http://SERVER/cache
	REPRISE_LIB=$ROOT/build/libreprise.so
	REPRISE_BIN=$ROOT/build/reprise
	on a
	differential --warm none --warnings -- gcc -c a.c
	[ ! -s "$WEB/log" ] || ! grep GET "$WEB/log" || fail "somebody asked"
	grep -q 'http:// needs reprise-agent-net' "$LOG" || fail "$(cat "$LOG")"
	! reprise doctor >doctor || fail "nothing to mend"
	grep '^mend .*no reprise-agent-net' doctor || fail "$(cat doctor)"
	mkdir none
	: >none/libcurl.so.4
	: >none/libcurl-gnutls.so.4
	! LD_LIBRARY_PATH=$W/none reprise doctor >doctor || fail "nothing to mend"
	grep '^mend .*libcurl is not installed' doctor || fail "$(cat doctor)"
}
