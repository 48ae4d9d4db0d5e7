# NVRTC, nvJitLink and libNVVM of wheels (scripts/nvrtc.sh), and jobs for helpers/nvrtc_run.c and
# helpers/nvjitlink_run.c. No GPU is needed. After lib.bash.

# The libraries: NVRTC and NVJITLINK; of CUDA 12.1 NVRTC_OLD and NVJITLINK_OLD. Headers are in
# CUDA_INCLUDE, Python packages in NVRTC_PYTHON. RUN and LINK are the programs that drive them.
need_nvrtc() {
	local places
	if [ -z "${E2E_NVRTC-}" ]; then
		places=$(sh "$TOP/scripts/nvrtc.sh") || skip "no NVRTC: scripts/nvrtc.sh --make"
		eval "$places"
	fi
	NVRTC=$E2E_NVRTC NVRTC_OLD=$E2E_NVRTC_OLD
	NVJITLINK=$E2E_NVJITLINK NVJITLINK_OLD=$E2E_NVJITLINK_OLD
	CUDA_INCLUDE=$E2E_NVRTC_INCLUDE NVRTC_PYTHON=$E2E_NVRTC_PYTHON
	RUN=$(helper nvrtc_run) && LINK=$(helper nvjitlink_run) || return 1
	unset ${!NVRTC_DISABLE@} NVRTC_APPEND_FLAGS CUDA_CACHE_PATH
	# Turns off the driver's own cache, where there is a driver: each real compile has to
	# compile.
	export CUDA_CACHE_DISABLE=1
}

# libNVVM: NVVM, of CUDA 12.1 NVVM_OLD; VVM, the program that drives it.
need_nvvm() {
	local places
	if [ -z "${E2E_NVVM-}" ]; then
		places=$(sh "$TOP/scripts/nvrtc.sh") || skip "no libNVVM: scripts/nvrtc.sh --make"
		eval "$places"
	fi
	NVVM=$E2E_NVVM NVVM_OLD=$E2E_NVVM_OLD
	VVM=$(helper nvvm_run) || return 1
}

# job DIR [OPTION...]: a program from stdin, with these options.
job() {
	local dir=$1
	shift
	mkdir -p "$dir"
	cat >"$dir/source"
	if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi >"$dir/options"
}

# kernel NAME [VALUE]: a program of one kernel.
kernel() {
	echo "extern \"C\" __global__ void $1(int *o) { o[threadIdx.x] = ${2:-1} * threadIdx.x; }"
}

# jobs N [OPTION...]: job directories j1 .. jN, a kernel each.
jobs_make() {
	local i n=$1
	shift
	for ((i = 1; i <= n; i++)); do kernel "k$i" "$i" | job "j$i" "$@"; done
}

# fresh_each_second: job j must give another result a second later. (Two real runs differ as well.)
fresh_each_second() {
	under "$RUN" "$NVRTC" o1 j >/dev/null
	sleep 1.1
	under "$RUN" "$NVRTC" o2 j >/dev/null
	grep -q 'CompileProgram 0' o1/j/answers ||
		{ cat o1/j/ProgramLog; fail "not compiled"; return 1; }
	! cmp -s o1/j/PTX o2/j/PTX || { fail "one time of day twice"; return 1; }
	rm -rf o1 o2
}

# right [-- ARGUMENTS OF nvrtc_run]: a run under Reprise equals a plain one; counters are ignored.
right() {
	[ "${1-}" != -- ] || shift
	rm -rf "$ROOT/plain" "$ROOT/ours"
	"$RUN" "$@" >/dev/null || return 1
	mv o "$ROOT/plain"
	under "$RUN" "$@" >/dev/null || return 1
	mv o "$ROOT/ours"
	diff -r "$ROOT/plain" "$ROOT/ours" >"$ROOT/diff" 2>&1 ||
		{ head -n 20 "$ROOT/diff" >&2; fail "not what a plain run says: $*"; }
}

# turned_off REASON DETAIL: the last runs were bypasses of this reason, `explain` of the job says
# DETAIL, and no report says that all was a hit.
turned_off() {
	REPRISE_JOB=off under "${E2E_CMD[@]}" >/dev/null || return 1
	rm -rf o
	run reprise explain --job off
	[[ $output == *"bypass: $1"*"$2"* && $output != *'was a hit'* ]] ||
		{ fail "explain: $output"; return 1; }
	run env "${RPENV[@]:1}" "$REPRISE_BIN" run --job line -- "${E2E_CMD[@]}"
	rm -rf o
	[[ $output == *'was not: '*'reprise explain --job line'* ]] || fail "$output"
}

# rtc EXPECT...: the job j, plain and under Reprise twice.
rtc() { differential "$@" -- "$RUN" "$NVRTC" o j; }

# linked_run NAME LIB: nvrtc_run, linked to LIB.
linked_run() {
	gcc -D_GNU_SOURCE -DLINKED -O1 -w -pthread -o "$ROOT/$1" "$E2E_DIR/helpers/nvrtc_run.c" \
		"$2" -Wl,-rpath,"${2%/*}"
}
