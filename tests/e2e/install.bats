#!/usr/bin/env bats
# `make install`, `make clean`, and the check that each built object passes.

bats_require_minimum_version 1.5.0

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

@test "install: DESTDIR and PREFIX, and what lies there works" {
	make -s -C "$TOP" install DESTDIR="$ROOT/stage" PREFIX=/opt/reprise >out 2>&1 ||
		{ cat out >&2; fail "make install"; }
	local at=$ROOT/stage/opt/reprise
	[ "$(find "$ROOT/stage" -mindepth 1 -maxdepth 2 | sort |
		paste -sd ' ')" = "$ROOT/stage/opt $at" ]
	local f want='755 bin/reprise 755 bin/reprise-run 644 lib/reprise/libreprise.so'
	want+=' 755 libexec/reprise/reprise-agent 755 libexec/reprise/reprise-agent-net'
	[ "$(cd "$at" && find bin lib libexec -type f -printf '%m %p\n' | sort -k2 |
		paste -sd ' ')" = "$want" ]
	for f in "$TOP"/docs/*.md "$TOP"/docs/internals/*.md "$TOP"/README.md "$TOP"/LICENSE; do
		cmp "$f" "$at/share/doc/reprise/${f#"$TOP/"}"
	done
	# The man page has each command with its options, and that of the file each setting.
	for f in $("$at/bin/reprise" help --names); do
		grep -qx "\.SS $f" "$at/share/man/man1/reprise.1" || fail "no command $f"
	done
	grep -qxF '.B \-J, \-\-job=NAME' "$at/share/man/man1/reprise.1"
	! grep -qE '^\.B .*\\-\\-(usage|help)' "$at"/share/man/man1/* || fail "the options of all"
	[ "$(grep -c '^\.B REPRISE_' "$at/share/man/man5/reprise.conf.5")" = \
		"$("$at/bin/reprise" config --docs | grep -c '^| `REPRISE_')" ]
	# Moved to where it belongs, it finds its parts.
	mv "$at" "$ROOT/prefix"
	"$ROOT/prefix/bin/reprise" version | grep -q '^reprise [0-9]'
	put a.c 'int a;'
	age
	gcc -c a.c -o want.o
	for f in 1 2; do
		rm -f a.o
		env REPRISE_CACHE_DIR="$STORE" \
			REPRISE_RUNTIME_DIR="$RUNTIME" "$ROOT/prefix/bin/reprise-run" gcc -c a.c
		cmp a.o want.o
	done
	[ "$(stat_of hits_local)" = 1 ] && [ "$(stat_of misses)" = 1 ]
}

# staged TARGET PREFIX: make TARGET, below ./stage
staged() {
	make -s -C "$TOP" "$1" DESTDIR="$PWD/stage" PREFIX="$2" >out 2>&1 ||
		{ cat out >&2; fail "make $1"; }
}

@test "install: make uninstall leaves nothing, and what it did not make" {
	mkdir -p stage/opt stage/usr/local/bin
	find stage | sort >before
	staged install /opt/reprise
	[ "$(find stage -type f | wc -l)" -gt 50 ]
	staged uninstall /opt/reprise
	find stage | sort | cmp - before || fail "$(find stage | sort | diff - before)"
	# Directories of the system stay, and so do files of others.
	staged install /usr/local
	: >stage/usr/local/bin/other
	staged uninstall /usr/local
	[ "$(find stage ! -type d)" = stage/usr/local/bin/other ]
	[ -z "$(find stage -name '*reprise*')" ]
	[ -d stage/usr/local/lib ]
}

# links PAGE: the targets of its relative links, without their headings.
links() { grep -o '](\([^):]*\))' "$1" | sed 's/^](//; s/)$//; s/#.*//; /^$/d' || true; }

@test "install: every link of the installed pages leads to an installed file" {
	make -s -C "$TOP" install DESTDIR="$ROOT/stage" PREFIX=/usr >out 2>&1 ||
		{ cat out >&2; fail "make install"; }
	local doc=$ROOT/stage/usr/share/doc/reprise man=$ROOT/stage/usr/share/man page link n=0
	while read -r page; do
		for link in $(links "$page"); do
			[ -e "${page%/*}/$link" ] || fail "${page#"$doc/"} links to $link"
			n=$((n + 1))
		done
	done < <(find "$doc" -name '*.md')
	[ "$n" -gt 50 ] || fail "$n links"
	# Pages and man pages that the man pages name.
	[ "$(cd "$man" && find . -type f | sort |
		paste -sd ' ')" = './man1/reprise-run.1 ./man1/reprise.1 ./man5/reprise.conf.5' ]
	n=0
	for page in "$man"/man?/*; do
		for link in $(grep -o 'docs/[a-z/]*\.md' "$page"); do
			[ -e "$doc/$link" ] || fail "${page##*/} names $link"
			n=$((n + 1))
		done
		for link in $(sed -n 's/^\.BR \(reprise[^ ]*\) (\([1-8]\)).*/\2 \1/p' "$page" |
			tr -d '\\' | tr ' ' '/'); do
			[ -e "$man/man${link%%/*}/${link#*/}.${link%%/*}" ] ||
				fail "${page##*/} refers to $link"
			n=$((n + 1))
		done
	done
	[ "$n" -gt 5 ] || fail "$n references"
	# No page holds requests that groff does not understand.
	if command -v groff >/dev/null; then
		for page in "$man"/man?/*; do
			[ -z "$(groff -man -ww -z "$page" 2>&1)" ] ||
				fail "$(groff -man -ww -z "$page" 2>&1)"
		done
	fi
}

# needs FILE: the libraries that it is linked to, but for libc and its loader.
needs() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -Ev '^(libc\.so\.6|ld-linux-.*)$' || true
}

@test "install: object and programs need libc alone; TLS and HTTP are in a program of their own" {
	local f
	[ -z "$(needs "$REPRISE_LIB")" ] || fail "$(needs "$REPRISE_LIB")"
	[ -z "$(needs "$TOP/build/libexec/reprise-agent")" ]
	# libdl is of glibc before 2.34.
	for f in "$REPRISE_BIN" "$TOP"/build/libexec/reprise-agent-net; do
		[ -z "$(needs "$f" | grep -v '^libdl\.so\.2$')" ] || fail "$f: $(needs "$f")"
	done
	grep -q 'libssl\.so\.1\.1' "$TOP/build/libexec/reprise-agent-net"
	grep -q 'libcurl\.so\.4' "$TOP/build/libexec/reprise-agent-net"
	! grep -q 'libcurl\.so\.4' "$TOP/build/libexec/reprise-agent" || fail "libcurl in the agent"
}

@test "install: make clean takes the build directory alone" {
	mkdir "$ROOT/b"
	: >"$ROOT/b/libreprise.so"
	ls "$TOP" >before
	make -s -C "$TOP" clean BUILD="$ROOT/b"
	[ ! -e "$ROOT/b" ]
	ls "$TOP" | cmp - before
	[ -e "$REPRISE_LIB" ]
}

# refused WORDS [FLAG...]: object.c, built with them, is refused, and the words say why.
refused() {
	local words=$1
	shift
	gcc -w -O2 -fPIC -shared -nostdlib -Wl,-z,noexecstack object.c -o object.so "$@" -lc
	run "$TOP/scripts/check-symbols.sh" object.so names
	[ "$status" = 1 ] || fail "status $status: $output"
	[[ $output == *"object.so: $words"* ]] || fail "$words: $output"
}

# bats test_tags=check
@test "install: an object that would not load, or load too much, elsewhere is refused" {
	local call='int dl_iterate_phdr(void *, void *);
		static void *use(void *n) { dl_iterate_phdr(0, n); return n; }'
	printf '%s\n' one >names
	put object.c "$call" 'void *one(void *n) { return use(n); }' 'void *two(void) { return 0; }'
	refused 'exports two, which'
	put object.c "$call" 'static void *first(void *n) { return use(n); }' \
		'void *other(void *n) { return first(n); }'
	refused 'does not export one'
	put object.c "$call" 'void *one(void *n) { return use(n); }'
	refused 'needs libm.so.6' -Wl,--no-as-needed -lm
	refused 'holds debug information' -g
	put object.c 'int dl_iterate_phdr(void *, void *);' \
		'int one(void *n) { return dl_iterate_phdr(0, n); }'
	refused 'reaches dl_iterate_phdr by jmp'
	put object.c "$call" 'void *dlsym(void *handle, void *name) { return use(name); }'
	refused 'leaves dlsym otherwise than by a jump'
	put object.c "$call" 'int __printf_chk(int, const char *, ...);' \
		'void *one(void *n) { __printf_chk(1, n, n); return use(n); }'
	refused 'uses __printf_chk@GLIBC'
	put object.c "$call" 'unsigned arc4random(void);' \
		'void *one(void *n) { arc4random(); return use(n); }'
	refused 'uses arc4random@GLIBC_2.36, newer than GLIBC_2.17'
	# Objects that the check accepts.
	run "$TOP/scripts/check-symbols.sh" "$REPRISE_LIB" "$TOP/build/exports.list"
	[ "$status" = 0 ] || fail "$output"
}
