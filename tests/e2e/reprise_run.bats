#!/usr/bin/env bats
# The launch: scripts/reprise-run and `reprise run` behind it.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	RUN=$TOP/scripts/reprise-run
	LIB=$(realpath "$TOP/build/libreprise.so")
}
teardown() {
	redis_teardown
	case_teardown
}

# An installed prefix, as `make install` lays it out.
prefix() {
	mkdir -p "$1/bin" "$1/lib/reprise"
	cp "$TOP/build/reprise" "$TOP/scripts/reprise-run" "$1/bin"
	cp "$TOP/build/libreprise.so" "$1/lib/reprise"
}

# preload_of COMMAND...: LD_PRELOAD as a command started by it sees it.
preload_of() { "$@" /bin/sh -c 'printf %s "$LD_PRELOAD"'; }

@test "reprise-run: the object is in the command's process" {
	run "$RUN" grep -c "$LIB" /proc/self/maps
	[ "$status" = 0 ]
	[ "$output" -ge 1 ]
}

@test "reprise-run: arguments arrive as they are" {
	args=('' 'a b' '*' $'new\nline' '--help' '--' '-x' "'" '"' '$HOME' $'\xff\xfe')
	printf '<%s>\n' "${args[@]}" >want
	"$RUN" printf '<%s>\n' "${args[@]}" >have
	cmp want have
	"$RUN" -- printf '<%s>\n' "${args[@]}" >have
	cmp want have
}

@test "reprise-run: the exit status is the command's" {
	for n in 0 1 2 77 255; do
		run "$RUN" sh -c "exit $n"
		[ "$status" = "$n" ]
	done
}

# warns LINES [VARIABLE=VALUE...]: what it says on standard error, each line behind its name.
warns() {
	local want
	want=$(sed -n 's/./reprise-run: &/p' <<<"$1")
	shift
	run --separate-stderr env "$@" "$RUN" echo out
	[ "$status" = 0 ] && [ "$output" = out ] || fail "status $status: $output $stderr"
	# shellcheck disable=SC2154 # bats sets it
	[ "$stderr" = "$want" ] || fail "said: $stderr, wanted: $want"
}

@test "reprise-run: says at its start what will not work, and nothing where all does" {
	warns ''
	local size='"5X" is not a whole number of bytes or of K, M, G, T; the default is used'
	warns "REPRISE_MAX_SIZE: $size
REPRISE_MAXSIZE is not a setting; did you mean REPRISE_MAX_SIZE?" \
		REPRISE_MAX_SIZE=5X REPRISE_MAXSIZE=5G
	warns 'REPRISE_ZZZZZZZZZ is not a setting' REPRISE_ZZZZZZZZZ=1
	mkdir -p config/reprise
	echo 'max_size=7G' >config/reprise/reprise.conf
	local line="$PWD/config/reprise/reprise.conf:1"
	warns "$line: no such setting: \"max_size\"; the line is ignored (MAX_SIZE?)" \
		XDG_CONFIG_HOME="$PWD/config"
	warns 'REPRISE_CACHE_DIR: "store" is not an absolute path; the default is used' \
		REPRISE_CACHE_DIR=store
	local none='/proc/none: No such file or directory'
	warns "cache directory $none: the store is $HOME/.cache/reprise" \
		REPRISE_CACHE_DIR=/proc/none
	warns "runtime directory $none: it is $TMPDIR/reprise" REPRISE_RUNTIME_DIR=/proc/none \
		XDG_RUNTIME_DIR="$TMPDIR"
	put "/tmp/reprise_nowhere-$$" x
	warns "nothing is cached: no usable store: cache directory $none" \
		REPRISE_CACHE_DIR=/proc/none HOME=/proc TMPDIR=/proc USER=nowhere-$$
	rm "/tmp/reprise_nowhere-$$"
	run --separate-stderr env REPRISE_REDIS_URL=http://x "$RUN" true
	[ "$status" = 0 ] || fail "status $status"
	[[ $stderr == 'reprise-run: REDIS_URL: '*'the remote store is off' ]] || fail "$stderr"
}

@test "reprise-run: variables of a Kubernetes service are no settings" {
	local of='set by Kubernetes for a service called'
	local end='nothing is taken from them (enableServiceLinks: false leaves them out)'
	warns "REPRISE_SERVICE_HOST and 6 more: $of reprise, and not settings: $end" \
		REPRISE_SERVICE_HOST=10.0.0.1 REPRISE_SERVICE_PORT=80 \
		REPRISE_PORT=tcp://10.0.0.1:80 REPRISE_PORT_80_TCP=tcp://10.0.0.1:80 \
		REPRISE_PORT_80_TCP_PROTO=tcp REPRISE_PORT_80_TCP_PORT=80 \
		REPRISE_PORT_80_TCP_ADDR=10.0.0.1
	# Of a name that is a setting's, too.
	warns "REPRISE_REDIS_PORT: $of reprise-redis, and not settings: $end" \
		REPRISE_REDIS_PORT=tcp://10.0.0.1:6379
	run --separate-stderr env REPRISE_PORT=80 "$RUN" true
	[[ $stderr == 'reprise-run: REPRISE_PORT is not a setting'* ]] || fail "$stderr"
	run env REPRISE_REDIS_PORT=tcp://10.0.0.1:6379 REPRISE_REDIS_SERVICE_HOST=10.0.0.1 \
		REPRISE_CACHE_DIR="$STORE" "$REPRISE_BIN" config
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *REDIS_PORT*6379*default* ]] || fail "$output"
	# A child with a cleared environment gets settings alone.
	run env REPRISE_SERVICE_HOST=10.0.0.1 REPRISE_JOB=mine "$RUN" env -i /usr/bin/env
	[[ $output == *REPRISE_JOB=mine* && $'\n'$output != *$'\n'REPRISE_SERVICE_HOST=* ]] ||
		fail "$output"
}

@test "reprise-run: of two builds in one process the later one steps back" {
	mkdir other
	cp "$LIB" other/libreprise.so
	echo >>other/libreprise.so
	put s.c 'int f(void) { return 1; }'
	age
	local said="reprise run: several builds of Reprise are preloaded: \
$PWD/other/libreprise.so (version "*") serves, $LIB (version "*") steps back: preload one of them"
	run --separate-stderr env LD_PRELOAD="$PWD/other/libreprise.so" "$RUN" -- true
	[[ $stderr == $said ]] || fail "$stderr"
	run --separate-stderr env LD_PRELOAD="$LIB" "$RUN" -- true
	[ -z "$stderr" ] || fail "$stderr"
	ln -s "$LIB" link.so
	run --separate-stderr env LD_PRELOAD="$PWD/link.so" "$RUN" -- true
	[ -z "$stderr" ] || fail "$stderr"
	local i
	for i in 1 2; do
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
			LD_PRELOAD="$PWD/other/libreprise.so:$LIB" gcc -c s.c -o s.o
	done
	reprise stats --json >stats
	"$PY" -c 'import json; d = json.load(open("stats"))
assert d["hits_local"] == 1 and d["misses"] == 1 and not d["unstored"], d'
	run env LD_PRELOAD="$PWD/other/libreprise.so" REPRISE_CACHE_DIR="$STORE" \
		"$REPRISE_BIN" doctor
	[[ $output == *"mend  object     several builds of Reprise are preloaded: \
$PWD/other/libreprise.so (version "*") serves, $LIB (version "*") steps back"* ]] ||
		fail "$output"
}

@test "reprise-run: TLS without its program is reported" {
	prefix "$ROOT/p"
	RUN=$ROOT/p/bin/reprise-run
	local net=libexec/reprise/reprise-agent-net
	mkdir -p "$ROOT/p/libexec/reprise"
	cp "$TOP/build/libexec/reprise-agent" "$ROOT/p/libexec/reprise"
	local why="rediss://127.0.0.1:1/0: rediss:// needs reprise-agent-net, which is not"
	warns "$why installed here: nothing is shared until the server answers" \
		REPRISE_REDIS_URL=rediss://127.0.0.1:1 REPRISE_DRAIN=0
	# The program is there, and OpenSSL's library is not. Of another server, since the agent
	# above is still there.
	grep -q libssl "$TOP/build/$(echo $net | sed s,/reprise/,/,)" ||
		skip "reprise was built without OpenSSL"
	sed 's/libssl\.so\.3/libssl.so.8/g; s/libssl\.so\.1\.1/libssl.so.8.8/g' \
		"$TOP/build/libexec/reprise-agent-net" >"$ROOT/p/$net"
	sed -i 's/libssl\.so\.3/libssl.so.8/g; s/libssl\.so\.1\.1/libssl.so.8.8/g' \
		"$ROOT/p/bin/reprise"
	chmod +x "$ROOT/p/$net"
	run --separate-stderr env REPRISE_REDIS_URL=rediss://127.0.0.1:2 "$RUN" echo out
	[ "$status" = 0 ] && [ "$output" = out ] || fail "status $status: $output $stderr"
	why='reprise-run: rediss://127.0.0.1:2/0: TLS: OpenSSL is not installed: '
	[[ $stderr == "$why"*'libssl.so'* ]] ||
		fail "$stderr"
	run env REPRISE_REDIS_URL=rediss://127.0.0.1:2 \
		REPRISE_CACHE_DIR="$STORE" "$ROOT/p/bin/reprise" doctor
	[[ $output == *'mend  redis'*'OpenSSL is not installed: neither libssl.so'* ]] ||
		fail "$output"
	# The log of a job says it, too.
	put a.c 'int a;'
	env REPRISE_REDIS_URL=rediss://127.0.0.1:2 REPRISE_CACHE_DIR="$STORE" REPRISE_LOG="$LOG" \
		LD_PRELOAD="$ROOT/p/lib/reprise/libreprise.so" gcc -c a.c
	for _ in $(seq 100); do
		grep -qs 'OpenSSL is not installed' "$LOG" && break
		sleep 0.05
	done
	grep -q 'OpenSSL is not installed' "$LOG"
}

# bats test_tags=check
@test "reprise-run: a remote store that does not answer is reported, and one that answers is not" {
	redis_need
	local url
	url=redis://127.0.0.1:$(redis_free_port)
	local until='nothing is shared until the server answers'
	warns "$url/0: connect to 127.0.0.1: Connection refused: $until" REPRISE_REDIS_URL="$url"
	warns '' REPRISE_REDIS_URL="$url" REPRISE_REMOTE=0
	redis_proxy hang 0 hang
	url=redis://127.0.0.1:$PROXY_PORT
	warns "$url/0: timed out: nothing is shared until the server answers" \
		REPRISE_REDIS_URL="$url"
	# The answer counts for the node: the next process does not wait for the server.
	warns "$url/0: the remote store is not used for a while: $until" \
		REPRISE_REDIS_URL="$url"
	# A busy machine may need longer than a look-up may take.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=5s
	redis_start main
	warns '' REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT"
	redis_start closed --requirepass s3cr3t
	url=redis://127.0.0.1:$REDIS_PORT
	run --separate-stderr env REPRISE_REDIS_URL="$url" "$RUN" true
	[[ $stderr == "reprise-run: $url/0: "*': nothing is shared until the server answers' ]] ||
		fail "$stderr"
	warns '' REPRISE_REDIS_URL="$url" REPRISE_REDIS_PASSWORD=s3cr3t
}

# of_another_machine FILE: as one that was built for another architecture.
of_another_machine() { printf '\363' | dd of="$1" bs=1 seek=18 conv=notrunc status=none; }

@test "reprise-run: an object or a command of another architecture: a warning, and the job runs" {
	prefix "$ROOT/p"
	RUN=$ROOT/p/bin/reprise-run
	local object=$ROOT/p/lib/reprise/libreprise.so
	of_another_machine "$object"
	run --separate-stderr "$RUN" sh -c 'echo "out$LD_PRELOAD"'
	[ "$status" = 0 ] && [ "$output" = out ] || fail "status $status: $output $stderr"
	[ "$stderr" = \
		"reprise run: $object is a library for another architecture: nothing is cached" ] ||
		fail "$stderr"
	of_another_machine "$ROOT/p/bin/reprise"
	run --separate-stderr "$RUN" --job x sh -c 'echo "out$LD_PRELOAD"; exit 7'
	[ "$status" = 7 ] && [ "$output" = out ] || fail "status $status: $output $stderr"
	local why="/bin/reprise cannot be started here ($(uname -m)): nothing is cached; "
	[[ $stderr == *"$why"* ]] ||
		fail "$stderr"
	run --separate-stderr "$RUN" -q true
	[ "$status" = 0 ] && [ -z "$stderr" ] || fail "$stderr"
}

@test "reprise-run: as process 1 it waits for what it inherits, and ends as the command" {
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces"
	# Three processes lose their parents and end; then one is examined. None stays as a zombie.
	put job 'for i in 1 2 3; do sh -c "sleep 0.05 &"; done' 'sleep 0.3' \
		'grep -h "^State" /proc/[0-9]*/status' 'ps -e -o pid=,ppid=,stat=,comm=' 'exit 7'
	run unshare --pid --fork --mount-proc "$RUN" sh "$PWD/job"
	[ "$status" = 7 ] || fail "status $status: $output"
	[[ $output == *State* && $output != *zombie* ]] || fail "$output"
	# Signals from outside reach the command. Older unshare leaves them ignored.
	put waits 'trap "exit 5" TERM' 'echo up >'"$PWD/up" 'while :; do sleep 0.05; done'
	unshare --pid --fork --kill-child --mount-proc "$RUN" env --default-signal=TERM \
		sh "$PWD/waits" &
	local outer=$! inner
	for _ in $(seq 200); do [ -s up ] && break; sleep 0.05; done
	inner=$(pgrep -P "$outer")
	kill -TERM "$inner"
	wait "$outer" && status=0 || status=$?
	[ "$status" = 5 ] || fail "status $status"
}

@test "reprise-run: --quiet, REPRISE_QUIET, and no Reprise at all: nothing is said" {
	warns '' REPRISE_MAXSIZE=5G REPRISE_QUIET=1
	warns '' REPRISE_MAXSIZE=5G REPRISE_FORCE_DISABLE=1
	warns '' REPRISE_MAXSIZE=5G TORCHINDUCTOR_FORCE_DISABLE_CACHES=1
	run --separate-stderr env REPRISE_MAXSIZE=5G "$RUN" --job a --quiet -- \
		sh -c 'echo $REPRISE_JOB'
	[ "$status" = 0 ] && [ "$output" = a ] && [ -z "$stderr" ] || fail "$output $stderr"
	# The object prints nothing, whatever settings are wrong.
	run --separate-stderr env REPRISE_MAXSIZE=5G REPRISE_MAX_SIZE=5X LD_PRELOAD="$LIB" \
		gcc --version
	[ "$status" = 0 ] && [ -z "$stderr" ] || fail "$stderr"
}

# signalled OPTION...: sets PID to the process that was started and COMMAND to that of the command,
# which gets the signal.
signalled() {
	rm -f pid
	"$RUN" "$@" sh -c 'trap "echo got; exit 5" TERM; echo $$ >pid; while :; do sleep 0.05;
		done' >out &
	PID=$!
	for _ in $(seq 200); do [ -s pid ] && break; sleep 0.05; done
	COMMAND=$(cat pid)
	kill -TERM $PID
	wait $PID && s=0 || s=$?
	[ $s = 5 ]
	[ "$(cat out)" = got ]
}

@test "reprise-run: signals reach the command" {
	signalled
	[ "$COMMAND" != "$PID" ]
}

@test "reprise-run: with --quiet, becomes the command" {
	signalled --quiet
	[ "$COMMAND" = "$PID" ]
}

# becomes yes|no VARIABLE=VALUE...: whether the command gets the pid of reprise-run. The value "own"
# stands for that pid.
becomes() {
	local want=$1 got
	shift
	got=$(env "$@" sh -c 'for v in LISTEN_PID WATCHDOG_PID SYSTEMD_EXEC_PID; do
			eval "[ \"\${$v-}\" != own ] || export $v=$$"
		done
		exec "$0" sh -c "[ \$\$ = $$ ] && echo yes || echo no"' "$RUN" 2>err)
	[ "$got" = "$want" ] || fail "$*: $got"
}

@test "reprise-run: becomes the command where a service manager knows its pid" {
	becomes no A=b
	becomes yes LISTEN_PID=own LISTEN_FDS=1
	becomes yes WATCHDOG_PID=own WATCHDOG_USEC=1000000
	becomes yes SYSTEMD_EXEC_PID=own NOTIFY_SOCKET=/run/systemd/notify
	# The service waits for no message, or its variables reach a program further below.
	becomes no SYSTEMD_EXEC_PID=own
	becomes no LISTEN_PID=1 WATCHDOG_PID=1 SYSTEMD_EXEC_PID=1 NOTIFY_SOCKET=/n
	becomes no NOTIFY_SOCKET=/n
}

@test "reprise-run: a container's process 1 is no service manager" {
	unshare --pid --fork --mount-proc true 2>/dev/null || skip "no namespaces"
	[ ! -e /run/systemd/system ] || skip "systemd runs here"
	# shellcheck disable=SC2016 # of the container
	run unshare --pid --fork --mount-proc env NOTIFY_SOCKET=/n \
		sh -c '"$1" sh -c "echo \$PPID"; exit 0' sh "$RUN"
	[ "${lines[0]}" -gt 1 ] || fail "$output"
}

@test "reprise-run: death by a signal is seen as such" {
	run "$RUN" sh -c 'kill -KILL $$'
	[ "$status" = 137 ]
}

@test "reprise-run: standard streams pass" {
	printf 'in\n' | "$RUN" sh -c 'cat; echo err >&2' >out 2>err
	[ "$(cat out)" = in ]
	[ "$(cat err)" = err ]
}

@test "reprise-run: LD_PRELOAD is set, behind what is there, once" {
	[ "$(preload_of "$RUN")" = "$LIB" ]
	other=$ROOT/other.so
	cp "$LIB" "$other"
	[ "$(LD_PRELOAD=$other preload_of "$RUN")" = "$other:$LIB" ]
	[ "$(LD_PRELOAD=$LIB preload_of "$RUN")" = "$LIB" ]
	[ "$(LD_PRELOAD="$other $LIB" preload_of "$RUN")" = "$other $LIB" ]
	ln -s "$LIB" link.so
	[ "$(LD_PRELOAD=$PWD/link.so preload_of "$RUN")" = "$PWD/link.so" ]
	[ "$(LD_PRELOAD=: preload_of "$RUN")" = "$LIB" ]
	[ "$(preload_of "$RUN" "$RUN")" = "$LIB" ]
}

@test "reprise-run: names the job unless it has a name" {
	job() { "$@" sh -c 'printf %s "$REPRISE_JOB"'; }
	[[ $(job "$RUN") == run-*-* ]]
	[ "$(REPRISE_JOB=mine job "$RUN")" = mine ]
	[ "$(SLURM_JOB_ID=77 job "$RUN")" = 77 ]
	first=$(job "$RUN")
	[ "$(job "$RUN")" != "$first" ]
	# processes of one job agree, however deep
	[ "$(job "$RUN" "$RUN" sh -c 'exec sh -c "$1" x "$2"' x 'eval "$1"' \
		'printf %s "$REPRISE_JOB"' | head -c 4)" = run- ]
}

@test "reprise-run: through links" {
	ln -s "$RUN" abs
	[ "$(preload_of ./abs)" = "$LIB" ]
	mkdir d
	ln -s ../abs d/rel
	ln -s d/rel chain
	[ "$(preload_of ./chain)" = "$LIB" ]
	ln -s "$TOP" tree
	[ "$(preload_of tree/scripts/reprise-run)" = "$LIB" ]
}

@test "reprise-run: found through PATH" {
	mkdir bin
	ln -s "$RUN" bin/reprise-run
	[ "$(PATH=$W/bin:$PATH preload_of reprise-run)" = "$LIB" ]
	cd bin
	[ "$(PATH=.:$PATH preload_of reprise-run)" = "$LIB" ]
}

@test "reprise-run: from an installed prefix, moved or linked" {
	prefix "$ROOT/opt"
	[ "$(preload_of "$ROOT/opt/bin/reprise-run")" = "$ROOT/opt/lib/reprise/libreprise.so" ]
	mv "$ROOT/opt" "$ROOT/moved"
	ln -s "$ROOT/moved/bin/reprise-run" r
	[ "$(preload_of ./r)" = "$ROOT/moved/lib/reprise/libreprise.so" ]
	[ "$(preload_of "$ROOT/moved/bin/reprise" run)" = "$ROOT/moved/lib/reprise/libreprise.so" ]
	(
		cd "$ROOT/moved/bin" &&
			[ "$(preload_of ./reprise run --)" = \
				"$ROOT/moved/lib/reprise/libreprise.so" ]
	)
}

@test "reprise-run: a path that LD_PRELOAD cannot hold is refused, and a link helps" {
	for name in 'a b' 'a:b' 'a$b'; do
		prefix "$ROOT/$name"
		run "$ROOT/$name/bin/reprise-run" true
		[ "$status" = 125 ]
		[[ $output == *"LD_PRELOAD cannot hold"*"ln -s"* ]]
		ln -sfn "$ROOT/$name" "$ROOT/plain"
		run "$ROOT/plain/bin/reprise-run" grep -c 'libreprise.so' /proc/self/maps
		[ "$status" = 0 ]
	done
}

@test "reprise-run: without the command or the object it says so" {
	mkdir -p "$ROOT/half/bin"
	cp "$RUN" "$ROOT/half/bin"
	run "$ROOT/half/bin/reprise-run" true
	[ "$status" = 125 ]
	[[ $output == *"no 'reprise'"* ]]
	cp "$TOP/build/reprise" "$ROOT/half/bin"
	run "$ROOT/half/bin/reprise-run" true
	[ "$status" = 125 ]
	[[ $output == *libreprise.so* ]]
}

@test "reprise-run: help, version, wrong usage" {
	run "$RUN" --help
	[ "$status" = 0 ]
	[[ $output == "Usage: reprise-run"* ]]
	run "$RUN" --version
	[ "$status" = 0 ]
	[[ $output == reprise\ * ]]
	run "$RUN"
	[ "$status" = 2 ]
	run "$RUN" --
	[ "$status" = 2 ]
	run "$RUN" --bogus true
	[ "$status" = 2 ]
	run "$TOP/build/reprise" run
	[ "$status" = 2 ]
}

@test "reprise-run: commands that cannot be started" {
	run -127 "$RUN" no-such-command
	[[ $output == *no-such-command* ]]
	run -127 "$RUN" ''
	put plain 'echo no'
	run "$RUN" ./plain
	[ "$status" = 126 ]
	run "$RUN" /
	[ "$status" = 126 ]
}

@test "reprise-run: under dash and busybox sh" {
	for sh in dash 'busybox sh'; do
		need "${sh%% *}"
		[ "$(preload_of $sh "$RUN")" = "$LIB" ]
		ln -sfn "$RUN" link
		[ "$(preload_of $sh ./link)" = "$LIB" ]
		run $sh "$RUN" sh -c 'exit 9'
		[ "$status" = 9 ]
		run $sh "$RUN" --help
		[ "$status" = 0 ]
		run $sh "$RUN"
		[ "$status" = 2 ]
	done
}

@test "reprise-run: an environment of its own makes no difference" {
	[ "$(env -i "$RUN" /bin/sh -c 'printf %s "$LD_PRELOAD"')" = "$LIB" ]
	[ "$(env -i IFS=/ CDPATH=/ POSIXLY_CORRECT=1 version=yes "$RUN" /bin/sh \
		-c 'printf %s "$LD_PRELOAD"')" = "$LIB" ]
	# an option-like argument of the command is not reprise run's
	run env POSIXLY_CORRECT=1 "$RUN" echo --help -x
	[ "$output" = "--help -x" ]
}
