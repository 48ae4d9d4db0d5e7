"""Nodes of a job, the Redis servers that they share, and networks of their own."""

import ctypes
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROXY = os.path.join(os.path.dirname(HERE), "tests", "e2e", "redis_proxy.py")


def expect(what, is_so):
    if not is_so:
        raise SystemExit(f"bench: {what}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Redis:
    def __init__(self, b, *settings, address="127.0.0.1"):
        self.b, self.port, self.proxies, self.address = b, free_port(), [], address
        self.server = subprocess.Popen([b.which("redis-server"), "--port", str(self.port), "--save",
                                        "", "--bind", "127.0.0.1",
                                        *([address, "--protected-mode",
                                           "no"] if address != "127.0.0.1" else []), *settings],
                                       stdout=subprocess.DEVNULL, cwd=b.WORK)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("bench: redis-server does not start")

    def url(self):
        return f"redis://{self.address}:{self.port}"

    def proxy(self, *mode):
        """Returns the URL of a proxy before this server that misbehaves as `mode` says."""
        name = os.path.join(self.b.WORK, "proxy-port")
        if os.path.exists(name):
            os.unlink(name)
        self.proxies.append(subprocess.Popen([sys.executable, PROXY, name, str(self.port), *mode],
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        while not os.path.exists(name):
            time.sleep(0.02)
        return f"redis://127.0.0.1:{open(name).read()}"

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-p", str(self.port), "--raw", *words],
                              stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[:-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.proxies, self.server]:
            process.kill()
            process.wait()


class TlsRedis(Redis):
    """A Redis that speaks TLS on a second port, with a certificate of its own."""

    def __init__(self, b):
        self.tls_port, self.crt = free_port(), os.path.join(b.WORK, "tls.crt")
        key = os.path.join(b.WORK, "tls.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                        self.crt], check=True, stderr=subprocess.DEVNULL)
        super().__init__(b, "--tls-port", str(self.tls_port), "--tls-cert-file", self.crt,
                         "--tls-key-file", key, "--tls-ca-cert-file", self.crt,
                         "--tls-auth-clients", "no")

    def tls(self):
        return {"url": f"rediss://localhost:{self.tls_port}", "REPRISE_REDIS_TLS_CA": self.crt}


class Apart:
    """Puts this process and its children in a separate network."""
    CLONE_NEWNET = 0x40000000
    SETUP = ()

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.before = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def enter(self):
        if self.libc.unshare(self.CLONE_NEWNET):
            raise PermissionError(ctypes.get_errno(), "no network namespace can be made here")
        for line in ("ip link set lo up", *self.SETUP):
            subprocess.run(line.split(), check=True)

    def made(self):
        """Called when the network exists."""

    def __enter__(self):
        try:
            self.enter()
            self.made()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        expect("the network of before is gone",
               self.libc.setns(self.before, self.CLONE_NEWNET) == 0)
        os.close(self.before)


class Hole(Apart):
    """ADDRESS leads to a neighbour that does not exist: packets to it are dropped without an
    error."""
    ADDRESS = "192.0.2.2"
    SETUP = ("ip link add hole0 type veth peer name hole1", "ip link set hole0 up",
             "ip link set hole1 up", "ip address add 192.0.2.1/24 dev hole0",
             f"ip neighbour add {ADDRESS} lladdr 02:00:00:00:00:02 dev hole0")

    def made(self):
        with socket.socket() as s:
            s.settimeout(0.5)
            expect("the hole answers", s.connect_ex((self.ADDRESS, 6379)) == errno.EAGAIN)

    def url(self):
        return f"redis://{self.ADDRESS}:6379"


class Switch(Apart):
    """Nodes with separate networks, and ADDRESS, where this process listens."""
    ADDRESS = "192.0.2.1"
    SETUP = ("ip link add bridge0 type bridge", f"ip address add {ADDRESS}/24 dev bridge0",
             "ip link set bridge0 up")

    def join(self, pid, number):
        """Connects process pid, which is in a new network, to the switch."""
        for line in (f"ip link add node{number} type veth peer name eth0 netns {pid}",
                     f"ip link set node{number} master bridge0 up"):
            subprocess.run(line.split(), check=True)

    def node(self, work, number):
        """Forks a node that calls work(); returns its pid."""
        (gone, left), (go, went) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.close(went)
                self.enter_node(left, go, number)
                work()
                status = 0
            finally:
                os._exit(status)
        os.close(left)
        os.close(go)
        expect("a node has no network of its own", os.read(gone, 1) == b"x")
        self.join(pid, number)
        os.close(went)
        os.close(gone)
        return pid

    def enter_node(self, left, go, number):
        expect("no network namespace can be made here", self.libc.unshare(self.CLONE_NEWNET) == 0)
        os.write(left, b"x")
        os.close(left)
        os.read(go, 1)
        for line in ("ip link set lo up", f"ip address add 192.0.2.{10 + number}/24 dev eth0",
                     "ip link set eth0 up"):
            subprocess.run(line.split(), check=True)


class Node:
    """A node with its own store and runtime directory."""

    def __init__(self, b, name, url=None, **more):
        self.b, self.name, self.url, self.more = b, name, url, more
        self.runtime = f"{b.RUNTIME}/{name}"
        self.empty()

    def empty(self):
        self.store = self.b.directory("node-" + self.name)
        shutil.rmtree(self.runtime, ignore_errors=True)
        os.makedirs(self.runtime, mode=0o700)

    def env(self, **more):
        env = self.b.reprise_env(self.store, **self.more, **more)
        env["REPRISE_RUNTIME_DIR"] = self.runtime
        if self.url:
            env["REPRISE_REDIS_URL"] = self.url
        return env

    def command(self, *words):
        env = self.env()
        env.pop("LD_PRELOAD")
        return subprocess.run([self.b.COMMAND, *words], env=env, stdout=subprocess.PIPE, text=True)

    def publish(self):
        if self.command("publish", "--wait", "120").returncode:
            raise SystemExit(f"bench: node {self.name}: not published")

    def stats(self):
        return json.loads(self.command("stats", "--json").stdout)
