#!/usr/bin/env bats
# Progress of commands that may take over a second: a line on a terminal, and nothing elsewhere.

bats_require_minimum_version 1.5.0

MARK=$'\r\033[K'

setup() {
	load lib
	load redis
	case_setup
	PTY=$BATS_TEST_DIRNAME/on_pty.py
	export REPRISE_JOB=j
	put a.c 'int f(void) { return 1; }'
	age
	under gcc -c a.c
}
teardown() {
	redis_teardown
	case_teardown
}

# on_terminal COMMAND...: with standard error on a terminal.
on_terminal() {
	"$PY" "$PTY" -e env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		REPRISE_LOG="$LOG" "$@" >seen
}

# shows TEXT COMMAND...: on a terminal, a line with the text is overwritten. Without one it is not
# printed.
shows() {
	local text=$1
	shift
	on_terminal "$@"
	grep -qF "${MARK}" seen || fail "no progress of $*"
	grep -qE "$text" seen || fail "progress of $*: $(cat -v seen)"
	env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
		NO_COLOR=1 "$@" >plain 2>&1 || :
	! grep -qF "$MARK" plain || fail "progress of $* without a terminal"
}

@test "progress: verify, gc, export, import, report and clear" {
	shows '1 entries|2 entries' "$REPRISE_BIN" verify
	shows 'of 256 shards' "$REPRISE_BIN" gc
	shows '[12] entries, 0 MiB' "$REPRISE_BIN" export all.pack
	shows '[12] entries, 0 MiB' "$REPRISE_BIN" import all.pack
	shows '1 events' "$REPRISE_BIN" report -o job.html
	shows '[1-9] entries removed' "$REPRISE_BIN" clear --yes
}

# bats test_tags=check
@test "progress: what waits for the remote store, and what other nodes left there" {
	redis_need
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
	# The publisher that a miss starts may be quicker than the command.
	redis_kill main STOP
	under gcc -O2 -c a.c
	(sleep 1; redis_kill main CONT) &
	on_terminal "$REPRISE_BIN" publish --wait 20
	grep -qE 'entries to send' seen || fail "$(cat -v seen)"
	shows 'nodes in the remote store' "$REPRISE_BIN" stats --job j --remote
	redis_kill main STOP
	under gcc -O3 -c a.c
	(sleep 1; redis_kill main CONT) &
	on_terminal "$TOP/scripts/reprise-run" -q gcc -O1 -c a.c
	[ ! -s seen ] || fail "$(cat -v seen)"
}
