#!/usr/bin/env bats
# Jobs of one store and one node with different remote stores. A record for one store is never sent
# to the other store, or signed with the other's key. The publisher of the first job still runs when
# the second one compiles.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	load redis
	load remote_lib
	several_setup
	UNITS=$(helper remote_units)
	SEEN=0
}
teardown() {
	[ -z "${PUBLISHER-}" ] || kill -9 $PUBLISHER 2>/dev/null || true
	remote_teardown
}

# job SOURCE NAME=VALUE...: compiled on the node that all share.
job() {
	local source=$1
	shift
	node shared "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c "$source.c" -o "$source.o" ||
		{ fail "$source: $?"; return 1; }
}

url() { echo "REPRISE_REDIS_URL=redis+unix://$REDIS_DIR/$1/socket"; }

# keys SERVER [PREFIX]: counts candidates and results. No lease may be left.
keys() { redis_cli "$1" --raw keys "${2-reprise}:1:*" | grep -vc ':1:l:' || true; }

# sent COUNT SERVER [PREFIX]: waits until the server has that many.
sent() {
	local want=$1 i
	shift
	for ((i = 0; i < 1000; i++)); do
		[ "$(keys "$@")" != "$want" ] || return 0
		sleep 0.02
	done
	fail "$*: $(keys "$@") keys, not $want"
}

# has yes|no|refused SOURCE NAME=VALUE...: a new read-only node replays from there, or compiles.
has() {
	local how=$1 source=$2 name=r$((++SEEN))
	local -A said
	shift 2
	node $name REPRISE_REMOTE_READONLY=1 "$@" LD_PRELOAD="$REPRISE_LIB" gcc -c "$source.c" \
		-o "$source.o" || return 1
	node_stats $name said || return 1
	case $how:${said[hits_remote]}:${said[refused_entries]} in
	yes:1:0 | no:0:0 | refused:0:[1-9]*) return 0 ;;
	esac
	fail "$source: $how, but hits ${said[hits_remote]}, refused ${said[refused_entries]}"
}

# Two jobs compile in turns while the first publisher runs. FIRST and SECOND are their settings.
in_turns() { # SERVER1 PREFIX1 SERVER2 PREFIX2
	job a "${FIRST[@]}" && sent 2 "$1" "$2" || return 1
	[ "$(publishers | wc -l)" = 1 ] ||
		{ fail "no publisher idles: the case is void"; return 1; }
	job b "${SECOND[@]}" && job c "${FIRST[@]}" && job d "${SECOND[@]}" &&
		job e "${SECOND[@]}" || return 1
	sent 4 "$1" "$2" && sent 6 "$3" "$4" || return 1
	job f "${FIRST[@]}" && sent 6 "$1" "$2" || return 1
	node shared "${FIRST[@]}" "$REPRISE_BIN" publish --wait 10 &&
		node shared "${SECOND[@]}" "$REPRISE_BIN" publish --wait 10 || return 1
	# A record that was appended while the queue was taken is there twice, and sent twice.
	[ "$(keys "$1" "$2") $(keys "$3" "$4")" = '6 6' ] &&
		[ "$(counter_of shared published)" -ge 12 ] ||
		{
			fail "$(keys "$1" "$2") and $(keys "$3" "$4")," \
				"published $(counter_of shared published)"
			return 1
		}
	[ -z "$(find "$ROOT/shared/spool" -type f)" ] &&
		[ "$(counter_of shared spool_dropped)" = 0 ] || fail "something is left"
}

# Each reader has its own job's results and no others.
apart() {
	local i
	for i in a c f; do
		has yes $i "${FIRST[@]}" && has "${OTHER-no}" $i "${SECOND[@]}" || return 1
	done
	for i in b d e; do
		has yes $i "${SECOND[@]}" && has "${OTHER-no}" $i "${FIRST[@]}" || return 1
	done
}

# bats test_tags=check
@test "publish_remotes: two servers" {
	redis_start main
	redis_start other
	FIRST=("$(url main)") SECOND=("$(url other)")
	in_turns main reprise other reprise
	apart
}

# bats test_tags=check
@test "publish_remotes: two prefixes of one server" {
	redis_start main
	FIRST=("$(url main)") SECOND=("$(url main)" REPRISE_REDIS_PREFIX=team)
	in_turns main reprise main team
	apart
}

# bats test_tags=check
@test "publish_remotes: two signing keys, on servers of their own" {
	redis_start main
	redis_start other
	local one two
	one=$("$REPRISE_BIN" keygen "$ROOT/one")
	two=$("$REPRISE_BIN" keygen "$ROOT/two")
	FIRST=("$(url main)" REPRISE_SIGN_KEY="$ROOT/one") SECOND=("$(url other)"
		REPRISE_SIGN_KEY="$ROOT/two")
	in_turns main reprise other reprise
	# A reader that trusts one key accepts the entries of that key's server, and none of the
	# other server.
	FIRST=("$(url main)" REPRISE_TRUST="$one") SECOND=("$(url other)" REPRISE_TRUST="$two")
	apart
	has refused a "$(url main)" REPRISE_TRUST="$two"
	has refused b "$(url other)" REPRISE_TRUST="$one"
}

# bats test_tags=check
@test "publish_remotes: two signing keys on one server; without a key records stay unsigned" {
	redis_start main
	local one two i
	one=$("$REPRISE_BIN" keygen "$ROOT/one")
	two=$("$REPRISE_BIN" keygen "$ROOT/two")
	job a "$(url main)" REPRISE_SIGN_KEY="$ROOT/one"
	sent 2 main
	job b "$(url main)" REPRISE_SIGN_KEY="$ROOT/two"
	job c "$(url main)"
	job d "$(url main)" REPRISE_SIGN_KEY="$ROOT/one"
	sent 8 main
	[ "$(publishers | wc -l)" -ge 2 ] || fail "a publisher of two has gone: the case is void"
	for i in a d; do
		has yes $i "$(url main)" REPRISE_TRUST="$one"
		has refused $i "$(url main)" REPRISE_TRUST="$two"
	done
	has yes b "$(url main)" REPRISE_TRUST="$two"
	has refused b "$(url main)" REPRISE_TRUST="$one"
	has yes c "$(url main)"
	has no c "$(url main)" REPRISE_TRUST="$one"
}

# Files of frameworks. The last job only reads: it looks up units in the first server and sends
# none.
# bats test_tags=check
@test "publish_remotes: units of jobs with two servers, and of one that only reads" {
	redis_start main
	redis_start other
	local kernel=_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789 i
	mkdir -p "$ROOT/x"
	for i in a b c d; do
		printf '.version 8.2\n.target sm_90\n.entry %s() { ret; }\n\0' \
			$i >"$ROOT/x/$i$kernel"
	done
	node shared "$(url main)" "$UNITS" offer "$ROOT/x/a$kernel"
	node_exec shared "$(url main)" "$REPRISE_BIN" publish --daemon 3>&- &
	PUBLISHER=$!
	sent 1 main
	node shared "$(url other)" "$UNITS" offer "$ROOT/x/b$kernel"
	node shared "$(url main)" REPRISE_REMOTE_READONLY=1 "$UNITS" offer "$ROOT/x/c$kernel"
	node shared "$UNITS" offer "$ROOT/x/d$kernel"
	# It packs what it may after a second without a new offer.
	sleep 2
	kill -0 $PUBLISHER || fail "no publisher idles: the case is void"
	[ "$(node shared "$(url other)" "$UNITS" pending)" = 1 ]
	run node shared "$REPRISE_BIN" doctor
	local why='2 framework files wait under other remote store settings'
	[[ $output == *"note  units      $why"* ]] ||
		fail "$output"
	node shared "$(url other)" "$REPRISE_BIN" publish --wait 10
	node shared "$(url main)" REPRISE_REMOTE_READONLY=1 "$REPRISE_BIN" publish --wait 10
	node shared "$REPRISE_BIN" publish --wait 10
	node shared "$(url main)" "$REPRISE_BIN" publish --wait 10
	[ "$(keys main)$(keys other)" = 11 ]
	[ "$(counter_of shared packed_jiterator)" = 4 ]
	cd "$W" || return 1
	for i in a b; do mv "$ROOT/x/$i$kernel" $i.was; done
	node n1 "$(url main)" "$UNITS" lay "$ROOT/x/a$kernel"
	node n2 "$(url other)" "$UNITS" lay "$ROOT/x/b$kernel"
	cmp a.was "$ROOT/x/a$kernel"
	cmp b.was "$ROOT/x/b$kernel"
	rm "$ROOT/x/b$kernel"
	run ! node n1 "$(url main)" "$UNITS" lay "$ROOT/x/b$kernel"
}

@test "publish_remotes: records for another remote are reported, and are no error of this one" {
	redis_start main
	local gone=REPRISE_REDIS_URL=redis+unix:///nowhere/socket
	node shared "$gone" "$DRIVER" fill 0 3 100
	node shared "$(url main)" "$DRIVER" fill 3 4 100
	run node shared "$(url main)" "$REPRISE_BIN" publish --wait 10
	[ "$status" = 0 ]
	[[ $output == *"6 wait for other remote stores"* ]]
	[ "$(keys main)" = 2 ]
	run node shared "$(url main)" "$REPRISE_BIN" doctor
	[[ $output == *"spool      0 records wait;"* &&
		$output == *"spool      6 records wait for other remote stores"* ]]
	run node shared "$gone" "$REPRISE_BIN" publish --wait 200ms
	[ "$status" = 1 ]
	[[ $output == *"6 entries not published"* ]]
	# No job names that server any more. After two weeks its queue is removed as litter, and the
	# entries stay.
	find "$ROOT/shared/spool" -exec touch -d '15 days ago' {} +
	node shared "$REPRISE_BIN" gc | grep -q 'and 1 left-over files; 8 entries'
	run node shared "$(url main)" "$REPRISE_BIN" publish --wait 10
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "publish_remotes: a rotated password sends what waited under the old one" {
	redis_start main --requirepass new
	local socket=$REDIS_DIR/main/socket
	node shared REPRISE_REDIS_URL="redis+unix://:old@$socket" "$DRIVER" fill 0 3 100
	run node shared REPRISE_REDIS_URL="redis+unix://:old@$socket" "$REPRISE_BIN" publish \
		--wait 5
	[ "$status" = 1 ]
	echo new >"$ROOT/password"
	node shared "$(url main)" REPRISE_REDIS_PASSWORD_FILE="$ROOT/password" \
		"$REPRISE_BIN" publish --wait 10
	[ "$(redis-cli -s "$socket" -a new --no-auth-warning dbsize)" = 6 ]
}

# The agent's name holds no password, so an agent with the old password answers until it fails.
# bats test_tags=long
@test "publish_remotes: an agent whose password was rotated makes room for another" {
	redis_start main --requirepass old
	local socket=$REDIS_DIR/main/socket \
		kernel=_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789 i
	mkdir -p "$ROOT/x"
	for i in a b; do
		printf '.version 8.2\n.target sm_90\n.entry %s() { ret; }\n\0' \
			$i >"$ROOT/x/$i$kernel"
		node a REPRISE_REDIS_URL="redis+unix://:old@$socket" "$UNITS" offer \
			"$ROOT/x/$i$kernel"
	done
	node a REPRISE_REDIS_URL="redis+unix://:old@$socket" "$REPRISE_BIN" publish --wait 10
	rm "$ROOT"/x/*
	put look.py 'import os, sys' 'os.stat(sys.argv[1])'
	look() {
		node b REPRISE_REDIS_URL="redis+unix://:$1@$socket" \
			LD_PRELOAD="$REPRISE_LIB" /usr/bin/python3 look.py "$ROOT/x/$2$kernel"
	}
	look old a
	[ "$(daemons agent | wc -l)" = 1 ]
	redis-cli -s "$socket" -a old --no-auth-warning config set requirepass new
	redis-cli -s "$socket" -a new --no-auth-warning client kill type normal skipme yes
	run ! look new b
	# The next one that has another password makes room. The node remembers for some seconds
	# that it asked for the unit, and that the server failed.
	sleep 6
	look new b
}

# The list of settings is the same, so a running process has to look at the file.
# bats test_tags=check
@test "publish_remotes: a running fetcher stops trusting a key that is withdrawn in its file" {
	redis_start main
	local kernel=_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789 one two i \
		fetcher
	one=$("$REPRISE_BIN" keygen "$ROOT/one")
	two=$("$REPRISE_BIN" keygen "$ROOT/two")
	mkdir -p "$ROOT/x"
	for i in a b c d; do
		printf '.version 8.2\n.target sm_90\n.entry %s() { ret; }\n\0' \
			$i >"$ROOT/x/$i$kernel"
		node a "$(url main)" REPRISE_SIGN_KEY="$ROOT/one" "$UNITS" offer "$ROOT/x/$i$kernel"
	done
	node a "$(url main)" REPRISE_SIGN_KEY="$ROOT/one" "$REPRISE_BIN" publish --wait 10
	rm "$ROOT"/x/*
	put look.py 'import os, sys' 'os.stat(sys.argv[1])'
	look() {
		node b "$(url main)" REPRISE_TRUST="$ROOT/trusted" \
			LD_PRELOAD="$REPRISE_LIB" /usr/bin/python3 look.py "$ROOT/x/$1$kernel"
	}
	put "$ROOT/trusted" "$one"
	look a
	fetcher=$(daemons agent)
	[ -n "$fetcher" ]
	put "$ROOT/trusted" "$two"
	run ! look b
	[ "$(counter_of b refused_entries)" -ge 1 ] || fail "not refused"
	# The agent reads the file again, and continues.
	put "$ROOT/trusted" "$two" "$one"
	look c
	[ "$(daemons agent)" = "$fetcher" ] || fail "$fetcher, now $(daemons agent)"
	# Without keys the agent trusts no entry, and says why.
	rm "$ROOT/trusted"
	run ! look d
	grep -q "nothing is fetched: read key file $ROOT/trusted" "$ROOT/b.log" ||
		fail "$(cat "$ROOT/b.log")"
}

@test "publish_remotes: the end of a job does not wait for a publisher that is stopped" {
	redis_start main
	local i start
	job a "$(url main)"
	sent 2 main
	i=$(publishers)
	[ -n "$i" ] || fail "no publisher idles: the case is void"
	kill -STOP $i
	start=$SECONDS
	node shared "$(url main)" "$TOP/scripts/reprise-run" gcc -c b.c 2>err
	[ $((SECONDS - start)) -lt 6 ] || fail "it took $((SECONDS - start)) s: $(cat err)"
	grep -q 'the process that publishes is stopped' err || fail "$(cat err)"
	kill -CONT $i
	sent 7 main # with what the node did in the job, and what the job used
}

# bats test_tags=long
@test "publish_remotes: a secret key that was replaced signs no more for a publisher that runs" {
	redis_start main
	local one two i
	one=$("$REPRISE_BIN" keygen "$ROOT/one")
	two=$("$REPRISE_BIN" keygen "$ROOT/two")
	cp -p "$ROOT/one" "$ROOT/key"
	job a "$(url main)" REPRISE_SIGN_KEY="$ROOT/key"
	sent 2 main
	i=$(publishers)
	[ -n "$i" ] || fail "no publisher idles: the case is void"
	mv "$ROOT/two" "$ROOT/key"
	job b "$(url main)" REPRISE_SIGN_KEY="$ROOT/key"
	sent 4 main
	[ "$(publishers)" = "$i" ] || fail "publisher $i, now $(publishers)"
	has yes a "$(url main)" REPRISE_TRUST="$one"
	has yes b "$(url main)" REPRISE_TRUST="$two"
	has refused b "$(url main)" REPRISE_TRUST="$one"
	# The key is gone: waiting records are sent neither unsigned nor signed with the key that
	# this process had read.
	kill -STOP $i
	job c "$(url main)" REPRISE_SIGN_KEY="$ROOT/key"
	rm "$ROOT/key"
	kill -CONT $i
	none_stays publish || fail "it stays without a key"
	[ "$(keys main)" = 4 ] || fail "$(keys main) keys"
	grep -q "nothing is published: read key file $ROOT/key" "$ROOT/shared.log" ||
		fail "$(cat "$ROOT/shared.log")"
}

# reprise-run gives each run its own name. The question to the agent says which job's budget is
# charged.
@test "publish_remotes: one agent serves jobs that have names of their own" {
	redis_start main
	local kernel=_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789 i
	mkdir -p "$ROOT/x"
	put look.py 'import os, sys' 'os.path.exists(sys.argv[1])'
	for i in 1 2 3 4; do
		node b "$(url main)" "$REPRISE_BIN" run /usr/bin/python3 look.py "$ROOT/x/$i$kernel"
	done
	node b "$(url main)" LD_PRELOAD="$REPRISE_LIB" /usr/bin/python3 look.py "$ROOT/x/5$kernel"
	[ "$(daemons agent | wc -l)" = 1 ] || fail "$(daemons agent | wc -l) agents run"
}
