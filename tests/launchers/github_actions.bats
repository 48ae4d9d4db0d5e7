#!/usr/bin/env bats
# bats file_tags=long
# The workflow for GitHub Actions, whose job workflow.py runs.

bats_require_minimum_version 1.5.0

setup() {
	load ../e2e/lib
	case_setup
	python3 -m venv "$ROOT/tools" && "$ROOT/tools/bin/pip" install -q --no-input pyyaml \
		>"$ROOT/pip" 2>&1 || skip "pip installs no pyyaml here"
	make -s -C "$TOP" install DESTDIR="$ROOT/inst" PREFIX=/usr/local >/dev/null
}
teardown() { case_teardown; }

# workflow RUN_ID [FILE]: $output and $stderr are what its steps said.
workflow() {
	run --separate-stderr env PATH="$ROOT/inst/usr/local/bin:$PATH" "$ROOT/tools/bin/python" \
		"$BATS_TEST_DIRNAME/workflow.py" "${2-$TOP/scripts/recipes/github-actions.yml}" \
		"$ROOT" "$1"
	[ "$status" = 0 ] || fail "$status: $output $stderr"
}

@test "github actions: the cache of the last run serves the next one" {
	put "$ROOT/repository/a.c" 'int a(void) { return 1; }'
	put "$ROOT/repository/b.c" 'int a(void);' 'int main(void) { return a(); }'
	put "$ROOT/repository/Makefile" 'CFLAGS = -g -O2' 'prog: a.o b.o' \
		$'\t$(CC) -o $@ $^'
	workflow 1
	[[ $stderr == *'reprise: 0 of 3 compiles replayed'* ]] || fail "$stderr"
	cp "$ROOT/runner/work/project/project/prog" first
	workflow 2
	[[ $output == *'restored reprise-Linux-X64-1'* ]] || fail "$output"
	[[ $stderr == *'reprise: 3 of 3 compiles replayed'* ]] || fail "$stderr"
	cmp "$ROOT/runner/work/project/project/prog" first
	put "$ROOT/repository/a.c" 'int a(void) { return 2; }'
	workflow 3
	[[ $output == *'restored reprise-Linux-X64-2'* ]] || fail "$output"
	[[ $stderr == *'reprise: 1 of 3 compiles replayed'* ]] || fail "$stderr"
	# What doctor says in a step.
	sed 's/reprise-run make/reprise doctor/' "$TOP/scripts/recipes/github-actions.yml" >ask.yml
	workflow 4 "$PWD/ask.yml"
	[[ $output == *'do not run under Reprise'*'-> start jobs with reprise-run'* ]] ||
		fail "$output"
}
