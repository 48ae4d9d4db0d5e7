#!/usr/bin/env bats
# Every installed CPython, and every way in which it starts a process: each compile is replayed, and
# outputs are right.

setup() { load ../e2e/lib; case_setup; put a.c 'int a(int x) { return x + 1; }'; }
teardown() { case_teardown; }

# The interpreters of the system, and of pyenv if the user has it (HOME is the case's own).
pythons() {
	local v p own
	own=${PYENV_ROOT:-$(getent passwd "$(id -u)" | cut -d: -f6)/.pyenv}
	for v in 3.6 3.7 3.8 3.9 3.10 3.11 3.12 3.13 3.14; do
		for p in /usr/bin/python$v /usr/local/bin/python$v \
			"$own/versions/$v".*/bin/python; do
			[ -x "$p" ] && "$p" -c 'import sys' 2>/dev/null && echo "$p"
		done
	done
	return 0
}

@test "python matrix: subprocess, os and multiprocessing in all their forms" {
	local p n=0
	while read -r p; do
		n=$((n + 1))
		rm -rf "$STORE" "$RUNTIME"
		differential --cold any --warm any -- "$p" "$E2E_DIR/subprocess_forms.py" ||
			{ echo "with $p" >&2; return 1; }
		! grep -v 'True$' "$ROOT/r/plain.out" || fail "$p: a form that does not work plain"
		[ "$(stat_of errors)" = 0 ]
		[ "$(stat_of misses)" -le 3 ] || fail "$p: $(stat_of misses) compiles"
		echo "# $("$p" -V 2>&1): $(stat_of hits_local) hits, $(stat_of misses) compiles" >&3
	done < <(pythons)
	[ $n -ge 1 ] || fail "no Python here: scripts/setup installs one"
}

@test "python matrix: 2,000 parallel children" {
	cat >many.py <<-'EOP'
	import subprocess
	left, done = 2000, 0
	while left:
	    n = min(left, 200)
	    ps = [subprocess.Popen(["/bin/sh", "-c", "exit %d" % (i % 3)]) for i in range(n)]
	    done += sum(p.wait() for p in ps); left -= n
	print(done)
	EOP
	differential --cold any -- "$PY" many.py
}

@test "python matrix: a forkserver and spawned workers that compile" {
	# An option that no text asks for would be shared.
	put a.c 'int a(int x) { return x + I; }'
	cat >pool.py <<-'EOP'
	import multiprocessing as mp, subprocess, sys
	def one(i):
	    return subprocess.run(["gcc", "-c", "a.c", "-DI=%d" % (i % 4), "-o",
	                           "o%d.o" % (i % 4)]).returncode
	if __name__ == "__main__":
	    for m in ("fork", "spawn", "forkserver"):
	        with mp.get_context(m).Pool(4) as p: print(m, sum(p.map(one, range(24))))
	EOP
	differential --cold any --warm any -- "$PY" pool.py
	[ "$(stat_of errors)" = 0 ]
	[ "$(stat_of misses)" = 4 ] || fail "$(stat_of misses) compiles of 4 actions"
}
