#!/bin/sh
# Compiles every "free" line of tests/data/cwd_free.txt with the installed compilers in two
# directories of different names and compares object, dependency file, stdout and stderr byte for
# byte: what tools/cmdline/cmdline.c calls independent of the working directory has to be.
# For "bound" lines it only counts how many really differ.
set -eu
cd "$(dirname "$0")/../.."
list=$PWD/tests/data/cwd_free.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
fail=0 compared=0 differ=0

for d in one another-much-longer-name; do
	mkdir -p "$work/$d/src/inc"
	cat >"$work/$d/src/inc/pre.h" <<-'EOF'
	#pragma once
	#define PRE 1
	static inline int inc(int x) { return x + PRE; }
	EOF
	cat >"$work/$d/src/t.c" <<-'EOF'
	#include <stdio.h>
	#include <string.h>
	#include "inc/pre.h"
	#include <assert.h>
	static int hidden(int unused_one) { return inc(3) + (int)sizeof(__FILE__); }
	int twice(int *p, int n) {
		int sum = 0, unused_two;
		assert(n > 0);
		for (int i = 0; i < n; i++) sum += p[i] * hidden(n);
		printf("%s %d %s\n", __FILE__, __LINE__, __func__);
		return sum;
	}
	EOF
	cat >"$work/$d/src/t.cc" <<-'EOF'
	#include <vector>
	#include <string>
	#include <cstdio>
	#include <cassert>
	#include "inc/pre.h"
	namespace { struct quiet { quiet() { std::puts(__FILE__); } } only; }
	int total(const std::vector<int> &v) {
		int s = 0, unused;
		auto f = [&](int x) { s += inc(x); };
		for (int x : v) f(x);
		assert(s != 5);
		static std::string name = __PRETTY_FUNCTION__;
		return s + (int)name.size();
	}
	EOF
done

one() { # directory, compiler, source, flags...
	dir=$1 cc=$2 src=$3
	shift 3
	(
		cd "$work/$dir/src"
		rc=0
		"$cc" "$@" "$src" >out 2>err || rc=$?
		echo $rc >rc
	)
}

while read -r verdict who flags; do
	case $verdict in free | bound) ;; *) continue ;; esac
	for cc in gcc clang g++ clang++; do
		case $who,$cc in
		both,* | gcc,gcc | gcc,g++ | clang,clang | clang,clang++) ;;
		*) continue ;;
		esac
		case $cc in *++) src=t.cc ;; *) src=t.c ;; esac
		f=$flags
		case $cc in
		*++)
			f=$(echo "$f" | sed \
				's/-x c /-x c++ /; s/-x c-header/-x c++-header/; s/gnu11/gnu++17/')
			;;
		esac
		for d in one another-much-longer-name; do
			(
				cd "$work/$d/src" && find . \
					-type f ! -name 't.c' ! -name 't.cc' ! -name pre.h -delete
			)
			eval "one $d $cc $src $f"
		done
		if diff -r "$work/one" "$work/another-much-longer-name" >/dev/null; then
			same=1
		else
			same=0
		fi
		if [ "$verdict" = free ]; then
			compared=$((compared + 1))
			if [ "$(cat "$work/one/src/rc")" != 0 ]; then
				echo "cannot compile: $cc $f: $(head -3 "$work/one/src/err")"
				fail=1
			elif [ $same = 0 ]; then
				echo "not free: $cc $f"
				fail=1
			fi
		elif [ $same = 0 ]; then
			differ=$((differ + 1))
		fi
	done
done <"$list"
echo "$compared compiles compared, $differ of the bound ones differ"
[ $compared -gt 0 ] || fail=1
exit $fail
