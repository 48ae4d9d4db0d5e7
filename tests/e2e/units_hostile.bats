#!/usr/bin/env bats
# Parcels that are damaged or forged; directories that are full, wiped or another user's; an agent
# that is killed or stopped. The real Triton compiles with the same results. The job stores nothing
# of such a parcel.

load units_suite

setup() {
	load units_lib
	units_setup
	need_triton
	triton_kernels_py
	UNITS=$(helper remote_units)
}
teardown() {
	local p
	for p in ${STOPPED-}; do kill -9 "$p" 2>/dev/null; done
	remote_teardown
}

K=128
# One kernel's unit in the store; UNIT is its directory's path.
one_kernel() {
	unit_job cold under kernels.py $K
	UNIT=$(find "$ROOT/fw/triton" -mindepth 1 -maxdepth 1 -type d)
	drain
	[ "$(stat_of packed_triton)" = 1 ] || { fail "packed $(stat_of packed_triton)"; return 1; }
}

# in_store CMD...: a command of the suites' helper, on this node's store.
in_store() {
	env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" "$UNITS" \
		"$@"
}

# refused WHAT: a job in empty directories gets nothing from the store, and its results are right.
refused() {
	local before
	before=$(stat_of brought_triton)
	units_wipe
	unit_job refused under kernels.py $K || { fail "$1"; return 1; }
	cmp "$ROOT/cold.out" "$ROOT/refused.out" || { fail "$1: other results"; return 1; }
	[ "$(stat_of brought_triton)" = "$before" ] || { fail "$1: it was laid"; return 1; }
	[ -f "$UNIT/__grp__k.json" ] && [ -z "$(find "$ROOT/fw" -name '.reprise*')" ] ||
		{ fail "$1: $(ls -a "$ROOT/fw/triton"/*)"; return 1; }
	[ -z "$(find "$ROOT" -path "$STORE" -prune -o -name 'zz' -print)" ] ||
		{ fail "$1: a file outside"; return 1; }
}

# Triton has to compile all the same, so ptxas's output comes from the store: quick.
# bats test_tags=long
@test "hostile: parcels that were damaged, cut, swapped or of another version in the local store" {
	one_kernel
	local f n at other
	f=$(find "$STORE/unit" -type f)
	cp "$f" good
	for at in 0 4 16 48 -1; do
		"$PY" -c 'import sys; b = bytearray(open("good", "rb").read())
b[int(sys.argv[1])] ^= 64; open(sys.argv[2], "wb").write(b)' "$at" "$f"
		refused "byte $at"
		drain # replaces the damaged entry
		cmp "$f" good || fail "byte $at: not mended"
	done
	for n in 0 47 100 $(($(stat -c %s good) - 1)); do
		head -c "$n" good >"$f"
		refused "$n bytes"
		drain
	done
	# An entry of a later version is not removed.
	"$PY" -c 'b = bytearray(open("good", "rb").read()); b[3] = 9; open("later", "wb").write(b)'
	cp later "$f"
	refused "a later version"
	cp good "$f"
	# Another kernel's parcel under this name.
	unit_job other under kernels.py 256
	drain
	other=$(find "$STORE/unit" -type f ! -path "$f")
	cp "$other" "$f"
	refused "another kernel's"
	rm -f "$f"
	mkdir "$f"
	refused "a directory"
	rmdir "$f"
	ln -s /dev/zero "$f"
	refused "a link"
	units_clean
}

# bats test_tags=long
@test "hostile: sealed parcels that leave the directory, repeat a file, or have another class" {
	one_kernel
	local forged f
	f=$(find "$STORE/unit" -type f)
	cp "$f" good
	for forged in 'k.ptx ../zz' 'k.ptx /a/zz' 'k.ptx ././.' 'k.source .reprise' \
		'k.llir k.ttir' 'class 2' 'class 7' 'class 99'; do
		cp good "$f"
		# shellcheck disable=SC2086 # two words
		in_store forge "$UNIT/__grp__k.json" $forged || fail "forge $forged"
		! cmp -s "$f" good || fail "$forged: nothing was changed"
		refused "$forged"
		# The entry was removed. What Triton made is offered in its place.
		drain
		cmp "$f" good || fail "$forged: not mended"
	done
	units_wipe
	unit_job warm under kernels.py $K
	[ "$(stat_of brought_triton)" = 1 ]
	units_clean
}

# far_refused WHAT [VARIABLE=VALUE...]: a fresh node, which reads Redis alone.
far_refused() {
	local what=$1
	shift
	fresh b
	JOB_ENV=(REPRISE_REMOTE_READONLY=1 "$@")
	refused "$what" && units_clean
}

# bats test_tags=long
@test "hostile: the same in Redis" {
	units_two_nodes
	one_kernel
	local key at n forged
	key=$(remote_keys main u)
	[ -n "$key" ] || fail "$(redis_cli main keys '*')"
	raw main get "$key" >good
	for at in 0 7 12 40 200 -1; do
		"$PY" -c 'import sys; b = bytearray(open("good", "rb").read())
b[int(sys.argv[1])] ^= 64; open("bad", "wb").write(b)' "$at"
		raw main set "$key" @bad >/dev/null
		far_refused "byte $at"
	done
	for n in 0 199 1000; do
		head -c "$n" good >bad
		raw main set "$key" @bad >/dev/null
		far_refused "$n bytes"
	done
	redis_cli main del "$key" >/dev/null
	redis_cli main lpush "$key" x >/dev/null
	far_refused "a list"
	for forged in 'k.ptx ../zz' 'k.source .reprise' 'class 2'; do
		redis_cli main flushall >/dev/null
		fresh c
		raw main set "$key" @good >/dev/null
		units_wipe
		JOB_ENV=()
		unit_job warm under kernels.py $K
		[ "$(stat_of brought_triton)" = 1 ] || fail "the good one is not used"
		redis_cli main flushall >/dev/null
		# shellcheck disable=SC2086 # two words
		in_store forge "$UNIT/__grp__k.json" $forged
		in_store send "$UNIT/__grp__k.json" || fail "$forged was not sent"
		[ "$(remote_keys main u)" = "$key" ] || fail "$forged was not sent"
		far_refused "$forged"
	done
}

# bats test_tags=long
@test "hostile: with REPRISE_TRUST, parcels signed with another key, and unsigned ones" {
	local mine other
	mine=$("$REPRISE_BIN" keygen "$ROOT/mine")
	other=$("$REPRISE_BIN" keygen "$ROOT/other")
	units_two_nodes
	# All nodes here trust a key, so their digests are of the kind that is signed.
	export REPRISE_TRUST=$mine
	signed_by mine "$mine"
	local key
	key=$(remote_keys main u)
	raw main get "$key" >good
	fresh c
	units_wipe
	JOB_ENV=()
	unit_job warm under kernels.py $K
	[ "$(stat_of brought_triton)" = 1 ] || fail "what is signed by mine is not used"
	# First without a signature, then with a value that the signature does not cover.
	"$PY" -c 'b = bytearray(open("good", "rb").read()); b[12] &= ~2; b[104:200] = bytes(96)
open("bad", "wb").write(b)'
	raw main set "$key" @bad >/dev/null
	trusts_not unsigned
	"$PY" -c 'b = bytearray(open("good", "rb").read()); b[40] ^= 1; open("bad", "wb").write(b)'
	raw main set "$key" @bad >/dev/null
	trusts_not "another key"
	signed_by other "$other"
	[ "$(remote_keys main u)" = "$key" ]
	trusts_not "another's"
}

# signed_by NAME PUBLIC: Redis holds the kernel with that signature.
signed_by() {
	# An idle publisher would sign what the next job of this store completed.
	remote_end
	redis_cli main flushall >/dev/null
	fresh a
	units_wipe
	JOB_ENV=(REPRISE_SIGN_KEY="$ROOT/$1" REPRISE_TRUST="$2")
	unit_job cold under kernels.py $K
	UNIT=$(find "$ROOT/fw/triton" -mindepth 1 -maxdepth 1 -type d)
	REPRISE_SIGN_KEY=$ROOT/$1 REPRISE_TRUST=$2 drain
	[ -n "$(remote_keys main u)" ] || { fail "$1: nothing was sent"; return 1; }
}

trusts_not() {
	far_refused "$1" && { [ "$(stat_of refused_entries)" -gt 0 ] || fail "$1: not counted"; }
}

# bounded NAME: a job that ends with the right results, at most EXTRA_SECONDS later than the plain
# one.
bounded() { # NAME EXTRA_SECONDS KERNELS
	local start=$EPOCHREALTIME
	units_wipe
	unit_job "$1" under kernels.py "$3"
	cmp "$ROOT/plain.out" "$ROOT/$1.out" || { fail "$1: other results"; return 1; }
	local took
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	echo "# $1: $took s, plain $PLAIN_S s" >&3
	awk -v t="$took" -v p="$PLAIN_S" -v e="$2" 'BEGIN { exit t > 3 * p + e }' ||
		{ fail "$1: $took s, plain $PLAIN_S s"; return 1; }
}

# A publisher may add files meanwhile.
store_gone() { until rm -rf "$STORE" 2>/dev/null; do sleep 0.1; done; }

# bats test_tags=long
@test "hostile: an agent that is killed or stopped, a Redis that says nothing" {
	redis_need
	on a
	start
	local many=16,32,64,128,256,512,1024,2048 before=$EPOCHREALTIME
	unit_job plain plain kernels.py $many
	PLAIN_S=$(awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	bounded first 4 $many
	# Without the store each kernel is asked for again.
	store_gone
	[ -n "$(daemons agent)" ] || fail "no agent runs"
	kill -9 $(daemons agent)
	sleep 5.5
	bounded killed 4 $many
	store_gone
	sleep 5.5
	STOPPED=$(daemons agent)
	[ -n "$STOPPED" ] || fail "no agent runs"
	kill -STOP $STOPPED
	# Eight waits of 2.5 s each would take 20 s. A process that waited in vain tells the others.
	bounded stopped 8 $many
	reprise explain 50 | grep -q 'no agent answered a moment ago' ||
		fail "each waited for itself"
	kill -9 $STOPPED
	redis_proxy hang "$REDIS_PORT" hang
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	store_gone
	bounded hung 8 $many
	units_clean
}

# bats test_tags=check
@test "hostile: nothing is left in the host: no descriptor, child, thread or signal" {
	units_two_nodes
	one_kernel
	fresh b
	units_wipe
	cat >host.py <<-'EOP'
	import os, signal, sys, time
	seen = []
	signal.signal(signal.SIGCHLD, lambda *a: seen.append(a))
	unit, root = sys.argv[1], os.path.dirname(sys.argv[1])
	def fds():
	    return sorted((int(n), os.readlink("/proc/self/fd/" + n))
	                  for n in os.listdir("/proc/self/fd")
	                  if os.path.exists("/proc/self/fd/" + n))
	def maps(): return sum(1 for _ in open("/proc/self/maps"))
	os.makedirs(unit)
	before, count = fds(), maps()
	os.stat(unit + "/__grp__k.json")  # laid, through an agent that was started for it
	for c in "ABCDEFGH":
	    try: os.stat(root + "/" + c * 51 + "A/__grp__k.json")
	    except FileNotFoundError: pass
	# Completed, with a publisher that is started for it.
	new = root + "/" + "Z" * 51 + "A"
	os.makedirs(new)
	open(new + "/x", "w").write("{}")
	os.rename(new + "/x", new + "/__grp__k.json")
	time.sleep(0.5)
	assert fds() == before, (before, fds())
	# Two spare chunks of arenas, and the page of counters.
	assert maps() <= count + 3, (count, maps())
	assert not seen, seen
	assert len(os.listdir("/proc/self/task")) == 1
	try: print("child", os.waitpid(-1, os.WNOHANG)); sys.exit(1)
	except ChildProcessError: pass
	EOP
	JOB_ENV=()
	unit_job host under host.py "$UNIT"
	[ "$(stat_of brought_triton)" = 1 ]
	[ -n "$(daemons agent)" ] || fail "no agent was started: the case is void"
	drain
}

# bats test_tags=long
@test "hostile: another file system, a linked root, a relative one, and a job that wipes it" {
	one_kernel
	local away n=0
	[ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$ROOT")" ] ||
		skip "/dev/shm is no file system of its own"
	away=$(mktemp -d /dev/shm/reprise-XXXXXX)
	JOB_ENV=(TRITON_CACHE_DIR="$away/t")
	unit_job far under kernels.py $K && n=$(find "$away/t" -name '__grp__*' | wc -l)
	rm -rf "$away"
	cmp "$ROOT/cold.out" "$ROOT/far.out"
	[ "$n $(stat_of brought_triton)" = "1 1" ]
	mkdir -p "$ROOT/fw/real"
	ln -s real "$ROOT/fw/link"
	JOB_ENV=(TRITON_CACHE_DIR="$ROOT/fw/link/t")
	unit_job linked under kernels.py $K
	cmp "$ROOT/cold.out" "$ROOT/linked.out"
	[ "$(stat_of brought_triton)" = 2 ]
	grep -q "$ROOT/fw/link/t/" "$ROOT"/fw/real/t/*/__grp__k.json
	# A link in the place of the kernel's own directory is left to Triton.
	rm -r "$ROOT"/fw/real/t/*
	mkdir "$ROOT/fw/trap"
	ln -s "$ROOT/fw/trap" "$ROOT/fw/real/t/${UNIT##*/}"
	unit_job trap under kernels.py $K
	cmp "$ROOT/cold.out" "$ROOT/trap.out"
	[ "$(stat_of brought_triton)" = 2 ]
	units_wipe
	JOB_ENV=(TRITON_CACHE_DIR=fw/rel)
	unit_job relative under kernels.py $K,cd,$K
	sed -n 2p "$ROOT/relative.out" | cmp - "$ROOT/cold.out"
	sed -n 1p "$ROOT/relative.out" | cmp - "$ROOT/cold.out"
	units_wipe
	JOB_ENV=()
	unit_job wiped under kernels.py $K,wipe,$K,64,wipe,64,$K
	[ "$(grep "^$K " "$ROOT/wiped.out" | sort -u)" = "$(cat "$ROOT/cold.out")" ]
	units_clean
}

# as_is NAME: a run of the job whose status may be any; the last line of what it said.
as_is() { # NAME plain|under COMMAND...
	local name=$1 pre=() s
	[ "$2" = plain ] || pre=("${RPENV[@]}")
	shift 2
	env "${pre[@]}" "$@" >"$ROOT/$name.out" 2>"$ROOT/$name.err" && s=0 || s=$?
	echo "$s $(sed -n '$s/[0-9a-f]\{8\}-[0-9a-f-]*/UUID/; $s/pid_[0-9]*/PID/; $p' \
		"$ROOT/$name.err")" >"$ROOT/$name.end"
}

# bats test_tags=long
@test "hostile: a directory that cannot be written, and one on a disk that is full" {
	need_mounts
	one_kernel
	units_wipe
	mkdir -p "$ROOT/fw/t"
	cat >mounted.sh <<-'EOP'
	mount -t tmpfs -o "$1" tmpfs "$2" || exit 99
	[ "$3" = - ] || mount -o remount,"$3" "$2" || exit 99
	dir=$2
	shift 3
	TRITON_CACHE_DIR=$dir "$@"
	s=$?
	find "$dir" -name '.reprise*' | grep -q . && exit 98
	exit $s
	EOP
	local how
	for how in "size=1m ro" "size=4k -" "size=16k -" "nr_inodes=3 -"; do
		# shellcheck disable=SC2086 # two words
		as_is plain plain unshare -m sh mounted.sh ${how% *} "$ROOT/fw/t" ${how#* } \
			"$JOB_PYTHON" kernels.py $K
		[ "$(cut -d ' ' -f 1 "$ROOT/plain.end")" != 0 ] ||
			fail "$how: Triton has enough room"
		# shellcheck disable=SC2086
		as_is full under unshare -m sh mounted.sh ${how% *} "$ROOT/fw/t" ${how#* } \
			"$JOB_PYTHON" kernels.py $K
		diff "$ROOT/plain.end" "$ROOT/full.end" || fail "$how: another end"
	done
	[ "$(stat_of brought_triton)" = 0 ]
	as_is roomy under unshare -m sh mounted.sh size=1m "$ROOT/fw/t" \
		- "$JOB_PYTHON" kernels.py $K
	cmp "$ROOT/cold.out" "$ROOT/roomy.out"
	[ "$(stat_of brought_triton)" = 1 ]
	units_clean
}

# bats test_tags=check
@test "hostile: a directory that another user made again before the publisher came" {
	need_root "files of another user"
	# An object that has no command beside it starts no publisher.
	mkdir "$ROOT/alone"
	cp "$REPRISE_LIB" "$ROOT/alone/libreprise.so"
	JOB_ENV=(LD_PRELOAD="$ROOT/alone/libreprise.so")
	unit_job cold under kernels.py $K
	[ "$(in_store pending)" = 1 ] || fail "the publisher came too early: $(in_store pending)"
	mv "$ROOT/fw/triton" "$ROOT/fw/old"
	cp -a "$ROOT/fw/old" "$ROOT/fw/triton"
	chown -R 65534:65534 "$ROOT/fw/triton"
	REPRISE_LOG_LEVEL=info drain
	[ "$(stat_of packed_triton)" = 0 ] || fail "another user's files were packed"
	[ "$(stat_of units_dropped)" = 1 ]
	grep -q 'not kept: triton .*belongs to another user' "$LOG" ||
		fail "$(grep -a 'not kept' "$LOG")"
	units_clean
}
