#!/usr/bin/env bats
# Modules of C++ that g++ makes: gcm.cache, files that -fmodule-mapper= names, header units. Two
# real runs make different modules, as each holds its time: a replay gives the recorded one.

setup() {
	load lib
	case_setup
	GXX='g++ -std=c++20 -fmodules-ts'
	put m.cc 'export module m;' 'export int f() { return 1; }'
	put u.cc 'import m;' 'int u() { return f(); }'
	put map 'm bmi/sub/m.gcm'
	age
}
teardown() { case_teardown; }

@test "modules: g++ makes one, and its users" {
	differential --ignore '*.gcm' --makes "m.o gcm.cache/m.gcm" -- $GXX -c m.cc -o m.o
	# The directory is there.
	mkdir gcm.cache
	again any --ignore '*.gcm'
	again hit --ignore '*.gcm'
	$GXX -c m.cc -o m.o
	differential --makes u.o -- $GXX -c u.cc -o u.o
	again hit
	# An older module gives way.
	differential --fresh --cold any --ignore '*.gcm' -- $GXX -c m.cc -o m.o
	again hit
}

@test "modules: two builds in a clean tree" {
	local i verdict=stored
	put n.cc 'export module n;' 'export import m;' 'export int g() { return f() + 1; }'
	put n_impl.cc 'module n;' 'int h() { return g(); }'
	put v.cc 'import n;' 'int v() { return f() + g(); }'
	for i in 1 2; do
		for u in m n n_impl v u; do
			case $u in
			m | n) under $GXX -c $u.cc -o $u.o ;;
			*) differential --cold $verdict -- $GXX -c $u.cc -o $u.o ;;
			esac
			age
		done
		verdict=hit
		rm -rf gcm.cache ./*.o
	done
	[ "$(stat_of unstored)" = 0 ]
}

@test "modules: a changed module, a module that is gone" {
	$GXX -c m.cc -o m.o
	age
	differential -- $GXX -c u.cc -o u.o
	put m.cc 'export module m;' 'export int f() { return 1; }' 'export int more();'
	$GXX -c m.cc -o m.o
	age
	again miss:input
	rm -r gcm.cache
	again any --status 1
}

@test "modules: the time and the directory in a module" {
	put t.cc 'export module t;' 'export inline const char *t() { return __TIME__; }'
	differential --cold unstored:time --ignore '*t.*' -- $GXX -c t.cc -o t.o
	put t.cc 'export module t;' '#define PASTE(a, b) a##b' \
		'export inline const char *t() { return PASTE(__DA, TE__); }'
	differential --cold unstored:time --ignore '*t.*' -- $GXX -c t.cc -o t.o
	# Two sources in one command: the time of one is not the date of the other.
	put s.cc 'const char *s = __TIMESTAMP__;'
	differential --cold unstored:time --ignore '*.gcm' -- $GXX -c m.cc s.cc
	differential --ignore '*.gcm' --env SOURCE_DATE_EPOCH=1000000000 -- $GXX -c m.cc -o m.o
	# A module holds the working directory.
	mkdir other
	cp -p m.cc other/
	differential --ignore '*.gcm' -- $GXX -O1 -c m.cc -o m.o
	again miss --cd other
}

@test "modules: a file that says where modules are" {
	differential --ignore '*.gcm' --makes "m.o bmi/sub/m.gcm" -- \
		$GXX -fmodule-mapper=map -c m.cc -o m.o
	put map '$root .' 'm bmi/sub/m.gcm'
	age
	again miss --ignore '*.gcm'
	$GXX -fmodule-mapper=map -c m.cc -o m.o
	age
	differential --makes u.o -- $GXX -fmodule-mapper=map -c u.cc -o u.o
	put map '$root bmi/sub' 'm m.gcm'
	again miss
	# As CMake calls it.
	rm m.o
	put m.modmap "\$root $W" "m $W/bmi/m.gcm"
	age
	differential --ignore '*.gcm' --makes "m.o m.d bmi/m.gcm" -- $GXX -O2 -MD -MT m.o -MF m.d \
		-fmodule-mapper=m.modmap -x c++ -o m.o -c m.cc
	rm -r map bmi
	again any --status any
	differential --cold any --status any -- $GXX -fmodule-mapper=map -c u.cc -o u.o
}

@test "modules: a program, a descriptor or an address that says where modules are" {
	put_script mapper '#!/bin/sh' 'exit 1'
	local form
	for form in "|$W/mapper" '=socket' 'localhost:9' '<3>4' 'map?id'; do
		differential --cold bypass:arguments --status any --filter "s/communication.*//" \
			-- $GXX "-fmodule-mapper=$form" -c u.cc -o u.o
	done
	differential --cold any --warm any --status any --env "CXX_MODULE_MAPPER=map" -- \
		$GXX -c u.cc -o u.o
}

@test "modules: header units" {
	put h.h '#pragma once' '#define H 4' 'inline int h() { return H; }'
	put w.cc 'import "h.h";' 'int w() { return h() + H; }'
	put x.cc '#include "h.h"' 'int x() { return h() + H; }'
	age
	differential --cold any --ignore '*.gcm' --makes "gcm.cache/,/h.h.gcm" -- \
		$GXX -x c++-header h.h
	$GXX -x c++-header h.h
	age
	differential -- $GXX -c w.cc -o w.o
	differential -- $GXX -c x.cc -o x.o
	rm -r gcm.cache
	again any
	# Its macro asks for the time where it is used.
	put h.h '#pragma once' '#define H __TIME__'
	put w.cc 'import "h.h";' 'const char *w = H;'
	$GXX -x c++-header h.h
	age
	differential --cold unstored:time --ignore '*.o' -- $GXX -c w.cc -o w.o
}
