"""process_pods - pods of a hollow node that do run: the scheduler's own, as processes.

What the Deployment of deploy/ says is carried out with a program instead of an image: arguments,
the files of its ConfigMap, the token of its ServiceAccount, its HTTPS probes, its restarts. What a
container has and a process has not is mapped: paths below a volume's mountPath become paths of
a directory of the pod, port 10259 becomes a free port, and in-cluster configuration becomes a
kubeconfig with the token in a file.
"""
import http.client
import os
import re
import ssl
import threading

from . import procs
from .api import ApiError
from .hollow import report

IMAGE = "muster:"


class Launcher:
    """Runs pods whose image is called muster with `command` (a list) in place of the image."""

    def __init__(self, plane, command, directory):
        self.plane, self.command, self.directory = plane, command, directory
        self.pods = {}
        self.lock = threading.Lock()

    def takes(self, pod):
        return any(IMAGE in c["image"] for c in pod["spec"]["containers"])

    def begin(self, pod):
        instance = PodProcess(self.plane, self.command, self.directory, pod)
        with self.lock:
            self.pods[pod["metadata"]["uid"]] = instance
        instance.start()

    def end(self, pod):
        with self.lock:
            instance = self.pods.pop(pod["metadata"]["uid"], None)
        if instance:
            instance.stop()

    def stop(self):
        with self.lock:
            instances, self.pods = list(self.pods.values()), {}
        for instance in instances:
            instance.stop()

    def ready(self):
        with self.lock:
            return [p for p in self.pods.values() if p.ready]


class PodProcess:
    """One container of one pod: started, probed, started again, stopped."""

    def __init__(self, plane, command, directory, pod):
        meta, spec = pod["metadata"], pod["spec"]
        self.plane, self.pod, self.ready, self.stopping = plane, pod, False, threading.Event()
        self.name = meta["name"]
        self.directory = os.path.join(directory, self.name)
        os.makedirs(self.directory, exist_ok=True)
        self.port = procs.free_port()
        self.container = spec["containers"][0]
        token = os.path.join(self.directory, "token")
        with open(token, "w") as f:
            f.write(plane.service_account_token(meta["namespace"], spec["serviceAccountName"]))
        self.kubeconfig = plane.write_kubeconfig(
            os.path.join(self.directory, "kubeconfig"), f"tokenFile: {token}")
        mounts = self._mount(spec, meta["namespace"])
        arguments = [self._map(a, mounts) for a in self.container.get("args") or []]
        arguments += [f"--{what}-kubeconfig={self.kubeconfig}"
                      for what in ("authentication", "authorization")]
        self.program = procs.Program(self.name, [*command, *arguments],
                                     os.path.join(self.directory, "log"))

    def _mount(self, spec, namespace):
        """The files of ConfigMaps, and which path of the container is which directory here."""
        volumes = {v["name"]: v for v in spec.get("volumes") or []}
        mounts = {}
        for mount in self.container.get("volumeMounts") or []:
            source = volumes.get(mount["name"], {}).get("configMap")
            here = os.path.join(self.directory, mount["name"])
            os.makedirs(here, exist_ok=True)
            mounts[mount["mountPath"]] = here
            if not source:
                continue
            data = self.plane.api.get(
                f"/api/v1/namespaces/{namespace}/configmaps/{source['name']}").get("data") or {}
            for name, text in data.items():
                with open(os.path.join(here, name), "w") as f:
                    f.write(self.with_kubeconfig(text))
        return mounts

    def with_kubeconfig(self, text):
        """In a cluster the client finds its way by the pod's environment; here by a kubeconfig."""
        if "kind: KubeSchedulerConfiguration" not in text:
            return text
        line = f"clientConnection:\n  kubeconfig: {self.kubeconfig}"
        if re.search(r"^clientConnection:\s*$", text, re.M):
            return re.sub(r"^clientConnection:\s*$", line, text, count=1, flags=re.M)
        return text.rstrip("\n") + "\n" + line + "\n"

    def _map(self, argument, mounts):
        for there, here in mounts.items():
            argument = argument.replace(there, here)
        argument = re.sub(r"^--secure-port=\d+$", f"--secure-port={self.port}", argument)
        return re.sub(r"^--bind-address=.*$", "--bind-address=127.0.0.1", argument)

    def start(self):
        self.program.start()
        threading.Thread(target=self._kubelet, daemon=True).start()

    def _kubelet(self):
        pause = 0.5
        while not self.stopping.wait(0.5):
            if not self.program.alive:
                self._tell(False)
                if self.stopping.wait(pause):
                    return
                pause = min(pause * 2, 10)
                self.program.start()
            ready = self._probe("readinessProbe")
            if ready != self.ready:
                self._tell(ready)

    def _tell(self, ready):
        try:
            report(self.plane.api, self.pod, "Running", ready)
            self.ready = ready
        except (OSError, http.client.HTTPException, ApiError):
            pass

    def _probe(self, name):
        path = self.container.get(name, {}).get("httpGet", {}).get("path", "/readyz")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=2, context=context)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self):
        self.stopping.set()
        self.program.stop(grace=self.pod["spec"].get("terminationGracePeriodSeconds", 10))
