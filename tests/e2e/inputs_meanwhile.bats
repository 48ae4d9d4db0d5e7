#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": changes during a run, and other processes at that time.

setup() { load lib; case_setup; }
teardown() { case_teardown; }

@test "inputs_meanwhile: a header changes while the tool runs" {
	slow_source 300000
	put slow.cc '#include "one.h"' "$(cat slow.cc)" '#include "two.h"'
	put one.h 'int one = 1;'
	put two.h 'int two = 1;'
	age
	local s
	(sleep 0.15; put two.h 'int two = 2222;') &
	under "${SLOW[@]}" && s=0 || s=$?
	wait
	[ $s = 0 ]
	age
	under "${SLOW[@]}" -o got.o
	"${SLOW[@]}" -o want.o
	cmp got.o want.o
	[ "$(stat_of errors)" = 0 ]
}

@test "inputs_meanwhile: two processes at once read files in any order: the same entry" {
	local i
	put c.c '#include <stdio.h>' '#include <stdlib.h>' 'int c;'
	age
	for i in 1 2 3 4 5 6 7 8; do
		rm -rf "$STORE"
		under gcc -pipe -c c.c # the assembler runs beside the compiler
		(cd "$STORE/result" && ls -d */*)
	done >entries
	[ "$(wc -l <entries)" = 8 ]
	[ "$(sort -u entries | wc -l)" = 1 ] || fail "$(sort entries | uniq -c)"
}

# A tool that copies files to out, reading each time after it has slept.
sleepy_tool() { # MICROSECONDS-BEFORE MICROSECONDS-AFTER
	cat >t.c <<-'EOC'
	#include <dirent.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		FILE *out = fopen("out", "w"), *in;
		usleep(BEFORE);
		for (int i = 1; i < argc; i++) {
			struct stat st;
			int c;
			if (stat(argv[i] + 1, &st) == 0 && S_ISDIR(st.st_mode)) {
				int n = 0;
				DIR *d = opendir(argv[i] + 1);
				for (struct dirent *e; (e = readdir(d));) n += e->d_name[0];
				closedir(d);
				fprintf(out, "%d\n", n);
			} else if ((in = fopen(argv[i] + 1, "r"))) {
				while ((c = getc(in)) != EOF) putc(c, out);
				fclose(in);
			} else {
				fputs("none\n", out);
			}
		}
		usleep(AFTER);
		return fclose(out);
	}
	EOC
	gcc -DBEFORE="$1" -DAFTER="$2" t.c -o "$ROOT/mytool"
}

# Without the descriptors of bats, which a tool that is not known might read.
sleepy() {
	under env REPRISE_TOOLS=+mytool "$ROOT/mytool" \
		"${ARGS[@]}" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}

# meanwhile COMMAND...: the tool runs on the paths in ARGS, and the command runs in the middle. A
# second start must leave the files that it leaves without Reprise.
meanwhile() {
	age
	(sleep 0.15; "$@") &
	sleepy
	wait
	age
	sleepy
	[ "$(stat_of bypasses)" = 0 ] || fail "not recorded"
	mv out got
	"$ROOT/mytool" "${ARGS[@]}"
	cmp got out
}

# bats test_tags=check
@test "inputs_meanwhile: a link to a file or directory is turned while the tool runs" {
	sleepy_tool 0 300000
	put one/h one
	put two/h two
	ln -s one inc
	ARGS=(-inc/h)
	meanwhile ln -sfn two inc || fail "a linked directory"
	rm -f out got
	ln -s one/h l
	ARGS=(-l)
	meanwhile ln -sf two/h l || fail "a linked file"
	[ "$(stat_of reason_input-changed)" = 2 ]
}

exchange() { mv "$1" "$1.old" && mv "$2" "$1"; }

# bats test_tags=check
@test "inputs_meanwhile: a directory is exchanged while the tool runs" {
	sleepy_tool 0 300000
	put inc/h one
	put other/h two
	ARGS=(-inc/h)
	meanwhile exchange inc other || fail "of a file"
	rm -rf inc* out got
	put inc/x one
	put other/yyy two
	ARGS=(-inc)
	meanwhile exchange inc other || fail "listed"
	rm -rf inc* out got
	put inc/x one
	ARGS=(-inc)
	meanwhile touch inc/zz || fail "listed, with a name that is new"
}

# bats test_tags=check
@test "inputs_meanwhile: a loop device gets another image while the tool runs" {
	need mksquashfs losetup
	need_mounts
	sleepy_tool 0 500000
	local i
	mkdir "$ROOT/m"
	for i in 1 2; do
		put "$ROOT/t/h" "$i"
		mksquashfs "$ROOT/t" "$ROOT/img$i" -all-time 0 -mkfs-time 0 -quiet -no-progress \
			-noappend >/dev/null
	done
	# In one mount namespace: a start that reads one image, a start and a plain run with the
	# other.
	put_script images.sh \
		'd=$(losetup -f --show -r "$1/img1") && mount -o ro "$d" "$1/m" || exit 77' \
		'(sleep 0.25; umount "$1/m"; losetup -d "$d"' \
		'losetup -r "$d" "$1/img2"; mount -o ro "$d" "$1/m") &' \
		'under="env $2 REPRISE_TOOLS=+mytool"' \
		'$under "$1/mytool" "-$1/m/h"; wait; $under "$1/mytool" "-$1/m/h"; mv out got' \
		'"$1/mytool" "-$1/m/h"; umount "$1/m"; losetup -d "$d"'
	age
	unshare -m sh images.sh "$ROOT" "${RPENV[*]}" \
		3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- || {
		[ $? = 77 ] && skip "no loop mounts of squashfs here"
		fail "the images were not exchanged"
	}
	[ "$(cat out)" = 2 ]
	cmp got out
	[ "$(stat_of reason_input-changed)" = 1 ]
}

@test "inputs_meanwhile: a file that an earlier run read too changes while the tool runs" {
	sleepy_tool 300000 0
	put one first
	put two second
	age
	ARGS=("-$W/one" "-$W/two")
	sleepy
	put two changed # so that it is a miss, found after `one` was asked for
	age
	(sleep 0.15; put one amid) &
	sleepy
	wait
	[ "$(stat_of reason_input)" = 1 ] || fail "not the miss that the case is about"
	put one first
	age
	sleepy
	mv out got
	"$ROOT/mytool" "${ARGS[@]}"
	cmp got out
}

rewrite() { put m.c "int v = $1;" && touch -d 2100-01-01 m.c; }

@test "inputs_meanwhile: a source changes while the tool runs, and is put back with its time" {
	slow_source 300000
	local both=("${SLOW[@]}" m.c last.cc)
	sed 's/int x/int last/' slow.cc >last.cc
	rewrite 1 # not older than the start, whatever the clock says
	age
	# The first source takes long, so the second one is keyed before it is read.
	(sleep 0.15; rewrite 2; until [ -s m.o ]; do sleep 0.01; done; rewrite 1) &
	under "${both[@]}"
	wait
	age
	under "${both[@]}"
	mv m.o got.o
	"${both[@]}"
	cmp got.o m.o
	[ "$(stat_of reason_input-changed)" = 1 ]
	under "${both[@]}"
	[ "$(stat_of hits_local)" = 1 ] || fail "such a time alone is no reason"
}

@test "inputs_meanwhile: a response file is written after its arguments were read" {
	local i
	put m.s '.globl x' '.data' '.quad x' '.skip 40000000, 7'
	for i in 1 2 3; do
		rm -rf "$STORE"
		as m.s -o m.o
		put r.rsp '-defsym x=1'
		age
		# To digest the object takes long enough for the write.
		"$PY" -B "$BATS_TEST_DIRNAME/on_close.py" r.rsp '-defsym x=2' \
			env "${RPENV[@]}" ld -r @r.rsp m.o -o o.o
		put r.rsp '-defsym x=1'
		age
		under ld -r @r.rsp m.o -o o.o
		mv o.o got.o
		ld -r @r.rsp m.o -o o.o
		cmp got.o o.o
	done
}
