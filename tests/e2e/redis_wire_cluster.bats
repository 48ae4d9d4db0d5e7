#!/usr/bin/env bats
# remote/cluster: slots, redirects and lost nodes, through build/helpers/redis_wire. In a real
# cluster, and with servers that give wrong answers about a cluster.

setup() { load lib; load redis; load wire_lib; wire_setup; }
teardown() { wire_teardown; }

# A key of the slots that a node has.
key_on() { # NODE
	local i id slot
	id=$(redis_cli "$1" cluster myid)
	for ((i = 0; i < 1000; i++)); do
		slot=$(redis_cli "$1" cluster keyslot "{k$i}")
		redis_cli "$1" cluster nodes | grep "^$id " | grep -o ' [0-9]*-[0-9]*' |
			while IFS=- read -r a b; do
			((slot >= a && slot <= b)) && echo yes
		done | grep -q yes && { echo "k$i"; return; }
	done
}

# bats test_tags=check
@test "redis_wire_cluster: a cluster: slots, MOVED, ASK, a node lost" {
	redis_cluster 3 1
	local url key home other slot
	url=redis://127.0.0.1:$(redis_port n0)
	mkdir rt && chmod 700 rt
	key=$(key_on n1)
	# A client of one server learns of the cluster from the first MOVED, and stores the map for
	# the node's other processes.
	wire "$url" -r "$PWD/rt" -c "$key" lpush "l:{$key}" a b c , ltrim "l:{$key}" 0 1 , expire \
		"l:{$key}" 100 , set "s:{$key}" v
	says 0 $':3\n+OK\n:1\n+OK'
	[ "$(redis_cli n1 lrange "l:{$key}" 0 -1 | tr '\n' ' ')" = 'c b ' ]
	ls rt/cluster-* >/dev/null
	redis_cli n0 config resetstat >/dev/null
	redis_cli n1 config resetstat >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" get "s:{$key}"
	says 0 '$v'
	[ "$(redis_cli n0 info commandstats | grep -c cmdstat_get)" = 0 ] ||
		fail "the map was not used"
	# The node of each slot is found, in one process and in many.
	local i
	for ((i = 0; i < 12; i++)); do
		wire "$url" -r "$PWD/rt" -c "t$i" set "x:{t$i}" "$i" , get "x:{t$i}"
		says 0 "\$$i" || return 1
	done
	wire "$url" -c "$key" -n 3 get "s:{$key}"
	says 0 '$v'

	# A slot that is being moved: ASK for keys that have left, and the old node for others.
	slot=$(redis_cli n1 cluster keyslot "$key")
	home=$(redis_cli n1 cluster myid) other=$(redis_cli n2 cluster myid)
	redis_cli n2 cluster setslot "$slot" importing "$home" >/dev/null
	redis_cli n1 cluster setslot "$slot" migrating "$other" >/dev/null
	redis_cli n1 migrate 127.0.0.1 "$(redis_port n2)" "s:{$key}" 0 1000 >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" lrange "l:{$key}" 0 -1 , get "s:{$key}" , get \
		"new:{$key}"
	says 0 $'*2\n  $c\n  $b\n$v\nnil'
	[ "$(redis_cli n2 info commandstats | grep -c cmdstat_asking)" = 1 ]
	# The slot has moved: MOVED from the node that the map names.
	redis_cli n1 migrate 127.0.0.1 "$(redis_port n2)" "l:{$key}" 0 1000 >/dev/null
	for i in n2 n1 n0; do redis_cli $i cluster setslot "$slot" node "$other" >/dev/null; done
	wire "$url" -r "$PWD/rt" -c "$key" lrange "l:{$key}" 0 -1 , get "s:{$key}"
	says 0 $'*2\n  $c\n  $b\n$v'
	redis_cli n1 config resetstat >/dev/null
	wire "$url" -r "$PWD/rt" -c "$key" get "s:{$key}"
	says 0 '$v'
	[ "$(redis_cli n1 info commandstats | grep -c cmdstat_get)" = 0 ] ||
		fail "the new home was not remembered"

	# A master is killed. At first it refuses, then its replica answers. n0, the configured
	# node, is next. The replica has all writes: WAIT counts the replicas that acknowledged this
	# connection's last write.
	[ "$(printf '%s\n' "set m:{$key} 1" 'wait 1 5000' | redis_cli n2)" = $'OK\n1' ] ||
		fail "the replica is behind"
	redis_kill n2
	wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
	[ "$status" = 1 ] || [[ $output == *CLUSTERDOWN* ]] || fail "$output"
	for ((i = 0; i < 100; i++)); do
		wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
		[[ $output != *'$v'* ]] || break
		sleep 0.1
	done
	says 0 '$v' || return 1
	redis_kill n0
	sleep 0.1
	for ((i = 0; i < 100; i++)); do
		wire "$url" -r "$PWD/rt" -t 500 -c "$key" get "s:{$key}"
		[[ $output != *'$v'* ]] || break
		sleep 0.1
	done
	says 0 '$v' || fail "the other nodes of the map were not asked: $output"
}

@test "redis_wire_cluster: redirects that lead nowhere end" {
	# The redirect leads to a port without a server, and then back to the node that sent it.
	redis_proxy liar 0 always '-MOVED 1 :1\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a
	says 1 'refused'
	redis_proxy liar 0 always '-MOVED 1 127.0.0.1:{port}\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a , get b
	says 1 'server not ready' 'redirects without end'
	redis_proxy liar 0 always '-ASK 1 127.0.0.1:{port}\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a , get b
	says 1 'server not ready' 'redirects without end'
	redis_proxy liar 0 always '-MOVED x y\r\n'
	wire "redis://127.0.0.1:$PROXY_PORT" -t 1000 -c a get a
	says 1 'server not ready' 'redirects without end'
}
