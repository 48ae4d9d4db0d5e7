# A job whose entries come ahead: nodes, one Redis, six sources and a build of them.
#
#     setup() { load prefetch_lib; prefetch_setup; }
#     teardown() { remote_teardown; }

prefetch_setup() {
	load lib
	load redis
	load remote_lib
	load trust_lib
	load nvrtc
	load job_python
	case_setup
	redis_need
	need gcc
	# Nothing comes onto a disk that is nearly full.
	[ "$(df --output=pcent "$ROOT" | tail -n 1 | tr -dc 0-9)" -lt 89 ] || skip "a full disk"
	redis_start main
	REDIS_URL=redis+unix://$REDIS_SOCKET
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s REPRISE_QUIET=1
	for i in 1 2 3 4 5 6; do
		put "s$i.c" "int f$i(int x) { return x + $i; }"
	done
	put build.sh 'for i in 1 2 3 4 5 6; do gcc -O1 -c s$i.c -o s$i.o || exit 1; done'
	age
}

# works NODE [NAME=VALUE...] [-- COMMAND...]: the job J there, by default the build.
works() {
	local name=$1 env=()
	shift
	while [ $# != 0 ] && [ "$1" != -- ]; do
		env+=("$1")
		shift
	done
	[ $# = 0 ] || shift
	[ $# != 0 ] || set -- sh build.sh
	rm -f s?.o
	node "$name" "${env[@]}" "$REPRISE_BIN" run --job J -- "$@" >"$ROOT/job.out" 2>&1 ||
		{ fail "the job ended with $?: $(cat "$ROOT/job.out")"; return 1; }
}

# brought NODE [NAME=VALUE...]: `reprise prefetch J` there; what it says is in $ROOT/said.
brought() {
	local name=$1
	shift
	node "$name" "$@" "$REPRISE_BIN" prefetch J >"$ROOT/said" 2>&1
}

brings_none() { # NODE [NAME=VALUE...]
	if brought "$@"; then fail "$1: $(cat "$ROOT/said")"; fi
}

# Starts to write down what Redis is asked; `questions` prints what asked for entries since.
listen() {
	redis_cli main monitor >"$ROOT/monitor" 2>&1 3>&- &
	REDIS_PIDS+=($!)
	until grep -q OK "$ROOT/monitor"; do sleep 0.02; done
}
questions() {
	redis_cli main ping end-of-case >/dev/null
	until grep -q end-of-case "$ROOT/monitor"; do sleep 0.02; done
	# A node that reports looks into its own list.
	grep -E '"(GET|LRANGE)" "reprise:1:[mrus]:' "$ROOT/monitor" || true
}

hits() { # NODE COUNTER NUMBER
	[ "$(counter_of "$1" "$2")" = "$3" ] ||
		fail "$1: $2 $(counter_of "$1" "$2"), not $3: $(tail -n 5 "$ROOT/$1.log")"
}

# figure NODE MEMBER: of `reprise stats --job J --json`.
figure() {
	node "$1" "$REPRISE_BIN" stats --job J --json |
		"$PY" -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
