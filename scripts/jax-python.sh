#!/bin/sh
# jax-python.sh [--make] - prints the path of a Python that has jax and filelock. It tries $PYTHON,
# python3 and the Python in build/jax-venv, which --make makes with pip if the others lack them. If
# none has them, it prints nothing and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/jax-venv

has_jax() {
	"$1" - 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in ("jax", "jaxlib", "filelock")))
PY
}

for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
	if has_jax "$candidate"; then
		command -v "$candidate"
		exit 0
	fi
done
[ "${1-}" = --make ] || exit 1
{
	echo "No Python here has jax and filelock: making one in build/jax-venv."
	echo "  pip install jax==0.10.2 filelock"
	echo "This downloads 0.2 GB: jax, its build for the CPU, numpy and scipy."
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" install --progress-bar off --no-input --no-compile \
		jax==0.10.2 filelock
} >&2
# The bytecode of what the tests' jobs load; pip would compile all.
env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c 'import jax; jax.jit(lambda x: x + 1)(1.0)' >&2
echo "$venv/bin/python"
