#!/bin/sh
# packages.sh [job] - run by packages.bats in a bare root, beside the packages: installs them, runs
# gcc by each, and removes them again. "job": a training job of torch in /opt/job, twice.
set -eu
cd "$(dirname "$0")"
packages=$PWD
rm -rf /tmp/job ~/.cache/reprise
mkdir /tmp/job
cd /tmp/job
echo 'int a;' >a.c
sleep 0.1

fail() {
	echo "packages: $*"
	exit 1
}

# serves COMMAND...: gcc under it, twice: the second is a hit.
serves() {
	rm -rf ~/.cache/reprise
	for n in 1 2; do
		"$@" gcc -c a.c || fail "$*: gcc"
	done 2>said
	grep -q '1 of 1 compiles replayed' said || fail "$*: $(cat said)"
}

# same BEFORE DIRECTORY: it holds what it held before.
same() {
	find "$2" | sort | diff "$1" - || fail "$2: files are left"
}

job() {
	/opt/job/bin/pip install -q --no-index --force-reinstall "$packages"/*.whl
	for n in 1 2; do
		echo "\$ reprise-run python train.py"
		rm -rf /tmp/torchinductor_root ~/.triton
		/opt/job/bin/reprise-run /opt/job/bin/python "$packages/train.py" 2>said
		cat said
	done
	grep -Eq ' ([1-9][0-9]*) of \1 compiles ' said || fail "the second run is not replayed"
}

if [ "${1-}" = job ]; then
	job
	echo 'all is as it should be'
	exit
fi

python3 -m venv env
find env | sort >before
env/bin/pip install -q --no-index "$packages"/*.whl
serves env/bin/reprise-run
serves env/bin/python -m reprise run --
env/bin/reprise doctor >doctor || fail "$(cat doctor)"
env/bin/reprise version >said
grep -qx 'needs    glibc 2.28 or later' said || fail "$(cat said)"
mv env moved
serves moved/bin/reprise-run
mv moved env
env/bin/pip uninstall -q -y reprise-cache
same before env

env/bin/pip install -q --no-index --target target "$packages"/*.whl
serves target/bin/reprise-run

find / -xdev \( -path /proc -o -path /tmp -o -path /var -o -path /root -o -path /dev \) -prune -o \
	-print | sort >before
dpkg -i "$packages"/*.deb >said 2>&1 || fail "$(cat said)"
serves reprise-run
serves reprise run --
[ "$(command -v reprise)" = /usr/bin/reprise ]
dpkg --purge reprise >said 2>&1 || fail "$(cat said)"
find / -xdev \( -path /proc -o -path /tmp -o -path /var -o -path /root -o -path /dev \) -prune -o \
	-print | sort | diff before - || fail "the .deb left files"
echo 'all is as it should be'
