#!/usr/bin/env bats
# A fixed share of the test machines of tests/long, and that each of them notices a cache that is
# wrong.

setup() {
	load lib
	load ../long/machine/machine
	case_setup
}
teardown() { case_teardown; }

# bats test_tags=check
@test "machines: random starts" {
	# Eight starts of nvcc take as long as all of these.
	machine differential DIFFERENTIAL_STARTS=100 DIFFERENTIAL_SEED=2 \
		DIFFERENTIAL_TOOLS='gcc g++ clang clang++ gfortran as ld.bfd ar rustc script'
}

# bats test_tags=long
@test "machines: units under other names" {
	machine names NAMES_NAMES=9 -- --share 40
}

# bats test_tags=long
@test "machines: variables" {
	machine environment ENVIRONMENT_TOOLS='^(gcc|clang|as|ld.bfd|ptxas|script)$' -- --share 120
}

# bats test_tags=check
@test "machines: system calls on files that fail" {
	local calls='openat|statx|mkdirat|linkat|fchmod|ftruncate|renameat2|unlinkat|fallocate'
	calls+='|statfs|umask|readlinkat|faccessat|memfd_create|getdents64'
	machine faults FAULTS_NTH=0 FAULTS_COMMANDS='gcc|clang|shell|host' \
		FAULTS_CALLS="^($calls)\$" -- --share 40
}

# bats test_tags=long
@test "machines: system calls of a publisher that fail" {
	machine faults FAULTS_NTH=2 FAULTS_COMMANDS=publisher -- --share 40
}

# bats test_tags=check
@test "machines: random starts show a cache that is wrong" {
	notices differential 'gcc: ' DIFFERENTIAL_STARTS=64 DIFFERENTIAL_TOOLS=gcc
}

# bats test_tags=long
@test "machines: names show a cache that is wrong" {
	notices names 'c/letter: gcc -O2' NAMES_UNITS='^c/letter$' NAMES_NAMES=4
}

# bats test_tags=long
@test "machines: variables show a cache that is wrong" {
	notices environment 'gcc: DEPENDENCIES_OUTPUT: file' ENVIRONMENT_TOOLS='^gcc$' \
		ENVIRONMENT_VARIABLES='^DEPENDENCIES_OUTPUT$'
}

# bats test_tags=long
@test "machines: faults show a cache that is wrong" {
	notices faults 'gcc: clone: all' FAULTS_CALLS='^clone$' FAULTS_NTH=0
}

# bats test_tags=long
@test "machines: single options show a cache that is wrong" {
	notices each_option 'gcc: -Wp,.*' EACH_OPTION_TOOLS=gcc EACH_OPTION_OPTIONS='^-Wp,'
}
