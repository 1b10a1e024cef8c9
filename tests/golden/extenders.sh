#!/bin/sh
# extenders.sh - HTTP extenders on loopback, driven through muster: what they decide, what goes wrong and
# how it is said, a recording that replays without them. MUSTER names the program.
set -eu
cd "$(dirname "$0")/../.."
: "${MUSTER:?set MUSTER to the program}"
work=$(mktemp -d)
data=tests/golden/extender
python3 $data/extender.py >"$work/log" &
server=$!
python3 $data/extender.py $data/cert.pem $data/key.pem >"$work/log.tls" &
secure=$!
trap 'kill "$server" "$secure" 2>/dev/null || :; rm -rf "$work"' EXIT
tries=0
until [ -s "$work/log" ] && [ -s "$work/log.tls" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo "the extender does not start"; exit 1; }
    sleep 0.1
done
url=http://127.0.0.1:$(head -n 1 "$work/log")
tls=https://127.0.0.1:$(head -n 1 "$work/log.tls")
count=0 failed=0

# config EXTENDER... - flow YAML; @ stands for the server
config() {
    echo 'apiVersion: kubescheduler.config.k8s.io/v1'
    echo 'kind: KubeSchedulerConfiguration'
    echo 'extenders:'
    for e; do echo "- {$e}" | sed "s|@|$url|g; s|%|$tls|g"; done
}

world=$data/world.yaml

# expect CODE TEXT PROFILE EXTENDER... - simulates the world; the output must hold TEXT
expect() {
    want=$1 text=$(echo "$2" | sed "s|@|$url|g") profile=$3
    shift 3
    config "$@" >"$work/config.yaml"
    code=0
    "$MUSTER" simulate -f $world --config "$work/config.yaml" --profile "$profile" \
        --feature-gates GenericWorkload=true -o effects --max-attempts 2 >"$work/out" 2>&1 || code=$?
    count=$((count + 1))
    if [ "$code" -ne "$want" ] || ! grep -qF -- "$text" "$work/out"; then
        failed=$((failed + 1))
        echo "$*: exit code $code (want $want), want the text: $text"
        sed 's/^/    /' "$work/out"
    fi
}

names='filterVerb: filter, nodeCacheCapable: true'
red='"op":"event","kind":"Pod","object":"default/red"'
useless='preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.'
nobody='preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod.'
note="$red,\"type\":\"Warning\",\"reason\":\"FailedScheduling\",\"action\":\"Scheduling\",\"note\":"

for profile in muster upstream; do
    expect 3 '"object":"default/red","node":"n2"' $profile "urlPrefix: '@/even', $names"
    expect 3 '2 odd node, 3 Insufficient cpu.' $profile "urlPrefix: '@/even/', $names"
    expect 0 '"object":"default/blue","node":"n4"' $profile "urlPrefix: '@/all', filterVerb: filter" \
        "urlPrefix: '@/all', prioritizeVerb: prioritize, weight: 100, nodeCacheCapable: true"
    expect 3 "$note\"0/5 nodes are available: 5 extender says no to n. $nobody\"" $profile \
        "urlPrefix: '@/none', $names"
    expect 3 "$note\"0/5 nodes are available: 5 extender says no to n. $useless\"" $profile \
        "urlPrefix: '@/never', filterVerb: filter"
    expect 3 "$note\"0/5 nodes are available: $useless\"" $profile "urlPrefix: '@/silent', filterVerb: filter"
    expect 3 "$note\"0/5 nodes are available: 1 far away, 5 extender says no to n. $nobody\"" $profile \
        "urlPrefix: '@/unknown', $names"
    expect 3 "$note\"extender is out of order\"" $profile "urlPrefix: '@/error', $names"
    expect 3 "$note\"extender \\\"@/stranger\\\" claims a filtered node \\\"n77\\\" which is not" \
        $profile "urlPrefix: '@/stranger', $names"
    expect 3 "$note\"failed filter with extender at URL @/http500/filter, code 500\"" $profile \
        "urlPrefix: '@/http500', $names"
    expect 3 "$note\"invalid character '<' looking for beginning of value\"" $profile \
        "urlPrefix: '@/html', $names"
    expect 3 "$note\"unexpected EOF\"" $profile "urlPrefix: '@/cut', $names"
    expect 3 "$note\"EOF\"" $profile "urlPrefix: '@/empty', $names"
    expect 3 "$note\"Post \\\"@/hangup/filter\\\": EOF\"" $profile "urlPrefix: '@/hangup', $names"
    expect 3 "$note\"json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames" \
        $profile "urlPrefix: '@/types', $names"
    expect 3 "$note\"Post \\\"@/slow/filter\\\": context deadline exceeded (Client.Timeout exceeded" \
        $profile "urlPrefix: '@/slow', $names, httpTimeout: 100ms"
    expect 0 '"object":"default/red","node":"n1"' $profile \
        "urlPrefix: '@/slow', $names, httpTimeout: 100ms, ignorable: true"
    expect 3 "$note\"Post \\\"http://127.0.0.1:1/filter\\\": dial tcp 127.0.0.1:1: connect: connection refused" \
        $profile "urlPrefix: 'http://127.0.0.1:1', $names"
    expect 3 "$note\"Post \\\"ftp://x/filter\\\": unsupported protocol scheme \\\"ftp\\\"" $profile \
        "urlPrefix: 'ftp://x', $names"
    expect 3 '"object":"default/red","node":"n2"' $profile "urlPrefix: '@/moved', $names"
    expect 0 '"object":"default/red","node":"n9"' $profile \
        "urlPrefix: '@/all', prioritizeVerb: prioritize, weight: 100"
    expect 0 '"object":"default/red","node":"n1"' $profile \
        "urlPrefix: '@/html', prioritizeVerb: prioritize, weight: 100"
    expect 0 "Successfully assigned default/red to n1" $profile "urlPrefix: '@/all', bindVerb: bind"
    expect 3 "$note\"extender cannot bind\"" $profile "urlPrefix: '@/error', bindVerb: bind"
    expect 0 "Successfully assigned default/red to n1" $profile \
        "urlPrefix: '@/http500', bindVerb: bind, ignorable: true"
    expect 0 '"object":"default/red","node":"n1"' $profile \
        "urlPrefix: '@/error', $names, managedResources: [{name: a.b/c}]"
done
# Nodes that come back as objects: n4 is the emptiest only without its pod.
expect 3 '"object":"default/red","node":"n2"' muster "urlPrefix: '@/even', filterVerb: filter"
expect 0 '"object":"default/red","node":"n4"' upstream "urlPrefix: '@/even', filterVerb: filter"
# The next extender's names do not bring the pods back.
for profile in muster-n2 upstream-n4; do
    expect 3 "\"object\":\"default/blue\",\"node\":\"${profile#*-}\"" ${profile%-*} \
        "urlPrefix: '@/fresh', filterVerb: filter" \
        "urlPrefix: '@/even', $names, ignorable: true" "urlPrefix: '@/http500', $names, ignorable: true"
done

# TLS: without a CA anything goes, with one the certificate counts, under serverName if it is given.
ca="tlsConfig: {caFile: $data/cert.pem"
expect 3 '"object":"default/red","node":"n2"' muster "urlPrefix: '%/even', $names, enableHTTPS: true"
expect 3 '"object":"default/red","node":"n2"' muster "urlPrefix: '%/even', $names, tlsConfig: {insecure: true}"
expect 3 '"object":"default/red","node":"n2"' muster \
    "urlPrefix: '%/even', $names, enableHTTPS: true, $ca, serverName: extender.test}"
expect 3 '"object":"default/red","node":"n2"' muster "urlPrefix: '%/even', $names, enableHTTPS: true, \
tlsConfig: {serverName: extender.test, caData: $(base64 <$data/cert.pem | tr -d '\n'), \
certFile: $data/cert.pem, keyData: $(base64 <$data/key.pem | tr -d '\n')}"
expect 3 "$note\"Post \\\"https://127.0.0.1:" muster "urlPrefix: '%/even', $names, enableHTTPS: true, $ca}"
expect 3 "$note\"Post \\\"https://127.0.0.1:" muster "urlPrefix: '%/even', $names"
expect 2 "couldn't build extenders: specifying a root certificates file with the insecure flag" muster \
    "urlPrefix: '%/even', $names, $ca, insecure: true}"
expect 2 "couldn't build extenders: open $work/absent: no such file or directory" muster \
    "urlPrefix: '@/all', $names, tlsConfig: {caFile: '$work/absent'}"

# preempts VICTIMS TEXT PROFILE EXTENDER... - the same, and who is evicted, in order
preempts() {
    victims=$1
    shift
    expect 3 "$@"
    count=$((count + 1))
    gone=$(sed -n 's|.*"op":"delete","kind":"Pod","object":"default/\([a-z0-9]*\)".*|\1|p' "$work/out" |
        tr '\n' ' ')
    [ "$gone" != "$victims" ] || return 0
    failed=$((failed + 1))
    echo "$*: evicts '$gone', want '$victims'"
}

# Preemption: extenders judge the candidates. In profile upstream the pod lone always fails: a team is
# evicted as a whole and has pods on both nodes of its pool.
world=$data/full.yaml
asks='preemptVerb: preempt, nodeCacheCapable: true'
found='found a potential placement for pod on node'
lost='claims to preempt pod (UID: &{'
for profile in muster upstream; do
    team=
    [ $profile = upstream ] || team='t1 t2 '
    preempts 'a2 t1 t2 ' "$found n1, preempting 1 victims" $profile \
        "urlPrefix: '@/error', preemptVerb: preempt, managedResources: [{name: a.b/c}]"
    preempts "a2 $team" "$found n1, preempting 1 victims" $profile "urlPrefix: '@/keep', $asks"
    preempts "a2 $team" "$found n1, preempting 1 victims" $profile "urlPrefix: '@/keep', preemptVerb: preempt"
    preempts "b1 $team" "$found n2, preempting 1 victims" $profile "urlPrefix: '@/even', $asks"
    preempts "b1 $team" "$found n2, preempting 1 victims" $profile \
        "urlPrefix: '@/swap', preemptVerb: preempt" "urlPrefix: '@/even', $asks"
    preempts "c1 $team" "$found n3, preempting 1 victims" $profile "urlPrefix: '@/swap', $asks"
    preempts "a1 $team" "$found n1, preempting 1 victims" $profile "urlPrefix: '@/move', $asks"
    preempts "a1 a2 $team" "$found n1, preempting 2 victims" $profile "urlPrefix: '@/two', $asks"
    preempts "a2 $team" "$found n1, preempting 1 victims" $profile "urlPrefix: '@/dear', $asks"
    preempts '' 'preemption: nodeinfo not found for node name \"n77\""' $profile "urlPrefix: '@/nowhere', $asks"
    preempts '' 'preemption: expected at least one victim pod on node \"n1\""' $profile \
        "urlPrefix: '@/nobody', $asks"
    preempts '' 'preemption: no candidate node for preemption"' $profile "urlPrefix: '@/nothing', $asks"
    preempts '' 'preemption: no candidate node for preemption"' $profile "urlPrefix: '@/null', $asks"
    preempts '' 'preemption: no candidate node for preemption"' $profile \
        "urlPrefix: '@/nobody', $asks, ignorable: true"
    preempts '' 'preemption: failed preempt with extender at URL @/http500/preempt, code 500"' $profile \
        "urlPrefix: '@/http500', $asks"
    preempts '' "preemption: invalid character '<' looking for beginning of value\"" $profile \
        "urlPrefix: '@/html', $asks"
    for broken in ghost http500 html nowhere; do
        preempts 'a2 t1 t2 ' "$found n1, preempting 1 victims" $profile \
            "urlPrefix: '@/$broken', $asks, ignorable: true"
    done
done
preempts '' "extender: @/ghost ${lost}uid-ghost}) on node: n1, but the pod is not found on any node\"" muster \
    "urlPrefix: '@/ghost', $asks"
preempts '' "extender: @/ghost ${lost}uid-ghost}) on node: n1, but the pod is not found on that node\"" \
    upstream "urlPrefix: '@/ghost', $asks"
preempts 'a2 t1 t2 ' "$found n5, preempting 2 victims" muster "urlPrefix: '@/half', $asks"
preempts 'a2 ' "extender: @/half ${lost}uid-t1}) on node: n6, but the pod is not found on that node\"" \
    upstream "urlPrefix: '@/half', $asks"
preempts 't1 t2 ' "extender: @/vip ${lost}uid-c9}) on node: n3, but its priority is not lower\"" muster \
    "urlPrefix: '@/vip', $asks"
preempts 'c9 ' "$found n3, preempting 1 victims" upstream "urlPrefix: '@/vip', $asks"
preempts 't1 t2 ' "extender: @/far claims that the pod fits on node: n1 without its victims, but it does not\"" \
    muster "urlPrefix: '@/far', $asks"
preempts '' "extender: @/far ${lost}uid-t1}) on node: n1, but the pod is not found on that node\"" upstream \
    "urlPrefix: '@/far', $asks"
# A node that needs no victims: only the extender can know whom it wants to go.
preempts 'a2 t1 t2 ' '1 No preemption victims found for incoming pod, 5 Preemption is not helpful' muster \
    "urlPrefix: '@/keep', filterVerb: filter, nodeCacheCapable: true"
preempts 'a2 t1 t2 ' 'preemption: expected at least one victim pod on node \"n4\""' upstream \
    "urlPrefix: '@/keep', filterVerb: filter, nodeCacheCapable: true"
preempts 'a2 t1 t2 ' 'preemption: no candidate node for preemption"' muster \
    "urlPrefix: '@/keep', filterVerb: filter, $asks"
preempts 'c1 d1 t1 t2 ' "$found n4, preempting 1 victims" muster "urlPrefix: '@/swap', filterVerb: filter, $asks"
preempts 'c1 ' 'preemption: expected at least one victim pod on node \"n4\""' upstream \
    "urlPrefix: '@/swap', filterVerb: filter, $asks"
# The questions, in whole pods and in UIDs.
before=$(wc -l <"$work/log")
preempts 'b1 t1 t2 ' "$found n2" muster "urlPrefix: '@/swap', preemptVerb: preempt" "urlPrefix: '@/even', $asks"
sed "1,${before}d" "$work/log" | head -n 4 >"$work/calls"
cat >"$work/want" <<'END'
/swap/preempt vip n1:uid-a2 n2:uid-b1 n3:uid-c1
/even/preempt vip n1:uid-a1 n2:uid-b1 n3:uid-c1
/swap/preempt lone n5:uid-t1,uid-t2 n6:uid-t1,uid-t2
/even/preempt lone n5:uid-t1,uid-t2 n6:uid-t1,uid-t2
END
count=$((count + 1))
if ! diff "$work/want" "$work/calls"; then
    failed=$((failed + 1))
    echo "other questions about victims than expected"
fi
world=$data/world.yaml

# The questions of one run, in order.
before=$(wc -l <"$work/log")
expect 0 '"op":"end"' muster "urlPrefix: '@/even', $names" \
    "urlPrefix: '@/all', prioritizeVerb: prioritize, weight: 1"
sed "1,${before}d" "$work/log" >"$work/calls"
cat >"$work/want" <<'END'
/even/filter red n1 n2 n3 n4 n9
/all/prioritize red n2 n4
/even/filter blue n1 n2 n3 n4
/all/prioritize blue n2 n4
/even/filter gang-0 n1 n2 n3
/even/filter gang-1 n1 n2 n3
END
count=$((count + 1))
if ! diff "$work/want" "$work/calls"; then
    failed=$((failed + 1))
    echo "other questions than expected"
fi

# A recording replays without the extender; explain asks it.
config "urlPrefix: '@/even', $names" "urlPrefix: '@/all', bindVerb: bind" >"$work/config.yaml"
code=0
"$MUSTER" simulate -f $world --config "$work/config.yaml" \
    --record "$work/run.jsonl" >/dev/null || code=$?
"$MUSTER" explain -f $world --config "$work/config.yaml" \
    pod/gang-1 >"$work/explained" || :
config "urlPrefix: '@/swap', filterVerb: filter, $asks" >"$work/config.yaml"
"$MUSTER" simulate -f $data/full.yaml --config "$work/config.yaml" --feature-gates GenericWorkload=true \
    --record "$work/victims.jsonl" >/dev/null || :
kill "$server"
wait "$server" 2>/dev/null || :
count=$((count + 3))
if ! "$MUSTER" simulate --replay "$work/victims.jsonl" | grep -q 'same effects'; then
    failed=$((failed + 1))
    echo "the recording with victims does not replay"
fi
if [ "$code" -ne 3 ] || ! "$MUSTER" simulate --replay "$work/run.jsonl" | grep -q 'same effects'; then
    failed=$((failed + 1))
    echo "the recording does not replay"
fi
if ! grep -q 'odd node' "$work/explained"; then
    failed=$((failed + 1))
    echo "explain does not say what the extender says:"
    cat "$work/explained"
fi

if [ "$failed" -gt 0 ]; then
    echo "extenders: $failed of $count failed"
    exit 1
fi
echo "extenders: $count checks"
