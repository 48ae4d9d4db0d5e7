#!/bin/sh
# slurm-task-prolog.sh - every task of every job runs under Reprise, whatever --export says. In
# slurm.conf:
#
#     TaskProlog=/etc/slurm/slurm-task-prolog.sh
#
# Slurm sets what is printed here as `export NAME=VALUE` for the task. The store is the node's own,
# which slurm-prolog.sh made. Other settings belong into /etc/reprise.conf.
lib=/usr/local/lib/reprise/libreprise.so
store=/var/cache/reprise/$(/usr/bin/id -u)
case $LD_PRELOAD in
*libreprise.so*) ;;
*) [ ! -e "$lib" ] || echo "export LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$lib" ;;
esac
[ -n "$REPRISE_CACHE_DIR" ] || [ ! -d "$store" ] || echo "export REPRISE_CACHE_DIR=$store"
exit 0
