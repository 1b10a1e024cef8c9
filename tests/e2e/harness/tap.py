"""tap - the list of tests, and "ok N - name" for each."""
import sys
import time
import traceback

TESTS = []


def test(text):
    """Registers a function as a test. `text` says what holds when it passes."""
    def add(function):
        TESTS.append((text, function))
        return function
    return add


class Skip(Exception):
    """Raised by a test that cannot be made here; the reason is printed."""


def attempt(function, env):
    """Runs one test; returns (traceback or None, reason of a skip or None, seconds)."""
    begin = time.monotonic()
    error = skipped = None
    try:
        function(env)
        env.check_sound()
    except Skip as reason:
        skipped = str(reason)
    except Exception:  # pylint: disable=broad-except
        error = traceback.format_exc()
    return error, skipped, time.monotonic() - begin


def say(out, env, name, seconds, error):
    """What is known about one run of a test."""
    for note in [f"{name}: {seconds:.1f} s", *env.notes, *(error or "").splitlines()]:
        print(f"# {note}", file=out)
    if error:
        for line in env.evidence():
            print(f"#   {line}", file=out)


def run(tests, env, tries=1, out=sys.stdout):
    """Runs them in order, prints TAP, and at the end "N passed, N failed". True: all passed.

    A test that fails is run again, up to `tries` times, on a cleaned cluster: a busy machine makes real
    servers late. What failed before a pass is printed, too."""
    passed = failed = 0
    print(f"1..{len(tests)}", file=out, flush=True)
    for number, (text, function) in enumerate(tests, 1):
        for left in reversed(range(tries)):
            env.notes = []
            error, skipped, seconds = attempt(function, env)
            if error and left:
                print(f"# {function.__name__} failed and is run again", file=out)
                say(out, env, function.__name__, seconds, error)
                out.flush()
                env.clean()
                continue
            break
        passed, failed = passed + (error is None), failed + (error is not None)
        skip = f" # SKIP {skipped}" if skipped else ""
        print(f"{'ok' if error is None else 'not ok'} {number} - {text}{skip}", file=out)
        say(out, env, function.__name__, seconds, error)
        out.flush()
        env.clean()
    print(f"{passed} passed, {failed} failed", file=out, flush=True)
    return failed == 0 and passed > 0
