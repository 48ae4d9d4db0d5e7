#!/usr/bin/env python3
"""ray_job.py JOB COMMAND [ARGUMENT...] - runs a command on each node of Ray under Reprise.

A driver of your own copies reprise_env(): its tasks and actors then run under Reprise, too. The
environment of the driver is not enough: each node's raylet, which starts workers, has its own.
"""
import os
import subprocess
import sys

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


def reprise_env(job, library="/usr/local/lib/reprise/libreprise.so"):
    """runtime_env of ray.init(), of one actor, or of `ray job submit --runtime-env-json`."""
    return {"env_vars": {"LD_PRELOAD": os.environ.get("REPRISE_LIBRARY", library),
                         "REPRISE_JOB": job}}


@ray.remote(num_cpus=0)
def run(command, number):
    done = subprocess.run(command, env={**os.environ, "PET_NODE_RANK": str(number)},
                          stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def main():
    ray.init(address=os.environ.get("RAY_ADDRESS"), runtime_env=reprise_env(sys.argv[1]))
    nodes = [n["NodeID"] for n in ray.nodes() if n["Alive"]]
    runs = [run.options(scheduling_strategy=NodeAffinitySchedulingStrategy(n, soft=False))
            .remote(sys.argv[2:], i) for i, n in enumerate(nodes)]
    statuses = []
    for status, text in ray.get(runs):
        sys.stdout.write(text)
        statuses.append(status)
    return max(statuses, key=abs)


if __name__ == "__main__":
    sys.exit(main())
