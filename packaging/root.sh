#!/bin/sh
# root.sh RELEASE DIRECTORY [COMMAND] - a bare root of that release of Debian (or Ubuntu: jammy) in
# DIRECTORY (made with debootstrap where it is not there), a copy of this tree in its /src, and
# COMMAND run there (default: scripts/check). Mounts live in a namespace of their own and end with
# the command. Needs root.
#
# A directory that pip is told to look into (PIP_FIND_LINKS) is visible inside under the same name.
# NO_TREE=1: the smallest root, and no new copy of the tree; the command starts in /. Status 77: no
# root can be made here.
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
	debootstrap --variant=minbase $include --components=$components "$release" "$directory" >&2 || {
		rm -rf --one-file-system "$directory"
		exit 77
	}
	: >"$directory/.bare"
fi
# What belongs to the tree, not what was built in it; a copy of the tree may be no repository.
tree() {
	git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
		find . \( -path ./build -o -path ./dist \) -prune -o ! -type d -print0
}
# Tests mount images of their own.
cp -a /dev/loop* "$directory/dev/" 2>/dev/null || true
cp /etc/resolv.conf "$directory/etc/resolv.conf"
# What an installer writes, not debootstrap.
[ -e "$directory/etc/hosts" ] || echo '127.0.0.1 localhost' >"$directory/etc/hosts"
# pip inside asks as pip here does, also where a proxy has certificates of its own.
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
	# A root that is no mount point refuses namespaces to the tests inside.
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
