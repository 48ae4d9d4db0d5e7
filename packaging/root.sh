#!/bin/sh
# root.sh RELEASE DIRECTORY [COMMAND] - runs COMMAND (default: scripts/check) in a bare root of that
# release of Debian (or Ubuntu: jammy). debootstrap makes the root in DIRECTORY if there is none.
# COMMAND starts in /src, a copy of this tree. The mounts of the root end with the command: they are
# in a mount namespace of their own. Needs root.
#
# The directories of PIP_FIND_LINKS, where pip looks for wheels, are visible inside under the same
# names. With NO_TREE=1 the root is the smallest, the tree is not copied, and COMMAND starts in /.
# Status 77: this machine cannot make such a root.
set -eu
release=$1
directory=$2
command=${3:-scripts/check}
cd "$(dirname "$0")/.."

if [ ! -e "$directory/.bare" ]; then
	rm -rf "$directory"
	case $release in
	jammy | noble) components=main,universe ;;
	*) components=main ;;
	esac
	include=
	[ -n "${NO_TREE-}" ] || include=--include=ca-certificates
	# shellcheck disable=SC2086 # none or one
	debootstrap --variant=minbase $include --components=$components \
		"$release" "$directory" >&2 || {
		rm -rf --one-file-system "$directory"
		exit 77
	}
	: >"$directory/.bare"
fi
# tree: names the source files of the tree and leaves out what was built in it. A copy of the tree
# may be no repository.
tree() {
	git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
		find . \( -path ./build -o -path ./dist \) -prune -o ! -type d -print0
}
# Tests mount images, which takes loop devices.
cp -a /dev/loop* "$directory/dev/" 2>/dev/null || true
cp /etc/resolv.conf "$directory/etc/resolv.conf"
# An installer writes /etc/hosts, debootstrap does not.
[ -e "$directory/etc/hosts" ] || echo '127.0.0.1 localhost' >"$directory/etc/hosts"
# pip inside gets the settings and the certificates of this machine, which a proxy may need.
for file in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
	[ ! -e "$file" ] || [ ! -d "$directory${file%/*}" ] || cp -L "$file" "$directory$file"
done
if [ -n "${NO_TREE-}" ]; then
	at=/
else
	at=/src
	rm -rf "$directory/src"
	mkdir -p "$directory/src"
	tree | tar --null -T - --ignore-failed-read -cf - | tar -C "$directory/src" -xf -
fi

# shellcheck disable=SC2016 # expanded inside
exec unshare --mount --pid --fork sh -eu -c '
	directory=$1 command=$2 at=$3
	# The tests inside can make namespaces only if the root is a mount point.
	mount --bind "$directory" "$directory"
	mount -t proc proc "$directory/proc"
	mount -t tmpfs -o mode=1777 tmpfs "$directory/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$directory/dev/pts"
	for path in ${PIP_FIND_LINKS:-}; do
		case $path in
		/*)
			mkdir -p "$directory$path"
			mount --bind "$path" "$directory$path"
			;;
		esac
	done
	exec chroot "$directory" env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		JOBS="${JOBS:-}" PIP_FIND_LINKS="${PIP_FIND_LINKS:-}" sh -c "cd $at && $command"
' sh "$directory" "$command" $at
