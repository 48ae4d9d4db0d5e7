#!/usr/bin/env bats
# What a script below a tool inherits from the process that started the tool. Descriptors above 2
# and signals reach nothing: no text that Reprise reads uses them.

setup() {
	load lib
	load wrappers_lib
	case_setup
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

# with REDIRECTIONS EXPECT: the last command with these redirections of bash.
with() { again "$2" -- bash -c "exec gcc -B bin -c a.c $1"; }

@test "wrappers_inherited: a descriptor above 2, and a signal that was ignored" {
	for shell in sh bash; do
		stored_script "#!/bin/$shell" "exec $AS \"\$@\""
		with '5>five' hit
		with '5</dev/null' hit
		with '5<a.c' hit
		again hit -- bash -c 'trap "" HUP; exec gcc -B bin -c a.c'
	done
}

@test "wrappers_inherited: bash says that there are many shells above it" {
	stored_script '#!/bin/bash' "exec $AS \"\$@\""
	again hit --env SHLVL=7
	again miss --env SHLVL=1000
	grep -q 'too high' "$ROOT/r/warm.err"
	again miss --env SHLVL=1001
	again hit --env SHLVL=1000
	again hit --env SHLVL=899
	# So it does of other variables.
	again miss --env $'SHLVL=2\nBASH_XTRACEFD=99'
	grep -q 'BASH_XTRACEFD' "$ROOT/r/warm.err"
}

@test "wrappers_inherited: SIGCHLD is ignored, and the tool cannot wait for its linker" {
	need clang
	put m.c 'int main(void) { return 0; }'
	put run.py 'import os, signal, sys' 'signal.signal(signal.SIGCHLD, signal.SIG_IGN)' \
		'os.execvp(sys.argv[1], sys.argv[1:])'
	clang -c m.c
	differential -- clang m.o -o m
	again unstored:failed --status any -- python3 run.py clang m.o -o m
	again hit -- clang m.o -o m
}

@test "wrappers_inherited: make's jobserver and descriptors that a build leaves open" {
	put Makefile 'all: a.o' 'a.o: a.c' '	+gcc -c a.c'
	differential -- make -s -j2
	again hit
	again hit -- bash -c 'exec make -s -j3 7</dev/null'
	stored_script '#!/bin/sh' "exec $AS \"\$@\""
	put Makefile 'all: a.o' 'a.o: a.c' '	gcc -B bin -c a.c'
	again any --warm hit -- make -s -j2
	again hit -- make -s -j3
	put run.py 'import subprocess' 'subprocess.check_call(["gcc", "-B", "bin", "-c", "a.c"])'
	again hit -- python3 run.py
}
