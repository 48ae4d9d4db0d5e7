#!/usr/bin/env bats
# The agent under attack: processes that die or stop, clients that talk nonsense, directories that
# go away or are full. Each job is right and goes on; the next one is served.

setup() { load lib; load redis; load remote_lib; remote_setup; }
teardown() { remote_teardown; }

client() { "$PY" "$E2E_DIR/agent_client.py" "$@"; }
socket_of() { find "$RUNTIME" -name 'agent.*'; } # of this node

# published NUMBER...: sources that node a compiled and published.
published() {
	local i
	start
	for i; do put "$i.c" "int f$i(void) { return $i; }"; done
	age
	for i; do under gcc -c "$i.c"; done
	drain
	remote_end
	on b
}

# served NUMBER: the remote store serves this start of node b.
served() {
	under gcc -c "$1.c" >out 2>&1
	[ ! -s out ] || fail "it said $(cat out)" || return 1
	tail -n 1 "$LOG" | grep -q ' hit: ' || fail "not served: $(cat "$LOG")"
}

# bats test_tags=check
@test "agent: stopped, killed, or its socket removed" {
	published 1 2 3 4 5
	served 1
	kill -9 "$(daemons agent)"
	served 2
	# All wait no longer than one question, and the node remembers.
	local pid
	pid=$(daemons agent)
	kill -STOP "$pid"
	under gcc -c 3.c
	tail -n 2 "$LOG" | grep -q 'no agent answered in time'
	under gcc -c 4.c
	tail -n 2 "$LOG" | grep -q 'no agent answered a moment ago'
	kill -9 "$pid"
	rm -f "$(socket_of)" "${RUNTIME:?}"/*/asked
	served 5
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "agent: a local hit asks none, and starts none" {
	published 1
	served 1
	remote_end
	none_stays agent
	rm -f "$(socket_of)" 1.o
	under gcc -c 1.c
	[ "$(stat_of hits_local)" = 1 ] || fail "$(cat "$LOG")"
	[ -z "$(daemons agent)" ] || fail "an agent was started"
	[ -z "$(socket_of)" ]
}

@test "agent: one with a refused password makes room for the next job's" {
	published 1 2
	redis_cli main config set requirepass right >/dev/null
	REPRISE_REDIS_PASSWORD=wrong under gcc -c 1.c
	tail -n 2 "$LOG" | grep -q 'AUTH was refused' || fail "$(cat "$LOG")"
	export REPRISE_REDIS_PASSWORD=right
	# The first question with the new password ends that agent. A new one answers it.
	under gcc -c 2.c
	tail -n 1 "$LOG" | grep -q ' hit: ' || fail "$(cat "$LOG")"
}

# bats test_tags=check
@test "agent: a refused password starts no agent for each compile" {
	published 1 2 3 4 5 6
	redis_cli main config set requirepass right >/dev/null
	export REPRISE_REDIS_PASSWORD=wrong
	local i
	for i in 1 2 3 4 5 6; do under gcc -c "$i.c"; done
	[ "$(daemons agent | wc -l)" = 1 ] || fail "$(daemons agent)"
	[ "$(stat_of remote_asked)" -le 4 ] || fail "asked $(stat_of remote_asked) times"
	[ "$(stat_of breaker_openings)" = 1 ] || fail "$(reprise stats)"
}

# bats test_tags=check
@test "agent: a user who may not write is tried once, and nothing more is queued" {
	published 1 2
	put 3.c 'int f3(void) { return 3; }'
	put 4.c 'int f4(void) { return 4; }'
	age
	redis_cli main ACL SETUSER reader on '>pw' '~*' -@all +get +lrange +llen +select >/dev/null
	# A lease that is refused says the same.
	export REPRISE_REDIS_USER=reader REPRISE_REDIS_PASSWORD=pw REPRISE_REMOTE_LEASE=0
	denied() { grep -c 'does not let this user write' "$LOG" || true; }
	served 1
	under gcc -c 3.c
	local i
	for ((i = 0; i < 100; i++)); do
		[ "$(denied)" = 0 ] || [ -n "$(publishers)" ] || break
		sleep 0.1
	done
	[ "$(denied)" = 1 ] || fail "$(cat "$LOG")"
	under gcc -c 4.c
	served 2
	[ "$(denied)" = 1 ] || fail "$(cat "$LOG")"
	run reprise doctor
	[[ $output == *'the server refused a write: nothing is published'* &&
		$output == *' 2 records wait'* ]] || fail "$output"
}

# An agent keeps to the limits of the job that started it.
# bats test_tags=check
@test "agent: a job with other limits has its own" {
	published 1 2 3
	REPRISE_READONLY=1 served 1
	[ ! -d "$STORE/result" ] || [ -z "$(find "$STORE/result" -type f)" ] || fail "it was kept"
	served 2
	REPRISE_MAX_SIZE=1G served 3
	[ "$(daemons agent | wc -l)" = 3 ] || fail "$(daemons agent)"
}

# bats test_tags=check
@test "agent: clients that talk nonsense, and more clients than it takes" {
	published 1 2 3
	served 1
	local pid
	pid=$(daemons agent)
	client nonsense "$(socket_of)" || fail "nonsense"
	served 2
	[ "$(daemons agent)" = "$pid" ] || fail "another agent runs"
	# Its table is full. It takes the next one when a client goes, and does not spin meanwhile.
	prlimit --pid "$pid" --nofile=40:40
	"$PY" "$E2E_DIR/agent_client.py" many "$(socket_of)" 60 >many 3>&- &
	local i flood=$! before after
	for ((i = 0; i < 100; i++)); do [ ! -s many ] || break; sleep 0.02; done
	before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	sleep 0.5
	after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	[ $((after - before)) -lt 15 ] || fail "$((after - before)) ticks of 50"
	kill "$flood"
	wait "$flood" 2>/dev/null || :
	served 3
}

# bats test_tags=check
@test "agent: 2,000 clients at once" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 2500 ] || skip "few descriptors"
	published 1 2
	served 1
	local pid
	pid=$(daemons agent)
	client crowd "$(socket_of)" 2000 || fail "$(cat "$LOG")"
	served 2
	[ "$(daemons agent)" = "$pid" ] || fail "another agent runs"
}

# bats test_tags=check
@test "agent: one that cannot fork gives each question one answer" {
	need_root "another user's processes"
	need prlimit
	published 1
	for_user
	chown -R 65534 "$ROOT"
	as_user env "${RPENV[@]}" LD_PRELOAD= "${REPRISE_LIB%/*}/libexec/reprise-agent" 3>&- &
	local i
	for ((i = 0; i < 200; i++)); do [ -z "$(socket_of 2>/dev/null)" ] || break; sleep 0.02; done
	as_user "$PY" "$E2E_DIR/agent_client.py" no_worker "$(socket_of)" ||
		fail "$(cat "$LOG")"
}

# bats test_tags=check
@test "agent: who asks the same as another one does not wait for its transfer" {
	start
	head -c 3000000 /dev/urandom >blob
	put big.s '.globl b' '.data' 'b: .incbin "blob"'
	age
	under as big.s -o big.o
	drain
	remote_end
	redis_proxy slow "$REDIS_PORT" delay 40
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	on b
	agent_up
	local key
	key=$(redis_cli main --raw keys 'reprise:1:m:*')
	client same "$(socket_of)" "$(tr -d '{}' <<<"${key##*:}")" || fail "$(cat "$LOG")"
}

# bats test_tags=check
@test "agent: what a job has, and its agent has not" {
	published 1
	put limited.sh 'ulimit -S -v 4000000 -d 4000000 -n 60 -t 30 && umask 0' \
		'exec taskset -c "$1" gcc -c 1.c'
	local all
	all=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	under LD_LIBRARY_PATH="$ROOT/r" LD_BIND_NOT=1 GLIBC_TUNABLES=glibc.malloc.check=0 \
		bash limited.sh "${all%%[-,]*}" | cat
	[ "$(stat_of remote_asked)" != 0 ]
	local pid
	pid=$(daemons agent)
	tr '\0' '\n' <"/proc/$pid/environ" >env
	! grep -E '^(LD_|GLIBC_)' env || fail "it has them"
	awk '/Max (cpu time|data size|address space|open files)/ {
		if ($(NF - 2) != $(NF - 1)) exit 1 }' "/proc/$pid/limits" ||
		fail "$(cat "/proc/$pid/limits")"
	[ "$(readlink "/proc/$pid/cwd")" = / ]
	[ "$(readlink "/proc/$pid/fd/1")" = /dev/null ]
	grep -q 'Umask:.0077' "/proc/$pid/status"
	[ "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$pid/status")" = "$all" ] ||
		fail "$(cat "/proc/$pid/status")"
}

# bats test_tags=check
@test "agent: it reaps its workers where process 1 reaps nobody" {
	unshare -pf --mount-proc true 2>/dev/null || skip "no pid namespaces here"
	published 1
	cat >first.py <<-'END'
	import os, subprocess, sys, time

	def states(name):
	    return subprocess.run(["ps", "-C", name, "-o", "stat="], capture_output=True,
	                          text=True).stdout.split()

	subprocess.run(["gcc", "-c", "1.c"], check=True)
	if not states("reprise-worker"):
	    sys.exit("no worker")
	subprocess.run(["rm", "-rf", sys.argv[1]], check=True)
	for _ in range(200):
	    if states("reprise-agent")[0].startswith("Z"):
	        break
	    time.sleep(0.05)
	print(states("reprise-agent"), states("reprise-worker"))
	sys.exit(bool(states("reprise-worker")))
	END
	under unshare -pf --mount-proc "$PY" first.py "$RUNTIME" >out 2>&1 || fail "$(cat out)"
}

# bats test_tags=check
@test "agent: where process 1 reaps nobody, starts at once leave no zombie, and agents one" {
	unshare -pf --mount-proc true 2>/dev/null || skip "no pid namespaces here"
	published 1 2 3 4 5 6 7 8
	cat >first.py <<-'END'
	import signal, subprocess, sys, time

	program, reaps = sys.argv[1], len(sys.argv) > 2

	def agents(is_zombie):
	    out = subprocess.run(["ps", "-A", "-o", "stat=,ppid=,comm="], capture_output=True,
	                         text=True).stdout
	    print(out)
	    return [l for l in out.splitlines() if (l[0] == "Z") == is_zombie and "reprise" in l]

	if reaps:
	    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
	else:
	    for p in [subprocess.Popen(["gcc", "-c", f"{i}.c"]) for i in range(1, 9)]:
	        p.wait()
	    if agents(True):
	        sys.exit("starts at once left zombies")
	# Without a remote store an agent ends a second after it began.
	living = len(agents(False))

	def begin():
	    subprocess.run(["sh", "-c", f"REPRISE_REMOTE=0 {program} &"])

	def all_ended():
	    for _ in range(100):
	        if len(agents(False)) == living:
	            return True
	        time.sleep(0.1)

	begin()
	time.sleep(0.5)
	if not all_ended():
	    sys.exit("the first agent stays")
	begin()
	time.sleep(0.5 if reaps else 3)
	if reaps and not all_ended():
	    sys.exit("the second agent stays")
	if len(agents(True)) != (not reaps) or len(agents(False)) != living + (not reaps):
	    sys.exit("one agent after the other")
	END
	local agent=${REPRISE_LIB%/*}/libexec/reprise-agent
	mkdir -m 700 "$ROOT/r.run"
	under env REPRISE_RUNTIME_DIR="$ROOT/r.run" unshare -pf --mount-proc "$PY" first.py \
		"$agent" reaps >reaps 2>&1 3>&- &
	local other=$!
	under unshare -pf --mount-proc "$PY" first.py "$agent" >out 2>&1 || fail "$(cat out)"
	wait $other || fail "$(cat reaps)"
}

# bats test_tags=check
@test "agent: each network namespace has its own" {
	need_root "a network namespace"
	unshare -n true 2>/dev/null || skip "no network namespaces here"
	published 1 2
	under unshare -n gcc -c 1.c
	tail -n 2 "$LOG" | grep -q 'remote: connect to' || fail "$(cat "$LOG")"
	[ "$(daemons agent | wc -l)" = 1 ]
	served 2
	[ "$(daemons agent | wc -l)" = 2 ]
}

# bats test_tags=check
@test "agent: no start waits twice where a runtime directory cannot be written" {
	need_mounts
	published 1 2
	put full.sh 'mount -t tmpfs -o size=1m,nr_inodes=40,mode=700 none "$1" || exit 9' \
		'gcc -c 1.c && kill -9 $("$2" "$3" who "$1"/*/agent.*) || exit 8' \
		'rm "$1"/*/agent.* "$1"/*/asked' \
		'i=0; while touch "$1/x$i"; do i=$((i + 1)); done 2>/dev/null' \
		'exec gcc -c 2.c'
	mkdir -m 700 "$ROOT/b.run"
	under unshare -m sh full.sh "$ROOT/b.run" "$PY" "$E2E_DIR/agent_client.py"
	grep -q 'the runtime directory cannot be written' "$LOG" || fail "$(cat "$LOG")"
}

# What one job does not trust must not reach it through the inbox of another.
# bats test_tags=check
@test "agent: the inbox of one remote store is not read for another" {
	start
	put 1.c 'int f1(void) { return 1; }'
	age
	env "${RPENV[@]}" LD_PRELOAD= REPRISE_QUIET=1 "$REPRISE_BIN" run --job J -- gcc -c 1.c
	drain
	on b
	reprise prefetch J
	[ -n "$(find "$STORE/inbox" -path '*/manifest/*' -type f)" ] || fail "no candidate"
	local tags=("$STORE"/inbox/*)
	[ ${#tags[@]} = 1 ]
	remote_url "redis://127.0.0.1:$REDIS_PORT/3"
	under gcc -c 1.c
	tail -n 1 "$LOG" | grep -q 'no result of this command is stored' || fail "$(cat "$LOG")"
	rm -rf "$STORE/result" "$STORE/manifest" 1.o
	remote_url "redis://127.0.0.1:$REDIS_PORT"
	under gcc -c 1.c
	[ "$(stat_of hits_remote)" = 1 ] || fail "$(cat "$LOG")"
}

# A worker that has no processor for 40 ms is what a busy node shows. Where this test itself has to
# wait for a processor, the agent may take the store for a slow one: not each time.
# bats test_tags=check
@test "agent: a near store gets no second worker while the processors are busy" {
	workers() { pgrep -P "$(daemons agent)" -x reprise-worker; }
	published $(seq 20)
	local i k pid before jobs
	for ((i = 1; i <= 20; i += 4)); do
		served "$i"
		pid=$(workers | head -n 1) before=$(workers | wc -l)
		kill -STOP "$pid"
		jobs=()
		for k in 1 2 3; do
			under gcc -c $((i + k)).c 3>&- &
			jobs+=($!)
		done
		sleep 0.04
		kill -CONT "$pid"
		wait "${jobs[@]}"
		[ "$(workers | wc -l)" != "$before" ] || return 0
	done
	fail "workers: $(workers)"
}

# bats test_tags=check
@test "agent: another agent's publisher is at work" {
	put 1.c 'int f1(void) { return 1; }'
	put 2.c 'int f2(void) { return 2; }'
	age
	remote_url "redis://127.0.0.1:$(redis_free_port)"
	under gcc -c 1.c
	local i pid before after
	one_comes publish
	for pid in $(daemons agent); do kill -9 "$pid"; done
	agent_up
	under gcc -c 2.c
	# The new agent's own one finds the lock taken, and ends.
	for ((i = 0; i < 200; i++)); do
		[ "$(publishers | wc -l)" != 1 ] || break
		sleep 0.1
	done
	[ "$(publishers | wc -l)" = 1 ] || fail "$(publishers | wc -l) publishers"
	# User and system time of the children that it has waited for.
	pid=$("$PY" "$E2E_DIR/agent_client.py" who "$(socket_of)")
	before=$(awk '{ print $16 + $17 }' "/proc/$pid/stat")
	sleep 0.7
	after=$(awk '{ print $16 + $17 }' "/proc/$pid/stat")
	[ $((after - before)) -lt 5 ] || fail "its publishers took $((after - before)) ticks of 70"
}
