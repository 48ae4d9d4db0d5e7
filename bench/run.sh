#!/bin/sh
# bench/run.sh [--only NAME]... [--quick] [--pairs N] [--no-write] - measures and prints the table
# of bars.
# Every row is a ratio of two values of one run. Rows that need torch and Triton use the Python that
# scripts/demo.d/run.sh uses; without that Python the table leaves them out.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup build bench
exec python3 bench/run.py "$@"
