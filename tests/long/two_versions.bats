#!/usr/bin/env bats
# Two versions of Reprise, built from this tree with the next number of a format. They take turns on
# one local store and one Redis. Each replays what it can read, and never damages, removes or
# refuses the other's entries. PREVIOUS_BUILD names a build directory of an older release, which
# then takes a turn, too.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	export THIS=$PWD/build NEXT=$BATS_FILE_TMPDIR
	copy entries && raise entries store/entry/entry.h '#define ENTRY_VERSION ' &&
		copy blobs && raise blobs store/entry/blob.h '#define BLOB_VERSION ' || return 1
	# A release: its version, and each format but those two.
	copy release && echo 99.0.0 >"$NEXT/release/VERSION" || return 1
	raise release remote/bundle.c '#define BUNDLE_VERSION ' &&
		raise release store/agent.h '#define AGENT_MAGIC 0x' &&
		raise release cli/pack/pack_file.c 'pack_magic\[8\] = "RPPACK' &&
		raise release shim/trace.h '#define TRACE_MAGIC "RPTRACE' &&
		raise release store/queue/spool.c "'R', 'P', 'S', '" &&
		raise release store/job/counters.c '#define PAGE_MAGIC 0x' &&
		raise release store/job/event_record.c 'VERSION = ' &&
		raise release store/job/job_node.c 'VERSION = ' &&
		raise release keying/memo.c '#define MEMO_VERSION ' || return 1
	local name
	for name in entries blobs release; do
		make -s -C "$NEXT/$name" -j2 CFLAGS='-O1 -Wno-error' all >"$NEXT/$name.log" 2>&1 ||
			{ tail -n 20 "$NEXT/$name.log"; return 1; }
	done
}

# copy NAME: the tree, below $NEXT/NAME.
copy() {
	mkdir "$NEXT/$1" && tar --exclude=./build --exclude=./dist --exclude=./.git \
		--exclude=./tests -cf - . | tar -C "$NEXT/$1" -xf -
}

# raise NAME FILE BEFORE: the digits behind that text, in that tree, are the next ones. 0x3...: the
# first digit.
raise() {
	awk -v before="$3" '
		match($0, before "[0-9]") && !done {
			at = RSTART + RLENGTH - 1
			digit = substr($0, at, 1)
			$0 = substr($0, 1, at - 1) (digit + 1) % 10 substr($0, at + 1)
			done = 1
		}
		{ print }' "$2" >"$NEXT/$1/$2"
	! cmp -s "$2" "$NEXT/$1/$2" || { echo "no $3 in $2" >&2; return 1; }
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

@test "two_versions: a release upgraded: store, Redis, and the running agent of the one before" {
	local next=$NEXT/release/build agents
	by "$THIS" a
	agent_up
	across -- gcc -c a.c
	[ "$(daemons agent | wc -l)" -ge 1 ]
	# Formats of entries are equal: the next release replays them, by an agent of its own.
	agents=$(find "$ROOT/b.run" -name 'agent.*' | wc -l)
	[ "$agents" = 1 ] || fail "$agents agents on b"
	by "$next" b
	again hit
	put a.c 'int next(int x) { return x; }'
	again miss
	drain
	[ "$(find "$ROOT/b.run" -name 'agent.*' | wc -l)" = 2 ] || fail "the older agent was asked"
	# The older release, and its agent, serve what the next one published.
	by "$THIS" c
	again remote
	by "$THIS" b
	again hit
	sound "$THIS" "$next"
}

@test "two_versions: a release upgraded: a pack of another form is refused, and changes nothing" {
	local next=$NEXT/release/build from to
	unset REPRISE_REDIS_URL
	for from in "$THIS" "$next"; do
		to=$next
		[ "$from" = "$THIS" ] || to=$THIS
		fresh a
		fresh d
		by "$from" a
		differential --warm none -- gcc -c a.c
		reprise export "$ROOT/pack" >/dev/null
		by "$to" d
		run reprise import "$ROOT/pack"
		[ "$status" = 3 ] && [[ $output == *'is not a pack of this version' ]] ||
			fail "$status: $output"
		[ -z "$(entries)" ]
	done
}

@test "two_versions: a release upgraded in the middle of a compile: it ends as a plain one" {
	local lib=$ROOT/install/build
	mkdir -p "$lib"
	cp -R "$THIS/libreprise.so" "$THIS/reprise" "$THIS/libexec" "$lib"
	# gcc runs its steps by this. The loader gives them the object of the next release.
	put_script swap '#!/bin/sh' \
		"cp $NEXT/release/build/libreprise.so $lib/new" \
		"mv $lib/new $lib/libreprise.so" 'exec "$@"'
	by "$lib" a
	unset REPRISE_REDIS_URL
	differential --cold any --warm any -- gcc -wrapper "$PWD/swap" -c a.c
	cmp "$lib/libreprise.so" "$NEXT/release/build/libreprise.so"
	[ "$(stat_of errors)" = 0 ] || fail "$(reprise stats)"
}

@test "two_versions: the release before, where a build of it is there" {
	[ -n "${PREVIOUS_BUILD-}" ] || skip "PREVIOUS_BUILD names no build of another release"
	local b
	by "$PREVIOUS_BUILD" a
	differential --warm any -- gcc -c a.c
	drain
	by "$THIS" a
	again any
	drain
	for b in "$PREVIOUS_BUILD" "$THIS" "$PREVIOUS_BUILD"; do
		by "$b" a
		again hit
		fresh c
		by "$b" c
		again any
	done
	sound "$PREVIOUS_BUILD" "$THIS"
}
