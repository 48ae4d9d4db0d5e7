#!/usr/bin/env bats
# Debian source packages built plain, cold and warm; the packages compared file by file. Sources
# come through apt (REPRISE_TEST_PACKAGES, default below: small ones whose builds need little
# beside debhelper, with autoconf, cmake and plain make, C and C++).

setup() {
	load ../e2e/lib
	case_setup
	need dpkg-buildpackage dpkg-source dh
}
teardown() { case_teardown; }

fetch() { # PACKAGE: its source in $ROOT/src
	mkdir -p "$ROOT/src" "$ROOT/apt/lists/partial"
	local list=$ROOT/apt/sources.list suite mirror
	if [ ! -s "$list" ]; then
		# Sources are listed beside the machine's own binary entries.
		{
			grep -rhE '^deb ' /etc/apt/sources.list \
				/etc/apt/sources.list.d/*.list 2>/dev/null |
				sed 's/^deb /deb-src /' | head -n 1
			grep -rhE '^URIs:' /etc/apt/sources.list.d/*.sources 2>/dev/null |
				head -n 1 |
				while read -r _ mirror; do
					suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
					echo "deb-src $mirror $suite main"
				done
		} | head -n 1 >"$list"
	fi
	[ -s "$list" ] || skip "no Debian mirror is configured"
	local o=(-o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::State::lists="$ROOT/apt/lists" -o APT::Sandbox::User=root)
	[ -e "$ROOT/apt/updated" ] || apt-get "${o[@]}" -qq update >"$ROOT/apt/log" 2>&1 ||
		skip "apt-get update does not work here"
	: >"$ROOT/apt/updated"
	(
		cd "$ROOT/src" &&
			apt-get "${o[@]}" -qq source --download-only "$1" >>"$ROOT/apt/log" 2>&1
	) || skip "the source of $1 cannot be fetched"
}

build() { # NAME [preload]: the package at $ROOT/b/tree, results in $ROOT/out.NAME
	local name=$1 pre=() s
	[ "${2-}" = preload ] && pre=("${RPENV[@]}")
	rm -rf "$ROOT/b" "$ROOT/out.$name"
	mkdir -p "$ROOT/b" "$ROOT/out.$name"
	(cd "$ROOT/b" && dpkg-source -x "$ROOT"/src/*.dsc tree >/dev/null 2>&1)
	age
	(
		cd "$ROOT/b/tree" && env -u TMPDIR "${pre[@]}" \
			DEB_BUILD_OPTIONS="nocheck parallel=2" dpkg-buildpackage -b -us -uc -d
	) >"$ROOT/log.$name" 2>&1 && s=0 || s=$?
	[ $s = 0 ] || { tail -n 30 "$ROOT/log.$name" >&2; return 1; }
	local d
	for d in "$ROOT"/b/*.deb; do
		dpkg-deb -R "$d" "$ROOT/out.$name/$(basename "$d")"
	done
}

one_package() {
	local p=$1 start
	fetch "$p"
	start=$EPOCHREALTIME
	build plain ||
		skip "$p does not build here plain: $(tail -n 1 "$ROOT/log.plain" | cut -c 1-120)"
	local plain cold warm misses
	plain=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	start=$EPOCHREALTIME
	build cold preload
	cold=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	misses=$(stat_of misses)
	diff -r --no-dereference "$ROOT/out.plain" "$ROOT/out.cold" >&2 ||
		fail "$p: cold differs from plain"
	start=$EPOCHREALTIME
	build warm preload
	warm=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	diff -r --no-dereference "$ROOT/out.plain" "$ROOT/out.warm" >&2 ||
		fail "$p: warm differs from plain"
	diff <(cd "$ROOT/out.plain" && find . -printf '%M %P %l\n' | sort) \
		<(cd "$ROOT/out.warm" && find . -printf '%M %P %l\n' | sort) >&2
	echo "# $p: plain $plain s, cold $cold s, warm $warm s; $misses compiles cold," \
		"$(($(stat_of misses) - misses)) warm, $(stat_of hits_local) hits," \
		"$(stat_of unstored) not kept" >&3
	[ "$(stat_of errors)" = 0 ] || fail "$p: errors counted"
	! grep -aE '^[^ ]+ [0-9]+ error ' "$LOG" >&2 || fail "$p: the log holds errors"
	[ "$(stat_of hits_local)" -gt "$misses" ] ||
		[ "$(stat_of hits_local)" -gt $((misses / 2)) ] || fail "$p: few hits"
}

# package N: the N-th package of REPRISE_TEST_PACKAGES, or the first where there are fewer.
package() {
	local all
	read -ra all <<<"${REPRISE_TEST_PACKAGES:-lz4 zopfli libsodium}"
	one_package "${all[$1 - 1]:-${all[0]}}"
}

@test "debian: the first package" { package 1; }
@test "debian: the second package" { package 2; }
@test "debian: the third package" { package 3; }
