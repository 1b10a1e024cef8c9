#!/bin/sh
# examples.sh - what the READMEs of examples/ show is what muster prints.
#
#   tests/golden/examples.sh [--update]     MUSTER names the program
#
# In each ```console block a line "$ COMMAND" is run from the project's root (`muster` being $MUSTER),
# and the lines after it must be its output. --update writes the READMEs anew instead of comparing.
set -eu
cd "$(dirname "$0")/../.."
: "${MUSTER:?set MUSTER to the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

muster() {
    "$MUSTER" "$@"
}

# regenerate README - the file with every output as it is now
regenerate() {
    block=false skipping=false
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '```console') block=true ;;
        '```') block=false skipping=false ;;
        '$ '*)
            if $block; then
                printf '%s\n' "$line"
                code=0
                eval "${line#??}" </dev/null 2>&1 || code=$?
                case $code in 0 | 3) ;; *) echo "exit code $code" ;; esac
                skipping=true
                continue
            fi
            ;;
        esac
        $skipping || printf '%s\n' "$line"
    done <"$1"
}

count=0 failed=0
for readme in examples/*/README.md; do
    count=$((count + 1))
    regenerate "$readme" >"$work/README.md"
    if [ "${1-}" = --update ]; then
        cp "$work/README.md" "$readme"
    elif ! grep -q '^\$ muster ' "$readme"; then
        echo "$readme: no command to check"
        failed=$((failed + 1))
    elif ! diff -u "$readme" "$work/README.md"; then
        failed=$((failed + 1))
    fi
done
for shell in bash zsh; do
    file=docs/completion/muster.bash
    [ "$shell" = bash ] || file=docs/completion/_muster
    count=$((count + 1))
    muster completion "$shell" >"$work/completion"
    if [ "${1-}" = --update ]; then
        mkdir -p docs/completion
        cp "$work/completion" "$file"
    elif ! diff -u "$file" "$work/completion"; then
        failed=$((failed + 1))
    fi
done
echo "$((count - failed)) of $count files are as printed"
[ "$count" -gt 2 ] && [ "$failed" -eq 0 ]
