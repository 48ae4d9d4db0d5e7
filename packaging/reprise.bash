# Completion of `reprise` and `reprise-run` for bash. Names of commands come from the installed
# `reprise`, and options come from its help texts.

# _reprise_offer WORDS: offers the words that begin with the current word.
_reprise_offer() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
_reprise() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ] || { [ "$cmd" = help ] && [ "$COMP_CWORD" = 2 ]; }; then
		_reprise_offer "$(reprise help --names) --help --version"
		return
	fi
	case $prev in
	--by) _reprise_offer 'tool class rank reason host proof' ;;
	--oci | --seed) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	-o | --trace) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)
		if [ "$cmd" = run ] && [[ $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		elif [[ $cur == -* ]]; then
			_reprise_offer "$(reprise "$cmd" --help 2>/dev/null |
				grep -o -e '--[a-z][a-z-]*' | sort -u)"
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}
_reprise_run() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	if [[ $cur == -* ]]; then
		_reprise_offer '--job --jax --quiet --help --version --'
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	fi
}
complete -F _reprise reprise
complete -F _reprise_run reprise-run
