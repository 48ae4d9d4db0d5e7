#!/bin/sh
# ssh.sh JOB "HOST HOST..." COMMAND... - the same command on all hosts, under Reprise as one job.
#
# ssh passes no environment on: reprise-run stands behind it, and settings belong into each host's
# /etc/reprise.conf. The hosts' shells read COMMAND again. PET_NODE_RANK is 0 on the first host, and
# so on: torchrun's --node-rank. The status is that of the last host that failed.
job=$1 hosts=$2
shift 2
n=0 pids=
for host in $hosts; do
	${SSH:-ssh} "$host" PET_NODE_RANK=$n reprise-run --job "$job" "$@" &
	n=$((n + 1)) pids="$pids $!"
done
status=0
for pid in $pids; do
	wait "$pid" || status=$?
done
exit $status
