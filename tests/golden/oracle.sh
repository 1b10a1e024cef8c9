#!/bin/sh
# oracle.sh - the answers of kube-scheduler v1.37.2 that are stored here, compared line by line with ours.
# Each archive holds a configuration, snapshots, and the oracle's output for each (tools/conformance).
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
n=0
failed=0
for archive in "$here"/oracle/*.tar.gz; do
    n=$((n + 1))
    name=$(basename "$archive" .tar.gz)
    if out=$("$root/tools/conformance" --muster "${MUSTER:?the binary to test}" --check "$archive" 2>&1); then
        echo "ok $n - $name: $(echo "$out" | tail -n 1)"
    else
        echo "$out" | sed 's/^/# /'
        echo "not ok $n - $name"
        failed=1
    fi
done
echo "1..$n"
exit $failed
