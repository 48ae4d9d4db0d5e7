# The Python of jobs that need torch: that of $REPRISE_TEST_VENV (default build/venv), else python3.
#
#     setup_file() { load job_python; job_python_find; }
#     setup() { load job_python; ...; need_torch; }      # JOB_PYTHON

job_python_find() {
	local py
	for py in "${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}/bin/python" python3; do
		if command -v "$py" >/dev/null && "$py" -c 'import torch' 2>/dev/null; then
			export JOB_PYTHON
			JOB_PYTHON=$(command -v "$py")
			break
		fi
	done
}

need_torch() {
	[ -n "${JOB_PYTHON-}" ] || skip "no torch in ${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv} nor for python3"
	export TORCHINDUCTOR_COMPILE_THREADS=2 OMP_NUM_THREADS=2
}

need_triton() {
	need_torch
	"$JOB_PYTHON" -c 'import triton' 2>/dev/null || skip "no triton beside this torch"
}
