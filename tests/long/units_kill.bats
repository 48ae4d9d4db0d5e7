#!/usr/bin/env bats
# SIGKILL of jobs, publishers and fetchers at random points, while units enter and leave
# directories. Two nodes and one Redis. A reader of the directories never sees half a unit, and no
# store holds one. REPRISE_TEST_ROUNDS (default 300) sets the rounds. The random seed is printed;
# REPRISE_TEST_SEED sets it.

setup_file() {
	load ../e2e/units_lib
	units_setup_file
}

setup() {
	load ../e2e/units_lib
	units_setup
	need_triton
	units_two_nodes
	ROUNDS=${REPRISE_TEST_ROUNDS:-300}
	SEED=${REPRISE_TEST_SEED:-$RANDOM}
	# The content of the unit of that number. The names are those of the frameworks.
	cat >pool.py <<-'EOP'
	import base64, hashlib, json, os, random
	def b32(b, n): return base64.b32encode(hashlib.sha256(b).digest()).decode().rstrip("=")[:n]
	def text(i, what, n):
	    r = random.Random("%d %s" % (i, what))
	    return bytes(r.choices(b"abcdefgh\n", k=n // 2)) + r.randbytes(n - n // 2)
	def kernel(i): return b32(b"kernel %d" % i, 52), {"k.%s" % s: text(i, s, n) for s, n in
	    (("source", 2000), ("ttir", 6000), ("ptx", 40000), ("cubin", 150000), ("json", 900))}
	def config(i):
	    name = hashlib.sha256(b"config %d" % i).hexdigest() + ".best_config"
	    return (b32(name.encode(), 51).lower()[1:3] + "/" + name,
	            json.dumps({"XBLOCK": i, "pad": text(i, "c", 20000).hex()}).encode())
	def graph(i):  # a set of three
	    key = "f" + b32(b"graph %d" % i, 51).lower()
	    members = [b"\x80\x04B" + (60000).to_bytes(4, "little") + text(i, "m%d" % m, 60000) +
	               b"." for m in range(3)]
	    return "fxgraph/" + key[1:3] + "/" + key, {b32(m, 51).lower(): m for m in members}
	def read(path):
	    with open(path, "rb") as f: return f.read()
	# A present unit must be complete. Returns "", or the defect. absent: "" if there is no
	# unit, too.
	def wrong_kernel(root, i):
	    key, files = kernel(i)
	    try: index = json.loads(read(f"{root}/{key}/__grp__k.json"))["child_paths"]
	    except FileNotFoundError: return ""
	    if sorted(index) != sorted(files): return f"kernel {i}: index names {sorted(index)}"
	    for n, content in files.items():
	        if index[n] != f"{root}/{key}/{n}": return f"kernel {i}: {n} at {index[n]}"
	        if read(index[n]) != content: return f"kernel {i}: {n} has other bytes"
	    return ""
	def wrong_config(root, i):
	    name, content = config(i)
	    try: return "" if read(f"{root}/{name}") == content else f"config {i}: other bytes"
	    except FileNotFoundError: return ""
	def wrong_graph(root, i):
	    key, members = graph(i)
	    try: names = os.listdir(f"{root}/{key}")
	    except FileNotFoundError: return ""
	    for n in names:
	        if not n.startswith(".") and read(f"{root}/{key}/{n}") != members.get(n):
	            return f"graph {i}: {n} has other bytes"
	    return ""
	EOP
	# A framework at work: kernels by Triton's own cache manager, other files in Inductor's way.
	cat >job.py <<-'EOP'
	import ctypes, os, random, sys
	root, first, last, seed, torch = (sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
	                                  sys.argv[4], sys.argv[5])
	os.environ["TRITON_CACHE_DIR"] = root
	from triton.runtime.cache import FileCacheManager
	ctypes.CDLL(torch)  # graphs are shared between equal builds of torch
	import pool
	def atomic(path, content):
	    os.makedirs(os.path.dirname(path), exist_ok=True)
	    t = os.path.join(os.path.dirname(path), ".%d.tmp" % os.getpid())
	    with open(t, "wb") as f: f.write(content)
	    os.rename(t, path)
	def one_kernel(i):
	    key, files = pool.kernel(i)
	    m = FileCacheManager(key)
	    if m.get_group("k.json"): return pool.wrong_kernel(root, i)
	    m.put_group("k.json", {n: m.put(c, n) for n, c in files.items()})
	def one_config(i):
	    name, content = pool.config(i)
	    if os.path.exists(f"{root}/{name}"): return pool.wrong_config(root, i)
	    atomic(f"{root}/{name}", content)
	def one_graph(i):
	    key, members = pool.graph(i)
	    have = os.listdir(f"{root}/{key}") if os.path.exists(f"{root}/{key}") else []
	    for n, c in members.items():
	        if n not in have: atomic(f"{root}/{key}/{n}", c)
	    return pool.wrong_graph(root, i)
	print("ready", flush=True)
	work = [(f, i) for i in range(first, last) for f in (one_kernel, one_config, one_graph)]
	random.Random(seed).shuffle(work)
	for f, i in work:
	    said = f(i)
	    if said: print("WRONG", said, flush=True)
	print("done", flush=True)
	EOP
	cat >reader.py <<-'EOP'
	"""Reads all directories until it is ended. If a directory is renamed meanwhile, it is read
	there."""
	import os, sys, time
	import pool
	base, total = sys.argv[1], int(sys.argv[2])
	seen = 0
	while not os.path.exists(base + "/stop"):
	    for n in ("a", "b"):
	        root = f"{base}/{n}"
	        for i in range(total):
	            for f in (pool.wrong_kernel, pool.wrong_config, pool.wrong_graph):
	                try: gone = os.stat(root).st_ino
	                except FileNotFoundError: continue
	                try: said = f(root, i)
	                except FileNotFoundError as e: said = str(e)
	                try: same = os.stat(root).st_ino == gone
	                except FileNotFoundError: same = False
	                if said and same: print("WRONG", said, flush=True)
	                seen += 1
	    time.sleep(0.002)
	print("looked", seen, flush=True)
	EOP
	cat >rounds.py <<-'EOP'
	"""rounds.py ROUNDS SEED: what went wrong, and at the end what was struck."""
	import os, random, re, shutil, signal, subprocess, sys, time
	import pool
	rounds, seed = int(sys.argv[1]), int(sys.argv[2])
	rnd = random.Random(seed)
	base, lib, command, python, torch = (os.environ["KILL_" + v]
	                                     for v in "BASE LIB BIN PYTHON TORCH".split())
	clean = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD",)}
	total = max(8, rounds // 6 + 8)
	def env(node, preload=True):
	    e = dict(clean, REPRISE_CACHE_DIR=f"{base}/{node}",
	             REPRISE_RUNTIME_DIR=f"{base}/{node}.run", REPRISE_LOG=f"{base}/{node}.log",
	             REPRISE_STRICT="1")
	    if preload: e["LD_PRELOAD"] = lib
	    return e
	def start(node, i):
	    return subprocess.Popen([python, "job.py", f"{base}/fw/{node}", str(max(0, i // 6 - 3)),
	                             str(i // 6 + 5), str(rnd.random()), torch], env=env(node),
	                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
	                            stderr=subprocess.PIPE, text=True)
	def daemons(verb):
	    found = []
	    for n in os.listdir("/proc"):
	        if not n.isdigit(): continue
	        try:
	            words = open(f"/proc/{n}/cmdline", "rb").read()
	            if (words.startswith(b"reprise\0" + verb + b"\0") and
	                f"={base}/".encode() in open(f"/proc/{n}/environ", "rb").read()):
	                found.append(int(n))
	        except OSError: pass
	    return found
	def strike(pids):
	    for p in pids:
	        try: os.kill(p, signal.SIGKILL); return 1
	        except ProcessLookupError: pass
	    return 0
	def wipe(node):
	    try: os.rename(f"{base}/fw/{node}", f"{base}/fw/old.{node}")
	    except FileNotFoundError: return
	    shutil.rmtree(f"{base}/fw/old.{node}")
	bad, struck, span = 0, {}, 0.4
	os.makedirs(f"{base}/fw")
	reader = subprocess.Popen([python, "reader.py", f"{base}/fw", str(total)], env=clean,
	                          stdout=subprocess.PIPE, text=True)
	def report(what):
	    global bad
	    bad += 1; print(what, flush=True)
	for i in range(1, rounds + 1):
	    for n in "ab":
	        if rnd.random() < 0.6: wipe(n)
	    node = rnd.choice("ab")
	    jobs = [start(node, i), start(rnd.choice("ab"), i)]
	    what = rnd.choice(["job", "job", "both", "publish", "fetch"])
	    if jobs[0].stdout.readline() != "ready\n": report(f"round {i}: {jobs[0].communicate()}")
	    time.sleep(rnd.uniform(0, span))
	    if what == "publish" or what == "fetch": hit = strike(daemons(what.encode()))
	    else:
	        hit = sum(1 for j in jobs[:2 if what == "both" else 1] if j.poll() is None)
	        for j in jobs[:2 if what == "both" else 1]: j.kill()
	    struck[what] = struck.get(what, 0) + hit
	    for j in jobs:
	        out, err = j.communicate()
	        if "WRONG" in out or j.returncode not in (0, -signal.SIGKILL):
	            report(f"round {i} ({what}): {j.returncode} {out} {err[-600:]}")
	open(f"{base}/fw/stop", "w").close()
	looked = reader.communicate()[0]
	if "WRONG" in looked or "looked" not in looked: report(looked[-2000:])
	# Stored units are complete: a job in empty directories checks them, on each node and on a
	# fresh node.
	for n in "ab":
	    p = subprocess.run([command, "publish", "--wait", "60"], env=env(n, False),
	                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
	    if p.returncode: report(f"node {n}: not published: {p.stdout}")
	brought = {}
	for n in "abc":
	    wipe(n)
	    for i in range(0, rounds + 1, 48):
	        j = start(n, i); out, err = j.communicate()
	        if j.returncode or out != "ready\ndone\n": report(f"node {n}: {out} {err[-600:]}")
	    for i in range(total):
	        for f in (pool.wrong_kernel, pool.wrong_config, pool.wrong_graph):
	            said = f(f"{base}/fw/{n}", i)
	            if said: report(f"node {n}: {said}")
	    said = subprocess.run([command, "stats", "--json"], env=env(n, False),
	                          stdout=subprocess.PIPE, text=True).stdout
	    brought[n] = [int(re.search('"brought_%s": (\\d+)' % c, said)[1])
	                  for c in ("triton", "autotune", "fxgraph")]
	print(f"{rounds} rounds, killed {struck}, {looked.strip()}, units brought {brought}, "
	      f"{bad} bad")
	sys.exit(1 if bad or not all(all(v) for v in brought.values()) or
	         sum(struck.values()) < rounds // 3 else 0)
	EOP
	export KILL_LIB=$REPRISE_LIB KILL_BIN=$REPRISE_BIN KILL_BASE=$ROOT \
		KILL_PYTHON=$JOB_PYTHON KILL_TORCH
	KILL_TORCH=$("$JOB_PYTHON" -c 'import importlib.util as u, os
print(os.path.dirname(u.find_spec("torch").origin) + "/lib/libtorch_cpu.so")')
	export REPRISE_REDIS_URL PYTHONDONTWRITEBYTECODE=1
}
teardown() { remote_teardown; }

@test "units kill rounds: jobs, publishers and fetchers" {
	echo "# seed $SEED" >&3
	"$JOB_PYTHON" rounds.py "$ROUNDS" "$SEED" >got 2>err || { cat got err >&2; return 1; }
	echo "# $(tail -n 1 got)" >&3
	nodes_whole a b c
}
