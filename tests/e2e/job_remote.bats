#!/usr/bin/env bats
# Transfers and the remote store in a job's reports: events of transfers, and jobs of several nodes.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	redis_need
	RUN=$TOP/scripts/reprise-run
	# Transfers are counted: none is made ahead of a job.
	export REPRISE_JOB=far REPRISE_PREFETCH=0
	put h.h '#define N 1'
	for i in 1 2 3; do
		put "s$i.c" '#include "h.h"' "int f$i(void) { return N; }"
	done
	age
}
teardown() {
	redis_teardown
	case_teardown
}

# node NAME [COMMAND...]: a job on a node of that name, with a store of its own, under reprise-run;
# by default three compiles.
node() {
	local name=$1
	shift
	[ $# != 0 ] || set -- sh -c 'for i in 1 2 3; do gcc -O1 -c s$i.c -o s$i.o; done'
	run --separate-stderr of "$name" "$RUN" "$@"
	[ "$status" = 0 ] || fail "status $status: $stderr"
}

# A server that accepts and never answers: sets SILENT_PORT.
silent_start() {
	"$PY" -c '
import socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1], "w").write(str(s.getsockname()[1]))
time.sleep(60)' "$ROOT/silent" 3>&- &
	REDIS_PIDS+=($!)
	until [ -s "$ROOT/silent" ]; do sleep 0.05; done
	SILENT_PORT=$(cat "$ROOT/silent")
}

# of NAME COMMAND...: runs it with that node's store.
of() {
	local name=$1
	shift
	env REPRISE_CACHE_DIR="$ROOT/$name/store" REPRISE_RUNTIME_DIR="$ROOT/$name/run" \
		REPRISE_LOG="$ROOT/$name.log" "$@"
}

# json CHECK: an assertion about the object d on standard input.
json() { "$PY" -c 'import json, sys; d = json.load(sys.stdin); assert ('"$1"'), d'; }

start() {
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
}

@test "job_remote: what was sent and received, in the line, in stats, in the report" {
	start
	node a
	[[ $stderr == 'reprise: 0 of 3 compiles replayed, '*' to redis: '* ]] || fail "$stderr"
	of a "$REPRISE_BIN" stats --last --json | json 'd["sent_entries"] == 6
		and d["sent_bytes"] > 500 and d["absent_entries"] == 3
		and d["received_entries"] == 0
		and d["failed_entries"] == 0 and d["compiles"] == 3'
	node b
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved '*'; '*' from redis: '* ]] ||
		fail "$stderr"
	of b "$REPRISE_BIN" stats --last --json | json 'd["received_entries"] == 6 and
		d["received_bytes"] > 500 and d["received_seconds"] > 0 and
		d["sent_entries"] == 0 and d["absent_entries"] == 0 and d["hits_remote"] == 3'
	run of b "$REPRISE_BIN" stats --last
	[[ $output == *'received '*'6  entries from the remote store: '* ]] || fail "$output"
	of b "$REPRISE_BIN" report -o job.html --trace job.json
	grep -q '<tr><td>received</td><td>6</td>' job.html
	[ "$(grep -o '<rect class="transfer" x' job.html | wc -l)" = 6 ]
	[ "$(grep -o '<rect class="remote" x' job.html | wc -l)" = 3 ]
	json 'len([e for e in d["traceEvents"] if e.get("cat") == "transfer" and
		e["name"] == "redis" and e["args"]["bytes"] > 0]) == 6' <job.json
	# A transfer belongs to no tool.
	of b "$REPRISE_BIN" stats --last --by tool --json | json 'len(d["tool"]) == 1'
}

# bats test_tags=check
@test "job_remote: a transfer belongs to the job whose result it is" {
	start
	# The publisher of the first job also sends what the second one leaves.
	REPRISE_DRAIN=0 REPRISE_JOB=one node a gcc -O1 -c s1.c -o s1.o
	REPRISE_DRAIN=0 REPRISE_JOB=two node a gcc -O1 -c s2.c -o s2.o
	of a "$REPRISE_BIN" publish --wait 20
	for job in one two; do
		of a "$REPRISE_BIN" stats --job $job --json | json 'd["sent_entries"] == 2'
	done
}

# bats test_tags=check
@test "job_remote: a server that fails is named" {
	start
	node a
	redis_kill main KILL
	node b
	of b "$REPRISE_BIN" stats --last --json | json 'd["failed_entries"] > 0 and d["hits"] == 0'
	of b "$REPRISE_BIN" report -o job.html
	grep -q '<p>Failed: .*refused' job.html
}

# two_nodes [VARIABLE=VALUE...]: node a compiles three files, node b two of them.
two_nodes() {
	here a env "$@" "$RUN" sh -c 'for i in 1 2 3; do gcc -O1 -c s$i.c -o s$i.o; done'
	here b env "$@" "$RUN" sh -c 'for i in 1 2; do gcc -O1 -c s$i.c -o s$i.o; done'
}

# here NAME COMMAND...: on a node of that host name.
here() {
	local name=$1
	shift
	of "$name" unshare -Uru sh -c 'hostname "$0" && exec "$@"' "node-$name" "$@"
}

need_hosts() {
	unshare -Uru hostname node 2>/dev/null || skip "no UTS namespaces here"
}

@test "job_remote: one report of two nodes" {
	need_hosts
	start
	two_nodes REPRISE_EVENTS=remote
	for node in a b; do
		here $node env REPRISE_EVENTS=remote "$REPRISE_BIN" report far -o job.html --json \
			>job.json
		json 'd["compiles"] == 5 and d["hits"] == 2 and d["hits_remote"] == 2
			and d["events_dropped"] == 0 and len(d["remote_nodes"]) == 1' <job.json
		grep -q '<figcaption>node-a ' job.html
		grep -q '<figcaption>node-b ' job.html
		[ "$(grep -o '<rect class="remote" x' job.html | wc -l)" = 2 ]
		[ "$(grep -o '<rect class="miss" x' job.html | wc -l)" = 3 ]
	done
	# A node that ran nothing of the job, such as a login node.
	here c "$REPRISE_BIN" stats --job far --remote --by host --json | json 'd["compiles"] == 5
		and d["host"]["node-a"]["compiles"] == 3 and d["host"]["node-b"]["hits"] == 2'
	run here c "$REPRISE_BIN" stats --job far
	[ "$status" = 1 ]
	[[ $output == *'; --remote asks the remote store' ]] || fail "$output"
	run here c "$REPRISE_BIN" stats --job other --remote
	[ "$status" = 1 ]
	# Without a remote store the setting reads nothing remote, and the option is an error.
	here a env REPRISE_EVENTS=remote REPRISE_REDIS_URL= "$REPRISE_BIN" stats --job far
	run here a env REPRISE_REDIS_URL= "$REPRISE_BIN" stats --job far --remote
	[ "$status" = 1 ]
	[[ $output == *'what other nodes did is missing: no remote store is configured'* ]]
	# A second run on one node replaces its part, which counts once.
	here a env REPRISE_EVENTS=remote "$RUN" gcc -O1 -c s1.c -o s1.o
	here c "$REPRISE_BIN" stats --job far --remote --json | json 'd["compiles"] == 6
		and d["hits"] == 3'
	[ "$(redis_cli main --raw ttl "$(redis_cli main --raw keys '*:j:*' | head -n 1)")" -gt 0 ]
}

@test "job_remote: without REPRISE_EVENTS=remote, nodes leave their figures" {
	need_hosts
	start
	two_nodes
	here c "$REPRISE_BIN" report far --remote -o job.html --json >job.json
	json 'd["compiles"] == 5 and d["hits"] == 2 and d["events"] == 0
		and d["events_dropped"] >= 5
		and sorted((n["host"], n["compiles"], n["hits"]) for n in d["remote_nodes"]) ==
		[("node-a", 3, 0), ("node-b", 2, 2)]' <job.json
	grep -q '<b>2 of 5</b>compiles replayed' job.html
	grep -q '<tr><td>node-a</td><td>3</td><td>0</td>' job.html
	REPRISE_EVENTS=0 two_nodes
	here c "$REPRISE_BIN" stats --job far --remote --json | json 'd["compiles"] == 5'
}

# bats test_tags=check
@test "job_remote: nodes that share a store are counted once" {
	need_hosts
	start
	export REPRISE_EVENTS=remote
	for node in a b; do
		here $node env REPRISE_CACHE_DIR="$ROOT/shared" "$RUN" gcc -O1 -c s1.c -o s1.o
	done
	for node in a b; do
		here $node env REPRISE_CACHE_DIR="$ROOT/shared" "$REPRISE_BIN" stats --job far \
			--by host --json | json 'd["compiles"] == 2 and d["hits"] == 1
			and len(d["host"]) == 2'
	done
}

@test "job_remote: a part that is damaged is refused" {
	need_hosts
	start
	two_nodes REPRISE_EVENTS=remote
	here c "$REPRISE_BIN" stats --job far --remote --json | json 'd["compiles"] == 5'
	local key
	for key in $(redis_cli main --raw keys '*:j:*'); do
		[ "$(redis_cli main --raw type "$key")" = string ] || continue
		redis_cli main setrange "$key" 240 xxxxxxxx >/dev/null
	done
	run --separate-stderr here c "$REPRISE_BIN" stats --job far --remote
	[ "$status" = 1 ]
	[[ $stderr == *': 2 parts of nodes in the remote store were refused: '* ]] ||
		fail "$stderr"
}

# bats test_tags=check
@test "job_remote: signed parts are read, and unsigned ones refused" {
	need_hosts
	start
	local public key
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	export REPRISE_TRUST=$public REPRISE_EVENTS=remote
	two_nodes REPRISE_SIGN_KEY="$ROOT/key"
	here c "$REPRISE_BIN" stats --job far --json | json 'd["compiles"] == 5 and d["hits"] == 2'
	# A writer with access to the server and another key.
	public=$("$REPRISE_BIN" keygen "$ROOT/other")
	REPRISE_TRUST=$public two_nodes REPRISE_SIGN_KEY="$ROOT/other"
	run --separate-stderr here c "$REPRISE_BIN" stats --job far
	[ "$status" = 1 ]
	[[ $stderr == *' parts of nodes in the remote store were refused: '* ]] || fail "$stderr"
}

@test "job_remote: an absent server does not delay a job" {
	start
	export REPRISE_EVENTS=remote
	node a
	redis_kill main KILL
	node a
	[[ $stderr == *'reprise-run: other nodes cannot report what this one did: '*refused* ]] ||
		fail "$stderr"
	REPRISE_EVENTS=1 node a
	[[ $stderr != *'other nodes'* ]]
	run --separate-stderr of a "$REPRISE_BIN" stats --job far --json
	[ "$status" = 1 ]
	[[ $stderr == *': what other nodes did is missing: '* ]] || fail "$stderr"
	json 'd["compiles"] == 9' <<<"$output"
}

# bats test_tags=check
@test "job_remote: a silent server delays a job by a second at most" {
	export REPRISE_EVENTS=remote
	node a
	silent_start
	export REPRISE_REDIS_URL=redis://127.0.0.1:$SILENT_PORT
	local begun=${EPOCHREALTIME/./}
	node a
	[ $((${EPOCHREALTIME/./} - begun)) -lt 2500000 ] || fail "the job took too long"
	[[ $stderr == *'other nodes cannot report what this one did: '* ]] || fail "$stderr"
	begun=${EPOCHREALTIME/./}
	run --separate-stderr of a "$REPRISE_BIN" stats --job far
	[ $((${EPOCHREALTIME/./} - begun)) -lt 1500000 ] || fail "stats took too long"
	[ "$status" = 1 ]
	[[ $stderr == *': what other nodes did is missing: '* ]] || fail "$stderr"
}

# bats test_tags=long
@test "job_remote: a hundred nodes are one report" {
	need_hosts
	start
	local i begun
	for ((i = 0; i < 100; i++)); do
		here $i env REPRISE_EVENTS=remote "$RUN" gcc -O1 -c s1.c -o s1.o 2>/dev/null
	done
	begun=${EPOCHREALTIME/./}
	here login "$REPRISE_BIN" report far --remote -o job.html --json >job.json
	[ $((${EPOCHREALTIME/./} - begun)) -lt 5000000 ] || fail "the report took too long"
	json 'd["compiles"] == 100 and d["hits"] == 99 and len(d["remote_nodes"]) == 100' <job.json
	[ "$(grep -c '<figcaption>node-' job.html)" = 100 ]
}
