# A root of arm64, whose programs run below qemu-user (packaging/root.sh).
#
#     setup_file() { load aarch64; aarch64_find build/aarch64; }
#     setup() { load lib; load aarch64; [ -z "$WHY" ] || skip "$WHY"; }
#     in_aarch64 'gcc --version'      # $status, $output; starts in /src, with that build in build/

AARCH64_TOP=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)

# aarch64_find BUILD: sets WHY, which is empty where the root can be entered.
aarch64_find() {
	export WHY= ARCH=arm64 BUILD=$1 INCLUDE='bash dash coreutils gcc g++ make python3 findutils
		diffutils grep sed mawk procps util-linux debianutils hostname tar gzip file
		redis-server redis-tools bats jq ninja-build bc'
	[ -e "$AARCH64_TOP/$BUILD/libreprise.so" ] ||
		{ WHY="no $BUILD: make cross-aarch64"; return; }
	[ "$(id -u)" = 0 ] || { WHY="not root"; return; }
	local status=0 log=$BATS_FILE_TMPDIR/root
	sh "$AARCH64_TOP/packaging/root.sh" "" build/root-aarch64 true >"$log" 2>&1 || status=$?
	[ $status != 77 ] || WHY="no root of arm64 can be entered: $(tail -n 1 "$log")"
}

in_aarch64() { run sh "$AARCH64_TOP/packaging/root.sh" "" build/root-aarch64 "$1"; }
