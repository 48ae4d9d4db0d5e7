#!/usr/bin/env bats
# Requests of the remote store's client to the kernel in a job's processes: no thread, no signal, no
# timer, no handler.

setup() {
	load lib
	load redis
	load remote_lib
	remote_setup
	need strace
	strace -qq -o "$ROOT/try" true 2>/dev/null || skip "strace is not permitted here"
}
teardown() { remote_teardown; }

# calls NAME COMMAND...: what the command and its children ask about threads, children and signals,
# sorted, to NAME.calls. NAME.hidden gets children without an exit signal, which no wait() and
# SIGCHLD sees, and what they ask.
calls() {
	local name=$1
	shift
	local traced=clone,clone3,fork,vfork,kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo
	traced+=,pidfd_send_signal,rt_sigaction,rt_sigprocmask,rt_sigsuspend,rt_sigtimedwait
	traced+=,signalfd,signalfd4,sigaltstack,setitimer,alarm,timer_create,timerfd_create
	traced+=,prctl,fcntl
	strace -f -qq -o "$ROOT/trace" -e trace=$traced "$@" </dev/null ||
		{ fail "$*: status $?"; return 1; }
	"$PY" - "$ROOT/trace" "$ROOT/$name" <<-'END'
	import re, sys
	hidden, calls, begun = set(), [], {}
	for line in open(sys.argv[1], errors="replace"):
	    pid, text = line.rstrip("\n").split(None, 1)
	    if text.startswith("<... "):
	        text = begun.pop(pid, "") + re.sub(r"^<\.\.\. \w+ resumed>,? ?", "", text)
	    elif "<unfinished ...>" in text:
	        begun[pid] = text.replace("<unfinished ...>", "")
	        continue
	    child = re.match(r"(clone3?|v?fork)\(.* = (\d+)$", text)
	    if child and (pid in hidden or re.search(r"flags=0\b", text)):
	        hidden.add(child[2])
	        text = "hidden " + text
	    # Descriptors that ask for a signal, and death signals. Other fcntl and prctl calls do
	    # not count.
	    signals = r"F_SETOWN|F_SETSIG|F_NOTIFY|F_SETLEASE|O_ASYNC|FASYNC"
	    if (re.match(r"fcntl\((?!.*(" + signals + "))", text) or
	        re.match(r"prctl\((?!PR_SET_PDEATHSIG)", text)):
	        continue
	    if text.startswith("--- "):
	        text = text.split()[1]
	    # Addresses, ids, and what was there before.
	    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
	    text = re.sub(r" = \d+$|\), ADDRESS, .*|child_tid\w*=\S+", "", text)
	    text = re.sub(r"(rt_sigaction\(\w+, (NULL|\{.*?\})).*", r"\1", text)
	    calls.append((pid, re.sub(r"[ ,)]+$", "", re.sub(r"\s+", " ", text))))
	for kind in "calls", "hidden":
	    with open(f"{sys.argv[2]}.{kind}", "w") as f:
	        f.writelines(sorted(t + "\n"
	                            for p, t in calls if (p in hidden) == (kind == "hidden")))
	END
}

alike() { # NAME OTHER
	diff "$ROOT/$1.calls" "$ROOT/$2.calls" ||
		fail "$1 and $2 differ as above"
}

# bats test_tags=check
@test "remote_calls: no thread, no signal, no timer more than without a remote" {
	# A control: these calls are seen.
	calls control "$PY" -c 'import os, signal, threading
t = threading.Thread(target=int); t.start(); t.join()
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
signal.setitimer(signal.ITIMER_REAL, 9)
os.kill(os.getpid(), signal.SIGUSR1)'
	local seen
	for seen in CLONE_THREAD 'rt_sigaction(SIGUSR1' 'setitimer(ITIMER_REAL' 'kill('; do
		grep -qF "$seen" "$ROOT/control.calls" ||
			fail "no $seen: $(cat "$ROOT/control.calls")"
	done

	start
	gcc -c a.c -o want.o
	age
	local url=$REPRISE_REDIS_URL kind
	unset REPRISE_REDIS_URL
	fresh alone
	calls miss env "${RPENV[@]}" gcc -c a.c
	calls hit env "${RPENV[@]}" gcc -c a.c
	remote_url "$url"
	fresh a
	agent_up
	calls far_miss env "${RPENV[@]}" gcc -c a.c
	[ "$(stat_of misses) $(stat_of leases_taken)" = "1 1" ]
	drain
	fresh b
	agent_up
	calls far_hit env "${RPENV[@]}" gcc -c a.c
	[ "$(stat_of hits_remote)" = 1 ]
	cmp a.o want.o
	grep -q . "$ROOT/miss.calls"
	[ ! -s "$ROOT/miss.hidden" ]
	[ ! -s "$ROOT/hit.hidden" ]
	[ ! -s "$ROOT/far_hit.hidden" ]
	[ ! -s "$ROOT/far_miss.hidden" ]
	alike hit far_hit
	alike miss far_miss

	# The same if the server hangs, is absent, or closes.
	for kind in hang cut gone; do
		if [ $kind = gone ]; then
			remote_url "redis://127.0.0.1:$(redis_free_port)"
		else
			redis_proxy $kind "$REDIS_PORT" $kind 20
			remote_url "redis://127.0.0.1:$PROXY_PORT"
		fi
		fresh b
		export REPRISE_REMOTE_READONLY=1 REPRISE_REMOTE_LOOKUP_TIMEOUT=250ms
		agent_up
		calls sick \
			env "${RPENV[@]}" gcc -c a.c
		cmp a.o want.o
		[ "$(stat_of misses) $(stat_of remote_asked)" = "1 1" ] ||
			fail "$kind: it did not ask"
		[ ! -s "$ROOT/sick.hidden" ]
		alike miss sick || fail "$kind"
	done
}
