#!/usr/bin/env bats
# The wheel, made from build/: what it holds, where pip may put it, and what finds what there.
# tests/long/packages.bats shows the packages of a release.
# bats file_tags=check

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export WHEEL='' ENVIRONMENT=$BATS_FILE_TMPDIR/environment
	local python=/usr/bin/python3
	[ -x $python ] || python=$(command -v python3)
	if ! $python -c 'import hatchling'; then
		WHY='hatchling is not installed'
	elif ! $python -m venv "$ENVIRONMENT"; then
		WHY='python3 makes no virtual environment'
	fi 2>/dev/null
	export WHY
	[ -z "${WHY-}" ] || return 0
	find "$ENVIRONMENT" | sort >"$BATS_FILE_TMPDIR/empty"
	unset PYTHONDONTWRITEBYTECODE
	WHEEL=$(DIST=$BATS_FILE_TMPDIR/dist sh packaging/wheel.sh 2>"$BATS_FILE_TMPDIR/log") || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
	"$ENVIRONMENT/bin/pip" install -q --no-index "$WHEEL"
}

setup() {
	load lib
	case_setup
	[ -z "${WHY-}" ] || skip "$WHY"
	export -n REPRISE_LIB REPRISE_BIN
	export REPRISE_CACHE_DIR=$STORE REPRISE_RUNTIME_DIR=$RUNTIME REPRISE_QUIET=1
	put a.c 'int a;'
	age
}
teardown() { case_teardown; }

pip() { "$ENVIRONMENT/bin/pip" --disable-pip-version-check "$@"; }

# serves COMMAND...: after it, gcc is replayed.
serves() {
	local hits
	hits=$(stat_of hits_local)
	"$@" gcc -c a.c && rm a.o && "$@" gcc -c a.c && [ -e a.o ] ||
		{ fail "$*: gcc failed"; return 1; }
	[ "$(stat_of hits_local)" -gt "$hits" ] || fail "$*: no hit: $(reprise stats)"
}

# installed: a copy of the environment with the wheel, moved to another place.
installed() { cp -R "$ENVIRONMENT" "$1"; }

@test "packages: the wheel holds all programs, fits any Python 3, and is small" {
	run "$ENVIRONMENT/bin/python" - "$WHEEL" <<-'END'
		import os, sys, zipfile
		names = {i.filename: i for i in zipfile.ZipFile(sys.argv[1]).infolist()}
		programs = [n for n in names if names[n].external_attr >> 16 & 0o111]
		print("programs", *sorted(os.path.basename(n) for n in programs))
		info = next(n for n in names if n.endswith(".dist-info/WHEEL"))
		text = zipfile.ZipFile(sys.argv[1]).read(info).decode()
		print("purelib", "Root-Is-Purelib: true" in text,
		      "abi", "Tag: py3-none-manylinux_2_" in text)
		print("outside", *sorted(n.split("/", 1)[1] for n in names if ".data/" in n))
		for n in ("lib/reprise/libreprise.so", "share/man/man1/reprise.1",
		          "share/man/man1/reprise-run.1", "share/man/man5/reprise.conf.5",
		          "share/doc/reprise/docs/quickstart.md"):
		    assert "reprise/" + n in names, n
	END
	[ "$status" = 0 ] || fail "$output"
	local programs='reprise reprise reprise-agent reprise-agent-net'
	[ "${lines[0]}" = "programs $programs reprise-run reprise-run" ]
	[ "${lines[1]}" = 'purelib False abi True' ]
	[ "${lines[2]}" = 'outside data/bin/reprise data/bin/reprise-run' ]
	[ "$(stat -c %s "$WHEEL")" -lt 3000000 ]
	# Once more: equal bytes.
	(cd "$TOP" && DIST=$ROOT/again sh packaging/wheel.sh >/dev/null 2>&1)
	cmp "$WHEEL" "$ROOT/again/${WHEEL##*/}"
}

@test "packages: the commands of an environment, and python -m reprise" {
	local bin=$ENVIRONMENT/bin
	[ "$("$bin/reprise" version)" = "$("$REPRISE_BIN" version)" ]
	[ "$("$bin/reprise-run" --version)" = "$("$REPRISE_BIN" version)" ]
	[ "$("$bin/python" -m reprise version)" = "$("$REPRISE_BIN" version)" ]
	serves "$bin/reprise-run"
	serves "$bin/reprise" run --
	serves "$bin/python" -m reprise run --
	# The status of a command, and that of a job.
	run "$bin/python" -m reprise run -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run "$bin/reprise" no-such-command
	[ "$status" = 2 ]
	# The agent and the other programs are found.
	run "$bin/reprise" doctor
	[[ $output == *"$ENVIRONMENT/lib/python3"*"/libreprise.so, version"* ]] || fail "$output"
	REPRISE_REDIS_URL=rediss://127.0.0.1:1 run "$bin/reprise" doctor
	[[ $output != *"reprise-agent-net is not"* ]] || fail "$output"
}

@test "packages: an import preloads nothing, python -m keeps signals and variables" {
	local python=$ENVIRONMENT/bin/python
	run "$python" -c 'import os, reprise
print("LD_PRELOAD" in os.environ, "libreprise" in open("/proc/self/maps").read())'
	[ "$output" = 'False False' ] || fail "$output"
	# shellcheck disable=SC2016 # of the job
	local ask='env | sort | grep -v "^_="; grep SigIgn /proc/self/status'
	env -u LC_ALL "$ENVIRONMENT/bin/reprise" run --job=j -- sh -c "$ask" >want
	env -u LC_ALL "$python" -m reprise run --job=j -- sh -c "$ask" >got
	cmp want got || fail "$(diff want got)"
	# Variables that the caller set stay; those of the C locale Python replaces, too.
	local value
	for value in C.UTF-8 C POSIX ''; do
		run env -u LC_ALL -u LANG LC_CTYPE="$value" \
			"$python" -m reprise run -- printenv LC_CTYPE
		[ "$status:$output" = "0:$value" ] || fail "$value: $status: $output"
	done
}

@test "packages: an environment that moved, links to its commands, and links to it" {
	installed moved
	serves "$PWD/moved/bin/reprise-run"
	serves moved/bin/reprise run --
	ln -s "$PWD/moved/bin/reprise-run" one
	ln -s one two
	serves ./two
	mkdir bin
	ln -s ../moved/bin/reprise bin/reprise
	# As pipx does it: a link in a directory of PATH.
	PATH=$PWD/bin:$PATH serves reprise run --
	# A path that LD_PRELOAD cannot hold, by a link with a plain name.
	mv moved 'my environment'
	run 'my environment/bin/reprise-run' true
	[[ $output == *'LD_PRELOAD cannot hold'* ]] || fail "$output"
	ln -s 'my environment' plain
	serves plain/bin/reprise-run
}

@test "packages: pip install --target and --prefix" {
	pip install -q --no-index --target target "$WHEEL"
	serves target/bin/reprise-run
	PYTHONPATH=target serves "$ENVIRONMENT/bin/python" -m reprise run --
	# Where another package was first, pip leaves its bin alone.
	mkdir -p other/bin
	pip install -q --no-index --target other "$WHEEL"
	[ ! -e other/bin/reprise ]
	PYTHONPATH=other serves "$ENVIRONMENT/bin/python" -m reprise run --
	# The prefix of conda has this form.
	pip install -q --no-index --ignore-installed --prefix prefix "$WHEEL"
	serves prefix/bin/reprise-run
	mv prefix elsewhere
	serves elsewhere/bin/reprise-run
	# PyPy's.
	mv elsewhere/lib/python3* elsewhere/lib/pypy3.9
	serves elsewhere/bin/reprise-run
}

@test "packages: the next version over this one, and pip uninstall leaves nothing" {
	installed next
	mkdir tree
	cp -R "$TOP/packaging" "$TOP/README.md" "$TOP/LICENSE" tree/
	echo 99.0 >tree/VERSION
	local at
	at=$(echo "$PWD"/next/lib/python3*/site-packages/reprise)
	DIST=$PWD sh tree/packaging/wheel.sh "$at" manylinux_2_17_"$(uname -m)" >out 2>&1 ||
		fail "$(cat out)"
	# A job of the version before goes on while pip replaces it.
	next/bin/reprise-run sh -c '
		until [ -e go ]; do sleep 0.1; done
		gcc -c a.c && rm a.o && gcc -c a.c' &
	next/bin/python -m pip install -q --no-index reprise_cache-99.0-*.whl
	: >go
	wait $!
	[ -e a.o ]
	grep -q 99.0.dist-info next/bin/reprise
	serves next/bin/reprise-run
	next/bin/python -m pip uninstall -q -y reprise-cache
	(cd next && find . | sort | sed "s,^\.,$ENVIRONMENT,") >left
	cmp left "$BATS_FILE_TMPDIR/empty" || fail "$(diff left "$BATS_FILE_TMPDIR/empty")"
}

@test "packages: a command without its package says so" {
	installed torn
	rm -r torn/lib/python3*/site-packages/reprise/bin
	run torn/bin/python -m reprise run true
	[ "$status" = 125 ]
	[[ $output == *'No such file or directory; install the wheel with pip' ]] || fail "$output"
	run torn/bin/reprise-run true
	[ "$status" = 125 ]
	[[ $output == *'is not installed beside torn/bin: install it again with pip' ]] ||
		fail "$output"
}
