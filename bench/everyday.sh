#!/bin/sh
# bench/everyday.sh [--only PROJECT]... [--columns REGEX] [--no-write] NAME=PATH... - Reprise beside
# ccache and sccache on real projects: how many compiles are hits after what happens every day.
# NAME is zlib, lua, fmt, ujson, ninja or sccache (its binary). A project's PATH is a directory, an
# archive, or a bare git directory. Downloads nothing: a project or cache whose PATH or tool is
# missing is left out, and the table says why. The torch extension is part of this script; it needs
# the Python that scripts/torch-python.sh finds ($PYTHON).
set -eu
cd "$(dirname "$0")/.."
exec python3 bench/everyday.py "$@"
