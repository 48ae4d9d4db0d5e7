#!/bin/sh
# aarch64_node.sh BUILD DIRECTORY STORE URL - run by aarch64_suites.bats here and in a root of
# arm64: one job on a fresh node that shares the remote store. Prints what the cache of a host
# had, the counters, and the digests of the outputs.
set -eu
build=$1
export REPRISE_LOG="$3-log" REPRISE_LOG_LEVEL=info REPRISE_REMOTE_LOOKUP_TIMEOUT=3s
export REPRISE_CACHE_DIR="$3" REPRISE_RUNTIME_DIR="$3-runtime" REPRISE_REMOTE_URL="$4" \
	REPRISE_WRAPPERS="$2/mycc" HOME="$2" LC_ALL=C
mkdir -p "$2/.config/reprise"
cd "$2"
rm -rf fw ./*.o
echo 'UNIT=kernels path=own/<[a-z0-9]{4}.bin complete=rename kind=file' \
	>.config/reprise/reprise.conf
cat >host.py <<'END'
import os
path = "fw/own/aa11.bin"
if os.path.exists(path):
    print("found", open(path).read())
else:
    os.makedirs("fw/own", exist_ok=True)
    with open(path + ".tmp", "w") as f:
        f.write(os.uname().machine)
    os.rename(path + ".tmp", path)
    print("made")
END
echo 'int one(void) { return 1; }' >a.c
printf '%s\n' '#include <vector>' 'int f(const std::vector<int> &v) { return v.at(1); }' >b.cc
printf '%s\n' '#!/bin/sh' 'exec gcc "$@"' >mycc
chmod +x mycc
sleep 0.1
under() { LD_PRELOAD=$build/libreprise.so "$@"; }
under gcc -O2 -c a.c
under g++ -O1 -c b.cc
under ./mycc -O1 -c a.c -o w.o
under as /dev/null -o s.o
under ld -r -o r.o a.o
under python3 host.py
"$build/reprise" publish --wait 120 >/dev/null
"$build/reprise" stats --json | jq -r '"misses \(.misses) remote \(.hits_remote // 0)"'
sha256sum ./*.o
