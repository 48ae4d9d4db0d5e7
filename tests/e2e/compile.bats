#!/usr/bin/env bats
# Plain compiles by gcc, g++ and their other names.

setup() { load lib; case_setup; }
teardown() { case_teardown; }

c_file() { put "${1:-a.c}" 'int twice(int x) { return 2 * x; }'; }
cxx_file() {
	put "${1:-a.cc}" 'template <class T> T twice(T x) { return x + x; }' \
		'int f(int x) { return twice(x); }'
}

@test "compile: gcc -c to the default name" {
	c_file
	differential --makes a.o -- gcc -c a.c
}

@test "compile: an edit is a miss, the old text a hit again" {
	c_file
	differential -- gcc -c a.c
	put a.c 'int twice(int x) { return x << 1; }' 'int other;'
	again miss
	c_file
	again hit
}

@test "compile: -o elsewhere" {
	c_file src/a.c
	mkdir obj
	differential --makes obj/x.o -- gcc -O2 -c src/a.c -o obj/x.o
}

@test "compile: the joined -oFILE" {
	c_file
	differential --makes x.o -- gcc -c a.c -ox.o
}

@test "compile: absolute source and output" {
	c_file
	differential --makes a.o -- gcc -c "$W/a.c" -o "$W/a.o"
}

@test "compile: headers by -I, -isystem, -iquote, -include, relative and absolute" {
	put inc/a.h '#define A 1'
	put sys/b.h '#define B 2'
	put quo/c.h '#define C 3'
	put pre.h '#define P 4'
	put a.c '#include <a.h>' '#include <b.h>' '#include "c.h"' 'int v = A + B + C + P;'
	differential -- gcc -c a.c -Iinc -isystem "$W/sys" -iquote quo -include pre.h
	put sys/b.h '#define B 7'
	again miss:input
}

@test "compile: system headers" {
	put a.c '#include <stdio.h>' '#include <stdlib.h>' \
		'int f(void) { return puts("x") + rand(); }'
	differential -- gcc -Wall -O2 -c a.c
}

@test "compile: g++, c++ and cc by name" {
	c_file
	cxx_file
	differential -- g++ -c a.cc
	differential -- c++ -c a.cc
	differential -- cc -c a.c
}

@test "compile: C++ with the standard library" {
	put a.cc '#include <string>' '#include <vector>' 'std::vector<std::string> v{"a", "b"};' \
		'int f() { return v.size(); }'
	differential -- g++ -O1 -c a.cc
}

# bats test_tags=check
@test "compile: names with a version and a target" {
	c_file
	local n v m
	v=$(gcc -dumpversion)
	m=$(gcc -dumpmachine)
	for n in "gcc-$v" "$m-gcc" "$m-gcc-$v" aarch64-linux-gnu-gcc; do
		need "$n"
		differential --cold any --warm hit --makes a.o -- "$n" -c a.c
	done
}

@test "compile: by absolute path and through a link of the same name" {
	c_file
	mkdir bin
	ln -s "$(command -v gcc)" bin/gcc
	differential --makes a.o -- "$(command -v gcc)" -c a.c
	differential --cold any --warm hit --makes a.o -- bin/gcc -c a.c
}

@test "compile: gcc under a name that no row knows" {
	c_file
	ln -s "$(command -v gcc)" mycompiler
	differential --cold any --warm any --makes a.o -- ./mycompiler -c a.c
}

@test "compile: gcc and g++ share no result of one source" {
	put a.c 'int class(void) { return sizeof(char) + sizeof '"'x'"'; }'
	differential -- gcc -c a.c
	differential --status 1 -- g++ -c a.c
	put a.c 'int klass(void) { return sizeof '"'x'"'; }'
	differential -- gcc -c a.c
	differential -- g++ -c a.c
}

@test "compile: assembler, with and without preprocessing" {
	put a.s '.globl x' 'x: .long 1'
	put b.S '#define V 2' '.globl y' 'y: .long V'
	put c.sx '#define V 3' '.globl z' 'z: .long V'
	differential --makes a.o -- gcc -c a.s
	differential --makes b.o -- gcc -c b.S
	differential --makes c.o -- gcc -c c.sx
}

@test "compile: -S" {
	c_file
	differential --makes a.s -- gcc -O2 -S a.c
	differential -- gcc -O2 -S a.c -o -
}

@test "compile: -fsyntax-only leaves nothing" {
	c_file
	differential -- gcc -fsyntax-only -Wall a.c
	put a.c 'int f(void) { int unused; return 0; }'
	again miss
	[ "$(ls "$W")" = a.c ]
}

@test "compile: several sources in one command" {
	c_file a.c
	put b.c 'int b(void) { return 3; }'
	put c.c 'int c(void) { return 4; }'
	differential --makes "a.o b.o c.o" -- gcc -O1 -c a.c b.c c.c
	put b.c 'int b(void) { return 5; }'
	again miss
}

@test "compile: sources of several languages in one command" {
	c_file a.c
	cxx_file b.cc
	put c.s '.globl c' 'c: .long 3'
	differential --makes "a.o b.o c.o" -- gcc -c a.c b.cc c.s
}

@test "compile and link in one command" {
	put main.c '#include <stdio.h>' 'int main(void) { return puts("hello") < 0; }'
	differential --makes hello -- gcc -O2 main.c -o hello
	differential --makes a.out -- gcc main.c
}

@test "compile and link a shared object in one command" {
	cxx_file
	differential --makes liba.so -- g++ -O3 -shared -fPIC a.cc -o liba.so
}

@test "compile: two sources and a link in one command" {
	put main.c 'int f(void); int main(void) { return f(); }'
	put f.c 'int f(void) { return 0; }'
	differential --makes prog -- gcc main.c f.c -o prog
	put f.c 'int f(void) { return 1; }'
	again miss
}

@test "compile: warnings come back, on stderr" {
	put a.c 'int f(int x) { int unused; if (x = 1) return 2; }'
	differential -- gcc -Wall -Wextra -c a.c
	[ -s "$ROOT/r/warm.err" ]
}

@test "compile: a failing compile stays one" {
	put a.c 'int f( { return; }'
	differential --status 1 -- gcc -c a.c
}

@test "compile: -Werror stays a failure" {
	put a.c 'int f(void) { int unused; return 0; }'
	differential --status 1 -- gcc -Wall -Werror -c a.c
}

@test "compile: a missing source, an unknown option, no arguments" {
	c_file
	differential --cold any --status 1 -- gcc -c missing.c
	differential --cold any --status 1 -- gcc --no-such-option -c a.c
	differential --cold any --status 1 -- gcc -fno-such-thing -c a.c
	differential --cold any --status 1 -- gcc
}

# bats test_tags=check
@test "compile: --version, -v, -dumpmachine, -print-file-name, -dumpspecs" {
	differential --cold any -- gcc --version
	differential --cold any -- gcc -v
	differential --cold any -- gcc -dumpmachine
	differential --cold any -- gcc -print-file-name=libc.so
	differential --cold any -- gcc -print-search-dirs
	differential --cold any -- gcc -dumpspecs
	differential --cold any -- gcc -Q --help=optimizers
	put a.c 'int v;'
	differential --cold any --warm any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc '-###' -c a.c
}

@test "compile: -v and --verbose names of temporaries" {
	c_file
	differential --cold any --warm any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc -v -c a.c
}

# bats test_tags=check
@test "compile: TMPDIR is an input only if the result names a temporary file" {
	c_file
	put m.c 'int main(void) { return 0; }'
	mkdir "$ROOT/one" "$ROOT/two"
	local names='s#/(cc|m-)[A-Za-z0-9]{6}#/X#g' how d
	set -- 'gcc -v -c a.c'
	if command -v clang >/dev/null; then set -- "$@" 'clang -v m.c -o m'; fi
	for how in "$@"; do
		# shellcheck disable=SC2086 # words
		differential --filter "$names" --env "TMPDIR=$ROOT/one" -- $how
		again miss --env "TMPDIR=$ROOT/two"
		again hit --env "TMPDIR=$ROOT/one"
	done
	for d in one two; do
		TMPDIR=$ROOT/$d under gcc m.c -o m -Wl,-Map=map
		grep -q "$ROOT/$d/cc" map || fail "$d: the map names another directory"
	done
	differential --makes a.o --env "TMPDIR=$ROOT/one" -- gcc -g -c a.c
	again hit --env "TMPDIR=$ROOT/two"
}

@test "compile: -pipe" {
	c_file
	differential --makes a.o -- gcc -pipe -O2 -c a.c
}

@test "compile: -save-temps and -save-temps=obj" {
	c_file
	mkdir obj
	differential --makes "a.i a.s a.o" -- gcc -save-temps -c a.c
	differential --makes "obj/a.i obj/a.s obj/a.o" -- gcc -save-temps=obj -c a.c -o obj/a.o
}

@test "compile: -x and language options" {
	put noext 'int f(void) { return 1; }'
	differential --makes noext.o -- gcc -x c -c noext
	differential --makes o.o -- gcc -x c++ -std=c++20 -c noext -o o.o
}

@test "compile: code generation options -fverbose-asm, -masm, -ffunction-sections" {
	c_file
	local x86=-masm=intel
	[ "$(uname -m)" = x86_64 ] || x86=
	# shellcheck disable=SC2086 # one or none
	differential -- gcc -S -fverbose-asm $x86 a.c
	differential -- gcc -c -ffunction-sections -fdata-sections a.c
}

@test "compile: OpenMP, sanitizers, stack protector" {
	put a.c 'int s(int *p, int n) { int t = 0;' '#pragma omp parallel for reduction(+ : t)' \
		'for (int i = 0; i < n; i++) t += p[i]; return t; }'
	differential -- gcc -O2 -fopenmp -c a.c
	differential -- gcc -O1 -fsanitize=address,undefined -fstack-protector-all -c a.c
}

# bats test_tags=check
@test "compile: a plugin is an input" {
	local inc
	inc=$(gcc -print-file-name=plugin)/include
	[ -e "$inc/gcc-plugin.h" ] || lacks gcc-plugin.h
	put p.cc '#include "gcc-plugin.h"' 'int plugin_is_GPL_compatible;' \
		'int plugin_init(plugin_name_args *, plugin_gcc_version *) { return 0; }'
	g++ -shared -fPIC -fno-rtti -I"$inc" p.cc -o p.so
	c_file
	differential -- gcc -fplugin=./p.so -c a.c
	put p.cc '#include "gcc-plugin.h"' '#include <stdio.h>' 'int plugin_is_GPL_compatible;' \
		'int plugin_init(plugin_name_args *, plugin_gcc_version *) {' \
		'fputs("new\n", stderr); return 0; }'
	g++ -shared -fPIC -fno-rtti -I"$inc" p.cc -o p.so
	again miss
}
