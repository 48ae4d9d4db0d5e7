#!/bin/sh
# torch-python.sh [--make] - prints the path of a Python that has torch, triton and numpy. It tries
# $PYTHON, python3 and the Python in build/venv, which --make makes with pip if the others lack
# torch. If none has torch, it prints nothing and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/venv

has_torch() {
	"$1" - 2>/dev/null <<'PY'
import importlib.util, sys
sys.exit(not all(importlib.util.find_spec(m) for m in ("torch", "triton", "numpy")))
PY
}

for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
	if has_torch "$candidate"; then
		command -v "$candidate"
		exit 0
	fi
done
[ "${1-}" = --make ] || exit 1
{
	echo "No Python here has torch, triton and numpy: making one in build/venv."
	echo "  pip install torch==2.13.0 numpy triton"
	echo "This downloads torch, triton (0.2 GB) and their dependencies: 0.5 GB in all if pip"
	echo "finds a CPU build of torch, 3 GB and more with the CUDA libraries of the usual build."
	python3 -m venv --clear "$venv"
	"$venv/bin/pip" install --progress-bar off --no-input --no-compile \
		torch==2.13.0 numpy triton
} >&2
# pip would compile 14,000 files. This start leaves the bytecode of those that the tests' jobs load.
env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" - >&2 <<'PY'
import torch, torch._inductor.compile_fx, triton.compiler
torch.compile(torch.nn.Linear(4, 4), backend="aot_eager")(torch.ones(2, 4)).sum().backward()
PY
echo "$venv/bin/python"
