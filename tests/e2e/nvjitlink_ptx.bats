#!/usr/bin/env bats
# nvJitLink inside a process: PTX, which the library compiles before it links.

setup() { load nvjitlink && link_setup; }
teardown() { link_teardown; }

# two_ptx DIR OPTION...: PTX by data, as XLA gives it.
two_ptx() {
	inputs "$NVRTC" ptx -DX ptx PTX
	linkjob "$@" <<<$'data 2 one.ptx -\ndata 2 two.ptx -'
	cp "$ROOT/ptx/"*.ptx "$1"
}

# counting: a library that hands every call to the real one, and writes its name into $ROOT/calls.
# The real one lies in a namespace of its own, where Reprise does not see it.
counting() {
	gcc -shared -fPIC -O1 -w -Wl,-soname,libnvJitLink.so.13 -o "$ROOT/libnvJitLink.so.13" \
		-DREAL="\"$NVJITLINK\"" -DCALLS="\"$ROOT/calls\"" -xc - <<-'EOC'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	static FILE *calls; /* opened early: a compile that opens it is not stored */
	static __attribute__((constructor)) void begin(void)
	{
		calls = fopen(CALLS, "a");
	}
	static void *real(const char *name)
	{
		static void *h;
		if (!strstr(name, "Get"))
			fprintf(calls, "%s\n", name);
		h = h ? h : dlmopen(LM_ID_NEWLM, REAL, RTLD_NOW);
		return dlsym(h, name);
	}
	#define F(name) int nvJitLink##name(long a, long b, long c, long d, long e) \
		{ return ((int (*)(long, long, long, long, long))real("nvJitLink" #name)) \
			(a, b, c, d, e); }
	F(Create) F(Destroy) F(AddData) F(Complete)
	/* Another program replaces the file while the library compiles what it has read. */
	int nvJitLinkAddFile(long a, long b, const char *path)
	{
		int status = ((int (*)(long, long, const char *))real("nvJitLinkAddFile"))
			(a, b, path);
		if (getenv("NEWER"))
			rename(getenv("NEWER"), path);
		return status;
	}
	F(GetLinkedCubinSize) F(GetLinkedCubin) F(GetLinkedPtxSize) F(GetLinkedPtx)
	F(GetLinkedLTOIRSize) F(GetLinkedLTOIR) F(GetErrorLogSize) F(GetErrorLog)
	F(GetInfoLogSize) F(GetInfoLog)
	EOC
}

# calls: the names of the calls, without nvJitLink, since the last question.
calls() {
	local all
	all=$(tr '\n' ' ' <"$ROOT/calls" | sed 's/nvJitLink//g')
	rm "$ROOT/calls"
	echo "${all% }"
}

@test "nvjitlink_ptx: PTX with the options of XLA: no second link, no second compile of the PTX" {
	local link
	two_ptx j -arch=sm_90a -Xptxas=--warn-on-spills -split-compile=1 -no-cache
	ln_ --tools 3 --makes o/j/LinkedCubin
	# XLA says as many threads as inputs.
	printf '%s\n' -arch=sm_90a -Xptxas=--warn-on-spills -split-compile=2 -no-cache >j/options
	again miss --tools 3
	# The ptxas in the library makes threads, which the trace does not follow.
	printf '%s\n' -arch=sm_90a -Xptxas=--split-compile=2 >j/options
	again bypass:arguments --tools 1
	two_ptx j -arch=sm_90a -Xptxas=--warn-on-spills -split-compile=1 -no-cache
	counting
	link=("$LINK" "$ROOT/libnvJitLink.so.13" o j)
	"${link[@]}" >/dev/null && mv o plain
	[ "$(calls)" = "Create AddData AddData Complete Destroy" ]
	under "${link[@]}" >/dev/null && diff -r o plain && rm -r o
	[ "$(calls)" = "Create AddData AddData Complete Destroy" ]
	under "${link[@]}" >/dev/null && diff -r o plain && rm -r o
	[ "$(calls)" = "Create Destroy" ]
	# What the first input was, the library gets when it gets the other second one.
	put j/inputs 'data 2 one.ptx -' 'data 2 other.ptx -'
	under "${link[@]}" >/dev/null
	[ "$(calls)" = "Create AddData AddData Complete Destroy" ]
	rm -r o plain
	"$LINK" "$NVJITLINK" plain j >/dev/null && under "${link[@]}" >/dev/null
	diff -r o plain
}

@test "nvjitlink_ptx: a file that is replaced while the library compiles it" {
	local link
	two_ptx j -arch=sm_90
	put j/inputs 'data 2 one.ptx -' 'file 2 j/two.ptx'
	counting
	link=("$LINK" "$ROOT/libnvJitLink.so.13" o j)
	"${link[@]}" >/dev/null && mv o plain
	cp j/other.ptx newer
	NEWER=newer under "${link[@]}" >/dev/null
	cmp j/other.ptx j/two.ptx
	diff -r o plain
	rm -r o plain
	"${link[@]}" >/dev/null && mv o plain
	under "${link[@]}" >/dev/null && diff -r o plain
}

@test "nvjitlink_ptx: an addition without data keeps the order of inputs" {
	two_ptx j -arch=sm_90
	ln_ --tools 3
	put j/inputs 'data 2 one.ptx -' 'null 2 -' 'data 2 two.ptx -'
	again any --tools 3
}

@test "nvjitlink_ptx: PTX that ends without a NUL" {
	two_ptx j -arch=sm_90
	ln_ --tools 3
	# The same bytes, which are no text any more.
	local n
	for n in one two; do
		tr -d '\0' <j/$n.ptx >"$ROOT/text" && cp "$ROOT/text" j/$n.ptx
	done
	again any --tools 3
	for n in one two; do printf x >>j/$n.ptx; done
	put j/inputs 'open 2 one.ptx -' 'open 2 two.ptx -'
	again any --tools 3
	put j/inputs 'open 10 one.ptx -' 'data 2 two.ptx -'
	again any --tools 3
}

@test "nvjitlink_ptx: messages that the library itself prints" {
	two_ptx j -arch=sm_90
	put j/inputs 'data 2 two.ptx A' 'data 2 other.ptx B' 'data 2 one.ptx C'
	ln_ --cold any --warm any --tools 4
	grep -q 'Multiple definition' "$ROOT"/r/*.err ||
		fail "nothing is printed: nothing is shown here"
	inputs "$NVRTC_OLD" old -DX ptx PTX
	linkjob old -arch=sm_90 -verbose <<<$'data 2 one.ptx -\ndata 2 two.ptx -'
	cp "$ROOT/old/"*.ptx old
	differential --cold any --warm any --tools 3 -- \
		"$LINK" "$NVJITLINK_OLD" o old
	grep -q 'bytes gmem' "$ROOT"/r/*.err || fail "nothing is printed: nothing is shown here"
}

# bats test_tags=check
@test "nvjitlink_ptx: PTX that was left out: early questions, twice, never, refused, other inputs" {
	local how
	two_ptx j -arch=sm_90a -Xptxas=--warn-on-spills -split-compile=1 -no-cache
	ln_ --tools 3
	for how in -e -2 -n -d; do
		differential --cold any --warm any -- "$LINK" "$how" "$NVJITLINK" o j
		differential --cold any --warm any -- "$LINK" "$how" -r 2 "$NVJITLINK" o j
	done
	differential --cold any --warm any -- "$LINK" -t 4 -r 8 "$NVJITLINK" o j
	# The store holds the additions alone, or the link alone.
	differential --cold any --warm any -- "$LINK" -w "rm -rf '$STORE'" "$NVJITLINK" o j
	echo '.version 99.99' >j/bad.ptx
	put j/inputs 'data 2 one.ptx one' 'data 2 bad.ptx bad' 'data 2 two.ptx two'
	ln_ --cold any --warm any
	put j/inputs 'data 2 bad.ptx bad'
	again bypass:library
	put j/inputs 'data 2 one.ptx one' 'data 2 one.ptx one'
	again any
	put j/inputs 'file 2 j/one.ptx' 'data 2 two.ptx two'
	again any --warm hit --tools 2
	put j/inputs 'data 2 one.ptx one' 'file 2 j/two.ptx'
	again any
	# Of any type.
	put j/inputs 'data 10 one.ptx one' 'data 10 two.ptx two'
	again miss --tools 3
	cp "$ROOT/new/"*.ltoir j
	printf '%s\n' -arch=sm_90 -lto >j/options
	put j/inputs 'data 2 one.ptx one' 'data 3 two.ltoir two'
	again any --warm hit --tools 3
	put j/inputs 'data 2 one.ptx one' 'data 3 other.ltoir two'
	again any
}
