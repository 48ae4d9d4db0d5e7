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
	[[ $stderr == 'reprise: 0 of 3 compiles replayed, '*' s lost: sh -c for i '*'; done' ]] ||
		fail "$stderr"
	job
	local work='s of compile work not done): sh -c '
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved ('*" $work"* ]] ||
		fail "$stderr"
	job true
	[ -z "$stderr" ]
	job -q gcc -O1 -c s1.c -o s1.o
	[ -z "$stderr" ]
	REPRISE_QUIET=1 job gcc -O1 -c s1.c -o s1.o
	[ -z "$stderr" ]
	under gcc -O1 -c s1.c -o s1.o 2>said
	[ ! -s said ]
}

@test "job_reports: the line is of this run alone, where nodes with a common store use one name" {
	local said='of 3 compiles replayed, '
	REPRISE_JOB=a job
	RUNTIME=$ROOT/second
	REPRISE_JOB=a job
	[[ $stderr == "reprise: 3 $said"* ]] || fail "$stderr"
	REPRISE_JOB=a job
	[[ $stderr == "reprise: 3 $said"* ]] || fail "$stderr"
}

@test "job_reports: the replays of ranks side by side save no more than one of them" {
	local rank
	job
	for rank in 0 1 2; do
		REPRISE_JOB=ranks RANK=$rank WORLD_SIZE=3 LOCAL_RANK=$rank job
		if [ $rank = 0 ]; then
			[[ $stderr == 'reprise: 3 of 3 compiles replayed, '* ]] || fail "$stderr"
		else
			[ -z "$stderr" ] || fail "rank $rank speaks: $stderr"
		fi
	done
	# All three were served by the same recorded runs.
	reprise stats --job ranks --by rank --json | json 'd["hits"] == 9 and
		0 < d["saved_seconds"] <= d["worth_seconds"] / 3 and
		all(r["saved_seconds"] <= r["worth_seconds"] for r in d["rank"].values())'
	# Work that was recorded in series was saved one after the other.
	reprise stats --job ranks --by rank --json | json 'all(
		r["saved_seconds"] > 0.5 * r["worth_seconds"] for r in d["rank"].values())'
}

@test "job_reports: of several reprise-run of one job, one speaks" {
	job sh -c "'$RUN' gcc -c s1.c -o s1.o; '$RUN' gcc -c s2.c -o s2.o"
	[ "${#stderr_lines[@]}" = 1 ] || fail "$stderr"
	[[ $stderr == 'reprise: 0 of 2 compiles replayed, '* ]] || fail "$stderr"
	# A part that is a job of its own speaks for itself.
	job sh -c "'$RUN' --job part gcc -c s1.c -o s1.o"
	[ "${#stderr_lines[@]}" = 1 ] || fail "$stderr"
	[[ $stderr == 'reprise: 1 of 1 compiles replayed, '*': gcc -c s1.c -o s1.o' ]] ||
		fail "$stderr"
	# Ranks whose launcher numbers them on their nodes, or does not.
	SLURM_PROCID=9 SLURM_NTASKS=16 SLURM_LOCALID=1 job gcc -c s1.c -o s1.o
	[ -z "$stderr" ] || fail "$stderr"
	SLURM_PROCID=8 SLURM_NTASKS=16 SLURM_LOCALID=0 job gcc -c s1.c -o s1.o
	[[ $stderr == 'reprise: 1 of 1 compiles replayed, '* ]] || fail "$stderr"
	RANK=3 WORLD_SIZE=4 job gcc -c s1.c -o s1.o
	[ -z "$stderr" ] || fail "$stderr"
}

@test "job_reports: a job that loses the object says that no compiler was seen" {
	put clear.c '#include <sys/wait.h>' '#include <unistd.h>' \
		'int main(int n, char **v)' '{' \
		'	char path[] = "PATH=/usr/bin:/bin", *none[] = {path, 0};' \
		'	if (n > 2 && fork() == 0)' '		execve(v[1], v + 1, none);' \
		'	wait(0);' '	usleep(100000);' '	return 0;' '}'
	gcc -static clear.c -o clear || skip "no static libc"
	local said='reprise: no compiler was seen: reprise doctor --'
	job ./clear /usr/bin/gcc -c s1.c -o s1.o
	[[ $stderr == "$said clear (clear ran without libreprise.so)" ]] || fail "$stderr"
	[ -f s1.o ]
	job sh -c './clear /usr/bin/gcc -c s2.c -o s2.o; :'
	[[ $stderr == "$said clear (clear ran without libreprise.so)" ||
	   $stderr == "$said LAUNCHER ("*gcc*" ran without libreprise.so)" ]] || fail "$stderr"
	# What it starts elsewhere is not seen here.
	mkdir bin
	put bin/srun '#!/bin/sh' 'exit 0'
	chmod +x bin/srun
	PATH=$PWD/bin:$PATH job srun -n 2 python3 train.py
	[[ $stderr == "$said srun" ]] || fail "$stderr"
	# The object reaches the compiler all the same.
	job env -i PATH="$PATH" gcc -c s3.c -o s3.o
	[[ $stderr == 'reprise: 0 of 1 compiles replayed, '* ]] || fail "$stderr"
	REPRISE_QUIET=1 job ./clear /usr/bin/gcc -c s1.c -o s1.o
	[ -z "$stderr" ] || fail "$stderr"
}

@test "job_reports: as a compiler launcher of make: no lines, and one job" {
	need make
	unset REPRISE_JOB
	{
		echo 'all: s1.o s2.o s3.o'
		printf '%%.o: %%.c\n\t%s gcc -c $< -o $@\n' "$RUN"
		printf 'x: s1.c\n\tcd . && %s gcc -O1 -c s1.c -o x.o; true\n' "$RUN"
	} >Makefile
	run --separate-stderr env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		make -s all x
	[ "$status" = 0 ] || fail "$stderr"
	[ -z "$stderr" ] || fail "$stderr"
	reprise jobs --json | json 'len(d["jobs"]) == 1 and d["jobs"][0]["compiles"] == 4'
}

@test "job_reports: a job without a compiler says nothing" {
	job sh -c 'ls >/dev/null; sleep 0.3; :'
	[ -z "$stderr" ] || fail "$stderr"
	job "$PY" -c 'import os, time; os.system("ls >/dev/null"); time.sleep(0.2)'
	[ -z "$stderr" ] || fail "$stderr"
	job env -i /bin/sleep 0.1
	[ -z "$stderr" ] || fail "$stderr"
}

@test "job_reports: jobs are listed with their commands, and the page names the command" {
	run reprise jobs
	[ "$output" = 'No job has left events here.' ] || fail "$output"
	REPRISE_JOB=first RANK=0 WORLD_SIZE=2 job
	REPRISE_JOB=first RANK=1 WORLD_SIZE=2 job
	REPRISE_JOB=second job gcc -c s1.c -o s1.o
	REPRISE_JOB=none job true
	REPRISE_JOB=bare under gcc -c s1.c -o s1.o
	run reprise jobs
	[ "${#lines[@]}" = 4 ] || fail "$output"
	[[ ${lines[1]} == first\ *' 2        6        3 '*'  sh -c for i in '* ]] || fail "$output"
	[[ ${lines[2]} == second\ *' 1        1        0 '*'  gcc -c s1.c -o s1.o' ]] ||
		fail "$output"
	[[ ${lines[3]} == bare\ *' 1        1        1 '*'  -' ]] || fail "$output"
	run reprise jobs 1
	[ "${#lines[@]}" = 2 ] || fail "$output"
	reprise jobs --json | json '[j["job"] for j in d["jobs"]] == ["first", "second", "bare"]
		and d["jobs"][0]["ranks"] == 2 and d["jobs"][0]["hits"] == 3
		and d["jobs"][1]["command"] == "gcc -c s1.c -o s1.o"
		and d["jobs"][1]["seconds"] > 0'
	reprise report second -o second.html
	grep -qF '<p><code>gcc -c s1.c -o s1.o</code></p>' second.html
	# The record of a command is no event of another kind.
	reprise report first --json | json 'd["events"] == 6 and d["compiles"] == 6'
	reprise report first --trace first.json
	json 'len([e for e in d["traceEvents"] if e["ph"] == "X"]) == 6' <first.json
	REPRISE_JOB='a b/c' job gcc -c s1.c -o s1.o
	reprise jobs 1 --json | json 'd["jobs"][0]["job"] == "a b/c"'
	run reprise jobs none
	[ "$status" = 2 ]
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

@test "job_reports: stats of a job, by tool, rank and reason, as text and JSON" {
	RANK=0 WORLD_SIZE=2 job
	RANK=1 WORLD_SIZE=2 job
	run reprise stats --job seen --by rank
	[[ $output == *'compiles              3  of 6 replayed (50.0 %)'* ]] || fail "$output"
	reprise stats --last --by rank --json | json 'd["job"] == "seen" and d["compiles"] == 6
		and d["hits"] == 3 and d["rank"]["0"]["hits"] == 0 and d["rank"]["1"]["hits"] == 3
		and -1 < d["saved_seconds"] < d["worth_seconds"]'
	reprise stats --since 1h --by reason --json | json 'd["reason"]["new"]["compiles"] == 3'
	reprise stats --since 2200-01-01 --json | json 'd["compiles"] == 0'
	reprise stats --by tool --json | json 'list(d["tool"].values())[0]["compiles"] == 6'
	run reprise stats --job none
	[ "$status" = 1 ]
	[[ $output == *'no job of the name none has left events here'* ]]
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

@test "job_reports: of a job of 300 nodes the page draws 256 lanes" {
	job
	"$PY" - "$STORE/events" <<'P'
import glob, os, sys
path = glob.glob(sys.argv[1] + "/seen/*")[0]
record = open(path, "rb").read(512)
os.mkdir(sys.argv[1] + "/wide")
for node in range(300):
    with open(f"{sys.argv[1]}/wide/n{node}.1.1", "wb") as out:
        out.write(record)
P
	reprise report wide -o wide.html
	[ "$(grep -c '<figcaption>' wide.html)" = 256 ]
	grep -q 'and 44 more lanes' wide.html
	[ "$(grep -o '<figcaption>n[0-9]*' wide.html | sed -n 11p)" = '<figcaption>n10' ]
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
	[[ $stderr == 'reprise: 3 of 3 compiles replayed, '*' s saved '* ]] || fail "$stderr"
	mkdir want
	mv s?.o want
	for_user
	chmod -R a-w "$STORE"
	# reprise-run says that results go to another store, and reads this one.
	AS=as_user job
	[[ $stderr == *'/store cannot be written: '*'
reprise: 3 of 3 compiles replayed, '*' s saved '* ]] || fail "$stderr"
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
