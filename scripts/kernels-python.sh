#!/bin/sh
# kernels-python.sh [--make] - prints the path of a Python that has Numba and Warp, whose caches
# tests/e2e/units_packages.bats and units_own.bats try. It tries $PYTHON, python3 and the Python in
# build/kernels-venv, which --make makes with pip if the others lack them. If none has both, it
# prints nothing and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/kernels-venv

has_both() {
	"$1" - 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in ("numba", "warp")))
PY
}

for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
	if has_both "$candidate"; then
		command -v "$candidate"
		exit 0
	fi
done
[ "${1-}" = --make ] || exit 1
{
	echo "No Python here has Numba and Warp: making one in build/kernels-venv."
	echo "  pip install numba==0.68.1 warp-lang==1.19.0"
	echo "This downloads 0.2 GB."
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" install --progress-bar off --no-input --no-compile \
		numba==0.68.1 warp-lang==1.19.0
} >&2
# The bytecode of what the tests' jobs load; pip would compile all.
env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c 'import numba.cuda, warp' >&2
echo "$venv/bin/python"
