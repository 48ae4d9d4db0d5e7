#!/bin/sh
# tests/one.sh TIER "KIND FILE [NAME=VALUE]" - runs one test file for tests/run.sh, which explains
# the environment.
#
# TAP goes to build/reports/KIND/NAME.tap, other output beside it (.log). NAME.time gets the
# seconds, a line of tests/times.txt: seconds on the clock, KIND, FILE, NAME=VALUE, "#", seconds of
# CPU time.
set -u
tier=$1
# shellcheck disable=SC2086 # a line of words
set -- $2
kind=$1
file=$2
parameter=${3-}
reports=$PWD/build/reports/$kind

# A leak is a failure. To look for leaks takes a third of the unit tests' time, so make check-long
# does it. UBSAN_OPTIONS: without it a report would end in the exit status alone.
ASAN_OPTIONS=strict_string_checks=1
[ "$kind,$tier" != sanitize,check ] || ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
case $(gcc -dumpversion) in
# The sanitizers' fake stack does not align variables that need 64 bytes, such as a digest's state.
[0-9] | 10 | 11) ;;
*) ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=1 ;;
esac
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS
sanitizer_report='ERROR: (Address|Leak|Memory|Undefined)[A-Za-z]*Sanitizer'
sanitizer_report="$sanitizer_report|runtime error:|DEADLYSIGNAL"

# Criterion 2.4 leaks a record now and then if tests have different limits. So all have this one.
unit_seconds=300

# said NAME STATUS: one test by hand, as TAP.
said() {
	[ "$2" = 0 ] || printf 'not '
	echo "ok 1 $1"
} >"$tap"

# finish STATUS: a file whose plan does not fit what was run, or that failed with no test to blame,
# gets a failure of its own.
finish() {
	awk -v name="$name" -v status="$1" '
		/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); plan = $1 + 0; planned = 1 }
		/^ok/ { ran++ }
		/^not ok/ { ran++; failed++ }
		END {
			if (!planned)
				print "not ok - " name ": no plan, status " status
			else if (plan != ran)
				print "not ok - " name ": " ran + 0 " of " plan \
					" tests ran, status " status
			else if (status != 0 && !failed)
				print "not ok - " name ": ended with status " status
		}' "$tap" >"$tap.end"
	cat "$tap.end" >>"$tap"
	rm -f "$tap.end"
}

count() {
	awk '/^ok.*# *[Ss][Kk][Ii][Pp]/ { s++; next } /^ok/ { p++ } /^not ok/ { f++ }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' "$tap"
}

# One target. New finds go to build/; the kept corpus is only read.
run_fuzz() {
	parser=${name#fuzz_}
	case $parser in
	entry | candidate | trace | settings | memo) seconds=$FUZZ_SECONDS ;;
	*) seconds=$((FUZZ_SECONDS / 5)) ;;
	esac
	set -- -max_total_time="$seconds"
	[ "$seconds" -gt 0 ] || set -- -runs=0
	mkdir -p "build/fuzz/corpus/$parser" "tests/fuzz/corpus/$parser"
	"build/fuzz/tests/fuzz/$name" "$@" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/$parser-" \
		"build/fuzz/corpus/$parser" "tests/fuzz/corpus/$parser" >"$log" 2>&1
	status=$?
	said "$parser, $(sed -n 's/^stat::number_of_executed_units: *//p' \
		"$log") runs in $seconds s" "$status"
}

# Many unit tests wait for another process. Under sanitizers nearly all compute.
run_unit() {
	jobs=$(getconf _NPROCESSORS_ONLN)
	[ "$kind" = sanitize ] || jobs=$((2 * jobs))
	timeout -k 10 "$FILE_SECONDS" "$file" -j "$jobs" \
		--timeout "$unit_seconds" --tap="$tap" >"$log" 2>&1
	status=$?
	# Criterion says "passing" of a test whose process reported a leak when it ended.
	if [ "$kind" = sanitize ] && grep -Eq "$sanitizer_report" "$log"; then
		echo "not ok - $name: sanitizer report" >"$tap.more"
	fi
}

# The command on an empty store, each verb once: no report, no crash.
run_command() {
	home=$(mktemp -d)
	for verb in version config stats 'stats --json' explain gc verify clear --help; do
		# shellcheck disable=SC2086 # verb and option
		HOME=$home REPRISE_CACHE_DIR=$home/store \
			REPRISE_RUNTIME_DIR=$home/run "$file" $verb </dev/null
		verb_status=$?
		[ "$verb_status" -lt 64 ] ||
			echo "runtime error: reprise $verb ended with status $verb_status"
	done >"$log" 2>&1
	rm -rf "$home"
	! grep -Eq "$sanitizer_report" "$log"
	said command $?
}

run_bats() {
	if [ -z "${E2E_FRAMEWORKS-}" ]; then
		. tests/frameworks.sh
		if grep -Eq "$frameworks_in" "$file"; then
			flock -s build/installing true
			frameworks_find
		fi
	fi
	# Only on request: `reprise config` rightly refuses an unknown REPRISE_ name.
	if [ -n "${E2E_VENV-}" ] &&
		grep -Eq 'REPRISE_TEST_VENV|need_ptxas|job_python|units_lib|baseline' "$file"; then
		export REPRISE_TEST_VENV="$E2E_VENV"
	fi
	# Each file has a tree of its own: the last test of a file removes it, while another file
	# may be about to use one.
	export REPRISE_TEST_ROOT="${REPRISE_TEST_ROOT:-/tmp/reprise-test-$name}"
	case $tier,$file in
	long,tests/long/*) set -- ;;
	long,*) set -- --filter-tags long ;;
	fast,*) set -- --filter-tags '!long,!check' ;;
	*) set -- --filter-tags '!long' ;;
	esac
	timeout -k 10 "$FILE_SECONDS" bats -T -F tap "$@" "$file" >"$tap" 2>"$log" </dev/null
	status=$?
}

name=$(basename "$file")
name=${name%.bats}
name=${name%.c}
name=${name%.sh}
if [ -n "$parameter" ]; then
	export "${parameter?}"
	name=$name-${parameter#*=}
fi
mkdir -p "$reports"
tap=$reports/$name.tap
log=$reports/$name.log
if [ -n "${CONTINUE-}" ] && [ -e "$reports/$name.time" ] && ! grep -q '^not ok' "$tap" &&
	[ "$tap" -nt build/libreprise.so ] && [ "$tap" -nt build/reprise ] &&
	[ "$tap" -nt "$file" ]; then
	echo "$kind/$name: $(count), kept"
	exit 0
fi
rm -f "$tap" "$log" "$reports/$name.time"
start=$(date +%s.%N)
status=0
case $kind in
fuzz) run_fuzz ;;
unit | sanitize) run_unit ;;
command) run_command ;;
layers | docs)
	sh "$file" >"$log" 2>&1
	said "$name" $?
	;;
cross)
	${MAKE:-make} cross-aarch64 >"$log" 2>&1
	said aarch64 $?
	;;
*) run_bats ;;
esac
[ -e "$tap" ] || : >"$tap"
case $kind in unit | sanitize | e2e | long) finish "$status" ;; esac
if [ -e "$tap.more" ]; then
	cat "$tap.more" >>"$tap"
	rm -f "$tap.more"
fi
# The second line of `times` is of children; in a pipe it would be of another shell's.
times >"$reports/$name.time"
cpu=$(awk '
	NR == 2 {
		for (i = 1; i <= 2; i++) {
			split($i, t, "m")
			s += t[1] * 60 + t[2]
		}
		printf "%.0f", s
	}' "$reports/$name.time")
echo "$start $(date +%s.%N) $kind $file $parameter" |
	awk -v cpu="$cpu" \
		'{ printf "%.0f %s %s%s # %s\n", $2 - $1, $3, $4, (NF > 4 ? " " $5 : ""), cpu }' \
		>"$reports/$name.time"
echo "$kind/$name: $(count) ($(sed 's/ .*//' "$reports/$name.time") s)"
if grep -q '^not ok' "$tap"; then
	# Also prints bats's comments, and the end of the log with output of programs.
	awk '/^not ok/ { on = 1 } /^ok/ { on = 0 } on' "$tap" | head -n 200 | sed 's/^/    /'
	tail -n 40 "$log" | sed 's/^/    | /'
fi
exit 0
