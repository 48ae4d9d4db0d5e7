#!/bin/sh
# check-symbols.sh OBJECT EXPORTS [OBJDUMP] - refuses an object that other systems could not load,
# or that would change a host's process.
#
# - The object exports exactly the names of EXPORTS, without a version. EXPORTS holds one name a
#   line and is made from hooks/hooks.def. The object also exports hidden versions of the names that
#   hooks/linked.c interposes: a look-up without a version would find a default version.
# - It needs no symbol newer than GLIBC_2.17, on aarch64 none newer than GLIBC_2.28. An older loader
#   refuses it, and ends each process that it is preloaded into.
# - It needs no fortify symbol: musl lacks them, and its loader ends the process if a symbol is
#   missing.
# - DT_NEEDED is libc.so.6 alone.
# - It holds no debug information, with which a compiler that crashes prints another backtrace.
# - The hook of dlsym ends in a jump to the real dlsym, since RTLD_NEXT depends on the caller. Other
#   code calls dl_iterate_phdr and never jumps to it, since dl_iterate_phdr lists the objects of its
#   caller's namespace.
# - The variables that every start writes are on the page of .data, before the large variables: each
#   page more is a page fault (Makefile).
set -eu
LC_ALL=C
export LC_ALL
object=$1
exports=$2
objdump=${3:-objdump}
newest=2.17
# Debian's libffi for aarch64 uses memfd_create.
if readelf -h "$object" | grep -q 'Machine:.*AArch64'; then
	newest=2.28
fi
bad=0

say() {
	echo "check-symbols: $object: $*" >&2
	bad=1
}

symbols=$(readelf -W --dyn-syms "$object")

all=$(printf '%s\n' "$symbols" |
	awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $5 != "LOCAL" { print $8 }' | sort -u)
linked='nvrtc[A-Za-z]+@libnvrtc[.]so[.][0-9]+'
linked="^($linked|__nvJitLink[A-Za-z]+_([0-9]+)_[0-9]@libnvJitLink[.]so[.]\\2)\$"
node='^(REPRISE_0|libnvrtc[.]so[.][0-9]+|libnvJitLink[.]so[.][0-9]+)(@@.*)?$'
have=$(printf '%s\n' "$all" | grep -Ev "$linked|$node")
for name in $(printf '%s\n' "$have" | comm -23 - "$exports"); do
	say "exports $name, which hooks/hooks.def does not list"
done
for name in $(printf '%s\n' "$have" | comm -13 - "$exports"); do
	say "does not export $name, which hooks/hooks.def lists"
done

for symbol in $(printf '%s\n' "$symbols" | awk '$7 == "UND" && $8 ~ /@GLIBC_/ { print $8 }'); do
	version=${symbol#*@GLIBC_}
	case $version in
	PRIVATE) say "uses $symbol, private to one build of glibc" ;;
	*)
		latest=$(printf '%s\n%s\n' "$version" "$newest" | sort -V | tail -n 1)
		if [ "$latest" != "$newest" ]; then
			say "uses $symbol, newer than GLIBC_$newest"
		fi
		;;
	esac
	case $symbol in
	__*_chk@*) say "uses $symbol, which musl lacks" ;;
	esac
done

for library in $(readelf -W -d "$object" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
	case $library in
	libc.so.6) ;;
	*) say "needs $library" ;;
	esac
done

if readelf -W -S "$object" | grep -q '\.z*debug_info'; then
	say "holds debug information"
fi

code=$("$objdump" -d --no-show-raw-insn "$object" | grep '@plt>$')
way=$(printf '%s\n' "$code" | awk '$NF == "<dl_iterate_phdr@plt>" { print $2 }' | sort -u)
case $way in
call | callq | bl) ;;
'') say "calls dl_iterate_phdr nowhere, as far as $objdump shows" ;;
*) say "reaches dl_iterate_phdr by" $way ;;
esac
way=$("$objdump" -d --no-show-raw-insn --disassemble=dlsym "$object" |
	awk '$2 ~ /^(jmp|jmpq|br)$/ { print $2 }')
[ -n "$way" ] || say "leaves dlsym otherwise than by a jump"

# These variables stand in the order of the link. After a rename, change the list below. A stripped
# object has no names to compare.
variables=$(nm -n "$object" 2>/dev/null)
page() {
	printf '%s\n' "$variables" | awk -v name="$1" '
		$3 == name && $2 ~ /^[bd]$/ { print substr($1, 1, 13); exit }'
}
data=$(readelf -W -S "$object" |
	awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".bss" { print substr($3, 1, 13) }')
for name in ${variables:+real kept kept_used kept_bytes path}; do
	[ "$(page $name)" = "$data" ] || say "has $name on another page than the end of .data"
done
exit $bad
