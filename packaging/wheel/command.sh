#!/bin/sh
# Runs the program of this name of the package that pip installed with this file. Paths are relative
# to this file, so the environment may be moved. Only the link to this file itself is followed:
# a link to a directory can give a plain name to a path that LD_PRELOAD cannot hold.
self=$0
case $self in
*/*) ;;
*) self=$(command -v -- "$self" && echo x) && self=${self%?x} || self=$0 ;;
esac
hops=0
while [ -L "$self" ] && [ $hops -lt 40 ]; do
	target=$(readlink -- "$self" && echo x) && target=${target%?x} || break
	case $target in
	/*) self=$target ;;
	*) self=${self%/*}/$target ;;
	esac
	hops=$((hops + 1))
done
name=${self##*/}
case $self in
*/*) bin=${self%/*} ;;
*) bin=. ;;
esac
# An environment and a prefix, of PyPy, too; `pip install --target`.
for info in "$bin"/../lib*/py*3*/*-packages/reprise_cache-@VERSION@.dist-info \
	"$bin"/../reprise_cache-@VERSION@.dist-info; do
	program=${info%/*}/reprise/bin/$name
	[ ! -x "$program" ] || exec "$program" "$@"
done
echo "$name: the package reprise-cache @VERSION@ is not installed beside $bin:" \
	"install it again with pip" >&2
exit 125
