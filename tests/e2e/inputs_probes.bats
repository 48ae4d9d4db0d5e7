#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": questions about a path itself, and their answers "no".

setup() {
	load lib
	case_setup
	AS=$(command -v as)
	mkdir bin
	put a.c 'int x;'
}
teardown() { case_teardown; }

# assembler STATEMENT...: bin/as, which does the statements and becomes the real assembler.
# says("text") writes a line to stderr.
assembler() {
	{
		printf '#define _GNU_SOURCE\n'
		printf '#include <%s.h>\n' fcntl stdio sys/stat unistd
		printf '%s\n' 'static void says(char *s) { dprintf(2, "%s\n", s); }' \
			'int main(int c, char **v) {' \
			'struct stat st; char b[99]; int fd = 0; (void)c;'
		printf '%s\n' "$@" "execv(\"$AS\", v); return 9; }"
	} >"$ROOT/as.c"
	gcc -w -O2 "$ROOT/as.c" -o bin/as
}
compiles() { differential "$@" --env "REPRISE_WRAPPERS=$W/bin/as" -- gcc -B bin -c a.c; }

@test "inputs_probes: lstat finds no link, and then the path is one" {
	mkdir d
	put f text
	assembler 'if (!lstat("d", &st) && S_ISLNK(st.st_mode)) says("d is a link");' \
		'if (!lstat("f", &st) && S_ISLNK(st.st_mode)) says("f is a link");' \
		'if (!lstat("n", &st)) says("n is there");'
	compiles
	mv d real && ln -s real d
	again miss
	grep -q 'd is a link' "$ROOT/r/warm.err"
	rm d && mv real d
	again hit
	mv f real && ln -s real f
	again miss
	ln -s nowhere n
	again miss
	grep -q 'n is there' "$ROOT/r/warm.err"
	rm n
	again hit
	rm f
	ln -s d f
	again miss
}

@test "inputs_probes: lstat finds a link, and then the path is none" {
	put real text
	ln -s real f
	assembler 'if (!lstat("f", &st) && S_ISLNK(st.st_mode)) says("a link");' \
		'fd = open("f", O_RDONLY); if (read(fd, b, 9) < 1) says("empty");'
	compiles
	rm f && mv real f
	again miss
	[ ! -s "$ROOT/r/warm.err" ]
	mv f real && ln -s real f
	again hit
}

@test "inputs_probes: readlink, O_NOFOLLOW and O_PATH find no link, and then the path is one" {
	mkdir d
	put f text
	assembler 'if (readlink("f", b, 9) > 0) says("a link");'
	compiles
	mv f real && ln -s real f
	again miss
	rm f && mv real f
	assembler 'fd = open("f", O_RDONLY | O_NOFOLLOW); if (fd < 0) says("no file");' \
		'if (read(fd, b, 9) < 1) says("empty");'
	compiles
	mv f real && ln -s real f
	again miss
	rm f && mv real f
	assembler 'fd = open("d", O_PATH | O_NOFOLLOW); fstat(fd, &st);' \
		'if (S_ISLNK(st.st_mode)) says("a link");'
	compiles
	mv d real && ln -s real d
	again miss
	rm d && mv real d
	assembler 'if (open("d", O_RDONLY | O_DIRECTORY | O_NOFOLLOW) < 0) says("none");'
	compiles
	mv d real && ln -s real d
	again miss
}

@test "inputs_probes: access, by path and by directory, was granted or refused" {
	local ask
	mkdir d
	put d/f text
	for ask in 'access("d/f", X_OK)' 'faccessat(AT_FDCWD, "d/f", X_OK, AT_SYMLINK_NOFOLLOW)' \
		'faccessat(open("d", O_PATH), "f", X_OK, AT_EACCESS)'; do
		chmod +x d/f
		assembler "if ($ask) says(\"no\"); else says(\"yes\");"
		compiles
		chmod -x d/f
		again unstored:denied
		grep -q no "$ROOT/r/warm.err"
		chmod +x d/f
		again hit
	done
}

@test "inputs_probes: a declared script asks whether paths are links" {
	mkdir d e t
	RPENV+=(REPRISE_WRAPPERS="$W/bin/as")
	put_script bin/as '#!/bin/sh' '[ -L d ] && echo "d is a link" >&2' \
		'[ -h n ] && echo "n is a link" >&2' "exec $AS \"\$@\""
	compiles
	again hit
	mv d real && ln -s real d
	again miss
	ln -s nowhere n
	again miss
	put_script bin/as '#!/usr/bin/python3 -S' 'import os, sys, subprocess' \
		'if os.path.islink("d"):' '    sys.stderr.write("link\n")' \
		'sys.stderr.write(os.path.realpath("e") + "\n")' \
		"sys.exit(subprocess.call([\"$AS\"] + sys.argv[1:]))"
	compiles
	rm d && mv real d
	again miss
	rmdir e && ln -s t e
	again miss
	grep -q /t "$ROOT/r/warm.err"
}

@test "inputs_probes: a header is looked for among devices and descriptors" {
	put a.c '#if __has_include("/dev/fd/5")' 'int five;' '#else' 'int none;' '#endif'
	for cc in gcc clang; do
		differential --cold unstored:device --warm unstored:device -- $cc -c a.c
		again unstored:device -- bash -c "exec $cc -c a.c 5</dev/null"
	done
	put a.c '#if __has_include("/dev/no-such-device")' 'int one;' '#endif'
	differential -- gcc -c a.c
	put a.c '#if __has_include("/proc/self/fd/7")' 'int one;' '#endif' 'int x;'
	differential --cold unstored:device --warm unstored:device -- gcc -c a.c
}
