#!/usr/bin/env bats
# The reprise command: usage, what it prints, exit statuses, and a store in every state.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# json PYTHON: a check of the object d on standard input.
json() { "$PY" -c 'import json, sys; d = json.load(sys.stdin); assert ('"$1"'), d'; }

compile() { under gcc -c "$@"; }

# One stored compile.
seed() {
	put a.c 'int a(void) { return 1; }'
	age
	compile a.c
}

@test "cli: help names every command, each command has its own" {
	run reprise --help
	[ "$status" = 0 ]
	local c
	for c in stats explain jobs report forget help config gc clear verify doctor keygen \
		publish prefetch run version; do
		[[ $output == *"  $c "* ]] || fail "--help does not name $c"
		reprise $c --help >help
		grep -q "^Usage: reprise $c" help
	done
}

@test "cli: wrong usage: status 2" {
	local words
	for words in '' 'bogus' '--bogus' 'stats --bogus' 'stats x' 'explain 1 x' 'explain 0' \
		'explain -3' 'explain 1 2' \
		'config x' 'gc x' 'clear x' 'verify x' 'doctor x' 'keygen' 'keygen x y' \
		'publish x' 'prefetch' 'prefetch --rank x j' 'version x' 'run'; do
		run reprise $words
		[ "$status" = 2 ] || fail "'$words': status $status"
		[ -n "$output" ]
	done
}

@test "cli: keygen makes a pair and overwrites nothing" {
	umask 000
	run reprise keygen key
	[ "$status" = 0 ]
	[[ $output =~ ^[A-Za-z0-9_-]{43}$ ]]
	[ "$(stat -c %a key)" = 600 ]
	grep -Eqx 'reprise-secret-1 [A-Za-z0-9_-]{43}' key
	local public=$output before
	before=$(cat key)
	run reprise keygen key
	[ "$status" = 1 ]
	[[ $output == *"key: File exists"* ]]
	[ "$(cat key)" = "$before" ]
	run reprise keygen no/such/dir/key
	[ "$status" = 1 ]
	[ "$(reprise keygen other)" != "$public" ]
}

# Processes with and without trust share a store: each compiles once, and both can be checked.
@test "cli: verify and stats with entries of both digests" {
	local public
	public=$(reprise keygen key)
	seed
	under env REPRISE_TRUST="$public" gcc -c a.c
	under env REPRISE_TRUST="$public" gcc -c a.c
	compile a.c
	run reprise verify
	[ "$status" = 0 ]
	[[ $output == *" 0 bad"* ]]
	[ "$(REPRISE_TRUST=$public reprise verify)" = "$output" ]
	reprise stats --json | json 'd["misses"] == 2 and d["hits_local"] == 2'
	REPRISE_TRUST=$public reprise stats --json |
		json 'd["misses"] == 2 and d["hits_local"] == 2'
	# A damaged entry of the other kind is seen and removed; a good one is not.
	local n
	n=$(entries | wc -l)
	printf x | dd of="$(entries | tail -n 1)" bs=1 seek=60 conv=notrunc 2>dd.err
	run reprise verify --repair
	[ "$status" = 1 ]
	[[ $output == *" 1 bad, 1 removed"* ]]
	[ "$(entries | wc -l)" = $((n - 1)) ]
}

@test "cli: version" {
	run reprise version
	[ "${lines[0]}" = "reprise $(cat "$TOP/VERSION")" ]
	[[ ${lines[1]} =~ ^'commit   '([0-9a-f]{12}(-dirty)?|unknown)$ ]]
	# What the loader asks of libc, and not below the floor of releases.
	[ "${lines[2]}" = "needs    glibc $({ objdump -T "$REPRISE_BIN"; echo GLIBC_2.28; } |
		grep -o 'GLIBC_2[0-9.]*' | sort -uV | tail -n 1 | cut -d _ -f 2) or later" ]
	[[ ${lines[3]} =~ ^'formats  store '[0-9]+(', '[a-z]+' '[0-9]+)+$ ]]
	[[ ${lines[3]} == *" entry $(sed -n 's/^#define ENTRY_VERSION //p' \
		"$TOP/store/entry/entry.h"),"* ]]
	[ "$(reprise --version)" = "$output" ]
}

@test "cli: stats as JSON and as text, fresh and after work" {
	reprise stats --json | json 'all(type(d[k]) is int and d[k] == 0 for k in
		("hits_local", "misses", "bypasses", "unstored", "errors")) and
		d["saved_seconds"] == 0 and d["reasons"] == {}'
	seed
	compile a.c
	reprise stats --json | json 'd["hits_local"] == 1 and d["misses"] == 1 and
		d["reasons"] == {"new": 1} and d["reason_new"] == 1 and
		type(d["saved_seconds"]) is float and d["store_size"] > 0'
	run reprise stats
	[ "$status" = 0 ]
	[[ $output == *"hits "*"misses "*"new "*"saved "* ]]
}

@test "cli: stats --zero prints, then forgets" {
	seed
	reprise stats --json --zero | json 'd["misses"] == 1'
	reprise stats --json |
		json 'd["misses"] == 0 and d["reasons"] == {} and d["store_size"] > 0'
}

@test "cli: config shows values and origins" {
	mkdir -p "$HOME/.config/reprise"
	printf 'MAX_SIZE=3G\r\nVERIFY=5\n' >"$HOME/.config/reprise/reprise.conf"
	# the harness's own variables are no settings
	run env -u REPRISE_LIB -u REPRISE_BIN -u REPRISE_TEST_KEEP \
		-u REPRISE_TEST_ROOT REPRISE_VERIFY=7 "$REPRISE_BIN" config
	[ "$status" = 0 ]
	grep -Eq "^MAX_SIZE +3G  \(user's file\)$" <<<"$output"
	grep -Eq '^VERIFY +7  \(environment\)$' <<<"$output"
	grep -Eq '^LOCAL +1  \(default\)$' <<<"$output"
	grep -Eq "^cache directory +$HOME/.cache/reprise$" <<<"$output"
	grep -Eq "^library +.*/libreprise.so$" <<<"$output"
	run env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" config
	grep -Eq "^cache directory +$STORE$" <<<"$output"
	grep -Eq "^runtime directory +$RUNTIME" <<<"$output"
	[ ! -e "$STORE" ] || fail "config made the store"
}

@test "cli: config finds malformed and unknown settings" {
	mkdir -p "$HOME/.config/reprise"
	printf '\nMAX_SIZE=1.5G\nMAXSIZE=3\n' >"$HOME/.config/reprise/reprise.conf"
	run env REPRISE_LOCAL=maybe REPRISE_MAXSIZE=3 "$REPRISE_BIN" config
	[ "$status" = 1 ]
	[[ $output == *'reprise.conf:2: MAX_SIZE: "1.5G"'* ]]
	[[ $output == *'reprise.conf:3: no such setting: "MAXSIZE"'* ]]
	[[ $output == *'REPRISE_LOCAL: "maybe"'* ]]
	[[ $output == *'REPRISE_MAXSIZE is not a setting'* ]]
	grep -Eq '^MAX_SIZE +20G  \(default\)$' <<<"$output"
}

# config_of NAME=VALUE...: `reprise config` with these settings alone, without the harness's own
# variables.
config_of() {
	run env -u REPRISE_LIB -u REPRISE_BIN -u REPRISE_TEST_KEEP -u REPRISE_TEST_ROOT "$@" \
		"$REPRISE_BIN" config
}

@test "cli: config finds ignored settings, and settings that turn the remote store off" {
	local s url=REPRISE_REDIS_URL=redis://cache
	for s in REPRISE_REDIS_URL=reds://x REPRISE_REDIS_URL=redis://x:99999 \
		REPRISE_REDIS_URL=redis://x:port REPRISE_REMOTE_CLASSES=foo \
		REPRISE_REDIS_PORT=99999 REPRISE_REMOTE_LOOKUP_TIMEOUT=0 REPRISE_REMOTE_MIN_RATE=0 \
		REPRISE_TRUST=xx \
		REPRISE_SIGN_KEY=/nonexist 'REPRISE_REDIS_PREFIX=a b' REPRISE_REDIS_TLS_CERT=/c; do
		config_of "$s"
		[ "$status" = 1 ] && [ 1 = \
			"$(grep -c '^warning: .*: the remote store is off$' <<<"$output")" ] ||
			fail "$s: $status: $output"
		config_of REPRISE_REDIS_HOST=cache "$s"
		[ "$status" = 1 ] || fail "with a server, $s: $output"
	done
	config_of $url REPRISE_REDIS_PASSWORD_FILE=/nonexist
	[ "$status" = 1 ] && [[ $output == *'/nonexist'*'the remote store is off'* ]] ||
		fail "$output"
	for s in REPRISE_SLOPPY=lineinf REPRISE_SLOPPY=lineinfo,x REPRISE_TOOLS=foo \
		REPRISE_TOOLS=+a,- REPRISE_TOOLS=+/bin/a; do
		config_of "$s"
		[ "$status" = 1 ] && [ "$(grep -c '^warning: .*: ignored$' <<<"$output")" = 1 ] ||
			fail "$s: $status: $output"
	done
	# A key for this case, and only valid settings.
	"$REPRISE_BIN" keygen "$ROOT/key" >public
	config_of $url REPRISE_TRUST="$(cat public)" REPRISE_SIGN_KEY="$ROOT/key" \
		REPRISE_SLOPPY=lineinfo REPRISE_TOOLS=+a,,-gcc-12 \
		REPRISE_REMOTE_CLASSES=all,-triton REPRISE_REDIS_PREFIX=team/a
	[ "$status" = 0 ] && [[ $output != *warning:* ]] || fail "$output"
}

@test "cli: a malformed setting is one warning a job and no obstacle" {
	put a.c 'int a;'
	age
	local i
	for i in 1 2 3; do REPRISE_JOB=j REPRISE_MAX_SIZE=huge compile a.c; done
	[ "$(grep -c 'REPRISE_MAX_SIZE: "huge"' "$LOG")" = 1 ]
	[ "$(stat_of hits_local)" = 2 ]
}

@test "cli: config shows no password" {
	mkdir -p "$HOME/.config/reprise"
	printf 'REDIS_PASSWORD hunter2\nREDIS_USER=joe\n' >"$HOME/.config/reprise/reprise.conf"
	local url
	for url in redis://joe:hunter2@cache:7/1 redis://:hunter2@cache rediss://hunter2@cache \
		redis+unix://:hunter2@/s redis://:hun/hunter2@cache redis://:hunter2 hunter2; do
		run env REPRISE_REDIS_URL="$url" \
			REPRISE_REDIS_PASSWORD=hunter2 "$REPRISE_BIN" config
		[[ $output != *hunter2* ]] || fail "$url: $(grep hunter2 <<<"$output")"
	done
	run env REPRISE_REDIS_URL=redis://joe:hunter2@cache:7/1 "$REPRISE_BIN" config
	[[ $output == *'redis://..@cache:7/1'* ]] || fail "$output"
}

@test "cli: config --docs is the table of docs/settings.md" {
	reprise config --docs >table
	[ "$(wc -l <table)" -gt 10 ]
	tail -n "$(wc -l <table)" "$TOP/docs/settings.md" | cmp - table
}

@test "cli: an unusable store: status 3, with the reason" {
	put "$ROOT/file" x
	local c
	# The last resort is unusable, too.
	put "/tmp/reprise_nowhere-$$" x
	for c in stats 'stats --json' explain gc 'clear --yes' verify publish; do
		run env REPRISE_CACHE_DIR="$ROOT/file" REPRISE_RUNTIME_DIR="$RUNTIME" HOME=/proc \
			TMPDIR=/proc USER=nowhere-$$ "$REPRISE_BIN" $c
		[ "$status" = 3 ] || fail "$c: status $status"
		[[ $output == *"no usable store"*"$ROOT/file"* ]] || fail "$c: $output"
	done
	rm "/tmp/reprise_nowhere-$$"
	run env REPRISE_CACHE_DIR="$ROOT/file" "$REPRISE_BIN" version
	[ "$status" = 0 ]
}

@test "cli: without a writable runtime directory the store holds it; a read-only store says so" {
	[ "$(id -u)" = 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no namespaces"
	put job 'for d in /tmp /dev/shm /run; do mount -t tmpfs -o ro tmpfs $d; done' \
		'unset TMPDIR' \
		'cd /mnt/tree' \
		'for n in 1 2; do LD_PRELOAD=$LIB gcc -S -pipe a.c; done; echo compiled $?' \
		'"$BIN" stats' '"$BIN" explain' '"$RUN" true' \
		'mount -o remount,ro /mnt' 'mount -t tmpfs tmpfs /tmp; mount -o remount,ro /tmp' \
		'"$BIN" stats >/dev/null'
	put begin 'mount -t tmpfs tmpfs /mnt' 'mkdir /mnt/tree /mnt/bin /mnt/home' \
		'echo "int a;" >/mnt/tree/a.c' \
		'cp "$REPRISE_LIB" "$REPRISE_BIN" "$SCRIPT" /mnt/bin' \
		'export LIB=/mnt/bin/libreprise.so BIN=/mnt/bin/reprise RUN=/mnt/bin/reprise-run' \
		'cp job /mnt; exec sh /mnt/job'
	run env HOME=/mnt/home REPRISE_CACHE_DIR=/mnt/store REPRISE_LIB="$REPRISE_LIB" \
		REPRISE_BIN="$REPRISE_BIN" \
		SCRIPT="$TOP/scripts/reprise-run" unshare -m sh begin
	[[ $output == *'compiled 0'*'hits                  1 '*'misses                1 '* ]] ||
		fail "$output"
	[[ $output == *"reprise-run: runtime directory /"*": it is /mnt/store/node/"* ]] ||
		fail "$output"
	[[ $output == *'miss: new'*'gcc -S -pipe a.c'* ]] || fail "$output"
	local why='reprise stats: nothing is recorded or counted: no usable runtime directory: '
	[[ $output == *"$why"* ]] ||
		fail "$output"
}

@test "cli: another store than the configured one serves: that is reported, none is cleared" {
	put "$ROOT/file" x
	local c other=(env REPRISE_CACHE_DIR="$ROOT/file" REPRISE_RUNTIME_DIR="$RUNTIME")
	run "${other[@]}" "$REPRISE_BIN" stats
	[ "$status" = 0 ]
	local why="cache directory $ROOT/file: Not a directory: the store is $HOME/.cache/reprise"
	[[ $output == "reprise stats: $why"* ]] || fail "$output"
	put a.c 'int a;'
	age
	for c in 1 2; do
		"${other[@]}" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c
	done
	[ "$("${other[@]}" "$REPRISE_BIN" stats --json 2>/dev/null | jq .hits_local)" = 1 ]
	run "${other[@]}" "$REPRISE_BIN" clear --yes
	[ "$status" = 3 ] || fail "status $status: $output"
	[ "$("${other[@]}" "$REPRISE_BIN" verify 2>/dev/null | grep -c ' 0 entries')" = 0 ]
	[ "$(grep -c " warning .*$why" "$HOME/.cache/reprise/log")" = 1 ]
}

@test "cli: output that cannot be written is no success" {
	local c
	for c in stats 'stats --json' config 'config --docs' version; do
		run sh -c "\"$REPRISE_BIN\" $c >/dev/full"
		[ "$status" != 0 ] || fail "$c"
	done
}

@test "cli: clear asks, refuses without a terminal, and empties the store" {
	seed
	[ -n "$(entries)" ]
	run reprise clear </dev/null
	[ "$status" = 2 ]
	[[ $output == *--yes* ]]
	[ -n "$(entries)" ]
	need script
	export REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME
	run sh -c "printf 'n\n' | script -qec '$REPRISE_BIN clear' /dev/null"
	[ "$status" = 1 ]
	[ -n "$(entries)" ]
	unset REPRISE_CACHE_DIR REPRISE_RUNTIME_DIR
	run reprise clear --yes
	[ "$status" = 0 ]
	[ -z "$(entries)" ]
	compile a.c
	[ "$(stat_of misses)" = 2 ]
}

@test "cli: verify finds and removes damaged entries" {
	seed
	run reprise verify
	[ "$status" = 0 ]
	[[ $output == *" 0 bad" ]]
	local victim size
	victim=$(entries | head -n 1)
	size=$(stat -c %s "$victim")
	chmod u+w "$victim"
	printf X | dd of="$victim" bs=1 seek=$((size / 2)) conv=notrunc status=none
	run reprise verify
	[ "$status" = 1 ]
	[[ $output == *"$victim: damaged"*" 1 bad" ]]
	[ -e "$victim" ]
	run reprise verify --repair
	[ "$status" = 1 ]
	[ ! -e "$victim" ]
	run reprise verify
	[ "$status" = 0 ]
}

# bats test_tags=check
@test "cli: an entry that memory or the system refuses to read is not damage" {
	put big.s '.fill 200000000, 1, 7'
	age
	under env REPRISE_COMPRESS=1 as big.s -o big.o
	local before victim
	before=$(entries)
	run bash -c 'ulimit -v 150000; exec "$@"' sh env "${RPENV[@]:1}" "$REPRISE_BIN" verify \
		--repair
	[ "$status" = 1 ] || fail "$output"
	[[ $output == *"no memory"* ]] || fail "$output"
	[ "$(entries)" = "$before" ]
	reprise verify
	victim=$(find "$STORE/result" -type f | head -n 1)
	for_user
	chmod 000 "$victim"
	run as_user env "${RPENV[@]:1}" "$REPRISE_BIN" export "$ROOT/pack"
	[ "$status" = 1 ] && [[ $output == *"left out: "*"ermission denied"* ]] ||
		fail "$status $output"
}

@test "cli: verify decodes units and members of sets" {
	# specimen CLASS DIRECTORY KEY SPECIMEN [CUT]: a complete entry; its payload lacks the last
	# CUT bytes.
	specimen() {
		"$PY" - "$BATS_TEST_DIRNAME/../data" "$STORE" "$@" <<-'EOF'
			import importlib.machinery, importlib.util, pathlib, sys
			sys.dont_write_bytecode = True
			data, store, number, directory, key, name, cut = (sys.argv[1:] + ["0"])[:7]
			loader = importlib.machinery.SourceFileLoader("specimens",
			                                              data + "/make-specimens.py")
			m = importlib.util.module_from_spec(
			    importlib.util.spec_from_loader("specimens", loader))
			loader.exec_module(m)
			payload = pathlib.Path(data, name).read_bytes()
			payload = payload[:len(payload) - int(cut)]
			key = m.digest(key.encode())
			path = pathlib.Path(store, directory, key.hex()[:2], key.hex()[2:])
			path.parent.mkdir(parents=True, exist_ok=True)
			path.write_bytes(m.entry(int(number), key, payload))
		EOF
	}
	seed
	specimen 4 unit good parcel-v1.bin
	specimen 5 set good member-v1.bin
	run reprise verify
	[ "$status" = 0 ]
	specimen 4 unit cut parcel-v1.bin 1
	run reprise verify --repair
	[ "$status" = 1 ]
	[[ $output == *"/unit/"*"payload cannot be decoded, removed"*" 1 bad"* ]]
	specimen 5 set cut member-v1.bin 1
	run reprise verify
	[ "$status" = 1 ]
	[[ $output == *"/set/"*"payload cannot be decoded"*" 1 bad"* ]]
}

@test "cli: verify finds an entry under a wrong name, a truncated and an empty one" {
	seed
	local n e other
	n=$(entries | wc -l)
	e=$(entries | grep /result/ | head -n 1)
	other=${e%?}$([ "${e: -1}" = 0 ] && echo 1 || echo 0)
	cp "$e" "$other"
	run reprise verify
	[ "$status" = 1 ]
	[[ $output == *"$other: stored under a wrong name"* ]]
	head -c 70 "$e" >"$other"
	run reprise verify
	[[ $output == *"$other: damaged"* ]]
	: >"$other"
	run reprise verify --repair
	[[ $output == *"$other: damaged, removed"* ]]
	[ "$(entries | wc -l)" = "$n" ]
}

@test "cli: progress is for terminals" {
	seed
	reprise verify >out 2>err
	reprise gc >out 2>>err
	[ ! -s err ]
	need script
	export REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME
	script -qec "$REPRISE_BIN verify" /dev/null </dev/null >out
	grep -q 'entries, ' out
}

@test "cli: gc brings the store below its limit" {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		# noise, so that compression does not hide it
		{
			printf 'char n%s[] = "' $i
			head -c 40000 /dev/urandom | base64 -w0
			printf '";\n'
		} >n$i.c
	done
	age
	for i in 1 2 3 4 5 6 7 8; do compile n$i.c; done
	local before after
	before=$(entries | wc -l)
	[ "$before" -ge 16 ] || fail "only $before entries were stored"
	run reprise gc
	[ "$status" = 0 ]
	[ "$(entries | wc -l)" = "$before" ]
	REPRISE_MAX_SIZE=100K reprise gc
	after=$(entries | tr '\n' '\0' | du -cb --files0-from=- | tail -n 1 | cut -f1)
	[ "$after" -le 102400 ] || fail "$after bytes are left"
	run reprise verify
	[ "$status" = 0 ]
}
