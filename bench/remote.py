"""Rows about the remote store: real servers on free ports, and servers that misbehave
(tests/e2e/redis_proxy.py)."""

import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import Variant, median, milliseconds, once, ratios, rounds, spread
from nodes import Hole, Node, Redis, Switch, TlsRedis, expect, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
# A job of 500 short compiles, eight at a time.
STARTS, AT_ONCE = 500, 8
# ccache waits in each of these compiles: more compiles would only take longer.
PEER_STARTS = 16


def pool(commands, env, cwd, at_once=AT_ONCE):
    """Returns the seconds that all commands take, at_once of them at a time."""
    alive = 0
    start = time.perf_counter()
    os.chdir(cwd)
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, n) for n in (0, 1, 2)]
    for argv in commands:
        if alive == at_once:
            expect("a compile failed", os.wait()[1] == 0)
            alive -= 1
        os.posix_spawn(argv[0], argv, env, file_actions=actions)
        alive += 1
    for _ in range(alive):
        expect("a compile failed", os.wait()[1] == 0)
    wall = time.perf_counter() - start
    os.close(null)
    return wall


def digests(at, ending=".o"):
    return {os.path.basename(f): hashlib.sha256(open(f, "rb").read()).hexdigest()
            for f in glob.glob(os.path.join(at, "*" + ending))}


def waits_of(log):
    """Returns the seconds that look-ups took, for each process."""
    by = {}
    for line in open(log, errors="replace"):
        match = re.match(r"\S+ (\d+) debug .*remote: waited (\d+) us", line)
        if match:
            by[match[1]] = by.get(match[1], 0) + int(match[2]) / 1e6
    return by


class Storm:
    """STARTS small gcc -c, AT_ONCE at a time, each of a source that no store has."""

    def __init__(self, b):
        self.b, self.at = b, b.directory("storm")
        self.n = STARTS // 5 if b.options.quick else STARTS
        self.commands = []
        for i in range(self.n):
            with open(os.path.join(self.at, f"f{i}.c"), "w") as out:
                out.write(f"int f{i}(int x)\n{{\n\treturn x * {i} + 1;\n}}\n")
            self.commands.append([b.which("gcc"), "-O2", "-c", f"f{i}.c", "-o", f"f{i}.o"])
        pool(self.commands, b.plain_env(), self.at)
        self.want = digests(self.at)

    def run(self, node):
        node.empty()
        log = os.path.join(node.store, "bench.log")
        wall = pool(self.commands, node.env(REPRISE_LOG=log, REPRISE_LOG_LEVEL="debug"), self.at)
        expect(f"wrong objects of node {node.name}", digests(self.at) == self.want)
        return wall, waits_of(log), node.stats()

    def against(self, what, bar, url, times, before):
        """A row: the seconds that a remote store at url adds to the job. before() is called before
        each job that uses the remote store."""
        plain, sick = Node(self.b, "plain"), Node(self.b, "sick", url)
        added, sums, longest, openings, with_none = [], [], [], [], []
        for _ in range(times):
            base = self.run(plain)
            before()
            wall, waits, seen = self.run(sick)
            expect("hits of a remote that has nothing to say", seen["hits_remote"] == 0)
            added.append(wall - base[0])
            with_none.append(base[0])
            sums.append(seen["remote_wait_seconds"])
            longest.append(max(waits.values(), default=0))
            openings.append(seen["breaker_openings"])
        return self.b.Row(f"{what}: added to a job of {self.n} gcc -c of 3 lines, {AT_ONCE} at a "
                          f"time; look-ups of all; of the slowest one", bar,
                          f"{median(added):.2f} s; {median(sums):.2f} s; {max(longest):.3f} s",
                          f"{median(with_none):.2f} s without a remote; breaker opened "
                          f"{max(openings)} times", spread(added))

    def peer(self, url):
        """Returns the seconds that the same server adds to PEER_STARTS compiles with ccache."""
        store = self.b.directory("storm-ccache")
        commands = [[self.b.which("ccache"), *c] for c in self.commands[:PEER_STARTS]]
        alone = pool(commands, self.b.ccache_env(store), self.at)
        store = self.b.directory("storm-ccache")
        return pool(commands, self.b.ccache_env(store, CCACHE_REMOTE_STORAGE=url), self.at) - alone


def slow_sources(at, count):
    """Writes C++ sources that each compile for some hundred milliseconds; returns the commands that
    compile them."""
    commands = []
    for i in range(count):
        with open(os.path.join(at, f"s{i}.cc"), "w") as out:
            out.write("constexpr int f() { int s = 0; "
                      f"for (int i = 0; i < 300000; i++) s += i % {i + 3}; return s; }}\n"
                      f"constexpr int v = f();\nint x{i} = v;\n")
        commands.append([shutil.which("g++"), "-fconstexpr-ops-limit=2000000000",
                         "-fconstexpr-loop-limit=2000000000", "-c", f"s{i}.cc", "-o", f"s{i}.o"])
    return commands


def add_rows(b):
    row = b.row

    @row("remote-torch")
    def remote_torch():
        return torch_job("all of it in Redis", "1.10", Redis.url)

    # Connections begin at once here: netem would delay them, too.
    @row("remote-torch-far")
    def remote_torch_far():
        return torch_job("all of it in a Redis that answers 20 ms late", "1.10",
                         lambda redis: redis.proxy("far", "20"))

    def torch_job(what, bar, url):
        if not b.PYTHON:
            return None
        work = b.directory("remote-torch")
        framework = {"TORCHINDUCTOR_CACHE_DIR": f"{work}/inductor",
                     "TRITON_CACHE_DIR": f"{work}/triton", "TMPDIR": f"{work}/tmp",
                     "CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "ignore",
                     "REPRISE_CLASSES": "none"}

        def run(node):
            for path in ("inductor", "triton", "tmp"):
                shutil.rmtree(f"{work}/{path}", ignore_errors=True)
                os.makedirs(f"{work}/{path}")
            done = subprocess.run([b.PYTHON, os.path.join(b.ROOT, "scripts", "demo.d", "train.py")],
                                  env=node.env(**framework), cwd=work, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=True)
            return json.loads(done.stdout.splitlines()[-1])

        with Redis(b) as redis:
            warm, fresh = Node(b, "warm", redis.url()), Node(b, "fresh", url(redis))
            first = run(warm), run(warm)
            warm.publish()
            r, local, far = [], [], []
            for _ in range(2 if b.options.quick else 5):
                fresh.empty()
                far.append(run(fresh))
                local.append(run(warm))
                warm.publish()
                expect("other results",
                       far[-1]["result"] == local[-1]["result"] == first[0]["result"])
                r.append(far[-1]["seconds"] / local[-1]["seconds"])
            seen = fresh.stats()
        return b.Row(f"torch job of the demo on a node that has nothing, {what} / "
                     "local store warm", bar,
                     f"{median(r):.2f}", f"{median([x['seconds'] for x in far]):.2f} s / "
                     f"{median([x['seconds'] for x in local]):.2f} s; "
                     f"{seen['hits_remote']} remote hits, {seen['misses']} misses, "
                     f"{seen['remote_bytes_in'] / 1e6:.1f} MB, "
                     f"look-ups took {seen['remote_wait_seconds']:.3f} s", spread(r))

    @row("remote-hit")
    def remote_hit():
        with Redis(b) as redis:
            return hit_of(redis, "", "1.0", url=redis.url())

    @row("remote-hit-tls")
    def remote_hit_tls():
        with TlsRedis(b) as redis:
            return hit_of(redis, " under TLS", "1.1", **redis.tls())

    def hit_of(redis, how, bar, **to):
        at = b.directory("remote-hit")
        with open(os.path.join(at, "data"), "wb") as out:
            out.write(os.urandom(200000))
        with open(os.path.join(at, "data.s"), "w") as out:
            out.write('.globl d\n.data\nd: .incbin "data"\n')
        command = [b.which("gcc"), "-c", "data.s", "-o", "data.o"]
        gets = os.path.join(b.WORK, "gets")
        subprocess.run(["gcc", "-O2", "-o", gets, os.path.join(HERE, "gets.c"), "-lhiredis"],
                       check=True)
        node = Node(b, "hit", REPRISE_REMOTE_READONLY="1", **to)
        seed = Node(b, "seed", redis.url())
        once(Variant("seed", command, seed.env(), cwd=at), 0)
        seed.publish()
        (listed,), (result,) = redis.ask("keys", "*:m:*"), redis.ask("keys", "*:r:*")

        forgotten, moved = b.directory("forgotten"), itertools.count()
        asks = [gets, "127.0.0.1", str(redis.port), listed, result]

        def forget(number=None):
            """Removes the output and the node's entries (of a number, the output alone), but
            neither its directories nor what it knows of its files. They are moved, since ext4 makes
            a new file slowly after many were deleted."""
            entries = glob.glob(os.path.join(node.store, "[mr]*", "??", "*"))
            for path in glob.glob(os.path.join(at, "*.o")) + (entries if number is None else []):
                os.rename(path, os.path.join(forgotten, str(next(moved))))

        def keep(number):
            os.mkdir(os.path.join(forgotten, f"kept.{number}"))
            return [*asks, os.path.join(forgotten, f"kept.{number}")]

        n = b.count(200)
        ours, bare, kept, local, plain = rounds(
            [Variant("Reprise", command, node.env(), before=lambda _: forget(), cwd=at),
             Variant("gets", asks, b.plain_env(), cwd=at),
             Variant("kept", asks, b.plain_env(), before=keep, cwd=at),
             Variant("local", command, node.env(), before=forget, cwd=at),
             Variant("plain", command, b.plain_env(), before=forget, cwd=at)], n, warm=4)
        seen = node.stats()
        expect(f"{seen['hits_remote']} remote hits of {n}", seen["hits_remote"] >= n)
        r = ratios(ours, bare)
        return b.Row(f"remote hit{how}, gcc -c of an assembler file, result of 200 KB: Reprise / "
                     "a C program that does the same two GETs; that also digests and keeps what "
                     "came, and writes an output", f"{bar}; none",
                     f"{median(r):.2f}; {median(ratios(ours, kept)):.2f}",
                     f"{milliseconds(ours)} / {milliseconds(bare)} / {milliseconds(kept)}; local "
                     f"hit {milliseconds(local)}, no cache {milliseconds(plain)}", spread(r))

    @row("remote-miss")
    def remote_miss():
        at = b.directory("remote-miss")
        source = os.path.join(at, "heavy.cpp")
        headers = ("algorithm", "functional", "iostream", "map")
        text = ("".join(f"#include <{header}>\n" for header in headers) +
                "int f(std::map<int, int> &m) { return m[1]; }\n")
        command = [b.which("g++"), "-O2", "-c", "heavy.cpp", "-o", "heavy.o"]

        def edit(number):
            with open(source, "w") as out:
                out.write(f"{text}extern int round_{number};\n")

        n = b.count(40)
        with Redis(b) as redis:
            far, near = Node(b, "far", redis.url()), Node(b, "near")
            ours, without = rounds([Variant("remote", command, far.env(), before=edit, cwd=at),
                                    Variant("none", command, near.env(), before=edit, cwd=at)], n)
            far.publish()
            seen = far.stats()
        expect(f"{seen['published']} published of {n} misses",
               seen["misses"] >= n and seen["published"] >= 2 * n)
        r = ratios(ours, without)
        cpu = ratios(ours, without, 1)
        return b.Row("miss, g++ -c with four headers: with a remote store / without", "1.02",
                     f"{median(r):.3f}", f"{milliseconds(ours)} / {milliseconds(without)}, CPU "
                                         f"ratio {median(cpu):.3f}", spread(r))

    @row("remote-connections")
    def remote_connections():
        s = Storm(b)
        with Redis(b) as redis:
            def connections():
                return int(re.search(r"total_connections_received:(\d+)",
                                     "\n".join(redis.ask("info", "stats")))[1])

            seed, fresh = Node(b, "seed", redis.url()), Node(b, "fresh", redis.url())
            s.run(seed)
            seed.publish()
            before = connections()
            wall, _, seen = s.run(fresh)
            # Each question above is one.
            made = connections() - before - 1
        expect(f"{seen['hits_remote']} remote hits of {s.n}", seen["hits_remote"] == s.n)
        return b.Row(f"{s.n} gcc -c of 3 lines on a fresh node, {AT_ONCE} at a time, all in Redis: "
                     f"connections at Redis", "1", str(made), f"{wall:.2f} s")

    def storm(name, what, bar, *mode):
        @row(name)
        def measure():
            s = Storm(b)
            with Redis(b) as redis:
                if mode[0] == "refused":
                    url = f"redis://127.0.0.1:{free_port()}"
                else:
                    if mode[0] == "cut":  # so that there is something to cut
                        seed = Node(b, "seed", redis.url())
                        s.run(seed)
                        seed.publish()
                    url = redis.proxy(*mode)
                # Without this, a job would find what the round before has published.
                result = s.against(what, bar, url, 1 if b.options.quick else 5,
                                   lambda: mode[0] == "cut" or redis.ask("flushall"))
                if mode[0] == "hang" and shutil.which("ccache"):
                    result.detail += (f"; ccache with it: {s.peer(url):.1f} s for "
                                      f"{PEER_STARTS} of them")
                return result

    storm("remote-hung", "Redis that hangs", "0.5 s; 0.5 s; 0.5 s", "hang")
    storm("remote-200ms", "Redis that answers after 200 ms", "0.5 s", "delay", "200")
    storm("remote-5s", "Redis that answers after 5 s", "0.5 s", "delay", "5000")
    storm("remote-refused", "a port where nobody is", "0.5 s", "refused")
    storm("remote-full", "a server whose queue of connections is full", "0.5 s", "full")
    storm("remote-garbage", "a server that says what is no Redis protocol", "0.5 s", "say",
          "HTTP/1.1 400 Bad Request\\r\\n\\r\\n!")
    storm("remote-lying", "a server that lies about lengths", "0.5 s", "say",
          "*2\\r\\n$2147483647\\r\\nx")
    storm("remote-cut", "a server that closes within a value", "0.5 s", "cut", "300")

    @row("remote-hole")
    def remote_hole():
        try:
            with Hole() as hole:
                return Storm(b).against("an address that drops what is sent", "0.5 s", hole.url(),
                                        1 if b.options.quick else 5, lambda: None)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"bench: remote-hole is left out: {error}", file=sys.stderr)
            return None

    @row("remote-flight")
    def remote_flight():
        at = {n: b.directory(f"flight-{n}") for n in "ab"}
        count = 4 if b.options.quick else 12
        with Switch() as network, Redis(b, address=network.ADDRESS) as redis:
            nodes = {n: Node(b, n, redis.url()) for n in "ab"}
            commands = {n: slow_sources(at[n], count) for n in "ab"}
            start = time.perf_counter()
            children = [network.node(lambda n=n: pool(commands[n], nodes[n].env(), at[n], 4), i)
                        for i, n in enumerate("ab")]
            expect("a node failed", all(os.waitpid(pid, 0)[1] == 0 for pid in children))
            wall = time.perf_counter() - start
            seen = [nodes[n].stats() for n in "ab"]
            alone = pool(slow_sources(b.directory("flight-alone"), count), b.plain_env(),
                         os.path.join(b.WORK, "flight-alone"), 4)
        expect("nodes differ", digests(at["a"]) == digests(at["b"]))
        misses, waits = sum(s["misses"] for s in seen), sum(s["lease_waits"] for s in seen)
        return b.Row("two nodes, each in a network namespace, that start one job at once: compiles "
                     "/ distinct compiles", "1.0", f"{misses / count:.2f}",
                     f"{misses} of {count}; {waits} waits for the other node; {wall:.1f} s, one "
                     f"node alone without Reprise {alone:.1f} s")

    @row("remote-killed")
    def remote_killed():
        took, alone = [], []
        with Redis(b) as redis:
            for i in range(1 if b.options.quick else 5):
                at = b.directory("killed")
                (command,) = slow_sources(at, 1)
                with open(os.path.join(at, "s0.cc"), "a") as out:
                    out.write(f"int round_{i};\n")
                # A compile that records too, with no lease to wait for.
                alone.append(pool([command], Node(b, "c").env(), at))
                a, other = (Node(b, n, redis.url(), REPRISE_REMOTE_LEASE="2s") for n in "ab")
                holder = subprocess.Popen(command, env=a.env(), cwd=at, start_new_session=True)
                while not redis.ask("keys", "*:l:*"):
                    time.sleep(0.005)
                os.killpg(holder.pid, signal.SIGKILL)
                holder.wait()
                took.append(pool([command], other.env(), at))
                expect("it compiled", other.stats()["misses"] == 1)
        return b.Row("a compile whose lease's holder is killed: slowest of all, less the compile "
                     "alone; lease of 2 s", "2 s",
                     f"{max(t - o for t, o in zip(took, alone)):.2f} s",
                     f"{median(took):.2f} s, alone {median(alone):.2f} s", spread(took))

    @row("fleet")
    def fleet():
        program = os.path.join(b.ROOT, "build", "bench", "fleet")
        subprocess.run(["make", "-s", "build/bench/fleet"], cwd=b.ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        rows = []
        for mode, bar in (("warm", "the same for all"), ("cold", "compiles: 1 each")):
            figures = []
            for nodes in (10, 100) if b.options.quick else (10, 100, 1000):
                with Redis(b) as redis:
                    # The nodes share this machine with Redis. More nodes at once would wait for a
                    # CPU instead of Redis.
                    keys, at_once = (20, 32) if mode == "warm" else (5, 100)
                    done = subprocess.run([program, mode, str(nodes), str(keys), "20000", "300",
                                           str(at_once)], stdout=subprocess.PIPE, check=True,
                                          env=dict(b.plain_env(), REPRISE_REDIS_URL=redis.url(),
                                                   REPRISE_REMOTE_LOOKUP_TIMEOUT="5s"))
                    figures.append(json.loads(done.stdout))
            expect("look-ups that failed", not any(f["failed_in_all"] for f in figures))
            each = "; ".join(f"{f['nodes']}: {f['round_trips'] / f['keys']:.1f}, "
                             f"{f['bytes_in'] / f['keys'] / 1000:.1f} KB in, "
                             f"{f['bytes_out'] / f['keys'] / 1000:.2f} KB out" for f in figures)
            if mode == "warm":
                rows.append(b.Row(f"nodes that start at once, {keys} actions of 20 KB in Redis: "
                                  f"round trips of an action on a node", bar,
                                  " / ".join(f"{f['round_trips'] / f['keys']:.1f}"
                                             for f in figures),
                                  each + f"; {figures[-1]['seconds']:.1f} s"))
            else:
                rows.append(b.Row(f"the same, {keys} actions of 300 ms that nobody has: compiles "
                                  f"in all", f"{keys}",
                                  " / ".join(str(f["worked_in_all"]) for f in figures),
                                  f"at most {at_once} at a time; round trips of a wait "
                                  f"{' / '.join(str(f['trips_of_a_wait']) for f in figures)}; of "
                                  f"an action {each}; slowest node "
                                  f"{figures[-1]['slowest_node']:.1f} s"))
        return rows
