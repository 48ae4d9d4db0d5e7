#!/usr/bin/env bats
# --json of the commands that report: one object, whose members docs/json.md lists.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	case_setup
	need jq
	export REPRISE_JOB=j
	put h.h '#define N 1'
	put 'a b.c' '#include "h.h"' 'int f(void) { return N; }'
	age
	under gcc -c 'a b.c' -o x.o
}
teardown() {
	redis_teardown
	case_teardown
}

# documented SECTION FILE [JQ]: members that the object (or the objects of JQ) has are named in that
# section of docs/json.md, with a mark behind each.
documented() {
	local key
	awk -v want="## reprise $1" '/^## / { on = $0 == want } on' "$TOP/docs/json.md" >section
	[ -s section ] || fail "no section of reprise $1"
	jq -r "[${3:-.}] | map(keys) | add | unique | .[]" "$2" >keys
	[ -s keys ] || fail "no members in $2"
	while read -r key; do
		[ "$key" = version ] || grep -qF "\`$key\`" section ||
			fail "docs/json.md does not name $key of reprise $1"
	done <keys
	[ "$(jq -r .version "$2")" != null ]
}

@test "json: stats of a job, and of one group" {
	reprise stats --last --by tool --json >out
	documented 'stats --job' out
	documented 'stats --job' out '.tool[]'
	reprise report --json >out
	documented 'stats --job' out
	jq -e '.compiles == 1 and .hits == 0 and .job == "j"' out
	reprise stats --json >out
	jq -e '.misses == 1 and .reasons.new == 1 and .reason_new == 1' out
}

@test "json: jobs" {
	reprise jobs --json >out
	documented jobs out
	documented jobs out '.jobs[]'
	jq -e '.jobs[0].job == "j" and .jobs[0].compiles == 1' out
}

@test "json: explain says what changed" {
	put h.h '#define N 2'
	age
	under gcc -c 'a b.c' -o x.o
	under gcc -O2 -c 'a b.c' -o x.o
	reprise explain --json >out
	documented explain out
	documented explain out '.records[]'
	jq -e '.job == "j" and (.records | length) == 3 and .records[1].reason == "input" and
		.records[1].detail == "file h.h changed" and
		.records[1].command == "gcc -c a b.c -o x.o" and
		(.records[2].changed | map(select(contains("-O2"))) | length) > 0' out
	REPRISE_JOB=none reprise explain --job none --json | jq -e '.records == []'
}

@test "json: config has settings, places and warnings" {
	REPRISE_MAX_SIZE=nonsense run -1 reprise config --json
	printf '%s\n' "$output" >out
	documented config out
	documented config out '.settings.JOB'
	jq -e '.settings.JOB.value == "j" and .settings.JOB.origin == "environment" and
		.job_from == "REPRISE_JOB" and .disabled == false and
		(.warnings | map(select(contains("MAX_SIZE"))) | length) == 1' out
	REPRISE_FORCE_DISABLE=1 reprise config --json | jq -e .disabled
	REPRISE_CLASSES=all,-warp reprise config classes --json >out
	documented 'config classes' out
	documented 'config classes' out '.classes[]'
	jq -e '[.classes[] | select(.on | not) | .class] == ["warp"]' out
}

@test "json: gc, verify and clear count what they did" {
	local entry
	reprise gc --json >out
	documented gc out
	jq -e '.removed_entries == 0 and .entries > 1' out
	reprise verify --json >out
	documented verify out
	jq -e '.bad_entries == 0 and .good_entries > 1 and .bad == []' out
	entry=$(find "$STORE/result" -type f | head -n 1)
	printf x | dd of="$entry" bs=1 seek=60 conv=notrunc status=none
	run -1 reprise verify --json
	printf '%s\n' "$output" >out
	documented verify out '.bad[]'
	jq -e --arg path "$entry" '.bad == [{path: $path, why: "damaged", removed: false}]' out
	run -1 reprise verify --json --repair
	jq -e '.removed_entries == 1' <<<"$output"
	reprise clear --yes --json >out
	documented clear out
	jq -e '.removed_entries > 1' out
}

# bats test_tags=check
@test "json: publish says what waits" {
	redis_need
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT REPRISE_DRAIN=0
	reprise publish --wait 10 --json >out
	documented publish out
	jq -e '.done and .entries_waiting == 0 and .why == ""' out
	redis_kill main KILL
	under gcc -O3 -c 'a b.c' -o x.o
	run --separate-stderr -1 reprise publish --json
	jq -e '(.done | not) and .entries_waiting == 2 and (.why | length) > 0' <<<"$output"
}

# bats test_tags=check
@test "json: prefetch says what came" {
	redis_need
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
	under "$REPRISE_BIN" run -q --job p -- gcc -O3 -c 'a b.c' -o x.o
	reprise prefetch p --json >out
	documented prefetch out
	jq -e '.done and .job == "p" and .entries == 0 and .why == ""' out
	run --separate-stderr -1 reprise prefetch none --json
	jq -e '(.done | not) and (.why | length) > 0' <<<"$output"
}

@test "json: a pack has one size, on export and import" {
	local text
	reprise export all.pack --json >out
	documented export out
	jq -e '.entries == 2 and .bytes > 0 and .refused == 0 and .pack == "all.pack"' out
	text=$(reprise export all.pack)
	reprise clear --yes
	reprise import all.pack --json >in
	documented export in
	jq -e --slurpfile out out '.bytes == $out[0].bytes and .entries == 2 and
		.already_there == 0' in
	[ "$(reprise import all.pack)" = "${text/ in / from }, 2 already there" ]
	reprise export - --json 2>err >/dev/null
	jq -e '.entries == 2 and .pack == "-"' err
}

# bats test_tags=check
@test "json: forget says what it drops, keygen what it makes" {
	run -2 reprise forget x.o --json
	reprise forget x.o --yes --json >out
	documented forget out
	documented forget out '.results[]'
	documented forget out '.results[].outputs[]'
	jq -e '.removed_results == 1 and (.remote | not) and .results[0].result and
		.results[0].exit_status == 0 and .results[0].outputs[0].bytes > 100 and
		(.results[0].command | startswith("gcc -c"))' out
	under gcc -c 'a b.c' -o x.o
	[ "$(stat_of misses)" = 2 ]
	reprise keygen secret --json >out
	documented keygen out
	jq -e '(.public_key | length) == 43 and .secret_file == "secret"' out
	grep -q '^reprise-secret-1 ' secret
}

# bats test_tags=check
@test "json: doctor" {
	reprise doctor --json >out || [ $? = 1 ]
	documented doctor out
	documented doctor out '.checks[]'
}

# bats test_tags=check
@test "json: every command that prints figures takes --json" {
	local c
	for c in stats explain jobs report config gc clear verify publish export import doctor \
		forget keygen prefetch; do
		"$REPRISE_BIN" $c --help >help
		grep -q -e --json help || fail "reprise $c"
	done
}
