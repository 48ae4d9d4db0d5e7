#!/usr/bin/env bats
# Signals to the tool, its group and its supervisor; what the caller sees of the end.

setup() {
	load lib
	case_setup
	put quick.c 'int q;'
	slow_source 600000
	cat >sig.py <<-'EOP'
	"""sig.py WHAT SIGNAL CMD...: starts CMD in a group of its own and waits until a compiler
	runs below it. Sends SIGNAL to the child or its group. Prints how the child ended and what
	is left."""
	import os, signal, subprocess, sys, time
	what, sig = sys.argv[1], getattr(signal, sys.argv[2])
	def below(pid):
	    found, todo = [], [pid]
	    while todo:
	        p = todo.pop()
	        try:
	            for t in os.listdir("/proc/%d/task" % p):
	                kids = open("/proc/%d/task/%s/children" % (p, t)).read().split()
	                todo += map(int, kids); found += map(int, kids)
	        except OSError: pass
	    return found
	def name(pid):
	    try: return open("/proc/%d/comm" % pid).read().strip()
	    except OSError: return ""
	def runs(pid):  # a zombie that init has not fetched yet is gone
	    try: return open("/proc/%d/stat" % pid).read().rsplit(") ", 1)[1][0] not in "ZX"
	    except OSError: return False
	# ignored where a shell started the suite in the background
	signal.signal(signal.SIGINT, signal.SIG_DFL)
	p = subprocess.Popen(sys.argv[3:], start_new_session=True)
	end = time.time() + 20
	while not any(name(k) == "cc1plus" for k in below(p.pid)):
	    if time.time() > end or p.poll() is not None: sys.exit("no cc1plus came")
	    time.sleep(0.01)
	# ticks of CPU time: where a compile stands, on a busy machine as on an idle one
	def used(pid):
	    try:
	        text = open("/proc/%d/stat" % pid).read()
	        return sum(map(int, text.rsplit(") ", 1)[1].split()[11:13]))
	    except OSError: return 0
	while (not any(used(k) >= 10 for k in below(p.pid) if name(k) == "cc1plus") and
	       time.time() < end):
	    time.sleep(0.01)
	tree = below(p.pid)
	if what == "pid": os.kill(p.pid, sig)
	elif what == "group": os.killpg(p.pid, sig)
	elif what == "stopcont":
	    os.killpg(p.pid, signal.SIGSTOP); time.sleep(0.3)
	    print(open("/proc/%d/stat" % p.pid).read().rsplit(") ", 1)[1][0])
	    os.killpg(p.pid, signal.SIGCONT)
	elif what == "compiler":
	    for k in tree:
	        if name(k) == "cc1plus": os.kill(k, sig)
	print("ended", p.wait())
	end = time.time() + 5
	while time.time() < end and any(runs(k) for k in tree): time.sleep(0.02)
	print("left", [name(k) for k in tree if runs(k)])
	EOP
}
teardown() { case_teardown; }

# A compile that was killed left its temporaries only where the plain one does.
no_entry_since() { # nothing stored: the next run is a miss that is kept
	local before
	before=$(stat_of hits_local)
	under "${SLOW[@]}"
	[ "$(stat_of hits_local)" = "$before" ] || fail "a killed run was kept"
	under "${SLOW[@]}"
	[ "$(stat_of hits_local)" = $((before + 1)) ] || fail "no hit after a complete run"
}

# bats test_tags=check
@test "signals: SIGINT, SIGTERM, SIGHUP to the group" {
	local s
	for s in SIGINT SIGTERM SIGHUP; do
		differential --cold any --warm any -- "$PY" sig.py group $s "${SLOW[@]}"
	done
	[ "$(stat_of hits_local)" = 0 ]
	no_entry_since
}

# bats test_tags=check
@test "signals: SIGTERM to the pid alone" {
	differential --cold any --warm any -- "$PY" sig.py pid SIGTERM "${SLOW[@]}"
	[ "$(stat_of hits_local)" = 0 ]
}

# bats test_tags=long
@test "signals: SIGTERM where the supervisor may not wait as it would" {
	local spec s=0 filter
	filter=$(helper filter)
	"$filter" 1 kcmp -- true || s=$?
	[ $s != 77 ] || skip "no system call filters here"
	# The wait is refused, unknown, or interrupted each time; only in the supervisor's form;
	# only for the tool's end.
	for spec in '1 ppoll' '38 ppoll' '4 ppoll' '1 ppoll@1=3' '1 wait4@2=11' '38 wait4@2=11' \
		'1 signalfd4' '38 signalfd4'; do
		differential --cold any --warm any -- \
			"$PY" sig.py pid SIGTERM "$filter" $spec -- "${SLOW[@]}"
		differential --cold any --warm any -- \
			"$PY" sig.py group SIGTERM "$filter" $spec -- "${SLOW[@]}"
	done
	[ "$(stat_of hits_local)" = 0 ]
	no_entry_since
}

# bats test_tags=check
@test "signals: while no process reads the tool's output" {
	numbered 15000 'int variable_number_%d = %d;' >big.c
	put says.c '#include <signal.h>' '#include <stdio.h>' \
		'static void end(int s) { (void)s; _Exit(3); }' '#include <stdlib.h>' \
		'int main(int c, char **v) { int n = atoi(v[1]); (void)c; signal(SIGTERM, end);' \
		'for (int i = 0; i < n; i++) puts("some text of thirty-one letters");' \
		'fflush(stdout); return 0; }'
	gcc says.c -o says
	cat >stall.py <<-'EOP'
	"""stall.py WHAT SIGNAL CMD...: CMD, whose output is read only when it is too late"""
	import os, signal, subprocess, sys, time
	what, sig = sys.argv[1], getattr(signal, sys.argv[2])
	signal.signal(signal.SIGINT, signal.SIG_DFL)
	p = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, start_new_session=True)
	os.read(p.stdout.fileno(), 1)
	time.sleep(0.4)
	print("runs", p.poll())
	(os.killpg if what == "group" else os.kill)(p.pid, sig)
	try: print("ended", p.wait(5))
	except subprocess.TimeoutExpired: print("hangs"); p.kill()
	EOP
	for i in 'pid SIGTERM' 'group SIGINT' 'pid SIGHUP'; do
		differential --cold any --warm none -- "$PY" stall.py $i gcc -E big.c
	done
	# One process answers differently. Another one has ended while the rest of its output is in
	# our pipe: one page more than a pipe takes.
	for i in 2500 20000; do
		differential --cold any --warm none --env REPRISE_TOOLS=+says -- \
			"$PY" stall.py pid SIGTERM ./says $i
	done
	under env REPRISE_TOOLS=+says "$PY" stall.py pid SIGTERM ./says 2100 >"$ROOT/late"
	[ "$(cat "$ROOT/late")" = "runs None"$'\n'"ended -15" ] || fail "$(cat "$ROOT/late")"
	[ "$(stat_of hits_local)" = 0 ]
}

# bats test_tags=check
@test "signals: SIGTERM while a text waits, over an older output" {
	numbered 1500 '#warning "text number %06d of this file, long enough"' >big.c
	put old.s old
	cat >waits.py <<-'EOP'
	import os, shutil, subprocess, sys, time
	shutil.copy("old.s", "x.s")
	ours, theirs = os.pipe()
	p = subprocess.Popen(["gcc", "-S", "big.c", "-o", "x.s"], stderr=theirs)
	time.sleep(0.5)
	p.terminate()
	print(p.wait(), os.path.exists("x.s"))
	if os.path.exists("x.s"): os.unlink("x.s")
	EOP
	differential --cold any --warm any -- gcc -S big.c -o x.s
	differential --cold any --warm any -- "$PY" waits.py
}

# bats test_tags=check
@test "signals: SIGKILL of the pid that the caller knows ends the tool, too" {
	# A plain gcc that is killed leaves its cc1plus running. Here nothing may keep running or
	# writing.
	under "$PY" sig.py pid SIGKILL "${SLOW[@]}" >got 2>&1
	grep -qx 'ended -9' got || fail "$(cat got)"
	sleep 0.3
	rm -rf "$TMPDIR"; mkdir "$TMPDIR"
	no_entry_since
}

# bats test_tags=check
@test "signals: SIGKILL of the compiler proper" {
	differential --cold any --warm any -- "$PY" sig.py compiler SIGKILL "${SLOW[@]}"
	# The backtrace, line, column and excerpt depend on where the compile stood. If gcc asks to
	# include the backtrace, it found a line of it, as plain runs do. With debug information in
	# our object gcc found no line; it finds lines if libc has such information (libc6-dbg).
	differential --cold any --warm any \
		--filter '/^0x|^\t|^ .*\|/d; s/^slow.cc:[0-9]+:[0-9]+/slow.cc:/' \
		-- "$PY" sig.py compiler SIGSEGV "${SLOW[@]}"
	no_entry_since
}

# bats test_tags=check
@test "signals: SIGSTOP and SIGCONT" {
	differential --cold any --warm none --makes slow.o -- \
		"$PY" sig.py stopcont SIGCONT "${SLOW[@]}"
	[ "$(head -n 1 "$ROOT/r/cold.out")" = T ]
}

# bats test_tags=check
@test "signals: a timeout by the caller" {
	differential --cold any --warm any --status 124 -- timeout 0.2 "${SLOW[@]}"
	[ "$(stat_of hits_local)" = 0 ]
	no_entry_since
}

@test "signals: SIGCHLD ignored by the caller" {
	cat >ign.py <<-'EOP'
	import os, signal, sys
	signal.signal(signal.SIGCHLD, signal.SIG_IGN)
	os.execvp(sys.argv[1], sys.argv[1:])
	EOP
	# gcc itself cannot wait then. Its messages equal those of a plain run.
	differential --cold any --status any -- "$PY" ign.py gcc -c quick.c
	need as
	put t.s '.globl t' 't: ret'
	differential --makes t.o -- "$PY" ign.py as t.s -o t.o
}

# waits.py HOW SIGNAL...: sends signals to a tool that waits, and prints what the caller sees of
# each: a stop, or the end.
waits() {
	put waits.c '#include <signal.h>' '#include <unistd.h>' \
		'static void end(int s) { (void)s; _exit(7); }' \
		'int main(void) { signal(SIGUSR2, end); write(1, ".", 1); for (;;) pause(); }'
	gcc waits.c -o waits
	RPENV+=(REPRISE_TOOLS=+waits)
	cat >waits.py <<-'EOP'
	import os, signal, sys
	how, sent = sys.argv[1], [getattr(signal, s) for s in sys.argv[2:]]
	r, w = os.pipe()
	pid = os.fork()
	if pid == 0:
	    os.setpgid(0, 0)
	    for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ):
	        signal.signal(s, signal.SIG_DFL)
	    if how == "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
	    if how == "ignored": signal.signal(signal.SIGTERM, signal.SIG_IGN)
	    os.dup2(w, 1)
	    os.execv("./waits", ["./waits"])
	os.close(w)
	os.read(r, 1)
	for s in sent:
	    os.kill(pid, s)
	    if s in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
	        print("stopped by", os.WSTOPSIG(os.waitpid(pid, os.WUNTRACED)[1]))
	        os.kill(pid, signal.SIGCONT)
	status = os.waitpid(pid, 0)[1]
	print("signal", os.WTERMSIG(status), "status", status >> 8)
	EOP
	ulimit -c 0
}

@test "signals: each signal of another process, and stops" {
	waits
	local s
	local cores='SIGQUIT SIGXFSZ SIGSEGV'
	! emulated || cores=
	for s in SIGPIPE SIGTERM SIGHUP SIGINT SIGALRM SIGUSR1 SIGUSR2 SIGIO \
		$cores 'SIGTSTP SIGTERM' 'SIGTTIN SIGPIPE' 'SIGTTOU SIGUSR2'; do
		differential --cold any --warm none -- "$PY" waits.py default $s || fail "$s"
	done
	differential --cold any --warm none -- "$PY" waits.py blocked SIGTERM SIGUSR2
	differential --cold any --warm none -- "$PY" waits.py ignored SIGTERM SIGUSR2
	[ "$(cat "$ROOT/r/cold.out")" = 'signal 0 status 7' ] || fail "$(cat "$ROOT/r/cold.out")"
}

# bats test_tags=long
@test "signals: SIGPIPE of another process to a compiler and to its group" {
	differential --cold any --warm any -- "$PY" sig.py pid SIGPIPE "${SLOW[@]}"
	differential --cold any --warm any -- "$PY" sig.py group SIGPIPE "${SLOW[@]}"
	[ "$(stat_of hits_local)" = 0 ]
	no_entry_since
}

@test "signals: dispositions and mask of the caller reach the tool" {
	cat >mytool.c <<-'EOP'
	#include <signal.h>
	#include <stdio.h>
	int main(void)
	{
		struct sigaction sa;
		sigset_t set;
		sigprocmask(SIG_BLOCK, NULL, &set);
		for (int s = 1; s < 32; s++) {
			sigaction(s, NULL, &sa);
			if (sa.sa_handler != SIG_DFL || sigismember(&set, s))
				printf("%d %s%s\n", s, sa.sa_handler == SIG_IGN ? "ignored"
				       : sa.sa_handler == SIG_DFL ? "" : "handled",
				       sigismember(&set, s) ? " blocked" : "");
		}
		return 0;
	}
	EOP
	gcc mytool.c -o mytool
	cat >ign.py <<-'EOP'
	import os, signal, sys
	for s in sys.argv[1].split(","): signal.signal(getattr(signal, s), signal.SIG_IGN)
	signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])
	os.execvp(sys.argv[2], sys.argv[2:])
	EOP
	differential --cold any --warm any --env "REPRISE_TOOLS=+mytool" -- \
		"$PY" ign.py SIGCHLD,SIGPIPE,SIGINT ./mytool
	grep -q '17 ignored' "$ROOT/r/cold.out"
	rm -rf "$STORE"
	differential --cold any --warm any --env "REPRISE_TOOLS=+mytool" -- ./mytool
}

@test "signals: nohup, setsid, and a group of the background" {
	differential -- nohup gcc -c quick.c
	differential --cold any --warm hit -- setsid -w gcc -c quick.c
	differential --cold any --warm hit -- bash -mc 'gcc -c quick.c & wait $!'
}

@test "signals: exit status and death by signal of a tool" {
	put mytool.c '#include <signal.h>' '#include <stdlib.h>' \
		'int main(int c, char **v) { int n = atoi(v[1]); if (n > 0) return n; raise(-n);' \
		'return 0; }'
	gcc mytool.c -o mytool
	cat >st.py <<-'EOP'
	import subprocess, sys
	for n in sys.argv[1:]: print(n, subprocess.run(["./mytool", n]).returncode)
	EOP
	local cores='-6 -11'
	! emulated || cores=
	# shellcheck disable=SC2086 # two or none
	differential --cold any --warm any --env "REPRISE_TOOLS=+mytool" -- \
		"$PY" st.py 0 1 2 77 125 126 127 255 -9 -15 -13 $cores
}

@test "signals: no core file of the supervisor's" {
	put mytool.c '#include <stdlib.h>' 'int main(void) { abort(); }'
	gcc mytool.c -o mytool
	differential --cold any --warm any --status 134 --env "REPRISE_TOOLS=+mytool" -- \
		sh -c 'ulimit -c 0; ./mytool 2>/dev/null; exit $?'
}

# bats test_tags=check
@test "signals: resource usage as the caller sees it" {
	cat >ru.py <<-'EOP'
	import os, sys
	pid = os.fork()
	if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
	_, st, ru = os.wait4(pid, 0)
	print(st, ru.ru_utime + ru.ru_stime > 0.15, ru.ru_maxrss > 10000)
	EOP
	differential --cold stored --warm none -- "$PY" ru.py "${SLOW[@]}"
	[ "$(cat "$ROOT/r/cold.out")" = "0 True True" ]
}

@test "signals: limits on file size and descriptors" {
	differential --cold any --warm any -- sh -c 'ulimit -f 100; gcc -c quick.c'
	differential --cold any --warm any --status any -- \
		sh -c 'exec 2>/dev/null; ulimit -f 0; gcc -c quick.c; s=$?; rm -f "$TMPDIR"/cc*;
		exit $s'
	differential --cold any --warm any -- sh -c 'ulimit -n 12; gcc -c quick.c'
	differential --cold any --warm any -- sh -c 'ulimit -v 600000; gcc -c quick.c'
}

# bats test_tags=check
@test "signals: make -j and its jobserver" {
	put Makefile 'all: a.o b.o c.o d.o' '%.o: %.c' $'\t+gcc -c $< -o $@'
	local f
	for f in a b c d; do put $f.c "int $f;"; done
	differential --tools 4 --filter '/^make/d;/^gcc/d' -- make -j3
	put m.c 'int main(void) { return 0; }'
	put Makefile 'all:' $'\t+gcc -O2 -flto=jobserver m.c -o m'
	differential --cold any --warm any --makes m -- make -j3
}

# bats test_tags=check
@test "signals: a tool whose end wait4 does not tell, but its signal" {
	put ends.c '#include <signal.h>' '#include <stdlib.h>' \
		'int main(int c, char **v) { int n = atoi(v[1]); (void)c; if (n < 0) raise(-n);' \
		'return n; }'
	gcc ends.c -o ends
	rm ends.c
	age
	# ECHILD for the supervisor's wait4: WNOHANG, WUNTRACED and WCONTINUED together.
	local n s f=("$(helper filter)" 10 wait4@2=11 --)
	s=0
	"${f[@]}" true || s=$?
	[ $s != 77 ] || skip "no system call filters here"
	RPENV+=(REPRISE_TOOLS=+ends)
	differential -- "${f[@]}" gcc -c quick.c
	for n in 0 1 77 255 -9 -15; do
		differential --cold any --warm any --status any -- \
			sh -c '"$@"; echo $?' sh "${f[@]}" ./ends $n
	done
	[ "$(stat_of reason_internal)" = 0 ] || fail "$(reprise stats)"
}
