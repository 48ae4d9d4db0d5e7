#!/usr/bin/env bats
# The table of wrong-hit triggers, "Inputs": the tool itself and its parts. Passes and linkers found
# by PATH, -B, -fuse-ld or a toolchain's directory, specs, libraries behind -L, and objects that a
# loader adds.

setup() {
	load lib
	case_setup
	source_with_header 'int a = A;'
}
teardown() { case_teardown; }

# An assembler that says "mine" first.
own_as() { # FILE
	put as.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5);' \
		'execv("'"$(command -v as)"'", v); return 9; }'
	gcc as.c -o "$1"
	rm as.c
}

@test "inputs_tools: an earlier executable appears on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	printf '#!/bin/sh\nexec %s -march=i686 "$@"\n' "$(command -v as)" >early/as
	printf '#!/bin/sh\n/bin/echo early as >&2\nexec %s "$@"\n' "$(command -v as)" >early/as
	chmod +x early/as
	again any
	grep -q 'early as' "$ROOT/r/warm.err"
	again any
}

@test "inputs_tools: a compiled earlier 'as' on PATH" {
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc -c a.c
	own_as early/as
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs_tools: a compiled earlier 'ld' on PATH" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	mkdir early
	differential --env "PATH=$W/early:$PATH" -- gcc m.o -o m
	put ld.c '#include <unistd.h>' 'int main(int c, char **v) { write(2, "mine\n", 5);' \
		'execv("'"$(command -v ld)"'", v); return 9; }'
	gcc -w ld.c -o early/ld
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs_tools: an 'as' appears among directories of PATH that the memo knows" {
	mkdir -p p/1 p/2 p/3/as
	age
	differential --env "PATH=$W/p/1:$W/none:$W/p/2:$W/p/1:$W/p/3:$PATH" -- gcc -c a.c
	again hit
	again hit
	own_as p/2/as
	again any
	grep -q mine "$ROOT/r/warm.err"
	chmod -x p/2/as
	again any
	! grep -q mine "$ROOT/r/warm.err" || fail "the file that is no program was run"
	rm p/2/as
	age
	again hit
	again hit
	: >p/1/x86_64-linux-gnu-as
	again any
	mv p/3/as p/3/other
	own_as p/3/as
	again any
	grep -q mine "$ROOT/r/warm.err"
}

# bats test_tags=check
@test "inputs_tools: a directory of PATH, however it is spelled" {
	mkdir early
	own_as early/as
	local p
	for p in "$W//early" "$W/./early/" early ./early; do
		put a.c "const char *by = \"$p\";"
		differential --cold any --env "PATH=$p:$PATH" -- gcc -c a.c
		again miss --env "PATH=$PATH"
	done
	mv early/as .
	for p in : .: ; do
		put a.c "const char *by = \"$p\";"
		differential --cold any --env "PATH=$p$PATH" -- gcc -c a.c
		again miss --env "PATH=$PATH"
	done
}

@test "inputs_tools: no PATH, and then one" {
	local gcc
	gcc=$(command -v gcc)
	mkdir early
	own_as early/as
	differential -- env -u PATH "$gcc" -c a.c
	again unstored:script --warm unstored:script -- env "PATH=$W/early:$PATH" "$gcc" -c a.c
	again hit -- env -u PATH "$gcc" -c a.c
}

@test "inputs_tools: the assembler behind -B is replaced" {
	mkdir tools
	cp "$(command -v as)" tools/as
	differential -- gcc -Btools -c a.c
	own_as tools/as
	again any
	grep -q mine "$ROOT/r/warm.err"
}

@test "inputs_tools: cc1 behind -B appears" {
	mkdir tools
	differential -- gcc -Btools -c a.c
	cp "$(gcc -print-prog-name=cc1)" tools/cc1
	again miss
	printf x >>tools/cc1
	again miss
}

@test "inputs_tools: the compiler is replaced in place, same version text" {
	mkdir bin
	cp "$(readlink -f "$(command -v gcc)")" bin/gcc
	differential -- "$W/bin/gcc" "-B$(dirname "$(gcc -print-prog-name=cc1)")" -c a.c
	printf x >>bin/gcc
	again miss
}

@test "inputs_tools: a specs file" {
	gcc -dumpspecs >my.specs
	put x.specs '*cc1_options:' '+ -DX=1'
	put a.c 'int a = X;'
	differential -- gcc -specs=x.specs -c a.c
	put x.specs '*cc1_options:' '+ -DX=2'
	again miss
}

@test "inputs_tools: a specs file that no option names, in two directories" {
	local machine=$(gcc -dumpmachine) version=$(gcc -dumpversion)
	mkdir one two
	put lib/specs '*cc1:' '+ -g' ''
	put "lib/$machine/$version/specs" '*cc1:' '+ -g' ''
	put s.c 'int f(void) { return 1; }'
	cp s.c one/
	mv s.c two/
	differential --cold any --env LIBRARY_PATH="$W/lib" --cd one -- gcc -c s.c
	again any --cd two
	(
		cd two && LIBRARY_PATH="$W/lib" gcc -c s.c &&
			readelf --debug-dump=info s.o | grep -q comp_dir
	) || fail 'gcc does not read it'
}

@test "inputs_tools: the compiler's own specs in a file" {
	local to="lib/$(gcc -dumpmachine)/$(gcc -dumpversion)"
	mkdir -p "$to"
	gcc -dumpspecs >"$to/specs"
	differential --makes a.o --env LIBRARY_PATH="$W/lib" -- gcc -c a.c
	# The specs are in two files, as conda has it. The second file adds options for this
	# processor alone.
	printf '%s\n\n' '%include_noerr <more.specs>' >"$to/my.specs"
	put "$to/more.specs" '*cc1:' '+ -march=native' ''
	gcc -B"$to/" -specs="$to/my.specs" -### -c a.c 2>&1 | grep -q 'cc1.*-march=native'
	differential --cold unstored:output -- gcc -B"$to/" -specs="$to/my.specs" -c a.c
}

@test "inputs_tools: specs appear behind -B" {
	mkdir tools
	put c.c '#ifndef X' '#define X 0' '#endif' 'int x = X;'
	differential -- gcc -Btools/ -c c.c
	put tools/specs '*cc1_options:' '+ -DX=1'
	again any
	! cmp -s "$ROOT/r/warm.tree/c.o" <(gcc -xc - -c -o /dev/stdout <c.c) ||
		fail "this gcc reads no specs behind -B"
}

# A shared object that any program can load and ld takes for a plugin.
plugin() { # WORD it says
	put p.c '#include <unistd.h>' "__attribute__((constructor)) static void c(void) {" \
		"write(2, \"$1\\n\", ${#1} + 1); }" \
		'int onload(void *t) { return 0; }'
	gcc -w -shared -fPIC p.c -o p.so
}

# bats test_tags=check
@test "inputs_tools: a plugin of clang, and of ld, is replaced" {
	need clang
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c -o n.o
	plugin one
	differential --makes m.o -- clang -Xclang -load -Xclang ./p.so -c m.c
	plugin three
	again miss
	grep -q three "$ROOT/r/warm.err"
	differential --makes m -- ld -plugin ./p.so -e main n.o -o m
	plugin four
	again miss
	grep -q four "$ROOT/r/warm.err"
}

@test "inputs_tools: another linker by -fuse-ld, and one that appears behind -B" {
	put m.c 'int main(void) { return 0; }'
	gcc -c m.c
	mkdir tools
	differential -- gcc -Btools m.o -o m
	need ld.gold
	cp "$(command -v ld.gold)" tools/ld
	again miss
	again any -- gcc -fuse-ld=gold m.o -o m
}

# bats test_tags=check
@test "inputs_tools: a library behind -L changes, and a new one shadows it" {
	put m.c 'int f(void); int main(void) { return f(); }'
	put f.c 'int f(void) { return 0; }'
	gcc -c m.c f.c
	mkdir one two
	ar rcs two/libf.a f.o
	differential -- gcc m.o -Lone -Ltwo -lf -o m
	put f.c 'int f(void) { return 3; }'
	gcc -c f.c
	rm -f two/libf.a
	ar rcs two/libf.a f.o
	again miss
	put f.c 'int f(void) { return 4; }'
	gcc -shared -fPIC f.c -o one/libf.so
	again miss
}

@test "inputs_tools: -B and -L without an argument of their own" {
	differential --cold any --status any -- gcc -c a.c -B
	differential --cold any --status any -- gcc -c a.c -L
	differential --cold any --status any -- gcc -L '' -c a.c
	differential --cold any --status any -- gcc -B '' -c a.c
}

@test "inputs_tools: clang picks the newest gcc of a directory" {
	need clang++
	local v
	for v in 12 13; do
		mkdir -p gt/lib/gcc/x86_64-linux-gnu/$v
		: >gt/lib/gcc/x86_64-linux-gnu/$v/crtbegin.o
		put gt/include/c++/$v/picked "int v = $v;"
		mkdir -p gt/include/c++/$v/x86_64-linux-gnu gt/include/c++/$v/backward
	done
	mv gt/lib/gcc/x86_64-linux-gnu/13 later
	put b.cc '#include <picked>'
	clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc 2>/dev/null ||
		fail "this clang finds no such toolchain"
	rm -f b.o
	differential -- clang++ --target=x86_64-linux-gnu --gcc-toolchain=gt -c b.cc
	mv later gt/lib/gcc/x86_64-linux-gnu/13
	again miss
}

@test "inputs_tools: another preload that changes what a tool says" {
	put p.c '#include <unistd.h>' \
		'__attribute__((constructor)) static void c(void) { write(2, "preloaded\n", 10); }'
	gcc -w -shared -fPIC p.c -o "$ROOT/p.so"
	put b.c 'int b;'
	age
	differential -- gcc -c b.c
	rm -f b.o
	env "${RPENV[@]}" LD_PRELOAD="$ROOT/p.so:$REPRISE_LIB" gcc -c b.c 2>got
	env LD_PRELOAD="$ROOT/p.so" gcc -c b.c 2>want
	cmp got want || fail "with another preload: $(cat got)"
	under gcc -c b.c 2>got
	[ ! -s got ] || fail "without it: $(cat got)"
}

@test "inputs_tools: LD_LIBRARY_PATH gives a pass another library" {
	local z
	z=$(ldd "$(gcc -print-prog-name=cc1)" 2>/dev/null |
		sed -n 's/.*libz\.so\.1 => \([^ ]*\) .*/\1/p')
	[ -n "$z" ] || fail "this cc1 has no shared libz"
	mkdir lib
	put b.c 'int b;'
	# The real library has another name. A library with its name replaces it and needs it.
	put p.c '#include <unistd.h>' \
		'__attribute__((constructor)) static void c(void) { write(2, "other libz\n", 11); }'
	cp "$z" lib/libreal.so
	gcc -w -shared -fPIC p.c -o lib/libz.so.1 -Wl,-soname,libz.so.1
	env LD_LIBRARY_PATH="$W/lib" gcc -c b.c 2>/dev/null ||
		fail "cc1 needs more of libz than an empty one"
	rm -f b.o
	differential -- gcc -c b.c
	again any --env "LD_LIBRARY_PATH=$W/lib"
	grep -q 'other libz' "$ROOT/r/warm.err"
	again any --warm hit --env ""
}

@test "inputs_tools: a library that a pass finds in the working directory" {
	local z
	z=$(ldd "$(gcc -print-prog-name=cc1)" 2>/dev/null |
		sed -n 's/.*libz\.so\.1 => \([^ ]*\) .*/\1/p')
	[ -n "$z" ] || fail "this cc1 has no shared libz"
	put b.c 'int b;'
	put p.c '#include <unistd.h>' \
		'__attribute__((constructor)) static void c(void) { write(2, "other libz\n", 11); }'
	cp "$z" libreal.so
	gcc -w -shared -fPIC p.c -o libz.so.1 -Wl,-soname,libz.so.1 "$W/libreal.so"
	differential --cold any --env LD_LIBRARY_PATH=/nowhere: -- gcc -c b.c
	grep -q 'other libz' "$ROOT/r/plain.err" || fail "cc1 does not look there"
	mv libz.so.1 gone
	again any --env LD_LIBRARY_PATH=/nowhere:
	! grep -q 'other libz' "$ROOT/r/warm.err" || fail "it is gone"
}
