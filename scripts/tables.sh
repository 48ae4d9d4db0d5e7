#!/bin/sh
# tables.sh PAGE - the generated part of a page of docs/. It comes from the code: rows of
# shim/settings/settings.def, shim/reason.def, tools/tools.def, keying/key.h, judge/inputs.def,
# proofs/proofs.def and units/units.def, and format descriptions from the heads of the files that
# implement them.
# tables.sh --update - writes it into each page, below the page's marker line and up to the line
# that marks its end, or to the end of the page.
# tables.sh --of PAGE - prints what stands there now.
# tables.sh --pages - prints the name and the file of each page.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-gcc}

# expand MACRO FILE: prints the rows of FILE, one a line. MACRO puts "@@@" before a row and " @ "
# between fields; strings keep the quotes of C.
expand() {
	printf '%s\n#include "%s"\n' "$1" "$2" | $CC -I. -E -P -x c - | tr -d '\n' |
		sed 's/@@@/\n/g' | sed -n 's/^ *@ *//p'
}

# fields: separates fields by tabs instead of " @ " (a text may hold an @), joins adjacent strings,
# removes their quotes, and escapes what Markdown would read as markup.
fields() {
	sed -e 's/ *@ *$//' -e 's/"  *"//g' -e 's/ @ /\t/g' -e 's/\t"/\t/g' -e 's/"\t/\t/g' \
		-e 's/^"//' -e 's/"$//' -e 's/\\"/"/g' -e 's/[|<]/\\&/g'
}

# setting_rows: name, default, values and meaning of each setting, with tabs between.
setting_rows() {
	expand '#define SETTING(id, name, type, dflt, help) @@@ @ name @ type @ dflt @ help' \
		shim/settings/settings.def |
		fields | awk -F '\t' -v OFS='\t' '
		BEGIN {
			kind["SETTING_BOOL"] = "0 or 1"
			kind["SETTING_SIZE"] = "bytes, or with K, M, G, T"
			kind["SETTING_PERCENT"] = "0 to 100"
			kind["SETTING_STRING"] = "text"
			kind["SETTING_PATH"] = "path"
			kind["SETTING_PATHS"] = "paths, with colons between"
			kind["SETTING_LEVEL"] = "a level"
			kind["SETTING_COMPRESS_MODE"] = "auto, 0 or 1"
			kind["SETTING_EVENTS_MODE"] = "0, 1 or remote"
			kind["SETTING_CLASS_LIST"] = "words, with commas between"
			kind["SETTING_PROOF_LIST"] = "-proof, with commas between"
			kind["SETTING_SHARING"] = "rank, shared or off"
			kind["SETTING_NUMBER"] = "a number"
			kind["SETTING_TIME"] = "time: ms, s, m, h or d"
		}
		NF == 4 { print $1, $3, $2 in kind ? kind[$2] : "text", $4 }'
}

settings() {
	echo '| setting | default | values | meaning |'
	echo '|---|---|---|---|'
	setting_rows | awk -F '\t' '
		{
			dflt = $2 == "" ? "" : "`" $2 "`"
			printf "| `REPRISE_%s` | %s | %s | %s |\n", $1, dflt, $3, $4
		}'
}

reasons() {
	echo '| group | name | meaning | remedy |'
	echo '|---|---|---|---|'
	expand '#define REASON(id, group, name, text, remedy) @@@ @ group @ name @ text @ remedy' \
		shim/reason.def | fields | awk -F '\t' '
		NF == 4 && $2 != "" {
			printf "| %s | `%s` | %s | %s |\n", tolower($1), $2, $3, $4
		}'
}

keys() {
	echo '| number | field | the value is |'
	echo '|---|---|---|'
	expand '#include "keying/key.h"
#define X(id, number, name, text) @@@ @ number @ name @ text
KEY_TAGS(X)' keying/key.h | fields | awk -F '\t' '
		NF >= 3 { printf "| %s | %s | %s |\n", $1, $2, $3 + 0 ? "text" : "a digest" }'
}

tools() {
	echo '| program | family | what Reprise knows about it |'
	echo '|---|---|---|'
	expand '#include "tools/tool.h"
#define TOOL(name, family, flags, env) @@@ @ name @ family @ flags @ env' tools/tools.def |
		sed 's/\([A-Z_]*\) *|/\1 +/g' | fields | awk -F '\t' '
		BEGIN {
			text["TOOL_SELF_CONTAINED"] = "its own path does not matter"
			text["TOOL_NAME_FREE"] = \
				"its result does not depend on the names of its files (without -g)"
			text["TOOL_FAILURE_STORED"] = "a failure is deterministic, and stored"
			text["TOOL_TIME_BY_LOCALTIME"] = \
				"not stored where it asks for local time, as for `__TIME__`"
			text["TOOL_OFF"] = \
				"off until `REPRISE_TOOLS` adds it; not tested end to end"
			text["TOOL_TEXT_NAMES"] = "its input may have any name, " \
				"and source names in PTX are exchanged"
		}
		NF == 4 && $2 ~ /^FAMILY_/ {
			family = tolower(substr($2, 8))
			n = split($3, flags, /[^A-Z_]+/)
			known = ""
			for (i = 1; i <= n; i++)
				if (flags[i] in text)
					known = known (known == "" ? "" : "; ") text[flags[i]]
			if (family == "launcher")
				known = "passed through: the compiler below it is the tool"
			printf "| `%s` | %s | %s |\n", $1, family, known
		}'
}

frameworks() {
	echo '| class (`REPRISE_CLASSES`) | what | recognised as | complete when |' \
		'shared between processes with the same |'
	echo '|---|---|---|---|---|'
	expand '#include "units/units.def"
#define ROW(id, number, name, form, complete, scope, check, traits, path, member, index, shown, \
            help) \
	@@@ @ name @ help @ shown @ complete @ scope traits
UNIT_CLASSES(ROW)' units/units.def | sed 's/ | / + /g' | fields | awk -F '\t' '
		BEGIN {
			n = split("SCOPE_RANK_FX SCOPE_RANK SCOPE_ISA SCOPE_TORCH SCOPE_PYTHON " \
			          "SCOPE_NPU SCOPE_DEVICE SCOPE_CPU SCOPE_GPU SCOPE_LOADED " \
			          "SCOPE_ROOT SCOPE_NATIVE SCOPE_NVCC SCOPE_DEEP_JIT " \
			          "TRAIT_SOURCES SCOPE_DECLARED " \
			          "COMPLETE_RENAME COMPLETE_CLOSE COMPLETE_LOCK COMPLETE_CLOSED", \
			          order, " ")
			text["SCOPE_RANK_FX"] = "rank and world size (`REPRISE_FX_SCOPE`)"
			text["SCOPE_RANK"] = "rank and world size"
			text["SCOPE_ISA"] = "vector instructions"
			text["SCOPE_TORCH"] = "torch build"
			text["SCOPE_PYTHON"] = "Python"
			text["SCOPE_NPU"] = "torch_npu build and NPUs"
			text["SCOPE_DEVICE"] = "GPU models and driver; without a GPU the same CPU"
			text["SCOPE_CPU"] = "CPU"
			text["SCOPE_GPU"] = "GPU models and driver"
			text["SCOPE_LOADED"] = "libraries of its compiler"
			text["SCOPE_ROOT"] = "cache directory"
			text["SCOPE_NVCC"] = "nvcc, its options and its toolkit, compiler, libc"
			text["SCOPE_DEEP_JIT"] = text["SCOPE_NVCC"] \
				", its library and the headers beside it"
			text["SCOPE_NATIVE"] = "machine, libc, Python, Triton, compiler, libcuda"
			text["TRAIT_SOURCES"] = "source files"
			text["SCOPE_DECLARED"] = "`scope=` of its `UNIT` line"
			text["COMPLETE_RENAME"] = "renamed into place"
			text["COMPLETE_CLOSE"] = "written in place"
			text["COMPLETE_LOCK"] = "locked in place by its writer"
			text["COMPLETE_CLOSED"] = "written in place and closed"
		}
		# The words of a field, in that order.
		function words(field, between,   i, out) {
			gsub(/[^A-Z_]+/, " ", field)
			for (i = 1; i <= n; i++)
				if (index(" " field " ", " " order[i] " "))
					out = out (out == "" ? "" : between) text[order[i]]
			return out
		}
		NF == 5 {
			shared = words($5, ", ")
			gsub(/\\</, "<", $3)
			if (shared == "")
				shared = "(everybody)"
			printf "| `%s` | %s | `%s` | %s | %s |\n", $1, $2, $3, words($4, " or "), \
				shared
		}'
}

proofs() {
	echo '| proof | what may differ, and why the result is the same |'
	echo '|---|---|'
	expand '#define PROOF(id, number, name, text) @@@ @ name @ text' proofs/proofs.def |
		fields | awk -F '\t' '{ printf "| `%s` | %s |\n", $1, $2 }'
}

drivers() {
	echo '| family | tools | driver | options |'
	echo '|---|---|---|---|'
	expand '#include "tools/tool.h"
#define FAMILY(id, driver, options) @@@ @ FAMILY_##id @ driver @ options
#define TOOL(name, family, ...) @@@ @ family @ name' tools/tools.def | fields | awk -F '\t' '
		NF == 2 { tools[$1] = tools[$1] (tools[$1] ? ", " : "") $2; next }
		{
			gsub(/&driver/, "driver", $2)
			family[++n] = $1
			rest[n] = "`" $2 "` | `options_" $3 "`"
		}
		END {
			for (i = 1; i <= n; i++)
				print "| " tolower(substr(family[i], 8)) " | " \
					tools[family[i]] " | " rest[i] " |"
		}'
}

# head_comment FILE: prints the first comment of a file as a block.
head_comment() {
	echo "## $1"
	echo
	echo '```text'
	sed -e '/\*\//q' "$1" | sed -e 's/ *\*\/$//' -e 's/^\/\* *//' -e 's/^ \* \{0,1\}//'
	echo '```'
}

# input_rows: the kinds of input, which a candidate holds.
input_rows() {
	echo '| number | kind | spec | fields | what |'
	echo '|---|---|---|---|---|'
	expand '#define INPUT(kind, number, spec, fields, reads, holds, tell, fits, text) \
		@@@ @ number @ kind @ spec @ fields @ text' judge/inputs.def |
		sed 's/\([A-Z_]*\) *|/\1,/g' | fields | awk -F '\t' '
		{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, tolower($3), \
			$4 == "0" ? "" : $4, $5 }'
}

formats() {
	first=yes
	for file in $format_files; do
		[ -n "$first" ] || echo
		first=
		head_comment "$file"
		[ "$file" != store/entry/candidate.c ] || { echo && input_rows; }
	done
}
format_files='store/store.h store/queue/queue.h store/job/job_list.h store/job/event_record.h
	store/job/events.h store/job/job_node.h store/job/job_used.h store/entry/entry.c
	store/entry/candidate.c store/entry/result.c units/format/parcel.c units/format/member.c
	units/find/stage.h units/find/claim.c units/find/peers.c units/find/listing.h jit/product.h
	action/key_history.c judge/text/precompiled.c judge/text/texts.c tools/asks/facts.c
	store/job/counters.c store/job/journal.c store/shared_page.h store/lock.c
	keying/memo.c shim/trace.h
	store/entry/blob.c remote/bundle.c remote/dir/shared_root.h store/trust.c
	cli/pack/pack_file.h cli/pack/oci.h cli/pack/layer.h cli/pack/seal.h remote/redis/redis.h
	store/queue/spool.c units/offer_record.c
	units/unasked.c remote/wire/cluster_map.c'

pages='settings reasons tools keys formats frameworks proofs drivers'
marker='What follows is printed by scripts/tables.sh.'
end='<!-- Here it ends. -->'

# file_of PAGE: where it stands.
file_of() {
	case $1 in
	keys | formats | proofs | drivers) echo "docs/internals/$1.md" ;;
	*) echo "docs/$1.md" ;;
	esac
}

# of_page PAGE: the generated part, without empty lines before and after it.
of_page() {
	awk -v marker="$marker" -v end="$end" '
		$0 == end { exit }
		on && NF {
			for (; text && blank; blank--)
				print ""
			text = 1
			blank = 0
			print
			next
		}
		on { blank++ }
		index($0, marker) { on = 1 }' "$(file_of "$1")"
}

update() {
	page=$(file_of "$1")
	{
		awk -v marker="$marker" '{ print } index($0, marker) { exit }' "$page"
		echo
		"$1"
		awk -v end="$end" '$0 == end { on = 1; print "" } on' "$page"
	} >"$page.new"
	mv "$page.new" "$page"
}

case ${1-} in
--update)
	for page in $pages; do
		update "$page"
	done
	;;
--of) of_page "$2" ;;
--pages)
	for page in $pages; do
		echo "$page $(file_of "$page")"
	done
	;;
*)
	case " $pages " in
	*" ${1-} "*) "$1" ;;
	*)
		echo "tables.sh: one of $pages, --update, --of PAGE or --pages" >&2
		exit 2
		;;
	esac
	;;
esac
