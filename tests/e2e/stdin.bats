#!/usr/bin/env bats
# Source text on standard input: `-` among the arguments.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { int unused; return x + 1; }'
}
teardown() { case_teardown; }

@test "stdin: a file, edited" {
	differential --stdin a.c --makes o.o -- gcc -x c -c - -o o.o
	put a.c 'int a(int x) { return x + 2; }'
	again miss
	again hit
	differential --stdin a.c -- gcc -x c -Wall -E -
	differential --stdin a.c -- gcc -x c -Wall -S - -o -
	differential --stdin a.c --makes o.o -- clang -x c -Wall -c - -o o.o
}

@test "stdin: a file named too, several" {
	put b.c 'int b;'
	differential --stdin a.c -- gcc -x c -c b.c -
	differential --stdin a.c -- gcc -x c -c - b.c
	gcc -c b.c
	differential --makes o -- sh -c "gcc -x c - -xnone b.o -nostdlib -r -o o <a.c"
}

@test "stdin: a pipe" {
	differential --makes o.o -- sh -c 'echo "int p;" | gcc -x c -c - -o o.o'
	again hit -- sh -c 'cat a.c | head -n 0; echo "int p;" | gcc -x c -c - -o o.o'
	again miss -- sh -c 'echo "int q;" | gcc -x c -c - -o o.o'
	differential -- sh -c 'echo "int p;" | clang -x c -c - -o o.o'
}

@test "stdin: here-documents and here-strings" {
	put here.sh 'gcc -x c -Wall -c - -o o.o <<EOS' 'int h(void) { int unused; return 1; }' 'EOS'
	differential -- dash here.sh
	# The shell gives a temporary file without a name, or a pipe.
	again hit -- bash here.sh
	differential -- bash -c 'gcc -x c -E - <<<"int s;"'
}

# bats test_tags=check
@test "stdin: the idioms of build systems" {
	differential -- sh -c 'echo | gcc -E -dM -'
	differential -- sh -c 'gcc -E -dM - </dev/null'
	differential -- sh -c 'echo "#include <stddef.h>" | cpp'
	differential -- sh -c 'echo "#include <stddef.h>" | cpp -P -'
	differential -- sh -c 'echo "int main(void) { return 0; }" | gcc -x c - -o prog'
	differential -- sh -c 'echo "int main() {}" | g++ -x c++ -fsyntax-only -'
	differential -- \
		sh -c 'echo "int main(void) { return 0; }" | clang -x c -march=x86-64 -E -v -'
	put args '-x c' '-c -' '-o o.o'
	differential --stdin a.c -- gcc @args
}

@test "stdin: empty, by /dev/null, a file, a pipe" {
	: >empty.c
	differential --makes o.o -- gcc -x c -c - -o o.o
	differential --stdin empty.c --cold any --warm hit --makes o.o -- gcc -x c -c - -o o.o
	differential --cold any --warm hit --makes o.o -- sh -c ': | gcc -x c -c - -o o.o'
	differential --cold any --warm hit --makes o.o -- sh -c ': | clang -x c -c - -o o.o'
}

# bats test_tags=check
@test "stdin: large, by a file, by a pipe" {
	seq -f 'int variable_number_%.0f; /* some more text to make it longer */' 4000 >big.c
	differential --stdin big.c --makes o.o -- gcc -x c -c - -o o.o
	# More than a new pipe holds, so its writer waits.
	differential --makes o.o -- \
		bash -c 'cat big.c | gcc -x c -c - -o o.o; echo ${PIPESTATUS[*]}'
	[ "$(cat "$ROOT/r/warm.out")" = '0 0' ]
	differential --makes o.o -- \
		bash -c 'cat big.c | clang -x c -c - -o o.o; echo ${PIPESTATUS[*]}'
	# More than a pipe can be enlarged to.
	differential --cold bypass:stdin -- bash -c 'cat big.c big.c big.c big.c big.c |
		gcc -x c -E - | cksum; echo ${PIPESTATUS[*]}'
	[ "$(tail -n 1 "$ROOT/r/warm.out")" = '0 0 0' ]
}

# bats test_tags=check
@test "stdin: one byte at a time, and a writer that pauses" {
	cat >bytes.py <<-'EOP'
	import os
	for b in b"/* a comment of some length, over and over */ \n" * 500 + b"int slowly;":
	    os.write(1, bytes([b]))
	EOP
	differential --makes o.o -- sh -c "$PY bytes.py | gcc -x c -c - -o o.o"
	differential --makes o.o -- \
		sh -c '{ echo "int a;"; sleep 0.1; echo "int b;"; } | gcc -x c -c - -o o.o'
	differential --makes o.o --cold bypass:stdin -- \
		sh -c '{ echo "int a;"; sleep 1; echo "int c;"; } | gcc -x c -c - -o o.o'
}

# bats test_tags=check
@test "stdin: text that another process reads after the tool" {
	differential --makes o.o -- sh -c 'echo "int p;" | { gcc -x c -c - -o o.o; cat; echo end; }'
	differential --makes o.o -- sh -c '{ gcc -x c -c - -o o.o; cat; echo end; } <a.c'
	[ "$(cat "$ROOT/r/warm.out")" = end ]
	# gcc refuses before it reads.
	differential --cold unstored -- sh -c 'echo left | { gcc -c - ; cat; }'
	[ "$(cat "$ROOT/r/warm.out")" = left ]
	differential --cold unstored -- sh -c '{ gcc -c - ; cat; } <a.c'
	differential --cold unstored:stdin-left -- \
		sh -c 'echo left | { gcc -x c -c - "-###" 2>/dev/null; cat; }'
	[ "$(cat "$ROOT/r/warm.out")" = left ]
	differential --cold bypass:stdin -- \
		sh -c 'yes "int y;" | { clang -c -x c - --no-such; head -n 2; }'
}

@test "stdin: reading begins inside a file" {
	put two.c 'int first;' 'int second(void) { int unused; return 1; }'
	# gcc says that such a file is shorter than expected.
	differential --makes o.o -- \
		bash -c '{ read -r line; gcc -x c -Wall -c - -o o.o; cat; } <two.c'
	put rest.c 'int second(void) { int unused; return 1; }'
	again miss -- bash -c 'gcc -x c -Wall -c - -o o.o <rest.c'
	differential --makes o.o -- bash -c '{ read -r line; clang -x c -Wall -c - -o o.o; } <two.c'
	differential --makes o.o -- bash -c '{ cat >/dev/null; gcc -x c -Wall -c - -o o.o; } <two.c'
}

# bats test_tags=check
@test "stdin: files made and kept beside it" {
	mkdir "$ROOT/try"
	(cd "$ROOT/try" && gcc -x c -save-temps -c - -o o.o <"$W/a.c" 2>/dev/null) ||
		skip "this gcc cannot: it names a file -.i"
	differential --stdin a.c -- gcc -x c -save-temps -c - -o o.o
	differential --stdin a.c -- gcc -x c -MMD -MF dep.d -c - -o o.o
	differential --stdin a.c -- gcc -x c -g -pipe -c - -o o.o
	differential --stdin a.c -- gcc -x c -c -
	differential --stdin a.c -- clang -x c -g -c - -o o.o
	differential --stdin a.c --cold any --warm any --ignore '*.gcno o.o' -- \
		gcc -x c --coverage -c - -o o.o
	# A header that was compiled from it would hold its time.
	differential --stdin a.c --cold bypass:stdin -- clang -x c-header - -o a.h.pch
}

@test "stdin: a source written just now, and one that is written over" {
	differential --makes o.o -- sh -c 'echo "int n;" >n.c; gcc -x c -c - -o o.o <n.c'
	differential --fresh --cold unstored:input-changed -- sh -c 'gcc -x c -S - -o a.c <a.c'
}

@test "stdin: __FILE__, __TIME__, __TIMESTAMP__" {
	put f.c 'const char *f = __FILE__;'
	differential --stdin f.c -- gcc -x c -S - -o -
	put t.c 'const char *t = __TIME__;'
	differential --stdin t.c --cold unstored:time --ignore '*.o' -- gcc -x c -c - -o o.o
	put s.c 'const char *s = __TIMESTAMP__;'
	differential --stdin s.c --cold unstored:time -- gcc -x c -c - -o o.o
}

# bats test_tags=check
@test "stdin: closed, a terminal, a socket, a FIFO, a device, written only" {
	differential --cold any --status any -- sh -c 'gcc -x c -c - -o o.o <&-'
	cat >sock.py <<-'EOP'
	import socket, subprocess, sys
	a, b = socket.socketpair()
	a.sendall(b"int s;\n")
	a.shutdown(socket.SHUT_WR)
	sys.exit(subprocess.run(sys.argv[1:], stdin=b).returncode)
	EOP
	differential --cold bypass:stdin --makes o.o -- "$PY" sock.py gcc -x c -c - -o o.o
	differential --cold bypass:stdin --makes o.o -- \
		bash -c 'mkfifo p; echo "int p;" >p & gcc -x c -c - -o o.o <p; wait; rm p'
	differential --cold bypass:stdin --makes o.o -- \
		sh -c 'timeout 0.5 gcc -x c -c - -o o.o </dev/zero; gcc -x c -c /dev/null -o o.o'
	differential --cold bypass:stdin --status any -- sh -c 'gcc -x c -c - -o o.o 0>out'
	cat >on_tty.py <<-'EOP'
	import os, pty, subprocess, sys
	m, s = pty.openpty()
	os.write(m, b"int t;\n\x04\x04")
	sys.exit(subprocess.run(sys.argv[1:], stdin=s).returncode)
	EOP
	differential --cold bypass:stdin --makes o.o -- "$PY" on_tty.py gcc -x c -c - -o o.o
}

# bats test_tags=check
@test "stdin: a pipe that stays open is not waited for" {
	cat >open.py <<-'EOP'
	import subprocess, sys, time
	t = time.time()
	p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
	rc = p.wait()
	print("slow" if time.time() - t > 8 else "in time")
	sys.exit(rc)
	EOP
	differential --cold bypass:stdin --status 1 -- "$PY" open.py gcc -x c -c - --no-such-option
	cat >no_wait.py <<-'EOP'
	import os, subprocess, sys
	r, w = os.pipe()
	os.set_blocking(r, False)
	os.write(w, b"int n;\n")
	os.close(w)
	sys.exit(subprocess.run(sys.argv[1:], stdin=r).returncode)
	EOP
	differential --cold bypass:stdin --makes o.o -- "$PY" no_wait.py gcc -x c -c - -o o.o
}

@test "stdin: a reader that takes from the same pipe or file stores nothing wrong" {
	put slow.c '#define _GNU_SOURCE' '#include <errno.h>' '#include <string.h>' \
		'#include <unistd.h>' '__attribute__((constructor)) static void slow(void)' \
		'{ if (!strcmp(program_invocation_short_name, "cc1")) usleep(500000); }'
	gcc -shared -fPIC slow.c -o slow.so
	RPENV+=(LD_PRELOAD="$REPRISE_LIB:$W/slow.so")
	gcc -x c -c - -o want.o <a.c
	age
	# Another reader takes text from the pipe after the key is computed and before the tool
	# reads.
	under sh -c 'cat a.c | { exec 3<&0; gcc -x c -c - -o o.o <&3 3<&- &
		sleep 0.25; cat <&3 >/dev/null; wait; }'
	under sh -c 'cat a.c | gcc -x c -c - -o o.o'
	cmp o.o want.o || fail "what was left in the pipe was stored as all of it"
	under sh -c 'exec 3<a.c; gcc -x c -c - -o o.o <&3 3<&- & sleep 0.25;
		cat <&3 >/dev/null; wait'
	under sh -c 'gcc -x c -c - -o o.o' <a.c
	cmp o.o want.o || fail "what was left in the file was stored as all of it"
	[ "$(stat_of hits_local)" = 2 ] || fail "hits $(stat_of hits_local)"
}

@test "stdin: other languages" {
	put a.s '.globl a' 'a: ret'
	differential --stdin a.s --makes o.o -- gcc -x assembler -c - -o o.o
	differential --stdin a.s --makes o.o -- gcc -x assembler-with-cpp -c - -o o.o
	differential --makes o.o -- sh -c 'cat a.s | gcc -x assembler -c - -o o.o'
	differential --makes o.o -- \
		sh -c 'echo "struct s { int i; }; s t;" | g++ -x c++ -std=c++20 -c - -o o.o'
	clang -S -emit-llvm -x c /dev/null -o n.ll
	differential --stdin n.ll --makes o.o -- clang -x ir -c - -o o.o
}

# bats test_tags=check
@test "stdin: read under its file name, by a source, an option, a response file, a script" {
	local n=0 cmd
	put s.c '#include "/dev/stdin"'
	put t.c '#include "/proc/self/fd/0"'
	put t.s '.incbin "/dev/stdin"'
	for cmd in 'gcc -c s.c' 'gcc -c t.c' 'gcc -c t.s' 'gcc -include /dev/stdin -c a.c' \
		'gcc -imacros /dev/fd/0 -c a.c'; do
		put in "#define A $((n += 1))" 'int in = A;'
		differential --stdin in --cold any -- $cmd
		put in "#define A $((n += 1))" 'int in = A;'
		again any
	done
	put b.c 'int b;'
	gcc -c a.c b.c
	read_name() { # FIRST SECOND CMD...: the two texts
		put in "$1"
		put in2 "$2"
		differential --stdin in --cold any -- "${@:3}"
		again any --stdin in2
	}
	read_name '{ global: a; local: *; };' '{ local: *; };' ld -shared a.o \
		--version-script=/dev/stdin -o l.so
	read_name '{ global: a; local: *; };' '{ local: *; };' gcc -shared a.o -nostdlib \
		-Wl,--version-script=/dev/stdin -o l.so
	read_name a.o b.o ld -shared @/dev/stdin -o l.so
	read_name a.o b.o ar rcs l.a @/dev/stdin
	read_name -DX -DY gcc @/dev/stdin -frecord-gcc-switches -c a.c -o x.o
	read_name "$(printf 'CREATE l.a\nADDMOD a.o\nSAVE\nEND')" \
		"$(printf 'CREATE l.a\nADDMOD b.o\nSAVE\nEND')" ar -M
	# A pipe, too.
	differential --cold any -- sh -c 'ar -M <in'
	differential --cold any -- sh -c 'cat in | ar -M'
	differential --cold any -- sh -c 'cat in2 | ar -M'
}
