#!/bin/sh
# podman.sh [OPTION...] IMAGE [COMMAND...] - `podman run` with Reprise, which the image need not
# have, and with this node's store. Docker takes the same options.
prefix=/usr/local
store=${REPRISE_CACHE_DIR:-$HOME/.cache/reprise}
mkdir -p "$store"
for part in bin/reprise lib/reprise libexec/reprise; do
	set -- -v "$prefix/$part:$prefix/$part:ro" "$@"
done
# In a container the default name of a job is session-1.
exec podman run -v "$store:/var/cache/reprise" -e REPRISE_CACHE_DIR=/var/cache/reprise \
	-e LD_PRELOAD="$prefix/lib/reprise/libreprise.so" \
	-e REPRISE_JOB="${REPRISE_JOB:-$(hostname)-$$}" "$@"
