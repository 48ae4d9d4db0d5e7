#!/usr/bin/env bats
# Scripts between a tool and the program that it starts: what they may depend on is an input, or
# their run is not stored.

setup() {
	load lib
	load wrappers_lib
	case_setup
	HEAD=()
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

# refused_script LINE...: the run is not stored. REASON: a reason other than `script`.
refused_script() {
	script as "$@"
	differential --cold unstored:"${REASON-script}" --warm unstored:"${REASON-script}" -- gcc \
		-B bin -c a.c || { cat bin/as >&2; return 1; }
}

@test "wrappers: a script that passes its arguments on" {
	stored_script '#!/bin/sh' "exec $AS \"\$@\""
	again hit --env $'FOO=1\nRANK=3'
	script as '#!/bin/sh' '# other' "exec $AS \"\$@\""
	again miss
	stored_script '#!/bin/bash' "exec $AS \"\$@\""
	stored_script '#!/usr/bin/env sh' "exec $AS \"\$@\""
	stored_script '#!/usr/bin/env -S sh -e' "exec $AS \"\$@\""
	stored_script '#!/bin/sh -e' "exec env $AS \"\$@\""
	# libc starts a file without the first line by /bin/sh, and gcc does not.
	stored_script '#!/bin/dash' "$AS \"\$@\""
}

@test "wrappers: a variable that the script names" {
	stored_script '#!/bin/sh' 'case "$FLAVOUR" in' '  big) set -- --defsym big=1 "$@" ;;' \
		'esac' 'if [ -n "$MORE" ]; then set -- "$@" $MORE; fi' "exec $AS \"\$@\""
	again miss --env FLAVOUR=big
	again miss --env 'MORE=--defsym more=1'
	again hit --env OTHER=1
	again hit --env FLAVOUR=big
	stored_script '#!/bin/bash' 'export X=${FLAVOUR:-none}' 'args=("$@")' \
		"exec $AS --defsym \"n=\${#X}\" \"\${args[@]}\""
	again miss --env FLAVOUR=longer
}

@test "wrappers: a file that the script sources, one that it reads, and one that it looks for" {
	put bin/conf 'flags="--defsym one=1"'
	stored_script '#!/bin/sh' 'd=$(dirname "$0")' '. "$d/conf"' \
		'[ -f "$d/more" ] && . "$d/more"' "exec $AS \$flags \"\$@\""
	put bin/conf 'flags="--defsym one=2"'
	again miss
	put bin/more 'flags="$flags --defsym two=$TWO"'
	again miss
	again hit --env OTHER=2
	again miss --env TWO=4
	put bin/conf 'flags="--defsym one=$RANDOM"'
	again unstored:script --warm unstored:script
	put bin/data 'value=3'
	stored_script '#!/bin/sh' 'v=$(sed -n "s/^value=//p" bin/data)' \
		'while read -r k w; do [ "$k" = more ] && v=$w; done <bin/data' \
		"exec $AS --defsym \"v=\${v:-0}\" \"\$@\""
	put bin/data 'value=3' 'more 5'
	again miss
}

@test "wrappers: the size and the mode of a file" {
	: >bin/flag
	stored_script '#!/bin/sh' '[ -s bin/flag ] && set -- --defsym flag=1 "$@"' \
		"exec $AS \"\$@\""
	echo x >bin/flag
	again miss
	stored_script '#!/bin/sh' 'if [ -x bin/helper ]; then set -- --defsym helper=1 "$@"; fi' \
		"exec $AS \"\$@\""
	script helper '#!/bin/sh' 'exit 0'
	again miss
	chmod -x bin/helper
	again any --warm any
	rm bin/helper
	again hit
}

# as_mode MODE HITS: sets the mode of the script's directory. HITS is the number of hits so far.
as_mode() {
	chmod "$1" sub
	as_user gcc -B bin -c a.c -o want.o
	as_user env "${RPENV[@]}" gcc -B bin -c a.c -o got.o
	cmp want.o got.o || { fail "$1: another result"; return 1; }
	[ "$(as_user env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" \
		stats --json | sed -n 's/.*"hits_local": *\([0-9]*\).*/\1/p')" = "$2" ] ||
		fail "$1: not $2 hits"
}

@test "wrappers: the permissions of a directory" {
	need setpriv
	mkdir sub
	script as '#!/bin/sh' '[ -r sub ] && set -- --defsym r=1 "$@"' \
		'test -w sub || set -- --defsym now=1 "$@"' \
		'[ -x sub ] && set -- --defsym x=1 "$@"' "exec $AS \"\$@\""
	for_user
	age
	as_mode 755 0
	as_mode 755 1
	as_mode 555 1
	as_mode 455 1
	as_mode 355 1
	local mode hits=1
	for mode in 355 455 555 755 700; do as_mode $mode $((++hits)); done
	# Bash asks for the permission by another system call.
	script as '#!/bin/bash' '[[ -w sub ]] && set -- --defsym w=1 "$@"' "exec $AS \"\$@\""
	for_user
	age
	as_mode 555 6
	as_mode 755 6
	as_mode 555 7
	as_mode 755 8
}

@test "wrappers: a permission to write into a file, which the script asks for" {
	need setpriv
	put sub text
	script as '#!/bin/sh' '[ -w sub ] && set -- --defsym w=1 "$@"' "exec $AS \"\$@\""
	for_user
	age
	as_mode 644 0
	as_mode 644 1
	# A file without permission: the run is not stored.
	as_mode 444 1
	as_mode 444 1
	as_mode 644 2
}

@test "wrappers: a file that the script makes and removes, and that is there later" {
	stored_script '#!/bin/sh' ': >part.tmp' 'rm part.tmp' "exec $AS \"\$@\""
	put part.tmp old
	again unstored:output --fresh --warm unstored:output
	rm part.tmp
	again hit
	# A directory, and a file that is always absent before the run.
	stored_script '#!/bin/sh' 'mkdir part || exit 7' 'set -C' ': >lock || exit 8' \
		'rm lock' 'rmdir part' "exec $AS \"\$@\""
	mkdir part
	again any --status any --warm any
	rmdir part
	again hit
	put lock old
	again any --status any --warm any
	rm lock
	again hit
}

@test "wrappers: a command that appears in PATH" {
	mkdir first
	stored_script '#!/bin/sh' \
		'if command -v helper >/dev/null; then set -- --defsym helper=1 "$@"; fi' \
		"exec $AS \"\$@\""
	again hit --env "PATH=$W/first:$PATH"
	put first/helper '#!/bin/sh' 'exit 0'
	chmod +x first/helper
	again miss --env "PATH=$W/first:$PATH"
	again hit
	# PATH of the script differs from PATH of the tool.
	mkdir second third
	put second/num '#!/bin/sh' 'echo 2'
	chmod +x second/num
	stored_script '#!/bin/sh' 'PATH=${PATH#*:}' \
		"exec $AS --defsym \"n=\$(num || echo 9)\" \"\$@\""
	again miss --env "PATH=$W/third:$W/second:$PATH"
	again miss --env "PATH=$W/second:$W/third:$W/second:$PATH"
}

# bats test_tags=check
@test "wrappers: a script that may use any variable" {
	stored_script '#!/bin/sh -f' 'eval "x=\${MY_FLAGS}"' "exec $AS \$x \"\$@\""
	again miss --env 'MY_FLAGS=--defsym x=1'
	again miss --env OTHER=1
	again hit --env 'MY_FLAGS=--defsym x=1'
	under "$REPRISE_BIN" explain 20 >said
	grep -q 'variable MY_FLAGS is new, which a script may use' said || fail "$(cat said)"
	# Variables of ranks, jobs and pods do not count, unless the script names them.
	again hit --env \
		$'RANK=1\nLOCAL_RANK=1\nMASTER_PORT=29500\nTORCHELASTIC_RUN_ID=x'\
$'\nHOSTNAME=pod-1\nREDIS_PORT_6379_TCP_ADDR=10.0.0.1\nA_SERVICE_HOST=b'
	again hit --env \
		$'SLURM_JOB_ID=7\nSLURM_PROCID=3\nPMI_RANK=3\nPMIX_RANK=3'\
$'\nOMPI_COMM_WORLD_RANK=3\nSSH_TTY=/dev/pts/4\nSHLVL=5\nOLDPWD=/x'
	again miss --env OMPI_CC=gcc
	stored_script '#!/bin/sh' 'eval "r=\${RANK:-0}"' "exec $AS --defsym \"r=\$r\" \"\$@\""
	again miss --env RANK=1
	again hit --env LOCAL_RANK=1
	stored_script '#!/bin/sh' 'v=SLURM_; eval "r=\${${v}PROCID:-0}"' \
		"exec $AS --defsym \"r=\$r\" \"\$@\""
	again miss --env SLURM_PROCID=1
	stored_script '#!/bin/sh' 'a=RA; b=NK; eval "r=\$$a$b"' \
		"exec $AS --defsym \"r=\${r:-0}\" \"\$@\""
	again miss --env RANK=1
	stored_script '#!/bin/sh' "$AS --defsym \"n=\$(env | grep -c RANK)\" \"\$@\""
	again miss --env RANK=1
}

# bats test_tags=check
@test "wrappers: environments do not fill the manifest" {
	stored_script '#!/bin/sh' 'eval "x=\${MY_FLAGS}"' "exec $AS \"\$@\""
	age
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do under env JOB=$i gcc -B bin -c a.c; done
	[ "$(find "$STORE/manifest" -type f | wc -l)" -le 6 ] || fail \
		"$(find "$STORE/manifest" -type f)"
	under env JOB=12 gcc -B bin -c a.c
	[ "$(stat_of misses)" = 13 ] || fail "$(stat_of misses) misses"
}

@test "wrappers: eight ranks, one compile" {
	script as '#!/bin/sh' 'eval "x=\${MY_FLAGS}"' 'sleep 0.5' "exec $AS \"\$@\""
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

# The words of an awk program do not show whether the order of a table reaches its output.
# bats test_tags=check
@test "wrappers: awk is not stored" {
	refused_script '#!/bin/sh' 'x=$(awk "{ print 1 }" a.c)' "exec $AS \"\$@\""
}

@test "wrappers: a program that is not known to depend on its arguments alone" {
	put t.c '#include <stdio.h>' '#include <unistd.h>' \
		'int main(void) { printf("%d\n", getpid() > 0); return 0; }'
	gcc -w t.c -o bin/asks
	refused_script '#!/bin/sh' 'x=$(bin/asks)' "exec $AS --defsym x=\$x \"\$@\""
	# The same below another program or shell.
	refused_script '#!/bin/sh' 'x=$(sh -c bin/asks)' "exec $AS --defsym x=\$x \"\$@\""
	refused_script '#!/bin/sh' 'x=$(env bin/asks)' "exec $AS --defsym x=\$x \"\$@\""
	refused_script '#!/bin/sh' 'bin/asks >/dev/null &' 'wait' "exec $AS \"\$@\""
}

# bats test_tags=check
@test "wrappers: variables that are listed, and texts that are put together" {
	stored_script '#!/bin/sh' 'x=$(set | grep -c ^RANK)' "exec $AS --defsym x=\$x \"\$@\""
	again miss --env RANK=1
	stored_script '#!/bin/bash' 'x=$(\export -p | grep -c RANK)' \
		"exec $AS --defsym x=\$x \"\$@\""
	again miss --env RANK=1
	put commands true
	refused_script '#!/bin/sh' 'eval "$(cat commands)"' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' '"ev"al "`cat commands`"' "exec $AS \"\$@\""
	stored_script '#!/bin/sh' '\eval "x=\$MY_FLAGS"' "exec $AS \$x \"\$@\""
	again miss --env 'MY_FLAGS=--defsym x=1'
	# The script may run the value of a variable.
	again unstored:script --warm unstored:script --env 'OTHER=x=$RANDOM'
}

# bats test_tags=check
@test "wrappers: a run with an input that no trace shows is not stored" {
	refused_script '#!/bin/bash' 'if [ $RANDOM = x ]; then exit 1; fi' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'x=$$' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'case $(hostname) in xyz) exit 1 ;; esac' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'case $(uname -r) in xyz) exit 1 ;; esac' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'if [ -t 2 ]; then exit 1; fi' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'grep -q nothing /proc/cpuinfo' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'umask 022' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'x=$(ls -l)' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' '[ a.c -nt bin/as ] && exit 1' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'x=$(mktemp)' 'rm "$x"' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'x=$(date +%Y)' "exec $AS \"\$@\""
	REASON=time refused_script '#!/bin/bash' 'printf -v x "%""(%Y)T" -1' "exec $AS \"\$@\""
}

# bats test_tags=check
@test "wrappers: a script that opens a socket" {
	need bash
	local REASON=network
	# No server listens. The answer to the script is an input that no trace can hold.
	refused_script '#!/bin/bash' '(: </dev/tcp/127.0.0.1/1) 2>/dev/null' "exec $AS \"\$@\""
	refused_script '#!/bin/bash' 'to=/dev/udp/127.0.0.1/1' 'exec 3>"$to"' \
		"exec $AS \"\$@\" 3>&-"
	refused_script '#!/bin/bash' "(exec 3<>/dev/tcp/localhost/1) 2>/dev/null" "exec $AS \"\$@\""
	refused_script '#!/bin/sh' "bash -c ': </dev/tcp/127.0.0.1/1' 2>/dev/null" \
		"exec $AS \"\$@\""
}

# bats test_tags=check
@test "wrappers: commands that run at the same time" {
	refused_script '#!/bin/sh' 'true &' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' '(echo a >log)& wait' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' "sh -c 'true & wait'" "exec $AS \"\$@\""
	REASON=device refused_script '#!/bin/bash' 'echo a > >(cat >/dev/null)' "exec $AS \"\$@\""
	stored_script '#!/bin/sh' "true && echo 'a & b' >log 2>&1" "exec $AS \"\$@\""
}

@test "wrappers: the mode of a file that is copied" {
	put data x
	put sub/data x
	stored_script '#!/bin/sh' 'cat data >log' 'cp log log2' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'rm -f log; cp data log' "exec $AS \"\$@\""
	refused_script '#!/bin/sh' 'cp data sub/data log >/dev/null 2>&1 || cp sub/data log' \
		"exec $AS \"\$@\""
}

@test "wrappers: standard input" {
	put t.c '#include <stdlib.h>' 'int main(void) { return system("./filter >out"); }'
	gcc -w t.c -o mytool
	put filter '#!/bin/sh' 'cat'
	chmod +x filter
	differential --cold unstored:script --warm unstored:script --env REPRISE_TOOLS=+mytool -- \
		./mytool
	put filter '#!/bin/sh' 'echo x | cat'
	differential --env REPRISE_TOOLS=+mytool -- ./mytool
	put filter '#!/bin/sh' 'cat t.c'
	differential --env REPRISE_TOOLS=+mytool -- ./mytool
	put filter '#!/bin/sh' "$AS -o x.o"
	differential --cold unstored:script --warm unstored:script --env REPRISE_TOOLS=+mytool -- \
		./mytool
	put filter '#!/bin/sh' 'read x; echo "$x"'
	differential --cold unstored:script --warm unstored:script --status any --env \
		REPRISE_TOOLS=+mytool -- ./mytool
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
	stored_script '#!/bin/bash' 'mine "$@"' "exec $AS \"\$@\"" || true
	script as '#!/bin/bash' "helper() { :; }" "true \"\$@\"" "exec $AS \"\$@\""
	differential -- gcc -B bin -c a.c
	put start 'set -- --defsym started=1 "$@"'
	again miss --env "BASH_ENV=$W/start"
	again miss --env $'BASH_FUNC_true%%=() { echo hidden >&2; }'
	again hit
	# The texts of a called function, and of the functions that it calls, count.
	again unstored:script --warm unstored:script --env \
		$'BASH_FUNC_true%%=() { more; }\nBASH_FUNC_more%%=() { x=$RANDOM; }'
	again miss --env 'BASH_FUNC_more%%=() { x=$RANDOM; }'
}

# refused_name LINE...: bin/as of these lines, whose effect differs in each run.
refused_name() {
	local i
	script as "$@"
	age
	for i in 1 2 3; do under gcc -B bin -c a.c -o a.o 2>said; done
	[ "$(stat_of hits_local)" = 0 ] || fail "a hit: $(cat bin/as)"
	rm a.o said
}

# bats test_tags=check
@test "wrappers: letters of a generated name" {
	refused_name '#!/bin/sh' 'echo "$@" >&2' "exec $AS \"\$@\""
	refused_name '#!/bin/sh' 'echo "$@" >log' "exec $AS \"\$@\""
	refused_name '#!/bin/sh' 'for f in "$@"; do :; done' 'x=${f##*/cc}' \
		'case $x in [a-m]*) v=1 ;; *) v=2 ;; esac' "exec $AS --defsym v=\$v \"\$@\""
	refused_name '#!/bin/sh' 'for f in "$@"; do :; done' 'x=${f##*/cc}' 'echo "${x%??.s}" >&2' \
		"exec $AS \"\$@\""
	# Compares complete arguments, and a suffix that each generated name has.
	stored_script '#!/bin/sh' 'for f in "$@"; do case $f in *.s) x=1 ;; -o) x=2 ;; esac; done' \
		"exec $AS --defsym x=\$x \"\$@\""
}

# bats test_tags=check
@test "wrappers: names in the arguments" {
	load names_lib
	script as '#!/bin/sh' \
		'for f in "$@"; do' \
		'case $f in *tmpone*) exec '"$AS"' --defsym one=1 "$@" ;; esac; done' \
		"exec $AS \"\$@\""
	local d
	for d in tmponeaaaa tmptwobbbb tmponecccc; do in_temp $d sh -c \
		'gcc -B "$PWD/bin" -c "$PWD/a.c" -o "$PWD/a.o"'; done
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
