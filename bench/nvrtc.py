"""Rows about compilers inside the process. Without NVRTC and nvJitLink (scripts/nvrtc.sh) they are
left out. The job itself measures the seconds of the programs, without the start of the process, in
runs that take turns."""

import os
import shutil
import subprocess
import sys

from harness import median, spread

HERE = os.path.dirname(os.path.abspath(__file__))


def places():
    done = subprocess.run(["sh", os.path.join(os.path.dirname(HERE), "scripts", "nvrtc.sh")],
                          stdout=subprocess.PIPE, text=True)
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def add_rows(b):
    at = places()

    def job(kind, salt, count, env):
        done = subprocess.run([sys.executable, os.path.join(HERE, "nvrtc_job.py"), kind,
                               at["E2E_NVRTC"], at["E2E_NVJITLINK"], salt, str(count),
                               at["E2E_NVRTC_INCLUDE"]], env=dict(env, CUDA_CACHE_DISABLE="1"),
                              stdout=subprocess.PIPE, text=True, check=True)
        return median([float(line) for line in done.stdout.split()])

    def hits(name, kind, what, programs, rounds):
        @b.row(name)
        def measured():
            if not at:
                return None
            store = b.directory(name + "-store")
            ours, plain, turns = b.reprise_env(store), b.plain_env(), []
            job(kind, "w", programs, ours)
            for _ in range(b.count(rounds)):
                turns.append((job(kind, "w", programs, ours), job(kind, "w", programs, plain)))
            b.expect_hits(store, len(turns) * programs)
            r = [x / y for x, y in turns]
            return b.Row(what, "0.02", f"{median(r):.4f}",
                         f"{1000 * median([x for x, _ in turns]):.3f} ms / "
                         f"{1000 * median([y for _, y in turns]):.1f} ms", spread(r))

    hits("nvrtc-hit", "kernel", "hit, NVRTC to cubin, one kernel: Reprise / real", 10, 16)
    hits("nvrtc-include", "include", "hit, the same with cuda_fp16.h and CCCL's headers", 2, 8)
    hits("nvjitlink-hit", "link", "hit, nvJitLink of two LTO inputs to cubin: Reprise / real", 10,
         16)

    @b.row("nvrtc-miss")
    def miss():
        if not at:
            return None
        def one(what, store):
            # A store in use has its directories; a new one makes two for each of its first entries.
            for shard in range(256):
                for kind in ("manifest", "result"):
                    os.makedirs(f"{store}/{kind}/{shard:02x}", 0o700)
            os.chmod(store, 0o700)
            envs, turns = (b.reprise_env(store), b.plain_env()), []
            for n in range(b.count(60)):
                # Each variant is first in half of the turns.
                took = {e: job("kernel", f"m{n}", 10, envs[e]) for e in (n % 2, 1 - n % 2)}
                turns.append((took[0], took[1]))
            r = [x / y for x, y in turns]
            return b.Row(what, "1.02", f"{median(r):.3f}",
                         f"{1000 * median([x for x, _ in turns]):.2f} ms / "
                         f"{1000 * median([y for _, y in turns]):.2f} ms", spread(r))

        # ext4 takes no inode that was freed in the last minutes, and skips them one by one. If
        # tests delete files at the same time, a new file costs 0.2 ms instead of 0.01. The second
        # store is on tmpfs, whose speed does not depend on what ran before.
        memory = f"/dev/shm/reprise-bench-miss-{os.getpid()}"
        try:
            return [one("miss, NVRTC to cubin, one kernel: recorded / plain, in a store that has "
                        "its directories", b.directory("nvrtc-miss-store")),
                    one("the same, the store on tmpfs", memory)]
        finally:
            shutil.rmtree(memory, ignore_errors=True)

    @b.row("dlsym")
    def dlsym():
        program, store = b.helper("dlsym.c"), b.directory("dlsym-store")

        def ns(env):
            return float(subprocess.run([program, "300000"], env=env, stdout=subprocess.PIPE,
                                        text=True, check=True).stdout)

        turns = [(ns(b.reprise_env(store)), ns(b.plain_env())) for _ in range(b.count(24))]
        d = [x - y for x, y in turns]
        return b.Row("dlsym of a name that is no compiler's: added", "10 ns", f"{median(d):.1f} ns",
                     f"of {median([y for _, y in turns]):.0f} ns", spread(d))
