# The real ptxas and ptxas-blackwell, from a triton wheel ($REPRISE_TEST_VENV, default build/venv)
# and from an installed CUDA. No GPU is needed. After lib.bash.

# PTXAS: all of them, each once. tests/run.sh knows by this name which suites want the venv.
need_ptxas() {
	local f venv=${REPRISE_TEST_VENV:-$TOP/build/venv}
	PTXAS=()
	for f in "$venv"/lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas{,-blackwell} \
		/usr/local/cuda*/bin/ptxas; do
		[ -x "$f" ] || continue
		f=$(readlink -f "$f")
		case " ${PTXAS[*]} " in *" $f "*) ;; *) PTXAS+=("$f") ;; esac
	done
	[ ${#PTXAS[@]} -gt 0 ] || skip "no ptxas: no triton in $venv, no CUDA"
}
