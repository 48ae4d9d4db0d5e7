#!/bin/sh
# mpirun.sh JOB RANKS COMMAND [ARGUMENT...] - ranks of Open MPI or MPICH under Reprise.
#
# reprise-run stands behind mpirun, so that nothing has to be exported to other nodes
# (Open MPI: -x LD_PRELOAD -x REPRISE_JOB ...). Each node must have it on PATH.
# MPIRUN="mpirun --hostfile FILE": with other arguments.
job=$1 ranks=$2
shift 2
# shellcheck disable=SC2086 # a list of words
exec ${MPIRUN:-mpirun} -n "$ranks" reprise-run --job "$job" "$@"
