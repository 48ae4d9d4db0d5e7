#!/usr/bin/env bats
# Preprocessed text shows that a unit does not ask for its name, where its texts alone leave that
# open (judge/expanded.h).

setup() {
	load lib
	load checkouts_lib
	case_setup
	export W
	CHECKOUTS=(one two a-third-one)
	local d
	for d in "${CHECKOUTS[@]}"; do
		mkdir -p "$d/sub"
		# Whether TELL takes the name depends on a value that a header defines.
		put "$d/sub/conf.h" '#define LOUD 0'
		put "$d/sub/tell.h" '#include "conf.h"' '#if LOUD' \
			'#define TELL(x) tell(__FILE__, x)' '#else' '#define TELL(x) (x)' '#endif'
	done
}
teardown() { case_teardown; }

# unit LINE...: u.cc of each checkout.
unit() {
	local d
	for d in "${CHECKOUTS[@]}"; do put "$d/u.cc" "$@"; done
}

OWN='REPRISE_BASE_DIRS="$PWD" g++ -I"$PWD/sub" -c "$PWD/u.cc" -o "$PWD/u.o"'

@test "names expanded: a macro that no #if lets take the name" {
	unit '#include "tell.h"' 'int f(int x) { return TELL(x); }'
	hit_in_all "$OWN"
	# Also with a dependency file, from a response file, and as assembly.
	local d
	for d in "${CHECKOUTS[@]}"; do put "$d/args" -O1 -DY=2; done
	hit_in_all "${OWN/-c/-MD -MF \"\$PWD/u.d\" -O2 -c}"
	hit_in_all "${OWN/-c/@args -S}"
}

# bats test_tags=check
@test "names expanded: generated names, and no base directory" {
	mkdir tmpa1b2c3d4 tmpq9w8e7r6
	cp -r one/sub tmpa1b2c3d4
	cp -r one/sub tmpq9w8e7r6
	local d
	for d in tmpa1b2c3d4 tmpq9w8e7r6; do
		put $d/u.c '#include "sub/tell.h"' 'int f(int x) { return TELL(x); }'
	done
	differential -- gcc -c "$W/tmpa1b2c3d4/u.c" -o u.o
	LAST=(gcc -c "$W/tmpq9w8e7r6/u.c" -o u.o)
	again hit
}

@test "names expanded: the preprocessor's run writes no file" {
	mkdir tmpa1b2c3d4
	cp -r one/sub .
	put tmpa1b2c3d4/u.c '#include "sub/tell.h"' 'int f(int x) { return TELL(x); }'
	# gcc appends what the unit includes.
	differential -- env SUNPRO_DEPENDENCIES=deps gcc -I. -c "$W/tmpa1b2c3d4/u.c" -o u.o
	differential -- env DEPENDENCIES_OUTPUT=deps gcc -I. -c "$W/tmpa1b2c3d4/u.c" -o u.o
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
		mkdir $d
		cp -r one/sub $d
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
		mkdir $d
		put $d/sub.h '#define LOUD 1' '#if LOUD' '#define N sizeof __FILE__' '#endif'
		put $d/u.c '#include "sub.h"' 'int f(void) { return N; }'
	done
	age
	for d in tmpa1b2c3d4 tmpq9w8e7r6 tmpz0x9c8v7; do under gcc -c "$W/$d/u.c" -o u.o; done
	asked 0 showed
	asked 1 "could not show"
}

@test "names expanded: the same macro, and an #if that is true" {
	unit '#include "tell.h"' '#undef TELL' '#define TELL(x) tell(__FILE__, x)' \
		'int tell(const char *, int);' 'int f(int x) { return TELL(x); }'
	hit_in_own "$OWN"
	unit '#define LETTER __FILE__[sizeof __FILE__ - 9]' '#include "tell.h"' \
		'#if LOUD' '#undef LETTER' '#define LETTER 1' '#endif' 'int f() { return LETTER; }'
	hit_in_own "$OWN"
	# In a header of the unit.
	local d
	for d in "${CHECKOUTS[@]}"; do
		put "$d/sub/conf.h" '#define LOUD 1' 'int tell(const char *, int);' \
			'inline int g(int x) { return tell(__FILE__, x); }'
	done
	unit '#include "tell.h"' 'int f(int x) { return g(x); }'
	hit_in_own "$OWN"
}

# The preprocessor uses the name, and its output does not show it.
@test "names expanded: a name in a directive" {
	local self='#define SELF __FILE__' tell='#include "tell.h"'
	local f='int f(int x) { return TELL(x); }'
	unit "$self" "$tell" "$f" '#if __has_include(SELF)' 'int there;' '#endif'
	hit_in_own "$OWN"
	unit "$self" "$tell" "$f" '#define HAS(x) __has_include(x)' '#if HAS(SELF)' 'int there;' \
		'#endif'
	hit_in_own "$OWN"
	unit '#ifndef ONCE' '#define ONCE' "$self" "$tell" "$f" '#include SELF' '#endif'
	hit_in_own "$OWN"
	unit "$tell" "$f" '#line 7 "x.cc"' 'int g() { return __LINE__; }'
	hit_in_own "$OWN"
}

# bats test_tags=check
@test "names expanded: the compiler's own words" {
	local tell='#include "tell.h"' f='int f(int x) { return TELL(x); }'
	unit "$tell" "$f" 'const char *g(const char *n = __builtin_FILE()) { return n; }' \
		'const char *h() { return g(); }'
	hit_in_own "$OWN"
	unit "$tell" "$f" 'int g() { return sizeof __BASE_FILE__; }'
	hit_in_own "$OWN"
	unit "$tell" "$f" '#define S(x) #x' '#define T(x) S(x)' \
		'const char *g() { return T(__FILE__); }'
	hit_in_own "$OWN"
	unit "$tell" "$f" '#define CAT(a, b) a##b' 'int g() { return sizeof CAT(__FI, LE__); }'
	hit_in_own "$OWN"
	unit "$tell" "$f" '#include <source_location>' \
		'int g() { return std::source_location::current().file_name()[9]; }'
	hit_in_own "${OWN/-c/-std=c++20 -c}"
}

# bats test_tags=check
@test "names expanded: text that shows the name by another way is bound" {
	unit '#include "tell.h"' 'int f(int x) { return TELL(x); }' 'const char *u = "u.cc";'
	hit_in_own "$OWN"
	local d
	for d in "${CHECKOUTS[@]}"; do mkdir -p "$d/su b" && cp "$d"/sub/* "$d/su b"; done
	unit '#include "su b/tell.h"' 'int f(int x) { return TELL(x); }'
	hit_in_all "$OWN"
}

@test "names expanded: text that was preprocessed before" {
	local d
	for d in "${CHECKOUTS[@]}"; do
		put "$d/u.ii" 'const char *f() { return __builtin_FILE(); }'
		put "$d/v.cc" 'int v;'
	done
	hit_in_own "${OWN/u.cc/u.ii}"
	unit '#include "tell.h"' 'int f(int x) { return TELL(x); }'
	hit_in_own 'REPRISE_BASE_DIRS="$PWD" g++ -I"$PWD/sub" -c "$PWD/u.cc" "$PWD/v.cc"'
}

@test "names expanded: values that change" {
	unit '#include "tell.h"' 'int tell(const char *, int);' 'int f(int x) { return TELL(x); }'
	hit_in_all "$OWN"
	put two/sub/conf.h '#define LOUD 1'
	again miss --cd two
	again hit --cd two
	again hit --cd one
	put a-third-one/sub/conf.h '#define LOUD 1'
	again miss --cd a-third-one
}

# bats test_tags=check
@test "names expanded: -g, where debugdir is accepted" {
	local d before option
	export REPRISE_SLOPPY=debugdir
	unit '#include "tell.h"' 'int f(int x) { return TELL(x); }'
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
	for d in "${CHECKOUTS[@]}"; do put "$d/sub/conf.h" '#define LOUD 1'; done
	unit 'inline int tell(const char *s, int x) { return s[x]; }' '#include "tell.h"' \
		'int f(int x) { return TELL(x); }'
	age
	before=$(stat_of hits_local)
	for d in "${CHECKOUTS[@]}"; do
		REPRISE_BASE_DIRS=$W/$d under g++ -g -I"$W/$d/sub" -c "$W/$d/u.cc" -o "$d/u.o"
		objcopy --strip-debug "$d/u.o"
		grep -q "$W/$d/u.cc" "$d/u.o" || fail "another name"
	done
	[ "$(stat_of hits_local)" = "$before" ] || fail "a hit"
}
