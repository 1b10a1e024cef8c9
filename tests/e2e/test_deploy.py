"""What is in deploy/ is valid, and gives exactly the rights that are needed."""
import glob
import json
import os
import re

from harness import audit, procs
from harness.scheduler import USER
from harness.tap import test

KNOWN = re.compile(r"\b(scheduler_[a-z_]+)")
SUFFIX = re.compile(r"_(bucket|sum|count)$")

# The Prometheus operator's kinds, so that the API server takes the optional objects.
CRD = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}


def add_crd(env, kind):
    plural = kind.lower() + "s"
    env.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        **CRD, "metadata": {"name": f"{plural}.monitoring.coreos.com"},
        "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced",
                 "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                 "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                     "openAPIV3Schema": {"type": "object",
                                         "x-kubernetes-preserve-unknown-fields": True}}}]}})


@test("the API server takes every manifest of deploy/")
def manifests_are_valid(env):
    env.namespace()
    deploy = os.path.join(env.root, "deploy")
    for overlay in ("overlays/second-scheduler", "overlays/replace-kube-scheduler", "static-pod"):
        said = env.plane.kubectl("apply", "--dry-run=server", "--validate=strict", "-k",
                                 os.path.join(deploy, overlay))
        env.note(f"{overlay}: {len(said.splitlines())} objects")
    env.plane.kubectl("apply", "--dry-run=server", "--validate=strict", "-f",
                      os.path.join(deploy, "static-pod", "kube-scheduler.yaml"))
    for kind in ("ServiceMonitor", "PrometheusRule"):
        add_crd(env, kind)
    with_monitoring = os.path.join(env.plane.directory, "with-monitoring")
    os.makedirs(with_monitoring)
    relative = os.path.relpath(deploy, with_monitoring)
    with open(os.path.join(with_monitoring, "kustomization.yaml"), "w") as f:
        f.write(f"resources: [{relative}/overlays/second-scheduler]\n"
                f"components: [{relative}/components/monitoring]\n")

    def taken():
        said = env.plane.kubectl("apply", "--dry-run=server", "-k", with_monitoring, check=False)
        return said if "error" not in said.lower() else None
    said = procs.until("the monitoring objects are taken", 20, taken, every=1)
    assert "servicemonitor" in said and "prometheusrule" in said and "muster-dashboard" in said


@test("alerts and dashboard ask for metrics that there are")
def metrics_exist(env):
    with open(os.path.join(env.root, "docs", "spec", "scheduling.md")) as f:
        table = set(re.findall(r"^\| ([a-z_]+) \| [CGH] \|", f.read(), re.M))
    asked = set()
    for path in glob.glob(os.path.join(env.root, "deploy", "components", "monitoring", "*")):
        with open(path) as f:
            text = f.read()
        if path.endswith(".json"):
            assert len(json.loads(text)["panels"]) >= 6
        asked |= {SUFFIX.sub("", name) for name in KNOWN.findall(text)}
    assert asked, "no metric found in deploy/components/monitoring"
    unknown = {name for name in asked if name.removeprefix("scheduler_") not in table}
    assert not unknown, f"no such metric: {sorted(unknown)}"


@test("with the rights of deploy/ nothing is forbidden; /metrics is for those who may")
def rights_suffice(env):
    env.namespace()
    with env.scheduler() as scheduler:
        env.gang("g", 4)
        env.gang("too-many", 41)
        env.wait_bound(4, "g-")
        procs.until("the refusal is told", 30,
                    lambda: env.group_condition("too-many")[0] == "False")
        assert scheduler.get("/livez")[0] == 200 and scheduler.get("/readyz")[0] == 200
        assert scheduler.get("/metrics")[0] in (401, 403), "anybody may read /metrics"
        status, text = scheduler.get("/metrics", token=env.plane.token)
        assert status == 200, f"/metrics for an administrator: {status}"
        assert "scheduler_schedule_attempts_total{" in text, text[:500]
    env.check_permissions()
    used = audit.used(env.plane.audit())
    for need in (("create", "", "pods/binding"), ("patch", "", "pods/status"),
                 ("patch", "scheduling.k8s.io", "podgroups/status"),
                 ("update", "coordination.k8s.io", "leases")):
        assert need in used, f"expected in the audit log: {need}; found {sorted(used)}"
    env.note(f"{len(used)} kinds of requests")


@test("in kube-scheduler's place: muster waits for its Lease, takes over, and gives it back")
def replaces_kube_scheduler(env):
    env.namespace()
    real, default = env.plane.scheduler, {"schedulerName": "default-scheduler"}
    lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"

    def holder():
        try:
            return env.api.get(lease)["spec"].get("holderIdentity")
        except env.errors:
            return None
    env.deploy("replace-kube-scheduler")
    try:
        real.start()
        first = procs.until("kube-scheduler leads", 60, holder)
        muster = env.add_scheduler(supervised=False)
        env.pod("before", **default)
        env.wait_bound(1, "before")
        real.stop()
        procs.until("muster leads", 60, lambda: holder() not in (None, "", first))
        env.gang("g", 4, **default)
        env.wait_bound(4, "g-")
        second = holder()
        assert muster.stop() == 0, "a requested stop is no failure"
        real.start()
        procs.until("kube-scheduler leads again", 60, lambda: holder() not in (None, "", second))
        env.pod("after", **default)
        env.wait_bound(1, "after")
        by = env.check_binds().by
        assert (by["before"], by["g-0"], by["after"]) == ("admin", USER, "admin"), by
    finally:
        real.stop()
        env.deploy("second-scheduler")
