#!/usr/bin/env bats
# SIGKILL of jobs, supervisors, publishers and Redis at random points, while two nodes work. Each
# compile is right on both nodes. No acknowledged entry is damaged or lost. A publisher forgets a
# record after its acknowledgement. At the end no record is left: Redis holds all entries of the
# nodes, except those that a killed supervisor of node a stored and did not write down. A fresh node
# compiles nothing.
# REPRISE_TEST_ROUNDS (default 300) sets the rounds. The random seed is printed; REPRISE_TEST_SEED
# sets it.

setup() {
	load ../e2e/lib
	load ../e2e/redis
	load ../e2e/remote_lib
	remote_setup
	ROUNDS=${REPRISE_TEST_ROUNDS:-300}
	SEED=${REPRISE_TEST_SEED:-$RANDOM}
	cat >rounds.py <<-'EOP'
	"""rounds.py ROUNDS SEED PORT: nodes a and b compile one new source at once, while a process
	is killed."""
	import hashlib, os, random, re, shutil, signal, subprocess, sys, time
	rounds, seed, port = map(int, sys.argv[1:4])
	rnd = random.Random(seed)
	root, lib, command = os.environ["KILL_ROOT"], os.environ["KILL_LIB"], os.environ["KILL_BIN"]
	clean = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_")}
	text = "#include <stdio.h>\nint f%d(int x) { int unused; return x * %d; }\n"
	cmd = ["gcc", "-O2", "-MMD", "-Wall", "-c", "k.c", "-o", "k.o"]
	bad = 0
	def env(node, preload=True):
	    e = dict(clean, REPRISE_CACHE_DIR=f"{root}/{node}",
	             REPRISE_RUNTIME_DIR=f"{root}/{node}.run", REPRISE_LOG=f"{root}/{node}.log",
	             REPRISE_REDIS_URL=f"redis://127.0.0.1:{port}", REPRISE_REMOTE_LEASE="1s",
	             REPRISE_STRICT="1")
	    if preload: e["LD_PRELOAD"] = lib
	    return e
	def redis():
	    p = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1",
	                          "--save", "", "--dir", root,
	                          "--appendonly", "yes", "--appendfsync", "no", "--loglevel",
	                          "warning"],
	                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
	                         stdin=subprocess.DEVNULL)
	    while subprocess.run(["redis-cli", "-p", str(port), "ping"], stdout=subprocess.PIPE,
	                         stderr=subprocess.DEVNULL).stdout != b"PONG\n":
	        time.sleep(0.01)
	    return p
	def start(node, e):
	    return subprocess.Popen(cmd, env=e, cwd=f"{root}/dir.{node}", stdin=subprocess.DEVNULL,
	                            stdout=subprocess.PIPE,
	                            stderr=subprocess.PIPE, start_new_session=True)
	def result(node, p):
	    out, err = p.communicate()
	    sums = []
	    for n in ("k.o", "k.d"):
	        try:
	            sums.append(hashlib.sha256(open(f"{root}/dir.{node}/{n}",
	                                            "rb").read()).hexdigest())
	        except OSError: sums.append("none")
	    return p.returncode, out, err, sums
	def tidy(node):
	    for n in ("k.o", "k.d"):
	        try: os.unlink(f"{root}/dir.{node}/{n}")
	        except OSError: pass
	def publishers():
	    found = []
	    for n in os.listdir("/proc"):
	        if not n.isdigit(): continue
	        try:
	            command = open(f"/proc/{n}/cmdline", "rb").read()
	            if (command.startswith(b"reprise\0publish\0--daemon") and
	                f"={root}/".encode() in open(f"/proc/{n}/environ", "rb").read()):
	                found.append(int(n))
	        except OSError: pass
	    return found
	def below(pid):
	    found, todo = [], [pid]
	    while todo:
	        try:
	            for t in os.listdir(f"/proc/{todo[0]}/task"):
	                kids = list(map(int,
	                                open(f"/proc/{todo[0]}/task/{t}/children").read().split()))
	                todo += kids; found += kids
	        except OSError: pass
	        todo.pop(0)
	    return found
	def entries(node):
	    found = set()
	    for kind in ("manifest", "result"):
	        for at, _, names in os.walk(f"{root}/{node}/{kind}"):
	            # <kind>/<2 digits>/<the others>[.slot]; in Redis <prefix>:1:<kind>:{digits}
	            found |= {f"reprise:1:{kind[0]}:{{{os.path.basename(at)}{n.split('.')[0]}}}"
	                      for n in names}
	    return found
	def kill(pid):
	    try: os.kill(pid, signal.SIGKILL); return 1
	    except ProcessLookupError: return 0
	for n in "abc":
	    os.makedirs(f"{root}/dir.{n}")
	server = redis()
	struck = {}
	cut_off = set() # what a supervisor that was killed may have stored and not written down
	for i in range(1, rounds + 1):
	    for n in "ab":
	        tidy(n)
	        open(f"{root}/dir.{n}/k.c", "w").write(text % (i, i))
	    time.sleep(0.03) # older, the source is trusted
	    before = entries("a")
	    what = rnd.choice(["group", "top", "child", "publisher", "redis", "publisher", "redis"])
	    job = {n: start(n, env(n)) for n in "ab"}
	    time.sleep(rnd.uniform(0, 0.25))
	    down = False
	    if what == "redis": down = True; server.kill(); server.wait(); hit = 1
	    elif what == "publisher":
	        p = publishers(); hit = kill(rnd.choice(p)) if p else 0
	    elif what == "group":
	        try: os.killpg(job["a"].pid, signal.SIGKILL); hit = 1
	        except ProcessLookupError: hit = 0
	    elif what == "child":
	        p = below(job["a"].pid); hit = kill(rnd.choice(p)) if p else 0
	    else: hit = kill(job["a"].pid)
	    struck[what] = struck.get(what, 0) + hit
	    got = {n: result(n, job[n]) for n in "ab"}
	    if down: server = redis()
	    tidy("c"); shutil.copy2(f"{root}/dir.a/k.c", f"{root}/dir.c/k.c")
	    want = result("c", start("c", clean))
	    again = got["a"]
	    if what not in ("redis", "publisher"):
	        time.sleep(0.05) # children of a killed process end with it
	        cut_off |= entries("a") - before
	        tidy("a"); again = result("a", start("a", env("a")))
	    for node, r in (("a", again), ("b", got["b"])):
	        if r != want:
	            bad += 1; print(f"round {i} ({what}): node {node}: {r} but plain {want}")
	# All records that are left in the spools are sent, and a node with an empty store gets
	# them.
	for n in "ab":
	    p = subprocess.run([command, "publish", "--wait", "60"], env=env(n, False),
	                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
	    if p.returncode: bad += 1; print(f"node {n}: not published: {p.stdout}")
	there = set(subprocess.run(["redis-cli", "-p", str(port), "--raw", "keys",
	                            "reprise:1:[mr]:*"], stdout=subprocess.PIPE,
	                           text=True).stdout.split())
	kept = entries("a") | entries("b")
	lost = kept - there - cut_off
	for key in sorted(lost):
	    bad += 1
	    print(f"published by {[n for n in 'ab' if key in entries(n)]} and not there: {key}")
	if len(kept) < 2 * rounds: bad += 1; print(f"{len(kept)} entries of {rounds} rounds")
	def remote_hits():
	    said = subprocess.run([command, "stats", "--json"], env=env("c", False),
	                          stdout=subprocess.PIPE, text=True).stdout
	    return int(re.search(r'"hits_remote": (\d+)', said)[1])
	remote = 0
	for i in range(1, rounds + 1):
	    tidy("c"); open(f"{root}/dir.c/k.c", "w").write(text % (i, i)); time.sleep(0.03)
	    r = result("c", start("c", dict(env("c"), REPRISE_REMOTE_LOOKUP_TIMEOUT="5s")))
	    if remote_hits() == remote: bad += 1; print(f"node c: source {i} was compiled")
	    remote = remote_hits()
	    tidy("c"); w = result("c", start("c", clean))
	    if r != w: bad += 1; print(f"node c: source {i}: {r} but plain {w}")
	server.kill(); server.wait()
	for p in publishers(): kill(p)
	print(f"{rounds} rounds, killed {struck}, {len(kept)} entries, {len(lost)} lost, "
	      f"{len((kept & cut_off) - there)} not written down, "
	      f"{remote} of {rounds} remote hits of a fresh node, {bad} bad")
	sys.exit(1 if bad or len([w for w in struck.values() if w]) < min(5, rounds // 20) else 0)
	EOP
	export KILL_LIB=$REPRISE_LIB KILL_BIN=$REPRISE_BIN KILL_ROOT=$ROOT
}
teardown() { remote_teardown; }

@test "remote kill rounds: job, supervisor, publisher, Redis" {
	echo "# seed $SEED" >&3
	"$PY" rounds.py "$ROUNDS" "$SEED" "$(redis_free_port)" >got 2>err ||
		{ cat got err >&2; return 1; }
	echo "# $(tail -n 1 got)" >&3
	nodes_whole a b c
}
