#!/usr/bin/env bats
# Options and outputs of clang that gcc does not have.

setup() {
	load lib
	case_setup
	need clang
	source_with_header 'int a(int x) { return x + A; }'
}
teardown() { case_teardown; }

@test "clang: -c, -S, -E, -fsyntax-only" {
	differential --makes a.o -- clang -O2 -c a.c
	differential --makes a.s -- clang -S a.c
	differential -- clang -E a.c
	differential -- clang -fsyntax-only -Wall a.c
}

@test "clang: an edit of a header" {
	differential -- clang -c a.c
	put a.h '#define A 2'
	again miss:input
}

# bats test_tags=check
@test "clang: clang++, versions, links" {
	put b.cc '#include <string>' 'std::string s() { return "x"; }'
	differential --makes b.o -- clang++ -c b.cc
	local v
	mkdir bin
	ln -s "$(command -v clang)" bin/clang++
	differential --cold any --warm hit --makes b.o -- bin/clang++ -c b.cc
	put c.c 'int v;'
	v=$(clang -dumpversion)
	need "clang-${v%%.*}"
	differential --cold any --warm hit -- "clang-${v%%.*}" -c c.c
}

# bats test_tags=check
@test "clang: compile and link, link alone, lld" {
	put m.c 'int main(void) { return 0; }'
	differential --makes prog -- clang m.c -o prog
	clang -c m.c
	differential --makes prog -- clang m.o -o prog
	need ld.lld
	differential --makes prog -- clang -fuse-ld=lld m.o -o prog
}

@test "clang: writes over an existing output by rename" {
	put a.o old
	ln a.o other
	differential --fresh -- clang -c a.c
}

# bats test_tags=check
@test "clang: -emit-llvm" {
	differential --makes a.bc -- clang -emit-llvm -c a.c
	differential --makes a.ll -- clang -emit-llvm -S a.c
}

@test "clang: -MJ, --serialize-diagnostics, -ftime-trace, -save-temps" {
	put a.c '#include "a.h"' '#warning x' 'int a;'
	differential --makes "a.o a.json" -- clang -MJ a.json -c a.c
	differential --makes "a.o a.dia" -- clang --serialize-diagnostics a.dia -c a.c
	differential --cold any --ignore '*.json' --makes a.json -- clang -ftime-trace -c a.c
	differential --cold any --ignore '*.bc' --makes a.i -- clang -save-temps -c a.c
}

@test "clang: several sources, -x none" {
	put b.c 'int b;'
	put noext 'int n;'
	differential --makes "a.o b.o" -- clang -c a.c b.c
	differential --makes "noext.o b.o" -- clang -c -x c noext -x none b.c
}

@test "clang: modules" {
	put inc/module.modulemap 'module M { header "m.h" export * }'
	put inc/m.h '#define M 5' 'int from_m(void);'
	put u.c '#include <m.h>' 'int u(void) { return M + from_m(); }'
	differential --cold any --ignore 'cache *.pcm *.timestamp' -- \
		clang -fmodules -fmodules-cache-path=cache -Iinc -c u.c
	put inc/m.h '#define M 6' 'int from_m(void);'
	again any
}

@test "clang: VFS overlay" {
	put real.h '#define A 4'
	put vfs.yaml "{ 'version': 0, 'roots': [" \
		"{ 'name': '$W/virt', 'type': 'directory', 'contents': [" \
		"{ 'name': 'a.h', 'type': 'file', 'external-contents': '$W/real.h' } ] } ] }"
	differential -- clang -ivfsoverlay vfs.yaml -Ivirt -I"$W/virt" -c a.c
	put vfs2 x
	put real2.h '#define A 44'
	rm a.h
	again any
	sed -i s/real.h/real2.h/ vfs.yaml
	again miss
}

# bats test_tags=check
@test "clang: files that a VFS overlay leads to" {
	rm a.h
	put real.h '#define A 4'
	put vfs.yaml "{ 'version': 0, 'roots': [" \
		"{ 'name': '$W/virt', 'type': 'directory', 'contents': [" \
		"{ 'name': 'a.h', 'type': 'file', 'external-contents': '$W/real.h' } ] } ] }"
	differential -- clang -ivfsoverlay vfs.yaml -I"$W/virt" -c a.c
	put real.h '#define A 44'
	again miss
}

@test "clang: sanitizer ignore lists" {
	put ig.txt 'fun:a'
	differential -- clang -fsanitize=address -fsanitize-ignorelist=ig.txt -c a.c
	put ig.txt 'fun:b'
	again miss
}

# bats test_tags=check
@test "clang: modules that are validated once a build session" {
	put inc/module.modulemap 'module M { header "m.h" export * }'
	put inc/m.h '#define M 5' 'int from_m(void);'
	put u.c '#include <m.h>' 'int u(void) { return M + from_m(); }'
	put session ''
	local c=(clang -fmodules -fmodules-cache-path=cache -fbuild-session-file=session
		-fmodules-validate-once-per-build-session -Iinc -c u.c)
	"${c[@]}" -o /dev/null
	differential --fresh --cold any --ignore 'cache *.timestamp' -- "${c[@]}"
	# As long as the session's file is old, the module may be used as it was.
	put inc/m.h '#define M 6' 'int from_m(void);'
	again any
	touch -d '+1 hour' session
	again any
}

@test "clang: -Xarch_host" {
	put c.c 'int x = X;'
	differential -- clang -Xarch_host -DX=1 -c c.c
	again miss -- clang -Xarch_host -DX=2 -c c.c
}

@test "clang: a default config file appears and changes" {
	mkdir bin cfg
	ln -s "$(readlink -f "$(command -v clang)")" bin/x86_64-linux-gnu-clang
	put c.c '#ifndef X' '#define X 0' '#endif' 'int x = X;'
	differential -- bin/x86_64-linux-gnu-clang --config-user-dir="$W/cfg" -c c.c
	cp "$ROOT/r/warm.tree/c.o" "$ROOT/without"
	# The spelling depends on the version: the program's name, or the full name of the target.
	config() {
		local n
		for n in x86_64-linux-gnu x86_64-pc-linux-gnu x86_64-unknown-linux-gnu; do
			put "cfg/$n-clang.cfg" "$1"
		done
	}
	config -DX=1
	again any
	! cmp -s "$ROOT/without" "$ROOT/r/warm.tree/c.o" || fail "this clang reads no such file"
	config -DX=2
	again any
}

# bats test_tags=check
@test "clang: --config" {
	put my.cfg '-DX=1'
	put c.c 'int x = X;'
	differential -- clang --config "$W/my.cfg" -c c.c
	put my.cfg '-DX=2'
	again miss
	put my.cfg '-DX=2 -march=native'
	again miss
}

@test "clang: CCC_OVERRIDE_OPTIONS" {
	differential -- clang -O0 -S a.c
	again miss --env "CCC_OVERRIDE_OPTIONS=# x-O0 +-O2"
	again hit --env "CCC_OVERRIDE_OPTIONS=# x-O0 +-O2"
	again hit --env ""
}

@test "clang: -cc1 by hand" {
	differential --makes a.o -- clang -cc1 -triple x86_64-pc-linux-gnu -emit-obj a.c -o a.o
	put a.h '#define A 9'
	again miss
}

# bats test_tags=check
@test "clang: -funique-internal-linkage-names depends on the source's path" {
	put one/s.c 'static int s(void) { return 1; } int (*p)(void) = s;'
	mkdir two
	cp one/s.c two
	differential --makes s.o -- clang -funique-internal-linkage-names -c one/s.c -o s.o
	again miss -- clang -funique-internal-linkage-names -c two/s.c -o s.o
	differential --cold any --cd one -- clang -funique-internal-linkage-names -c s.c
	again any --cd two
}

@test "clang: colours by -Xclang" {
	put a.c 'int f(void) { int unused; return 0; }'
	differential -- clang -Wall -Xclang -fcolor-diagnostics -c a.c
	differential -- clang -Wall -fcolor-diagnostics -c a.c
	differential -- clang -Wall -fno-color-diagnostics -c a.c
}

@test "clang: a failing compile" {
	put a.c 'int f( {'
	differential --cold unstored:failed --status 1 -- clang -c a.c
}

@test "clang: names made from the inode of the source" {
	put o.c 'void f(int *p) {' '#pragma omp target' 'p[0] = 1; }'
	differential --cold unstored:output -- clang -fopenmp -c o.c
	differential -- clang -fopenmp -c a.c
}

@test "clang: __TIME__ is not kept" {
	put a.c 'const char t[] = __TIME__;'
	differential --ignore a.o --cold unstored:time -- clang -c a.c
}

@test "clang: plugins and resource directory" {
	differential --cold any -- clang -print-resource-dir
	differential --cold any -- clang -resource-dir "$(clang -print-resource-dir)" -c a.c
}

@test "clang: options that CCC_OVERRIDE_OPTIONS adds" {
	mkdir one two
	put s.c 'int f(void) { return 1; }'
	cp s.c one/
	mv s.c two/
	differential --cold any --env CCC_OVERRIDE_OPTIONS='# +-g' --cd one -- clang -c s.c
	again any --cd two
	differential --cold any --env CCC_OVERRIDE_OPTIONS='# +-march=native' --cd one -- \
		clang -c s.c
}

@test "clang: a precompiled header by any name holds the times of its sources" {
	local h
	put foo.h 'int p;'
	put a.cc 'int q;'
	for h in stdafx dir.gch/c++; do
		mkdir -p "$(dirname $h)"
		clang++ -x c++-header foo.h -o $h
		differential --cold any --makes a.o -- clang++ -include-pch $h -c a.cc
		touch -d "2020-01-0${#h}" foo.h
		again any --status 1
	done
}
