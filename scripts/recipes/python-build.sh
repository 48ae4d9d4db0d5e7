#!/bin/sh
# python-build.sh JOB COMMAND... - builds a Python package under Reprise. COMMAND is
# `pip install .`, `pip wheel .`, `python -m build`, `uv build` or `uv sync`. The random names of
# their isolated environments are no part of the key.
#
# Meson takes ccache where it finds it, and Reprise passes ccache through. CC and CXX name the
# compilers themselves.
job=$1
shift
CC=${CC:-gcc} CXX=${CXX:-g++} exec reprise-run --job "$job" "$@"
