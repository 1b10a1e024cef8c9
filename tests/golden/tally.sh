#!/bin/sh
# tally.sh - tools/tally on the log of a run of ctest, as ctest writes it. Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/Testing/Temporary"
number=0
failed=0

# program OUTPUT VERDICT - one more program in the log
program() {
    printf '1/9 Testing: some_test\n1/9 Test: some_test\nOutput:\n---\n%b<end of output>\n%s\n"some_test" end time\n---\n' \
        "$1" "$2" >>"$dir/Testing/Temporary/LastTest.log"
}

# counts NAME WANT STATUS - what tally says of the log so far, which is then emptied
counts() {
    number=$((number + 1))
    got=$("$root/tools/tally" "$dir")
    status=$?
    if [ "$got" = "$2" ] && [ "$status" = "$3" ]; then
        echo "ok $number - $1"
    else
        echo "# got \"$got\" and status $status, want \"$2\" and $3"
        echo "not ok $number - $1"
        failed=1
    fi
    : >"$dir/Testing/Temporary/LastTest.log"
}

program '1..2\nok 1 - a\nok 2 - b\n' 'Test Passed.'
program '1..1\nok 1 - c\n' 'Test Passed.'
counts "functions of two programs" "3 passed, 0 failed" 0

program '1..2\nok 1 - a\n# file:1: x\nnot ok 2 - b\n' 'Test Failed.'
counts "a failed function" "1 passed, 1 failed" 1

program '1..5\nok 1 - a\nok 2 - b\n' 'Test Failed.'
counts "a program that died: what it still planned has failed" "2 passed, 3 failed" 1

program 'ok 1 - a\n1..1\n' 'Test Failed.'
counts "all passed, but the program failed at its end" "1 passed, 1 failed" 1

program 'no TAP\n' 'Test Passed.'
program 'no TAP\n' 'Test Failed.'
counts "programs without TAP count as one test" "1 passed, 1 failed" 1

counts "nothing ran" "0 passed, 0 failed" 1

echo "1..$number"
exit $failed
