#!/usr/bin/env bats
# Scripts between a tool and the program that it starts: what they may depend on is an input, or
# their run is not stored.

setup() {
	load lib
	load wrappers_lib
	case_setup
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

@test "wrappers: a script that passes its arguments on" {
	stored_script '#!/bin/sh' "exec $AS \"\$@\""
	again hit --env $'FOO=1\nRANK=3'
	script as '#!/bin/sh' '# other' "exec $AS \"\$@\""
	again miss
	stored_script '#!/bin/bash' "exec $AS \"\$@\""
	stored_script '#!/usr/bin/env sh' "exec $AS \"\$@\""
	stored_script '#!/bin/sh -e' "exec env $AS \"\$@\""
	stored_script '#!/bin/dash' "$AS \"\$@\""
}

# bats test_tags=check
@test "wrappers: arguments that the script chooses" {
	stored_script '#!/bin/sh' 'case "$1" in' '--64 | -g) exec '"$AS"' --defsym s=1 "$@" ;;' \
		'*) ;;' 'esac' "exec $AS --defsym \"first=1\" \"\$@\""
	again hit --env OTHER=1
	stored_script '#!/bin/sh' "exec $AS --defsym \"v=1\$MY_VALUE\" \"\$@\""
	again miss --env MY_VALUE=2
	again hit --env OTHER=1
	# The program gets the value if the environment has the variable.
	stored_script '#!/bin/sh' 'MY_VALUE=3' "exec $AS \"\$@\""
	again miss --env MY_VALUE=2
	stored_script '#!/bin/bash' 'set -eu' "if [ \"\$1\" = -v ]; then exec $AS -v; fi" \
		"A_MODE=1 $AS \"\$@\""
}

# bats test_tags=check
# A text that makes words of pieces, or asks for what neither the text, the arguments nor the
# environment holds.
@test "wrappers: texts that are refused" {
	local line lines=(
		'a=RAND; b="${a}OM"; echo ${!b} >&2' 'v=(${!EPOCH*}); echo ${!v} >&2'
		'd="$"; eval "x=$d$d"; echo $x >&2' 'trap "$(cat cmds)" EXIT' 'trap "echo x" EXIT'
		'[ -L d ] && echo link >&2' '[ -h n ] && echo link >&2' '[ -p /dev/stderr ]'
		'op=-e; [ "$op" a.c ]' 'test -t 2 && exit 3' 'echo x >&5' 'exec 3>x' 'cat <&3'
		': >/dev/fd/5' 'cd - >&2' 'echo $OLDPWD >&2' 'echo $$ >&2' 'echo $PPID >&2'
		'echo $RANDOM >&2' 'printf -v x %s y' 'declare -n x=RANDOM' '. ./cmds'
		'source ./cmds'
		'ulimit -n >&2' 'umask >&2' 'jobs' 'true & wait' 'kill -l >/dev/null'
		'shopt -s nullglob' 'set -x' 'x=$((RANDOM))' 'echo * >&2' 'IFS=:; set -- $X'
		'f() { :; }; f' 'read x' 'coproc true' 'echo <(true) >&2' 'date >&2' 'hostname >&2'
		'case $1 in /tmp/cc[a-m]*) exit 3 ;; esac' 'x=${1##*/cc}' 'echo "$@" >&2'
		'awk "{ print 1 }" a.c >&2' 'alias x=y' 'cp a.c log' 'FLAGS+=/$X' ': $FLAVOUR'
		'exec gcc "${X:-x}"' ': "$0"' 'x=1' 'for a in "$@"; do :; done' 'set -- "$@"'
		'[ -z "$1" ]' '! true' '[ $# -gt 99 ] && exit 1' '"$1/x" || true' 'shift' 'exit 3'
		'case "$1" in -O*) ;; esac' 'if [ "$1" != -c ]; then shift; fi' './plain')
	put plain 'echo $PPID >&2'
	chmod +x plain
	put cmds 'echo $$ >&2'
	for line in "${lines[@]}"; do
		script as '#!/bin/bash' "$line" "exec $AS \"\$@\""
		age
		rm -f a.o
		: >"$LOG"
		under gcc -B bin -c a.c -o a.o 5>/dev/null 3</dev/null 2>/dev/null || true
		under "$REPRISE_BIN" explain 1 >said
		grep -qE "unstored: (script|time|failed|device)" said || fail "$line: $(cat said)"
	done
	[ "$(stat_of hits_local)" = 0 ] || fail "a hit"
}

@test "wrappers: the first line names a program of the working directory" {
	ln -s /bin/dash shell
	script as '#!./shell' "exec $AS \"\$@\""
	differential --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c
	ln -sf /bin/true shell
	again unstored --warm unstored
}

@test "wrappers: the reason names the line, and what to write" {
	script as '#!/bin/sh' '' 'echo $$ >&2' "exec $AS \"\$@\""
	age
	under gcc -B bin -c a.c -o a.o 2>/dev/null
	under "$REPRISE_BIN" explain 1 >said
	local why='as: line 3: a command that Reprise does not know'
	grep -qF "$why: set REPRISE_WRAPPERS=$W/bin/as" said || fail "$(cat said)"
	script as '#!/usr/bin/python3' 'import os, sys' "os.execv('$AS', sys.argv)"
	age
	under gcc -B bin -c a.c -o a.o
	under "$REPRISE_BIN" explain 1 >said
	grep -qF "REPRISE_WRAPPERS=$W/bin/as" said || fail "$(cat said)"
	rm said a.o
}

@test "wrappers: a command that appears in PATH" {
	local as
	as=$(basename "$(readlink -f "$AS")")
	mkdir first
	stored_script '#!/bin/sh' "exec $as \"\$@\""
	again hit --env "PATH=$W/first:$PATH"
	put_script "first/$as" '#!/bin/sh' "exec $AS --defsym first=1 \"\$@\""
	again miss --env "PATH=$W/first:$PATH"
	again hit
}

# A shell says in the user's language that it finds no program.
@test "wrappers: messages of the shell" {
	stored_script '#!/bin/bash' '/no/such/as' "exec $AS \"\$@\""
	again hit --env OTHER=1
	again miss --env LANGUAGE=de
}

# bats test_tags=long
@test "wrappers: eight ranks, one compile" {
	script as '#!/bin/sh' "exec $AS --defsym r=1 \"\$@\""
	age
	local r
	for r in 0 1 2 3 4 5 6 7; do
		under env RANK=$r LOCAL_RANK=$r MASTER_PORT=2950$r SLURM_PROCID=$r HOSTNAME=node$r \
			gcc -B bin -c a.c -o a.o &
	done
	wait
	[ "$(stat_of misses) $(stat_of hits_local)" = "1 7" ] || fail \
		"$(stat_of misses) misses, $(stat_of hits_local) hits"
}

# A program added by its user runs a text of its own.
@test "wrappers: standard input" {
	put t.c '#include <stdlib.h>' 'int main(void) { return system("./filter"); }'
	gcc -w t.c -o mytool
	put filter '#!/bin/sh' "exec $AS -o x.o"
	chmod +x filter
	differential --cold unstored:script --warm unstored:script --env REPRISE_TOOLS=+mytool -- \
		./mytool
	put filter '#!/bin/sh' "exec $AS -o x.o a.s"
	put a.s '.byte 1'
	differential --env REPRISE_TOOLS=+mytool -- ./mytool
}

# bats test_tags=check
@test "wrappers: output to files" {
	local shell
	for shell in sh bash; do
		rm -f errs log
		stored_script "#!/bin/$shell" "exec $AS \"\$@\" >log 2>errs"
		again hit
		echo older >errs
		chmod 400 errs
		again any --warm any --fresh
		rm errs
		ln -s elsewhere errs
		again any --warm any --fresh
		rm -f errs elsewhere
		mkdir errs
		again any --warm any --fresh --status any
		rmdir errs
		stored_script "#!/bin/$shell" "exec $AS \"\$@\" 2>/dev/null"
		for to in /dev/tty /dev/fd/5 /dev/stderr /proc/self/fd/2; do
			script as "#!/bin/$shell" "exec $AS \"\$@\" >$to"
			again any --warm any --fresh --status any
		done
	done
}

@test "wrappers: /bin/sh is another shell" {
	need_root "a link in its place"
	script sh-link "#!$W/bin/mysh" "exec $AS \"\$@\""
	ln -s "$(command -v dash)" bin/mysh
	script as "#!$W/bin/mysh" "exec $AS \"\$@\""
	differential -- gcc -B bin -c a.c
	ln -sf "$(command -v bash)" bin/mysh
	again miss
}

# bats test_tags=check
@test "wrappers: functions and start files of bash" {
	stored_script '#!/bin/bash' 'set -e' "exec $AS \"\$@\""
	put start 'set -- --defsym started=1 "$@"'
	again unstored:script --warm unstored:script --env "BASH_ENV=$W/start"
	again unstored:script --warm unstored:script --env SHELLOPTS=nounset
	again unstored:script --warm unstored:script --env $'BASH_FUNC_exec%%=() { echo x >&2; }'
	again miss --env $'BASH_FUNC_other%%=() { echo $RANDOM; }'
	again hit
	# A variable may hold the name of a function.
	script as '#!/bin/bash' "\"\${TOOL:-$AS}\" \"\$@\""
	again unstored:script --warm unstored:script
	# dash takes none of these.
	stored_script '#!/bin/dash' 'set -e' "exec $AS \"\$@\""
	again hit --env "BASH_ENV=$W/start"
}

# bats test_tags=check
@test "wrappers: names in the arguments" {
	load names_lib
	script as '#!/bin/sh' 'case "$3" in' 'tmpone.o) exec '"$AS"' --defsym one=1 "$@" ;;' \
		'esac' "exec $AS \"\$@\""
	differential --makes tmpone.o -- gcc -B bin -c a.c -o tmpone.o
	differential --cold any --warm hit --makes other.o -- gcc -B bin -c a.c -o other.o
}

@test "wrappers: on a terminal" {
	script as '#!/bin/bash' "exec $AS \"\$@\""
	age
	"$PY" "$BATS_TEST_DIRNAME/on_pty.py" env "${RPENV[@]}" gcc -B bin -c a.c
	"$PY" "$BATS_TEST_DIRNAME/on_pty.py" env "${RPENV[@]}" gcc -B bin -c a.c
	[ "$(stat_of hits_local)" = 1 ] || fail "$(cat "$LOG")"
}

@test "wrappers: a script in front of the tool is a host" {
	script gcc '#!/bin/sh' "exec $(command -v gcc) -DV=\$V \"\$@\""
	put v.c 'int v = V;'
	differential --cold any --warm hit --env $'V=1\n'"PATH=$W/bin:$PATH" -- gcc -c v.c
	again any --warm hit --env $'V=2\n'"PATH=$W/bin:$PATH"
	need ccache
	mkdir masked
	ln -s "$(command -v ccache)" masked/gcc
	script cc '#!/bin/sh' "exec $W/masked/gcc \"\$@\""
	differential --cold any --warm any --makes a.o --env "CCACHE_DIR=$ROOT/cc" -- bin/cc -c a.c
}

# bats test_tags=check
@test "wrappers: colorgcc asks whether it writes to a terminal" {
	local from
	from=$(command -v "${REPRISE_TEST_COLORGCC:-colorgcc}") ||
		skip "no colorgcc here, and REPRISE_TEST_COLORGCC names no script"
	ln -s "$from" bin/gcc
	differential --cold any --warm hit --makes a.o --env "PATH=$W/bin:$PATH" -- gcc -c a.c
	# On a terminal colorgcc reads the messages and adds colours.
	put a.c 'int a(void) { int x; return x; }'
	again any --warm hit --env "PATH=$W/bin:$PATH"$'\nTERM=xterm' -- \
		"$PY" "$BATS_TEST_DIRNAME/on_pty.py" gcc -Wall -c a.c
	grep -q $'\033.*warning' "$ROOT/r/warm.out" || fail "no colours: $(cat "$ROOT/r/warm.out")"
}
