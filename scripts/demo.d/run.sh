#!/bin/sh
# scripts/demo.d/run.sh [--no-count] [--job train|aot|triton] [--classes LIST] - runs run.py with a Python that has torch; makes one
# in build/venv where there is none. PYTHON=... names another. The jobs run on the CPU, also where a GPU is.
set -eu
cd "$(dirname "$0")/../.."
python=$(sh scripts/torch-python.sh --make)
exec "$python" scripts/demo.d/run.py "$@"
