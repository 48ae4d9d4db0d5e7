# Framework cache directories: jobs whose own directories are emptied between runs, as in a fresh container. After
# lib.bash, redis.bash and remote_lib.bash.
#
#     unit_job cold "" train.py         # $ROOT/cold.out; directories emptied first
#     unit_drain                        # what it completed is packed, and sent where there is a remote
#     unit_job warm "" train.py

units_setup_file() {
	local py
	for py in "${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv}/bin/python" python3; do
		if command -v "$py" >/dev/null && "$py" -c 'import torch' 2>/dev/null; then
			export JOB_PYTHON
			JOB_PYTHON=$(command -v "$py")
			break
		fi
	done
}

units_need_torch() {
	[ -n "${JOB_PYTHON-}" ] || skip "no torch in ${REPRISE_TEST_VENV:-${TOP:-$PWD}/build/venv} nor for python3"
	export TORCHINDUCTOR_COMPILE_THREADS=2 OMP_NUM_THREADS=2
}

units_need_triton() {
	units_need_torch
	"$JOB_PYTHON" -c 'import triton' 2>/dev/null || skip "no triton beside this torch"
}

# unit_job NAME plain|under SCRIPT ARGS: in directories that stand as they are. JOB_ENV: further variables.
unit_job() {
	local name=$1 pre=() s
	[ "$2" = plain ] || pre=("${RPENV[@]}")
	shift 2
	mkdir -p "$ROOT/fw" "$TMPDIR"
	env "${pre[@]}" TORCHINDUCTOR_CACHE_DIR="$ROOT/fw/inductor" TRITON_CACHE_DIR="$ROOT/fw/triton" \
		${JOB_ENV[@]+"${JOB_ENV[@]}"} "$JOB_PYTHON" "$@" >"$ROOT/$name.out" 2>"$ROOT/$name.err" && s=0 || s=$?
	[ $s = 0 ] || { tail -n 20 "$ROOT/$name.err" >&2; fail "$name: status $s"; return 1; }
}

# kernels.py BLOCK[,BLOCK...]: one kernel in as many sizes, compiled by the real Triton and ptxas without a GPU; prints digests of
# the cubins. A word among the sizes: "wipe" removes the directory, "cd" changes to another one.
units_kernels_py() {
	cat >kernels.py <<-'END'
	import hashlib, os, shutil, sys, triton, triton.language as tl
	from triton.backends.compiler import GPUTarget
	@triton.jit
	def k(x, y, o, n, B: tl.constexpr):
	    i = tl.program_id(0) * B + tl.arange(0, B)
	    m = i < n
	    tl.store(o + i, tl.load(x + i, m) * 2 + tl.load(y + i, m), m)
	for b in sys.argv[1].split(","):
	    if b == "wipe":
	        shutil.rmtree(os.environ["TRITON_CACHE_DIR"])
	        continue
	    if b == "cd":
	        os.makedirs("elsewhere", exist_ok=True)
	        os.chdir("elsewhere")
	        continue
	    s = triton.compiler.ASTSource(fn=k, signature={"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32", "B": "constexpr"}, constexprs={(4,): int(b)})
	    c = triton.compile(s, target=GPUTarget("cuda", 90, 32))
	    print(b, hashlib.sha256(c.asm["cubin"]).hexdigest())
	END
}

# tree DIR: every file with mode and content; paths of the place in an index are made equal.
tree() {
	(cd "$1" && find . -type f | LC_ALL=C sort | while read -r f; do
		printf '%s %s %s\n' "$(stat -c %a "$f")" "$f" "$(sed "s|$1|DIR|g" "$f" | sha256sum)"
	done)
}

# The framework's own directories are gone, as in another container.
units_wipe() { rm -rf "$ROOT/fw" "$TMPDIR"; }

# What was completed is in the store, and in the remote where there is one.
units_drain() { reprise publish --wait 60 >"$ROOT/drain" 2>&1 || { fail "publish: $(cat "$ROOT/drain")"; return 1; }; }

# No internal error was met.
units_clean() {
	[ "$(stat_of errors)" = 0 ] || { fail "errors counted"; return 1; }
	! grep -aE '^[^ ]+ [0-9]+ error ' "$LOG" >&2
}

# Node a is the one of the runs that follow; both ask one Redis.
units_two_nodes() {
	redis_need
	# Many suites share this machine.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	start
}

# Daemons that jobs of this case left running.
units_teardown() {
	local p
	for p in /proc/[0-9]*; do
		{ tr '\0' ' ' <"$p/cmdline" | grep -q '^reprise fetch --daemon $' &&
			tr '\0' '\n' <"$p/environ" | grep -q "=$ROOT/" && kill -9 "${p#/proc/}"; } 2>/dev/null
	done
	remote_teardown
}
