#!/bin/bash
# Ray gives its workers RAY_JOB_ID.
#
# One would guess: the variable is the id of the job whose task runs, the same in all workers of one
# job. So a program that a task starts (a compiler, a cache, a logger) can tell jobs apart by it.
#
# Seen: in workers that the raylet started ahead of any job it is ffffffff for ever, also while
# ray.get_runtime_context().get_job_id() in the same process says 01000000. Other workers of the
# same job, which were started later, have 01000000. One job so has two names by its variables.
# What a task starts needs a name of its own in runtime_env's env_vars.
#
# Version: ray 2.60.0 (PyPI, Linux; the raylet's prestarted workers). The script starts a local Ray
# with four workers, several times, and fails if no worker's variable differs from its job.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q ray==2.60.0
cat >"$work/task.py" <<'END'
import os
import time
import ray

ray.init(num_cpus=4, include_dashboard=False, logging_level="ERROR")

@ray.remote
def names():
    time.sleep(0.3)  # so that all workers get some
    return os.environ.get("RAY_JOB_ID"), ray.get_runtime_context().get_job_id()

for variable, job in sorted(set(ray.get([names.remote() for _ in range(12)]))):
    print("RAY_JOB_ID", variable, "in a task of job", job)
END
differ=0
for start in 1 2 3 4 5; do
	"$work/venv/bin/python" "$work/task.py" >"$work/out" 2>"$work/err" || {
		cat "$work/err"
		exit 1
	}
	sed "s/^/start $start: /" "$work/out"
	! grep -q 'RAY_JOB_ID ffffffff in a task of job 01000000' "$work/out" || differ=1
done
[ $differ = 1 ] || { echo "changed: each worker's RAY_JOB_ID is its job"; exit 1; }
