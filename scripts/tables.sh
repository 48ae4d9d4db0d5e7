#!/bin/sh
# tables.sh settings|reasons - the rows of shim/settings.def or shim/reason.def as a Markdown table.
# tables.sh --update - puts them into docs/settings.md and docs/reasons.md, below their marker line.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-gcc}

# expand MACRO FILE: every row as @@"field"@"field"...@@, strings still quoted as in C.
expand() {
	printf '%s\n#include "%s"\n' "$1" "$2" | $CC -I. -E -P -x c - | tr -d '\n' |
		sed 's/@@@/\n/g' | sed -n 's/^ *@ *//p'
}

# Fields are parted by " @ "; quotes of C strings fall away.
fields() {
	sed -e 's/ *@ */\t/g' -e 's/\t"/\t/g' -e 's/"\t/\t/g' -e 's/^"//' -e 's/"$//' -e 's/\\"/"/g' -e 's/[|<]/\\&/g'
}

settings() {
	echo '| setting | default | values | meaning |'
	echo '|---|---|---|---|'
	expand '#define SETTING(id, name, type, dflt, help) @@@ @ name @ type @ dflt @ help' shim/settings.def |
		fields | awk -F '\t' '
		BEGIN {
			kind["SETTING_BOOL"] = "0 or 1"
			kind["SETTING_SIZE"] = "bytes, or with K, M, G, T"
			kind["SETTING_PERCENT"] = "0 to 100"
			kind["SETTING_STRING"] = "text"
			kind["SETTING_PATH"] = "path"
			kind["SETTING_PATHS"] = "paths, with colons between"
			kind["SETTING_LEVEL"] = "a level"
			kind["SETTING_COMPRESS_MODE"] = "auto, 0 or 1"
		}
		NF == 4 {
			values = $2 in kind ? kind[$2] : "text"
			printf "| `REPRISE_%s` | %s | %s | %s |\n", $1, $3 == "" ? "" : "`" $3 "`", values, $4
		}'
}

reasons() {
	echo '| group | name | meaning |'
	echo '|---|---|---|'
	expand '#define REASON(id, group, name, text) @@@ @ group @ name @ text' shim/reason.def |
		fields | awk -F '\t' 'NF == 3 { printf "| %s | `%s` | %s |\n", tolower($1), $2, $3 }'
}

marker='<!-- The table below is printed by scripts/tables.sh. -->'

update() {
	page=docs/$1.md
	[ -e "$page" ] || return 0
	{
		awk -v marker="$marker" '{ print } $0 == marker { exit }' "$page"
		echo
		"$1"
	} >"$page.new"
	mv "$page.new" "$page"
}

case ${1-} in
settings | reasons) "$1" ;;
--update)
	update settings
	update reasons
	;;
*)
	echo "tables.sh: settings, reasons or --update" >&2
	exit 2
	;;
esac
