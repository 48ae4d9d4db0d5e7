#!/usr/bin/env bats
# Links of objects whose debug information holds directories with random names.

setup() {
	load lib
	load names_lib
	case_setup
	ONE=tmpab12cd34 TWO=tmpzz98yx76
}
teardown() { case_teardown; }

# strings FILE SECTION STRING...: FILE.s, a function and strings in a section that linkers merge.
# Names stand there as NAME.
strings() {
	local f=$1 section=$2 s
	shift 2
	printf '\t.section .note.GNU-stack,"",@progbits\n\t.text\n' >>$f.s
	printf '\t.globl %s\n%s:\tret\n' "$f" "$f" >>$f.s
	printf '\t.section .debug_info,"",@progbits\n' >>$f.s
	for s; do
		printf '\t.long 9f\n\t.section %s,"MS",@progbits,1\n' "$section" >>$f.s
		printf '9:\t.string "%s"\n\t.section .debug_info,"",@progbits\n' "$s" >>$f.s
	done
}

# second EXPECT NAME OTHER CMD...: links objects with NAME, then those with OTHER, as CMD -o out.
# Each equals a plain link. EXPECT says what the second link is.
second() {
	local want=$1 names=("$2" "$3") name f before got
	shift 3
	for name in "${names[@]}"; do
		for f in *.s; do sed "s/NAME/$name/g" $f | as -o ${f%.s}.o - || return 1; done
		age
		before=$(hits)
		under "$@" -o out || return 1
		got=$(($(hits) - before))
		mv out got
		"$@" -o out
		cmp got out || { fail "$* ($name)"; return 1; }
		rm out
	done
	[ $got = $([ $want = hit ] && echo 1 || echo 0) ] || fail "no $want: $*"
}

# again_second: the same, with an empty store.
again_second() {
	reprise clear --yes >/dev/null
	second "$@"
}

# compiled OPTION...: objects in a random directory D, with headers in another one, E. gcc writes
# two strings of each in an order that depends on D. It differs from that of the last call (ORDER).
compiled() {
	local object last=$ORDER
	while D=$(temp_name) E=$(temp_name); do
		put "$D/src/a.c" '#include <n.h>' 'int b(int);' \
			'int main(void) { return n(b(1)); }'
		put "$D/src/b.c" '#include "own.h"' 'int b(int x) { return own(x); }'
		put "$D/src/own.h" 'static inline int own(int x) { return x; }'
		put "$E/inc/n.h" 'static inline int n(int x) { return x; }'
		(cd "$D" && gcc "$@" -fPIC -I"$E/inc" -c src/a.c -o a.o &&
			gcc "$@" -fPIC -c "$D/src/b.c" -o b.o) || return 1
		ORDER=$(for object in a b; do
			readelf -p .debug_line_str "$D/$object.o" 2>&1 |
				sed -n "3s|.* $D\$|directory|p;3s|.* .*b.c|name|p"
		done)
		[ "$ORDER" = "$last" ] || return 0
		rm -r "$D" "$E"
	done
}

# bats test_tags=check
@test "build_dirs_link: objects of gcc in random directories, in another order of strings" {
	local o l n before ORDER=none
	for o in -g "-g3 -O2"; do
		before=$(hits)
		for n in 1 2 3; do
			compiled $o
			age
			cd "$D"
			for l in "-shared -Wl,-O1" "-shared -g -Wl,-Bsymbolic-functions" \
				"-pie -Wl,--gc-sections" -no-pie "-shared -s" "-shared -Wl,-S" \
				"-shared -Wl,--build-id"; do
				under gcc $l a.o b.o -o got
				gcc $l a.o b.o -o want
				cmp got want || fail "$o $l"
			done
			cd "$W"
			rm -r "$D" "$E"
		done
		[ $(($(hits) - before)) = 14 ] || fail "$(($(hits) - before)) hits of 14: $o"
	done
}

# These serve one order of strings, and bytes stay right.
# bats test_tags=check
@test "build_dirs_link: files for which the order of strings cannot be computed" {
	local l n ORDER=none
	for n in 1 2 3; do
		compiled -g
		age
		cd "$D"
		for l in "-r -nostdlib" "-fuse-ld=lld -shared" "-fuse-ld=gold -shared"; do
			under gcc $l a.o b.o -o got
			gcc $l a.o b.o -o want
			cmp got want || fail "$l"
			under gcc $l a.o b.o -o got
			cmp got want || fail "$l again"
		done
		cd "$W"
	done
	[ "$(hits)" -ge 9 ] || fail "$(hits) hits"
}

# ld writes a string that ends others as the end of the first of them, in the order of their ends.
# bats test_tags=check
@test "build_dirs_link: strings whose order depends on the name" {
	strings f .debug_line_str /tmp/NAME/inc /tmp/nm/inc inc
	second miss $ONE $TWO gcc -shared f.o
	rm f.s
	strings f .debug_line_str inc /tmp/nm/inc
	strings g .debug_line_str /tmp/NAME/inc
	again_second miss $ONE $TWO gcc -shared f.o g.o
	rm f.s g.s
	# Two strings, without one that ends both
	strings f .debug_line_str /tmp/NAME/inc /tmp/nm/inc
	again_second hit $ONE $TWO gcc -shared f.o
	rm f.s
	# Decided behind the name
	strings f .debug_line_str /tmp/NAME/a/inc /tmp/NAME/b/inc /tmp/NAME/inc inc
	again_second miss $ONE $TWO gcc -shared f.o
	rm f.s
	strings f .debug_line_str /tmp/NAME/a/inc /tmp/NAME/b/inc inc
	again_second hit $ONE $TWO gcc -shared f.o
	rm f.s
	# The empty string ends all strings.
	strings f .debug_str /tmp/NAME/inc /tmp/nm/inc ''
	again_second miss $ONE $TWO gcc -shared f.o
}

@test "build_dirs_link: a string that ends inside the name" {
	local end
	for end in 6 76/inc 34/inc yx76; do
		rm -f f.s
		strings f .debug_line_str /tmp/NAME/inc /tmp/NAME "$end"
		again_second miss $ONE $TWO gcc -shared f.o
		again_second miss $TWO $ONE gcc -shared f.o
	done
	rm f.s
	strings f .debug_line_str /tmp/NAME/inc 34/ink
	again_second hit $ONE $TWO gcc -shared f.o
	# The recorded text spells the other name.
	rm f.s
	strings f .debug_line_str /tmp/NAME/inc "/tmp/$TWO/inc"
	again_second miss $ONE $TWO gcc -shared f.o
}

@test "build_dirs_link: a table of directories that is not merged" {
	strings f .debug_str /tmp/NAME/inc
	printf '\t.section .debug_line,"",@progbits\n\t.byte 1\n' >>f.s
	printf '\t.string "/tmp/NAME/%s"\n' inc src >>f.s
	second hit $ONE $TWO gcc -shared f.o
}

@test "build_dirs_link: names of other lengths, at other places, and two for one" {
	strings f .debug_str /tmp/NAME/inc
	second miss $ONE tmp.AbCdEfGhIj gcc -shared f.o
	strings g .debug_str "/tmp/$TWO/inc"
	again_second miss $ONE $TWO gcc -shared f.o g.o
	rm g.s
	printf '\t.section .rodata\n\t.string "/tmp/NAME/inc"\n' >>f.s
	again_second miss $ONE $TWO gcc -shared f.o
	rm f.s
	strings f .debug_str /tmp/NAME/inc
	printf '\t.section .debug_other,"MS",@progbits,1\n\t.string "/tmp/NAME/inc"\n' >>f.s
	again_second miss $ONE $TWO gcc -shared f.o
	rm f.s
	strings f .debug_str /tmp/NAME/inc
	printf '\t.globl %s\n%s:\n' in_NAME in_NAME >>f.s
	again_second miss $ONE $TWO gcc -shared f.o
}

# bats test_tags=check
@test "build_dirs_link: build ids, other linkers, options that are not known" {
	local ld
	strings f .debug_str /tmp/NAME/inc
	second hit $ONE $TWO gcc -shared -Wl,--build-id f.o
	again_second hit $ONE $TWO gcc -shared -Wl,--build-id=sha1 f.o
	again_second hit $ONE $TWO gcc -shared -Wl,--build-id=none f.o
	again_second hit $ONE $TWO ld.bfd -shared --build-id f.o
	again_second hit $ONE $TWO gcc -r -nostdlib f.o
	again_second miss $ONE $TWO gcc -shared -Wl,--build-id=md5 f.o
	again_second miss $ONE $TWO gcc -shared -Wl,--build-id=0x1234 f.o
	again_second miss $ONE $TWO gcc -shared -Wl,--compress-debug-sections=zlib f.o
	again_second miss $ONE $TWO gcc -shared -Wl,-Map=map f.o
	again_second miss $ONE $TWO gcc -shared -Wl,--trace f.o
	for ld in gold lld; do
		need ld.$ld
		again_second miss $ONE $TWO gcc -fuse-ld=$ld -shared f.o
	done
}

@test "build_dirs_link: archives and libraries with strings of their own" {
	mkdir lib
	put lib/own.c 'int own(int x) { return x; }'
	gcc -fPIC -c lib/own.c -o lib/own.o
	ar rcs lib/libplain.a lib/own.o
	gcc -g -fPIC -c lib/own.c -o lib/own.o
	ar rcs lib/libown.a lib/own.o
	gcc -g -shared lib/own.o -o lib/libshared.so
	strings f .debug_str /tmp/NAME/inc
	second hit $ONE $TWO gcc -shared f.o -Llib -lshared
	again_second hit $ONE $TWO gcc -shared f.o lib/libshared.so
	again_second hit $ONE $TWO gcc -shared f.o lib/libplain.a
	again_second miss $ONE $TWO gcc -shared f.o -Llib -Wl,-u,own -lown
	again_second miss $ONE $TWO gcc -shared f.o lib/libown.a
	gcc -g -flto -c lib/own.c -o lib/own.o
	again_second miss $ONE $TWO gcc -shared f.o lib/own.o
}

@test "build_dirs_link: REPRISE_VERIFY finds no difference" {
	RPENV+=(REPRISE_VERIFY=100)
	strings f .debug_str /tmp/NAME/inc
	second miss $ONE $TWO gcc -shared f.o
	reprise clear --yes >/dev/null
	rm f.s
	local n ORDER=none
	for n in 1 2; do
		compiled -g
		(cd "$D" && age && under gcc -shared a.o b.o -o got)
	done
	[ "$(stat_of verified) $(stat_of errors)" = "2 0" ] ||
		fail "verified $(stat_of verified), errors $(stat_of errors)"
}

@test "build_dirs_link: a link under REPRISE_SLOPPY=debugdir serves no other one" {
	local own=("${RPENV[@]}")
	strings f .debug_str /tmp/NAME/inc
	sed "s/NAME/$ONE/g" f.s | as -o f.o -
	age
	RPENV+=(REPRISE_SLOPPY=debugdir)
	under gcc -g -shared f.o -o out
	RPENV=("${own[@]}")
	second hit $TWO $ONE gcc -g -shared f.o
}
