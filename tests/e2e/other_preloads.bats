#!/usr/bin/env bats
# A second library in LD_PRELOAD, such as a site's tracker: what it asks and writes for itself is
# not the tool's, and it sees each start of a tool, also a served one.

setup() {
	load lib
	case_setup
	mkdir "$ROOT/track" "$ROOT/elsewhere"
	export TRACK_DIR=$ROOT/track
	source_with_header 'int a = A;'
	put m.c '#include <stdio.h>' 'int main(void) { return puts("x") < 0; }'
}
teardown() { case_teardown; }

# tracker [FUNCTION...]: libtrack.so, which notes when each process begins and ends. NOTE: the
# statement that opens its log `p` as the descriptor `fd`.
tracker() {
	{
		printf '#define _GNU_SOURCE\n'
		printf '#include <%s.h>\n' dlfcn fcntl stdarg stdio stdlib sys/time unistd
		printf '%s\n' 'static long count;' "$@" \
			'static void note(const char *when) {' \
			'	const char *dir = getenv("TRACK_DIR"); char exe[500], p[900];' \
			'	int fd;' \
			'	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);' \
			'	struct timeval t; if (!dir || n < 0) return; exe[n] = 0;' \
			'	gettimeofday(&t, 0);' \
			'	snprintf(p, sizeof p, "%s/%d.%s", dir, (int)getpid(), when);' \
			"	${NOTE:-FILE *f = fopen(p, \"a\"); fd = f ? fileno(f) : -1;}" \
			'	if (fd < 0) return;' \
			'	dprintf(fd, "%ld %s %s %ld\n", t.tv_usec, when, exe, count);' \
			'	close(fd); }' \
			'__attribute__((constructor)) static void begin(void) { note("begin"); }' \
			'__attribute__((destructor)) static void end(void) { note("end"); }'
	} >"$ROOT/tracker.c"
	gcc -w -O1 -shared -fPIC "$ROOT/tracker.c" -o "$ROOT/libtrack.so"
}
OPEN='static int (*next_open)(const char *, int, ...);
int open(const char *p, int f, ...) {
	va_list a; va_start(a, f); count++;
	if (!next_open) next_open = dlsym(RTLD_NEXT, "open");
	return next_open(p, f, va_arg(a, int)); }'
FOPEN='static FILE *(*next_fopen)(const char *, const char *);
FILE *fopen(const char *p, const char *m) {
	if (!next_fopen) next_fopen = dlsym(RTLD_NEXT, "fopen");
	count++; return next_fopen(p, m); }'
NOW='int gettimeofday(struct timeval *t, void *z) {
	return ((int (*)(void *, void *))dlsym(RTLD_NEXT, "gettimeofday"))(t, z); }'

# beside first|last: from now on the tracker stands before our object, or behind it.
beside() {
	case $1 in
	first) RPENV[0]=LD_PRELOAD=$ROOT/libtrack.so:$REPRISE_LIB ;;
	last) RPENV[0]=LD_PRELOAD=$REPRISE_LIB:$ROOT/libtrack.so ;;
	esac
}

# with_tracker COMMAND...: it does the same with the tracker alone, and with Reprise beside it.
with_tracker() {
	local status=0 plain=0
	env LD_PRELOAD="$ROOT/libtrack.so" "$@" >"$ROOT/plain.said" 2>&1 || plain=$?
	mkdir -p "$ROOT/made"
	rm -f "$ROOT"/made/*
	mv ./*.o "$ROOT/made/" 2>/dev/null || true
	under "$@" >"$ROOT/said" 2>&1 || status=$?
	[ $status = $plain ] && cmp "$ROOT/plain.said" "$ROOT/said" ||
		fail "it said $(cat "$ROOT/said")"
	for made in "$ROOT"/made/*.o; do
		[ ! -e "$made" ] || cmp "$made" "${made##*/}" || fail "other bytes in ${made##*/}"
	done
	rm -f ./*.o
}

# saw PATTERN: the tracker saw such a program begin and end since the last time.
saw() {
	grep -qr "begin .*$1" "$ROOT/track" || fail "the tracker did not see $1 begin"
	grep -qr "end .*$1" "$ROOT/track" || fail "the tracker did not see $1 end"
	rm -f "$ROOT"/track/*
}

# bats test_tags=check
@test "other_preloads: a tracker that opens a log, and one that replaces open as well" {
	local replaced order
	for replaced in '' "$OPEN"; do
		tracker "$replaced"
		for order in first last; do
			beside $order
			differential -- gcc -c a.c
			saw gcc
			again hit
			saw gcc
			put a.h '#define A 2'
			again miss
			put a.h '#define A 1'
			again hit
			# Its variables may shape what it passes on, if it does.
			if [ -n "$replaced" ]; then
				TRACK_DIR=$ROOT/elsewhere again miss
			else
				TRACK_DIR=$ROOT/elsewhere again hit
			fi
			differential -- gcc m.c -o m
			saw gcc
			rm -rf "$STORE"
		done
	done
}

@test "other_preloads: nothing that a tracker passes on is lost" {
	put bin/h.h '#define H 1'
	put h.c '#include "bin/h.h"' '#if __has_include("none.h")' '#include "none.h"' '#endif' \
		'int h = H;'
	for order in first last; do
		tracker "$OPEN" "$FOPEN"
		beside $order
		differential --cold any --warm any -- gcc -c h.c
		put bin/h.h '#define H 2'
		again any --warm any
		put none.h '#define H 3'
		again any --warm any
		rm none.h
		put bin/h.h '#define H 1'
		rm -rf "$STORE"
	done
}

@test "other_preloads: a log that may be the tool's is not made again" {
	NOTE='fd = ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(p,
		O_WRONLY | O_CREAT | O_EXCL, 0666);'
	tracker "$OPEN"
	NOTE=
	beside first
	differential --cold unstored --warm unstored -- gcc -c a.c
	saw gcc
	# Behind our object its calls do not come to us.
	beside last
	differential -- gcc -c a.c
	again hit
	saw gcc
	tracker "$FOPEN"
	beside first
	rm -rf "$STORE"
	differential --cold unstored --warm unstored -- gcc -c a.c
}

@test "other_preloads: a library that replaces a clock may tell the tool the time" {
	tracker "$NOW"
	beside first
	differential --cold unstored:time --warm unstored:time -- gcc -c a.c
}

@test "other_preloads: a library that shapes the process by its configuration" {
	local change
	for change in 'setenv("CPATH", s, 1)' 'v[1] = strdup(s)'; do
		shaped_by "$change"
	done
}

# shaped_by STATEMENT: the library does this at its start, with the word s of shape.cfg.
shaped_by() {
	tracker '#include <string.h>
		__attribute__((constructor)) static void early(int n, char **v) {
		FILE *f = fopen("shape.cfg", "r"); char s[100] = "";
		if (f && n > 2) { fscanf(f, "%99s", s); '"$1"'; }
		if (f) fclose(f); }'
	put g.c '#include <g.h>' 'int g = G;'
	put one/g.h '#define G 1'
	put two/g.h '#define G 2'
	for order in first last; do
		beside $order
		for dir in one one two two one none one; do
			case $dir-$1 in
			none-*) rm -f shape.cfg ;;
			*-setenv*) put shape.cfg $dir ;;
			*) put shape.cfg -I$dir ;;
			esac
			age
			with_tracker gcc -Inone -c g.c
		done
		rm -rf "$STORE"
	done
}

@test "other_preloads: a tracker that prints at both ends, and a hit prints it once" {
	tracker '__attribute__((constructor)) static void hello(void) { dprintf(2, "hello\n"); }
		__attribute__((destructor)) static void bye(void) { puts("bye"); }'
	for order in first last; do
		beside $order
		with_tracker gcc -c a.c
		with_tracker gcc -c a.c
		[ "$(stat_of hits_local)" = 1 ] || fail "no hit"
		rm -rf "$STORE"
	done
}

@test "other_preloads: served tools end with their status, and other tools hit" {
	tracker
	beside last
	put bad.c 'int f(void) { return; }'
	differential --status any --cold any --warm any -- gcc -Werror -c bad.c
	differential -- clang -c a.c
	again hit
	saw clang
	gcc -c m.c
	differential -- ld -r m.o -o r.o
	saw ld
	differential -- ar rcD l.a m.o
	saw ar
	differential --streams pipes -- gcc -E m.c
	again hit
}
