# bash completion for limber; installed as share/bash-completion/completions/limber.
# To try it: source tools/completions/limber.bash

_limber() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]}
  local command= word options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word != -* ]] && { command=$word; break; }
  done
  COMPREPLY=()

  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'run check methods materials modes statics damping-curve completion --help --version' -- "$current")
    return
  fi

  case $command in
    run) options='-o --output --set --resume --overwrite --threads -q --quiet --json --help' ;;
    check) options='--set --json --help' ;;
    methods) options='--json --names --help' ;;
    materials) options='--json --help' ;;
    modes) options='-n --set --json --help' ;;
    statics) options='-o --output --set --json --help' ;;
    damping-curve) options='-o --output --from --to --points --set --help' ;;
    *) return ;;
  esac

  case $previous in
    -o | --output)
      compopt -o filenames
      case $command in
        run) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      esac
      return ;;
    --set)
      compopt -o nospace
      mapfile -t COMPREPLY < <(compgen -W 'time.step= time.duration= method.name= method.modes= gravity= output.frames_every= output.fps=' -- "$current")
      return ;;
    --threads | -n | --from | --to | --points) return ;;
  esac
  if [[ $previous == method.name || ( $previous == = && ${COMP_WORDS[COMP_CWORD-2]} == method.name ) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" methods --names 2>/dev/null)" -- "${current#=}")
    return
  fi

  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  case $command in
    run | check | modes | statics)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.json' -- "$current") ;;
    damping-curve)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" methods --names 2>/dev/null)" -- "$current") ;;
  esac
}
complete -F _limber limber
