#!/bin/sh
# launchers-python.sh [--make] - prints the path of a Python that has torch, accelerate and Ray, for
# tests/launchers. It tries $PYTHON, python3 and the Python in build/launchers-venv. If none has
# them, it prints nothing and its status is 1. --make makes build/launchers-venv with pip, over the
# Python of scripts/torch-python.sh.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/launchers-venv
wanted='accelerate==1.15.0 ray==2.60.0'

found() {
	for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
		if "$candidate" - 2>/dev/null <<'PY'; then
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in ("torch", "accelerate", "ray")))
PY
			command -v "$candidate"
			return
		fi
	done
	return 1
}

found && exit
[ "${1-}" = --make ] || exit 1
torch=$(sh scripts/torch-python.sh --make)
{
	echo "No Python here has accelerate and Ray: making one in build/launchers-venv."
	echo "  pip install $wanted"
	echo "This downloads 0.1 GB."
	"$torch" -m venv --clear "$venv"
	# torch stays where it is.
	site='import sysconfig; print(sysconfig.get_path("purelib"))'
	"$torch" -c "$site" >"$("$venv/bin/python" -c "$site")/torch.pth"
	# shellcheck disable=SC2086 # a list
	"$venv/bin/python" -m pip install --progress-bar off --no-input --no-compile $wanted
} >&2
found
