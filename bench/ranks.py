#!/usr/bin/env python3
"""bench/ranks.py [--ranks N] [--mode MODE] [--parallel KIND] [--rounds N] [--seconds N]
[--only ROW] [--redis BINARY] - ranks of one host that compile at once: cold, fresh, and through
the agent.

The job (bench/gpu_job.py) starts under torchrun with --ranks ranks. Without GPUs it runs on CPUs
over gloo. Rows:

  turns   each round: plain with all caches empty; under Reprise with all caches and Redis empty; a
          fresh node that has what Redis got from that; plain with the directories of the first
          start kept. Plain and Reprise go first in turns. Prints the first steps, the medians of
          the ratios, connections at Redis, and the compilers that ran in the cold start under
          Reprise beside the kernels that differ
  nodes   two nodes on this host, each with half of the ranks, a network, caches and a store of its
          own, and one Redis, empty at first. Each node alone, in turns with both, the second node
          --later seconds after the first. Prints the first step of the second node / of the slower
          node alone
  at-once all ranks start on an empty store. Prints waits that served nobody

First steps are those of rank 0, which ends its step with the others. Needs root for the networks
of the second row.
"""
import argparse
import collections
import glob
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(HERE), "build")

p = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                            description=__doc__)
p.add_argument("--ranks", type=int, default=4)
p.add_argument("--mode", default="default")
p.add_argument("--parallel", choices=("data", "tensor"), default="data")
p.add_argument("--part", choices=["mlp", "mm"], help="JOB_PART of bench/gpu_job.py")
p.add_argument("--layers", type=int, default=2)
p.add_argument("--rounds", type=int, default=5)
p.add_argument("--seconds", type=float, default=1e9, help="begin no round after this time")
p.add_argument("--later", type=float, default=3)
p.add_argument("--only", action="append", choices=("turns", "nodes", "at-once"))
p.add_argument("--redis", default="redis-server")
p.add_argument("--object", default=os.path.join(BUILD, "libreprise.so"))
p.add_argument("--python", default=sys.executable)
a = p.parse_args()
began = time.time()
reprise = os.path.join(os.path.dirname(os.path.abspath(a.object)), "reprise")
root = tempfile.mkdtemp(prefix="reprise-ranks-")
socket = root + "/redis.sock"
server = None
HERE_NOW = root + "/node"  # where each node finds its frameworks' directories
# A network and a view of the file system of its own, with the directory of the first argument at
# the place of the second. Loopback is down in a new network, and SIOCSIFFLAGS turns it on.
ALONE = ["unshare", "-n", "-m", sys.executable, "-c", """
import ctypes, fcntl, os, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 0x41))
MS_BIND = 4096
if ctypes.CDLL(None).mount(sys.argv[1].encode(), sys.argv[2].encode(), None, MS_BIND, None):
    sys.exit("cannot mount " + sys.argv[2])
os.execvp(sys.argv[3], sys.argv[3:])"""]


def redis_empty():
    """Starts a Redis with nothing in it, in place of the one before."""
    global server, asked
    asked = 0
    if server:
        server.kill()
        server.wait()
        os.unlink(socket)
    server = subprocess.Popen([a.redis, "--port", "0", "--unixsocket", socket, "--save", "",
                               "--appendonly", "no", "--dir", root], stdout=subprocess.DEVNULL)
    while not os.path.exists(socket):
        time.sleep(0.02)


asked = 0


def connections():
    """Returns how many connections Redis has taken since it was started, less those of here."""
    global asked
    import socket as net
    c = net.socket(net.AF_UNIX)
    c.connect(socket)
    c.sendall(b"INFO stats\r\n")
    text = b""
    while b"total_connections_received:" not in text or b"\r\n" not in text.split(
            b"total_connections_received:")[1]:
        text += c.recv(4096)
    c.close()
    asked += 1
    return int(re.search(rb"total_connections_received:(\d+)", text).group(1)) - asked


class Node:
    """Frameworks' directories, a store and a runtime directory, all empty."""

    def __init__(self, on, name):
        self.at, self.on = tempfile.mkdtemp(prefix=name + "-", dir=root), on
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith(("REPRISE_", "TORCHINDUCTOR_", "TRITON_", "LD_PRELOAD"))}
        self.env.update(TORCHINDUCTOR_CACHE_DIR=HERE_NOW + "/inductor", HOME=HERE_NOW,
                        TMPDIR=HERE_NOW + "/tmp", JOB_LAYERS=str(a.layers),
                        JOB_PARALLEL=a.parallel)
        if a.part:
            self.env["JOB_PART"] = a.part
        self.ours = {"REPRISE_CACHE_DIR": self.at + "/store", "REPRISE_LOG_LEVEL": "info",
                     "REPRISE_RUNTIME_DIR": self.at + "/run", "REPRISE_LOG": self.at + "/log",
                     "REPRISE_REDIS_URL": "redis+unix://" + socket}
        os.makedirs(self.at + "/node/tmp")
        if on:
            self.env.update(self.ours, LD_PRELOAD=os.path.abspath(a.object))

    def start(self, ranks, before=(), **more):
        command = [*before, a.python, "-m", "torch.distributed.run", "--standalone",
                   "--nproc-per-node", str(ranks), HERE + "/gpu_job.py", a.mode, "2"]
        self.said = open(self.at + "/said", "w+")
        self.began = time.time()
        self.process = subprocess.Popen(command, env={**self.env, **more}, stdout=subprocess.PIPE,
                                        stderr=self.said, text=True)

    def start_alone(self, ranks, gpus):
        """Starts beside other nodes, on these GPUs."""
        os.makedirs(HERE_NOW, exist_ok=True)
        self.start(ranks, [*ALONE, self.at + "/node", HERE_NOW], CUDA_VISIBLE_DEVICES=gpus)

    def end(self):
        """Waits for the job. Returns what it printed, with its wall time in seconds."""
        out = self.process.communicate()[0]
        if self.process.returncode:
            self.said.seek(0)
            sys.exit("status %d\n%s" % (self.process.returncode, self.said.read()[-4000:]))
        v = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])
        v["wall"] = time.time() - self.began
        return v

    def run(self, ranks):
        """Runs the job as the only one. What it offered is in Redis afterwards."""
        os.rename(self.at + "/node", HERE_NOW)
        self.start(ranks)
        v = self.end()
        if self.on:
            self.ask("publish", "--wait", "60")
        os.rename(HERE_NOW, self.at + "/node")
        return v

    def ask(self, *words):
        env = {**{k: v for k, v in self.env.items() if k != "LD_PRELOAD"}, **self.ours}
        return subprocess.run([reprise, *words], env=env, stdout=subprocess.PIPE, text=True).stdout

    def stats(self):
        return json.loads(self.ask("stats", "--json") or "{}")

    def answers(self, words):
        """Counts the starts of each compiler whose answer in the log begins with the words."""
        with open(self.at + "/log") as f:
            found = re.findall(r" info (\S+): (?:%s)" % words, f.read())
        return collections.Counter(found)

    def kernels(self):
        """Returns how many kernels differ by their text."""
        found = set()
        for f in glob.glob(self.at + "/node/inductor/**/*.ptx", recursive=True):
            found.add(hashlib.sha1(open(f, "rb").read()).digest())
        return len(found)

    def gone(self):
        if self.on:
            subprocess.run(["pkill", "-f", "reprise-agent|reprise publish --daemon"])
        shutil.rmtree(self.at, ignore_errors=True)


def again():
    return time.time() - began < a.seconds


def counted(d, *names):
    return " ".join("%s=%s" % (n, d[n]) for n in names if d.get(n))


def row_turns():
    times = collections.defaultdict(list)
    for i in range(a.rounds):
        if not again():
            break
        v, plain = {}, Node(False, "plain")
        redis_empty()
        cold = Node(True, "cold")
        for name, node in [("plain", plain), ("cold", cold)][::1 if i % 2 else -1]:
            v[name] = node.run(a.ranks)
        v["kept"] = plain.run(a.ranks)
        used = connections()
        runs, kernels = cold.answers("miss|unstored|bypass"), cold.kernels()
        said = counted(cold.stats(), "hits_local", "hits_remote", "misses", "unstored", "waits",
                       "units_missed", "units_offered", "errors")
        cold.gone()
        fresh = Node(True, "fresh")
        v["fresh"] = fresh.run(a.ranks)
        print("  %s  connections %d, %d" % (
            "  ".join("%s %.2f, wall %.2f" % (n, v[n]["first_step"], v[n]["wall"])
                      for n in ("plain", "cold", "kept", "fresh")), used, connections() - used))
        print("    cold: compilers that ran: %s; kernels that differ: %d; %s" % (
            ", ".join("%s %d" % c for c in sorted(runs.items())), kernels, said))
        print("    fresh: %s" % counted(fresh.stats(), "hits_local", "hits_remote", "misses",
                                        "unstored", "units_brought", "units_missed",
                                        "units_wait_seconds", "remote_wait_ns", "errors"))
        print("    losses equal: %s" % (len({tuple(x["losses"]) for x in v.values()}) == 1),
              flush=True)
        fresh.gone()
        plain.gone()
        for n in v:
            times[n].append(v[n]["first_step"])

    def ratio(x, y):
        return statistics.median(p / q for p, q in zip(times[x], times[y]))
    if times:
        print("== %s, %d ranks, %s, %s: cold %.3f of plain, fresh %.3f of kept (medians of the "
              "ratios of %d rounds)" % (a.parallel, a.ranks, a.mode, a.part or "%d layers" %
                                        a.layers, ratio("cold", "plain"), ratio("fresh", "kept"),
                                        len(times["plain"])), flush=True)


def row_nodes():
    half, ratios = a.ranks // 2, []
    where = [",".join(map(str, range(n * half, (n + 1) * half))) for n in (0, 1)]
    for _ in range(a.rounds):
        if not again():
            break
        alone = []
        for n in (0, 1):
            redis_empty()
            node = Node(True, "alone")
            node.start_alone(half, where[n])
            alone.append(node.end()["first_step"])
            node.gone()
        redis_empty()
        both = [Node(True, "node%d" % n) for n in (0, 1)]
        both[0].start_alone(half, where[0])
        time.sleep(a.later)
        both[1].start_alone(half, where[1])
        first, second = (node.end()["first_step"] for node in both)
        print("  alone %.2f, %.2f; both: first %.2f, second %.2f; second: %s" % (
            *alone, first, second, counted(both[1].stats(), "hits_local", "hits_remote", "misses",
                                           "waits", "lease_waits", "lease_waited_seconds",
                                           "units_brought")), flush=True)
        for node in both:
            node.gone()
        ratios.append(second / max(alone))
    if ratios:
        print("== two nodes of %d ranks: the second's first step %.3f of the slower alone (median "
              "of %d rounds)" % (half, statistics.median(ratios), len(ratios)), flush=True)


def row_at_once():
    for _ in range(a.rounds):
        if not again():
            break
        redis_empty()
        node = Node(True, "once")
        v = node.run(a.ranks)
        node.ask("report", "--trace=" + node.at + "/trace")
        served = open(node.at + "/trace").read().count('"source":"waited"')
        d = node.stats()
        print("  %d ranks at once: first step %.2f; waits %d, of these served %d; %s" % (
            a.ranks, v["first_step"], d.get("waits", 0), served,
            counted(d, "hits_local", "misses", "waited_seconds", "units_wait_seconds")), flush=True)
        node.gone()


try:
    for name in a.only or ("turns", "nodes", "at-once"):
        {"turns": row_turns, "nodes": row_nodes, "at-once": row_at_once}[name]()
finally:
    if server:
        server.kill()
    shutil.rmtree(root, ignore_errors=True)
