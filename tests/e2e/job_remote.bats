#!/usr/bin/env bats
# What a job did with its remote store: events of transfers, and jobs of several nodes.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	redis_need
	RUN=$TOP/scripts/reprise-run
	export REPRISE_JOB=far
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

# of NAME COMMAND...: runs it with that node's store.
of() {
	local name=$1
	shift
	env REPRISE_CACHE_DIR="$ROOT/$name/store" REPRISE_RUNTIME_DIR="$ROOT/$name/run" \
		REPRISE_LOG="$ROOT/$name.log" "$@"
}

# json CHECK: of the object d on standard input.
json() { "$PY" -c 'import json, sys; d = json.load(sys.stdin); assert ('"$1"'), d'; }

start() {
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
}

@test "job_remote: what was sent and received, in the line, in stats, in the report" {
	start
	node a
	[[ $stderr == 'reprise: 0 of 3 compiles replayed, '*' to redis' ]] || fail "$stderr"
	of a "$REPRISE_BIN" stats --last --json | json 'd["sent_entries"] == 6
		and d["sent_bytes"] > 500 and d["absent_entries"] == 3
		and d["received_entries"] == 0
		and d["failed_entries"] == 0 and d["compiles"] == 3'
	node b
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved; '*' from redis' ]] ||
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
	# By tool, a transfer is none.
	of b "$REPRISE_BIN" stats --last --by tool --json | json 'len(d["tool"]) == 1'
}

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

@test "job_remote: a server that fails is named" {
	start
	node a
	redis_kill main KILL
	node b
	of b "$REPRISE_BIN" stats --last --json | json 'd["failed_entries"] > 0 and d["hits"] == 0'
	of b "$REPRISE_BIN" report -o job.html
	grep -q '<p>Failed: .*refused' job.html
}
