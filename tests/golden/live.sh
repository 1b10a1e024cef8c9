#!/bin/sh
# live.sh - muster reads a cluster: objects as kube-apiserver v1.37.2 wrote them, served on loopback. What
# is shown of them, that a snapshot of the cluster says the same as the cluster, and what is said when a
# server refuses. MUSTER names the program.
set -eu
cd "$(dirname "$0")/../.."
: "${MUSTER:?set MUSTER to the program}"
work=$(mktemp -d)
data=tests/golden/live
python3 $data/apiserver.py $data/cluster.json >"$work/port" &
server=$!
trap 'kill "$server" 2>/dev/null || :; rm -rf "$work"' EXIT
tries=0
until [ -s "$work/port" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo "the server does not start"; exit 1; }
    sleep 0.1
done
count=0 failed=0

# contexts NAME... - a kubeconfig with them; a name is the prefix of the server's address
contexts() {
    echo 'apiVersion: v1'
    echo 'kind: Config'
    echo "current-context: all"
    echo 'clusters:'
    echo "- {name: all, cluster: {server: 'http://127.0.0.1:$(cat "$work/port")'}}"
    for name; do
        echo "- {name: $name, cluster: {server: 'http://127.0.0.1:$(cat "$work/port")/$name'}}"
    done
    echo "- {name: gone, cluster: {server: 'http://127.0.0.1:1'}}"
    echo 'users: [{name: me, user: {}}]'
    echo 'contexts:'
    echo '- {name: team, context: {cluster: all, user: me, namespace: team-a}}'
    for name in all gone "$@"; do
        echo "- {name: $name, context: {cluster: $name, user: me}}"
    done
}
contexts paged expiring old plain denied guest busy html >"$work/kubeconfig"
export KUBECONFIG="$work/kubeconfig"

# expect CODE TEXT ARGUMENT... - runs muster; the output (both streams) must hold TEXT
expect() {
    want=$1 text=$2
    shift 2
    code=0
    "${program:-$MUSTER}" "$@" </dev/null >"$work/out" 2>&1 || code=$?
    count=$((count + 1))
    if [ "$code" -ne "$want" ] || ! grep -qF -- "$text" "$work/out"; then
        failed=$((failed + 1))
        echo "muster $*: exit code $code (want $want), want the text: $text"
        sed 's/^/    /' "$work/out"
    fi
}

# same FILE ARGUMENT... - runs muster; its standard output must be FILE, byte for byte
same() {
    as=$1
    shift
    "$MUSTER" "$@" </dev/null >"$work/other" 2>"$work/err" || :
    count=$((count + 1))
    if ! cmp -s "$as" "$work/other"; then
        failed=$((failed + 1))
        echo "muster $*: another output"
        diff "$as" "$work/other" | head -n 10 || :
        cat "$work/err"
    fi
}

# What the objects say.
expect 3 'default     train     gang       4         4       0         0         4   Pending' status
expect 3 'Missing' status
expect 3 '2 pods without a group wait for a node: 1 held by scheduling gates, 1 not attempted yet' status
expect 3 'team-a      serve     basic      -         3       3         0         0   Scheduled' status -A
expect 3 'team-a      half    gang       3         1' status --context team
expect 0 'no PodGroups' status -n nowhere
expect 3 '1 of at least 3 members are there' status -n team-a -o json
expect 3 'state: Incomplete' status -n team-a -o yaml
expect 3 'gpu-0,gpu-1' status -A -o wide
expect 0 'nvidia.com/gpu: 18 free on 3 nodes, at most 8 on one (gpu-2)' top
expect 0 'gpu-3 (cordoned)' top nodes --sort-by nvidia.com/gpu
expect 0 'team-a      serve         2    3/3' top groups -A
expect 0 'cpuMilli' top -o json
expect 0 'largestOn: gpu-2' top -o yaml
expect 3 'PodGroup default/train (gang, minCount 4): unschedulable' explain
expect 3 'add 3 nodes like gpu-0' explain podgroup/train
expect 3 'create 2 more pods of the group' explain podgroup/half --context team
expect 3 'PodGroup team-a/half' explain -A
expect 0 'nothing is pending in namespace nowhere; -A looks in all' explain -n nowhere
expect 0 '1 pod of the cluster has no node yet, but would get one now' explain -n nowhere
expect 2 'no PodGroup "half" in namespace "default"' explain podgroup/half
expect 3 'pods: 4 bound' simulate --context all

# What if.
printf '%s\n' 'apiVersion: scheduling.k8s.io/v1beta1' 'kind: PodGroup' \
    'metadata: {name: train}' 'spec: {schedulingPolicy: {gang: {minCount: 1}}, priorityClassName: high}' \
    >"$work/change.yaml"
expect 3 'PodGroup default/train (gang, minCount 1): ' explain --context all -f "$work/change.yaml" podgroup/train
for i in 4 5 6; do
    printf '%s\n' 'apiVersion: v1' 'kind: Node' "metadata: {name: gpu-$i}" \
        'status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "8"}}' --- >>"$work/more.yaml"
done
expect 0 'PodGroup default/train (gang, minCount 4): scheduled' \
    explain --context all -f "$work/more.yaml" podgroup/train

# Without a configuration every scheduler that pods name counts as one with the default plugins.
printf '%s\n' 'apiVersion: v1' 'kind: Pod' 'metadata: {name: theirs}' \
    'spec: {schedulerName: theirs, containers: [{name: a, image: a, resources: {requests: {cpu: "1000"}}}]}' \
    >"$work/theirs.yaml"
printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' >"$work/config.yaml"
expect 3 'Pod default/theirs: unschedulable' explain --context all -f "$work/theirs.yaml" pod/theirs
expect 3 'spec.schedulerName asks for another scheduler' \
    simulate --context all -f "$work/theirs.yaml" --config "$work/config.yaml"
expect 3 'pods: 4 bound' simulate --context all -f "$work/theirs.yaml" --record "$work/recording"
expect 0 'same effects' simulate --replay "$work/recording"

# However the server hands them out, the objects are the same.
"$MUSTER" snapshot >"$work/snapshot.yaml"
"$MUSTER" snapshot -o json >"$work/snapshot.json"
for context in paged expiring busy; do
    same "$work/snapshot.yaml" snapshot --context $context
done
# A snapshot says what the cluster says, redacted or not.
"$MUSTER" explain -A >"$work/explained" || :
"$MUSTER" top >"$work/top"
"$MUSTER" snapshot --redact >"$work/redacted.yaml"
for file in snapshot.yaml snapshot.json redacted.yaml; do
    same "$work/explained" explain -f "$work/$file"
    same "$work/top" top -f "$work/$file"
done
for text in hidden-value hunter2 private 'env:' 'args:' livenessProbe; do
    count=$((count + 1))
    if grep -qF "$text" "$work/redacted.yaml" || ! grep -qF "$text" "$work/snapshot.yaml"; then
        failed=$((failed + 1))
        echo "snapshot --redact: $text is there, or was never there"
    fi
done

# Groups of another version, none, or out of reach.
expect 3 'team-a      serve     basic' status -A --context old
expect 3 'Missing' status -A --context plain
expect 3 'warning: podgroups may not be listed (403 Forbidden)' status --context guest

# What goes wrong is said with what helps.
expect 1 'list nodes: 403 Forbidden: nodes is forbidden: User "bob" cannot list it; a ClusterRole that' \
    status --context denied
expect 1 'is this a Kubernetes API server?' top --context html
expect 1 'http://127.0.0.1:1: list ' snapshot --context gone
expect 2 'no context "nope"' status --context nope
expect 2 "$work/absent: No such file or directory" status --kubeconfig "$work/absent"
expect 2 'nodes have no namespace' top -A
expect 2 'flag --sort-by: invalid value "x"; allowed: name, pods, cpu, memory, nvidia.com/gpu' top --sort-by x
expect 2 'do not go together' status -A -n x
expect 2 'has no meaning with a target' explain -A pod/x

# Several kubeconfigs, and one from a pipe.
printf '%s\n' 'current-context: mine' 'contexts:' \
    '- {name: mine, context: {cluster: all, user: me, namespace: team-a}}' >"$work/mine"
KUBECONFIG="$work/absent:$work/mine:$work/kubeconfig"
expect 3 'half    gang       3         1' status
expect 0 'no PodGroups' status -n nowhere --context all
KUBECONFIG="$work/absent:$work/gone"
expect 2 "$work/absent:$work/gone: none of these files exists; name one that does" status
KUBECONFIG="$work/kubeconfig"
mkfifo "$work/pipe"
cat "$work/kubeconfig" >"$work/pipe" &
feeder=$!
expect 3 'half    gang       3         1' status --context team --kubeconfig "$work/pipe"
kill "$feeder" 2>/dev/null || : # in case nobody read it

# As kubectl's plug-in.
ln -s "$(command -v "$MUSTER")" "$work/kubectl-muster"
ln -s "$(command -v "$MUSTER")" "$work/kubectl_complete-muster"
program=$work/kubectl-muster
expect 0 'usage: kubectl muster COMMAND'
expect 0 'usage: kubectl muster COMMAND' --help
expect 3 'PodGroup team-a/half' explain podgroup/half -n team-a
expect 0 'PodGroup default/train (gang, minCount 4): scheduled' explain -f "$work/more.yaml" podgroup/train
expect 3 'pods: 4 bound' simulate
expect 2 'unknown command "--nope"' --nope
program=$work/kubectl_complete-muster
expect 0 'snapshot' ''
expect 0 'wide' status -o ''

echo "$((count - failed)) of $count checks passed"
[ "$failed" -eq 0 ]
