"""Rows about the frameworks' own cache directories. Jobs of torch and Triton on the CPU start with
emptied directories, as in a fresh container. They are compared with the framework's own warm start
in directories that were kept. The job itself measures the seconds, in pairs that take turns."""

import glob
import json
import math
import os
import random
import shutil
import signal
import subprocess
import time

from harness import median, spread
from nodes import Node, Redis, expect

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(os.path.dirname(HERE), "scripts", "demo.d")
KERNELS, AT_ONCE = 50, 4
JOBS = {"train": ("training", [os.path.join(DEMO, "train.py")]),
        "dynamic": ("training, dynamic shapes", [os.path.join(HERE, "units_job.py"), "dynamic"]),
        "autotune": ("training, max-autotune", [os.path.join(HERE, "units_job.py"), "autotune"]),
        "inference": ("inference, max-autotune with CPP GEMM, frozen",
                      [os.path.join(HERE, "units_job.py"), "inference"]),
        "aot": ("AOTInductor export", [os.path.join(DEMO, "aot.py"), "{inductor}/model.pt2"]),}
for ranks in (2, 4):
    JOBS[f"ranks{ranks}"] = (f"training, {ranks} gloo ranks of torchrun in one cache directory",
                             ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                              str(ranks), os.path.join(HERE, "units_ranks_job.py")])
BARS = {"redis": ("1.15", "1.35"), "local": ("1.08", "1.25")}


class Place:
    """The frameworks' directories, at separate paths."""

    def __init__(self, b, name):
        self.at = b.directory(name)
        names = "inductor", "triton", "tmp"
        self.inductor, self.triton, self.tmp = (os.path.join(self.at, n) for n in names)
        self.empty(False)

    def move(self, inductor):
        """Gives Inductor's directory this name; all are empty then, but for the precompiled
        header."""
        shutil.rmtree(self.inductor)
        self.inductor = os.path.join(self.at, inductor)
        self.empty(True)

    def env(self):
        return {"TORCHINDUCTOR_CACHE_DIR": self.inductor, "TRITON_CACHE_DIR": self.triton,
                "TMPDIR": self.tmp, "CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "ignore"}

    def headers(self):
        return glob.glob(f"{self.tmp}/torchinductor_*/precompiled_headers")

    def empty(self, keep_header):
        """Empties the directories, as in a fresh container. keep_header keeps the precompiled
        header, which is in the temporary directory."""
        kept = []
        if keep_header:
            kept = self.headers()
            expect("no precompiled header to keep", kept)
        for path in (self.inductor, self.triton):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        if not kept:
            shutil.rmtree(self.tmp, ignore_errors=True)
            os.makedirs(self.tmp)
            return
        for path in glob.glob(f"{self.tmp}/*") + glob.glob(f"{self.tmp}/torchinductor_*/*"):
            if not any(k.startswith(path) for k in kept):
                is_directory = os.path.isdir(path) and not os.path.islink(path)
                (shutil.rmtree if is_directory else os.unlink)(path)


class Job:
    def __init__(self, b, name):
        self.b = b
        self.what, self.command = JOBS[name]
        self.result, self.said = None, None

    def argv(self, place):
        return [self.b.PYTHON, *[word.format(inductor=place.inductor) for word in self.command]]

    def start(self, place, env=None):
        """Returns the seconds of one start in these directories as they are. Each start has to give
        the result of the first."""
        done = subprocess.run(self.argv(place), env=dict(env or self.b.plain_env(), **place.env()),
                              cwd=place.at, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise SystemExit(f"bench: {self.what}: {done.stderr.decode(errors='replace')[-2000:]}")
        said = self.said = json.loads(done.stdout.splitlines()[-1])
        result = said["result"] if isinstance(said["result"], list) else [said["result"]]
        self.result = self.result or result
        expect(f"{self.what}: {result} is not {self.result}",
               all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-5)
                   for a, b in zip(result, self.result)))
        return said["seconds"]

    def own_warm(self, name):
        """Returns directories that the framework has warmed without Reprise."""
        place = Place(self.b, name)
        for _ in range(2):
            self.start(place)
        return place

    def fill(self, node, place, times=2):
        """Starts the job in empty directories until the node, and its remote store, have all
        units."""
        for _ in range(times):
            place.empty(False)
            self.start(place, node.env())
            settle(node)


def settle(node):
    """Packs and publishes what the node has, and ends its background processes."""
    node.publish()
    for path in glob.glob("/proc/[0-9]*"):
        try:
            words = open(f"{path}/cmdline", "rb").read().split(b"\0")
            mine = f"={node.runtime}\0".encode() in open(f"{path}/environ", "rb").read() + b"\0"
        except OSError:
            continue
        if mine and words[:2] in ([b"reprise", b"fetch"], [b"reprise", b"publish"]):
            os.kill(int(os.path.basename(path)), signal.SIGKILL)


def pairs(b, ours, theirs):
    """Returns the seconds of both in pairs; they take turns, in another order each time."""
    found, choice = [], random.Random(1)
    for _ in range(1 if b.options.quick else b.options.pairs):
        turn = [("ours", ours), ("theirs", theirs)]
        choice.shuffle(turn)
        figures = {name: run() for name, run in turn}
        found.append((figures["ours"], figures["theirs"]))
    return found


def row_of(b, what, bar, found, detail=""):
    r = [a / c for a, c in found]
    return b.Row(what, bar, f"{median(r):.2f}",
                 f"{median([a for a, _ in found]):.2f} s / "
                 f"{median([c for _, c in found]):.2f} s{detail}", spread(r))


def carried(job, seen):
    """Ends the run if a row of units carried none: its figure would be worth nothing."""
    least = (seen["hits_local"] + seen["hits_remote"] if "aot" in job.command[0]
             else seen["units_brought"])
    expect(f"{job.what}: nothing was carried; reprise explain says why", least)


def start_fresh(job, node, at, keep):
    """Returns the seconds of a first step on a node whose store and whose framework's directories
    are empty, but for the precompiled header if keep is set."""
    node.empty()
    at.empty(keep)
    seconds = job.start(at, node.env())
    carried(job, node.stats())
    settle(node)
    return seconds


def fresh(b, name, bars=BARS):
    """Returns the rows of one job: Redis is warm and the store is empty; the local store is warm;
    each with the precompiled header and without."""
    job, rows = Job(b, name), []
    base, at = job.own_warm("units-base"), Place(b, "units-here")
    with Redis(b) as redis:
        maker = Node(b, "maker", redis.url())
        job.fill(maker, at)
        for keep, bar in zip((True, False), bars["redis"]):
            node = Node(b, "fresh", redis.url())

            found = pairs(b, lambda: start_fresh(job, node, at, keep), lambda: job.start(base))
            seen = node.stats()
            rows.append(row_of(b, f"{job.what}, first step, empty directories "
                                  f"{'but for' if keep else 'and no'} precompiled header, empty "
                               "store, Redis warm / the framework's own warm", bar, found,
                               f"; {seen['remote_bytes_in'] / 1e6:.0f} MB from Redis, "
                               f"{seen['misses']} compilers ran"))
    node = Node(b, "local")
    shutil.copytree(maker.store, node.store, dirs_exist_ok=True, symlinks=True)
    job.fill(node, at, 1)
    for keep, bar in zip((True, False), bars["local"]):
        before = node.stats()

        def ours():
            at.empty(keep)
            seconds = job.start(at, node.env())
            settle(node)
            return seconds

        found = pairs(b, ours, lambda: job.start(base))
        seen = {k: v - before[k] for k, v in node.stats().items() if isinstance(v, int)}
        carried(job, seen)
        rows.append(row_of(b, f"{job.what}, the same with the local store warm, "
                              f"{'with' if keep else 'without'} precompiled header", bar, found,
                           f"; {seen['misses'] / len(found):.0f} compilers ran a start"))
    return rows


def ranks_of(b, name):
    """Returns the rows of ranks that look in one directory. Each rank has to find every graph,
    nothing may be packed, and each loss must be that of the first start bit for bit."""
    job, rows = Job(b, name), []
    base, at, node = job.own_warm("units-base"), Place(b, "units-here"), Node(b, "local")
    job.fill(node, at)
    for keep in (True, False):
        before = node.stats()

        def ours():
            at.empty(keep)
            seconds = job.start(at, node.env())
            expect(f"{job.what}: a rank compiled: {job.said}",
                   job.said["hits"] and not job.said["misses"])
            expect(f"{job.what}: {job.said['result']} is not {job.result}",
                   job.said["result"] == job.result)
            settle(node)
            return seconds

        found = pairs(b, ours, lambda: job.start(base))
        seen = {k: v - before[k] for k, v in node.stats().items() if isinstance(v, int)}
        carried(job, seen)
        expect(f"{job.what}: graphs were packed again", not seen["units_packed"])
        rows.append(row_of(b, f"{job.what}, first step, empty directories "
                              f"{'but for' if keep else 'and no'} precompiled header, local store "
                              "warm / the framework's own warm", "1.15", found,
                           f"; {seen['misses'] / len(found):.0f} compilers ran a start"))
    return rows


def reasons_of(node, before):
    """Returns the misses since `before`, and the reasons why starts of tools were no hits."""
    now = node.stats()
    found = {k: v - before["reasons"].get(k, 0) for k, v in now["reasons"].items()}
    named = ", ".join(f"{v} {k}" for k, v in sorted(found.items()) if v)
    return now["misses"] - before["misses"], named or "none"


def elsewhere(b, name):
    """Returns the rows of the first start below another TORCHINDUCTOR_CACHE_DIR, with a name of
    equal length and of another length."""
    job, rows = Job(b, name), []
    base, at, node = job.own_warm("units-base"), Place(b, "units-here"), Node(b, "local")
    job.fill(node, at)
    seeded = b.directory("units-seeded")
    shutil.copytree(node.store, seeded, dirs_exist_ok=True, symlinks=True)
    for inductor, bar in (("elsewhen", "1.15"), ("elsewhere-of-another-length", "reasons named")):
        last = {}

        def ours():
            # The next pair of runs must not find files of this pair.
            node.empty()
            shutil.copytree(seeded, node.store, dirs_exist_ok=True, symlinks=True)
            at.move(inductor)
            before = node.stats()
            seconds = job.start(at, node.env())
            last["misses"], last["reasons"] = reasons_of(node, before)
            settle(node)
            return seconds

        found = pairs(b, ours, lambda: job.start(base))
        rows.append(row_of(b, f"{job.what}, first start below a cache directory of "
                           f"{'equal' if len(inductor) == len('inductor') else 'another'} length, "
                           f"local store warm / own warm", bar, found,
                           f"; {last['misses']} compilers ran, starts that were no hits: "
                           f"{last['reasons']}"))
    return rows


def ptxas_runs(node):
    """Returns the number of real runs of ptxas that did not only ask for its version."""
    said = node.command("explain", "100000").stdout.split("\n\n")
    return sum("  tool ptxas" in record and "--gpu-name=" in record for record in said)


def kernels_at_once(b, kernels, env_of):
    """Returns the wall seconds of AT_ONCE processes that compile the same kernels. Each has its own
    cache, temporary and working directory."""
    places = [Place(b, f"units-kernels-{i}") for i in range(AT_ONCE)]
    start = time.perf_counter()
    running = [subprocess.Popen([b.PYTHON, os.path.join(HERE, "units_kernels.py"), str(kernels)],
                                env=dict(env_of(), **p.env()), cwd=p.at, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL) for p in places]
    said = [p.communicate()[0] for p in running]
    wall = time.perf_counter() - start
    expect("kernels differ",
           all(p.returncode == 0 for p in running) and said[0] and len(set(said)) == 1)
    return wall, said[0]


def add_rows(b):
    def add(name, function):
        def measured():
            return function() if b.PYTHON else None

        b.row(name)(measured)

    for name in ("train", "dynamic", "autotune", "inference"):
        add(f"units-{name}", lambda name=name: fresh(b, name))
    # The frameworks' caches do not keep what g++ makes here.
    add("units-aot", lambda: fresh(b, "aot", {"redis": ("0.5", "0.5"), "local": ("0.5", "0.5")}))
    for name in ("ranks2", "ranks4"):
        add(f"units-{name}", lambda name=name: ranks_of(b, name))
    add("units-elsewhere", lambda: elsewhere(b, "train"))

    def triton():
        node, kernels = Node(b, "kernels"), b.count(KERNELS)
        plain, want = kernels_at_once(b, kernels, b.plain_env)
        wall, said = kernels_at_once(b, kernels, node.env)
        expect("Reprise made other kernels", said == want)
        seen, ran = node.stats(), ptxas_runs(node)
        settle(node)
        warm, _ = kernels_at_once(b, kernels, node.env)
        expect("no kernel was brought", node.stats()["units_brought"] > seen["units_brought"])
        return b.Row(f"{kernels} Triton kernels, {AT_ONCE} processes at once with directories of "
                     "their own: runs of ptxas", str(kernels), str(ran),
                     f"{wall:.1f} s, without Reprise {plain:.1f} s, again in empty directories "
                     f"{warm:.1f} s; {seen['hits_local']} hits, "
                     f"{seen['waits']} waits")

    add("units-triton", triton)

    def own():
        rows = []
        for name in ("train", "dynamic", "autotune", "inference"):
            job, node = Job(b, name), Node(b, "own")
            place = job.own_warm("units-base")
            # Reprise packs once what the framework already has.
            job.start(place, node.env())
            settle(node)
            found = pairs(b, lambda: job.start(place, node.env()), lambda: job.start(place))
            rows.append(row_of(b,
                               f"{job.what}, the framework's own warm start: under Reprise / "
                               f"without", "1.02", found))
            settle(node)
        return rows

    add("units-own", own)
