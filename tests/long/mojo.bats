#!/usr/bin/env bats
# Mojo's link, which gives cc an archive of a generated name. Mojo compiles in its own process.
#
# pip makes a virtual environment (0.7 GB). REPRISE_TEST_VENVS=DIR keeps it as DIR/mojo-<version>.
# REPRISE_TEST_PYTHON (default python3) makes it.

VERSION=1.2.0

setup() {
	load ../e2e/lib
	case_setup
	local at=${REPRISE_TEST_VENVS:-$BATS_FILE_TMPDIR}/mojo-$VERSION
	if [ ! -e "$at/made" ]; then
		"${REPRISE_TEST_PYTHON:-python3}" -m venv "$at"
		"$at/bin/pip" install -q --no-input --no-cache-dir --no-compile --no-deps \
			mojo==$VERSION mojo-compiler==$VERSION mojo-compiler-mojo-libs==$VERSION \
			>"$ROOT/pip" 2>&1 || { rm -rf "$at"; skip "pip installs no mojo $VERSION"; }
		: >"$at/made"
	fi
	MOJO=$at/bin/mojo
}
teardown() { case_teardown; }

# built plain|under: x of a.mojo.
built() {
	local run=env
	[ "$1" = plain ] || run=under
	rm -f x
	age
	"$run" "$MOJO" build a.mojo -o x 2>"$ROOT/said" || fail "$(cat "$ROOT/said")"
	[ "$(./x)" = 42 ]
}

@test "mojo: the link of a program is a hit, whatever its archive is called" {
	put a.mojo 'def main():' '    print(6 * 7)'
	built plain
	mv x plain
	built under
	[ "$(stat_of misses) $(stat_of hits_local)" = "1 0" ] || fail "$(reprise explain)"
	cmp plain x
	built under
	[ "$(stat_of misses) $(stat_of hits_local)" = "1 1" ] || fail "$(reprise explain)"
	cmp plain x
	reprise explain | grep -q 'mojo_archive-[0-9a-f]\{7\}[.]a' ||
		fail "its archive has another name now"
}
