#!/usr/bin/env bats
# Scripts in Python between a tool and the program that it starts. A text that is known in full is
# part of the action. With any other text the run is not stored.

# A virtual environment: what the system adds to every start of Python is not in it.
setup_file() {
	load lib
	export VENV=$BATS_FILE_TMPDIR/venv
	"$PY" -m venv --without-pip "$VENV"
}

setup() {
	load lib
	load wrappers_lib
	load cuda
	case_setup
	HEAD=("#!$VENV/bin/python3")
	EXEC="os.execv('$AS', ['as'] + sys.argv[1:])"
	[ "$("$VENV/bin/python3" -c 'import sys; print(sys.version_info >= (3, 9))')" = True ] ||
		skip "Python before 3.9"
	export PYTHONDONTWRITEBYTECODE=1
	mkdir bin
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

@test "wrappers in python: arguments that are passed on" {
	stored_script 'import os, sys' "$EXEC"
	again hit --env $'FOO=1\nRANK=3\nHOSTNAME=other\nSLURM_PROCID=2'
	script as "#!$VENV/bin/python3" 'import os, sys' '# other' "$EXEC"
	again miss
}

@test "wrappers in python: by env, and with options" {
	local line
	for line in "$VENV/bin/python3 -E" "$VENV/bin/python3 -su" "/usr/bin/env python3" \
		"/usr/bin/env -S python3 -B -s"; do
		script as "#!$line" 'import os, sys' "$EXEC"
		differential --makes a.o --env "PATH=$VENV/bin:$PATH" -- gcc -B bin -c a.c ||
			fail "$line"
	done
	# A python3 that comes first in PATH.
	mkdir first
	put first/python3 '#!/bin/sh' 'shift 3' "exec $AS --defsym other=1 \"\$@\""
	chmod +x first/python3
	again miss --env "PATH=$W/first:$VENV/bin:$PATH"
}

@test "wrappers in python: a text that is not a file, and options that print" {
	put shown.py 'import os, sys' "$EXEC"
	script as '#!/bin/sh' "exec $VENV/bin/python3 -c 'import os, sys; $(
		printf %s "os.execv(\"$AS\", [\"as\"] + sys.argv[1:])")' \"\$@\""
	differential --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c
	script as '#!/bin/sh' "exec $VENV/bin/python3 - \"\$@\" <$W/shown.py"
	differential --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c
	script as '#!/bin/sh' "exec $VENV/bin/python3 -Wd $W/shown.py \"\$@\""
	differential --cold unstored:script --warm unstored:script -- gcc -B bin -c a.c
	# The same program as a file, which is read.
	script as '#!/bin/sh' "exec $VENV/bin/python3 $W/shown.py \"\$@\""
	differential -- gcc -B bin -c a.c
}

@test "wrappers in python: a variable that the script names" {
	stored_script 'import os, sys, shlex' \
		"args = shlex.split(os.environ.get('MORE') or '')" \
		"if os.getenv('FLAVOUR', '') == 'big' and 'OFF' not in os.environ:" \
		"    args += ['--defsym', 'big=1']" \
		"os.execv('$AS', ['as'] + args + sys.argv[1:])"
	again miss --env FLAVOUR=big
	again hit --env $'FLAVOUR=big\nOTHER=1\nRANK=7\nHOSTNAME=node7'
	again miss --env $'FLAVOUR=big\nOFF=1'
	again miss --env 'MORE=--defsym more=1'
	again hit
	# The name of a variable that Reprise sets.
	refused_for 'a variable whose name is not a plain text' 'import os, sys' \
		"v = os.environ.get('REPRISE_' + 'TRACE')" "$EXEC"
}

@test "wrappers in python: processes that the script waits for" {
	stored_script 'import os, subprocess, sys' \
		'env = os.environ.copy()' \
		"env['LC_ALL'] = 'C'" \
		"out = subprocess.check_output(['sed', '-n', 's/^value=//p', 'data'], env=env)" \
		"v = out.decode().strip() or '0'" \
		"sys.stderr.write('value %s\\n' % v)" \
		"r = subprocess.run(['$AS', '--defsym', 'v=' + v] + sys.argv[1:], env=env)" \
		'if r.returncode:' \
		"    print('failed', file=sys.stderr)" \
		'sys.exit(r.returncode)' || true
	put data value=3
	again miss
	put data value=4
	again miss
	stored_script 'import subprocess, sys' 'def main(argv):' \
		"    p = subprocess.Popen('$AS \"\$@\"' if not argv else ['$AS'] + argv)" \
		'    p.communicate()' '    return p.returncode' \
		"if __name__ == '__main__':" '    sys.exit(main(sys.argv[1:]))'
	stored_script 'import subprocess, sys, shlex' \
		"c = ' '.join(shlex.quote(a) for a in ['$AS'] + sys.argv[1:])" \
		'sys.exit(subprocess.call(c, shell=True))'
}

@test "wrappers in python: letters of a generated name" {
	refused_for 'letters of a generated name' 'import os, sys' 'v = sys.argv[-1][-3]' \
		"$EXEC"
	# The complete name reaches a stream.
	script as "#!$VENV/bin/python3" 'import os, sys' 'print(sys.argv[-1], file=sys.stderr)' \
		"$EXEC"
	age
	local i
	for i in 1 2 3; do under gcc -B bin -c a.c -o a.o 2>said; done
	[ "$(stat_of hits_local)" = 0 ] || fail "a hit: $(cat said)"
	rm a.o said
	stored_script 'import os, sys' 'n = 0' 'for a in sys.argv[1:]:' \
		"    if a.startswith('-') or a.endswith('.s'): n = 1" "$EXEC"
}

@test "wrappers in python: sets that are asked whether they hold an argument" {
	stored_script 'import os, sys' "SKIP = {'-g', '--gdwarf-5', '--64'}" \
		'args = [a for a in sys.argv[1:] if a not in SKIP]' \
		"os.execv('$AS', ['as'] + args)"
	again hit --env PYTHONDONTWRITEBYTECODE=1
}

@test "wrappers in python: files that it reads, looks for and writes" {
	put data 'one'
	stored_script 'import os, sys, json, re' \
		"with open('data') as f: n = len(f.read())" \
		"if os.path.exists('more'): n += 1" \
		"if os.path.isdir('d'): n += len(sorted(os.listdir('d')))" \
		"with open('log', 'w') as f: f.write(json.dumps({'n': n}) + '\\n')" \
		"os.execv('$AS', ['as', '--defsym', 'n=%d' % n] + sys.argv[1:])"
	put data 'other'
	again miss
	put more ''
	again miss
	mkdir d
	again miss
	put d/x ''
	again miss
	rm -r d more
	put data 'one'
	again hit
}

@test "wrappers in python: a module of its own" {
	put bin/mine.py 'import sys' "FLAGS = ['--defsym', 'one=1']" 'def args():' \
		'    return FLAGS + sys.argv[1:]'
	stored_script 'import os, mine' "os.execv('$AS', ['as'] + mine.args())"
	put bin/mine.py 'import os, sys' "FLAGS = ['--defsym', 'one=' + os.getenv('ONE', '2')]" \
		'def args():' '    return FLAGS + sys.argv[1:]'
	again miss
	again miss --env ONE=5
	again hit --env TWO=5
	# The module's text is checked, too.
	put bin/mine.py 'import os, sys' 'def args():' \
		"    return ['--defsym', 'one=%d' % os.getpid()] + sys.argv[1:]"
	again unstored:script --warm unstored:script --ignore a.o
	put bin/mine.py 'import sys' 'def args(): return sys.argv[1:]'
	again any
	# A module that hides one of the library.
	put bin/shlex.py 'import sys' 'def split(x): return [x]'
	stored_script 'import os, sys' "$EXEC"
	refused_for 'no script names it' 'import os, sys, shlex' "$EXEC"
}

@test "wrappers in python: compiled forms" {
	unset PYTHONDONTWRITEBYTECODE
	put bin/mine.py 'import sys' 'def args(): return sys.argv[1:]'
	script as "#!$VENV/bin/python3" 'import os, mine' "os.execv('$AS', ['as'] + mine.args())"
	age
	under gcc -B bin -c a.c -o a.o
	under "$REPRISE_BIN" explain 1 >said
	grep -q 'PYTHONDONTWRITEBYTECODE' said || fail "$(cat said)"
	[ -d bin/__pycache__ ] || fail "no compiled form"
	under gcc -B bin -c a.c -o a.o
	under "$REPRISE_BIN" explain 1 >said
	grep -q 'only the compiled form' said || fail "$(cat said)"
	rm -r bin/__pycache__ a.o
	export PYTHONDONTWRITEBYTECODE=1
	differential -- gcc -B bin -c a.c
}

@test "wrappers in python: a run with an input that no trace shows is not stored" {
	refused_for time 'import os, sys, time' 'if time.time() < 0: sys.exit(1)' "$EXEC"
	refused_for random 'import os, sys, random' 'if random.random() > 2: sys.exit(1)' "$EXEC"
	refused_for tempfile 'import os, sys, tempfile' "$EXEC"
	refused_for getpid 'import os, sys' 'if os.getpid() == 0: sys.exit(1)' "$EXEC"
	refused_for 'a set as a value' 'import os, sys' "if str({'x', 'y'}) == '': sys.exit(1)" \
		"$EXEC"
	refused_for 'class' 'import os, sys' 'class A: pass' "$EXEC"
	refused_for 'a function as a value' 'import os, sys' \
		"if str(os.getcwd) == '': sys.exit(1)" "$EXEC"
	refused_for 'order of a directory' 'import os, sys' \
		"if os.listdir('.') == []: sys.exit(1)" "$EXEC"
	refused_for 'number or None' 'import os, sys' 'f = open(0)' "$EXEC"
	refused_for 'flush' 'import os, sys' "if len(sys.argv) < 2: print('none')" "$EXEC"
}

@test "wrappers in python: the kernel's files, and programs that print the machine's state" {
	local line
	for line in "f = open('/dev/urandom', 'rb')" "f = open('/proc/cpuinfo')" \
		"f = open('/pr' + 'oc/self/stat')" "if os.path.exists('/proc/1/stat'): pass"; do
		script as "#!$VENV/bin/python3" 'import os, sys' "$line" "$EXEC"
		differential --cold unstored:device --warm unstored:device -- gcc -B bin -c a.c ||
			fail "$line"
	done
	refused_for uname 'import os, sys, subprocess' \
		"subprocess.check_output(['uname', '-n'])" "$EXEC"
	refused_for perl 'import os, sys, subprocess' \
		"subprocess.check_output(['perl', '-e', '1'])" "$EXEC"
}

# bats test_tags=check
@test "wrappers in python: a script that opens a socket" {
	refused_for 'the module socket' 'import os, sys, socket' 'socket.socket().close()' "$EXEC"
	script as "#!$VENV/bin/python3" 'import os, sys, subprocess' \
		"subprocess.call(['bash', '-c', ': </dev/tcp/127.0.0.1/1 2>/dev/null'])" "$EXEC"
	differential --cold unstored:network --warm unstored:network -- gcc -B bin -c a.c
}

@test "wrappers in python: standard input that a child reads" {
	local line
	put one 'one'
	put two 'two'
	for line in "'cat'" "'gcc', '-E', '-P', '-xc', '-'"; do
		script as "#!$VENV/bin/python3" 'import os, sys, subprocess' \
			"sys.stderr.write(subprocess.check_output([$line]).decode())" "$EXEC"
		differential --stdin "$W/one" --cold unstored:script --warm unstored:script \
			-- gcc -B bin -c a.c || fail "$line"
		again unstored:script --stdin "$W/two" --warm unstored:script || fail "$line"
	done
	# The same in a shell script.
	script as '#!/bin/sh' 'gcc -E -P -xc - >&2' "exec $AS \"\$@\""
	differential --stdin "$W/one" --cold unstored:script --warm unstored:script \
		-- gcc -B bin -c a.c
	# A pipe that the script makes.
	stored_script 'import os, sys, subprocess' \
		"c = ['gcc', '-E', '-P', '-xc', '-']" \
		"sys.stderr.write(subprocess.check_output(c, input=b'own').decode())" "$EXEC"
	differential --makes a.o -- gcc -pipe -c a.c
}

@test "wrappers in python: a file that only has a module's name" {
	mkdir x
	put x/time.py ''
	put x/mine.py 'def f(): return 1'
	refused_for 'the module time' 'import os, sys, time' "open('x/time.py').read()" \
		'if time.time() < 0: sys.exit(1)' "$EXEC"
	# A module of machine code. The script ends by exec, so the trace does not hold that it was
	# loaded.
	put bin/_json.so ''
	local json=('import os, sys' 'try:' '    import json' 'except ImportError: pass' "$EXEC")
	if "$VENV/bin/python3" -c 'import sys; sys.exit("_json" in sys.builtin_module_names)'; then
		refused_for 'machine code' "${json[@]}"
	else # Debian 13's Python looks for no such file
		stored_script "${json[@]}"
	fi
	mv bin/_json.so bin/libmine.so
	mv x/mine.py x/libmine.py
	refused_for 'machine code' 'import os, sys' "open('x/libmine.py').read()" 'try:' \
		'    import libmine' 'except ImportError: pass' "$EXEC"
}

@test "wrappers in python: other texts that the interpreter runs" {
	local site
	site=$(echo "$VENV"/lib/python3.*/site-packages)
	script as "#!$VENV/bin/python3" 'import os, sys' "$EXEC"
	differential -- gcc -B bin -c a.c
	again unstored:script --warm unstored:script --env PYTHONWARNINGS=default
	again unstored:script --warm unstored:script --env PYTHONDEVMODE=1
	again miss --env PYTHONHASHSEED=1
	again hit
	echo "$VENV" >"$site/more.pth"
	again miss
	echo 'import os; os.getpid()' >"$site/more.pth"
	again unstored:script --warm unstored:script
	rm "$site/more.pth"
	again hit
	# The module comes before the library's. Its absence was an input.
	mkdir p
	again miss --env "PYTHONPATH=$W/p"
	put p/sitecustomize.py 'import os' 'os.environ["X"] = str(os.getpid())'
	again unstored:script --warm unstored:script --env "PYTHONPATH=$W/p"
}

@test "wrappers in python: what setuptools runs at each start" {
	local site hack=/usr/lib/python3/dist-packages
	[ -d "$hack/_distutils_hack" ] || skip "no setuptools of the system"
	site=$(echo "$VENV"/lib/python3.*/site-packages)
	cp -r "$hack/_distutils_hack" "$hack/distutils-precedence.pth" "$site"
	stored_script 'import os, sys' "$EXEC"
	again miss --env SETUPTOOLS_USE_DISTUTILS=stdlib
	echo 'import time' >>"$site/_distutils_hack/__init__.py"
	again unstored:script --warm unstored:script
	rm -r "$site/_distutils_hack" "$site/distutils-precedence.pth"
	again any
}

@test "wrappers in python: another interpreter" {
	need_root "a link in its place"
	"$E2E_PYTHON" -S -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "no Python"
	ln -s "$VENV/bin/python3" bin/py
	script as "#!$W/bin/py -S" 'import os, sys' "$EXEC"
	differential -- gcc -B bin -c a.c
	ln -sf "$E2E_PYTHON" bin/py
	again miss
	ln -sf "$VENV/bin/python3" bin/py
	again hit
}

@test "wrappers in python: a script that fails" {
	script as "#!$VENV/bin/python3" 'import sys' "sys.exit('no %s' % sys.argv[0])"
	differential --status any --cold any --warm any -- gcc -B bin -c a.c
	script as "#!$VENV/bin/python3" 'import sys' 'x = [][0]'
	differential --status any --cold any --warm any -- gcc -B bin -c a.c
}

@test "wrappers in python: on a terminal, and in eight ranks" {
	script as "#!$VENV/bin/python3" 'import os, sys' \
		"sys.stderr.write('assembles\\n')" "$EXEC"
	age
	local r
	for r in 1 2; do
		"$PY" "$BATS_TEST_DIRNAME/on_pty.py" env "${RPENV[@]}" gcc -B bin -c a.c >said.$r
	done
	cmp said.1 said.2 || fail "$(cat said.1 said.2)"
	grep -q assembles said.2 || fail "$(cat said.2)"
	[ "$(stat_of hits_local)" = 1 ] || fail "$(cat "$LOG")"
	for r in 0 1 2 3 4 5 6 7; do
		under env RANK=$r LOCAL_RANK=$r MASTER_PORT=2950$r SLURM_PROCID=$r HOSTNAME=n$r \
			gcc -B bin -c a.c -o b.o 2>said.$r &
	done
	wait
	[ "$(stat_of misses) $(stat_of hits_local)" = "2 8" ] || fail \
		"$(stat_of misses) misses, $(stat_of hits_local) hits"
}

# bats test_tags=long
@test "wrappers in python: nvcc with a script as its host compiler" {
	need_nvcc
	cuda_source a.cu
	script gcc "#!$VENV/bin/python3" 'import os, sys' \
		"args = [a for a in sys.argv[1:] if a != '-Wextra']" \
		"os.execvp('gcc', ['gcc'] + (os.environ.get('MY_FLAGS') or '-DX').split() + args)"
	nvcc_hit() { differential --cold any --warm hit --mask "$XFT" --filter "$XFT" \
		--makes a.o "$@" -- nvcc -ccbin bin/gcc -c a.cu; }
	nvcc_hit
	nvcc_hit --env MY_FLAGS=-DMORE
}
