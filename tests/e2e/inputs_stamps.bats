#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": a name and its stamp say too little. Times that are
# restored or too new, inodes, and equal headers whose times or places a compiler compares.

setup() {
	load lib
	case_setup
	source_with_header 'int a = A;'
}
teardown() { case_teardown; }

@test "inputs_stamps: a header written during or just before the run is too new" {
	local i
	for i in 1 2 3; do
		put a.h "#define A $i"
		under gcc -c a.c -o got.o
		gcc -c a.c -o want.o
		cmp got.o want.o
	done
	[ "$(stat_of hits_local)" = 0 ]
	# A source written just now is proved by its digest before and after.
	put b.c 'int b;'
	under gcc -c b.c
	under gcc -c b.c
	[ "$(stat_of hits_local)" = 1 ] || fail "a new source was not kept"
}

@test "inputs_stamps: a header written just before the run, and opened later, is kept" {
	put g.cc '#include <map>' '#include "g.h"' 'int g = G;'
	age
	local i
	for i in 1 2 3; do
		put g.h "#define G $i"
		under g++ -c g.cc -o got.o
		g++ -c g.cc -o want.o
		cmp got.o want.o
		under g++ -c g.cc -o got.o
		cmp got.o want.o
	done
	[ "$(stat_of hits_local)" = 3 ] || fail "$(reprise explain)"
}

# bats test_tags=check
@test "inputs_stamps: a file written just before the run, opened, and then written again" {
	cat >slow.c <<-'EOC'
	#include <stdio.h>
	#include <unistd.h>
	int main(void)
	{
		char text[8] = "";
		FILE *in, *out;
		usleep(30000);
		in = fopen("in", "r");
		fread(text, 1, 7, in);
		usleep(600000);
		out = fopen("out", "w");
		fputs(text, out);
		return fclose(out) || fclose(in);
	}
	EOC
	gcc slow.c -o "$ROOT/mytool" 2>/dev/null
	RPENV+=(REPRISE_TOOLS=+mytool)
	local i
	for i in 1 2 3; do
		put in "old $i"
		under "$ROOT/mytool" &
		sleep 0.3
		put in "new $i"
		wait
		[ "$(cat out)" = "old $i" ]
		under "$ROOT/mytool"
		[ "$(cat out)" = "new $i" ]
	done
	[ "$(stat_of unstored)" = 3 ] || fail "$(reprise explain)"
}

@test "inputs_stamps: a new C++ source that draws a warning" {
	# A diagnostic shows its line: the source is read a second time.
	local i
	for i in 1 2 3 4 5 6 7 8; do
		put w.cc "int f$i(int x) { int unused; return x; }"
		under g++ -Wall -c w.cc 2>e1
		under g++ -Wall -c w.cc 2>e2
		cmp e1 e2
	done
	[ "$(stat_of hits_local)" = 8 ] ||
		fail "$((8 - $(stat_of hits_local))) of 8 new sources were not kept"
}

@test "inputs_stamps: same size and restored time" {
	touch -d '2020-01-01' a.h
	differential -- gcc -c a.c
	put a.h '#define A 2'
	touch -d '2020-01-01' a.h
	again miss
}

@test "inputs_stamps: same size and restored time, written in place through mmap" {
	touch -d '2020-01-01' a.h
	differential -- gcc -c a.c
	"$PY" -c 'import mmap, os
f = open("a.h", "r+b")
m = mmap.mmap(f.fileno(), 0)
m[10:11] = b"3"
m.flush()
m.close()
f.close()
os.utime("a.h", (1577836800, 1577836800))'
	grep -q 'A 3' a.h
	again miss
}

@test "inputs_stamps: a renamed file takes its place, inode and time alike or not" {
	put b.h '#define A 5'
	touch -d '2020-01-01' a.h b.h
	differential -- gcc -c a.c
	mv b.h a.h
	again miss
}

@test "inputs_stamps: two images with equal stamps and other bytes" {
	need mksquashfs
	need_mounts
	mkdir "$ROOT/t"
	local i
	for i in 1 2; do
		rm -rf "$ROOT/t/"*
		mkdir "$ROOT/t/inc"
		put "$ROOT/t/inc/h.h" "int v = $i;"
		mksquashfs "$ROOT/t" "$ROOT/img$i" -all-time 0 -mkfs-time 0 -quiet -no-progress \
			-noappend >/dev/null
	done
	put a.c '#include <h.h>'
	mkdir "$ROOT/m"
	age
	unshare -m mount -o loop,ro "$ROOT/img1" "$ROOT/m" 2>why ||
		skip "no loop mounts of squashfs here: $(tail -n 1 why | sed 's/.*: //')"
	for i in 1 2 1 2; do
		unshare -m sh -c 'mount -o loop,ro "$1" "$2"; shift 2; exec "$@"' sh "$ROOT/img$i" \
			"$ROOT/m" \
			env "${RPENV[@]}" gcc "-I$ROOT/m/inc" -c a.c -o got.o
		put want.c "int v = $i;"
		gcc -c want.c -o want.o
		[ "$(objdump -s -j .data got.o | tail -n 1)" = "$(objdump -s -j .data want.o |
			tail -n 1)" ] ||
			fail "image $i: the other's header was used"
	done
}

@test "inputs_stamps: a header comes and goes as fast as replays are" {
	# The object lies in a searched directory: each replay changes that directory's stamp, and
	# the next change falls into the same tick of its clock.
	put far/h.h 'int v = 2;'
	put b.c '#include <h.h>'
	age
	local i
	under gcc -I. -Ifar -c b.c -o far.o
	put h.h 'int v = 1;'
	age
	under gcc -I. -Ifar -c b.c -o near.o
	for ((i = 0; i < 25; i++)); do
		rm h.h
		under gcc -I. -Ifar -c b.c -o got.o
		cmp got.o far.o || fail "round $i: the header that is gone was used"
		echo 'int v = 1;' >h.h
		under gcc -I. -Ifar -c b.c -o got.o
		cmp got.o near.o || fail "round $i: the header that appeared was overlooked"
	done
}

@test "inputs_stamps: a header of equal size changes as fast as replays are" {
	local i
	for i in 1 2; do
		put a.h "#define A $i"
		age
		under gcc -c a.c -o $i.o
	done
	for ((i = 0; i < 25; i++)); do
		echo '#define A 1' >a.h
		under gcc -c a.c -o got.o
		cmp got.o 1.o || fail "round $i: stale header"
		echo '#define A 2' >a.h
		under gcc -c a.c -o got.o
		cmp got.o 2.o || fail "round $i: stale header"
	done
}

# bats test_tags=check
# Two equal headers that are included once: by time (gcc), or as one file (clang).
equal_headers() { # DIRECTIVE HOW
	local include='#include'
	[ "$1" != import ] || include='#import'
	put a/h.h "$([ "$1" = import ] || echo "$1")" 'N(1)'
	mkdir -p b
	cp -p a/h.h b/h.h
	put once.c 'enum {' '#define N(x) A##x = 1,' "$include \"a/h.h\"" '#undef N' \
		'#define N(x) B##x = 2,' \
		"$include \"b/h.h\"" '};' 'int b = sizeof(int) * 3;'
}

# bats test_tags=check
@test "inputs_stamps: equal headers come to have one time, or other times" {
	local once
	for once in '#pragma once' '_Pragma("once")' import; do
		equal_headers "$once"
		differential -- gcc -w -P -E once.c
		grep -q A1 "$ROOT/r/warm.out"
		! grep -q B1 "$ROOT/r/warm.out" || fail "$once: not one file to gcc"
		touch -d '2020-02-02 02:02:02.5' b/h.h
		again miss:input
		grep -q B1 "$ROOT/r/warm.out"
		touch -d '2020-02-02 02:02:02' a/h.h # the second counts
		again hit
		! grep -q B1 "$ROOT/r/warm.out" ||
			fail "$once: the second of their times is not what gcc compares"
		# Both times are new, and equal as before.
		touch -d '2022-02-02' a/h.h b/h.h
		again hit
		touch -d '2022-02-03' a/h.h
		again hit
		rm -rf once.c a b "$STORE"
	done
}

@test "inputs_stamps: a source and its equal in another directory" {
	put a.cc '#ifndef AGAIN' '#define AGAIN' '#import "x/a.cc"' '#else' 'int twice;' '#endif'
	mkdir x
	cp -p a.cc x/
	differential -- g++ -w -c a.cc
	touch -d '2020-02-02' x/a.cc
	again miss:input
	touch -r x/a.cc a.cc
	again hit
	echo '// a comment that the key leaves out' >>a.cc # no longer equal
	touch -r x/a.cc a.cc
	again miss
}

# bats test_tags=check
@test "inputs_stamps: equal headers are linked to one file, or copied apart" {
	need clang
	equal_headers '#pragma once'
	differential -- clang -P -E once.c
	grep -q B1 "$ROOT/r/warm.out"
	touch -d '2020-02-02' a/h.h
	again hit
	ln -f a/h.h b/h.h
	again miss:input
	! grep -q B1 "$ROOT/r/warm.out" || fail "not one file to clang"
	rm b/h.h
	ln -s ../a/h.h b/h.h
	again hit
	rm b/h.h
	cp a/h.h b/h.h
	again hit
	mv b c
	ln -s a b
	# The files are still one file. That their directories are one is new.
	again miss:input
	grep -q A1 "$ROOT/r/warm.out"
	! grep -q B1 "$ROOT/r/warm.out" || fail "not one directory to clang"
}

@test "inputs_stamps: a precompiled header's file has an equal that becomes the same file" {
	need clang
	equal_headers '#pragma once'
	put pre.h '#define N(x) int A##x;' '#include "a/h.h"' '#undef N'
	put once.c '#define N(x) int B##x;' '#include "b/h.h"' 'int C;'
	clang -Xclang -fno-pch-timestamp -x c-header pre.h -o pre.h.pch
	differential -- clang -include-pch pre.h.pch -c once.c
	nm "$ROOT/r/warm.tree/once.o" | grep -q B1
	ln -f a/h.h b/h.h
	again miss:input
	! nm "$ROOT/r/warm.tree/once.o" | grep -q B1 || fail "not one file to clang"
}

@test "inputs_stamps: equal objects are linked, and are built anew" {
	put e.c ''
	gcc -c e.c -o 1.o
	cp -p 1.o 2.o
	put main.c 'int main(void) { return 0; }'
	gcc -c main.c
	differential -- gcc main.o 1.o 2.o -o m
	touch -d '2020-02-02' 2.o
	again hit
}

# bats test_tags=check
@test "inputs_stamps: a header on tmpfs, written through a mapping, which sets its times once" {
	local shm=/dev/shm/reprise-case-$$ i took start
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "no tmpfs at /dev/shm"
	mkdir "$shm"
	put "$shm/mapped.h" 'int one;'
	# Writes a word of three letters through the mapping; `new` sets the times.
	cat >"$ROOT/map.py" <<-'EOC'
	import mmap, os, sys
	f = open(sys.argv[1], "r+b")
	m = mmap.mmap(f.fileno(), 0)
	m[4:7] = b"one"
	for line in sys.stdin:
	    line = line.strip().encode()
	    os.utime(sys.argv[1]) if line == b"new" else m.__setitem__(slice(4, 7), line)
	    print("done", flush=True)
	EOC
	coproc MAP { "$PY" "$ROOT/map.py" "$shm/mapped.h"; }
	say() { echo "$1" >&"${MAP[1]}" && read -r _ <&"${MAP[0]}"; }
	put b.c '#include "mapped.h"' 'int b;'
	# On a busy machine the two seconds may have gone by before all is done.
	for i in 1 2 3 4 5; do
		say one
		say new
		start=$EPOCHREALTIME
		sleep 0.1
		under gcc -E -I"$shm" b.c </dev/null >"$ROOT/1"
		under gcc -E -I"$shm" b.c </dev/null >"$ROOT/2"
		say two
		under gcc -E -I"$shm" b.c </dev/null >"$ROOT/3"
		took=$((${EPOCHREALTIME/./} - ${start/./}))
		[ $took -gt 1900000 ] || break
	done
	exec {MAP[1]}>&-
	rm -r "$shm"
	[ $took -le 1900000 ] || skip "the machine is too busy: $took us"
	grep -q one "$ROOT/1"
	cmp "$ROOT/1" "$ROOT/2"
	[ "$(stat_of hits_local)" -ge 1 ] || fail "no hit"
	grep -q 'int two' "$ROOT/3" || fail "what was there before is replayed"
}
