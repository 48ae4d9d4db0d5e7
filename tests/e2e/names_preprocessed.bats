#!/usr/bin/env bats
# Names in text that was only preprocessed. docs/internals/names.md says when one run is enough.

setup() {
	load lib
	load names_lib
	names_setup
}
teardown() { case_teardown; }

# one_proves YES|NO CMD...: runs in two random directories. Says whether the second start is a hit.
# The results must be right.
one_proves() {
	local want=$1
	shift
	in_temp tmpaaaaaaaa "$@" || return 1
	in_temp tmpbbbbbbbb "$@" || return 1
	[ "$(hits)" = "$([ "$want" = yes ] && echo 1 || echo 0)" ] ||
		fail "hits $(hits) of the second start: $*"
}

@test "names_preprocessed: one run is enough where no name is seen" {
	local command='g++ "$PWD/header.hpp" -D A=1 -O3 -g1 -fno-math-errno -march=native -fPIC'
	command+=' -Wall -std=c++20 -pedantic -fopenmp -I/usr/include -E -P -o "$PWD/header.i"'
	put header.hpp '#include <stddef.h>' 'size_t x;'
	one_proves yes sh -c "$command"
	put header.hpp '#include <stddef.h>' 'size_t y;'
	in_temp tmpcccccccc sh -c "$command"
	[ "$(hits)" = 1 ]
}

@test "names_preprocessed: as Inductor, from a directory inside" {
	mkdir build
	put header.hpp '#include <stddef.h>'
	one_proves yes sh -c 'd=$PWD; cd build &&
		g++ "$d/header.hpp" -g1 -std=c++20 -E -P -o "$d/header.i"'
}

@test "names_preprocessed: in another working directory" {
	local d options
	mkdir one a-much-longer-two
	for d in one a-much-longer-two; do
		mkdir $d/inc
		put $d/a.c '#include "h.h"' '#include <i.h>' \
			'const char *f = __FILE__, *h = H, *i = I;'
		put $d/h.h '#define H __FILE__'
		put $d/inc/i.h '#define I __FILE__'
	done
	age
	differential --cd one -- gcc -E -Iinc a.c
	again hit --cd a-much-longer-two
	again hit --cd one
	differential --cd one -- gcc -E -P -isystem inc a.c -o a.i
	again hit --cd a-much-longer-two
	put one/bad.c '#include "none.h"'
	put a-much-longer-two/bad.c '#include "none.h"'
	differential --cd one --status 1 -- gcc -E bad.c
	again hit --cd a-much-longer-two --status 1
	# The text spells the directory, or a name of a header that depends on its length.
	for options in -g -fworking-directory -ggdb -save-temps "-isystem ././././././inc" \
		"-isystem ../one/./././././inc" "-isystem inc/../../one/inc" "-I $W/one/inc"; do
		# shellcheck disable=SC2086
		differential --cd one --cold any --warm any -- gcc -E $options -Iinc a.c
		# shellcheck disable=SC2086
		again any --cd a-much-longer-two
		again any --cd a-much-longer-two
	done
}

@test "names_preprocessed: clang asks for directories itself: bound" {
	need clang
	put header.h '#if __has_include("missing/x.h")' 'int yes;' '#endif' 'int x;'
	local d
	for d in tmpaaaaaaaa tmpbbbbbbbb tmpcccccccc; do
		in_temp $d sh -c 'clang -x c -E -P "$PWD/header.h" -o "$PWD/header.i"'
	done
	[ "$(hits)" = 0 ] || fail "hits $(hits)"
}

@test "names_preprocessed: a name in the text or in a line marker" {
	put a.h 'const char *f = __FILE__;'
	one_proves no sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
}

@test "names_preprocessed: line markers" {
	put a.h 'int v;'
	one_proves no sh -c 'gcc -x c -E "$PWD/a.h" -o a.i'
}

@test "names_preprocessed: a name in a warning" {
	put a.h '#warning mind' 'int v;'
	one_proves no sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
}

@test "names_preprocessed: headers of the directory, and searches that find them" {
	put a.h '#include "b.h"'
	put b.h 'int b;'
	one_proves no sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
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

@test "names_preprocessed: line markers in a source, which are compared with its name" {
	local b=$TMPDIR/tmpbbbbbbbb/a.h
	put a.h 'int one;' '# 1 "x.h" 1' 'int two;' "# 30 \"$b\" 2" 'int line = __LINE__;'
	one_proves no sh -c 'gcc -w -x c -E -P "$PWD/a.h" -o a.i'
	put a.h 'int one;' '/* */ # 1 "x.h" 1' 'int two;' "%: 30 \"$b\" 2" 'int line = __LINE__;'
	one_proves no sh -c 'gcc -w -x c -E -P "$PWD/a.h" -o a.i'
	put "$ROOT/inc/b.h" "# 30 \"$b\" 2" 'int line = __LINE__;'
	put a.h '#include <b.h>'
	one_proves no sh -c "gcc -w -x c -E -P -I$ROOT/inc \$PWD/a.h -o a.i"
	# gcc asks for the real path
	one_proves no sh -c "gcc -w -x c -E -P -isystem $ROOT/inc \$PWD/a.h -o a.i"
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

@test "names_preprocessed: a macro that holds the directory" {
	put a.h '#define tmpaaaaaaaa 1' 'int v[] = { 0 P };'
	one_proves no sh -c 'gcc -x c -E -P "-DP=$PWD" "$PWD/a.h" -o a.i'
}

# bats test_tags=check
@test "names_preprocessed: options that look into a path" {
	put a.h 'const char *f = __FILE__;'
	one_proves no sh -c 'gcc -x c -E -P "-fmacro-prefix-map=$TMPDIR/tmpa=" "$PWD/a.h" -o a.i'
	put b.h 'int v;'
	one_proves no sh -c 'gcc -x c -E -P -Wp,-MD,a.d "$PWD/b.h" -o a.i'
	one_proves no sh -c 'gcc -x c -E -P -MD -MF a.d "$PWD/b.h" -o a.i'
	one_proves no sh -c 'gcc -x c -M "$PWD/b.h" -o a.d'
	one_proves no sh -c 'gcc -x c -E -P -H "$PWD/b.h" -o a.i'
	one_proves no sh -c 'gcc -x c -E -P -fdirectives-only "$PWD/b.h" -o a.i'
}

@test "names_preprocessed: #include of __FILE__" {
	put a.h '#if __INCLUDE_LEVEL__ < 3' '#include __FILE__' '#endif' \
		'int level = __INCLUDE_LEVEL__;'
	one_proves yes sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
}

@test "names_preprocessed: _Pragma of __FILE__" {
	put a.h '#define tmpbbbbbbbb once' '_Pragma(__FILE__)' 'int v;'
	one_proves no sh -c 'gcc -x c -E -P "$PWD/a.h" -o a.i'
}
