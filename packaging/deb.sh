#!/bin/sh
# deb.sh TREE VERSION MACHINE - makes out/reprise_VERSION_ARCHITECTURE.deb of the prefix TREE, which
# `make install` filled for that machine. packaging/dist.sh runs it in its root, in a copy of this
# folder. The time of the package is SOURCE_DATE_EPOCH.
set -eu
mkdir -p build/reprise out
cp -R debian build/reprise/
cp -R "$1" build/reprise/tree
cd build/reprise
cat >debian/changelog <<-END
	reprise ($2) unstable; urgency=medium

	  * The changes of each release are in CHANGELOG.md.

	 -- Reprise maintainers <reprise@example.org>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
architecture=$(echo "$3" | sed 's/x86_64/amd64/;s/aarch64/arm64/')
dpkg-buildpackage -b -us -uc -a"$architecture"
mv ../*.deb ../../out/
