#!/usr/bin/env bats
# D: every compile asks for the time, and the texts that it reads say whether that matters.

setup() {
	load lib
	case_setup
	need gdc
	put b.d 'module b;' 'int g(int x) { return x; }'
	put a.d 'module a;' 'import b;' 'int f(int x) { return g(x) + 1; }'
	put p.d 'import core.stdc.stdio;' 'extern(C) int main() { printf("%d\n", 1); return 0; }'
}
teardown() { case_teardown; }

@test "gdc: an object, assembly, a program" {
	differential --makes a.o -- gdc -O2 -c a.d
	differential --makes a.s -- gdc -S a.d
	differential --makes o/a.o -- sh -c 'mkdir o; gdc -g -c a.d b.d -o o/a.o'
	differential --makes p -- gdc p.d -o p
	gdc -c p.d
	differential --makes p -- gdc p.o -o p
}

@test "gdc: a source or a module that changes" {
	differential --makes a.o -- gdc -c a.d
	put b.d 'module b;' 'int g(T)(T x) { return cast(int) x; }'
	again miss:input
	put a.d 'module a;' 'import b;' 'int f(int x) { return g(x) + 2; }'
	again miss
}

# bats test_tags=check
@test "gdc: another directory is another action" {
	differential --makes a.o -- gdc -c a.d
	mkdir d
	cp a.d b.d d
	differential --cd d --cold miss -- gdc -c a.d
}

# bats test_tags=check
@test "gdc: a text that may hold the time" {
	local text
	for text in 'enum t = __TIMESTAMP__;' 'mixin("enum t = __TI" ~ "ME__;");' \
		'alias t = imported!"b".g;'; do
		put t.d 'module t;' "$text"
		differential --cold unstored:time -- gdc -c t.d
	done
	# The time is in a module, and gcc is the driver.
	put t.d 'module t;' 'enum s = __DATE__.length;'
	put u.d 'module u;' 'import t;' 'int x = s;'
	differential --cold unstored:time -- gdc -c u.d
	differential --cold unstored:time -- gcc -c u.d
	differential --makes a.o -- gcc -c a.d
}

# bats test_tags=check
@test "gdc: time and zone that are given" {
	put t.d 'module t;' 'string s() { return __TIMESTAMP__; }'
	differential --env $'SOURCE_DATE_EPOCH=86400\nTZ=UTC0' --makes t.o -- gdc -c t.d
	differential --env $'SOURCE_DATE_EPOCH=172800\nTZ=UTC0' --makes t.o -- gdc -c t.d
	differential --env SOURCE_DATE_EPOCH=86400 --cold unstored:time -- gdc -c t.d
}

# bats test_tags=check
@test "gdc: library modules with string mixins, dependency files" {
	put w.d 'import std.stdio;' 'void main() { writeln("hi"); }'
	differential --cold unstored:time -- gdc -c w.d
	differential --env $'SOURCE_DATE_EPOCH=86400\nTZ=UTC0' --makes w.o -- gdc -c w.d
	differential --makes "a.o a.deps" -- gdc -MMD -MF a.deps -c a.d
}

# bats test_tags=check
@test "gdc: an interface file, and one that is there" {
	differential --makes "a.o a.di" -- gdc -H -c a.d
	put a.di 'module a;'
	differential --fresh --cold hit --makes "a.o a.di" -- gdc -H -c a.d
}

# bats test_tags=check
@test "gdc: an error" {
	put e.d 'module e;' 'import nowhere;'
	differential --status 1 --cold unstored -- gdc -c e.d
}
