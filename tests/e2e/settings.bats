#!/usr/bin/env bats
# Settings: each does what docs/settings.md says; a bad one is a warning and the default.

setup() { load lib; load one_source; one_source_setup; }
teardown() { case_teardown; }

counts() { # HITS MISSES BYPASSES
	local got
	got="$(stat_of hits_local) $(stat_of misses) $(stat_of bypasses)"
	[ "$got" = "$*" ] || fail "hits, misses, bypasses: $got, expected $*"
}

@test "settings: FORCE_DISABLE, and torch's two names of it" {
	compile_ok
	compile_ok REPRISE_FORCE_DISABLE=1
	compile_ok TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
	compile_ok TORCH_COMPILE_FORCE_DISABLE_CACHES=1
	counts 0 1 0
	compile_ok REPRISE_FORCE_DISABLE=0
	counts 1 1 0
	# No directory is made.
	rm -rf "$STORE" "$RUNTIME"
	compile_ok REPRISE_FORCE_DISABLE=1
	[ ! -e "$STORE" ] && [ ! -e "$RUNTIME" ]
}

@test "settings: LOCAL=0 neither reads nor writes" {
	compile_ok
	compile_ok REPRISE_LOCAL=0
	[ "$(stat_of hits_local)" = 0 ]
	rm -rf "$STORE"
	compile_ok REPRISE_LOCAL=0
	[ -z "$(entries)" ]
}

@test "settings: READONLY replays, stores nothing" {
	compile_ok REPRISE_READONLY=1
	[ -z "$(entries)" ]
	[ "$(stat_of misses)" = 0 ] || [ "$(stat_of unstored)" = "$(stat_of misses)" ]
	compile_ok
	compile_ok REPRISE_READONLY=1
	[ "$(stat_of hits_local)" = 1 ]
}

@test "settings: RECACHE runs for real and stores anew" {
	compile_ok
	compile_ok REPRISE_RECACHE=1
	counts 0 2 0
	compile_ok
	counts 1 2 0
}

@test "settings: VERIFY runs hits for real and compares" {
	compile_ok
	compile_ok REPRISE_VERIFY=100%
	[ "$(stat_of verified)" = 1 ] || fail "verified $(stat_of verified)"
	[ "$(stat_of errors)" = 0 ]
	compile_ok REPRISE_VERIFY=0
	[ "$(stat_of verified)" = 1 ]
	[ "$(stat_of hits_local)" -ge 1 ]
	compile_ok REPRISE_VERIFY=100
	[ "$(stat_of verified)" = 2 ]
}

# A tool that reads a file by a raw system call, which no hook sees. Its second run differs.
hidden_tool() {
	put mytool.c '#include <stdio.h>' '#include <sys/syscall.h>' '#include <unistd.h>' \
		'#include <fcntl.h>' \
		'int main(void) { char b[64] = ""; int f = syscall(SYS_openat,' \
		'AT_FDCWD, "hidden", O_RDONLY); int n = syscall(SYS_read, f, b, 60);' \
		'FILE *o = fopen("out", "w"); fwrite(b, 1, n > 0 ? n : 0, o); fclose(o);' \
		'return 0; }'
	gcc mytool.c -o mytool
	age
}

@test "settings: VERIFY finds a difference, the real result wins" {
	hidden_tool
	put hidden one
	age
	local e=(REPRISE_TOOLS=+mytool)
	under env "${e[@]}" ./mytool
	[ "$(cat out)" = one ]
	put hidden two
	age
	under env "${e[@]}" ./mytool
	[ "$(cat out)" = one ] ||
		fail "the hidden read was seen: nothing is left for VERIFY to find"
	under env "${e[@]}" REPRISE_STRICT=0 REPRISE_VERIFY=100% ./mytool
	[ "$(cat out)" = two ] || fail "the real result did not win"
	[ "$(stat_of errors)" -ge 1 ]
	grep -aq verif "$LOG"
}

@test "settings: TOOLS adds and removes" {
	compile_ok REPRISE_TOOLS=-gcc,-cc1,-as
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
		compile_ok REPRISE_COMPRESS=$c
		compile_ok REPRISE_COMPRESS=$c
		counts 1 1 0
	done
	# Stored with one setting, read with another.
	compile_ok REPRISE_COMPRESS=0
	counts 2 1 0
}

@test "settings: JOB, LOG, LOG_LEVEL" {
	compile_ok REPRISE_LOG="$ROOT/other.log" REPRISE_LOG_LEVEL=debug REPRISE_JOB=my-job
	[ -s "$ROOT/other.log" ]
	compile_ok REPRISE_LOG="$ROOT/quiet.log" REPRISE_LOG_LEVEL=error
	[ ! -s "$ROOT/quiet.log" ]
	compile_ok REPRISE_LOG=/dev/null
	compile_ok REPRISE_LOG=/no/such/dir/log
	compile_ok REPRISE_LOG="$W"
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "settings: malformed values: one warning a job, the default, no abort" {
	local s n
	for s in REPRISE_MAX_SIZE=banana REPRISE_MAX_SIZE=-5 \
		REPRISE_MAX_SIZE=99999999999999999999G REPRISE_VERIFY=200% REPRISE_VERIFY=x \
		REPRISE_LOG_LEVEL=loud REPRISE_COMPRESS=maybe REPRISE_READONLY=perhaps \
		REPRISE_TOOLS=gcc,,+ REPRISE_STRICT=2x \
		REPRISE_TEMP_ROOTS=::relative: REPRISE_BASE_DIRS=/:: REPRISE_SLOPPY=everything \
		REPRISE_UNKNOWN=1 \
		REPRISE_CLASSES=triton,graphs REPRISE_FX_SCOPE=everybody; do
		rm -rf "$STORE" "$RUNTIME" "$LOG"
		compile_ok $s REPRISE_LOG_LEVEL=info REPRISE_JOB=j "$s"
		compile_ok REPRISE_JOB=j "$s"
		n=$(grep -acE ' warning ' "$LOG" || true)
		[ "$n" -le 1 ] || fail "$s: $n warnings"
	done
}

@test "settings: a file of settings, environment first" {
	mkdir -p "$ROOT/cfg/reprise"
	put "$ROOT/cfg/reprise/reprise.conf" '# a comment' '' "CACHE_DIR=$ROOT/fromfile" \
		'READONLY=0' 'nonsense' 'LOG_LEVEL=warning'
	env -u REPRISE_CACHE_DIR LD_PRELOAD="$REPRISE_LIB" XDG_CONFIG_HOME="$ROOT/cfg" \
		REPRISE_RUNTIME_DIR="$RUNTIME" gcc -c a.c
	[ -d "$ROOT/fromfile" ]
	rm -rf "$ROOT/fromfile"
	env LD_PRELOAD="$REPRISE_LIB" XDG_CONFIG_HOME="$ROOT/cfg" REPRISE_RUNTIME_DIR="$RUNTIME" \
		REPRISE_CACHE_DIR="$ROOT/fromenv" gcc -c a.c
	[ -d "$ROOT/fromenv" ] && [ ! -e "$ROOT/fromfile" ]
}

# with_etc CMD...: with $ROOT/etc, a copy of /etc, in its place.
with_etc() {
	# shellcheck disable=SC2016 # the inner shell's
	"${NAMESPACE[@]}" sh -c 'mount --bind "$1" /etc || exit 77; shift;
		exec "$@"' sh "$ROOT/etc" "$@"
}
etc_setup() {
	need unshare
	NAMESPACE=(unshare --mount)
	[ "$(id -u)" = 0 ] || NAMESPACE+=(--user --map-root-user)
	cp -a /etc "$ROOT/etc" 2>/dev/null || true
	with_etc true || skip "mounts are not permitted here"
	mkdir -p "$ROOT/cfg/reprise"
	BARE=(LD_PRELOAD="$REPRISE_LIB" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG"
		XDG_CONFIG_HOME="$ROOT/cfg" REPRISE_JOB=j)
}
origin() { # NAME [VAR=VALUE...]: what `reprise config` says of it
	local name=$1
	shift
	with_etc env XDG_CONFIG_HOME="$ROOT/cfg" "$@" "$REPRISE_BIN" config |
		sed -n "s/^$name  *//p"
}

# bats test_tags=check
@test "settings: /etc/reprise.conf below the user's file below the environment" {
	etc_setup
	put "$ROOT/etc/reprise.conf" '# everybody' "CACHE_DIR=$ROOT/by-etc" 'MAX_SIZE=5G'
	with_etc env "${BARE[@]}" gcc -c a.c
	cmp a.o "$ROOT/want.o"
	[ -d "$ROOT/by-etc/result" ] || fail "/etc/reprise.conf is not read"
	[ "$(origin CACHE_DIR)" = "$ROOT/by-etc  (/etc/reprise.conf)" ] ||
		fail "$(origin CACHE_DIR)"
	[ "$(origin MAX_SIZE)" = "5G  (/etc/reprise.conf)" ] || fail "$(origin MAX_SIZE)"
	put "$ROOT/cfg/reprise/reprise.conf" "REPRISE_CACHE_DIR = $ROOT/by-user"
	with_etc env "${BARE[@]}" gcc -DX -c a.c
	[ -d "$ROOT/by-user/result" ] || fail "the user's file does not count"
	[ "$(origin CACHE_DIR)" = "$ROOT/by-user  (user's file)" ] || fail "$(origin CACHE_DIR)"
	[ "$(origin MAX_SIZE)" = "5G  (/etc/reprise.conf)" ] || fail "$(origin MAX_SIZE)"
	with_etc env "${BARE[@]}" REPRISE_CACHE_DIR="$ROOT/by-env" gcc -DY -c a.c
	[ -d "$ROOT/by-env/result" ] || fail "the environment does not count"
	[ "$(origin CACHE_DIR REPRISE_CACHE_DIR="$ROOT/by-env")" = "$ROOT/by-env  (environment)" ]
	# An empty value undoes the value of a file.
	[ "$(origin MAX_SIZE REPRISE_MAX_SIZE=)" = "20G  (environment)" ] ||
		fail "$(origin MAX_SIZE REPRISE_MAX_SIZE=)"
	[ ! -s "$LOG" ] || ! grep -a ' warning ' "$LOG"
	[ "$(find "$ROOT/by-etc/result" "$ROOT/by-user/result" "$ROOT/by-env/result" -type f |
		wc -l)" = 3 ]
}

@test "settings: lines with ! of /etc/reprise.conf win" {
	etc_setup
	put "$ROOT/etc/reprise.conf" "!CACHE_DIR=$ROOT/fixed" '! REPRISE_COMPRESS = 0'
	put "$ROOT/cfg/reprise/reprise.conf" "CACHE_DIR=$ROOT/by-user" 'COMPRESS=1' '!MAX_SIZE=1G'
	with_etc env "${BARE[@]}" REPRISE_CACHE_DIR="$ROOT/by-env" REPRISE_COMPRESS=auto gcc -c a.c
	cmp a.o "$ROOT/want.o"
	[ -d "$ROOT/fixed/result" ]
	[ ! -e "$ROOT/by-user" ]
	[ ! -e "$ROOT/by-env" ]
	[ "$(origin CACHE_DIR REPRISE_CACHE_DIR="$ROOT/by-env")" = \
		"$ROOT/fixed  (/etc/reprise.conf, fixed by '!')" ]
	[ "$(origin COMPRESS REPRISE_COMPRESS=)" = "0  (/etc/reprise.conf, fixed by '!')" ] ||
		fail "$(origin COMPRESS)"
	# In the user's file such a line counts as a plain line, with a warning.
	[ "$(origin MAX_SIZE 2>/dev/null)" = "1G  (user's file)" ] || fail "$(origin MAX_SIZE)"
	[ "$(grep -ac " warning .*'!' works in /etc/reprise.conf only" "$LOG")" = 1 ] ||
		fail "no warning, or several"
	# A line that turns Reprise off cannot be overridden.
	put "$ROOT/etc/reprise.conf" '!FORCE_DISABLE=1'
	with_etc env "${BARE[@]}" REPRISE_CACHE_DIR="$ROOT/off" REPRISE_FORCE_DISABLE=0 gcc -c a.c
	[ ! -e "$ROOT/off" ]
}

# bats test_tags=check
@test "settings: malformed lines of /etc/reprise.conf: a warning a job, the rest counts" {
	etc_setup
	put "$ROOT/etc/reprise.conf" 'nonsense' 'MAX_SIZE=banana' 'NO_SUCH=1' \
		"CACHE_DIR=$ROOT/by-etc" '!LOG_LEVEL=loud'
	local i
	for i in 1 2 3; do with_etc env "${BARE[@]}" gcc -D"N=$i" -c a.c; done
	cmp a.o "$ROOT/want.o"
	[ -d "$ROOT/by-etc/result" ]
	[ "$(grep -ac ' warning ' "$LOG")" = "$(grep -a ' warning ' "$LOG" |
		sed 's/^[^ ]* [0-9]* //' | sort -u | wc -l)" ] || fail "the same warning again"
	for i in 1 2 3 5; do
		grep -aq " warning .*/etc/reprise.conf:$i: " "$LOG" || fail "no warning of line $i"
	done
	with_etc env "${BARE[@]}" REPRISE_JOB=another gcc -DN=4 -c a.c
	[ "$(grep -ac ' warning .*/etc/reprise.conf:2: ' "$LOG")" = 2 ] ||
		fail "no warning in the next job"
	[ "$(origin MAX_SIZE 2>/dev/null)" = "20G  (default)" ] || fail "$(origin MAX_SIZE)"
	# The job does not fail because of the file.
	local what
	for what in 'ln -s nowhere' mkdir mkfifo; do
		rm -rf "$ROOT/etc/reprise.conf"
		$what "$ROOT/etc/reprise.conf"
		with_etc env "${BARE[@]}" REPRISE_CACHE_DIR="$STORE" timeout 20 gcc -c a.c ||
			fail "$what: status $?"
		cmp a.o "$ROOT/want.o"
	done
	rm "$ROOT/etc/reprise.conf"
	head -c 70000 /dev/zero >"$ROOT/etc/reprise.conf"
	with_etc env "${BARE[@]}" REPRISE_CACHE_DIR="$STORE" gcc -c a.c
	grep -aq ' warning .*larger than 64 KiB' "$LOG"
}

@test "settings: STRICT ends a tool with 125 on an internal error only" {
	compile_ok REPRISE_STRICT=1
	compile_ok REPRISE_STRICT=1
	[ "$(stat_of errors)" = 0 ]
	hidden_tool
	local s=0
	put hidden one
	under env REPRISE_TOOLS=+mytool ./mytool
	put hidden two
	under env REPRISE_TOOLS=+mytool REPRISE_STRICT=1 REPRISE_VERIFY=100% ./mytool || s=$?
	[ "$s" = 125 ] || fail "status $s"
	[ "$(stat_of errors)" = 1 ]
}

@test "settings: settings survive a cleared environment" {
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
	under gcc -fno-common -Iearly -Ilate -c b.c
	reprise explain >e
	grep -q 'fno-common' e || { cat e; fail "the argument is not named"; }
}
