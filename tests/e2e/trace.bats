#!/usr/bin/env bats
# Traces of a process tree: cases in which a wrong reading would be a wrong hit.

setup() { load lib; case_setup; put a.c 'int a(void) { return 1; }'; age; }
teardown() { case_teardown; }

# A wrapper of gcc's assembler, found by -B.
wrapper() { # LINE...
	put bin/as '#!/bin/sh' "$@"
	chmod +x bin/as
}

@test "trace: a tool that cannot map the trace is run, and not stored" {
	local i v=20000
	# Finds the least address space in which gcc runs. The rest is smaller than a trace.
	until (ulimit -v $v && under env REPRISE_FORCE_DISABLE=1 gcc -c a.c) 2>/dev/null; do
		v=$((v + 2000))
	done
	for i in 1 2 3; do
		rm -f a.o
		(ulimit -v $((v + 2000)) && under gcc -c a.c)
		[ -s a.o ] || fail "run $i left no object"
	done
	[ "$(stat_of hits_local)" = 0 ]
	[ "$(stat_of unstored)" = 3 ] || fail "$v: $(cat "$LOG")"
	# The result of such a run is not replayed when there is room.
	rm a.o
	under gcc -c a.c
	[ -s a.o ]
	[ "$(stat_of hits_local)" = 0 ]
}

# bats test_tags=check
@test "trace: a limit of memory that the tool just meets" {
	local v=40000
	put m.cc '#include <iostream>' '#include <map>' 'std::map<int, int> m;' \
		'int main() { std::cout << m[0]; }'
	age
	until (ulimit -v $v && under env REPRISE_FORCE_DISABLE=1 g++ -c m.cc) 2>/dev/null; do
		v=$((v + 10000))
	done
	rm m.o
	differential -- sh -c "ulimit -v $((v + 20000)); g++ -c m.cc"
}

@test "trace: an old output that the tool truncates and removes" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	int main(void) {
		fclose(fopen("old", "w"));
		remove("old");
		fclose(fopen("new", "w"));
		return 0;
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	put old text
	differential --fresh --cold unstored:output --makes new --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool"
}

# bats test_tags=check
@test "trace: headers through /proc/self/cwd" {
	put h.h '#define V 1'
	put b.c '#include "h.h"' 'int v = V;'
	differential -- gcc -c -I/proc/self/cwd b.c
	put b.c '#include <h.h>' 'int v = V;'
	differential -- gcc -c -I/proc/self/cwd b.c
	put h.h '#define V 2'
	again miss
}

@test "trace: a shell script in the place of a program" {
	wrapper 'exec as --defsym "$MY_NUMBER" "$@"'
	put g.c '__asm__(".globl y\ny = x");'
	differential --env MY_NUMBER=x=1 -- gcc -B "$W/bin" -c g.c
	again miss --env MY_NUMBER=x=2
	again hit
}

@test "trace: a command of bash and of python" {
	cat >run.c <<-'EOC'
	#include <stdio.h>
	#include <string.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		if (fork() == 0) { execvp(argv[1], argv + 1); _exit(1); }
		wait(NULL);
		fclose(fopen("out", "w"));
		return 0;
	}
	EOC
	gcc run.c -o "$ROOT/mytool"
	differential --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool" bash -c 'if [ "$MY_X" = 2 ]; then /bin/true; fi'
	again miss --env $'MY_X=1\nREPRISE_TOOLS=+mytool'
	differential --cold unstored:script --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool" "$PY" -c 'print(1)'
	differential --cold unstored:script --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool" bash -c 'echo $RANDOM >/dev/null'
	differential --cold unstored:script --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool" make -v
}

@test "trace: a tool whose output depends on the old output" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <unistd.h>
	int main(void)
	{
		int there = access("out", F_OK) == 0;
		FILE *out = fopen("out", "w");
		fputs(there ? "again" : "first", out);
		return fclose(out);
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	differential --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool"
	put out old
	again miss --fresh
	[ "$(cat "$ROOT/r/warm.tree/out")" = again ]
	rm out
	again any
	[ "$(cat "$ROOT/r/warm.tree/out")" = first ]
	rm -rf "$STORE"
	put out old
	again stored --fresh
	rm out
	again miss
}

@test "trace: links made and read through" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <unistd.h>
	int main(void)
	{
		char text[99] = "";
		FILE *f;
		if (symlink("data", "l")) return 1;
		f = fopen("l", "r");
		if (!fgets(text, sizeof text, f)) return 1;
		fclose(f);
		unlink("l");
		f = fopen("out", "w");
		fputs(text, f);
		return fclose(f);
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	put data one
	differential --cold unstored:output --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool"
	put data two
	differential --cold unstored:output --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool"
}

@test "trace: an output below the cwd by a name that argv does not hold" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <unistd.h>
	int main(void)
	{
		char dir[4096], name[5000];
		FILE *f;
		if (!getcwd(dir, sizeof dir)) return 1;
		snprintf(name, sizeof name, "%s/out", dir);
		f = fopen(name, "w");
		fputs("x", f);
		return fclose(f);
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	mkdir one two
	differential --cd one --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool"
	differential --cd two --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool"
}

@test "trace: a permission that was denied may be granted" {
	mkdir lib1 lib2
	put f1.c 'int f(void) { return 1; }'
	put f2.c 'int f(void) { return 2; }'
	put m.c 'int f(void); int main(void) { return f(); }'
	gcc -c f1.c f2.c m.c
	ar rc lib1/libf.a f1.o
	ar rc lib2/libf.a f2.o
	for_user
	chmod 0 lib1
	age
	as_user env "${RPENV[@]}" gcc m.o -Llib1 -Llib2 -lf -o m
	if ./m; then s=0; else s=$?; fi
	[ $s = 2 ]
	chmod 755 lib1
	as_user env "${RPENV[@]}" gcc m.o -Llib1 -Llib2 -lf -o m
	if ./m; then s=0; else s=$?; fi
	[ $s = 1 ] || fail "the library that was out of reach is the first now; got $s"
}

@test "trace: a program that could not be run" {
	mkdir bin
	put bin/as '#!/bin/sh' 'set -e' 'exec as "$@"'
	differential --cold unstored:denied -- gcc -B "$W/bin" -c a.c
	chmod +x bin/as
	differential -- gcc -B "$W/bin" -c a.c
}

@test "trace: replays to one path by rename do not disturb each other" {
	need clang
	local i r
	put big.c "$(seq -f 'const char a%g[99999] = {%g};' 40)"
	age
	under clang -c big.c
	cp big.o want
	for r in 1 2 3 4 5; do
		for i in 1 2 3 4 5 6; do
			{ under clang -c big.c && cmp -s big.o want || : >"failed.$i"; } &
		done
		wait
	done
	for i in 1 2 3 4 5 6; do
		[ ! -e "failed.$i" ] || fail "start $i met another's half-written file"
	done
	[ "$(stat_of hits_local)" = 30 ]
	[ "$(find . -name '*reprise*')" = "" ]
}

# bats test_tags=check
@test "trace: a timer set before the exec" {
	need perl
	slow_source 4000000
	local cmd=(perl -e 'alarm 1; exec @ARGV' "${SLOW[@]}") s w
	if "${cmd[@]}"; then w=0; else w=$?; fi
	[ $w = 142 ] || fail "without Reprise it ended with $w"
	if under "${cmd[@]}"; then s=0; else s=$?; fi
	[ $s = 142 ] || fail "ended with $s"
}

@test "trace: an output under two names" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <unistd.h>
	int main(void) { fclose(fopen("x", "w")); return link("x", "y"); }
	EOC
	gcc t.c -o "$ROOT/mytool"
	differential --cold unstored:output --makes "x y" --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool"
}

@test "trace: with few descriptors the tool runs, its signals as they were" {
	cat >t.c <<-'EOC'
	#include <stdio.h>
	#include <signal.h>
	int main(void)
	{
		sigset_t set;
		int blocked = 0;
		sigprocmask(SIG_SETMASK, NULL, &set);
		for (int i = 1; i < 32; i++) blocked += sigismember(&set, i) == 1;
		printf("%d blocked\n", blocked);
		return 0;
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
	local n got
	for n in 3 4 5 6 7 8 9 10 11 12; do
		got=$(ulimit -n $n;
			under env REPRISE_TOOLS=+mytool "$ROOT/mytool" $n 2>/dev/null </dev/null) ||
			continue
		[ "$got" = "0 blocked" ] || fail "with $n descriptors: $got"
	done
	[ "$got" = "0 blocked" ]
}

# bats test_tags=check
@test "trace: a program that ran and may no longer be run" {
	cat >run.c <<-'EOC'
	#include <spawn.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/wait.h>
	#include <unistd.h>
	extern char **environ;
	int main(int argc, char **argv)
	{
		char *run[] = {argv[2], NULL};
		FILE *out = fopen("out", "w");
		int status = 1;
		pid_t pid;
		if (strcmp(argv[1], "spawn") == 0) {
			if (posix_spawn(&pid, argv[2], NULL, NULL, run, environ)) pid = 0;
		} else if ((pid = vfork()) == 0) {
			execv(argv[2], run);
			_exit(7);
		}
		if (pid > 0) waitpid(pid, &status, 0);
		fprintf(out, "%d\n", status);
		return fclose(out);
	}
	EOC
	gcc run.c -o "$ROOT/mytool"
	put p.c 'int main(void) { return 0; }'
	gcc p.c -o p
	local how
	for how in 'spawn ./p' 'exec p' "exec $W/p"; do
		chmod 755 p
		read -ra how <<<"$how"
		differential --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool" "${how[@]}"
		chmod 644 p
		# Only the kernel refused the program. A look-up could not find out when that ends.
		again unstored:denied
		chmod 755 p
		again hit
	done
}

@test "trace: a PATH element longer than the search follows" {
	local long=$W i
	for i in 1 2 3 4 5 6 7; do long+=/$(printf 'd%.0s' {1..240}); done
	mkdir -p "$long"
	differential --cold unstored:trace --env "PATH=$long:$PATH" -- gcc -c a.c
	# An element that the search does not reach does not concern the action.
	differential --env "PATH=$PATH:$long" -- gcc -c a.c
}
