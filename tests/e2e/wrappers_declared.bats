#!/usr/bin/env bats
# Wrappers between a tool and its compiler that REPRISE_WRAPPERS declares: scripts in any language,
# and programs. Undeclared ones leave the outer tool unstored, and the steps below are served.

setup() {
	load lib
	load wrappers_lib
	load cuda
	case_setup
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
	DECLARED="REPRISE_WRAPPERS=/nowhere:$W/bin/as"
	argparse=('import argparse, os, subprocess, sys'
		'p = argparse.ArgumentParser(add_help=False)'
		'p.add_argument("-o")' 'a, rest = p.parse_known_args()'
		'extra = os.environ.get("MY_FLAGS", "").split()'
		"sys.exit(subprocess.call(['$AS', '-o', a.o] + extra + rest))")
}
teardown() { case_teardown; }

# declared LINE...: bin/as of these lines, declared; a hit follows.
declared() {
	script as "$@"
	differential --makes a.o --env "$DECLARED" -- gcc -B bin -c a.c ||
		{ cat bin/as >&2; return 1; }
}

@test "wrappers_declared: a script in Python with argparse" {
	declared '#!/usr/bin/python3' "${argparse[@]}"
	again hit --env "$DECLARED"$'\nRANK=3\nSLURM_PROCID=2'
	again miss --env "$DECLARED"$'\nMY_FLAGS=--defsym y=1'
	again miss --env "$DECLARED"$'\nOTHER=1'
	again hit --env "$DECLARED"
	differential --makes a.o --env "$DECLARED" -- gcc -B ./bin/. -c a.c
	# Its text, and a file that it reads.
	put bin/conf 'a'
	declared '#!/usr/bin/python3' 'import os' "open('$W/bin/conf').read()" "${argparse[@]}"
	put bin/conf 'b'
	again miss --env "$DECLARED"
	# A pattern, and a variable of ranks that the text names.
	script as '#!/usr/bin/python3' 'import os, sys' \
		"rank = ['--defsym', 'r=' + os.environ.get('RANK', '0')]" \
		"os.execv('$AS', ['as'] + rank + sys.argv[1:])"
	differential --makes a.o --env "REPRISE_WRAPPERS=$W/b*" -- gcc -B bin -c a.c
	again miss --env "REPRISE_WRAPPERS=$W/b*"$'\nRANK=1'
}

@test "wrappers_declared: a script in Perl with modules, as hipcc's" {
	need perl
	declared '#!/usr/bin/perl -w' 'use warnings;' 'use File::Basename;' 'use Cwd;' \
		'my $d = dirname($0); my %f = (x => 1);' \
		'my @a = map { ("--defsym", "$_=$f{$_}") } sort keys %f;' \
		"system('$AS', @a, @ARGV); exit(\$? >> 8);"
	again hit --env "$DECLARED"$'\nRANK=3'
	again miss --env "$DECLARED"$'\nX=3'
}

@test "wrappers_declared: a shell's script that Reprise does not read, and a program" {
	declared '#!/bin/bash' 'd=$(cd "$(dirname "$0")" && pwd)' \
		'[[ -f $d/more ]] && . "$d/more"' 'args=("$@")' "$AS \$FLAGS \"\${args[@]}\""
	put bin/more 'FLAGS="--defsym more=1"'
	again miss --env "$DECLARED"
	rm bin/as bin/more
	put t.c '#include <stdio.h>' '#include <stdlib.h>' '#include <time.h>' \
		'#include <unistd.h>' 'int main(int c, char **v) { (void)c; time(0);' \
		'getenv("MY_FLAGS");' \
		"v[0] = \"as\"; return execv(\"$AS\", v); }"
	gcc -w t.c -o bin/as
	differential --cold unstored:time --warm unstored:time -- gcc -B bin -c a.c
	differential --makes a.o --env "$DECLARED" -- gcc -B bin -c a.c
	again miss --env "$DECLARED"$'\nMY_FLAGS=1'
}

# program NAME LINE...: bin/NAME, whose main of these lines has argv v and environment e.
program() {
	put t.c '#include <stdio.h>' '#include <string.h>' '#include <sys/wait.h>' \
		'#include <unistd.h>' 'int main(int c, char **v, char **e) { (void)c;' "${@:2}" '}'
	gcc -w t.c -o "bin/$1"
}

@test "wrappers_declared: a program with the name of an assembler or a compiler" {
	local asks='for (; *e; e++) if (strncmp(*e, "MY_X=", 5) == 0) fputs(*e, stderr);'
	local unstored=(--cold unstored:script --warm unstored:script) name real
	for name in as gcc; do
		real=$(command -v $name)
		program $name "$asks" "v[0] = \"$real\"; return execv(*v, v);"
		differential "${unstored[@]}" --env "PATH=$W/bin:$PATH"$'\nMY_X=1' -- gcc -c a.c
		program $name "$asks" 'fflush(stderr); int s = 0;' \
			"v[0] = \"$real\"; if (!fork()) execv(*v, v); wait(&s); return s >> 8;"
		differential "${unstored[@]}" --env "PATH=$W/bin:$PATH"$'\nMY_X=1' -- gcc -c a.c
		DECLARED="REPRISE_WRAPPERS=$W/bin/$name"$'\n'"PATH=$W/bin:$PATH"
		differential --env "$DECLARED"$'\nMY_X=1' -- gcc -c a.c
		again miss --env "$DECLARED"$'\nMY_X=2'
		rm "bin/$name"
	done
	program mycc "v[0] = \"$(command -v gcc)\"; return execv(*v, v);"
	differential --makes a.o --tools 1 --env REPRISE_TOOLS=+mycc -- bin/mycc -c a.c
}

@test "wrappers_declared: a script that asks for the umask" {
	declared '#!/bin/bash' "exec $AS --defsym mask=\"\$(umask)\" \"\$@\""
	again miss --env "$DECLARED" --umask 077
	again hit --env "$DECLARED" --umask 022
}

@test "wrappers_declared: what an owner cannot vouch for" {
	# Another program's own answer; a socket; what it makes.
	script as '#!/usr/bin/python3' 'import socket' \
		"socket.socket().connect_ex(('127.0.0.1', 1))" "${argparse[@]}"
	differential --cold unstored:network --warm unstored:network --env "$DECLARED" -- \
		gcc -B bin -c a.c
	put bin/real '#!/bin/sh' "exec $AS \"\$@\""
	chmod +x bin/real
	# A second wrapper below that is not declared is vouched for by the first.
	declared '#!/usr/bin/python3' 'import os, sys' "os.execv('$W/bin/real', sys.argv)"
}

# bats test_tags=check
@test "wrappers_declared: undeclared, the steps of nvcc are hits" {
	need_nvcc
	cuda_source a.cu
	script gcc '#!/usr/bin/python3' 'import os, sys' "os.execvp('gcc', ['gcc'] + sys.argv[1:])"
	age
	local i
	for i in 1 2 3; do
		rm -f a.o
		under nvcc -ccbin bin/gcc -c a.cu -o a.o
	done
	[ "$(stat_of hits_local)" -ge 2 ] || fail "no step was served: $(cat "$LOG")"
	under "$REPRISE_BIN" explain 20 >said
	grep -qF "REPRISE_WRAPPERS=$W/bin/gcc" said || fail "$(cat said)"
	rm -f a.o said
	differential --cold any --warm hit --mask "$XFT" --filter "$XFT" --makes a.o \
		--env "REPRISE_WRAPPERS=$W/bin/gcc" -- nvcc -ccbin bin/gcc -c a.cu
}
