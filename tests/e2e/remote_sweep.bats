#!/usr/bin/env bats
# Connections of jobs and publishers that end after any byte of the dialogue. The compile is right.
# The node keeps, and Redis names, complete entries only. Records without acknowledgement stay.

setup() {
	load lib
	load redis
	load remote_lib
	remote_setup
	unset REPRISE_REMOTE_LOOKUP_TIMEOUT
	start
	put b.s '.globl b' 'b: ret' \
		'.ascii "of some bytes that differ: 0123456789 abcdefghijklmnopqrstuvwxyz"'
	as b.s -o want.o
	redis_proxy sweep "$REDIS_PORT" at
	remote_url "redis://127.0.0.1:$PROXY_PORT"
	echo pass 0 >"$REDIS_DIR/sweep.port.at"
	# Node a's record stays in its spool: no command beside this object could send it.
	mkdir "$ROOT/lone"
	cp "$REPRISE_LIB" "$ROOT/lone/libreprise.so"
	age
	on a
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/lone/libreprise.so" REPRISE_STRICT=0 as b.s -o b.o
	cmp b.o want.o
	rm b.o
	cp -a "$STORE" "$ROOT/recorded"
	drain
	cat >sweep.py <<-'END'
	"""Code that both sweeps share. Offsets: each of the first 200, then every 41st, until the
	end."""
	import os, shutil, subprocess, sys
	root, lib, command, proxy = (os.environ["SWEEP_" + n]
	                             for n in ("ROOT", "LIB", "BIN", "PROXY"))
	sys.path.append(os.environ["SWEEP_TOP"] + "/tests/e2e")
	import redis_raw
	def ask(*words):
	    return redis_raw.ask(root + "/redis/main/socket", *words)
	def held():
	    """What Redis has but leases, by key."""
	    keys = [k for k in ask("KEYS", "*") if b":l:" not in k]
	    return {k: ask("LRANGE", k, "0", "-1") if b":m:" in k else ask("GET", k) for k in keys}
	def env(node, **more):
	    e = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_")}
	    return dict(e, REPRISE_CACHE_DIR=f"{root}/{node}",
	                REPRISE_RUNTIME_DIR=f"{root}/{node}.run", REPRISE_LOG=f"{root}/{node}.log",
	                REPRISE_REDIS_URL=os.environ["SWEEP_URL"], REPRISE_LOG_LEVEL="info", **more)
	def fresh(node, copy=None):
	    for at in node, node + ".run":
	        shutil.rmtree(f"{root}/{at}", ignore_errors=True)
	    if os.path.exists(f"{root}/{node}.log"): os.unlink(f"{root}/{node}.log")
	    if copy: shutil.copytree(f"{root}/{copy}", f"{root}/{node}", symlinks=True)
	def run(argv, **more):
	    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
	                          stderr=subprocess.STDOUT, **more)
	def end_at(kind, n):
	    if os.path.exists(proxy + ".ended"): os.unlink(proxy + ".ended")
	    with open(proxy + ".at", "w") as f: f.write(f"{kind} {n}")
	def ended():
	    return os.path.exists(proxy + ".ended")
	def sweep(kind, one):
	    """one(kind, n) is true if all bytes went through: twice in a row at the end, never
	    before byte 20."""
	    n = whole = count = 0
	    while whole < 2:
	        end_at(kind, n)
	        through = one(kind, n)
	        assert not through or n >= 20, f"{kind} {n}: through"
	        whole = whole + 1 if through else 0
	        n += 1 if n < 200 else 41
	        count += 1
	        assert n < 20000, f"{kind}: no end"
	    print(f"{kind}: {count} offsets up to {n}")
	END
	export SWEEP_TOP=$TOP SWEEP_ROOT=$ROOT SWEEP_LIB=$REPRISE_LIB SWEEP_BIN=$REPRISE_BIN \
		SWEEP_PROXY=$REDIS_DIR/sweep.port SWEEP_URL=$REPRISE_REDIS_URL
	unset REPRISE_REDIS_URL
}
teardown() { remote_teardown; }

# bats test_tags=long
@test "remote_sweep: a look-up that ends at any byte" {
	cat >look.py <<-'END'
	from sweep import *
	want, before = open("want.o", "rb").read(), held()
	assert len(before) == 2
	def one(kind, n):
	    fresh("b")
	    if os.path.exists("b.o"): os.unlink("b.o")
	    e = env("b", REPRISE_STRICT="1", REPRISE_REMOTE_READONLY="1",
	            REPRISE_REMOTE_LOOKUP_TIMEOUT="3s")
	    p = run(["as", "b.s", "-o", "b.o"], env=dict(e, LD_PRELOAD=lib))
	    assert (p.returncode, p.stdout) == (0, b""), f"{kind} {n}: {p}"
	    assert open("b.o", "rb").read() == want, f"{kind} {n}: another object"
	    log = open(f"{root}/b.log", errors="replace").read()
	    hit = " hit: " in log
	    assert hit or " miss: " in log and ended(), f"{kind} {n}: {log}"
	    assert not any(w in log
	                   for w in (" error ", "refused:", "damaged")), f"{kind} {n}: {log}"
	    p = run([command, "verify"], env=e)
	    assert p.returncode == 0, f"{kind} {n}: {p}"
	    # Complete entries are replayed without repair.
	    if hit or n % 50 == 0:
	        os.unlink("b.o")
	        run(["as", "b.s", "-o", "b.o"], env=dict(e, LD_PRELOAD=lib, REPRISE_REDIS_URL=""))
	        assert open("b.o", "rb").read() == want, f"{kind} {n}: again"
	        assert open(f"{root}/b.log").read().count(" hit: ") == 1 + hit, f"{kind} {n}: again"
	    return hit and not ended()
	for kind in "cut", "reset", "swallow":
	    sweep(kind, one)
	assert held() == before
	END
	"$PY" look.py >said 2>&1 || { cat said >&2; fail "look-ups"; }
	sed 's/^/# /' said >&3
}

# bats test_tags=long
@test "remote_sweep: a publisher's connection that ends at any byte" {
	cat >publish.py <<-'END'
	from sweep import *
	right = held()
	assert len(right) == 2 and [len(v) for k, v in right.items() if b":m:" in k] == [1]
	def publish(wait):
	    return run([command, "publish", "--wait", wait], env=env("p"))
	def waits():
	    return any(names for _, _, names in os.walk(f"{root}/p/spool"))
	def one(kind, n):
	    ask("FLUSHALL")
	    fresh("p", "recorded")
	    assert waits()
	    p = publish("30ms")
	    if p.returncode and not ended():
	        p = publish("1s") # a machine at work
	    was_ended = ended() # or in several connections, where there was time for that
	    now = held()
	    # Each key has the expected value, or is absent. A candidate is there only with its
	    # result.
	    assert all(right.get(k) == v for k, v in now.items()), f"{kind} {n}: {now.keys()}"
	    assert (now == right or
	            not any(b":m:" in k for k in now)), f"{kind} {n}: a candidate of no result"
	    assert (p.returncode == 0) == (not waits()), f"{kind} {n}: {p}"
	    assert now == right or waits(), f"{kind} {n}: lost"
	    if p.returncode and n % 20 == 0:
	        end_at("pass", 0)
	        p2 = publish("20s")
	        assert p2.returncode == 0 and held() == right and not waits(), f"{kind} {n}: {p2}"
	    return not p.returncode and not was_ended
	for kind in "cut", "reset", "swallow":
	    sweep(kind, one)
	END
	"$PY" publish.py >said 2>&1 || { cat said >&2; fail "publishers"; }
	sed 's/^/# /' said >&3
}
