"""Rows about ptxas as Triton calls it: hits on a PTX that Triton wrote."""

import os
import random
import re
import string
import subprocess

from harness import Variant, median, milliseconds, rounds, spread


def ptx_and_tools(b):
    """Returns a PTX file that Triton wrote, and the two ptxas of Triton."""
    out = b.directory("triton")
    subprocess.run([b.PYTHON, os.path.join(b.ROOT, "scripts", "demo.d", "triton_kernel.py")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=dict(b.plain_env(), TRITON_CACHE_DIR=out, CUDA_VISIBLE_DEVICES=""))
    found = [os.path.join(d, f) for d, _, files in os.walk(out)
             for f in files if f.endswith(".ptx")]
    script = ("import importlib.util, os; "
              "print(os.path.dirname(importlib.util.find_spec('triton').origin))")
    triton = subprocess.run([b.PYTHON, "-c", script], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.strip()
    tools = os.path.join(triton, "backends", "nvidia", "bin")
    both = [os.path.join(tools, t) for t in ("ptxas", "ptxas-blackwell")]
    return min(found, key=os.path.getsize), both


def ptxas_row(b, ptx, tool):
    temporary = b.directory("ptxas-tmp")
    store = b.directory("ptxas-store")
    empty, leave = b.helper("empty.c"), b.helper("leave.c", "-shared", "-fPIC", "-Wl,-z,initfirst")
    text = open(ptx, "rb").read()
    if os.path.basename(tool) == "ptxas":
        # Triton writes PTX for the newer of its two ptxas. The older one knows the instructions,
        # but refuses the version number.
        text = re.sub(rb"(?m)^\.version .*$", b".version 8.7", text)
    choice = random.Random(1)

    def fresh(_):
        """Writes a file as Triton does: with a new name each time, just before the start."""
        name = "tmp" + "".join(choice.choices(string.ascii_lowercase + string.digits + "_",
                                              k=8)) + ".ptx"
        path = os.path.join(temporary, name)
        with open(path, "wb") as out:
            out.write(text)
        return [tool, "-lineinfo", "-v", "--regAllocOptLevel=2", "--gpu-name=sm_90a", path, "-o",
                path + ".o"]

    argv = fresh(0)
    subprocess.run(argv, check=True, env=b.plain_env(), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    size = str(os.path.getsize(argv[-1]))
    n = b.count(200)
    left, plain_env = dict(b.plain_env(), LD_PRELOAD=leave), b.plain_env()
    ours, floor, file, start, plain = rounds([
        Variant("Reprise", None, b.reprise_env(store, TMPDIR=temporary), before=fresh, cwd=b.WORK),
        Variant("leave", [tool], left, before=fresh, cwd=b.WORK),
        Variant("leave a file", None, dict(left, LEAVE_BYTES=size), before=fresh, cwd=b.WORK),
        Variant("empty", [empty], plain_env, cwd=b.WORK),
        Variant("plain", None, plain_env, before=fresh, cwd=b.WORK)], n, warm=4)
    b.expect_hits(store, n)
    r = [(x[0] - y[0]) / z[0] for x, y, z in zip(ours, floor, start)]
    own = [(x[0] - y[0]) / z[0] for x, y, z in zip(ours, file, start)]
    return b.Row(f"hit, {os.path.basename(tool)} as Triton calls it: (hit - the same process ended "
                 f"in a constructor) / an empty process", "0.6", f"{median(r):.2f}",
                 f"({milliseconds(ours)} - {milliseconds(floor)}) / {milliseconds(start)}, no "
                 f"cache {milliseconds(plain)}; where that constructor leaves a file of {size} "
                 f"bytes it takes {milliseconds(file)}, and the ratio from there is "
                 f"{median(own):.2f}", spread(r))


def ptxas_hit(b):
    if not b.PYTHON:
        return None
    ptx, tools = ptx_and_tools(b)
    return [ptxas_row(b, ptx, tool) for tool in tools if os.path.exists(tool)]


def add_rows(b):
    b.row("ptxas-hit")(lambda: ptxas_hit(b))
