#!/usr/bin/env bats
# The table of wrong-hit triggers, "Outputs": what a result is kept in. Large, sparse, and damaged.

setup() {
	load lib
	case_setup
	source_with_header 'int a(int x) { return x + A; }'
}
teardown() { case_teardown; }

@test "outputs_entries: a corrupt or truncated entry is a miss" {
	differential -- gcc -c a.c
	local f
	find "$STORE" -type f -size +100c | while read -r f; do
		printf 'XXXX' | dd of="$f" bs=1 seek=60 conv=notrunc status=none
	done
	again any --warm hit --warnings
	find "$STORE" -type f -size +100c -exec truncate -s 50 {} +
	again any --warm hit --warnings
}

# The reader of a hit waits in the middle of the messages, and the output is written behind them. A
# process that cuts the entry waits for the hit.
@test "outputs_entries: an entry that is cut while it is replayed" {
	local entry
	case $(stat -f -c %T "$ROOT") in
	ext2/ext3 | xfs | btrfs | tmpfs | overlayfs) ;;
	*) skip "entries are read into memory on $(stat -f -c %T "$ROOT")" ;;
	esac
	{ numbered 1500 '#warning %d %d %d' && echo 'char a[100000] = {1};'; } >b.c
	age
	gcc -c b.c -o want.o 2>want
	under gcc -c b.c 2>got
	rm b.o
	entry=$(find "$STORE/result" -type f -size +100k)
	under gcc -c b.c 2>&1 | {
		dd bs=1 count=100 status=none
		: >"$entry" &
		sleep 0.3
		cat
		wait
	} >got
	cmp want got
	cmp want.o b.o
	[ ! -s "$entry" ] || fail "no entry was cut"
	[ "$(stat_of hits_local)" = 1 ] || fail "$(stat_of hits_local) hits"
}

@test "outputs_entries: large outputs" {
	put b.s '.globl b' '.data' 'b: .fill 20000000, 1, 7'
	differential --makes b.o -- gcc -c b.s
}

# Runs a command under Reprise and prints its largest resident set in KiB.
peak_of() {
	under "$PY" -c 'import resource, subprocess, sys
null = subprocess.DEVNULL
status = subprocess.run(sys.argv[1:], stdout=null, stderr=null).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)' "$@"
}

# bats test_tags=check
@test "outputs_entries: a large output is replayed in little memory" {
	case $(stat -f -c %T "$ROOT") in
	ext2/ext3 | xfs | btrfs | tmpfs | overlayfs) ;;
	*) skip "entries are read into memory on $(stat -f -c %T "$ROOT")" ;;
	esac
	"$PY" -c 'import random; f = open("big", "wb")
for i in range(200): f.write(random.Random(i).randbytes(1 << 20))'
	touch -d '2001-01-01' big
	ar rcD want.a big
	peak_of ar rcD got.a big
	cmp got.a want.a
	rm got.a
	local peak
	peak=$(peak_of ar rcD got.a big)
	[ "$(stat_of hits_local)" = 1 ] || fail "$(stat_of hits_local) hits"
	cmp got.a want.a
	[ "$peak" -lt 80000 ] || fail "$peak KiB"
}

@test "outputs_entries: a large entry with one wrong byte at its end" {
	head -c 5000000 /dev/urandom >big
	touch -d '2001-01-01' big
	local f where
	under ar rcD a.a big
	cp a.a want.a
	for where in -40 -33 -1 60 2000000; do
		f=$(find "$STORE/result" -type f -size +4000k)
		"$PY" -c 'import sys
f = open(sys.argv[1], "r+b")
at = int(sys.argv[2])
f.seek(at, 2 if at < 0 else 0)
b = f.read(1)[0]; f.seek(-1, 1); f.write(bytes([b ^ 1]))' "$f" "$where"
		rm a.a
		under ar rcD a.a big
		cmp a.a want.a
		[ "$(stat_of hits_local)" = 0 ] || fail "$where: a hit"
	done
	[ "$(stat_of corrupt)" = 5 ] || fail "corrupt $(stat_of corrupt)"
	f=$(find "$STORE/result" -type f -size +4000k)
	truncate -s 3000000 "$f"
	rm a.a
	under ar rcD a.a big
	cmp a.a want.a
	[ "$(stat_of corrupt) $(stat_of hits_local)" = "6 0" ]
	rm a.a
	under ar rcD a.a big
	cmp a.a want.a
	[ "$(stat_of hits_local)" = 1 ]
}

@test "outputs_entries: sparse and incompressible outputs" {
	head -c 3000000 /dev/urandom >blob
	put b.s '.data' '.incbin "blob"' '.zero 3000000'
	differential --makes b.o -- gcc -c b.s
}
