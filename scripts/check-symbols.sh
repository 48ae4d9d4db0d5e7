#!/bin/sh
# check-symbols.sh OBJECT EXPORTS [OBJDUMP] - refuses an object that would not load, or load too much, elsewhere.
#
# - exports are exactly the names of EXPORTS (one a line, made from hooks/hooks.def), without a version, and hidden versions of
#   names of the libraries that hooks/linked.c stands in front of: a default one would be found by who asks for none;
# - no symbol newer than GLIBC_2.28, the oldest that torch's wheels run on;
# - no fortify symbols: musl lacks them, and its loader ends the process over a missing symbol;
# - DT_NEEDED is libc.so.6 alone;
# - no debug information: a compiler that crashes would print another backtrace than without the object;
# - dlsym, which we stand in front of, ends in a jump to the next one, since RTLD_NEXT depends on
#   who calls. dl_iterate_phdr is called, since it shows the objects of its caller's namespace;
# - what every start writes lies on .data's page, before the large variables: a page is a fault (Makefile).
set -eu
LC_ALL=C
export LC_ALL
object=$1
exports=$2
objdump=${3:-objdump}
newest=2.28
bad=0

say() {
	echo "check-symbols: $object: $*" >&2
	bad=1
}

symbols=$(readelf -W --dyn-syms "$object")

all=$(printf '%s\n' "$symbols" | awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $5 != "LOCAL" { print $8 }' | sort -u)
linked='^(nvrtc[A-Za-z]+@libnvrtc[.]so[.][0-9]+|__nvJitLink[A-Za-z]+_([0-9]+)_[0-9]@libnvJitLink[.]so[.]\2)$'
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
		if [ "$(printf '%s\n%s\n' "$version" "$newest" | sort -V | tail -n 1)" != "$newest" ]; then
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
way=$("$objdump" -d --no-show-raw-insn --disassemble=dlsym "$object" | awk '$2 ~ /^(jmp|jmpq|br)$/ { print $2 }')
[ -n "$way" ] || say "leaves dlsym otherwise than by a jump"

# As the linker laid them out: a name that is gone is a line to mend here. A stripped object has none.
variables=$(nm -n "$object" 2>/dev/null)
page() {
	printf '%s\n' "$variables" | awk -v name="$1" '$3 == name { print substr($1, 1, 13); exit }'
}
data=$(readelf -W -S "$object" | awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".bss" { print substr($3, 1, 13) }')
for name in ${variables:+real kept kept_used kept_bytes path}; do
	[ "$(page $name)" = "$data" ] || say "has $name on another page than the end of .data"
done
exit $bad
