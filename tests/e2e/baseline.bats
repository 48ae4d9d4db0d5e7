#!/usr/bin/env bats
# Starts whose bytes must be right and whose verdicts must not get worse. See baseline/.

setup() {
	load lib
	case_setup
}
teardown() { case_teardown; }

# baseline OPTION: the corpus, or a share of it, compared with its record.
baseline() {
	REPRISE_LIB=$REPRISE_LIB REPRISE_BIN=$REPRISE_BIN REPRISE_TEST_ROOT=$ROOT/corpus \
		REPRISE_TEST_VENV=${REPRISE_TEST_VENV-} \
		TMPDIR=/tmp "$PY" "$E2E_DIR/baseline/run.py" "$@"
}

# bats test_tags=check
@test "baseline: starts of each family give the recorded bytes and verdicts" { baseline --fast; }

# bats test_tags=long
@test "baseline: all other starts, too" { baseline --rest; }
