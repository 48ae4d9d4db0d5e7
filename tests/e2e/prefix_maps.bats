#!/usr/bin/env bats
# Prefix maps: with them plain compilers write the same in two checkouts. One compile serves both.

setup() {
	load lib
	load checkouts_lib
	case_setup
	local d
	# Checkouts of two lengths, and two of one length.
	CHECKOUTS=(checkout_one checkout_two checkout-is-longer)
	for d in "${CHECKOUTS[@]}"; do
		put $d/src/a.c '#include <assert.h>' '#include "a.h"' '#include "b.h"' \
			'const char *f(void) { return __FILE__; }' \
			'int a(int x) { assert(x); return b(x) + A; }'
		put $d/src/b.h '#include <stdio.h>' \
			'static inline int b(int x) { puts(__FILE__); return x * 3; }'
		put $d/include/a.h '#define A 1' 'static inline int c(int x) { return x + 2; }'
		put $d/src/p.c '#include "a.h"' 'int p(int x) { return c(x) + A; }'
		put $d/src/p.cc '#include "a.h"' '#include <vector>' \
			'int p(std::vector<int> x) { return c(x[0]) + A; }'
		mkdir $d/build
	done
}
teardown() { case_teardown; }

@test "prefix_maps: gcc -g, relative and absolute names" {
	hit_in_all 'gcc -g "-ffile-prefix-map=$PWD=." -Iinclude -c src/a.c'
	hit_in_all 'gcc -g "-ffile-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/a.c"'
}

# bats test_tags=long
@test "prefix_maps: gcc: each kind of map and of debug information" {
	local o
	for o in -g1 -g3 -gdwarf-4 '-g3 -gdwarf-2' '-O2 -g -S'; do
		hit_in_all "gcc $o \"-ffile-prefix-map=\$PWD=/usr/src/x\" \"-I\$PWD/include\" \
			-c \"\$PWD/src/a.c\" -o x.out"
	done
	hit_in_all 'gcc -g "-fdebug-prefix-map=$PWD=." -Iinclude -c src/a.c -o "$PWD/build/a.o"'
	hit_in_all 'gcc -g "-fdebug-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/p.c"'
	hit_in_all 'gcc -g "-fdebug-prefix-map=$PWD=x" "-fmacro-prefix-map=$PWD=y" -Iinclude \
		-c "$PWD/src/a.c"'
	hit_in_all 'gcc -O2 "-fmacro-prefix-map=$PWD/=" "-I$PWD/include" -c "$PWD/src/a.c"'
	hit_in_all 'g++ -g "-ffile-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/p.cc"'
	hit_in_all 'gcc -g -MD -MF a.d "-ffile-prefix-map=$PWD=." "-I$PWD/include" \
		-c "$PWD/src/a.c"'
	hit_in_all 'gcc -g -shared -fPIC "-ffile-prefix-map=$PWD=." "-I$PWD/include" "$PWD/src/a.c"'
}

# bats test_tags=check
@test "prefix_maps: gcc: the working directory is below the mapped one" {
	hit_in_all 'cd build && gcc -g "-ffile-prefix-map=${PWD%/build}=." -I../include \
		-c ../src/a.c'
	hit_in_all 'cd build && gcc -g "-ffile-prefix-map=${PWD%/build}/=" -I../include \
		-c ../src/a.c'
	# A second build directory below the mapped directory.
	cp -r checkout_one/build checkout_one/other
	differential --cd checkout_one/build -- gcc -g "-ffile-prefix-map=$W/checkout_one=." \
		-I../include -c ../src/p.c -o p.o
	again miss --cd checkout_one/other
}

# bats test_tags=check
@test "prefix_maps: clang -g" {
	need clang
	hit_in_all 'clang -g "-ffile-prefix-map=$PWD=." -Iinclude -c src/a.c'
	hit_in_all 'clang -g "-ffile-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/p.c"'
	hit_in_all 'clang -g -fdebug-compilation-dir=. -Iinclude -c src/a.c'
}

# bats test_tags=long
@test "prefix_maps: clang: kinds of map" {
	need clang
	hit_in_all 'clang -g -ffile-compilation-dir=/x -Iinclude -c src/a.c'
	hit_in_all 'clang -g -fdebug-compilation-dir . -Iinclude -c src/a.c'
	hit_in_all 'clang -g -gdwarf-4 "-fdebug-prefix-map=$PWD=/src" "-I$PWD/include" \
		-c "$PWD/src/p.c"'
	hit_in_all 'clang -g -fdebug-compilation-dir=. "-ffile-prefix-map=$PWD/=" "-I$PWD/include" \
		-c "$PWD/src/p.c"'
	# Maps do not change the place of a lambda.
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/src/l.cc 'template <class T>' \
			'const char *n(T) { return __PRETTY_FUNCTION__; }' \
			'const char *f() { return n([] {}); }'
	done
	hit_in_own 'clang++ "-ffile-prefix-map=$PWD=." -c "$PWD/src/l.cc"'
	hit_in_own 'clang -g -fdebug-compilation-dir=. "-I$PWD/include" -c "$PWD/src/p.c"'
}

# bats test_tags=check
@test "prefix_maps: what a map does not hide" {
	differential --cd checkout_one -- sh -c \
		'gcc -g "-fmacro-prefix-map=$PWD=." -Iinclude -c src/a.c'
	# Where the two strings have one order, they are exchanged.
	again any --warm hit --cd checkout_two
	again miss --cd checkout-is-longer
	hit_in_own 'gcc "-ffile-prefix-map=$PWD=." "-DP=\"$PWD\"" -Iinclude -c src/a.c'
}

# bats test_tags=long
@test "prefix_maps: what other maps do not hide" {
	hit_in_own 'gcc -g "-fdebug-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/a.c"'
	# The working directory's own name does not begin with the mapped name and a slash.
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD/=" -Iinclude -c src/a.c'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD/src=." -Iinclude -c "$PWD/src/a.c"'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." -gz -Iinclude -c src/a.c'
	hit_in_own 'gcc -E "-ffile-prefix-map=$PWD=." -Iinclude "$PWD/src/a.c" -o a.i'
}

# bats test_tags=long
@test "prefix_maps: several directories" {
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." "-ffile-prefix-map=$PWD/src=s" -Iinclude \
		-c "$PWD/src/a.c"'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD/src=s" "-ffile-prefix-map=$PWD=." -Iinclude \
		-c "$PWD/src/a.c"'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=$PWD/x" -Iinclude -c "$PWD/src/a.c"'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=" -Iinclude -c "$PWD/src/a.c"'
}

# bats test_tags=check
@test "prefix_maps: assembler text that names a file of another checkout" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/s.s '.text' ".file 1 \"$W/checkout_two/x.c\"" 's: .loc 1 1 0' 'ret'
	done
	hit_in_own 'gcc "-ffile-prefix-map=$PWD=." -c s.s'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." -c s.s'
}

# beside: a directory whose name begins with that of the second checkout.
beside() {
	put checkout_two-beside/h.h 'static inline int h(int x) { return x + 7; }'
}

# bats test_tags=check
@test "prefix_maps: a header in a directory whose name begins alike: an option names it" {
	beside
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/src/h.c '#include "h.h"' 'int f(int x) { return h(x); }'
	done
	differential --cd checkout_one -- sh -c 'gcc -g "-ffile-prefix-map=$PWD=." \
		-I../checkout_two-beside "-I${PWD%/*}/checkout_two-beside" -c src/h.c'
	again any --warm hit --cd checkout-is-longer
	again any --warm hit --cd checkout_two
}

# bats test_tags=check
@test "prefix_maps: such a header, named by a text or a variable" {
	beside
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/src/t.c "#include \"$W/checkout_two-beside/h.h\"" \
			'int f(int x) { return h(x); }'
		put $d/src/v.c '#include <h.h>' 'int f(int x) { return h(x); }'
	done
	differential --cd checkout_one -- sh -c 'gcc -g "-ffile-prefix-map=$PWD=." -c src/t.c'
	again hit --cd checkout-is-longer
	again miss --cd checkout_two
	again hit --cd checkout_one
	differential --cd checkout_one -- sh -c 'CPATH=${PWD%/*}/checkout_two-beside \
		gcc -g "-ffile-prefix-map=$PWD=." -c src/v.c'
	again hit --cd checkout-is-longer
	again miss --cd checkout_two
	# Recorded where it is mapped.
	differential --cd checkout_two -- sh -c 'gcc -O1 -g "-ffile-prefix-map=$PWD=." -c src/t.c'
	again miss --cd checkout_one
}

# bats test_tags=long
@test "prefix_maps: a text that gives itself a name" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/src/l.c "# 1 \"$W/checkout_two/y.c\"" 'int f(void) { return 1; }'
		put $d/src/m.c "#define N \"$W/checkout_two/y.c\"" '#line 1 N' \
			'int f(void) { return 1; }'
		put $d/src/r.c '#line 7 "r.y"' 'int f(void) { return 1; }'
	done
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." -c src/l.c'
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." -c src/m.c'
	hit_in_all 'gcc -g "-ffile-prefix-map=$PWD=." -c src/r.c'
}

# bats test_tags=check
@test "prefix_maps: PWD through a link" {
	local d E2E_FURTHER= # each checkout has a link of its own
	mkdir links
	for d in "${CHECKOUTS[@]}"; do ln -s "../$d" links/$d; done
	# gcc writes the directory that PWD spells. No map covers it.
	hit_in_own 'cd "${PWD%/*}/links/${PWD##*/}" && gcc -g "-ffile-prefix-map=$(pwd -P)=." \
		-Iinclude -c src/a.c'
	# A header spells the directory.
	for d in "${CHECKOUTS[@]}"; do
		put $d/include/a.h "#define A (sizeof \"$W/$d\")" 'int c(int);'
	done
	hit_in_own 'gcc -g "-ffile-prefix-map=$PWD=." -Iinclude -c src/p.c'
}
