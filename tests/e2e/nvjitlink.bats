#!/usr/bin/env bats
# nvJitLink inside a process: what a link depends on, and how programs reach it.

setup() { load nvjitlink && link_setup; }
teardown() { link_teardown; }

@test "nvjitlink: two inputs of LTO IR, to cubin and to PTX" {
	two_ltoir j -arch=sm_90 -lto
	ln_ --makes o/j/LinkedCubin
	two_ltoir j -arch=sm_90 -lto -ptx
	ln_ --makes o/j/LinkedPtx
}

# bats test_tags=check
@test "nvjitlink: another input, another option" {
	two_ltoir j -arch=sm_90 -lto
	ln_
	cp j/other.ltoir j/two.ltoir
	again miss
	printf '%s\n' -arch=sm_90 -lto -O0 >j/options
	again miss
	printf '%s\n' -lto -arch=sm_90 -O0 >j/options
	again any
	printf '%s\n' -arch=sm_90 -lto -maxrregcount=16 >j/options
	again miss
	printf '%s\n' -arch=sm_90 -lto -lineinfo -g >j/options
	again miss
	two_ltoir j -arch=sm_90 -lto
	again hit
}

# bats test_tags=check
@test "nvjitlink: messages contain the names of inputs" {
	two_ltoir j -arch=sm_90 -lto
	put j/inputs 'data 3 one.ltoir first' 'data 3 one.ltoir second'
	ln_ --cold any --warm any
	put j/inputs 'data 3 one.ltoir first' 'data 3 one.ltoir third'
	again any
	put j/inputs 'data 3 one.ltoir first' 'data 3 one.ltoir -'
	again any
	# Valid inputs, other names.
	put j/inputs 'data 3 one.ltoir first' 'data 3 two.ltoir -'
	again any
	put j/inputs 'data 3 one.ltoir -' 'data 3 two.ltoir first'
	again any
	# With -verbose the log holds how long each step took.
	printf '%s\n' -arch=sm_90 -lto -verbose >j/options
	again any --ignore 'InfoLog answers'
}

# bats test_tags=check
@test "nvjitlink: the order of inputs, one alone, one twice" {
	two_ltoir j -arch=sm_90 -lto
	ln_
	put j/inputs 'data 3 two.ltoir two' 'data 3 one.ltoir one'
	again any
	put j/inputs 'data 3 one.ltoir one'
	again any
	put j/inputs 'data 3 two.ltoir two'
	again any
	put j/inputs 'data 3 two.ltoir two' 'data 3 one.ltoir one' 'data 3 two.ltoir two'
	again any
	: >j/inputs
	again any
}

# bats test_tags=check
@test "nvjitlink: inputs from files" {
	two_ltoir j -arch=sm_90 -lto
	put j/inputs 'file 3 j/one.ltoir' 'file 3 j/two.ltoir'
	ln_
	cp j/other.ltoir j/two.ltoir
	again miss
	cp "$ROOT/new/two.ltoir" j/two.ltoir
	again hit
	# Two files of equal size and time.
	touch -d '2020-01-01' j/two.ltoir j/other.ltoir
	again any
	cp -p j/other.ltoir j/two.ltoir
	again any
	put j/inputs 'file 3 j/one.ltoir' 'file 3 j/none.ltoir'
	again any
	cp "$ROOT/new/two.ltoir" j/none.ltoir
	again any
	put j/inputs 'file 3 j/one.ltoir' 'data 3 two.ltoir two'
	again any
}

@test "nvjitlink: the same relative name in two directories" {
	two_ltoir j -arch=sm_90 -lto
	mkdir -p a b
	cp j/two.ltoir a/two.ltoir
	cp j/other.ltoir b/two.ltoir
	put j/inputs 'data 3 one.ltoir one' 'file 3 two.ltoir'
	differential --cd a -- "$LINK" "$NVJITLINK" "$W/o" "$W/j"
	again miss --cd b
	again hit --cd a
}

# bats test_tags=check
@test "nvjitlink: PTX, cubins, an object of everything" {
	inputs "$NVRTC" ptx -DX ptx PTX
	inputs "$NVRTC" cubin -DX cubin CUBIN
	linkjob j -arch=sm_90 <<<$'data 2 one.ptx one\ndata 2 two.ptx two'
	# Text with a NUL behind it, as NVRTC gives it. Each input of PTX is an action.
	cp "$ROOT/ptx/"* "$ROOT/cubin/"* "$ROOT/new/"* j
	ln_ --tools 3
	cp j/other.ptx j/two.ptx
	# The first input is the same.
	again any --tools 3
	put j/inputs 'data 2 one.ptx one' 'data 1 two.cubin two'
	again any --warm hit --tools 3
	put j/inputs 'data 1 one.cubin one' 'data 2 two.ptx two'
	again any --warm hit --tools 2
	put j/inputs 'data 2 one.ptx one' 'file 1 j/two.cubin'
	again any --warm any
	# This link takes less time than a look-up.
	put j/inputs 'data 1 one.cubin one' 'data 1 two.cubin two'
	again any
	put j/inputs 'data 10 one.cubin one' 'data 10 two.ptx two'
	again any
	printf '%s\n' -arch=sm_90 -lto >j/options
	put j/inputs 'data 10 one.ltoir one' 'data 10 two.ptx two'
	again any
}

# bats test_tags=check
@test "nvjitlink: errors" {
	two_ltoir j -arch=sm_90 -lto
	put j/inputs 'data 3 one.ltoir one' 'data 3 one.ltoir two'
	ln_ --cold any --warm any
	put j/inputs 'data 3 one.ltoir one'
	again any
	put j/inputs 'data 2 one.ltoir one'
	again any
	put j/inputs 'data 3 options one'
	again any
	put j/inputs 'data 77 one.ltoir one'
	again any
	two_ltoir j -lto
	again any
	two_ltoir j -arch=sm_90 -lto -no-such-option
	again any
	# This error ends the process, by the library's own exit(1).
	two_ltoir j -arch=sm_1 -lto
	again any --status any
	# The option -lto is missing.
	two_ltoir j -arch=sm_90
	again any
	two_ltoir j -arch=sm_80 -lto
	again any
}

# bats test_tags=check
@test "nvjitlink: asked too early, completed twice, never destroyed, never completed" {
	local how
	two_ltoir j -arch=sm_90 -lto
	for how in -e -2 -n -d; do
		differential --cold any --warm any -- "$LINK" "$how" "$NVJITLINK" o j
	done
	ln_ --cold any --warm hit
	for how in -e -2 -n -d; do
		differential --cold any --warm any -- "$LINK" "$how" -r 2 "$NVJITLINK" o j
	done
}

@test "nvjitlink: by versioned names" {
	two_ltoir j -arch=sm_90 -lto
	differential -- "$LINK" -v 13_5 "$NVJITLINK" o j
	differential --cold any --warm hit -- "$LINK" -v 13_0 "$NVJITLINK" o j
	differential --cold any --warm hit -- "$LINK" "$NVJITLINK" o j
}

# linked NAME LIB VERSION
linked() {
	gcc -D_GNU_SOURCE -DLINKED="$3" -O1 -w -pthread -o "$ROOT/$1" \
		"$E2E_DIR/helpers/nvjitlink_run.c" "$2" -Wl,-rpath,"${2%/*}"
}

# bats test_tags=check
@test "nvjitlink: a linked program" {
	two_ltoir j -arch=sm_90 -lto
	linked run "$NVJITLINK" 13_5
	differential -- "$ROOT/run" - o j
	linked run0 "$NVJITLINK" 13_0
	differential --cold any -- "$ROOT/run0" - o j
	# The library has no such version of the names: an error, as without Reprise.
	differential --cold any --warm any --status any -- \
		sh -c '"$@" 2>/dev/null' sh "$LINK" -v 99_9 "$NVJITLINK" o j
}

# bats test_tags=check
@test "nvjitlink: the library of CUDA 12.1, and both at once" {
	inputs "$NVRTC_OLD" old -dlto ltoir LTOIR
	two_ltoir j -arch=sm_90 -lto
	two_ltoir old -arch=sm_90 -lto
	cp "$ROOT/old/"*.ltoir old
	differential -- "$LINK" "$NVJITLINK_OLD" o old
	linked run "$NVJITLINK_OLD" 12_1
	differential --cold hit -- "$ROOT/run" - o old
	# Old IR in a new library; new IR in an old one is refused.
	differential --cold any --warm any --tools 4 -- "$LINK" "$NVJITLINK,$NVJITLINK_OLD" o j old
	differential --cold any --warm any --tools 8 -- \
		"$LINK" -t 4 -r 2 "$NVJITLINK,$NVJITLINK_OLD" o j old
}

# bats test_tags=long
@test "nvjitlink: several links at once" {
	local i
	for i in 1 2 3 4 5 6; do
		two_ltoir j$i -arch=sm_90 -lto -maxrregcount=$((16 + 8 * i))
	done
	differential --tools 6 -- "$LINK" "$NVJITLINK" o j1 j2 j3 j4 j5 j6
	differential --tools 24 --cold hit -- "$LINK" -t 8 -r 4 "$NVJITLINK" o j1 j2 j3 j4 j5 j6
	two_ltoir j -arch=sm_90 -lto
	differential --tools 8 --cold any --warm hit -- "$LINK" -t 4 -r 8 "$NVJITLINK" o j
}

# bats test_tags=long
@test "nvjitlink: the store is wiped between Complete and answers" {
	two_ltoir j -arch=sm_90 -lto
	ln_
	differential --cold any --warm any -- "$LINK" -w "rm -rf '$STORE'" "$NVJITLINK" o j
	differential --cold any --warm any -- "$LINK" -r 2 -w "rm -rf '$STORE'" "$NVJITLINK" o j
}

# bats test_tags=long
@test "nvjitlink: variables that the library reads" {
	local v
	two_ltoir j -arch=sm_90 -lto
	ln_
	for v in LIBNVVM_NVVM_VERSION=2.0 NVVM_IR_VER_CHK=0 LLVM_OVERRIDE_PRODUCER=other \
		LIBNVVM_DISABLE_CONCURRENT_API=1 LANG=de_DE.UTF-8; do
		again any --env "$v" || { echo "with $v" >&2; return 1; }
	done
	again hit
	# Messages of a trace go to the program's own stdout or stderr, if anywhere.
	again any --env NVJITLINK_TRACE_MESSAGES=1
}

@test "nvjitlink: inputs that NVRTC made in the same process" {
	cat >chain.py <<-'EOP'
	import ctypes
	import sys
	rtc, jit = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
	size, link = ctypes.c_size_t(), ctypes.c_void_p()
	print(jit.nvJitLinkCreate(ctypes.byref(link), 2,
	                          (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-lto")))
	for text in (b'extern __device__ int f(int); extern "C" __global__ void k(int *o) { *o = '
	             b'f(*o); }', b"__device__ int f(int x) { return x * 3; }"):
	    program = ctypes.c_void_p()
	    rtc.nvrtcCreateProgram(ctypes.byref(program), text, b"x.cu", 0, None, None)
	    print(rtc.nvrtcCompileProgram(program, 2,
	                                  (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-dlto")))
	    rtc.nvrtcGetLTOIRSize(program, ctypes.byref(size))
	    ir = ctypes.create_string_buffer(size.value)
	    rtc.nvrtcGetLTOIR(program, ir)
	    rtc.nvrtcDestroyProgram(ctypes.byref(program))
	    print(jit.nvJitLinkAddData(link, 3, ir, ctypes.c_size_t(size.value), b"x"))
	print(jit.nvJitLinkComplete(link),
	      jit.nvJitLinkGetLinkedCubinSize(link, ctypes.byref(size)), size.value)
	cubin = ctypes.create_string_buffer(size.value)
	print(jit.nvJitLinkGetLinkedCubin(link, cubin), jit.nvJitLinkDestroy(ctypes.byref(link)),
	      link.value)
	open("cubin", "wb").write(cubin.raw)
	EOP
	differential --tools 3 -- "$PY" chain.py "$NVRTC" "$NVJITLINK"
}

# bats test_tags=long
@test "nvjitlink: nothing with REPRISE_FORCE_DISABLE=1" {
	two_ltoir j -arch=sm_90 -lto
	ln_ --cold host --warm host --env REPRISE_FORCE_DISABLE=1
}

@test "nvjitlink: a real link is recorded, not an answer of the driver's cache" {
	need strace
	two_ltoir j -arch=sm_90 -lto
	strace -f -e trace=openat -o plain.st "$LINK" "$NVJITLINK" o j
	grep -q 'libcuda[.]so' plain.st ||
		fail "nvJitLink does not look for its cache any more: nothing is shown here"
	strace -f -e trace=openat -o cold.st env "${RPENV[@]}" "$LINK" "$NVJITLINK" o2 j
	[ "$(stat_of nvjitlink_misses)" = 1 ]
	! grep 'libcuda[.]so' cold.st || fail "the recorded link asks the driver"
	diff -r o/j o2/j
	rm -rf o o2
	# An unknown option: the library's own message.
	two_ltoir j -arch=sm_90 -lto --no-such
	ln_ --cold any --warm any --status any
}

# bats test_tags=check
@test "nvjitlink: a thread that rounds otherwise, also between additions" {
	local how
	cat >round.py <<-'EOP'
	import ctypes
	import sys
	jit, m = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libm.so.6")
	link, size = ctypes.c_void_p(), ctypes.c_size_t()
	text = """.version 8.0
	.target sm_90
	.address_size 64
	.visible .entry %s(.param .u64 p) {
	    .reg .f32 %%f<3>; .reg .b64 %%rd<3>;
	    ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd2, %%rd1;
	    mov.f32 %%f1, 0f3F333333; sin.approx.f32 %%f2, %%f1; st.global.f32 [%%rd2], %%f2;
	    ex2.approx.f32 %%f2, %%f1; st.global.f32 [%%rd2+4], %%f2;
	    rsqrt.approx.f32 %%f2, %%f1; st.global.f32 [%%rd2+8], %%f2; ret; }"""
	print(jit.nvJitLinkCreate(ctypes.byref(link), 1, (ctypes.c_char_p * 1)(b"-arch=sm_90")))
	for step in sys.argv[2]:
	    if step in "ud.":
	        m.fesetround({"u": 0x800, "d": 0x400, ".": 0}[step])
	    elif step == "x":
	        print(jit.nvJitLinkComplete(link))
	    elif step == "q":
	        print(jit.nvJitLinkGetLinkedCubinSize(link, ctypes.byref(size)))
	        cubin = ctypes.create_string_buffer(size.value)
	        print(jit.nvJitLinkGetLinkedCubin(link, cubin), cubin.raw.hex())
	    else:
	        ptx = ctypes.create_string_buffer((text % step).encode())
	        print(jit.nvJitLinkAddData(link, 2, ptx, ctypes.c_size_t(len(ptx)), None))
	print(jit.nvJitLinkDestroy(ctypes.byref(link)))
	EOP
	differential --tools 3 -- "$PY" round.py "$NVJITLINK" abxq
	mv "$ROOT/r/plain.out" "$ROOT/near"
	again miss --tools 3 -- "$PY" round.py "$NVJITLINK" uabxq
	! cmp -s "$ROOT/r/plain.out" "$ROOT/near" || fail "one code: nothing is shown here"
	for how in aubxq abuxq ua.bxq uab.xq abxuq auqbxq uabx.cxq abxucxq; do
		again any -- "$PY" round.py "$NVJITLINK" $how || { echo "$how" >&2; return 1; }
	done
}

# bats test_tags=check
@test "nvjitlink: a link that is turned off is a bypass, and says why" {
	local before
	two_ltoir j -arch=sm_90 -lto -split-compile=2
	ln_ --cold bypass:arguments
	turned_off arguments 'not served: -split-compile=2'
	printf '%s\n' -arch=sm_90 -lto -split-compile=1 -kernels-used=keep_time >j/options
	again stored
	inputs "$NVRTC" cubin -DX cubin CUBIN
	linkjob j -arch=sm_90 <<<$'data 1 one.cubin one\ndata 1 two.cubin two'
	cp "$ROOT/cubin/"* j
	ln_ --cold bypass:library
	turned_off library 'cubins are joined'
	# A process says it once.
	before=$(stat_of bypasses)
	differential --cold bypass:library -- "$LINK" -r 9 "$NVJITLINK" o j
	[ "$(stat_of bypasses)" = $((before + 2)) ]
}
