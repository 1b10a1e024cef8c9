#!/bin/sh
# coverage.sh - tools/coverage on programs that leave known lines and branches out. Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/src/a" "$dir/src/b" "$dir/build"
number=0
failed=0

cat >"$dir/src/a/half.h" <<'END'
#define mst_assert(condition) ((condition) ? (void)0 : __builtin_trap())
static inline int half(int x)
{
    mst_assert(x >= 0 &&
               x < 100);
    if (x == 7) /* not mst_assert(x) */
        return 3;
    return x / 2;
}
END
cat >"$dir/src/a/one.c" <<'END'
#include "half.h"
int main(void)
{
    return half(7) != 3;
}
END
cat >"$dir/src/a/two.c" <<'END'
#include "half.h"
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1 || argc < 1)
        return 1;
    return half(8) != 4;
}
END
cat >"$dir/src/b/never.c" <<'END'
int main(void)
{
    return 0;
}
END

# prog NAME SOURCE - builds it as the preset cov does
prog() {
    (cd "$dir/build" && gcc -O0 --coverage -o "$1" "$dir/src/$2")
}

check() {
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        echo "# got \"$2\", want \"$3\""
        echo "not ok $number - $1"
        failed=1
    fi
}

measure() {
    "$root/tools/coverage" --no-run --root "$dir" --build "$dir/build" "$@" 2>"$dir/error"
}

measure >/dev/null
check "a directory in which nothing was built" "$? $(cat "$dir/error")" \
    "2 coverage: $dir/build: nothing was built for coverage here"

prog one a/one.c && prog two a/two.c && prog never b/never.c || exit 1
"$dir/build/one" && "$dir/build/two" || exit 1

# half.h is whole only over both programs; the assertion's other side is not asked for.
check "lines and branches, over programs" \
    "$(measure | awk '{ $1 = $1; print }' | tail -n +2)" \
    "src/a 10/11 90.9 % 4/6 66.6 %
half.h 5/5 100.0 % 2/2 100.0 %
one.c 2/2 100.0 % 0/0 100.0 %
two.c 3/4 75.0 % 2/4 50.0 %
src/b 0/2 0.0 % 0/0 100.0 %
never.c 0/2 0.0 % 0/0 100.0 %
all 10/13 76.9 % 4/6 66.6 %"
check "what is missing" "$(measure --missing src/a | grep '^src/a/.*:')" \
    "src/a/two.c:5: 2 of 4 branches taken
src/a/two.c:6: never ran"
check "as JSON" "$(measure -o json | python3 -c '
import json, sys
got = json.load(sys.stdin)
print(got["files"]["src/a/two.c"]["lines_missed"], got["files"]["src/a/two.c"]["branches_missed"],
      got["directories"]["src/b"]["lines_percent"], got["all"]["lines_run"])')" \
    "[6] [{'line': 5, 'taken': 2, 'branches': 4}] 0.0 10"

measure --min src/a=90.9 --min src=76 >/dev/null
check "enough" "$?" 0
measure --min src/a=91 --min src/b=1 >/dev/null
check "too little" "$? $(cat "$dir/error")" \
    "1 coverage: src/a: 90.9 % of the lines, want 91 %
coverage: src/b: 0.0 % of the lines, want 1 %"
measure --min src/c=1 >/dev/null
check "a directory that is not there" "$? $(cat "$dir/error")" \
    "2 coverage: --min src/c=1: nothing was measured in src/c"
measure --min src/a >/dev/null
check "a minimum without a number" "$? $(tail -n 1 "$dir/error")" \
    "2 coverage: error: argument --min: 'src/a' is not DIR=PERCENT"

echo "1..$number"
exit $failed
