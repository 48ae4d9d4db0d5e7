#!/bin/sh
# kernels-python.sh [--make | --make-long] - prints the path of a Python that has Numba and Warp,
# whose caches tests/e2e/units_packages.bats and units_own.bats try. It tries $PYTHON, python3 and
# the Python in build/kernels-venv. If none has both, it prints nothing and its status is 1.
#
# --make makes build/kernels-venv with pip if the others lack them, and adds CuTe DSL there.
# --make-long also puts what only long suites use there: Helion and TileLang, for the Python that
# has torch, into build/kernels-venv/helion and tilelang, and DeepGEMM's headers into deep_gemm.
set -eu
cd "$(dirname "$0")/.."
venv=$PWD/build/kernels-venv
. scripts/venv.sh

case ${1-} in --make*) ;; *) found numba warp; exit ;; esac
if ! python=$(found numba warp); then
	made 'Numba and Warp' '0.2 GB' numba==0.68.1 warp-lang==1.19.0
	echo 'import numba.cuda, warp' | loads
	python=$venv/bin/python
fi
if [ "$python" = "$venv/bin/python" ]; then
	"$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("cutlass"))' ||
		install nvidia-cutlass-dsl==4.8.1
fi
if [ "$1 $python" = "--make-long $venv/bin/python" ]; then
	[ -d "$venv/helion/helion" ] ||
		install --no-deps --target "$venv/helion" helion==1.5.1 rich packaging
	[ -d "$venv/tilelang/tilelang" ] ||
		install --no-deps --target "$venv/tilelang" tilelang==0.1.15 \
			'apache-tvm-ffi<0.1.13' 'z3-solver<4.15.5' ml-dtypes cloudpickle psutil tqdm
	[ -d "$venv/deep_gemm/deep_gemm" ] ||
		install --no-deps --target "$venv/deep_gemm" sgl-deep-gemm==0.2.5
fi
echo "$python"
