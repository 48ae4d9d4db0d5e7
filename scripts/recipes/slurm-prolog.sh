#!/bin/sh
# slurm-prolog.sh - makes the store of a job's user on the node's own disk. In slurm.conf:
#
#     Prolog=/etc/slurm/slurm-prolog.sh
#     PrologFlags=Alloc
#
# A prolog that fails drains the node. Without a store, jobs use their own default.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
stores=/var/cache/reprise
mkdir -p -m 755 "$stores" && install -d -m 700 -o "$SLURM_JOB_UID" "$stores/$SLURM_JOB_UID"
exit 0
