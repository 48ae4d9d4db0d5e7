#!/usr/bin/env bats
# Prefix maps: with them plain compilers write the same in two checkouts. One compile serves both.

setup() {
	load lib
	load names_table
	case_setup
	put src/a.c '#include <assert.h>' '#include "a.h"' '#include "b.h"' \
		'const char *f(void) { return __FILE__; }' \
		'int a(int x) { assert(x); return b(x) + A; }'
	put src/b.h '#include <stdio.h>' \
		'static inline int b(int x) { puts(__FILE__); return x * 3; }'
	put include/a.h '#define A 1' 'static inline int c(int x) { return x + 2; }'
	put src/p.c '#include "a.h"' 'int p(int x) { return c(x) + A; }'
	put src/p.cc '#include "a.h"' '#include <vector>' \
		'int p(std::vector<int> x) { return c(x[0]) + A; }'
	mkdir build
	# Checkouts of two lengths, and two of one length. M: a map of the directory.
	export M='-ffile-prefix-map'
}
teardown() { case_teardown; }

@test "prefix_maps: gcc -g, relative and absolute names" {
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	all  | gcc -g "$M=$PWD=." -Iinclude -c src/a.c
	all  | gcc -g "$M=$PWD=." "-I$PWD/include" -c "$PWD/src/a.c"
	END
}

# bats test_tags=long
@test "prefix_maps: gcc: each kind of map and of debug information" {
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	all  | gcc -g1 "$M=$PWD=/usr/src/x" "-I$PWD/include" -c "$PWD/src/a.c" -o x.out
	all  | gcc -g3 "$M=$PWD=/usr/src/x" "-I$PWD/include" -c "$PWD/src/a.c" -o x.out
	all  | gcc -gdwarf-4 "$M=$PWD=/usr/src/x" "-I$PWD/include" -c "$PWD/src/a.c" -o x.out
	all  | gcc -g3 -gdwarf-2 "$M=$PWD=/usr/src/x" "-I$PWD/include" -c "$PWD/src/a.c" -o x.out
	all  | gcc -O2 -g -S "$M=$PWD=/usr/src/x" "-I$PWD/include" -c "$PWD/src/a.c" -o x.out
	all  | gcc -g "-fdebug-prefix-map=$PWD=." -Iinclude -c src/a.c -o "$PWD/build/a.o"
	all  | gcc -g "-fdebug-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/p.c"
	all  | gcc -g "-fdebug-prefix-map=$PWD=x" "-fmacro-prefix-map=$PWD=y" -Iinclude \
		-c "$PWD/src/a.c"
	all  | gcc -O2 "-fmacro-prefix-map=$PWD/=" "-I$PWD/include" -c "$PWD/src/a.c"
	all  | g++ -g "$M=$PWD=." "-I$PWD/include" -c "$PWD/src/p.cc"
	all  | gcc -g -MD -MF a.d "$M=$PWD=." "-I$PWD/include" -c "$PWD/src/a.c"
	all  | gcc -g -shared -fPIC "$M=$PWD=." "-I$PWD/include" "$PWD/src/a.c"
	END
}

# bats test_tags=check
@test "prefix_maps: gcc: the working directory is below the mapped one" {
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	all  | cd build && gcc -g "$M=${PWD%/build}=." -I../include -c ../src/a.c
	all  | cd build && gcc -g "$M=${PWD%/build}/=" -I../include -c ../src/a.c
	# A second build directory below the mapped directory.
	in   | checkout_one
	miss | cd build && gcc -g "$M=${PWD%/build}=." -I../include -c ../src/p.c -o p.o
	miss | mkdir -p other && cd other && gcc -g "$M=${PWD%/other}=." -I../include \
		-c ../src/p.c -o p.o
	END
}

# bats test_tags=check
@test "prefix_maps: clang -g" {
	need clang
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	all  | clang -g "$M=$PWD=." -Iinclude -c src/a.c
	all  | clang -g "$M=$PWD=." "-I$PWD/include" -c "$PWD/src/p.c"
	all  | clang -g -fdebug-compilation-dir=. -Iinclude -c src/a.c
	END
}

# bats test_tags=long
@test "prefix_maps: clang: kinds of map" {
	need clang
	# Maps do not change the place of a lambda.
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	all  | clang -g -ffile-compilation-dir=/x -Iinclude -c src/a.c
	all  | clang -g -fdebug-compilation-dir . -Iinclude -c src/a.c
	all  | clang -g -gdwarf-4 "-fdebug-prefix-map=$PWD=/src" "-I$PWD/include" -c "$PWD/src/p.c"
	all  | clang -g -fdebug-compilation-dir=. "$M=$PWD/=" "-I$PWD/include" -c "$PWD/src/p.c"
	src/l.cc | template <class T>\nconst char *n(T) { return __PRETTY_FUNCTION__; }\n \
		const char *f() { return n([] {}); }
	own  | clang++ "$M=$PWD=." -c "$PWD/src/l.cc"
	own  | clang -g -fdebug-compilation-dir=. "-I$PWD/include" -c "$PWD/src/p.c"
	END
}

# bats test_tags=check
@test "prefix_maps: what a map does not hide" {
	# Where the two strings have one order, they are exchanged.
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	miss any miss | gcc -g "-fmacro-prefix-map=$PWD=." -Iinclude -c src/a.c
	own  | gcc "$M=$PWD=." "-DP=\"$PWD\"" -Iinclude -c src/a.c
	END
}

# bats test_tags=long
@test "prefix_maps: what other maps do not hide" {
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	own  | gcc -g "-fdebug-prefix-map=$PWD=." "-I$PWD/include" -c "$PWD/src/a.c"
	# The working directory's own name does not begin with the mapped name and a slash.
	own  | gcc -g "$M=$PWD/=" -Iinclude -c src/a.c
	own  | gcc -g "$M=$PWD/src=." -Iinclude -c "$PWD/src/a.c"
	own  | gcc -g "$M=$PWD=." -gz -Iinclude -c src/a.c
	own  | gcc -E "$M=$PWD=." -Iinclude "$PWD/src/a.c" -o a.i
	# Several directories.
	own  | gcc -g "$M=$PWD=." "$M=$PWD/src=s" -Iinclude -c "$PWD/src/a.c"
	own  | gcc -g "$M=$PWD/src=s" "$M=$PWD=." -Iinclude -c "$PWD/src/a.c"
	own  | gcc -g "$M=$PWD=$PWD/x" -Iinclude -c "$PWD/src/a.c"
	own  | gcc -g "$M=$PWD=" -Iinclude -c "$PWD/src/a.c"
	END
}

# bats test_tags=check
@test "prefix_maps: two directories" {
	local name
	for name in _one _two -is-longer _two-more; do
		put "$ROOT/checkouts/env$name/h.h" '#include <stddef.h>' \
			'static inline int h(int x) { return x + 7; }'
	done
	put src/h.c '#include "h.h"' 'const char *f(int x) { return h(x) ? __FILE__ : ""; }'
	put src/t.c '#include "h.h"' "#include \"$ROOT/checkouts/env_two-more/h.h\"" \
		'int g;'
	sed -i 's/inline/inline __attribute__((unused))/; s/h(int/i(int/' \
		"$ROOT/checkouts/env_two-more/h.h"
	# B: a directory beside the checkout, with the end of its name.
	export BESIDE='B=$C/env${PWD##*checkout}'
	names_table <<-'END'
	in   | checkout_one checkout-is-longer checkout_two
	all  | eval "$BESIDE"; gcc "$M=$PWD=." "$M=$B/=/env/" "-I$B" -c "$PWD/src/h.c"
	all  | eval "$BESIDE"; gcc -g "$M=$PWD=." "$M=$B=." "-I$B" -c src/h.c
	all  | eval "$BESIDE"; cd build; gcc -g3 -gdwarf-4 "$M=$B=/env" "$M=${PWD%/*}=." \
		"-I$B" -c ../src/h.c
	all  | eval "$BESIDE"; gcc -g -fPIC -shared "$M=$PWD=." "$M=$B=." "-I$B" src/h.c
	# The letters of a directory that is mapped in one checkout alone.
	miss hit miss | eval "$BESIDE"; gcc -g "$M=$PWD=." "$M=$B=." "-I$B" -c src/t.c
	own  | eval "$BESIDE"; gcc -g "$M=$PWD=." "-fdebug-prefix-map=$B=." "-I$B" -c src/h.c
	own  | eval "$BESIDE"; gcc -g "$M=$PWD=$B/x" "$M=$B=." "-I$B" -c src/h.c
	own  | gcc -g "$M=$PWD=." "$M=$PWD-more=x" "-I$C/env_one" -c src/h.c
	END
}

# The name of a header's directory differs, and the mapped one stays.
# bats test_tags=check
@test "prefix_maps: in another start a header lies in the mapped directory" {
	local one two e
	one=$(temp_name) two=$(temp_name)
	put s.c '#include "y/x/f.h"' 'int s(int x) { return f(x); }'
	for e in "$one" "$two"; do
		put "$e/y/x/f.h" 'static int __attribute__((noinline)) f(int x) { return x * x; }'
	done
	age
	for e in "$one" "$two" "$one" "$two"; do
		gcc -g "$M=$two/y=." -I"$e" -c s.c -o want.o
		under gcc -g "$M=$two/y=." -I"$e" -c s.c
		cmp s.o want.o || fail "$e"
	done
}

# bats test_tags=check
@test "prefix_maps: assembler text that names a file of another checkout" {
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	s.s  | .text\n.file 1 "@C@/checkout_two/x.c"\ns: .loc 1 1 0\nret
	own  | gcc "$M=$PWD=." -c s.s
	own  | gcc -g "$M=$PWD=." -c s.s
	END
}

# A header in a directory whose name begins with that of the second checkout.
# bats test_tags=check
@test "prefix_maps: a header in a directory whose name begins alike: what names it" {
	put "$ROOT/checkouts/checkout_two-beside/h.h" 'static inline int h(int x) { return x + 7; }'
	put src/h.c '#include "h.h"' 'int f(int x) { return h(x); }'
	put src/t.c "#include \"$ROOT/checkouts/checkout_two-beside/h.h\"" \
		'int f(int x) { return h(x); }'
	names_table <<-'END'
	# Recorded where it is not mapped, and where it is.
	in   | checkout_one checkout-is-longer checkout_two
	any  | gcc -g "$M=$PWD=." -I../checkout_two-beside "-I$C/checkout_two-beside" -c src/h.c
	miss hit miss | gcc -g "$M=$PWD=." -c src/t.c
	miss hit miss | CPATH=$C/checkout_two-beside gcc -g "$M=$PWD=." -c src/h.c
	in   | checkout_two checkout_one
	own  | gcc -O1 -g "$M=$PWD=." -c src/t.c
	END
}

# bats test_tags=long
@test "prefix_maps: a text that gives itself a name" {
	names_table <<-'END'
	in      | checkout_one checkout_two checkout-is-longer
	src/l.c | # 1 "@C@/checkout_two/y.c"\nint f(void) { return 1; }
	src/m.c | #define N "@C@/checkout_two/y.c"\n#line 1 N\nint f(void) { return 1; }
	src/r.c | #line 7 "r.y"\nint f(void) { return 1; }
	own     | gcc -g "$M=$PWD=." -c src/l.c
	own     | gcc -g "$M=$PWD=." -c src/m.c
	all     | gcc -g "$M=$PWD=." -c src/r.c
	END
}

# bats test_tags=long
@test "prefix_maps: PWD through a link, and a header that spells the directory" {
	# gcc writes the directory that PWD spells. No map covers it.
	names_table <<-'END'
	in   | checkout_one checkout_two checkout-is-longer
	own  | mkdir -p ../links; ln -sfn "$PWD" ../links/l-"${PWD##*/}"; \
		cd ../links/l-"${PWD##*/}"; gcc -g "$M=$(pwd -P)=." -Iinclude -c src/a.c
	include/a.h | #define A (sizeof "@DIR@")\nint c(int);
	own  | gcc -g "$M=$PWD=." -Iinclude -c src/p.c
	END
}
