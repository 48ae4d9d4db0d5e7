#!/usr/bin/env bats
# Units that frameworks complete in their cache directories are packed, kept, sent, and used
# elsewhere. helpers/remote_units makes the offers. Kernels are real ones, of the Triton in
# $REPRISE_TEST_VENV (default build/venv), otherwise of python3.

bats_require_minimum_version 1.5.0

setup_file() {
	load job_python
	job_python_find
}

setup() {
	load lib
	load redis
	load remote_lib
	load job_python
	case_setup
	redis_need
	UNITS=$(helper remote_units)
	REDIS_URL=redis+unix://$REDIS_DIR/main/socket
	PUBLISHERS=
}
teardown() {
	local pid
	for pid in $PUBLISHERS; do kill -9 "$pid" 2>/dev/null; done
	remote_teardown
}

rcli() { redis_cli main "$@"; }

# local_node NAME COMMAND...: without a remote.
local_node() { local REDIS_URL=; node "$@"; }

# compile DIR: a real kernel, without a GPU; prints the unit's directory. The source is the same
# file each time: Triton's key holds its text, and the result holds its path.
compile() {
	cat >"$ROOT/kernel.py" <<-'PY'
	import os, sys, warnings
	warnings.simplefilter("ignore")
	import triton, triton.language as tl
	from triton.backends.compiler import GPUTarget
	@triton.jit
	def add_kernel(x, y, o, n, B: tl.constexpr):
	    i = tl.program_id(0) * B + tl.arange(0, B)
	    tl.store(o + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)
	types = {'x': '*fp32', 'y': '*fp32', 'o': '*fp32', 'n': 'i32', 'B': 'constexpr'}
	k = triton.compile(triton.compiler.ASTSource(fn=add_kernel, signature=types,
	                                             constexprs={(4,): 1024}),
	                   target=GPUTarget('cuda', 90, 32))
	assert k.asm['cubin'][:4] == b'\x7fELF'
	print(os.path.join(os.environ['TRITON_CACHE_DIR'],
	                   k.hash and sorted(os.listdir(os.environ['TRITON_CACHE_DIR']))[0]))
	PY
	mkdir -p "$1"
	TRITON_CACHE_DIR=$1 "$JOB_PYTHON" "$ROOT/kernel.py" 2>"$ROOT/kernel.err" ||
		{ fail "$(cat "$ROOT/kernel.err")"; return 1; }
}

# set_member DIR TEXT: a graph, as Inductor names it; prints its path.
set_member() {
	python3 - "$1" "$2" <<-'PY'
	import base64, hashlib, os, sys
	content = b'\x80\x04\x8c' + bytes([len(sys.argv[2])]) + sys.argv[2].encode() + b'.'
	name = base64.b32encode(hashlib.sha256(content).digest())[:51].decode().lower()
	os.makedirs(sys.argv[1], exist_ok=True)
	path = os.path.join(sys.argv[1], name)
	with open(path, 'wb') as f:
	    f.write(content)
	print(path)
	PY
}

C51=abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs
X64=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef

# bats test_tags=long
@test "units_publish: a real Triton kernel, packed without a remote, is no compile elsewhere" {
	need_triton
	unit=$(compile "$ROOT/cache one")
	local_node a "$UNITS" scan "$ROOT/cache one"
	[ "$(local_node a "$UNITS" pending)" = 1 ]
	local_node a "$REPRISE_BIN" publish --wait 20
	[ "$(local_node a "$UNITS" pending)" = 0 ]
	[ "$(counter_of a units_packed)" = 1 ]
	[ "$(counter_of a packed_triton)" = 1 ]
	[ "$(counter_of a units_dropped)" = 0 ]
	! grep -raq "cache one" "$ROOT/a/unit" || fail "the parcel holds the directory's path"
	other="$ROOT/anöther/t"
	[ "$(local_node a "$UNITS" lay "$other/${unit##*/}")" = laid ]
	diff -r -x '__grp__*' "$unit" "$other/${unit##*/}"
	before=$(stat -c '%i %z %n' "$other"/*/*)
	[ "$(compile "$other")" = "$other/${unit##*/}" ]
	[ "$(stat -c '%i %z %n' "$other"/*/*)" = "$before" ] || fail "it was compiled again"
	[ "$(ls "$other")" = "${unit##*/}" ]
	# The index is the one that Triton would have written there.
	mv "$other/${unit##*/}" "$ROOT/laid"
	compile "$other" >/dev/null
	cmp "$ROOT/laid/__grp__add_kernel.json" "$other/${unit##*/}/__grp__add_kernel.json"
}

# bats test_tags=check
@test "units_publish: nodes find a kernel of another node; one that has it already sends nothing" {
	need_triton
	redis_start main
	unit=$(compile "$ROOT/a.cache")
	node a "$UNITS" scan "$ROOT/a.cache"
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(rcli --scan --pattern 'reprise:1:u:*' | wc -l)" = 1 ]
	[ "$(counter_of a published)" = 1 ]
	[ "$(node b "$UNITS" lay "$ROOT/b.cache/${unit##*/}")" = laid ]
	before=$(stat -c '%i %z %n' "$ROOT"/b.cache/*/*)
	compile "$ROOT/b.cache" >/dev/null
	[ "$(stat -c '%i %z %n' "$ROOT"/b.cache/*/*)" = "$before" ] || fail "it was compiled again"
	# FX's bundler writes files of a graph in this way, and hooks see that a kernel is complete.
	node b "$UNITS" scan "$ROOT/b.cache"
	sent=$(rcli info stats | sed -n 's/^total_net_input_bytes:\([0-9]*\).*/\1/p')
	node b "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of b units_there)" = 1 ]
	[ "$(counter_of b published)" = 0 ]
	more=$(($(rcli info stats | sed -n 's/^total_net_input_bytes:\([0-9]*\).*/\1/p') - sent))
	[ $more -lt 2000 ] || fail "$more bytes were sent"
}

@test "units_publish: members of a set, the parcel before the record that names it" {
	redis_start main
	dir=$ROOT/x/fxgraph/ab/f$C51
	one=$(set_member "$dir" one)
	node a env SCOPE='world=8 rank=3' "$UNITS" scan "$ROOT/x"
	two=$(set_member "$dir" two)
	node a env SCOPE='world=8 rank=3' "$UNITS" offer "$two"
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of a packed_fxgraph)" = 2 ]
	[ "$(rcli --scan --pattern 'reprise:1:u:*' | wc -l)" = 2 ]
	[ "$(rcli llen "$(rcli --scan --pattern 'reprise:1:s:*')")" = 2 ]
	node b env SCOPE='world=8 rank=3' "$UNITS" lay "$ROOT/y/fxgraph/ab/f$C51"
	diff -r "$dir" "$ROOT/y/fxgraph/ab/f$C51"
	! node b env SCOPE='world=8 rank=4' "$UNITS" lay "$ROOT/z/fxgraph/ab/f$C51" ||
		fail "the unit of rank 3 was laid for rank 4"
	# The same again: the set does not grow.
	node a env SCOPE='world=8 rank=3' "$UNITS" scan "$ROOT/x"
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(rcli llen "$(rcli --scan --pattern 'reprise:1:s:*')")" = 2 ]
	[ "$(counter_of a units_known)" = 2 ]
	[ "$(counter_of a units_there)" = 2 ]
	[ -n "$one" ]
}

@test "units_publish: classes that stay local" {
	redis_start main
	set_member "$ROOT/x/fxgraph/ab/f$C51" one
	mkdir -p "$ROOT/x/bc"
	echo '{"XBLOCK": 8}' >"$ROOT/x/bc/$X64.best_config"
	REPRISE_REMOTE_CLASSES=all,-fxgraph node a "$UNITS" scan "$ROOT/x"
	REPRISE_REMOTE_CLASSES=all,-fxgraph node a "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of a units_packed)" = 2 ]
	[ "$(counter_of a published)" = 1 ]
	[ "$(rcli dbsize)" = 1 ]
	REPRISE_REDIS_URL= local_node a "$UNITS" lay "$ROOT/y/fxgraph/ab/f$C51"
	# If only compiles are sent, units are packed, too.
	REPRISE_REMOTE_CLASSES=compile node c "$UNITS" scan "$ROOT/x"
	REPRISE_REMOTE_CLASSES=compile node c "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of c units_packed)" = 2 ]
	[ "$(rcli dbsize)" = 1 ]
}

# bats test_tags=check
@test "units_publish: max-autotune choices of many nodes grow together" {
	redis_start main
	for n in 1 2 3 4 5 6; do
		mkdir -p "$ROOT/n$n/cache"
		echo "{\"system\": {\"hash\": \"$X64\"}, \"cache\": {\"mm\":" \
			"{\"shape $n\": {\"high\": {\"k\": 0.$n}}," \
			"\"all\": {\"high\": {\"k$n\": $n}}}}}" >"$ROOT/n$n/cache/$X64"
		node "n$n" "$UNITS" offer "$ROOT/n$n/cache/$X64"
	done
	for n in 1 2 3 4 5 6; do
		node "n$n" "$REPRISE_BIN" publish --wait 30 &
		PUBLISHERS="$PUBLISHERS $!"
	done
	wait $PUBLISHERS
	node z "$UNITS" lay "$ROOT/z/cache/$X64"
	python3 - "$ROOT/z/cache/$X64" <<-'PY'
	import json, sys
	d = json.load(open(sys.argv[1]))["cache"]
	assert sorted(d["mm"]) == ["all"] + ["shape %d" % i for i in range(1, 7)], d
	assert d["mm"]["all"]["high"] == {"k%d" % i: i for i in range(1, 7)}, d
	PY
	[ -z "$(rcli --scan --pattern 'reprise:1:l:*')" ] || fail "a lease was left"
}

@test "units_publish: an autotuned configuration is replaced by the next one" {
	redis_start main
	mkdir -p "$ROOT/x/bc"
	for n in 8 16; do
		echo "{\"XBLOCK\": $n}" >"$ROOT/x/bc/$X64.best_config"
		node a "$UNITS" scan "$ROOT/x"
		node a "$REPRISE_BIN" publish --wait 20
	done
	node b "$UNITS" lay "$ROOT/y/bc/$X64.best_config"
	grep -q 16 "$ROOT/y/bc/$X64.best_config"
}

# As TorchAir pickles a module: its code marshalled, with the sources' absolute paths.
# bats test_tags=check
@test "units_publish: a module of TorchAir goes with the sources it was made from" {
	redis_start main
	mkdir "$ROOT/src"
	printf 'def forward(x):\n    return [y + 1 for y in x]\n' >"$ROOT/src/mödel.py"
	dir=$ROOT/x/Net_dynamic_0123456789abcdef0123456789abcdef/forward
	mkdir -p "$dir"
	age_sources
	python3 - "$ROOT/src/mödel.py" "$dir/compiled_module" <<-'PY'
	import dataclasses, marshal, os, pickle, sys
	@dataclasses.dataclass
	class Module:
	    version: str
	    code: bytes
	    weights: bytes
	code = compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')
	fd = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY, 0o666)
	with open(fd, 'wb') as f:
	    pickle.dump(Module('1.0.5', marshal.dumps(code.co_consts[0]), bytes(100000)), f)
	    os.fchmod(fd, 0o600)
	PY
	node a "$UNITS" offer "$dir/compiled_module" opened
	node a "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of a packed_torchair)" = 1 ] || fail "$(cat "$ROOT/a.log")"
	other=${dir/x/y}
	[ "$(umask 000; node b "$UNITS" lay "$other")" = 'compiled_module 1 laid' ]
	cmp "$dir/compiled_module" "$other/compiled_module"
	[ "$(stat -c %a "$other/compiled_module")" = 600 ]
	# The source is edited after the module was made, so it is not known which text the module
	# has.
	echo '# edited' >>"$ROOT/src/mödel.py"
	touch "$dir/compiled_module"
	node c "$UNITS" offer "$dir/compiled_module" opened
	node c env REPRISE_LOG_LEVEL=info "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of c units_dropped)" = 1 ]
	grep -q 'not kept: torchair .*may have changed since' "$ROOT/c.log"
}

# bats test_tags=check
@test "units_publish: signed units, for nodes that ask for it; an unsigned value is sent again" {
	redis_start main
	public=$("$REPRISE_BIN" keygen "$ROOT/key")
	signing=(env REPRISE_SIGN_KEY="$ROOT/key" REPRISE_TRUST="$public")
	dir=$ROOT/x/fxgraph/ab/f$C51
	set_member "$dir" one
	for n in a b; do
		node $n "${signing[@]}" "$UNITS" scan "$ROOT/x"
		node $n "${signing[@]}" "$REPRISE_BIN" publish --wait 20
	done
	[ "$(counter_of a published)" = 2 ]
	[ "$(counter_of b units_there)" = 1 ]
	node c env REPRISE_TRUST="$public" "$UNITS" lay "${dir/x/y}"
	diff -r "$dir" "${dir/x/y}"
	# A writer without the signing key puts another value there.
	key=$(rcli --scan --pattern 'reprise:1:u:*')
	rcli --raw get "$key" | head -c 210 >"$ROOT/value"
	rcli -x set "$key" <"$ROOT/value" >/dev/null
	! node d env REPRISE_TRUST="$public" "$UNITS" lay "${dir/x/z}" ||
		fail "a damaged unit was laid"
	node e "${signing[@]}" "$UNITS" scan "$ROOT/x"
	node e "${signing[@]}" "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of e units_there)" = 0 ]
	node f env REPRISE_TRUST="$public" "$UNITS" lay "${dir/x/z}"
	diff -r "$dir" "${dir/x/z}"
}

# bats test_tags=check
@test "units_publish: while Redis is away units are packed, and sent when it is back" {
	dir=$ROOT/x/aotautograd/a$C51
	set_member "$dir" one
	node a "$UNITS" scan "$ROOT/x"
	run -1 node a "$REPRISE_BIN" publish --wait 2
	[ "$(counter_of a units_packed)" = 1 ]
	[ "$(node a "$UNITS" pending)" = 0 ]
	rm -r "$ROOT/x" # the packed unit does not need it
	redis_start main
	node a "$REPRISE_BIN" publish --wait 20
	node b "$UNITS" lay "$dir"
	[ "$(ls "$dir" | wc -l)" = 1 ]
}

# bats test_tags=long
@test "units_publish: kill -9 of the publisher, again and again" {
	redis_start main
	for n in $(seq 300); do echo "$n"; done | python3 -c '
import base64, hashlib, os, sys
for line in sys.stdin:
    content = b"\x80\x04\x8c\x03" + b"%03d" % int(line) + b"."
    d = sys.argv[1] + "/fxgraph/ab/f" + sys.argv[2][:48] + "%03d" % int(line)
    d = d[:-3] + "".join("abcdefghij"[int(c)] for c in d[-3:])
    os.makedirs(d)
    name = base64.b32encode(hashlib.sha256(content).digest())[:51].decode().lower()
    open(d + "/" + name, "wb").write(content)
' "$ROOT/x" "$C51"
	node a "$UNITS" scan "$ROOT/x"
	[ "$(node a "$UNITS" pending)" = 300 ]
	kills=0
	while [ "$(node a "$UNITS" pending)" -gt 0 ] && [ $kills -lt 100 ]; do
		node_exec a "$REPRISE_BIN" publish --daemon &
		pid=$!
		PUBLISHERS="$PUBLISHERS $pid"
		sleep "0.0$((RANDOM % 8 + 2))"
		kill -9 $pid 2>/dev/null && kills=$((kills + 1))
		wait $pid || :
	done
	echo "# $kills kills" >&3
	node a "$REPRISE_BIN" publish --wait 30
	[ "$(rcli --scan --pattern 'reprise:1:u:*' | wc -l)" = 300 ]
	[ "$(rcli --scan --pattern 'reprise:1:s:*' | wc -l)" = 300 ]
	[ "$(counter_of a units_dropped)" = 0 ]
}

# bats test_tags=check
@test "units_publish: another owner's file, or a replaced one, is dropped, and the log says why" {
	dir=$ROOT/x/fxgraph/ab/f$C51
	one=$(set_member "$dir" one)
	local_node a "$UNITS" scan "$ROOT/x"
	# The directory is removed, and another user makes it again.
	mv "$one" "$one.old"
	ln -s /etc/passwd "$one"
	local_node a env REPRISE_LOG_LEVEL=info "$REPRISE_BIN" publish --wait 20
	rm "$one"
	[ "$(counter_of a units_dropped)" = 1 ]
	grep -q "not kept: fxgraph $dir/.* is gone" "$ROOT/a.log"
	[ ! -e "$ROOT/a/unit" ] || [ -z "$(find "$ROOT/a/unit" -type f)" ]
	mv "$one.old" "$one"
	local_node a "$UNITS" scan "$ROOT/x"
	printf x >>"$one"
	local_node a env REPRISE_LOG_LEVEL=info "$REPRISE_BIN" publish --wait 20
	[ "$(counter_of a units_dropped)" = 2 ]
	grep -q "not kept: .*was replaced or changed since" "$ROOT/a.log"
}

# bats test_tags=check
@test "units_publish: a background publisher packs, waits for files that are written, and ends" {
	mkdir -p "$ROOT/x/bc"
	: >"$ROOT/x/bc/$X64.best_config"
	local_node a "$UNITS" offer "$ROOT/x/bc/$X64.best_config" opened
	set_member "$ROOT/x/fxgraph/ab/f$C51" one
	local_node a "$UNITS" offer "$ROOT/x/fxgraph/ab/f$C51"/*
	REDIS_URL= node_exec a "$REPRISE_BIN" publish --daemon &
	pid=$!
	PUBLISHERS=$pid
	for _ in $(seq 100); do [ "$(counter_of a packed_fxgraph)" = 1 ] && break; sleep 0.05; done
	[ "$(counter_of a packed_fxgraph)" = 1 ] || fail "the other one is in its way"
	sleep 1.5
	kill -0 $pid || fail "it left what it should wait for"
	[ "$(local_node a "$UNITS" pending)" = 1 ]
	echo '{"XBLOCK": 8}' >"$ROOT/x/bc/$X64.best_config"
	wait $pid
	[ "$(counter_of a packed_autotune)" = 1 ]
	[ "$(counter_of a units_dropped)" = 0 ]
	[ "$(local_node a "$UNITS" pending)" = 0 ]
}

# bats test_tags=long
@test "units_publish: no wait for a file that becomes no unit, a short one if it is half written" {
	mkdir -p "$ROOT/x/cache" "$ROOT/x/bc"
	# A version and a pickle: the form of files of torch's other caches.
	printf '\x5f\xec\xeb\x66\x80\x04K\x01.' >"$ROOT/x/cache/$X64"
	local_node a "$UNITS" offer "$ROOT/x/cache/$X64" opened
	SECONDS=0
	local_node a "$REPRISE_BIN" publish --wait 60
	[ $SECONDS -le 10 ] || fail "it took $SECONDS s"
	[ "$(local_node a "$UNITS" pending) $(counter_of a units_dropped)" = "0 1" ]
	printf '{"XBLOCK"' >"$ROOT/x/bc/$X64.best_config"
	local_node a "$UNITS" offer "$ROOT/x/bc/$X64.best_config" opened
	SECONDS=0
	local_node a "$REPRISE_BIN" publish --wait 120
	[ $SECONDS -ge 15 ] || fail "it left what might be written to"
	[ $SECONDS -le 60 ] || fail "it took $SECONDS s"
	[ "$(local_node a "$UNITS" pending) $(counter_of a units_dropped)" = "0 2" ]
}

# bats test_tags=check
@test "units_publish: stats and doctor report packed and waiting units" {
	set_member "$ROOT/x/fxgraph/ab/f$C51" one
	local_node a "$UNITS" scan "$ROOT/x"
	run local_node a "$REPRISE_BIN" doctor
	[[ $output == *"1 framework files wait to be packed; no publisher is running"* ]] ||
		fail "$output"
	local_node a "$REPRISE_BIN" publish --wait 20
	run local_node a "$REPRISE_BIN" stats
	[[ $output == *"fxgraph"*"1 packed: Inductor's compiled graphs"* ]] || fail "$output"
	[[ $output == *"units_packed"* ]]
	local_node a "$REPRISE_BIN" stats --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
assert s["units_offered"] == s["units_packed"] == s["packed_fxgraph"] == 1, s
assert s["units_bytes"] > 0'
	run local_node b "$REPRISE_BIN" stats
	! grep '^units ' <<<"$output" || fail "of nothing a line is told"
}
