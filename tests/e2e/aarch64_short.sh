#!/bin/sh
# aarch64_short.sh - run by aarch64.bats in a root of arm64: compilers, links, a host with a cache
# of its own, processors, a filter and the remote store, plain and under Reprise. Prints what fails.
set -eu
mkdir -p /tmp/short
cd /tmp/short
rm -rf ./* ~/.config/reprise
# lib.bash waits as long: files that were written just now are not trusted.
age() { sleep 0.1; }
reprise() { /src/build/reprise "$@"; }
under() { LD_PRELOAD=/src/build/libreprise.so "$@"; }
# counted: sets $hits, $misses and $remote. A program starts ten times as slowly here as elsewhere.
counted() {
	reprise stats --json >numbers
	while read -r name number; do
		case $name in
		'"hits_local":') hits=${number%,} ;;
		'"misses":') misses=${number%,} ;;
		'"hits_remote":') remote=${number%,} ;;
		esac
	done <numbers
}
# now_hits N: so many more hits than counted before.
now_hits() {
	before=$hits
	counted
	[ "$hits" = $((before + $1)) ]
}
fail() {
	echo "short: $*"
	reprise stats
	cat log
	exit 1
}
export REPRISE_CACHE_DIR=/tmp/short/store REPRISE_RUNTIME_DIR=/tmp/short/runtime \
	REPRISE_STRICT=1 REPRISE_LOG=/tmp/short/log REPRISE_LOG_LEVEL=info LC_ALL=C

# served OUTPUT COMMAND...: plain, a miss and a hit leave the same output.
served() {
	out=$1
	shift
	"$@"
	mv "$out" plain
	counted
	cold=$misses warm=$hits
	under "$@"
	cmp "$out" plain || fail "cold: $*"
	rm "$out"
	under "$@"
	cmp "$out" plain || fail "warm: $*"
	counted
	[ "$misses" -gt "$cold" ] && [ "$hits" -gt "$warm" ] ||
		fail "not served: $*"
}

echo 'int one(void) { return 1; } int main(void) { return one() - 1; }' >a.c
printf '%s\n' '#include <new>' 'int *f(void) { return new (std::nothrow) int; }' >b.cc
age
# Names that are links, as Debian has them: gcc to gcc-12 to aarch64-linux-gnu-gcc-12.
served a.o gcc -O2 -c a.c
served b.o g++ -O1 -c b.cc
served a gcc a.o -o a
served r.o ld -r -o r.o a.o
served lib.a ar rcsD lib.a a.o
./a || fail "the program: $?"

# Another processor is another key where the compiler asks for it, and only there.
served n.o env QEMU_CPU=cortex-a57 gcc -mcpu=native -O2 -c a.c -o n.o
QEMU_CPU=max under gcc -mcpu=native -O2 -c a.c -o n.o
now_hits 0 || fail "a hit for another processor"
QEMU_CPU=max under gcc -O2 -c a.c
now_hits 1 || fail "no hit where the processor does not matter"

# Below a system call filter, as in a container.
if [ -x /tmp/filter ]; then
	/tmp/filter 38 kcmp -- env LD_PRELOAD=/src/build/libreprise.so gcc -O2 -c a.c
	now_hits 1 || fail "not served below a filter"
fi

# A host that compiles, and keeps a cache of its own.
mkdir -p ~/.config/reprise
echo 'UNIT=kernels path=own/<[a-z0-9]{4}.bin complete=rename kind=file' \
	>~/.config/reprise/reprise.conf
cat >host.py <<'END'
import os, subprocess
path = "fw/own/aa11.bin"
if os.path.exists(path):
    print("found")
else:
    os.makedirs("fw/own", exist_ok=True)
    with open(path + ".tmp", "w") as f:
        f.write("one")
    os.rename(path + ".tmp", path)
    print("made")
subprocess.run(["gcc", "-O2", "-c", "a.c"], check=True)
END
[ "$(under python3 host.py)" = made ] || fail "host"
now_hits 1 || fail "the compile of a host"
reprise publish --wait 60
rm -rf fw
[ "$(under python3 host.py)" = found ] || fail "the cache of a host is empty"

# The remote store, which the agent speaks to.
redis-server --port 0 --unixsocket /tmp/short/redis --save '' --daemonize yes >/dev/null
trap 'redis-cli -s /tmp/short/redis shutdown nosave || :' EXIT
until redis-cli -s /tmp/short/redis ping >/dev/null 2>&1; do sleep 0.1; done
export REPRISE_REMOTE_URL=redis+unix:///tmp/short/redis REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
echo 'int c;' >c.c
age
export REPRISE_CACHE_DIR=/tmp/short/node1
under gcc -c c.c
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(redis-cli -s /tmp/short/redis dbsize)" -lt 2 ] || break
	sleep 0.5
done
export REPRISE_CACHE_DIR=/tmp/short/node2
under gcc -c c.c
counted
[ "$remote" = 1 ] || fail "no hit of the remote store"
! grep -E ' (warning|error) ' log || fail "the log"
echo 'all is as it should be'
