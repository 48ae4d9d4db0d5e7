# The claims of tools/text/ptx.c about ptxas, on a corpus of Triton kernels (no GPU needed).

python_with_triton() {
	local p
	for p in "${PYTHON:-}" "${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}/bin/python" \
		build/venv/bin/python python3; do
		if [ -n "$p" ] && "$p" -c 'import torch, triton' 2>/dev/null; then
			echo "$p"
			return
		fi
	done
	return 1
}

@test "cubins patched to other names, times and sizes are the real ones" {
	python=$(python_with_triton) || skip "no Python with torch and triton"
	"$python" tests/long/ptx_corpus.py --renames 4 >build/ptx-corpus.log 2>&1 || {
		tail -n 40 build/ptx-corpus.log
		return 1
	}
	tail -n 1 build/ptx-corpus.log | sed 's/^/# /' >&3
}
