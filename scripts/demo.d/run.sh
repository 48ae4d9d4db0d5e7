#!/bin/sh
# scripts/demo.d/run.sh [--no-count] [--job train|aot|triton]... [--classes LIST] - runs run.py with
# a Python that has torch, and makes a virtual environment in build/venv where there is none.
# PYTHON=... names another Python. The jobs run on the CPU even if the machine has a GPU.
set -eu
cd "$(dirname "$0")/../.."
python=$(sh scripts/torch-python.sh --make)
exec "$python" scripts/demo.d/run.py "$@"
