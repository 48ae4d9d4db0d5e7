#!/bin/sh
# root.sh RELEASE DIRECTORY [COMMAND] - runs COMMAND (default: scripts/check) in a bare root of that
# release of Debian (or Ubuntu: jammy, noble). debootstrap makes the root in DIRECTORY if there is
# none. COMMAND starts in /src, a copy of this tree. The mounts of the root end with the command:
# they are in a mount namespace of their own. Needs root.
#
# UBUNTU_MIRROR=URL: where Ubuntu's packages come from, if this machine lacks Ubuntu's keyring.
#
# The directories of PIP_FIND_LINKS, where pip looks for wheels, are visible inside under the same
# names. With NO_TREE=1 the root is the smallest, the tree is not copied, and COMMAND starts in /.
# Status 77: this machine cannot make such a root.
#
# ARCH=arm64: the root of another processor, whose programs qemu-user runs (RELEASE has to be this
# system's). It holds the packages of INCLUDE and what they depend on. The kernel learns of qemu in
# a user namespace of the root's own (Linux 6.7). BUILD=build/aarch64: the objects that stand in
# build/ inside.
set -eu
release=$1
directory=$2
command=${3:-scripts/check}
cd "$(dirname "$0")/.."
case $directory in /*) ;; *) directory=$PWD/$directory ;; esac

# emulator: prints the path of a qemu that needs no libraries.
emulator() {
	for name in qemu-aarch64-static qemu-aarch64; do
		path=$(command -v $name) || continue
		! readelf -l "$path" | grep -q INTERP || continue
		echo "$path"
		return
	done
	echo "root.sh: no static qemu-aarch64" >&2
	exit 77
}
emulator=
[ -z "${ARCH-}" ] || emulator=$(emulator) || exit 77
if [ -n "$emulator" ] && [ ! -e "$directory/.done" ]; then
	# shellcheck disable=SC2086 # a list
	sh scripts/sysroot-aarch64.sh "$directory" base-files $INCLUDE >&2 || {
		rm -rf --one-file-system "$directory"
		exit 77
	}
elif [ -z "$emulator" ] && [ ! -e "$directory/.bare" ]; then
	rm -rf "$directory"
	case $release in
	jammy | noble) components=main,universe ;;
	*) components=main ;;
	esac
	# A debootstrap that is older than the release of Ubuntu has no script of that name. All of
	# Ubuntu's are links to one.
	script= mirror=
	case $release in
	jammy | noble) script=/usr/share/debootstrap/scripts/gutsy mirror=${UBUNTU_MIRROR-} ;;
	esac
	include=
	[ -n "${NO_TREE-}" ] || include=--include=ca-certificates
	# shellcheck disable=SC2086 # none or one
	debootstrap --variant=minbase $include --components=$components \
		"$release" "$directory" ${script:+"$mirror" "$script"} >&2 || {
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
	[ -z "${BUILD-}" ] || (cd "$BUILD" && find . -type f -perm -100 -print0 |
		tar --null -T - -cf - | tar -C "$directory/src" --transform 's|^\.|build|' -xf -)
fi

# inside: makes the mounts, and starts the command.
# shellcheck disable=SC2016 # expanded inside
inside='
	directory=$1 command=$2 at=$3 emulator=$4
	if [ -n "$emulator" ]; then
		until read -r _ </proc/self/gid_map; do sleep 0.02; done
		mount -t binfmt_misc binfmt /proc/sys/fs/binfmt_misc ||
			exit 77 # before Linux 6.7
		# Machine 183; argv[0] is kept, qemu is opened now: the root does not hold it. A
		# set-user-id program is one there, too.
		zeros="\x00\x00\x00\x00" ones="\xff\xff\xff\xff"
		printf %s ":aarch64:M::\x7fELF\x02\x01\x01\x00$zeros$zeros\x02\x00\xb7\x00" \
			":$ones\xff\xff\xff\x00$ones$ones\xfe\xff\xff\xff:$emulator:OPFC" \
			>/proc/sys/fs/binfmt_misc/register
	fi
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
		JOBS="${JOBS:-}" PIP_FIND_LINKS="${PIP_FIND_LINKS:-}" \
		${QEMU_CPU:+QEMU_CPU="$QEMU_CPU"} sh -c "cd $at && $command"
'
if [ -z "$emulator" ]; then
	exec unshare --mount --pid --fork sh -eu -c "$inside" sh "$directory" "$command" $at ''
fi
# The kernel refuses this in a chroot, such as a root of this script.
unshare --user true 2>/dev/null || {
	echo "root.sh: no user namespace can be made here" >&2
	exit 77
}
# Its user namespace knows all users. Only a process outside can say so.
unshare --user --mount --pid --fork --kill-child \
	sh -eu -c "$inside" sh "$directory" "$command" $at "$emulator" &
child=$!
trap 'kill -KILL $child' INT TERM HUP # unshare ignores the others
while [ "$(readlink /proc/$child/ns/user)" = "$(readlink /proc/self/ns/user)" ]; do
	sleep 0.02
done
echo '0 0 4294967295' >/proc/$child/uid_map
echo '0 0 4294967295' >/proc/$child/gid_map
wait $child
