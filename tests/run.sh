#!/bin/sh
# tests/run.sh [--long] [SUITE...] - runs the suites and sums them up.
#
# Suites: docs cross unit sanitize e2e (all *.bats files) fuzz, and with --long: tests/long/*.bats and the cases of others
# that are tagged "long", whose report goes to tests/reports/. Before the last line the skipped tests are listed by reason; the last
# line is `N passed, N failed, N skipped`. Status 0 only without a failure.
#
#   JOBS=2              test files that run at once (default: the number of CPUs)
#   FUZZ_SECONDS=20     for each parser of what every start reads; a twentieth for the others
#   FILE_SECONDS=1500   after which a test file is ended and counted as failed (--long: 4 hours)
#   ONLY=REGEX          only test files whose path matches
#
# Every test file leaves TAP in build/reports/<suite>/<name>.tap and what it printed beside it.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$root/build
reports=$build/reports
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
FUZZ_SECONDS=${FUZZ_SECONDS:-20}
if [ "${1-}" = --long ]; then
	FILE_SECONDS=${FILE_SECONDS:-14400}
fi
FILE_SECONDS=${FILE_SECONDS:-1500}
ONLY=${ONLY:-.}
MAKE=${MAKE:-make}

# The caller's own Reprise must not reach into the tests.
for name in $(env | sed -n 's/^\(REPRISE_[A-Z_]*\)=.*/\1/p' | grep -Ev '^REPRISE_(TEST_.*|LIB|BIN)$'); do
	unset "$name"
done
unset LD_PRELOAD TORCHINDUCTOR_FORCE_DISABLE_CACHES TORCH_COMPILE_FORCE_DISABLE_CACHES MAKEFLAGS MAKELEVEL MFLAGS
export JOBS FUZZ_SECONDS FILE_SECONDS ONLY

# Suites that need torch and Triton ask for these; without them they skip.
if torch_python=$(sh scripts/torch-python.sh); then
	E2E_PYTHON=$torch_python
	E2E_VENV=$("$torch_python" -c 'import sys; print(sys.prefix)')
	export E2E_PYTHON E2E_VENV
fi
# Those of NVRTC and nvJitLink, likewise.
if places=$(sh scripts/nvrtc.sh); then
	eval "$places"
	export E2E_NVRTC E2E_NVRTC_OLD E2E_NVJITLINK E2E_NVJITLINK_OLD E2E_NVRTC_INCLUDE E2E_NVRTC_PYTHON
fi

# A leak is a failure; without the second line a report would end in the exit status alone.
ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
case $(gcc -dumpversion) in
# Their fake stack does not align what asks for 64 bytes, such as a digest's state.
[0-9] | 10 | 11) ;;
*) ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=1 ;;
esac
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS
sanitizer_report='ERROR: (Address|Leak|Memory|Undefined)[A-Za-z]*Sanitizer|runtime error:|DEADLYSIGNAL'

# result SUITE NAME STATUS: one test by hand, as TAP.
result() {
	mkdir -p "$reports/$1"
	{
		echo 1..1
		case $3 in
		0) echo "ok 1 $2" ;;
		*) echo "not ok 1 $2" ;;
		esac
	} >"$reports/$1/$2.tap"
}

# finish TAP NAME STATUS: a file whose plan does not fit what was run, or that failed with no test to
# blame, gets a failure of its own.
finish() {
	awk -v name="$2" -v status="$3" '
		/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); plan = $1 + 0; planned = 1 }
		/^ok/ { ran++ }
		/^not ok/ { ran++; failed++ }
		END {
			if (!planned)
				print "not ok - " name ": no plan, status " status
			else if (plan != ran)
				print "not ok - " name ": " ran + 0 " of " plan " tests ran, status " status
			else if (status != 0 && !failed)
				print "not ok - " name ": ended with status " status
		}' "$1" >"$1.end"
	cat "$1.end" >>"$1"
	rm -f "$1.end"
}

count() {
	cat "$@" 2>/dev/null | awk '
		/^ok.*# *[Ss][Kk][Ii][Pp]/ { s++; next }
		/^ok/ { p++ }
		/^not ok/ { f++ }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s }'
}

# fuzz PARSER TAP LOG: one target. New finds go to build/; the kept corpus is only read.
fuzz() {
	case $1 in
	entry | candidate | trace | settings | memo) seconds=$FUZZ_SECONDS ;;
	*) seconds=$(((FUZZ_SECONDS + 19) / 20)) ;;
	esac
	mkdir -p "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1"
	"build/fuzz/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/$1-" \
		"build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" >"$3" 2>&1
	status=$?
	{
		echo 1..1
		[ "$status" = 0 ] || printf 'not '
		echo "ok 1 $1, $(sed -n 's/^stat::number_of_executed_units: *//p' "$3") runs in $seconds s"
	} >"$2"
	return "$status"
}

# one KIND FILE: runs one test file; called through xargs.
one() {
	kind=$1
	file=$2
	case $file in
	tests/"$kind"/* | build/*) name=$(basename "$file" .bats) ;;
	*) name=$(echo "${file%.bats}" | sed 's/^tests.//; s/[^A-Za-z0-9_-]/-/g') ;;
	esac
	mkdir -p "$reports/$kind"
	name=${name%.c}
	tap=$reports/$kind/$name.tap
	log=$reports/$kind/$name.log
	rm -f "$tap" "$log"
	start=$(date +%s)
	case $kind in
	fuzz)
		parser=$(basename "$file" .c)
		fuzz "${parser#fuzz_}" "$tap" "$log"
		status=$?
		;;
	unit)
		timeout -k 10 "$FILE_SECONDS" "$file" --tap="$tap" >"$log" 2>&1
		status=$?
		;;
	sanitize)
		timeout -k 10 "$FILE_SECONDS" "$file" --tap="$tap" >"$log" 2>&1
		status=$?
		# Criterion says "passing" of a test whose process reported a leak when it ended.
		if grep -Eq "$sanitizer_report" "$log"; then
			echo "not ok - $name: sanitizer report" >>"$tap.more"
		fi
		;;
	*)
		# Only where it is asked for: `reprise config` is right to refuse a REPRISE_ name it does not know.
		if [ -n "${E2E_VENV-}" ] && grep -Eq 'REPRISE_TEST_VENV|need_ptxas|job_python|units_lib' "$file"; then
			export REPRISE_TEST_VENV="$E2E_VENV"
		fi
		# One tree a file: the last test of one removes it, while another may be about to use it.
		export REPRISE_TEST_ROOT="${REPRISE_TEST_ROOT:-/tmp/reprise-test-$name}"
		set --
		case $kind,$file in
		e2e,*) set -- --filter-tags '!long' ;;
		long,tests/e2e/*) set -- --filter-tags long ;;
		esac
		timeout -k 10 "$FILE_SECONDS" bats -T -F tap "$@" "$file" >"$tap" 2>"$log" </dev/null
		status=$?
		;;
	esac
	[ -e "$tap" ] || : >"$tap"
	finish "$tap" "$name" "$status"
	if [ -e "$tap.more" ]; then
		cat "$tap.more" >>"$tap"
		rm -f "$tap.more"
	fi
	echo "$kind/$name: $(count "$tap") ($(($(date +%s) - start)) s)"
	if grep -q '^not ok' "$tap"; then
		# With what bats prints as comments; the log's end for what a program said.
		awk '/^not ok/ { on = 1 } /^ok/ { on = 0 } on' "$tap" | head -n 200 | sed 's/^/    /'
		tail -n 40 "$log" | sed 's/^/    | /'
	fi
}

if [ "${1-}" = --one ]; then
	one "$2" "$3"
	exit 0
fi

# several KIND FILE...: at most JOBS at once.
several() {
	kind=$1
	shift
	for file; do
		[ -e "$file" ] && echo "$file"
	done | grep -E "$ONLY" | xargs -r -n 1 -P "$JOBS" sh tests/run.sh --one "$kind"
}

suite_docs() {
	mkdir -p "$reports/docs"
	sh scripts/check-docs.sh >"$reports/docs/pages.log" 2>&1
	status=$?
	result docs pages "$status"
	[ "$status" = 0 ] || sed 's/^/    | /' "$reports/docs/pages.log"
}

suite_cross() {
	mkdir -p "$reports/cross"
	$MAKE -j "$JOBS" cross-aarch64 >"$reports/cross/aarch64.log" 2>&1
	status=$?
	result cross aarch64 "$status"
	[ "$status" = 0 ] || tail -n 40 "$reports/cross/aarch64.log" | sed 's/^/    | /'
}

# build_all SUITE: what does not build is one failure; what does is run.
build_all() {
	$MAKE -k -j "$JOBS" "$1" >"$reports/$1/build.log" 2>&1 && return
	grep -E -A 6 'error|undefined reference' "$reports/$1/build.log" | head -n 40 | sed 's/^/    | /'
	result "$1" build 1
}

suite_unit() {
	several unit build/tests/unit/test_*[!.]?
}

# The command on an empty store, each verb once: no report, no crash.
sanitize_command() {
	home=$(mktemp -d)
	for verb in version config stats 'stats --json' explain gc verify clear --help; do
		# shellcheck disable=SC2086 # verb and option
		HOME=$home REPRISE_CACHE_DIR=$home/store REPRISE_RUNTIME_DIR=$home/run \
			build/sanitize/reprise $verb </dev/null
		status=$?
		[ "$status" -lt 64 ] || echo "runtime error: reprise $verb ended with status $status"
	done >"$reports/sanitize/command.log" 2>&1
	rm -rf "$home"
	! grep -E "$sanitizer_report" "$reports/sanitize/command.log"
}

suite_sanitize() {
	mkdir -p "$reports/sanitize"
	build_all sanitize
	sanitize_command
	result sanitize command $?
	several sanitize build/sanitize/tests/unit/test_*[!.]?
}

# Jobs of torch, nvcc and NVRTC take longest: they begin first, one file more at once than there are CPUs, since each waits for a
# while and none by the clock.
suite_e2e() {
	files=$(find tests -name '*.bats' ! -path 'tests/long/*' | sort)
	first='units_torchair torch units_torch nvcc nvcc_steps units_ranks nvcc_builds nvcc_wheel nvcc_steps_wheel
		nvcc_builds_wheel nvrtc nvrtc_headers nvrtc_generated nvrtc_reach nvjitlink'
	long=$(for name in $first; do echo "$files" | grep "/$name[.]bats\$"; done)
	# shellcheck disable=SC2086 # names of our own, without spaces
	(
		JOBS=$((JOBS + 1))
		several e2e $long
	)
	# shellcheck disable=SC2046
	several e2e $(echo "$files" | grep -Fxv "$long")
}

# With the cases that are marked so among the others, for what another one shows in part.
suite_long() {
	# shellcheck disable=SC2046 # names of our own, without spaces
	several long tests/long/*.bats $(grep -l '^# bats test_tags=long' tests/e2e/*.bats)
}

suite_fuzz() {
	mkdir -p "$reports/fuzz"
	build_all fuzz
	several fuzz tests/fuzz/fuzz_*.c
}

# Reasons of skips, counted; then the sum.
summary() {
	find "$reports" -name '*.tap' -exec cat {} + |
		sed -n 's/^ok.*# *[Ss][Kk][Ii][Pp][Pp]*[Ee]*[Dd]* *//p' | sort | uniq -c | sort -rn |
		sed 's/^ *\([0-9]*\) \(.*\)/skipped: \1 x \2/'
	find "$reports" -name '*.tap' -exec cat {} + | count -
}

machine() {
	sed -n 's/^model name[^:]*: */cpu: /p' /proc/cpuinfo | head -n 1
	echo "cores: $(getconf _NPROCESSORS_ONLN)"
	echo "kernel: $(uname -sr)"
	sed -n 's/^PRETTY_NAME="\(.*\)"/system: \1/p' /etc/os-release
}

suites='docs cross unit sanitize e2e fuzz'
if [ "${1-}" = --long ]; then
	shift
	suites=long
fi
[ $# -eq 0 ] || suites=$*
rm -rf "$reports"
mkdir -p "$reports"
start=$(date +%s)
for suite in $suites; do
	case $suite in
	docs | cross | unit | sanitize | e2e | fuzz | long) ;;
	*)
		echo "run.sh: no such suite: $suite" >&2
		exit 2
		;;
	esac
	echo "== $suite"
	suite_"$suite"
done
echo "== $(($(date +%s) - start)) s"
if [ "$suites" = long ]; then
	mkdir -p tests/reports
	{
		date -u '+Long suites, %Y-%m-%d %H:%M UTC'
		machine
		echo "commit: $(git describe --always --dirty 2>/dev/null || echo none)"
		echo
		for tap in "$reports"/long/*.tap; do
			[ -e "$tap" ] || continue
			echo "$(basename "$tap" .tap): $(count "$tap")"
			# With what the tests say about themselves: sizes, times, the sums of whole runs in roots. What
			# bats says of a failure was printed and is in the log.
			awk '/^(not )?ok/ { failed = /^not/; print "    " $0 } /^# / && !failed { print "    " $0 }' "$tap"
		done
		echo
		summary
	} >"tests/reports/long-$(sed -n 's/^ID=//p' /etc/os-release)-$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release).txt"
fi
summary
case $(find "$reports" -name '*.tap' -exec cat {} + | count -) in
*' 0 failed,'*) exit 0 ;;
esac
exit 1
