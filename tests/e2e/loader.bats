#!/usr/bin/env bats
# Actions of ld.so and libc that variables ask for: below every hook, for the tool and for its
# passes.

setup() {
	load lib
	case_setup
	put a.c '#warning said' 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

# acts VARIABLE: gcc runs for real with it, and nothing of that is replayed without it.
acts() {
	under env "$1" gcc -E a.c </dev/null >"$ROOT/o" 2>"$ROOT/e"
	[ "$(stat_of bypasses) $(stat_of reason_loader)" != "0 0" ] || fail "recorded with $1"
	[ "$(stat_of misses) $(stat_of hits_local)" = "0 0" ] || fail "looked up with $1"
	differential -- gcc -E a.c
}

# bats test_tags=check
@test "loader: variables that make ld.so write or load" {
	local v
	for v in LD_SHOW_AUXV=1 LD_SHOW_AUXV= LD_DEBUG=libs \
		"LD_AUDIT=$ROOT/none.so" LD_PROFILE=libc.so.6 \
		MALLOC_TRACE="$ROOT/trace"; do
		rm -rf "$STORE" "$RUNTIME"
		acts "$v"
	done
	# A variable that is set and empty has no effect.
	again hit --env $'LD_DEBUG=\nLD_AUDIT=\nLD_PROFILE='
}

@test "loader: a process of the tree that sets such a variable for its children" {
	put m.c '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' \
		'#include <unistd.h>' \
		'int main(int c, char **v) { if (c > 1) { setenv("LD_SHOW_AUXV", "1", 1);' \
		'execl(v[0], v[0], (char *)0); } return puts("ran") < 0; }'
	gcc -w m.c -o mytool
	differential --cold unstored:step --env REPRISE_TOOLS=+mytool --filter '/^AT_/d' -- \
		./mytool x
}

@test "loader: a preloaded library that is not there" {
	differential -- sh -c 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}/none/there.so exec gcc -E a.c'
	[ "$(grep -c 'ERROR: ld.so: object .* cannot be preloaded' "$ROOT/r/warm.err")" -ge 2 ] ||
		fail "the passes do not complain"
	differential -- gcc -E a.c
	differential -- sh -c 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}/none/other.so exec gcc -E a.c'

}

@test "loader: a preloaded library counts by its content, for the passes, too" {
	put p.c '#include <stdio.h>' '#include <string.h>' \
		'extern char *program_invocation_short_name;' \
		'__attribute__((destructor)) void said(void) {' \
		'if (!strcmp(program_invocation_short_name, "cc1")) fputs("one\n", stderr); }'
	gcc -shared -fPIC -w p.c -o "$ROOT/p.so"
	differential -- sh -c 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}'"$ROOT"'/p.so exec gcc -c a.c'
	grep -q one "$ROOT/r/warm.err" || fail "not loaded into cc1"
	sed -i s/one/two/ p.c
	gcc -shared -fPIC -w p.c -o "$ROOT/p.so"
	again miss
	grep -q two "$ROOT/r/warm.err"
	differential -- gcc -c a.c
}

@test "loader: /etc/ld.so.preload" {
	need_mounts
	cp -a /etc "$ROOT/etc"
	echo /none/here.so >"$ROOT/etc/ld.so.preload"
	differential -- unshare -m sh -c 'mount --bind "$1" /etc && exec gcc -E a.c' sh "$ROOT/etc"
	grep -q '/none/here.so' "$ROOT/r/warm.err" || fail "ld.so does not complain"
	differential -- gcc -E a.c
}

# bats test_tags=check
@test "loader: variables that choose libraries, or say how libc's memory looks, are keyed" {
	local v
	differential -- gcc -c a.c
	for v in LD_BIND_NOW=1 LD_DYNAMIC_WEAK= LD_ORIGIN_PATH=/ LD_HWCAP_MASK=0 \
		GLIBC_TUNABLES=glibc.malloc.perturb=7 \
		MALLOC_PERTURB_=7 MALLOC_CHECK_=3; do
		again miss --env "$v"
	done
	again hit
	# Where memory comes from changes no result.
	again hit --env $'LD_LIBRARY_PATH=\nLD_BIND_NOW=\nGLIBC_TUNABLES='
	again hit --env \
		$'MALLOC_ARENA_MAX=1\nMALLOC_TOP_PAD_=4096\nLD_BIND_NOT=1\nLD_VERBOSE=1\nLD_WARN=1'
}

# bats test_tags=check
@test "loader: a libc without hooked functions: no crash, one by one, all that gcc does not need" {
	local hooked needed name libc=/lib/$(uname -m)-linux-gnu/libc.so.6 plain ours lib=$PWD/lib
	mkdir lib
	hooked=$(printf '%s\n' '#define HOOK(family, type, name, parameters) @name' \
		'#include "hooks/hooks.def"' |
		gcc -I "$TOP" -E -P -x c - | sed -n 's/^@//p' | sort -u)
	[ "$(wc -w <<<"$hooked")" -gt 100 ]
	needed=$({
		for name in "$(command -v gcc)" "$(gcc -print-prog-name=cc1)" "$(command -v as)" \
			"$REPRISE_LIB"; do
			LD_TRACE_LOADED_OBJECTS=1 "$name" 2>/dev/null |
				sed -n 's/.* \(\/[^ ]*\) (.*/\1/p'
			echo "$name"
		done
	} | grep -v '/libc\.so' | sort -u | xargs objdump -T 2>/dev/null |
		awk '/UND/ { print $NF }' | sort -u)
	# shellcheck disable=SC2046 # words
	"$PY" "$E2E_DIR/cripple.py" \
		"$libc" lib/libc.so.6 $(comm -23 <(echo "$hooked") <(echo "$needed")) >gone
	[ "$(cat gone)" -gt 50 ]
	LD_LIBRARY_PATH=$lib gcc -c a.c
	mv a.o plain.o
	for name in 1 2; do
		env "${RPENV[@]}" LD_LIBRARY_PATH="$lib" LD_PRELOAD="$REPRISE_LIB" gcc -c a.c
		cmp a.o plain.o
	done
	local tried=0
	for name in fork execvpe execve posix_spawn posix_spawnp system popen fexecve dlclose \
		openat fopen mkdir; do
		"$PY" "$E2E_DIR/cripple.py" "$libc" lib/libc.so.6 "$name" >gone
		[ "$(cat gone)" -gt 0 ] || continue # libc itself has none
		tried=$((tried + 1))
		rm -f a.o
		LD_LIBRARY_PATH=$lib gcc -c a.c 2>/dev/null && plain=0 || plain=$?
		rm -f a.o
		env "${RPENV[@]}" LD_LIBRARY_PATH="$lib" LD_PRELOAD="$REPRISE_LIB" \
			REPRISE_CACHE_DIR="$ROOT/store-$name" gcc -c a.c 2>/dev/null && ours=0 ||
			ours=$?
		# Where the loader refuses gcc (127), gcc itself may say what it lacks.
		[ $ours = $plain ] || [ $ours = 0 ] || { [ $plain = 127 ] && [ $ours = 1 ]; } ||
			fail "without $name: plain $plain, ours $ours"
	done
	[ $tried -ge 10 ]
}
