#!/usr/bin/env bats
# System call filters (seccomp): calls that are refused, or that end the process.

setup() {
	load lib
	case_setup
	need_filters
	put a.c '#warning said' 'int a(int x) { return x + 1; }'
}
teardown() {
	[ -z "${REDIS_PIDS[*]-}" ] || redis_teardown
	case_teardown
}

need_filters() {
	FILTER=$(helper filter)
	local s=0
	"$FILTER" 1 kcmp -- true || s=$?
	[ $s != 77 ] || skip "no system call filters here"
	[ $s = 0 ] || fail "$FILTER: status $s"
}

# foreign: calls that Reprise makes and a tool need not make.
foreign() {
	sed -n '/^FOREIGN/p' "$TOP/shim/kernel/sandbox.def" | grep -o 'SYS_[a-z0-9_]*' |
		sed s/SYS_// | sort -u
}

# as_plain HOW CALL... -- CMD...: CMD behind the filter ends like the plain CMD, with the same side
# effects and in similar time.
as_plain() {
	local how=$1 filter=() plain=0 got=0 start
	shift
	while [ "$1" != -- ]; do filter+=("$1"); shift; done
	shift
	# Files of their own: what a killed driver leaves behind may still be writing.
	rm -f a.o "$ROOT/plain" "$ROOT/got"
	"$FILTER" "$how" "${filter[@]}" -- "$@" >"$ROOT/plain" 2>&1 || plain=$?
	[ $plain = 0 ] || return 0 # nothing to compare with: the call is the tool's own
	rm -f a.o
	start=$EPOCHREALTIME
	under env REPRISE_STRICT=0 timeout 20 "$FILTER" "$how" "${filter[@]}" -- \
		"$@" >"$ROOT/got" 2>&1 || got=$?
	start=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	[ $got = 0 ] || fail "$how ${filter[*]}: status $got"
	cmp "$ROOT/plain" "$ROOT/got" || fail "$how ${filter[*]}: other output"
	[ -e a.o ] || fail "$how ${filter[*]}: no output file"
	[ $start -lt 4000 ] || fail "$how ${filter[*]}: $start ms"
}

@test "filters: calls that end the process, all at once and some alone" {
	local call
	as_plain kill statx signalfd4 fallocate kcmp dup3 memfd_create pidfd_open copy_file_range \
		-- gcc -c a.c
	for call in statx signalfd4 fallocate kcmp dup3 ppoll clock_gettime prctl geteuid umask; do
		as_plain kill $call -- gcc -c a.c
	done
	[ "$(stat_of misses)" = 0 ]
	# A filter for calls that the compile does not make.
	rm a.o
	differential -- "$FILTER" kill memfd_create -- gcc -c a.c
}

@test "filters: starts that a filter keeps from being served are counted and explained" {
	local n
	for n in 1 2; do
		under "$FILTER" kill kcmp -- gcc -c a.c
	done
	[ "$(stat_of bypasses)" = 2 ]
	[ "$(stat_of reason_filter)" = 2 ]
	[ "$(stat_of errors)" = 0 ]
	run env "${RPENV[@]}" "$REPRISE_BIN" explain 1
	local why="bypass: filter (a system call filter (seccomp) kills processes"
	[[ $output == *"$why"*"gcc -c a.c"* ]] ||
		fail "$output"
	# A filter that also ends the counting. Everything else is equal.
	as_plain kill openat kcmp mmap flock unlinkat fallocate -- gcc -c a.c
	as_plain kill kcmp fallocate statx flock fsync -- gcc -c a.c
	n=$(stat_of bypasses)
	under env REPRISE_FORCE_DISABLE=1 "$FILTER" kill kcmp -- gcc -c a.c
	[ "$(stat_of bypasses)" = "$n" ]
}

@test "filters: doctor reports a filter" {
	run "$FILTER" kill kcmp -- \
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" doctor
	[ "$status" = 1 ] && [[ $output == *"tools run uncached"* ]] || fail "$output"
	run "$FILTER" 1 kcmp -- \
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" doctor
	[[ $output != *"tools run uncached"* ]] || fail "$output"
}

each_call() { # HOW...
	local call how
	RPENV+=(REPRISE_RECACHE=1)
	for call in $(foreign); do
		for how; do
			as_plain $how $call -- gcc -c a.c
		done
	done
}

# bats test_tags=check
@test "filters: each call of Reprise is refused" { each_call 1; }

# bats test_tags=long
@test "filters: each call of Reprise ends the process, or is one that the kernel does not have" {
	each_call kill 38
}

# bats test_tags=long
@test "filters: each call of Reprise, in a hit and in the steps of a compile" {
	local call
	age
	under gcc -c a.c
	for call in $(foreign); do
		as_plain kill $call -- gcc -c a.c
		as_plain 38 $call -- gcc -c a.c
	done
	RPENV+=(REPRISE_RECACHE=1)
	cp "$(gcc -print-prog-name=cc1)" "$ROOT/cc1"
	for call in statx fallocate kcmp ppoll wait4 signalfd4 pipe2 fcntl; do
		as_plain kill $call -- "$ROOT/cc1" -quiet a.c -o a.o
		as_plain 1 $call -- "$ROOT/cc1" -quiet a.c -o a.o
	done
}

# bats test_tags=check
@test "filters: a call that is interrupted each time: nothing waits for ever" {
	local call plain got asked=0
	age
	under gcc -c a.c
	for call in write writev pwrite64 pread64 wait4 fcntl getrandom ppoll; do
		for recache in 0 1; do
			plain=0 got=0
			timeout -s KILL 3 "$FILTER" 4 $call -- gcc -c a.c >"$ROOT/plain" 2>&1 ||
				plain=$?
			[ $plain != 137 ] || continue # the tool's own loop
			under env REPRISE_STRICT=0 REPRISE_RECACHE=$recache timeout -s KILL 5 \
				"$FILTER" 4 $call -- gcc -c a.c >"$ROOT/got" 2>&1 || got=$?
			[ $got != 137 ] || fail "$call, recache $recache: waits for ever"
			[ $plain != 0 ] || [ $got = 0 ] ||
				fail "$call, recache $recache: status $got"
			asked=$((asked + 1))
		done
	done
	[ $asked -ge 10 ] || fail "only $asked of them"
}

# bats test_tags=check
@test "filters: calls to a remote store that fail each time: nothing waits for ever" {
	load redis
	redis_need
	redis_start main
	RPENV+=(REPRISE_REDIS_SOCKET="$REDIS_SOCKET")
	local call how n=0
	for call in socket connect sendmsg recvmsg; do
		for how in 1 4 11; do
			as_plain $how $call -- gcc -DN=$call$how -c a.c
			n=$((n + 1))
			[ "$(stat_of misses)" = $n ] || fail "$call $how: $(reprise stats)"
			# The old runtime directory remembers that the server does not answer.
			RUNTIME=$ROOT/runtime.$n
			mkdir -m 700 "$RUNTIME"
			RPENV+=(REPRISE_RUNTIME_DIR="$RUNTIME")
		done
	done
	# The calls by which reprise-run waits.
	for call in rt_sigtimedwait wait4; do
		how=0
		under env REPRISE_DRAIN=1s timeout 20 "$FILTER" 4 $call -- \
			"$REPRISE_BIN" run -- true 3>&- || how=$?
		[ $how != 124 ] || fail "reprise-run behind $call: waits for ever"
	done
}

@test "filters: a wait that is refused in one form alone" {
	# The supervisor polls three descriptors. The probe polls one, so it does not meet this
	# filter.
	as_plain 1 ppoll@1=3 -- gcc -c a.c
	[ "$(stat_of misses)" = 1 ] || fail "$(reprise stats)"
	[ "$(stat_of errors)" = 0 ]
	# The filter answers falsely that nothing is ready.
	RPENV+=(REPRISE_RECACHE=1)
	as_plain 0 ppoll@1=3 -- gcc -c a.c
	as_plain 0 ppoll -- gcc -c a.c
	as_plain 0 wait4@2=11 -- as -o a.o /dev/null
	as_plain 13 fcntl@1=37 -- gcc -c a.c
}

@test "filters: two filters, one inside the other" {
	RPENV+=(REPRISE_RECACHE=1)
	# The answers found under the first filter hold for gcc's steps below it, but not under the
	# second filter.
	cat >wrapped <<-EOF
	#!/bin/sh
	exec "$FILTER" kill statx fallocate kcmp -- gcc "\$@"
	EOF
	chmod +x wrapped
	as_plain kill memfd_create -- sh -c './wrapped -c a.c'
	as_plain 1 kcmp -- sh -c 'make -f /dev/null -s --eval "all: ; ./wrapped -c a.c"'
}

# bats test_tags=check
@test "filters: a host that installs a filter itself" {
	cat >host.py <<-'EOP'
	import ctypes, os, struct, subprocess, sys
	calls = [int(n) for n in sys.argv[1].split(",")]
	f = [(0x20, 0, 0, 0)]
	for n in calls: f += [(0x15, 0, 1, n), (0x06, 0, 0, 0x80000000)]
	f += [(0x06, 0, 0, 0x7fff0000)]
	code = b"".join(struct.pack("HBBI", *i) for i in f)
	buf = ctypes.create_string_buffer(code)
	prog = struct.pack("HxxxxxxQ", len(f), ctypes.addressof(buf))
	libc = ctypes.CDLL(None)
	libc.prctl(38, 1, 0, 0, 0)
	if libc.prctl(22, 2, prog): sys.exit(77)
	cache = os.environ["TRITON_CACHE_DIR"]
	print(os.path.exists(cache + "/" + "A" * 52 + "/__grp__k.json"))
	os.makedirs(cache + "/" + "B" * 52)
	with open(cache + "/" + "B" * 52 + "/tmp.x", "w") as o: o.write("{}")
	os.replace(cache + "/" + "B" * 52 + "/tmp.x", cache + "/" + "B" * 52 + "/__grp__k.json")
	print(subprocess.run(["true"]).returncode)
	if os.fork() == 0: os._exit(0)
	print(os.wait()[1])
	sys.stdout.flush()
	os.execlp("echo", "echo", "here")
	EOP
	local n numbers
	# statx fallocate kcmp dup3 signalfd4 copy_file_range socket connect renameat2 mkdirat
	# unlinkat faccessat readlinkat umask setsid
	numbers=332,285,312,292,289,326,41,42,316,258,263,269,267,95,112
	[ "$(uname -m)" = x86_64 ] || skip "numbers of x86-64"
	export TRITON_CACHE_DIR=$ROOT/tri
	for n in $numbers ${numbers//,/ }; do
		rm -rf "$ROOT/tri"
		"$PY" host.py $n >"$ROOT/plain" 2>&1 || continue
		rm -rf "$ROOT/tri"
		under "$PY" host.py $n >"$ROOT/got" 2>&1 || fail "$n: status $?"
		cmp "$ROOT/plain" "$ROOT/got"
	done
	[ "$(tail -n 1 "$ROOT/got")" = here ]
}

@test "filters: a recorded tool that installs a filter itself" {
	cat >own.c <<-'EOC'
	#include <fcntl.h>
	#include <linux/filter.h>
	#include <linux/seccomp.h>
	#include <stddef.h>
	#include <stdio.h>
	#include <sys/prctl.h>
	#include <sys/stat.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(void)
	{
		static const int calls[] = {SYS_statx, SYS_fallocate, SYS_readlinkat, SYS_faccessat,
		                            SYS_prlimit64, SYS_fcntl, SYS_pwrite64};
		struct sock_filter f[32] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		                                     offsetof(struct seccomp_data, nr))};
		unsigned short n = 1;
		for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
			f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
			                                      0, 1);
			f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
			                                      SECCOMP_RET_KILL_PROCESS);
		}
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		struct sock_fprog p = {n, f};
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 77;
		char name[64];
		struct stat st;
		int dir = open("..", O_RDONLY | O_DIRECTORY);
		for (int i = 0; i < 3000; i++) {
			snprintf(name, sizeof name, "a/rather/long/name/of/a/file/%d", i);
			stat(name, &st);
			close(open(i % 2 ? "own.c" : "/dev/null", O_RDONLY));
			if (fstatat(dir, "w", &st, 0)) puts("gone");
		}
		puts("done");
		return 0;
	}
	EOC
	gcc own.c -o own
	differential --cold unstored --env REPRISE_TOOLS=+own -- ./own
	[ "$(cat "$ROOT/r/cold.out")" = done ]
}
