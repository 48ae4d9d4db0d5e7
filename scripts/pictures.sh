#!/bin/sh
# pictures.sh - makes docs/report-light.png and docs/report-dark.png: the report of a real job,
# drawn by chromium (scripts/setup long). The job compiles C++ files in two ranks; an earlier job
# compiled most of them, and one header was edited since.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REPRISE_CACHE_DIR="$work/store" REPRISE_RUNTIME_DIR="$work/run" REPRISE_QUIET=1

# Files that a rank compiles: a quarter of them includes layout.h.
mkdir "$work/src"
cd "$work/src"
echo '#define WIDTH 4' >layout.h
for i in $(seq 1 48); do
	{
		[ $((i % 4)) != 0 ] || echo '#include "layout.h"'
		[ $((i % 3)) != 0 ] || echo '#include <map>'
		echo '#include <vector>'
		echo "double kernel_$i(const std::vector<double> &x) { double s = $i;"
		echo 'for (double v : x) s += v * v; return s; }'
	} >"kernel_$i.cc"
done
sleep 2

# rank NUMBER JOB FILES...: two compilers at once.
rank() {
	number=$1 job=$2
	shift 2
	printf '%s\n' "$@" | RANK=$number WORLD_SIZE=2 "$top/scripts/reprise-run" --job "$job" \
		xargs -P 2 -I '{}' g++ -O2 -c 'kernel_{}.cc' -o 'kernel_{}.o'
}

# shellcheck disable=SC2046 # numbers
rank 0 first $(seq 1 40)
echo '#define WIDTH 8' >layout.h
sleep 2
# shellcheck disable=SC2046
rank 0 train $(seq 1 24) &
# shellcheck disable=SC2046
rank 1 train $(seq 25 48)
wait
"$top/build/reprise" report train -o "$work/train.html"

for look in light dark; do
	scheme=1
	[ $look = light ] || scheme=0
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=960,640 \
		--user-data-dir="$work/chromium" --blink-settings=preferredColorScheme=$scheme \
		--screenshot="$top/docs/report-$look.png" "file://$work/train.html" \
		>"$work/chromium.out" 2>&1
	size=$(wc -c <"$top/docs/report-$look.png")
	[ "$size" -lt 100000 ] || {
		echo "pictures: docs/report-$look.png has $size bytes" >&2
		exit 1
	}
done
