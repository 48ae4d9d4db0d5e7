#!/usr/bin/env bats
# The remote store: what one node compiled another replays, byte for byte; and whatever becomes of Redis, jobs are
# right, quiet and on time.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	load remote_lib
	case_setup
	redis_need
	remote_begin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() {
	remote_end
	redis_teardown
	case_teardown
}

start() { # [settings]
	redis_start main "$@" && remote_url "redis://127.0.0.1:$REDIS_PORT"
}

# --- what travels --------------------------------------------------------------------------------

@test "remote: gcc -c" {
	start
	across --makes a.o -- gcc -O2 -c a.c
	[ "$(stat_of hits_remote)" = 1 ]
	[ "$(stat_of misses)" = 0 ]
	# An edit is a miss there, and a hit here.
	put a.c 'int a(int x) { return x + 2; }'
	on b
	again miss
	drain
	on a
	again remote
}

@test "remote: g++ with headers of its own and of the system" {
	start
	put inc/h.h '#include <vector>' 'template <class T> T twice(T x) { return x * 2; }'
	put a.cc '#include "h.h"' '#include <string>' 'std::vector<std::string> v; int f(int x) { return twice(x); }'
	across --makes a.o -- g++ -O1 -Iinc -c a.cc
	# A header that changed is seen on the other node.
	put inc/h.h '#include <vector>' 'template <class T> T twice(T x) { return x * 3; }'
	on b
	again miss
}

@test "remote: warnings on stderr, an error in their place" {
	start
	put a.c 'int a(int x) { int unused; return x / 0; }'
	across --streams split -- gcc -Wall -c a.c
	across --streams pipes -- gcc -Wall -c a.c -o c.o
	across --streams merged -- gcc -Wall -c a.c -o d.o
	# A failure of gcc does not travel: the other node compiles as well.
	put a.c 'int a(int x) { return y; }'
	REMOTE_EXPECT=unstored across --cold unstored --status 1 -- gcc -Wall -c a.c -o b.o
}

@test "remote: several outputs" {
	start
	put a.c '#include <stddef.h>' 'size_t a(int x) { return (size_t)x; }'
	across --makes "out.o out.d" -- gcc -MMD -MF out.d -c a.c -o out.o
	across --makes "b.o b.su" -- gcc -fstack-usage -c a.c -o b.o
	across --makes "c.o c.dwo" -- gcc -g -gsplit-dwarf -c a.c -o c.o
}

@test "remote: a link, an archive, an assembly" {
	start
	put main.c 'int a(int); int main(void) { return a(-1); }'
	across -- gcc -c a.c
	across -- gcc -c main.c
	gcc -c a.c
	gcc -c main.c
	across --makes prog -- gcc main.o a.o -o prog
	across --makes lib.so -- gcc -shared -fPIC a.c -o lib.so
	put s.s '.globl s' 's: ret'
	across --makes s.o -- as s.s -o s.o
}

@test "remote: ptxas, as Triton calls it" {
	local p
	p=$(ls "${REPRISE_TEST_VENV:-$TOP/build/venv}"/lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas /usr/local/cuda*/bin/ptxas 2>/dev/null | head -n 1)
	[ -n "$p" ] || skip "no ptxas here"
	start
	local n
	put k.ptx '.version 7.0' '.target sm_75' '.address_size 64' '.visible .entry k() { ret; }'
	across --makes k.o --filter "s/Compile time.*//" -- "$p" -v --gpu-name=sm_75 k.ptx -o k.o
	for n in b c; do
		local name
		name=$(temp_name)
		cp k.ptx "$name.ptx"
		on $n
		under "$p" --gpu-name=sm_80 "$name.ptx" -o "$name.o"
		"$p" --gpu-name=sm_80 "$name.ptx" -o want.o
		cmp "$name.o" want.o
		rm "$name"*
		drain
	done
	[ "$(stat_of hits_remote)" = 1 ] || fail "another name: $(stat_of hits_remote) hits"
}

@test "remote: a temporary directory of another name" {
	start
	local n d
	for n in a b; do
		on $n
		d=$(temp_name)
		mkdir "$d"
		cp a.c "$d/a.c"
		age
		(cd "$d" && under gcc -O2 -c a.c)
		cp a.c want.c
		(cd "$d" && gcc -O2 -c a.c -o want.o && cmp a.o want.o)
		rm -r "$d"
		drain
	done
	[ "$(stat_of hits_remote)" = 1 ] || fail "hits_remote $(stat_of hits_remote), misses $(stat_of misses)"
}

@test "remote: 20 MB in parts, and one of them gone" {
	start
	head -c 20000000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	across --makes big.o -- as big.s -o big.o
	local part
	part=$(redis_cli main --raw keys 'reprise:1:r:*:5')
	[ -n "$part" ]
	redis_cli main del "$part" >/dev/null
	fresh c
	again miss:result
	drain
	fresh d
	again remote
}

@test "remote: seed stores are asked before it" {
	start
	on a
	differential --warm none -- gcc -c a.c
	drain
	on b
	export REPRISE_SEED_DIRS=$ROOT/a
	again hit
	[ "$(stat_of remote_asked)" = 0 ]
	mkdir "$ROOT/empty"
	export REPRISE_SEED_DIRS=$ROOT/empty
	fresh c
	again remote
}

# --- settings ------------------------------------------------------------------------------------

@test "remote: REPRISE_REMOTE_READONLY publishes nothing, takes no lease, replays" {
	start
	across -- gcc -c a.c
	local keys
	keys=$(redis_cli main dbsize)
	redis_cli main config resetstat >/dev/null
	put b.c 'int b;'
	export REPRISE_REMOTE_READONLY=1
	fresh c
	again remote -- gcc -c a.c
	again stored -- gcc -c b.c
	[ "$(redis_cli main dbsize)" = "$keys" ]
	[ -z "$(redis_cli main info commandstats | grep -E 'cmdstat_(set|lpush|del|eval)')" ] || fail "it wrote"
	[ ! -e "$ROOT/c/spool" ] || [ -z "$(find "$ROOT/c/spool" -type f)" ] || fail "it spooled"
}

@test "remote: REPRISE_REMOTE=0 and REPRISE_REMOTE_CLASSES=none do not even connect" {
	start
	redis_proxy count "$REDIS_PORT" count
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	REPRISE_REMOTE=0 differential -- gcc -c a.c
	fresh b
	REPRISE_REMOTE_CLASSES=none differential -- gcc -c a.c
	[ ! -e "$REDIS_DIR/count.port.count" ] || fail "$(cat "$REDIS_DIR/count.port.count") connections"
	REPRISE_REMOTE_CLASSES=none reprise publish --wait 2 || true
	[ "$(redis_cli main dbsize)" = 0 ]
}

@test "remote: two prefixes do not meet" {
	start
	export REPRISE_REDIS_PREFIX=team1
	across -- gcc -c a.c
	export REPRISE_REDIS_PREFIX=team2
	fresh c
	again stored
	drain
	[ "$(remote_keys main r team1 | wc -l)" = 1 ]
	[ "$(remote_keys main r team2 | wc -l)" = 1 ]
}

@test "remote: entries end after REPRISE_REDIS_TTL" {
	start
	export REPRISE_REDIS_TTL=1s
	across -- gcc -c a.c
	local i
	for ((i = 0; i < 40; i++)); do
		[ "$(redis_cli main dbsize)" != 0 ] || break
		sleep 0.1
	done
	[ "$(redis_cli main dbsize)" = 0 ]
	fresh c
	again stored
	drain
	redis_cli main flushall >/dev/null
	remote_end # publishers that began with the old setting
	export REPRISE_REDIS_TTL=30d
	put a.c 'int other;'
	across -- gcc -c a.c
	local ttl
	ttl=$(redis_cli main ttl "$(remote_keys main r | tail -n 1)")
	[ "$ttl" -gt 2591000 ] && [ "$ttl" -le 2592000 ] || fail "ttl $ttl"
}

@test "remote: unix socket" {
	start
	remote_url "redis+unix://$REDIS_SOCKET?db=2"
	across -- gcc -c a.c
	[ "$(redis_cli main -n 2 dbsize)" -gt 0 ]
	[ "$(redis_cli main dbsize)" = 0 ]
}

@test "remote: a password, in the URL and in a file; a wrong one" {
	start --requirepass 's ec%ret'
	local host=127.0.0.1:$REDIS_PORT
	remote_url "redis://:s%20ec%25ret@$host"
	across -- gcc -c a.c
	printf 's ec%%ret\n' >"$ROOT/pw"
	remote_url "redis://$host"
	export REPRISE_REDIS_PASSWORD_FILE=$ROOT/pw
	fresh c
	again remote
	unset REPRISE_REDIS_PASSWORD_FILE
	remote_url "redis://:wr0ng@$host"
	fresh d
	again stored --warnings
	! grep -r wr0ng "$ROOT/d" "$ROOT/d.run" "$ROOT/d.log"
}

# The lines stand in the page, so that what is recommended is what is tested.
acl_line() { sed -n "s/^    \(ACL SETUSER $1 .*\)/\1/p" "$TOP/docs/redis.md"; }

@test "remote: the ACL users of docs/redis.md" {
	start --requirepass admin
	local user line
	for user in reprise-job reprise-publish; do
		line=$(acl_line "$user")
		[ -n "$line" ] || fail "docs/redis.md has no $user"
		# shellcheck disable=SC2086 # words
		set -f
		[ "$(redis_cli main -a admin --no-auth-warning ${line//PASSWORD/pw-$user})" = OK ] || fail "$line"
		set +f
	done
	local writer=redis://reprise-publish:pw-reprise-publish@127.0.0.1:$REDIS_PORT
	local job=redis://reprise-job:pw-reprise-job@127.0.0.1:$REDIS_PORT
	remote_url "$writer"
	across -- gcc -c a.c
	run env REPRISE_REMOTE_MIN_RATE=1M REPRISE_REMOTE_LOOKUP_TIMEOUT=5s REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'ok    publish'* && $output == *'ok    transfer'* && $output == *'ok    server'* ]] || fail "$output"
	# Jobs that may only look.
	remote_url "$job"
	fresh c
	again remote
	put b.c 'int b;'
	again stored --warnings -- gcc -c b.c
	run env REPRISE_REMOTE_MIN_RATE=1M REPRISE_REMOTE_LOOKUP_TIMEOUT=5s REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'the user may look up only'* ]] || fail "$output"
	sleep 1.2 # what doctor wrote
	[ "$(redis_cli main -a admin --no-auth-warning keys '*' | wc -l)" = 2 ]
	# Neither sees what is not Reprise's.
	local name
	for name in reprise-job reprise-publish; do
		run redis_cli main --user $name --pass pw-$name --no-auth-warning get secret
		[[ $output == *NOPERM* ]] || fail "$name: $output"
		run redis_cli main --user $name --pass pw-$name --no-auth-warning flushall
		[[ $output == *NOPERM* ]] || fail "$name: $output"
	done
	run redis_cli main --user reprise-job --pass pw-reprise-job --no-auth-warning set reprise:1:r:x y
	[[ $output == *NOPERM* ]] || fail "$output"
}

@test "remote: a cluster" {
	redis_cluster 3 0
	remote_url "redis://127.0.0.1:$(redis_port n0)"
	local i
	for i in 1 2 3 4 5 6; do
		put a$i.c "int a$i(int x) { return x + $i; }"
		across -- gcc -O1 -c a$i.c
	done
	# They are spread.
	[ "$(redis_cli n0 dbsize)" -lt 12 ]
	# A node less: what was on the others is found, the rest is compiled.
	redis_kill n2
	fresh c
	for i in 1 2 3 4 5 6; do again any --warnings -- gcc -O1 -c a$i.c; done
}

# --- what is gone --------------------------------------------------------------------------------

@test "remote: an evicted result is a miss, and repaired" {
	start
	across -- gcc -c a.c
	redis_cli main del "$(remote_keys main r)" >/dev/null
	fresh c
	again miss:result
	drain
	fresh d
	again remote
	redis_cli main del "$(remote_keys main m)" >/dev/null
	fresh e
	again stored
	drain
	fresh f
	again remote
	redis_cli main flushall >/dev/null
	fresh g
	again stored
}

@test "remote: maxmemory is met while a job runs" {
	start --maxmemory 3mb --maxmemory-policy allkeys-lru
	local i
	head -c 300000 /dev/urandom >blob
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		put s$i.s ".globl b$i" '.data' "b$i: .incbin \"blob\"" ".byte $i"
	done
	age
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do under as s$i.s -o s$i.o; done
	drain
	[ "$(redis_cli main info stats | sed -n 's/^evicted_keys:\([0-9]*\).*/\1/p')" -gt 0 ] || fail "nothing was evicted"
	fresh b
	# The newest first: what b adds takes the place of the oldest.
	for i in 12 11 10 9 8 7 6 5 4 3 2 1; do
		under as s$i.s -o s$i.o >out 2>&1
		[ ! -s out ]
		as s$i.s -o want.o
		cmp s$i.o want.o
	done
	[ "$(stat_of hits_remote)" -gt 0 ]
	[ "$(stat_of errors)" = 0 ]
}

@test "remote: full and without eviction: nothing is published, jobs do not notice" {
	start --maxmemory 100kb --maxmemory-policy noeviction
	differential --warnings -- gcc -c a.c
	run reprise publish --wait 500ms
	[ "$status" = 1 ] || fail "status $status: $output; $(redis_cli main dbsize) keys"
	[[ $output == *'not published'* ]]
	redis_cli main config set maxmemory 0 >/dev/null
	drain
	fresh b
	again remote
}

# --- Redis in trouble ----------------------------------------------------------------------------

@test "remote: kill -9 of Redis in the middle of a job" {
	start
	local i
	for i in 1 2 3 4 5 6 7 8; do put a$i.c "int a$i(int x) { return x + $i; }"; done
	age
	for i in 1 2 3 4 5 6 7 8; do under gcc -c a$i.c; done
	drain
	fresh b
	for i in 1 2 3 4 5 6 7 8; do
		[ $i != 4 ] || redis_kill main
		under gcc -c a$i.c >out 2>&1
		[ ! -s out ] || fail "it said $(cat out)"
		gcc -c a$i.c -o want.o
		cmp a$i.o want.o
	done
	[ "$(stat_of hits_remote)" = 3 ]
	[ "$(stat_of misses)" = 5 ]
	[ "$(stat_of errors)" = 0 ]
}

# sick NAME...: node b against a proxy in that mode, after node a has published. Strict, silent, right.
sick() {
	redis_proxy sick "$REDIS_PORT" "$@" || return 1
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	fresh b
	again any --warnings || { fail "proxy mode $*"; return 1; }
	! grep -aE ' error ' "$LOG" || fail "proxy mode $*"
}

@test "remote: a server that hangs, is slow, closes, or is not there" {
	start
	across -- gcc -Wall -c a.c
	local n
	sick hang
	sick full
	sick slow 5
	sick delay 100
	for n in 0 1 5 60 300 900; do
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

@test "remote: garbage, lying lengths and other protocols" {
	start
	across -- gcc -Wall -c a.c
	local said
	for said in 'HTTP/1.1 400 Bad Request\r\n\r\n!' '*2\r\n$2147483647\r\n' '*2\r\n*-5\r\n' '*2147483647\r\n' '$99999999999999999999\r\n' \
		'\x00\x00\x00' '+OK\r\n+OK\r\n+OK\r\n' '-ERR unknown\r\n-ERR unknown\r\n' '-MOVED 1 127.0.0.1:1\r\n' ':1\r\n:1\r\n' '*0\r\n' \
		'*1\r\n$3\r\nabc\r\n:1\r\n' '*1\r\n$-1\r\n:1\r\n' '-LOADING x\r\n-LOADING x\r\n' '!'; do
		sick say "$said"
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "remote: a name server that does not answer is waited for no longer than Redis is" {
	need_root "a network namespace with a name server of its own"
	need ip unshare
	ip netns list >/dev/null 2>&1 || skip "no network namespaces here"
	unshare -n true 2>/dev/null || skip "no network namespaces here"
	put a.sh 'ip link set lo up' 'ip addr add 192.0.2.1/24 dev lo' \
		'mount --bind "$1/resolv.conf" /etc/resolv.conf' 'shift' 'exec "$@"'
	put resolv.conf 'nameserver 198.51.100.1' 'options timeout:5'
	remote_url redis://cache.example
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	local start=$EPOCHREALTIME
	unshare -nm sh a.sh "$PWD" env "${RPENV[@]}" REPRISE_REDIS_URL=redis://cache.example gcc -c a.c >out 2>&1 || { cat out >&2; fail "status $?"; }
	[ ! -s out ]
	gcc -c a.c -o want.o
	cmp a.o want.o
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 2.5 }' || fail "it took from $start to $EPOCHREALTIME"
}

# --- what others wrote: more, and what is in good order but does what none may, in remote_trust.bats ---

# damaged WHAT: node b sees what was written, refuses it, says so, and is right.
damaged() {
	fresh b
	again "${2:-miss:refused}" --warnings || { fail "$1"; return 1; }
	[ "$(stat_of refused_entries)" -ge 1 ] || { fail "$1: not counted"; return 1; }
	reprise explain >"$ROOT/explained"
	grep -q 'refused' "$ROOT/explained" || { cat "$ROOT/explained" >&2; fail "$1: reprise explain does not say it"; return 1; }
}

@test "remote: entries that were damaged, cut, swapped or lie are refused, counted and named" {
	start
	put b.c 'int b(int x) { return x - 1; }'
	across -- gcc -c b.c -o a.o
	local other_r other_m r m
	other_r=$(remote_keys main r)
	other_m=$(remote_keys main m)
	raw main get "$other_r" >other.result
	raw main lrange "$other_m" 0 0 >other.candidate
	across -- gcc -c a.c
	r=$(remote_keys main r | grep -v "$other_r")
	m=$(remote_keys main m | grep -v "$other_m")
	raw main get "$r" >result
	raw main lrange "$m" 0 0 >candidate
	local n at
	# A bit of each part of the head, and of the body.
	for at in 0 7 8 12 16 24 40 72 104 200 230; do
		"$PY" -c 'import sys; b = bytearray(open("result", "rb").read()); b[int(sys.argv[1])] ^= 64; open("bad", "wb").write(b)' $at
		raw main set "$r" @bad >/dev/null
		if [ $at = 7 ]; then
			# A later version: absent.
			fresh b
			again miss --warnings
			continue
		fi
		damaged "result, byte $at"
	done
	for n in 0 1 100 199 200 201; do
		head -c $n result >bad
		raw main set "$r" @bad >/dev/null
		damaged "result of $n bytes"
	done
	cat result result >bad
	raw main set "$r" @bad >/dev/null
	damaged "twice the result"
	raw main set "$r" @other.result >/dev/null
	damaged "another key's result"
	raw main set "$r" @candidate >/dev/null
	damaged "a candidate as result"
	redis_cli main del "$r" >/dev/null
	redis_cli main lpush "$r" x >/dev/null
	damaged "a list as result"
	redis_cli main del "$r" >/dev/null
	raw main set "$r" @result >/dev/null
	for n in other.candidate result; do
		redis_cli main del "$m" >/dev/null
		raw main lpush "$m" @$n >/dev/null
		damaged "$n as candidate"
	done
	redis_cli main del "$m" >/dev/null
	raw main lpush "$m" @candidate >/dev/null
	"$PY" -c 'b = bytearray(open("candidate", "rb").read()); b[-5] ^= 1; open("bad", "wb").write(b)'
	raw main lpush "$m" @bad >/dev/null
	# The good one behind it serves.
	fresh b
	again remote --warnings
	[ "$(stat_of refused_entries)" -ge 1 ]
	# What was refused is mended by who compiled.
	raw main set "$r" @bad >/dev/null
	damaged "a candidate's bytes as result"
	drain
	fresh c
	again remote --warnings
}

@test "remote: with trust, only what trusted keys signed" {
	start
	local public other
	public=$(reprise keygen "$ROOT/key")
	other=$(reprise keygen "$ROOT/other")
	export REPRISE_SIGN_KEY=$ROOT/key
	across -- gcc -c a.c
	unset REPRISE_SIGN_KEY
	export REPRISE_TRUST=$public
	fresh c
	again remote
	# Who has no key publishes nothing.
	put b.c 'int b;'
	again stored -- gcc -c b.c
	[ ! -e "$ROOT/c/spool" ] || [ -z "$(find "$ROOT/c/spool" -type f)" ]
	# Another key's.
	export REPRISE_TRUST=$other
	fresh b
	again miss:refused --warnings -- gcc -c a.c
	[ "$(stat_of refused_entries)" -ge 1 ]
	# An unsigned entry under a signed one's key.
	local r
	r=$(remote_keys main r)
	export REPRISE_TRUST=$public
	raw main get "$r" >result
	"$PY" -c 'b = bytearray(open("result", "rb").read()); b[12] &= ~2; b[104:200] = bytes(96); open("bad", "wb").write(b)'
	raw main set "$r" @bad >/dev/null
	damaged unsigned
	# Processes without trust do not meet them.
	unset REPRISE_TRUST
	fresh d
	again stored
}

# --- together ------------------------------------------------------------------------------------

slow_source() {
	put slow.cc 'constexpr int f() { int s = 0; for (int i = 0; i < 400000; i++) s += i % 7; return s; }' 'constexpr int v = f();' 'int x = v;'
	SLOW=(g++ -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=2000000000 -c slow.cc)
	age
}

# on_both CMD...: nodes a and b at once, in directories of their own.
on_both() {
	local n pids=()
	for n in a b; do
		mkdir -p "$ROOT/dir.$n"
		cp slow.cc "$ROOT/dir.$n"
	done
	age
	for n in a b; do
		(
			on $n
			cd "$ROOT/dir.$n" && under "$@" >"$ROOT/$n.out" 2>&1
		) &
		pids+=($!)
	done
	for n in "${pids[@]}"; do wait "$n" || fail "status $?"; done
}

@test "remote: two nodes at once compile once" {
	start
	slow_source
	on_both "${SLOW[@]}"
	"${SLOW[@]}"
	local n misses=0 waits=0
	for n in a b; do
		on $n
		cmp slow.o "$ROOT/dir.$n/slow.o"
		[ ! -s "$ROOT/$n.out" ]
		misses=$((misses + $(stat_of misses)))
		waits=$((waits + $(stat_of lease_waits)))
	done
	[ $misses = 1 ] || fail "$misses compiles"
	[ $waits = 1 ]
	# The lease is given back.
	drain
	[ -z "$(remote_keys main l)" ]
}

@test "remote: a lease whose holder was killed ends, and the other node compiles" {
	start
	export REPRISE_REMOTE_LEASE=1s
	slow_source
	on a
	setsid env "${RPENV[@]}" "${SLOW[@]}" &
	local pid=$! i
	for ((i = 0; i < 200; i++)); do
		[ -z "$(remote_keys main l)" ] || break
		sleep 0.01
	done
	[ -n "$(remote_keys main l)" ] || fail "no lease was taken"
	kill -9 -- "-$pid"
	wait "$pid" || true
	on b
	local start=$EPOCHREALTIME
	under "${SLOW[@]}"
	local took
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	cp slow.o got.o
	"${SLOW[@]}"
	cmp slow.o got.o
	[ "$(stat_of misses)" = 1 ]
	[ "$(stat_of lease_waits)" = 1 ] || fail "it waited $(stat_of lease_waits) times, $took s"
	awk -v t="$took" 'BEGIN { exit t > 10 }' || fail "$took s"
}

@test "remote: a lease that is held for ever holds up a node once, and not for long" {
	start
	slow_source
	put slow.h '#define N 7'
	sed -i '1i #include "slow.h"' slow.cc
	age
	on a
	under "${SLOW[@]}"
	drain
	# Somebody has it, and compiles nothing.
	local m n took
	m=$(remote_keys main m)
	redis_cli main set "${m/:m:/:l:}" somebody >/dev/null
	for n in 8 9; do
		put slow.h "#define N $n"
		age
		took=$EPOCHREALTIME
		under "${SLOW[@]}"
		took=$(awk -v a="$took" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
		cp slow.o got.o
		"${SLOW[@]}"
		cmp slow.o got.o
		awk -v t="$took" 'BEGIN { exit t > 20 }' || fail "$took s"
		[ "$(stat_of lease_waits)" = 1 ] || fail "it waited $(stat_of lease_waits) times for $n"
	done
}

@test "remote: no connection reaches the tool" {
	start
	put w '#!/bin/sh' 'ls -l /proc/self/fd >>"$OUT"' 'exec "$@"'
	chmod +x w
	OUT=$ROOT/fds under gcc -wrapper ./w -c a.c
	! grep -q socket "$ROOT/fds" || fail "$(cat "$ROOT/fds")"
	# And none is left of those who only looked.
	drain
	sleep 0.1
	[ "$(redis_cli main client list type normal | grep -vc 'cmd=client')" -le 1 ] || fail "$(redis_cli main client list)"
}

@test "remote: credentials are in no log, no listing, no journal and no other process" {
	start --requirepass h1dd3n
	mkdir -p "$HOME/.config/reprise"
	put "$HOME/.config/reprise/reprise.conf" "REDIS_URL=redis://:h1dd3n@127.0.0.1:$REDIS_PORT"
	unset REPRISE_REDIS_URL
	put host.sh 'tr "\0" "\n" </proc/self/environ >"$W/env.host"' 'gcc -c a.c' 'gcc -wrapper ./w -c a.c -o b.o' \
		'env -i PATH="$PATH" sh -c "tr \"\\0\" \"\\n\" </proc/self/environ >env.scrubbed; gcc -O1 -c a.c -o c.o"'
	put w '#!/bin/sh' 'tr "\0" "\n" </proc/self/environ >>"$W/env.tool"' 'exec "$@"'
	chmod +x w
	age
	W=$W REPRISE_LOG_LEVEL=debug under sh host.sh
	[ -s env.tool ] && [ -s env.host ] && [ -s env.scrubbed ]
	local p
	for p in $(publishers); do
		tr '\0' '\n' <"/proc/$p/environ" >>env.publisher
		tr '\0' '\n' <"/proc/$p/cmdline" >>env.publisher
	done
	drain
	[ "$(redis_cli main -a h1dd3n --no-auth-warning dbsize)" -gt 0 ] || fail "nothing was published"
	for p in config stats explain doctor 'doctor --json'; do reprise $p >>said 2>&1 || true; done
	! grep -rl h1dd3n "$ROOT" --include='*' --exclude=reprise.conf --exclude-dir=redis || fail "it is in the above"
}

@test "remote: a breaker that is open is told by doctor and left alone by jobs" {
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
	[[ $output == *'mend  breaker    open since the last trouble (timeout)'* && $output == *'records wait'* ]] || fail "$output"
}
