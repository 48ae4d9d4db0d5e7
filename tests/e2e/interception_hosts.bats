#!/usr/bin/env bats
# Hosts that Reprise must not disturb: beside other preloaded objects, of another kind, with many
# children or threads, under limits, and without /proc.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
}
teardown() { case_teardown; }

# bats test_tags=check
@test "interception: jemalloc, tcmalloc, faketime, before and behind" {
	local lib old p
	for lib in /usr/lib/*/libjemalloc.so.2 /usr/lib/*/libtcmalloc_minimal.so.4 \
		/usr/lib/*/faketime/libfaketime.so.1; do
		[ -e "$lib" ] || lacks "$lib"
		for p in "$lib:$REPRISE_LIB" "$REPRISE_LIB:$lib"; do
			old=("${RPENV[@]}")
			RPENV=("${old[@]}" LD_PRELOAD="$p")
			differential --cold any --warm hit --makes a.o -- gcc -c a.c ||
				{ echo "LD_PRELOAD=$p" >&2; return 1; }
			differential --cold any --warm any -- "$PY" -c 'import subprocess
print(subprocess.run(["gcc", "-c", "a.c"]).returncode)'
			RPENV=("${old[@]}")
		done
	done
}

@test "interception: libasan first, a sanitized program and a sanitized tool" {
	local asan
	asan=$(gcc -print-file-name=libasan.so)
	[ -e "$asan" ] || fail "no libasan beside this gcc"
	put m.c '#include <stdlib.h>' 'int main(void) { return system("gcc -c a.c"); }'
	gcc -fsanitize=address m.c -o m
	local old=("${RPENV[@]}")
	RPENV=("${old[@]}" LD_PRELOAD="$(readlink -f "$asan"):$REPRISE_LIB")
	differential --cold any --warm any --makes a.o --env ASAN_OPTIONS=detect_leaks=0 -- ./m
	RPENV=("${old[@]}")
	[ "$(stat_of errors)" = 0 ]
}

@test "interception: static, musl programs: nothing on stderr" {
	need musl-gcc
	put m.c '#include <stdio.h>' 'int main(void) { puts("ran"); return 0; }'
	gcc -static m.c -o static
	gcc -static-pie m.c -o staticpie
	differential --cold any -- sh -c './static; ./staticpie'
	musl-gcc m.c -o musl
	musl-gcc -static m.c -o muslstatic
	differential --cold any -- sh -c './musl; ./muslstatic'
	differential --cold any -- env ./musl
	differential --cold any -- \
		"$PY" -c 'import subprocess; print(subprocess.run(["./musl"]).returncode)'
}

@test "interception: 32-bit programs: nothing on stderr" {
	[ "$(uname -m)" = x86_64 ] || skip "a machine without 32-bit programs"
	[ -e /lib/ld-linux.so.2 ] || lacks /lib/ld-linux.so.2
	# The program needs no C library: the loader is what would complain.
	put m32.s '.globl _start' '_start: mov $4, %eax' 'mov $1, %ebx' 'call 1f' '.ascii "ran\n"' \
		'1: pop %ecx' 'mov $4, %edx' \
		'int $0x80' 'mov $1, %eax' 'xor %ebx, %ebx' 'int $0x80' '.section .note.GNU-stack'
	gcc -m32 -nostdlib -pie m32.s -o m32
	local s=0
	./m32 >want 2>why || s=$?
	! { [ $s = 126 ] && grep -q 'Exec format error' why; } ||
		skip "this kernel runs no 32-bit programs"
	[ "$s $(cat want)" = "0 ran" ] || fail "$s: $(cat want why)"
	LD_PRELOAD=$REPRISE_LIB ./m32 2>&1 | grep -q 'wrong ELF class'
	differential --cold any -- sh -c './m32'
	differential --cold any -- \
		"$PY" -c 'import subprocess; print(subprocess.run(["./m32"]).returncode)'
}

@test "interception: set-user-id programs" {
	need_root "a set-user-id program"
	put m.c '#include <stdio.h>' '#include <stdlib.h>' '#include <unistd.h>' \
		'int main(void) { printf("%d %s\n", geteuid(),' \
		'getenv("LD_PRELOAD") ? "preload" : "none"); return 0; }'
	gcc m.c -o m
	chmod 4755 m
	for_user
	chmod 4755 m
	chown 0:0 m
	chmod 4755 m
	as_user ./m >want 2>&1
	as_user env "${RPENV[@]}" sh -c './m' >got 2>&1
	cmp got want || fail "$(cat got)"
}

# bats test_tags=long
@test "interception: 2,000 parallel children" {
	cat >many.py <<-'EOP'
	import subprocess
	ps = [subprocess.Popen(["/bin/sh", "-c", "exit %d" % (i % 5)]) for i in range(2000)]
	print(sum(p.wait() for p in ps))
	EOP
	differential --cold any -- "$PY" many.py
}

@test "interception: pthreads that open, stat and fork beside" {
	put t.c '#include <fcntl.h>' '#include <pthread.h>' '#include <stdio.h>' \
		'#include <stdlib.h>' '#include <sys/stat.h>' '#include <sys/wait.h>' \
		'#include <unistd.h>' \
		'static void *w(void *p) { struct stat s;' \
		'for (int i = 0; i < 2000; i++) { stat("a.c", &s); int f = open("a.c", O_RDONLY);' \
		'close(f); access("no", 0); } return p; }' \
		'static void *k(void *p) { for (int i = 0; i < 10; i++) { pid_t q = fork();' \
		'if (!q) { struct stat s; stat("a.c", &s); _exit(0); } waitpid(q, 0, 0);' \
		'} return p; }' \
		'int main(void) { pthread_attr_t a;' \
		'pthread_attr_init(&a); pthread_attr_setstacksize(&a, 16384); pthread_t t[9];' \
		'for (int i = 0; i < 8; i++) pthread_create(t + i, &a, w, 0);' \
		'pthread_create(t + 8, 0, k, 0);' \
		'for (int i = 0; i < 9; i++) pthread_join(t[i], 0); puts("done"); return 0; }'
	gcc -w -pthread t.c -o mytool
	differential --cold any -- ./mytool
	# The same, traced.
	differential --cold any --warm any --env REPRISE_TOOLS=+mytool -- ./mytool
	[ "$(stat_of errors)" = 0 ]
}

@test "interception: seccomp-like limits: no new files, no new processes" {
	differential --cold any --warm any --status any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' \
		-- sh -c 'ulimit -n 8; gcc -c a.c'
	need_root "a limit on processes of another user"
	for_user
	age
	as_user sh -c 'ulimit -u 4000; exec env "$@"' sh "${RPENV[@]}" gcc -c a.c
	[ -e a.o ]
}

# Where the stack lies is random, so smaller ones end the plain assembler now and then.
@test "interception: a small stack" {
	local kb
	for kb in 24 28 32; do
		(ulimit -c 0 -s $kb && as /dev/null -o want.o)
		(ulimit -c 0 -s $kb && under as /dev/null -o a.o) || fail "$kb KB"
		cmp a.o want.o
	done
}

@test "interception: without /proc tools are served" {
	[ "$(id -u)" = 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no namespaces"
	put a.cc '#include <string>' 'int main() { return std::string("x").size() - 1; }'
	put sh/gcc '#!/bin/sh' 'echo script'
	chmod +x sh/gcc
	put job 'mount -t tmpfs tmpfs /proc' 'mkdir o; cd o; ln -s "$W" here' \
		'for c in "g++ -g -c ../a.cc -o a.o" "gcc -o m a.o -lstdc++" \' \
		'	"here/sh/gcc -c a.c" "ar rc m.a a.o"; do $c || exit; done' './m'
	export W
	unshare -m sh job >plain.out 2>&1
	mv o plain
	local n
	for n in 1 2; do
		rm -rf o
		env "${RPENV[@]}" LD_PRELOAD="$REPRISE_LIB" unshare -m sh job >warm.out 2>&1 ||
			fail "$(cat warm.out)"
		cmp plain.out warm.out
		diff -r plain o
	done
	[ "$(stat_of hits_local)" -ge 2 ] # ar of old binutils changes owners, and is not kept
}

@test "interception: LD_PRELOAD stays as the user wrote it" {
	age
	under sh -c 'echo "$LD_PRELOAD"' >got
	[ "$(cat got)" = "$REPRISE_LIB" ]
	under sh -c 'LD_PRELOAD= sh -c "echo [\$LD_PRELOAD]"' >got
	under env -i sh -c 'env | grep -v "^REPRISE_\|^LD_PRELOAD=\|^PWD=\|^_=\|^SHLVL="' >got ||
		true
	[ ! -s got ] || fail "$(cat got)"
}

@test "interception: a missing or unreadable object does no harm" {
	cp "$REPRISE_LIB" "$ROOT/gone.so"
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/gone.so" sh -c "rm $ROOT/gone.so; exec 2>/dev/null;
		gcc -c a.c"
	[ -e a.o ]
}

@test "interception: chroot" {
	need_root "chroot"
	need busybox
	mkdir -p root/bin root/tmp
	busybox --help 2>/dev/null | head -n 1 >/dev/null
	cp "$(command -v busybox)" root/bin/sh
	differential --cold any --status any --fresh -- \
		sh -c 'chroot root /bin/sh -c "echo inside" 2>/dev/null'
}

@test "interception: valgrind finds no error in a program, and says nothing" {
	need valgrind
	local tool
	put m.c '#include <stdio.h>' '#include <stdlib.h>' '#include <sys/stat.h>' \
		'int main(void) { struct stat st; FILE *f = fopen("x", "w"); fclose(f);' \
		'rename("x", "y"); remove("y"); return stat("m.c", &st) || system("gcc -c a.c"); }'
	gcc m.c -o m
	for tool in memcheck helgrind; do
		under valgrind -q --tool=$tool --error-exitcode=9 ./m 2>got || fail "status $?"
		[ ! -s got ] || fail "$(cat got)"
	done
}
