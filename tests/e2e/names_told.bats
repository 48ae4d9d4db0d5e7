#!/usr/bin/env bats
# Names that an output shows, in a unit with more headers than a recorded run searches: whether a
# text takes the name otherwise is found out when a start has another name (NAME_TOLD).

setup() {
	load lib
	load names_table
	case_setup
	mkdir "$ROOT/many"
	# 400 KB: judge/text/texts.c searches fewer bytes at once.
	seq -f 'int declared_with_a_long_name_%06.0f(int first, char second);' 6000 \
		>"$ROOT/many/many.h"
	cat >"$ROOT/many/tell.h" <<-'END'
		#include "many.h"
		#include <assert.h>
		#define TELL(x) (assert((x) > 3), (x) + 1)
		inline int tells(int x) { return TELL(x); }
	END
	cat >"$ROOT/many/keep.h" <<-'END'
		#include "tell.h"
		#define KEEP static const char *const kept = __FILE__;
		#define SIZE (sizeof __FILE__)
	END
	export I="-I$ROOT/many"
}
teardown() { case_teardown; }

in_four='in | tmpaaaaaaaa tmpzzzzzzzz tmp_a_b_c_d tmp.AbCdEfGhIj'

# bats test_tags=check
@test "names told: functions that are only declared receive the name" {
	names_table <<-END
	$in_four
	a.cc | #include "tell.h"\nint a(int x) { return TELL(x) + tells(x); }
	miss hit hit miss | g++ -O2 \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	miss hit hit miss | g++ \$I -MD -MF "\$PWD/a.d" -c "\$PWD/a.cc" -o "\$PWD/a.o"
	any  | g++ -O1 \$I -S "\$PWD/a.cc" -o "\$PWD/a.s"
	any  | g++ -O1 -g \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	any  | g++ -O1 -g3 \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	any  | g++ -O1 \$I -shared -fPIC "\$PWD/a.cc" -o "\$PWD/a.so"
	END
}

# bats test_tags=check
@test "names told: a text takes the name as well" {
	names_table <<-END
	$in_four
	a.cc  | #include "keep.h"\nKEEP int a(int x) { return TELL(x) + kept[9]; }
	bound | g++ -O2 \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	bound | g++ -O0 \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	b.cc  | #include "keep.h"\nint b(int x) { return TELL(x) + SIZE; }
	bound | g++ -O2 \$I -c "\$PWD/b.cc" -o "\$PWD/b.o"
	c.cc  | #include "tell.h"\nint c(int x) { return TELL(x) + (__builtin_FILE()[9] == 'z'); }
	bound | g++ -O2 \$I -c "\$PWD/c.cc" -o "\$PWD/c.o"
	d.cc  | #include "tell.h"\n#include <source_location>\n \\
		int d(int x) { return TELL(x) + std::source_location::current().file_name()[9]; }
	bound | g++ -std=c++20 -O2 \$I -c "\$PWD/d.cc" -o "\$PWD/d.o"
	e.cc  | #include "tell.h"\nconstexpr int h(const char *s) { \\
		return *s ? *s + h(s + 1) : 0; }\n \\
		int e(int x) { return TELL(x) + h(__BASE_FILE__); }
	bound | g++ -O2 \$I -c "\$PWD/e.cc" -o "\$PWD/e.o"
	END
}

# bats test_tags=check
@test "names told: a function that receives the name is defined in the unit" {
	names_table <<-END
	$in_four
	a.cc  | #include "tell.h"\nint seen;\nvoid __assert_fail(const char *, const char *f, \\
		unsigned, const char *) { seen = f[9]; __builtin_trap(); }\n \\
		int a(int x) { return TELL(x); }
	bound | g++ -O2 \$I -c "\$PWD/a.cc" -o "\$PWD/a.o"
	b.cc  | #include "tell.h"\n \\
		#define __assert_fail(a, f, l, n) (void)(f[9])\nvoid abort();\n \\
		int b(int x) { return TELL(x); }
	any   | g++ -O2 \$I -c "\$PWD/b.cc" -o "\$PWD/b.o"
	c.cc  | #define __LINE__ sizeof __FILE__\n#include "tell.h"\n \\
		int c(int x) { return TELL(x); }
	any   | g++ -O2 -w \$I -c "\$PWD/c.cc" -o "\$PWD/c.o"
	END
}
