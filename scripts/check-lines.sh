#!/bin/sh
# check-lines.sh - finds lines over 100 columns in C files, tables, scripts and the Makefile. A tab
# goes to the next multiple of 8, and each byte counts. It also finds checks of the bats suites that
# cannot fail. Silent when there is none; the last line counts the findings.
set -u
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
columns=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Files without an extension are scripts if their first line says so. tests/data holds texts of
# other projects.
find . \( -name .git -o -path ./build -o -path ./dist -o -path ./tests/data -o \
	-path ./tests/reports -o -path ./bench/results \) -prune -o -type f \( -name '*.[ch]' -o \
	-name '*.def' -o -name '*.sh' -o -name '*.bash' -o -name '*.bats' -o -name '*.py' -o \
	-name Makefile -o ! -name '*.*' -perm -u+x \) -print | sed 's|^\./||' | sort >"$work/files"
while read -r file; do
	case $file in
	*.* | Makefile) echo "$file" ;;
	*) head -n 1 "$file" | grep -q '^#!' && echo "$file" ;;
	esac
done <"$work/files" | xargs awk -v columns=$columns '
	{
		n = split($0, part, "\t")
		width = length(part[n])
		for (i = n - 1; i > 0; i--)
			width += 8 * (int(length(part[i]) / 8) + 1)
	}
	width > columns { print FILENAME ":" FNR ": " width " columns" }' >"$work/bad"

# `! command` and `test && test` end no case: "set -e" ignores the status of a negated command, and
# of all commands before the last "&&". A last line counts, since its status is the function's. A
# bare `! command` is refused there, too: somebody may add a line.
grep -E '\.(bats|bash)$' "$work/files" | xargs awk '
	function judge(next_line) {
		if (command ~ /\|\|[ \t]/)
			return
		if (command ~ /^[ \t]*! /)
			print at ": `! command` cannot fail a case: add `|| fail \"why\"`"
		else if (command ~ "^[ \t]*" test ".* &&[ \t]*" test && next_line !~ /^[ \t]*}/)
			print at ": only the last of these tests counts: one line for each"
	}
	BEGIN { test = "(!|\\[|\\[\\[|cmp|diff|grep) " }
	!continued { judge($0); at = FILENAME ":" FNR; command = "" }
	{
		command = command $0
		continued = command ~ /(\\|&&|\|)[ \t]*$/
		sub(/\\$/, "", command)
	}
	END { judge("") }' >>"$work/bad"
[ -s "$work/files" ] || echo "no file found" >"$work/bad"
[ -s "$work/bad" ] || exit 0
sed 's/^/check-lines: /' "$work/bad"
echo "check-lines: $(wc -l <"$work/bad") findings"
exit 1
