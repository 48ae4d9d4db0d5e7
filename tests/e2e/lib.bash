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
# differential [options] -- command
# again EXPECT [options] [-- command]     the last command and options unless given anew
#   --cold EXPECT, --warm EXPECT   what the first and the second run under Reprise must count:
#         stored            a real run that was kept
#         hit               replayed
#         remote            replayed from what a remote store had; then a hit
#         miss              as stored (reads better after an edit)
#         miss:REASON       a real run that was kept, and why it was no hit
#         unstored[:REASON] a real run that was not kept
#         bypass[:REASON]   a real run that was not recorded
#         host              no tool was seen at all
#         any               correct outputs are enough
#         none              (--warm) no second run
#     Default: stored, then hit; after another --cold the second run is expected to be the same.
#   --tools N          starts of tools in the command (default 1): each of them counts
#   --status N|any     exit status the plain run must have (default 0)
#   --makes "A B"      files the plain run must leave: the case is what it says
#   --ignore GLOB      contents that differ between real runs (compared between cold and warm
#                      instead)
#   --filter SED       applied to stdout and stderr before they are compared
#   --mask SED         applied to the files of the tree before they are compared
#   --streams KIND     split (two files, default), merged (one file), pipe (one pipe), pipes (two
#                      pipes)
#   --stdin FILE       default /dev/null
#   --umask MASK
#   --env "A=b"        for all runs; several on lines of their own
#   --fresh            the tree holds files that the command overwrites: each run gets a copy of the
#                      tree
#   --cd DIR           working directory below the tree
#   --warnings         warnings in the log are part of the case
#
# Knobs: REPRISE_TEST_UNCOUNTED=1 ignores counters: with an empty object as REPRISE_LIB it shows
# that the cases themselves are reproducible. REPRISE_LIB, REPRISE_BIN: default build/ of this
# checkout. REPRISE_TEST_KEEP=1 keeps case directories. REPRISE_TEST_ROOT (default
# /tmp/reprise-test) holds them. It is an ordinary name, so that no path of a case looks like a
# generated one. E2E_PLACE, which a file exports in setup_file, gives its cases one directory, one
# after the other. Files use it whose cases begin with a copy of another case's result.

E2E_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$E2E_DIR/../.." && pwd)
: "${REPRISE_LIB:=$TOP/build/libreprise.so}"
: "${REPRISE_BIN:=$TOP/build/reprise}"
: "${REPRISE_TEST_ROOT:=/tmp/reprise-test}"
# Two ticks of the coarsest clock a local file system has here (CONFIG_HZ=100) and some: files
# younger than that are rightly not trusted.
E2E_AGE=0.03

# Knobs of the harness, not settings of Reprise.
export -n REPRISE_LIB REPRISE_BIN REPRISE_TEST_ROOT REPRISE_TEST_KEEP REPRISE_TEST_VENV \
	REPRISE_TEST_CUDA_WHEEL REPRISE_TEST_UNCOUNTED

# Prints the lists that a round compares.
TREE=$TOP/build/helpers/tree

PY=/usr/bin/python3
[ -x "$PY" ] || PY=$(command -v python3)

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
	rm -rf "$ROOT"
	W=$ROOT/w
	STORE=$ROOT/store
	RUNTIME=$ROOT/runtime
	LOG=$ROOT/log
	mkdir -p "$W" "$ROOT/tmp" "$ROOT/r"
	export TMPDIR=$ROOT/tmp HOME=$ROOT/home
	mkdir "$HOME"
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
		chmod -R u+rwX "$ROOT" 2>/dev/null
		rm -rf "$ROOT"
		rmdir "${ROOT%/*}" "$REPRISE_TEST_ROOT" 2>/dev/null
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

need_root() { [ "$(id -u)" = 0 ] || skip "needs root: $1"; }

# Mounts in a namespace of the case's own: where these work, one that does not is a failure.
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

# Case directories that nobody, too, can work in.
for_user() {
	[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$ROOT"
	local d
	for d in "$REPRISE_TEST_ROOT" "${ROOT%/*}" "$ROOT"; do chmod a+rx "$d"; done
	as_user test -r "$REPRISE_LIB" && return
	# A checkout in somebody's home.
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

# source_with_header LINE...: a.c begins with a.h, which says what A is.
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

# A name as Python's tempfile makes them: always taken for generated, where one mkstemp name in some
# dozens looks like a word.
temp_name() {
	local n=tmp i c=abcdefghijklmnopqrstuvwxyz0123456789_
	for i in 1 2 3 4 5 6 7 8; do n+=${c:RANDOM % ${#c}:1}; done
	echo "$TMPDIR/$n"
}

# Files written just now are too new to be inputs that can be trusted.
age() { sleep "$E2E_AGE"; }
# A process that starts now imports the sources as they are: they are older than it by more than
# MEMBER_SKEW_S (units/member.h), in whole seconds.
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
	env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		REPRISE_LOG="$LOG" "$REPRISE_BIN" "$@"
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
	numbers=$(
		trap - DEBUG
		set -o pipefail
		reprise stats --json | sed -nE 's/^ *"([A-Za-z0-9_-]+)": *(-?[0-9.]+),?$/[\1]=\2/p'
	) || { fail "reprise stats --json: status $?"; return 1; }
	eval "_into=($numbers)"
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

command_text() { printf '%s' "${E2E_CMD[*]}" | cut -c 1-400; }

round_run() { # NAME [preload]: one run of E2E_CMD in the tree; results in $ROOT/r/NAME.*
	local name=$1 start pre=() vars=() left
	[ -z "${O[env]-}" ] || mapfile -t vars <<<"${O[env]}"
	[ "${2-}" = preload ] && pre=("${RPENV[@]}")
	local out=$ROOT/r/$name.out err=$ROOT/r/$name.err
	: >"$out" >"$err" # before an odd umask
	start=$EPOCHREALTIME
	(
		cd "$W${O[cd]:+/${O[cd]}}" || exit 126
		[ -z "${O[umask]-}" ] || umask "${O[umask]}"
		case ${O[streams]-split} in
		split)
			exec env "${vars[@]}" "${pre[@]}" \
				"${E2E_CMD[@]}" <"${O[stdin]-/dev/null}" >"$out" 2>"$err"
			;;
		merged)
			exec env "${vars[@]}" "${pre[@]}" \
				"${E2E_CMD[@]}" <"${O[stdin]-/dev/null}" >"$out" 2>&1
			;;
		pipe)
			env "${vars[@]}" "${pre[@]}" "${E2E_CMD[@]}" <"${O[stdin]-/dev/null}" 2>&1 |
				cat >"$out"
			exit "${PIPESTATUS[0]}"
			;;
		pipes)
			{
				env "${vars[@]}" "${pre[@]}" "${E2E_CMD[@]}" \
					<"${O[stdin]-/dev/null}" 2>&3 | cat >"$out"
				exit "${PIPESTATUS[0]}"
			} 3> >(cat >"$err")
			;;
		esac
	)
	echo "$?" >"$ROOT/r/$name.status"
	[ "${O[streams]-}" != pipes ] || sleep 0.02 # the second cat has no one to wait for it
	[ -e "$err" ] || : >"$err"
	if [ -n "${O[filter]-}" ]; then
		sed -E -i "${O[filter]}" "$out" "$err"
	fi
	# 20 ms of slack: a file's clock is coarser than ours. Inputs are older than that.
	start=$((${start/./} - 20000))
	cd "$W" && "$TREE" meta "${start:0:-6}.${start: -6}" >"$ROOT/r/$name.meta"
	left=("$TMPDIR"/* "$TMPDIR"/.[!.]*)
	if [ -e "${left[0]}" ] || [ -e "${left[-1]}" ]; then
		fail "$name: left in TMPDIR: ${left[*]}"
		rm -rf "$TMPDIR" && mkdir "$TMPDIR"
		return 1
	fi
}

round_keep() { # NAME: takes the results away and puts the tree back
	local name=$1
	cd "$ROOT" || return 1
	if [ -n "${O[fresh]-}" ]; then
		mv w "r/$name.tree"
		[ ! -e "r/next.$name" ] || mv "r/next.$name" w
	else
		cp -a w "r/$name.tree"
		cd w && "$TREE" back "$ROOT/r/names" "$ROOT/r/inputs" || {
			diff -a "$ROOT/r/inputs" "$ROOT/r/inputs.now" | head -n 10 |
				cut -c 1-400 >&2
			fail "$name: changed files that were there (the case wants --fresh)"
			return 1
		}
	fi
	[ -z "${O[mask]-}" ] ||
		find "$ROOT/r/$name.tree" -type f -exec env LC_ALL=C sed -E -i "${O[mask]}" {} +
	cd "$W"
}

round_compare() { # NAME OTHER: results of NAME against those of the run OTHER
	local name=$1 base=$2 what bad=0
	"$TREE" same "$ROOT/r/$base" "$ROOT/r/$name" || for what in status out err meta; do
		if ! cmp -s "$ROOT/r/$base.$what" "$ROOT/r/$name.$what"; then
			bad=1
			echo "$name and $base differ in $what:" >&2
			diff -a "$ROOT/r/$base.$what" "$ROOT/r/$name.$what" | head -n 20 |
				cut -c 1-400 >&2
		fi
	done
	local x=()
	if [ -n "${O[ignore]-}" ] && [ "$base" = plain ]; then
		local g globs
		read -ra globs <<<"${O[ignore]}"
		for g in "${globs[@]}"; do x+=(-x "$g"); done
	fi
	diff -r --no-dereference "${x[@]}" "$ROOT/r/$base.tree" \
		"$ROOT/r/$name.tree" >"$ROOT/r/diff" 2>&1 || {
		bad=1
		echo "$name and $base differ in content:" >&2
		head -n 20 "$ROOT/r/diff" | cut -c 1-400 >&2
	}
	[ $bad = 0 ] || fail "command: $(command_text)"
}

round_expect() { # NAME EXPECT BEFORE AFTER: the counters' movement
	local name=$1 want=$2 tools=${O[tools]-1} reason=
	local -n _b=$3 _a=$4
	[ -z "${REPRISE_TEST_UNCOUNTED-}" ] || return 0
	case $want in *:*) reason=${want#*:} want=${want%%:*} ;; esac
	local far=$((${_a[hits_remote]:-0} - ${_b[hits_remote]:-0}))
	local hits=$((_a[hits_local] - _b[hits_local] + far)) misses=$((_a[misses] - _b[misses]))
	local unstored=$((_a[unstored] - _b[unstored])) bypasses=$((_a[bypasses] - _b[bypasses]))
	local k got="hits $hits ($far remote), misses $misses"
	got+=", unstored $unstored, bypasses $bypasses"
	for k in "${!_a[@]}"; do
		case $k in
		reason_*) [ "${_a[$k]}" = "${_b[$k]:-0}" ] || got+=", ${k#reason_}" ;;
		esac
	done
	[ "${_a[errors]}" = "${_b[errors]:-0}" ] ||
		{ fail "$name: errors counted; $got"; return 1; }
	local ok=1
	case $want in
	any) ;;
	stored | miss) [ "$hits $misses $unstored $bypasses" = "0 $tools 0 0" ] || ok=0 ;;
	hit) [ "$hits $far $misses $unstored $bypasses" = "$tools 0 0 0 0" ] || ok=0 ;;
	remote) [ "$hits $far $misses $unstored $bypasses" = "$tools $tools 0 0 0" ] || ok=0 ;;
	unstored) [ "$hits $misses $unstored $bypasses" = "0 $tools $tools 0" ] || ok=0 ;;
	# the passes below a driver decide for themselves
	bypass) [ $bypasses -ge "$tools" ] || ok=0 ;;
	host) [ "$hits $misses $unstored $bypasses" = "0 0 0 0" ] || ok=0 ;;
	*) fail "expectation '$want'?"; return 1 ;;
	esac
	if [ $ok = 1 ] && [ -n "$reason" ]; then
		[ $((${_a[reason_$reason]:-0} - ${_b[reason_$reason]:-0})) -ge 1 ] || ok=0
	fi
	[ $ok = 1 ] || fail "$name: expected $want${reason:+ ($reason)} of $tools, counted: $got;" \
		"command: $(command_text)"
}

round_log() { # the log holds no error, and no warning but where the case is about one
	[ -e "$LOG" ] || return 0
	local bad='^[^ ]+ [0-9]+ (error|warning) '
	[ -z "${O[warnings]-}" ] || bad='^[^ ]+ [0-9]+ error '
	! grep -aE "$bad" "$LOG" >&2 || fail "the log holds the above"
}

round_parse() { # options to O, the command to E2E_CMD
	while [ $# -gt 0 ]; do
		case $1 in
		--) shift; E2E_CMD=("$@"); return ;;
		--fresh | --warnings) O[${1#--}]=1; shift ;;
		--cold | --warm | --tools | --status | --makes | --ignore | --filter | --mask | \
			--streams | --stdin | --umask | --env | --cd)
			O[${1#--}]=$2
			shift 2
			;;
		*) fail "option $1?"; return 1 ;;
		esac
	done
}

# bats runs its own trap before every command of a function. That costs more than the commands here.
round() {
	(
		trap - DEBUG
		round_here
	) || return 1
	cd "$W"
}

round_here() {
	local cold=${O[cold]-stored} warm=${O[warm]-} f
	if [ -z "$warm" ]; then
		case $cold in
		stored | miss* | hit | remote) warm=hit ;;
		*) warm=$cold ;;
		esac
	fi
	rm -rf "$ROOT/r"
	mkdir "$ROOT/r"
	cd "$ROOT" || return 1
	if [ -n "${O[fresh]-}" ]; then
		cp -a w r/next.plain
		cp -a w r/next.cold
		cp -a w r/next.warm
	else
		cd w && "$TREE" begin "$ROOT/r/names" "$ROOT/r/inputs"
	fi
	age

	round_run plain && round_keep plain || return 1
	[ "${O[status]-0}" = any ] || [ "$(<"$ROOT/r/plain.status")" = "${O[status]-0}" ] || {
		cat "$ROOT/r/plain.out" "$ROOT/r/plain.err" >&2
		fail "the plain run ended with status $(<"$ROOT/r/plain.status"): $(command_text)"
		return 1
	}
	for f in ${O[makes]-}; do
		[ -e "$ROOT/r/plain.tree/$f" ] || { fail "the plain run made no $f"; return 1; }
	done

	local -A s0 s1 s2
	stats_read s0 && round_run cold preload && stats_read s1 && round_keep cold || return 1
	round_compare cold plain && round_expect cold "$cold" s0 s1 || return 1
	if [ "$warm" != none ]; then
		round_run warm preload && stats_read s2 && round_keep warm || return 1
		round_compare warm plain && round_expect warm "$warm" s1 s2 || return 1
		# A replay gives what was recorded, even where no two real runs are equal.
		if [ -n "${O[ignore]-}" ] && [ "$warm" = hit ] &&
			[ -z "${REPRISE_TEST_UNCOUNTED-}" ]; then
			round_compare warm cold || return 1
		fi
	fi
	round_log
}

differential() {
	local -A O=()
	round_parse "$@" || return 1
	E2E_OPTS=("${@:1:$(($# - ${#E2E_CMD[@]}))}")
	round
}

again() {
	local expect=$1
	shift
	local -A O=()
	[ ${#E2E_OPTS[@]} = 0 ] || round_parse "${E2E_OPTS[@]}" "${E2E_CMD[@]}" || return 1
	unset 'O[warm]' 'O[makes]'
	O[cold]=$expect
	round_parse "$@" || return 1
	round
}
