#!/usr/bin/env bats
# Names that change from run to run, and names that reach the output unseen. Each case was a wrong
# replay in an earlier build.

setup() {
	load lib
	load names_lib
	load names_table
	names_setup
}
teardown() { case_teardown; }

@test "names: a directory /tmp/sm_80 beside -arch=sm_80" {
	# As a prefix of an argument's value the name must stay: -Dsm_80 is not a path.
	put "$TMPDIR/sm_80/a.c" 'int v = sm_80;'
	put "$TMPDIR/sm_90/a.c" 'int v = sm_80;'
	put run.sh 'gcc -Dsm_80=80 -Darch=sm_80 -c "$TMPDIR/sm_80/a.c" -o a.o'
	age
	under sh run.sh
	mv a.o first.o
	under gcc -Dsm_80=90 -Darch=sm_80 -c "$TMPDIR/sm_80/a.c" -o a.o
	gcc -Dsm_80=90 -Darch=sm_80 -c "$TMPDIR/sm_80/a.c" -o want.o
	cmp a.o want.o
	! cmp -s a.o first.o || fail "both names give the same bytes"
	rm -r "$TMPDIR"/sm_*
}

# bats test_tags=check
@test "names: ptxas: a directory /tmp/sm_80 beside -arch=sm_80" {
	load ptxas
	need_ptxas
	local p=${PTXAS[0]}
	local d
	for d in sm_80 sm_75 tmpsm_80abcd; do
		put "$TMPDIR/$d/k.ptx" '.version 7.0' '.target sm_75' '.address_size 64' \
			'.visible .entry k() { ret; }'
	done
	age
	under "$p" -arch=sm_80 "$TMPDIR/sm_80/k.ptx" -o one.o
	under "$p" -arch=sm_75 "$TMPDIR/sm_75/k.ptx" -o two.o
	"$p" -arch=sm_80 "$TMPDIR/sm_80/k.ptx" -o one.want
	"$p" -arch=sm_75 "$TMPDIR/sm_75/k.ptx" -o two.want
	cmp one.o one.want
	cmp two.o two.want
	rm -r "$TMPDIR"/*sm_*
}

@test "names: what asks for a generated name, and what holds it" {
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpbbbbbbbb tmp.cccccccccc
	# Its length, a hash of it, a string, instructions.
	a.c  | int n = sizeof(__FILE__);
	own  | gcc -O2 -c "$PWD/a.c" -o a.o
	a.cc | constexpr unsigned h(const char *s) { unsigned v = 5381; while (*s)\n \
		v = v * 33 + *s++; return v; }\nunsigned id = h(__FILE__);\n \
		template <unsigned> struct X { static int v; };\n \
		template <> int X<h(__FILE__) % 7>::v = 1;
	own  | g++ -O2 -c "$PWD/a.cc" -o a.o
	a.c  | const char *f = __FILE__; const char g[] = "x" __FILE__;
	own  | gcc -O2 -c "$PWD/a.c" -o a.o
	a.c  | void f(char *p) { __builtin_memcpy(p, __FILE__, 16); }\n \
		int g(void) { return __FILE__[12]; }
	own  | gcc -O2 -c "$PWD/a.c" -o a.o
	# A generated name that stands in an input's text.
	a.c  | const char *s = "tmpaaaaaaaa", *t = "tmpbbbbbbbb", *u = __FILE__;
	own  | gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"
	# Messages and dependency files, of any length.
	a.c  | int f(void) { int unused; return 0; }
	all  | gcc -Wall -O2 -c "$PWD/a.c" -o "$PWD/a.o"
	i.h  | #define INC 3
	a.c  | #include "i.h"\nint a = INC;
	all  | gcc -MMD -O2 -c "$PWD/a.c" -o "$PWD/a.o"
	own  | gcc -O2 -flto -frandom-seed=1 -c "$PWD/a.c" -o a.o
	own  | gcc -g -gsplit-dwarf -c a.c
	own  | gcc -shared -fPIC a.c -Wl,--build-id=sha1 "-Wl,-soname,$PWD/liba.so" \
		"-Wl,-rpath,$PWD" -o "$PWD/liba.so"
	END
}

@test "names: what depends on no name is a hit in each random directory" {
	names_table <<-'END'
	in     | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd
	all    | gcc -O3 "$PWD/a.c" -shared -fPIC -o "$PWD/a.so"
	# Triton's launcher: the directory is also an -I and an -L.
	main.c | #include "inc.h"\nint launch(void) { return INC; }
	inc.h  | #define INC 3
	all    | gcc "$PWD/main.c" -O3 -shared -fPIC -Wno-psabi -o "$PWD/main.so" "-L$PWD" "-I$PWD"
	# The content there counts.
	inc.h  | #define INC 4
	all    | gcc "$PWD/main.c" -O3 -shared -fPIC -Wno-psabi -o "$PWD/main.so" "-L$PWD" "-I$PWD"
	END
}

# bats test_tags=check
@test "names: a text takes its own path alone, not a generated directory on the way to none" {
	# As Cython's modules in an isolated build. glibc's header names __has_include in a comment.
	put "$ROOT/src/a.c" '#define _GNU_SOURCE' '#include <sys/stat.h>' '#include <text.h>' \
		'const char *file(int i) { return i ? __FILE__ : text(); }' \
		'int at = sizeof __FILE__;'
	put "$ROOT/src/inc/text.h" \
		'static const char *text(void) { return __FILE__ + sizeof __FILE__ - 20; }'
	names_table <<-'END'
	in         | tmpa1b2c3d4 tmpq9w8e7r6
	inc/none.h | int none;
	all | gcc -O2 -I"$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	all | gcc -g -O2 -fPIC -I"$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	all | gcc -MD -isystem "$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	all | clang -O2 -I"$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	# A comment, as in what cffi generates; not in C90, where it is none.
	inc/b.c | #define A 1 // in some other ffi.include()\nint b;
	all | gcc -O2 -I"$PWD/inc" -c inc/b.c -o b.o
	own | gcc -std=c90 -O2 -I"$PWD/inc" -c inc/b.c -o b.o
	inc/text.h | static const char *text(void) { return __FILE__ + sizeof __FILE__ - 20; }
	own | gcc -O2 -I"$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	own | clang -O2 -I"$PWD/inc" -I"$ROOT/src/inc" -c "$ROOT/src/a.c" -o a.o
	END
}

# The header lies elsewhere, and its macro takes a letter of the source's name.
# bats test_tags=check
@test "names: a header's macro that is spelled in other letters, or that one target has" {
	names_table <<-'END'
	in  | tmpaaaaaaaa tmpbbbbbbbb
	a.c | #include <h.h>\nint g(void) { return W(1)[sizeof(W(1)) - 6]; }
	h.h | #define L __FILE__\n#define W(x /* L */) L\n
	own | gcc -O2 -I"$W" -c "$PWD/a.c" -o a.o
	h.h | #define L __FILE__\n#define W(x /* x */) "a string"\n
	all | gcc -O2 -I"$W" -c "$PWD/a.c" -o a.o
	h.h | #ifdef WIN32\n#define W(x) __FILE__\n#else\n#define W(x) "a string"\n#endif\n
	own | clang --target=x86_64-w64-mingw32 -O2 -I"$W" -c "$PWD/a.c" -o a.o
	a.c | #include <h.h>\nint g(void) { return é[sizeof(é) - 6]; }
	h.h | #define é __FILE__\n
	own | gcc -O2 -I"$W" -c "$PWD/a.c" -o a.o
	END
}

@test "names: the source's directory, spelled in two lengths" {
	names_table <<-'END'
	in     | one
	d/a.c  | int n = sizeof(__FILE__);
	dd/a.c | int n = sizeof(__FILE__);
	miss   | gcc -O2 -c d/a.c
	miss   | gcc -O2 -c dd/a.c
	hit    | gcc -O2 -c d/a.c
	# An ordinary directory below /tmp is ordinary.
	torchinductor_root/f.c | const char *f = __FILE__;
	checkout/f.c           | const char *f = __FILE__;
	miss   | gcc -c "$PWD/torchinductor_root/f.c" -o a.o
	miss   | gcc -c "$PWD/checkout/f.c" -o a.o
	END
}

# bats test_tags=check
@test "names: a cwd whose last letters are a function's name, -g" {
	need clang
	put a.c 'int alpha(int x) { return x; }' 'int beta(int x) { return alpha(x); }'
	names_table <<-'END'
	in   | tmpx_alpha_ tmpxxalpha0 tmpx__alpha tmpx__gamma tmpx__betas
	any  | gcc -g -c a.c
	any  | gcc -g -shared -fPIC a.c -o liba.so
	own  | gcc -gdwarf-4 -c a.c
	own  | gcc -gdwarf-4 -shared -fPIC a.c -o liba.so
	own  | clang -g -gdwarf-4 -shared -fPIC a.c -o liba.so
	END
}

# bats test_tags=check
@test "names: gcc spells a system header by its real path if that is shorter: a name's length" {
	mkdir "$TMPDIR/fifteen_letters" s
	put a.c '#include <h.h>' 'int a(int x) { return x; }'
	echo 'int h;' >"$TMPDIR/fifteen_letters/h.h"
	ln -s "$TMPDIR/fifteen_letters" l
	echo 'int h;' >s/h.h
	export SLASHES=$(printf '/%.0s' $(seq $((${#TMPDIR} + 14))))
	names_table <<-'END'
	in    | pip-install-k3x9q_ab tmp.AbCdEf pip-install-ba_q9x3k tmp.ZyXwVu
	miss miss hit hit | gcc -O1 -MD -MT x -isystem "$PWD/l" -c a.c
	bound | gcc -O1 -MD -MT x -isystem ".${SLASHES}s" -c a.c
	END
}

# bats test_tags=check
@test "names: code for another processor, whose trees hold paths, and the working directory" {
	put a.c 'int a(int *x) {' '#pragma omp target map(tofrom: x[0])' '{ x[0]++; }' \
		'return *x; }'
	gcc -fopenmp -c a.c -o a.o
	grep -q gnu.offload_lto_ a.o || skip "this gcc makes code for no other processor"
	rm a.o
	names_table <<-'END'
	in            | tmpaaaaaaaa tmpzzzzzzzz tmpaaaaaaaa
	miss miss hit | gcc -fopenmp -frandom-seed=1 -c "$PWD/a.c"
	miss miss hit | gcc -fopenmp -frandom-seed=1 -c a.c
	END
}

# bats test_tags=check
@test "names: clang -g divides a path at the working directory: a base directory in pieces" {
	need clang
	mkdir work
	names_table <<-'END'
	in      | checkout-a checkout-z checkout-m
	src/a.c | int a(int x) { return x + 1; }
	own     | d=$PWD; export REPRISE_BASE_DIRS="$d/src:$d/work"; cd work && \
		clang -g -O1 -c "$d/src/a.c" -o a.o
	all     | d=$PWD; export REPRISE_BASE_DIRS="$d/src:$d/work"; cd work && \
		clang -O1 -c "$d/src/a.c" -o b.o
	END
}

@test "names: two names in one command, swapped" {
	local one=$TMPDIR/tmpaaaaaaaa two=$TMPDIR/tmpbbbbbbbb
	put "$one/x.h" 'int first = 1;'
	put "$two/x.h" 'int second = 2;'
	put a.c '#include "x.h"'
	age
	under gcc "-I$one" "-I$two" -c a.c -o 1.o
	under gcc "-I$two" "-I$one" -c a.c -o 2.o
	under gcc "-I$one" "-I$two" -c a.c -o 3.o
	gcc "-I$two" "-I$one" -c a.c -o want.o
	cmp 2.o want.o
	cmp 1.o 3.o
	! cmp -s 1.o 2.o || fail "both orders give the same bytes"
	rm -r "$one" "$two"
}

@test "names: one name used twice is not two names used once" {
	local one=$TMPDIR/tmpaaaaaaaa two=$TMPDIR/tmpbbbbbbbb
	put "$one/a.c" 'int a;'
	put "$two/b.c" 'int b;'
	put "$one/b.c" 'int bb;'
	age
	under gcc -r -nostdlib "$one/a.c" "$two/b.c" -o 1.o
	under gcc -r -nostdlib "$one/a.c" "$one/b.c" -o 2.o
	gcc -r -nostdlib "$one/a.c" "$one/b.c" -o want.o
	cmp 2.o want.o
	rm -r "$one" "$two"
}

@test "names: two names in one command: one differs between two runs, the other does not" {
	put h.cc 'constexpr unsigned h(const char *s, unsigned v = 5381) {' \
		'return *s ? h(s + 1, v * 33 ^ (unsigned char)*s) : v; }' \
		'unsigned id = h(__FILE__);'
	# No object holds the output's name. Any object may hold the source's name.
	names_table <<-'END'
	in   | tmpaaaaaaaa tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpbbbbbbbb
	miss hit miss miss hit | o=$TMPDIR/$(printf 'tmp_%07d' $$); mkdir "$o" && \
		g++ -O2 -c "$PWD/h.cc" -o "$o/a.o" && mv "$o/a.o" . && rmdir "$o"
	END
}

@test "names: REPRISE_TEMP_ROOTS, and a temporary root that is a link" {
	mkdir -p "$ROOT/scratch"
	ln -s "$TMPDIR" "$ROOT/tmplink"
	names_table <<-'END'
	in       | one two
	miss hit | d=$ROOT/scratch/$(printf 'tmp_%07d' $$); mkdir "$d" && cp a.c "$d"; \
		sleep 0.03; REPRISE_TEMP_ROOTS=$ROOT/scratch gcc -O2 -c "$d/a.c" -o "$d/a.o"; \
		mv "$d/a.o" .
	in       | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc
	all      | TMPDIR=$ROOT/tmplink gcc -O2 -c "$ROOT/tmplink/${PWD##*/}/a.c" -o got.o
	END
}

@test "names: checkouts that REPRISE_BASE_DIRS lists share, but for __FILE__ and -g" {
	local B
	for B in one:two:a-third-one out:a-third-one:two:one/:one .:one:two:a-third-one \
		one:one/gen:two:two/gen:a-third-one/gen:a-third-one; do
		export B=$ROOT/checkouts/${B//:/:$ROOT/checkouts/}
		B=${B%/.}
		names_table <<-'END'
		in      | one two a-third-one
		inc/a.h | #define A 4
		gen/b.h | #define B 5
		src/a.c | #include "a.h"\n#include "b.h"\nint a = A + B;
		all     | REPRISE_BASE_DIRS=$B gcc -O1 -I"$PWD/inc" -I"$PWD/gen" \
			-c "$PWD/src/a.c" -o a.o
		all     | d=$PWD; mkdir -p ../out; cd ../out; REPRISE_BASE_DIRS=$B gcc -O2 \
			-I"$d/inc" -I"$d/gen" -c "$d/src/a.c" -o a.o; mv a.o "$d"
		END
	done
	names_table <<-'END'
	in   | one two
	f.c  | const char *f = __FILE__; int n = sizeof __FILE__;
	own  | REPRISE_BASE_DIRS=$C/one:$C/two gcc -g -O2 -c "$PWD/f.c" -o f.o
	END
}

@test "names: REPRISE_BASE_DIRS lists both checkouts, and a start names both" {
	# The other order is the same action, with other files.
	names_table <<-'END'
	in      | x
	one/a.h | #define A 4
	two/a.h | #define A 4
	two/a.c | #include <a.h>\nint a = A;
	miss    | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/one" -I"$PWD/two" -c two/a.c
	any     | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/two" -I"$PWD/one" -c two/a.c
	two/a.h | #define A 5
	miss    | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/two" -I"$PWD/one" -c two/a.c
	hit     | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/one" -I"$PWD/two" -c two/a.c
	one/b.h | #define B 1
	one/b.c | #if __has_include(<b.h>)\nint b = 1;\n#else\nint b = 2;\n#endif
	two/b.c | #if __has_include(<b.h>)\nint b = 1;\n#else\nint b = 2;\n#endif
	miss    | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/two" -c "$PWD/two/b.c"
	miss:input | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/one" -c "$PWD/one/b.c"
	hit     | REPRISE_BASE_DIRS=$C/x/one:$C/x/two gcc -I"$PWD/two" -c "$PWD/two/b.c"
	END
}

@test "names: a base directory that only the working directory shows" {
	# The header is found by its absolute name, below the base. A source spells two/.
	names_table <<-'END'
	in   | co1 checkout2 co3
	a.h  | #define A 4
	a.c  | #include "a.h"\nint a = A;
	any  | REPRISE_BASE_DIRS=$PWD gcc -g -c a.c -o a.o
	own  | REPRISE_BASE_DIRS=$PWD gcc -g -I"$PWD" -c a.c -o a.o
	all  | REPRISE_BASE_DIRS=$PWD gcc -O2 -c a.c -o a.o
	all  | REPRISE_BASE_DIRS=$PWD gcc -O2 -I"$PWD" -c a.c -o a.o
	in   | one two six ten
	a.c  | const char *other = "@C@/two/x", *f = __FILE__;
	own  | REPRISE_BASE_DIRS=$PWD gcc -c "$PWD/a.c" -o a.o
	w.c  | #warning @C@/two/x\nint v;
	all  | REPRISE_BASE_DIRS=$PWD gcc -c "$PWD/w.c" -o w.o
	END
}

@test "names: a file below a base directory that no argument names" {
	mkdir "$ROOT/one" "$ROOT/other"
	put "$ROOT/one/n.h" 'int n = 1;'
	put "$ROOT/other/n.h" 'int n = 1;'
	put a.c "#include \"$ROOT/one/n.h\""
	differential --env "REPRISE_BASE_DIRS=$ROOT/one" -- gcc -c a.c -o a.o
	put "$ROOT/one/n.h" 'int n = 2;'
	again miss --env "REPRISE_BASE_DIRS=$ROOT/other"
}

# bats test_tags=check
@test "names: outputs and archives under random names, new or added to" {
	put b.c 'int b(int x) { return x + 2; }'
	gcc -O2 -c a.c -o x.o
	gcc -O2 -c b.c -o y.o
	ar rcsD y.a y.o
	names_table <<-'END'
	in           | out000p1 out000q2 out000r3
	any          | o=$TMPDIR/tmp${PWD##*/}.o; gcc -O2 -c a.c -o "$o" && mv "$o" a.o
	miss hit hit | o=$TMPDIR/tmp${PWD##*/}.a; ar rcsD "$o" x.o && mv "$o" a.a
	any          | o=$TMPDIR/tmp${PWD##*/}.a; cp y.a "$o"; sleep 0.03; ar rcsD "$o" x.o && \
		mv "$o" a.a
	END
}
