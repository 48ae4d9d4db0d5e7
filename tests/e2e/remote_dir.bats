#!/usr/bin/env bats
# A directory that all nodes mount as their remote store (file://): jobs of several nodes, entries
# that are damaged, of others, or signed, and its clean-up. File systems in trouble:
# remote_dir_server.

setup() {
	load lib
	load redis
	load remote_lib
	load directory_lib
	case_setup
	need gcc
	REDIS_URL=
	SHARED=$ROOT/shared
	export REPRISE_REMOTE_URL=file://$SHARED REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() {
	[ -z "${WEB-}" ] || kill "$WEB"
	remote_end
	case_teardown
}

# files KIND: the shared files of a kind.
files() { find "$SHARED" -type f -name "$1-*" | sort; }

# refused WHAT WHY: an empty node refuses an entry, says why, and compiles.
refused() {
	fresh b
	REPRISE_REMOTE_READONLY=1 again miss:refused --warnings || { fail "$1"; return 1; }
	[ "$(stat_of refused_entries)" -ge 1 ] || { fail "$1: not counted"; return 1; }
	reprise explain >"$ROOT/explained"
	grep -q "$2" "$ROOT/explained" ||
		{ cat "$ROOT/explained" >&2; fail "$1: reprise explain does not say $2"; }
}

# bats test_tags=check
@test "remote_dir: one node compiles, another one replays" {
	put a.cc '#include <vector>' 'std::vector<int> v; int f(int x) { return x / 3; }'
	put main.c 'int a(int); int main(void) { return a(-1); }'
	across -- gcc -Wall -c a.c
	across --makes a.o -- g++ -O1 -c a.cc
	gcc -c a.c
	across --makes prog -- gcc main.c a.o -o prog
	put bad.c 'int a(int x) { return y; }'
	across --status 1 -- gcc -c bad.c -o b.o
	nodes_whole a b
	# An action is two files, which only this user can read.
	[ "$(files m | wc -l)" = 4 ] && [ "$(files r | wc -l)" = 4 ] || fail "$(find "$SHARED")"
	[ -z "$(find "$SHARED" -type f ! -perm 600 -o -type d ! -perm 700)" ]
	[ -z "$(find "$SHARED" -name '.tmp*')" ]
}

# bats test_tags=check
@test "remote_dir: what lies in /dev/shm is a file as any other" {
	local work
	work=$(mktemp -d /dev/shm/reprise-test.XXXXXX)
	cd "$work"
	source_with_header 'int a(void) { return A; }'
	across -- gcc -c a.c
	cd "$ROOT"
	rm -rf "$work"
}

# bats test_tags=check
@test "remote_dir: a list of candidates grows" {
	source_with_header 'int a(void) { return A; }'
	across -- gcc -c a.c
	put a.h '#define A 2'
	rm -f a.o
	across -- gcc -c a.c
	[ "$(files m | wc -l)" = 1 ] && [ "$(files r | wc -l)" = 2 ] || fail "$(find "$SHARED")"
	fresh c
	again remote --warnings
	put a.h '#define A 1'
	age
	fresh d
	again remote --warnings
}

# bats test_tags=check
@test "remote_dir: a result of several MiB is one file" {
	head -c 3500000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	across --makes big.o -- as big.s -o big.o
	[ "$(files r | wc -l)" = 1 ]
	[ "$(stat -c %s "$(files r)")" -gt 3500000 ]
	nodes_whole b
}

# bats test_tags=check
@test "remote_dir: several nodes at once" {
	local n i pids=() pid
	for i in 1 2 3 4 5 6; do put "s$i.c" "int s$i(int x) { return x * $i; }"; done
	age
	for n in a b c; do
		mkdir "$ROOT/w$n"
		cp s?.c "$ROOT/w$n"
		(
			on $n
			cd "$ROOT/w$n"
			for i in 1 2 3 4 5 6; do under gcc -O1 -c "s$i.c"; done
			drain
		) >"$ROOT/out.$n" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || fail "$(cat "$ROOT"/out.*)"; done
	nodes_whole a b c
	on d
	for i in 1 2 3 4 5 6; do
		under gcc -O1 -c "s$i.c"
		gcc -O1 -c "s$i.c" -o want.o
		cmp "s$i.o" want.o
		cmp "$ROOT/wa/s$i.o" want.o
	done
	[ "$(stat_of hits_remote) $(stat_of misses)" = "6 0" ] || fail "$(reprise stats)"
	[ -z "$(find "$SHARED" -name '.tmp*')" ]
}

# bats test_tags=check
@test "remote_dir: damaged and misplaced entries" {
	across -- gcc -Wall -c a.c
	local r m good
	r=$(files r)
	m=$(files m)
	cp "$r" good.r
	cp "$m" good.m
	local n
	for n in 0 199 1000; do
		head -c "$n" good.r >"$r"
		refused "a result of $n bytes" refused
	done
	cat good.r good.r >"$r"
	refused "twice the result" refused
	cp good.m "$r"
	refused "a list as a result" refused
	cp good.r "$r"
	for n in 0 100; do
		head -c "$n" good.m >"$m"
		refused "a list of $n bytes" 'not used'
	done
	cp good.r "$m"
	refused "a result as a list" 'not used'
	# A byte of the candidate, which its digest covers.
	cp good.m "$m"
	printf '\377' | dd of="$m" bs=1 seek=$(($(stat -c %s "$m") - 9)) conv=notrunc 2>/dev/null
	refused "a candidate with another byte" damaged
	# Links are not followed, whatever is behind them.
	cp good.m "$m"
	mv "$r" elsewhere
	ln -s "$PWD/elsewhere" "$r"
	refused "a link to the result" 'not used'
	rm "$r"
	mkfifo "$r"
	refused "a pipe" 'not used'
	# The node that compiles mends them.
	rm "$r"
	head -c 100 good.r >"$r"
	fresh b
	again miss:refused --warnings
	drain
	fresh c
	again remote --warnings
}

# bats test_tags=check
@test "remote_dir: files of another user" {
	need_root "other users' files"
	across -- gcc -Wall -c a.c
	chown -R 4321 "$SHARED"
	refused "another user's files" 'it belongs to another user'
	# Shared by a group of ours on purpose.
	chmod -R g+rwX "$SHARED"
	chgrp -R "$(id -g)" "$SHARED"
	fresh b
	again remote --warnings
	chmod o+w "$(files r)"
	refused "a file that all may write to" 'all users may write to it'
	chmod o-w "$(files r)"
	chmod o+w "$SHARED"
	fresh b
	again stored --warnings
	grep -q 'all users may write to .*chmod o-w' "$LOG" || fail "the log does not say it"
	reprise doctor >doctor || true
	grep -q 'all users may write to' doctor || fail "$(cat doctor)"
}

# bats test_tags=check
@test "remote_dir: signed entries are served whoever owns the file" {
	local key=$ROOT/key public
	public=$("$REPRISE_BIN" keygen "$key")
	export REPRISE_SIGN_KEY=$key
	across -- gcc -Wall -c a.c
	unset REPRISE_SIGN_KEY
	[ "$(id -u)" != 0 ] || chown -R 4321 "$SHARED"
	chmod -R a+rwX "$SHARED"
	export REPRISE_TRUST=$public REPRISE_REMOTE_READONLY=1
	fresh b
	again remote --warnings
	# A byte of the result that the signature covers.
	printf '\377' | dd of="$(files r)" bs=1 seek=50 conv=notrunc 2>/dev/null
	refused "a forged result" refused
	export REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/other")
	refused "a key that is not trusted" 'not signed by a trusted key'
}

# bats test_tags=check
@test "remote_dir: a publisher that is killed, and clean-up" {
	local i pid
	for i in $(seq 1 30); do
		put "k$i.c" "int k$i(int x) { return x * $i; }"
	done
	age
	for i in $(seq 1 30); do under gcc -c "k$i.c"; done
	for i in 1 2 3 4 5; do
		"$REPRISE_BIN" version >/dev/null
		REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
			"$REPRISE_BIN" publish --wait 30 >/dev/null 2>&1 3>&- &
		pid=$!
		sleep 0.0$((i * 2))
		kill -KILL $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
	done
	# Whatever is there is whole.
	fresh b
	for i in $(seq 1 30); do
		REPRISE_REMOTE_READONLY=1 under gcc -c "k$i.c"
		gcc -c "k$i.c" -o want.o
		cmp "k$i.o" want.o
	done
	[ "$(stat_of refused_entries)" = 0 ]
	on a
	drain
	fresh c
	for i in $(seq 1 30); do under gcc -c "k$i.c"; done
	[ "$(stat_of hits_remote)" = 30 ] || fail "$(reprise stats)"
}

# bats test_tags=check
@test "remote_dir: reprise gc --remote" {
	across -- gcc -Wall -c a.c
	put b.c 'int b(int x) { return x - 1; }'
	on a
	age
	under gcc -c b.c
	local young
	young=$(files r)
	drain
	local old
	old=$(files r | grep -v "$young")
	touch -d '40 days ago' "$old"
	: >"$(dirname "$young")/.tmp-0123456789abcdef"
	touch -d '2 days ago' "$(dirname "$young")/.tmp-0123456789abcdef"
	: >"$SHARED/notes"
	touch -d '40 days ago' "$SHARED/notes"
	reprise gc --remote >said
	grep -qx "file://$SHARED: removed 1 entries (.*) and 1 left-over.*; 3 entries (.*) remain" \
		said || fail "$(cat said)"
	[ ! -e "$old" ] || fail "the old entry is there"
	[ -e "$young" ]
	[ -e "$SHARED/notes" ]
	# What is used becomes younger, and stays.
	touch -d '20 days ago' $(files r) $(files m)
	fresh c
	again remote --warnings
	reprise gc --remote --older 10d --json >said
	# The list of b.c is not.
	grep -q '"removed_entries": 1' said || fail "$(cat said)"
	reprise gc --remote --max-size 1 --json >said
	grep -q '"removed_entries": 2' said || fail "$(cat said)"
	[ -z "$(find "$SHARED" -type f ! -name notes)" ]
	[ -e "$SHARED/notes" ]
	fresh d
	again miss --warnings
	# What cannot be cleaned.
	local status=0
	REPRISE_REMOTE_URL=redis://127.0.0.1:1 reprise gc --remote 2>said || status=$?
	[ $status = 2 ] && grep -q 'names no directory' said || fail "$status: $(cat said)"
	status=0
	REPRISE_REMOTE_URL="file://$SHARED?readonly=1" reprise gc --remote 2>said || status=$?
	[ $status = 2 ] || fail "$status: $(cat said)"
	status=0
	reprise gc --older 3d 2>said || status=$?
	[ $status = 2 ] || fail "$status: $(cat said)"
	status=0
	REPRISE_REDIS_TTL=0 reprise gc --remote 2>said || status=$?
	[ $status = 2 ] && grep -q -e --older said || fail "$status: $(cat said)"
}

# bats test_tags=check
@test "remote_dir: a directory that may only be read, and one that vanishes" {
	need_mounts
	across -- gcc -Wall -c a.c
	put b.c 'int b(int x) { return x - 1; }'
	age
	read_only() {
		mount --bind "$SHARED" "$SHARED"
		mount -o remount,bind,ro "$SHARED"
		under gcc -Wall -c a.c
		under gcc -Wall -c b.c
		timeout 20 "$REPRISE_BIN" publish --wait 5 >/dev/null 2>&1 && return 1
		return 0
	}
	fresh b
	export -f read_only under
	RPENV="${RPENV[*]}" SHARED=$SHARED REPRISE_BIN=$REPRISE_BIN REPRISE_CACHE_DIR=$STORE \
		REPRISE_RUNTIME_DIR=$RUNTIME REPRISE_LOG=$LOG \
		unshare -m bash -ec 'RPENV=($RPENV); read_only' || fail "status $?"
	[ "$(stat_of hits_remote) $(stat_of misses)" = "1 1" ] || fail "$(reprise stats)"
	# The agent's publisher says it once, and so does the command.
	[[ $(grep -c "does not let this user write" "$LOG") = [12] ]] || fail "$(cat "$LOG")"
	# It vanishes: the next publisher makes it again.
	on a
	rm -r "$SHARED"
	fresh b
	put a.c 'int a(int x) { return x + 3; }'
	rm -f a.o
	across -- gcc -Wall -c a.c
	# A file system that is not mounted.
	export REPRISE_REMOTE_URL=file://$ROOT/not/mounted
	fresh b
	again stored --warnings
	[ ! -e "$ROOT/not" ]
	reprise doctor >doctor || true
	grep -q 'mounted' doctor || fail "$(cat doctor)"
}

# bats test_tags=check
@test "remote_dir: the directory behind an HTTP server" {
	across -- gcc -Wall -c a.c
	[ -x "${REPRISE_LIB%/*}/libexec/reprise-agent-net" ] || skip "no libcurl here"
	local port i
	port=$(redis_free_port)
	"$PY" -m http.server "$port" --bind 127.0.0.1 -d "$SHARED" >"$ROOT/web" 2>&1 3>&- &
	WEB=$!
	for ((i = 0; i < 250; i++)); do
		! grep -q Serving "$ROOT/web" || break
		sleep 0.02
	done
	fresh c
	REPRISE_REMOTE_URL="http://127.0.0.1:$port?readonly=1" again remote ||
		fail "$(cat "$ROOT/web")"
}

# A compile in the mount namespace, and how long it took.
timed() { # FILE
	local start=$EPOCHREALTIME
	env $ENVIRONMENT gcc -Wall -c "$1"
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print int((b - a) * 1000) }'
}

hung() {
	local i
	server mount
	ENVIRONMENT=$(tr '\n' ' ' <<<"$ENVIRONMENT")
	timed a.c >ms
	"$REPRISE_BIN" publish --wait 20
	[ -n "$(find "$ROOT/files" -name 'r-*')" ] || fail "nothing was published"
	kill -STOP "$(cat "$ROOT/mount.pid")"
	sleep 0.3
	for i in 1 2 3 4; do timed "k$i.c" >"ms.$i"; done
	[ $(($(cat ms.1) + $(cat ms.2) + $(cat ms.3) + $(cat ms.4))) -lt 3000 ] ||
		fail "$(cat ms.?) ms"
	# Commands that look at the directory themselves end as well.
	local start=$EPOCHREALTIME
	"$REPRISE_BIN" run -- gcc -Wall -c k1.c
	"$REPRISE_BIN" doctor >doctor || true
	grep -q 'the file server does not answer' doctor || fail "$(cat doctor)"
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 12 }' ||
		fail "from $start to $EPOCHREALTIME"
	# The server answers again, and another node has the result.
	kill -CONT "$(cat "$ROOT/mount.pid")"
	export REPRISE_CACHE_DIR=$ROOT/b REPRISE_RUNTIME_DIR=$ROOT/b.run REPRISE_LOG=$ROOT/b.log
	env ${ENVIRONMENT//$ROOT\/a/$ROOT/b} gcc -Wall -c a.c
}
# bats test_tags=check
@test "remote_dir: a file server that hangs" {
	local i
	for i in 1 2 3 4; do put "k$i.c" "int k$i(int x) { return x * $i; }"; done
	age
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	export REPRISE_REMOTE_URL=file://$ROOT/mount/cache ENVIRONMENT
	export REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME REPRISE_LOG=$LOG REPRISE_BIN
	ENVIRONMENT=$(printf '%s\n' "${RPENV[@]}")
	served hung timed
	on a
	[ "$(stat_of errors)" = 0 ]
	[ "$(stat_of misses)" = 5 ] || fail "$(reprise stats)"
	on b
	[ "$(stat_of hits_remote)" = 1 ] || fail "$(reprise stats)"
	for i in 1 2 3 4; do
		gcc -Wall -c "k$i.c" -o want.o
		cmp "k$i.o" want.o
	done
}
