#!/usr/bin/env bats
# The store under bad conditions: the compile works, at most one warning says why it was not cached.

setup() { load lib; load one_source; one_source_setup; }
teardown() { case_teardown; }

@test "store: a missing parent" {
	use_store "$ROOT/no/such/parent/store"
	compile_ok
	compile_ok
	compile_ok
	# If the directory could be made, the store works. Otherwise one line says why not.
	if [ -d "$ROOT/no/such/parent/store" ]; then
		[ "$(stat_of hits_local)" -ge 1 ]
	else
		[ "$(warnings)" = 1 ] || fail "$(warnings) warnings"
	fi
}

@test "store: the directory is a file, a link to nowhere, a device" {
	put "$ROOT/file" x
	use_store "$ROOT/file"
	compile_ok
	compile_ok
	[ "$(cat "$ROOT/file")" = x ]
	[ "$(warnings)" = 1 ] || fail "$(warnings) warnings"
	ln -s nowhere "$ROOT/link"
	use_store "$ROOT/link"
	compile_ok
	use_store /dev/null
	compile_ok
	[ -c /dev/null ]
}

@test "store: a relative or empty directory name" {
	use_store relative/store
	compile_ok
	use_store ''
	compile_ok
	[ ! -e "$W/store" ]
}

@test "store: no permission" {
	need setpriv
	mkdir "$ROOT/shut"
	for_user
	chmod 000 "$ROOT/shut"
	use_store "$ROOT/shut/store"
	local i
	for i in 1 2 3; do
		as_user env "${RPENV[@]}" gcc -c a.c >got 2>&1
		[ ! -s got ] || fail "$(cat got)"
		cmp a.o "$ROOT/want.o"
	done
	[ "$(warnings)" = 1 ] || fail "$(warnings) warnings"
	chmod 755 "$ROOT/shut"
}

@test "store: a store of another owner" {
	need_root "a directory of another owner"
	need setpriv
	for_user
	mkdir "$ROOT/theirs"
	chmod 777 "$ROOT/theirs"
	chown 12345 "$ROOT/theirs"
	use_store "$ROOT/theirs"
	as_user env "${RPENV[@]}" gcc -c a.c
	as_user env "${RPENV[@]}" gcc -c a.c
	cmp a.o "$ROOT/want.o"
	[ -z "$(ls -A "$ROOT/theirs")" ] ||
		fail "wrote into another's directory: $(ls -A "$ROOT/theirs")"
	[ "$(warnings)" -ge 1 ]
}

@test "store: writable by everyone" {
	mkdir -m 777 "$STORE"
	compile_ok
	compile_ok
	[ "$(stat -c %a "$STORE")" = 700 ] || [ -z "$(entries "$STORE")" ] ||
		fail "entries in a directory of mode $(stat -c %a "$STORE")"
}

@test "store: modes of what it makes" {
	(umask 000; compile_ok)
	[ "$(stat -c %a "$STORE")" = 700 ]
	[ "$(stat -c %a "$RUNTIME")" = 700 ]
	[ -z "$(find "$STORE" "$RUNTIME" ! -type l -perm /077 ! -path "$STORE" ! -path "$RUNTIME" \
		-perm /022)" ]
}

@test "store: under umask 777 and 077 it stays usable" {
	(umask 777; under gcc -c a.c -o b.o 2>/dev/null || [ "$(id -u)" != 0 ])
	rm -rf "$TMPDIR"
	mkdir "$TMPDIR"
	rm -f b.o
	compile_ok
	compile_ok
	[ "$(stat_of hits_local)" -ge 1 ]
}

@test "store: with any umask of a plain user, the files of Reprise can be used" {
	need setpriv
	for_user
	local u bad
	for u in 777 677 177 377 577 277 077; do
		rm -rf "$STORE" "$RUNTIME" "$LOG" "$HOME"/*
		# -S: gcc itself cannot read its assembler file under such a umask. The missing file
		# causes one warning, whose mark is in its own directory.
		as_user env "${RPENV[@]}" sh -c "umask $u; gcc -S a.c -o /dev/null;
			REPRISE_VERIFY=nonsense gcc -S a.c -o /dev/null"
		as_user env "${RPENV[@]}" gcc -S a.c -o /dev/null
		bad=$(find "$STORE" "$RUNTIME" "$LOG" \( -type d ! -perm 700 \
			-o -type f ! -path "*/once/*" ! -perm 600 \) -printf '%m %p\n')
		[ -z "$bad" ] || fail "umask $u: $bad"
		[ "$(as_user env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
			"$REPRISE_BIN" stats --json |
			sed -n 's/.*"hits_local": *\([0-9]*\).*/\1/p')" = 2 ] ||
			fail "umask $u: no two hits"
		[ "$(grep -c ' hit: ' "$LOG")" = 2 ] || fail "umask $u: the log has $(cat "$LOG")"
	done
}

# bats test_tags=check
@test "store: corrupt, truncated, emptied, foreign entries are counted, removed and a miss" {
	local how f before
	for how in flip truncate empty garbage foreign; do
		rm -rf "$STORE" "$RUNTIME"
		compile_ok
		age
		entries "$STORE" | while read -r f; do
			case $how in
			flip)
				"$PY" -c 'import sys; f=open(sys.argv[1],"r+b"); d=f.read()
i=len(d)*2//3; f.seek(i); f.write(bytes([d[i]^1]))' "$f"
				;;
			truncate) truncate -s -3 "$f" ;;
			empty) : >"$f" ;;
			garbage) head -c 500 /dev/urandom >"$f" ;;
			foreign) cp "$0" "$f" 2>/dev/null || cp /bin/true "$f" ;;
			esac
		done
		[ -n "$(entries "$STORE")" ] || fail "no entries to damage"
		compile_ok
		[ "$(stat_of hits_local)" = 0 ] || fail "$how: a hit from a damaged entry"
		[ "$(stat_of corrupt)" -ge 1 ] || fail "$how: not counted"
		compile_ok
		[ "$(stat_of hits_local)" = 1 ] || fail "$how: no hit after it was stored anew"
		reprise verify || fail "$how: a bad entry is left"
	done
}

# bats test_tags=check
@test "store: every byte of the result counts" {
	compile_ok
	age
	local n i f
	mapfile -t files < <(entries "$STORE")
	for f in "${files[@]}"; do
		n=$(stat -c %s "$f")
		cp "$f" "$ROOT/saved"
		for i in 0 4 9 17 33 50 $((n / 4)) $((n / 2)) $((n * 3 / 4)) $((n - 2)); do
			[ "$i" -lt "$n" ] || continue
			"$PY" -c 'import sys; f=open(sys.argv[1],"r+b"); f.seek(int(sys.argv[2]))
b=f.read(1); f.seek(-1,1); f.write(bytes([b[0]^0x40]))' "$f" "$i"
			compile_ok || { echo "byte $i of $f" >&2; return 1; }
			mkdir -p "${f%/*}"
			cp "$ROOT/saved" "$f"
		done
	done
	[ "$(stat_of errors)" = 0 ]
}

@test "store: entries of a future version are a miss and stay" {
	compile_ok
	local f
	# The version is the fourth byte of the magic (docs/internals/formats.md).
	entries "$STORE" | while read -r f; do
		"$PY" -c 'import sys; f=open(sys.argv[1],"r+b"); d=bytearray(f.read(4)); d[3]+=1
f.seek(0); f.write(d)' "$f"
	done
	compile_ok
	compile_ok
	[ "$(stat_of errors)" = 0 ]
}

@test "store: an entry under another entry's name is a miss" {
	compile_ok
	put b.c 'int b;'
	age
	under gcc -c b.c
	local one two
	one=$(entries "$STORE" | grep '/result' | head -n 1)
	two=$(entries "$STORE" | grep '/result' | tail -n 1)
	[ -n "$one" ]
	[ "$one" != "$two" ]
	cp "$one" "$ROOT/x"
	cp "$two" "$one"
	cp "$ROOT/x" "$two"
	compile_ok
	gcc -c b.c -o b.want
	rm -f b.o
	under gcc -c b.c
	cmp b.o b.want
}

@test "store: wiped between, and while in use" {
	compile_ok
	rm -rf "$STORE"
	compile_ok
	rm -rf "$STORE"/* "$RUNTIME"
	compile_ok
	local i
	(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do rm -rf "$STORE"; sleep 0.02; done) &
	for i in 1 2 3 4 5 6 7 8; do compile_ok; done
	wait
	compile_ok
	compile_ok
	[ "$(stat_of errors)" = 0 ]
}

@test "store: the runtime directory goes while in use" {
	local i
	(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do rm -rf "$RUNTIME"; sleep 0.02; done) &
	for i in 1 2 3 4 5 6 7 8; do compile_ok; done
	wait
	compile_ok
	compile_ok
	[ "$(stat_of hits_local)" -ge 1 ]
}

@test "store: an unusable runtime directory" {
	put "$ROOT/file" x
	compile_ok "REPRISE_RUNTIME_DIR=$ROOT/file"
	compile_ok "REPRISE_RUNTIME_DIR=/proc/no/such"
	compile_ok "REPRISE_RUNTIME_DIR=relative"
}

@test "store: read-only: replays, stores nothing" {
	need setpriv
	for_user
	as_user env "${RPENV[@]}" gcc -c a.c
	rm a.o
	local before
	before=$(find "$STORE" | wc -l)
	chmod -R a-w "$STORE"
	as_user env "${RPENV[@]}" gcc -c a.c >got 2>&1
	[ ! -s got ]
	cmp a.o "$ROOT/want.o"
	put b.c 'int b;'
	as_user env "${RPENV[@]}" gcc -c b.c >got 2>&1
	[ ! -s got ]
	[ -e b.o ]
	[ "$(find "$STORE" | wc -l)" = "$before" ]
	[ "$(as_user env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" \
		stats --json | sed -n 's/.*"hits_local": *\([0-9]*\).*/\1/p')" = 1 ]
	chmod -R u+w "$STORE"
}

@test "store: on a read-only file system" {
	need_mounts
	compile_ok
	unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit; shift;
		"$@"' sh "$STORE" \
		env "${RPENV[@]}" sh -c 'gcc -c a.c && gcc -DX -c a.c -o b.o' >got 2>&1 || {
		fail "$(cat got)"
		return 1
	}
	[ ! -s got ]
	# The read-only store's result is replayed. The new result goes to a store that can be
	# written.
	STORE=$HOME/.cache/reprise
	[ "$(stat_of hits_local)" = 1 ] && [ "$(stat_of misses)" = 1 ]
}

@test "store: a full disk" {
	need_mounts
	put b.s '.data' '.globl b' 'b: .fill 300000, 4, 0x12345678'
	mkdir "$ROOT/full"
	cat >job.sh <<-'EOS'
	mount -t tmpfs -o size=200k none "$1" || exit
	head -c 150000 /dev/zero >"$1/filler"
	shift
	"$@" || exit 1
	"$@" || exit 1
	EOS
	use_store "$ROOT/full/store"
	head -c 600000 /dev/urandom >blob
	put b.s '.data' '.globl b' 'b: .incbin "blob"'
	age
	unshare -m sh job.sh "$ROOT/full" env "${RPENV[@]}" gcc -c b.s >got 2>&1 || {
		fail "$(cat got)"
		return 1
	}
	[ ! -s got ] || fail "$(cat got)"
	gcc -c b.s -o want.o
	cmp b.o want.o
	[ "$(stat_of errors)" = 0 ]
}

@test "store: a full runtime directory" {
	need_mounts
	mkdir "$ROOT/full"
	cat >job.sh <<-'EOS'
	mount -t tmpfs -o size=64k,nr_inodes=200 none "$1" || exit
	head -c 70000 /dev/zero >"$1/filler" 2>/dev/null
	shift
	"$@" && "$@"
	EOS
	RUNTIME=$ROOT/full/runtime
	use_store "$STORE"
	unshare -m sh job.sh "$ROOT/full" env "${RPENV[@]}" gcc -c a.c >got 2>&1 || {
		fail "$(cat got)"
		return 1
	}
	[ ! -s got ] || fail "$(cat got)"
	cmp a.o "$ROOT/want.o"
}

@test "store: kept below REPRISE_MAX_SIZE, oldest use first" {
	head -c 100000 /dev/urandom >blob
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		put b.s ".globl b$i" '.data' "b$i: .incbin \"blob\""
		under env REPRISE_MAX_SIZE=1M gcc -c b.s
	done
	env REPRISE_MAX_SIZE=1M REPRISE_CACHE_DIR="$STORE" \
		REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" gc >/dev/null
	[ "$(du -sk --apparent-size "$STORE" | cut -f 1)" -le 1600 ] ||
		fail "$(du -sk --apparent-size "$STORE")"
	compile_ok
	compile_ok
}

@test "store: litter of killed writers goes with gc" {
	compile_ok
	put "$STORE/tmp/4711.18ab.0" x
	touch -d '3 hours ago' "$STORE/tmp/4711.18ab.0"
	reprise gc >/dev/null
	[ ! -e "$STORE/tmp/4711.18ab.0" ]
	compile_ok
	[ "$(stat_of hits_local)" = 1 ]
}

@test "store: clear" {
	compile_ok
	reprise clear --yes >/dev/null
	[ -z "$(entries "$STORE")" ]
	compile_ok
	[ "$(stat_of hits_local)" = 0 ]
}

@test "store: seeds are read and never written" {
	compile_ok
	mv "$STORE" "$ROOT/seed"
	chmod -R a-w "$ROOT/seed"
	rm -rf "$RUNTIME"
	local before
	before=$(cd "$ROOT/seed" && find . -type f -printf '%P %T@ %C@\n' | sort | cksum)
	compile_ok "REPRISE_SEED_DIRS=$ROOT/nowhere:$ROOT/seed"
	[ "$(stat_of hits_local)" = 1 ] || fail "no hit from the seed"
	[ "$(cd "$ROOT/seed" && find . -type f -printf '%P %T@ %C@\n' | sort | cksum)" = "$before" ]
}

@test "store: default places" {
	local e=(LD_PRELOAD="$REPRISE_LIB" REPRISE_STRICT=1)
	env "${e[@]}" XDG_CACHE_HOME="$ROOT/xdg" XDG_RUNTIME_DIR="$ROOT/tmp" gcc -c a.c
	[ -d "$ROOT/xdg/reprise" ]
	env "${e[@]}" XDG_RUNTIME_DIR="$ROOT/tmp" gcc -c a.c
	[ -d "$HOME/.cache/reprise" ]
	rm -rf "$HOME"
	env -u HOME "${e[@]}" XDG_RUNTIME_DIR="$ROOT/tmp" gcc -c a.c
	cmp a.o "$ROOT/want.o"
}

@test "store: two objects of different builds share one" {
	compile_ok
	cp "$REPRISE_LIB" "$ROOT/other.so"
	local first
	first=$(stat_of misses)
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/other.so" gcc -c a.c
	cmp a.o "$ROOT/want.o"
	compile_ok
	[ "$(stat_of misses)" = "$first" ] || fail "another file of the same build missed"
}

@test "store: no hard links into it" {
	compile_ok
	under gcc -c a.c
	[ -z "$(find "$STORE" -type f -links +1)" ]
	[ "$(stat -c %h a.o)" = 1 ]
}

@test "store: the trace of a killed recording goes with the next one, or with gc" {
	local trace pid how below
	slow_source 6000000
	for how in compile gc; do
		under "${SLOW[@]}" 3>&- &
		for _ in $(seq 500); do
			trace=$(compgen -G "$RUNTIME/*/trace.*") && break
			sleep 0.02
		done
		pid=${trace##*/trace.}
		pid=${pid%.*}
		# The trace of a running process is not removed.
		put "$how.c" "int before_$how;"
		age
		under gcc -c "$how.c"
		reprise gc >/dev/null
		[ -e "$trace" ] || fail "no trace: $(ls "$RUNTIME"/*)"
		below=$(pgrep -P "$(pgrep -d , -P "$pid")")
		kill -9 "$pid"
		wait || true
		kill $below
		[ -e "$trace" ] || fail "who removed it?"
		put "$how.c" "int after_$how;"
		age
		if [ $how = gc ]; then reprise gc >/dev/null; else under gcc -c "$how.c"; fi
		! compgen -G "$RUNTIME/*/trace.*" || fail "a trace is left"
	done
}
