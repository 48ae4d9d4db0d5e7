#!/usr/bin/env bats
# JAX's compilation cache on a CPU: each start is that of a fresh container, with another home and
# an empty directory.

setup_file() {
	load units_lib
	units_setup_file
	load lib
	export E2E_JAX
	E2E_JAX=$(sh "$TOP/scripts/jax-python.sh") || E2E_JAX=
}

setup() {
	load units_lib
	units_setup
	[ -n "$E2E_JAX" ] || skip "no jax: scripts/jax-python.sh --make downloads it"
	JOB_PYTHON=$E2E_JAX
	unset ${!JAX@} # the caller's
	# The variables that reprise-run --jax sets. A case below tests it.
	CACHE=(JAX_COMPILATION_CACHE_DIR="$ROOT/fw/jax" JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0
		JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1
		JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES=none)
	jax_py
}
teardown() { remote_teardown; }

# jax.py [FACTOR]: a training job. stdout: its losses and parameters, bit for bit; stderr: what JAX
# counted.
jax_py() {
	cat >jax_job.py <<-'END'
	import hashlib, json, sys, time
	begin = time.time()
	import jax, jax.numpy as jnp, numpy as np
	counts = {"hits": 0, "misses": 0}
	def count(event, **kw):
	    for k in counts:
	        counts[k] += event == "/jax/compilation_cache/cache_" + k
	jax.monitoring.register_event_listener(count)
	factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
	keys = jax.random.split(jax.random.key(0), 4)
	w = {"a": jax.random.normal(keys[0], (64, 128)) / 8,
	     "b": jax.random.normal(keys[1], (128, 10)) / 8}
	x, y = jax.random.normal(keys[2], (256, 64)), jax.random.randint(keys[3], (256,), 0, 10)
	def loss(w, x, y):
	    h = jax.nn.gelu(x @ w["a"]) * factor
	    return -jnp.mean(jax.nn.log_softmax(h @ w["b"])[jnp.arange(len(y)), y])
	@jax.jit
	def step(w, x, y):
	    l, g = jax.value_and_grad(loss)(w, x, y)
	    return jax.tree.map(lambda p, d: p - 0.1 * d, w, g), l
	for _ in range(5):
	    w, l = step(w, x, y)
	    print(np.asarray(l).tobytes().hex())
	for k in sorted(w):
	    print(k, hashlib.sha256(np.asarray(w[k]).tobytes()).hexdigest())
	print(json.dumps(dict(counts, seconds=time.time() - begin)), file=sys.stderr)
	END
}

jax_job() { # NAME plain|under [FACTOR]
	local name=$1 how=$2
	shift 2
	mkdir -p "$ROOT/home-$name"
	JOB_ENV=("${CACHE[@]}" HOME="$ROOT/home-$name" ${MORE[@]+"${MORE[@]}"})
	unit_job "$name" "$how" jax_job.py "$@"
}
counted() { sed -n "s/.*\"$2\": \([0-9.]*\).*/\1/p" "$ROOT/$1.err"; }
programs() { find "$ROOT/fw/jax" -name '*-cache' | wc -l; }

# JAX itself says that each program came from its cache.
all_hits() {
	[ "$(counted "$1" misses)" = 0 ] && [ "$(counted "$1" hits)" -gt 3 ] ||
		fail "$1: $(tail -n 3 "$ROOT/$1.err")"
}

cold() {
	jax_job cold under
	[ "$(counted cold hits)" = 0 ]
	[ "$(programs)" = "$(counted cold misses)" ]
	drain
	[ "$(stat_of packed_jax)" = "$(programs)" ] ||
		{ fail "packed $(stat_of packed_jax) of $(programs): $(cat "$LOG")"; return 1; }
	programs >"$ROOT/programs"
	units_wipe
}
# The store of a first start, which one case makes for all.
cold_and_drained() {
	once cold store cold.out cold.err programs -- cold
	PROGRAMS=$(cat "$ROOT/programs")
}

# bats test_tags=check
@test "jax: the second start in an empty container finds each program, and its results are equal" {
	jax_job plain plain
	units_wipe
	cold_and_drained
	cmp "$ROOT/plain.out" "$ROOT/cold.out"
	jax_job warm under
	cmp "$ROOT/plain.out" "$ROOT/warm.out"
	all_hits warm
	[ "$(stat_of brought_jax)" = "$PROGRAMS" ]
	# A laid unit is not offered again.
	drain
	[ "$(stat_of packed_jax)" -le "$PROGRAMS" ]
	[ -z "$(find "$ROOT/fw" -name '.reprise*')" ]
	units_clean
}

# bats test_tags=long
@test "jax: another node finds the programs in Redis" {
	units_two_nodes
	cold
	on b
	jax_job warm under
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	all_hits warm
	units_clean
}

# bats test_tags=long
@test "jax: another program is compiled, and programs that both jobs share are not" {
	cold_and_drained
	jax_job plain plain 1.5
	units_wipe
	jax_job other under 1.5
	cmp "$ROOT/plain.out" "$ROOT/other.out"
	[ "$(counted other misses)" = 1 ]
	[ "$(counted other hits)" -gt 3 ]
	reprise explain >"$ROOT/explained"
	grep -q '/fw/jax/jit_step-[0-9a-f]*-cache$' "$ROOT/explained" ||
		fail "$(cat "$ROOT/explained")"
	grep -q '^  shared by isa=' "$ROOT/explained"
	units_clean
}

# bats test_tags=long
@test "jax: a limited cache, while another process makes the same programs" {
	MORE=(JAX_COMPILATION_CACHE_MAX_SIZE=100000000)
	# Between JAX's look-up and its write, another directory gets the programs, and they are
	# packed.
	cat >between.py <<-'END'
	import os, subprocess, sys
	from jax._src import lru_cache
	put = lru_cache.LRUCache.put
	def late(self, key, value):
	    if not os.path.exists("packed"):
	        open("packed", "w").close()
	        env = dict(os.environ, JAX_COMPILATION_CACHE_DIR=os.environ["OTHER"])
	        subprocess.run([sys.executable, "jax_job.py"], env=env, check=True)
	        subprocess.run([os.environ["REPRISE"], "publish", "--wait", "60"], check=True)
	    return put(self, key, value)
	lru_cache.LRUCache.put = late
	exec(open("jax_job.py").read())
	END
	mkdir -p "$ROOT/home-one"
	JOB_ENV=("${CACHE[@]}" HOME="$ROOT/home-one" "${MORE[@]}" OTHER="$ROOT/fw/other"
		REPRISE="$REPRISE_BIN")
	unit_job one under between.py
	[ "$(stat_of packed_jax)" -gt 3 ] || fail "$(cat "$LOG")"
	! grep -i 'persistent compilation cache' "$ROOT/one.err" || fail "a write failed"
	[ "$(programs)" -gt 3 ]
	[ "$(find "$ROOT/fw/jax" -name '*-atime' | wc -l)" = "$(programs)" ] ||
		fail "$(ls "$ROOT/fw/jax")"
	units_clean
}

# bats test_tags=long
@test "jax: a limited cache, whose times of use JAX keeps; a check of contents takes it away" {
	cold_and_drained
	MORE=(JAX_COMPILATION_CACHE_MAX_SIZE=100000000)
	jax_job limited under
	cmp "$ROOT/cold.out" "$ROOT/limited.out"
	all_hits limited
	[ "$(find "$ROOT/fw/jax" -name '*-atime' | wc -l)" = "$PROGRAMS" ]
	units_wipe
	MORE=(JAX_COMPILATION_CACHE_CHECK_CONTENTS=1)
	jax_job checked under
	cmp "$ROOT/cold.out" "$ROOT/checked.out"
	[ "$(counted checked hits)" = 0 ]
	reprise explain | grep -q 'JAX_COMPILATION_CACHE_CHECK_CONTENTS turns it off'
	units_clean
}

# bats test_tags=long
@test "jax: an unfinished program is not packed, and a damaged entry is refused" {
	jax_job cold under
	local f
	for f in "$ROOT"/fw/jax/jit_step-*-cache; do truncate -s -3 "$f"; done
	REPRISE_LOG_LEVEL=info drain
	grep -q 'not kept: jax .*jit_step' "$LOG" || fail "$(cat "$LOG")"
	units_wipe
	jax_job warm under
	cmp "$ROOT/cold.out" "$ROOT/warm.out"
	[ "$(counted warm misses)" = 1 ]
	drain
	units_wipe
	for f in $(find "$STORE/unit" -type f); do
		printf 'XXXX' | dd of="$f" bs=1 seek=300 conv=notrunc status=none
	done
	jax_job damaged under
	cmp "$ROOT/cold.out" "$ROOT/damaged.out"
	[ "$(counted damaged hits)" = 0 ]
	[ "$(stat_of corrupt)" -gt 3 ]
	units_clean
}

# bats test_tags=long
@test "jax: reprise-run --jax turns the cache on in a directory of the job's own" {
	local n run=("$TOP/scripts/reprise-run" --jax --quiet "$E2E_JAX" jax_job.py)
	for n in one two; do
		mkdir -p "$TMPDIR" "$ROOT/home-$n"
		env "${RPENV[@]:1}" HOME="$ROOT/home-$n" \
			"${run[@]}" >"$ROOT/$n.out" 2>"$ROOT/$n.err" || fail "$(cat "$ROOT/$n.err")"
		# The publisher has packed all programs, also the last one: a container may end
		# here.
		[ "$(find "$TMPDIR/reprise-jax-$(id -u)" -name '*-cache' | wc -l)" -gt 3 ]
		[ "$(stat -c %a "$TMPDIR/reprise-jax-$(id -u)"/*)" = 700 ]
		units_wipe
	done
	cmp "$ROOT/one.out" "$ROOT/two.out"
	[ "$(counted one hits)" = 0 ]
	all_hits two
	units_clean
}

# bats test_tags=check
@test "jax: without --jax no variable is set, and with it the user's variables stay" {
	local seen=(sh -c 'env | grep "^JAX_" | sort' sh)
	[ -z "$("$TOP/scripts/reprise-run" --quiet "${seen[@]}")" ]
	env JAX_COMPILATION_CACHE_DIR=/mine JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=7 \
		"$TOP/scripts/reprise-run" --jax --quiet "${seen[@]}" >seen
	diff seen - <<-'END'
	JAX_COMPILATION_CACHE_DIR=/mine
	JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES=none
	JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=7
	JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1
	END
	# A directory that another user may have made is not used.
	mkdir -m 777 "$TMPDIR/reprise-jax-$(id -u)"
	"$TOP/scripts/reprise-run" --jax "${seen[@]}" >seen 2>said
	! grep -q COMPILATION_CACHE_DIR seen || fail "$(cat seen)"
	grep -q '^reprise-run: --jax: .*set JAX_COMPILATION_CACHE_DIR to a directory of yours' \
		said || fail "$(cat said)"
}
