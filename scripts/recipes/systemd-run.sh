#!/bin/sh
# systemd-run.sh JOB COMMAND... - the command as a transient service of systemd, under Reprise, with
# the store of the caller. The script waits for it; the streams and the status are the command's.
#
# A service gets the environment of systemd, not that of the caller: reprise-run stands before the
# command, and other settings belong into /etc/reprise.conf. When the command ends, systemd kills
# what is left of the service; reprise-run has published by then. SYSTEMD_RUN holds further options,
# such as 'systemd-run --user' or 'systemd-run -p MemoryMax=64G'.
#
# `systemd-run --scope` starts the command itself: `reprise-run systemd-run --scope COMMAND`.
store=${REPRISE_CACHE_DIR:-$HOME/.cache/reprise}
job=$1
shift
exec ${SYSTEMD_RUN:-systemd-run} --quiet --collect --wait --pipe --same-dir \
	-E REPRISE_CACHE_DIR="$store" /usr/local/bin/reprise-run --job "$job" "$@"
