# Links for helpers/nvjitlink_run.c.
#
#     setup() { load nvjitlink && link_setup; }
#     teardown() { link_teardown; }
#     two_ltoir j -arch=sm_90 -lto  # inputs and options in the directory j
#     ln_                           # plain, cold and warm

# $ROOT/new holds inputs of LTO IR.
link_setup() {
	load lib
	load nvrtc
	case_setup
	need_nvrtc
	inputs "$NVRTC" new -dlto ltoir LTOIR
}

# inputs LIB DIR OPTION SUFFIX KIND: NVRTC makes one.SUFFIX, which calls a function of two.SUFFIX.
# other.SUFFIX is another version of two.SUFFIX.
inputs() {
	local n
	mkdir -p "$ROOT/$2"
	job "$ROOT/src/one" -arch=sm_90 -rdc=true "$3" <<<'extern __device__ float scale(float);
		extern "C" __global__ void k(float *x) { *x = scale(*x); }'
	job "$ROOT/src/two" -arch=sm_90 \
		-rdc=true "$3" <<<'__device__ float scale(float x) { return 3.5f * x + 1; }'
	job "$ROOT/src/other" -arch=sm_90 \
		-rdc=true "$3" <<<'__device__ float scale(float x) { return 4.5f * x + 1; }'
	rm -rf "$ROOT/made"
	# LTO IR holds the working directory. In one of some hundred directories NVRTC 13.5 makes
	# LTO IR that nvJitLink 13.5 refuses ("Invalid bitcode signature"). So it is always made in
	# the same directory.
	(
		cd / && exec "$RUN" "$1" "$ROOT/made" "$ROOT/src/one" "$ROOT/src/two" \
			"$ROOT/src/other"
	) >/dev/null
	for n in one two other; do cp "$ROOT/made/$n/$5" "$ROOT/$2/$n.$4"; done
}

# linkjob DIR OPTION...: a link of the inputs on stdin.
linkjob() {
	local dir=$1
	shift
	mkdir -p "$dir"
	cat >"$dir/inputs"
	if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi >"$dir/options"
}

# two_ltoir DIR OPTION...: of LTO IR by data.
two_ltoir() {
	linkjob "$@" <<<$'data 3 one.ltoir one\ndata 3 two.ltoir two'
	cp "$ROOT/new/"*.ltoir "$1"
}

ln_() { differential "$@" -- "$LINK" "$NVJITLINK" o j; }

# link_teardown: if a case failed, prints the library's last answers.
link_teardown() {
	[ -n "${BATS_TEST_COMPLETED-}" ] || tail -n 20 "$ROOT"/made/*/answers \
		"$ROOT"/r/*.tree/o/*/{answers,ErrorLog} 2>&1 || true
	case_teardown
}
