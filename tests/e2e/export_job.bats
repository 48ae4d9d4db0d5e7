#!/usr/bin/env bats
# `reprise export --job`: exactly the entries that a job used, also those of other jobs, replayed
# from an empty store. The jobs' lists themselves: export_job_lists.bats.

bats_require_minimum_version 1.5.0

load units_suite

setup() {
	load units_lib
	load export_job_lib
	export_job_setup
}

# bats test_tags=check
@test "export_job: two jobs on one store: each list has its job's compiles and hits" {
	job one gcc -c a.c
	job one gcc -c b.c
	job two gcc -c b.c # job one compiled this
	job two gcc -c c.c
	job two gcc -c c.c
	[ "$(stat_of hits_local)" = 2 ]
	[ "$(lines one)" = 2 ]
	[ "$(lines two)" = 2 ]
	says 0 "4 entries" reprise export --job two "$PACK"
	says 0 "4 entries" reprise export -J one "$ROOT/pack1"
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

# bats test_tags=check
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
@test "export_job: kernels that a job made, and kernels that were laid" {
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

# bats test_tags=long
@test "export_job: a unit that two jobs completed at one time is in both lists" {
	kernels_like
	job one env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw1" red
	job two env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw2" red
	drain
	# The same if the store already has the kernel.
	job three env REPRISE_RECACHE=1 "${LIKE[@]}" "$ROOT/fw3" red
	for j in one two three; do
		[ "$(lines $j)" = 1 ] || fail "$j: $(cat "$(list $j)")"
		says 0 "1 entries" reprise export --job $j "$PACK.$j"
	done
}

# bats test_tags=long
@test "export_job: graphs, members of sets: the job made one, and one was laid" {
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

# bats test_tags=long
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

@test "export_job: units that wait to be packed are reported" {
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
@test "export_job: results from Redis" {
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

@test "export_job: a job without a list, invalid names, places that cannot be written" {
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
	# A name with every permitted character, of the greatest length.
	name=Aa0._:@+=,-$(printf 'x%.0s' $(seq 117))
	job "$name" gcc -c a.c
	says 0 "2 entries" reprise export --job "$name" "$PACK"
}

@test "export_job: a job's name that is no file name: one warning in the log, and the job runs" {
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
	for form in "--job=two" "--job two" "-J two"; do
		rm -rf "$STORE/jobs"
		env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" $form gcc -c a.c
		[ "$(lines two)" = 1 ] || fail "$form"
	done
	env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job three -- \
		sh -c '[ "$REPRISE_JOB" = three ] && [ $REPRISE_JOB_LIST = 1 ]'
	run -2 env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job
	run -2 env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" --job= true
	# Without the option no list is kept.
	rm -r "$STORE/jobs"
	env "${RPENV[@]:1}" "$TOP/scripts/reprise-run" gcc -c a.c
	[ ! -e "$STORE/jobs" ]
}
