#!/usr/bin/env bats
# reprise export and import: the compiles and framework units that a job used, in one file, into an
# empty store. Packs that are cut, damaged, unsigned, of another version, or too large for the disk.
# Units come from real Triton and torch if they are installed, otherwise from helpers/remote_units.

bats_require_minimum_version 1.5.0

load units_suite

setup() {
	load units_lib
	load export_job_lib
	units_setup
	need gcc
	UNITS=$(helper remote_units)
	PACK=$ROOT/pack
	put a.c 'int a(void) { return 1; }'
	put b.c 'int b(void) { return 2; }'
	age
}

C51=abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs
X64=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

# units CMD...: the helper, on the case's store.
units() {
	env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" "$UNITS" \
		"$@"
}

# graph NAME TEXT: a set of one member, as Inductor names it, in the store.
graph() {
	"$PY" - "$ROOT/x/fxgraph/${1:0:2}/f$1" "$2" <<-'PY'
	import base64, hashlib, os, sys
	content = b'\x80\x04\x8c' + bytes([len(sys.argv[2])]) + sys.argv[2].encode() + b'.'
	os.makedirs(sys.argv[1], exist_ok=True)
	name = base64.b32encode(hashlib.sha256(content).digest())[:51].decode().lower()
	open(os.path.join(sys.argv[1], name), 'wb').write(content)
	PY
	units scan "$ROOT/x"
	drain
}

choices() { # JSON: a max-autotune file, in the store
	mkdir -p "$ROOT/x/cache"
	echo '{"system": {"hash": "'"$X64"'"}, "cache": '"$1"'}' >"$ROOT/x/cache/$X64"
	units offer "$ROOT/x/cache/$X64"
	drain
	rm -r "$ROOT/x"
}

# A compile, a graph and an autotuned configuration.
filled() {
	under gcc -c a.c
	mkdir -p "$ROOT/x/bc"
	echo '{"XBLOCK": 8}' >"$ROOT/x/bc/$X64.best_config"
	graph "$C51" one
	cp -r "$ROOT/x" "$ROOT/was"
}

# A second machine with its own empty store.
other() {
	on "$1"
	[ ! -e "$STORE" ]
}

# The compile and both units are served.
served() {
	local hits
	hits=$(stat_of hits_local)
	under gcc -c a.c
	[ "$(stat_of hits_local)" = $((hits + 1)) ] || { fail "the compile is no hit"; return 1; }
	rm -rf "$ROOT/x"
	units lay "$ROOT/x/fxgraph/ab/f$C51"
	units lay "$ROOT/x/bc/$X64.best_config"
	diff -r "$ROOT/was" "$ROOT/x"
}

holds() { # NUMBER: entries of the store but trails
	local n
	n=$(entries | grep -vc /trail/) || :
	[ "$n" = "$1" ] || { fail "$n entries: $(entries)"; return 1; }
}

# bats test_tags=check
@test "units_pack: an empty store takes all entries, and a second import adds none" {
	filled
	holds 5
	says 0 "5 entries" reprise export "$PACK"
	[ "$(stat -c %a "$PACK")" = 644 ]
	[ "$(ls "$ROOT" | grep -c '^pack')" = 1 ]
	other b
	says 0 "5 entries" reprise import "$PACK"
	holds 5
	reprise verify
	served
	local before size
	size=$(stat_of store_size)
	before=$(entries | xargs stat -c '%i %n' | sort)
	says 0 "5 already there" reprise import "$PACK"
	[ "$(entries | xargs stat -c '%i %n' | sort)" = "$before" ] ||
		fail "what was there was written again"
	[ "$(stat_of store_size)" = "$size" ]
	served
	[ "$(stat_of errors)" = 0 ]
	[ "$(warnings)" = 0 ]
}

# bats test_tags=check
@test "units_pack: from standard input, to standard output" {
	filled
	reprise export - >"$PACK" 2>"$ROOT/said"
	grep -q '5 entries' "$ROOT/said"
	other b
	reprise import - <"$PACK"
	served
	other c
	cat "$PACK" | reprise import -
	served
	[ ! -e - ]
	# A pack is binary: it is not written to a terminal.
	run "$PY" "$E2E_DIR/on_pty.py" env REPRISE_CACHE_DIR="$STORE" \
		REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" export -
	[[ $output != *RPPACK1* ]]
}

# bats test_tags=check
@test "units_pack: --class takes what it names, --since what was used" {
	filled
	says 0 "2 entries" reprise export --class compile "$ROOT/p1"
	says 0 "2 entries" reprise export -c fxgraph "$ROOT/p2"
	says 0 "1 entries" reprise export -c autotune "$ROOT/p3"
	says 0 "3 entries" reprise export -c all,-fxgraph "$ROOT/p4"
	says 0 "0 entries" reprise export -c triton "$ROOT/p5"
	says 2 "no such class" reprise export -c tritn "$ROOT/p6"
	for list in '' -compile none autotune,-autotune; do
		says 2 "leaves nothing" reprise export --class="$list" "$ROOT/p6"
	done
	[ ! -e "$ROOT/p6" ]
	# Two days ago all of it; then the compile is used again.
	entries | xargs touch -d '2 days ago'
	says 0 "0 entries" reprise export --since 1h "$ROOT/p7"
	says 0 "5 entries" reprise export --since 3d "$ROOT/p8"
	under gcc -c a.c
	says 0 "2 entries" reprise export --since 1h "$ROOT/p9"
	says 2 "--since" reprise export --since yesterday "$ROOT/p10"
	on b
	says 0 "0 entries" reprise import "$ROOT/p5"
	reprise import "$ROOT/p9"
	under gcc -c a.c
	[ "$(stat_of hits_local)" = 1 ]
	on c
	reprise import "$ROOT/p2"
	reprise import "$ROOT/p3"
	reprise import "$ROOT/p1"
	served
}

@test "units_pack: max-autotune's choices of the store stay, the pack's are added" {
	choices '{"mm": {"one": {"high": {"k": 0.1}}, "both": {"high": {"k": 1}}}}'
	reprise export "$PACK"
	on b
	choices '{"mm": {"two": {"high": {"k": 0.2}}, "both": {"high": {"k": 2}}}}'
	reprise import "$PACK"
	units lay "$ROOT/y/cache/$X64"
	"$PY" - "$ROOT/y/cache/$X64" <<-'PY'
	import json, sys
	d = json.load(open(sys.argv[1]))["cache"]["mm"]
	assert sorted(d) == ["both", "one", "two"], d
	assert d["both"]["high"]["k"] == 2, d
	PY
	says 0 "1 already there" reprise import "$PACK"
}

@test "units_pack: candidates of both stores are kept" {
	graph "$C51" one
	reprise export "$PACK"
	rm -r "$ROOT/x"
	on b
	graph "$C51" two
	reprise import "$PACK"
	units lay "$ROOT/y/fxgraph/ab/f$C51"
	[ "$(ls "$ROOT/y/fxgraph/ab/f$C51" | wc -l)" = 2 ]
}

# bats test_tags=check
@test "units_pack: cut at any place: entries before the cut are of use, and the cut is reported" {
	filled
	reprise export "$PACK"
	local size at
	size=$(stat -c %s "$PACK")
	for at in 0 1 7; do
		head -c $at "$PACK" >"$ROOT/cut"
		on "cut$at"
		says 3 "not a pack of this version" reprise import "$ROOT/cut"
		holds 0
	done
	for at in 8 9 55 56 57 300 $((size / 2)) $((size - 49)) $((size - 48)) $((size - 1)); do
		head -c "$at" "$PACK" >"$ROOT/cut"
		on "cut$at"
		says 1 "it is truncated or damaged" reprise import "$ROOT/cut"
		reprise verify
		[ -z "$(find "$STORE/tmp" -type f)" ] || fail "litter"
	done
	holds 5
	served
	# After an import of the complete pack all entries are there.
	on cut300
	says 0 "5 entries" reprise import "$PACK"
	served
}

# bats test_tags=long
@test "units_pack: joined packs are all imported; other data behind a pack is reported" {
	filled
	reprise export "$PACK"
	on b
	under gcc -c b.c
	reprise export "$ROOT/two"
	on c
	cat "$PACK" "$ROOT/two" | { says 0 "7 entries" reprise import -; }
	holds 7
	served
	under gcc -c b.c
	[ "$(stat_of misses)" = 0 ]
	# The second pack is cut; then it is absent.
	head -c -1 "$ROOT/two" | cat "$PACK" - >"$ROOT/cut"
	on d
	says 1 "it is truncated or damaged" reprise import "$ROOT/cut"
	served
	on e
	for junk in x RPPACK2 $'RPPACK2\n' 'something else that is longer'; do
		{ cat "$PACK"; printf %s "$junk"; } >"$ROOT/junk"
		says 1 "continues after its last record" reprise import "$ROOT/junk"
	done
	served
}

# bats test_tags=long
@test "units_pack: a damaged byte anywhere: the entry is refused, or the file is no pack" {
	filled
	reprise export "$PACK"
	"$PY" - "$PACK" "$ROOT" <<-'PY'
	import random, sys
	b = open(sys.argv[1], "rb").read()
	choice = random.Random(5)
	places = list(range(8, 8 + 48 + 200, 12)) + list(range(len(b) - 48, len(b), 5))
	places += [choice.randrange(8, len(b)) for _ in range(20)]
	for i, at in enumerate(places):
	    open("%s/bad%d" % (sys.argv[2], i),
	         "wb").write(b[:at] + bytes([b[at] ^ (1 << choice.randrange(8))]) + b[at + 1:])
	PY
	local f n=0
	for f in "$ROOT"/bad*; do
		on "n${f##*/bad}"
		run reprise import "$f"
		[ "$status" = 1 ] || fail "$f: status $status: $output"
		[[ $output == *refused* || $output == *"it is truncated or damaged"* ]] ||
			fail "$output"
		reprise verify >/dev/null
		n=$((n + 1))
	done
	[ $n -gt 30 ]
}

# bats test_tags=check
@test "units_pack: entries of unknown classes and lying lengths" {
	filled
	reprise export "$PACK"
	"$PY" - "$PACK" "$ROOT" <<-'PY'
	import struct, sys
	b = open(sys.argv[1], "rb").read()
	head = lambda tag, klass, n: struct.pack("<IIQ", tag, klass, n) + b[24:56]
	n = struct.unpack_from("<Q", b, 16)[0]
	out = lambda name, data: open(sys.argv[2] + "/" + name, "wb").write(b[:8] + data)
	for klass in (0, 3, 6, 77, 0xffffffff):
	    out("class%d" % klass, head(1, klass, n) + b[56:])
	for length in (0, 199, 1 << 33, 1 << 62, (1 << 64) - 1):
	    out("length%d" % length, head(1, struct.unpack_from("<I", b, 12)[0], length) + b[56:])
	out("tag", head(3, 2, n) + b[56:])
	PY
	local f
	for f in "$ROOT"/class* "$ROOT"/length* "$ROOT"/tag; do
		on "n${f##*/}"
		run -1 reprise import "$f"
		reprise verify >/dev/null
	done
}

@test "units_pack: of another version, no pack at all, a directory, absent" {
	filled
	reprise export "$PACK"
	{ printf 'RPPACK2\n'; tail -c +9 "$PACK"; } >"$ROOT/newer"
	head -c 5000 /dev/urandom >"$ROOT/noise"
	on b
	for f in "$ROOT/newer" "$ROOT/noise" "$ROOT" /dev/null; do
		says 3 "not a pack of this version" reprise import "$f"
	done
	says 3 "No such file" reprise import "$ROOT/absent"
	holds 0
	says 2 "the name of the pack is missing" reprise import
	says 2 "too many" reprise import a b
	says 2 "the name of the pack is missing" reprise export
	says 2 "too many" reprise export a b
}

# bats test_tags=check
@test "units_pack: with REPRISE_TRUST only what is signed" {
	local public
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	filled
	reprise export "$ROOT/unsigned"
	# The store was filled without either setting. The keys of its entries are not those of
	# signed entries.
	REPRISE_SIGN_KEY=$ROOT/key says 1 "5 refused" reprise export "$ROOT/late"
	on s
	export REPRISE_SIGN_KEY=$ROOT/key
	rm -rf "$ROOT/x" "$ROOT/was"
	filled
	says 0 "5 entries" reprise export "$ROOT/signed"
	unset REPRISE_SIGN_KEY
	reprise export "$ROOT/stripped" || :
	on b
	export REPRISE_TRUST=$public
	says 1 "refused" reprise import "$ROOT/unsigned"
	says 1 "refused" reprise import "$ROOT/stripped"
	[ "$(reprise import "$ROOT/unsigned" 2>&1 | grep -c 'import: refused')" = 5 ]
	holds 0
	says 0 "5 entries" reprise import "$ROOT/signed"
	served
	# A signature with another key.
	on c
	REPRISE_TRUST=$("$REPRISE_BIN" keygen "$ROOT/other")
	says 1 "refused" reprise import "$ROOT/signed"
	holds 0
	# One byte of the signed part is changed.
	on d
	export REPRISE_TRUST=$public
	"$PY" - "$ROOT/signed" "$ROOT/forged" <<-'PY'
	import sys
	b = bytearray(open(sys.argv[1], "rb").read())
	b[56 + 60] ^= 1
	open(sys.argv[2], "wb").write(b)
	PY
	says 1 "1 refused" reprise import "$ROOT/forged"
	# Processes that need no signature can use signed packs, too.
	unset REPRISE_TRUST
	on e
	says 0 "5 entries" reprise import "$ROOT/signed"
}

@test "units_pack: damaged entries of the store are left out, the rest is packed" {
	filled
	local f
	f=$(find "$STORE/result" -type f)
	printf 'XXXX' | dd of="$f" bs=1 seek=100 conv=notrunc status=none
	says 1 "1 refused" reprise export "$PACK"
	on b
	says 0 "4 entries" reprise import "$PACK"
	reprise verify
}

# bats test_tags=check
@test "units_pack: a full disk leaves neither a pack nor half of one" {
	need_mounts
	filled
	head -c 2000000 /dev/urandom >big.bin
	put big.s '.incbin "big.bin"'
	age
	under gcc -c big.s
	export STORE RUNTIME LOG REPRISE_BIN ROOT
	unshare -m bash -c '
		mkdir "$ROOT/small" && mount -t tmpfs -o size=1m none "$ROOT/small" || exit
		export REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME REPRISE_LOG=$LOG
		echo before >"$ROOT/small/pack"
		"$REPRISE_BIN" export "$ROOT/small/pack" >"$ROOT/said" 2>&1
		[ $? = 3 ] || { echo "no status 3"; exit 1; }
		grep -q "No space left" "$ROOT/said" || exit 1
		[ "$(ls -A "$ROOT/small")" = pack ] && [ "$(cat "$ROOT/small/pack")" = before ] ||
			exit 1
		# A store on the full disk imports what fits.
		"$REPRISE_BIN" export "$ROOT/pack" || exit 1
		REPRISE_CACHE_DIR=$ROOT/small/store "$REPRISE_BIN" import "$ROOT/pack" \
			>"$ROOT/said" 2>&1
		[ $? = 3 ] && grep -q "No space left" "$ROOT/said" || exit 1
		REPRISE_CACHE_DIR=$ROOT/small/store "$REPRISE_BIN" verify || exit 1
		[ -z "$(find "$ROOT/small/store/tmp" -type f)" ]
	' || fail "$(cat "$ROOT/said")"
}

# bats test_tags=long
@test "units_pack: places that cannot be written, what is no file" {
	filled
	says 3 "No such file" reprise export "$ROOT/absent/pack"
	mkdir "$ROOT/dir"
	says 3 "directory" reprise export "$ROOT/dir"
	mkfifo "$ROOT/fifo"
	says 3 "exists" reprise export "$ROOT/fifo"
	[ -p "$ROOT/fifo" ]
	[ "$(ls "$ROOT/dir" | wc -l)" = 0 ]
	reprise export "$PACK"
	export REPRISE_READONLY=1
	other b
	says 3 "" reprise import "$PACK"
	unset REPRISE_READONLY
	holds 0
}

# bats test_tags=check
@test "units_pack: an interrupted export leaves nothing; two at once leave one complete pack" {
	filled
	local i pid
	for ((i = 0; i < 40; i++)); do
		head -c 300000 /dev/urandom >r.bin
		put r.s '.incbin "r.bin"'
		age
		under gcc -c r.s
	done
	# Polls without a pause, so that the signal arrives while the file is new.
	for ((i = 0; i < 30; i++)); do
		env REPRISE_CACHE_DIR="$STORE" \
			REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" export "$PACK" >/dev/null &
		pid=$!
		until compgen -G "$ROOT/pack.*" >/dev/null || ! kill -0 $pid 2>/dev/null; do :; done
		kill -TERM $pid 2>/dev/null || :
		wait $pid || :
		! compgen -G "$ROOT/pack.*" >/dev/null || fail "left $(ls "$ROOT")"
	done
	reprise export "$PACK" &
	pid=$!
	reprise export "$PACK"
	wait $pid
	[ "$(ls "$ROOT" | grep -c '^pack')" = 1 ]
	other b
	reprise import "$PACK"
	served
}

# bats test_tags=long
@test "units_pack: a training job of torch and kernels of Triton are served whole from a pack" {
	need_triton
	triton_kernels_py
	cat >train.py <<-'END'
	import torch
	from torch._dynamo.utils import counters
	torch.manual_seed(0)
	m = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.GELU(), torch.nn.Linear(16, 8))
	c = torch.compile(m)
	loss = c(torch.randn(16, 32)).square().mean()
	loss.backward()
	print("%.9g" % loss.item(), ["%.9g" % v for v in m[2].bias.grad.tolist()])
	import sys
	print("missed", counters["inductor"]["fxgraph_cache_miss"], file=sys.stderr)
	END
	unit_job k.cold under kernels.py 128,256
	unit_job t.cold under train.py
	drain
	reprise export "$PACK"
	other b
	units_wipe
	reprise import "$PACK"
	unit_job k.warm under kernels.py 128,256
	[ "$(stat_of misses)" = 0 ] || fail "a compiler ran"
	[ "$(stat_of brought_triton)" = 2 ]
	unit_job t.warm under train.py
	cmp "$ROOT/k.cold.out" "$ROOT/k.warm.out"
	cmp "$ROOT/t.cold.out" "$ROOT/t.warm.out"
	grep -q 'missed 0' "$ROOT/t.warm.err"
	[ "$(stat_of brought_fxgraph)" -gt 0 ]
	# Inductor's own key, for its precompiled header and such: nothing that takes seconds.
	[ "$(stat_of misses)" -le 4 ] ||
		fail "$(stat_of misses) compilers ran: $(reprise explain 20)"
	units_clean
}
