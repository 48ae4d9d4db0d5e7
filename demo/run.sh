#!/bin/sh
# demo/run.sh [--no-count] - finds a Python with torch, else makes one in build/venv, and runs demo/run.py.
# PYTHON=... names another interpreter. The job runs on the CPU, also where a GPU is.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/venv

has_torch() {
	"$1" - 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in ("torch", "triton", "numpy")))
PY
}

python=
for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
	if has_torch "$candidate"; then
		python=$candidate
		break
	fi
done
if [ -z "$python" ]; then
	echo "demo: no Python with torch, triton and numpy found; making one in build/venv"
	echo "demo: pip install torch==2.13.0 numpy triton"
	echo "demo: this downloads torch, triton (0.2 GB) and what they need: 0.5 GB in all where pip finds a"
	echo "demo: CPU build of torch, 3 GB and more with the CUDA libraries of the default build"
	python3 -m venv "$venv"
	"$venv/bin/pip" install --progress-bar off --no-input torch==2.13.0 numpy triton
	python=$venv/bin/python
fi
exec "$python" demo/run.py "$@"
