#!/usr/bin/env bats
# Two versions of Reprise, built from this tree with the next number of a format. They take turns on
# one local store and one Redis. Each replays what it can read, and never damages, removes or
# refuses the other's entries.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	export THIS=$PWD/build NEXT=$BATS_FILE_TMPDIR
	version entries store/entry/entry.h ENTRY_VERSION &&
		version blobs store/entry/blob.h BLOB_VERSION
}

# version NAME FILE MACRO: the tree with that number raised, built in $NEXT/NAME/build.
version() {
	mkdir "$NEXT/$1" &&
		tar --exclude=./build --exclude=./.git --exclude=./tests -cf - . |
			tar -C "$NEXT/$1" -xf - || return 1
	sed -i -E "s/^(#define $3) ([0-9]+)$/\1 (\2 + 1)/" "$NEXT/$1/$2"
	! cmp -s "$2" "$NEXT/$1/$2" || { echo "no $3 in $2" >&2; return 1; }
	make -s -C "$NEXT/$1" -j2 CFLAGS=-O1 build/libreprise.so build/reprise >&2
}

setup() {
	load ../e2e/lib
	load ../e2e/redis
	load ../e2e/remote_lib
	remote_setup
	start
}
teardown() { remote_teardown; }

# by BUILD NODE: the version that runs next, and its node.
by() {
	REPRISE_LIB=$1/libreprise.so REPRISE_BIN=$1/reprise
	on "$2"
}

# Neither version found a damaged entry, its own or the other's.
sound() {
	local b
	for b in "$@"; do
		by "$b" a
		reprise verify >verify.out 2>&1 || { fail "verify: $(cat verify.out)"; return 1; }
		rm verify.out
		[ "$(stat_of corrupt)" = 0 ] && [ "$(stat_of refused_entries)" = 0 ] &&
			[ "$(stat_of errors)" = 0 ] ||
			{ fail "$(reprise stats)"; return 1; }
	done
}

@test "two_versions: of entries: two keys, one store, one Redis" {
	local next=$NEXT/entries/build kept
	by "$THIS" a
	across -- gcc -c a.c
	by "$next" a
	again miss
	drain
	by "$next" b
	again remote
	kept=$(find "$ROOT/a" -type f -path '*/result/*' | wc -l)
	[ "$kept" = 2 ] || fail "$kept results"
	for b in "$THIS" "$next" "$THIS" "$next"; do
		by "$b" a
		again hit
		reprise gc >/dev/null
		rm -rf "$ROOT/c" "$ROOT/c.run" "$ROOT/c.log"
		by "$b" c
		again remote
	done
	sound "$THIS" "$next"
	[ "$(find "$ROOT/a" -type f -path '*/result/*' | wc -l)" = 2 ]
}

@test "two_versions: of what Redis holds: the newer reads both, the older compiles and publishes" {
	local next=$NEXT/blobs/build
	by "$next" a
	across -- gcc -c a.c
	# The same action. The older version finds no entry of it.
	by "$THIS" c
	again miss
	drain
	for b in "$next" "$THIS"; do
		rm -rf "$ROOT/d" "$ROOT/d.run" "$ROOT/d.log"
		by "$b" d
		again remote
	done
	by "$next" a
	again hit
	sound "$THIS" "$next"
}
