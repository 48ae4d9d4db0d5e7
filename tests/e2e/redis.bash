# Redis servers of a case: real ones, on free ports, ended by redis_teardown. After lib.bash.
#
#     setup() { load lib; load redis; case_setup; redis_need; }
#     teardown() { redis_teardown; case_teardown; }
#     redis_start main --requirepass secret        # REDIS_PORT; more settings of redis-server
#     redis_cli main get key                       # behind our back

redis_need() {
	need redis-server redis-cli
	REDIS_DIR=$ROOT/redis
	mkdir -p "$REDIS_DIR"
	REDIS_PIDS=()
}

# A port that no socket has, nor its +10000 for a cluster's bus.
redis_free_port() {
	local port hex bus used
	used=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)
	while :; do
		port=$((20000 + RANDOM % 10000))
		printf -v hex %04X $port
		printf -v bus %04X $((port + 10000))
		[[ $used == *":$hex "* || $used == *":$bus "* ]] || break
	done
	echo $port
}

redis_wait() { # CLIENT ARGS...: until the server answers
	local i
	for ((i = 0; i < 200; i++)); do
		case $(redis-cli "$@" ping 2>&1) in
		PONG | *NOAUTH* | *NOPERM* | *DENIED*) return 0 ;;
		esac
		sleep 0.02
	done
	fail "redis-server does not answer"
}

redis_start() { # NAME [--setting value...]: sets REDIS_PORT and REDIS_SOCKET
	local name=$1 dir=$REDIS_DIR/$1 try six=-::1
	shift
	mkdir -p "$dir"
	# A "-" before an address, for "if there is one", is known since Redis 6.2.
	[[ $(redis-server --version) != *v=[1-5].* && $(redis-server --version) != *v=6.[01].* ]] ||
		six=
	for try in 1 2 3; do
		REDIS_PORT=$(redis_free_port)
		REDIS_SOCKET=$dir/socket
		redis-server --port "$REDIS_PORT" --bind 127.0.0.1 $six --unixsocket \
			"$REDIS_SOCKET" --save '' \
			--appendonly no --dir "$dir" --logfile "$dir/log" --databases 16 \
			"$@" >/dev/null 2>&1 3>&- &
		REDIS_PIDS+=($!)
		echo $! >"$dir/pid"
		echo "$REDIS_PORT" >"$dir/port"
		if redis_wait -s "$REDIS_SOCKET"; then return 0; fi
	done
	fail "redis-server does not start: $(tail -n 3 "$dir/log")"
}

redis_port() { cat "$REDIS_DIR/$1/port"; }
redis_pid() { cat "$REDIS_DIR/$1/pid"; }

redis_cli() { # NAME ARGS...
	local name=$1
	shift
	redis-cli -s "$REDIS_DIR/$name/socket" "$@"
}

redis_kill() { # NAME [SIGNAL]
	kill "-${2:-KILL}" "$(redis_pid "$1")"
	while [ "${2:-KILL}" = KILL ] && kill -0 "$(redis_pid "$1")" 2>/dev/null &&
		[ "$(ps -o stat= -p "$(redis_pid "$1")" | cut -c 1)" != Z ]; do sleep 0.02; done
}

# redis_proxy NAME UPSTREAM_PORT MODE [ARG]: sets PROXY_PORT
redis_proxy() {
	local name=$1
	shift
	rm -f "$REDIS_DIR/$name.port"
	"$PY" "$E2E_DIR/redis_proxy.py" "$REDIS_DIR/$name.port" \
		"$@" </dev/null >/dev/null 2>&1 3>&- &
	REDIS_PIDS+=($!)
	local i
	for ((i = 0; i < 250; i++)); do
		[ ! -e "$REDIS_DIR/$name.port" ] || break
		sleep 0.02
	done
	PROXY_PORT=$(cat "$REDIS_DIR/$name.port")
}

# redis_cluster MASTERS REPLICAS: nodes n0 n1 ...; needs 3 masters at least
redis_cluster() {
	local i n=$(($1 * (1 + $2))) addresses=()
	for ((i = 0; i < n; i++)); do
		redis_start "n$i" --cluster-enabled yes --cluster-config-file nodes.conf \
			--cluster-node-timeout 1000 \
			--repl-diskless-sync-delay 0 --cluster-replica-validity-factor 0 || return 1
		addresses+=("127.0.0.1:$REDIS_PORT")
	done
	redis-cli --cluster create "${addresses[@]}" --cluster-replicas \
		"$2" --cluster-yes >"$REDIS_DIR/create" 2>&1 ||
		{ fail "cluster create: $(tail -n 5 "$REDIS_DIR/create")"; return 1; }
	redis_cluster_await "$n" "$n" cluster_state:ok cluster info || return 1
	# Replicas that have their masters' data. Otherwise a failover would lose it.
	redis_cluster_await "$n" $(($1 * $2)) master_link_status:up info replication
}

# redis_cluster_await NODES COUNT TEXT COMMAND...: waits until COUNT of the nodes answer with TEXT.
redis_cluster_await() {
	local nodes=$1 count=$2 text=$3 i try said
	shift 3
	for ((try = 0; try < 400; try++)); do
		said=0
		for ((i = 0; i < nodes; i++)); do
			redis_cli "n$i" "$@" | grep -q "$text" && said=$((said + 1))
		done
		[ "$said" != "$count" ] || return 0
		sleep 0.05
	done
	fail "$said of $nodes nodes of the cluster, not $count, say $text"
}

redis_teardown() {
	local pid
	for pid in "${REDIS_PIDS[@]}"; do
		kill -CONT "$pid" 2>/dev/null
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	REDIS_PIDS=()
	return 0
}
