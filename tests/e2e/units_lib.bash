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
