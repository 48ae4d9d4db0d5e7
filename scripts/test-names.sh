#!/bin/sh
# test-names.sh [--check | --update] - prints the names of all tests, sorted, one a line. It reads
# them from the sources.
#
#     unit test_entry entry/round_trip       a Criterion test: file, suite, name
#     e2e compile: compile: a C file         a bats test: file, name; likewise audit and long
#     e2e nvcc: nvcc: -c [E2E_NVCC=wheel]    the same test with another value of the suite's
#                                            parameter (tests/run.sh)
#     fuzz entry                             a fuzz target
#
#   --check    fails if no source holds a name of tests/e2e/baseline/names.txt any more. A test that
#              was moved, joined with another or renamed has a line in
#              tests/e2e/baseline/moved.txt: `old name -> where it is shown now: reason`
#   --update   adds new names to names.txt
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
known=tests/e2e/baseline/names.txt
moved=tests/e2e/baseline/moved.txt

bats_names() { # SUITE FILE...
	suite=$1
	shift
	for file; do
		parameters=$(sed -n 's/^# parameter \([A-Z0-9_]*\): [^ ]* /\1 /p' "$file" |
			awk '{ for (i = 2; i <= NF; i++) print " [" $1 "=" $i "]" }')
		name=$(basename "$file" .bats)
		sed -n "s/^@test [\"']\(.*\)[\"'] {.*/$suite $name: \1/p" "$file" |
			awk -v parameters="$parameters" '
				BEGIN { n = split(parameters, values, "\n") }
				{ print; for (i = 1; i <= n; i++) print $0 values[i] }'
	done
}

names() {
	word='\([A-Za-z0-9_]*\)'
	for file in tests/unit/test_*.c; do
		unit="unit $(basename "$file" .c)"
		sed -n -e "s/^ParameterizedTest([^,]*, *$word, *$word.*/$unit \1\/\2/p" \
			-e "s/^Test($word, *$word.*/$unit \1\/\2/p" "$file"
	done
	bats_names e2e tests/e2e/*.bats
	bats_names audit tests/audit/*.bats
	bats_names long tests/long/*.bats
	for file in tests/fuzz/fuzz_*.c; do
		basename "$file" .c | sed 's/^fuzz_/fuzz /'
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names | sort >"$work/now"
uniq -d "$work/now" >"$work/twice"
if [ -s "$work/twice" ]; then
	sed 's/^/test-names: two tests have this name: /' "$work/twice" >&2
	exit 1
fi
case ${1-} in
'')
	cat "$work/now"
	;;
--update)
	if [ -e "$known" ]; then sort -u "$work/now" "$known"; else cat "$work/now"; fi >"$work/new"
	cat "$work/new" >"$known"
	;;
--check)
	{ grep -v '^#' "$moved" 2>/dev/null || true; } |
		awk -F ' -> ' 'NF > 1 && $2 ~ /: ./ { print $1 }' | sort -u >"$work/moved"
	comm -23 "$known" "$work/now" | comm -23 - "$work/moved" >"$work/gone"
	if [ -s "$work/gone" ]; then
		sed 's/^/test-names: missing: /' "$work/gone" >&2
		echo "test-names: for a renamed or moved test add a line to $moved:" \
			"old name -> where: reason" >&2
		exit 1
	fi
	;;
*)
	sed -n '2,15s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
