#!/usr/bin/env bats
# Entries ahead of the job: a job leaves a list of what it used, and the next one of that name or
# command line finds it all brought. Whatever came is used through a look-up alone. Real compilers
# on nodes with a store of their own, and a real Redis between them.

bats_require_minimum_version 1.5.0

setup() { load prefetch_lib; prefetch_setup; }
teardown() { remote_teardown; }

# bats test_tags=check
@test "prefetch: a fresh node asks Redis for nothing that came ahead" {
	works a
	cp s3.o "$ROOT/s3.o"
	brought b
	grep -qx '12 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	# Nobody has looked: the local store has no result yet.
	[ ! -e "$ROOT/b/result" ]
	[ ! -e "$ROOT/b/manifest" ]
	listen
	works b
	[ -z "$(questions)" ] || fail "asked: $(questions)"
	hits b hits_remote 6
	hits b misses 0
	cmp s3.o "$ROOT/s3.o"
	[ "$(figure b ahead_entries)" = 6 ]
	[ "$(figure b ahead_used_entries)" = 6 ]
	[ "$(figure b ahead_bytes)" = "$(figure b ahead_used_bytes)" ]
	node b "$REPRISE_BIN" stats --job J | grep -q '^ahead .* 6 of them were used' ||
		fail "$(node b "$REPRISE_BIN" stats --job J)"
	# The node's own store has the results now.
	redis_kill main
	works b
	hits b hits_local 6
}

# bats test_tags=check
@test "prefetch: a far store is asked for many entries at once, over one connection" {
	connections() {
		redis_cli main info stats | tr -d '\r' | sed -n 's/^total_connections_received://p'
	}
	works a
	redis_proxy far "$REDIS_PORT" pieces 20
	local before
	before=$(connections)
	brought b REPRISE_REDIS_URL="redis://127.0.0.1:$PROXY_PORT"
	grep -qx '12 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	# The list, and then all that it names. The second of the figures asks, too.
	[ "$(cat "$REDIS_DIR/far.port.count")" = 2 ] ||
		fail "$(cat "$REDIS_DIR/far.port.count") round trips"
	[ $(($(connections) - before - 1)) = 1 ] || fail "more than one connection"
}

# bats test_tags=check
@test "prefetch: from a cluster, and of two stores from the one that has it" {
	works a
	redis_start empty
	brought e REPRISE_REMOTE_URL="redis+unix://$REDIS_SOCKET $REDIS_URL"
	grep -qx '12 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	works e
	hits e misses 0
	[ "$(remote_keys empty r | wc -l)" = 6 ] || fail "the first store was not filled"
	redis_cluster 3 0
	REDIS_URL=redis://127.0.0.1:$(redis_port n0)
	rm -rf "$ROOT/a"
	works a
	brought b
	grep -qx '12 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	works b
	hits b misses 0
	hits b errors 0
}

# bats test_tags=check
@test "prefetch: clear removes what came ahead, and it comes again at once" {
	works a
	brought b
	came() { find "$ROOT"/b/inbox/*/{manifest,result} -type f 2>/dev/null; }
	[ -n "$(came)" ]
	node b "$REPRISE_BIN" clear --yes | grep -q '^removed 12 entries' || fail "clear"
	[ -z "$(came)" ] || fail "$(came)"
	brought b || fail "$(cat "$ROOT/said")"
	grep -qx '12 entries came, .* KiB' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	[ -n "$(came)" ]
}

# bats test_tags=check
@test "prefetch: reprise-run has it brought while the job starts" {
	works a
	listen
	# A job that looks when all has come, as after Python's imports.
	put late.sh 'n=0; come() {
			find "$REPRISE_CACHE_DIR/inbox" -path "*/manifest/*" -type f 2>/dev/null; }
		until [ "$(come | wc -l)" = 6 ]; do
		sleep 0.02; n=$((n + 1)); [ $n -lt 500 ] || exit 9; done
		exec sh build.sh'
	works b -- sh late.sh
	hits b hits_remote 6
	# Each candidate and each result was asked for once, ahead.
	[ "$(questions | wc -l)" = 12 ] || fail "asked: $(questions)"
	# Within a minute the agent does not bring it again. Another agent finds that all is there.
	: >"$ROOT/monitor"
	brought b
	grep -q '^12 entries came' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	remote_end
	works b
	brought b
	grep -q '^0 entries came' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	[ -z "$(questions)" ] || fail "asked: $(questions)"
}

# bats test_tags=long
@test "prefetch: a job without a name is found by its command line and directory" {
	unnamed() { # NODE DIRECTORY COMMAND...
		mkdir -p "$2" && cp s?.c build.sh "$2"
		(cd "$2" && shift 2 && node "$@") || fail "status $?"
	}
	run_it() { unnamed "$1" "$2" "$1" "$REPRISE_BIN" run -- sh build.sh "${@:3}"; }
	run_it a one/proj
	[ "$(remote_keys main n | wc -l)" = 1 ]
	# The list in the store was kept for nobody.
	[ -z "$(ls "$ROOT/a/jobs" 2>/dev/null)" ] || fail "left: $(ls "$ROOT/a/jobs")"
	# A second checkout is the same job; other words, or another directory, are other jobs.
	run_it a two/proj
	[ "$(remote_keys main n | wc -l)" = 1 ]
	run_it a one/proj word
	run_it a one/other
	[ "$(remote_keys main n | wc -l)" = 3 ]
	# A part of a job leaves no list of its own.
	redis_cli main flushall >/dev/null
	node c "$REPRISE_BIN" run -- "$REPRISE_BIN" run -- sh build.sh
	[ "$(remote_keys main n | wc -l)" = 1 ]
	unnamed d one/proj d env REPRISE_PREFETCH=0 "$REPRISE_BIN" run -- sh build.sh
	[ "$(remote_keys main n | wc -l)" = 1 ]
}

# bats test_tags=check
@test "prefetch: what changed is compiled, and the last job's list wins" {
	works a
	put s2.c 'int f2(int x) { return x + 20; }'
	age
	brought b
	works b
	hits b hits_remote 5
	hits b misses 1
	gcc -O1 -c s2.c -o "$ROOT/s2.o"
	cmp s2.o "$ROOT/s2.o"
	[ "$(figure b ahead_entries)" = 6 ]
	[ "$(figure b ahead_used_entries)" = 5 ]
	# The next node gets the new one, and not the old one.
	brought c
	grep -qx '12 entries came, .*' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	listen
	works c
	[ -z "$(questions)" ] || fail "asked: $(questions)"
	hits c hits_remote 6
	# A job that used nothing leaves the list as it is.
	brought d
	grep -q '^12 entries' "$ROOT/said"
}

# bats test_tags=check
@test "prefetch: ranks that have names of their own leave lists of their own" {
	rank() { # NODE RANK SOURCE
		node "$1" RANK="$2" WORLD_SIZE=2 LOCAL_RANK="$2" LOCAL_WORLD_SIZE=2 \
			"$REPRISE_BIN" run -- sh -c 'gcc -O1 -c s$1.c -o s$1.o' sh "$3"
	}
	rank a 0 1
	rank a 1 1
	[ "$(remote_keys main n | wc -l)" = 2 ]
	# Ranks that share a name share the list of the first.
	redis_cli main flushall >/dev/null
	rm -rf "$ROOT/a"
	export REPRISE_JOB=J
	rank a 1 2 &
	rank a 0 1
	wait $!
	[ "$(remote_keys main n | wc -l)" = 1 ]
	node b "$REPRISE_BIN" prefetch --rank 0 J >"$ROOT/said"
	grep -q 'entries came' "$ROOT/said"
	run node b "$REPRISE_BIN" prefetch --rank 1 J
	[ "$status" = 1 ]
	# Both ask for the same list, which comes once. A look-up may ask for what is on its way.
	listen
	rank c 0 1 &
	rank c 1 1
	wait $!
	questions >/dev/null
	[ "$(grep -c '"GET" "reprise:1:n:' "$ROOT/monitor")" = 1 ] ||
		fail "the list came twice: $(grep '"GET"' "$ROOT/monitor")"
}

# bats test_tags=check
@test "prefetch: compiles inside a process" {
	need_nvrtc
	kernel k | job j -arch=sm_90
	works a -- "$RUN" "$NVRTC" o j
	mv o first
	brought b
	grep -q '^2 entries' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	[ ! -e "$ROOT/b/result" ]
	listen
	works b -- "$RUN" "$NVRTC" o j
	[ -z "$(questions)" ] || fail "asked: $(questions)"
	hits b nvrtc_hits 1
	hits b hits_remote 1
	cmp o/j/CUBIN first/j/CUBIN
	[ "$(figure b ahead_used_entries)" = 1 ]
	# A hit is in the list as well.
	rm -r o
	brought c
	works c -- "$RUN" "$NVRTC" o j
	hits c nvrtc_hits 1
}

# bats test_tags=check
@test "prefetch: units of a framework's cache" {
	job_python_find
	need_triton
	triton_kernels_py
	kernels() {
		TRITON_CACHE_DIR=$ROOT/fw/$1 works "$@" -- "$JOB_PYTHON" kernels.py 128,256
	}
	results() { find "$ROOT/$1/inbox" -path '*/result/*' -type f | wc -l; }
	kernels a
	# A kernel is three entries: its unit, and list and result of ptxas, which also told its
	# version.
	[ "$(remote_keys main u | wc -l) $(remote_keys main m | wc -l)" = '2 3' ] ||
		fail "$(remote_keys main '[um]')"
	[ "$(remote_keys main r | wc -l)" = 4 ] || fail "$(remote_keys main r)"
	brought b
	[ "$(find "$ROOT/b/unit" -type f | wc -l)" = 2 ] || fail "$(cat "$ROOT/said")"
	local first
	first=$(results b)
	listen
	kernels b
	[ -z "$(questions)" ] || fail "asked: $(questions)"
	hits b brought_triton 2
	# What ptxas did in the first job came, too, and is not used. The next job does without it.
	[ "$(figure b ahead_used_entries)" = $(($(figure b ahead_entries) - 2)) ]
	brought c
	[ "$(find "$ROOT/c/unit" -type f | wc -l)" = 2 ]
	[ "$(results c)" = $((first - 2)) ]
	# A class that settings leave out is not brought.
	brought d REPRISE_REMOTE_CLASSES=all,-triton
	[ ! -e "$ROOT/d/unit" ]
}

# bats test_tags=check
@test "prefetch: a set comes whole, and is not asked for again for a minute" {
	UNITS=$(helper remote_units) LIST=$(helper remote_list)
	at=fxgraph/ab/fabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs
	mkdir -p "$ROOT/x/$at"
	for text in one two; do
		"$PY" - "$ROOT/x/$at" $text <<-'END'
		import base64, hashlib, sys
		content = b'\x80\x04\x8c\x03' + sys.argv[2].encode() + b'.'
		name = base64.b32encode(hashlib.sha256(content).digest())[:51].decode().lower()
		open(sys.argv[1] + '/' + name, 'wb').write(content)
		END
	done
	export SCOPE='world=8 rank=3'
	node a "$UNITS" scan "$ROOT/x"
	node a "$REPRISE_BIN" publish --wait 20
	key_of() { remote_keys main "$1" | sed 's/.*{\(.*\)}.*/\1/'; }
	args=()
	for parcel in $(key_of u); do args+=(5 "$(key_of s)" "$parcel"); done
	[ ${#args[@]} = 6 ]
	node x "$LIST" J "${args[@]}"
	listen
	brought b
	[ "$(find "$ROOT/b/unit" -type f | wc -l)" = 2 ]
	[ "$(questions | grep -c ':1:s:')" = 1 ] || fail "asked: $(questions)"
	: >"$ROOT/monitor"
	node b "$UNITS" lay "$ROOT/y/$at"
	diff -r "$ROOT/x/$at" "$ROOT/y/$at"
	[ -z "$(questions)" ] || fail "asked: $(questions)"
}

# bats test_tags=long
@test "prefetch: a long list takes one connection, and few round trips" {
	works a
	LIST=$(helper remote_list)
	args=()
	for i in $(seq 100 199); do
		args+=(1 "$(printf '%02x%030d%032d' $i 0 1)" "$(printf '%02x%030d%032d' $i 0 1)")
	done
	while read -r class key result; do
		[ -z "$class" ] || args+=("$class" "$key" "$result")
	done < <(cat "$ROOT"/a/jobs/J/*; echo)
	[ ${#args[@]} = 318 ]
	node x "$LIST" J "${args[@]}"
	redis_proxy counted "$(redis_port main)" pieces 0
	REDIS_URL=redis://127.0.0.1:$PROXY_PORT
	brought b
	grep -q '^12 entries came' "$ROOT/said" || fail "$(cat "$ROOT/said")"
	# The list, and 16 rows at a time. An entry that is missing is not asked for again.
	[ "$(cat "$REDIS_DIR/counted.port.count")" -le 9 ] ||
		fail "$(cat "$REDIS_DIR/counted.port.count") round trips"
	REDIS_URL=redis+unix://$REDIS_DIR/main/socket
	works b
	hits b misses 0
}

# The form of an entry in the inbox or store of a node, in MB.
stored_mb() { du -sm "$ROOT/$1" | cut -f 1; }

@test "prefetch: a result that is larger than the memory of the agent" {
	head -c 100M /dev/urandom >data
	put big.s '.globl b' '.data' 'b: .incbin "data"'
	as big.s -o want.o
	age
	works a -- as big.s -o big.o
	(ulimit -v 60000 && brought b) || fail "$(cat "$ROOT/said")"
	listen
	works b -- as big.s -o big.o
	cmp big.o want.o
	hits b hits_remote 1
	hits b refused_entries 0
	[ -z "$(questions)" ] || fail "it was asked for: $(questions)"
	node b "$REPRISE_BIN" verify
}

@test "prefetch: a large output comes unpacked, as the node itself would have stored it" {
	seq 1 6000000 >data # 46 MB that pack well
	put big.s '.globl b' '.data' 'b: .incbin "data"'
	as big.s -o want.o
	age
	works a -- as big.s -o big.o
	works b REPRISE_PREFETCH=0 -- as big.s -o big.o
	[ "$(stored_mb b)" -le 15 ] || fail "without prefetch: $(stored_mb b) MB"
	works e REPRISE_COMPRESS=1 -- as big.s -o big.o
	brought c || fail "$(cat "$ROOT/said")"
	[ "$(stored_mb c)" -ge 40 ] || fail "what came ahead is packed: $(stored_mb c) MB"
	brought d REPRISE_COMPRESS=1 || fail "$(cat "$ROOT/said")"
	[ "$(stored_mb d)" -le 15 ] || fail "REPRISE_COMPRESS=1: $(stored_mb d) MB"
	for n in c d; do
		rm -f big.o
		works $n -- as big.s -o big.o
		cmp big.o want.o
		hits $n hits_remote 1
		works $n -- as big.s -o big.o
		cmp big.o want.o
		hits $n hits_local 1
		node $n "$REPRISE_BIN" verify
	done
	# Moved, not copied, from the inbox.
	[ "$(stored_mb c)" -le 60 ] || fail "the entry is there twice: $(stored_mb c) MB"
	# An agent with little memory brings what fits, and the job is right.
	(ulimit -v 60000 && brought h) || true
	works h -- as big.s -o big.o
	cmp big.o want.o
	hits h refused_entries 0
	# Packed, it fits into a store of this size, and into what a job may bring ahead.
	for n in 'f REPRISE_MAX_SIZE=40M' 'g REPRISE_PREFETCH=40M'; do
		brought $n || fail "$(cat "$ROOT/said")"
		set -- $n
		[ "$(stored_mb "$1")" -ge 1 ] && [ "$(stored_mb "$1")" -le 15 ] ||
			fail "$n: $(stored_mb "$1") MB"
		rm -f big.o
		works $n -- as big.s -o big.o
		cmp big.o want.o
		hits "$1" hits_remote 1
	done
}
