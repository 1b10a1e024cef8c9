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

# expect CODE TEXT PROFILE EXTENDER... - simulates the world; the output must hold TEXT
expect() {
    want=$1 text=$(echo "$2" | sed "s|@|$url|g") profile=$3
    shift 3
    config "$@" >"$work/config.yaml"
    code=0
    "$MUSTER" simulate -f tests/golden/extender/world.yaml --config "$work/config.yaml" \
        --profile "$profile" --feature-gates GenericWorkload=true -o effects --max-attempts 2 \
        >"$work/out" 2>&1 || code=$?
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
"$MUSTER" simulate -f tests/golden/extender/world.yaml --config "$work/config.yaml" \
    --record "$work/run.jsonl" >/dev/null || code=$?
"$MUSTER" explain -f tests/golden/extender/world.yaml --config "$work/config.yaml" \
    pod/gang-1 >"$work/explained" || :
kill "$server"
wait "$server" 2>/dev/null || :
count=$((count + 2))
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
