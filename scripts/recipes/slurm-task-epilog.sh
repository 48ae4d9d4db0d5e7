#!/bin/sh
# slurm-task-epilog.sh - packs and sends what a task left for others. In slurm.conf:
#
#     TaskEpilog=/etc/slurm/slurm-task-epilog.sh
#
# With a job's step Slurm ends all its processes, the agent and the publisher of Reprise among them
# (ProctrackType=proctrack/cgroup). Below reprise-run this has been done already.
# An epilog does not get what the prolog printed.
eval "$(sh /etc/slurm/slurm-task-prolog.sh)"
/usr/local/bin/reprise publish --wait 30s >/dev/null 2>&1
exit 0
