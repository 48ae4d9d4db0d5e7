#!/usr/bin/env bats
# Every row of the table of wrong-hit triggers, "Inputs".

setup() {
	load lib
	case_setup
	put a.c '#include "a.h"' 'int a = A;'
	put a.h '#define A 1'
}
teardown() { case_teardown; }

@test "inputs: __TIME__ in the source" {
	put a.c 'const char t[] = __TIME__;'
	differential --ignore a.o --cold unstored:time -- gcc -c a.c
}

@test "inputs: __TIME__ in a header" {
	put a.h '#define A sizeof(__TIME__)' 'static const char t[] __attribute__((used)) = __TIME__;'
	differential --ignore a.o --cold unstored:time -- gcc -c a.c
}

@test "inputs: __DATE__ in a header" {
	put a.h '#define A __DATE__[5]' 'static const char t[] __attribute__((used)) = __DATE__;'
	put a.c '#include "a.h"' 'const char *a(void) { return __DATE__; }'
	differential --cold unstored:time -- gcc -c a.c
}

@test "inputs: __TIMESTAMP__ follows the source's time" {
	put a.c 'const char t[] = __TIMESTAMP__;'
	touch -d '2020-02-02 02:02:02' a.c
	differential --cold any -- gcc -c a.c
	touch -d '2021-01-01 01:01:01' a.c
	again any
	strings "$ROOT/r/warm.tree/a.o" | grep -q 2021
}

@test "inputs: SOURCE_DATE_EPOCH" {
	put a.c 'const char t[] = __DATE__ __TIME__;'
	differential --cold any --env SOURCE_DATE_EPOCH=1000000000 -- gcc -c a.c
	again any --env SOURCE_DATE_EPOCH=1500000000
	again any --env SOURCE_DATE_EPOCH=1000000000
	again any --env SOURCE_DATE_EPOCH=bad --status any
}

@test "inputs: the word __TIME__ in a comment or an unused macro" {
	put a.c '/* __TIME__ */' '#define T __TIME__' 'int a;'
	differential -- gcc -c a.c
}

@test "inputs: a header is modified, removed, empty" {
	differential -- gcc -c a.c
	put a.h '#define A 2'
	again miss:input
	rm a.h
	again unstored:failed --status 1
	put a.h '#define A 1'
	again hit
	: >a.h
	again unstored:failed --status 1
}

@test "inputs: an empty source" {
	: >e.c
	differential --makes e.o -- gcc -c e.c
	: >e.cc
	differential --makes e.o -- g++ -c e.cc
}

@test "inputs: a header appears earlier on the search path" {
	mkdir one two
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione -Itwo -c a.c
	put one/h.h 'int v = 1;'
	again miss
	rm one/h.h
	again hit
}

@test "inputs: a header appears beside the source" {
	put two/h.h 'int v = 2;'
	put a.c '#include "h.h"'
	differential -- gcc -Itwo -c a.c
	put h.h 'int v = 1;'
	again miss
}

@test "inputs: __has_include turns true, in a header" {
	put a.h '#if __has_include(<late.h>)' '#define A 7' '#else' '#define A 8' '#endif'
	mkdir inc
	differential -- gcc -Iinc -c a.c
	put inc/late.h ''
	again miss
}

@test "inputs: a directory of the search path comes into being" {
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione/deep/er -Itwo -c a.c
	put one/deep/er/h.h 'int v = 1;'
	again miss
	rm -r one
	again hit
	put one 'a file in its place'
	again any --status any
}

@test "inputs: a directory takes the place of a header" {
	mkdir one
	put two/h.h 'int v = 2;'
	put a.c '#include <h.h>'
	differential -- gcc -Ione -Itwo -c a.c
	mkdir one/h.h
	again any --status any
}

@test "inputs: an earlier executable appears on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	printf '#!/bin/sh\nexec %s -march=i686 "$@"\n' "$(command -v as)" >early/as
	printf '#!/bin/sh\n/bin/echo early as >&2\nexec %s "$@"\n' "$(command -v as)" >early/as
	chmod +x early/as
	again any
	grep -q 'early as' "$ROOT/r/warm.err"
	again any
}

@test "inputs: a compiled earlier 'as' on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	put as.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5); execv("'"$(command -v as)"'", v); return 9; }'
	gcc as.c -o early/as
	rm as.c
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs: the assembler behind -B is replaced" {
	mkdir tools
	cp "$(command -v as)" tools/as
	differential -- gcc -Btools -c a.c
	put as.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5); execv("'"$(command -v as)"'", v); return 9; }'
	gcc as.c -o tools/as
	rm as.c
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs: cc1 behind -B appears" {
	mkdir tools
	differential -- gcc -Btools -c a.c
	cp "$(gcc -print-prog-name=cc1)" tools/cc1
	again miss
	printf x >>tools/cc1
	again miss
}

@test "inputs: the compiler is replaced in place, same version text" {
	mkdir bin
	cp "$(readlink -f "$(command -v gcc)")" bin/gcc
	differential -- "$W/bin/gcc" "-B$(dirname "$(gcc -print-prog-name=cc1)")" -c a.c
	printf x >>bin/gcc
	again miss
}

@test "inputs: a specs file" {
	gcc -dumpspecs >my.specs
	put x.specs '*cc1_options:' '+ -DX=1'
	put a.c 'int a = X;'
	differential -- gcc -specs=x.specs -c a.c
	put x.specs '*cc1_options:' '+ -DX=2'
	again miss
}

@test "inputs: another linker by -fuse-ld, and one that appears behind -B" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	mkdir tools
	differential -- gcc -Btools m.o -o m
	need ld.gold
	cp "$(command -v ld.gold)" tools/ld
	again miss
	again any -- gcc -fuse-ld=gold m.o -o m
}

@test "inputs: a library behind -L changes, and a new one shadows it" {
	put m.c 'int f(void); int main(void) { return f(); }'
	put f.c 'int f(void) { return 0; }'
	gcc -c m.c f.c
	mkdir one two
	ar rcs two/libf.a f.o
	differential -- gcc m.o -Lone -Ltwo -lf -o m
	put f.c 'int f(void) { return 3; }'
	gcc -c f.c
	rm -f two/libf.a
	ar rcs two/libf.a f.o
	again miss
	put f.c 'int f(void) { return 4; }'
	gcc -shared -fPIC f.c -o one/libf.so
	again miss
}

@test "inputs: -B and -L without an argument of their own" {
	differential --cold any --status any -- gcc -c a.c -B
	differential --cold any --status any -- gcc -c a.c -L
	differential --cold any --status any -- gcc -L '' -c a.c
	differential --cold any --status any -- gcc -B '' -c a.c
}

@test "inputs: .incbin" {
	put blob 'abc'
	put a.c '__asm__(".data\n.globl b\nb: .incbin \"blob\"\n");'
	differential -- gcc -c a.c
	put blob 'abd'
	again miss
	rm blob
	again any --status any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g'
}

@test "inputs: .include of the assembler" {
	put x.inc '.long 1'
	put a.s '.include "x.inc"'
	differential -- gcc -c a.s
	put x.inc '.long 2'
	again miss
}

@test "inputs: #embed" {
	put a.c '#if __has_embed("blob")' '#endif' 'char b[] = {' '#embed "blob"' '};'
	put blob abc
	gcc -std=c23 -c a.c -o /dev/null 2>/dev/null || skip "this gcc has no #embed"
	differential -- gcc -std=c23 -c a.c
	put blob abd
	again miss
}

@test "inputs: a response file's content" {
	put args '-DX=1'
	put b.c 'int b = X;'
	differential -- gcc @args -c b.c
	put args '-DX=2'
	again miss
}

@test "inputs: the source on stdin, by - , /dev/stdin, /proc/self/fd/0" {
	put b.c 'int b = 1;'
	differential --stdin b.c --makes o.o -- gcc -x c -c - -o o.o
	put b.c 'int b = 2;'
	again miss
	differential --stdin b.c --cold bypass --makes o.o -- gcc -x c -c /dev/stdin -o o.o
	differential --stdin b.c --cold bypass --makes o.o -- gcc -x c -c /proc/self/fd/0 -o o.o
	differential --makes o.o -- sh -c 'cat b.c | gcc -x c -c - -o o.o'
}

@test "inputs: process substitution and FIFOs" {
	differential --cold bypass --makes o.o -- bash -c 'gcc -x c -c <(echo "int p;") -o o.o'
	differential --cold bypass --makes o.o -- bash -c 'mkfifo p; (echo "int p;" >p) & gcc -x c -c p -o o.o; wait; rm p'
	# One behind an #include, too.
	put i.c '#include "fifo.h"'
	differential --cold any --makes o.o -- bash -c 'mkfifo fifo.h; (for i in 1 2; do echo "int p$RANDOM;" >fifo.h; done) & gcc -c i.c -o o.o >/dev/null 2>&1; kill $! 2>/dev/null; rm fifo.h; gcc -x c -c /dev/null -o o.o'
}

@test "inputs: -x c -c /dev/null, -x none, an unknown language" {
	differential --cold any --makes o.o -- gcc -x c -c /dev/null -o o.o
	differential --makes "a.o" -- gcc -x none -c a.c
	differential --cold any --status 1 -- gcc -x nosuch -c a.c
	differential --cold any --status any -- gcc -x c -c a.c -x
}

@test "inputs: no extension, a final dot, several extensions, extensionless assembler" {
	put noext 'int n;'
	put 'dot.' 'int d;'
	put several.ext.c 'int s;'
	put asm '.globl x' 'x: ret'
	differential --cold any --status any -- gcc -c noext
	differential --makes noext.o -- gcc -x c -c noext
	differential --cold any --status any -- gcc -x c -c 'dot.'
	differential --makes several.ext.o -- gcc -c several.ext.c
	differential --makes asm.o -- gcc -x assembler -c asm
}

@test "inputs: a header written during or just before the run is too new" {
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

@test "inputs: a new C++ source that draws a warning" {
	# A diagnostic shows its line: the source is read a second time.
	local i
	for i in 1 2 3 4 5 6 7 8; do
		put w.cc "int f$i(int x) { int unused; return x; }"
		under g++ -Wall -c w.cc 2>e1
		under g++ -Wall -c w.cc 2>e2
		cmp e1 e2
	done
	[ "$(stat_of hits_local)" = 8 ] || fail "$((8 - $(stat_of hits_local))) of 8 new sources were not kept"
}

@test "inputs: a header changes while the tool runs" {
	put big.cc '#include "one.h"' 'constexpr int f() { int s = 0; for (int i = 0; i < 300000; i++) s += i % 7; return s; }' \
		'constexpr int v = f();' '#include "two.h"'
	put one.h 'int one = 1;'
	put two.h 'int two = 1;'
	age
	local s
	(sleep 0.15; put two.h 'int two = 2222;') &
	under g++ -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=2000000000 -c big.cc && s=0 || s=$?
	wait
	[ $s = 0 ]
	age
	under g++ -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=2000000000 -c big.cc -o got.o
	g++ -fconstexpr-ops-limit=2000000000 -fconstexpr-loop-limit=2000000000 -c big.cc -o want.o
	cmp got.o want.o
	[ "$(stat_of errors)" = 0 ]
}

@test "inputs: same size and restored time" {
	touch -d '2020-01-01' a.h
	differential -- gcc -c a.c
	put a.h '#define A 2'
	touch -d '2020-01-01' a.h
	again miss
}

@test "inputs: same size and restored time, written in place through mmap" {
	touch -d '2020-01-01' a.h
	differential -- gcc -c a.c
	"$PY" -c 'import mmap, os
f = open("a.h", "r+b"); m = mmap.mmap(f.fileno(), 0); m[10:11] = b"3"; m.flush(); m.close(); f.close()
os.utime("a.h", (1577836800, 1577836800))'
	grep -q 'A 3' a.h
	again miss
}

@test "inputs: a renamed file takes its place, inode and time alike or not" {
	put b.h '#define A 5'
	touch -d '2020-01-01' a.h b.h
	differential -- gcc -c a.c
	mv b.h a.h
	again miss
}

@test "inputs: a symbolic link is turned to another file" {
	put one.h '#define A 1'
	put two.h '#define A 2'
	ln -sf one.h a.h
	differential -- gcc -c a.c
	ln -sf two.h a.h
	again miss
	ln -sf one.h a.h
	again hit
}

@test "inputs: a linked directory is turned to another" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	ln -s one inc
	put a.c '#include <h.h>'
	differential -- gcc -Iinc -c a.c
	ln -sfn two inc
	again miss
}

@test "inputs: a hard link of a header is swapped" {
	put one.h '#define A 1'
	put two.h '#define A 2'
	ln -f one.h a.h
	differential -- gcc -c a.c
	ln -f two.h a.h
	again miss
}

@test "inputs: a header that is a dangling link until its target appears" {
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

@test "inputs: a dangling linked directory whose target appears" {
	mkdir other
	put other/h.h 'int v = 2;'
	ln -s nowhere/yet inc
	put a.c '#include <h.h>'
	differential -- gcc -Iinc -Iother -c a.c
	put nowhere/yet/h.h 'int v = 1;'
	again miss
}

@test "inputs: .. through a linked directory is not folded" {
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

@test "inputs: a header is readable, then not, then again" {
	[ "$(id -u)" = 0 ] && ! command -v setpriv >/dev/null && skip "no setpriv here to leave root"
	for_user
	age
	as_user env "${RPENV[@]}" gcc -c a.c -o 1.o
	as_user env "${RPENV[@]}" gcc -c a.c -o 1.o
	chmod 000 a.h
	if as_user env "${RPENV[@]}" gcc -c a.c -o 2.o 2>err; then fail "compiled without leave to read"; fi
	grep -q 'ermission' err
	chmod 644 a.h
	as_user env "${RPENV[@]}" gcc -c a.c -o 3.o
	cmp 1.o 3.o
}

@test "inputs: a directory of the search path without leave to search" {
	for_user
	put two/h.h 'int v = 2;'
	put one/h.h 'int v = 1;'
	put a.c '#include <h.h>'
	for_user
	chmod 000 one
	age
	as_user env "${RPENV[@]}" gcc -Ione -Itwo -c a.c -o 1.o || true
	chmod 755 one
	age
	as_user env "${RPENV[@]}" gcc -Ione -Itwo -c a.c -o 2.o
	as_user gcc -Ione -Itwo -c a.c -o want.o
	cmp 2.o want.o
}

@test "inputs: PCH rows" {
	# In pch.bats; here the one that a plain header compile may not overlook.
	differential -- gcc -c a.c
	gcc -DOTHER a.h -o a.h.gch
	again miss
}

@test "inputs: profile rows" {
	# In coverage.bats; here a .gcda that appears where a compile looked for it.
	put m.c 'int main(int c, char **v) { return c > 5; }'
	differential -- gcc -O2 -fprofile-use -Wno-missing-profile -c m.c
	gcc -O2 -fprofile-generate m.c -o m
	./m
	mv m-m.gcda m.gcda 2>/dev/null || true
	rm m
	[ -e m.gcda ] || skip "this gcc names its profile otherwise"
	again any
}

@test "inputs: comment markers in strings, #line with odd names" {
	put a.c 'const char *s = "/* not a comment */ // nor this";' '#line 5 "a \"quoted\" name.c"' 'const char *f = __FILE__;' \
		'#line 7 "/no/such/dir/x.c"' '#warning here'
	differential -- gcc -c a.c
}

@test "inputs: the same includes in two directories" {
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put one/a.c '#include "h.h"'
	put two/a.c '#include "h.h"'
	differential -- gcc -c one/a.c -o a.o
	again miss -- gcc -c two/a.c -o a.o
	differential --cd one --cold any -- gcc -c a.c
	again miss --cd two
}

@test "inputs: two images with equal stamps and other bytes" {
	need mksquashfs unshare
	need_root "mounting"
	mkdir "$ROOT/t"
	local i
	for i in 1 2; do
		rm -rf "$ROOT/t/"*
		mkdir "$ROOT/t/inc"
		put "$ROOT/t/inc/h.h" "int v = $i;"
		mksquashfs "$ROOT/t" "$ROOT/img$i" -all-time 0 -mkfs-time 0 -quiet -no-progress -noappend >/dev/null 2>&1 ||
			skip "this mksquashfs cannot clamp times"
	done
	put a.c '#include <h.h>'
	mkdir "$ROOT/m"
	age
	for i in 1 2 1 2; do
		unshare -m sh -c 'mount -o loop,ro "$1" "$2" || exit 77; shift 2; "$@"' sh "$ROOT/img$i" "$ROOT/m" \
			env "${RPENV[@]}" gcc "-I$ROOT/m/inc" -c a.c -o got.o || {
			[ $? != 77 ] || skip "loop mounts are not permitted here"
			return 1
		}
		put want.c "int v = $i;"
		gcc -c want.c -o want.o
		[ "$(objdump -s -j .data got.o | tail -n 1)" = "$(objdump -s -j .data want.o | tail -n 1)" ] ||
			fail "image $i: the other's header was used"
	done
}

@test "inputs: a bind mount changes what a path means" {
	need unshare
	need_root "mounting"
	put one/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	touch -d @1000000000 one/h.h two/h.h
	mkdir inc
	put a.c '#include <h.h>'
	age
	local i
	for i in one two one two; do
		unshare -m sh -c 'mount --bind "$1" inc || exit 77; shift; "$@"' sh $i \
			env "${RPENV[@]}" gcc -Iinc -c a.c -o got.o || {
			[ $? != 77 ] || skip "mounts are not permitted here"
			return 1
		}
		gcc -I$i -c a.c -o want.o
		cmp got.o want.o
	done
}

@test "inputs: getcwd through a directory that was moved" {
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

@test "inputs: a header comes and goes as fast as replays are" {
	# The object lies in a searched directory: each replay changes that directory's stamp, and the next
	# change falls into the same tick of its clock.
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

@test "inputs: a header of equal size changes as fast as replays are" {
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

@test "inputs: a searched directory is swapped by rename" {
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

@test "inputs: a mount fills a searched directory" {
	need unshare
	need_root "mounting"
	mkdir inc
	put alt/h.h 'int v = 1;'
	put two/h.h 'int v = 2;'
	put b.c '#include <h.h>'
	age
	under gcc -Iinc -Itwo -c b.c -o 2.o
	under gcc -Iinc -Itwo -c b.c -o 2.o
	unshare -m sh -c 'mount --bind alt inc || exit 77; "$@"' sh env "${RPENV[@]}" gcc -Iinc -Itwo -c b.c -o 2.o || {
		[ $? != 77 ] || skip "mounts are not permitted here"
		return 1
	}
	gcc -Ialt -Itwo -c b.c -o want.o
	cmp 2.o want.o
	under gcc -Iinc -Itwo -c b.c -o 2.o
	gcc -Itwo -c b.c -o want.o
	cmp 2.o want.o
}

@test "inputs: clang picks the newest gcc of a directory" {
	need clang++
	local v
	for v in 12 13; do
		mkdir -p gt/lib/gcc/x86_64-linux-gnu/$v
		: >gt/lib/gcc/x86_64-linux-gnu/$v/crtbegin.o
		put gt/include/c++/$v/picked "int v = $v;"
		mkdir -p gt/include/c++/$v/x86_64-linux-gnu gt/include/c++/$v/backward
	done
	mv gt/lib/gcc/x86_64-linux-gnu/13 later
	put b.cc '#include <picked>'
	clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc 2>/dev/null || skip "this clang finds no such toolchain"
	rm -f b.o
	differential -- clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc
	mv later gt/lib/gcc/x86_64-linux-gnu/13
	again miss
}

@test "inputs: a source becomes a FIFO, a directory, a link to nothing" {
	put s.c 'int s;'
	differential -- gcc -c s.c
	mv s.c t.c
	ln -s nothing s.c
	again any --status 1
	rm s.c
	mkdir s.c
	again any --status 1
	rmdir s.c
	differential --cold any --makes s.o -- bash -c 'mkfifo s.c; (cat t.c >s.c &); gcc -c s.c; s=$?; rm s.c; exit $s'
	mv t.c s.c
	again any --warm hit -- gcc -c s.c
}

@test "inputs: another preload that changes what a tool says" {
	put p.c '#include <unistd.h>' '__attribute__((constructor)) static void c(void) { write(2, "preloaded\n", 10); }'
	gcc -w -shared -fPIC p.c -o "$ROOT/p.so"
	put b.c 'int b;'
	age
	differential -- gcc -c b.c
	rm -f b.o
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/p.so:$REPRISE_LIB" gcc -c b.c 2>got
	env LD_PRELOAD="$ROOT/p.so" gcc -c b.c 2>want
	cmp got want || fail "with another preload: $(cat got)"
	under gcc -c b.c 2>got
	[ ! -s got ] || fail "without it: $(cat got)"
}

@test "inputs: LD_LIBRARY_PATH gives a pass another library" {
	local z
	z=$(ldd "$(gcc -print-prog-name=cc1)" 2>/dev/null | sed -n 's/.*libz\.so\.1 => \([^ ]*\) .*/\1/p')
	[ -n "$z" ] || skip "this cc1 has no shared libz"
	mkdir lib
	put b.c 'int b;'
	# The real library under its name, needed by one of ours that takes its place.
	put p.c '#include <unistd.h>' '__attribute__((constructor)) static void c(void) { write(2, "other libz\n", 11); }'
	cp "$z" lib/libreal.so
	gcc -w -shared -fPIC p.c -o lib/libz.so.1 -Wl,-soname,libz.so.1
	env LD_LIBRARY_PATH="$W/lib" gcc -c b.c 2>/dev/null || skip "cc1 needs more of libz than an empty one"
	rm -f b.o
	differential -- gcc -c b.c
	again any --env "LD_LIBRARY_PATH=$W/lib"
	grep -q 'other libz' "$ROOT/r/warm.err"
	again any --warm hit --env ""
}

@test "inputs: comment lines appended to a source" {
	# Inductor appends its command line. Whether that hits or not, the result is that of the new text.
	local base=('#include "a.h"' 'int f(int x) { return x + A; }') cmd
	for cmd in "g++ -g -c b.cc" "g++ -E b.cc" "g++ -E -C b.cc" "g++ -S -fverbose-asm b.cc" "g++ -Wall -Wcomment -c b.cc" \
		"g++ -save-temps -g3 -c b.cc" "clang++ -gdwarf-5 -c b.cc" "clang++ -Weverything -g -gembed-source -c b.cc"; do
		read -ra cmd <<<"$cmd"
		command -v "${cmd[0]}" >/dev/null || continue
		put b.cc "${base[@]}"
		differential --cold any --warm none --status any -- "${cmd[@]}"
		put b.cc "${base[@]}" '// g++ b.cc -o b.o -O3'
		again any --warm none
		put b.cc "${base[@]}" '// g++ b.cc -o b.o -O3' '// cmd 2 \'
		again any --warm none
		printf '%s\n' "${base[@]}" '// no newline' >b.cc
		printf '// at the end' >>b.cc
		again any --warm none
	done
}

@test "inputs: what only looks like a comment line at a source's end" {
	local base=('#include "a.h"' 'int f(int x) { return x + A; }') cmd t
	for cmd in "g++ -g -c b.cc" "g++ -E b.cc"; do
		read -ra cmd <<<"$cmd"
		put b.cc "${base[@]}"
		differential --cold any --warm none --status any -- "${cmd[@]}"
		put b.cc "${base[@]}" '#define X \' '// in the macro'
		again any --warm none
		put b.cc "${base[@]}" '/* open' '// not closed'
		again any --warm none
		for t in one another; do
			put b.cc "${base[@]}" 'const char *r = R"(' "// in $t string" ')";'
			again any --warm none
		done
	done
}

@test "inputs: a source that includes or embeds itself, with comments at its end" {
	put b.cc '#ifndef AGAIN' '#define AGAIN' 'int one;' '#include __FILE__' '#else' '__asm__(".incbin \"b.cc\"");' '#endif'
	differential --cold any -- g++ -c b.cc
	echo '// more' >>b.cc
	again any
	put c.cc 'int lines = __LINE__;' '// one' '// two'
	differential --cold any -- g++ -c c.cc
	put c.cc '// one' '// two' 'int lines = __LINE__;'
	again any
}

@test "inputs: met by two processes at once, in whatever order: the same entry" {
	local i
	put c.c '#include <stdio.h>' '#include <stdlib.h>' 'int c;'
	age
	for i in 1 2 3 4 5 6 7 8; do
		rm -rf "$STORE"
		under gcc -pipe -c c.c # the assembler runs beside the compiler
		(cd "$STORE/result" && ls -d */*)
	done >entries
	[ "$(wc -l <entries)" = 8 ]
	[ "$(sort -u entries | wc -l)" = 1 ] || fail "$(sort entries | uniq -c)"
}

# A tool that copies files to out, reading each time after it has slept.
sleepy_tool() { # SECONDS-BEFORE SECONDS-AFTER
	cat >t.c <<-'EOC'
	#include <dirent.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		FILE *out = fopen("out", "w"), *in;
		usleep(BEFORE);
		for (int i = 1; i < argc; i++) {
			struct stat st;
			int c;
			if (stat(argv[i] + 1, &st) == 0 && S_ISDIR(st.st_mode)) {
				int n = 0;
				DIR *d = opendir(argv[i] + 1);
				for (struct dirent *e; (e = readdir(d));) n += e->d_name[0];
				closedir(d);
				fprintf(out, "%d\n", n);
			} else if ((in = fopen(argv[i] + 1, "r"))) {
				while ((c = getc(in)) != EOF) putc(c, out);
				fclose(in);
			} else {
				fputs("none\n", out);
			}
		}
		usleep(AFTER);
		return fclose(out);
	}
	EOC
	gcc -DBEFORE="$1" -DAFTER="$2" t.c -o "$ROOT/mytool"
}

# Without the descriptors of bats, which a tool that is not known might read.
sleepy() { under env REPRISE_TOOLS=+mytool "$ROOT/mytool" "${ARGS[@]}" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; }

# meanwhile COMMAND...: the tool runs on the paths in ARGS, the command amid; what a second start leaves must be
# what it leaves without Reprise.
meanwhile() {
	age
	(sleep 0.15; "$@") &
	sleepy
	wait
	age
	sleepy
	[ "$(stat_of bypasses)" = 0 ] || fail "not recorded"
	mv out got
	"$ROOT/mytool" "${ARGS[@]}"
	cmp got out
}

@test "inputs: a link to a file or directory is turned while the tool runs" {
	sleepy_tool 0 300000
	put one/h one
	put two/h two
	ln -s one inc
	ARGS=(-inc/h)
	meanwhile ln -sfn two inc || fail "a linked directory"
	rm -f out got
	ln -s one/h l
	ARGS=(-l)
	meanwhile ln -sf two/h l || fail "a linked file"
	[ "$(stat_of reason_input-changed)" = 2 ]
}

exchange() { mv "$1" "$1.old" && mv "$2" "$1"; }

@test "inputs: a directory is exchanged while the tool runs" {
	sleepy_tool 0 300000
	put inc/h one
	put other/h two
	ARGS=(-inc/h)
	meanwhile exchange inc other || fail "of a file"
	rm -rf inc* out got
	put inc/x one
	put other/yyy two
	ARGS=(-inc)
	meanwhile exchange inc other || fail "listed"
	rm -rf inc* out got
	put inc/x one
	ARGS=(-inc)
	meanwhile touch inc/zz || fail "listed, with a name that is new"
}

@test "inputs: a file that an earlier run read too changes while the tool runs" {
	sleepy_tool 300000 0
	put one first
	put two second
	age
	ARGS=("-$W/one" "-$W/two")
	sleepy
	put two changed # so that it is a miss, found after `one` was asked for
	age
	(sleep 0.15; put one amid) &
	sleepy
	wait
	[ "$(stat_of reason_input)" = 1 ] || fail "not the miss that the case is about"
	put one first
	age
	sleepy
	mv out got
	"$ROOT/mytool" "${ARGS[@]}"
	cmp got out
}

@test "inputs: a path that was real has a link on its way" {
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

# Two equal headers that are included once: by time (gcc), or as one file (clang).
equal_headers() { # DIRECTIVE HOW
	local include='#include'
	[ "$1" != import ] || include='#import'
	put a/h.h "$([ "$1" = import ] || echo "$1")" 'N(1)'
	mkdir -p b
	cp -p a/h.h b/h.h
	put once.c 'enum {' '#define N(x) A##x = 1,' "$include \"a/h.h\"" '#undef N' '#define N(x) B##x = 2,' \
		"$include \"b/h.h\"" '};' 'int b = sizeof(int) * 3;'
}

@test "inputs: equal headers come to have one time, or other times" {
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
		! grep -q B1 "$ROOT/r/warm.out" || fail "$once: the second of their times is not what gcc compares"
		touch -d '2022-02-02' a/h.h b/h.h # neither is what it was, and the relation the same
		again hit
		touch -d '2022-02-03' a/h.h
		again hit
		rm -rf once.c a b "$STORE"
	done
}

@test "inputs: a source and its equal in another directory" {
	put a.cc '#ifndef AGAIN' '#define AGAIN' '#import "x/a.cc"' '#else' 'int twice;' '#endif'
	mkdir x
	cp -p a.cc x/
	differential -- g++ -w -c a.cc
	touch -d '2020-02-02' x/a.cc
	again miss:input
	touch -r x/a.cc a.cc
	again hit
	echo '// a comment that the key leaves out' >>a.cc # equal no more
	touch -r x/a.cc a.cc
	again miss
}

@test "inputs: equal headers are linked to one file, or copied apart" {
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
	again hit
	grep -q A1 "$ROOT/r/warm.out"
	! grep -q B1 "$ROOT/r/warm.out" || fail "not one directory to clang"
}

@test "inputs: a precompiled header's file has an equal that becomes the same file" {
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

@test "inputs: equal objects are linked, and are built anew" {
	put e.c ''
	gcc -c e.c -o 1.o
	cp -p 1.o 2.o
	put main.c 'int main(void) { return 0; }'
	gcc -c main.c
	differential -- gcc main.o 1.o 2.o -o m
	touch -d '2020-02-02' 2.o
	again hit
}
