#!/usr/bin/env bats
# gcc -g in another directory: the recorded object gets the other directory, byte for byte as gcc
# would have written it.

setup() {
	load lib
	load checkouts_lib
	case_setup
	local d
	CHECKOUTS=(one two one-that-is-longer sub/b)
	for d in "${CHECKOUTS[@]}"; do
		put $d/a.c '#include <stdio.h>' '#include "a.h"' '#include "inc/b.h"' \
			'int a(int x) { printf("%d", x); return b(x) + A; }'
		put $d/a.h '#define A 1'
		put $d/inc/b.h 'static inline int b(int x) { return x * 3; }'
		put $d/v.cc '#include <map>' '#include <string>' '#include "a.h"' \
			'static std::map<std::string, int> m;' \
			'int v(std::string s) { return m[s] + A; }'
		put $d/empty.c ''
	done
}
teardown() { case_teardown; }

@test "directory: gcc -g -c" {
	hit_in_all gcc -g -c a.c
}

# bats test_tags=long
@test "directory: options, C++, an empty unit" {
	hit_in_all gcc -g -O2 -c -Iinc -MD -MT a.o -MF a.d a.c -o inc/a.o
	hit_in_all gcc -g3 -O3 -ffunction-sections -fdata-sections -c ./a.c
	hit_in_all gcc -g1 -fPIC -c a.c
	hit_in_all gcc -g -c empty.c
	hit_in_all g++ -g -std=c++17 -O1 -c v.cc
}

# bats test_tags=long
@test "directory: twenty directories, both orders of the two strings" {
	local d n=0 first=0
	differential --cd one -- gcc -g -c a.c
	# Assembly and a link, too: each must be gcc's own.
	differential --cd one -- gcc -g -S a.c -o a.s
	differential --cold any --warm hit --cd one -- gcc -g a.c -shared -o a.so
	for d in a b1 c_2 d-3 e.4 f+5 gggggg hhhhhhh i/i/i j0123456789 k/l mm nnn oooo ppppp q1 r2 \
		s3 t4 u5; do
		mkdir -p $d
		cp -r one/* $d
		again any --cd $d || fail $d
		again hit --cd $d -- gcc -g -S a.c -o a.s || fail $d
		again hit --cd $d -- gcc -g -c a.c || fail $d
		[ "$(readelf -p .debug_line_str "$ROOT/r/warm.tree/$d/a.o" | awk '$2 == "0]" {
			print $3 }')" = a.c ] && first=$((first + 1))
		n=$((n + 1))
	done
	[ $first -gt 0 ] && [ $first -lt $n ] || fail "$first of $n have the name first"
}

# bats test_tags=check
@test "directory: messages and dependency files beside a moved object" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/w.c '#include "a.h"' 'int w(void) { int unused; return A; }'
	done
	hit_in_all gcc -g -Wall -MMD -c w.c
}

# bats test_tags=check
@test "directory: an edited header, a missing one" {
	differential --cd one -- gcc -g -c a.c
	put two/a.h '#define A 2'
	again miss --cd two
	rm one-that-is-longer/a.h
	again any --cd one-that-is-longer --warm any --status 1
	again hit --cd sub/b
}

# bats test_tags=check
@test "directory: assembly" {
	hit_in_all gcc -g -S a.c
	hit_in_all g++ -g -O2 -S v.cc -o v.s
	hit_in_all "$(gcc -print-prog-name=cc1)" -quiet -g -O1 empty.c -o a.s
	hit_in_all gcc -g3 -S empty.c
}

# linked STEPS CMD...: in each checkout, the first of which records. Elsewhere so many compiles are
# hits, each an action of its own, and then the repeated command as a whole.
linked() {
	local steps=$1 d before
	shift
	LAST=("$@")
	[ $# -gt 1 ] || LAST=(sh -c "$1")
	differential --cold any --warm hit --cd "${CHECKOUTS[0]}" -- "${LAST[@]}" || fail "$*"
	for d in "${CHECKOUTS[@]:1}"; do
		before=$(stat_of hits_local)
		again any --cd $d --warm hit || fail "$d: $*"
		[ "$(stat_of hits_local)" = $((before + steps + 1)) ] ||
			fail "$d: $*: hits $before to $(stat_of hits_local)"
	done
	again hit --cd "${CHECKOUTS[0]}"
}

# bats test_tags=check
@test "directory: a link with -g: what compiles is an action of its own" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/m.c '#include <stdio.h>' '#include "a.h"' \
			'int main(void) { return puts("x") < A; }'
		put $d/spelled.c "int main(void) { return \"$W/$d\"[0]; }"
		put $d/h.c "#include \"$W/two/a.h\"" 'int main(void) { return A; }'
	done
	linked 1 gcc -g m.c -o m
	linked 1 gcc -g -O2 -o sub-m m.c -lm
	linked 1 'gcc -g -Wall m.c -o m 2>&1'
	linked 2 gcc -g a.c m.c -o am
	linked 1 g++ -g v.cc -shared -fPIC -o v.so
	linked 0 gcc -g spelled.c -o spelled
	linked 0 gcc -gdwarf-4 m.c -o m4
	linked 0 gcc -g -pipe m.c -o mp
	linked 0 'gcc -g "$PWD/m.c" -o m'
	# A header in the new directory itself.
	differential --cold any --warm hit --cd one -- gcc -g h.c -o h
	again any --warm hit --cd two
	again any --warm hit --cd one-that-is-longer
}

# bats test_tags=check
@test "directory: names that assembly escapes, cuts or repeats" {
	local d long
	long=$(printf '%0210d' 0)
	CHECKOUTS=(one 'sp ace' 'quo"te' 'back\slash' $'\xc3\xa9' "$long" 'a;b#c')
	for d in "${CHECKOUTS[@]:1}"; do
		mkdir "$d"
		cp -a one/* "$d"
	done
	age
	for d in "${CHECKOUTS[@]:1}"; do
		differential --cd one -- gcc -g -S a.c
		again any --cd "$d" --warm hit || fail "$d"
		differential --cold any --warm hit --cd one -- gcc -g a.c -shared -o a.so
		again any --cd "$d" --warm hit || fail "$d"
		rm -r "$STORE"
		# The other way round.
		differential --cd "$d" -- gcc -g -S a.c
		again any --cd two --warm hit || fail "two after $d"
		rm -r "$STORE"
	done
}

# bats test_tags=check
@test "directory: objects that are not moved" {
	local d
	hit_in_own gcc -gdwarf-4 -c a.c
	hit_in_own gcc -gdwarf-4 -S a.c
	for d in "${CHECKOUTS[@]}"; do
		put $d/s.s '.globl s' '.text' 's: ret'
	done
	hit_in_own gcc -g -c s.s
}

# bats test_tags=long
@test "directory: options by which it is not moved" {
	hit_in_own gcc -g -gz -c a.c
	hit_in_own gcc -g -gsplit-dwarf -c a.c
	hit_in_own gcc -g -flto -frandom-seed=1 -c a.c
	hit_in_own gcc -g -fsanitize=address -c a.c
	hit_in_own gcc -g -frecord-gcc-switches -c a.c
}

# bats test_tags=check
@test "directory: lines that gcc writes itself, and assembler text in a source" {
	local d o
	for o in -gno-as-loc-support -gno-as-locview-support; do hit_in_own gcc -g $o -c a.c; done
	hit_in_all gcc -g -gno-column-info -c a.c
	for d in "${CHECKOUTS[@]}"; do
		put $d/l.c 'asm(".data; .long .debug_line_str + 3");' 'int l;'
		put $d/p.c '#define P(a, b) __##a##b' '#define Q P(as, m__)' \
			'void p(void) { Q("nop"); }'
		put $d/h.h 'static inline void h(void) { __asm__("nop"); }'
		put $d/h.c '#include "h.h"' 'int c;'
		put $d/d.c 'void d(void) { A("nop"); }'
		put $d/m.c '#include <stdlib.h>' '#define P(a, b) a##b' \
			'int *m(int n) { return 0; }'
	done
	for d in l.c p.c h.c m.c; do hit_in_own gcc -g -c $d; done
	hit_in_own gcc -g -DA=asm -c d.c
}

# bats test_tags=check
@test "directory: an argument, a text or a variable spells it" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/t.c "const char *t(void) { return \"$W/$d\"; }"
	done
	hit_in_own sh -c 'gcc -g -c "$PWD/a.c"'
	hit_in_own sh -c 'gcc -g "-I$PWD/inc" -c a.c'
	hit_in_own gcc -g -c t.c
	hit_in_own sh -c 'CPATH=$PWD/inc gcc -g -c a.c'
}

# bats test_tags=check
@test "directory: absolute names, and no base directories" {
	local cc
	for cc in gcc 'gcc -g' 'g++ -O2' clang; do
		need ${cc%% *}
		hit_in_own "$cc -I\"\$PWD/inc\" -c \"\$PWD/a.c\" -o a.o"
	done
	export REPRISE_BASE_DIRS="$W/*"
	CHECKOUTS=(one two one-that-is-longer)
	for cc in gcc 'g++ -O2' clang; do
		hit_in_all "$cc -I\"\$PWD/inc\" -c \"\$PWD/a.c\" -o a.o"
	done
}

# bats test_tags=check
@test "directory: a string of the line table begins with the other directory" {
	# gas gives a header in the directory itself the directory's number.
	local d
	for d in "${CHECKOUTS[@]}"; do
		put $d/h.c "#include \"$W/two/inc/b.h\"" "#include \"$W/two/a.h\"" \
			'int h(int x) { return b(x); }'
		put $d/l.c "# 1 \"$W/two/y.c\"" 'int f(void) { return 1; }'
		put $d/m.c "__asm__(\".file 2 \\\"$W/two/zz.c\\\"\\n.loc 2 1 0\\n nop\");" \
			'int f(void) { return 1; }'
	done
	differential --cd one -- gcc -g -c h.c
	again any --warm hit --cd two
	again hit --cd one-that-is-longer
	again hit --cd one
	hit_in_own gcc -g -c l.c
	hit_in_own gcc -g -c m.c
}

# bats test_tags=check
@test "directory: PWD through a link" {
	mkdir links
	ln -s ../one links/one
	ln -s ../two links/two
	differential --cd one -- gcc -g -c a.c
	again hit --cd two
	again any --warm hit -- sh -c 'cd ../links/two && gcc -g -c a.c'
	again any --warm hit -- sh -c 'cd ../links/one && gcc -g -c a.c'
	rm -r "$STORE"
	differential -- sh -c 'cd links/one && gcc -g -c a.c'
	again any --warm hit -- sh -c 'cd links/two && gcc -g -c a.c'
	again any --warm hit -- sh -c 'cd two && gcc -g -c a.c'
}

# bats test_tags=check
@test "directory: verified hits of another directory agree" {
	local d
	differential --cd one -- gcc -g -c a.c
	for d in two one-that-is-longer; do
		(cd $d && under env REPRISE_VERIFY=100 gcc -g -c a.c && mv a.o ours.o)
		(cd $d && gcc -g -c a.c && cmp a.o ours.o) || fail "$d: another object"
	done
	[ "$(stat_of errors)" = 0 ]
	[ "$(stat_of verified)" -ge 2 ] || fail "verified: $(stat_of verified)"
}

# bats test_tags=long
@test "directory: answers of programs about themselves are the same in each directory" {
	local c
	for c in 'gcc --version' 'gcc -v' 'gcc -print-search-dirs' 'gcc -print-file-name=libc.so' \
		'gcc -print-prog-name=as -dumpmachine' 'g++ -print-sysroot' 'ld --help' 'ld -v'; do
		differential --cd one -- $c
		again hit --cd one-that-is-longer
	done
	# gcc is found by a relative path.
	mkdir bin one/bin
	ln -s "$(readlink -f "$(command -v gcc)")" bin/gcc
	cp -P bin/gcc one/bin
	differential --cold any --warm any --cd one -- ../bin/gcc -print-search-dirs
	again any --cd sub/b --warm any --status 127
	again any --cd two --warm any
	differential --cold any --warm any --cd one -- bin/gcc -print-search-dirs
}
