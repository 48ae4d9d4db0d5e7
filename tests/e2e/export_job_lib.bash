# Jobs that keep a list, and what is exported of them. After units_lib.bash.
#
#     setup() { load units_lib; load export_job_lib; export_job_setup; }
#     teardown() { remote_teardown; }
#     job one gcc -c a.c                               # $STORE/jobs/one
#     says 0 "2 entries" reprise export --job one "$PACK"

export_job_setup() {
	local f
	units_setup
	need gcc
	PACK=$ROOT/pack
	HOST=$(uname -n)
	for f in a b c; do put $f.c "int $f(void) { return 1; }"; done
	age
}

# job NAME CMD...: under Reprise, with a list of the job's entries.
job() {
	local name=$1
	shift
	env "${RPENV[@]}" REPRISE_JOB="$name" REPRISE_JOB_LIST=1 "$@"
}

list() { echo "$STORE/jobs/$1/$HOST"; }
# Records of a list, each once.
lines() { grep -E '^[145] [0-9a-f]{64} [0-9a-f]{64}$' "$(list "$1")" | sort -u | wc -l; }

says() { # STATUS PATTERN CMD...
	local want=$1 pattern=$2
	shift 2
	run "$@"
	[ "$status" = "$want" ] || { fail "status $status: $output"; return 1; }
	[[ $output == *"$pattern"* ]] || { fail "no '$pattern' in: $output"; return 1; }
}

# Runs in the present store, without a list.
hit() {
	local before
	before=$(stat_of hits_local)
	under "$@"
	[ "$(stat_of hits_local)" = $((before + 1)) ] || { fail "$*: no hit"; return 1; }
}
miss() {
	local before
	before=$(stat_of misses)
	under "$@"
	[ "$(stat_of misses)" = $((before + 1)) ] || { fail "$*: no miss"; return 1; }
}

# kernels_like DIR WORD...: does what Triton does with a kernel of each word: looks for its index,
# and makes the directory if there is none. Prints how many it made.
kernels_like() {
	cat >"$ROOT/like.py" <<'END'
import base64, hashlib, json, os, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL) # Python ignores it; hosts in C++ do not
made = 0
for word in sys.argv[2:]:
    at = os.path.join(sys.argv[1],
                      base64.b32encode(hashlib.sha256(word.encode()).digest()).decode().rstrip("="))
    index = os.path.join(at, "__grp__k.json")
    if not os.path.exists(index):
        os.makedirs(at, exist_ok=True)
        with open(os.path.join(at, "k.code"), "w") as f:
            f.write(word)
        with open(index + ".tmp", "w") as f:
            json.dump({"child_paths": {"k.code": os.path.join(at, "k.code")}}, f)
        os.rename(index + ".tmp", index)
        made += 1
    assert open(os.path.join(at, "k.code")).read() == word
print(made)
END
	LIKE=("$PY" "$ROOT/like.py")
}
