#!/usr/bin/env bats
# Reports of real jobs: their figures are those that strace counts, and a browser draws them.

bats_require_minimum_version 1.5.0

load units_suite

setup() {
	load units_lib
	units_setup
	load shows_lib
	shows_setup
}

# A CMake project of 300 files; each tenth one includes some.h.
project() {
	need cmake ninja
	mkdir -p p
	"$PY" - <<'P'
for i in range(300):
    with open(f"p/f{i}.c", "w") as out:
        if i % 10 == 0:
            out.write('#include "some.h"\n')
        else:
            out.write("#define SOME 1\n")
        out.write(f"int f{i}(int x) {{ return x * {i} + SOME; }}\n")
with open("p/CMakeLists.txt", "w") as out:
    out.write("cmake_minimum_required(VERSION 3.20)\nproject(many LANGUAGES C)\n"
              "file(GLOB sources *.c)\nadd_library(many STATIC ${sources})\n")
P
	echo '#define SOME 2' >p/some.h
	cmake -G Ninja -S p -B b >"$ROOT/configure.out"
	age
}

# bats test_tags=long
@test "job_shows: a CMake project of 300 files, and an edited header" {
	project
	show cold cmake --build b
	[ "$(ran cold cc1)" = 300 ] || fail "cc1 ran $(ran cold cc1) times"
	figures cold 'd["compiles"] - d["hits"] >= 300 and d["hits"] == 0'
	rm -rf b
	cmake -G Ninja -S p -B b >"$ROOT/configure.out"
	show warm cmake --build b
	[ "$(ran warm cc1)" = 0 ]
	figures warm 'd["hits"] == d["compiles"] >= 300 and d["saved_seconds"] > 0'
	sleep 1
	echo '#define SOME 3' >p/some.h
	age
	rm -rf b
	cmake -G Ninja -S p -B b >"$ROOT/configure.out"
	show edited cmake --build b
	[ "$(ran edited cc1)" = 30 ] || fail "cc1 ran $(ran edited cc1) times"
	figures edited 'd["compiles"] - d["hits"] in (30, 31) and d["events_dropped"] == 0'
	drawn edited
	shown edited 'some.h changed'
	shown edited "$("$PY" -c 'import json, sys; d = json.load(open(sys.argv[1]))
print("<b>%d of %d</b>compiles replayed" % (d["hits"], d["compiles"]))' "$ROOT/edited.json")"
	[[ $(tail -n 1 "$ROOT/edited.err") == *'explain --job edited'* ]] ||
		fail "$(cat "$ROOT/edited.err")"
}

# bats test_tags=long
@test "job_shows: torch.compile on the CPU, cold, warm, and edited" {
	need_torch
	train_py
	export TORCHINDUCTOR_CACHE_DIR=$ROOT/fw/inductor TRITON_CACHE_DIR=$ROOT/fw/triton
	show cold "$JOB_PYTHON" train.py
	[ "$(ran cold cc1plus)" -gt 0 ]
	figures cold 'd["compiles"] > d["hits"] and d["units_found"] == 0'
	drain
	rm -rf "$ROOT/fw"
	show warm "$JOB_PYTHON" train.py
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(ran warm cc1plus)" = 0 ] || fail "cc1plus ran $(ran warm cc1plus) times"
	figures warm 'd["hits"] == d["compiles"] and d["units_found"] > 0 and
		d["saved_seconds"] > 0'
	sed -i 's/torch.nn.GELU()/torch.nn.Tanh()/' train.py
	rm -rf "$ROOT/fw"
	show edited "$JOB_PYTHON" train.py
	[ "$(ran edited cc1plus)" -gt 0 ]
	figures edited 'd["compiles"] > d["hits"]'
	drawn warm
	shown warm 'By class of unit'
	drawn edited
	shown edited 'What was not replayed, and why'
}

# bats test_tags=long
@test "job_shows: torch.compile on a second node, from one Redis" {
	need_torch
	redis_need
	redis_start main
	export REPRISE_REDIS_URL=redis://127.0.0.1:$REDIS_PORT
	train_py
	export TORCHINDUCTOR_CACHE_DIR=$ROOT/fw/inductor TRITON_CACHE_DIR=$ROOT/fw/triton RANK=0 \
		WORLD_SIZE=1
	show first "$JOB_PYTHON" train.py
	figures first 'd["sent_entries"] > 4 and d["received_entries"] == 0'
	rm -rf "$ROOT/fw"
	STORE=$ROOT/b RUNTIME=$ROOT/run.b
	show second "$JOB_PYTHON" train.py
	REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME figures second '
		d["hits"] == d["compiles"] and d["units_found"] > 0 and d["received_entries"] > 4'
	# Units are fetched by a process that serves the rank.
	REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME reprise report second --trace trace
	"$PY" -c 'import json; d = json.load(open("trace"))["traceEvents"]
name = {e["pid"]: e["args"]["name"] for e in d if e["ph"] == "M"}
got = [e for e in d if e.get("cat") == "transfer" and e["args"]["command"].startswith("unit ")
       and e["args"]["verdict"] == "hit"]
assert got and all(name[e["pid"]].endswith(" rank 0") for e in got), d'
	[[ $(cat "$ROOT/second.err") == *' from redis'* ]] || fail "$(cat "$ROOT/second.err")"
}

# bats test_tags=long
@test "job_shows: two gloo ranks under torchrun" {
	load ranks_lib
	ranks_setup
	mkdir -p "$TMPDIR"
	export TORCHINDUCTOR_CACHE_DIR=$ROOT/fw/inductor TRITON_CACHE_DIR=$ROOT/fw/triton
	local name
	for name in cold warm; do
		rm -rf "$ROOT/fw"
		OUT=$ROOT/$name show $name "$JOB_PYTHON" -m torch.distributed.run \
			--nproc-per-node 2 --master-addr 127.0.0.1 \
			--master-port "$(redis_free_port)" job.py differ,own
		drain
	done
	reprise stats --job warm --by rank --json >ranks
	"$PY" -c 'import json; d = json.load(open("ranks"))
for rank in "01":
    r = d["rank"][rank]
    assert r["hits"] == r["compiles"] and r["units_found"] > 0, d'
	[ "$(ran warm cc1plus)" = 0 ] || fail "cc1plus ran $(ran warm cc1plus) times"
	[ "$(ran cold cc1plus)" -gt 0 ]
	drawn warm
	shown warm ' rank 0 <small>'
	shown warm ' rank 1 <small>'
}

# bats test_tags=long
@test "job_shows: two nodes with networks of their own, and one Redis" {
	redis_need
	need ip unshare
	unshare -Urn true 2>/dev/null || skip "no network namespaces here"
	for i in 1 2 3; do put "s$i.c" "int f$i(void) { return $i; }"; done
	age
	# The server's network; each node is joined to it by a link of its own.
	cat >server.sh <<-'END'
	ip link set lo up
	redis-server --port 6379 --bind 0.0.0.0 --protected-mode no --save '' >redis.log &
	redis=$!
	trap 'kill $redis' EXIT
	for n in 1 2; do
		mkfifo go.$n
		unshare -nu sh node.sh $n >node.$n.out 2>node.$n.err &
		node=$!
		until [ -e up.$n ]; do sleep 0.05; done
		ip link add v$n type veth peer name eth0 netns $node
		ip addr add 10.9.$n.1/24 dev v$n
		ip link set v$n up
		echo >go.$n
		wait $node || exit 1
	done
	END
	cat >node.sh <<-'END'
	hostname node-$1
	: >up.$1
	read -r _ <go.$1
	ip link set eth0 up
	ip addr add 10.9.$1.2/24 dev eth0
	export REPRISE_CACHE_DIR=$ROOT/node$1 REPRISE_RUNTIME_DIR=$ROOT/run$1 REPRISE_JOB=far
	export REPRISE_REDIS_URL=redis://10.9.$1.1 REPRISE_EVENTS=remote
	for i in 1 2 3; do
		[ $1 = 2 ] || [ $i != 3 ] || continue
		strace -f -qq -e trace=execve -e status=successful -o trace.$1.$i \
			"$RUN" gcc -c s$i.c -o s$i.o || exit 1
	done
	"$REPRISE_BIN" report far -o far.html --json >far.json
	END
	# The link of node 1 is gone when node 2 reports: its part is in the server.
	ROOT=$ROOT RUN=$RUN REPRISE_BIN=$REPRISE_BIN unshare -Urnm sh server.sh ||
		fail "$(cat node.*.err redis.log)"
	# Node 1 compiled two files; node 2 compiled the third.
	[ "$(cat trace.1.* | grep -cE 'execve\("([^"]*/)?cc1"')" = 2 ]
	[ "$(cat trace.2.* | grep -cE 'execve\("([^"]*/)?cc1"')" = 1 ]
	"$PY" -c 'import json; d = json.load(open("far.json"))
assert d["compiles"] == 5 and d["hits"] == 2 and d["hits_remote"] == 2, d
assert [n["host"] for n in d["remote_nodes"]] == ["node-1"], d'
	cp far.html "$ROOT/far.html"
	browse --dump-dom "file://$ROOT/far.html" >"$ROOT/far.dom"
	shown far '<figcaption>node-1 '
	shown far '<figcaption>node-2 '
	shown far '<b>2 of 5</b>compiles replayed'
	shown far 'Remote store and waits'
}
