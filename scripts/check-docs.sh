#!/bin/sh
# check-docs.sh - compares the pages under docs/ with the tables in the code. Silent when all agree.
#
# - docs/internals/coverage.md: "Hooked" names exactly what hooks/hooks.def exports, the other
#   sections none of it;
# - docs/troubleshooting.md lists the system calls of shim/kernel/sandbox.def that are not a tool's
#   own, and the code makes no other;
# - each page of scripts/tables.sh --pages holds what scripts/tables.sh prints for it;
# - docs/internals/dependencies.md names exactly the packages of scripts/setup;
# - docs/internals/drivers.md names each driver's file, and unit tests that exist;
# - every relative link of README.md, CONTRIBUTING.md and the pages leads to a file and a heading
#   that exist, and to nothing that `make install` leaves out;
# - a variable REPRISE_... that a page names is a setting, or one of the few below;
# - a file of this tree that a page or a comment cites (store/entry/entry.c) exists.
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
section docs/internals/coverage.md 'Hooked' | quoted >"$work/hooked"
differ hooks/hooks.def docs/internals/coverage.md "$work/hooked" build/exports.list
for heading in 'Should be hooked' 'Not needed'; do
	section docs/internals/coverage.md "$heading" | quoted >"$work/other"
	[ -s "$work/other" ] || say "docs/internals/coverage.md: no names under $heading"
	for name in $(comm -12 "$work/other" build/exports.list); do
		say "docs/internals/coverage.md lists $name under $heading, but hooks.def hooks it"
	done
done

# called NAME: prints the system calls in rows of shim/kernel/sandbox.def that start with NAME.
called() {
	sed -n "s/^$1/&/p" shim/kernel/sandbox.def | grep -o 'SYS_[a-z0-9_]*' | sort -u
}

called FOREIGN >"$work/foreign"
called OWN >"$work/own"
section docs/troubleshooting.md 'System call filters' | grep -o '`[a-z0-9_]*`' | tr -d '`' |
	sed 's/^/SYS_/' | sort -u >"$work/listed"
differ shim/kernel/sandbox.def docs/troubleshooting.md "$work/listed" "$work/foreign"
sort -u "$work/foreign" "$work/own" >"$work/known"
hosted='shim keying names trace proofs tools store remote units judge action jit hooks'
grep -rhoE --include='*.[ch]' 'SYS_[a-z0-9_]+' $hosted | sort -u >"$work/made"
differ 'the code' shim/kernel/sandbox.def "$work/known" "$work/made"

sh scripts/tables.sh --pages >"$work/pages"
[ -s "$work/pages" ] || say "scripts/tables.sh --pages prints nothing"
while read -r page file; do
	sh scripts/tables.sh "$page" >"$work/want"
	[ -s "$work/want" ] || say "scripts/tables.sh $page prints nothing"
	sh scripts/tables.sh --of "$page" >"$work/have"
	cmp -s "$work/have" "$work/want" ||
		say "$file is not what the table says: scripts/tables.sh --update"
done <"$work/pages"

sh scripts/setup --list | tr ' ' '\n' | sed '/^$/d' | sort -u >"$work/packages"
awk -F '|' '/^\|/ && NF > 3 { print $2 }' docs/internals/dependencies.md | grep -o '`[^`]*`' |
	tr -d '`' | sort -u >"$work/named"
differ scripts/setup docs/internals/dependencies.md "$work/named" "$work/packages"

for file in $(grep -rl --include='*.c' 'const struct driver driver_' tools); do
	[ "$file" = tools/driver.c ] || grep -q "^## ${file##*/}: " docs/internals/drivers.md ||
		say "docs/internals/drivers.md has no section for $file"
done
grep -o '`[a-z0-9_]*/[a-z0-9_]*`' docs/internals/drivers.md | tr -d '`' | grep -v '/$' |
	sort -u >"$work/shown"
[ -s "$work/shown" ] || say "docs/internals/drivers.md names no unit test"
for name in $(cat "$work/shown"); do
	grep -qE "^Test\(${name%/*}, ${name#*/}[,)]" tests/unit/test_*.c ||
		say "docs/internals/drivers.md names the unit test $name, which is not there"
done

# links PAGE: the targets of its relative links, one a line.
links() {
	grep -o '](\([^):]*\))' "$1" | sed 's/^](//; s/)$//'
}

# anchors PAGE: its headings, as links spell them.
anchors() {
	sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Installed are README.md, CHANGELOG.md, CONTRIBUTING.md, LICENSE, bench/README.md, the Markdown
# of docs/ and bench/results/, the pictures and examples of docs/, and the recipes, in the same
# folders.
for page in README.md CHANGELOG.md CONTRIBUTING.md bench/README.md \
	$(find docs bench/results -name '*.md'); do
	for link in $(links "$page"); do
		to=${link%%#*}
		to=$(realpath -m --relative-to=. "$(dirname "$page")/${to:-$(basename "$page")}")
		if [ ! -e "$to" ]; then
			say "$page links to $link, which is not there"
			continue
		fi
		case $to in
		README.md | CHANGELOG.md | CONTRIBUTING.md | LICENSE) ;;
		docs/*.md | docs/*.example | docs/*.png) ;;
		scripts/recipes | scripts/recipes/*) ;;
		bench/README.md | bench/results | bench/results/h?00 | bench/results/*.md) ;;
		*) say "$page links to $link, which make install leaves out" ;;
		esac
		case $link in
		*#*)
			anchors "$to" | grep -qxF -- "${link#*#}" ||
				say "$page links to $link, and $to has no such heading"
			;;
		esac
	done
done

# REPRISE_TRACE is no setting: the processes of a job pass it to each other.
{
	sh scripts/tables.sh settings | sed -n 's/^| `\(REPRISE_[A-Z_]*\)`.*/\1/p'
	printf '%s\n' REPRISE_TRACE
} | sort -u >"$work/settings"
for page in README.md docs/*.md docs/internals/*.md packaging/man.include; do
	grep -o 'REPRISE_[A-Z][A-Z_]*[A-Z]' "$page" | sort -u >"$work/used" || continue
	for name in $(comm -23 "$work/used" "$work/settings"); do
		say "$page names $name, which is no setting"
	done
done

# tests/data and bench/results hold texts of others, tests/e2e/baseline names of the past. A "*"
# stands for an existing file.
folders='shim|keying|names|trace|proofs|tools|store|remote|units|judge|action|jit|hooks'
folders="$folders|cli|tests|bench|scripts|docs"
path="($folders)/[[:alnum:]_./*-]*\.(c|h|def|sh|bats|bash|md|py|cu)"
before='(^|[^[:alnum:]_./$}-])'
find Makefile ./*.md $(echo "$folders" | tr '|' ' ') \( -path tests/data -o -path tests/reports -o \
	-path tests/e2e/baseline -o -path bench/results \) -prune -o -type f -print |
	xargs grep -HnoE "$before$path([^[:alnum:]_]|\$)" |
	sed -E "s,^([^:]*:[0-9]*):.*$before($path).*,\1 \3," >"$work/cited"
[ -s "$work/cited" ] || say "no citation found"
while read -r where path; do
	set -- $path
	[ -e "${1-.}" ] || say "$where cites $path, which does not exist"
done <"$work/cited"
exit $bad
