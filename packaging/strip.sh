#!/bin/sh
# strip.sh STRIP PREFIX - strips the programs and the object in PREFIX, which `make install` filled.
# objcopy is beside STRIP under the same prefix.
#
# The programs' unwind tables, a twentieth of the wheel, become zeros, which is an empty table: they
# throw no exception and cancel no thread. To remove the sections would remove PT_GNU_RELRO with
# them (binutils 2.35 and 2.40). The object keeps its tables, since exceptions and cancelled
# threads of hosts may pass through its functions.
set -eu
objcopy=${1%strip}objcopy
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" bin/reprise libexec/reprise/*
"$1" --strip-unneeded lib/reprise/libreprise.so
for program in bin/reprise libexec/reprise/*; do
	for section in .eh_frame .eh_frame_hdr; do
		"$objcopy" --dump-section $section="$work/table" "$program" "$work/copy"
		head -c "$(wc -c <"$work/table")" /dev/zero >"$work/zeros"
		"$objcopy" --update-section $section="$work/zeros" "$program"
	done
done
