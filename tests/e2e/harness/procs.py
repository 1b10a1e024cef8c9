"""procs - programs that are started and, whatever happens, stopped.

Every program has a process group of its own and is ended by that group's number, never by a name.
A guard process outlives the harness: it reads the numbers of the groups from a pipe and kills what
is left when the pipe closes, so that even a harness that was killed leaves nothing behind.
"""
import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time

GUARD = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == '+' else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGCONT)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""

_guard = None
_lock = threading.Lock()
_running = []
_ports = set()


def free_port():
    """A port of the loopback interface that nobody listens on and that was not given out before."""
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        with _lock:
            if port not in _ports:
                _ports.add(port)
                return port


def _tell_guard(sign, group):
    global _guard
    with _lock:
        if _guard is None:
            _guard = subprocess.Popen([sys.executable, "-c", GUARD], stdin=subprocess.PIPE,
                                      text=True, start_new_session=True)
        try:
            _guard.stdin.write(f"{sign}{group}\n")
            _guard.stdin.flush()
        except BrokenPipeError:
            pass


class Program:
    """A program with its log file. `starts` counts how often it was started."""

    def __init__(self, name, argv, log, env=None, cwd=None):
        self.name, self.argv, self.log, self.env, self.cwd = name, argv, log, env, cwd
        self.process = None
        self.starts = 0

    def start(self):
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env={**os.environ, **(self.env or {})}, cwd=self.cwd, start_new_session=True)
        _tell_guard("+", self.process.pid)
        with _lock:
            _running.append(self)
        self.starts += 1
        return self

    @property
    def alive(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        """To the whole group. The leader is not reaped before, so the number is still its own."""
        if self.alive:
            os.killpg(self.process.pid, number)

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, grace=10):
        """Asks, waits, kills. Gives back the exit code; negative: the signal that ended it."""
        if self.process is None:
            return None
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        if self.wait(grace) is None:
            self.signal(signal.SIGKILL)
            self.process.wait()
        self._ended()
        return self.process.returncode

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        self._ended()

    def _ended(self):
        _tell_guard("-", self.process.pid)
        with _lock:
            if self in _running:
                _running.remove(self)

    def tail(self, lines=15):
        try:
            with open(self.log, errors="replace") as f:
                return "".join(f.readlines()[-lines:])
        except OSError:
            return ""


def run(argv, check=True, timeout=120, **options):
    """Runs a program to its end and gives back what it printed; raises with that if it failed."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL if "input" not in options else None,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def until(what, seconds, condition, every=0.1):
    """Waits until `condition()` is true and gives back its value; else fails, naming `what`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(every)


@atexit.register
def stop_all():
    """The last started first; the order in which they need each other."""
    for program in reversed(list(_running)):
        program.stop(grace=5)


def exit_on_signals():
    """SIGTERM and SIGHUP end the harness as SIGINT does: through its `finally` clauses."""
    def leave(number, _frame):
        raise SystemExit(128 + number)
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)
