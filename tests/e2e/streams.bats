#!/usr/bin/env bats
# Standard streams: files, pipes, terminals, closed, shared.

setup() {
	load lib
	case_setup
	local long='a warning with a rather long text that a narrow terminal would want to have'
	put a.c "#warning $long broken into several lines" \
		'int f(int x) { int unused_variable_with_a_long_name; return x == 1; }'
}
teardown() { case_teardown; }

PTY="$BATS_TEST_DIRNAME/on_pty.py"

@test "streams: files, one file, one pipe, two pipes, one after the other" {
	local s
	for s in split merged pipe pipes; do
		differential --cold any --warm hit --streams $s -- gcc -Wall -E a.c
	done
}

@test "streams: one pipe for both recorded, two asked, and the reverse" {
	differential --streams pipe -- gcc -Wall -E a.c
	again any --warm hit --streams split
	rm -rf "$STORE" "$RUNTIME"
	differential --streams split -- gcc -Wall -E a.c
	again any --warm hit --streams pipe
	again any --warm hit --streams merged
}

@test "streams: order on one stream is that of the tool" {
	local i
	for i in 1 2 3 4 5 6 7 8 9; do echo "#warning w$i" && echo "int line$i;"; done >a.c
	differential --streams pipe -- gcc -E a.c
	differential --streams merged --cold any --warm hit -- gcc -E a.c
}

@test "streams: terminals of 40 and 200 columns" {
	# gcc cuts a line at its left if the column of a message is greater than the width.
	put a.c "int f(int x) { return x; /* $(printf %60s) */ int unused; }"
	differential --cold stored -- "$PY" "$PTY" -w 40 gcc -Wall -c a.c
	[ -s "$ROOT/r/warm.out" ]
	cp "$ROOT/r/warm.out" ../forty
	again miss -- "$PY" "$PTY" -w 200 gcc -Wall -c a.c
	! cmp -s "$ROOT/r/warm.out" "$ROOT/forty" || fail "gcc does not cut the line"
	again hit -- "$PY" "$PTY" -w 40 gcc -Wall -c a.c
}

# make -j gives the terminal as standard input to one compile at a time, and to others a closed
# pipe.
# bats test_tags=check
@test "streams: make -j2 on a terminal, twice: each compile is a hit" {
	local n names= first
	for n in 1 2 3 4 5 6 7 8; do
		put s$n.c "int s$n(int x) { return x + $n; }"
		names+=" s$n.o"
	done
	put Makefile "all:$names" '%.o: %.c' $'\tgcc -O1 -Wall -c $<'
	differential --tools 8 --makes s8.o -- "$PY" "$PTY" make -s -j2
	again hit -- "$PY" "$PTY" make -s -j1
	again hit -- make -s -j3
	# Two compiles print something, in any order. Only one of two standard inputs tells the
	# width of the terminal. The terminal is too wide to cut lines, so this does not matter.
	for n in 3 6; do put s$n.c "int s$n(int x) { int unused_variable_$n; return x; }"; done
	gcc -O1 -Wall -c s3.c -o want.o 2>/dev/null
	age
	for n in 1 2; do
		rm ./s*.o 2>/dev/null || true
		first=$(stat_of hits_local)
		"$PY" "$PTY" -w 200 env "${RPENV[@]}" make -s -j2 >"$ROOT/said.$n"
		cmp want.o s3.o
	done
	[ $(($(stat_of hits_local) - first)) = 8 ] || fail "$(($(stat_of hits_local) - first)) of 8"
	sort "$ROOT/said.1" | cmp - <(sort "$ROOT/said.2")
	grep -q unused_variable_6 "$ROOT/said.2" || fail "no warning"
}

@test "streams: a terminal, then none" {
	differential -- "$PY" "$PTY" gcc -Wall -c a.c
	again miss -- gcc -Wall -c a.c
	again hit -- "$PY" "$PTY" gcc -Wall -c a.c
}

@test "streams: colours follow TERM, GCC_COLORS and the terminal" {
	differential --env "TERM=xterm-256color" -- "$PY" "$PTY" gcc -Wall -c a.c
	grep -q $'\033' "$ROOT/r/warm.out"
	again any --env "TERM=dumb"
	again any --env $'TERM=xterm\nGCC_COLORS=error=01;34:warning=01;34'
	differential --cold any --warm hit -- gcc -Wall -fdiagnostics-color=always -c a.c
	differential --cold any --warm hit -- gcc -Wall -fdiagnostics-color=never -c a.c
}

@test "streams: COLUMNS" {
	differential --env "COLUMNS=40" -- "$PY" "$PTY" -w 100 gcc -Wall -c a.c
	again any --env "COLUMNS=120"
}

@test "streams: only stderr, only stdout, only stdin a terminal" {
	differential -- "$PY" "$PTY" -e gcc -Wall -E a.c
	differential --cold any --warm hit -- "$PY" "$PTY" -o gcc -Wall -E a.c
	differential --cold any --warm hit -- "$PY" "$PTY" -i gcc -Wall -E a.c
}

# bats test_tags=check
@test "streams: the width of the terminal on stdin" {
	put a.c 'int f(int first_parameter_with_a_long_name,' \
		'int second_parameter_with_a_long_name) { int unused_variable; return 1; }'
	differential -- "$PY" "$PTY" -w 40 -i -e gcc -Wall -c a.c
	cp "$ROOT/r/warm.out" "$ROOT/forty"
	again miss -- "$PY" "$PTY" -w 40 -e gcc -Wall -c a.c
	! cmp -s "$ROOT/r/warm.out" "$ROOT/forty" || fail "gcc does not ask standard input"
	again hit -- "$PY" "$PTY" -w 40 -i -e gcc -Wall -c a.c
	# If no colour is printed, the variable changes nothing.
	differential -- gcc -c a.c
	again hit -- "$PY" "$PTY" -w 40 -i gcc -c a.c
	differential --cold any --warm any -- "$PY" "$PTY" -w 60 -i gcc --help=joined
	again any --warm any -- "$PY" "$PTY" -w 120 -i gcc --help=joined
}

@test "streams: -M, -dM and much text through a terminal" {
	put b.c '#include <stdio.h>' '#include <stdlib.h>'
	differential -- "$PY" "$PTY" -w 132 gcc -E -dM b.c
}

@test "streams: a megabyte through a pipe whose reader is slow" {
	numbered 20000 'int variable_number_%d = %d; /* some more text */' >big.c
	differential -- gcc -E -C big.c
	differential --cold any --warm hit -- sh -c 'gcc -E -C big.c | { sleep 0.2; cat; }'
}

@test "streams: a reader that goes away (yes | head)" {
	numbered 20000 'int variable_number_%d = %d; /* some more text */' >big.c
	differential --cold any --warm any -- \
		bash -c 'gcc -E -C big.c 2>/dev/null | head -n 3; exit 0'
	# The run with the broken pipe was not stored.
	differential --cold any --warm hit -- gcc -E -C big.c
}

# gone.py STREAM READS WAITS IGNORED CMD...: the reader of a stream of CMD leaves after READS bytes
# (0 and no wait: before the start). Prints how CMD ended, and the other stream.
gone() {
	cat >"$ROOT/gone.py" <<-'EOP'
	import os, re, signal, socket, subprocess, sys, tempfile, time
	stream, reads, waits = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
	how = signal.SIG_IGN if sys.argv[4] == "ignored" else signal.SIG_DFL
	if stream.startswith("socket"):
	    ours, theirs = (s.detach() for s in socket.socketpair())
	    if stream.endswith("deaf"): socket.socket(fileno=os.dup(ours)).shutdown(socket.SHUT_RD)
	    if stream.endswith("mute"):
	        socket.socket(fileno=os.dup(theirs)).shutdown(socket.SHUT_WR)
	elif stream.startswith("datagrams"):
	    ours, theirs = (s.detach() for s in socket.socketpair(type=socket.SOCK_DGRAM))
	elif stream.startswith("packets"):
	    ours, theirs = os.pipe2(os.O_DIRECT)
	elif stream.startswith("network"):
	    listens = socket.create_server(("127.0.0.1", 0))
	    theirs = socket.create_connection(listens.getsockname()).detach()
	    ours = listens.accept()[0].detach()
	elif stream.startswith("pty"):
	    ours, theirs = os.openpty()
	else:
	    ours, theirs = os.pipe()
	other = tempfile.TemporaryFile()
	def begin(): signal.signal(signal.SIGPIPE, how)
	if not reads and not waits and "-" not in stream: os.close(ours)
	if stream == "network": time.sleep(0.02)
	p = subprocess.Popen(sys.argv[5:], preexec_fn=begin, restore_signals=False,
	                     stdout=other if stream == "error" else theirs,
	                     stderr=theirs if stream in ("error", "both") else other)
	os.close(theirs)
	if reads < 0: # each write as the reader sees it
	    p.wait()
	    os.set_blocking(ours, False)
	    try:
	        for piece in iter(lambda: os.read(ours, 65536), b""): print(len(piece))
	    except BlockingIOError: pass
	elif reads or waits:
	    time.sleep(waits)
	    got = 0
	    while got < reads: got += len(os.read(ours, reads - got))
	    os.close(ours)
	print("ended", p.wait())
	other.seek(0)
	text = other.read().decode(errors="replace")
	print(re.sub("0x[0-9a-f]+|/cc[A-Za-z0-9]{6}", "", text), end="")
	EOP
}

# without_reader "STREAM READS WAITS IGNORED" CMD...
without_reader() {
	local i=$1
	shift
	differential --cold any --warm any -- "$PY" "$ROOT/gone.py" $i "$@" || fail "$i $*"
}

# bats test_tags=check
@test "streams: a reader that has gone before the tool writes" {
	gone
	without_reader 'output 0 0 default' gcc -E a.c
	without_reader 'output 0 0 ignored' gcc -MD -MF a.d -E a.c
	without_reader 'output 0 0 default' gcc --version
	without_reader 'error 0 0 default' gcc -Wall -c a.c
	[ "$(stat_of hits_local)" = 0 ] || fail "a run without a reader was kept"
	# Over a result that is known.
	differential --cold any --warm hit -- gcc -E a.c
	without_reader 'output 0 0 default' gcc -E a.c
	differential --cold any --warm hit -- gcc -Wall -c a.c
	without_reader 'error 0 0 ignored' gcc -Wall -c a.c
	# A stream that the tool does not write to needs no reader.
	put quiet.c 'int q;'
	differential -- gcc -c quiet.c
	differential --cold hit -- "$PY" "$ROOT/gone.py" both 0 0 default gcc -c quiet.c
}

# bats test_tags=check
@test "streams: a reader that has gone: other tools, sockets, terminals" {
	need clang as
	gone
	put bad.c 'int x = y;'
	put a0.s '.globl a' 'a: ret'
	local i c
	for c in 'gcc -S -o - a.c' 'ld --verbose' 'as -al a0.s -o x.o' 'clang -E a.c'; do
		without_reader 'output 0 0 default' $c
		[[ $c != clang* ]] || without_reader 'output 0 0 ignored' $c
		differential --cold any --warm hit -- $c
		without_reader 'output 0 0 default' $c
	done
	differential --cold any --warm hit --status 1 -- gcc -c bad.c
	without_reader 'error 0 0 default' gcc -c bad.c
	for i in 'both 0 0 default' 'socket 0 0 default' 'pty 0 0 default'; do
		without_reader "$i" gcc -E a.c
		without_reader "$i" clang -E a.c
	done
}

# Somewhat less than a pipe takes, in the small pieces of unbuffered messages.
@test "streams: a reader that reads after the tool has ended" {
	local size bytes
	cat >after.py <<-'EOP'
	import os, subprocess, sys
	ours, theirs = os.pipe()
	os.write(theirs, b"before\n")
	p = subprocess.Popen(sys.argv[1:], stderr=theirs)
	print("ended", p.wait(timeout=10))
	os.close(theirs)
	print(os.fdopen(ours).read())
	EOP
	numbered 1000 '#warning "text number %06d of this file, long enough"' >all.c
	for bytes in 62000 63500; do
		head -n 100 all.c >big.c
		size=$(gcc -fsyntax-only big.c 2>&1 | wc -c)
		head -n $((bytes * 100 / size)) all.c >big.c
		differential --cold any --warm hit -- "$PY" after.py gcc -c big.c
	done
}

# The tool has ended, and its last page of messages waits. The other stream then has the text that a
# tool leaves which died in a message.
# bats test_tags=long
@test "streams: a reader that leaves with a part, and what the other stream has" {
	local size
	numbered 1000 '#warning "text number %06d of this file, long enough"' >all.c
	head -n 100 all.c >big.c
	size=$(gcc -fsyntax-only big.c 2>&1 | wc -c)
	head -n $((67500 * 100 / size)) all.c >big.c
	gone
	sed -i 's/tempfile.TemporaryFile()/tempfile.TemporaryFile("ab+")/' "$ROOT/gone.py"
	without_reader 'error 0 0.4 default' gcc -E big.c
	without_reader 'error 0 0.4 ignored' gcc -E big.c
}

# Both ends of such a socket are open, but no write succeeds.
# bats test_tags=check
@test "streams: a socket that was shut down, or shows each write" {
	gone
	local i
	numbered 100 'int variable_number_%06d_in_this_file_of_some_size = %06d;' >big.c
	for i in 'socket-deaf 0 0 default' 'socket-mute 0 0 ignored' 'network 0 0 default' \
		'datagrams-all -1 0 default' 'packets-all -1 0 default'; do
		rm -rf "$STORE"
		without_reader "$i" gcc -E big.c
		differential --cold any --warm hit -- gcc -E big.c
		without_reader "$i" gcc -E big.c
	done
}

# The tool waits for the reader, which then leaves. A pipe takes 64 KB: the texts are somewhat
# shorter and longer than that, and much longer.
# bats test_tags=long
@test "streams: a reader that leaves while the tool waits for it" {
	gone
	local n i
	for n in 1100 1150 9000; do
		numbered $n 'int variable_number_%06d_in_this_file_of_some_size = %06d;' >big$n.c
		for i in 'output 0 0.4 default' 'output 0 0.4 ignored' 'output 5000 0.2 default'; do
			[ "$n$i" != "${n}output 5000 0.2 default" ] || [ $n -gt 2000 ] || continue
			rm -rf "$STORE"
			without_reader "$i" gcc -E big$n.c
			differential --cold any --warm hit -- gcc -E big$n.c
			without_reader "$i" gcc -E big$n.c
		done
	done
}

@test "streams: closed stdin, stdout, stderr, each and all" {
	local r
	for r in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		differential --cold any --status any -- sh -c "gcc -Wall -c a.c $r"
	done
}

@test "streams: closed stdout where text is written" {
	differential --cold any --status any -- sh -c 'gcc -E a.c >&-'
}

@test "streams: stdout and stderr that are open for reading alone" {
	put other 'text'
	put wrapper '#!/bin/bash' 'gcc "$@"' 'echo $?'
	chmod +x wrapper
	differential --cold bypass --warm bypass -- sh -c 'gcc -Wall -c a.c 2<other'
	differential --cold bypass --warm bypass --status any -- sh -c 'gcc -Wall -E a.c 1<other'
	# Bash reads its script there.
	differential --cold bypass --warm bypass -- sh -c './wrapper -Wall -c a.c 2>&-'
}

@test "streams: closed descriptors do not become the tool's files" {
	put a.c 'int a;'
	differential --cold any --makes a.o -- sh -c 'gcc -c a.c -o a.o <&- 2>&-'
	differential --cold any --makes b.i -- sh -c 'gcc -E a.c -o b.i <&- >&- 2>&-'
}

@test "streams: /dev/full" {
	differential --cold any --status any -- sh -c 'gcc -E a.c >/dev/full'
	# A failure on a full disk does not affect the next start.
	differential --cold any --warm hit -- gcc -E a.c
	differential --cold any --status any -- sh -c 'gcc -E a.c >/dev/full'
}

@test "streams: appended to, positioned, read-write" {
	differential --fresh --cold any --warm hit -- \
		sh -c 'echo before >log; gcc -E a.c >>log 2>&1; echo after >>log'
	differential --fresh --cold any --warm hit -- \
		sh -c 'echo before >log; exec 1<>log; gcc -E a.c 2>/dev/null'
}

@test "streams: stderr into the file that is compiled, stdout into a header" {
	put h.h 'int h;'
	put b.c '#include "h.h"'
	differential --fresh --cold any --warm any -- sh -c 'gcc -E b.c >h.h; true'
}

@test "streams: sockets as standard streams" {
	cat >sock.py <<-'EOP'
	import socket, subprocess, sys
	a, b = socket.socketpair()
	p = subprocess.Popen(sys.argv[1:], stdout=b, stderr=b)
	b.close()
	out = b""
	while True:
	    d = a.recv(65536)
	    if not d: break
	    out += d
	sys.stdout.buffer.write(out)
	sys.exit(p.wait())
	EOP
	differential -- "$PY" sock.py gcc -Wall -E a.c
}

@test "streams: capture_output returns at once when the tool ends" {
	cat >cap.py <<-'EOP'
	import subprocess, sys, time
	t = time.time()
	r = subprocess.run(sys.argv[1:], capture_output=True)
	sys.stdout.buffer.write(r.stdout + r.stderr)
	sys.stderr.write("slow\n" if time.time() - t > 8 else "")
	sys.exit(r.returncode)
	EOP
	differential -- "$PY" cap.py gcc -Wall -c a.c
	differential -- "$PY" cap.py gcc -Wall -E a.c
}

@test "streams: a pipe on stdin that no process reads" {
	differential -- sh -c 'yes | gcc -c a.c'
	differential --stdin a.c --cold any --warm hit -- gcc -c a.c
	# The next process reads the rest of stdin.
	differential --cold any --warm hit -- sh -c 'echo left | { gcc -c a.c; cat; }'
	[ "$(cat "$ROOT/r/warm.out")" = left ]
}

@test "streams: no terminal is left in another mode" {
	cat >mode.py <<-'EOP'
	import pty, subprocess, sys, termios
	m, s = pty.openpty()
	before = termios.tcgetattr(s)
	subprocess.run(sys.argv[1:], stdin=s, stdout=s, stderr=s)
	print(termios.tcgetattr(s) == before)
	EOP
	differential -- "$PY" mode.py gcc -c a.c
	[ "$(cat "$ROOT/r/warm.out")" = True ]
}

@test "streams: one file that is opened twice" {
	# Both append: the order of the calls is kept.
	differential --fresh --makes log -- sh -c 'gcc -E a.c >>log 2>>log'
	differential --fresh --cold hit -- sh -c 'gcc -E a.c >log 2>&1'
	# Neither descriptor appends, or only one does: each overwrites the other's text.
	differential --fresh --cold bypass:stdio --makes o -- sh -c 'gcc -E a.c >o 2>o'
	differential --fresh --cold bypass:stdio --makes o -- sh -c 'gcc -E a.c >o 2>>o'
	differential --fresh --cold bypass:stdio --makes o -- sh -c 'gcc -E a.c 2>o >/dev/stderr'
	# Two names of one file.
	differential --fresh --cold bypass:stdio --makes p -- \
		sh -c ': >o && ln o p && gcc -E a.c >o 2>p'
}

@test "streams: one file, where kcmp is refused" {
	local no
	no=$(helper no_kcmp)
	differential --fresh -- "$no" sh -c 'gcc -E a.c >log 2>&1'
	differential --fresh --cold hit -- sh -c 'gcc -E a.c >log 2>&1'
	differential --fresh --cold bypass:stdio -- "$no" sh -c 'gcc -E a.c >o 2>o'
}

# bats test_tags=check
@test "streams: one pipe and one terminal that are opened twice" {
	differential -- sh -c 'gcc -E a.c 2>&1 | cat'
	again hit -- sh -c '{ gcc -E a.c 2>&1 >/dev/stderr; } | cat'
	differential -- "$PY" "$PTY" gcc -E a.c
	again hit -- "$PY" "$PTY" sh -c 'gcc -E a.c 2>/dev/tty'
	# With /dev/null the order does not matter.
	differential --cold any --warm hit -- sh -c 'gcc -E a.c >/dev/null 2>&1'
	again hit -- sh -c 'gcc -E a.c >/dev/null 2>/dev/null'
}

# bats test_tags=check
@test "streams: a stream that is an input or an output of the tool" {
	put a.h 'int in_header;'
	put b.c '#warning said' '#include "a.h"' 'int b;'
	# The command line names the stream's file.
	differential --fresh --cold bypass:stdio -- sh -c 'gcc -E b.c >>b.c'
	differential --fresh --cold bypass:stdio -- sh -c ': >b.s && gcc -S b.c -o b.s 2>b.s'
	differential --fresh --cold bypass:stdio -- sh -c 'gcc -E - <a.h >>a.h'
	# The recorded run has read or written the stream's file.
	differential --fresh -- sh -c 'gcc -E b.c >b.i'
	differential --fresh --cold unstored --warm unstored -- sh -c 'gcc -E b.c >>a.h'
	differential --fresh -- sh -c 'gcc -save-temps -S b.c 2>said'
	differential --fresh --cold bypass:replay --warm bypass:replay -- \
		sh -c 'ln -s said b.i && gcc -save-temps -S b.c 2>said'
	# Outputs that no argument names lead to the stream. An assembler cannot write to a pipe.
	differential --fresh --cold bypass:stdio -- sh -c 'ln -s said b.s && gcc -S b.c 2>said'
	differential --fresh --cold bypass:stdio -- sh -c 'ln -s /dev/fd/2 b.o && gcc -c b.c 2>said'
	differential --fresh --cold bypass:stdio -- \
		sh -c 'ln -s /dev/stderr c.d && gcc -MD -c b.c -o c.o 2>said'
	# The tool is known to write such outputs.
	differential --fresh --cold bypass:stdio -- sh -c ': >b.s && gcc -S b.c 2>b.s'
	differential --fresh --cold bypass:stdio -- sh -c 'gcc -MD -c b.c -o c.o 2>c.d'
	differential --fresh --cold any --warm hit -- sh -c 'gcc -S -o - b.c >b.s'
	differential --fresh --cold any --warm hit -- sh -c 'gcc -MM b.c >b.d'
}

@test "streams: what a tool says under a memory limit is not said to others" {
	put t.c '#include <stdio.h>' '#include <stdlib.h>' \
		'int main(void) {' \
		'FILE *out = fopen("out", "w");' \
		'if (!malloc(1l << 40 >> 10)) fputs("done without the plugin\n", stderr);' \
		'return fputs("text", out) < 0 || fclose(out); }'
	gcc t.c -o "$ROOT/mytool"
	age
	local i
	limited() { # PLACE
		(ulimit -v 500000; under env REPRISE_TOOLS=+mytool "$ROOT/mytool" 2>"$1")
	}
	for i in 1 2; do
		rm -f out
		limited got
		grep -q 'without the plugin' got || fail "the limit did not matter"
	done
	[ "$(stat_of hits_local)" = 1 ] || fail "no hit under the same limit"
	rm -f out
	under env REPRISE_TOOLS=+mytool "$ROOT/mytool" 2>got
	[ ! -s got ] || fail "it said: $(cat got)"
}
