#!/bin/bash
# tileiras (CUDA 13.5) writes remarks of its optimizer to the terminal or into a YAML file. cuTile
# asks for that file at each compile and keeps its text beside the cubin.
#
# One would guess: one bytecode and one command give one file of remarks, as they give one cubin.
#
# Seen: the cubin is the same in each run, and the remarks come in another order. Their lines are
# the same. With addresses that are not randomized the order does not change, so it is that of
# addresses in memory. Nobody can compare or deduplicate these files by content.
#
# The script compiles one kernel eight times each way, and fails if all remarks have one order.
# Versions: nvidia-cuda-tileiras 13.5.37, cuda-tile 1.7.0 (PyPI).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q nvidia-cuda-tileiras==13.5.37 cuda-tile==1.7.0
tileiras=$(echo "$work"/venv/lib/python3*/site-packages/nvidia/cu13/bin/tileiras)
"$work/venv/bin/python" "$top/tests/e2e/tile_kernels.py" "$work"
for way in "" "setarch -R"; do
	for n in 1 2 3 4 5 6 7 8; do
		$way "$tileiras" "$work/matrix.bytecode" --gpu-name sm_90 -o "$work/$n.cubin" \
			--remark-format=yaml --remarks=all --remarks-output-file="$work/$n.yaml"
	done
	orders=$(md5sum "$work"/*.yaml | cut -c 1-32 | sort -u | wc -l)
	cubins=$(md5sum "$work"/*.cubin | cut -c 1-32 | sort -u | wc -l)
	echo "${way:-as usual}: $cubins cubin, $orders orders of remarks in 8 runs"
	[ -n "$way" ] || usual=$orders
done
[ "$usual" -gt 1 ] || { echo "changed: all remarks have one order"; exit 1; }
