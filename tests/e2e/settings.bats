#!/usr/bin/env bats
# Settings: each does what docs/settings.md says; a bad one is a warning and the default.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
	gcc -c a.c -o "$ROOT/want.o"
	age
}
teardown() { case_teardown; }

cc() { # [VAR=VALUE...]: one compile; nothing on the streams, the right output
	rm -f a.o
	under env "$@" gcc -c a.c >"$ROOT/out" 2>&1 || { fail "status $?: $(cat "$ROOT/out")"; return 1; }
	[ ! -s "$ROOT/out" ] || { fail "on the streams: $(cat "$ROOT/out")"; return 1; }
	cmp a.o "$ROOT/want.o" || fail "another output"
}
entries() { if [ -d "$STORE" ]; then (cd "$STORE" && find . -type f -path './*/[0-9a-f][0-9a-f]/*' ! -path './tmp/*'); fi; }
counts() { # HITS MISSES BYPASSES
	local got
	got="$(stat_of hits_local) $(stat_of misses) $(stat_of bypasses)"
	[ "$got" = "$*" ] || fail "hits, misses, bypasses: $got, expected $*"
}

@test "settings: FORCE_DISABLE and TORCHINDUCTOR_FORCE_DISABLE_CACHES" {
	cc
	cc REPRISE_FORCE_DISABLE=1
	cc TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
	counts 0 1 0
	cc REPRISE_FORCE_DISABLE=0
	counts 1 1 0
	# Nothing at all is touched.
	rm -rf "$STORE" "$RUNTIME"
	cc REPRISE_FORCE_DISABLE=1
	[ ! -e "$STORE" ] && [ ! -e "$RUNTIME" ]
}

@test "settings: LOCAL=0 neither reads nor writes" {
	cc
	cc REPRISE_LOCAL=0
	[ "$(stat_of hits_local)" = 0 ]
	rm -rf "$STORE"
	cc REPRISE_LOCAL=0
	[ -z "$(entries)" ]
}

@test "settings: READONLY replays, stores nothing" {
	cc REPRISE_READONLY=1
	[ -z "$(entries)" ]
	[ "$(stat_of misses)" = 0 ] || [ "$(stat_of unstored)" = "$(stat_of misses)" ]
	cc
	cc REPRISE_READONLY=1
	[ "$(stat_of hits_local)" = 1 ]
}

@test "settings: RECACHE runs for real and stores anew" {
	cc
	cc REPRISE_RECACHE=1
	counts 0 2 0
	cc
	counts 1 2 0
}

@test "settings: VERIFY runs hits for real and compares" {
	cc
	cc REPRISE_VERIFY=100%
	[ "$(stat_of verified)" = 1 ] || fail "verified $(stat_of verified)"
	[ "$(stat_of errors)" = 0 ]
	cc REPRISE_VERIFY=0
	[ "$(stat_of verified)" = 1 ]
	[ "$(stat_of hits_local)" -ge 1 ]
	cc REPRISE_VERIFY=100
	[ "$(stat_of verified)" = 2 ]
}

@test "settings: VERIFY finds a difference, the real result wins" {
	# A tool that reads what no hook sees: its second run differs.
	put mytool.c '#include <stdio.h>' '#include <sys/syscall.h>' '#include <unistd.h>' '#include <fcntl.h>' \
		'int main(void) { char b[64] = ""; int f = syscall(SYS_openat, AT_FDCWD, "hidden", O_RDONLY); int n = syscall(SYS_read, f, b, 60);' \
		'FILE *o = fopen("out", "w"); fwrite(b, 1, n > 0 ? n : 0, o); fclose(o); return 0; }'
	gcc mytool.c -o mytool
	put hidden one
	age
	local e=(REPRISE_TOOLS=+mytool)
	under env "${e[@]}" ./mytool
	[ "$(cat out)" = one ]
	put hidden two
	age
	under env "${e[@]}" ./mytool
	if [ "$(cat out)" = two ]; then skip "this build sees the hidden read"; fi
	under env "${e[@]}" REPRISE_STRICT=0 REPRISE_VERIFY=100% ./mytool
	[ "$(cat out)" = two ] || fail "the real result did not win"
	[ "$(stat_of errors)" -ge 1 ]
	grep -aq verif "$LOG"
}

@test "settings: TOOLS adds and removes" {
	cc REPRISE_TOOLS=-gcc,-cc1,-as
	counts 0 0 0
	cp /bin/cat mytool
	put in text
	age
	under env REPRISE_TOOLS=+mytool ./mytool in >o1
	under env REPRISE_TOOLS=+mytool ./mytool in >o2
	cmp o1 in
	cmp o2 in
	counts 1 1 0
	under ./mytool in >o3
	counts 1 1 0
}

@test "settings: COMPRESS in all its values" {
	local c
	for c in auto 0 1; do
		rm -rf "$STORE" "$RUNTIME"
		cc REPRISE_COMPRESS=$c
		cc REPRISE_COMPRESS=$c
		counts 1 1 0
	done
	# Written one way, read another.
	cc REPRISE_COMPRESS=0
	counts 2 1 0
}

@test "settings: JOB, LOG, LOG_LEVEL" {
	cc REPRISE_LOG="$ROOT/other.log" REPRISE_LOG_LEVEL=debug REPRISE_JOB=my-job
	[ -s "$ROOT/other.log" ]
	cc REPRISE_LOG="$ROOT/quiet.log" REPRISE_LOG_LEVEL=error
	[ ! -s "$ROOT/quiet.log" ]
	cc REPRISE_LOG=/dev/null
	cc REPRISE_LOG=/no/such/dir/log
	cc REPRISE_LOG="$W"
	[ "$(stat_of errors)" = 0 ]
}

@test "settings: malformed values: one warning a job, the default, no abort" {
	local s n
	for s in REPRISE_MAX_SIZE=banana REPRISE_MAX_SIZE=-5 REPRISE_MAX_SIZE=99999999999999999999G REPRISE_VERIFY=200% REPRISE_VERIFY=x \
		REPRISE_LOG_LEVEL=loud REPRISE_COMPRESS=maybe REPRISE_READONLY=perhaps REPRISE_TOOLS=gcc,,+ REPRISE_STRICT=2x \
		REPRISE_TEMP_ROOTS=::relative: REPRISE_BASE_DIRS=/:: REPRISE_SLOPPY=everything REPRISE_UNKNOWN=1; do
		rm -rf "$STORE" "$RUNTIME" "$LOG"
		cc $s REPRISE_LOG_LEVEL=info REPRISE_JOB=j "$s"
		cc REPRISE_JOB=j "$s"
		n=$(grep -acE ' warning ' "$LOG" || true)
		[ "$n" -le 1 ] || fail "$s: $n warnings"
	done
}

@test "settings: a file of settings, environment first" {
	mkdir -p "$ROOT/cfg/reprise"
	put "$ROOT/cfg/reprise/reprise.conf" '# a comment' '' "CACHE_DIR=$ROOT/fromfile" 'READONLY=0' 'nonsense' 'LOG_LEVEL=warning'
	env -u REPRISE_CACHE_DIR LD_PRELOAD="$REPRISE_LIB" XDG_CONFIG_HOME="$ROOT/cfg" REPRISE_RUNTIME_DIR="$RUNTIME" gcc -c a.c
	[ -d "$ROOT/fromfile" ]
	rm -rf "$ROOT/fromfile"
	env LD_PRELOAD="$REPRISE_LIB" XDG_CONFIG_HOME="$ROOT/cfg" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_CACHE_DIR="$ROOT/fromenv" gcc -c a.c
	[ -d "$ROOT/fromenv" ] && [ ! -e "$ROOT/fromfile" ]
}

@test "settings: STRICT ends a tool with 125 on an internal error only" {
	cc REPRISE_STRICT=1
	cc REPRISE_STRICT=1
	[ "$(stat_of errors)" = 0 ]
}

@test "settings: they survive a scrubbed environment" {
	env "${RPENV[@]}" sh -c 'env -i PATH="$PATH" gcc -c a.c'
	env "${RPENV[@]}" sh -c 'env -i PATH="$PATH" gcc -c a.c'
	counts 1 1 0
}

@test "settings: reprise config shows value and origin" {
	REPRISE_MAX_SIZE=5G reprise config >c
	grep -q 'MAX_SIZE' c
	grep -q "$STORE" c
}

@test "settings: explain names the input that changed" {
	put h.h '#define A 1'
	put b.c '#include "h.h"' 'int b = A;'
	age
	under gcc -c b.c
	put h.h '#define A 2'
	age
	under gcc -c b.c
	reprise explain >e
	grep -q 'h\.h' e || { cat e; fail "h.h is not named"; }
	put b.c '#include "h.h"' '#include <late.h>' 'int b = A;'
	mkdir early late
	put late/late.h ''
	age
	under gcc -Iearly -Ilate -c b.c
	put early/late.h 'int x;'
	age
	under gcc -Iearly -Ilate -c b.c
	reprise explain >e
	grep -q 'early/late\.h' e || { cat e; fail "early/late.h is not named"; }
	under gcc -DOTHER -Iearly -Ilate -c b.c
	reprise explain >e
	grep -q 'DOTHER' e || { cat e; fail "the argument is not named"; }
}
