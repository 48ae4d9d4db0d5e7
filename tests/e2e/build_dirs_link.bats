#!/usr/bin/env bats
# Links of objects whose debug information holds directories with random names.
#
# In the tables, `fun NAME` begins an object, and `str SECTION "TEXT"` adds a string in a section
# that linkers merge. $O makes the objects, plain.

setup() {
	load lib
	load names_lib
	load names_table
	case_setup
	put str.inc '.macro fun name' '.section .note.GNU-stack,"",@progbits' '.text' \
		'.globl \name' '\name: ret' '.section .debug_info,"",@progbits' '.endm' \
		'.macro str section text' '.long 9f' '.section \section,"MS",@progbits,1' \
		'9: .string "\text"' '.section .debug_info,"",@progbits' '.endm'
	put_script objects '#!/bin/sh' \
		'for f in *.s; do as -o "${f%.s}.o" "$f" || exit; done' 'sleep 0.03'
	export O='env REPRISE_FORCE_DISABLE=1 ./objects'
}
teardown() { case_teardown; }

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
	names_table <<-'END'
	in       | tmpab12cd34 tmpzz98yx76
	f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \
		str .debug_line_str "/tmp/nm/inc"\nstr .debug_line_str "inc"
	bound    | $O; gcc -shared f.o -o out
	f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "inc"\n \
		str .debug_line_str "/tmp/nm/inc"
	g.s      | .include "str.inc"\nfun g\nstr .debug_line_str "@DIR@/inc"
	bound    | $O; gcc -shared f.o g.o -o out
	# Two strings, without one that ends both.
	f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \
		str .debug_line_str "/tmp/nm/inc"
	miss hit | $O; gcc -shared f.o -o out
	# Decided behind the name.
	f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/a/inc"\n \
		str .debug_line_str "@DIR@/b/inc"\nstr .debug_line_str "@DIR@/inc"\n \
		str .debug_line_str "inc"
	bound    | $O; gcc -shared f.o -o out
	f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/a/inc"\n \
		str .debug_line_str "@DIR@/b/inc"\nstr .debug_line_str "inc"
	miss hit | $O; gcc -shared f.o -o out
	# The empty string ends all strings.
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"\n \
		str .debug_str "/tmp/nm/inc"\nstr .debug_str ""
	bound    | $O; gcc -shared f.o -o out
	END
}

# bats test_tags=check
@test "build_dirs_link: a string that ends inside the name" {
	local two
	for two in "tmpab12cd34 tmpzz98yx76" "tmpzz98yx76 tmpab12cd34"; do
		names_table <<-END
		in       | $two
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "@DIR@"\nstr .debug_line_str "6"
		bound    | \$O; gcc -shared f.o -o out
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "@DIR@"\nstr .debug_line_str "76/inc"
		bound    | \$O; gcc -shared f.o -o out
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "@DIR@"\nstr .debug_line_str "34/inc"
		bound    | \$O; gcc -shared f.o -o out
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "@DIR@"\nstr .debug_line_str "yx76"
		bound    | \$O; gcc -shared f.o -o out
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "34/ink"
		miss hit | \$O; gcc -shared f.o -o out
		# The recorded text spells the other name.
		f.s      | .include "str.inc"\nfun f\nstr .debug_line_str "@DIR@/inc"\n \\
			str .debug_line_str "@TMPDIR@/${two#* }/inc"
		bound    | \$O; gcc -shared f.o -o out
		END
	done
}

# bats test_tags=check
@test "build_dirs_link: names of other lengths, at other places, two for one; not merged" {
	names_table <<-'END'
	in       | tmpab12cd34 tmp.AbCdEfGhIj
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	bound    | $O; gcc -shared f.o -o out
	in       | tmpab12cd34 tmpzz98yx76
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	g.s      | .include "str.inc"\nfun g\nstr .debug_str "@TMPDIR@/tmpzz98yx76/inc"
	bound    | $O; gcc -shared f.o g.o -o out
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"\n \
		.section .rodata\n.string "@DIR@/inc"
	bound    | $O; gcc -shared f.o -o out
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"\n \
		.section .debug_other,"MS",@progbits,1\n.string "@DIR@/inc"
	bound    | $O; gcc -shared f.o -o out
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"\n \
		.globl "in_@DIR@"\n"in_@DIR@":
	bound    | $O; gcc -shared f.o -o out
	# A table of directories that is not merged.
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"\n \
		.section .debug_line,"",@progbits\n.byte 1\n \
		.string "@DIR@/inc"\n.string "@DIR@/src"
	miss hit | $O; gcc -shared f.o -o out
	END
}

# bats test_tags=check
@test "build_dirs_link: build ids, other linkers, options that are not known" {
	need ld.gold ld.lld
	names_table <<-'END'
	in       | tmpab12cd34 tmpzz98yx76
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	miss hit | $O; gcc -shared -Wl,--build-id f.o -o out
	miss hit | $O; gcc -shared -Wl,--build-id=sha1 f.o -o out
	miss hit | $O; gcc -shared -Wl,--build-id=none f.o -o out
	miss hit | $O; ld.bfd -shared --build-id f.o -o out
	miss hit | $O; gcc -r -nostdlib f.o -o out
	bound    | $O; gcc -shared -Wl,--build-id=md5 f.o -o out
	bound    | $O; gcc -shared -Wl,--build-id=0x1234 f.o -o out
	bound    | $O; gcc -shared -Wl,--compress-debug-sections=zlib f.o -o out
	bound    | $O; gcc -shared -Wl,-Map=map f.o -o out
	bound    | $O; gcc -shared -Wl,--trace f.o -o out
	bound    | $O; gcc -fuse-ld=gold -shared f.o -o out
	bound    | $O; gcc -fuse-ld=lld -shared f.o -o out
	END
}

# bats test_tags=check
@test "build_dirs_link: archives and libraries with strings of their own" {
	put lib/own.c 'int own(int x) { return x; }'
	gcc -fPIC -c lib/own.c -o lib/own.o
	ar rcs lib/libplain.a lib/own.o
	gcc -g -fPIC -c lib/own.c -o lib/own.o
	ar rcs lib/libown.a lib/own.o
	gcc -g -shared lib/own.o -o lib/libshared.so
	gcc -g -flto -c lib/own.c -o lib/own.o
	names_table <<-'END'
	in       | tmpab12cd34 tmpzz98yx76
	f.s      | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	miss hit | $O; gcc -shared f.o -Llib -lshared -o out
	miss hit | $O; gcc -shared f.o lib/libshared.so -o out
	miss hit | $O; gcc -shared f.o lib/libplain.a -o out
	bound    | $O; gcc -shared f.o -Llib -Wl,-u,own -lown -o out
	bound    | $O; gcc -shared f.o lib/libown.a -o out
	bound    | $O; gcc -shared f.o lib/own.o -o out
	END
}

@test "build_dirs_link: REPRISE_VERIFY finds no difference; what is sloppy serves no other link" {
	names_table <<-'END'
	in            | tmpab12cd34 tmpzz98yx76 tmpbb12cd34
	f.s           | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	# The first is a link under REPRISE_SLOPPY=debugdir.
	miss miss hit | $O; case $PWD in *tmpa*) export REPRISE_SLOPPY=debugdir ;; esac; \
		gcc -g -shared f.o -o out
	in            | tmpab12cd34 tmpzz98yx76
	f.s           | .include "str.inc"\nfun f\nstr .debug_str "@DIR@/inc"
	bound         | $O; REPRISE_VERIFY=100 gcc -shared f.o -o out
	END
	RPENV+=(REPRISE_VERIFY=100)
	local n ORDER=none
	for n in 1 2; do
		compiled -g
		(cd "$D" && age && under gcc -shared a.o b.o -o got)
	done
	[ "$(stat_of verified) $(stat_of errors)" = "2 0" ] ||
		fail "verified $(stat_of verified), errors $(stat_of errors)"
}
