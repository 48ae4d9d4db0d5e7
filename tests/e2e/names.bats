#!/usr/bin/env bats
# Names that change from run to run, and names that reach the output unseen. Each case was a wrong
# replay in an earlier build.

setup() {
	load lib
	load names_lib
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

@test "names: sizeof(__FILE__)" {
	put a.c 'int n = sizeof(__FILE__);'
	in_temp tmpaaaaaaaa sh -c 'gcc -O2 -c "$PWD/a.c" -o a.o'
	in_temp tmpbbbbbbbb sh -c 'gcc -O2 -c "$PWD/a.c" -o a.o'
	in_temp tmp.cccccccccc sh -c 'gcc -O2 -c "$PWD/a.c" -o a.o'
	mkdir d dd
	cp a.c d
	cp a.c dd
	differential -- gcc -O2 -c d/a.c
	again miss -- gcc -O2 -c dd/a.c
	! cmp -s "$ROOT/r/warm.tree/a.o" /dev/null || fail "the object is empty"
}

@test "names: a constexpr hash of __FILE__" {
	put a.cc 'constexpr unsigned h(const char *s) { unsigned v = 5381;' \
		'while (*s) v = v * 33 + *s++; return v; }' \
		'unsigned id = h(__FILE__);' 'template <unsigned> struct X { static int v; };' \
		'template <> int X<h(__FILE__) % 7>::v = 1;'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpaaaaaaaa tmpdddddddd; do
		in_temp $d sh -c 'g++ -O2 -c "$PWD/a.cc" -o a.o'
	done
}

@test "names: __FILE__ in a string" {
	put a.c 'const char *f = __FILE__; const char g[] = "x" __FILE__;'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -O2 -c "$PWD/a.c" -o a.o'
	done
}

@test "names: memcpy of __FILE__, cut into instructions" {
	put a.c 'void f(char *p) { __builtin_memcpy(p, __FILE__, 16); }' \
		'int g(void) { return __FILE__[12]; }'
	local d
	for d in tmpaaaaaaaa tmpabababab tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -O2 -c "$PWD/a.c" -o a.o'
	done
}

# bats test_tags=check
@test "names: a cwd whose last letters are a function's name, -g" {
	put a.c 'int alpha(int x) { return x; }' 'int beta(int x) { return alpha(x); }'
	local d o
	for o in "-g" "-g -gdwarf-4"; do
		for d in tmpx_alpha_ tmpxxalpha0 tmpx_gamma_ tmpx__alpha tmpx__gamma tmpx__betas; do
			in_temp $d gcc $o -c a.c
			in_temp $d gcc $o -shared -fPIC a.c -o liba.so
		done
	done
}

# bats test_tags=check
@test "names: gcc spells a system header by its real path if that is shorter: a name's length" {
	local d slashes
	mkdir "$TMPDIR/fifteen_letters" s
	put a.c '#include <h.h>' 'int a(int x) { return x; }'
	echo 'int h;' >"$TMPDIR/fifteen_letters/h.h"
	ln -s "$TMPDIR/fifteen_letters" l
	echo 'int h;' >s/h.h
	slashes=$(printf '/%.0s' $(seq $((${#TMPDIR} + 14))))
	for d in pip-install-k3x9q_ab tmp.AbCdEf pip-install-ba_q9x3k tmp.ZyXwVu; do
		in_temp $d sh -c 'gcc -O1 -MD -MT x -isystem "$PWD/l" -c a.c'
		in_temp $d gcc -O1 -MD -MT x -isystem ".${slashes}s" -c a.c
	done
	[ "$(stat_of misses) $(hits)" = "6 2" ] || fail "misses $(stat_of misses), hits $(hits)"
}

# bats test_tags=check
@test "names: code for another processor, whose trees hold paths, and the working directory" {
	local d
	put a.c 'int a(int *x) {' '#pragma omp target map(tofrom: x[0])' '{ x[0]++; }' \
		'return *x; }'
	gcc -fopenmp -c a.c -o a.o
	grep -q gnu.offload_lto_ a.o || skip "this gcc makes code for no other processor"
	rm a.o
	for d in tmpaaaaaaaa tmpzzzzzzzz tmpaaaaaaaa; do
		in_temp $d sh -c 'gcc -fopenmp -frandom-seed=1 -c "$PWD/a.c"'
		in_temp $d gcc -fopenmp -frandom-seed=1 -c a.c
	done
	[ "$(stat_of misses) $(hits)" = "4 2" ] || fail "misses $(stat_of misses), hits $(hits)"
}

# bats test_tags=check
@test "names: clang -g divides a path at the working directory: a base directory in pieces" {
	need clang
	local d
	mkdir src work
	mv a.c src
	for d in checkout-a checkout-z checkout-m checkout-a; do
		export REPRISE_BASE_DIRS="$TMPDIR/$d/src:$TMPDIR/$d/work"
		in_temp $d sh -c 'd=$PWD; cd work && clang -g -O1 -c "$d/src/a.c" -o a.o &&
			clang -O1 -c "$d/src/a.c" -o b.o'
	done
	[ "$(hits)" = 4 ] || fail "hits $(hits)" # all of -O1, and -g in the last
}

# bats test_tags=check
@test "names: clang: a cwd whose last letters are a function's name, -g" {
	need clang
	put a.c 'int alpha(int x) { return x; }' 'int beta(int x) { return alpha(x); }'
	local d
	for d in tmpx__alpha tmpx__gamma tmpx__betas tmpx__delta; do
		in_temp $d clang -g -gdwarf-4 -shared -fPIC a.c -o liba.so
	done
}

@test "names: split DWARF in random directories" {
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d gcc -g -gsplit-dwarf -c a.c
	done
}

@test "names: random directories: one compile, then hits" {
	local d n=0
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -O3 "$PWD/a.c" -shared -fPIC -o "$PWD/a.so"'
	done
	[ "$(stat_of misses)" = 1 ] || fail "$(stat_of misses) compiles in four random directories"
	[ "$(hits)" = 3 ]
}

@test "names: Triton's launcher: random directory, also an -I" {
	put main.c '#include "inc.h"' 'int launch(void) { return INC; }'
	put inc.h '#define INC 3'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d sh -c 'gcc "$PWD/main.c" -O3 -shared -fPIC -Wno-psabi \
			-o "$PWD/main.so" "-L$PWD" "-I$PWD"'
	done
	[ "$(stat_of misses) $(hits)" = "1 2" ] || fail "misses $(stat_of misses), hits $(hits)"
}

@test "names: the content in the random directory counts" {
	in_temp tmpaaaaaaaa sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	in_temp tmpbbbbbbbb sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	put a.c 'int a(int x) { return x + 2; }'
	in_temp tmpcccccccc sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	in_temp tmpdddddddd sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	[ "$(stat_of errors)" = 0 ]
}

@test "names: diagnostics contain the name of this start, of any length" {
	put a.c 'int f(void) { int unused; return 0; }'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmp.cccccccccc tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -Wall -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	done
}

@test "names: a dependency file contains the name of this start" {
	put inc.h '#define INC 3'
	put a.c '#include "inc.h"' 'int a = INC;'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -MMD -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
		grep -q "$d/inc.h" "$ROOT/last/a.d"
	done
}

@test "names: a generated name that stands in an input's text" {
	put a.c 'const char *s = "tmpaaaaaaaa"; const char *t = "tmpbbbbbbbb";' \
		'const char *u = __FILE__;'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc tmpdddddddd; do
		in_temp $d sh -c 'gcc -O2 -c "$PWD/a.c" -o "$PWD/a.o"'
	done
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

@test "names: an ordinary directory below /tmp is ordinary" {
	mkdir torchinductor_root checkout
	put torchinductor_root/a.c 'const char *f = __FILE__;'
	put checkout/a.c 'const char *f = __FILE__;'
	differential -- gcc -c "$W/torchinductor_root/a.c" -o a.o
	again miss -- gcc -c "$W/checkout/a.c" -o a.o
}

@test "names: REPRISE_TEMP_ROOTS" {
	mkdir -p "$ROOT/scratch"
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		cp -a "$W" "$ROOT/scratch/$d"
		age
		under env "REPRISE_TEMP_ROOTS=$ROOT/scratch" gcc -O2 -c "$ROOT/scratch/$d/a.c" \
			-o "$ROOT/scratch/$d/a.o"
		gcc -O2 -c "$ROOT/scratch/$d/a.c" -o want.o
		cmp "$ROOT/scratch/$d/a.o" want.o
	done
	[ "$(hits)" = 2 ] || fail "hits $(hits)"
}

@test "names: REPRISE_BASE_DIRS: two checkouts share, __FILE__ and -g do not" {
	local b=$ROOT/one:$ROOT/two d
	put src/a.c '#include "a.h"' 'int a = A;'
	put src/a.h '#define A 4'
	for d in one two; do cp -a "$W" "$ROOT/$d"; done
	age
	for d in one two; do
		(
			cd "$ROOT/$d" && under env "REPRISE_BASE_DIRS=$b" gcc -O2 "-I$ROOT/$d/src" \
				-c "$ROOT/$d/src/a.c" -o "$ROOT/$d/a.o"
		)
	done
	cmp "$ROOT/one/a.o" "$ROOT/two/a.o"
	[ "$(hits)" = 1 ] || fail "hits $(hits)"
	for d in one two; do
		put "$ROOT/$d/f.c" 'const char *f = __FILE__; int n = sizeof __FILE__;'
	done
	age
	for d in one two one two; do
		(
			cd "$ROOT/$d" && under env "REPRISE_BASE_DIRS=$b" gcc -g \
				-O2 -c "$ROOT/$d/f.c" -o f.o &&
				gcc -g -O2 -c "$ROOT/$d/f.c" -o want.o && cmp f.o want.o
		)
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "names: REPRISE_BASE_DIRS lists all checkouts, and they share" {
	local d b expect n=0
	for d in one two a-third-one; do
		put "$d/inc/a.h" '#define A 4'
		put "$d/gen/b.h" '#define B 5'
		put "$d/src/a.c" '#include "a.h"' '#include "b.h"' 'int a = A + B + N;'
	done
	mkdir out
	for b in "$W/one:$W/two:$W/a-third-one" "$W/out:$W/a-third-one:$W/two:$W/one/:$W/one" \
		"$W/one:$W/one/gen:$W/two:$W/two/gen:$W/a-third-one/gen:$W/a-third-one" \
		"$W:$W/one:$W/two:$W/a-third-one"; do
		expect=stored
		n=$((n + 1))
		for d in one two a-third-one; do
			differential --cold $expect --cd "$d" --env "REPRISE_BASE_DIRS=$b" -- \
				gcc -O1 -DN=$n -I"$W/$d/inc" -I"$W/$d/gen" -c "$W/$d/src/a.c" -o a.o
			differential --cold $expect --cd out --env "REPRISE_BASE_DIRS=$b" -- \
				gcc -O2 -DN=$n -I"$W/$d/inc" -I"$W/$d/gen" -c "$W/$d/src/a.c" -o a.o
			expect=hit
		done
	done
}

@test "names: REPRISE_BASE_DIRS lists both checkouts, and a start names both" {
	local b="$W/one:$W/two" d
	for d in one two; do
		put "$d/a.h" '#define A 4'
		put "$d/a.c" '#include <a.h>' 'int a = A;'
	done
	differential --env "REPRISE_BASE_DIRS=$b" -- gcc -I"$W/one" -I"$W/two" -c two/a.c -o a.o
	# The other order is the same action, with other files.
	differential --cold any --env "REPRISE_BASE_DIRS=$b" -- \
		gcc -I"$W/two" -I"$W/one" -c two/a.c -o a.o
	put two/a.h '#define A 5'
	again miss
	differential --cold hit --env "REPRISE_BASE_DIRS=$b" -- \
		gcc -I"$W/one" -I"$W/two" -c two/a.c -o a.o
	put one/b.h '#define B 1'
	put two/b.c '#if __has_include(<b.h>)' 'int b = 1;' '#else' 'int b = 2;' '#endif'
	cp two/b.c one/b.c
	differential --env "REPRISE_BASE_DIRS=$b" -- gcc -I"$W/two" -c "$W/two/b.c" -o b.o
	differential --cold miss:input --env "REPRISE_BASE_DIRS=$b" -- \
		gcc -I"$W/one" -c "$W/one/b.c" -o b.o
	differential --cold hit --env "REPRISE_BASE_DIRS=$b" -- \
		gcc -I"$W/two" -c "$W/two/b.c" -o b.o
}

@test "names: a base directory that only the working directory shows" {
	local d
	put a.h '#define A 4'
	put a.c '#include "a.h"' 'int a = A;'
	for d in co1 checkout2 co3 co1; do
		[ -d "$ROOT/$d" ] || cp -a "$W" "$ROOT/$d"
		age
		(cd "$ROOT/$d" && for g in -g -O2; do
			under env "REPRISE_BASE_DIRS=$ROOT/$d" gcc $g -c a.c -o a.o &&
				gcc $g -c a.c -o want.o && cmp a.o want.o || exit 1
			# The header is found by its absolute name, below the base.
			under env "REPRISE_BASE_DIRS=$ROOT/$d" gcc $g -I"$ROOT/$d" -c a.c -o a.o &&
				gcc $g -I"$ROOT/$d" -c a.c -o want.o &&
				cmp a.o want.o || exit 1
		done) || fail "$d"
	done
	# A result that does not depend on the directory is shared at once.
	[ "$(hits)" -ge 5 ] || fail "$(hits) hits"
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

@test "names: two names in one command: one differs between two runs, the other does not" {
	local a=$TMPDIR/tmpaaaaaaaa b=$TMPDIR/tmpbbbbbbbb c=$TMPDIR/tmpcccccccc i=0 d
	mkdir "$a" "$b" "$c"
	put h.cc 'constexpr unsigned h(const char *s, unsigned v = 5381) {' \
		'return *s ? h(s + 1, v * 33 ^ (unsigned char)*s) : v; }' \
		'unsigned id = h(__FILE__);'
	for d in "$a" "$b" "$c"; do cp -a h.cc "$d/"; done
	age
	for d in "$a" "$a" "$a" "$b" "$c" "$b" "$b"; do
		i=$((i + 1))
		mkdir "$TMPDIR/tmpout0000$i"
		under g++ -O2 -c "$d/h.cc" -o "$TMPDIR/tmpout0000$i/a.o"
		g++ -O2 -c "$d/h.cc" -o want.o
		cmp "$TMPDIR/tmpout0000$i/a.o" want.o || fail "run $i"
	done
	# No object holds the output's name. Any object may hold the source's name.
	[ "$(hits)" = 4 ] || fail "$(hits) hits"
}

@test "names: a source that spells one of its checkouts" {
	local d
	put a.c "const char *other = \"$ROOT/two/x\", *f = __FILE__;"
	put w.c "#warning $ROOT/two/x" 'int v;'
	for d in one two six ten; do cp -a "$W" "$ROOT/$d"; done
	age
	for d in one two six ten; do
		(cd "$ROOT/$d" && for s in a w; do
			under env "REPRISE_BASE_DIRS=$ROOT/$d" gcc -c "$ROOT/$d/$s.c" -o $s.o 2>ours
			gcc -c "$ROOT/$d/$s.c" -o want.o 2>theirs
			cmp $s.o want.o && cmp ours theirs || exit 1
		done) || fail "$d"
	done
	# The source spells two/. The first two other checkouts show that the name is free.
	[ "$(hits)" -ge 1 ] || fail "no hit"
}

@test "names: outputs under random names" {
	local n
	for n in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		under gcc -O2 -c a.c -o "$TMPDIR/$n.o"
		gcc -O2 -c a.c -o want.o
		cmp "$TMPDIR/$n.o" want.o
		rm "$TMPDIR/$n.o"
	done
	[ "$(stat_of errors)" = 0 ]
	[ "$(stat_of misses)" -le 2 ]
}

@test "names: an archive under random names, new or added to" {
	local n
	put b.c 'int b(int x) { return x + 2; }'
	gcc -O2 -c a.c b.c
	age
	for n in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		under ar rcsD "$TMPDIR/$n.a" a.o
		rm -f want.a
		ar rcsD want.a a.o
		cmp "$TMPDIR/$n.a" want.a
		rm "$TMPDIR/$n.a"
	done
	[ "$(hits)" -ge 1 ]
	for n in tmpdddddddd tmpaaaaaaaa; do
		ar rcsD "$TMPDIR/$n.a" b.o
		cp "$TMPDIR/$n.a" want.a
		age
		under ar rcsD "$TMPDIR/$n.a" a.o
		ar rcsD want.a a.o
		cmp "$TMPDIR/$n.a" want.a
		rm "$TMPDIR/$n.a"
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "names: a soname and a build id that hold a random name" {
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d sh -c 'gcc -shared -fPIC a.c -Wl,--build-id=sha1 \
			"-Wl,-soname,$PWD/liba.so" "-Wl,-rpath,$PWD" -o "$PWD/liba.so"'
	done
}

@test "names: LTO and -frandom-seed with random names" {
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d sh -c 'gcc -O2 -flto -frandom-seed=1 -c "$PWD/a.c" -o a.o'
	done
}

@test "names: a temporary root that is a link" {
	ln -s "$TMPDIR" "$ROOT/tmplink"
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		mkdir "$TMPDIR/$d"
		cp a.c "$TMPDIR/$d"
		age
		under env "TMPDIR=$ROOT/tmplink" gcc -O2 -c "$ROOT/tmplink/$d/a.c" -o got.o
		gcc -O2 -c "$ROOT/tmplink/$d/a.c" -o want.o
		cmp got.o want.o
		rm -r "${TMPDIR:?}/$d"
	done
	[ "$(stat_of errors)" = 0 ]
}
