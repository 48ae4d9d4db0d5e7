#!/bin/sh
# bench/run.sh [--only NAME]... [--quick] [--no-write] - the table of measured bars: every row is a ratio within one run.
# Rows that need torch and Triton use the Python that scripts/demo.d/run.sh would use, and are left out without.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup build bench
exec python3 bench/run.py "$@"
