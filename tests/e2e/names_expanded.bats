#!/usr/bin/env bats
# Preprocessed text shows that a unit does not ask for its name, where its texts alone leave that
# open (judge/text/expanded.c).

setup() {
	load lib
	load names_table
	case_setup
	# Whether TELL takes the name depends on a value that a header defines.
	put sub/conf.h '#define LOUD 0'
	put sub/tell.h '#include "conf.h"' '#if LOUD' \
		'#define TELL(x) tell(__FILE__, x)' '#else' '#define TELL(x) (x)' '#endif'
	put u.cc '#include "tell.h"' 'int f(int x) { return TELL(x); }'
}
teardown() { case_teardown; }

@test "names expanded: a macro that no #if lets take the name" {
	# Also with a dependency file, from a response file, as assembly, under generated names.
	names_table <<-'END'
	in   | one two a-third-one
	all  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	all  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -MD -MF "$PWD/u.d" -O2 \
		-c "$PWD/u.cc" -o "$PWD/u.o"
	args | -O1 -DY=2
	all  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" @args -S "$PWD/u.cc" -o "$PWD/u.o"
	in   | tmpa1b2c3d4 tmpq9w8e7r6
	u.c  | #include "sub/tell.h"\nint f(int x) { return TELL(x); }
	all  | gcc -c "$PWD/u.c" -o u.o
	# Values that change.
	in   | one two a-third-one
	u.cc | #include "tell.h"\nint tell(const char *, int);\nint f(int x) { return TELL(x); }
	all  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	two/sub/conf.h         | #define LOUD 1
	a-third-one/sub/conf.h | #define LOUD 1
	hit miss miss | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	hit hit hit   | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	END
}

@test "names expanded: the preprocessor's run writes no file" {
	# gcc appends what the unit includes.
	names_table <<-'END'
	in   | tmpa1b2c3d4
	u.c  | #include "sub/tell.h"\nint f(int x) { return TELL(x); }
	miss | SUNPRO_DEPENDENCIES=deps gcc -I. -c "$PWD/u.c" -o u.o
	hit  | SUNPRO_DEPENDENCIES=deps gcc -I. -c "$PWD/u.c" -o u.o
	miss | DEPENDENCIES_OUTPUT=deps gcc -I. -c "$PWD/u.c" -o u.o
	hit  | DEPENDENCIES_OUTPUT=deps gcc -I. -c "$PWD/u.c" -o u.o
	END
}

# asked TIMES PATTERN: how often the log says so.
asked() {
	local n
	n=$(grep -acE "the preprocessor $2 that" "$LOG" || true)
	[ "$n" = "$1" ] || fail "$n times: $2; $(grep preprocessor "$LOG")"
}

# bats test_tags=check
@test "names expanded: only the first start with other names asks the preprocessor" {
	RPENV+=(REPRISE_LOG_LEVEL=info)
	local d
	for d in tmpa1b2c3d4 tmpq9w8e7r6 tmpz0x9c8v7; do
		put $d/sub/tell.h '#define LOUD 0' '#if LOUD' '#define TELL(x) tell(__FILE__, x)' \
			'#else' '#define TELL(x) (x)' '#endif'
		put $d/u.c '#include "sub/tell.h"' 'int f(int x) { return TELL(x); }'
	done
	age
	under gcc -c "$W/tmpa1b2c3d4/u.c" -o u.o
	asked 0 showed
	under gcc -c "$W/tmpq9w8e7r6/u.c" -o u.o
	asked 1 showed
	under gcc -c "$W/tmpz0x9c8v7/u.c" -o u.o
	[ "$(stat_of hits_local)" = 2 ] || fail "$(reprise stats)"
	asked 1 showed
	asked 0 "could not show"
	reprise verify
}

@test "names expanded: a source that asks is bound, and the next start does not ask again" {
	RPENV+=(REPRISE_LOG_LEVEL=info)
	local d
	for d in tmpa1b2c3d4 tmpq9w8e7r6 tmpz0x9c8v7; do
		put $d/sub.h '#define LOUD 1' '#if LOUD' '#define N sizeof __FILE__' '#endif'
		put $d/u.c '#include "sub.h"' 'int f(void) { return N; }'
	done
	age
	for d in tmpa1b2c3d4 tmpq9w8e7r6 tmpz0x9c8v7; do under gcc -c "$W/$d/u.c" -o u.o; done
	asked 0 showed
	asked 1 "could not show"
}

@test "names expanded: the same macro, and an #if that is true" {
	names_table <<-'END'
	in   | one two a-third-one
	u.cc | #include "tell.h"\n#undef TELL\n#define TELL(x) tell(__FILE__, x)\n \
		int tell(const char *, int);\nint f(int x) { return TELL(x); }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #define LETTER __FILE__[sizeof __FILE__ - 9]\n#include "tell.h"\n#if LOUD\n \
		#undef LETTER\n#define LETTER 1\n#endif\nint f() { return LETTER; }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	# In a header of the unit.
	in   | one two a-third-one
	sub/conf.h | #define LOUD 1\nint tell(const char *, int);\n \
		inline int g(int x) { return tell(__FILE__, x); }
	u.cc | #include "tell.h"\nint f(int x) { return g(x); }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	END
}

# The preprocessor uses the name, and its output does not show it.
@test "names expanded: a name in a directive" {
	put sub/f.h 'int f(int x) { return TELL(x); }'
	names_table <<-'END'
	in   | one two a-third-one
	u.cc | #define SELF __FILE__\n#include "tell.h"\n#include "f.h"\n \
		#if __has_include(SELF)\nint there;\n#endif
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #define SELF __FILE__\n#include "tell.h"\n#include "f.h"\n \
		#define HAS(x) __has_include(x)\n#if HAS(SELF)\nint there;\n#endif
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #ifndef ONCE\n#define ONCE\n#define SELF __FILE__\n#include "tell.h"\n \
		#include "f.h"\n#include SELF\n#endif
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "tell.h"\n#include "f.h"\n#line 7 "x.cc"\nint g() { return __LINE__; }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	END
}

# bats test_tags=check
@test "names expanded: the compiler's own words" {
	put sub/f.h '#include "tell.h"' 'int f(int x) { return TELL(x); }'
	names_table <<-'END'
	in   | one two a-third-one
	u.cc | #include "f.h"\nconst char *g(const char *n = __builtin_FILE()) { return n; }\n \
		const char *h() { return g(); }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "f.h"\nint g() { return sizeof __BASE_FILE__; }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "f.h"\n#define S(x) #x\n#define T(x) S(x)\n \
		const char *g() { return T(__FILE__); }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "f.h"\n#define CAT(a, b) a##b\nint g() { return sizeof CAT(__FI, LE__); }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "f.h"\n#include <source_location>\n \
		int g() { return std::source_location::current().file_name()[9]; }
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -std=c++20 -c "$PWD/u.cc" -o "$PWD/u.o"
	END
}

# bats test_tags=check
@test "names expanded: text that shows the name by another way is bound" {
	mkdir 'su b'
	cp sub/* 'su b'
	names_table <<-'END'
	in   | one two a-third-one
	u.cc | #include "tell.h"\nint f(int x) { return TELL(x); }\nconst char *u = "u.cc";
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	in   | one two a-third-one
	u.cc | #include "su b/tell.h"\nint f(int x) { return TELL(x); }
	all  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"
	# Text that was preprocessed before.
	u.ii | const char *f() { return __builtin_FILE(); }
	v.cc | int v;
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.ii" -o "$PWD/u.o"
	own  | REPRISE_BASE_DIRS=$PWD g++ -I"$PWD/sub" -c "$PWD/u.cc" "$PWD/v.cc"
	END
}

# bats test_tags=check
@test "names expanded: -g, where debugdir is accepted" {
	local d before option CHECKOUTS=(one two a-third-one)
	export REPRISE_SLOPPY=debugdir
	for d in "${CHECKOUTS[@]}"; do
		mkdir "$d"
		cp -r sub u.cc "$d"
	done
	age
	for option in -g "-g3 -O2"; do
		before=$(stat_of hits_local)
		for d in "${CHECKOUTS[@]}"; do
			REPRISE_BASE_DIRS=$W/$d under g++ $option -I"$W/$d/sub" -c "$W/$d/u.cc" \
				-o "$d/u.o"
			g++ $option -I"$W/$d/sub" -c "$W/$d/u.cc" -o plain.o
			objcopy --strip-debug "$d/u.o" ours.o
			objcopy --strip-debug plain.o
			cmp ours.o plain.o || fail "$option, $d: other code"
		done
		[ "$(stat_of hits_local)" = $((before + 2)) ] || fail "$option: no hits"
	done
	# If the text takes the name, the result is bound to the directory.
	for d in "${CHECKOUTS[@]}"; do
		put "$d/sub/conf.h" '#define LOUD 1'
		put "$d/u.cc" 'inline int tell(const char *s, int x) { return s[x]; }' \
			'#include "tell.h"' 'int f(int x) { return TELL(x); }'
	done
	age
	before=$(stat_of hits_local)
	for d in "${CHECKOUTS[@]}"; do
		REPRISE_BASE_DIRS=$W/$d under g++ -g -I"$W/$d/sub" -c "$W/$d/u.cc" -o "$d/u.o"
		objcopy --strip-debug "$d/u.o"
		grep -q "$W/$d/u.cc" "$d/u.o" || fail "another name"
	done
	[ "$(stat_of hits_local)" = "$before" ] || fail "a hit"
}
