#!/usr/bin/env bats
# SIGKILL at random points of record and replay: the next run is right, whatever is left.
# REPRISE_TEST_ROUNDS (default 300) sets the rounds. The random seed is printed; REPRISE_TEST_SEED
# sets it.

setup() {
	load ../e2e/lib
	case_setup
	ROUNDS=${REPRISE_TEST_ROUNDS:-300}
	SEED=${REPRISE_TEST_SEED:-$RANDOM}
	cat >rounds.py <<-'EOP'
	"""rounds.py WHAT ROUNDS SEED: compiles k.c and kills at random; our env is that of the
	runs. Prints what went wrong."""
	import hashlib, os, random, shutil, signal, subprocess, sys, time
	what, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
	rnd = random.Random(seed)
	lib, store, runtime = (os.environ["KILL_LIB"], os.environ["KILL_STORE"],
	                       os.environ["KILL_RUNTIME"])
	env = dict(os.environ, LD_PRELOAD=lib, REPRISE_CACHE_DIR=store, REPRISE_RUNTIME_DIR=runtime,
	           REPRISE_LOG=os.environ["KILL_LOG"])
	cmd = ["gcc", "-O2", "-MMD", "-Wall", "-c", "k.c", "-o", "k.o"]
	text = ("#include <stdio.h>\n#include <stdlib.h>\n"
	        "int f%d(int x) { int unused; return x * %d; }\n")
	def run(e):
	    return subprocess.run(cmd, env=e, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
	                          stderr=subprocess.PIPE)
	def outputs():
	    return [hashlib.sha256(open(n, "rb").read()).hexdigest() for n in ("k.o", "k.d")]
	def clean():
	    for n in ("k.o", "k.d"):
	        try: os.unlink(n)
	        except OSError: pass
	def below(pid):
	    found, todo = [], [pid]
	    while todo:
	        try:
	            for t in os.listdir("/proc/%d/task" % todo[0]):
	                kids = list(map(int, open("/proc/%d/task/%s/children"
	                                          % (todo[0], t)).read().split()))
	                todo += kids; found += kids
	        except OSError: pass
	        todo.pop(0)
	    return found
	def alive(group):  # a zombie that init has not fetched yet does nothing more
	    for n in os.listdir("/proc"):
	        if n.isdigit():
	            try: f = open("/proc/%s/stat" % n).read().rsplit(") ", 1)[1].split()
	            except OSError: continue
	            if int(f[2]) == group and f[0] not in "ZX": return True
	    return False
	def version(i):
	    open("k.c", "w").write(text % (i, i)); time.sleep(0.01)
	# How long a run takes, to spread the kills over it.
	version(0); t = time.time(); run(env); miss = time.time() - t
	t = time.time(); run(env); hit = time.time() - t
	bad = killed = 0
	for i in range(1, rounds + 1):
	    if what == "record": version(i)
	    span = miss if what == "record" else hit
	    clean()
	    p = subprocess.Popen(cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
	                         stderr=subprocess.PIPE, start_new_session=True)
	    time.sleep(rnd.uniform(0, span * (1.1 if what == "record" else 0.7)))
	    victims = rnd.choice(["top", "group", "child"])
	    try:
	        if victims == "group": os.killpg(p.pid, signal.SIGKILL)
	        elif victims == "child":
	            kids = below(p.pid)
	            os.kill(rnd.choice(kids) if kids else p.pid, signal.SIGKILL)
	        else: os.kill(p.pid, signal.SIGKILL)
	    except ProcessLookupError: pass
	    p.communicate()
	    if p.returncode != 0: killed += 1
	    end = time.time() + 5
	    while time.time() < end and alive(p.pid): time.sleep(0.005)
	    if alive(p.pid):  # nothing of the killed tree may go on writing
	        print("round %d (%s): processes of the killed group are left" % (i, victims))
	        bad += 1
	        os.killpg(p.pid, signal.SIGKILL)
	    clean()
	    got = run(env); g = (got.returncode, got.stdout, got.stderr, outputs())
	    clean()
	    again = run(env); a = (again.returncode, again.stdout, again.stderr, outputs())
	    clean()
	    plain = run(dict(os.environ))
	    w = (plain.returncode, plain.stdout, plain.stderr, outputs())
	    if g != w or a != w:
	        print("round %d (%s): other results after a kill" % (i, victims)); bad += 1
	    for n in os.listdir(os.environ["TMPDIR"]):
	        os.unlink(os.path.join(os.environ["TMPDIR"], n))
	print("%s: %d rounds, %d killed in time, %d bad" % (what, rounds, killed, bad))
	sys.exit(1 if bad or not killed else 0)
	EOP
	export KILL_LIB=$REPRISE_LIB KILL_STORE=$STORE KILL_RUNTIME=$RUNTIME KILL_LOG=$LOG
}
teardown() { case_teardown; }

after() {
	[ "$(stat_of errors)" = 0 ] || fail "errors counted"
	reprise verify >v || { cat v >&2; fail "a bad entry is left"; }
	reprise gc >/dev/null
	[ "$(stat_of corrupt)" = 0 ] || fail "$(stat_of corrupt) damaged entries"
}

@test "kill rounds: record" {
	echo "# seed $SEED" >&3
	"$PY" rounds.py record "$ROUNDS" "$SEED" >got || { cat got >&2; return 1; }
	echo "# $(tail -n 1 got)" >&3
	after
}

@test "kill rounds: replay" {
	echo "# seed $SEED" >&3
	"$PY" rounds.py replay "$ROUNDS" "$SEED" >got || { cat got >&2; return 1; }
	echo "# $(tail -n 1 got)" >&3
	after
}

@test "kill rounds: a store that is wiped all the time" {
	: >"$ROOT/wiping"
	(while [ -e "$ROOT/wiping" ]; do rm -rf "$STORE" 2>/dev/null || true; sleep 0.05; done) &
	local s
	"$PY" rounds.py record 60 "$SEED" >got && s=0 || s=$?
	rm "$ROOT/wiping"
	wait
	[ $s = 0 ] || { cat got >&2; return 1; }
}
