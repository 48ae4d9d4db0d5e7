#!/usr/bin/env bats
# All ways to start a tool. Single hooked calls: interpose.bats. Hosts of all kinds:
# interception_hosts.bats.

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

# bats test_tags=check
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

@test "interception: posix_spawn has written the pid before a signal comes" {
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

@test "interception: failed execs fail as without Reprise" {
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

# bats test_tags=check
@test "interception: Python's subprocess in all its forms" {
	differential --cold any --warm any -- "$PY" "$BATS_TEST_DIRNAME/subprocess_forms.py"
	! grep -v 'True$' "$ROOT/r/plain.out" || fail "a form does not work plain"
	[ "$(stat_of errors)" = 0 ]
	# Two environments make two actions at most, and each is compiled once.
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
	put bin/as '#!/bin/sh' 'exec '"$(command -v as)"' "$SECRET_FLAG" "$@"'
	chmod +x bin/as
	differential --env $'SECRET_FLAG=--defsym=secret=7\nPATH='"$W/bin:$PATH" -- gcc -c a.c
	again miss --env $'SECRET_FLAG=--defsym=secret=8\nPATH='"$W/bin:$PATH"
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

# bats test_tags=check
@test "interception: below ccache's own directory of links a compile that ccache lacks is a hit" {
	need ccache
	mkdir bin
	ln -s "$(command -v ccache)" bin/gcc
	local env="CCACHE_DIR=$ROOT/cc"$'\n'"PATH=$W/bin:$PATH"
	differential --cold bypass:launcher --makes a.o --env "$env"$'\nCCACHE_DISABLE=1' -- \
		gcc -c a.c
	[ "$(stat_of misses) $(stat_of hits_local)" = "1 1" ] || fail "$(cat "$LOG")"
	# ccache asks the preprocessor first.
	differential --cold bypass:launcher --makes a.o --env "$env" -- \
		sh -c 'rm -rf "$CCACHE_DIR"; gcc -c a.c'
	[ "$(stat_of misses) $(stat_of hits_local)" = "3 3" ] || fail "$(cat "$LOG")"
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

@test "interception: system() and popen() from many threads of a recorded tool" {
	put mt.c '#include <pthread.h>' '#include <stdio.h>' '#include <stdlib.h>' \
		'static void *run(void *n) { for (int i = 0; i < 25; i++) {' \
		'const char *c = "/usr/bin/ld --version >/dev/null";' \
		'if ((size_t)n & 1) { if (system(c)) abort();' \
		'} else { FILE *f = popen(c, "r"); if (!f || pclose(f)) abort(); } }' \
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
