# Jobs of several ranks, started by real launchers as the recipes of scripts/recipes say. Loads
# lib.bash.
#
#     setup() { load launchers_lib; launchers_setup; }
#     teardown() { launchers_end; }
#     twice 3 sh "$RECIPES/mpirun.sh" name 3 "${JOB[@]}"  # cold, then warm: all hits
#     [ "$JOB_NAME" = name ]                              # one name on all ranks
#     asks 1 ssh host; says 'mend  rank'                  # `reprise doctor -- ssh host`
#
# reprise-run is on PATH, as after `make install`. What launchers print is in $SAID. A launcher's
# daemons are in DAEMONS, and end with the case.

launchers_setup() {
	load ../e2e/lib
	case_setup
	RECIPES=$TOP/scripts/recipes
	OUT=$ROOT/out
	SAID=$ROOT/said
	DAEMONS=()
	mkdir -p "$ROOT/bin" "$ROOT/empty"
	ln -s "$TOP/scripts/reprise-run" "$TOP/build/reprise" "$ROOT/bin"
	PATH=$ROOT/bin:$PATH
	export REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG"
	JOB=("$PY" "$TOP/tests/launchers/rank_job.py" "$OUT")
}

launchers_end() {
	local pid
	for pid in "${DAEMONS[@]}"; do kill "$pid" 2>/dev/null; done
	for pid in "${DAEMONS[@]}"; do
		for _ in $(seq 100); do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.05
		done
	done
	unset REPRISE_CACHE_DIR REPRISE_RUNTIME_DIR REPRISE_LOG
	case_teardown
}

# wait_for WHAT COMMAND...: until the command succeeds.
wait_for() {
	local what=$1
	shift
	for _ in $(seq 300); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	fail "$what: not there after 30 s"
}

# ranks N COMMAND...: N ranks came to their end. Each had the object, the right result, and the
# same job name, which is JOB_NAME.
ranks() {
	local n=$1 seen names
	shift
	rm -rf "$OUT"
	mkdir -p "$OUT"
	chmod 777 "$OUT"
	# Names as other users of the machine and other starts have them.
	export TMPDIR
	TMPDIR=$(mktemp -d "$ROOT/tmp/XXXXXX")
	chmod 777 "$TMPDIR"
	"$@" >"$SAID" 2>&1 || { fail "$*: status $?: $(tail -n 20 "$SAID")"; return 1; }
	seen=$(cat "$OUT"/* | sort)
	[ "$(wc -l <<<"$seen")" = "$n" ] || { fail "$n ranks wanted: $seen"; return 1; }
	names=$(awk '$2 == 1 && $4 == 42 { print $3; next } { print "lost" }' <<<"$seen" | sort -u)
	[[ $names != *$'\n'* && $names != lost ]] || { fail "preload or job: $seen"; return 1; }
	[ "$(awk '{ print $1 }' <<<"$seen" | sort -u | wc -l)" = "$n" ] ||
		{ fail "ranks: $seen"; return 1; }
	JOB_NAME=$names
}

# figures STORE: misses and hits of all jobs of a store.
figures() {
	REPRISE_CACHE_DIR=$1 "$REPRISE_BIN" stats --json | "$PY" -c 'import json, sys
d = json.load(sys.stdin)
print(d["misses"], d["hits_local"] + d["hits_remote"])'
}

# starts_of NAME: starts of compilers and hits of that job, as `reprise jobs` lists them.
starts_of() {
	reprise jobs --json | "$PY" -c 'import json, sys
for j in json.load(sys.stdin)["jobs"]:
    if j["job"] == sys.argv[1]:
        print(j["compiles"], j["hits"])' "$1"
}

# twice N COMMAND...: the job of N ranks cold, then warm, where each start of a compiler is a hit:
# two a rank. Both starts have one name, or one each: COLD_NAME and JOB_NAME.
twice() {
	local n=$1 misses hits then
	ranks "$@" || return 1
	COLD_NAME=$JOB_NAME
	read -r misses hits <<<"$(figures "$STORE")"
	# Ranks that compile the same at once may each do it.
	[ "$misses" -ge 2 ] && [ $((misses + hits)) = $((2 * n)) ] ||
		{ fail "cold: $misses misses, $hits hits: $(tail -n 20 "$SAID")"; return 1; }
	then=$(starts_of "$JOB_NAME")
	[ "${then% *}" = "$((2 * n))" ] || { fail "cold: reprise jobs: $then"; return 1; }
	warm "$@" || return 1
	then=$(starts_of "$JOB_NAME")
	if [ "$JOB_NAME" = "$COLD_NAME" ]; then
		[ "${then% *}" = "$((4 * n))" ] || fail "warm: reprise jobs: $then"
	else
		[ "$then" = "$((2 * n)) $((2 * n))" ] || fail "warm: reprise jobs: $then"
	fi
}

# warm N COMMAND...: a start where all is hit.
warm() {
	local misses hits now_misses now_hits
	read -r misses hits <<<"$(figures "$STORE")"
	ranks "$@" || return 1
	read -r now_misses now_hits <<<"$(figures "$STORE")"
	[ "$now_misses $((now_hits - hits))" = "$misses $((2 * $1))" ] ||
		fail "warm: $((now_misses - misses)) misses, $((now_hits - hits)) hits"
}

# asks STATUS LAUNCHER...: `reprise doctor -- LAUNCHER...`, both streams in $output.
asks() {
	local want=$1
	shift
	run "$REPRISE_BIN" doctor -- "$@"
	[ "$status" = "$want" ] || fail "status $status, not $want: $output"
}

# says TEXT...: each stands in the output
says() {
	local text
	for text; do
		[[ $output == *"$text"* ]] || { fail "no '$text' in: $output"; return 1; }
	done
}

# ssh_start: an sshd on 127.0.0.1 and 127.0.0.2, to which SSH is the way. It gives sessions the
# settings of the case, as /etc/reprise.conf would.
ssh_start() {
	need ssh ssh-keygen
	need_root "sshd"
	[ -x /usr/sbin/sshd ] || lacks sshd || return 1
	local dir=$ROOT/ssh port key
	mkdir "$dir"
	mkdir -p /run/sshd
	port=$(free_port)
	for key in host own; do ssh-keygen -q -t ed25519 -N '' -f "$dir/$key"; done
	put "$dir/sshd_config" "Port $port" 'ListenAddress 127.0.0.1' 'ListenAddress 127.0.0.2' \
		"HostKey $dir/host" "PidFile $dir/pid" "AuthorizedKeysFile $dir/own.pub" \
		'StrictModes no' 'UsePAM no' 'PermitRootLogin prohibit-password' \
		'AcceptEnv LD_PRELOAD REPRISE_JOB' \
		"SetEnv PATH=$PATH REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME"
	SSH_CONFIG=$dir/ssh_config
	put "$SSH_CONFIG" 'Host *' "Port $port" "IdentityFile $dir/own" 'IdentitiesOnly yes' \
		'UserKnownHostsFile /dev/null' 'StrictHostKeyChecking no' 'LogLevel ERROR'
	/usr/sbin/sshd -D -f "$dir/sshd_config" -E "$dir/log" </dev/null >/dev/null 2>&1 3>&- &
	DAEMONS+=($!)
	SSH="ssh -F $SSH_CONFIG"
	wait_for sshd $SSH 127.0.0.2 true
}

# need_launchers: LAUNCHERS_PYTHON has torch, accelerate and Ray.
need_launchers() {
	LAUNCHERS_PYTHON=$(cd "$TOP" && sh scripts/launchers-python.sh) ||
		skip "no accelerate or Ray: scripts/launchers-python.sh --make downloads them"
}

# free_port: a port of 127.0.0.1 that nobody uses now.
free_port() {
	"$PY" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
