"""Row about tileiras as cuTile calls it: hits in a temporary directory of its own each time,
remarks included. Without NVIDIA's wheels (scripts/cuda-wheel.sh --make) it is left out."""

import os
import random
import shutil
import string
import subprocess

from harness import Variant, median, milliseconds, ratios, rounds, spread

REMARKS = ["--lineinfo", "--remark-format=yaml", "--remarks=all"]


def tileiras_here(b):
    found = subprocess.run(["sh", os.path.join(b.ROOT, "scripts", "cuda-wheel.sh")],
                           stdout=subprocess.PIPE, text=True).stdout.strip()
    tool = os.path.join(found, "tileiras")
    return tool if found and os.access(tool, os.X_OK) else None


def made(at, name):
    """Returns the cubin, and the remarks in order: tileiras writes them in another order each time
    that it runs."""
    with open(os.path.join(at, name + ".cubin"), "rb") as cubin:
        with open(os.path.join(at, name + ".yaml"), "rb") as remarks:
            return cubin.read(), sorted(remarks.read().split(b"\n"))


def kernel_row(b, tool, kernel):
    bytecode, temporary = b.directory("tileiras"), b.directory("tileiras-tmp")
    store = b.directory("tileiras-store")
    python = os.path.join(tool[:tool.index("/lib/python3")], "bin", "python")
    subprocess.run([python, os.path.join(b.ROOT, "tests", "e2e", "tile_kernels.py"), bytecode],
                   check=True, stdout=subprocess.DEVNULL)
    choice, results, last = random.Random(1), [], []

    def letters():
        return "".join(choice.choices(string.ascii_lowercase + string.digits + "_", k=8))

    def fresh(_):
        """Copies the bytecode as cuTile writes it, just before the start; keeps what the start
        before this one made."""
        for at, name in last:
            results.append(made(at, name))
            shutil.rmtree(at)
        at, name = os.path.join(temporary, "tmp" + letters()), kernel + letters()
        last[:] = [(at, name)]
        os.mkdir(at)
        path = os.path.join(at, name)
        shutil.copy(os.path.join(bytecode, kernel + ".bytecode"), path + ".bytecode")
        return [tool, path + ".bytecode", "-o", path + ".cubin", "--gpu-name", "sm_90", "-O3",
                *REMARKS, f"--remarks-output-file={path}.yaml"]

    n = b.count(40)
    ours, plain = rounds([
        Variant("Reprise", None, b.reprise_env(store), before=fresh, cwd=b.WORK),
        Variant("plain", None, b.plain_env(), before=fresh, cwd=b.WORK)], n, warm=4)
    fresh(0)
    b.expect_hits(store, n)
    if any(result != results[0] for result in results):
        raise SystemExit("bench: tileiras: a cubin or its remarks differ")
    r = ratios(ours, plain)
    return b.Row(f"hit, tileiras as cuTile calls it, in a new temporary directory, remarks "
                 f"included ({kernel}): Reprise / no cache", "0.05", f"{median(r):.3f}",
                 f"{milliseconds(ours)} / {milliseconds(plain)}, {len(results)} results equal",
                 spread(r))


def add_rows(b):
    def measured():
        tool = tileiras_here(b)
        return [kernel_row(b, tool, kernel) for kernel in ("vector", "matrix")] if tool else None

    b.row("tileiras-hit")(measured)
