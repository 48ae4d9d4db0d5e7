#!/bin/sh
# torch-python.sh [--make] - prints the path of a Python that has torch, triton and numpy. It tries
# $PYTHON, python3 and the Python in build/venv, which --make makes with pip if the others lack
# torch. If none has torch, it prints nothing and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/venv
. scripts/venv.sh

found torch triton numpy && exit
[ "${1-}" = --make ] || exit 1
made 'torch, triton and numpy' "0.5 GB if pip finds a CPU build of torch, 3 GB and more with the
CUDA libraries of the usual build" torch==2.13.0 numpy triton
loads <<'PY'
import torch, torch._inductor.compile_fx, triton.compiler
torch.compile(torch.nn.Linear(4, 4), backend="aot_eager")(torch.ones(2, 4)).sum().backward()
PY
echo "$venv/bin/python"
