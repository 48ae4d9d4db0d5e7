#!/bin/sh
# toolchains.sh OBJECT COMPILER... - each compiler compiles and links plain, then twice under
# Reprise, with nothing left of the first results. A line for each compiler says what was served at
# the second time; status 1 if a start was not, or if bytes differ. Run by toolchains.bats, on this
# machine or in a root of another release.
#
# A compiler is gcc-N, clang-N or rustc, or the path of nvcc or ptxas. What two plain starts make
# different (an object of nvcc names a temporary file) is compared between the first and the second
# start under Reprise alone.
set -eu
object=$1
shift
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
reprise=${object%/*}/reprise
[ -x "$reprise" ] || reprise=${object%/lib/*}/bin/reprise
failed=0

sources() {
	cat >"$at/a.c" <<-'END'
	#include <stdio.h>
	#include <string.h>
	int twice(int n) { return 2 * n + (int)strlen("a"); }
	int main(void) { return printf("%d\n", twice(3)) < 0; }
	END
	cat >"$at/b.cc" <<-'END'
	#include <map>
	#include <string>
	#include <vector>
	std::map<std::string, std::vector<int>> all;
	int main() { all["a"].push_back(1); return (int)all.size() - 1; }
	END
	cat >"$at/k.cu" <<-'END'
	#include <cuda_fp16.h>
	__global__ void add(const __half *x, float *y, int n)
	{
		int i = blockIdx.x * blockDim.x + threadIdx.x;
		if (i < n)
			y[i] += __half2float(x[i]);
	}
	END
	cat >"$at/p.ptx" <<-'END'
	.version 8.0
	.target sm_80
	.address_size 64
	.visible .entry add(.param .u64 to, .param .f32 value)
	{
		.reg .b64 %rd<3>;
		.reg .f32 %f<4>;
		ld.param.u64 %rd1, [to];
		cvta.to.global.u64 %rd2, %rd1;
		ld.global.f32 %f1, [%rd2];
		ld.param.f32 %f2, [value];
		add.f32 %f3, %f1, %f2;
		st.global.f32 [%rd2], %f3;
		ret;
	}
	END
	cat >"$at/r.rs" <<-'END'
	use std::collections::BTreeMap;
	pub fn count(text: &str) -> BTreeMap<char, usize> {
	    let mut all = BTreeMap::new();
	    for c in text.chars() { *all.entry(c).or_insert(0) += 1; }
	    all
	}
	END
}

# commands COMPILER: a command a line. Each makes files in o/ alone.
commands() {
	case ${1##*/} in
	nvcc*)
		for arch in ${ARCHS:-sm_80 sm_90a}; do
			echo "$1 -arch=$arch -c k.cu -o o/$arch.o"
			echo "$1 -arch=$arch -cubin k.cu -o o/$arch.cubin"
			echo "$1 -arch=$arch -O3 -lineinfo -fatbin k.cu -o o/$arch.fatbin"
			echo "$1 -arch=$arch -ptx k.cu -o o/$arch.ptx"
		done
		;;
	ptxas)
		for arch in ${ARCHS:-sm_80 sm_90a}; do
			echo "$1 -arch=$arch p.ptx -o o/$arch.cubin"
			echo "$1 -v --gpu-name=$arch -lineinfo p.ptx -o o/$arch.v.cubin"
		done
		;;
	rustc*)
		echo "$1 -O --crate-type=lib --emit=obj r.rs -o o/r.o"
		echo "$1 -O --crate-type=rlib r.rs -o o/libr.rlib"
		;;
	*)
		plus=$(echo "$1" | sed 's/gcc/g++/; s/clang/clang++/')
		echo "$1 -c a.c -o o/a.o"
		echo "$1 -O2 -g -c a.c -o o/g.o"
		echo "$1 -O2 -fPIC -MD -MF o/a.d -c a.c -o o/p.o"
		echo "$1 -S a.c -o o/a.s"
		echo "$1 -O2 a.c -o o/a"
		echo "$1 -shared -fPIC a.c -o o/a.so"
		echo "$plus -O2 -std=c++17 -c b.cc -o o/b.o"
		echo "$plus -O2 -Wall b.cc -o o/b"
		;;
	esac
}

# pass ENVIRONMENT...: all commands, in an empty o/
pass() {
	rm -rf o
	mkdir o
	while read -r command; do
		# shellcheck disable=SC2086 # words
		env "$@" $command >>said 2>&1 || { echo "fails: $command"; cat said; return 1; }
	done <commands
}

counted() { # NAME
	env REPRISE_CACHE_DIR="$at/store" REPRISE_RUNTIME_DIR="$at/run" "$reprise" stats --json |
		tr ',{}' '\n\n\n' | sed -n "s/^ *\"$1\": *//p" | head -n 1
}

# now: hits, then everything that was no hit
now() {
	echo "$(counted hits_local)" \
		$(($(counted misses) + $(counted unstored) + $(counted bypasses)))
}

# unequal DIRECTORY DIRECTORY: the names of files that differ
unequal() { diff -rq "$1" "$2" | sed -n 's/^Files [^ ]*\/\([^ ]*\) and .*/\1/p'; }

# same DIRECTORY NAMES: o/ is equal to it but for these names
same() {
	[ "$(ls "$1")" = "$(ls o)" ] || { echo "other files"; return 1; }
	for name in $(unequal "$1" o); do
		case " $(echo $2) " in
		*" $name "*) ;;
		*) echo "$name is not as in $1"; return 1 ;;
		esac
	done
}

one() {
	compiler=$1
	cd "$at"
	rm -rf store run
	mkdir -m 700 run
	commands "$compiler" >commands
	: >said
	rm -rf plain again first
	pass A=1 || return 1
	mv o plain
	pass A=1 || return 1
	mv o again
	under="LD_PRELOAD=$object REPRISE_CACHE_DIR=$at/store REPRISE_RUNTIME_DIR=$at/run"
	# shellcheck disable=SC2086 # words
	pass $under REPRISE_STRICT=1 || return 1
	same plain "$(unequal plain again)" || return 1
	cp -a o first
	# shellcheck disable=SC2046 # words
	set -- $(now)
	# shellcheck disable=SC2086
	pass $under REPRISE_STRICT=1 || return 1
	same first '' || return 1
	# shellcheck disable=SC2046
	set -- "$1" "$2" $(now)
	lines=$(wc -l <commands)
	echo "$compiler: $(($3 - $1)) of $lines served, $(($4 - $2)) not"
	[ $(($4 - $2)) = 0 ] && [ $(($3 - $1)) -ge "$lines" ]
}

sources
sleep 0.2
for compiler; do
	command -v "$compiler" >/dev/null || { echo "$compiler: not here"; failed=1; continue; }
	one "$compiler" || failed=1
done
exit $failed
