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


def run(tests, env, out=sys.stdout):
    """Runs them in order, prints TAP, and at the end "N passed, N failed". True: all passed."""
    passed = failed = 0
    print(f"1..{len(tests)}", file=out, flush=True)
    for number, (text, function) in enumerate(tests, 1):
        begin = time.monotonic()
        notes, error = [], None
        env.notes = notes
        try:
            function(env)
            env.check_sound()
        except Skip as reason:
            text += f" # SKIP {reason}"
        except Exception:  # pylint: disable=broad-except
            error = traceback.format_exc()
        passed, failed = passed + (error is None), failed + (error is not None)
        seconds = time.monotonic() - begin
        print(f"{'ok' if error is None else 'not ok'} {number} - {text}", file=out)
        for note in [f"{function.__name__}: {seconds:.1f} s", *notes, *(error or "").splitlines()]:
            print(f"# {note}", file=out)
        if error:
            for line in env.evidence():
                print(f"#   {line}", file=out)
        out.flush()
        env.clean()
    print(f"{passed} passed, {failed} failed", file=out, flush=True)
    return failed == 0 and passed > 0
