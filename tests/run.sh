#!/bin/sh
# tests/run.sh [--fast | --long] [SUITE...] - runs the tests of one tier and sums them up.
#
#   tier     suites                                        cases of *.bats files
#   --fast   layers docs unit e2e                          those without a tag
#   (none)   layers docs cross sanitize e2e fuzz           those without a tag or tagged "check"
#   --long   unit sanitize long fuzz                       those tagged "long", and tests/long/
#
# `sanitize` runs the unit tests, too: a tier has them in one form, or in both if it has hours.
#
# Files run from one queue, the longest first by tests/times.txt. A suite with a line `# parameter
# NAME: VALUE VALUE` runs once for each value, with NAME=VALUE in its environment. Skipped tests are
# listed by reason before the last line, which is `N passed, N failed, N skipped`. Status 0 only if
# a test passed or was skipped, and none failed.
#
#   JOBS=2              test files that run at once (default: the number of CPUs and two more, since
#                       many cases wait)
#   FUZZ_SECONDS=1      for each parser of what every start reads; a fifth for other parsers, of
#                       which less than a second is their corpus alone (--long: 60)
#   FILE_SECONDS=900    after which a test file is ended and counted as failed (--long: 4 hours)
#   ONLY=REGEX          only test files whose path matches; unit tests run whole
#   CONTINUE=1          for a run of --long that was interrupted: skips test files that passed since
#                       build/libreprise.so and build/reprise were built
#   TIMES=1             rewrites the lines of tests/times.txt for what ran: for a complete run of a
#                       tier on an idle machine of two cores
#
# Every test file leaves TAP in build/reports/<suite>/<name>.tap and what it printed beside it.
set -u
cd "$(dirname "$0")/.." || exit 1
reports=$PWD/build/reports
tier=check
suites='layers docs cross sanitize e2e fuzz'
case ${1-} in
--fast)
	tier=fast
	suites='layers docs unit e2e'
	shift
	;;
--long)
	tier=long
	suites='unit sanitize long fuzz'
	FUZZ_SECONDS=${FUZZ_SECONDS:-60}
	FILE_SECONDS=${FILE_SECONDS:-14400}
	shift
	;;
esac
[ $# -eq 0 ] || suites=$*
cores=$(getconf _NPROCESSORS_ONLN)
JOBS=${JOBS:-$((cores + 2))}
FUZZ_SECONDS=${FUZZ_SECONDS:-1}
CONTINUE=${CONTINUE-}
FILE_SECONDS=${FILE_SECONDS:-900}
ONLY=${ONLY:-.}
MAKE=${MAKE:-make}

# The caller's own Reprise must not reach into the tests.
for name in $(env | sed -n 's/^\(REPRISE_[A-Z_]*\)=.*/\1/p' |
	grep -Ev '^REPRISE_(TEST_.*|LIB|BIN)$'); do
	unset "$name"
done
unset LD_PRELOAD TORCHINDUCTOR_FORCE_DISABLE_CACHES TORCH_COMPILE_FORCE_DISABLE_CACHES MAKEFLAGS \
	MAKELEVEL MFLAGS PYTHONDONTWRITEBYTECODE
export FUZZ_SECONDS FILE_SECONDS CONTINUE

# Where scripts/check still installs them, tests/one.sh waits for it and then looks.
. tests/frameworks.sh
mkdir -p build
later=
if flock -n -s build/installing true; then
	frameworks_find
else
	later=$(grep -lE "$frameworks_in" tests/e2e/*.bats tests/launchers/*.bats | tr '\n' ' ')
fi

# queue KIND FILE...: one line a run, `KIND FILE [NAME=VALUE]`. A missing file fails when it is run.
queue() {
	kind=$1
	shift
	for file; do
		sed -n 's/^# parameter \([A-Z0-9_]*\): /\1 /p' "$file" 2>/dev/null |
			awk -v run="$kind $file" '
				{ for (i = 2; i <= NF; i++) print run " " $1 "=" $i }
				END { if (!NR) print run }'
	done | awk -v only="$ONLY" '$2 ~ only'
}

# runs: the lines of a queue, the longest first; a file without a time may be long. Those that wait
# for an installation come before the short ones, which fill the end.
runs() {
	awk -v later=" $later" '
		FILENAME == ARGV[1] { seconds[$2 " " $3 ($4 == "#" ? "" : " " $4)] = $1; next }
		{
			key = $1 " " $2 (NF > 2 ? " " $3 : "")
			s = key in seconds ? seconds[key] : 60
			print (s > 20 && index(later, " " $2 " ") ? 20 : s) "\t" $0
		}' \
		tests/times.txt - | sort -rn | cut -f 2 |
		xargs -r -d '\n' -n 1 -P "$JOBS" sh tests/one.sh "$tier"
}

# Cases of a tier in a file of e2e, audit or launchers: a file without any is not started.
e2e_files() {
	find tests/e2e tests/audit tests/launchers -name '*.bats' | sort | while read -r file; do
		awk -v tier="$tier" '
			/^# bats test_tags=/ { tags = $0; next }
			/^# bats file_tags=/ { whole = $0; next }
			/^@test/ {
				all = whole tags
				of = all ~ /long/ ? "long" : all ~ /check/ ? "check" : "fast"
				found = found || of == tier || (of == "fast" && tier == "check")
				tags = ""
			}
			END { exit !found }' "$file" && echo "$file"
	done
}

# made SUITE TARGET...: builds the targets. A target that does not build is one failure.
made() {
	suite=$1
	shift
	mkdir -p "$reports/$suite"
	$MAKE -k -j "$cores" "$@" >"$reports/$suite/build.log" 2>&1 && return
	grep -E -A 6 'error|undefined reference' "$reports/$suite/build.log" | head -n 40 |
		sed 's/^/    | /'
	printf '1..1\nnot ok 1 %s: build\n' "$suite" >"$reports/$suite/build.tap"
}

# Builds come first: they use all cores by themselves.
queue_suite() {
	case $1 in
	layers) queue layers scripts/check-layers.sh scripts/check-lines.sh ;;
	docs) queue docs scripts/check-docs.sh ;;
	cross) echo cross Makefile ;;
	unit) ONLY=. queue unit build/tests/unit/all ;;
	sanitize)
		build=fuzz
		[ "$tier" != long ] || build=sanitize
		made sanitize "$build" >&2
		ONLY=. queue sanitize "build/$build/tests/unit/all"
		echo "command build/$build/reprise"
		;;
	# shellcheck disable=SC2046 # names of our own, without spaces
	e2e) queue e2e $(e2e_files) ;;
	fuzz)
		level=-O0
		[ "$tier" != long ] || level=-O1
		made fuzz fuzz "FUZZ_LEVEL=$level" >&2
		queue fuzz tests/fuzz/fuzz_*.c
		;;
	# shellcheck disable=SC2046
	long) queue long tests/long/*.bats $(e2e_files) ;;
	*)
		echo "run.sh: no such suite: $1" >&2
		return 2
		;;
	esac
}

count() {
	cat "$@" 2>/dev/null | awk '
		/^ok.*# *[Ss][Kk][Ii][Pp]/ { s++; next }
		/^ok/ { p++ }
		/^not ok/ { f++ }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s }'
}

# Reasons of skips, counted; then the sum.
summary() {
	find "$reports" -name '*.tap' -exec cat {} + |
		sed -n 's/^ok.*# *[Ss][Kk][Ii][Pp][Pp]*[Ee]*[Dd]* *//p' | sort | uniq -c |
			sort -rn |
		sed 's/^ *\([0-9]*\) \(.*\)/skipped: \1 x \2/'
	find "$reports" -name '*.tap' -exec cat {} + | count -
}

machine() {
	sed -n 's/^model name[^:]*: */cpu: /p' /proc/cpuinfo | head -n 1
	echo "cores: $(getconf _NPROCESSORS_ONLN)"
	echo "kernel: $(uname -sr)"
	sed -n 's/^PRETTY_NAME="\(.*\)"/system: \1/p' /etc/os-release
}

long_report() {
	mkdir -p tests/reports
	{
		date -u '+Long suites, %Y-%m-%d %H:%M UTC'
		machine
		commit=$(git rev-parse --short HEAD 2>/dev/null || echo none)
		git diff --quiet HEAD -- . ':!tests/reports' || commit=$commit-dirty
		echo "commit: $commit"
		echo "seconds of all files, some of which ran at once: $(
			cat "$reports"/*/*.time | awk '{ sum += $1 } END { print sum }'
		)"
		echo
		for tap in "$reports"/long/*.tap; do
			[ -e "$tap" ] || continue
			echo "$(basename "$tap" .tap): $(count "$tap")"
			# Also prints what the tests say about themselves: sizes, times, the sums of
			# whole runs in roots. What bats says of a failure was printed before, and
			# is in the log.
			awk '
				/^(not )?ok/ { failed = /^not/; print "    " $0 }
				/^# / && !failed { print "    " $0 }' "$tap"
		done
		echo
		summary
	} >"tests/reports/long-$(sed -n 's/^ID=//p' /etc/os-release)-$(
		sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release).txt"
}

[ -n "$CONTINUE" ] || rm -rf "$reports"
mkdir -p "$reports"
rm -f "$reports/queue"
start=$(date +%s)
for suite in $suites; do
	queue_suite "$suite" >>"$reports/queue" || exit
done
runs <"$reports/queue"
seconds=$(($(date +%s) - start))
if [ -n "${TIMES-}" ]; then
	# A line is known by what stands between its two times.
	find "$reports" -name '*.time' -exec cat {} + | cat tests/times.txt - |
		awk '
			{
				key = $0
				sub(/^[0-9]+ /, "", key)
				sub(/ # [0-9]+$/, "", key)
				line[key] = $0
			}
			END { for (key in line) print line[key] }' |
		LC_ALL=C sort -k 2 >build/times.txt && mv build/times.txt tests/times.txt
fi
case " $suites " in *' long '*) long_report ;; esac
echo "== $seconds s"
summary
case $(find "$reports" -name '*.tap' -exec cat {} + | count -) in
# A run without a test shows nothing.
'0 passed, 0 failed, 0 skipped') exit 1 ;;
*' 0 failed,'*) exit 0 ;;
esac
exit 1
