"""hollow - nodes without machines: Node objects, heartbeats, and a kubelet that only reports.

A pod that is bound to such a node becomes Running; a container that runs `sleep N` makes it
Succeeded after N seconds; a pod that is deleted is let go. What else a pod would do does not
happen, unless `launcher` takes it (process_pods.py). The history of every pod's node is kept: a pod that was
seen on two nodes is a double bind.
"""
import heapq
import http.client
import json
import threading
import time

from .api import STRATEGIC, ApiError

TROUBLE = (OSError, http.client.HTTPException, ApiError, ValueError)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def node_object(name, cpu="4", memory="16Gi", labels=None):
    capacity = {"cpu": cpu, "memory": memory, "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name,
                                                  "kubernetes.io/os": "linux",
                                                  "kubernetes.io/arch": "amd64", **(labels or {})}},
            "status": {"capacity": capacity, "allocatable": capacity,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "Hollow",
                                       "lastHeartbeatTime": now(), "lastTransitionTime": now()}]}}


def run_seconds(pod):
    """How long the pod runs by its own account; None: for ever."""
    command = [*(pod["spec"]["containers"][0].get("command") or []),
               *(pod["spec"]["containers"][0].get("args") or [])]
    try:
        return float(command[command.index("sleep") + 1])
    except (ValueError, IndexError):
        return None


class Hollow:
    """Nodes and their kubelet. start() and stop(); everything happens in two threads."""

    def __init__(self, api, launcher=None):
        self.api, self.launcher = api, launcher
        self.nodes = []
        self.history = {}   # uid: [node, ...]
        self.names = {}     # uid: "namespace/name"
        self.ends = []      # (time, uid, namespace, name)
        self.seen = set()   # uid of pods that were told to run
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True)
                        for work in (self._heartbeats, self._follow, self._finish)]
        self.lock = threading.Lock()

    def add_nodes(self, count, prefix="node", **options):
        names = [f"{prefix}-{i}" for i in range(count)]
        for name in names:
            self.api.patiently(30, self.api.create, "/api/v1/nodes", node_object(name, **options))
            self.api.patiently(30, self._beat, name)
        self.nodes += names
        return names

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        self.stopping.set()
        if self.launcher:
            self.launcher.stop()

    def _beat(self, name):
        """The Lease by which the node controller knows that a node lives."""
        path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
        spec = {"holderIdentity": name, "leaseDurationSeconds": 40,
                "renewTime": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())}
        try:
            self.api.patch(f"{path}/{name}", {"spec": spec})
        except ApiError as error:
            if error.status != 404:
                raise
            self.api.create(path, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                                   "metadata": {"name": name, "namespace": "kube-node-lease"},
                                   "spec": spec})

    def _revive(self, name):
        """After an outage: the node controller may have taken the node for dead."""
        ready = node_object(name)["status"]["conditions"]
        self.api.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": ready}},
                       kind=STRATEGIC)

    def _heartbeats(self):
        silent = set()
        while not self.stopping.wait(5):
            for name in list(self.nodes):
                try:
                    self._beat(name)
                    if name in silent:
                        self._revive(name)
                        silent.discard(name)
                except TROUBLE:
                    silent.add(name)

    def _follow(self):
        """Lists and watches pods for ever. What happens to one pod never stops the loop."""
        while not self.stopping.is_set():
            try:
                pods = self.api.get("/api/v1/pods")
                for pod in pods.get("items") or []:
                    self._look(pod)
                for kind, pod in self.api.watch("/api/v1/pods",
                                                pods["metadata"]["resourceVersion"]):
                    if kind in ("ADDED", "MODIFIED"):
                        self._look(pod)
                    elif kind == "DELETED":
                        self._gone(pod)
                    elif kind == "ERROR":
                        break
                    if self.stopping.is_set():
                        return
            except TROUBLE:
                self.stopping.wait(0.5)

    def _look(self, pod):
        node, meta = pod["spec"].get("nodeName"), pod["metadata"]
        if not node:
            return
        uid = meta["uid"]
        with self.lock:
            nodes = self.history.setdefault(uid, [])
            self.names[uid] = f"{meta['namespace']}/{meta['name']}"
            if not nodes or nodes[-1] != node:
                nodes.append(node)
        try:
            if meta.get("deletionTimestamp"):
                if self.launcher:
                    self.launcher.end(pod)
                self.api.delete(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", 0)
            elif pod["status"].get("phase") == "Pending" and uid not in self.seen:
                if self.launcher and self.launcher.takes(pod):
                    self.launcher.begin(pod)
                else:
                    self._run(pod)
                self.seen.add(uid)
        except TROUBLE:
            # Looked at again with the next list; overloaded servers are part of the tests.
            with self.lock:
                heapq.heappush(self.ends, (time.monotonic() + 1, uid, pod, "look"))

    def _run(self, pod):
        report(self.api, pod, "Running", True)
        seconds = run_seconds(pod)
        if seconds is not None:
            with self.lock:
                heapq.heappush(self.ends, (time.monotonic() + seconds, pod["metadata"]["uid"], pod,
                                           "succeed"))

    def _finish(self):
        while not self.stopping.wait(0.1):
            while True:
                with self.lock:
                    if not self.ends or self.ends[0][0] > time.monotonic():
                        break
                    _, uid, pod, what = heapq.heappop(self.ends)
                if what == "look":
                    self._look_again(pod)
                    continue
                try:
                    report(self.api, pod, "Succeeded", False)
                except ApiError as error:
                    if error.status != 404:
                        self._later(uid, pod)
                except TROUBLE:
                    self._later(uid, pod)

    def _later(self, uid, pod):
        with self.lock:
            heapq.heappush(self.ends, (time.monotonic() + 1, uid, pod, "succeed"))

    def _look_again(self, pod):
        meta = pod["metadata"]
        try:
            newest = self.api.get(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")
        except ApiError as error:
            if error.status == 404:
                return
            newest = pod
        except TROUBLE:
            newest = pod
        if newest["metadata"]["uid"] == meta["uid"]:
            self._look(newest)

    def _gone(self, pod):
        if self.launcher:
            self.launcher.end(pod)

    def moved(self):
        """Pods that were seen on more than one node."""
        with self.lock:
            return {self.names[uid]: nodes for uid, nodes in self.history.items() if len(nodes) > 1}


def report(api, pod, phase, ready):
    """Writes the pod's status as its kubelet would."""
    meta = pod["metadata"]
    word = "True" if ready else "False"
    states = {"Running": {"running": {"startedAt": now()}}, "Succeeded": {"terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": now(), "finishedAt": now()}}}
    status = {"phase": phase, "startTime": now(), "conditions": [
        {"type": kind, "status": word, "lastTransitionTime": now()}
        for kind in ("Ready", "ContainersReady")]}
    status["containerStatuses"] = [
        {"name": c["name"], "image": c["image"], "imageID": "", "ready": ready, "started": ready,
         "restartCount": 0, "state": states[phase]} for c in pod["spec"]["containers"]]
    api.patch(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/status",
              json.dumps({"metadata": {"uid": meta["uid"]}, "status": status}), STRATEGIC)
