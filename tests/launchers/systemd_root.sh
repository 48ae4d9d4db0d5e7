#!/bin/sh
# systemd_root.sh PLACE - systemd as process 1 of namespaces of its own, on this machine's root.
#
# /usr/local is PLACE/inst/usr/local, and the units are those of PLACE/units. steps.service runs
# PLACE/steps as root; systemd ends with it. What it prints goes to PLACE/said.
#
#     unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child sh systemd_root.sh PLACE
set -e
place=$1
mount --make-rprivate /
mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys # systemd raises limits of the kernel
mount -t tmpfs none /run
mkdir -p /run/lock /run/systemd/system
while umount -R /sys/fs/cgroup 2>/dev/null; do :; done
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs none /etc/systemd/system
mount -t tmpfs none /var/cache
mount -t tmpfs none /var/log
mount -t tmpfs none /dev/shm
mount -t tmpfs none /usr/local
# Other users may not reach PLACE, and a service may have a /tmp of its own.
cp -a "$place/inst/usr/local/." /usr/local
cp -a "$place/units/." /run/systemd/system
for unit in dbus.service dbus.socket; do
	mkdir "/run/systemd/system/$unit.d"
	printf '[Unit]\nDefaultDependencies=no\n' >"/run/systemd/system/$unit.d/early.conf"
done
cat >/run/systemd/system/steps.service <<END
[Unit]
DefaultDependencies=no
Requires=systemd-journald.service
After=systemd-journald.service
SuccessAction=exit-force
FailureAction=exit-force
[Service]
Type=oneshot
WorkingDirectory=$place
ExecStart=/bin/sh $place/steps
StandardOutput=file:$place/said
StandardError=inherit
END
exec env -i container=reprise PATH="$PATH" /lib/systemd/systemd --system \
	--unit=steps.service --log-target=null --show-status=0
