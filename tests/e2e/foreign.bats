#!/usr/bin/env bats
# Programs that cannot use the object: those of musl and of sanitizers. They run as without it,
# however it reaches them.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	case_setup
	# The runner sets these for the unit tests.
	unset ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS
	put a.c 'int a(void) { return 1; }'
	RUN=$TOP/scripts/reprise-run
}
teardown() { case_teardown; }

# A program that calls hooked functions in threads and children, and ends with status 3. Its
# argument, if any, is a command that it runs first.
many_c() {
	cat >many.c <<-'END'
	#define _GNU_SOURCE
	#include <dirent.h>
	#include <dlfcn.h>
	#include <fcntl.h>
	#include <glob.h>
	#include <pthread.h>
	#include <spawn.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/stat.h>
	#include <sys/wait.h>
	#include <time.h>
	#include <unistd.h>
	extern char **environ;
	static void *thread(void *arg)
	{
		struct stat st;
		char *p = malloc(100), link[100];
		FILE *f = fopen("many.c", "r");

		*(int *)arg = stat("many.c", &st) + lstat("none", &st) + access("none", F_OK) +
			(int)readlink("/proc/self/none", link, sizeof link) +
			(getenv("NONE") != NULL);
		fclose(f);
		free(p);
		return arg;
	}
	int main(int argc, char **argv)
	{
		char *echo[] = {"echo", "spawned", NULL}, text[100], name[] = "tmpXXXXXX";
		pthread_t t[4];
		int sum = 0, result[4], status, fd;
		struct dirent **list;
		struct timespec now;
		glob_t found;
		pid_t pid;
		DIR *dir;
		FILE *f;

		if (argc > 1)
			return system(argv[1]);
		fd = mkstemp(name);
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, thread, &result[i]);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL), sum += result[i];
		printf("%d %d\n", sum, argc);
		unlink(name);
		close(fd);
		dir = opendir("/");
		sum = readdir(dir) != NULL;
		closedir(dir);
		sum += scandir("/", &list, NULL, alphasort) > 3;
		sum += glob("*.c", 0, NULL, &found) == 0;
		sum += realpath("many.c", NULL) != NULL;
		sum += getcwd(text, sizeof text) != NULL || 1;
		sum += clock_gettime(CLOCK_REALTIME, &now) == 0 && localtime(&now.tv_sec) != NULL;
		sum += mkdir("made", 0755) + rename("made", "moved") + rmdir("moved") == 0;
		sum += dlsym(RTLD_DEFAULT, "malloc") != NULL;
		printf("%d\n", sum);
		fflush(stdout);
		if (posix_spawnp(&pid, "echo", NULL, NULL, echo, environ) == 0)
			waitpid(pid, &status, 0);
		pid = fork();
		if (pid == 0) {
			execlp("echo", "echo", "executed", (char *)NULL);
			_exit(9);
		}
		waitpid(pid, &status, 0);
		if (system("echo system"))
			return 1;
		f = popen("echo popen", "r");
		printf("%s", fgets(text, sizeof text, f));
		pclose(f);
		return 3;
	}
	END
}

# plain_and PROGRAM COMMAND...: the command, under the object, does what the program does alone.
plain_and() {
	local program=$1 s=0 want
	shift
	[ -e "$program.want" ] || {
		"$program" >"$program.want" 2>&1 || s=$?
		echo "status $s" >>"$program.want"
	}
	s=0
	"$@" >have 2>&1 || s=$?
	echo "status $s" >>have
	cmp -s "$program.want" have || fail "$*: $(diff "$program.want" have)"
}

# ways PROGRAM: all ways in which a preloaded process starts it.
ways() {
	plain_and "$1" under sh -c "exec $1"
	plain_and "$1" under sh -c "$1"
	plain_and "$1" under env REPRISE_FORCE_DISABLE=1 sh -c "$1"
	plain_and "$1" under env XDG_CONFIG_HOME="$PWD/conf" REPRISE_TOOLS="+${1##*/}" sh -c "$1"
	plain_and "$1" under env -i PATH="$PATH" ASAN_OPTIONS="${ASAN_OPTIONS-}" \
		LSAN_OPTIONS="${LSAN_OPTIONS-}" "$1"
	plain_and "$1" under "$PY" -c "import subprocess, sys; sys.exit(subprocess.call(['$1']))"
	plain_and "$1" under "$PY" -c "import os; os.execve(os.open('$1', 0), ['$1'], os.environ)"
	plain_and "$1" under "$PY" -c "import os; p = os.posix_spawn('$1', ['$1'], os.environ)
os._exit(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]))"
	plain_and "$1" under sh ./script
	plain_and "$1" "$RUN" -q sh -c "$1"
}

@test "foreign: a program of musl that gets the object itself" {
	need musl-gcc
	many_c
	musl-gcc -pthread many.c -o musl
	musl-gcc -pthread -no-pie many.c -o musl-fixed
	# As in an image whose glibc loader is a link to musl's.
	local loader
	loader=$(readelf -l musl | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	ln -s "$loader" "ld-linux-x86-64.so.2"
	musl-gcc -pthread many.c -o musl-compat -Wl,--dynamic-linker="$PWD/ld-linux-x86-64.so.2"
	mkdir -p conf/reprise
	echo MAX_SIZE=1G >conf/reprise/reprise.conf
	local p e
	for p in ./musl ./musl-fixed ./musl-compat; do
		for e in A=1 REPRISE_FORCE_DISABLE=1 TORCHINDUCTOR_FORCE_DISABLE_CACHES=1 \
			XDG_CONFIG_HOME="$PWD/conf" REPRISE_TOOLS="+${p#./}" REPRISE_TRACE=- \
			REPRISE_TRACE="$ROOT/none"; do
			plain_and $p under env -i "${RPENV[@]}" PATH="$PATH" "$e" $p
			# The preload reaches it through a program without a loader.
			plain_and $p under env "$e" busybox sh -c $p
			plain_and $p env "${RPENV[@]}" "$e" $p
		done
		plain_and $p under env "$loader" $p
		plain_and $p env "${RPENV[@]}" "$loader" $p
		plain_and $p "$RUN" -q $p
	done
	printf '#!/bin/sh\nexec ./musl\n' >script
	ways ./musl
	[ ! -s "$LOG" ] || ! grep -E ' (error|warning) ' "$LOG" || fail "the log holds the above"
}

@test "foreign: what a program of musl starts is served" {
	need musl-gcc
	many_c
	musl-gcc -pthread many.c -o musl
	under gcc -c a.c
	mv a.o plain.o
	under ./musl "gcc -c a.c"
	[ "$(stat_of hits_local)" = 1 ] || fail "hits: $(stat_of hits_local)"
	cmp plain.o a.o
}

# builds COMPILER OPTIONS: a program, or an empty answer where this compiler lacks the runtime.
builds() { "$@" -g -pthread many.c -o "$OUT" 2>why; }

sanitized() { # COMPILER KIND...
	local cc=$1 kind shared
	shift
	need "$cc"
	many_c
	printf '#!/bin/sh\nexec "$P"\n' >script
	mkdir -p conf/reprise
	echo MAX_SIZE=1G >conf/reprise/reprise.conf
	# Leaks of the program do not matter here.
	export ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0 P
	for kind; do
		shared=
		case $kind in shared-*)
			shared="-shared-libasan -Wl,-rpath,$(clang -print-runtime-dir)"
			;;
		esac
		OUT=./${kind} builds "$cc" -fsanitize="${kind#shared-}" $shared || fail "$(cat why)"
		P=./$kind
		ways "./$kind"
	done
}

# bats test_tags=check
@test "foreign: programs of gcc's sanitizers run below the object" {
	sanitized gcc address thread undefined leak address,undefined
	# The runtime is a part of the program: the object does nothing there.
	gcc -fsanitize=thread -static-libtsan -pthread many.c -o static
	plain_and ./static env "${RPENV[@]}" ./static
	plain_and ./static env "${RPENV[@]}" XDG_CONFIG_HOME="$PWD/conf" ./static
	plain_and ./static env "${RPENV[@]}" REPRISE_TOOLS=+static ./static
}

# bats test_tags=check
@test "foreign: programs of clang's sanitizers run below the object" {
	sanitized clang address thread memory undefined shared-address shared-undefined
	# The runtime is in the program: the object, which it meets directly, does nothing there.
	local kind
	for kind in address thread memory undefined; do
		plain_and ./$kind env "${RPENV[@]}" REPRISE_FORCE_DISABLE=1 ./$kind
		plain_and ./$kind env "${RPENV[@]}" ./$kind
		plain_and ./$kind env "${RPENV[@]}" XDG_CONFIG_HOME="$PWD/conf" ./$kind
		plain_and ./$kind env "${RPENV[@]}" REPRISE_TOOLS=+$kind ./$kind
	done
}

@test "foreign: reprise-run leaves the object out of a sanitizer's program, and says so" {
	# It lives until reprise-run looks for processes without the object.
	put m.c '#include <stdio.h>' '#include <unistd.h>' \
		'int main(void) { usleep(100000); puts("ran"); return 5; }'
	gcc -fsanitize=address m.c -o m
	run --separate-stderr "$RUN" ./m
	[ "$status" = 5 ] && [ "$output" = ran ] || fail "$status: $output $stderr"
	# shellcheck disable=SC2154 # bats sets it
	local why="needs a sanitizer's runtime, which must be loaded first"
	[ "$stderr" = "reprise-run: ./m $why: it runs without Reprise" ] || fail "$stderr"
	PATH=$PWD:$PATH run --separate-stderr "$RUN" m
	[ "$status" = 5 ] && [[ $stderr == 'reprise-run: m needs'* ]] || fail "$status: $stderr"
	for quiet in "$RUN -q" "env REPRISE_QUIET=1 $RUN"; do
		run --separate-stderr $quiet ./m
		[ "$status" = 5 ] && [ -z "$stderr" ] || fail "$status: $stderr"
	done
	# A script may be the interpreter of a script.
	local at=$PWD/m i
	for i in 1 2 3 4 5; do
		echo "#!$at" >s$i
		at=$PWD/s$i
	done
	chmod +x s?
	for i in 1 2 3 4 5; do
		run under sh -c ./s$i
		[ "$status $output" = "5 ran" ] || fail "$i: $status: $output"
	done
	# A program that starts it has the object.
	run --separate-stderr "$RUN" sh -c './m; echo "$LD_PRELOAD"'
	[[ $output == "ran"*libreprise.so ]] && [ -z "$stderr" ] || fail "$output $stderr"
}

@test "foreign: a project's tests with AddressSanitizer, built and run by make" {
	put lib.c 'int twice(int x) { return 2 * x; }'
	put test.c '#include <stdlib.h>' 'int twice(int);' \
		'int main(void) { char *p = malloc(4); p[3] = 1; free(p); return twice(2) != 4; }'
	cat >Makefile <<-'END'
	CFLAGS = -g -fsanitize=address,undefined
	check: tests
	    ./tests
	    sh -c ./tests
	tests: test.o lib.o
	    $(CC) $(CFLAGS) test.o lib.o -o $@
	clean:
	    rm -f *.o tests
	END
	sed -i 's/^    /\t/' Makefile
	"$RUN" -q make check >first 2>&1 || fail "$(cat first)"
	make clean
	run --separate-stderr env "${RPENV[@]}" make check
	[ "$status" = 0 ] || fail "$output $stderr"
	# An error is found as without Reprise.
	put test.c 'int main(int c, char **v) { char a[4]; a[c + 3] = 1;' 'return a[c + 3]; }'
	run env "${RPENV[@]}" make check
	[ "$status" = 2 ] && [[ $output == *stack-buffer-overflow* ]] || fail "$status: $output"
}

@test "foreign: a sanitizer's runtime in the list, behind the object or before it" {
	local asan
	asan=$(readlink -f "$(gcc -print-file-name=libasan.so)")
	put m.c '#include <stdio.h>' 'int main(void) { return puts("ran") < 0; }'
	gcc m.c -o m
	export ASAN_OPTIONS=detect_leaks=0
	for list in "$REPRISE_LIB:$asan" "$asan:$REPRISE_LIB" "$REPRISE_LIB $asan" "$asan"; do
		run under sh -c "LD_PRELOAD='$list' ./m"
		[ "$status $output" = "0 ran" ] || fail "$list: $output"
	done
}

@test "foreign: a libc without the versions of glibc 2.18 and later" {
	# An older loader ends a program whose preloaded object needs a version that libc lacks.
	local libc=/lib/$(uname -m)-linux-gnu/libc.so.6
	[ -e "$libc" ] || skip "no libc in Debian's place"
	mkdir lib
	"$PY" - "$libc" lib/libc.so.6 <<-'END'
	import re, sys
	bytes = open(sys.argv[1], "rb").read()
	# libc asks its own loader for the later ones.
	gone = lambda m: m[0].replace(b"GLIBC", b"GLIBX") if 17 < int(m[1]) < 35 else m[0]
	open(sys.argv[2], "wb").write(re.sub(rb"GLIBC_2\.([0-9]+)(?=[\0.])", gone, bytes))
	END
	put p.c '#include <unistd.h>' 'void _start(void) { write(1, "ran\n", 4); _exit(3); }'
	gcc -w -nostartfiles p.c -o p
	put new.c '#include <sys/random.h>' 'int f(void) { return getentropy(0, 0); }'
	gcc -shared -fPIC -w new.c -o new.so
	run env LD_LIBRARY_PATH="$PWD/lib" LD_PRELOAD="$PWD/new.so" ./p
	[ "$status" = 1 ] && [[ $output == *"version \`GLIBC_2.25' not found"* ]] ||
		fail "$status: $output"
	run env "${RPENV[@]}" LD_LIBRARY_PATH="$PWD/lib" ./p
	[ "$status $output" = "3 ran" ] || fail "$status: $output"
}

@test "foreign: reprise-run starts a 32-bit program without a complaint of its loader" {
	[ "$(uname -m)" = x86_64 ] || skip "a machine without 32-bit programs"
	[ -e /lib/ld-linux.so.2 ] || lacks /lib/ld-linux.so.2
	put m32.s '.globl _start' '_start: mov $1, %eax' 'mov $5, %ebx' 'int $0x80' \
		'.section .note.GNU-stack'
	gcc -m32 -nostdlib -pie m32.s -o m32
	local s=0
	./m32 || s=$?
	[ $s = 5 ] || skip "this kernel runs no 32-bit programs"
	run --separate-stderr "$RUN" ./m32
	[ "$status" = 5 ] || fail "$status: $stderr"
	local why="is a program for another architecture"
	[ "$stderr" = "reprise-run: ./m32 $why: it runs without Reprise" ] || fail "$stderr"
	run --separate-stderr "$RUN" -q ./m32
	[ "$status" = 5 ] && [ -z "$stderr" ] || fail "$status: $stderr"
}
