#!/usr/bin/env bats
# Forms of nvcc that builds use at times. Each runs plain, cold and warm, and again after an edit of
# an input.
# parameter E2E_NVCC: installed wheel

setup() {
	load lib
	load cuda
	cuda_setup
}
teardown() { case_teardown; }

# An edit of an included file: the parent action is another action, with the right result.
edited() { # FILE LINE...
	put "$@"
	age
	cuda_again
}

# bats test_tags=check
@test "nvcc forms: dependency lists, -M, -MM, -MD, of a header that is another" {
	put h.h '#define X 1'
	sed -i '1i#include "h.h"' a.cu
	cuda --makes m -- nvcc -MM a.cu -o m
	put i.h '#define Y'
	age
	edited h.h '#include "i.h"'
	grep -q 'i[.]h' "$ROOT/r/warm.tree/m"
	cuda --makes m -- nvcc -M -MT other a.cu -o m
	cuda --makes "a.o a.d" -- nvcc -MMD -c a.cu
}
# bats test_tags=long
@test "nvcc forms: -ewp, -res-usage, -split-compile, -split-compile-extended, -gen-opt-lto" {
	XFT+=';s/Compile time = [0-9.]+ ms/Compile time = T ms/'
	cuda --makes a.o -- nvcc -ewp -c a.cu
	cuda --makes a.o -- nvcc -res-usage -arch=sm_80 -c a.cu
	cuda --makes a.o -- nvcc --split-compile 2 -arch=sm_80 -c a.cu
	cuda --makes a.o -- nvcc -arch=sm_80 -dlto -dc -gen-opt-lto a.cu
	cuda --makes a.o -- nvcc -arch=sm_80 -dlto -dc --split-compile-extended 2 a.cu
}
# bats test_tags=long
@test "nvcc forms: -cuda, -save-temps, .ptx and .cubin inputs" {
	cuda --makes x.ii -- nvcc -cuda a.cu -o x.ii
	mkdir kept
	cuda --makes kept/a.ptx -- nvcc -save-temps -keep-dir kept -arch=sm_80 -c a.cu
	nvcc -arch=sm_80 -ptx a.cu -o in.ptx
	cuda --makes in.cubin -- nvcc -arch=sm_80 -cubin in.ptx
	sed -i 's/0f40000000/0f40400000/' in.ptx
	age
	cuda_again
	nvcc -arch=sm_80 -cubin in.ptx
	cuda --makes in.fatbin -- nvcc -arch=sm_80 -fatbin in.cubin
}
# bats test_tags=long
@test "nvcc forms: __has_include, .incbin, __TIMESTAMP__, __INCLUDE_LEVEL__" {
	put h.cu '#if __has_include("late.h")' '#include "late.h"' '#endif' '#ifndef V' \
		'#define V 1' '#endif' '__global__ void k(int *p) { *p = V; }'
	age
	cuda --makes h.o -- nvcc -I. -c h.cu
	edited late.h '#define V 2'
	put data 'first'
	put b.cu '__asm__(".section .rodata\nblob: .incbin \"data\"\n.text");' \
		'__global__ void k(int *p) { *p = 1; }'
	age
	cuda --makes b.o -- nvcc -c b.cu
	edited data 'other'
	put t.cu 'const char *t = __TIMESTAMP__;' '__global__ void k(int *p) { *p = 1; }'
	age
	cuda --makes t.o --warm any -- nvcc -c t.cu
	touch -d '2001-02-03 04:05:06' t.cu
	again any --warm any
}
# bats test_tags=long
@test "nvcc forms: a response file of the host compiler, and an options file of options files" {
	put one.rsp '-DX=1 -O1'
	put two.txt '-lineinfo --options-file one.txt'
	put one.txt '-DY=2'
	age
	cuda --makes a.o -- nvcc -Xcompiler @one.rsp --options-file two.txt -c a.cu
	edited one.txt '-DY=3'
	edited one.rsp '-DX=1 -O2'
}
# bats test_tags=long
@test "nvcc forms: sources and directories behind links, an output over a link, another umask" {
	mkdir real
	cp a.cu real/
	ln -s real link
	ln -s real/a.cu l.cu
	age
	cuda --makes a.o -- nvcc -c link/a.cu
	cuda --makes l.o -- nvcc -c l.cu
	# The link leads to another directory.
	mkdir other
	sed 's/2.0f/3.0f/' a.cu >other/a.cu
	ln -sfn other link
	age
	cuda --makes a.o -- nvcc -c link/a.cu
	ln -s real/out.o o.o
	cuda --makes real/out.o -- nvcc -c a.cu -o o.o
	cuda --umask 077 --makes u.o -- nvcc -c a.cu -o u.o
}

# bats test_tags=long
@test "nvcc forms: --jobserver under make, by make 4.4's FIFO, without make, after make ended" {
	local way many='-t 2 -gencode arch=compute_80,code=sm_80'
	many+=' -gencode arch=compute_90,code=sm_90 -c a.cu'
	put asks.mk "all:; +nvcc --jobserver $many 2>&1"
	mkfifo "$ROOT/tokens"
	exec 9<>"$ROOT/tokens"
	printf '++' >&9
	for way in 'make none fifo gone' 'gone fifo none make'; do
		rm -rf "$STORE" "$RUNTIME"
		for way in $way; do
			# shellcheck disable=SC2086 # words
			case $way in
			make) cuda --makes a.o -- make -s -j2 -f asks.mk ;;
			none) cuda --makes a.o -- nvcc --jobserver $many ;;
			fifo)
				cuda --env "MAKEFLAGS= -j2 --jobserver-auth=fifo:$ROOT/tokens" \
					--makes a.o -- nvcc --jobserver $many
				;;
			gone)
				cuda --env 'MAKEFLAGS= -j2 --jobserver-auth=98,99' --status any \
					--warm any -- nvcc --jobserver $many
				;;
			esac
			cat "$ROOT/r/warm.out" "$ROOT/r/warm.err" >"$ROOT/$way"
		done
	done
	exec 9>&-
	grep -q 'no compatible jobserver' "$ROOT/none" ||
		fail "nvcc does not warn: the case is void"
	grep -q 'an error occurred' "$ROOT/gone" || fail "nvcc does not fail: the case is void"
	# The option in a variable and in a file.
	put list '--jobserver'
	# shellcheck disable=SC2086
	{
		cuda --env 'NVCC_APPEND_FLAGS=--jobserver' --makes a.o -- nvcc $many
		again any --warm hit \
			--env $'NVCC_APPEND_FLAGS=--jobserver\nMAKEFLAGS= -j2 --jobserver-fds=98,99'
		cuda --env 'NVCC_APPEND_FLAGS=--jobserver' --makes a.o -- make -s -j2 -f asks.mk
		cuda --makes a.o -- nvcc --options-file list $many
		again any --warm any --status any --env 'MAKEFLAGS= -j2 --jobserver-auth=98,99'
	}
}

# bats test_tags=check
@test "nvcc forms: a closed standard input is another action" {
	cuda_source a.cu
	cuda --makes a.ptx -- nvcc -ptx a.cu -o a.ptx
	cuda --cold any --warm any --status any -- sh -c 'nvcc -ptx a.cu -o a.ptx <&-'
}
