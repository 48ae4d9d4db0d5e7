#!/bin/sh
# kernels-python.sh [--make] - prints the path of a Python that has Numba and Warp, whose caches
# tests/e2e/units_packages.bats and units_own.bats try. It tries $PYTHON, python3 and the Python in
# build/kernels-venv. If none has both, it prints nothing and its status is 1.
#
# --make makes build/kernels-venv with pip if the others lack them, and adds CuTe DSL there. It puts
# Helion, for the Python that has torch, into build/kernels-venv/helion.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/kernels-venv

has() { # PYTHON MODULE...
	python=$1
	shift
	"$python" - "$@" 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in sys.argv[1:]))
PY
}

found() {
	for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
		if has "$candidate" numba warp; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

install() { # pip's arguments
	"$venv/bin/python" -m pip install --progress-bar off --no-input --no-compile "$@"
}

[ "${1-}" = --make ] || { found; exit; }
if ! python=$(found); then
	{
		echo "No Python here has Numba and Warp: making one in build/kernels-venv."
		echo "  pip install numba==0.68.1 warp-lang==1.19.0"
		echo "This downloads 0.2 GB."
		python3 -m venv --clear "$venv"
		install numba==0.68.1 warp-lang==1.19.0
	} >&2
	# The bytecode of what the tests' jobs load; pip would compile all.
	env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -c 'import numba.cuda, warp' >&2
	python=$venv/bin/python
fi
if [ "$python" = "$venv/bin/python" ]; then
	has "$python" cutlass || install nvidia-cutlass-dsl==4.8.1 >&2
	[ -d "$venv/helion/helion" ] ||
		install --no-deps --target "$venv/helion" helion==1.5.1 rich packaging >&2
fi
echo "$python"
