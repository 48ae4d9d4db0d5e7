#!/usr/bin/env bats
# Reports of a job to its user: the line at its end, stats, explain, report, forget.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	RUN=$TOP/scripts/reprise-run
	export REPRISE_JOB=seen
	put h.h '#define N 1'
	local i
	for i in 1 2 3; do
		put "s$i.c" '#include "h.h"' "int f$i(void) { return N; }"
	done
	age
}
teardown() {
	redis_teardown
	case_teardown
}

# job [COMMAND...]: under reprise-run; by default three compiles. AS: what starts it.
job() {
	[ $# != 0 ] || set -- sh -c 'for i in 1 2 3; do gcc -O1 -c s$i.c -o s$i.o; done'
	run --separate-stderr ${AS-} env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		REPRISE_LOG="$LOG" "$RUN" "$@"
	[ "$status" = 0 ] || fail "status $status: $stderr"
}

# json CHECK: of the object d on standard input.
json() { "$PY" -c 'import json, sys; d = json.load(sys.stdin); assert ('"$1"'), d'; }

@test "job_reports: the line at the end of a job" {
	job
	[[ $stderr == 'reprise: 0 of 3 compiles replayed, '*' s lost' ]] || fail "$stderr"
	job
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved' ]] || fail "$stderr"
	job true
	[ -z "$stderr" ]
	job -q gcc -O1 -c s1.c -o s1.o
	[ -z "$stderr" ]
	REPRISE_QUIET=1 job gcc -O1 -c s1.c -o s1.o
	[ -z "$stderr" ]
	under gcc -O1 -c s1.c -o s1.o 2>said
	[ ! -s said ]
}

@test "job_reports: the line names the greatest cost, and the command that explains it" {
	job
	put h.h '#define N 2'
	age
	job
	[ "${stderr_lines[1]}" = "reprise: 3 were not: an input changed since the recorded runs: \
\`reprise explain --job seen\`" ] || fail "$stderr"
	run reprise explain --job seen
	[[ $output == *'3 miss: input (an input changed since the recorded runs)
    file h.h changed
    gcc ... s1.c -o s1.o
    gcc ... s2.c -o s2.o
    gcc ... s3.c -o s3.o
    -> '* ]] || fail "$output"
	run reprise explain --job seen --full
	[[ $output == *'gcc -O1 -c s3.c -o s3.o'* ]]
}

@test "job_reports: explain covers the last job, a file, or all" {
	job
	put h.h '#define N 2'
	age
	REPRISE_JOB=other job
	run reprise explain s2.o
	[[ $output == *'miss: input'*'gcc -O1 -c s2.c -o s2.o'*'job other'* ]] || fail "$output"
	[[ $output != *s1.o* ]]
	REPRISE_JOB=hits job
	run reprise explain
	[ "$output" = 'Nothing to explain: every tool start of job hits was a hit.' ]
	run reprise explain s2.o
	[[ $output == 'Nothing to explain: no start '*' names s2.o '*' in job hits.' ]]
	run reprise explain --all s2.o
	[ "$(grep -c '^    file h.h changed' <<<"$output")" = 1 ]
}

@test "job_reports: stats of a job, by tool, rank and reason, as text, JSON and for Prometheus" {
	RANK=0 WORLD_SIZE=2 job
	RANK=1 WORLD_SIZE=2 job
	run reprise stats --job seen --by rank
	[[ $output == *'compiles              3  of 6 replayed (50.0 %)'* ]] || fail "$output"
	reprise stats --last --by rank --json | json 'd["job"] == "seen" and d["compiles"] == 6
		and d["hits"] == 3 and d["rank"]["0"]["hits"] == 0 and d["rank"]["1"]["hits"] == 3
		and abs(d["saved_seconds"] - d["worth_seconds"] + d["spent_seconds"]) < 1e-5'
	reprise stats --since 1h --by reason --json | json 'd["reason"]["new"]["compiles"] == 3'
	reprise stats --since 2200-01-01 --json | json 'd["compiles"] == 0'
	reprise stats --by tool --json | json 'list(d["tool"].values())[0]["compiles"] == 6'
	reprise stats --job seen --format prometheus >job.prom
	grep -qx 'reprise_job_hits{job="seen"} 3.000000' job.prom
	reprise stats --format prometheus >all.prom
	grep -qx 'reprise_hits_local_total 3' all.prom
	run reprise stats --job none
	[ "$status" = 1 ]
	[[ $output == *'no job of the name none has left events here'* ]]
}

# bats test_tags=long
@test "job_reports: Prometheus's own checker accepts the form for Prometheus" {
	need promtool
	job
	reprise stats --job seen --by tool --format prometheus | promtool check metrics
	reprise stats --format prometheus | promtool check metrics
}

@test "job_reports: a report is one page, and a trace that a parser takes" {
	job
	job
	reprise report -o job.html --trace job.json
	grep -q '<b>3 of 6</b>compiles replayed' job.html
	! grep -qE '(src|href)=|https?:' job.html || fail "the page refers to other files"
	[ "$(grep -o '<rect class="hit" x' job.html | wc -l)" = 3 ]
	json 'len([e for e in d["traceEvents"] if e["ph"] == "X"]) == 6 and
		all(e["dur"] >= 0 and e["ts"] >= 0 for e in d["traceEvents"] if e["ph"] == "X")' \
		<job.json
	reprise report seen --json | json 'd["hits"] == 3'
	run reprise report
	[ "$status" = 2 ]
	run reprise report none -o job.html
	[ "$status" = 1 ]
	run reprise report -o no/such/file
	[ "$status" = 1 ]
	[[ $output == *'no/such/file: No such file or directory'* ]]
}

@test "job_reports: the characters of a command are text in the report" {
	put 'a<b>&"c.c' 'int f(void) { return 1; }'
	put $'\xff.c' 'int f(void) { return 1; }'
	age
	job sh -c 'gcc -c "$1" -o x.o; gcc -c "$2" -o y.o' sh 'a<b>&"c.c' $'\xff.c'
	reprise report -o job.html --trace job.json
	"$PY" - <<'P'
import html.parser, json
page = open("job.html", encoding="utf-8").read()
titles = []
class Reader(html.parser.HTMLParser):
    inside = False
    def handle_starttag(self, tag, attrs):
        self.inside = tag == "title"
        assert tag != "b" or not attrs
    def handle_data(self, data):
        if self.inside:
            titles.append(data)
Reader().feed(page)
assert any('a<b>&"c.c' in t for t in titles), titles
json.load(open("job.json", encoding="utf-8"))
P
}

# bats test_tags=long
@test "job_reports: a browser draws the report" {
	need chromium
	job
	job
	reprise report -o job.html
	local width
	for width in 400 1200; do
		chromium --headless --no-sandbox --disable-gpu --window-size=$width,900 \
			--user-data-dir="$ROOT/chromium" --screenshot="$W/job.png" \
			"file://$W/job.html" >chromium.out 2>&1
		"$PY" - $width <<'P'
import struct, sys
data = open("job.png", "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 5000, len(data)
assert struct.unpack(">I", data[16:20])[0] == int(sys.argv[1])
P
	done
}

@test "job_reports: forget drops a result, here and in the remote store" {
	redis_need
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
	job
	run reprise forget s2.o </dev/null
	[ "$status" = 2 ]
	[[ $output == *'made by '*'gcc -O1 -c s2.c -o s2.o'*'no terminal to ask on'* ]]
	run reprise forget s2.o --yes --remote
	[ "$status" = 0 ]
	[[ $output == *'forgot 1 result' ]] || fail "$output"
	job
	[[ $stderr == 'reprise: 2 of 3 compiles replayed, '* ]] || fail "$stderr"
	run reprise forget nothing.o --yes
	[ "$status" = 1 ]
}

@test "job_reports: a store that cannot be written: its results are counted as hits" {
	job
	local i
	REPRISE_READONLY=1 job
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved' ]] || fail "$stderr"
	mkdir want
	mv s?.o want
	for_user
	chmod -R a-w "$STORE"
	# reprise-run says that results go to another store, and reads this one.
	AS=as_user job
	[[ $stderr == *'/store cannot be written: '*'
reprise: 3 of 3 compiles replayed, '*' s saved' ]] || fail "$stderr"
	for i in 1 2 3; do cmp s$i.o want/s$i.o; done
}

@test "job_reports: REPRISE_EVENTS=0 keeps nothing" {
	REPRISE_EVENTS=0 job
	REPRISE_EVENTS=0 job
	[ -z "$stderr" ]
	run reprise stats --last
	[ "$status" = 1 ]
	job
	[[ $stderr == 'reprise: 3 of 3 '* ]]
}

@test "job_reports: an event costs a hit at most three system calls" {
	need strace
	job
	job
	calls() {
		under env REPRISE_EVENTS="$2" strace -f -o "$1" gcc -O1 -c s1.c -o s1.o
		wc -l <"$1"
	}
	calls warm 1 >warm.n
	local with without
	with=$(calls with 1) without=$(calls without 0)
	local more=$((with - without))
	[ $more -ge 1 ] && [ $more -le 3 ] || fail "$with calls with events, $without without"
}

@test "job_reports: help of a command, and of a misspelled one" {
	run reprise help stats
	[ "$status" = 0 ]
	[[ $output == 'Usage: reprise stats'* ]]
	run reprise explian
	[ "$status" = 2 ]
	[[ $output == *'no such command: explian; did you mean explain?'* ]]
}

@test "job_reports: completion for bash" {
	PATH=$TOP/build:$PATH run bash -c '. "$1"
		try() {
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			_reprise
			echo "${COMPREPLY[@]}"
		}
		try reprise exp; try reprise stats --l; try reprise stats --by to' \
		bash "$TOP/packaging/reprise.bash"
	[ "$status" = 0 ]
	[ "$output" = 'explain export
--last
tool' ] || fail "$output"
}
