"""scheduler - a scheduler under test: started as the Deployment of deploy/ would, watched, stopped.

It gets the ServiceAccount's token and the configuration of deploy/'s ConfigMap, and nothing else;
so whatever the ClusterRole of deploy/ forbids, it cannot do here either.
"""
import http.client
import os
import re
import signal
import ssl
import threading

from . import procs
from .plane import SCHEDULER_GATES

ACCOUNT = ("kube-system", "muster")
USER = "system:serviceaccount:kube-system:muster"
MEMORY_MB = 64  # a cluster of ten nodes takes some 20


class Scheduler:
    """One instance. With `supervised` it is started again when it ends, as a kubelet would."""

    def __init__(self, env, name, server=None, flags=(), supervised=True):
        self.env, self.name, self.supervised = env, name, supervised
        self.directory = os.path.join(env.plane.directory, "schedulers", name)
        os.makedirs(self.directory, exist_ok=True)
        self.port = procs.free_port()
        token = os.path.join(self.directory, "token")
        with open(token, "w") as f:
            f.write(env.plane.service_account_token(*ACCOUNT))
        kubeconfig = env.plane.write_kubeconfig(os.path.join(self.directory, "kubeconfig"),
                                                f"tokenFile: {token}", server)
        config = os.path.join(self.directory, "scheduler.yaml")
        with open(config, "w") as f:
            f.write(env.configuration.replace(
                "clientConnection:\n", f"clientConnection:\n  kubeconfig: {kubeconfig}\n", 1))
        self.program = procs.Program(name, [
            *env.command, "--config", config, "--bind-address", "127.0.0.1",
            "--secure-port", str(self.port), "--feature-gates", SCHEDULER_GATES,
            "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
            "-v", "2", *flags], os.path.join(self.directory, "log"))
        self.stopping = threading.Event()
        self.exits, self.memory_mb = [], 0

    def start(self, wait=True):
        self.program.start()
        if self.supervised:
            threading.Thread(target=self._supervise, daemon=True).start()
        if wait:
            procs.until(f"{self.name} is ready\n{self.program.tail()}", 60, self.is_ready)
        return self

    def _supervise(self):
        while not self.stopping.wait(0.3):
            self.measure()
            if not self.program.alive and not self.stopping.is_set():
                self.exits.append(self.program.process.returncode)
                self.program.start()

    def measure(self):
        """Keeps the most memory that it had so far."""
        try:
            with open(f"/proc/{self.program.process.pid}/status") as f:
                found = re.search(r"VmHWM:\s+(\d+) kB", f.read())
        except OSError:
            found = None
        if found:
            self.memory_mb = max(self.memory_mb, int(found.group(1)) // 1024)

    def check_sound(self):
        """It was never ended by a fault of its own, could read all objects, and stayed small."""
        crashes = [code for code in self.exits if code < 0 and code != -signal.SIGKILL]
        assert not crashes, f"{self.name}: ended by signals: {crashes}"
        with open(self.program.log, errors="replace") as f:
            bad = [line for line in f if "is left out" in line]
        assert not bad, f"{self.name}: objects that it could not read:\n{''.join(bad)}"
        assert self.memory_mb <= MEMORY_MB, f"{self.name}: {self.memory_mb} MB of memory"

    def gauges(self, name):
        """{labels: value} of a metric, without those that are 0; None when it does not answer."""
        status, text = self.get("/metrics", token=self.env.plane.token)
        if status != 200:
            return None
        found = re.findall(rf"^{name}(\{{.*\}})? (\S+)$", text, re.M)
        return {labels: float(value) for labels, value in found if float(value)}

    def is_ready(self):
        return self.get("/readyz")[0] == 200

    def get(self, path, token=None):
        """(status, text) of an endpoint of its own; (0, "") when it does not answer."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=5, context=context)
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def stop(self, grace=15):
        self.stopping.set()
        self.measure()
        if self.program.process is None:
            return None
        self.exits.append(self.program.stop(grace))
        return self.exits[-1]

    def kill(self):
        """As when the machine goes: no lease is given back, nothing is finished. For good."""
        self.stopping.set()
        self.measure()
        self.program.kill()
