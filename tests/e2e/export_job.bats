#!/usr/bin/env bats
# A job's list (REPRISE_JOB_LIST), and `reprise export --job`: exactly the entries that a job used,
# also those of other jobs, replayed from an empty store. Lists may be damaged, full, another
# user's, or of jobs that died.

bats_require_minimum_version 1.5.0

setup_file() {
	load units_lib
	units_setup_file
}

setup() {
	load units_lib
	units_setup
	need gcc
	PACK=$ROOT/pack
	HOST=$(uname -n)
	for f in a b c; do put $f.c "int $f(void) { return 1; }"; done
	age
}
teardown() { remote_teardown; }
teardown_file() { load lib; load job_python; graphs_end; }

# job NAME CMD...: under Reprise, listed.
job() {
	local name=$1
	shift
	env "${RPENV[@]}" REPRISE_JOB="$name" REPRISE_JOB_LIST=1 "$@"
}

list() { echo "$STORE/jobs/$1/$HOST"; }
# Records of a list, each once.
lines() { grep -E '^[145] [0-9a-f]{64} [0-9a-f]{64}$' "$(list "$1")" | sort -u | wc -l; }

says() { # STATUS PATTERN CMD...
	local want=$1 pattern=$2
	shift 2
	run "$@"
	[ "$status" = "$want" ] || { fail "status $status: $output"; return 1; }
	[[ $output == *"$pattern"* ]] || { fail "no '$pattern' in: $output"; return 1; }
}

# In the store of now, not listed.
hit() {
	local before
	before=$(stat_of hits_local)
	under "$@"
	[ "$(stat_of hits_local)" = $((before + 1)) ] || { fail "$*: no hit"; return 1; }
}
miss() {
	local before
	before=$(stat_of misses)
	under "$@"
	[ "$(stat_of misses)" = $((before + 1)) ] || { fail "$*: no miss"; return 1; }
}

# kernels_like DIR WORD...: does what Triton does with a kernel of each word: looks for its index,
# and makes the directory if there is none. Prints how many it made.
kernels_like() {
	cat >"$ROOT/like.py" <<'END'
import base64, hashlib, json, os, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL) # Python ignores it; hosts in C++ do not
made = 0
for word in sys.argv[2:]:
    at = os.path.join(sys.argv[1],
                      base64.b32encode(hashlib.sha256(word.encode()).digest()).decode().rstrip("="))
    index = os.path.join(at, "__grp__k.json")
    if not os.path.exists(index):
        os.makedirs(at, exist_ok=True)
        with open(os.path.join(at, "k.cubin"), "w") as f:
            f.write(word)
        with open(index + ".tmp", "w") as f:
            json.dump({"child_paths": {"k.cubin": os.path.join(at, "k.cubin")}}, f)
        os.rename(index + ".tmp", index)
        made += 1
    assert open(os.path.join(at, "k.cubin")).read() == word
print(made)
END
	LIKE=("$PY" "$ROOT/like.py")
}

@test "export_job: two jobs on one store: each has its compiles, and hits of the other's results" {
	job one gcc -c a.c
	job one gcc -c b.c
	job two gcc -c b.c # made by one
	job two gcc -c c.c
	job two gcc -c c.c
	[ "$(stat_of hits_local)" = 2 ]
	[ "$(lines one)" = 2 ] && [ "$(lines two)" = 2 ]
	says 0 "4 entries" reprise export --job two "$PACK"
	says 0 "4 entries" reprise export -j one "$ROOT/pack1"
	on other
	says 0 "4 entries" reprise import "$PACK"
	hit gcc -c b.c
	hit gcc -c c.c
	miss gcc -c a.c
	on third
	reprise import "$ROOT/pack1"
	hit gcc -c a.c
	hit gcc -c b.c
	miss gcc -c c.c
	reprise verify
	units_clean
}

@test "export_job: one candidate of a key, not those of other jobs" {
	put v.h '#define V 1'
	put v.c '#include "v.h"' 'int v = V;'
	age
	job one gcc -c v.c
	put v.h '#define V 2'
	age
	job two gcc -c v.c
	# One manifest, two candidates.
	[ "$(entries | grep -c /manifest/)" = 2 ]
	[ "$(entries | grep /manifest/ | sed 's/\.[0-9]*$//' | sort -u | wc -l)" = 1 ]
	says 0 "2 entries" reprise export --job one "$PACK"
	on other
	reprise import "$PACK"
	miss gcc -c v.c
	on again
	reprise import "$PACK"
	put v.h '#define V 1'
	age
	hit gcc -c v.c
}

# bats test_tags=check
@test "export_job: kernels that a job made and kernels that it was brought" {
	kernels_like
	[ "$(job one "${LIKE[@]}" "$ROOT/fw" red green)" = 2 ]
	drain
	rm -r "$ROOT/fw"
	[ "$(job two "${LIKE[@]}" "$ROOT/fw" green blue)" = 1 ]
	drain
	[ "$(lines one)" = 2 ] && [ "$(lines two)" = 2 ] || fail "$(cat "$(list two)")"
	says 0 "2 entries" reprise export --job two "$PACK"
	says 0 "0 entries" reprise export --job two --class compile "$ROOT/none"
	says 0 "2 entries" reprise export --job two --class triton "$ROOT/same"
	entries | xargs touch -d '2 days ago'
	says 0 "0 entries" reprise export --job two --since 1h "$ROOT/none"
	on other
	rm -r "$ROOT/fw"
	reprise import "$PACK"
	[ "$(under "${LIKE[@]}" "$ROOT/fw" green blue)" = 0 ]
	[ "$(under "${LIKE[@]}" "$ROOT/fw" red)" = 1 ]
	units_clean
}

# bats test_tags=check
@test "export_job: what two jobs completed at one time is in both lists" {
	kernels_like
	job one env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw1" red
	job two env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw2" red
	drain
	# And where the store knows it already.
	job three env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw3" red
	for j in one two three; do
		[ "$(lines $j)" = 1 ] || fail "$j: $(cat "$(list $j)")"
		says 0 "1 entries" reprise export --job $j "$PACK.$j"
	done
}

# bats test_tags=long
@test "export_job: graphs, members of sets: one made, one brought" {
	need_torch
	graphs_alone
	cat >train.py <<-'END'
	import sys, torch
	from torch._dynamo.utils import counters
	for a in sys.argv[1].split(","):
	    n = int(a)
	    c = torch.compile(lambda x: torch.relu(x * n).sum())
	    print("%.9g" % c(torch.ones(8)).item())
	    torch._dynamo.reset()
	print("missed", counters["inductor"]["fxgraph_cache_miss"], file=sys.stderr)
	END
	as() {
		JOB_ENV=(REPRISE_JOB="$1" REPRISE_JOB_LIST=1)
		unit_job "$2" under train.py "$3"
		JOB_ENV=()
		drain
		rm -rf "$ROOT/fw"
	}
	as one t.one 2
	as two t.two 2,3
	grep -q 'missed 1' "$ROOT/t.two.err"
	says 0 "" reprise export --job one "$ROOT/pack1"
	says 0 "" reprise export --job two "$PACK"
	on other
	reprise import "$PACK"
	unit_job warm under train.py 2,3
	grep -q 'missed 0' "$ROOT/warm.err"
	cmp "$ROOT/t.two.out" "$ROOT/warm.out"
	rm -rf "$ROOT/fw"
	on third
	reprise import "$ROOT/pack1"
	unit_job half under train.py 2,3
	grep -q 'missed 1' "$ROOT/half.err"
	units_clean
}

# bats test_tags=check
@test "export_job: a kernel of Triton and compiles of the launcher around it" {
	need_triton
	triton_kernels_py
	JOB_ENV=(REPRISE_JOB=one REPRISE_JOB_LIST=1)
	unit_job k.one under kernels.py 128
	drain
	units_wipe
	JOB_ENV=(REPRISE_JOB=two REPRISE_JOB_LIST=1)
	unit_job k.two under kernels.py 128,256
	drain
	JOB_ENV=()
	says 0 "" reprise export --job two "$PACK"
	says 0 "" reprise export --job one "$ROOT/pack1"
	units_wipe
	on other
	reprise import "$PACK"
	unit_job k.warm under kernels.py 128,256
	[ "$(stat_of misses)" = 0 ] || fail "a compiler ran: $(reprise explain 9)"
	[ "$(stat_of brought_triton)" = 2 ]
	cmp "$ROOT/k.two.out" "$ROOT/k.warm.out"
	units_wipe
	on third
	reprise import "$ROOT/pack1"
	unit_job k.half under kernels.py 128,256
	[ "$(stat_of brought_triton)" = 1 ]
	units_clean
}

@test "export_job: what waits to be packed is said" {
	kernels_like
	# No publisher can be started from there.
	mkdir "$ROOT/alone"
	cp "$REPRISE_LIB" "$ROOT/alone/libreprise.so"
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/alone/libreprise.so" REPRISE_JOB=one \
		REPRISE_JOB_LIST=1 "${LIKE[@]}" "$ROOT/fw" red
	says 1 "1 units of jobs are not packed yet" reprise export --job one "$PACK"
	[[ $output == *"0 entries"* ]]
	drain
	says 0 "1 entries" reprise export --job one "$PACK"
}

# bats test_tags=check
@test "export_job: what came from Redis" {
	units_two_nodes
	kernels_like
	under gcc -c a.c
	under "${LIKE[@]}" "$ROOT/fw" red
	drain
	on b
	rm -r "$ROOT/fw"
	job one gcc -c a.c
	[ "$(stat_of hits_remote)" = 1 ]
	[ "$(job one "${LIKE[@]}" "$ROOT/fw" red)" = 0 ]
	[ "$(lines one)" = 2 ]
	says 0 "3 entries" reprise export --job one "$PACK"
	unset REPRISE_REDIS_URL
	on other
	rm -r "$ROOT/fw"
	reprise import "$PACK"
	hit gcc -c a.c
	[ "$(under "${LIKE[@]}" "$ROOT/fw" red)" = 0 ]
	units_clean
}

@test "export_job: hits of a seed store are carried as well" {
	under gcc -c a.c
	mv "$STORE" "$ROOT/seed"
	on fresh
	REPRISE_SEED_DIRS=$ROOT/seed job one gcc -c a.c
	[ "$(stat_of hits_local)" = 1 ]
	REPRISE_SEED_DIRS=$ROOT/seed says 0 "2 entries" reprise export --job one "$PACK"
	on other
	reprise import "$PACK"
	hit gcc -c a.c
}

# bats test_tags=check
@test "export_job: nothing is written, or asked of the system, where the setting is off" {
	need strace
	job one gcc -c a.c
	rm -r "$STORE/jobs"
	under gcc -c a.c
	env "${RPENV[@]}" REPRISE_JOB=one gcc -c a.c
	env "${RPENV[@]}" REPRISE_JOB=one REPRISE_JOB_LIST=0 gcc -c b.c
	[ ! -e "$STORE/jobs" ]
	calls() {
		strace -f -o "$ROOT/$1" env "${RPENV[@]}" "${@:2}" gcc -c a.c &&
			grep -c . "$ROOT/$1"
	}
	# The fewest of some: what the memo knows by now is chance.
	local i n plain=1000000 listed=1000000
	job one gcc -c a.c
	for i in 1 2 3 4; do
		age
		n=$(calls off REPRISE_JOB=one)
		plain=$((n < plain ? n : plain))
		n=$(calls on REPRISE_JOB=one REPRISE_JOB_LIST=1)
		listed=$((n < listed ? n : listed))
	done
	! grep -q /jobs/ "$ROOT/off" || fail "$(grep /jobs/ "$ROOT/off")"
	# The host's name, openat, statx, geteuid, prlimit64, write, close.
	[ $((listed - plain)) -le 7 ] || fail "$plain calls without, $listed with"
}

@test "export_job: a job that has no list, names that are none, places that cannot be written" {
	says 3 "job one has no list" reprise export --job one "$PACK"
	job two gcc -c a.c
	says 3 "jobs with a list: two" reprise export --job one "$PACK"
	[ ! -e "$PACK" ]
	for name in '' . .. .hidden a/b ../x 'a b' $'a\nb' 'ü' "$(printf 'x%.0s' $(seq 129))"; do
		says 2 "--job takes" reprise export --job "$name" "$PACK"
		says 2 "--job takes" reprise run --job "$name" -- true
	done
	says 3 "No such file" reprise export --job two "$ROOT/absent/pack"
	says 2 "the name of the pack is missing" reprise export --job two
	# A name of all that may be in one.
	name=Aa0._:@+=,-$(printf 'x%.0s' $(seq 117))
	job "$name" gcc -c a.c
	says 0 "2 entries" reprise export --job "$name" "$PACK"
}

@test "export_job: a job's name that is no file's: said once in the log, and the job goes on" {
	for i in 1 2 3; do job a/b gcc -c a.c; done
	[ -e a.o ]
	[ "$(warnings)" = 1 ]
	grep -q 'REPRISE_JOB_LIST.*a/b' "$LOG"
	[ ! -e "$STORE/jobs" ]
}

@test "export_job: the scheduler's name, and that of a session" {
	env "${RPENV[@]}" REPRISE_JOB_LIST=1 SLURM_JOB_ID=4711 gcc -c a.c
	says 0 "2 entries" reprise export --job 4711 "$PACK"
	env "${RPENV[@]}" REPRISE_JOB_LIST=1 setsid -w gcc -c a.c
	[ "$(ls "$STORE/jobs" | grep -c '^session-')" = 1 ]
}

@test "export_job: reprise run --job and reprise-run --job" {
	env "${RPENV[@]:1}" "$REPRISE_BIN" run --job one -- gcc -c a.c
	[ "$(lines one)" = 1 ]
	for form in "--job=two" "--job two" "-j two"; do
		rm -rf "$STORE/jobs"
		env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" $form gcc -c a.c
		[ "$(lines two)" = 1 ] || fail "$form"
	done
	env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job three -- \
		sh -c '[ "$REPRISE_JOB" = three ] && [ $REPRISE_JOB_LIST = 1 ]'
	run -2 env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job
	run -2 env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job= true
	# Without it no list is kept.
	rm -r "$STORE/jobs"
	env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" gcc -c a.c
	[ ! -e "$STORE/jobs" ]
}

@test "export_job: entries that were removed since are said, and the rest is carried" {
	job one gcc -c a.c
	job one gcc -c b.c
	find "$STORE/result" -type f | head -n 1 | xargs rm
	says 1 "1 entries that job one used are no longer in the store" reprise export --job one \
		"$PACK"
	on other
	says 0 "2 entries" reprise import "$PACK"
}

# bats test_tags=check
@test "export_job: many writers at once" {
	local i
	for i in $(seq 24); do put m$i.c "int m$i = $i;"; done
	age
	job warm sh -c 'for i in $(seq 24); do gcc -c m$i.c; done'
	seq 96 | (job many xargs -P 8 -I{} sh -c 'gcc -c m$((1 + {} % 24)).c')
	[ "$(grep -c . "$(list many)")" = 96 ]
	[ "$(grep -cE '^1 [0-9a-f]{64} [0-9a-f]{64}$' "$(list many)")" = 96 ]
	[ "$(lines many)" = 24 ]
	says 0 "48 entries" reprise export --job many "$PACK"
}

@test "export_job: a list that is damaged anywhere: good lines count, the rest is said" {
	job one gcc -c a.c
	job one gcc -c b.c
	local good
	good=$(cat "$(list one)"; echo x)
	# What a full disk and a killed writer leave: cut, then another's.
	printf '%s\n1 0123' "${good%x}" >"$(list one)"
	job one gcc -c c.c
	says 1 "1 lines of the job's list are damaged" reprise export --job one "$PACK"
	[[ $output == *"6 entries"* ]]
	for bad in $'\n1 ' $'\n' $'\n9 '"${good:3:129}" $'\n1 '"${good:3:129}"x \
		"$(head -c 300 /dev/zero | tr '\0' 'a')"; do
		printf '%s%s' "${good%x}" "$bad" >"$(list one)"
		run reprise export --job one "$PACK"
		[ "$status" -le 1 ] || fail "$output"
		[[ $output == *"4 entries"* ]] || [[ $output == *"2 entries"* ]] || fail "$output"
	done
	head -c 5000 /dev/urandom >"$(list one)"
	says 1 "damaged" reprise export --job one "$PACK"
	# Of keys that nobody has.
	printf '\n1 %064d %064d' 1 2 >"$(list one)"
	says 1 "1 entries that job one used" reprise export --job one "$PACK"
	# And jobs go on.
	job one gcc -c a.c
	says 1 "2 entries" reprise export --job one "$PACK"
}

# bats test_tags=check
@test "export_job: a job killed at any place leaves a list that is read" {
	local i pid
	job warm gcc -c a.c
	for i in $(seq 20); do
		setsid env "${RPENV[@]}" REPRISE_JOB=killed REPRISE_JOB_LIST=1 \
			sh -c 'for i in 1 2 3 4 5 6 7 8; do gcc -c a.c -o k.o; done' &
		pid=$!
		sleep "0.0$((i % 10))$i"
		kill -KILL -- -$pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	done
	job killed gcc -c a.c
	run reprise export --job killed "$PACK"
	[ "$status" -le 1 ] || fail "$output"
	[[ $output == *entries* && $output != *"refused"* ]] || fail "$output"
	on other
	reprise import "$PACK"
	hit gcc -c a.c
}

@test "export_job: no list where its place is a link, pipe, directory or file; the job goes on" {
	mkdir -p "$STORE/jobs/one"
	echo precious >"$ROOT/precious"
	ln -s "$ROOT/precious" "$(list one)"
	job one gcc -c a.c
	[ "$(cat "$ROOT/precious")" = precious ]
	says 1 "ignored: they belong to another user, or are not regular files" reprise export \
		--job one "$PACK"
	rm "$(list one)"
	mkfifo "$(list one)"
	timeout 20 env "${RPENV[@]}" REPRISE_JOB=one REPRISE_JOB_LIST=1 gcc -c a.c
	says 1 "ignored: they belong to another user, or are not regular files" timeout 20 \
		env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" export --job one "$PACK"
	rm "$(list one)"
	mkdir "$(list one)"
	job one gcc -c a.c
	says 1 "ignored: they belong to another user, or are not regular files" reprise export \
		--job one "$PACK"
	rm -r "$STORE/jobs"
	echo >"$STORE/jobs"
	job one gcc -c a.c
	says 3 "job one has no list" reprise export --job one "$PACK"
	[ "$(warnings)" = 0 ]
	units_clean
}

@test "export_job: another user's list is neither written nor read" {
	need_root "a file of another user"
	job one gcc -c a.c
	chown 65534 "$(list one)"
	before=$(stat -c %s "$(list one)")
	job one gcc -c b.c
	[ "$(stat -c %s "$(list one)")" = "$before" ]
	says 1 "ignored: they belong to another user" reprise export --job one "$PACK"
	[[ $output == *"0 entries"* ]]
}

@test "export_job: a list that is full, and a limit of file sizes" {
	job one gcc -c a.c
	truncate -s $((32 << 20)) "$(list one)"
	job one gcc -c b.c
	[ "$(stat -c %s "$(list one)")" = $((32 << 20)) ]
	says 1 "the job's list is full" reprise export --job one "$PACK"
	# SIGXFSZ would end the job.
	rm "$(list one)"
	kernels_like
	job two "${LIKE[@]}" "$ROOT/fw" red
	drain
	truncate -s $((1024 << 10)) "$(list two)"
	(ulimit -f 1024 && job two "${LIKE[@]}" "$ROOT/fw2" red)
	[ "$(stat -c %s "$(list two)")" = $((1024 << 10)) ]
	# The journal, and the queue of what was completed.
	local journal
	journal=$(find "$RUNTIME" -name journal)
	truncate -s $((1024 << 10)) "$journal"
	(ulimit -f 1024 && job three "${LIKE[@]}" "$ROOT/fw3" red blue)
	[ "$(stat -c %s "$journal")" = $((1024 << 10)) ]
	# Nothing of ours can be written, nor the log.
	job four bash -c 'ulimit -f 0; exec "$@"' sh "$PY" -c 'import os, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
print(os.path.exists(sys.argv[1]))' "$ROOT/fw4/$(ls "$ROOT/fw3" | head -n 1)/__grp__k.json" | cat
	[ "${PIPESTATUS[0]}" = 0 ]
}

@test "export_job: lists end with clean-up and with reprise clear" {
	job old gcc -c a.c
	job new gcc -c a.c
	touch -d '31 days ago' "$(list old)" "$STORE/jobs/old"
	reprise gc
	[ ! -e "$STORE/jobs/old" ]
	[ "$(lines new)" = 1 ]
	reprise clear --yes
	[ ! -e "$STORE/jobs/new" ]
	says 3 "job new has no list" reprise export --job new "$PACK"
}

@test "export_job: a store that may not be written keeps no list" {
	under gcc -c a.c
	REPRISE_READONLY=1 job one gcc -c a.c
	[ "$(stat_of hits_local)" = 1 ]
	[ ! -e "$STORE/jobs" ]
}
