#!/usr/bin/env bats
# cc1, as, ld, ar and others called by name, not by a driver.

setup() {
	load lib
	case_setup
	put a.c 'int a(int x) { return x + 1; }'
	put main.c 'int a(int); int main(void) { return a(-1); }'
}
teardown() { case_teardown; }

@test "direct: cc1 and cc1plus" {
	local cc1
	cc1=$(gcc -print-prog-name=cc1)
	differential --makes a.s -- "$cc1" -quiet -O2 a.c -o a.s
	cc1=$(g++ -print-prog-name=cc1plus)
	cp a.c b.cc
	differential --makes b.s -- "$cc1" -quiet b.cc -o b.s
}

@test "direct: as" {
	put a.s '.globl a' 'a: ret'
	differential --makes a.o -- as a.s -o a.o
	differential --makes a.out -- as a.s
	put a.s '.globl a' 'a: nop; ret'
	again miss
}

@test "direct: as with a listing and .incbin" {
	put blob 'some bytes'
	put a.s '.incbin "blob"'
	differential --makes a.o -- as a.s -o a.o -a=list
	differential -- as -al a.s -o a.o
	put blob 'other bytes'
	again miss
}

@test "direct: as reads standard input" {
	put a.s '.globl a' 'a: ret'
	differential --cold any --stdin a.s --makes a.o -- as -o a.o
	put a.s '.globl b' 'b: ret; ret'
	again any
	differential --cold any --stdin a.s --makes a.o -- as -o a.o -
}

@test "direct: as: errors and warnings" {
	put a.s 'nonsense here'
	differential --cold any --status 1 -- as a.s -o a.o
	put a.s '.warning "careful"'
	differential --makes a.o -- as a.s -o a.o
}

@test "direct: ld" {
	gcc -c a.c main.c
	differential --makes r.o -- ld -r a.o main.o -o r.o
	differential --makes prog -- ld -e main a.o main.o -o prog
	differential --makes lib.so -- ld -shared a.o -o lib.so
	gcc -O2 -c a.c
	again miss
}

@test "direct: ld -b binary, as AOTInductor embeds cubins" {
	put blob.cubin 'binary'
	differential --makes e.o -- ld -r -b binary -z noexecstack -o e.o blob.cubin
	put blob.cubin 'changed'
	again miss
}

@test "direct: ld with a script" {
	gcc -c a.c main.c
	ld --verbose | sed '1,/^=====/d;/^=====/,$d' >all.ld
	differential --makes prog -- ld -T all.ld -e main a.o main.o -o prog
	echo '/* changed */' >>all.ld
	again miss
}

@test "direct: ld.bfd, ld.gold, ld.lld" {
	gcc -c a.c main.c
	local l
	for l in ld.bfd ld.gold ld.lld; do
		need $l
		differential --makes prog -- $l -e main a.o main.o -o prog
	done
}

@test "direct: ld.gold --incremental patches what is there" {
	need ld.gold
	gcc -c a.c main.c
	local c=(ld.gold -z norelro --incremental -e main a.o main.o
		-o prog) said='s/^prog: stat:.*//'
	differential --cold bypass:arguments --makes prog --filter "$said" -- "${c[@]}"
	"${c[@]}" 2>/dev/null
	put a.c 'int a(int x) { for (int i = 0; i < x; i++) x += i * x; return x + 1; }'
	gcc -c a.c
	again bypass --fresh --status any
	differential --cold bypass --status any -- \
		gcc -fuse-ld=gold -Wl,-z,norelro,--incremental a.o main.o -o other
}

@test "direct: ld: a library appears earlier" {
	gcc -fPIC -c a.c
	gcc -c main.c
	mkdir one two
	ld -shared a.o -o two/liba.so
	differential -- ld -e main main.o -Lone -Ltwo -la -o prog
	ld -shared a.o -o one/liba.so
	again any
	rm one/liba.so
	again hit
}

@test "direct: ar makes an archive" {
	gcc -c a.c main.c
	differential --makes lib.a -- ar rcs lib.a a.o main.o
	differential --makes lib.a -- ar rcsD lib.a a.o main.o
	gcc -O2 -c a.c
	again miss
}

@test "direct: ar ru ignores times or is not stored" {
	need llvm-ar
	gcc -c a.c main.c
	differential --makes lib.a -- ar cru lib.a a.o main.o
	grep -q ignored "$ROOT/r/warm.err"
	touch -d '1 hour ago' a.o
	again hit
	ar rc lib.a a.o
	differential --fresh --cold any --warm any -- ar ru lib.a main.o a.o
	rm lib.a
	differential --cold unstored:time --makes lib.a -- llvm-ar cru lib.a a.o main.o
}

@test "direct: ar updates an archive that is there" {
	gcc -c a.c main.c
	ar rcs lib.a a.o
	differential --fresh --cold any -- ar rs lib.a main.o
	ar rcs lib.a main.o
	again any
	gcc -DX -O2 -c main.c
	again any
}

# bats test_tags=check
@test "direct: ar made a new archive, and now one exists" {
	gcc -c a.c main.c
	put args 'q lib.a a.o'
	local how
	need llvm-ar
	for how in 'ar rcs lib.a a.o' 'ar q lib.a a.o' 'ar r lib.a a.o' 'gcc-ar rcs lib.a a.o' \
		'llvm-ar rcs lib.a a.o' 'ar @args'; do
		read -ra how <<<"$how"
		rm -f lib.a
		differential --cold any --warm hit --makes lib.a -- "${how[@]}"
		ar rc lib.a main.o
		again any --fresh || fail "${how[*]}: what was there is gone"
		ar t "$ROOT/r/warm.tree/lib.a" | grep -q main.o
	done
	: >lib.a
	again any --fresh --status any
	rm lib.a
	differential --makes lib.a -- ar rcT lib.a a.o
	ar rc lib.a main.o
	again unstored:failed --fresh --status 1
}

@test "direct: ar U and ar without D: the members' times are in it" {
	gcc -c a.c
	# The symbol table is stamped with the time of the run.
	differential --cold any --warm any --ignore lib.a --makes lib.a -- ar rcsU lib.a a.o
	touch -d '2001-01-01' a.o
	again any
	ar tv "$ROOT/r/warm.tree/lib.a" | grep -q 2001
}

# bats test_tags=check
@test "direct: ar t, p, x, d, and ranlib, strip, objcopy, nm beside" {
	gcc -c a.c main.c
	ar rcs lib.a a.o main.o
	differential --cold any -- ar t lib.a
	differential --cold any -- ar tv lib.a
	differential --cold any -- ar p lib.a a.o
	mkdir x
	differential --cold any --cd x --makes "x/a.o" -- ar x ../lib.a
	differential --fresh --cold any -- ar d lib.a a.o
	differential --fresh --cold any -- ranlib lib.a
	differential --fresh --cold any -- strip a.o
	differential --cold any --makes b.o -- objcopy a.o b.o
	differential --cold any -- nm a.o
}

@test "direct: a file that ar extracts has its own mode" {
	gcc -c a.c
	ar rcsD lib.a a.o
	rm a.o
	local mask want
	for mask in 022 077 002; do
		(umask $mask && ar x lib.a)
		want=$(stat -c %a a.o)
		rm a.o
		age
		(umask $mask && under ar x lib.a)
		[ "$(stat -c %a a.o)" = "$want" ] || fail "$mask: $(stat -c %a a.o), not $want"
		rm a.o
	done
}

@test "direct: gcc-ar and gcc-nm" {
	gcc -flto -c a.c
	differential --cold any --makes lib.a -- gcc-ar rcs lib.a a.o
}

@test "direct: collect2" {
	gcc -c a.c main.c
	local c
	c=$(gcc -print-prog-name=collect2)
	differential --cold any --makes r.o -- "$c" -r a.o main.o -o r.o
}

@test "direct: tools of another target" {
	need aarch64-linux-gnu-as
	put a.s '.globl a' 'a: ret'
	differential --makes a.o -- aarch64-linux-gnu-as a.s -o a.o
	differential --makes r.o --cold any -- aarch64-linux-gnu-ld -r -o r.o -b binary a.s
}

@test "direct: ar U keeps modes and owners too" {
	gcc -c a.c
	differential --cold any --warm any --ignore lib.a -- ar rcsU lib.a a.o
	chmod 600 a.o
	again any
	ar tv "$ROOT/r/warm.tree/lib.a" | grep -q '^rw------- '
	[ "$(id -u)" = 0 ] || return 0
	chown 1234:1234 a.o
	again any
	ar tv "$ROOT/r/warm.tree/lib.a" | grep -q 1234/1234
}
