#!/usr/bin/env bats
# CMake's compiles when it configures: random names of directories and targets, in several build
# directories.

DIRS='b1/CMakeFiles/CMakeScratch/TryCompile-aB3dEf b1/CMakeFiles/CMakeScratch/TryCompile-Zy9xWv
b2-longer/CMakeFiles/CMakeScratch/TryCompile-00aa11 b2-longer/test/CMakeFiles/CMakeTmp'

setup() {
	load lib
	case_setup
	local d n=0
	for d in $DIRS; do
		n=$((n + 1))
		put $d/target "cmTC_0${n}a$n$n"
		put $d/src.c '#include <stdio.h>' 'int main(void) { return puts("x") < 0; }'
		put $d/name.c '#define S(x) #x' 'int main(void) { return sizeof S(TARGET) < 5; }'
		put $d/file.c 'const char *f(void) { return __FILE__; }' \
			'int main(void) { return 0; }'
		mkdir -p "$d/CMakeFiles/$(<"$d/target").dir"
		gcc -c $d/src.c -o "$d/CMakeFiles/$(<"$d/target").dir/main.c.o"
	done
}
teardown() { case_teardown; }

# tries EXPECT WORDS: recorded in the first directory; each other one EXPECTs.
tries() {
	local d first=1
	for d in $DIRS; do
		if [ $first = 1 ]; then
			differential --cd $d --filter 's,/tmp/cc[A-Za-z0-9]*,TEMPORARY,g' -- \
				sh -c "t=\$(cat target); $2" || fail "$d: $2"
		else
			again $1 --cd $d || fail "$d: $2"
		fi
		first=0
	done
}

@test "try_compile: a compile and a link" {
	tries hit 'cc -DX=1 -o CMakeFiles/$t.dir/src.c.o -c "$PWD/src.c"'
	tries hit 'cc -rdynamic CMakeFiles/$t.dir/main.c.o -o $t'
}

# bats test_tags=long
@test "try_compile: -v, as CMake asks for the ABI" {
	tries hit 'cc -v -o CMakeFiles/$t.dir/src.c.o -c "$PWD/src.c"'
	tries hit 'cc -v CMakeFiles/$t.dir/main.c.o -o $t'
	tries hit 'cc -v -Wl,-v CMakeFiles/$t.dir/main.c.o -o $t'
	tries hit 'cc -v -MD -MT CMakeFiles/$t.dir/src.c.o -MF CMakeFiles/$t.dir/src.c.o.d \
		-o CMakeFiles/$t.dir/src.c.o -c src.c'
}

# bats test_tags=long
@test "try_compile: other linkers by -fuse-ld" {
	local ld
	for ld in gold lld bfd; do
		need ld.$ld
		tries hit "cc -fuse-ld=$ld -v -Wl,-v CMakeFiles/\$t.dir/main.c.o -o \$t"
	done
	tries hit "cc -fuse-ld=lld CMakeFiles/\$t.dir/main.c.o -Wl,--build-id=sha1 -o \$t"
	tries miss "cc -fuse-ld=gold CMakeFiles/\$t.dir/main.c.o -Wl,-Map=map -o \$t"
}

# bats test_tags=long
@test "try_compile: clang" {
	need clang
	tries hit 'clang -o CMakeFiles/$t.dir/src.c.o -c "$PWD/src.c"'
	tries miss 'clang -v -o CMakeFiles/$t.dir/src.c.o -c "$PWD/src.c"'
}

# bats test_tags=check
@test "try_compile: a source that asks for its name, or an option that spells the target" {
	tries miss 'cc -o CMakeFiles/$t.dir/src.c.o -c "$PWD/file.c"'
	tries miss 'cc -DTARGET=$t -o CMakeFiles/$t.dir/src.c.o -c "$PWD/name.c"'
	tries miss 'cc -DTARGET=\"$t\" -o CMakeFiles/$t.dir/src.c.o -c "$PWD/name.c"'
	tries hit 'cc -D${t}_EXPORTS -DT=\"$t\" -o CMakeFiles/$t.dir/src.c.o -c "$PWD/src.c"'
	tries miss 'cc -Wl,-soname,$t CMakeFiles/$t.dir/main.c.o -shared -o $t'
}

# bats test_tags=check
@test "try_compile: cmake itself, in a second build directory" {
	need cmake
	put p/CMakeLists.txt 'cmake_minimum_required(VERSION 3.10)' 'project(p C)' \
		'include(CheckCSourceCompiles)' 'include(CheckSymbolExists)' \
		'check_c_source_compiles("int main(void) { return 0; }" HAS_MAIN)' \
		'check_symbol_exists(puts stdio.h HAS_PUTS)'
	under cmake -S p -B one >/dev/null
	under cmake -S p -B one-more >/dev/null
	local hits misses
	hits=$(stat_of hits_local)
	misses=$(stat_of misses)
	under cmake -S p -B third >/dev/null
	hits=$(($(stat_of hits_local) - hits))
	misses=$(($(stat_of misses) - misses))
	[ $hits -ge 6 ] && [ $misses -le 1 ] || fail "$hits hits, $misses misses"
	cmake -S p -B plain >/dev/null
	diff <(grep HAS_ plain/CMakeCache.txt) <(grep HAS_ third/CMakeCache.txt)
	diff plain/CMakeFiles/[0-9]*/CMakeCCompiler.cmake \
		third/CMakeFiles/[0-9]*/CMakeCCompiler.cmake
}
