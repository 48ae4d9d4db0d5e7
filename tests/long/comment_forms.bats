#!/usr/bin/env bats
# Texts with one comment-free form are one text to gcc and clang.

@test "comment forms: the compilers give equal answers for such texts" {
	make -s -C "$BATS_TEST_DIRNAME/../.." build/long/comment_form
	run python3 "$BATS_TEST_DIRNAME/comment_forms.py" \
		"$BATS_TEST_DIRNAME/../../build/long/comment_form" "${COMMENT_FORMS_SECONDS:-1200}"
	echo "# ${lines[-1]}" >&3
	[ "$status" = 0 ] || { echo "$output"; return 1; }
}
