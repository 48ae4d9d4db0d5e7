#!/bin/sh
# jax-python.sh [--make] - prints the path of a Python that has jax and filelock. It tries $PYTHON,
# python3 and the Python in build/jax-venv, which --make makes with pip if the others lack them. If
# none has them, it prints nothing and its status is 1.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/jax-venv
. scripts/venv.sh

found jax jaxlib filelock && exit
[ "${1-}" = --make ] || exit 1
made 'jax and filelock' '0.2 GB: jax, its build for the CPU, numpy and scipy' jax==0.10.2 filelock
echo 'import jax; jax.jit(lambda x: x + 1)(1.0)' | loads
echo "$venv/bin/python"
