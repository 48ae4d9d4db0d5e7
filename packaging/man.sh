#!/bin/sh
# man.sh REPRISE DIRECTORY - writes the man pages reprise.1, reprise-run.1 and reprise.conf.5. They
# come from what `REPRISE COMMAND --help`, reprise-run --help and `REPRISE config --docs` print, and
# from man.include, which holds the sections that no command prints.
set -eu
reprise=$1
out=$2
here=$(dirname "$0")
include=$here/man.include
LC_ALL=C
export LC_ALL
unset ARGP_HELP_FMT
version=$("$reprise" version | head -n 1)

# header NAME SECTION TITLE
header() {
	echo ".TH $1 $2 \"\" \"Reprise ${version#* }\" \"$3\""
}

# included PAGE: the part of man.include below the line "[PAGE]".
included() {
	awk -v page="[$1]" '/^\[/ { on = $0 == page; next } on' "$include"
}

# as_roff TITLE: turns the text of a help into roff. An option is two blanks and a dash; other
# indented lines are kept as they are. TITLE is the request that stands for "Exit status:", "PP"
# for none.
as_roff() {
	awk -v title="$1" '
	# Dashes, backslashes, and `words` in bold.
	function plain(text) {
		gsub(/\\/, "\\e", text)
		gsub(/-/, "\\-", text)
		while (sub(/`/, "\\fB", text))
			sub(/`/, "\\fR", text)
		return text ~ /^[.\047]/ ? "\\&" text : text
	}
	# Ends the paragraph or the description of an option.
	function flush() {
		if (held != "")
			print plain(held)
		held = ""
		if (kept)
			print ".fi\n.RE"
		kept = 0
	}
	/^ *$/ { flush(); if (!fresh) print ".PP"; fresh = 1; next }
	index($0, "-") < 9 && /^ +(-\?|--usage|-V, --version|-h, --help)/ {
		flush()
		skip = 1
		next
	}
	/^Mandatory or optional arguments/ { mandatory = 1 }
	mandatory { if (/short options\.$/) mandatory = 0; next }
	# The text of an option is indented by more.
	/^ +-[-a-zA-Z]/ && index($0, "-") < 9 {
		flush()
		skip = fresh = 0
		text = $0
		sub(/^ +/, "", text)
		held = ""
		if (match(text, /  +/)) {
			held = substr(text, RSTART + RLENGTH)
			text = substr(text, 1, RSTART - 1)
		}
		printf ".TP\n.B %s\n", plain(text)
		option = 1
		next
	}
	/^  +- / {
		flush()
		print ".IP \\(bu 2"
		held = $0
		sub(/^ +- /, "", held)
		option = 1
		fresh = 0
		next
	}
	/^ / && (option || skip) {
		if (!skip) {
			sub(/^ +/, "")
			held = held == "" ? $0 : held " " $0
		}
		next
	}
	/^ / {
		if (!kept) {
			flush()
			print ".RS 4\n.nf"
		}
		kept = 1
		sub(/^  +/, "")
		print plain($0)
		fresh = 0
		next
	}
	{
		if (option || kept) {
			flush()
			print ".PP"
		}
		option = skip = 0
		if (/^Exit status: / && title != "PP") {
			print ".SH EXIT STATUS"
			sub(/^Exit status: /, "")
		}
		if (/^Options:$/) {
			print ".SH OPTIONS"
			next
		}
		held = held == "" ? $0 : held " " $0
		fresh = 0
	}
	END { flush() }'
}

# usage: the first line of a help as a synopsis.
usage() {
	sed -n '1s/^Usage: //p' | sed -e 's/-/\\-/g' -e 's/^/.B /'
}

# command NAME: its section.
command_section() {
	"$reprise" "$1" --help >"$work/help"
	echo ".SS $1"
	usage <"$work/help"
	echo .PP
	sed 1d "$work/help" | as_roff PP
	included "reprise.1 $1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
"$reprise" help >"$work/main"
commands=$("$reprise" help --names)
{
	header REPRISE 1 'User Commands'
	printf '.SH NAME\nreprise \\- run jobs under a compile cache, and look after its store\n'
	printf '.SH SYNOPSIS\n.B reprise\n.I COMMAND\n.RI [ ARGUMENT ...]\n.SH DESCRIPTION\n'
	sed -n '2p' "$work/main" | as_roff PP
	echo .PP
	# What follows the list of commands and options.
	awk 'on; /^$/ && seen { on = 1 } /--version/ { seen = 1 }' "$work/main" |
		sed '/^Exit status/,/^$/d' | as_roff PP
	echo .SH COMMANDS
	for name in $commands; do
		command_section "$name"
	done
	sed -n '/^Exit status/,/^$/p' "$work/main" | as_roff SH
	included reprise.1
} >"$out/reprise.1"
{
	sh "$here/../scripts/reprise-run" --help >"$work/help"
	header REPRISE-RUN 1 'User Commands'
	printf '.SH NAME\nreprise\\-run \\- run a job under the Reprise compile cache\n'
	echo .SH SYNOPSIS
	usage <"$work/help"
	echo .SH DESCRIPTION
	sed 1,2d "$work/help" | sed '/^See also/d' | as_roff SH
	included reprise-run.1
} >"$out/reprise-run.1"
{
	header REPRISE.CONF 5 'File Formats'
	included reprise.conf.5
	# Rows of the Markdown table: name, default, values and meaning.
	"$reprise" config --docs | sed -n 's/^| `REPRISE_/&/p' |
		sed -e 's/\\|/\o001/g' -e 's/\\//g' -e 's/-/\\-/g' | awk -F ' *[|] *' '
		{
			gsub(/`/, "")
			dflt = $3 == "" ? "" : "; default " $3
			text = ".TP\n.B " $2 "\n" $4 dflt ". " $5
			gsub(/\001/, "|", text)
			print text
		}'
	printf '.SH SEE ALSO\n.BR reprise (1),\n.BR reprise\\-run (1)\n'
} >"$out/reprise.conf.5"
