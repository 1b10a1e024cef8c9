"""walk - runs a document: its `sh` blocks, one after the other, as a reader would type them.

What a block exports is there for the next. A block fails with its first command that does, except
that `kubectl muster explain` may say 3 (something is pending). The lines of a `text` block have to
appear in the output of the block before it, in this order; "..." stands for anything.
"""
import os
import re
import subprocess

PRELUDE = """\
set -euo pipefail
kubectl() {
    local code=0
    command kubectl "$@" || code=$?
    [ "$code" = 3 ] && [ "$1" = muster ] && return 0
    return "$code"
}
[ ! -e "$WALK_ENV" ] || . "$WALK_ENV"
"""
EPILOGUE = '\nexport -p >"$WALK_ENV"\n'


def blocks(path):
    """[(line, language, text)] of the fenced blocks."""
    found, language, start, lines = [], None, 0, []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            fence = re.match(r"```(\w*)\s*$", line)
            if fence and language is None:
                language, start, lines = fence.group(1), number, []
            elif fence:
                found.append((start, language, "".join(lines)))
                language = None
            elif language is not None:
                lines.append(line)
    return found


def pattern(line):
    """A line of a `text` block as a pattern: blanks are any blanks, "..." is anything."""
    parts = [r"\s+".join(re.escape(w) for w in part.split()) for part in line.split("...")]
    return r".*?".join(parts)


def missing(expected, output):
    """The first expected line that is not in the output after those before it; None: all are."""
    at, found = 0, output.splitlines()
    for line in expected.splitlines():
        wanted = pattern(line.strip())
        while at < len(found) and not re.search(wanted, found[at]):
            at += 1
        if at == len(found):
            return line
        at += 1
    return None


def run(path, root, environment, seconds=240):
    """Yields a note per block; raises AssertionError with the block's place and output."""
    output = ""
    for line, language, text in blocks(path):
        where = f"{os.path.relpath(path, root)}:{line}"
        if language == "sh":
            done = subprocess.run(["bash", "-c", PRELUDE + text + EPILOGUE], cwd=root,
                                  env=environment, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=seconds, check=False)
            output = done.stdout
            assert done.returncode == 0, f"{where}: exit {done.returncode}\n{text}{output}"
            yield f"{where}: {len(text.splitlines())} lines run"
        elif language == "text":
            line = missing(text, output)
            assert line is None, f"{where}: not in the output: {line}\n{output}"
