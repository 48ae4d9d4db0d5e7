#!/usr/bin/env bats
# A job's list (REPRISE_JOB_LIST): none where the setting is off, many writers, and lists that are
# damaged, full, another user's, or of jobs that died.

setup() {
	load units_lib
	load export_job_lib
	export_job_setup
}
teardown() { remote_teardown; }

# bats test_tags=check
@test "export_job: if the setting is off, no list is written and no system call is added" {
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
	# The least of four counts: what the memo already knows varies.
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

@test "export_job: entries that were removed since are reported, and the others are exported" {
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

@test "export_job: a list that is damaged anywhere: good lines count, others are reported" {
	job one gcc -c a.c
	job one gcc -c b.c
	local good
	good=$(cat "$(list one)"; echo x)
	# A full disk or a killed writer leaves a cut line. The next writer's line follows it.
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
	# Keys that no store has.
	printf '\n1 %064d %064d' 1 2 >"$(list one)"
	says 1 "1 entries that job one used" reprise export --job one "$PACK"
	# Jobs still run.
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
	# The same for the journal, and for the queue of completed units.
	local journal
	journal=$(find "$RUNTIME" -name journal)
	truncate -s $((1024 << 10)) "$journal"
	(ulimit -f 1024 && job three "${LIKE[@]}" "$ROOT/fw3" red blue)
	[ "$(stat -c %s "$journal")" = $((1024 << 10)) ]
	# Reprise can write nothing, not even the log.
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
