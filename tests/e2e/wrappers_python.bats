#!/usr/bin/env bats
# Scripts in Python between a tool and the program that it starts: a text that is known in full is
# part of the action, and any other keeps the run from being stored.

# A virtual environment: what the system adds to every start of Python is not in it.
setup_file() {
	load lib
	export VENV=$BATS_FILE_TMPDIR/venv
	"$PY" -m venv --without-pip "$VENV" >"$BATS_FILE_TMPDIR/said" 2>&1 || rm -rf "$VENV"
}

setup() {
	load lib
	load cuda
	case_setup
	[ -x "$VENV/bin/python3" ] || skip "no venv module"
	[ "$("$VENV/bin/python3" -c 'import sys; print(sys.version_info >= (3, 9))')" = True ] ||
		skip "Python before 3.9"
	export PYTHONDONTWRITEBYTECODE=1
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

AS=$(command -v as)

# script NAME LINE...: bin/NAME, which gcc -B bin starts where it is called as.
script() {
	local name=$1
	shift
	put "bin/$name" "$@"
	chmod +x "bin/$name"
}

# stored_script LINE...: bin/as of these lines, in Python; a hit follows.
stored_script() {
	script as "#!$VENV/bin/python3" "$@"
	differential --makes a.o -- gcc -B bin -c a.c || { cat bin/as >&2; return 1; }
}
# refused_script WORD LINE...: not stored, and the word is in the reason.
refused_script() {
	local word=$1
	shift
	script as "#!$VENV/bin/python3" "$@"
	differential --status any --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c ||
		{ cat bin/as >&2; return 1; }
	under "$REPRISE_BIN" explain 1 >said
	grep -qF "$word" said || fail "not $word: $(cat said)"
}
EXEC="os.execv('$AS', ['as'] + sys.argv[1:])"

@test "wrappers in python: arguments that are passed on" {
	stored_script 'import os, sys' "$EXEC"
	again hit --env $'FOO=1\nRANK=3\nHOSTNAME=other\nSLURM_PROCID=2'
	script as "#!$VENV/bin/python3" 'import os, sys' '# other' "$EXEC"
	again miss
}
