#!/usr/bin/env bats
# All ways to start a tool, also beside other preloaded objects. Single hooked calls:
# interpose.bats.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

# starter.c: starts its arguments by the entry point named first.
starter() {
	cat >"$ROOT/starter.c" <<-'EOC'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <pthread.h>
	#include <spawn.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <unistd.h>
	extern char **environ;
	static char **args;
	static const char *way;
	static char path[4096];

	static void run(void)
	{
		if (!strcmp(way, "execv")) execv(path, args);
		if (!strcmp(way, "execve")) execve(path, args, environ);
		if (!strcmp(way, "execvp")) execvp("gcc", args);
		if (!strcmp(way, "execvpe")) execvpe("gcc", args, environ);
		if (!strcmp(way, "execl")) execl(path, "gcc", "-c", "a.c", (char *)0);
		if (!strcmp(way, "execlp")) execlp("gcc", "gcc", "-c", "a.c", (char *)0);
		if (!strcmp(way, "execle")) execle(path, "gcc", "-c", "a.c", (char *)0, environ);
		if (!strcmp(way, "fexecve"))
			fexecve(open(path, O_RDONLY | O_CLOEXEC), args, environ);
	#if __GLIBC_PREREQ(2, 34)
		if (!strcmp(way, "execveat")) execveat(AT_FDCWD, path, args, environ, 0);
	#endif
		if (!strcmp(way, "syscall")) syscall(SYS_execve, path, args, environ);
		_exit(127);
	}
	static void *thread(void *p)
	{
		int st;
		pid_t pid;
		(void)p;
		if (posix_spawn(&pid, path, NULL, NULL, args, environ)) return (void *)1;
		waitpid(pid, &st, 0);
		return (void *)(long)st;
	}
	int main(int argc, char **argv)
	{
		pid_t pid;
		int st = 0, how = argv[1][0]; /* f fork, v vfork, - exec in place */
		way = argv[1] + 1;
		args = argv + 2;
		(void)argc;
		snprintf(path, sizeof path, "%s", getenv("GCC"));
		if (!strcmp(way, "system")) return system("gcc -c a.c") != 0;
		if (!strcmp(way, "popen")) return pclose(popen("gcc -c a.c", "r")) != 0;
		if (!strcmp(way, "posix_spawn")) {
			if (posix_spawn(&pid, path, NULL, NULL, args, environ)) return 3;
			waitpid(pid, &st, 0);
			return st != 0;
		}
		if (!strcmp(way, "posix_spawnp")) {
			if (posix_spawnp(&pid, "gcc", NULL, NULL, args, environ)) return 3;
			waitpid(pid, &st, 0);
			return st != 0;
		}
	#if __GLIBC_PREREQ(2, 34)
		if (!strcmp(way, "closefrom")) {
			posix_spawn_file_actions_t fa; posix_spawn_file_actions_init(&fa);
			posix_spawn_file_actions_addclosefrom_np(&fa, 3);
			if (posix_spawn(&pid, path, &fa, NULL, args, environ)) return 3;
			waitpid(pid, &st, 0); return st != 0;
		}
	#endif
		if (!strcmp(way, "thread")) {
			pthread_attr_t at; pthread_t t; void *r;
			pthread_attr_init(&at); pthread_attr_setstacksize(&at, 16384);
			pthread_create(&t, &at, thread, NULL); pthread_join(t, &r); return r != 0;
		}
		if (!strcmp(way, "closeall")) {
			syscall(436, 3, ~0u, 0); /* close_range */
			way = "execv";
		}
		if (!strcmp(way, "nullenv")) {
			way = "execve";
			static char *none[] = {"PATH=/usr/bin:/bin", 0};
			environ = none;
		}
		if (!strcmp(way, "noenv")) { way = "execve"; environ = NULL; }
		if (!strcmp(way, "clearenv")) {
			clearenv();
			setenv("PATH", "/usr/bin:/bin", 1);
			way = "execv";
		}
		if (how == '-') run();
		if (how == 'v') {
			pid = vfork();
			if (!pid) run();
		} else { pid = fork(); if (!pid) run(); }
		waitpid(pid, &st, 0);
		return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	}
	EOC
	gcc -w -pthread "$ROOT/starter.c" -o starter
	export GCC
	GCC=$(command -v gcc)
}

# bats test_tags=check
@test "interception: every exec and spawn entry point" {
	starter
	local w first=1
	for w in fexecv vexecv -execv fexecve vexecve fexecvp vexecvp fexecvpe fexecl vexecl \
		fexeclp fexecle ffexecve fexecveat \
		fsystem fpopen fposix_spawn fposix_spawnp fclosefrom fthread fcloseall vcloseall \
		fsyscall; do
		# Functions of glibc 2.34.
		case $w in
		*execveat | *closefrom) echo "$w" | cut -c 2- | grep -qf - starter || continue ;;
		esac
		case $w in
		ffexecve | fexecveat)
			differential --cold any --warm any --makes a.o -- ./starter $w gcc -c a.c
			;;
		*)
			differential --cold any --warm hit --makes a.o -- ./starter $w gcc -c a.c ||
				{ echo "by $w" >&2; return 1; }
			;;
		esac
		first=
	done
}

@test "interception: a cleared environment keeps the preload" {
	starter
	local w
	for w in fnullenv vnullenv fclearenv -nullenv fnoenv; do
		differential --cold any --warm any --status any -- ./starter $w gcc -c a.c
		[ "$(stat_of errors)" = 0 ]
	done
	differential --cold any --warm hit --makes a.o -- ./starter fnullenv gcc -c a.c
}

@test "interception: the caller's environ is not changed" {
	put env.c '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' \
		'#include <unistd.h>' '#include <sys/wait.h>' \
		'extern char **environ; int main(void) { int n = 0, m = 0;' \
		'while (environ[n]) n++;' \
		'char *e[] = {"PATH=/usr/bin:/bin", 0}; char *a[] = {"true", 0};' \
		'if (!vfork()) { execve("/bin/true", a, e); _exit(1); } wait(0);' \
		'if (!fork()) execve("/bin/true", a, e); wait(0);' \
		'system("true"); while (environ[m]) m++; printf("%d %d\n", n == m, e[1] == 0);' \
		'return 0; }'
	gcc -w env.c -o envtest
	differential --cold any -- ./envtest
	[ "$(cat "$ROOT/r/warm.out")" = "1 1" ]
}

@test "interception: posix_spawn has told the pid by the time a signal comes" {
	put late.c '#define _GNU_SOURCE' '#include <dlfcn.h>' '#include <signal.h>' \
		'#include <spawn.h>' \
		'#define LATE(f) int f(pid_t *p, const char *s, \' \
		'const posix_spawn_file_actions_t *fa, const posix_spawnattr_t *at, \' \
		'char *const *v, char *const *e) \' \
		'{ int (*next)() = (int (*)())dlsym(RTLD_NEXT, #f); \' \
		'int rc = next(p, s, fa, at, v, e); raise(SIGUSR1); return rc; }' \
		'LATE(posix_spawn)' 'LATE(posix_spawnp)'
	gcc -w -shared -fPIC late.c -o liblate.so -ldl
	put told.c '#include <signal.h>' '#include <spawn.h>' '#include <stdio.h>' \
		'#include <sys/wait.h>' 'extern char **environ; pid_t child; int told;' \
		'void see(int s) { told += child > 0; }' \
		'int main(void) { char *v[] = {"true", 0}; signal(SIGUSR1, see);' \
		'posix_spawnp(&child, "true", 0, 0, v, environ); wait(0);' \
		'child = 0; posix_spawn(&child, "/bin/true", 0, 0, v, environ); wait(0);' \
		'printf("%d\n", told); return 0; }'
	gcc -w told.c -o told
	env "${RPENV[@]}" LD_PRELOAD="$REPRISE_LIB $W/liblate.so" ./told >out
	[ "$(cat out)" = 2 ] || fail "told $(cat out) of 2"
}

@test "interception: failed execs fail alike" {
	put fail.c '#include <errno.h>' '#include <spawn.h>' '#include <stdio.h>' \
		'#include <string.h>' '#include <unistd.h>' 'extern char **environ;' \
		'int main(void) { char *a[] = {"x", 0}; pid_t p;' \
		'const char *v[] = {"/no/such", "/etc/passwd", "/", "", "/etc/passwd/x",' \
		'"./empty", "./text"};' \
		'for (int i = 0; i < 7; i++) {' \
		'errno = 0; execv(v[i], a); printf("%s %d", v[i], errno);' \
		'errno = 0; execve(v[i], a, environ); printf(" %d", errno);' \
		'errno = 0; execvp(v[i][0] == 46 ? "/no" : v[i], a); printf(" %d", errno);' \
		'printf(" %d\n", posix_spawn(&p, v[i], 0, 0, a, environ)); } return 0; }'
	gcc -w fail.c -o failtest
	: >empty
	chmod +x empty
	put text 'no magic here'
	differential --cold any -- ./failtest
}

@test "interception: Python's subprocess in all its forms" {
	differential --cold any --warm any -- "$PY" "$BATS_TEST_DIRNAME/subprocess_forms.py"
	! grep -v 'True$' "$ROOT/r/plain.out"
	[ "$(stat_of errors)" = 0 ]
	# Once compiled, never again: two environments make two actions at most.
	[ "$(stat_of misses)" -le 3 ] || fail "$(stat_of misses) compiles: $(cat "$LOG")"
	[ "$(stat_of hits_local)" -ge 40 ]
}

# bats test_tags=check
@test "interception: dash, bash, busybox sh, make, ninja, xargs, env, nice, timeout" {
	differential --makes a.o -- dash -c 'gcc -c a.c'
	again hit -- bash -c 'gcc -c a.c'
	again hit -- bash -c 'exec gcc -c a.c'
	again hit -- bash -c '(gcc -c a.c) & wait'
	again hit -- xargs -a /dev/null gcc -c a.c
	again hit -- nice -n 1 gcc -c a.c
	again hit -- timeout 60 gcc -c a.c
	again hit -- env -i "PATH=$PATH" "TMPDIR=$TMPDIR" LC_ALL=C gcc -c a.c
	put Makefile 'a.o: a.c' $'\t@gcc -c a.c'
	need make
	again hit -- make -s
	need busybox
	again any --warm any -- busybox sh -c 'gcc -c a.c'
}

@test "interception: ninja, with deps=gcc" {
	need ninja
	put inc.h 'int inc;'
	put b.c '#include "inc.h"'
	put build.ninja 'rule cc' '  command = gcc -MMD -MF $out.d -c $in -o $out' \
		'  depfile = $out.d' '  deps = gcc' 'build b.o: cc b.c' 'build a.o: cc a.c'
	differential --tools 2 --ignore '.ninja_log .ninja_deps' --filter 's/\[[0-9]+\/[0-9]+\]//' \
		--warm any -- ninja -j1 -v
	[ "$(stat_of hits_local)" = 2 ]
	[ ! -e "$ROOT/r/warm.tree/b.o.d" ]
	mkdir x
	cp a.c b.c inc.h build.ninja x
	cd x
	age
	under ninja -j1 >/dev/null
	ninja -n | grep -q 'no work' || fail "ninja sees work to do after a replay"
	cd ..
}

@test "interception: make sees nothing to do after a replay" {
	need make
	put inc.h 'int inc;'
	put b.c '#include "inc.h"'
	put Makefile 'prog: a.o b.o m.o' $'\tgcc $^ -o $@' '%.o: %.c' $'\tgcc -MMD -c $< -o $@' \
		'-include $(wildcard *.d)'
	put m.c 'int main(void) { return 0; }'
	age
	under make >/dev/null
	rm -f ./*.o ./*.d prog
	under make >/dev/null
	make -q || fail "make sees work to do after a replay"
	[ "$(stat_of hits_local)" = 4 ]
}

@test "interception: a script called gcc is a shell, the gcc below it a tool" {
	mkdir bin
	put bin/gcc '#!/bin/sh' 'exec '"$(command -v gcc)"' -DV="$V" "$@"'
	chmod +x bin/gcc
	put v.c 'int v = V;'
	differential --cold any --warm hit --env "V=1" -- bin/gcc -c v.c
	again any --warm hit --env "V=2"
	[ "$(objdump -s -j .data "$ROOT/r/warm.tree/v.o" | tail -n 1 | cut -c 7-14)" = 02000000 ]
}

@test "interception: a script called gcc without a #! line" {
	mkdir bin
	put bin/gcc 'exec '"$(command -v gcc)"' -DV="$V" "$@"'
	chmod +x bin/gcc
	put v.c 'int v = V;'
	differential --cold any --warm any --env "V=1" -- sh -c 'bin/gcc -c v.c'
	again any --warm any --env "V=2"
}

@test "interception: a script called as below gcc reads a variable" {
	mkdir bin
	put bin/as '#!/bin/sh' 'exec '"$(command -v as)"' ${SECRET_FLAG} "$@"'
	chmod +x bin/as
	differential --cold unstored:script \
		--env $'SECRET_FLAG=--defsym secret=7\nPATH='"$W/bin:$PATH" -- gcc -c a.c
	again unstored:script --env $'SECRET_FLAG=\nPATH='"$W/bin:$PATH"
}

@test "interception: ccache is passed through" {
	need ccache
	differential --cold any --warm any --makes a.o --env "CCACHE_DIR=$ROOT/cc" -- \
		ccache gcc -c a.c
	[ "$(stat_of errors)" = 0 ]
	mkdir bin
	ln -s "$(command -v ccache)" bin/gcc
	differential --cold any --warm any --makes a.o --env "CCACHE_DIR=$ROOT/cc" -- bin/gcc -c a.c
	put a.c 'int a(int x) { return x + 2; }'
	again any --warm any
}

@test "interception: distcc is passed through, on this machine and to a daemon" {
	need distcc
	need distccd
	local port
	port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	mkdir "$ROOT/distcc"
	differential --cold any --warm any --makes a.o \
		--env "DISTCC_DIR=$ROOT/distcc"$'\n'DISTCC_HOSTS=localhost -- distcc gcc -c a.c
	[ "$(stat_of hits_local)" -gt 0 ] || fail "the compiler below it was not served"
	TMPDIR=/tmp distccd --daemon --no-detach --allow 127.0.0.1 --listen 127.0.0.1 \
		--port "$port" --jobs 2 --enable-tcp-insecure \
		--user nobody --log-stderr >"$ROOT/distccd.log" 2>&1 3>&- &
	local daemon=$!
	for _ in {1..100}; do
		{ : >"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null && break
		sleep 0.05
	done
	# The daemon's results belong to no action here. Its bytes are those without Reprise.
	put a.c 'int a(int x) { return x + 3; }'
	differential --cold any --warm any --makes a.o --env \
		"DISTCC_DIR=$ROOT/distcc"$'\n'"DISTCC_HOSTS=127.0.0.1:$port"$'\n'DISTCC_FALLBACK=0 \
		-- distcc gcc -c a.c || {
			local rc=$?
			kill $daemon
			cat "$ROOT/distccd.log" >&2
			return $rc
		}
	kill $daemon
	[ "$(stat_of errors)" = 0 ]
}

# bats test_tags=check
@test "interception: jemalloc, tcmalloc, faketime, before and behind" {
	local lib old p
	for lib in /usr/lib/*/libjemalloc.so.2 /usr/lib/*/libtcmalloc_minimal.so.4 \
		/usr/lib/*/faketime/libfaketime.so.1; do
		[ -e "$lib" ] || lacks "$lib"
		for p in "$lib:$REPRISE_LIB" "$REPRISE_LIB:$lib"; do
			old=("${RPENV[@]}")
			RPENV=("${old[@]}" LD_PRELOAD="$p")
			differential --cold any --warm hit --makes a.o -- gcc -c a.c ||
				{ echo "LD_PRELOAD=$p" >&2; return 1; }
			differential --cold any --warm any -- "$PY" -c 'import subprocess
print(subprocess.run(["gcc", "-c", "a.c"]).returncode)'
			RPENV=("${old[@]}")
		done
	done
}

@test "interception: libasan first, a sanitized program and a sanitized tool" {
	local asan
	asan=$(gcc -print-file-name=libasan.so)
	[ -e "$asan" ] || fail "no libasan beside this gcc"
	put m.c '#include <stdlib.h>' 'int main(void) { return system("gcc -c a.c"); }'
	gcc -fsanitize=address m.c -o m
	local old=("${RPENV[@]}")
	RPENV=("${old[@]}" LD_PRELOAD="$(readlink -f "$asan"):$REPRISE_LIB")
	differential --cold any --warm any --makes a.o --env ASAN_OPTIONS=detect_leaks=0 -- ./m
	RPENV=("${old[@]}")
	[ "$(stat_of errors)" = 0 ]
}

@test "interception: static, musl programs: nothing on stderr" {
	need musl-gcc
	put m.c '#include <stdio.h>' 'int main(void) { puts("ran"); return 0; }'
	gcc -static m.c -o static
	gcc -static-pie m.c -o staticpie
	differential --cold any -- sh -c './static; ./staticpie'
	musl-gcc m.c -o musl
	musl-gcc -static m.c -o muslstatic
	differential --cold any -- sh -c './musl; ./muslstatic'
	differential --cold any -- env ./musl
	differential --cold any -- \
		"$PY" -c 'import subprocess; print(subprocess.run(["./musl"]).returncode)'
}

@test "interception: 32-bit programs: nothing on stderr" {
	[ "$(uname -m)" = x86_64 ] || skip "a machine without 32-bit programs"
	[ -e /lib/ld-linux.so.2 ] || lacks /lib/ld-linux.so.2
	# The program needs no C library: the loader is what would complain.
	put m32.s '.globl _start' '_start: mov $4, %eax' 'mov $1, %ebx' 'call 1f' '.ascii "ran\n"' \
		'1: pop %ecx' 'mov $4, %edx' \
		'int $0x80' 'mov $1, %eax' 'xor %ebx, %ebx' 'int $0x80' '.section .note.GNU-stack'
	gcc -m32 -nostdlib -pie m32.s -o m32
	local s=0
	./m32 >want 2>why || s=$?
	! { [ $s = 126 ] && grep -q 'Exec format error' why; } ||
		skip "this kernel runs no 32-bit programs"
	[ "$s $(cat want)" = "0 ran" ] || fail "$s: $(cat want why)"
	LD_PRELOAD=$REPRISE_LIB ./m32 2>&1 | grep -q 'wrong ELF class'
	differential --cold any -- sh -c './m32'
	differential --cold any -- \
		"$PY" -c 'import subprocess; print(subprocess.run(["./m32"]).returncode)'
}

@test "interception: set-user-id programs" {
	need_root "a set-user-id program"
	put m.c '#include <stdio.h>' '#include <stdlib.h>' '#include <unistd.h>' \
		'int main(void) { printf("%d %s\n", geteuid(),' \
		'getenv("LD_PRELOAD") ? "preload" : "none"); return 0; }'
	gcc m.c -o m
	chmod 4755 m
	for_user
	chmod 4755 m
	chown 0:0 m
	chmod 4755 m
	as_user ./m >want 2>&1
	as_user env "${RPENV[@]}" sh -c './m' >got 2>&1
	cmp got want || fail "$(cat got)"
}

# bats test_tags=check
@test "interception: 2,000 parallel children" {
	cat >many.py <<-'EOP'
	import subprocess
	ps = [subprocess.Popen(["/bin/sh", "-c", "exit %d" % (i % 5)]) for i in range(2000)]
	print(sum(p.wait() for p in ps))
	EOP
	differential --cold any -- "$PY" many.py
}

@test "interception: pthreads that open, stat and fork beside" {
	put t.c '#include <fcntl.h>' '#include <pthread.h>' '#include <stdio.h>' \
		'#include <stdlib.h>' '#include <sys/stat.h>' '#include <sys/wait.h>' \
		'#include <unistd.h>' \
		'static void *w(void *p) { struct stat s;' \
		'for (int i = 0; i < 2000; i++) { stat("a.c", &s); int f = open("a.c", O_RDONLY);' \
		'close(f); access("no", 0); } return p; }' \
		'static void *k(void *p) { for (int i = 0; i < 10; i++) { pid_t q = fork();' \
		'if (!q) { struct stat s; stat("a.c", &s); _exit(0); } waitpid(q, 0, 0);' \
		'} return p; }' \
		'int main(void) { pthread_attr_t a;' \
		'pthread_attr_init(&a); pthread_attr_setstacksize(&a, 16384); pthread_t t[9];' \
		'for (int i = 0; i < 8; i++) pthread_create(t + i, &a, w, 0);' \
		'pthread_create(t + 8, 0, k, 0);' \
		'for (int i = 0; i < 9; i++) pthread_join(t[i], 0); puts("done"); return 0; }'
	gcc -w -pthread t.c -o mytool
	differential --cold any -- ./mytool
	# The same, traced.
	differential --cold any --warm any --env REPRISE_TOOLS=+mytool -- ./mytool
	[ "$(stat_of errors)" = 0 ]
}

@test "interception: seccomp-like limits: no new files, no new processes" {
	differential --cold any --warm any --status any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' \
		-- sh -c 'ulimit -n 8; gcc -c a.c'
	need_root "a limit on processes of another user"
	for_user
	age
	as_user sh -c 'ulimit -u 4000; exec env "$@"' sh "${RPENV[@]}" gcc -c a.c
	[ -e a.o ]
}

@test "interception: without /proc tools are served" {
	[ "$(id -u)" = 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no namespaces"
	put a.cc '#include <string>' 'int main() { return std::string("x").size() - 1; }'
	put sh/gcc '#!/bin/sh' 'echo script'
	chmod +x sh/gcc
	put job 'mount -t tmpfs tmpfs /proc' 'mkdir o; cd o; ln -s "$W" here' \
		'for c in "g++ -g -c ../a.cc -o a.o" "gcc -o m a.o -lstdc++" \' \
		'	"here/sh/gcc -c a.c" "ar rc m.a a.o"; do $c || exit; done' './m'
	export W
	unshare -m sh job >plain.out 2>&1
	mv o plain
	local n
	for n in 1 2; do
		rm -rf o
		env "${RPENV[@]}" LD_PRELOAD="$REPRISE_LIB" unshare -m sh job >warm.out 2>&1 ||
			fail "$(cat warm.out)"
		cmp plain.out warm.out
		diff -r plain o
	done
	[ "$(stat_of hits_local)" -ge 2 ] # ar of old binutils changes owners, and is not kept
}

@test "interception: LD_PRELOAD stays as the user wrote it" {
	age
	under sh -c 'echo "$LD_PRELOAD"' >got
	[ "$(cat got)" = "$REPRISE_LIB" ]
	under sh -c 'LD_PRELOAD= sh -c "echo [\$LD_PRELOAD]"' >got
	under env -i sh -c 'env | grep -v "^REPRISE_\|^LD_PRELOAD=\|^PWD=\|^_=\|^SHLVL="' >got ||
		true
	[ ! -s got ] || fail "$(cat got)"
}

@test "interception: a missing or unreadable object harms nobody" {
	cp "$REPRISE_LIB" "$ROOT/gone.so"
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/gone.so" sh -c "rm $ROOT/gone.so; exec 2>/dev/null;
		gcc -c a.c"
	[ -e a.o ]
}

@test "interception: chroot" {
	need_root "chroot"
	need busybox
	mkdir -p root/bin root/tmp
	busybox --help 2>/dev/null | head -n 1 >/dev/null
	cp "$(command -v busybox)" root/bin/sh
	differential --cold any --status any --fresh -- \
		sh -c 'chroot root /bin/sh -c "echo inside" 2>/dev/null'
}

@test "interception: system() and popen() from many threads of a recorded tool" {
	put mt.c '#include <pthread.h>' '#include <stdio.h>' '#include <stdlib.h>' \
		'static void *run(void *n) { for (int i = 0; i < 25; i++) {' \
		'if ((size_t)n & 1) { if (system(":")) abort();' \
		'} else { FILE *f = popen(":", "r"); if (!f || pclose(f)) abort(); } }' \
		'return n; }' \
		'int main(void) { pthread_t t[6];' \
		'for (size_t i = 0; i < 6; i++) pthread_create(&t[i], 0, run, (void *)i);' \
		'for (int i = 0; i < 6; i++) pthread_join(t[i], 0); puts("done"); return 0; }'
	gcc -pthread mt.c -o mt
	rm mt.c
	RPENV+=(REPRISE_TOOLS=+mt)
	differential -- ./mt
}

# bats test_tags=check
@test "interception: execl, execlp and execle with any number of arguments" {
	local many words
	words=$(printf 'a%.0s ' {1..9000})
	printf -v many '%s,' ${words//a/\"a\"}
	put shown.c '#include <stdio.h>' '#include <stdlib.h>' \
		'int main(int n, char **v) { printf("%d %s %s\n", n, v[n - 1], getenv("MARK")); }'
	put many.c '#include <stdlib.h>' '#include <string.h>' '#include <sys/wait.h>' \
		'#include <unistd.h>' \
		'static void run(const char *way) { char *const env[] = {"MARK=given", 0};' \
		"#define MANY $many \"last\", (char *)0" \
		'if (!strcmp(way, "execl")) execl("./shown", MANY);' \
		'else if (!strcmp(way, "execlp")) execlp("shown", MANY);' \
		'else execle("./shown", MANY, env); _exit(1); }' \
		'int main(int n, char **v) { int s; setenv("MARK", "own", 1);' \
		'if (n > 2) { if (!vfork()) run(v[1]); wait(&s); return s; } run(v[1]); }'
	gcc -o shown shown.c && gcc -w -o many many.c
	rm many.c
	local way
	for way in execl execlp execle; do
		differential --cold host -- env PATH="$PWD:$PATH" ./many $way
		differential --cold host -- env PATH="$PWD:$PATH" ./many $way vfork
	done
	[ "$(cat "$ROOT/r/plain.out")" = "9001 last given" ] || fail "$(cat "$ROOT/r/plain.out")"
}
