# bash completion for muster; made by `muster completion bash`

_muster() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "simulate explain config version completion help" -- "$cur"))
        return
    fi
    case $command:$prev in
    simulate:--filename | simulate:-f)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    simulate:--config)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    simulate:--profile)
        COMPREPLY=($(compgen -W "muster upstream" -- "$cur"))
        return
        ;;
    simulate:--feature-gates)
        COMPREPLY=()
        return
        ;;
    simulate:--seed)
        COMPREPLY=()
        return
        ;;
    simulate:--verbosity | simulate:-v)
        COMPREPLY=()
        return
        ;;
    simulate:--log-format)
        COMPREPLY=($(compgen -W "text json" -- "$cur"))
        return
        ;;
    simulate:--until)
        COMPREPLY=()
        return
        ;;
    simulate:--max-attempts)
        COMPREPLY=()
        return
        ;;
    simulate:--deletions)
        COMPREPLY=($(compgen -W "graceful instant" -- "$cur"))
        return
        ;;
    simulate:--output | simulate:-o)
        COMPREPLY=($(compgen -W "table wide json yaml effects" -- "$cur"))
        return
        ;;
    simulate:--record)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    simulate:--replay)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    explain:--filename | explain:-f)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    explain:--config)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    explain:--profile)
        COMPREPLY=($(compgen -W "muster upstream" -- "$cur"))
        return
        ;;
    explain:--feature-gates)
        COMPREPLY=()
        return
        ;;
    explain:--seed)
        COMPREPLY=()
        return
        ;;
    explain:--verbosity | explain:-v)
        COMPREPLY=()
        return
        ;;
    explain:--log-format)
        COMPREPLY=($(compgen -W "text json" -- "$cur"))
        return
        ;;
    explain:--namespace | explain:-n)
        COMPREPLY=()
        return
        ;;
    explain:--output | explain:-o)
        COMPREPLY=($(compgen -W "text json" -- "$cur"))
        return
        ;;
    config:--config)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    config:--profile)
        COMPREPLY=($(compgen -W "muster upstream" -- "$cur"))
        return
        ;;
    config:--feature-gates)
        COMPREPLY=()
        return
        ;;
    config:--output | config:-o)
        COMPREPLY=($(compgen -W "text json yaml table" -- "$cur"))
        return
        ;;
    config:check)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    esac
    case $command in
    simulate) words="--filename -f --config --profile --feature-gates --seed --verbosity -v --log-format --until --max-attempts --deletions --output -o --explain --record --replay --help" ;;
    explain) words="--filename -f --config --profile --feature-gates --seed --verbosity -v --log-format --namespace -n --scores --all-plugins --preemption --output -o --help" ;;
    config) words="--config --profile --feature-gates --output -o check show --help" ;;
    version) words="--help" ;;
    completion) words="bash zsh --help" ;;
    help) words="simulate explain config version completion help --help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _muster muster
