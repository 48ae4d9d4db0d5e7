# audit COMMAND...: under strace, kernel against trace (see audit.py). After lib.bash.
audit() {
	local s out
	out=$("$PY" "$TOP/tests/audit/audit.py" --lib "$REPRISE_LIB" "$@" 2>&1) && s=0 || s=$?
	[ $s != 77 ] || skip "$out"
	[ $s = 0 ] || { printf '%s\n' "$out" | head -n 60 >&2; fail "audit of: $*"; }
}
