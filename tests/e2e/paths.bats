#!/usr/bin/env bats
# Every row of the table of wrong-hit triggers, "Paths and output names"; and odd paths.

setup() {
	load lib
	load names_table
	case_setup
	put a.c 'int a(int x) { return x; }'
}
teardown() { case_teardown; }

# -g and the .dwo file: debug_paths.bats.
@test "paths: an object's name, and the symbol that its source's name becomes" {
	put b.c 'int a(int x) { return x; }'
	names_table <<-'END'
	in   | one two
	all  | gcc -c a.c -o x.o
	all  | gcc -c b.c -o x.o
	END
}

@test "paths: __FILE__ and the source's spelling, links" {
	mkdir d real
	put d/f.c 'const char *f = __FILE__;'
	put real/s.c '#include "h.h"' 'const char *f = __FILE__;'
	put real/h.h 'int real;'
	put h.h 'int beside;'
	put other.c 'int other;'
	ln -s real/s.c s.c
	ln -s real dir
	names_table <<-'END'
	in   | one
	f.c  | const char *f = __FILE__;
	miss | gcc -c f.c
	miss | gcc -c ./f.c
	miss | gcc -c "$PWD/f.c"
	miss | gcc -c d/../f.c
	miss | gcc -c d/f.c
	# A link to the source, a link to its directory.
	miss | gcc -c s.c
	miss | gcc -c dir/s.c -o s.o
	miss | ln -sf other.c s.c; gcc -c s.c
	hit  | gcc -c s.c
	# Trailing slashes, doubled slashes, dots.
	inc/h.h | int v;
	b.c  | #include <h.h>
	miss | gcc -Iinc/ -c b.c
	any  | gcc -I.//inc/. -c .//b.c
	hit  | gcc -I.//inc/. -c .//b.c
	any  | gcc -I"$PWD/../one/inc" -c "$PWD//b.c" -o b.o
	hit  | gcc -I"$PWD/../one/inc" -c "$PWD//b.c" -o b.o
	END
}

@test "paths: relative includes in two directories, ./ in front" {
	names_table <<-'END'
	in      | one two
	src/x.c | #include "../inc/h.h"
	one/inc/h.h | int in_one;
	two/inc/h.h | int in_two;
	own     | gcc -c src/x.c
	in      | one two/deep
	s/x.c   | #include "h.h"\nint x = A;
	s/h.h   | #define A 1
	all     | gcc -MD -c ./s/x.c -o ./x.o
	END
}

@test "paths: --coverage, objects elsewhere" {
	mkdir one two
	differential --ignore '*.o *.gcno' --makes "one/a.gcno" -- gcc --coverage -c a.c -o one/a.o
	differential --ignore '*.o *.gcno' --cold miss --makes "two/a.gcno" -- \
		gcc --coverage -c a.c -o two/a.o
	strings "$ROOT/r/warm.tree/two/a.o" | grep -q two/a.gcda
}

@test "paths: -flto -c is any valid object" {
	differential --ignore a.o -- gcc -flto -O2 -c a.c
}

odd_names() { # NAME...
	local n
	for n; do
		mkdir -p -- "$n"
		put "$n/$n.c" '#include "h.h"' 'int v = A;'
		put "$n/h.h" '#define A 1'
		differential --cold any --warm hit -- gcc -MMD -c "$n/$n.c" -o "$n/$n.o"
		put "$n/h.h" '#define A 2'
		again miss
	done
}

# bats test_tags=check
@test "paths: spaces, newlines, quotes, non-UTF-8, leading dash" {
	odd_names 'with space' $'new\nline' "quo'te\"s" $'lat\xe9n' 'back\slash' 'equals=x'
	put "-dash.c" 'int d;'
	differential --makes ./-dash.o -- gcc -c ./-dash.c
}

# bats test_tags=long
@test "paths: characters that are special to make, shells and printf" {
	odd_names 'dol$lar' 'star*' 'semi;colon' 'percent%s' 'at@sign' 'comma,y' 'hash#z'
}

# bats test_tags=check
@test "paths: very long paths" {
	local d n
	n=$(head -c 200 /dev/zero | tr '\0' d)
	d=$n/$n/$n/$n
	mkdir -p "$d"
	cp a.c "$d/a.c"
	differential --cold any --warm hit -- gcc -c "$d/a.c" -o "$d/a.o"
	# One byte more than the system permits.
	n=$(head -c 5000 /dev/zero | tr '\0' f)
	differential --cold any --status 1 -- gcc -c "/$n.c" -o o.o
}

# bats test_tags=check
@test "paths: absolute paths of 4,095 bytes" {
	local d=$W n
	n=$(head -c 200 /dev/zero | tr '\0' d)
	while [ ${#d} -lt 3800 ]; do d=$d/$n; done
	n=$(head -c $((4095 - ${#d} - 3)) /dev/zero | tr '\0' e)
	d=$d/${n:0:200}
	n=$(head -c $((4095 - ${#d} - 3)) /dev/zero | tr '\0' f)
	mkdir -p "$d"
	cp a.c "$d/$n.c"
	age
	local i
	for i in 1 2; do
		under gcc -O2 -c "$d/$n.c" -o got.o
		gcc -O2 -c "$d/$n.c" -o want.o
		cmp got.o want.o
		under gcc -O2 -c a.c -o "$d/$n.o"
		gcc -O2 -c a.c -o want.o
		cmp "$d/$n.o" want.o
		rm "$d/$n.o"
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "paths: a cwd deeper than PATH_MAX" {
	cat >deep.py <<-'EOP'
	import os, subprocess, sys, time
	src = open("a.c").read()
	for i in range(25):
	    os.mkdir("d" * 200); os.chdir("d" * 200)
	open("a.c", "w").write(src)
	time.sleep(0.05)
	print(subprocess.run(sys.argv[1:]).returncode, os.path.exists("a.o"))
	EOP
	"$PY" deep.py gcc -c a.c >want 2>&1
	local i
	for i in 1 2; do
		rm -rf ddd*
		under "$PY" deep.py gcc -c a.c >got 2>&1
		cmp got want
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "paths: a cwd that was removed" {
	mkdir gone
	differential --cold any --warm any --status any -- \
		sh -c 'mkdir x && cd x && rmdir ../x && gcc -c ../a.c -o ../o.o'
	differential --cold any --warm any -- \
		sh -c 'mkdir x && cd x && rmdir ../x && gcc -c '"$W/a.c -o $W/o.o"
}

# gcc takes the answer of realpath for a system header if it is shorter than the given path. For
# "./x" it is so in / alone.
@test "paths: ./ in front of a system header, in /" {
	local top
	put inc/h.h 'static inline const char *h(void) { return __FILE__; }'
	put b.c '#include <h.h>' 'const char *b(void) { return h(); }'
	mkdir -p "other$W"
	cp -r inc b.c "other$W"
	age
	E2E_CMD=(gcc -isystem ".$W/inc" -c ".$W/b.c" -o)
	for top in "$W/other" "" "$W/other"; do
		(cd "$top/" && "${E2E_CMD[@]}" ".$W/plain.o" && under "${E2E_CMD[@]}" ".$W/o.o")
		cmp "$top$W/plain.o" "$top$W/o.o"
	done
	! cmp -s "other$W/o.o" o.o || fail "gcc no longer takes the answer"
	[ "$(stat_of hits_local)" = 1 ]
}

@test "paths: /proc/self/cwd and /proc/self/fd in arguments" {
	differential --cold any --warm any --makes o.o -- gcc -c /proc/self/cwd/a.c -o o.o
	differential --cold any --warm any --makes o.o -- \
		bash -c 'gcc -x c -c /proc/self/fd/5 -o o.o 5<a.c'
	differential --cold any --warm any --makes o.o -- \
		bash -c 'gcc -x c -c /dev/fd/5 -o o.o 5<a.c'
}

@test "paths: outputs and inputs that are one file" {
	put s.s '.globl x' 'x: ret'
	differential --fresh --cold any --warm any --status any -- gcc -S s.s -o s.s
	cp a.c b.c
	differential --fresh --cold any --warm any --status any -- gcc -E -P a.c -o a.c
	gcc -c a.c
	differential --fresh --cold any --warm any --status any -- ld -r a.o -o a.o
}

@test "paths: chroot-like roots and another user's home do not matter" {
	differential --env "HOME=$ROOT/other" -- gcc -c a.c
	again hit --env "HOME=/nonexistent"
	again hit --env "USER=somebody"
}

@test "paths: a directory below that another process fills" {
	mkdir inc
	put b.c '#include <h.h>'
	put late/h.h 'int v = 1;'
	differential -- gcc -Iinc -Ilate -c b.c
	local i
	for i in 1 2 3; do
		put inc/unrelated$i.h ''
		again any --warm hit
	done
	put inc/h.h 'int v = 2;'
	again miss
}

@test "paths: other users skip a private directory in PATH, as the search does" {
	local was=$PATH
	need_root "a second user"
	for_user
	mkdir -m 700 "$ROOT/private"
	mkdir -p "$ROOT/private/none" "$ROOT/other" "$ROOT/run.other"
	chown 65534:65534 "$ROOT/other" "$ROOT/run.other"
	PATH=$ROOT/private:$ROOT/private/none/bin:$PATH
	# Its owner may search it, other users may not.
	age
	under gcc a.c -c -o 1.o </dev/null
	chmod -R a+rX "$STORE"
	rm -f 1.o
	chmod a+w .
	as_user env "${RPENV[@]}" REPRISE_CACHE_DIR="$ROOT/other" \
		REPRISE_RUNTIME_DIR="$ROOT/run.other" \
		REPRISE_SEED_DIRS="$STORE" gcc a.c -c -o 1.o </dev/null
	chown -R 0:0 "$ROOT/other" "$ROOT/run.other"
	STORE=$ROOT/other RUNTIME=$ROOT/run.other
	[ "$(stat_of hits_local)" = 1 ] || fail "another user's compile is a miss"
	PATH=$was
}

@test "paths: a private directory of PATH, recorded by a user who may not search it" {
	local was=$PATH before
	need_root "a second user"
	for_user
	mkdir -m 700 "$ROOT/private"
	PATH=$ROOT/private:$PATH
	age
	as_user env "${RPENV[@]}" gcc -c a.c -o 1.o </dev/null
	chown -R 0:0 "$STORE" "$RUNTIME"
	before=$(stat_of hits_local)
	under gcc -c a.c -o 1.o </dev/null
	[ "$(stat_of hits_local)" = $((before + 1)) ] || fail "its owner's compile is a miss"
	# Now the owner's search finds a program there.
	put "$ROOT/private/as" '#!/bin/sh' 'exec /usr/bin/as "$@"'
	chmod +x "$ROOT/private/as"
	age
	before=$(stat_of hits_local)
	under gcc -c a.c -o 1.o </dev/null
	[ "$(stat_of hits_local)" = "$before" ] ||
		fail "the assembler of the private directory is not seen"
	PATH=$was
}

# Two directories, and a link above them by which a shell's PWD names them.
linked_directories() {
	mkdir -p real/one real/two
	ln -s real link
	put real/one/t.s '.file 1 "x.c"' '.text' 'f:' '.loc 1 1' 'nop'
	cp a.c real/one
	cp a.c real/one/t.s real/two
}

@test "paths: directories that are reached through a link, which PWD names" {
	linked_directories
	differential --fresh -- sh -c 'cd link/one && exec gcc -c a.c'
	differential --fresh --cold hit --warm none -- sh -c 'cd link/two && exec gcc -c a.c'
	# PWD that names another directory, and no PWD.
	differential --fresh --cold hit --warm none -- \
		sh -c 'cd link/two && PWD=/usr exec gcc -c a.c'
	# If assembler text names lines, the object contains the value of PWD.
	differential --fresh --warm none -- sh -c 'cd link/one && exec gcc -c t.s'
	differential --fresh --warm none -- sh -c 'cd real/one && exec gcc -c t.s'
	differential --fresh --cold hit --warm none -- sh -c 'cd link/one && exec gcc -c t.s'
}

# bats test_tags=long
@test "paths: PWD and debug information, by gcc and by clang" {
	local cc
	linked_directories
	for cc in gcc clang; do
		differential --fresh --warm none -- sh -c "cd link/one && exec $cc -c a.c"
		differential --fresh --cold hit --warm none -- \
			sh -c "cd real/two && exec $cc -c a.c"
		differential --fresh --cold hit --warm none -- \
			sh -c "cd link/two && PWD=/none exec $cc -c a.c"
		differential --fresh --warm none -- sh -c "cd link/one && exec $cc -g -c a.c"
		differential --fresh -- sh -c "cd link/two && exec $cc -g -c a.c"
		differential --fresh --warm none -- sh -c "cd real/two && exec $cc -g -c a.c"
		differential --fresh --cold hit --warm none -- \
			sh -c "cd link/two && PWD=/usr exec $cc -g -c a.c"
	done
	# One directory of the include path is searched once, whatever PWD names.
	put real/one/n.h 'int one;'
	put real/two/n.h 'int two;'
	put n.c '#include <n.h>' '#include_next <n.h>'
	differential --fresh --cold any -- \
		sh -c 'cd link/one && exec gcc -c ../../n.c -I. -I"$PWD" -I../two'
	differential --fresh -- sh -c 'cd link/one && exec gcc -c ../../n.c -I"$PWD" -I../two'
}
