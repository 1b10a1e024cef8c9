#!/bin/sh
# tidy.sh - tools/tidy on small trees: what must be found is found, what is right passes.
# Prints TAP.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
number=0
failed=0

# fresh - an empty tree
fresh() {
    rm -rf "$dir/tree"
    mkdir -p "$dir/tree/src/base" "$dir/tree/src/codec" "$dir/tree/src/cycle" "$dir/tree/src/sim"
}

# file PATH - standard input becomes the file, after the contract that every file needs
file() {
    { printf '/*\n * %s - a sample.\n */\n' "$(basename "$1")"; cat; } >"$dir/tree/$1"
}

result() {
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$dir/out"
        failed=1
    fi
}

run() {
    python3 -I -S "$root/tools/tidy" --root "$dir/tree" >"$dir/out" 2>/dev/null
}

# finds NAME PREFIX - exactly one finding, which begins with PREFIX, and a failing exit
finds() {
    run
    status=$?
    [ "$status" = 1 ] && [ "$(wc -l <"$dir/out")" = 1 ] && grep -q "^$2" "$dir/out"
    result $? "finds $1"
}

# passes NAME - no finding
passes() {
    run && [ ! -s "$dir/out" ]
    result $? "passes $1"
}

lines() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "int x" i ";" }'
}

fresh
echo '#include "codec/json.h"' | file src/base/a.c
finds "an include of a higher room" "src/base/a.c:4: layer: base is below codec"

fresh
echo '#include "base/hash_internal.h"' | file src/codec/a.c
finds "an include of another room's internals" "src/codec/a.c:4: layer: "

fresh
echo '#include "json.h"' | file src/codec/a.c
finds "an include without its room" "src/codec/a.c:4: layer: "

fresh
printf '#include "base/base.h"\n#include "codec/json.h"\n#include "codec/tape_internal.h"\n' |
    file src/codec/a.c
passes "includes of the own room and of lower ones"

for call in 'strcpy(a, b)' 'atoi(a)' 'sprintf(a, b)' 'assert(a)' 'rand()' 'time(a)' 'malloc(1)'; do
    fresh
    printf 'void f(char *a, char *b)\n{\n    %s;\n}\n' "$call" | file src/codec/a.c
    finds "the banned call $call" "src/codec/a.c:6: banned: "
done

fresh
printf 'void f(struct x *a)\n{\n    mst_assert(a);\n    a->time(1);\n    snprintf(a, 1, "time(x)");\n}\n' |
    file src/codec/a.c
passes "names that only look banned"

fresh
printf 'void f(void)\n{\n    free(p);\n}\n' | file src/base/a.c
passes "the heap in base"

fresh
printf '#include <time.h>\n' | file src/cycle/a.c
finds "a clock's header in the core" "src/cycle/a.c:4: io: "

fresh
printf 'void f(void)\n{\n    x = getenv("HOME");\n}\n' | file src/cycle/a.c
finds "the environment in the core" "src/cycle/a.c:6: io: getenv"

fresh
printf '#include <time.h>\nvoid f(void)\n{\n    x = getenv("HOME");\n}\n' | file src/sim/a.c
passes "the environment outside the core"

fresh
printf 'static int count;\n' | file src/cycle/a.c
finds "a mutable global in the core" "src/cycle/a.c:4: global: "

fresh
printf 'void f(void)\n{\n    static int count = 0;\n}\n' | file src/cycle/a.c
finds "a mutable static local in the core" "src/cycle/a.c:6: global: "

fresh
printf 'static const int limit = 3;\nstatic int f(int x);\n' | file src/cycle/a.c
passes "constants and static functions"

fresh
printf 'extern int x;\n' | file src/cycle/a.c
finds "extern in a .c file" "src/cycle/a.c:4: extern: "

fresh
printf 'void f(int n)\n{\n    char text[n];\n}\n' | file src/cycle/a.c
finds "a variable-length array" "src/cycle/a.c:6: vla: "

fresh
printf 'void f(int n)\n{\n    char a[MAX], b[sizeof(n)];\n    return a[n];\n    a[n] = 1;\n}\n' |
    file src/cycle/a.c
passes "arrays of constant length"

for code in '/* mst_queue_pop(q); */' '// x = y + 1;' '/* if (x) { */' '    /* return 0; */' '#if 0'; do
    fresh
    printf '%s\n' "$code" | file src/cycle/a.c
    finds "commented-out code: $code" "src/cycle/a.c:4: dead-code: "
done

fresh
printf '/* A slot is free when its id is 0; see sym.h (the table). */\n/*\n * Use:\n *\n *     f(x);\n */\n' |
    file src/cycle/a.c
passes "prose with a semicolon, and an indented example"

fresh
echo 'int x;' >"$dir/tree/src/cycle/a.c"
finds "a file without its contract" "src/cycle/a.c:1: contract: "

fresh
printf '/*\n * b.c - another file.\n */\n' >"$dir/tree/src/cycle/a.c"
finds "a contract of another file" "src/cycle/a.c:1: contract: "

fresh
mkdir -p "$dir/tree/src/plugins"
printf '/*\n * NodeName - keeps one node.\n */\n' >"$dir/tree/src/plugins/node_name.c"
passes "a plugin that opens with its own name"

fresh
printf '/* Documented. */\nvoid mst_a(void);\nvoid mst_b(void);\n\nvoid mst_c(void);\n' |
    file src/cycle/a.h
finds "a public declaration without a comment" "src/cycle/a.h:8: comment: mst_c"

fresh
printf '/* A thing. */\nstruct mst_x {\n    int a;\n};\n\nvoid mst_x_get(struct mst_x *x);\n\nvoid mst_y_init(void);\nvoid mst_y_get(void);\n' |
    file src/cycle/a.h
passes "functions of a documented type, and lifecycles"

fresh
lines 1100 | file src/cycle/a.c
finds "a file that is too long" "src/cycle/a.c:1: length: 1103 lines"

fresh
lines 700 | file src/cycle/a.c
run && grep -q '^src/cycle/a.c:1: length: .*(warning)$' "$dir/out"
result $? "warns of a long file"

fresh
{ printf 'static void f(void)\n{\n'; lines 68 | sed 's/^/    /'; printf '}\n'; } | file src/sim/a.c
finds "a function of 71 lines" "src/sim/a.c:4: length: f has 71 lines"

fresh
{ printf 'static void f(void)\n{\n'; lines 67 | sed 's/^/    /'; printf '}\n'; } | file src/sim/a.c
passes "a function of 70 lines"

fresh
awk 'BEGIN { printf "/* "; for (i = 0; i < 95; i++) printf "x"; print " */" }' | file src/sim/a.c
finds "a line of 101 columns" "src/sim/a.c:4: columns: 101 columns"

fresh
awk 'BEGIN { printf "/* "; for (i = 0; i < 94; i++) printf "\303\251"; print " */" }' |
    file src/sim/a.c
passes "100 columns of two-byte characters"

fresh
printf 'int f(int n)\n{\n    return f(n - 1);\n}\n' | file src/sim/a.c
finds "recursion" "src/sim/a.c:6: recursion: f calls itself"

fresh
printf '/* Recursion is bounded by the depth of a tree of 8 levels. */\nint f(int n)\n{\n    return f(n - 1);\n}\n' |
    file src/sim/a.c
passes "recursion with a bound"

fresh
printf 'int f(int n)\n{\n    /* tidy: allow recursion: n halves */\n    return f(n / 2);\n}\nint g(void)\n{\n    return f(x->f(1));\n}\n' |
    file src/sim/a.c
passes "what is allowed where it stands"

fresh
printf 'MST_VECTOR\nstatic int f(int n)\n{\n    return n;\n}\n' | file src/sim/a.c
printf 'MST_VECTOR\nstatic int f(int n)\n{\n    return n;\n}\n' | file src/sim/b.c
finds "two clones of one name" "src/sim/b.c:5: clones: f is cloned in src/sim/a.c as well"

# In two parts each, so that this file is clean itself.
fresh
printf 'See /%s/somebody/notes.\n' home >"$dir/tree/notes.md"
finds "a path of one machine" "notes.md:1: machine: path of one machine: "

fresh
printf 'index-url = https://%s.org/simple\n' pypi >"$dir/tree/setup.cfg"
finds "the host of a package registry" "setup.cfg:1: machine: package registry"

fresh
printf 'image: registry.k8s.io/pause:3.9\npath: /var/run/x\nurl: example.com/home/x\n' >"$dir/tree/pod.yaml"
passes "image registries and ordinary paths"

echo "1..$number"
exit $failed
