#!/usr/bin/env bats
# Every hooked file call: the same answer as without the object, and the right event in a trace.
# Calls that start programs have their own suite.

setup() {
	load lib
	case_setup
	HELPERS=$(dirname "$REPRISE_LIB")/helpers
	TRACE=$ROOT/trace
	SYSTEM_LIB=/usr/lib/$(uname -m)-linux-gnu
	cd "$W"
	put file text
	ln -s file link
}
teardown() { case_teardown; }

# family NAME...: the rows of helpers/interpose.def for these families of hooks.def.
family() {
	REPRISE_LIB=$REPRISE_LIB "$HELPERS/interpose" "$@" >"$ROOT/rows" || {
		grep -v '^ok' "$ROOT/rows"
		return 1
	}
	grep -q '^ok' "$ROOT/rows"
}

# traced COMMAND...: under the object with a fresh trace; its events, without pids, in $ROOT/events.
traced() {
	"$HELPERS/trace_dump" --make "$TRACE"
	env LD_PRELOAD="${PRELOAD:-$REPRISE_LIB}" REPRISE_TRACE="$TRACE" HOME=/here "$@" || return
	"$HELPERS/trace_dump" "$TRACE" "$W" | cut -d ' ' -f 2- >"$ROOT/events"
	[ "${PIPESTATUS[0]}" -eq 0 ] # no hole, no overflow
}

# events N EVENT: the trace holds EVENT N times.
events() {
	local n
	n=$(grep -cxF -- "$2" "$ROOT/events" || true)
	[ "$n" -eq "$1" ] || { echo "$2: $n times, not $1"; return 1; }
}

# calls N MINE: the events of N rounds of helpers/interpose_stress.c.
calls() {
	events "$1" "WRITE r @/$2 0100600" && events "$1" "STAT rn @/link 0120777" &&
		events "$1" "READLINK rn @/link file" && events "$1" "RENAME rR @/$2 @/$2" &&
		events "$1" "CHMOD r @/$2 0640" && events "$1" "UNLINK rn @/$2"
}

@test "interpose: open" { family open; }
@test "interpose: stdio" { family stdio; }
@test "interpose: stat, today's names and those of old programs" { family stat xstat; }
@test "interpose: probes" { family probe; }
@test "interpose: directories" { family dir; }
@test "interpose: temporary files" { family temp; }
@test "interpose: changes of names" { family change; }
@test "interpose: changes of attributes" { family attr; }
@test "interpose: variables" { family getenv; }
@test "interpose: calendar time" { family clock; }
@test "interpose: random bytes" { family random; }
@test "interpose: sockets" { family socket; }
@test "interpose: locks" { family lock; }
@test "interpose: descriptors" { family descriptor; }
@test "interpose: current directory" { family cwd; }

@test "interpose: paths that cannot be read: EFAULT from the kernel, no crash" {
	put fault.c '#define _GNU_SOURCE' '#include <dirent.h>' '#include <errno.h>' \
		'#include <fcntl.h>' '#include <stdio.h>' \
		'#include <stdlib.h>' '#include <string.h>' '#include <sys/mman.h>' \
		'#include <unistd.h>' \
		'#define SAY(call) \' \
		'({ errno = 0; int r = (call); printf("%s: %d %d\n", #call, r, errno); })' \
		'static int dir(const char *p) { DIR *d = opendir(p); int e = errno;' \
		'if (d) closedir(d); errno = e; return d ? 0 : -1; }' \
		'int main(int argc, char **argv) {' \
		'	size_t page = sysconf(_SC_PAGESIZE);' \
		'	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,' \
		'MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);' \
		'	char *one = (char *)argc, *end = two + page - 5, *over = two + page - 4,' \
		'*null = two + page, *wild = (char *)-4096l;' \
		'	mprotect(two + page, page, PROT_NONE);' \
		'	memcpy(end, "file", 5);' \
		'	SAY(rename(one, "x")); SAY(rename("file", one)); SAY(rename(null, null));' \
		'SAY(rename("file", wild));' \
		'	SAY(renameat(AT_FDCWD, one, AT_FDCWD, "x"));' \
		'SAY(renameat(AT_FDCWD, "file", AT_FDCWD, null));' \
		'	SAY(renameat2(AT_FDCWD, one, AT_FDCWD, "x", 0));' \
		'SAY(renameat2(AT_FDCWD, "file", AT_FDCWD, one, 0));' \
		'	SAY(rename("file", NULL)); SAY(rename(NULL, "x"));' \
		'	SAY(rename("file", end)); SAY(rename(end, "moved"));' \
		'SAY(rename("moved", end));' \
		'	over[0] = over[1] = over[2] = over[3] = 97;' \
		'	SAY(rename("file", over)); SAY(dir(over));' \
		'	mprotect(two + page, page, PROT_READ | PROT_WRITE);' \
		'	memset(two, 97, 2 * page); memcpy(two, "./", 2);' \
		'	SAY(rename("file", two)); SAY(dir(two));' \
		'	strcpy(over, "four_and_more");' \
		'	SAY(rename("file", over)); SAY(rename(over, "file"));' \
		'	SAY(dir(".")); SAY(dir("absent")); SAY(dir("file")); SAY(dir(""));' \
		'	if (argv[1]) { SAY(dir(one)); SAY(dir(wild)); }' \
		'	return 0; }'
	gcc -w -o fault fault.c
	# Where libc itself looks first, there is nothing to compare.
	./fault bad >"$ROOT/plain" 2>/dev/null || ./fault >"$ROOT/plain"
	env LD_PRELOAD="$REPRISE_LIB" REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		./fault $(grep -q 'dir(one)' "$ROOT/plain" && echo bad) >"$ROOT/under"
	diff "$ROOT/plain" "$ROOT/under"
	grep -q '^rename("file", one): -1 14$' "$ROOT/plain"
	grep -q '^rename("file", over): -1 14$' "$ROOT/plain"
	grep -q '^rename("file", end): 0 0$' "$ROOT/plain"
}

@test "interpose: threads with 16 KiB of stack lose no event" {
	local i
	traced "$HELPERS/interpose_stress" threads
	events 800 "READ r @/file same"
	events 1600 "ABSENT r @/none"
	for i in 0 1 2 3 4 5 6 7; do
		events 100 "WRITE r @/mine$i 0100600"
		events 100 "UNLINK rn @/mine$i"
	done
}

@test "interpose: vfork children leave events and nothing else" {
	traced "$HELPERS/interpose_stress" vfork
	events 100 "ABSENT r @/none"
	events 100 "STAT r @/file 0100644"
	events 100 "PRESENT r @/link"
	grep -qx "GETENV - HOME child" "$ROOT/events"
	events 1 "GETENV - HOME /here"
}

@test "interpose: a signal handler in the middle of the calls" {
	traced "$HELPERS/interpose_stress" signal
	events 200 "READ r @/file same"
	events 100 "STAT r @/link 0100644"
}

@test "interpose: all descriptors closed" {
	traced "$HELPERS/interpose_stress" closed
	events 1 "READ r @/file same"
	calls 1 mine
}

@test "interpose: a child without exec" {
	traced "$HELPERS/interpose_stress" fork
	events 1 "READ r @/file same"
	calls 1 child
}

@test "interpose: twenty processes write one trace" {
	local i
	"$HELPERS/trace_dump" --make "$TRACE"
	for i in $(seq 20); do
		mkdir "$i"
		cp file "$i"
		ln -s file "$i/link"
		(cd "$i" && exec env LD_PRELOAD="$REPRISE_LIB" REPRISE_TRACE="$TRACE" \
			"$HELPERS/interpose_stress" signal) &
	done
	for i in $(jobs -p); do wait "$i"; done
	"$HELPERS/trace_dump" "$TRACE" "$W" | cut -d ' ' -f 2- >"$ROOT/events"
	for i in $(seq 20); do
		events 200 "READ r @/$i/file same"
		events 100 "UNLINK rn @/$i/mine"
	done
}

@test "interpose: calls before any constructor" {
	"$HELPERS/interpose_early"
	LD_PRELOAD=$REPRISE_LIB "$HELPERS/interpose_early"
	traced "$HELPERS/interpose_early"
}

# beside OBJECT: with OBJECT preloaded before ours and behind ours, answers and events are the same.
# (faketime 0.9.10 by itself dies of calls that early.)
beside() {
	[ -e "$1" ] || { lacks "$1"; return 1; }
	for PRELOAD in "$REPRISE_LIB $1" "$1 $REPRISE_LIB"; do
		traced "$HELPERS/interpose_stress" threads
		events 800 "READ r @/file same"
		traced "$HELPERS/interpose_stress" vfork
		if LD_PRELOAD=$1 "$HELPERS/interpose_early" 2>/dev/null; then
			LD_PRELOAD=$PRELOAD "$HELPERS/interpose_early"
		fi
	done
}

@test "interpose: beside jemalloc" { beside "$SYSTEM_LIB/libjemalloc.so.2"; }
@test "interpose: beside tcmalloc" { beside "$SYSTEM_LIB/libtcmalloc_minimal.so.4"; }
@test "interpose: beside faketime" { beside "$SYSTEM_LIB/faketime/libfaketime.so.1"; }
