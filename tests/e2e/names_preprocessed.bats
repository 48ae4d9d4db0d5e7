#!/usr/bin/env bats
# Names in text that was only preprocessed. docs/internals/names.md says when one run is enough.

setup() {
	load lib
	load names_lib
	load names_table
	names_setup
}
teardown() { case_teardown; }

@test "names_preprocessed: one run is enough where no name is seen" {
	export K='-D A=1 -O3 -g1 -fno-math-errno -march=native -fPIC -Wall -std=c++20 -pedantic'
	# As Inductor asks, from the directory and from one inside.
	mkdir build
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb
	h.hpp | #include <stddef.h>\nsize_t x;
	all   | g++ "$PWD/h.hpp" $K -fopenmp -I/usr/include -E -P -o "$PWD/h.i"
	h.hpp | #include <stddef.h>\nsize_t y;
	all   | g++ "$PWD/h.hpp" $K -fopenmp -I/usr/include -E -P -o "$PWD/h.i"
	all   | d=$PWD; cd build && g++ "$d/h.hpp" -g1 -std=c++20 -E -P -o "$d/h.i"
	a.h   | #if __INCLUDE_LEVEL__ < 3\n#include __FILE__\n#endif\nint level = __INCLUDE_LEVEL__;
	all   | gcc -x c -E -P "$PWD/a.h" -o a.i
	END
}

@test "names_preprocessed: in another working directory" {
	names_table <<-'END'
	in      | one a-much-longer-two
	a.c     | #include "h.h"\n#include <i.h>\nconst char *f = __FILE__, *h = H, *i = I;
	h.h     | #define H __FILE__
	inc/i.h | #define I __FILE__
	all     | gcc -E -Iinc a.c
	all     | gcc -E -P -isystem inc a.c -o a.i
	bad.c   | #include "none.h"
	all     | gcc -E bad.c >bad.i
	# The text spells the directory, or a name of a header that depends on its length.
	any     | gcc -E -g -Iinc a.c
	any     | gcc -E -fworking-directory -Iinc a.c
	any     | gcc -E -ggdb -Iinc a.c
	any     | gcc -E -save-temps -Iinc a.c
	any     | gcc -E -isystem ././././././inc -Iinc a.c
	any     | gcc -E -isystem ../one/./././././inc -Iinc a.c
	any     | gcc -E -isystem inc/../../one/inc -Iinc a.c
	any     | gcc -E -I $C/one/inc -Iinc a.c
	END
}

# bats test_tags=check
@test "names_preprocessed: what holds a name, what asks for it, and what compares it" {
	need clang
	put "$ROOT/inc/b.h" "# 30 \"$TMPDIR/tmpbbbbbbbb/a.h\" 2" 'int line = __LINE__;'
	names_table <<-'END'
	in    | tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc
	# clang asks for directories itself.
	c.h   | #if __has_include("missing/x.h")\nint yes;\n#endif\nint x;
	bound | clang -x c -E -P "$PWD/c.h" -o "$PWD/c.i"
	# A name in the text, in a line marker, in a warning.
	in    | tmpaaaaaaaa tmpbbbbbbbb
	a.h   | const char *f = __FILE__;
	bound | gcc -x c -E -P "$PWD/a.h" -o a.i
	bound | gcc -x c -E -P "-fmacro-prefix-map=$TMPDIR/tmpa=" "$PWD/a.h" -o a.i
	a.h   | int v;
	bound | gcc -x c -E "$PWD/a.h" -o a.i
	a.h   | #warning mind\nint v;
	bound | gcc -x c -E -P "$PWD/a.h" -o a.i
	# Headers of the directory, and searches that find them.
	a.h   | #include "b.h"
	b.h   | int b;
	bound | gcc -x c -E -P "$PWD/a.h" -o a.i
	# Line markers in a source, which are compared with its name.
	in    | tmpaaaaaaaa tmpbbbbbbbb
	a.h   | int one;\n# 1 "x.h" 1\nint two;\n# 30 "@TMPDIR@/tmpbbbbbbbb/a.h" 2\n \
		int line = __LINE__;
	bound | gcc -w -x c -E -P "$PWD/a.h" -o a.i
	a.h   | int one;\n/* */ # 1 "x.h" 1\nint two;\n%: 30 "@TMPDIR@/tmpbbbbbbbb/a.h" 2\n \
		int line = __LINE__;
	bound | gcc -w -x c -E -P "$PWD/a.h" -o a.i
	a.h   | #include <b.h>
	bound | gcc -w -x c -E -P -I$ROOT/inc "$PWD/a.h" -o a.i
	# gcc asks for the real path.
	bound | gcc -w -x c -E -P -isystem $ROOT/inc "$PWD/a.h" -o a.i
	# A macro that holds the directory, and _Pragma of __FILE__.
	a.h   | #define tmpaaaaaaaa 1\nint v[] = { 0 P };
	bound | gcc -x c -E -P "-DP=$PWD" "$PWD/a.h" -o a.i
	a.h   | #define tmpbbbbbbbb once\n_Pragma(__FILE__)\nint v;
	bound | gcc -x c -E -P "$PWD/a.h" -o a.i
	# Options that write the name.
	d.h   | int v;
	bound | gcc -x c -E -P -Wp,-MD,a.d "$PWD/d.h" -o a.i
	bound | gcc -x c -E -P -MD -MF a.d "$PWD/d.h" -o a.i
	bound | gcc -x c -M "$PWD/d.h" -o a.d
	bound | gcc -x c -E -P -H "$PWD/d.h" -o a.i
	bound | gcc -x c -E -P -fdirectives-only "$PWD/d.h" -o a.i
	END
}

@test "names_preprocessed: a missing file appears in the directory of a later start" {
	put a.h '#if __has_include("late.h")' 'int yes;' '#else' 'int no;' '#endif'
	in_temp tmpaaaaaaaa sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
	put late.h ''
	in_temp tmpbbbbbbbb sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
	grep -q yes "$ROOT/last/a.i"
	rm late.h
	in_temp tmpcccccccc sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
	[ "$(hits)" = 1 ] || fail "hits $(hits)"
}

@test "names_preprocessed: a source that spells another run's directory" {
	local flag=$TMPDIR/tmpaaaaaaaa/flag.h
	# The name in full, and in parts that a search for the name would not find.
	put full.h "#if __has_include(\"$flag\")" 'int yes;' '#else' 'int no;' '#endif'
	put parts.h '#define T(x) #x' '#define S(x) T(x)' '#define CAT(a,b) a##b' \
		"#define P S(${flag%/tmpaaaaaaaa*}/CAT(tmpaaaa,aaaa)/flag.h)" \
		'#if __has_include(P)' 'int yes;' '#else' 'int no;' '#endif'
	local f
	for f in full parts; do
		in_temp tmpaaaaaaaa sh -c "gcc -x c -E -P \$PWD/$f.h -o a.i"
		grep -q no "$ROOT/last/a.i"
		put "$flag" ''
		in_temp tmpbbbbbbbb sh -c "gcc -x c -E -P \$PWD/$f.h -o a.i"
		grep -q yes "$ROOT/last/a.i"
		rm -r "${flag%/*}"
		in_temp tmpcccccccc sh -c "gcc -x c -E -P \$PWD/$f.h -o a.i"
		grep -q no "$ROOT/last/a.i"
	done
}

@test "names_preprocessed: a source that spells the directory of a later start" {
	local b=$TMPDIR/tmpbbbbbbbb
	put b.h '#pragma once' 'int b;'
	put a.h "#if __has_include(\"$b/b.h\")" "#include \"$b/b.h\"" '#endif' '#include "b.h"'
	cp -a "$W" "$ROOT/copy"
	touch -d '2001-01-01' "$ROOT/copy/b.h"
	cp -a "$ROOT/copy" "$b"
	# Two files that differ in time, then one file.
	in_temp tmpaaaaaaaa sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
	in_temp tmpbbbbbbbb sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
}

@test "names_preprocessed: a source that includes the file at the output path of a later start" {
	local b=$TMPDIR/tmpbbbbbbbb
	put a.i 'int old;'
	put a.h "#include \"$b/a.i\"" 'int v;'
	cp -a "$W" "$b"
	in_temp tmpaaaaaaaa sh -c 'gcc -x c -E -P "$PWD/a.h" -o "$PWD/a.i"'
	grep -q old "$ROOT/last/a.i"
	in_temp tmpbbbbbbbb sh -c 'gcc -x c -E -P "$PWD/a.h" -o "$PWD/a.i"'
	! grep -q old "$ROOT/last/a.i" || fail "the old header was replayed"
}

@test "names_preprocessed: another way to the directory" {
	local way=$ROOT/way
	ln -sfn "$TMPDIR/tmpaaaaaaaa" "$way"
	put b.h 'int b;' '#if __has_include_next(<b.h>)' 'int next;' '#endif'
	put a.h '#include <b.h>'
	# Two -I of one directory count once. Two -I of two directories count twice.
	in_temp tmpaaaaaaaa sh -c 'gcc -x c -E -P "-I$0" "-I$PWD" "$PWD/a.h" -o a.i' "$way"
	cp -a "$W" "$TMPDIR/tmpaaaaaaaa"
	in_temp tmpbbbbbbbb sh -c 'gcc -x c -E -P "-I$0" "-I$PWD" "$PWD/a.h" -o a.i' "$way"
	grep -q next "$ROOT/last/a.i"
	rm -r "$TMPDIR/tmpaaaaaaaa"
}

@test "names_preprocessed: #pragma once and another way to the source" {
	put a.h '#pragma once' "#if __INCLUDE_LEVEL__ == 0" "#include \"$ROOT/way/a.h\"" '#endif' \
		'int once;'
	ln -sfn "$TMPDIR/tmpaaaaaaaa" "$ROOT/way"
	in_temp tmpaaaaaaaa sh -c 'gcc -w -x c -E -P "$PWD/a.h" -o a.i'
	cp -a "$W" "$TMPDIR/tmpaaaaaaaa"
	touch -d '2001-01-01' "$TMPDIR/tmpaaaaaaaa/a.h"
	in_temp tmpbbbbbbbb sh -c 'gcc -w -x c -E -P "$PWD/a.h" -o a.i'
	rm -r "$TMPDIR/tmpaaaaaaaa"
}

@test "names_preprocessed: a name that is the source's own, not its directory's" {
	local n text
	for text in 'int v;' 'const char *v = __FILE_NAME__;' '#line 7'; do
		put a.h "$text"
		for n in tmpaaaaaaaa tmpbbbbbbbb; do
			cp a.h "$TMPDIR/$n"
			age
			under gcc -x c -E -P "$TMPDIR/$n" -o got.i
			gcc -x c -E -P "$TMPDIR/$n" -o want.i
			cmp got.i want.i || fail "$text"
			rm "$TMPDIR/$n"
		done
	done
	# The first text cannot ask for the source's name.
	[ "$(hits)" = 1 ] || fail "hits $(hits)"
}
