#!/bin/sh
# config.sh - muster config: every refusal's words, places and exit codes, and that what show prints
# reads back as the same. MUSTER names the program.
set -eu
cd "$(dirname "$0")/../.."
: "${MUSTER:?set MUSTER to the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0
head='apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration'

fail() {
    failed=$((failed + 1))
    echo "$1"
    sed 's/^/    /' "$work/out"
}

# refused NAME BODY WANT [FLAG...] - the document of head and BODY; WANT is all that is said, each line
# without the file's name before it
refused() {
    name=$1 want=$3
    printf '%s\n%s\n' "$head" "$2" >"$work/c.yaml"
    shift 3
    said 2 "$name" "$want" "$@"
}

# said CODE NAME WANT [FLAG...] - the same for the file that is there
said() {
    wanted=$1 name=$2
    printf '%s\n' "$3" >"$work/want"
    shift 3
    code=0
    (cd "$work" && "$MUSTER" config check c.yaml "$@") >"$work/all" 2>&1 || code=$?
    sed '/^c\.yaml: [0-9]* errors\{0,1\}$/d; s/^c\.yaml://' "$work/all" >"$work/out"
    count=$((count + 1))
    [ "$code" -eq "$wanted" ] && diff -u "$work/want" "$work/out" >"$work/diff" ||
        fail "$name: exit code $code (want $wanted), want: $(cat "$work/want")"
}

refused 'unknown plugin' 'profiles:
- plugins:
    filter: {enabled: [{name: NoSuch}]}
    multiPoint: {enabled: [{name: Neither}]}' \
    '5:24: error: creating profile for scheduler name default-scheduler: FilterPlugin "NoSuch" does not exist
6:28: error: creating profile for scheduler name default-scheduler: PreFilterPlugin "Neither" does not exist'
refused 'wrong point' 'profiles: [{plugins: {score: {enabled: [{name: NodeName}]}}}]' \
    '3:41: error: creating profile for scheduler name default-scheduler: plugin "NodeName" does not extend ScorePlugin plugin'
refused 'removed plugin' 'profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]' \
    '3:42: error: profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")'
refused 'wrong type of args' 'profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: InterPodAffinityArgs}' \
    '6:11: error: args for plugin NodeResourcesFit were not of type NodeResourcesFitArgs.kubescheduler.config.k8s.io, got InterPodAffinityArgs.kubescheduler.config.k8s.io'
refused 'negative weight' 'profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: -1}]}}}]' \
    '3:41: error: profiles[0].plugins.score.enabled[0].weight: Invalid value: -1: must be greater than or equal to 0'
refused 'two profiles of one name' 'profiles:
- schedulerName: a
- schedulerName: a' \
    '5:3: error: profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"'
refused 'a profile without a name' 'profiles: [{schedulerName: a}, {}]' \
    '3:32: error: profiles[1].schedulerName: Required value'
refused 'unknown field' 'profils: []
leaderElection: {leaderElct: true}
profiles: [{plugin: {}}]' \
    '3:1: error: strict decoding error: unknown field "profils"
4:18: error: strict decoding error: unknown field "leaderElection.leaderElct"
5:13: error: strict decoding error: unknown field "profiles[0].plugin"'
refused 'duplicate field' 'parallelism: 3
parallelism: 4' \
    '4:1: error: strict decoding error: key "parallelism" already set in map'
refused 'wrong type of a field' 'parallelism: many' \
    '3:14: error: parallelism: expected integer, got string'
refused 'bad shape' 'profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        requestedToCapacityRatio:
          shape: [{utilization: 50, score: 11}, {utilization: 50, score: 1}, {utilization: 101}]' \
    '10:11: error: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: values must be sorted in increasing order
10:11: error: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]
10:11: error: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[2].utilization: Invalid value: 101: not in valid range [0, 100]'
refused 'no shape' 'profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: RequestedToCapacityRatio}}' \
    '6:29: error: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio'
refused 'percentages' 'percentageOfNodesToScore: 101
profiles: [{percentageOfNodesToScore: -1}]' \
    '4:39: error: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]
3:27: error: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]'
refused 'leader election' 'leaderElection: {leaseDuration: 5s, renewDeadline: 10s, resourceLock: endpoints}' \
    '3:17: error: leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`
3:71: error: leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"'
refused 'several at once' 'parallelism: 0
podInitialBackoffSeconds: 0
podMaxBackoffSeconds: -1
profiles:
- pluginConfig:
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}
  - {name: InterPodAffinity}
  - {name: NotThere, args: {}}
  plugins:
    bind: {disabled: [{name: "*"}]}' \
    '3:14: error: parallelism: Invalid value: 0: should be an integer value greater than zero
8:36: error: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]
9:5: error: profiles[0].pluginConfig[1]: Duplicate value: "InterPodAffinity"
10:5: warning: profiles[0].pluginConfig[2]: no plugin "NotThere" exists, its args have no effect
7:3: error: creating profile for scheduler name default-scheduler: at least one bind plugin is needed for profile with scheduler name "default-scheduler"
4:27: error: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0
5:23: error: podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to PodInitialBackoffSeconds'

printf 'apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n' \
    >"$work/c.yaml"
said 2 'wrong apiVersion' \
    '1:1: error: no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"'
printf 'kind: KubeSchedulerConfiguration\n' >"$work/c.yaml"
said 2 'no apiVersion' "1:1: error: Object 'apiVersion' is missing"
: >"$work/c.yaml"
said 2 'an empty file' "1:1: error: Object 'Kind' is missing"
printf '{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",\n"profiles":[],"profiles":[]}' \
    >"$work/c.yaml"
said 2 'duplicate field, JSON' '2:15: error: strict decoding error: duplicate field "profiles"'
printf '%s\n---\n%s\n' "$head" "$head" >"$work/c.yaml"
said 2 'two documents' '4:1: error: a configuration is one document, here are more'

# Feature gates.
printf '%s\n' "$head" >"$work/c.yaml"
said 0 'valid' ' valid'
said 2 'gates' '--feature-gates: error: unrecognized feature gate: NoSuch
--feature-gates: error: cannot set feature gate DynamicResourceAllocation to false, feature is locked to true' \
    --profile upstream --feature-gates NoSuch=true,DynamicResourceAllocation=false
said 2 'a gate without what it needs' '--feature-gates: error: CompositePodGroup is enabled, but depends on features that are disabled: [GenericWorkload TopologyAwareWorkloadScheduling]' \
    --profile upstream --feature-gates CompositePodGroup=true
said 0 'an unknown gate in profile muster' '--feature-gates: warning: unrecognized feature gate: NoSuch
 valid' --feature-gates NoSuch=true
printf '%s\nparallelism: 0\n' "$head" >"$work/c.yaml"
said 2 'gates and file at once' '--feature-gates: error: missing bool value for X
3:14: error: parallelism: Invalid value: 0: should be an integer value greater than zero' \
    --feature-gates X

# expect CODE TEXT ARGUMENT... - runs muster; the output (both streams) must hold TEXT
expect() {
    want=$1 text=$2
    shift 2
    code=0
    "$MUSTER" "$@" <"$work/c.yaml" >"$work/out" 2>&1 || code=$?
    count=$((count + 1))
    [ "$code" -eq "$want" ] && grep -qF -- "$text" "$work/out" ||
        fail "muster $*: exit code $code (want $want), want the text: $text"
}

expect 2 '-:3:14: error: parallelism' config check -
expect 2 '"path": "parallelism"' config check - -o json
expect 2 '"line": 3' config check - -o json
expect 2 '"path": "--feature-gates"' config check - -o json --feature-gates X
expect 2 'error: parallelism' config show --config -
expect 2 'No such file or directory' config check "$work/absent.yaml"
expect 2 'what is to be done?' config
expect 2 'invalid argument "chek"; allowed: check, show; did you mean check?' config chek x
expect 2 'nothing to check' config check
expect 2 'flag --output: check takes text or json, not yaml' config check - -o yaml
expect 2 'flag --output: show takes yaml, json or table, not text' config show -o text
expect 2 'flag --config: check takes the file as its word' config check - --config x
expect 2 'show takes the file with --config x' config show x
expect 2 'unexpected argument "b"' config check a b
printf '%s\n' "$head" >"$work/c.yaml"
expect 0 '-: valid' config check -
expect 0 '[]' config check - -o json
expect 0 '# with --profile upstream --feature-gates GenericWorkload=true' config show \
    --profile upstream --feature-gates GenericWorkload=true
expect 0 'VolumeBinding                     1        yes    preFilter,filter,preScore,score,reserve,preBind' \
    config show -o table

# again NAME [FLAG...] - what show prints of c.yaml is valid and shows as itself, in both forms
again() {
    name=$1
    shift
    for form in yaml json; do
        count=$((count + 1))
        if ! { "$MUSTER" config show --config "$work/c.yaml" -o $form "$@" >"$work/1" &&
            "$MUSTER" config check "$work/1" "$@" &&
            "$MUSTER" config show --config "$work/1" -o $form "$@" >"$work/2" &&
            cmp "$work/1" "$work/2" &&
            "$MUSTER" config show --config "$work/c.yaml" -o table "$@" | sort >"$work/t1" &&
            "$MUSTER" config show --config "$work/1" -o table "$@" | sort >"$work/t2" &&
            cmp "$work/t1" "$work/t2"; } >"$work/out" 2>&1; then
            fail "$name, $form: does not show as itself"
        fi
    done
}

again 'the default'
again 'the default, upstream' --profile upstream
again 'all groups, upstream' --profile upstream --feature-gates \
    GenericWorkload=true,TopologyAwareWorkloadScheduling=true,StorageCapacityScoring=false
cat >"$work/c.yaml" <<END
$head
leaderElection: {leaderElect: false}
percentageOfNodesToScore: 50
profiles:
- schedulerName: pack
  percentageOfNodesToScore: 0
  plugins:
    multiPoint: {disabled: [{name: ImageLocality}], enabled: [{name: NodeAffinity, weight: 9}]}
    preScore: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit}]}
    score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 5}]}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 3}]}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}]
- schedulerName: spread
  plugins: {preFilter: {disabled: [{name: NodeName}]}, filter: {disabled: [{name: NodeName}]}}
END
again 'two profiles'
again 'two profiles, upstream' --profile upstream

# The effective configuration schedules like the one that it was made of.
sed -i 's/schedulerName: pack/schedulerName: default-scheduler/' "$work/c.yaml"
"$MUSTER" config show --config "$work/c.yaml" >"$work/1"
for config in c.yaml 1; do
    "$MUSTER" simulate -f examples/gang-fits --config "$work/$config" -o effects >"$work/$config.effects"
done
count=$((count + 1))
cmp "$work/c.yaml.effects" "$work/1.effects" >"$work/out" || fail 'simulate: other effects'

echo "$((count - failed)) of $count checks passed"
[ "$failed" -eq 0 ]
