#!/bin/sh
# cli.sh - what muster says and how it exits, where it is not about scheduling: bad command lines, bad
# manifests, recordings, output formats. MUSTER names the program.
set -eu
cd "$(dirname "$0")/../.."
: "${MUSTER:?set MUSTER to the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

# expect CODE TEXT ARGUMENT... - runs muster; the output (both streams) must hold TEXT
expect() {
    want=$1 text=$2
    shift 2
    code=0
    "$MUSTER" "$@" </dev/null >"$work/out" 2>&1 || code=$?
    count=$((count + 1))
    if [ "$code" -ne "$want" ] || ! grep -qF -- "$text" "$work/out"; then
        failed=$((failed + 1))
        echo "muster $*: exit code $code (want $want), want the text: $text"
        sed 's/^/    /' "$work/out"
    fi
}

fits=examples/gang-fits

expect 2 'usage: muster COMMAND'
expect 0 'commands:' help
expect 0 'commands:' --help
expect 0 'usage: muster simulate' simulate --help
expect 0 'usage: muster explain' help explain
expect 2 'unknown command "nope"' help nope
expect 0 'kube-scheduler v1.37.2' version
expect 0 'kube-scheduler v1.37.2' --version
expect 2 'unknown command "simulat"; did you mean simulate?' simulat
expect 2 'unknown flag --untill; did you mean --until?' simulate --untill 5s
expect 2 'flag --output: invalid value "tabel"; allowed: table, wide, json, yaml, effects; did you mean table?' \
    simulate -o tabel
expect 2 'flag --profile: invalid value "up"; allowed: muster, upstream; did you mean upstream?' \
    simulate --profile up
expect 2 'nothing to read' simulate
expect 2 'flag --until: invalid value "5": missing unit' simulate -f $fits --until 5
expect 2 'flag --max-attempts: invalid value "0"' simulate -f $fits --max-attempts 0
expect 2 'flag --verbosity: invalid value "x"' simulate -f $fits -v x
expect 2 'flag --seed: invalid value "-1"' simulate -f $fits --seed -1
expect 2 'flag --explain: needs -o table or wide' simulate -f $fits -o json --explain
expect 2 'has no meaning with --replay' simulate --replay x -f $fits
expect 2 'flag --deletions: invalid value "slow"; allowed: graceful, instant' simulate -f $fits --deletions slow
expect 2 '--scores and --preemption do not go together' explain -f $fits --scores --preemption
expect 2 'no pending pod "nobody" in namespace "default"' explain -f $fits --preemption pod/nobody
expect 2 'No such file or directory' simulate -f "$work/absent.yaml"
expect 2 'flag --config: ' simulate -f $fits --config "$work/absent.yaml"
expect 2 'flag --feature-gates: ' simulate -f $fits --feature-gates GenericWorkload=perhaps
expect 0 'warning: flag --feature-gates: ' simulate -f $fits --feature-gates NoSuchGate=true
expect 2 'flag --feature-gates: ' simulate -f $fits --profile upstream --feature-gates NoSuchGate=true
expect 1 '/dev/full' simulate -f $fits --record /dev/full
expect 1 'flag --record: ' simulate -f $fits --record "$work/no/such/dir"
expect 2 'invalid argument "x"; allowed: pod/NAME' explain -f $fits x
expect 2 'no pod "x" in namespace "blue"' explain -f $fits pod/x -n blue
expect 0 'PodGroup default/train (gang, minCount 4): scheduled' explain -f $fits podgroup/train
expect 0 'nothing is pending' explain -f $fits
expect 3 '"kind":"PodGroup"' explain -f examples/gang-too-big -o json
expect 2 'invalid argument "fish"; allowed: bash, zsh' completion fish
expect 0 '"kind": "List"' simulate -f $fits -o json
expect 0 'kind: List' simulate -f $fits -o yaml
expect 0 'PODS' simulate -f $fits -o wide
expect 0 '"op":"end"' simulate -f $fits -o effects
expect 3 'Unschedulable' simulate -f examples/gang-too-big
expect 3 'lower minCount' simulate -f examples/gang-too-big --explain

# kube-scheduler's command line, also without the subcommand and under its name.
expect 0 'usage: muster scheduler' scheduler --help
expect 2 'unknown flag --kubeconfg; did you mean --kubeconfig?' --kubeconfg=x
expect 2 'flag --leader-elect: invalid value "maybe"; allowed: true, false' scheduler --leader-elect=maybe
expect 2 'unexpected argument "now"' scheduler now
expect 1 "$work/absent" --kubeconfig="$work/absent"
expect 2 'flag --config: ' scheduler --config="$work/absent"
expect 2 'flag --feature-gates: ' scheduler --profile upstream --feature-gates=NoSuchGate=true
expect 2 'must be greater than the renew deadline' scheduler --leader-elect-lease-duration=5s
expect 2 'flag --leader-elect-resource-lock: must be leases' scheduler --leader-elect-resource-lock=endpoints
expect 2 'flag --kube-api-qps: invalid value "fast"' scheduler --kube-api-qps=fast
expect 2 'flag --secure-port: invalid value "65536"' scheduler --secure-port=65536
expect 2 'flag --tls-cipher-suites: unknown suite "TLS_NOPE"' scheduler --tls-cipher-suites=TLS_NOPE
expect 2 'flag --tls-private-key-file: is needed beside' scheduler --tls-cert-file=x
expect 2 'whole seconds above zero' scheduler --pod-max-in-unschedulable-pods-duration=1500ms
expect 2 'flag --v: invalid value "x"' scheduler -v=x
expect 1 'warning: flag --profiling has no effect' --profiling=true --kubeconfig="$work/absent"
expect 1 'KUBERNETES_SERVICE_HOST' scheduler
expect 2 'cannot be emulated; allowed: 1.34 to 1.37' scheduler --emulated-version=1.33
expect 2 'feature is locked to true' scheduler --feature-gates=NodeDeclaredFeatures=false
expect 1 'KUBERNETES_SERVICE_HOST' scheduler --emulated-version=1.36 --feature-gates=NodeDeclaredFeatures=false
ln -s "$(command -v "$MUSTER")" "$work/kube-scheduler"
code=0
"$work/kube-scheduler" --kubeconfig "$work/absent" >"$work/out" 2>&1 || code=$?
count=$((count + 1))
if [ $code -ne 1 ] || ! grep -q '^muster scheduler: ' "$work/out"; then
    failed=$((failed + 1))
    echo "called kube-scheduler: exit code $code, $(cat "$work/out")"
fi
"$MUSTER" scheduler --write-config-to "$work/effective.yaml"
expect 0 'valid' config check "$work/effective.yaml"

# What one run prints as JSON is a snapshot for the next: nothing is left to do.
"$MUSTER" simulate -f $fits -o json >"$work/after.json"
expect 0 'attempts: 0' simulate -f "$work/after.json"
"$MUSTER" simulate -f $fits -o yaml >"$work/after.yaml"
expect 0 'attempts: 0' simulate -f "$work/after.yaml"

# Every example replays to the same effects; a change of the recording is found.
for example in examples/*/; do
    code=0
    "$MUSTER" simulate -f "$example" --record "$work/run.jsonl" --seed 7 >/dev/null || code=$?
    expect 0 'same effects' simulate --replay "$work/run.jsonl"
done
sed 's/"cpu":"4"/"cpu":"1"/' "$work/run.jsonl" >"$work/other.jsonl"
expect 1 'the recording has' simulate --replay "$work/other.jsonl"
head -n 3 "$work/run.jsonl" >"$work/short.jsonl"
expect 2 'breaks off' simulate --replay "$work/short.jsonl"
expect 2 'line 1' simulate --replay $fits/cluster.yaml

# Bad manifests: everything is said at once, with its place, and the good ones are still checked.
cat >"$work/bad.yaml" <<'END'
apiVersion: v1
kind: Node
metadata: {name: huge}
status: {allocatable: {cpu: "9e30x"}}
---
apiVersion: v1
kind: Pod
metadata: {name: broken
---
apiVersion: v1
kind: Pod
metadata: {name: minus}
spec: {containers: [{name: main, image: i, resources: {requests: {cpu: "-1"}}}]}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: old}
---
apiVersion: v1
kind: Pod
metadata: {name: twice}
spec: {containers: [{name: main, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: twice}
spec: {containers: [{name: main, image: i}]}
END
for text in 'bad.yaml:4:' 'bad.yaml:9:' 'bad.yaml:13:' 'bad.yaml:15:' 'bad.yaml:24:' \
    'Duplicate value: "twice"' 'must be greater than or equal to 0' '5 errors in the manifests'; do
    expect 2 "$text" simulate -f "$work/bad.yaml"
done
printf '{"kind": [1,' >"$work/bad.json"
expect 2 'bad.json:1:' simulate -f "$work/bad.json"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; }' >"$work/deep.json"
expect 2 'deep.json:1:' simulate -f "$work/deep.json"
awk 'BEGIN { printf "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {b: \""; for (i = 0; i < 1000000; i++) printf "0123456789"; print "\"}}" }' \
    >"$work/long.yaml"
expect 2 'Pod default/a' simulate -f "$work/long.yaml"
printf 'apiVersion: v1\nkind: Node\nmetadata: {name: max}\nstatus: {allocatable: {cpu: "9e30", memory: "9e30"}}\n' \
    >"$work/max.yaml"
expect 2 'max.yaml:4:29: error: Node max: status.allocatable.cpu: Invalid value: "9e30"' \
    simulate -f "$work/max.yaml"

echo "$((count - failed)) of $count checks passed"
[ "$failed" -eq 0 ]
