#!/bin/sh
# moto-python.sh [--make] - prints the path of a Python that has moto's server, the S3 of
# tests/e2e/remote_s3.bats. It tries $PYTHON, python3 and the Python in build/moto-venv. If none has
# it, it prints nothing and its status is 1. --make makes build/moto-venv with pip if the others
# lack it.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/moto-venv
. scripts/venv.sh

found flask moto && exit
[ "${1-}" = --make ] || exit 1
made "moto's server" '0.1 GB' 'moto[server]==5.2.5'
found flask moto
