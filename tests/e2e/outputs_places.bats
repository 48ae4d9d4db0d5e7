#!/usr/bin/env bats
# The table of wrong-hit triggers, "Outputs": how a replay writes, by what is already in place.
# Modes, links, FIFOs, directories that are not writable, full disks and other file systems.

setup() {
	load lib
	case_setup
	source_with_header 'int a(int x) { return x + A; }'
}
teardown() { case_teardown; }

# bats test_tags=check
@test "outputs_places: the mode follows today's umask" {
	put m.c 'int main(void) { return 0; }'
	local u
	differential --umask 022 -- gcc -c a.c
	for u in 077 000; do again any --warm any --umask $u; done
	# Under this one gcc reads its own temporaries as root alone.
	[ "$(id -u)" != 0 ] || again any --warm any --umask 777
	differential --umask 022 -- gcc m.c -o m
	for u in 077 000 177; do again hit --umask $u; done
	need clang
	differential --umask 022 -- clang -c a.c
	for u in 077 000; do again hit --umask $u; done
}

# bats test_tags=check
@test "outputs_places: the mode of a file that is written over" {
	put a.o old
	chmod 600 a.o
	differential --fresh -- gcc -c a.c
	put a.s old
	chmod 640 a.s
	differential --fresh -- gcc -S a.c
	put m.c 'int main(void) { return 0; }'
	put m old
	chmod 700 m
	differential --fresh -- gcc m.c -o m
	# Empty files stay, and ld adds the x bits to theirs.
	: >m
	chmod 600 m
	again hit
	rm -rf "$STORE"
	again stored
	chmod 640 m
	again hit
	rm m
	again hit
}

@test "outputs_places: default ACLs and set-group-id directories" {
	mkdir sg
	chmod 2775 sg
	differential --makes sg/a.o -- gcc -c a.c -o sg/a.o
	need setfacl getfacl
	mkdir acl
	setfacl -d -m u:nobody:rw acl 2>/dev/null || skip "no ACLs on this file system"
	differential --makes acl/a.o -- gcc -O1 -c a.c -o acl/a.o
	[ "$(getfacl -cp "$ROOT/r/warm.tree/acl/a.o")" = \
		"$(getfacl -cp "$ROOT/r/plain.tree/acl/a.o")" ]
}

# bats test_tags=check
@test "outputs_places: a result of a directory with a default ACL elsewhere, and the reverse" {
	need setfacl
	mkdir dir
	setfacl -d -m u:nobody:rwx,m::rwx dir 2>/dev/null || skip "no ACLs on this file system"
	local c acl
	gcc -c a.c -o in.o
	mv in.o "$ROOT/in.o"
	for c in "gcc -c a.c -MD -o dir/a.o" "gcc -shared $ROOT/in.o -o dir/a.so" \
		"gcc -g -gsplit-dwarf -c a.c -o dir/a.o"; do
		setfacl -b dir
		differential --cold any --warm hit -- $c
		for acl in u:nobody:rwx,m::rwx g::rwx,o::- ''; do
			[ -z "$acl" ] || setfacl -d -m "$acl" dir
			again any --warm any
			setfacl -b dir
		done
		rm -rf "$STORE"
		setfacl -d -m u:nobody:rwx,m::rwx dir
		differential --cold any --warm any -- $c
		setfacl -b dir
		again any --warm any
	done
}

@test "outputs_places: a directory, a missing directory" {
	mkdir dir
	differential --cold any --status 1 --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc -c a.c -o dir
	differential --cold any --status 1 --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc -c a.c -o missing/a.o
	mkdir missing
	again any --warm hit --status 0
	rmdir missing
	again any --status 1
	differential --cold any --status 1 --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' -- \
		gcc -c a.c -o a.h/x.o
}

@test "outputs_places: an unwritable directory, an unwritable file" {
	need setpriv
	mkdir ro
	put b.o old
	for_user
	age
	as_user env "${RPENV[@]}" gcc -c a.c -o b.o
	as_user env "${RPENV[@]}" gcc -c a.c -o b.o
	[ "$(as_user env REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" "$REPRISE_BIN" \
		stats --json | sed -n 's/.*"hits_local": *\([0-9]*\).*/\1/p')" = 1 ]
	chmod 555 ro
	local i
	for i in 1 2; do
		if as_user env "${RPENV[@]}" gcc -c a.c -o ro/b.o 2>got; then
			fail "wrote into a read-only directory"
		fi
		if as_user gcc -c a.c -o ro/b.o 2>want; then return 1; fi
		sed -E -i 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' got want
		cmp got want
	done
	# gcc removes an output if it may. -S truncates it, which is denied.
	put b.s old
	chown 0:0 b.s 2>/dev/null || true
	chmod 444 b.s
	as_user env "${RPENV[@]}" gcc -S a.c -o ok.s
	as_user env "${RPENV[@]}" gcc -S a.c -o ok.s
	if as_user env "${RPENV[@]}" gcc -S a.c -o b.s 2>got; then s=0; else s=$?; fi
	# gcc removes what it could not write, so the plain run needs it again.
	put b.s old
	chown 0:0 b.s 2>/dev/null || true
	chmod 444 b.s
	if as_user gcc -S a.c -o b.s 2>want; then w=0; else w=$?; fi
	[ $s = $w ]
	cmp got want
}

@test "outputs_places: a full disk gives the tool's own error" {
	need_mounts
	numbered 4000 'int variable_number_%d = %d;' >big.c
	differential -- gcc -c big.c -o big.o
	mkdir full
	cat >full.sh <<-'EOS'
	mount -t tmpfs -o size=64k none full || exit
	head -c 40000 /dev/zero >full/filler
	gcc -c big.c -o full/big.o
	echo status $?
	ls -l full | awk '{print $5, $9}'
	gcc -c big.c -o full/big.o
	echo status $?
	rm full/filler full/big.o
	EOS
	differential --cold any --warm any --status any --filter 's#/cc[A-Za-z0-9]{6}#/ccXXXXXX#g' \
		-- unshare -m sh full.sh
	grep -q 'status 1' "$ROOT/r/plain.out"
	# Nothing of the failure was kept.
	differential --cold hit -- gcc -c big.c -o big.o
}

@test "outputs_places: a hard-linked output is written over; the entry stays whole" {
	put a.s old
	ln a.s other
	differential --fresh -- gcc -S a.c
	put a.o old
	ln a.o other.o
	differential --fresh -- gcc -c a.c
	# A replayed file belongs to the user: an edit in place must not change the store.
	under gcc -c a.c -o mine.o
	[ "$(stat -c %h mine.o)" = 1 ]
	[ -w mine.o ]
	: >mine.o
	under gcc -c a.c -o mine2.o
	[ -s mine2.o ]
	reprise verify
}

@test "outputs_places: links as outputs, dangling and not, to a directory" {
	put target old
	ln -s target a.s
	differential --fresh -- gcc -S a.c
	ln -sf target a.o
	differential --fresh -- gcc -c a.c
	rm target
	differential --fresh --cold any -- gcc -S a.c
	differential --fresh --cold any -- gcc -c a.c
	mkdir dir
	ln -sfn dir a.s
	differential --fresh --cold any --status any -- gcc -S a.c
}

# A tool that has cut its output reads an empty source, or an empty header.
# bats test_tags=check
@test "outputs_places: one file named twice, in two ways" {
	put a.c 'int a;'
	ln -s . same
	differential --makes "x y" -- gcc -c a.c -MD -MF x -o y
	again bypass:replay -- gcc -c a.c -MD -MF same/z -o z
	again bypass:replay -- gcc -c a.c -MD -MF ./z -o z
	again unstored:output -- gcc -c a.c -MD -MF z -o z
	again hit --makes "x z" -- gcc -c a.c -MD -MF x -o z
}

# bats test_tags=check
@test "outputs_places: links that make one file of an output and an input, or of two outputs" {
	local to
	put h.h 'int h;'
	put a.c '#include "h.h"' 'int a;'
	differential -- gcc -E a.c -o x.i
	for to in h.h a.c; do
		ln -sf $to x.i
		differential --fresh --status any --cold any --warm any -- gcc -E a.c -o x.i
		ln -f $to x.i
		differential --fresh --status any --cold any --warm any -- gcc -E a.c -o x.i
	done
	rm x.i
	differential -- gcc -MD -S a.c -o x.s
	ln -s h.h x.d
	differential --fresh --cold unstored:input-new -- gcc -MD -S a.c -o x.s
	ln -sf x.s x.d
	differential --fresh --cold bypass:replay -- gcc -MD -S a.c -o x.s
	# Recorded so, both names have the content of the last write.
	differential --fresh --cold unstored:output -- gcc -MD -S -O2 a.c -o x.s
	rm x.d
	differential -- gcc -MD -S -O2 a.c -o x.s
}

# The first content goes to the link's target. The second content replaces the link.
# bats test_tags=check
@test "outputs_places: a file that the tool writes into, and then replaces" {
	local command
	for command in "gcc -MD -MF x.o -c a.c -o x.o" "clang -MD -MF x.o -c a.c -o x.o"; do
		differential --cold any --warm any -- $command
		ln -s other x.o
		differential --fresh --makes other --cold any --warm any -- $command
		rm x.o
	done
}

# Apart from requested outputs, a link or a FIFO is left to the tool: a stored result never writes
# through it.
@test "outputs_places: a link, and a FIFO, where a dependency file is laid beside" {
	put a.c 'int a;'
	age
	under gcc -MD -c a.c
	under gcc -MD -c a.c
	cp a.d want
	put target old
	ln -sf target a.d
	declare -A s
	stats_read s
	[ "${s[hits_local]}" = 1 ]
	under gcc -MD -c a.c
	[ -L a.d ]
	cmp target want
	stats_read s
	[ "${s[hits_local]}" = 1 ]
	[ "${s[bypasses]}" = 1 ]
	# A link that leads nowhere stays, too.
	rm target
	under gcc -MD -c a.c
	[ -L a.d ]
	cmp target want
	rm a.d
	mkfifo a.d
	(timeout 20 cat a.d >got) &
	under timeout 20 gcc -MD -c a.c
	wait
	cmp got want
}

# bfd writes objects anew and other files in place, through a link.
@test "outputs_places: links in the place of outputs of as and ld that are no objects" {
	put a.s '.globl _start' '_start: .long 1'
	age
	local of hits
	for of in 'as a.s -o a.o --MD a.d' 'ld a.o -o a.out -Map=a.d' 'as -alh=a.d a.s -o a.o' \
		'gcc -Wa,--MD,a.d -c a.s -o a.o'; do
		# shellcheck disable=SC2086 # words
		under $of
		mv a.d want
		put target old
		ln -sf target a.d
		hits=$(stat_of hits_local)
		# shellcheck disable=SC2086
		under $of
		[ "$(stat_of hits_local)" = $((hits + 1)) ] || fail "$of: no hit"
		[ -L a.d ]
		cmp target want
		rm a.d target
	done
}

# as makes the object anew, and objcopy then writes into what it made.
@test "outputs_places: -gsplit-dwarf leaves the other name of an object alone" {
	put a.c 'int a(int x) { return x + 1; }'
	age
	under gcc -gsplit-dwarf -c a.c -o a.o
	cp a.o want
	put a.o old
	ln a.o other
	under gcc -gsplit-dwarf -c a.c -o a.o
	[ "$(stat_of hits_local)" = 1 ]
	cmp a.o want
	[ "$(cat other)" = old ] && [ "$(stat -c %h a.o)" = 1 ]
}

@test "outputs_places: two runs at once onto one file" {
	slow_source 200000
	age
	local c=("${SLOW[@]}" -o same.o) i
	for i in 1 2 3 4; do under "${c[@]}" & done
	wait
	cp same.o got.o
	"${c[@]}"
	cmp same.o got.o
	[ "$(stat_of errors)" = 0 ]
}

@test "outputs_places: on another file system than the store" {
	[ -w /dev/shm ] || skip "no /dev/shm here"
	local d=/dev/shm/reprise-test.$$
	mkdir "$d"
	under gcc -c a.c -o "$d/a.o"
	under gcc -c a.c -o "$d/b.o"
	gcc -c a.c -o "$d/c.o"
	cmp "$d/a.o" "$d/c.o"
	cmp "$d/b.o" "$d/c.o"
	rm -r "$d"
}

# bats test_tags=check
@test "outputs_places: a FIFO, a second output that cannot be written" {
	differential --cold any --warm any -- bash -c 'mkfifo a.s; (cat a.s >got &);
		gcc -S a.c -o a.s; s=$?; sleep 0.1; rm a.s; exit $s'
	differential -- gcc -S a.c -o a.s
	again any --warm any -- bash -c 'mkfifo a.s; (cat a.s >got &); gcc -S a.c -o a.s; s=$?;
		sleep 0.1; rm a.s; exit $s'
	mkdir dep
	differential -- gcc -MMD -MF dep/a.d -c a.c
	rmdir dep
	again any --status 1
	put a.o 'the old object'
	differential --fresh --cold any --status 1 -- gcc -MMD -MF dep/a.d -c a.c
}

@test "outputs_places: /dev/null that is a file, or is not there" {
	unshare -m true 2>/dev/null || skip "no namespaces"
	local there
	for there in true 'echo old >/dev/null' 'ln -s "$PWD/there" /dev/null'; do
		differential --cold bypass:special-file -- unshare -m sh -c "
			mount -t tmpfs none /dev
			$there
			gcc -c a.c -o /dev/null
			echo \$?
			cat /dev/null"
	done
	differential -- gcc -c a.c -o /dev/null
}

@test "outputs_places: a file that is mounted on its own" {
	unshare -m true 2>/dev/null || skip "no namespaces"
	need clang
	# clang writes through the mount, and leaves its temporary file.
	local mounted='echo old >old; cp old out; mount --bind old out; '
	differential -- clang -c a.c -o out
	again bypass:replay -- unshare -m sh -c "$mounted"'clang -c a.c -o out
		echo $? *.tmp | tr -d "0-9a-f"; cksum <out; rm *.tmp'
	differential -- gcc -c a.c -o out
	again bypass:replay -- unshare -m sh -c "$mounted"'gcc -c a.c -o out; echo $?; cksum <out'
}

@test "outputs_places: larger than the limit on file sizes" {
	put b.s '.globl b' '.data' 'b: .fill 2000000, 1, 7'
	differential -- gcc -c b.s
	differential --cold any --warm any --status any -- sh -c 'exec 2>/dev/null; ulimit -f 1000;
		gcc -c b.s; s=$?; rm -f "$TMPDIR"/cc* b.o; exit $s'
	differential --cold any --warm hit -- gcc -c b.s
}

@test "outputs_places: stdout on a full disk" {
	need_mounts
	mkdir full
	numbered 4000 'int variable_number_%d = %d;' >big.c
	cat >full.sh <<-'EOS'
	mount -t tmpfs -o size=64k none full || exit
	gcc -E big.c >full/out 2>full/err && echo ended well || echo ended badly
	EOS
	# The message goes to the same disk; streams.bats compares it.
	differential --cold any --warm any --status any -- unshare -m sh full.sh
	[ "$(cat "$ROOT/r/plain.out")" = 'ended badly' ]
	differential --cold any --warm hit -- gcc -E big.c
	differential --cold any --warm any --status any -- unshare -m sh full.sh
}

# A tool that makes out: how, by its first argument.
moding_tool() {
	cat >t.c <<-'EOC'
	#include <fcntl.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		const char *mode = strchr(argv[1], '-');
		int how = argv[1][0], bits = mode ? (int)strtol(mode + 1, NULL, 8) : 0, fd;
		mode_t mask;
		if (argc > 2 && how == 't') { if (truncate("out", 0)) return 2; return 0; }
		fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, how == 'o' ? bits : 0666);
		if (fd < 0 || write(fd, "text", 4) != 4) return 1;
		if (how == 'c' && fchmod(fd, bits)) return 1;
		if (how == 'p' && chmod("out", bits)) return 1;
		umask(mask = umask(0));
		if (how == 'u' && fchmod(fd, 0666 & ~mask)) return 1;
		return close(fd);
	}
	EOC
	gcc t.c -o "$ROOT/mytool"
}

# The whole table of programs, states and umasks is tests/unit/test_mode.c.
# bats test_tags=check
@test "outputs_places: modes: recorded over nothing and over odd modes, replayed over others" {
	moding_tool
	local how was now
	for how in o-640 c-711 p-604 u; do
		for was in none 600; do
			rm -rf "$STORE" out
			[ "$was" = none ] || { put out old; chmod "$was" out; }
			differential --fresh --env "REPRISE_TOOLS=+mytool" -- "$ROOT/mytool" $how ||
				fail "$how over $was"
			rm -f out
			[ "$was" != none ] || { put out old; chmod 755 out; }
			again hit || fail "$how, recorded over $was, replayed over another"
		done
		rm -f out
		case $how in c* | p*) ;; *)
			again hit --umask 077 || fail "$how, replayed with umask 077" ;;
		esac
	done
}

@test "outputs_places: a file that the tool cuts and would not have made" {
	moding_tool
	put out old
	differential --fresh --cold unstored:output --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool" t here
	rm out
	differential --cold any --warm any --status 2 --env "REPRISE_TOOLS=+mytool" -- \
		"$ROOT/mytool" t here
}

# bats test_tags=check
@test "outputs_places: an output that another process removes while the tool runs" {
	{ echo 'int f(int);' && numbered 2000 'int f%d(int x) { return x * %d + f(x); }'; } >slow.c
	age
	under gcc -O2 -c a.c slow.c &
	until [ -s a.o ]; do sleep 0.01; done
	until rm a.o 2>/dev/null; do sleep 0.01; done
	wait $!
	[ ! -e a.o ] || fail "the second compile was over before the first output could be taken"
	rm -f slow.o
	under gcc -O2 -c a.c slow.c
	[ -s a.o ] && [ -s slow.o ] || fail "$(ls)"
}
