#!/usr/bin/env bats
# Everyday starts: another output name, other streams, another checkout. A start is a hit if the
# compiler would leave the same files, and otherwise a compile.

setup() {
	load lib
	case_setup
	put a.c '#include <stdio.h>' 'int f(void) { return printf("x"); }' \
		'int main(void) { return f(); }'
	mkdir -p sub
}
teardown() { case_teardown; }

PTY="$BATS_TEST_DIRNAME/on_pty.py"

# renamed VERDICT COMMAND...: the command as it is, then with outputs x.o as sub/other.o and
# x.d as sub/d.d.
renamed() {
	local verdict=$1 word
	local -a to=()
	shift
	for word; do
		word=${word/x.o/sub/other.o}
		to+=("${word/x.d/sub/d.d}")
	done
	differential -- "$@"
	again "$verdict" -- "${to[@]}"
}

# other_names COMPILER: outputs of other names, dependency files beside them.
other_names() {
	local cc=$1
	renamed hit $cc -O2 -c a.c -o x.o
	again hit -- $cc -O2 -c a.c -o "$W/sub/z.long-name.o"
	again miss -- $cc -O2 -c a.c -osub/joined.o
	again hit -- $cc -O2 -c a.c -osub/j.o
	renamed hit $cc -O2 -c a.c -MD -MT target -o x.o
	renamed hit $cc -O2 -c a.c -MD -MT target -MF x.d -o x.o
	# As CMake calls it.
	renamed hit $cc -O2 -c a.c -MD -MT x.o -MF x.d -o x.o
	again hit -- $cc -O2 -c a.c -MD -MT "$W/sub/long.o" -MF x.d -o "$W/sub/long.o"
	renamed hit $cc -O2 -c a.c -MD -MQ x.o -o x.o
	renamed hit $cc -O2 -c a.c -o x.o -MMD -MP -MF x.d -MT x.o
	renamed miss $cc -O2 -c a.c -MD -MT x.o -MT x.d -MF x.d -o x.o
	renamed miss $cc -O2 -c a.c -MD -MTx.o -MF x.d -o x.o
	differential --cold any -- $cc -O2 -c a.c -MD -MT x.o -MF x.d -o x.o
	again miss -- $cc -O2 -c a.c -MD -MT y.o -MF x.d -o x.o
	again miss -- $cc -O2 -c a.c -MD -MT 'a b.o' -MF x.d -o 'a b.o'
	again miss -- $cc -O2 -c a.c -MD -MQ 'a$b.o' -MF x.d -o 'a$b.o'
	renamed hit $cc -O2 -E a.c -o x.o
	renamed hit $cc -Wall -Wextra -c a.c -o x.o
}

# bats test_tags=check
@test "everyday: an output under another name, of gcc" {
	other_names gcc
	renamed hit gcc -g -c a.c -o x.o
	# An output without a suffix; another suffix is another key.
	differential -- gcc -O1 -c a.c -o one
	again hit -- gcc -O1 -c a.c -o sub/three
	again miss -- gcc -O1 -c a.c -o one.obj
}

# bats test_tags=long
@test "everyday: an output under another name, of clang" {
	other_names clang
	renamed hit clang -g -c a.c -o x.o
}

# bats test_tags=long
@test "everyday: an output under another name, of assembler that is preprocessed" {
	put c.S '#include "a.h"' '.globl c' 'c: .long A' '.asciz __FILE__' \
		'.section .note.GNU-stack,"",@progbits'
	put a.h '#define A 1'
	local cc
	for cc in gcc clang; do
		renamed hit $cc -c c.S -o x.o
		renamed hit $cc -g -c c.S -o x.o
		renamed hit $cc -c c.S -MD -MP -o x.o
		renamed hit $cc -c c.S -MD -MT target -MF x.d -o x.o
		renamed hit $cc -E c.S -o x.o
		renamed hit $cc -shared c.S -o x.o
		# The source asks for its own output.
		put own.S '#if __has_include("own.o")' '.byte 1' '#endif'
		differential --makes own.o -- $cc -c own.S -o own.o
		again any -- $cc -c own.S -o sub/own.o
		cp a.c own.o
		again miss -- $cc -c own.S -o sub/own.o
		rm own.o
	done
}

# targets COMPILER
targets() {
	local cc=$1
	renamed hit $cc -O2 -c a.c -MD -o x.o
	grep -q '^sub/other.o: a.c' "$ROOT/r/warm.tree/sub/other.d"
	renamed hit $cc -O2 -c a.c -MMD -MP -MF x.d -o x.o
	again hit -- $cc -O2 -c a.c -MMD -MP -MF e.d -o \
		sub/a-name-that-is-long-enough-to-move-each-of-the-line-breaks-in-the-file.o
	again hit -- $cc -O2 -c a.c -MMD -MP -MF e.d -o y.o
	# gcc leaves out the "./" of a target.
	again any -- $cc -O2 -c a.c -MMD -MP -MF e.d -o ./y.o
	again any -- $cc -O2 -c a.c -MMD -MP -MF e.d -o .//sub/../y.o
	again any -- $cc -O2 -c a.c -MMD -MP -MF e.d -o sub//y.o
	# A stream gets the dependencies: their line breaks are those of the first names.
	differential --streams pipes -- $cc -O2 -c a.c -MD -MF - -o "$W/y.o"
	again any --streams pipes -- $cc -O2 -c a.c -MD -MF - -o \
		"$W/sub/a-name-that-is-long-enough-to-move-each-line-break.o"
	# make(1) reads these characters in another way.
	again miss -- $cc -O2 -c a.c -MMD -MP -MF e.d -o 'y$ #.o'
}

# bats test_tags=check
@test "everyday: the target of a dependency file follows the output's name" { targets gcc; }

# bats test_tags=long
@test "everyday: the target of clang's dependency file follows the output's name" { targets clang; }

# bats test_tags=check
@test "everyday: programs and libraries under another name" {
	gcc -c a.c -o m.o
	differential -- gcc m.o -o prog
	again hit -- gcc m.o -o sub/other-prog
	differential -- gcc a.c -o prog
	again hit -- gcc a.c -o q
	differential -- gcc -shared -fPIC a.c -o liba.so
	again hit -- gcc -shared -fPIC a.c -o sub/lib-of-b.so
	differential -- ld -r m.o -o whole.o
	again hit -- ld -r m.o -o w.o
}

# bats test_tags=check
@test "everyday: an output of a single step under another name" {
	gcc -O2 -S a.c -o a.s
	renamed hit as a.s -o x.o
	renamed hit as --64 -o x.o a.s
	put d.c 'int d(void) { return 4; }'
	renamed hit "$(gcc -print-prog-name=cc1)" -quiet -O2 d.c -o x.o
	gcc -c a.c -o m.o
	# ar reads the archive of this name, if there is one.
	differential -- ar rcs one.a m.o
	again miss -- ar rcs two.a m.o
	again hit -- ar rcs one.a m.o
}

# bats test_tags=check
@test "everyday: an output's name that enters the output" {
	# The first version of symbols is called after the output.
	put v.c 'int f1(void) { return 1; }' '__asm__(".symver f1,f@@V1");' \
		'int main(void) { return 0; }'
	differential -- gcc -rdynamic v.c -o prog
	again miss -- gcc -rdynamic v.c -o q
	again hit -- gcc -rdynamic v.c -o prog
	local options
	for options in "-g -gsplit-dwarf" "-save-temps" "-fdump-tree-optimized" \
		"-fstack-usage" "-Wa,-a=listing -pipe" "-dumpbase zz" "-v -S" \
		"-Wa,--MD,deps -pipe" "-frandom-seed=1 --coverage" \
		"-frandom-seed=1 -fprofile-generate" "-fprofile-use -Wno-missing-profile" \
		"-frecord-gcc-switches" "-frandom-seed=1 -flto" "-fcallgraph-info"; do
		gcc $options -c a.c -o x.o || fail "this gcc refuses $options"
		rm -f ./*.dwo ./*.gcno ./*.su ./*.i ./*.s listing deps ./*.d ./*.o ./*.optimized \
			./*.ci zz*
		differential --cold any --warm any -- gcc $options -c a.c -o x.o
		again any --warm none -- gcc $options -c a.c -o sub/longer-name.o
	done
}

# bats test_tags=long
@test "everyday: an output that is the source, or named twice" {
	local same
	cp a.c b.c
	ln -s b.c link.c
	ln b.c hard.c
	differential -- gcc -c b.c -o x.o
	for same in b.c ./b.c link.c hard.c "$W/b.c"; do
		differential --fresh --cold any --warm any --status any -- gcc -c b.c -o "$same"
	done
	differential --fresh -- gcc -c a.c -MD -MT t -MF x.d -o x.o
	differential --fresh --cold any --warm any -- gcc -c a.c -MD -MT t -MF x.o -o x.o
	differential --fresh --cold any --warm any -- gcc -c a.c -MD -MT t -MF y.d -o y.d
}

# bats test_tags=check
@test "everyday: a source that asks for its output" {
	put a.c '#if __has_include("y.o")' 'int there;' '#else' 'int missing;' '#endif'
	differential --fresh -- gcc -c a.c -o x.o
	differential --fresh --cold any --warm any -- gcc -c a.c -o y.o
	echo >y.o
	differential --fresh --cold any --warm any -- gcc -c a.c -o x.o
	differential --fresh --cold any --warm any -- gcc -c a.c -o y.o
	differential --fresh --cold any --warm any -- gcc -c a.c -o z.o
}

@test "everyday: eight compiles at once under eight names are one compile" {
	local i
	gcc -O2 -c a.c -o want.o
	age
	for i in 1 2 3 4 5 6 7 8; do
		under gcc -O2 -c a.c -o "o$i.o" &
	done
	wait
	for i in 1 2 3 4 5 6 7 8; do cmp want.o "o$i.o"; done
	[ "$(stat_of misses) $(stat_of hits_local) $(stat_of unstored)" = "1 7 0" ] ||
		fail "misses $(stat_of misses), hits $(stat_of hits_local)"
}

# bats test_tags=check
@test "everyday: a silent compile serves all streams" {
	differential -- gcc -O2 -c a.c -o x.o
	again hit --streams merged
	again hit --streams pipe
	again hit --streams pipes
	again hit -- "$PY" "$PTY" -w 40 gcc -O2 -c a.c -o x.o
	again hit -- "$PY" "$PTY" -w 200 gcc -O2 -c a.c -o x.o
	again hit -- "$PY" "$PTY" -w 200 -r 60 gcc -O2 -c a.c -o x.o
	differential -- clang -O2 -c a.c -o x.o
	again hit --streams pipe
	again hit -- "$PY" "$PTY" -w 40 clang -O2 -c a.c -o x.o
}

# bats test_tags=check
@test "everyday: messages depend on the stream, and on its width if a line reaches it" {
	local cc
	for cc in gcc clang; do
		put w.c 'int g(void) { int x; return x; }'
		differential -- $cc -Wall -c w.c
		again hit --streams pipes
		again any -- "$PY" "$PTY" -w 150 $cc -Wall -c w.c
		again hit --streams split -- $cc -Wall -c w.c
	done
	# gcc cuts lines of the source alone, and these are short.
	again any -- "$PY" "$PTY" -w 150 gcc -Wall -c w.c
	again hit -- "$PY" "$PTY" -w 250 gcc -Wall -c w.c
	again hit -- "$PY" "$PTY" -w 151 gcc -Wall -c w.c
	again hit -- "$PY" "$PTY" -w 151 -r 60 gcc -Wall -c w.c
	again miss -- "$PY" "$PTY" -w 30 gcc -Wall -c w.c
	# At most four variants: the oldest goes, and other candidates stay.
	local width
	for width in 31 32 33 34 35 36; do
		again miss --warm none -- "$PY" "$PTY" -w $width gcc -Wall -c w.c
		[ $width != 31 ] || sleep 1.1 # a candidate's time is in seconds
	done
	again hit -- "$PY" "$PTY" -w 36 gcc -Wall -c w.c
	again miss -- "$PY" "$PTY" -w 31 gcc -Wall -c w.c
}

# checkouts BASES DIRECTORY...: builds the same project in each directory, by relative paths. With
# BASES also by absolute paths: "own" names each checkout as a base, "parent" all checkouts in its
# directory. All builds but the first are hits, with the bytes of a plain build.
checkouts() {
	local bases=$1 first=miss d cc p base compilers=${COMPILERS:-gcc clang}
	shift
	for d; do
		p=$W/$d
		mkdir -p "$p/src" "$p/inc" "$p/build"
		echo '#define NUMBER 1' >"$p/inc/a.h"
		printf '%s\n' '#include <stdio.h>' '#include "a.h"' \
			'int f(void) { return NUMBER; }' \
			'int main(void) { return f(); }' >"$p/src/a.c"
	done
	for d; do
		p=$W/$d
		for cc in $compilers; do
			base=$p
			[ "$bases" = own ] || base="$W/*"
			if [ "$bases" != no ]; then
				differential --cd "$d/build" --env "REPRISE_BASE_DIRS=$base" \
					--cold $first \
					-- $cc -O2 -I"$p/inc" -MD -MT d/a.o -MF a.d -o a.o \
					-c "$p/src/a.c"
				differential --cd "$d/build" --env "REPRISE_BASE_DIRS=$base" \
					--cold $first \
					-- \
					$cc -O2 -I"$p/inc" -MD -MP -o "$p/build/b.o" -c "$p/src/a.c"
			fi
			differential --cd "$d/build" --cold $first -- \
				$cc -O2 -I../inc -MD -o rel.o -c ../src/a.c
			(cd "$d/build" && $cc -I../inc -c ../src/a.c -o m.o)
			differential --cd "$d/build" --cold $first -- $cc m.o -o prog
			differential --cd "$d/build" --cold $first -- \
				$cc -I../inc ../src/a.c -o prog2
		done
		first=hit
	done
}

# bats test_tags=check
@test "everyday: a second checkout, of equal and of other length" {
	COMPILERS=gcc
	checkouts own one two a-checkout-with-a-longer-name
}

# bats test_tags=long
@test "everyday: four checkouts of two compilers" {
	checkouts own one two a-checkout-with-a-longer-name x
}

# bats test_tags=long
@test "everyday: a second checkout, where REPRISE_BASE_DIRS names all directories of one" {
	checkouts parent one two x
	# Another checkout's file is no part of this one.
	put one/src/b.c '#include "../../two/inc/a.h"' 'int f(void) { return NUMBER; }'
	put two/src/b.c '#include "../../two/inc/a.h"' 'int f(void) { return NUMBER; }'
	echo '#define NUMBER 2' >two/inc/a.h
	for d in one two; do
		differential --cd "$d/build" --env "REPRISE_BASE_DIRS=$W/*" --cold any --warm any \
			-- gcc -O2 -I"$W/two/inc" -o b.o -c "$W/$d/src/b.c"
	done
}

# bats test_tags=long
@test "everyday: a second checkout by relative paths, without REPRISE_BASE_DIRS" {
	checkouts no one two deeper/by/three/levels x
}

# bats test_tags=check
@test "everyday: a relative path through a link, and one that is longer than its real path" {
	mkdir -p deep/er/src deep/er/build other
	put deep/er/src/a.c 'int f(void) { return 1; }'
	put other/a.c 'int f(void) { return 2; }'
	differential --cd deep/er/build -- gcc -c ../src/a.c -o a.o
	# build leads elsewhere, so ../src is another directory.
	mkdir -p elsewhere/src elsewhere/build
	put elsewhere/src/a.c 'int f(void) { return 3; }'
	ln -s ../../elsewhere/build deep/er/link
	differential --cd deep/er/link --cold any --warm any -- gcc -c ../src/a.c -o a.o
	put elsewhere/src/a.c 'int f(void) { return 1; }'
	differential --cd deep/er/link --cold any --warm any -- gcc -c ../src/a.c -o a.o
	put h.h '#define H 1'
	put other/b.c '#include <h.h>' 'int f(void) { return H; }'
	mkdir -p other/x
	differential --cd other/x --cold any --warm any -- \
		gcc -isystem ../../deep/../other/../ -MD -MT t -c ../b.c -o a.o
	differential --cd other --cold any --warm any -- \
		gcc -isystem ../deep/../other/../ -MD -MT t -c b.c -o a.o
}

# in_checkouts VERDICT COMMAND...: runs in one/b, and then in a-second-one/b, where the verdict is
# VERDICT. The files differ from those of a plain run in debug information at most.
in_checkouts() {
	local verdict=$1 d f
	shift
	for d in one a-second-one; do
		mkdir -p "$W/$d/src" "$W/$d/b"
		printf '%s\n' 'int f(int x) { return x + 1; }' 'int main(void) { return f(1); }' \
			>"$W/$d/src/a.c"
	done
	age
	for d in one a-second-one; do
		cd "$W/$d/b"
		rm -f x want
		REPRISE_BASE_DIRS=$W/$d "${@//@/$W/$d}" -o want
		REPRISE_BASE_DIRS=$W/$d under "${@//@/$W/$d}" -o x
		for f in x want; do
			objcopy --strip-debug -R .note.gnu.build-id -R .gnu_debuglink $f $f.stripped
		done
		cmp x.stripped want.stripped
		[ $d = one ] || [ "$verdict" = hit ] || cmp x want
		cd "$W"
	done
}

# bats test_tags=check
@test "everyday: -g in a second checkout, where debugdir is accepted" {
	local before cc
	for cc in gcc clang; do
		for command in "-g -O2 -c ../src/a.c" "-g -O2 -c @/src/a.c" "-g @/src/a.c"; do
			# This command is a hit without debugdir, too (directory.bats).
			[ "$cc $command" != "gcc -g -O2 -c ../src/a.c" ] || continue
			before=$(stat_of hits_local)
			in_checkouts miss $cc $command
			[ "$(stat_of hits_local)" = "$before" ] ||
				fail "a hit without REPRISE_SLOPPY"
			export REPRISE_SLOPPY=debugdir
			in_checkouts hit $cc $command
			unset REPRISE_SLOPPY
			[ "$(stat_of hits_local)" = "$((before + 1))" ] ||
				fail "no hit: $cc $command"
		done
	done
	# In other places the directory is still bound.
	put s.c '#include <assert.h>' 'int f(int x) { return __FILE__[x]; }'
	export REPRISE_SLOPPY=debugdir
	mkdir -p one two
	cp s.c one; cp s.c two
	REPRISE_BASE_DIRS=$W/one differential --cold any --warm any -- gcc -g -c "$W/one/s.c" -o x.o
	REPRISE_BASE_DIRS=$W/two under gcc -g -c "$W/two/s.c" -o y.o
	objcopy --strip-debug y.o
	grep -q "$W/two" y.o
	! grep -q "$W/one" y.o || fail "the sections that are loaded hold the other directory"
}

# bats test_tags=check
@test "everyday: a TMPDIR for each job, which is absent in the next job" {
	local cc d
	put a.c 'int main(void) { return 0; }'
	age
	for cc in "gcc -c a.c" "g++ -c a.c -MD" "gcc a.c -o a" "clang -c a.c"; do
		d=$(mktemp -d "$ROOT/job1.XXXXXX")
		differential --env "TMPDIR=$d" -- $cc
		rmdir "$d"
		d=$(mktemp -d "$ROOT/of-another-job.XXXXXX")
		again hit --env "TMPDIR=$d"
		again hit --env "TMPDIR="
	done
	# A message names a file in TMPDIR, so another TMPDIR is a miss.
	d=$(mktemp -d "$ROOT/job2.XXXXXX")
	differential --env "TMPDIR=$d" --filter 's,cc[A-Za-z0-9]*\.,TEMPORARY.,g' -- gcc -v -c a.c
	d=$(mktemp -d "$ROOT/job3.XXXXXX")
	again miss --env "TMPDIR=$d" --filter 's,cc[A-Za-z0-9]*\.,TEMPORARY.,g'
	# TMPDIR is searched for headers: if it were absent, gcc would warn.
	d=$(mktemp -d "$ROOT/job4.XXXXXX")
	differential --env "TMPDIR=$d" -- gcc -Wmissing-include-dirs -I "$d" -c a.c
	rmdir "$d"
	again miss --env "TMPDIR=" --warm any
}

# Two texts of this tree spell words that a compiler or an object could mean, in comments and
# strings.
# bats test_tags=long
@test "everyday: sources of this tree in a second checkout, -g" {
	local d f
	for d in one a-second-one; do
		mkdir -p "$d/build"
		(cd "$TOP" && find shim keying names tools store judge units remote/remote.h \
			\( -name '*.[ch]' -o -name '*.def' \) -print0 |
			tar c --null -T -) | tar x -C "$d"
	done
	find . -name '*.[ch]' -o -name '*.def' | xargs touch -d '1 minute ago'
	for f in shim/reason.c tools/text/dependency.c tools/object/sections.c; do
		differential --cd one -- gcc -std=gnu11 -I. -D_GNU_SOURCE -fPIC -O2 -g -MMD -MP \
			-c "$f" -o build/x.o
		again hit --cd a-second-one
	done
	[ "$(stat_of unstored)" = 0 ]
}
