#!/bin/sh
# check-layers.sh - tests that the folders use each other as CONTRIBUTING.md says. Silent when all
# agree; the last line counts the findings.
#
# - Headers: a function is declared in the header that is named as the file that defines it.
#   Only a door, a header that is named as its folder, declares functions of several files.
# - Rooms: a folder holds at most 45 files, and no two modules have one base name.
# - Objects: no two object files use each other, directly or through others (nm of build/, after
#   `make`).
# - Includes: a file includes headers of its own folder, and the folders or single headers that its
#   row of "The tree" names. A permission that no file uses is a finding, and so is a circle of
#   folders. A table (.def) may be included from everywhere.
# - Tools: tools/ alone knows compilers. Elsewhere no FAMILY_ is tested. In action/, judge/,
#   keying/, names/ and trace/ no string is the name of a compiler or an option of one, and no
#   function, type or header has the name of a compiler, or of a text between two (PTX): those are
#   questions to tools/driver.h, or flags of a row (tools/tool.h).
# - Proofs: in action/ and in judge/ itself, not its rooms, no code names a proof, or calls what
#   proofs/proofs.def calls: these files expand its verbs.
# - Hosts: functions that jit/ calls run on a host's threads, so their files include shim/banned.h.
#   Files of hooks/ need not: they define the names that shim/banned.h bans.
set -u
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

say() {
	echo "check-layers: $*"
	bad=$((bad + 1))
}

# say_all FILE: reports each line of the file as a finding.
say_all() {
	while IFS= read -r line; do
		say "$line"
	done <"$1"
}

# rows HEADING: prints the rows of the first table below the heading of CONTRIBUTING.md that begins
# with HEADING, as "first column|last column".
rows() {
	awk -F ' *[|] *' -v heading="$1" '
		index($0, heading) == 1 { on = 1; next }
		/^#/ { on = 0 }
		on && /^[|]/ && ++n > 2 { gsub(/`/, ""); print $2 "|" $(NF - 1) }
	' CONTRIBUTING.md
}

# --- the table: "folder what-it-may-use" ---
rows '## The tree' | awk -F '|' '{ sub(/\/$/, "", $1); n = split($2, use, /, */)
	for (i = 1; i <= n; i++) if (use[i] !~ /^(all)?$/) print $1, use[i] }' >"$work/may"
[ -s "$work/may" ] || say "CONTRIBUTING.md: no table below \"The tree\""
rows '## The tree' | sed 's,/*[|].*,,' | grep -v '^tests$' >"$work/folders"

# --- includes ---
for folder in */; do
	folder=${folder%/}
	case $folder in tests | bench | build) continue ;; esac
	[ -n "$(find "$folder" -name '*.c' -print -quit)" ] || continue
	grep -qx "$folder" "$work/folders" || say "CONTRIBUTING.md: no row for $folder/"
	find "$folder" -name '*.[ch]' | xargs grep -H '^#include "' |
		sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/' >>"$work/includes"
done
[ -s "$work/includes" ] || say "no #include found"
awk -v may="$work/may" '
	BEGIN {
		while ((getline line < may) > 0) { split(line, f, " "); allowed[f[1], f[2]] = 1 }
	}
	{
		split($1, from, "/"); split($2, to, "/")
		if (from[1] == to[1] || $2 ~ /[.]def$/) next
		if ((from[1], to[1]) in allowed) used[from[1], to[1]] = 1
		else if ((from[1], $2) in allowed) used[from[1], $2] = 1
		else print $1 " includes " $2 ", which CONTRIBUTING.md does not allow"
	}
	END {
		for (k in allowed) {
			split(k, f, SUBSEP)
			if (!(k in used))
				print "CONTRIBUTING.md: no file of " f[1] "/ includes " f[2]
		}
	}' "$work/includes" >"$work/found"
say_all "$work/found"

# --- rooms ---
find $(cat "$work/folders") -name '*.[ch]' -o -name '*.def' | grep -v '^tests/' | awk -F / '
	{
		base = $NF
		folder = substr($0, 1, length($0) - length(base) - 1)
		sub(/[.][a-z]*$/, "", base)
		if (++files[folder] == 46)
			print folder "/ holds more than 45 files"
		if (base in place && place[base] != folder)
			print folder "/ and " place[base] "/ have a module " base
		place[base] = folder
	}' >"$work/found"
say_all "$work/found"

# --- the table has no circle: what a folder may use never leads back to it ---
awk '{ sub(/\/.*/, "", $2); print }' "$work/may" | tsort >/dev/null 2>"$work/found"
say_all "$work/found"

# --- what only tools/ knows ---
# Words that may be a part of others, and those that may not.
option='--?[a-z][^" ]*'
# tool_names LEAST MOST: the names in tools.def with so many letters, but launchers, cpp and cc.
tool_names() {
	sed -n '/LAUNCHER\|CPP\|"cc"/d; s/^TOOL("\([^"]*\)".*/\1/p' tools/tools.def |
		awk -v least="$1" -v most="$2" 'length >= least && length <= most {
			gsub(/[+.]/, "[&]"); printf "%s|", $0 }'
}
names="$(tool_names 4 99)lto-wrapper|gcc|g[+][+]|cc1|ptx|cudafe|icx|nvc"
words="$(tool_names 1 3)ld[.][a-z]*"
# Headers of tools/ that know what one family does, though their names do not say so.
private='ar|link|module_hash'
folders=
for folder in action judge keying names trace; do
	[ ! -d "$folder" ] || folders="$folders $folder"
done
for folder in */; do
	case $folder in tools/ | tests/ | bench/ | build/) continue ;; esac
	grep -rHnE --include='*.[ch]' 'FAMILY_[A-Z]|row->family\>' "$folder"
done | sed 's/\([^:]*:[0-9]*\):[[:space:]]*/\1 asks which family a tool is of: /' >"$work/found"
say_all "$work/found"
# Comments may name one.
text="\"([^\"]*($names)[^\"]*|($words)(\\\\0[^\"]*)?|$option)\""
for folder in $folders; do
	find "$folder" -name '*.[ch]'
done | text=$text names="^($names)$" private="^tools/([a-z]+/)*($private)[.]h$" xargs awk '
	/^[ \t]+[*]([ \/]|$)/ { next }
	/^#include "/ {
		split($2, quoted, "\"")
		n = split(quoted[2], part, /[^a-z0-9]+/)
		known = quoted[2] ~ ENVIRON["private"]
		for (i = 1; i <= n; i++) known = known || part[i] ~ ENVIRON["names"]
		if (known) print FILENAME " includes what tools/ alone should: " quoted[2]
		next
	}
	{
		sub(/[\/][*].*/, "")
		code = tolower($0)
		gsub(/"[^"]*"/, "", code)
		n = split(code, part, /[^a-z0-9+]+/)
		for (i = 1; i <= n; i++)
			if (part[i] ~ ENVIRON["names"])
				print FILENAME " names what tools/ alone should: " part[i]
		at = $0
		for (; match(tolower(at), ENVIRON["text"]); at = substr(at, RSTART + RLENGTH))
			print FILENAME " holds what tools/ should: " substr(at, RSTART, RLENGTH)
	}' >"$work/found"
say_all "$work/found"

# --- objects: "user symbol definer" ---
# The sources say which objects to read: a build folder keeps the objects of deleted files.
for source in $(sed 's/ .*//' "$work/includes" | sort -u | grep '\.c$'); do
	object=$BUILD/${source%.c}.o
	if [ -f "$object" ]; then
		echo "$object"
	else
		echo "$object is missing: run make first" >>"$work/missing"
	fi
done | xargs nm -A | sed -e "s|^$BUILD/||" -e 's|[.]o:| |' >"$work/nm"
[ ! -s "$work/missing" ] || say_all "$work/missing"
awk '
	NF == 4 && $3 ~ /^[TDBRVWCi]$/ { where[$4] = $1 }
	NF == 3 && $2 ~ /^[Uwv]$/ { n++; user[n] = $1; symbol[n] = $3 }
	END {
		for (i = 1; i <= n; i++)
			if (symbol[i] in where && where[symbol[i]] != user[i])
				print user[i], symbol[i], where[symbol[i]]
	}
' "$work/nm" >"$work/ties"
[ -s "$work/ties" ] || say "no object uses another one: nothing to check"

# --- functions and the headers that declare them: "header function definer" ---
# The compiler expands what macros declare. Outside all brackets, a name of a function is a
# declaration, unless it is the name of a type.
find $(cat "$work/folders") -name '*.h' ! -path 'tests/*' \
	! -name banned.h | sed 's/.*/#include "&"/' >"$work/headers.h"
${CC:-gcc} -E -I. -D_GNU_SOURCE "$work/headers.h" >"$work/text" ||
	say "the headers do not compile"
awk -v nm="$work/nm" -v type='^(struct|enum|union)$' '
	BEGIN {
		while ((getline line < nm) > 0)
			if (split(line, f, " ") == 4 && f[3] ~ /^[TWi]$/)
				where[f[4]] = f[1]
	}
	/^# [0-9]+ "/ {
		split($0, f, "\"")
		header = f[2]
		sub(/^[.]\//, "", header)
		if (header !~ /^[a-z]/)
			header = ""
		next
	}
	/^#/ || header == "" { next }
	{
		gsub(/"([^"\\]|\\.)*"|\047[^\047\\]\047/, " ")
		gsub(/[^A-Za-z0-9_]/, " & ")
		n = split($0, word, " ")
		for (i = 1; i <= n; i++) {
			w = word[i]
			if (w ~ /^[{(]$/)
				depth++
			else if (w ~ /^[})]$/)
				depth--
			else if (!depth && w in where && last !~ type)
				print header, w, where[w]
			last = w
		}
	}' "$work/text" | sort -u >"$work/declared"
[ -s "$work/declared" ] || say "no declaration found"
awk '
	{
		own = $1; sub(/[.]h$/, "", own)
		if (own == $3) next
		n = split(own, part, "/")
		folder = substr(own, 1, length(own) - length(part[n]))
		if (part[n] != part[n - 1] || index($3, folder) != 1)
			by[$1, $3] = by[$1, $3] " " $2
	}
	END {
		for (k in by) {
			split(k, f, SUBSEP)
			print f[1] " declares what " f[2] ".c defines:" by[k]
		}
	}' "$work/declared" | sort >"$work/found"
say_all "$work/found"

# --- proofs: only the table calls their verbs ---
sed -n 's/^#include "\(.*\)"/\1/p' judge/proof_verbs.h >"$work/proofs"
called=$(awk 'NR == FNR { proof[$0] = 1; next } $1 in proof { print $2 }' "$work/proofs" \
	"$work/declared" | while read -r name; do
	! grep -E '^[A-Z]+[(]|^ +[^ *]' proofs/proofs.def | grep -q "\\<$name(" ||
		printf '%s|' "$name"
done)
[ -n "$called" ] || say "proofs.def calls no function of judge/proof_verbs.h"
grep -nHE "\\<(PROOF_[A-Z_]+[^A-Z_#]|(${called}no_proof)[(])" action/*.c judge/*.c |
	grep -vE 'PROOF_COUNT|:[[:space:]]*(/?[*])' |
	sed 's/\([^:]*:[0-9]*\):[[:space:]]*/\1 names a proof: /' >"$work/found"
say_all "$work/found"

# An object that uses no other, or that no other uses, is in no circle. The loop drops such objects
# until none is left; each remaining object is in a circle or between two circles.
awk '
	{ if (!(($1, $3) in by)) { from[++n] = $1; to[n] = $3 } by[$1, $3] = by[$1, $3] " " $2 }
	END {
		do {
			split("", out); split("", in_); dropped = 0
			for (i = 1; i <= n; i++)
				if (!(i in gone)) { out[from[i]] = 1; in_[to[i]] = 1 }
			for (i = 1; i <= n; i++)
				if (!(i in gone) && (!(from[i] in in_) || !(to[i] in out))) {
					gone[i] = 1
					dropped = 1
				}
		} while (dropped)
		for (i = 1; i <= n; i++)
			if (!(i in gone)) {
				reach[from[i], to[i]] = 1
				node[from[i]] = node[to[i]] = 1
			}
		for (k in node)
			for (i in node)
				if ((i, k) in reach)
					for (j in node)
						if ((k, j) in reach)
							reach[i, j] = 1
		for (i = 1; i <= n; i++)
			if (!(i in gone) && (to[i], from[i]) in reach)
				print from[i] ".o and " to[i] ".o use each other:" \
					by[from[i], to[i]]
		for (i in node) if ((i, i) in reach) count++
		if (count) print count " objects are in circles"
	}' "$work/ties" >"$work/found"
say_all "$work/found"

# --- files whose code runs on a host's threads ---
awk '
	{ uses[$1] = uses[$1] " " $3; if ($1 ~ /^jit\//) reached[$1] = 1 }
	END {
		do {
			more = 0
			for (o in reached) if (!(o in done)) {
				done[o] = 1; n = split(uses[o], next_, " ")
				for (i = 1; i <= n; i++)
					if (!(next_[i] in reached)) reached[next_[i]] = 1
				more = 1
			}
		} while (more)
		for (o in reached) if (o !~ /^hooks\//) print o ".c"
	}' "$work/ties" | sort >"$work/hosted"
[ -s "$work/hosted" ] || say "no object of jit/ found"
awk '$2 == "shim/banned.h" { print $1 }' "$work/includes" | sort >"$work/banned"
for file in $(comm -23 "$work/hosted" "$work/banned"); do
	say "$file does not include shim/banned.h, and jit/ calls it on a host's threads"
done

[ "$bad" = 0 ] || { echo "check-layers: $bad findings"; exit 1; }
