"""env - what a test gets: the control plane, hollow nodes, schedulers, and short ways to both."""
import contextlib
import os
import re

from . import audit, procs
from .api import GROUPS, ApiError
from .hollow import Hollow
from .plane import Plane
from .scheduler import Scheduler

NODES, CPU = 10, 4
PODS = "/api/v1/namespaces/{}/pods"
SCHEDULER = "muster"  # spec.schedulerName, as overlays/second-scheduler has it


class Env:
    """One control plane for all tests of a run; every test has a namespace of its own."""

    def __init__(self, binaries, directory, command, root):
        self.binaries, self.command, self.root = binaries, command, root
        self.stand_in = "kube-scheduler" in os.path.basename(command[0])
        self.notes, self.schedulers, self.proxies = [], [], []
        self.errors = (OSError, ApiError)
        self.count, self.ns = 0, None
        self.plane = Plane(binaries, directory)
        self.api = self.plane.api
        self.hollow = None
        self.configuration = None

    def start(self):
        self.plane.start()
        self.hollow = Hollow(self.api).start()
        self.hollow.add_nodes(NODES, cpu=str(CPU))
        if self.stand_in:
            # kube-scheduler reads more than muster does (devices); deploy/ need not allow that.
            for role in ("kube-scheduler", "volume-scheduler"):
                self.plane.kubectl("create", "clusterrolebinding", f"stand-in-{role}",
                                   f"--clusterrole=system:{role}",
                                   "--serviceaccount=kube-system:muster")
        self.deploy("second-scheduler")
        return self

    def deploy(self, overlay):
        """Applies an overlay, its Deployment scaled to none: here the tests are the kubelet."""
        self.plane.kubectl("apply", "-k", os.path.join(self.root, "deploy", "overlays", overlay))
        self.plane.kubectl("-n", "kube-system", "scale", "deployment/muster", "--replicas=0")
        deployed = self.api.get("/apis/apps/v1/namespaces/kube-system/deployments/muster")
        volume = deployed["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]
        text = self.api.get(f"/api/v1/namespaces/kube-system/configmaps/{volume}")
        self.configuration = text["data"]["scheduler.yaml"]

    # --- a test's own -----------------------------------------------------------------------------

    def namespace(self):
        self.count += 1
        self.ns = f"t{self.count}"
        self.api.create("/api/v1/namespaces", {"metadata": {"name": self.ns}})
        return self.ns

    @contextlib.contextmanager
    def scheduler(self, name=None, **options):
        one = self.add_scheduler(name, **options)
        try:
            yield one
        finally:
            one.stop()

    def add_scheduler(self, name=None, wait=True, **options):
        one = Scheduler(self, name or f"{self.ns}-{len(self.schedulers)}", **options)
        self.schedulers.append(one)
        return one.start(wait)

    def note(self, text):
        self.notes.append(text)

    def evidence(self):
        """For a failed test: the ends of the logs of its schedulers."""
        for one in self.schedulers:
            yield f"{one.name}: {one.program.log}"
            yield from one.program.tail().splitlines()

    def clean(self):
        """After every test: no scheduler, no proxy, no pod, no group."""
        for one in self.schedulers:
            one.stop()
        for proxy in self.proxies:
            proxy.stop()
        self.schedulers, self.proxies = [], []
        if not self.ns:
            return
        for path in (f"/apis/batch/v1/namespaces/{self.ns}/jobs",
                     f"{PODS.format(self.ns)}",
                     f"{GROUPS}/namespaces/{self.ns}/podgroups"):
            self.api.patiently(60, self.api.call, "DELETE", path,
                               {"kind": "DeleteOptions", "apiVersion": "v1",
                                "gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        procs.until("the pods of the test are gone", 60, lambda: not self.pods())
        self.ns = None

    # --- objects ----------------------------------------------------------------------------------

    def pod(self, name, cpu="1", group=None, labels=None, **spec):
        """Creates a pod; `group` is the name of its PodGroup."""
        if group:
            spec["schedulingGroup"] = {"podGroupName": group}
        body = {"metadata": {"name": name, "labels": labels or {}},
                "spec": {"schedulerName": SCHEDULER, "terminationGracePeriodSeconds": 0, **spec,
                         "containers": [{"name": "c", "image": "pause", "resources": {
                             "requests": {"cpu": cpu, "memory": "64Mi"}}}]}}
        self.api.patiently(60, self.api.create, PODS.format(self.ns), body)

    def group(self, name, minimum, **spec):
        body = {"metadata": {"name": name},
                "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}, **spec}}
        self.api.patiently(60, self.api.create, f"{GROUPS}/namespaces/{self.ns}/podgroups", body)

    def gang(self, name, size, cpu="1", minimum=None, **spec):
        """A PodGroup and all of its pods."""
        self.group(name, minimum or size)
        for i in range(size):
            self.pod(f"{name}-{i}", cpu, group=name, **spec)

    def pods(self, prefix=""):
        found = self.api.patiently(60, self.api.items, PODS.format(self.ns))
        return [p for p in found if p["metadata"]["name"].startswith(prefix)]

    def bound(self, prefix=""):
        return [p for p in self.pods(prefix) if p["spec"].get("nodeName")]

    def wait_bound(self, count, prefix="", seconds=60):
        def enough():
            return len(self.bound(prefix)) >= count
        procs.until(f"{count} pods {self.ns}/{prefix}* are bound", seconds, enough, every=0.3)

    def pod_condition(self, name):
        """(status, reason, message) of PodScheduled."""
        pod = self.api.get(f"{PODS.format(self.ns)}/{name}")
        return condition(pod, "PodScheduled")

    def group_condition(self, name):
        group = self.api.get(f"{GROUPS}/namespaces/{self.ns}/podgroups/{name}")
        return condition(group, "PodGroupInitiallyScheduled")

    def events(self, reason, prefix=""):
        found = self.api.items(f"/apis/events.k8s.io/v1/namespaces/{self.ns}/events")
        return [e for e in found if e.get("reason") == reason
                and e["regarding"].get("name", "").startswith(prefix)]

    # --- what must hold after anything ------------------------------------------------------------

    def check_binds(self):
        """No pod was bound twice, none moved, none was bound by anything but the scheduler."""
        binds = audit.binds(self.plane.audit(), self.ns)
        twice = {pod: nodes for pod, nodes in binds.done.items() if len(nodes) > 1}
        assert not twice, f"bound more than once: {twice}"
        moved = self.hollow.moved()
        assert not moved, f"seen on several nodes: {moved}"
        self.note(f"binds: {len(binds.done)} done, {binds.repeated} repeated in vain, "
                  f"{binds.refused} refused otherwise")
        return binds

    def check_gangs(self, sizes):
        """`sizes`: minCount by gang. Each gang has either no pod on a node or at least minCount."""
        for name, minimum in sizes.items():
            count = len(self.bound(name + "-"))
            assert count == 0 or count >= minimum, f"gang {name}: {count} of {minimum} bound"

    def check_room(self):
        """No node was given more than it has."""
        used = {}
        for pod in self.api.items("/api/v1/pods"):
            node = pod["spec"].get("nodeName")
            if node and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                used.setdefault(node, []).append(sum(
                    milli(c.get("resources", {}).get("requests", {}).get("cpu", "0"))
                    for c in pod["spec"]["containers"]))
        over = {node: sum(parts) for node, parts in used.items() if sum(parts) > CPU * 1000}
        assert not over, f"overcommitted (milli-CPU of {CPU * 1000}): {over}"

    def check_idle(self):
        """Whoever leads has nothing left to do: no pod waits, no binding is unconfirmed."""
        def idle():
            for one in self.schedulers:
                waiting = one.gauges("scheduler_pending_pods")
                sizes = one.gauges("scheduler_cache_size")
                if waiting is None or sizes is None or waiting or any(
                        "assumed" in labels for labels in sizes):
                    return False
            return True
        if not self.stand_in:
            procs.until("the schedulers' metrics say that all is done", 30, idle, every=0.5)

    def check_sound(self):
        """After every test: stops what still runs, then looks at how the schedulers did."""
        for one in self.schedulers:
            one.stop()
            if not self.stand_in:
                one.check_sound()
        most = max((one.memory_mb for one in self.schedulers), default=0)
        if most:
            self.note(f"memory: at most {most} MB")

    def check_permissions(self):
        """Nothing that the scheduler asked for was forbidden, so the roles of deploy/ do."""
        forbidden = audit.forbidden(self.plane.audit())
        assert not forbidden, f"forbidden by the roles of deploy/: {sorted(forbidden)}"


def condition(item, kind):
    for one in item.get("status", {}).get("conditions") or []:
        if one["type"] == kind:
            return one["status"], one.get("reason", ""), one.get("message", "")
    return "", "", ""


def milli(cpu):
    return int(cpu[:-1]) if re.fullmatch(r"\d+m", cpu) else int(float(cpu) * 1000)


__all__ = ["Env", "ApiError", "condition", "milli", "NODES", "CPU", "SCHEDULER"]
