#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": what a path leads to. Links, directories that move,
# mounts.

setup() {
	load lib
	case_setup
	source_with_header 'int a = A;'
}
teardown() { case_teardown; }

@test "inputs_links: a symbolic link is turned to another file" {
	put one.h '#define A 1'
	put two.h '#define A 2'
	ln -sf one.h a.h
	differential -- gcc -c a.c
	ln -sf two.h a.h
	again miss
	ln -sf one.h a.h
	again hit
}

@test "inputs_links: a linked directory is turned to another" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	ln -s one inc
	put a.c '#include <h.h>'
	differential -- gcc -Iinc -c a.c
	ln -sfn two inc
	again miss
}

@test "inputs_links: a hard link of a header is swapped" {
	put one.h '#define A 1'
	put two.h '#define A 2'
	ln -f one.h a.h
	differential -- gcc -c a.c
	ln -f two.h a.h
	again miss
}

@test "inputs_links: a header that is a dangling link until its target appears" {
	mkdir inc far other
	put other/h.h 'int v = 2;'
	ln -s ../far/h.h inc/h.h
	put a.c '#include <h.h>'
	differential -- gcc -Iinc -Iother -c a.c
	put far/h.h 'int v = 1;'
	again miss
	rm far/h.h
	again hit
}

@test "inputs_links: a dangling linked directory whose target appears" {
	mkdir other
	put other/h.h 'int v = 2;'
	ln -s nowhere/yet inc
	put a.c '#include <h.h>'
	differential -- gcc -Iinc -Iother -c a.c
	put nowhere/yet/h.h 'int v = 1;'
	again miss
}

@test "inputs_links: the directory of a thin archive is no link any more" {
	put y/f.c 'int f(void) { return 1; }'
	gcc -c y/f.c -o y/f.o
	ln -s y x
	differential --makes y/libt.a -- ar rcT x/libt.a y/f.o
	rm x
	mkdir x
	again miss
	rmdir x
	ln -s y x
	again hit
}

@test "inputs_links: .. through a linked directory is not folded" {
	mkdir -p real/sub x
	put real/h.h 'int v = 1;'
	put h.h 'int v = 2;'
	ln -s real/sub link
	put a.c '#include "link/../h.h"'
	differential -- gcc -c a.c
	put real/h.h 'int v = 3;'
	again miss
	rm link
	mkdir link
	again miss
}

@test "inputs_links: a bind mount changes what a path means" {
	need_mounts
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	touch -d @1000000000 one/h.h two/h.h
	mkdir inc
	put a.c '#include <h.h>'
	age
	local i
	for i in one two one two; do
		unshare -m sh -c 'mount --bind "$1" inc; shift; exec "$@"' sh $i \
			env "${RPENV[@]}" gcc -Iinc -c a.c -o got.o
		gcc -I$i -c a.c -o want.o
		cmp got.o want.o
	done
}

@test "inputs_links: getcwd through a directory that was moved" {
	put one/h.h 'int v = 1;'
	put one/a.c '#include "h.h"' 'const char *f = __FILE__;'
	differential --cd one -- gcc -g -c a.c
	mv one moved
	mkdir one
	cp moved/* one
	put one/h.h 'int v = 2;'
	again miss
	again any --cd moved
}

@test "inputs_links: a searched directory is swapped by rename" {
	mkdir inc
	put alt/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put b.c '#include <h.h>'
	touch -d '2020-01-01' inc alt
	differential -- gcc -Iinc -Itwo -c b.c
	mv inc old
	mv alt inc
	touch -d '2020-01-01' inc
	again miss
	mv inc alt
	mv old inc
	again hit
}

@test "inputs_links: a mount fills a searched directory" {
	need_mounts
	mkdir inc
	put alt/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put b.c '#include <h.h>'
	age
	under gcc -Iinc -Itwo -c b.c -o 2.o
	under gcc -Iinc -Itwo -c b.c -o 2.o
	unshare -m sh -c 'mount --bind alt inc; exec "$@"' sh env "${RPENV[@]}" gcc -Iinc -Itwo \
		-c b.c -o 2.o
	gcc -Ialt -Itwo -c b.c -o want.o
	cmp 2.o want.o
	under gcc -Iinc -Itwo -c b.c -o 2.o
	gcc -Itwo -c b.c -o want.o
	cmp 2.o want.o
}

# bats test_tags=check
@test "inputs_links: a path that was real has a link on its way" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <stdlib.h>
	int main(int argc, char **argv)
	{
		FILE *out = fopen("out", "w"), *in = argc > 2 ? fopen(argv[1] + 1, "r") : NULL;
		char *real = realpath(argv[1] + 1, NULL);
		fprintf(out, "%s %d\n", real, in ? getc(in) : 0);
		return fclose(out);
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	local read
	for read in "" read; do
		rm -rf d e l
		put d/e/f x
		differential --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool" -d/e/f $read
		mv d/e/f d/g
		ln -s ../g d/e/f
		again miss
		rm d/e/f
		mv d/g d/e/f
		again hit
		mv d l
		ln -s l d
		again miss
		differential --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool" "-$W/l/e/f" $read
		mv l/e l/real
		ln -s real l/e
		again miss
	done
}

# bats test_tags=check
@test "inputs_links: two directories on the path that were one" {
	local cc
	for cc in gcc clang; do
		command -v $cc >/dev/null || continue
		rm -rf one two cur
		mkdir one two
		put two/extra.h ''
		ln -s one cur
		put a.c '#if __has_include(<extra.h>)' 'int have = 1;' '#else' 'int have = 0;' \
			'#endif'
		differential --cold any --makes a.o -- $cc -Ione -Icur -c a.c
		ln -sfn two cur
		again miss
		# The working directory, by a name of its own.
		rm -rf cur other
		put other/h.h '#define V 1'
		put two/h.h '#define V 2'
		ln -s . cur
		put a.c '#include <h.h>' 'int v = V;'
		differential --cold any --makes a.o -- $cc -I. -Icur -Iother -c a.c
		ln -sfn two cur
		again miss
		# One of the two directories was a system directory.
		rm cur
		ln -s /usr/local/include cur
		put a.c '#if __has_include(<extra.h>)' 'int has = 1;' '#else' 'int has = 0;' \
			'#endif'
		differential --cold any --makes a.o -- $cc -Icur -c a.c
		rm cur
		put cur/extra.h ''
		again miss
	done
}

# linked VERDICT LINK COMMAND: from sh, where L is that link below the working directory. It is the
# base.
linked() {
	local verdict=$1 link=$2
	shift 2
	differential --cold "$verdict" --env "REPRISE_BASE_DIRS=$W/$link"$'\n'"L=$W/$link" -- \
		sh -c "$1" || fail "$link: $1"
}

# links_serve COMMAND: a result of the link l serves the other two links.
links_serve() {
	linked stored l "$1"
	linked hit link-of-the-second "$1"
	linked hit link-longer-than-its-directory "$1"
}

# links_differ COMMAND: whether l's result serves another link or not, each has that of a plain run.
links_differ() {
	linked any l "$1"
	linked any link-of-the-second "$1"
	linked any link-longer-than-its-directory "$1"
}

# bats test_tags=check
@test "inputs_links: base directories that are links, to paths of many lengths" {
	local d
	for d in directory/of/one directory-of/the-second b; do
		put $d/inc/a.h '#define A 1'
		put $d/src/a.c '#include "a.h"' 'int a = A;'
		put $d/src/name.c 'const char *name = __FILE__;'
		put $d/src/m.c 'int main(void) { return 0; }'
	done
	ln -s directory/of/one l
	ln -s "$W/directory-of/the-second" link-of-the-second
	ln -s directory-of/the-second m
	ln -s b link-longer-than-its-directory
	links_serve 'gcc -O2 -I"$L/inc" -MD -c "$L/src/a.c" -o a.o'
	# gcc spells a system header by its real path where that is shorter.
	linked stored l 'gcc -isystem "$L/inc" -MD -S "$L/src/a.c" -o a.s'
	linked hit m 'gcc -isystem "$L/inc" -MD -S "$L/src/a.c" -o a.s'
	linked miss link-longer-than-its-directory \
		'gcc -isystem "$L/inc" -MD -S "$L/src/a.c" -o a.s'
	grep -q "$W/b/inc/a.h" "$ROOT/r/warm.tree/a.d" || fail "$(cat "$ROOT/r/warm.tree/a.d")"
	linked stored l 'gcc -c "$L/src/name.c" -o name.o'
	linked any link-of-the-second 'gcc -c "$L/src/name.c" -o name.o'
	# The source itself is a header of a system directory.
	for d in l link-of-the-second link-longer-than-its-directory; do
		put $d/src/self.c '#ifndef SELF' '#define SELF' '#include <self.c>' \
			'#else' 'const char *name = __FILE__;' '#endif'
	done
	links_differ 'gcc -isystem "$L/src" -MD -c "$L/src/self.c" -o self.o'
	links_differ 'CPATH="$L/src" gcc -MD -c "$L/src/self.c" -o self.o'
	links_differ 'gcc --sysroot="$L" -MD -c "$L/src/a.c" -I"$L/inc" -o a.o'
	# Compiled and linked in one command, also with an object of the directory.
	links_serve 'gcc -O2 -I"$L/inc" "$L/src/m.c" "$L/src/a.c" -o prog'
	for d in l link-of-the-second link-longer-than-its-directory; do
		gcc -c $d/src/m.c -o $d/src/m.o
	done
	links_serve 'gcc -O2 -I"$L/inc" "$L/src/m.o" "$L/src/a.c" -o prog'
	links_differ 'gcc -flto -I"$L/inc" "$L/src/m.c" "$L/src/a.c" -o prog'
	# -g holds the names.
	links_differ 'gcc -g -I"$L/inc" -c "$L/src/a.c" -o a.o'
	links_differ 'gcc -shared -fPIC "$L/src/name.c" -o name.so'
	# The link now leads to another directory, first with another text and then with the same
	# text.
	put directory/of/two/inc/a.h '#define A 2'
	cp -r directory/of/one/src directory/of/two
	ln -sfn directory/of/two l
	linked miss l 'gcc -O2 -I"$L/inc" -MD -c "$L/src/a.c" -o a.o'
	put directory/of/two/inc/a.h '#define A 1'
	linked hit l 'gcc -O2 -I"$L/inc" -MD -c "$L/src/a.c" -o a.o'
}

# bats test_tags=check
@test "inputs_links: links of objects below a base that is a link" {
	local d
	for d in directory/of/one directory-of/the-second b plain; do
		put $d/m.c 'int f(void), g(void);' 'int main(void) { return f() + g(); }'
		put $d/f.c 'int f(void) { return 1; }'
		put $d/g.c 'int g(void) { return 2; }'
		(cd $d && gcc -c m.c f.c g.c && rm -f libf.a && ar rcsD libf.a f.o &&
			gcc -shared g.o -o libg.so)
	done
	ln -s directory/of/one l
	ln -s directory-of/the-second link-of-the-second
	ln -s b link-longer-than-its-directory
	links_serve 'gcc "$L/m.o" "$L/f.o" "$L/g.o" -o prog'
	linked hit plain 'gcc "$L/m.o" "$L/f.o" "$L/g.o" -o prog'
	links_serve 'gcc "$L/m.o" "$L/libf.a" "$L/g.o" -o prog'
	links_serve 'ld -r "$L/m.o" "$L/f.o" -o all.o'
	# DT_NEEDED holds the path.
	links_differ 'gcc "$L/m.o" "$L/f.o" "$L/libg.so" -o prog'
	# Other contents.
	put l/g.c 'int g(void) { return 3; }'
	(cd l && gcc -c g.c)
	linked miss l 'gcc "$L/m.o" "$L/f.o" "$L/g.o" -o prog'
	linked hit link-of-the-second 'gcc "$L/m.o" "$L/f.o" "$L/g.o" -o prog'
	# A sysroot: a script there leads to other files than a script elsewhere.
	for d in directory/of/one directory-of/the-second b; do put $d/script 'INPUT(/f.o)'; done
	links_differ 'ld --sysroot="$L" -r "$L/script" -o all.o'
}

# bats test_tags=check
@test "inputs_links: links below a base that is a link, by each linker" {
	local d
	for d in directory/of/one directory-of/the-second b; do
		put $d/m.c 'int main(void) { return 0; }'
		(cd $d && gcc -c m.c)
	done
	ln -s directory/of/one l
	ln -s directory-of/the-second link-of-the-second
	ln -s b link-longer-than-its-directory
	for d in bfd lld gold; do
		command -v ld.$d >/dev/null || skip "no ld.$d"
		links_serve "gcc -fuse-ld=$d "'"$L/m.o" -o prog'
	done
}

# bats test_tags=check
@test "inputs_links: a linker's sysroot is found by a link" {
	put root/one/script 'INPUT(/f.o)'
	put elsewhere/script 'INPUT(/f.o)'
	printf 'int f(void) { return 1; }' >f.c
	gcc -c f.c -o root/f.o
	ln -s root/one l
	ln -s elsewhere second
	age
	# Only below the sysroot the script leads to a file.
	differential --cold stored --env "REPRISE_BASE_DIRS=$W/l"$'\n'"L=$W/l" -- \
		sh -c 'ld --sysroot="$PWD/root" -r "$L/script" -o all.o'
	differential --fresh --cold any --warm any --status 1 \
		--env "REPRISE_BASE_DIRS=$W/second"$'\n'"L=$W/second" -- \
		sh -c 'ld --sysroot="$PWD/root" -r "$L/script" -o all.o'
}

# bats test_tags=check
@test "inputs_links: below a base that is a link the output is the source" {
	local d
	for d in real/one real/second; do put $d/a.c 'int a;'; done
	ln -s real/one l
	ln -s real/second link-of-the-second
	linked stored l 'gcc -S "$L/a.c" -o "$L/out.s"'
	# gcc compares the two real paths and refuses.
	ln -s a.c real/second/out.s
	differential --fresh --cold any --warm any --status 1 \
		--env "REPRISE_BASE_DIRS=$W/link-of-the-second" -- \
		gcc -S "$W/link-of-the-second/a.c" -o "$W/link-of-the-second/out.s"
	ln -sf "$W/l/a.c" real/one/out.s
	differential --fresh --cold any --warm any --status 1 --env "REPRISE_BASE_DIRS=$W/l" -- \
		gcc -S "$W/l/a.c" -o "$W/l/out.s"
	# gcc and ld refuse an object.
	for d in real/one real/second; do gcc -c $d/a.c -o $d/a.o; done
	linked stored l 'gcc -shared "$L/a.o" -o "$L/out"'
	linked hit link-of-the-second 'gcc -shared "$L/a.o" -o "$L/out"'
	ln -sf a.o real/second/out
	differential --fresh --cold any --warm any --status 1 \
		--env "REPRISE_BASE_DIRS=$W/link-of-the-second" -- \
		gcc -shared "$W/link-of-the-second/a.o" -o "$W/link-of-the-second/out"
	linked stored l 'ld -r "$L/a.o" -o "$L/out.o"'
	linked hit link-of-the-second 'ld -r "$L/a.o" -o "$L/out.o"'
	ln -sf "$W/link-of-the-second/a.o" real/second/out.o
	differential --fresh --cold any --warm any --status 1 \
		--env "REPRISE_BASE_DIRS=$W/link-of-the-second" -- \
		ld -r "$W/link-of-the-second/a.o" -o "$W/link-of-the-second/out.o"
}

# bats test_tags=check
@test "inputs_links: a compiler below a base that is a link finds its own passes" {
	local d from to gcc
	gcc=$(gcc -print-prog-name=cc1)
	from=${gcc%/cc1}
	[[ $from == */lib/gcc/* ]] || skip "gcc's passes are not in lib/gcc"
	to=lib/gcc/${from##*/lib/gcc/}
	for d in real/one real/second; do
		mkdir -p $d/bin $d/$to
		cp -L "$(command -v gcc)" $d/bin/gcc
		put $d/a.c 'int a;'
	done
	cp "$gcc" real/one/$to/cc1
	# Another version of cc1, whose output names the version.
	LC_ALL=C sed 's/GCC: /GcC: /' "$gcc" >real/second/$to/cc1
	chmod +x real/second/$to/cc1
	ln -s real/one l
	ln -s real/second link-of-the-second
	age
	linked any l '"$L/bin/gcc" -S "$L/a.c" -o a.s'
	grep -q GCC: "$ROOT/r/warm.tree/a.s" || fail "$(cat "$ROOT/r/warm.tree/a.s")"
	linked any link-of-the-second '"$L/bin/gcc" -S "$L/a.c" -o a.s'
	grep -q "GcC: " "$ROOT/r/warm.tree/a.s" || fail "its own cc1 did not run"
	linked hit link-of-the-second '"$L/bin/gcc" -S "$L/a.c" -o a.s'
}
