#!/usr/bin/env bats
# Time and random bytes. A run that asks for them is not stored, unless no output can hold them.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
	gcc -c a.c
}
teardown() { case_teardown; }

# Three links of one command differ, as they do without Reprise.
differ_thrice() { # FILE CMD...
	local file=$1 i
	shift
	for i in 1 2 3; do
		under "$@" </dev/null
		cp "$file" "$ROOT/$i"
	done
	rm "$file"
	! cmp -s "$ROOT/1" "$ROOT/2" && ! cmp -s "$ROOT/2" "$ROOT/3" ||
		fail "$* leaves the same bytes: $(md5sum "$ROOT"/[123])"
}

@test "chance: a random build id, by each linker" {
	local l
	for l in ld.bfd ld.gold ld.lld; do
		differential --cold unstored:random --ignore x.so -- \
			$l -shared --build-id=uuid a.o -o x.so
		differ_thrice x.so $l -shared --build-id=uuid a.o -o x.so
		# The other kinds of build id are digests of the content.
		differential -- $l -shared --build-id=sha1 a.o -o "$l.so"
	done
}

# bats test_tags=check
@test "chance: a random build id, by gcc and by response files" {
	local l
	for l in bfd gold lld; do
		differential --cold unstored:random --ignore x.so -- \
			gcc -fuse-ld=$l -shared -Wl,--build-id=uuid a.o -o x.so
	done
	put args --build-id=uuid
	differential --cold unstored:random --ignore x.so -- \
		gcc -fuse-ld=lld -shared -Wl,@args a.o -o x.so
	differential --cold unstored:random --ignore x.so -- ld.lld -shared @args a.o -o x.so
}

@test "chance: the time in the head of a PE file" {
	differential --cold unstored:time --ignore x.exe -- ld.bfd -m i386pep --entry=a a.o -o x.exe
	clang --target=x86_64-w64-mingw32 -c a.c -o p.o
	differential --cold unstored:time --ignore x.exe -- ld.lld -m i386pep --entry=a p.o -o x.exe
	differential --cold any -- ld.lld -m i386pep --entry=a --no-insert-timestamp p.o -o x.exe
	# One that another program puts into an ELF file.
	strip -R .comment -R .note.gnu.property a.o
	put m.c '#include <stdlib.h>' '#include <unistd.h>' 'int main(void) {' \
		'int rc = system("/usr/bin/ld.bfd -m i386pep --entry=a a.o -o t.exe; "' \
		'"/usr/bin/ld.bfd -r -b binary t.exe -o x.o"); return unlink("t.exe") || rc; }'
	gcc -w m.c -o mytool
	differential --cold unstored:time --ignore x.o --env REPRISE_TOOLS=+mytool -- ./mytool
}

@test "chance: the times that a linker took, by gcc and by a script between" {
	put m.c 'int main(void) { return 0; }'
	differential --cold unstored:time --filter 's/[0-9.]*//g' -- gcc -Wl,--stats m.c -o m
	put b/ld '#!/bin/sh' '/usr/bin/ld --stats "$@"'
	chmod +x b/ld
	differential --cold unstored:time --filter 's/[0-9.]*//g' -- gcc -B b/ m.c -o m
}

# bats test_tags=check
@test "chance: an added tool, of which nothing is known" {
	local call
	for call in 'time(0)' 'gettimeofday(&v, 0)' 'clock_gettime(CLOCK_REALTIME, &t)' \
		'clock_gettime(CLOCK_REALTIME_COARSE, &t)' \
		'timespec_get(&t, TIME_UTC)'; do
		put m.c '#include <stdio.h>' '#include <time.h>' '#include <sys/time.h>' \
			"int main(void) { struct timeval v; struct timespec t; $call;" \
			"return puts(\"said\") < 0; }"
		gcc -w m.c -o mytool
		differential --cold unstored:time --env REPRISE_TOOLS=+mytool -- ./mytool
	done
	for call in 'getrandom(b, 8, 0)' 'getentropy(b, 8)' 'arc4random()' 'arc4random_buf(b, 8)' \
		'arc4random_uniform(3)' \
		'open("/dev/urandom", O_RDONLY)' 'fopen("/dev/random", "r")'; do
		put m.c '#include <fcntl.h>' '#include <stdio.h>' '#include <stdlib.h>' \
			'#include <unistd.h>' '#include <sys/random.h>' \
			"int main(void) { char b[8]; $call; return puts(\"said\") < 0; }"
		gcc -w m.c -o mytool
		differential --cold unstored:random --env REPRISE_TOOLS=+mytool -- ./mytool
	done
	# A duration is no time of day.
	put m.c '#include <stdio.h>' '#include <time.h>' \
		'int main(void) { struct timespec t; clock(); clock_gettime(CLOCK_MONOTONIC, &t);' \
		'clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return puts("said") < 0; }'
	gcc -w m.c -o mytool
	differential --env REPRISE_TOOLS=+mytool -- ./mytool
}

# bats test_tags=check
@test "chance: usual compiles ask for time and random bytes, and are stored" {
	differential --ignore lto.o -- gcc -flto -O2 -c a.c -o lto.o
	gcc -flto -O2 -c a.c -o lto.o
	differential -- gcc -shared -flto=2 lto.o -o x.so
	differential -- clang -O2 -c a.c -o c.o
	differential -- clang -fuse-ld=lld -shared a.o -o x.so
	differential -- ld.lld -r a.o -o r.o
	differential --ignore "cov.o cov.gcno" -- gcc --coverage -c a.c -o cov.o
}
