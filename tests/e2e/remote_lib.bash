# Two or more nodes on one machine: a node is a store and a runtime directory of its own. After
# lib.bash and redis.bash.
#
#     setup() { load lib; load redis; load remote_lib; remote_setup; }
#     teardown() { remote_teardown; }
#     start                         # the Redis that all nodes ask
#     across -- gcc -c a.c          # node a compiles and publishes; node b, which is empty, replays
#
# Expectations of lib.bash, and "remote": replayed from what the remote store had.
#
# Or, with case_setup and redis_need in place of remote_setup, commands by hand:
#     node a "$REPRISE_BIN" publish # in the environment of node a, which asks REDIS_URL

remote_setup() {
	case_setup
	redis_need
	# Many suites share this machine, so time limits are long. Tests about time limits set them
	# back.
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	on a
	put a.c 'int a(int x) { return x + 1; }'
}

# Several stores, whose servers a case starts and names. Sources a.c to f.c.
several_setup() {
	local i
	case_setup
	redis_need
	need gcc
	DRIVER=$(helper remote_driver)
	export REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
	REDIS_URL=
	for i in a b c d e f; do put $i.c "int $i(int x) { return x + 1; }"; done
}

remote_teardown() {
	remote_end
	redis_teardown
	case_teardown
}

start() { # [settings]
	redis_start main "$@" && remote_url "redis://127.0.0.1:$REDIS_PORT"
}

# The node of the runs that follow.
on() {
	RUNTIME=$ROOT/$1.run
	LOG=$ROOT/$1.log
	use_store "$ROOT/$1"
}

remote_url() { export REPRISE_REDIS_URL=$1; }

# node NAME [VARIABLE=VALUE...] COMMAND...: for this command alone.
node() { (node_exec "$@"); }

# The same in the place of this shell: a job in the background whose id is the command's.
node_exec() {
	local name=$1
	shift
	exec env REPRISE_CACHE_DIR="$ROOT/$name" REPRISE_RUNTIME_DIR="$ROOT/$name.run" \
		REPRISE_LOG="$ROOT/$name.log" \
		REPRISE_REDIS_URL="$REDIS_URL" "$@"
}

# node_stats NAME ARRAY: its counters.
node_stats() {
	local RUNTIME=$ROOT/$1.run LOG=$ROOT/$1.log STORE=$ROOT/$1
	stats_read "$2"
}

counter_of() { # NODE COUNTER
	local -A _counters
	node_stats "$1" _counters || return 1
	echo "${_counters[$2]-none}"
}

# Packs what jobs completed, and sends all that this node has, where there is a remote.
drain() {
	reprise publish --wait "${1:-60}" >"$ROOT/drain" 2>&1 ||
		{ fail "publish: $(cat "$ROOT/drain")"; return 1; }
}

# Pids of processes that jobs of this case left running: daemons publish, daemons agent. An agent's
# workers are not listed.
daemons() {
	local p words
	# No command is started for the other processes: there are hundreds.
	for p in /proc/[0-9]*; do
		{
			mapfile -d '' -t words <"$p/cmdline"
			# An emulator stands before the program and its words.
			[[ ${words[0]} != *qemu-* ]] || words=("${words[@]:2}")
			case $1:${words[*]} in
			"publish:reprise publish --daemon" | "agent:reprise-agent") ;;
			*) continue ;;
			esac
			[ "$(<"$p/comm")" != reprise-worker ] &&
				grep -zq "=$ROOT/" "$p/environ" && echo "${p#/proc/}"
		} 2>/dev/null
	done
	return 0
}
publishers() { daemons publish; }

# one_comes, none_stays publish|agent: waits for that, 20 seconds at most.
one_comes() { daemons_are -n "$1"; }
none_stays() { daemons_are -z "$1"; }
daemons_are() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$1" "$(daemons "$2")" ] && return 0
		sleep 0.1
	done
	return 1
}

# Starts the agent of this node, so that no job has to.
agent_up() {
	env "${RPENV[@]}" LD_PRELOAD= "${REPRISE_LIB%/*}/libexec/reprise-agent" 3>&- &
	local i
	for ((i = 0; i < 200; i++)); do
		[ -z "$(find "$RUNTIME" -name 'agent.*' 2>/dev/null)" ] || return 0
		sleep 0.02
	done
	fail "no agent listens"
}

# Where a host is the first to need the agent: a host starts it by a child without an exit signal,
# which qemu-user refuses.
agent_for_hosts() { ! emulated || agent_up; }

remote_end() {
	local p
	# A process may have ended since it was listed.
	for p in $(daemons agent) $(daemons publish); do kill -9 "$p" 2>/dev/null || :; done
	return 0
}

# across [options of differential] -- CMD
across() {
	on a
	differential --warm none "$@" && drain || return 1
	on b
	again "${REMOTE_EXPECT-remote}" || return 1
}

# fresh NAME: a node without files. A publisher that ends there may still write a file during the
# removal.
fresh() {
	local i
	for ((i = 0; i < 50; i++)); do
		rm -rf "$ROOT/$1" "$ROOT/$1.run" "$ROOT/$1.log" 2>/dev/null && break
		sleep 0.1
	done
	[ $i -lt 50 ] || { fail "node $1 cannot be removed"; return 1; }
	on "$1"
}

# Values as bytes, since redis-cli and shells change some: raw NAME COMMAND [ARG...], '@FILE' is a
# file's content. The reply goes to stdout: a string, or the elements of an array one after the
# other.
raw() {
	local name=$1
	shift
	"$PY" "$TOP/tests/e2e/redis_raw.py" "$REDIS_DIR/$name/socket" "$@"
}

# nodes_whole NODE...: nothing failed on them, and no entry is damaged or was refused.
nodes_whole() {
	local n
	for n; do
		on "$n"
		[ "$(stat_of errors)" = 0 ] || fail "node $n: errors counted" || return 1
		[ "$(stat_of corrupt)" = 0 ] || fail "node $n: damaged entries" || return 1
		[ "$(stat_of refused_entries)" = 0 ] || fail "node $n: entries were refused" ||
			return 1
		reprise verify >v || { cat v >&2; fail "node $n: a bad entry"; return 1; }
	done
}

# Keys of a kind (m, r, l), one a line.
remote_keys() { # NAME KIND [PREFIX]
	redis_cli "$1" --raw keys "${3:-reprise}:1:$2:*" | grep -E '\}$' || true
}
