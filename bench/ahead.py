"""Rows about a fresh node whose entries come ahead of the job. The framework's directories and the
node's store are empty, and the job runs under `reprise-run --job`. Its first step is compared with
that of the framework's own warm directory. A row for each kind of remote store."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.request

from nodes import Node, Redis, expect, free_port
from units import Job, Place, pairs, row_of, start_fresh

NGINX = """daemon off; master_process off; pid {at}/pid; error_log {at}/error;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {at}/1; proxy_temp_path {at}/2;
fastcgi_temp_path {at}/3; uwsgi_temp_path {at}/4; scgi_temp_path {at}/5; client_max_body_size 0;
server {{ listen 127.0.0.1:{port}; location / {{ root {at}/data; dav_methods PUT DELETE;
create_full_put_path on; }} }} }}
"""


@contextlib.contextmanager
def served(argv, port):
    """Runs a server until the block ends."""
    server = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(500):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.02)
        yield
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def redis(b):
    with Redis(b) as server:
        yield server.url(), {}


@contextlib.contextmanager
def redis_far(b):
    with Redis(b) as server:
        yield server.proxy("far", "20"), {}


@contextlib.contextmanager
def directory(b):
    at = f"{b.RUNTIME}-directory"
    os.makedirs(at, mode=0o700)
    try:
        yield None, {"REPRISE_REMOTE_URL": f"file://{at}"}
    finally:
        shutil.rmtree(at)


@contextlib.contextmanager
def http(b):
    at, port = b.directory("nginx"), free_port()
    os.makedirs(f"{at}/data")
    with open(f"{at}/conf", "w") as out:
        out.write(NGINX.format(at=at, port=port))
    with served([shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), "-p", at, "-c",
                 f"{at}/conf", "-e", f"{at}/error"], port):
        yield None, {"REPRISE_REMOTE_URL": f"http://127.0.0.1:{port}/reprise"}


@contextlib.contextmanager
def s3(b):
    python, port = subprocess.run(["sh", os.path.join(b.ROOT, "scripts", "moto-python.sh")],
                                  stdout=subprocess.PIPE, text=True, check=True
                                  ).stdout.strip(), free_port()
    at = f"http://127.0.0.1:{port}"
    with served([python, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port):
        sign = ("AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, "
                "SignedHeaders=host, Signature=x")
        urllib.request.urlopen(urllib.request.Request(f"{at}/bucket", method="PUT",
                                                      headers={"Authorization": sign})).close()
        yield None, {"REPRISE_REMOTE_URL": f"s3://bucket/reprise?endpoint={at}&region=us-east-1",
                     "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}


STORES = {"redis": ("Redis", redis, "1.05"), "far": ("a Redis 20 ms away", redis_far, "1.10"),
          "dir": ("a directory on tmpfs", directory, "1.10"), "http": ("nginx", http, "1.10"),
          "s3": ("moto's S3", s3, "1.10")}


def under_run(b, env):
    """The variables of a node for `reprise run`, which preloads the object itself."""
    env = dict(env, REPRISE_JOB="bench", REPRISE_QUIET="1", REPRISE_DRAIN="60s")
    del env["LD_PRELOAD"]
    return env


class AheadJob(Job):
    """A job as on a cluster: its end leaves a list, and its start brings what that names."""

    def __init__(self, b, name):
        super().__init__(b, name)
        self.runs = []

    def argv(self, place):
        return [*self.runs, *super().argv(place)]

    def start(self, place, env=None):
        self.runs = [self.b.COMMAND, "run", "--"] if env else []
        return super().start(place, env and under_run(self.b, env))


def ahead(b, name, store):
    """Returns the row of one job and one kind of store."""
    what, serve, bar = STORES[store]
    job = AheadJob(b, name)
    base, at = job.own_warm("units-base"), Place(b, "units-here")
    with serve(b) as (url, more):
        maker, node = (Node(b, n, url, **more) for n in ("maker", "fresh"))
        job.fill(maker, at)
        found = pairs(b, lambda: start_fresh(job, node, at, False), lambda: job.start(base))
        seen = node.stats()
    expect(f"{job.what}: {seen['misses']} compilers ran", not seen["misses"])
    return row_of(b, f"{job.what}, first step of a fresh node under reprise-run --job, all of it "
                     f"in {what} / the framework's own warm directory", bar, found,
                  f"; {seen['remote_bytes_in'] / 1e6:.0f} MB came, {seen['hits_remote']} remote "
                  "hits")


def add_rows(b):
    for name in ("train", "dynamic"):
        for store in STORES:
            b.row(f"ahead-{name}-{store}")(
                lambda name=name, store=store: ahead(b, name, store) if b.PYTHON else None)
