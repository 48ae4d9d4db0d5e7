#!/bin/sh
# check-docs.sh - compares the pages under docs/ with the tables in the code. Silent when all agree.
#
# - docs/coverage.md: "Hooked" names exactly the functions that hooks/hooks.def exports, and the
#   other sections name none of them;
# - docs/limits.md lists the FOREIGN system calls of shim/sandbox.def, and the code makes no system
#   call that shim/sandbox.def lacks;
# - docs/settings.md, reasons.md, tools.md, keys.md and formats.md end with the output of
#   scripts/tables.sh;
# - docs/dependencies.md names exactly the packages of scripts/setup;
# - links between pages lead to files that exist;
# - a variable REPRISE_... that a page names is a setting, or one of the few below;
# - a file of this tree that a page or a comment cites (store/entry.c) exists.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

say() {
	echo "check-docs: $*"
	bad=1
}

# differ WHAT PAGE HAVE WANT: reports each line that only one of two sorted lists has.
differ() {
	for name in $(comm -23 "$3" "$4"); do
		say "$2 names $name, but $1 does not"
	done
	for name in $(comm -13 "$3" "$4"); do
		say "$2 does not name $name, but $1 does"
	done
}

# section PAGE HEADING: prints the lines from "## HEADING" to the next heading.
section() {
	awk -v heading="## $2" '/^## / { on = $0 == heading; next } on' "$1"
}

# quoted: prints the words in backticks of the second column.
quoted() {
	awk -F '|' 'NF > 3 { print $3 }' | grep -o '`[^`]*`' | tr -d '`' | tr ' ' '\n' | sort -u
}

make -s build/exports.list
section docs/coverage.md 'Hooked' | quoted >"$work/hooked"
differ hooks/hooks.def docs/coverage.md "$work/hooked" build/exports.list
for heading in 'Should be hooked' 'Not needed'; do
	section docs/coverage.md "$heading" | quoted >"$work/other"
	[ -s "$work/other" ] || say "docs/coverage.md: no names under $heading"
	for name in $(comm -12 "$work/other" build/exports.list); do
		say "docs/coverage.md lists $name under $heading, but hooks/hooks.def hooks it"
	done
done

# called NAME: prints the system calls in rows of shim/sandbox.def that start with NAME.
called() {
	sed -n "s/^$1/&/p" shim/sandbox.def | grep -o 'SYS_[a-z0-9_]*' | sort -u
}

called FOREIGN >"$work/foreign"
called OWN >"$work/own"
section docs/limits.md 'System call filters' | grep -o '`[a-z0-9_]*`' | tr -d '`' |
	sed 's/^/SYS_/' | sort -u >"$work/listed"
differ shim/sandbox.def docs/limits.md "$work/listed" "$work/foreign"
sort -u "$work/foreign" "$work/own" >"$work/known"
grep -rhoE --include='*.[ch]' 'SYS_[a-z0-9_]+' \
	shim keying store remote units action jit hooks | sort -u >"$work/made"
differ 'the code' shim/sandbox.def "$work/known" "$work/made"

for page in settings reasons tools keys formats; do
	sh scripts/tables.sh "$page" >"$work/want"
	[ -s "$work/want" ] || say "scripts/tables.sh $page prints nothing"
	tail -n "$(wc -l <"$work/want")" "docs/$page.md" >"$work/have"
	cmp -s "$work/have" "$work/want" ||
		say "docs/$page.md differs from the table; run: scripts/tables.sh --update"
done

sh scripts/setup --list | tr ' ' '\n' | sed '/^$/d' | sort -u >"$work/packages"
awk -F '|' '/^\|/ && NF > 3 { print $2 }' docs/dependencies.md | grep -o '`[^`]*`' | tr -d '`' |
	sort -u >"$work/named"
differ scripts/setup docs/dependencies.md "$work/named" "$work/packages"

for page in README.md CONTRIBUTING.md docs/*.md; do
	for link in $(grep -o '](\([^)#:]*\)[^):]*)' "$page" | sed 's/^](//; s/[)#].*//'); do
		[ -e "$(dirname "$page")/$link" ] ||
			say "$page links to $link, which does not exist"
	done
done

# REPRISE_TRACE is no setting: the processes of a job pass it to each other.
{
	sh scripts/tables.sh settings | sed -n 's/^| `\(REPRISE_[A-Z_]*\)`.*/\1/p'
	printf '%s\n' REPRISE_TRACE
} | sort -u >"$work/settings"
for page in README.md docs/*.md docs/man/*; do
	[ -e "$page" ] || continue
	grep -o 'REPRISE_[A-Z][A-Z_]*[A-Z]' "$page" | sort -u >"$work/used" || continue
	for name in $(comm -23 "$work/used" "$work/settings"); do
		say "$page names $name, which is no setting"
	done
done

# tests/data and bench/results hold texts of other projects. A "*" in a cited path has to match a
# file.
before='(^|[^[:alnum:]_./$}-])'
cited='/[[:alnum:]_./*-]*\.(c|h|def|sh|bats|bash|md|py|cu)'
folders='shim|keying|tools|store|remote|units|action|jit|hooks|cli'
folders="$folders|packaging|tests|bench|scripts|docs"
find Makefile ./*.md docs scripts packaging shim keying tools store remote units action jit \
	hooks cli tests bench \
	\( -path tests/data -o -path tests/reports -o -path bench/results \) -prune -o \
	-type f -print |
	xargs grep -HnoE "$before($folders)$cited([^[:alnum:]_]|\$)" |
	sed -E "s,^([^:]*:[0-9]*):.*$before(($folders)$cited).*,\1 \3," >"$work/cited"
[ -s "$work/cited" ] || say "no citation found"
while read -r where path; do
	ls $path >/dev/null 2>&1 || say "$where cites $path, which does not exist"
done <"$work/cited"
exit $bad
