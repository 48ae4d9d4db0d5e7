#!/bin/sh
# wheel.sh [TREE PLATFORM] - makes the wheel of the prefix TREE, which `make install` filled, for
# that platform, such as manylinux_2_28_x86_64. Without arguments it makes the wheel of build/, for
# machines with this glibc or a later one. DIST (dist) is where it comes to be. Prints its path.
#
# The whole prefix lies in the package `reprise`, so the programs find each other wherever pip puts
# it. bin/reprise and bin/reprise-run of the environment look for it (packaging/wheel/command.sh).
# The wheel needs no Python but for `python -m reprise`. Needs hatchling.
set -eu
cd "$(dirname "$0")/.."
dist=${DIST:-dist}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for python in ${PYTHON-} /usr/bin/python3 python3; do
	! "$python" -c 'import hatchling' 2>/dev/null || break
	python=
done
[ -n "$python" ] || {
	echo "wheel: hatchling is missing; install it with: scripts/setup check" >&2
	exit 1
}
if [ $# = 0 ]; then
	make -s install DESTDIR="$work" PREFIX=/tree >&2
	sh packaging/strip.sh strip "$work/tree"
	floor=$(build/reprise version | sed -n 's/^needs *glibc \([0-9.]*\) .*/\1/p' | tr . _)
	set -- "$work/tree" "manylinux_${floor}_$(uname -m)"
fi
tree=$1
WHEEL_PLATFORM=$2
export WHEEL_PLATFORM
version=$(cat VERSION)

cp -R packaging/wheel "$work/wheel"
cp VERSION README.md LICENSE "$work/wheel/"
mkdir "$work/wheel/bin"
for name in reprise reprise-run; do
	sed "s/@VERSION@/$version/g" packaging/wheel/command.sh >"$work/wheel/bin/$name"
	chmod 755 "$work/wheel/bin/$name"
done
# A wheel holds no links. Man pages lie in the package, too: `pip uninstall` would leave the
# environment's directories of them.
cp -RL "$tree/." "$work/wheel/reprise/"
# A wheel is at most 3 MB: pictures and the pages for those who change the code are left out.
doc=$work/wheel/reprise/share/doc/reprise
rm -rf "$doc"/docs/*.png "$doc/docs/internals" "$doc/bench" "$doc/CONTRIBUTING.md"

mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
(cd "$work/wheel" && "$python" -m hatchling build -t wheel -d "$dist" >&2)
chmod 644 "$dist/reprise_cache-$version-py3-none-$WHEEL_PLATFORM.whl"
echo "${dist#"$PWD"/}/reprise_cache-$version-py3-none-$WHEEL_PLATFORM.whl"
