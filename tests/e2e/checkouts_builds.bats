#!/usr/bin/env bats
# A project that its own build system configures and builds in a first checkout, and then in others.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# built_in DIRECTORY: BUILD there, plain and then under Reprise, in two copies at the same path.
# Both leave equal files. HITS and MISSES count the build alone, not what CONFIGURE runs.
built_in() {
	local d=$1 hits misses at
	at=$(readlink -f "$d")
	rm -rf "$at/b"
	cp -a "$at" "$ROOT/fresh"
	(cd "$d" && "${CONFIGURE[@]}" && "${BUILD[@]}") >"$ROOT/said" 2>&1 ||
		{ tail "$ROOT/said" >&2; fail "$d: the plain build failed"; return 1; }
	rm -rf "$ROOT/plain"
	mv "$at" "$ROOT/plain"
	mv "$ROOT/fresh" "$at"
	age
	(cd "$d" && under "${CONFIGURE[@]}") >"$ROOT/said" 2>&1 ||
		{ tail "$ROOT/said" >&2; fail "$d: not configured"; return 1; }
	hits=$(stat_of hits_local)
	misses=$(stat_of misses)
	rm -f "$LOG"
	(cd "$d" && under "${BUILD[@]}") >"$ROOT/said" 2>&1 ||
		{ tail "$ROOT/said" >&2; fail "$d: not built"; return 1; }
	HITS=$(($(stat_of hits_local) - hits))
	MISSES=$(($(stat_of misses) - misses))
	local f n=0
	while read -r f; do
		cmp "$ROOT/plain/$f" "$d/$f" || { fail "$d: another $f"; return 1; }
		n=$((n + 1))
	done < <(cd "$ROOT/plain" && find . -name '*.[oad]' -o -type f -perm -100 -name prog)
	[ $n -ge 4 ] || fail "$d: only $n products: $(find "$ROOT/plain")"
}

# counted HITS MISSES
counted() { [ "$HITS $MISSES" = "$1 $2" ] || fail "$HITS hits, $MISSES misses: $(cat "$LOG")"; }

project() { # DIRECTORY...
	local d
	for d; do
		put "$d/inc/a.h" '#define NUMBER 1' 'int f(int x);'
		put "$d/src/f.c" '#include <stdio.h>' '#include "a.h"' \
			'int f(int x) { return printf("%d\n", x) + NUMBER; }'
		put "$d/src/main.c" '#include "a.h"' 'int main(void) { return f(NUMBER) < 0; }'
	done
}

cmake_project() { # DIRECTORY...
	local d
	need cmake
	project "$@"
	for d; do
		put "$d/CMakeLists.txt" 'cmake_minimum_required(VERSION 3.10)' 'project(p C)' \
			'add_library(f STATIC ${CMAKE_SOURCE_DIR}/src/f.c)' \
			'target_include_directories(f PUBLIC ${CMAKE_SOURCE_DIR}/inc)' \
			'add_executable(prog ${CMAKE_SOURCE_DIR}/src/main.c)' \
			'target_link_libraries(prog f)'
	done
	BUILD=(cmake --build b)
}

# cmake_in DIRECTORY BASES: CMake names the sources below DIRECTORY as it is spelled.
cmake_in() {
	CONFIGURE=(env "REPRISE_BASE_DIRS=$2" cmake -S "$W/$1" -B "$W/$1/b")
	BUILD=(env "REPRISE_BASE_DIRS=$2" cmake --build "$W/$1/b")
	built_in "$W/$1"
	local rules=$W/$1/b/CMakeFiles/f.dir/build.make
	grep -q -- "-c $W/$1/src/f.c" "$rules" || fail "CMake spells it otherwise: $(<"$rules")"
}

# bats test_tags=check
@test "checkouts_builds: CMake with base directories, in a checkout of another length" {
	cmake_project one the-second-one
	cmake_in one "$W/one"
	counted 0 4
	cmake_in the-second-one "$W/the-second-one"
	counted 4 0
}

# bats test_tags=check
@test "checkouts_builds: CMake below a symbolic link" {
	cmake_project real/one real/the-second-one
	ln -s real/one l
	ln -s "$W/real/the-second-one" the-second-link
	cmake_in l "$W/l"
	counted 0 4
	cmake_in the-second-link "$W/the-second-link"
	counted 4 0
	cmake_in l "$W/l"
	counted 4 0
}

# bats test_tags=long
@test "checkouts_builds: a configure script and make, in a checkout of another length" {
	need autoconf
	project one
	put one/configure.ac 'AC_INIT([p], [1.0])' 'AC_CONFIG_SRCDIR([src/f.c])' \
		'AC_CONFIG_HEADERS([config.h])' 'AC_PROG_CC' \
		'AC_CHECK_HEADERS([stdint.h unistd.h])' \
		'AC_CHECK_FUNCS([printf strlcpy])' 'AC_CONFIG_FILES([Makefile])' 'AC_OUTPUT'
	put one/config.h.in '#undef HAVE_STRLCPY' '#undef HAVE_UNISTD_H' '#undef PACKAGE_NAME'
	put one/Makefile.in 'CC = @CC@' 'CFLAGS = @CFLAGS@' \
		'CPPFLAGS = -I. -Iinc -DHAVE_CONFIG_H' \
		'prog: src/main.o libf.a' $'\t$(CC) $(CFLAGS) -o $@ src/main.o libf.a' \
		'libf.a: src/f.o' $'\tar rcD $@ src/f.o' \
		'.c.o:' $'\t$(CC) $(CPPFLAGS) $(CFLAGS) -MD -MP -c -o $@ $<'
	sed -i '1i #include <config.h>' one/src/f.c
	(cd one && autoconf && rm -rf autom4te.cache)
	cp -a one the-second-one
	cp -a one first
	cp -a one optimized
	BUILD=(make)
	CONFIGURE=(./configure -q CFLAGS=-O2)
	built_in first
	counted 0 4
	built_in optimized
	counted 4 0
	# configure chooses -g, so the objects, the archive and the program contain their directory.
	CONFIGURE=(./configure -q)
	built_in one
	counted 0 4
	built_in the-second-one
	counted 2 2
	[ "$(grep -c 'gcc-[0-9]*: hit: 2 outputs' "$LOG")" = 2 ] || fail "$(cat "$LOG")"
}
