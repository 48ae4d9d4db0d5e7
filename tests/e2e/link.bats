#!/usr/bin/env bats
# Links through the driver.

setup() { load lib; case_setup; }
teardown() { case_teardown; }

objects() {
	put main.c 'int f(void); int main(void) { return f(); }'
	put f.c 'int f(void) { return 0; }'
	gcc -c main.c f.c
}

@test "link: two objects" {
	objects
	differential --makes prog -- gcc main.o f.o -o prog
	gcc -DX -O2 -c f.c -o f.o
	put f.c 'int f(void) { return 42; }'
	gcc -c f.c
	again miss
}

@test "link: the result is executable under every umask" {
	objects
	differential --umask 077 --makes prog -- gcc main.o f.o -o prog
	again hit --umask 000
	again hit --umask 027
}

@test "link: shared object, soname, rpath" {
	put f.c 'int f(void) { return 0; }'
	gcc -fPIC -c f.c
	differential --makes libf.so.1 -- \
		gcc -shared f.o -Wl,-soname,libf.so.1 -Wl,-rpath,/opt/lib -o libf.so.1
}

@test "link: against a shared object by -L and -l; it changes" {
	objects
	mkdir lib
	gcc -shared -fPIC f.c -o lib/libf.so
	differential --makes prog -- gcc main.o -Llib -lf -o prog
	put f.c 'int f(void) { return 0; }' 'int g(void) { return 2; }'
	gcc -shared -fPIC f.c -o lib/libf.so
	again any
}

@test "link: a library that shadows another appears earlier in -L" {
	objects
	mkdir one two
	gcc -shared -fPIC f.c -o two/libf.so
	differential -- gcc main.o -Lone -Ltwo -lf -o prog
	ar rcs one/libf.a f.o
	again miss
}

@test "link: an archive; its member changes" {
	objects
	ar rcs libf.a f.o
	differential -- gcc main.o libf.a -o prog
	put f.c 'int f(void) { return 9; }'
	gcc -c f.c
	ar rcs libf.a f.o
	again miss
}

@test "link: a thin archive's member changes" {
	objects
	ar rcsT libf.a f.o
	differential -- gcc main.o libf.a -o prog
	put f.c 'int f(void) { return 9; }'
	gcc -c f.c
	again miss
}

@test "link: -static, -static-pie, -no-pie" {
	objects
	differential -- gcc -static main.o f.o -o prog
	differential -- gcc -no-pie main.o f.o -o prog
	differential -- gcc -static-pie main.o f.o -o prog
}

@test "link: other linkers by -fuse-ld" {
	objects
	local ld
	for ld in bfd gold lld; do
		need ld.$ld
		differential --makes prog -- gcc -fuse-ld=$ld main.o f.o -o prog
		put again old
		differential --fresh -- gcc -fuse-ld=$ld -s main.o f.o -o again
	done
}

@test "link: a map file and one on stdout" {
	objects
	differential --makes "prog prog.map" -- gcc main.o f.o -o prog -Wl,-Map=prog.map
	differential -- gcc main.o f.o -o prog -Wl,-Map,-
}

@test "link: --trace, --cref and warnings on stdout and stderr" {
	objects
	differential --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc main.o f.o -o prog -Wl,--trace
	put w.c '#include <stdio.h>' 'char *gets(char *);' \
		'char b[9]; int main(void) { return !gets(b); }'
	gcc -w -c w.c
	differential -- gcc w.o -o prog
	[ -s "$ROOT/r/warm.err" ]
}

@test "link: an undefined symbol fails each time" {
	put main.c 'int f(void); int main(void) { return f(); }'
	gcc -c main.c
	differential --cold unstored:failed --status 1 -- gcc main.o -o prog
}

@test "link: linker scripts and version scripts are inputs" {
	put f.c 'int f(void) { return 0; }' 'int g(void) { return 0; }'
	gcc -fPIC -c f.c
	put v.map '{ global: f; local: *; };'
	differential -- gcc -shared f.o -Wl,--version-script=v.map -o libf.so
	put v.map '{ global: f; g; local: *; };'
	again miss
	put libi.so 'INPUT(f.o)'
	put main.c 'int f(void); int main(void) { return f(); }'
	gcc -c main.c
	differential -- gcc main.o libi.so -o prog
	put g.c 'int f(void) { return 1; }'
	gcc -c g.c
	put libi.so 'INPUT(g.o)'
	again miss
}

@test "link: ld -r, -s, -Wl,--build-id, --gc-sections, -pthread" {
	objects
	differential -- gcc -r -nostdlib main.o f.o -o both.o
	differential -- gcc -s main.o f.o -o prog
	differential -- gcc -Wl,--build-id=sha1 main.o f.o -o prog
	differential -- gcc -Wl,--gc-sections,--print-gc-sections main.o f.o -o prog
	differential -- gcc -pthread main.o f.o -o prog
}

@test "link: C++ with the standard library" {
	put a.cc '#include <iostream>' 'int main() { std::cout << "x\n"; }'
	g++ -c a.cc
	differential --makes prog -- g++ a.o -o prog
}

@test "link: LIBRARY_PATH" {
	objects
	mkdir lib other
	gcc -shared -fPIC f.c -o lib/libf.so
	put f.c 'int f(void) { return 3; }'
	gcc -c f.c
	ar rcs other/libf.a f.o
	differential --env "LIBRARY_PATH=$W/lib" -- gcc main.o -lf -o prog
	again miss --env "LIBRARY_PATH=$W/other"
}

# bats test_tags=check
@test "link: LD_RUN_PATH, GNUTARGET, COLLECT_NO_DEMANGLE" {
	objects
	gcc -shared -fPIC f.c -o libf.so
	differential --env LD_RUN_PATH=/one -- gcc main.o -L. -lf -o prog
	again miss --env LD_RUN_PATH=/two
	readelf -d "$ROOT/r/warm.tree/prog" | grep -q /two
	differential -- gcc main.o f.o -o prog
	again any --status any --env GNUTARGET=elf32-i386
	put u.cc 'namespace n { int f(int); } int main() { return n::f(1); }'
	g++ -c u.cc
	differential --cold any --status 1 -- g++ u.o -o prog
	again any --status 1 --env COLLECT_NO_DEMANGLE=1
}

@test "link: the output was there, hard-linked, a link, read-only" {
	objects
	put prog old
	ln prog other
	differential --fresh -- gcc main.o f.o -o prog
	rm prog other
	put target old
	ln -s target prog
	differential --fresh --cold any --warm hit -- gcc main.o f.o -o prog
	rm prog
	put prog old
	chmod 444 prog
	differential --fresh --cold any --warm bypass:replay -- gcc main.o f.o -o prog
}

@test "link: a torch-like command, compile and link with libraries by -l" {
	put f.c 'int f(void) { return 0; }'
	mkdir lib
	gcc -shared -fPIC f.c -o lib/libf.so
	put k.cpp 'extern "C" int f(); extern "C" void kernel(float *p, long n) {' \
		'#pragma omp parallel for' 'for (long i = 0; i < n; i++) p[i] *= 2; }'
	differential --makes k.so -- \
		g++ k.cpp -O3 -DNDEBUG -fno-trapping-math -shared -fPIC -Wall -std=c++17 \
		-fopenmp -march=native -o k.so -lf -lgomp -L"$W/lib"
}

@test "link: the linker's plugin and lto-wrapper are found through -B" {
	objects
	mkdir tools
	cp "$(command -v ld)" tools/ld
	differential -- gcc -B"$W/tools/" main.o f.o -o prog
	cp "$(command -v ld)" tools/ld
	printf x >>tools/ld
	again miss
}

# ld removes its output before it reads anything, and then finds the new one as an input.
@test "link: the linker looks for a file where the output goes" {
	objects
	mkdir other
	echo 'int f(void) { return 3; }' | gcc -shared -fPIC -x c - -o other/libf.so
	link() { echo "$LINKER -shared f.o -L$1 -Lother -lf -o $2"; }
	for LINKER in ld.bfd 'gcc -nostdlib'; do
		differential -- $(link . one.so)
		again hit -- $(link . two.so)
		again miss -- $(link . libf.so)
		differential -- $(link . libf.so) -z now
		again miss -- $(link . one.so) -z now
	done
	LINKER=ld.bfd
	# Through a link, what it finds is an input that is too new.
	ln -s . same
	differential -- $(link same one.so)
	again unstored -- $(link same libf.so)
	echo 'INPUT(main.o) INPUT(f.o)' >inputs.ld
	age
	differential -- ld.bfd -r inputs.ld -o one.o
	again miss --fresh -- ld.bfd -r inputs.ld -o f.o
}
