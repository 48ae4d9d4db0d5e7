# Differential harness of the end-to-end suites.
#
# A case is a command and the tree in which it runs. The command runs plain, then under Reprise.
# Exit status, stdout, stderr and every file of the tree (bytes, mode, type, link count, written now
# or not) must be equal. TMPDIR must be empty. The log may hold neither error nor warning. The
# counters must say what the case expects.
#
#     setup() { load lib; case_setup; }           # the test's directory is now $W, the working tree
#     teardown() { case_teardown; }
#     @test "compile: a C file" {
#         put a.c 'int a(void) { return 1; }'
#         differential -- gcc -c a.c              # plain, cold (stored), warm (hit)
#         put a.c 'int a(void) { return 2; }'
#         again miss                              # the same command: plain, miss, hit
#     }
#
# Options of `differential` and `again`: rounds.bash.
#
# Knobs: REPRISE_TEST_UNCOUNTED=1 ignores counters: with an empty object as REPRISE_LIB it shows
# that the cases themselves are reproducible. REPRISE_LIB, REPRISE_BIN: default build/ of this
# checkout. REPRISE_TEST_KEEP=1 keeps case directories. REPRISE_TEST_ROOT (default
# /tmp/reprise-test) holds them. It is an ordinary name, so that no path of a case looks like a
# generated one. E2E_PLACE, which a file exports in setup_file, gives its cases one directory, one
# after the other. Files use it whose cases begin with a copy of another case's result.

E2E_DIR=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
TOP=${E2E_DIR%/*/*}
: "${REPRISE_LIB:=$TOP/build/libreprise.so}"
: "${REPRISE_BIN:=$TOP/build/reprise}"
: "${REPRISE_TEST_ROOT:=/tmp/reprise-test}"
# Two ticks of the coarsest clock a local file system has here (CONFIG_HZ=100) and some: files
# younger than that are rightly not trusted.
E2E_AGE=0.03

# Variables of the harness, not settings of Reprise. In setup_file they stay exported, or the cases
# would lack them.
[ -z "${BATS_TEST_NUMBER-}" ] ||
	export -n REPRISE_LIB REPRISE_BIN REPRISE_TEST_ROOT REPRISE_TEST_KEEP REPRISE_TEST_VENV \
		REPRISE_TEST_CUDA_WHEEL REPRISE_TEST_UNCOUNTED

# Prints the lists that a round compares.
TREE=$TOP/build/helpers/tree

PY=/usr/bin/python3
[ -x "$PY" ] || PY=$(command -v python3)

# bats notes the whole stack before each command of a test. That costs more than most commands here,
# so of those in *.bash it notes the call alone.
[ -z "${BATS_TEST_NUMBER-}" ] ||
	trap '[[ $BASH_SOURCE == *.bash ]] || bats_debug_trap "$BASH_SOURCE"' DEBUG

case_setup() {
	[ -e "$REPRISE_LIB" ] && [ -e "$TREE" ] ||
		{ echo "no $REPRISE_LIB or no $TREE: run make all helpers first" >&2; return 1; }
	# Nothing of the caller's set-up may reach a case.
	local v
	for v in ${!REPRISE_@} ${!TORCH@} ${!TRITON@} LD_PRELOAD CPATH C_INCLUDE_PATH \
		CPLUS_INCLUDE_PATH \
		LIBRARY_PATH LANG LANGUAGE MAKEFLAGS CCC_OVERRIDE_OPTIONS SOURCE_DATE_EPOCH \
		PTXAS_FLAGS; do
		case $v in
		REPRISE_LIB | REPRISE_BIN | REPRISE_TEST_*) ;;
		*) unset "$v" ;;
		esac
	done
	export LC_ALL=C
	umask 022
	ROOT=$REPRISE_TEST_ROOT/${BATS_ROOT_PID:-$PPID}
	ROOT+=/${E2E_PLACE:-${BATS_SUITE_TEST_NUMBER:-$BATS_TEST_NUMBER}}
	[ ! -e "$ROOT" ] || rm -rf "$ROOT"
	W=$ROOT/w
	STORE=$ROOT/store
	RUNTIME=$ROOT/runtime
	LOG=$ROOT/log
	export TMPDIR=$ROOT/tmp HOME=$ROOT/home
	mkdir -p "$W" "$ROOT/r" "$TMPDIR" "$HOME"
	use_store "$STORE"
	E2E_CMD=()
	E2E_OPTS=()
	cd "$W" || return 1
}

# The store, runtime directory and settings of the runs that follow.
use_store() {
	STORE=$1
	RPENV=(LD_PRELOAD="$REPRISE_LIB" REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME"
		REPRISE_STRICT=1 REPRISE_LOG="$LOG" REPRISE_LOG_LEVEL=info)
}

case_teardown() {
	cd /
	if [ -n "${REPRISE_TEST_KEEP-}" ] && [ -z "${BATS_TEST_COMPLETED-}" ]; then
		echo "kept: $ROOT"
	elif [ -n "${ROOT-}" ]; then
		rm -rf "$ROOT" 2>/dev/null || {
			chmod -R u+rwX "$ROOT" 2>/dev/null
			rm -rf "$ROOT"
		}
		# Other suites may be there.
		rmdir "${ROOT%/*}" "$REPRISE_TEST_ROOT" 2>/dev/null || :
	fi
	return 0
}

# lacks WHAT: fails, since scripts/setup would have installed it. With E2E_SLIM set the case is
# skipped instead: for roots that hold less (tests/e2e/roots.bats).
lacks() {
	[ -z "${E2E_SLIM-}" ] || skip "no $1 in this root"
	fail "no $1 here: scripts/setup installs it"
}

# need CMD...: fails if a program is missing that scripts/setup installs. A skip is only for what a
# machine may truly lack (a right, a kernel's feature, torch, ptxas).
need() {
	local c
	for c; do
		command -v "$c" >/dev/null || { lacks "$c"; return 1; }
	done
}

# True below qemu-user (tests/long/aarch64_suites.bats), which knows neither ptrace nor system call
# filters, and prints a line for each process that a signal ends with a core dump.
emulated() { [ -n "${E2E_EMULATED-}" ]; }

need_root() { [ "$(id -u)" = 0 ] || skip "needs root: $1"; }

# Mounts in a namespace of the case's own. Where such mounts work, a mount that fails is a failure
# of the case.
need_mounts() {
	need unshare
	need_root "mounting"
	unshare -m sh -c 'mount -t tmpfs none "$1" &&
		mount --bind "$1" "$1"' sh "$ROOT/r" 2>/dev/null ||
		skip "mounts are not permitted here"
}

# as_user CMD...: as nobody when we are root (root ignores permissions), else as ourselves.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# Directories of cases that the user nobody can use, too.
for_user() {
	[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$ROOT"
	local d
	for d in "$REPRISE_TEST_ROOT" "${ROOT%/*}" "$ROOT"; do chmod a+rx "$d"; done
	as_user test -r "$REPRISE_LIB" && return
	# A checkout in a home directory that other users may not enter.
	cp "$REPRISE_LIB" "$ROOT/libreprise.so"
	REPRISE_LIB=$ROOT/libreprise.so
	use_store "$STORE"
	as_user test -r "$REPRISE_LIB" || fail "another user cannot read below $REPRISE_TEST_ROOT"
}

put() {
	local file=$1
	shift
	case $file in */*) mkdir -p "${file%/*}" ;; esac
	printf '%s\n' "$@" >"$file"
}

# put_script FILE LINE...: a text that can be run.
put_script() { put "$@" && chmod +x "$1"; }

# numbered COUNT FORMAT: lines 0 to COUNT - 1; each %d of the format is the line's number.
numbered() {
	awk -v count="$1" -v format="$2\n" \
		'BEGIN { for (i = 0; i < count; i++) printf format, i, i, i }'
}

# source_with_header LINE...: a.c begins with a.h, which defines A.
source_with_header() {
	put a.h '#define A 1'
	put a.c '#include "a.h"' "$@"
}

# slow_source ROUNDS: slow.cc keeps g++ busy for that many rounds of a loop; SLOW is the command.
slow_source() {
	put slow.cc "constexpr int f() { int s = 0; for (int i = 0; i < $1; i++) s += i % 7;" \
		"return s; }" \
		'constexpr int v = f();' 'int x = v;'
	SLOW=(g++ -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=2000000000 -c slow.cc)
}

# A name as Python's tempfile makes them. It is always taken for generated; of mkstemp's names one
# in some dozens looks like a word.
temp_name() {
	local n=tmp i c=abcdefghijklmnopqrstuvwxyz0123456789_
	for i in 1 2 3 4; do n+=${c:RANDOM % ${#c}:1}; done
	# A word of some header that is an end of the name (__8x) would bind it.
	for i in 1 2; do n+=$((RANDOM % 10))${c:RANDOM % 26:1}; done
	echo "$TMPDIR/$n"
}

# Files written just now are too new to be inputs that can be trusted.
age() { sleep "$E2E_AGE"; }
# A process that starts now imports the sources as they are. The sources are older than the process
# by more than MEMBER_SKEW_S (units/format/member.h), in whole seconds.
age_sources() { sleep 4.2; }

fail() {
	printf '%s\n' "$*" >&2
	if [ -s "${LOG-}" ]; then
		echo "--- last of the log:" >&2
		tail -n 12 "$LOG" >&2
	fi
	return 1
}

# reprise CMD...: the command, on the case's store.
reprise() {
	REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
		"$REPRISE_BIN" "$@"
}

# helper NAME: the path of a program of the suites, made from helpers/.
helper() {
	[ -x "$TOP/build/helpers/$1" ] || { fail "no build/helpers/$1: make helpers"; return 1; }
	echo "$TOP/build/helpers/$1"
}

# under CMD...: with Reprise, no comparison.
under() { env "${RPENV[@]}" "$@"; }

# stats_read ARRAY: every number of `reprise stats --json`.
stats_read() {
	local -n _into=$1
	local numbers
	numbers=$(reprise stats --json) || { fail "reprise stats --json: status $?"; return 1; }
	mapfile -t numbers <<<"$numbers"
	# Lines `  "name": number,` become [name]=number, and other lines nothing.
	numbers=("${numbers[@]#*\"}")
	numbers=("${numbers[@]/%*\": [!0-9-]*/}")
	numbers=("${numbers[@]/#*[\{\}]*/}")
	numbers=("${numbers[@]%,}")
	numbers=(${numbers[@]/\": /]=})
	eval "_into=(${numbers[*]/#/[})"
	[ -n "${_into[misses]-}" ] || { fail "no misses in stats --json"; return 1; }
}

stat_of() {
	local -A _s
	stats_read _s || return 1
	echo "${_s[$1]:-0}"
}

# The files of a store's entries.
entries() { # [STORE]
	local store=${1:-$STORE}
	[ ! -d "$store" ] ||
		(
			cd "$store" && find . -type f -path './*/[0-9a-f][0-9a-f]/*' \
				! -path './tmp/*' | sed "s#^\.#$store#"
		)
}

# How many warnings a log holds.
warnings() { # [LOG]
	local log=${1:-$LOG}
	if [ -e "$log" ]; then grep -acE '^[^ ]+ [0-9]+ warning ' "$log" || true; else echo 0; fi
}

. "$E2E_DIR/rounds.bash"
