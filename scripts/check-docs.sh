#!/bin/sh
# check-docs.sh - the pages under docs/ against the tables in the code. Silent when all agree.
#
# - docs/coverage.md: "Hooked" names exactly what hooks/hooks.def exports, the other sections none of it;
# - docs/limits.md lists the system calls of shim/sandbox.def that are not a tool's own, and the code makes no other;
# - docs/settings.md, reasons.md, tools.md, keys.md, formats.md and frameworks.md hold what scripts/tables.sh prints;
# - docs/dependencies.md names exactly the packages of scripts/setup;
# - links between pages lead to files that exist;
# - a variable REPRISE_... that a page names is a setting, or one of the few below;
# - a file of this tree that a page or a comment cites (store/entry.c) is there.
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

# differ WHAT PAGE HAVE WANT: two sorted lists, named one by one.
differ() {
	for name in $(comm -23 "$3" "$4"); do
		say "$2 names $name, $1 does not"
	done
	for name in $(comm -13 "$3" "$4"); do
		say "$2 does not name $name, $1 does"
	done
}

# section PAGE HEADING: lines below "## HEADING" up to the next heading.
section() {
	awk -v heading="## $2" '/^## / { on = $0 == heading; next } on' "$1"
}

# quoted: the words in backticks of the second column.
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
		say "docs/coverage.md lists $name under $heading, hooks/hooks.def hooks it"
	done
done

# called NAME: the calls of the rows NAME of shim/sandbox.def.
called() {
	sed -n "s/^$1/&/p" shim/sandbox.def | grep -o 'SYS_[a-z0-9_]*' | sort -u
}

called FOREIGN >"$work/foreign"
called OWN >"$work/own"
section docs/limits.md 'System call filters' | grep -o '`[a-z0-9_]*`' | tr -d '`' | sed 's/^/SYS_/' | sort -u >"$work/listed"
differ shim/sandbox.def docs/limits.md "$work/listed" "$work/foreign"
sort -u "$work/foreign" "$work/own" >"$work/known"
grep -rhoE --include='*.[ch]' 'SYS_[a-z0-9_]+' shim keying store remote units action jit hooks | sort -u >"$work/made"
differ 'the code' shim/sandbox.def "$work/known" "$work/made"

for page in settings reasons tools keys formats frameworks; do
	sh scripts/tables.sh "$page" >"$work/want"
	[ -s "$work/want" ] || say "scripts/tables.sh $page prints nothing"
	sh scripts/tables.sh --of "$page" >"$work/have"
	cmp -s "$work/have" "$work/want" || say "docs/$page.md is not what the table says: scripts/tables.sh --update"
done

sh scripts/setup --list | tr ' ' '\n' | sed '/^$/d' | sort -u >"$work/packages"
awk -F '|' '/^\|/ && NF > 3 { print $2 }' docs/dependencies.md | grep -o '`[^`]*`' | tr -d '`' | sort -u >"$work/named"
differ scripts/setup docs/dependencies.md "$work/named" "$work/packages"

for page in README.md CONTRIBUTING.md docs/*.md; do
	for link in $(grep -o '](\([^)#:]*\)[^):]*)' "$page" | sed 's/^](//; s/[)#].*//'); do
		[ -e "$(dirname "$page")/$link" ] || say "$page links to $link, which is not there"
	done
done

# Not settings: what processes of one job tell each other.
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

# In tests/data and bench/results stand texts of others. A "*" stands for something that is there.
folders='shim|keying|store|remote|units|action|jit|hooks|cli|libexec|tests|bench|scripts|docs|demo'
find Makefile ./*.md docs scripts shim keying store remote units action jit hooks cli libexec tests bench demo \
	\( -path tests/data -o -path tests/reports -o -path bench/results \) -prune -o -type f -print |
	xargs grep -HnoE "(^|[^[:alnum:]_./\$}-])($folders)/[[:alnum:]_./*-]*\.(c|h|def|sh|bats|bash|md|py|cu)([^[:alnum:]_]|\$)" |
	sed -E "s,^([^:]*:[0-9]*):.*(^|[^[:alnum:]_./\$}-])(($folders)/[[:alnum:]_./*-]*\.(c|h|def|sh|bats|bash|md|py|cu)).*,\1 \3," >"$work/cited"
[ -s "$work/cited" ] || say "no citation found"
while read -r where path; do
	ls $path >/dev/null 2>&1 || say "$where cites $path, which is not there"
done <"$work/cited"
exit $bad
