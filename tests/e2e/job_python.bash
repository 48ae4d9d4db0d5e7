# The Python of jobs that need torch: that of $REPRISE_TEST_VENV (default build/venv), else python3.
#
#     setup_file() { load job_python; job_python_find; }
#     setup() { load job_python; ...; need_torch; }      # JOB_PYTHON
#
# Jobs that are not about all that torch does in a start say graphs_alone; the file then ends with
#     teardown_file() { load lib; load job_python; graphs_end; }

# Found, not imported: an import takes seconds. A broken module is a failure, and no reason to skip.
_job_has() { # PYTHON MODULE
	"$1" -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec(sys.argv[1]))' \
		"$2" 2>/dev/null
}

job_python_find() {
	local py
	for py in "${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}/bin/python" python3; do
		if command -v "$py" >/dev/null && _job_has "$py" torch; then
			export JOB_PYTHON
			JOB_PYTHON=$(command -v "$py")
			break
		fi
	done
}

need_torch() {
	[ -n "${JOB_PYTHON-}" ] ||
		skip "no torch in ${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv} nor for python3"
	export TORCHINDUCTOR_COMPILE_THREADS=2 OMP_NUM_THREADS=2
}

need_triton() {
	need_torch
	_job_has "$JOB_PYTHON" triton || skip "no triton beside this torch"
}

# kernels.py BLOCK[,BLOCK...]: one kernel in that many sizes. The real Triton and ptxas compile it
# without a GPU. Prints digests of the cubins. A word among the sizes: "wipe" removes the directory,
# "cd" changes to another one, "cuda:80" or "hip:gfx942" is the target from there on.
triton_kernels_py() {
	cat >kernels.py <<-'END'
	import hashlib, os, shutil, sys, triton, triton.language as tl
	from triton.backends.compiler import GPUTarget
	@triton.jit
	def k(x, y, o, n, B: tl.constexpr):
	    i = tl.program_id(0) * B + tl.arange(0, B)
	    m = i < n
	    tl.store(o + i, tl.load(x + i, m) * 2 + tl.load(y + i, m), m)
	target = GPUTarget("cuda", 90, 32)
	for b in sys.argv[1].split(","):
	    if ":" in b:
	        kind, arch = b.split(":")
	        target = GPUTarget(kind, int(arch) if arch.isdigit() else arch,
	                           64 if kind == "hip" else 32)
	        continue
	    if b == "wipe":
	        shutil.rmtree(os.environ["TRITON_CACHE_DIR"])
	        continue
	    if b == "cd":
	        os.makedirs("elsewhere", exist_ok=True)
	        os.chdir("elsewhere")
	        continue
	    types = {"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32"}
	    if triton.__version__.startswith("3.2."):
	        s = triton.compiler.ASTSource(fn=k, signature=types, constants={"B": int(b)})
	    else:
	        s = triton.compiler.ASTSource(fn=k, signature={**types, "B": "constexpr"},
	                                      constexprs={(4,): int(b)})
	    c = triton.compile(s, target=target)
	    print(b, hashlib.sha256(c.asm["hsaco" if target.backend == "hip" else "cubin"])
	          .hexdigest())
	END
}

# Saves seconds in each start. They are spent on things other than graphs. The precompiled header,
# 149 MB, is made once for the file. g++ is not asked whether it knows this CPU's vectors. Compile
# workers, which only Triton uses, are not started.
graphs_alone() { export TORCHINDUCTOR_VEC_ISA_OK=1 TORCH_WARM_POOL=0 TMPDIR=${ROOT%/*}/tmp; }

graphs_end() {
	local place=$REPRISE_TEST_ROOT/${BATS_ROOT_PID:-$PPID}
	rm -rf "$place/tmp"
	rmdir "$place" "$REPRISE_TEST_ROOT" 2>/dev/null || :
}
