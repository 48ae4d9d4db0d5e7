#!/usr/bin/env bats
# Classes of the user's own: UNIT lines of reprise.conf, and the caches that
# docs/units.conf.example declares.

setup_file() {
	load units_lib
	load lib
	export E2E_KERNELS
	E2E_KERNELS=$(sh "$TOP/scripts/kernels-python.sh") || E2E_KERNELS=
}

setup() {
	load units_own_lib
	own_setup
}
teardown() { remote_teardown; }

# bats test_tags=check
@test "own classes: renamed and closed files and directories are there in an empty container" {
	declare_all
	fill cold
	drain
	[ "$(stat_of packed_user_files) $(stat_of packed_user_dirs)" = "2 1" ] ||
		fail "$(cat "$LOG")"
	units_wipe
	fill warm
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(found warm)" = 3 ] || fail "$(cat "$ROOT/warm.err")"
	[ "$(stat_of brought_user_files) $(stat_of brought_user_dirs)" = "2 1" ]
	[ "$(ls "$ROOT/fw/own/mod_cc33" | xargs)" = "data more" ]
	reprise stats | grep -q 'user_files .*placed, and 2 packed'
	REPRISE_CLASSES=-user_dirs,-gemm reprise config classes >classes
	grep -qx "triton  *on   never seen" classes
	grep -q '^gemm  *off  (REPRISE_CLASSES excludes it) never seen$' classes
	grep -q "^first  *on   20[0-9: -]* placed .*own/aa11.bin$" classes || fail "$(cat classes)"
	grep -q "^third  *off  (REPRISE_CLASSES excludes it) 20.* placed .*own/mod_cc33$" classes
	run reprise config class
	[ "$status" = 2 ]
	units_clean
}

# bats test_tags=check
@test "own classes: without a line nothing is carried, and REPRISE_CLASSES takes them away" {
	fill cold
	[ "$(stat_of units_offered)" = 0 ]
	units_wipe
	declare_all
	JOB_ENV=(REPRISE_CLASSES=all,-user_dirs)
	fill cold
	drain
	[ "$(stat_of packed_user_files) $(stat_of packed_user_dirs)" = "2 0" ]
	reprise explain | grep -q 'REPRISE_CLASSES excludes it'
	units_clean
}

# bats test_tags=check
@test "own classes: scope keeps units apart, and explain says what a scope does not cover" {
	put src.py 'x = 1'
	declare_all "env:MODE,file:$W/src.py"
	age_sources
	JOB_ENV=(MODE=a)
	fill cold
	drain
	[ "$(stat_of units_packed)" = 3 ] || fail "$(cat "$LOG")"
	units_wipe
	JOB_ENV=(MODE=b)
	fill other
	[ "$(found other)" = 0 ]
	reprise explain >"$ROOT/explained"
	grep -q "shared by unit=third kind=dir MODE=[0-9a-f]\{32\} $W/src.py=[0-9a-f]\{32\} path=" \
		"$ROOT/explained" || fail "$(cat "$ROOT/explained")"
	grep -q '^  class third, ' "$ROOT/explained"
	units_wipe
	JOB_ENV=(MODE=a)
	fill warm
	[ "$(found warm)" = 3 ]
	units_wipe
	put src.py 'x = 2'
	fill young
	[ "$(found young)" = 0 ]
	reprise explain | grep -q "unit-off"
	reprise explain |
		grep -q "$W/src.py, a file of its scope, may have changed since this process began"
	rm src.py
	units_wipe
	fill gone
	reprise explain | grep -q "$W/src.py, a file of its scope, is not here"
	units_clean
}

@test "own classes: config and doctor name malformed lines" {
	printf '%s\n' '# a comment' 'UNIT=good path=abcd complete=rename kind=file' \
		'UNIT=triton path=abcd complete=rename kind=file' \
		'UNIT=a path=/abcd complete=rename kind=file' 'UNIT=b path=abcd kind=file' >"$CONF"
	run reprise config
	[ "$status" = 1 ]
	grep -qF "UNIT               good path=abcd complete=rename kind=file  ($CONF:2)" \
		<<<"$output"
	grep -qF "$CONF:3: UNIT=triton: its name is that of a class of Reprise; the line is " \
		<<<"$output"
	grep -qF "$CONF:4: UNIT=a: path= is no shape as frameworks-own.md" <<<"$output"
	grep -qF "$CONF:5: UNIT=b: it needs path=, complete= and kind=; the line is ignored" \
		<<<"$output"
	! grep -qF "$CONF:2:" <<<"$output" || fail "a good line is refused: $output"
	run reprise doctor
	grep -qF "$CONF:3: UNIT=triton" <<<"$output" || fail "$output"
	# Of one name the last line counts. A line too many is named as well.
	printf '%s\n' 'UNIT=good path=other complete=close kind=dir' >>"$CONF"
	printf 'UNIT=c%d path=abcd complete=rename kind=file\n' {1..60} >>"$CONF"
	run reprise config
	grep -qF "kind=file  ($CONF:2, replaced by $CONF:6)" <<<"$output" || fail "$output"
	grep -qF "kind=dir  ($CONF:6)" <<<"$output"
	[ "$(grep -cF 'more than 64 UNIT lines; this one is ignored' <<<"$output")" = 1 ]
	grep -qF "$CONF:66: more than 64 UNIT lines" <<<"$output" || fail "$output"
	"$TOP/scripts/reprise-run" true 2>said
	grep -qF "reprise-run: $CONF:5: UNIT=b" said
}

# bats test_tags=check
@test "own classes: a file whose writer was killed, or that changed since, is not packed" {
	declare_all
	cat >half.py <<-'END'
	import os, signal, sys
	os.makedirs(sys.argv[1] + "/own", exist_ok=True)
	with open(sys.argv[1] + "/own/dd44.txt", "w") as f:
	    f.write("first")
	with open(sys.argv[1] + "/own/dd44.txt", "w") as f:
	    f.write("other")
	os.utime(sys.argv[1] + "/own/dd44.txt")
	f = open(sys.argv[1] + "/own/ee55.txt", "w")
	f.write("half")
	f.flush()
	os.kill(os.getpid(), signal.SIGKILL)
	END
	run unit_job killed under half.py "$ROOT/fw"
	drain
	[ "$(stat_of packed_user_files)" = 1 ] || fail "$(cat "$LOG")"
	# The digest of the last close counts, and not the time.
	grep -q other <(grep -rhao other "$STORE/unit")
	! grep -rqa half "$STORE/unit" || fail "the store holds the file of an earlier close"
	units_clean
}

# bats test_tags=check
@test "own classes: another node finds them in Redis, and a pack carries them" {
	declare_all
	units_two_nodes
	fill cold
	drain
	reprise export "$ROOT/pack" >/dev/null
	on b
	agent_for_hosts
	units_wipe
	fill warm
	[ "$(found warm)" = 3 ] || fail "$(cat "$ROOT/warm.err")"
	rm -rf "$STORE"
	units_wipe
	reprise import "$ROOT/pack" >/dev/null
	JOB_ENV=(REPRISE_REMOTE=0)
	fill packed
	[ "$(found packed)" = 3 ] || fail "$(cat "$ROOT/packed.err")"
	units_clean
}

# A worker of the agent holds a part of a large unit at a time.
@test "own classes: a unit that is larger than the memory of the agent" {
	declare_all
	units_two_nodes
	cat >large.py <<-'END'
	import os, sys
	path = sys.argv[1] + "/own/aa11.bin"
	if not os.path.exists(path):
	    os.makedirs(os.path.dirname(path), exist_ok=True)
	    with open(path + ".tmp", "wb") as f:
	        f.write(os.urandom(100 << 20))
	    os.rename(path + ".tmp", path)
	    print("made", file=sys.stderr)
	print(os.path.getsize(path))
	END
	unit_job cold under large.py "$ROOT/fw"
	drain
	cp "$ROOT/fw/own/aa11.bin" want
	on b
	(ulimit -v 60000 && agent_up)
	units_wipe
	unit_job warm under large.py "$ROOT/fw"
	[ ! -s "$ROOT/warm.err" ] || fail "$(cat "$ROOT/warm.err" "$LOG")"
	cmp want "$ROOT/fw/own/aa11.bin"
	[ -z "$(find "$STORE/inbox" -path '*/unit/*' -type f)" ] || fail "left in the inbox"
	reprise verify
	rm -f want
	units_clean
}

# bats test_tags=check
@test "own classes: the value of a variable of the scope is stored nowhere" {
	declare_all env:SECRET
	units_two_nodes
	# Plain, long, with blanks, and the same in a directory's own file name.
	local value
	for value in hunter2 "$(printf 'k%.0s' {1..90})" 'two words'; do
		JOB_ENV=(SECRET="$value")
		fill cold
		units_wipe
		fill miss
		drain
		units_wipe
	done
	[ "$(stat_of units_packed)" = 9 ] || fail "$(cat "$LOG")"
	reprise explain >explained
	grep -q 'SECRET=[0-9a-f]\{32\} path=' explained
	redis_cli main --scan | while read -r key; do raw main get "$key"; done >redis
	[ -s redis ]
	for value in hunter2 kkkkkkkk 'two words'; do
		! grep -rqa "$value" "$STORE" "$RUNTIME" "$LOG" explained redis ||
			fail "$value: $(grep -rla "$value" "$STORE" "$RUNTIME" "$LOG" explained)"
	done
	units_clean
}

# bats test_tags=check
@test "own classes: all lines of the example are right, and fit what vLLM and FlashInfer write" {
	sed -n 's/^#UNIT=/UNIT=/p' "$TOP/docs/units.conf.example" >"$CONF"
	[ "$(reprise config | grep -c "^UNIT .*($CONF:")" = 5 ] || fail "$(reprise config 2>&1)"
	cat >others.py <<-'END'
	# Files as vLLM and FlashInfer look for them and write them.
	import os, sys
	root, hash = sys.argv[1], "0123456789abcdef" * 4
	def say(found, name): print("found" if found else "made", name, file=sys.stderr)
	vllm = root + "/vllm/torch_compile_cache/" + hash[:10] + "/rank_0_0/backbone"
	os.makedirs(vllm, exist_ok=True)
	found = os.path.exists(vllm + "/cache_key_factors.json")
	say(found, "vllm")
	for name in ("cache_key_factors.json", "artifact_compile_range_1_8192_subgraph_0",
	             "vllm_compile_cache.py", "computation_graph.py"):
	    if not found:
	        with open(vllm + "/" + name, "wb") as f: f.write(b'{"name": "%s"}' % name.encode())
	    print(open(vllm + "/" + name).read())
	def renamed(path, tmp):
	    path, tmp = root + "/" + path, root + "/" + tmp
	    found = True
	    try:
	        with open(path, encoding="latin-1") as f: text = f.read()
	    except FileNotFoundError:
	        found, text = False, path[len(root):]
	        if path.endswith("cubin"):
	            with open(sys.argv[2], encoding="latin-1") as f: text = f.read()
	        os.makedirs(os.path.dirname(path), exist_ok=True)
	        os.makedirs(os.path.dirname(tmp), exist_ok=True)
	        with open(tmp, "w", encoding="latin-1") as f: f.write(text)
	        os.replace(tmp, path)
	    say(found, path)
	    print(ascii(text))
	for part in ("batched_gemm-3d40263-3e19f0a", "fmha/trtllm-gen", "fmha/cudnn", "deep-gemm"):
	    cubin = "cubins/%s/%s/fmhaSm100.cubin" % (hash[:40], part)
	    renamed(cubin, cubin + "." + hash[:32] + ".tmp")
	END
	echo 'int k(void) { return 1; }' >k.c
	gcc -c k.c
	local n
	for n in cold warm; do
		JOB_ENV=(VLLM_CACHE_ROOT="$ROOT/fw/vllm")
		unit_job $n under others.py "$ROOT/fw" k.o
		drain
		units_wipe
	done
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(found cold) $(found warm)" = "0 5" ] || fail "$(cat "$ROOT/warm.err"; reprise explain)"
	# Where the cache lies elsewhere, the index would name files that are not there.
	JOB_ENV=(VLLM_CACHE_ROOT="$ROOT/fw/other")
	unit_job moved under others.py "$ROOT/fw" k.o
	[ "$(found moved)" = 4 ] || fail "$(cat "$ROOT/moved.err")"
	units_clean
}

need_kernels() {
	[ -n "$E2E_KERNELS" ] ||
		skip "no Numba: scripts/kernels-python.sh --make downloads them"
	JOB_PYTHON=$E2E_KERNELS
}
# The line of docs/units.conf.example for a class, with a sed script applied.
example() {
	sed -n "s/^#\(UNIT=$1 \)/\1/p" "$TOP/docs/units.conf.example" | sed "${2:-}" >"$CONF"
	[ -s "$CONF" ]
}

# An application with a function that Numba keeps, and a job that calls it for some numbers.
numba_app() {
	mkdir app
	cat >app/kernels.py <<-'END'
	from numba import njit
	@njit(cache=True)
	def f(x, n):
	    s = x * 0
	    for i in range(n):
	        s += x / (i + 1)
	    return s
	END
	cat >n.py <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import kernels
	for word in sys.argv[2:]:
	    print(word, repr(kernels.f(eval(word), 1000)))
	print("hits", sum(kernels.f.stats.cache_hits.values()), "misses",
	      sum(kernels.f.stats.cache_misses.values()), file=sys.stderr)
	END
}
counts() { sed -n 's/^hits //p' "$ROOT/$1.err"; }
numba_job() { # NAME plain|under NUMBER...
	local name=$1 how=$2
	shift 2
	unit_job "$name" "$how" n.py "$W/app" "$@"
}

# bats test_tags=long
@test "own classes: Numba's functions on a CPU, whose cache grows, in an empty container" {
	need_kernels
	numba_app
	example numba "s|/app/|$W/app/|"
	age_sources
	JOB_ENV=(NUMBA_CACHE_DIR="$ROOT/fw/numba" PYTHONDONTWRITEBYTECODE=1)
	numba_job plain plain 2 2.5 1j
	units_wipe
	numba_job cold under 2 2.5
	[ "$(counts cold)" = "0 misses 2" ]
	drain
	[ "$(stat_of packed_user_caches)" = 1 ] || fail "$(cat "$LOG")"
	units_wipe
	numba_job more under 2 2.5 1j
	cmp "$ROOT/plain.out" "$ROOT/more.out"
	[ "$(counts more)" = "2 misses 1" ]
	drain
	units_wipe
	numba_job warm under 2 2.5 1j
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	[ "$(counts warm)" = "3 misses 0" ]
	[ "$(stat_of brought_user_caches)" = 2 ]
	# Another source of the same time and size is another scope.
	units_wipe
	touch -r app/kernels.py stamp
	sed -i 's/i + 1/i + 2/' app/kernels.py
	touch -r stamp app/kernels.py
	age_sources
	numba_job edited under 2 2.5 1j
	[ "$(counts edited)" = "0 misses 3" ]
	! cmp -s "$ROOT/warm.out" "$ROOT/edited.out" || fail "the edit changes nothing"
	units_clean
}

# bats test_tags=long
@test "own classes: Numba's functions in __pycache__, beside the source" {
	need_kernels
	numba_app
	example numba-beside "s|/app/|$W/app/|"
	age_sources
	JOB_ENV=()
	numba_job plain plain 2 2.5
	ls app/__pycache__/*.nbc
	rm -r app/__pycache__
	numba_job cold under 2 2.5
	[ "$(counts cold)" = "0 misses 2" ]
	drain
	[ "$(stat_of packed_user_caches)" = 1 ] || fail "$(cat "$LOG")"
	rm -r app/__pycache__
	numba_job warm under 2 2.5
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	[ "$(counts warm)" = "2 misses 0" ] || fail "$(cat "$ROOT/warm.err")"
	[ "$(stat_of brought_user_caches)" = 1 ]
	# Another source, of the same time and size.
	rm -r app/__pycache__
	touch -r app/kernels.py stamp
	sed -i 's/i + 1/i + 2/' app/kernels.py
	touch -r stamp app/kernels.py
	age_sources
	numba_job edited under 2 2.5
	[ "$(counts edited)" = "0 misses 2" ]
	! cmp -s "$ROOT/warm.out" "$ROOT/edited.out" || fail "the edit changes nothing"
	units_clean
}
