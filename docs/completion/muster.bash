# bash completion for muster; made by `muster completion bash`

_muster() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "scheduler simulate explain status top snapshot config version completion help" -- "$cur"))
        return
    fi
    case $command:$prev in
    scheduler:--config)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--write-config-to)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--master)
        COMPREPLY=()
        return
        ;;
    scheduler:--profile)
        COMPREPLY=($(compgen -W "muster upstream" -- "$cur"))
        return
        ;;
    scheduler:--record)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--seed)
        COMPREPLY=()
        return
        ;;
    scheduler:--feature-gates)
        COMPREPLY=()
        return
        ;;
    scheduler:--bind-address)
        COMPREPLY=()
        return
        ;;
    scheduler:--secure-port)
        COMPREPLY=()
        return
        ;;
    scheduler:--cert-dir)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--tls-cert-file)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--tls-private-key-file)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--tls-cipher-suites)
        COMPREPLY=()
        return
        ;;
    scheduler:--tls-min-version)
        COMPREPLY=($(compgen -W "VersionTLS12 VersionTLS13" -- "$cur"))
        return
        ;;
    scheduler:--client-ca-file)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--authentication-kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--authentication-token-webhook-cache-ttl)
        COMPREPLY=()
        return
        ;;
    scheduler:--authorization-kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--authorization-always-allow-paths)
        COMPREPLY=()
        return
        ;;
    scheduler:--authorization-webhook-cache-authorized-ttl)
        COMPREPLY=()
        return
        ;;
    scheduler:--authorization-webhook-cache-unauthorized-ttl)
        COMPREPLY=()
        return
        ;;
    scheduler:--requestheader-client-ca-file)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    scheduler:--requestheader-allowed-names)
        COMPREPLY=()
        return
        ;;
    scheduler:--requestheader-username-headers)
        COMPREPLY=()
        return
        ;;
    scheduler:--requestheader-uid-headers)
        COMPREPLY=()
        return
        ;;
    scheduler:--requestheader-group-headers)
        COMPREPLY=()
        return
        ;;
    scheduler:--requestheader-extra-headers-prefix)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-lease-duration)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-renew-deadline)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-retry-period)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-resource-lock)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-resource-name)
        COMPREPLY=()
        return
        ;;
    scheduler:--leader-elect-resource-namespace)
        COMPREPLY=()
        return
        ;;
    scheduler:--kube-api-qps)
        COMPREPLY=()
        return
        ;;
    scheduler:--kube-api-burst)
        COMPREPLY=()
        return
        ;;
    scheduler:--pod-max-in-unschedulable-pods-duration)
        COMPREPLY=()
        return
        ;;
    scheduler:--v | scheduler:-v)
        COMPREPLY=()
        return
        ;;
    scheduler:--logging-format)
        COMPREPLY=($(compgen -W "text json" -- "$cur"))
        return
        ;;
    scheduler:--kube-api-content-type)
        COMPREPLY=()
        return
        ;;
    scheduler:--vmodule)
        COMPREPLY=()
        return
        ;;
    scheduler:--log-flush-frequency)
        COMPREPLY=()
        return
        ;;
    scheduler:--http2-max-streams-per-connection)
        COMPREPLY=()
        return
        ;;
    scheduler:--tls-sni-cert-key)
        COMPREPLY=()
        return
        ;;
    scheduler:--show-hidden-metrics-for-version)
        COMPREPLY=()
        return
        ;;
    scheduler:--allow-metric-labels)
        COMPREPLY=()
        return
        ;;
    scheduler:--allow-metric-labels-manifest)
        COMPREPLY=()
        return
        ;;
    scheduler:--disabled-metrics)
        COMPREPLY=()
        return
        ;;
    scheduler:--emulated-version)
        COMPREPLY=()
        return
        ;;
    scheduler:--min-compatibility-version)
        COMPREPLY=()
        return
        ;;
    simulate:--filename | simulate:-f)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    simulate:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    simulate:--context)
        COMPREPLY=()
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
    explain:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    explain:--context)
        COMPREPLY=()
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
    status:--namespace | status:-n)
        COMPREPLY=()
        return
        ;;
    status:--filename | status:-f)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    status:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    status:--context)
        COMPREPLY=()
        return
        ;;
    status:--output | status:-o)
        COMPREPLY=($(compgen -W "table wide json yaml" -- "$cur"))
        return
        ;;
    top:--sort-by)
        COMPREPLY=()
        return
        ;;
    top:--namespace | top:-n)
        COMPREPLY=()
        return
        ;;
    top:--filename | top:-f)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    top:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    top:--context)
        COMPREPLY=()
        return
        ;;
    top:--output | top:-o)
        COMPREPLY=($(compgen -W "table json yaml" -- "$cur"))
        return
        ;;
    snapshot:--kubeconfig)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    snapshot:--context)
        COMPREPLY=()
        return
        ;;
    snapshot:--output | snapshot:-o)
        COMPREPLY=($(compgen -W "yaml json" -- "$cur"))
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
    scheduler) words="--config --write-config-to --kubeconfig --master --profile --dry-run --record --seed --feature-gates --bind-address --secure-port --cert-dir --tls-cert-file --tls-private-key-file --tls-cipher-suites --tls-min-version --client-ca-file --authentication-kubeconfig --authentication-skip-lookup --authentication-tolerate-lookup-failure --authentication-token-webhook-cache-ttl --authorization-kubeconfig --authorization-always-allow-paths --authorization-webhook-cache-authorized-ttl --authorization-webhook-cache-unauthorized-ttl --requestheader-client-ca-file --requestheader-allowed-names --requestheader-username-headers --requestheader-uid-headers --requestheader-group-headers --requestheader-extra-headers-prefix --leader-elect --leader-elect-lease-duration --leader-elect-renew-deadline --leader-elect-retry-period --leader-elect-resource-lock --leader-elect-resource-name --leader-elect-resource-namespace --kube-api-qps --kube-api-burst --pod-max-in-unschedulable-pods-duration --v -v --logging-format --kube-api-content-type --profiling --contention-profiling --vmodule --log-flush-frequency --http2-max-streams-per-connection --disable-http2-serving --permit-port-sharing --permit-address-sharing --tls-sni-cert-key --show-hidden-metrics-for-version --allow-metric-labels --allow-metric-labels-manifest --disabled-metrics --emulated-version --min-compatibility-version --help" ;;
    simulate) words="--filename -f --kubeconfig --context --config --profile --feature-gates --seed --verbosity -v --log-format --until --max-attempts --deletions --output -o --explain --record --replay --help" ;;
    explain) words="--filename -f --kubeconfig --context --config --profile --feature-gates --seed --verbosity -v --log-format --namespace -n --all-namespaces -A --scores --all-plugins --preemption --output -o --help" ;;
    status) words="--namespace -n --all-namespaces -A --filename -f --kubeconfig --context --output -o --help" ;;
    top) words="--sort-by --namespace -n --all-namespaces -A --filename -f --kubeconfig --context --output -o nodes groups --help" ;;
    snapshot) words="--kubeconfig --context --output -o --redact --help" ;;
    config) words="--config --profile --feature-gates --output -o check show --help" ;;
    version) words="--help" ;;
    completion) words="bash zsh --help" ;;
    help) words="scheduler simulate explain status top snapshot config version completion help --help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _muster muster
