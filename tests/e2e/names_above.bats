#!/usr/bin/env bats
# A path into a base directory that was formed from a directory above the base. Such a path leads to
# one file, whatever the base is. Also bases that lie in bases (judge/above.h).

setup() {
	load lib
	load checkouts_lib
	case_setup
	export W
	CHECKOUTS=(one two a-third-one)
	local d
	for d in "${CHECKOUTS[@]}"; do
		put "$d/x.h" '#define X 1'
		put "$d/a.c" '#include "x.h"' 'int x = X;'
		put "$d/from_above.c" '#include "one/x.h"' 'int x = X;'
		put "$d/computed.c" '#define FILE_OF(dir) <dir/x.h>' '#include FILE_OF(one)' \
			'int x = X;'
		put "$d/asks.c" '#define FILE_OF(dir) <dir/late.h>' \
			'#if __has_include(FILE_OF(one))' 'int late;' '#endif'
		put "$d/binary.s" '.macro of dir' '.incbin "\dir/x.h"' '.endm' 'of one'
	done
	put all.h '#include "one/x.h"'
}
teardown() { case_teardown; }

# from_above VARIABLES ARG...: the compile reads one/x.h in each checkout. A result of one checkout
# serves no other checkout, above all when one/x.h has changed.
from_above() {
	local variables=$1
	shift
	put one/x.h '#define X 1'
	hit_in_own "$variables REPRISE_BASE_DIRS='$W/*' gcc -I\"\$PWD\" $* -o \"\$PWD/a.o\"" ||
		return 1
	put one/x.h '#define X 2'
	again miss --cd two || fail "changed: $*"
}

@test "names above: an #include by the checkout's name, from a directory above it" {
	from_above '' '-I"$W"' -c from_above.c
	from_above '' '-iquote$W/.' -c from_above.c
}

@test "names above: without base directories, -g and a map of the working directory" {
	local options
	CHECKOUTS=(one two)
	for options in '-g' '-ffile-prefix-map=$PWD=. -I"$PWD"'; do
		put one/x.h '#define X 1'
		hit_in_own "gcc $options -I\"\$W\" -c from_above.c -o a.o"
		put one/x.h '#define X 2'
		again miss --cd two || fail "changed: $options"
		# two/ records a compile of one/x.h. With -g it has fewer directories than one/ has.
		put one/x.h '#define X 3'
		differential --cd two -- "${LAST[@]}"
		again any --cd one || fail "recorded elsewhere: $options"
	done
}

# The path of another run's file, in pieces. pieces DEFINITION DIR/FILE: what asks for it.
pieces() {
	local text=("$1" '#define PASTE(x, y) x##y' "#if __has_include($2)" 'int there;' '#endif')
	local d
	shift 2
	for d; do put "$d/a.c" '#include <x.h>' "${text[@]}" 'int x = X;'; done
}

@test "names above: a text that names a checkout in pieces, behind a directory above it" {
	CHECKOUTS=(checkone checktwo)
	put checkone/x.h '#define X 1'
	put checktwo/x.h '#define X 1'
	pieces "#define IN(x, y) <$W/x##y/x.h>" 'IN(check, one)' "${CHECKOUTS[@]}"
	hit_in_own "REPRISE_BASE_DIRS='$W/*' gcc -I\"\$PWD\" -c \"\$PWD/a.c\" -o \"\$PWD/a.o\""
}

# in_pieces DEFINITION ASKED ARG...: a header in a generated directory, which is gone in the next
# run, as the text says.
in_pieces() {
	local dir=tmpab12cd34 gone=tmpzz98zw76
	mkdir -p "$dir" w
	put "$dir/x.h" '#define X 1'
	pieces "$1" "$2" w
	shift 2
	differential --cd w -- gcc "-I$W/$dir" "$@" -c a.c -o a.o
	mv "$dir" "$gone"
	age
	differential --cd w --cold any --warm any -- gcc "-I$W/$gone" "$@" -c a.c -o a.o
	rm -r "$gone"
}

@test "names above: a text that names a generated directory in pieces" {
	in_pieces "#define IN(x, y) <$W/x##y/x.h>" 'IN(tmpab, 12cd34)'
	in_pieces '#define IN(x, y) <ROOT/x##y/x.h>' 'IN(tmpab, 12cd34)' "-DROOT=$W" -g
	in_pieces '#define IN(x, y) <ROOT/x##y/x.h>' 'IN(tmpab12cd3, 4)' "-DROOT=$W" -O2
}

# bats test_tags=check
@test "names above: a variable, a header above, -include, a computed #include" {
	from_above 'CPATH="$W"' -c from_above.c
	from_above '' '-include "$W/all.h"' -c a.c
	from_above '' '-I"$W" -include one/x.h' -c a.c
	from_above '' '-I"$W"' -c computed.c
	from_above '' '-I"$W"' -c binary.s
	hit_in_own "REPRISE_BASE_DIRS='$W/*' gcc -I\"\$PWD\" -I\"\$W\" -c asks.c -o \"\$PWD/a.o\""
	put one/late.h ''
	again miss --cd two
}

# bats test_tags=check
@test "names above: a file that a linker's script names, from a directory above" {
	local d
	CHECKOUTS=(one two)
	put f.c 'int f = 1;'
	gcc -c f.c -o one/f.o
	for d in "${CHECKOUTS[@]}"; do
		(cd "$d" && gcc -c a.c && put s.ld 'INPUT(one/f.o)')
	done
	hit_in_own "REPRISE_BASE_DIRS='$W/*' ld -r -L\"\$W\" \"\$PWD/a.o\" s.ld -o \"\$PWD/o.o\""
}

@test "names above: such an #include below the checkout, and no directory above it" {
	local d
	for d in "${CHECKOUTS[@]}"; do put "$d/inc/one/x.h" '#define X 3'; done
	hit_in_all "REPRISE_BASE_DIRS='$W/*' gcc -I\"\$PWD/inc\" -c \"\$PWD/from_above.c\" -o a.o"
}

@test "names above: a build directory that is a base in a base" {
	local d builds=(one/build one/another-build two/build a-third-one/b)
	for d in "${builds[@]}"; do
		put "$d/gen/y.h" '#define Y 4'
		put "${d%/*}/src/a.c" '#include "x.h"' '#include "y.h"' 'int x = X + Y;'
	done
	CHECKOUTS=("${builds[@]}")
	hit_in_all 'P=$(dirname "$PWD"); REPRISE_BASE_DIRS="$P:$P/*" gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"'
	# The messages name both headers.
	for d in "${builds[@]}"; do echo 'static int unused;' >>"$d/gen/y.h"; done
	for d in one two a-third-one; do echo 'static int other;' >>"$d/x.h"; done
	hit_in_all 'P=$(dirname "$PWD"); REPRISE_BASE_DIRS="$P:$P/*" gcc -Wall -I"$P" \
		-I"$PWD/gen" -MD -MF a.d -c "$P/src/a.c" -o "$PWD/a.o"'
}
