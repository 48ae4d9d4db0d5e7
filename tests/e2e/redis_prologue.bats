#!/usr/bin/env bats
# AUTH and SELECT. If a server refuses them, it executes no writing command of ours, its answers are
# not used, and jobs are right. Look-ups do not pay for that.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	load remote_lib
	remote_setup
	export REPRISE_JOB=one
	WIRE=${REPRISE_TEST_WIRE:-$(helper redis_wire)}
}
teardown() { remote_teardown; }

# Remembers the size of database 0, and resets the counts of executed commands.
remember() {
	redis_cli main --no-auth-warning "${ADMIN[@]}" dbsize >"$ROOT/dbsize"
	redis_cli main --no-auth-warning "${ADMIN[@]}" config resetstat >/dev/null
}

# No writing command has been executed since `remember`, by any client.
untouched() {
	local said
	[ "$(redis_cli main --no-auth-warning "${ADMIN[@]}" dbsize)" = "$(cat "$ROOT/dbsize")" ] ||
		fail "written: $(redis_cli main --no-auth-warning "${ADMIN[@]}" keys '*')"
	said=$(redis_cli main --no-auth-warning "${ADMIN[@]}" info commandstats |
		grep -E '^cmdstat_(set|lpush|ltrim|expire|pexpire|eval|del|incr):') || return 0
	fail "executed: $said"
}

# refused URL REASON: a pipeline with writes, a job, its publisher.
refused() {
	local url=$1 reason=$2 words
	remember
	for words in 'set mine 1' 'get mine , incr mine' 'asking , set mine 1' \
		'lpush mine x , ltrim mine 0 1 , expire mine 9' \
		'eval redis.call("set","mine",1) 0'; do
		# shellcheck disable=SC2086 # words of commands
		run env REPRISE_REDIS_URL="$url" "$WIRE" $words
		[ "$status" = 1 ] && [[ $output == *"$reason"* ]] || fail "$words: $output"
		untouched
	done
	# Through a cluster's client as well.
	run env REPRISE_REDIS_URL="$url" "$WIRE" -c tag set mine 1
	[ "$status" = 1 ] && [[ $output == *"$reason"* ]] || fail "$output"
	remote_url "$url"
	fresh b
	again stored --warnings
	grep -qF "the remote store is not used: $reason" "$LOG" || fail "$(cat "$LOG")"
	run reprise publish --wait 2
	[ "$status" = 1 ] && [[ $output == *"2 entries not published: $reason"* ]] || fail "$output"
	[ "$(grep -cF "the remote store is not used" "$LOG")" = 1 ] || fail "$(cat "$LOG")"
	! grep -F -e hunter2 -e wr0ng "$LOG" || fail "the log holds a password"
	untouched
}

# An entry of another node in database 0.
publish_good() {
	on good
	remote_url "$1"
	differential --warm none -- gcc -c a.c && drain || return 1
	[ "$(redis_cli main --no-auth-warning "${ADMIN[@]}" dbsize)" = 2 ]
}

# bats test_tags=check
@test "redis_prologue: a database that the server does not have" {
	ADMIN=()
	redis_start main --databases 1
	publish_good "redis://127.0.0.1:$REDIS_PORT"
	refused "redis://127.0.0.1:$REDIS_PORT/3" 'SELECT was refused: ERR (database 3)'
	refused "redis+unix://$REDIS_SOCKET?db=1" 'SELECT was refused: ERR (database 1)'
}

# bats test_tags=check
@test "redis_prologue: a user without SELECT" {
	ADMIN=()
	redis_start main --user joe on '>hunter2' '~*' +@all -select
	publish_good "redis://127.0.0.1:$REDIS_PORT"
	refused "redis://joe:hunter2@127.0.0.1:$REDIS_PORT/3" \
		'SELECT was refused: NOPERM (database 3)'
	# Database 0 needs no SELECT, so nothing is refused.
	remote_url "redis://joe:hunter2@127.0.0.1:$REDIS_PORT"
	fresh c
	again remote
}

# bats test_tags=check
@test "redis_prologue: a wrong password where the default user needs none" {
	ADMIN=()
	redis_start main --user joe on '>hunter2' '~*' +@all
	publish_good "redis://127.0.0.1:$REDIS_PORT"
	refused "redis://:wr0ng@127.0.0.1:$REDIS_PORT" 'AUTH was refused: ERR'
	refused "redis://joe:wr0ng@127.0.0.1:$REDIS_PORT" 'AUTH was refused: WRONGPASS'
	refused "redis://nobody:hunter2@127.0.0.1:$REDIS_PORT/3" 'AUTH was refused: WRONGPASS'
}

# bats test_tags=check
@test "redis_prologue: a password that was changed, a user who was switched off" {
	ADMIN=(-a admin)
	redis_start main --requirepass admin --user joe on '>hunter2' '~*' +@all
	publish_good "redis://joe:hunter2@127.0.0.1:$REDIS_PORT"
	redis_cli main -a admin --no-auth-warning acl setuser joe resetpass '>other' >/dev/null
	refused "redis://joe:hunter2@127.0.0.1:$REDIS_PORT" 'AUTH was refused: WRONGPASS'
	redis_cli main -a admin --no-auth-warning acl setuser joe off '>hunter2' >/dev/null
	refused "redis://joe:hunter2@127.0.0.1:$REDIS_PORT/2" 'AUTH was refused: WRONGPASS'
}

@test "redis_prologue: a server that neither accepts nor refuses" {
	local text
	for text in '+QUEUED\r\n' '$-1\r\n' ':1\r\n' '+OK\r\n:1\r\n' '+PONG\r\n+OK\r\n+OK\r\n'; do
		redis_proxy liar 0 say "$text"
		run env REPRISE_REDIS_URL="redis://:pw@127.0.0.1:$PROXY_PORT/3" "$WIRE" \
			-t 1000 set a 1
		[ "$status" = 1 ] && [[ $output == *'the server did not answer'* ]] ||
			fail "$text: $output"
		kill "${REDIS_PIDS[-1]}"
	done
	# Replies before a request are no replies.
	redis_proxy liar 0 say '+OK\r\n+OK\r\n+OK\r\n'
	run env REPRISE_REDIS_URL="redis://:pw@127.0.0.1:$PROXY_PORT/3" "$WIRE" -t 1000 set a 1
	[ "$status" = 1 ] && [[ $output == *'no Redis protocol'* ]] || fail "$output"
}

# Packets of ours on a new connection with AUTH and SELECT: sends N COMMAND...
sends() {
	local n=$1
	shift
	env REPRISE_REDIS_URL="redis://:pw@127.0.0.1:$REDIS_PORT/3" strace -f -o "$ROOT/trace" \
		-e trace=sendmsg,recvmsg \
		"$WIRE" -t 10000 "$@" >"$ROOT/out" || fail "$(cat "$ROOT/out")"
	[ "$(grep -c 'sendmsg(.* = [1-9]' "$ROOT/trace")" = "$n" ] ||
		fail "$*: $(cat "$ROOT/trace")"
}

@test "redis_prologue: look-ups are sent with it, writing commands wait for it once" {
	need strace
	redis_start main --requirepass pw
	sends 1 get a
	sends 1 lrange l 0 -1 , llen l
	sends 2 set a 1
	sends 2 get a , set b 1
	sends 2 cluster nodes
	# A connection sends AUTH and SELECT once. Later commands do not wait for them.
	sends 4 -n 3 set a 1
	sends 3 -n 3 get a
}
