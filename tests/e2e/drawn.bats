#!/usr/bin/env bats
# Random numbers that only name temporary files, as LLVM draws them. A number that may have gone
# anywhere else keeps the run from being stored.

setup() {
	load lib
	case_setup
	put in 'a text'
}
teardown() { case_teardown; }

# drawing LINE...: mytool copies ./in to ./out by way of a temporary file that it renames. Its names
# are LLVM's: four bytes of the device are the seed of rand(), and each digit is rand() & 15. The
# lines run when one name is made. They may use seed, name and out. CLOSE runs when the device, fd,
# has been read.
drawing() {
	put m.c '#include <fcntl.h>' '#include <stdio.h>' '#include <stdlib.h>' \
		'#include <string.h>' '#include <sys/random.h>' \
		'#include <sys/syscall.h>' '#include <sys/uio.h>' '#include <sys/wait.h>' \
		'#include <sys/stat.h>' '#include <unistd.h>' \
		'static unsigned seed; static int fd; static char more[64];' \
		'static void begin(void) { fd = open("/dev/urandom", O_RDONLY);' \
		'if (read(fd, &seed, sizeof seed) != sizeof seed) abort();' \
		"${CLOSE-close(fd);} }" \
		'static void unique(char *s) { for (; *s; s++)' \
		'if (*s == 37) *s = "0123456789abcdef"[rand() & 15]; }' \
		'int main(void) { char name[] = "out-%%%%%%.tmp", text[99] = "";' \
		'int from = open("in", O_RDONLY), out;' \
		'ssize_t n = read(from, text, sizeof text); begin();' \
		"${FIRST-srand(seed);} unique(name);" \
		'out = open(name, O_RDWR | O_CREAT | O_EXCL, 0666);' \
		"$@" \
		'if (write(out, text, n) != n) abort(); close(out);' \
		"${LAST-rename(name, \"out\");} return 0; }"
	gcc -w m.c -o mytool
}
drawn() { # EXPECT [options]
	local expect=$1
	shift
	if [ "$expect" = stored ]; then
		differential --env REPRISE_TOOLS=+mytool "$@" -- ./mytool
	else
		differential --cold "unstored:$expect" --env REPRISE_TOOLS=+mytool "$@" -- ./mytool
	fi
}

@test "drawn: a name of a file that is renamed, and an edit" {
	drawing
	drawn stored --makes out
	put in another
	again miss
}

@test "drawn: several names, of files and directories" {
	drawing 'char a[] = "sub-%%%%%%%%"; unique(a); mkdir(a, 0777); rmdir(a);' \
		'char b[] = "x%%%%%%%.o"; unique(b); close(open(b, O_CREAT | O_EXCL, 0600));' \
		'unlink(b);'
	drawn stored
	# Each process accounts for its own.
	drawing 'if (!fork()) { char a[] = "s-%%%%%%"; unique(a); mkdir(a, 0777); rmdir(a);' \
		'exit(0); } wait(0);'
	drawn stored
}

# bats test_tags=check
@test "drawn: a program of LLVM under a name that no list has" {
	cp "$(readlink -f "$(command -v llvm-objcopy || command -v llvm-objcopy-14)")" my-objcopy ||
		skip "no llvm-objcopy"
	put a.c 'int a(void) { return 1; }'
	gcc -g -c a.c
	differential --env REPRISE_TOOLS=+my-objcopy --makes b.o -- \
		./my-objcopy --strip-debug a.o b.o
}

@test "drawn: a number that goes to the output" {
	drawing 'n += sprintf(text + n, "%x", rand() & 15);'
	drawn random --ignore out
	drawing 'n += sprintf(text + n, "%x", random() & 15);'
	drawn random --ignore out
	drawing 'n += sprintf(text + n, "%s", name);'
	drawn random --ignore out
	local form
	for form in '%x' '%u' '%08X'; do
		drawing "n += sprintf(text + n, \"$form\", seed);"
		drawn random --ignore out
	done
	drawing 'memcpy(text + n, &seed, 4); n += 4;'
	drawn random --ignore out
	LAST='rename(name, "z.tmp"); name[3] = 0x5f; rename("z.tmp", name);' drawing
	differential --cold any --warm none --ignore '*' --env REPRISE_TOOLS=+mytool -- sh -c \
		'./mytool; rm out?*'
	[ "$(stat_of unstored)" -ge 7 ] || fail "a random name was stored"
}

@test "drawn: a number that goes to a stream" {
	drawing 'printf("%d\n", rand());'
	drawn random --filter 's/.*/x/'
	drawing 'for (char *p = name; *p; p++) { putchar(*p); fflush(stdout); }'
	drawn random --filter 's/.*/x/'
	drawing 'fprintf(stderr, "%x\n", seed);'
	drawn random --filter 's/.*/x/'
}

@test "drawn: a number that decides an order" {
	drawing 'if (rand() & 64) { text[0] = text[2]; text[2] = 97; }'
	drawn random --ignore out
	# A digit that is named, and one behind it that is not.
	drawing 'char a[] = "s-%%%%%%"; unique(a); if (rand() & 64) text[0]++;' \
		'mkdir(a, 0777); rmdir(a);'
	drawn random --ignore out
}

@test "drawn: other bytes of the device" {
	CLOSE= drawing 'char more[4]; read(fd, more, 4); memcpy(text + n, more, 4); n += 4;'
	drawn random --ignore out
	CLOSE= drawing 'char more[4]; pread(fd, more, 4, 0); memcpy(text + n, more, 4); n += 4;'
	drawn random --ignore out
	CLOSE='char more[4]; read(fd, more, 4); close(fd);' drawing
	drawn random
	# Calls that no hook sees, and copies of the descriptor.
	local call
	for call in 'pread(fd, more, 4, 0);' 'struct iovec v = {more, 4}; readv(fd, &v, 1);' \
		'syscall(SYS_read, fd, more, 4);' 'dup2(fd, 50); pread(50, more, 4, 0);' \
		'int p[2]; pipe(p); if (!fork()) { pread(fd, more, 4, 0); write(p[1], more, 4);
			_exit(0); } wait(0); read(p[0], more, 4);'; do
		CLOSE="$call close(fd);" drawing 'memcpy(text + n, more, 4); n += 4;'
		drawn random --ignore out
	done
	drawing 'close(open("/dev/urandom", O_RDONLY));'
	drawn random
	drawing 'int again = open("/dev/urandom", O_RDONLY); read(again, &seed, 4);' \
		'memcpy(text + n, &seed, 4); n += 4;'
	drawn random --ignore out
	drawing 'FILE *f = fopen("/dev/urandom", "r"); n += fread(text + n, 1, 9, f);'
	drawn random --ignore out
	drawing 'getrandom(text + n, 4, 0); n += 4;'
	drawn random --ignore out
	# The seed is not what was read, or nothing is seeded.
	FIRST='srand(seed ^ 1);' drawing
	drawn random
	FIRST= drawing 'text[0] += seed & 3;'
	drawn random --ignore out
}
