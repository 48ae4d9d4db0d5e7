#!/usr/bin/env bats
# gcc -g in another directory: the recorded object gets the other directory, byte for byte as gcc
# would have written it.

setup() {
	load lib
	load names_table
	case_setup
	put a.c '#include <stdio.h>' '#include "a.h"' '#include "inc/b.h"' \
		'int a(int x) { printf("%d", x); return b(x) + A; }'
	put a.h '#define A 1'
	put inc/b.h 'static inline int b(int x) { return x * 3; }'
	put v.cc '#include <map>' '#include <string>' '#include "a.h"' \
		'static std::map<std::string, int> m;' \
		'int v(std::string s) { return m[s] + A; }'
	put empty.c ''
}
teardown() { case_teardown; }

@test "directory: gcc -g -c" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	all  | gcc -g -c a.c
	END
}

# bats test_tags=long
@test "directory: options, C++, an empty unit" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	all  | gcc -g -O2 -c -Iinc -MD -MT a.o -MF a.d a.c -o inc/a.o
	all  | gcc -g3 -O3 -ffunction-sections -fdata-sections -c ./a.c
	all  | gcc -g1 -fPIC -c a.c
	all  | gcc -g -c empty.c
	all  | g++ -g -std=c++17 -O1 -c v.cc
	END
}

# gcc writes two strings in either order.
# bats test_tags=long
@test "directory: twenty directories, assembly and a link, too" {
	names_table <<-'END'
	in   | one a b1 c_2 d-3 e.4 f+5 gggggg hhhhhhh i/i/i j0123456789 k/l mm nnn oooo ppppp q1 \
		r2 s3 t4 u5
	all  | gcc -g -c a.c
	all  | gcc -g -S a.c -o a.s
	any  | gcc -g a.c -shared -o a.so
	END
}

# bats test_tags=long
@test "directory: messages, dependency files, assembly" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	w.c  | #include "a.h"\nint w(void) { int unused; return A; }
	all  | gcc -g -Wall -MMD -c w.c
	all  | gcc -g -S a.c
	all  | g++ -g -O2 -S v.cc -o v.s
	all  | $(gcc -print-prog-name=cc1) -quiet -g -O1 empty.c -o a.s
	all  | gcc -g3 -S empty.c
	END
}

# bats test_tags=long
@test "directory: an edited header, a missing one" {
	names_table <<-'END'
	in      | one two one-that-is-longer sub/b
	all     | gcc -g -c a.c
	two/a.h | #define A 2
	hit miss any hit | case $PWD in *longer) rm a.h ;; esac; gcc -g -c a.c
	END
}

# bats test_tags=long
@test "directory: a link with -g: what compiles is an action of its own" {
	# h.c names a header in the directory two/ itself.
	names_table <<-'END'
	in   | one two two one-that-is-longer one-that-is-longer sub/b
	m.c  | #include <stdio.h>\n#include "a.h"\nint main(void) { return puts("x") < A; }
	s.c  | int main(void) { return "@DIR@"[0]; }
	h.c  | #include "@C@/two/a.h"\nint main(void) { return A; }
	any part hit part hit part | gcc -g m.c -o m
	any part hit part hit part | gcc -g -O2 -o sub-m m.c -lm
	any part hit part hit part | gcc -g -Wall m.c -o m 2>&1
	any part hit part hit part | gcc -g a.c m.c -o am
	any part hit part hit part | g++ -g v.cc -shared -fPIC -o v.so
	miss miss hit miss hit miss | gcc -g s.c -o spelled
	miss miss hit miss hit miss | gcc -gdwarf-4 m.c -o m4
	miss miss hit miss hit miss | gcc -g -pipe m.c -o mp
	miss miss hit miss hit miss | gcc -g "$PWD/m.c" -o m
	any any hit any hit any | gcc -g h.c -o h
	END
}

# bats test_tags=check
@test "directory: names that assembly escapes, cuts or repeats" {
	local d long
	mkdir one two
	cp -r a.c a.h inc one
	cp -r a.c a.h inc two
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
		# The other way round, for names that assembly escapes.
		[[ $d = *[\"\\]* ]] || continue
		differential --cd "$d" -- gcc -g -S a.c
		again any --cd two --warm hit || fail "two after $d"
		rm -r "$STORE"
	done
}

# bats test_tags=check
@test "directory: objects that are not moved" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	own  | gcc -gdwarf-4 -c a.c
	own  | gcc -gdwarf-4 -S a.c
	s.s  | .globl s\n.text\ns: ret
	own  | gcc -g -c s.s
	END
}

# bats test_tags=long
@test "directory: options by which it is not moved" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	own  | gcc -g -gz -c a.c
	own  | gcc -g -gsplit-dwarf -c a.c
	own  | gcc -g -flto -frandom-seed=1 -c a.c
	own  | gcc -g -fsanitize=address -c a.c
	own  | gcc -g -frecord-gcc-switches -c a.c
	END
}

# bats test_tags=check
@test "directory: lines that gcc writes itself, and assembler text in a source" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	own  | gcc -g -gno-as-loc-support -c a.c
	own  | gcc -g -gno-as-locview-support -c a.c
	all  | gcc -g -gno-column-info -c a.c
	l.c  | asm(".data; .long .debug_line_str + 3");\nint l;
	own  | gcc -g -c l.c
	p.c  | #define P(a, b) __##a##b\n#define Q P(as, m__)\nvoid p(void) { Q("nop"); }
	own  | gcc -g -c p.c
	n.c  | void n(void) { __asm__ volatile ("nop" ::: "memory"); }
	all  | gcc -g -c n.c
	h.h  | static inline void h(void) { __asm__(".byte 1"); }
	h.c  | #include "h.h"\nint c;
	own  | gcc -g -c h.c
	m.c  | #include <stdlib.h>\n#define P(a, b) a##b\nint *m(int n) { return 0; }
	all  | gcc -g -c m.c
	m2.c | #include <stdlib.h>\n#define P(a, b) a##b\nint *m(int as) { return 0; }
	own  | gcc -g -c m2.c
	d.c  | void d(void) { A("nop"); }
	own  | gcc -g -DA=asm -c d.c
	END
}

# bats test_tags=check
@test "directory: an argument, a text or a variable spells it" {
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	t.c  | const char *t(void) { return "@DIR@"; }
	own  | gcc -g -c "$PWD/a.c"
	own  | gcc -g "-I$PWD/inc" -c a.c
	own  | gcc -g -c t.c
	own  | CPATH=$PWD/inc gcc -g -c a.c
	END
}

# bats test_tags=long
@test "directory: absolute names, and base directories" {
	need clang
	names_table <<-'END'
	in   | one two one-that-is-longer sub/b
	own  | gcc -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	own  | gcc -g -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	own  | g++ -O2 -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	own  | clang -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	in   | one two one-that-is-longer
	all  | REPRISE_BASE_DIRS="$C/*" gcc -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	all  | REPRISE_BASE_DIRS="$C/*" g++ -O2 -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	all  | REPRISE_BASE_DIRS="$C/*" clang -I"$PWD/inc" -c "$PWD/a.c" -o a.o
	END
}

# bats test_tags=check
@test "directory: a string of the line table begins with the other directory" {
	put m.c "__asm__(\".file 2 \\\"$ROOT/checkouts/two/zz.c\\\"\\n.loc 2 1 0\\n nop\");" \
		'int f(void) { return 1; }'
	# gas gives a header in the directory itself the directory's number.
	names_table <<-'END'
	in   | one two one-that-is-longer one
	h.c  | #include "@C@/two/inc/b.h"\n#include "@C@/two/a.h"\nint h(int x) { return b(x); }
	miss any hit hit | gcc -g -c h.c
	l.c  | # 1 "@C@/two/y.c"\nint f(void) { return 1; }
	miss miss miss hit | gcc -g -c l.c
	miss miss miss hit | gcc -g -c m.c
	END
}

# bats test_tags=long
@test "directory: PWD through a link" {
	# Recorded without the link, and with it.
	names_table <<-'END'
	in   | one two
	all  | gcc -g -c a.c
	any any | mkdir -p ../l; ln -sfn "$PWD" ../l/; cd "../l/${PWD##*/}" && gcc -g -c a.c
	hit hit | mkdir -p ../l; ln -sfn "$PWD" ../l/; cd "../l/${PWD##*/}" && gcc -g -c a.c
	in   | one two
	any any | mkdir -p ../l; ln -sfn "$PWD" ../l/; cd "../l/${PWD##*/}" && gcc -g -c a.c
	any any | gcc -g -c a.c
	hit hit | gcc -g -c a.c
	END
}

# bats test_tags=long
@test "directory: verified hits of another directory agree" {
	names_table <<-'END'
	in   | one two one-that-is-longer
	any  | REPRISE_VERIFY=100 gcc -g -c a.c
	END
	[ "$(stat_of verified)" -ge 2 ] || fail "verified: $(stat_of verified)"
}

# bats test_tags=long
@test "directory: answers of programs about themselves are the same in each directory" {
	mkdir bin
	ln -s "$(readlink -f "$(command -v gcc)")" bin/gcc
	names_table <<-'END'
	in   | one one-that-is-longer sub/b
	all  | gcc --version
	all  | gcc -v
	all  | gcc -print-search-dirs
	all  | gcc -print-file-name=libc.so
	all  | gcc -print-prog-name=as -dumpmachine
	all  | g++ -print-sysroot
	all  | ld --help
	all  | ld -v
	# gcc is found by a relative path, or is not.
	any  | bin/gcc -print-search-dirs
	any  | ../one/bin/gcc -print-search-dirs
	END
}
