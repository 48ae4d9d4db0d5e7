#!/bin/sh
# moto-python.sh [--make] - prints the path of a Python that has moto's server, the S3 of
# tests/e2e/remote_s3.bats. It tries $PYTHON, python3 and the Python in build/moto-venv. If none has
# it, it prints nothing and its status is 1. --make makes build/moto-venv with pip if the others
# lack it.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/moto-venv

found() {
	for candidate in ${PYTHON:-} python3 "$venv/bin/python"; do
		if "$candidate" -c 'import flask, moto' 2>/dev/null; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

found && exit
[ "${1-}" = --make ] || exit 1
{
	echo "No Python here has moto's server: making one in build/moto-venv."
	echo "  pip install 'moto[server]==5.2.5'"
	echo "This downloads 0.1 GB."
	python3 -m venv --clear "$venv"
	"$venv/bin/python" -m pip install --progress-bar off --no-input 'moto[server]==5.2.5'
} >&2
found
