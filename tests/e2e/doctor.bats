#!/usr/bin/env bats
# `reprise doctor`: its findings about the object, the tools, the store, and a remote store in every
# state.

setup() {
	load lib
	load redis
	load tls
	case_setup
}
teardown() {
	redis_teardown
	case_teardown
}

# doctor STATUS [SETTING=value...]: its output in $output
doctor() {
	local want=$1
	shift
	# A bound that a busy machine meets as well.
	run env REPRISE_REMOTE_LOOKUP_TIMEOUT=5s "$@" \
		REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" REPRISE_LOG="$LOG" \
		"$REPRISE_BIN" doctor
	[ "$status" = "$want" ] || fail "status $status, not $want: $output"
}

# says TEXT...: each stands in the output
says() {
	local text
	for text; do
		[[ $output == *"$text"* ]] || { fail "no '$text' in: $output"; return 1; }
	done
}

@test "doctor: all is well without a remote store" {
	doctor 0
	says 'ok    object' ', loads' "ok    store      $STORE (" "ok    runtime    $RUNTIME" \
		'none is configured' 'nothing to mend'
	says 'served: '
	! grep -q '^mend' <<<"$output" || fail "$output"
}

@test "doctor: JSON says the same" {
	reprise doctor --json >out
	"$PY" - out <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["mend"] == 0, d
	assert {"object", "tools", "settings", "store", "runtime",
	        "remote"} <= {c["name"] for c in d["checks"]}, d
	assert all(c["level"] in ("ok", "note", "mend") and c["text"] for c in d["checks"]), d
	assert d["figures"]["store_free_bytes"] > 0, d
	END
	run reprise doctor --jsonn
	[ "$status" = 2 ]
	run reprise doctor more
	[ "$status" = 2 ]
}

# launched STATUS [--there PATH] LAUNCHER...: `reprise doctor -- LAUNCHER...`; both streams are in
# $output
launched() {
	local want=$1 there=()
	shift
	[ "$1" != --there ] || { there=("$1" "$2"); shift 2; }
	run env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		"$REPRISE_BIN" doctor "${there[@]}" -- "$@"
	[ "$status" = "$want" ] || fail "status $status, not $want: $output"
}

@test "doctor: through a launcher: on each rank, whether the preload arrived and served" {
	launched 0 env
	says 'ok    rank' 'the preload arrived; gcc twice: miss, hit' \
		"store $STORE, remote none, job run-" \
		'nothing to mend'
	# A launcher of two ranks that numbers them, puts text before their lines, and prints more.
	put two 'export SLURM_PROCID=0; echo hello' \
		'"$@" | sed "s/^/0: /" & SLURM_PROCID=1 "$@" & wait' 'exit 3'
	launched 0 sh two
	says 'hello' 'note  launcher   sh ended with status 3' ', rank 0 1 (2): the preload arrived'
	# The ranks have different settings.
	put apart 'REPRISE_JOB=one "$@"; REPRISE_JOB=two REPRISE_REDIS_URL=redis://h "$@"'
	launched 0 sh apart
	says "job two, but the first rank's is one" 'remote redis://h:6379/0, but here it is none'
	[ -z "$(ls -d "${TMPDIR:-/tmp}"/reprise-doctor.* 2>/dev/null)" ]
}

@test "doctor: through a launcher that strips the preload, or the object is not there" {
	# A static program: the object cannot repair the environment that the program passes on.
	put strip.c '#include <unistd.h>' 'extern char **environ;' 'int main(int c, char **v)' \
		'{ environ = v + c; if (c > 2) execv(v[1], v + 1); return 9; }'
	gcc -static -o strip strip.c
	launched 1 ./strip
	says 'mend  rank' 'the preload did not arrive: LD_PRELOAD does not name it' \
		'put reprise-run after it' '1 to mend'
	says 'store ' ", but here it is $STORE" '/etc/reprise.conf'
	ln -s strip srun
	launched 1 ./srun
	says '-> srun --export=ALL, or `srun ... reprise-run COMMAND`'
	# Debian's name of Open MPI's; its daemon on a node of Slurm is a task of srun.
	ln -s strip mpirun.openmpi
	launched 1 ./mpirun.openmpi /usr/bin/env SLURM_PROCID=0 OMPI_COMM_WORLD_RANK=3
	says ', rank 3: ' '-> mpirun -x LD_PRELOAD -x REPRISE_JOB (Open MPI)'
	ln -s strip kubectl
	launched 1 ./kubectl
	says '-> a process of a pod gets the `env` of its container' \
		'`kubectl exec ... -- reprise-run'
	# The advice that doctor prints works.
	launched 0 ./strip "$TOP/scripts/reprise-run"
	says 'the preload arrived; gcc twice: miss, hit'
	put wrong.c '#include <stdlib.h>' '#include <unistd.h>' 'int main(int c, char **v)' \
		'{ setenv("LD_PRELOAD", "/nowhere/libreprise.so", 1); execv(v[1], v + 1);' \
		'return 9; }'
	gcc -static -o wrong wrong.c
	launched 1 ./wrong
	says 'LD_PRELOAD names it, but libreprise.so is not in the process'
	launched 1 ./no-such-launcher
	says 'mend  launcher   ./no-such-launcher: No such file or directory'
	launched 1 false
	says 'false ended with status 1 and no rank reported'
	# The ranks have the command under another path.
	ln -s "$REPRISE_BIN" there
	launched 0 --there "$W/there" env
	says 'the preload arrived; gcc twice: miss, hit'
	launched 1 --there /nowhere/reprise env
	says 'no rank reported: it was to start /nowhere/reprise' \
		'say where it is with --there PATH'
	run reprise doctor --there "$W/there"
	[ "$status" = 2 ] || fail "$status: $output"
}

# bats test_tags=check
@test "doctor: through a launcher: no hit, no compiler, turned off; the same in JSON" {
	mkdir bin
	ln -s "$(type -P false)" bin/gcc
	launched 1 env PATH="$W/bin"
	says 'the preload arrived; gcc ends with status 1 there'
	launched 1 env REPRISE_READONLY=1
	says 'was not a hit: bypass: a miss on a read-only store'
	launched 0 env PATH=/nowhere
	says 'no C compiler on PATH'
	launched 0 env REPRISE_FORCE_DISABLE=1
	says 'note  rank' 'a setting turns Reprise off'
	run env REPRISE_CACHE_DIR="$STORE" "$REPRISE_BIN" doctor --json -- env SLURM_PROCID=5
	[ "$status" = 0 ]
	"$PY" -c 'import json, sys
d = json.loads(sys.argv[1])
r = d["ranks"]
assert len(r) == 1 and r[0]["rank"] == "5" and r[0]["preload"] == "yes", r
assert r[0]["second"] == "hit" and r[0]["store"] == sys.argv[2] and r[0]["job"], r
assert d["figures"]["ranks"] == 1 and d["mend"] == 0, d' "$output" "$STORE"
}

# bats test_tags=long
@test "doctor: through torchrun, which expects a script without --no-python" {
	[ -n "${E2E_PYTHON-}" ] || skip "no torch: scripts/torch-python.sh --make downloads it"
	# By address: a bare root's own name leads nowhere, and --standalone asks for it.
	launched 0 timeout 120 "$E2E_PYTHON" -m torch.distributed.run --nnodes 1 \
		--nproc-per-node 2 \
		--master-addr 127.0.0.1 --master-port "$(redis_free_port)"
	says '(2): the preload arrived; gcc twice: miss, hit'
}

@test "doctor: says whether this shell is preloaded" {
	doctor 0
	says 'note  preload    programs started from this shell do not run under Reprise' \
		'reprise-run'
	doctor 0 LD_PRELOAD="$REPRISE_LIB"
	says 'ok    preload    programs started from this shell run under Reprise'
}

@test "doctor: an object that is missing, of another version, or does not load" {
	mkdir bin
	cp "$REPRISE_BIN" bin/reprise
	REPRISE_BIN=$PWD/bin/reprise
	doctor 1
	says 'mend  object' 'is missing'
	sed 's/reprise-object [0-9.]*/reprise-object 9.9.9/' "$REPRISE_LIB" >bin/libreprise.so
	doctor 1
	says 'has another version than this command'
	put bin/libreprise.so 'no object'
	doctor 1
	says '`true` exits with status'
}

@test "doctor: tools that cannot be served, and why" {
	mkdir bin
	put a.c 'int main(void) { return 0; }'
	gcc -static -o bin/ld a.c
	gcc -o bin/ar a.c
	chmod u+s bin/ar
	put bin/gcc '#!/bin/sh' 'exec /usr/bin/gcc "$@"'
	chmod +x bin/gcc
	doctor 0 PATH="$PWD/bin:$PATH" REPRISE_TOOLS=-as
	says "bin/ld is not served: static" "bin/ar is not served: set-user-id" \
		'scripts, whose compilers are served: gcc' 'as is not served: REPRISE_TOOLS'
	[[ $output != *'  served: gcc '* ]]
}

@test "doctor: a store that cannot be used, settings that are malformed" {
	put plain x
	STORE=$PWD/plain/store
	doctor 1 REPRISE_MAX_SIZE=lots
	says 'mend  store' 'mend  settings' 'lots' '2 to mend'
	STORE=$ROOT/store
	doctor 1 REPRISE_TOOLS=mytool
	says 'mend  settings' 'TOOLS: "mytool" begins with neither + nor -' '1 to mend'
	doctor 0 REPRISE_FORCE_DISABLE=1
	says 'a setting turns Reprise off'
}

# bats test_tags=check
@test "doctor: a Redis that answers" {
	redis_need
	redis_start main --maxmemory 64mb --maxmemory-policy allkeys-lru
	doctor 0 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT/3"
	says "ok    redis      redis://127.0.0.1:$REDIS_PORT/3 answers in " \
		'ok    memory' 'policy allkeys-lru' 'ok    look-up' 'ok    publish' \
		'ok    breaker' 'ok    spool      0 records wait'
	doctor 0 REPRISE_REDIS_SOCKET="$REDIS_SOCKET"
	says 'ok    redis'
	# No key that doctor wrote is left.
	sleep 1.1
	[ -z "$(redis_cli main -n 3 keys '*')" ]
	redis_cli main config set maxmemory-policy noeviction >/dev/null
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT"
	says 'mend  memory' 'config set maxmemory-policy allkeys-lru'
	redis_cli main config set maxmemory-policy volatile-lru >/dev/null
	doctor 0 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT"
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT" REPRISE_REDIS_TTL=0
	says 'nothing can be evicted'
	redis_cli main config set maxmemory 1mb maxmemory-policy noeviction >/dev/null
	redis_cli main debug populate 20000 fill 100 >/dev/null
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT"
	says 'mend  publish' 'answers OOM'
	# The figures in JSON.
	REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT" reprise doctor --json >out || true
	"$PY" -c 'import json; f = json.load(open("out"))["figures"]
assert 0 < f["latency_ms"] < f["connect_ms"], f'
}

# bats test_tags=check
@test "doctor: no server, one that does not answer, no Redis, a slow one" {
	redis_need
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$(redis_free_port)"
	says 'mend  redis' 'check that the server runs'
	redis_proxy hang 0 hang
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$PROXY_PORT"
	says 'mend  redis' 'timed out' 'firewall'
	redis_proxy web 0 say 'HTTP/1.1 400 Bad Request\r\n\r\n!'
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$PROXY_PORT"
	says 'mend  redis' 'check that this is a Redis server'
	doctor 1 REPRISE_REDIS_URL=redis://a/b/c
	says 'mend  remote'
	redis_start main
	redis_proxy slow "$REDIS_PORT" delay 30
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$PROXY_PORT"
	says 'mend  redis' 'slow'
	doctor 0 REPRISE_REDIS_URL="redis://127.0.0.1:$REDIS_PORT" REPRISE_REMOTE=0
	says 'turned off by REPRISE_REMOTE'
}

@test "doctor: passwords, users, rights, and no secret in what it says" {
	redis_need
	redis_start main --requirepass s3cr3tpw
	local host=127.0.0.1:$REDIS_PORT
	doctor 1 REPRISE_REDIS_URL="redis://$host"
	says 'mend  redis' 'the server requires a password'
	doctor 1 REPRISE_REDIS_URL="redis://:wr0ngpw@$host"
	says 'mend  redis' 'REPRISE_REDIS_PASSWORD_FILE'
	[[ $output != *wr0ngpw* ]] || fail "$output"
	doctor 0 REPRISE_REDIS_URL="redis://$host" REPRISE_REDIS_PASSWORD=s3cr3tpw
	says 'ok    look-up' 'ok    publish'
	[[ $output != *s3cr3tpw* ]] || fail "$output"
	redis_cli main -a s3cr3tpw --no-auth-warning acl setuser rank on '>us3rpw' resetkeys \
		'%R~reprise:*' resetchannels +get +lrange +llen >/dev/null
	doctor 0 REPRISE_REDIS_URL="redis://rank:us3rpw@$host"
	says 'ok    redis' 'allow +info' 'ok    look-up' 'the user may only look up'
	[[ $output != *us3rpw* ]] || fail "$output"
	redis_cli main -a s3cr3tpw --no-auth-warning acl setuser rank \
		'~reprise:*' +set +lpush +ltrim +expire >/dev/null
	doctor 0 REPRISE_REDIS_URL="redis://rank:us3rpw@$host"
	says 'ok    publish' 'give the user +strlen'
	redis_cli main -a s3cr3tpw --no-auth-warning acl setuser rank +strlen >/dev/null
	doctor 0 REPRISE_REDIS_URL="redis://rank:us3rpw@$host"
	says 'ok    publish'
	[[ $output != *strlen* ]] || fail "$output"
	redis_cli main -a s3cr3tpw --no-auth-warning acl setuser rank -lrange >/dev/null
	doctor 1 REPRISE_REDIS_URL="redis://rank:us3rpw@$host"
	says 'mend  look-up' NOPERM
	run env REPRISE_REDIS_URL="redis://rank:us3rpw@$host" "$REPRISE_BIN" doctor --json
	[[ $output != *us3rpw* ]] || fail "$output"
	doctor 1 REPRISE_REDIS_URL="redis://:s3cr3tpw@$host" REPRISE_TRUST=nokey
	says 'mend  remote'
}

@test "doctor: TLS, and a certificate of another authority" {
	redis_need
	need_tls
	authority ca
	authority wrong
	certificate server ca 2 "$LOCAL_NAMES"
	tls_start main server --requirepass s3cr3tpw
	local url=rediss://:s3cr3tpw@localhost:$TLS_PORT
	doctor 0 REPRISE_REDIS_URL="$url" REPRISE_REDIS_TLS_CA="$PWD/pki/ca.crt"
	says "ok    redis      rediss://" 'ok    publish'
	[[ $output != *s3cr3tpw* ]] || fail "$output"
	doctor 1 REPRISE_REDIS_URL="$url" REPRISE_REDIS_TLS_CA="$PWD/pki/wrong.crt"
	says 'mend  redis' 'TLS: ' 'for TLS, REPRISE_REDIS_TLS_CA and _TLS_NAME'
	[[ $output != *s3cr3tpw* ]] || fail "$output"
	doctor 1 REPRISE_REDIS_URL="$url" REPRISE_REDIS_TLS_CA="$PWD/pki/ca.crt" \
		REPRISE_REDIS_TLS_NAME=cache.test
	says 'mend  redis' 'hostname mismatch' 'for TLS, REPRISE_REDIS_TLS_CA and _TLS_NAME'
	# Without TLS to a port that requires TLS.
	doctor 1 REPRISE_REDIS_URL="redis://:s3cr3tpw@localhost:$TLS_PORT"
	says 'mend  redis' 'a server that requires TLS needs rediss://'
}

@test "doctor: a key to sign with that others can read" {
	"$REPRISE_BIN" keygen "$ROOT/ours" >/dev/null
	chmod 644 "$ROOT/ours"
	doctor 1 REPRISE_REDIS_URL=redis://h REPRISE_SIGN_KEY="$ROOT/ours"
	says 'mend  remote' 'can be read by others'
}

# bats test_tags=check
@test "doctor: a cluster" {
	redis_need
	redis_cluster 3 0
	doctor 0 REPRISE_REDIS_URL="redis://127.0.0.1:$(redis_port n0)"
	says 'ok    redis' 'ok    look-up' 'ok    publish'
	doctor 1 REPRISE_REDIS_URL="redis://127.0.0.1:$(redis_port n0)/1"
	says 'mend  redis' 'a database number above its limit (or on a cluster)'
}
