#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": the tool itself and what it is made of. Passes and linkers found by PATH,
# -B, -fuse-ld or a toolchain's directory, specs, libraries behind -L, and what a loader puts into it.

setup() {
	load lib
	case_setup
	source_with_header 'int a = A;'
}
teardown() { case_teardown; }

# An assembler that says "mine" first.
own_as() { # FILE
	put as.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5); execv("'"$(command -v as)"'", v); return 9; }'
	gcc as.c -o "$1"
	rm as.c
}

@test "inputs_tools: an earlier executable appears on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	printf '#!/bin/sh\nexec %s -march=i686 "$@"\n' "$(command -v as)" >early/as
	printf '#!/bin/sh\n/bin/echo early as >&2\nexec %s "$@"\n' "$(command -v as)" >early/as
	chmod +x early/as
	again any
	grep -q 'early as' "$ROOT/r/warm.err"
	again any
}

@test "inputs_tools: a compiled earlier 'as' on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	own_as early/as
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs_tools: the assembler behind -B is replaced" {
	mkdir tools
	cp "$(command -v as)" tools/as
	differential -- gcc -Btools -c a.c
	own_as tools/as
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs_tools: cc1 behind -B appears" {
	mkdir tools
	differential -- gcc -Btools -c a.c
	cp "$(gcc -print-prog-name=cc1)" tools/cc1
	again miss
	printf x >>tools/cc1
	again miss
}

@test "inputs_tools: the compiler is replaced in place, same version text" {
	mkdir bin
	cp "$(readlink -f "$(command -v gcc)")" bin/gcc
	differential -- "$W/bin/gcc" "-B$(dirname "$(gcc -print-prog-name=cc1)")" -c a.c
	printf x >>bin/gcc
	again miss
}

@test "inputs_tools: a specs file" {
	gcc -dumpspecs >my.specs
	put x.specs '*cc1_options:' '+ -DX=1'
	put a.c 'int a = X;'
	differential -- gcc -specs=x.specs -c a.c
	put x.specs '*cc1_options:' '+ -DX=2'
	again miss
}

@test "inputs_tools: another linker by -fuse-ld, and one that appears behind -B" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	mkdir tools
	differential -- gcc -Btools m.o -o m
	need ld.gold
	cp "$(command -v ld.gold)" tools/ld
	again miss
	again any -- gcc -fuse-ld=gold m.o -o m
}

@test "inputs_tools: a library behind -L changes, and a new one shadows it" {
	put m.c 'int f(void); int main(void) { return f(); }'
	put f.c 'int f(void) { return 0; }'
	gcc -c m.c f.c
	mkdir one two
	ar rcs two/libf.a f.o
	differential -- gcc m.o -Lone -Ltwo -lf -o m
	put f.c 'int f(void) { return 3; }'
	gcc -c f.c
	rm -f two/libf.a
	ar rcs two/libf.a f.o
	again miss
	put f.c 'int f(void) { return 4; }'
	gcc -shared -fPIC f.c -o one/libf.so
	again miss
}

@test "inputs_tools: -B and -L without an argument of their own" {
	differential --cold any --status any -- gcc -c a.c -B
	differential --cold any --status any -- gcc -c a.c -L
	differential --cold any --status any -- gcc -L '' -c a.c
	differential --cold any --status any -- gcc -B '' -c a.c
}

@test "inputs_tools: clang picks the newest gcc of a directory" {
	need clang++
	local v
	for v in 12 13; do
		mkdir -p gt/lib/gcc/x86_64-linux-gnu/$v
		: >gt/lib/gcc/x86_64-linux-gnu/$v/crtbegin.o
		put gt/include/c++/$v/picked "int v = $v;"
		mkdir -p gt/include/c++/$v/x86_64-linux-gnu gt/include/c++/$v/backward
	done
	mv gt/lib/gcc/x86_64-linux-gnu/13 later
	put b.cc '#include <picked>'
	clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc 2>/dev/null || fail "this clang finds no such toolchain"
	rm -f b.o
	differential -- clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc
	mv later gt/lib/gcc/x86_64-linux-gnu/13
	again miss
}

@test "inputs_tools: another preload that changes what a tool says" {
	put p.c '#include <unistd.h>' '__attribute__((constructor)) static void c(void) { write(2, "preloaded\n", 10); }'
	gcc -w -shared -fPIC p.c -o "$ROOT/p.so"
	put b.c 'int b;'
	age
	differential -- gcc -c b.c
	rm -f b.o
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/p.so:$REPRISE_LIB" gcc -c b.c 2>got
	env LD_PRELOAD="$ROOT/p.so" gcc -c b.c 2>want
	cmp got want || fail "with another preload: $(cat got)"
	under gcc -c b.c 2>got
	[ ! -s got ] || fail "without it: $(cat got)"
}

@test "inputs_tools: LD_LIBRARY_PATH gives a pass another library" {
	local z
	z=$(ldd "$(gcc -print-prog-name=cc1)" 2>/dev/null | sed -n 's/.*libz\.so\.1 => \([^ ]*\) .*/\1/p')
	[ -n "$z" ] || fail "this cc1 has no shared libz"
	mkdir lib
	put b.c 'int b;'
	# The real library under its name, needed by one of ours that takes its place.
	put p.c '#include <unistd.h>' '__attribute__((constructor)) static void c(void) { write(2, "other libz\n", 11); }'
	cp "$z" lib/libreal.so
	gcc -w -shared -fPIC p.c -o lib/libz.so.1 -Wl,-soname,libz.so.1
	env LD_LIBRARY_PATH="$W/lib" gcc -c b.c 2>/dev/null || fail "cc1 needs more of libz than an empty one"
	rm -f b.o
	differential -- gcc -c b.c
	again any --env "LD_LIBRARY_PATH=$W/lib"
	grep -q 'other libz' "$ROOT/r/warm.err"
	again any --warm hit --env ""
}
