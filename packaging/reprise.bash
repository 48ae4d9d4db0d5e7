# Completion of `reprise` and `reprise-run` for bash. What is completed comes from the help texts, so
# it is of the version that is installed.
_reprise() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} cmd=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ] || { [ "$cmd" = help ] && [ "$COMP_CWORD" = 2 ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(reprise help --commands) --help --version" -- "$cur")
		return
	fi
	case $prev in
	--by) mapfile -t COMPREPLY < <(compgen -W 'tool class rank reason host' -- "$cur") ;;
	--format) mapfile -t COMPREPLY < <(compgen -W 'text json prometheus' -- "$cur") ;;
	-o | --trace) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	*)
		if [ "$cmd" = run ] && [[ $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
		elif [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W \
				"$(reprise "$cmd" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*')" -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}
_reprise_run() {
	local cur=${COMP_WORDS[COMP_CWORD]}
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--job --jax --quiet --help --version --' -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	fi
}
complete -F _reprise reprise
complete -F _reprise_run reprise-run
