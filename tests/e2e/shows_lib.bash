# Real jobs whose reports are compared with what strace saw, and drawn by a browser. After lib.bash.
#
#     setup() { load lib; ...; load shows_lib; shows_setup; }
#     show cold make -j2            # the job, under reprise-run and strace: $ROOT/cold.trace
#     [ "$(ran cold 'cc1|cc1plus')" = 3 ]    # programs of these names that were executed
#     figures cold 'd["compiles"] == 3'
#     drawn cold                    # its page: $ROOT/cold.html, $ROOT/cold.png

shows_setup() {
	need strace chromium
	RUN=$TOP/scripts/reprise-run
}

# show NAME COMMAND...: with REPRISE_JOB=NAME.
show() {
	local name=$1
	shift
	env REPRISE_JOB="$name" REPRISE_CACHE_DIR="$STORE" REPRISE_RUNTIME_DIR="$RUNTIME" \
		REPRISE_LOG="$LOG" strace -f -qq -e trace=execve -e status=successful \
		-o "$ROOT/$name.trace" "$RUN" "$@" >"$ROOT/$name.out" 2>"$ROOT/$name.err" ||
		{ tail -n 20 "$ROOT/$name.err" >&2; fail "$name: status $?"; }
}

# ran NAME PROGRAMS: executions in that job, by strace. PROGRAMS: base names, with | between.
ran() { grep -cE "execve\\(\"([^\"]*/)?($2)\"" "$ROOT/$1.trace" || :; }

# figures NAME CHECK: of the figures d of that job.
figures() {
	reprise report "$1" --json >"$ROOT/$1.json"
	"$PY" -c 'import json, sys; d = json.load(open(sys.argv[1])); assert ('"$2"'), d' \
		"$ROOT/$1.json"
}

# A browser of the case's own: it refuses a profile that another one uses.
browse() {
	TMPDIR=$ROOT/tmp chromium --headless --no-sandbox --disable-gpu \
		--user-data-dir="$ROOT/chromium" "$@" 2>>"$ROOT/chromium.err"
}

# drawn NAME: the report as a page that a browser draws, and as text that it read.
drawn() {
	reprise report "$1" -o "$ROOT/$1.html"
	browse --hide-scrollbars --window-size=1200,900 --screenshot="$ROOT/$1.png" \
		"file://$ROOT/$1.html"
	browse --dump-dom "file://$ROOT/$1.html" >"$ROOT/$1.dom"
	"$PY" - "$ROOT/$1.png" <<'P'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
width, height, depth, colours = struct.unpack(">IIBB", data[16:26])
assert (width, height, depth) == (1200, 900, 8), (width, height, depth)
at, packed = 8, b""
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    if data[at + 4:at + 8] == b"IDAT":
        packed += data[at + 8:at + 8 + size]
    at += 12 + size
# The picture has more than one colour: text, figures and lanes are there.
assert len(set(zlib.decompress(packed))) > 50
P
}

# shown NAME TEXT: the page that the browser read has it.
shown() { grep -qF -- "$2" "$ROOT/$1.dom" || fail "the report of $1 lacks: $2"; }
