#!/usr/bin/env bats
# The remote store: one node compiles, another node replays, byte for byte; settings; and what
# tools, logs and listings must not see. Servers in trouble: remote_server, remote_sick. Several
# nodes at once: remote_lease. Foreign entries: remote_damage, remote_trust, remote_forged.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

# --- what travels --------------------------------------------------------------------------------

# bats test_tags=check
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

# The newest candidates come with the answer as far as they fit, and the others over the inbox.
# bats test_tags=check
@test "remote: candidates too large for one answer" {
	local i v
	start
	mkdir inc
	for i in $(seq 400); do
		echo "int h$i;" >"inc/a_header_with_a_name_of_some_length_$i.h"
		echo "#include \"a_header_with_a_name_of_some_length_$i.h\"" >>inc/all.h
	done
	put a.c '#include "all.h"' '#include "v.h"' 'int v = V;'
	for v in 1 2 3 4; do
		put inc/v.h "#define V $v"
		age
		under gcc -Iinc -c a.c
		cp a.o "want.$v"
	done
	[ "$(stat_of misses)" = 4 ]
	[ "$(find "$STORE/manifest" -type f -size +16k | wc -l)" = 4 ] || fail "small candidates"
	drain
	on b
	for v in 4 3 2 1; do
		put inc/v.h "#define V $v"
		age
		under gcc -Iinc -c a.c
		cmp a.o "want.$v" || fail "version $v"
	done
	[ "$(stat_of hits_remote)" = 4 ] || fail "$(cat "$LOG")"
	[ -z "$(find "$STORE/inbox" -path '*/manifest/*' -type f)" ] || fail "left in the inbox"
}

# bats test_tags=long
@test "remote: g++ with headers of its own and of the system" {
	start
	put inc/h.h '#include <vector>' 'template <class T> T twice(T x) { return x * 2; }'
	put a.cc '#include "h.h"' '#include <string>' \
		'std::vector<std::string> v; int f(int x) { return twice(x); }'
	across --makes a.o -- g++ -O1 -Iinc -c a.cc
	# A header that changed is seen on the other node.
	put inc/h.h '#include <vector>' 'template <class T> T twice(T x) { return x * 3; }'
	on b
	again miss
}

# bats test_tags=check
@test "remote: warnings on stderr, an error in their place" {
	start
	put a.c 'int a(int x) { int unused; return x / 0; }'
	across --streams split -- gcc -Wall -c a.c
	across --streams pipes -- gcc -Wall -DPIPES -c a.c -o c.o
	across --streams merged -- gcc -Wall -DMERGED -c a.c -o d.o
	# The input's failure is published. Another one is not: the other node tries as well.
	put a.c 'int a(int x) { return y; }'
	across --status 1 -- gcc -Wall -c a.c -o b.o
	REMOTE_EXPECT=unstored across --cold unstored --status 1 -- gcc -c missing.c
}

# bats test_tags=long
@test "remote: several outputs" {
	start
	put a.c '#include <stddef.h>' 'size_t a(int x) { return (size_t)x; }'
	across --makes "out.o out.d" -- gcc -MMD -MF out.d -c a.c -o out.o
	across --makes "b.o b.su" -- gcc -fstack-usage -c a.c -o b.o
	across --makes "c.o c.dwo" -- gcc -g -gsplit-dwarf -c a.c -o c.o
}

# bats test_tags=check
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

# bats test_tags=check
@test "remote: ptxas, as Triton calls it" {
	load ptxas
	need_ptxas
	local p=${PTXAS[0]}
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

# bats test_tags=check
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
	[ "$(stat_of hits_remote)" = 1 ] ||
		fail "hits_remote $(stat_of hits_remote), misses $(stat_of misses)"
}

# A compile and link in one command does not depend on its directory. One run shows this.
# bats test_tags=check
@test "remote: other nodes replay one node's result, under their own names" {
	start
	local n d
	for n in a b c; do
		on $n
		d=$(temp_name)
		mkdir "$d"
		cp a.c "$d/a.c"
		age
		(cd "$d" && under gcc -O2 -shared -fPIC "$d/a.c" -o "$d/a.so")
		[ "$n" = a ] || [ "$(stat_of misses)" = 0 ] || fail "$n: misses $(stat_of misses)"
		(cd "$d" && gcc -O2 -shared -fPIC "$d/a.c" -o want.so && cmp a.so want.so)
		rm -r "$d"
		drain
	done
}

# bats test_tags=check
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

# bats test_tags=check
@test "remote: seed stores are asked before the remote store" {
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

# bats test_tags=check
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
	[ -z "$(redis_cli main info commandstats | grep -E 'cmdstat_(set|lpush|del|eval)')" ] ||
		fail "it wrote"
	[ ! -e "$ROOT/c/spool" ] || [ -z "$(find "$ROOT/c/spool" -type f)" ] || fail "it spooled"
}

# bats test_tags=check
@test "remote: REPRISE_REMOTE=0 and REPRISE_REMOTE_CLASSES=none do not even connect" {
	start
	redis_proxy count "$REDIS_PORT" count
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	REPRISE_REMOTE=0 differential -- gcc -c a.c
	fresh b
	REPRISE_REMOTE_CLASSES=none differential -- gcc -c a.c
	[ ! -e "$REDIS_DIR/count.port.count" ] ||
		fail "$(cat "$REDIS_DIR/count.port.count") connections"
	REPRISE_REMOTE_CLASSES=none reprise publish --wait 2 || true
	[ "$(redis_cli main dbsize)" = 0 ]
}

# connections COUNT: checks the number of connections through the proxy `count`.
connections() {
	local n=0
	[ ! -e "$REDIS_DIR/count.port.count" ] || n=$(cat "$REDIS_DIR/count.port.count")
	[ "$n" = "$1" ] || { [ "$1" = + ] && [ "$n" != 0 ]; } || fail "$n connections, not $1"
}

# bats test_tags=check
@test "remote: REPRISE_REMOTE_CLASSES: other classes are not asked for, offered or waited for" {
	start
	redis_proxy count "$REDIS_PORT" count
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	local unit=$ROOT/triton/ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSA
	# The program looks for a kernel as Triton does, without Triton.
	put host.py 'import os, sys' 'os.makedirs(sys.argv[1], exist_ok=True)' \
		'print(os.path.exists(sys.argv[1] + "/__grp__k.json"))'
	age
	# A compile, if only Triton's units are enabled.
	export REPRISE_REMOTE_CLASSES=triton
	on a
	differential -- gcc -c a.c
	drain
	connections 0
	[ "$(stat_of remote_asked)" = 0 ]
	[ ! -e "$STORE/spool" ] || [ -z "$(find "$STORE/spool" -type f -size +0)" ] ||
		fail "it spooled"
	# A unit, if only compiles are enabled.
	export REPRISE_REMOTE_CLASSES=compile
	[ "$(TRITON_CACHE_DIR=${unit%/*} under "$PY" host.py "$unit")" = False ]
	sleep 0.3
	connections 0
	# Each class is used if the setting names it.
	fresh b
	again stored -- gcc -c a.c
	drain
	connections +
	rm "$REDIS_DIR/count.port.count"
	fresh c
	export REPRISE_REMOTE_CLASSES=triton
	agent_for_hosts
	[ "$(TRITON_CACHE_DIR=${unit%/*} under "$PY" host.py "$unit")" = False ]
	connections +
}

# bats test_tags=long
@test "remote: two prefixes share no entries" {
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

# bats test_tags=check
@test "remote: entries end after REPRISE_REDIS_TTL" {
	start
	# The entry lives long enough for the other node.
	export REPRISE_REDIS_TTL=4s
	across -- gcc -c a.c
	local i
	for ((i = 0; i < 100; i++)); do
		[ "$(redis_cli main dbsize)" != 0 ] || break
		sleep 0.1
	done
	[ "$(redis_cli main dbsize)" = 0 ]
	fresh c
	again stored
	drain
	redis_cli main flushall >/dev/null
	export REPRISE_REDIS_TTL=30d
	put a.c 'int other;'
	across -- gcc -c a.c
	local ttl
	ttl=$(redis_cli main ttl "$(remote_keys main r | tail -n 1)")
	[ "$ttl" -gt 2591000 ] && [ "$ttl" -le 2592000 ] || fail "ttl $ttl"
}

# bats test_tags=check
@test "remote: unix socket" {
	start
	remote_url "redis+unix://$REDIS_SOCKET?db=2"
	across -- gcc -c a.c
	[ "$(redis_cli main -n 2 dbsize)" -gt 0 ]
	[ "$(redis_cli main dbsize)" = 0 ]
}

# bats test_tags=check
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
	! grep -r wr0ng "$ROOT/d" "$ROOT/d.run" "$ROOT/d.log" || fail "the password is in the above"
}

# The test takes the lines from the page, so it tests what the page recommends.
acl_line() { sed -n "s/^    \(ACL SETUSER $1 .*\)/\1/p" "$TOP/docs/remote.md"; }

# bats test_tags=check
@test "remote: the ACL users of docs/remote.md" {
	start --requirepass admin
	local user line
	for user in reprise-job reprise-publish; do
		line=$(acl_line "$user")
		[ -n "$line" ] || fail "docs/remote.md has no $user"
		# shellcheck disable=SC2086 # words
		set -f
		[ "$(redis_cli main -a admin \
			--no-auth-warning ${line//PASSWORD/pw-$user})" = OK ] || fail "$line"
		set +f
	done
	local writer=redis://reprise-publish:pw-reprise-publish@127.0.0.1:$REDIS_PORT
	local job=redis://reprise-job:pw-reprise-job@127.0.0.1:$REDIS_PORT
	remote_url "$writer"
	across -- gcc -c a.c
	run env REPRISE_REMOTE_LOOKUP_TIMEOUT=5s \
		REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'ok    publish'* && $output == *'memory     '* &&
		$output != *'allow +'* ]] || fail "$output"
	# Users that may only read.
	remote_url "$job"
	fresh c
	again remote
	put b.c 'int b;'
	again stored --warnings -- gcc -c b.c
	run env REPRISE_REMOTE_LOOKUP_TIMEOUT=5s \
		REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *'the user may only look up'* ]] || fail "$output"
	sleep 1.2 # what doctor wrote
	[ "$(redis_cli main -a admin --no-auth-warning keys '*' | wc -l)" = 2 ]
	# Neither user can read keys of other programs.
	local name
	for name in reprise-job reprise-publish; do
		run redis_cli main --user $name --pass pw-$name --no-auth-warning get secret
		[[ $output == *NOPERM* ]] || fail "$name: $output"
		run redis_cli main --user $name --pass pw-$name --no-auth-warning flushall
		[[ $output == *NOPERM* ]] || fail "$name: $output"
	done
	run redis_cli main --user reprise-job --pass pw-reprise-job \
		--no-auth-warning set reprise:1:r:x y
	[[ $output == *NOPERM* ]] || fail "$output"
}

# bats test_tags=check
@test "remote: rediss:// without TLS: no remote, no plaintext, one line in the log" {
	start
	redis_proxy count "$REDIS_PORT" count
	remote_url "rediss://:s3cret@127.0.0.1:$PROXY_PORT"
	# An agent without that program beside it.
	mkdir -p "$ROOT/alone/libexec"
	cp "$REPRISE_LIB" "$ROOT/alone/libreprise.so"
	cp "${REPRISE_LIB%/*}/libexec/reprise-agent" "$ROOT/alone/libexec"
	REPRISE_LIB=$ROOT/alone/libreprise.so
	on b
	differential --warnings -- gcc -Wall -c a.c
	put b.c 'int b;'
	differential --warnings -- gcc -c b.c
	[ "$(grep -c 'warning.*the remote store is off: .*reprise-agent-net, which is not ' \
		"$LOG")" = 1 ] || fail "$(cat "$LOG")"
	connections 0
	[ "$(stat_of remote_asked)" = 0 ]
	! grep -q s3cret "$LOG" || fail "the log holds the password"
}

# --- what nobody sees ----------------------------------------------------------------------------

@test "remote: no connection reaches the tool" {
	start
	put w '#!/bin/sh' 'ls -l /proc/self/fd >>"$OUT"' 'exec "$@"'
	chmod +x w
	OUT=$ROOT/fds under gcc -wrapper ./w -c a.c
	! grep -q socket "$ROOT/fds" || fail "$(cat "$ROOT/fds")"
	# The jobs that only read leave no connection.
	drain
	sleep 0.1
	[ "$(redis_cli main client list type normal | grep -vc 'cmd=client')" -le 1 ] ||
		fail "$(redis_cli main client list)"
}

# bats test_tags=check
@test "remote: credentials are in no log, no listing, no journal and no other process" {
	start --requirepass h1dd3n
	mkdir -p "$HOME/.config/reprise"
	put "$HOME/.config/reprise/reprise.conf" "REDIS_URL=redis://:h1dd3n@127.0.0.1:$REDIS_PORT"
	unset REPRISE_REDIS_URL
	put host.sh 'tr "\0" "\n" </proc/self/environ >"$W/env.host"' 'gcc -c a.c' \
		'gcc -wrapper ./w -c a.c -o b.o' \
		'env -i PATH="$PATH" sh -c "tr \"\\0\" \"\\n\" </proc/self/environ >env.scrubbed' \
		'gcc -O1 -c a.c -o c.o"'
	put w '#!/bin/sh' 'tr "\0" "\n" </proc/self/environ >>"$W/env.tool"' 'exec "$@"'
	chmod +x w
	age
	W=$W REPRISE_LOG_LEVEL=debug under sh host.sh
	[ -s env.tool ]
	[ -s env.host ]
	[ -s env.scrubbed ]
	# The publisher that the job started runs for some seconds, unless it has ended at once.
	local p i
	for ((i = 0; i < 100; i++)); do
		for p in $(publishers); do
			tr '\0' '\n' <"/proc/$p/environ" >>env.publisher || true
			tr '\0' '\n' <"/proc/$p/cmdline" >>env.publisher || true
		done
		[ ! -s env.publisher ] || break
		sleep 0.05
	done
	grep -q "^REPRISE_CACHE_DIR=$STORE\$" env.publisher || fail "no publisher was seen"
	drain
	[ "$(redis_cli main -a h1dd3n --no-auth-warning dbsize)" -gt 0 ] ||
		fail "nothing was published"
	for p in config stats explain doctor 'doctor --json'; do
		reprise $p >>said 2>&1 || true
	done
	! grep -rl h1dd3n "$ROOT" --include='*' --exclude=reprise.conf --exclude-dir=redis ||
		fail "it is in the above"
}
