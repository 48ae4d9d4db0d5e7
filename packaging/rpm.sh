#!/bin/sh
# rpm.sh TREE VERSION MACHINE - makes out/reprise-VERSION-1.MACHINE.rpm of the prefix TREE, which
# `make install` filled for that machine. packaging/dist.sh runs it in its root, in a copy of this
# folder. The time of the package is SOURCE_DATE_EPOCH.
set -eu
here=$PWD
mkdir -p "$here/build" "$here/out"
rpmbuild -bb --target "$3" --define "_topdir $here/build" --define "_rpmdir $here/build/rpms" \
	--define "tree $1" --define "release_version $2" --define '_buildhost reprise' \
	--define 'use_source_date_epoch_as_buildtime 1' \
	--define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w9.xzdio' \
	--define '_build_id_links none' reprise.spec
mv build/rpms/*/*.rpm out/
