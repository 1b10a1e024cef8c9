"""Pods and gangs get their nodes, or say why not."""
import time

from harness import procs
from harness.tap import test


@test("pods are scheduled, each once, with an event, where there is room")
def pods_are_scheduled(env):
    env.namespace()
    with env.scheduler() as scheduler:
        for i in range(20):
            env.pod(f"p-{i}")
        env.wait_bound(20)
        procs.until("every pod has its event", 20,
                    lambda: len(env.events("Scheduled", "p-")) == 20)
        event = env.events("Scheduled", "p-0")[0]
        assert event["reportingController"] == "muster", event
        assert event["note"].startswith(f"Successfully assigned {env.ns}/p-0 to node-"), event
        assert scheduler.program.starts == 1, "it was started again"
    env.check_binds()
    env.check_room()


@test("pods of another schedulerName are left alone")
def others_are_left_alone(env):
    env.namespace()
    with env.scheduler():
        env.pod("mine")
        env.pod("theirs", schedulerName="somebody-else")
        env.wait_bound(1, "mine")
        time.sleep(1)
        assert not env.bound("theirs"), "bound a pod of somebody else"
        assert env.pod_condition("theirs") == ("", "", ""), env.pod_condition("theirs")


@test("a gang runs whole; the next, which does not fit, waits whole and says so")
def gang_all_or_nothing(env):
    env.namespace()
    with env.scheduler():
        env.gang("first", 25)
        env.wait_bound(25, "first-")
        procs.until("the first gang's condition is True", 20,
                    lambda: env.group_condition("first")[:2] == ("True", "Scheduled"))
        env.gang("second", 16)
        procs.until("the second gang's condition is Unschedulable", 30,
                    lambda: env.group_condition("second")[:2] == ("False", "Unschedulable"))
        message = env.group_condition("second")[2]
        assert "minCount (16) cannot be satisfied" in message, message
        procs.until("a member has a condition and an event", 20,
                    lambda: env.pod_condition("second-0")[:2] == ("False", "Unschedulable")
                    and env.events("FailedScheduling", "second-"))
        assert not env.bound("second-"), "a part of the second gang is on nodes"
        # What it waited for comes: the first one goes.
        env.api.call("DELETE", f"/api/v1/namespaces/{env.ns}/pods/first-0",
                     {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
        env.wait_bound(16, "second-", 30)
    env.check_binds()
    env.check_gangs({"first": 24, "second": 16})
    env.check_room()


@test("a gang that waits runs once its minCount is lowered to what fits")
def gang_shrinks(env):
    env.namespace()
    with env.scheduler():
        env.gang("large", 11, cpu="3")
        procs.until("the gang's condition is Unschedulable", 30,
                    lambda: env.group_condition("large")[:2] == ("False", "Unschedulable"))
        assert not env.bound("large-"), "a part of the gang is on nodes"
        env.plane.kubectl("-n", env.ns, "patch", "podgroup", "large", "--type=merge", "-p",
                          '{"spec": {"schedulingPolicy": {"gang": {"minCount": 10}}}}')
        env.wait_bound(10, "large-", 30)
        procs.until("the gang's condition is True", 20,
                    lambda: env.group_condition("large")[:2] == ("True", "Scheduled"))
    env.check_binds()
    env.check_gangs({"large": 10})
    env.check_room()


@test("a gang is not started before all of its members are there")
def gang_waits_for_members(env):
    env.namespace()
    with env.scheduler():
        env.group("late", 4)
        for i in range(3):
            env.pod(f"late-{i}", group="late")
        time.sleep(2)
        assert not env.bound("late-"), "bound members of an incomplete gang"
        env.pod("late-3", group="late")
        env.wait_bound(4, "late-")
    env.check_gangs({"late": 4})


@test("a gang of higher priority evicts pods of lower priority, and gets their room")
def gang_preempts(env):
    env.namespace()
    for name, value in (("e2e-low", 10), ("e2e-high", 1000)):
        env.api.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                       {"metadata": {"name": name}, "value": value})
    with env.scheduler():
        for i in range(10):
            env.pod(f"low-{i}", cpu="3", priorityClassName="e2e-low")
        env.wait_bound(10, "low-")
        env.api.create(f"/apis/scheduling.k8s.io/v1beta1/namespaces/{env.ns}/podgroups", {
            "metadata": {"name": "high"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 4}},
                     "priorityClassName": "e2e-high"}})
        for i in range(4):
            env.pod(f"high-{i}", cpu="3", group="high", priorityClassName="e2e-high")
        env.wait_bound(4, "high-", 60)
        left = len(env.pods("low-"))
        assert left == 6, f"{10 - left} pods were evicted, 4 had to go"
        assert env.events("Preempted", "low-"), "no event tells the victims why"
    env.check_binds()
    env.check_room()


@test("a claim that waits for its first consumer is bound where its pod goes")
def volume_is_bound(env):
    env.namespace()
    env.api.create("/apis/storage.k8s.io/v1/storageclasses", {
        "metadata": {"name": "e2e-local"}, "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer"})
    volume = f"{env.ns}-volume"
    env.api.create("/api/v1/persistentvolumes", {
        "metadata": {"name": volume},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                 "storageClassName": "e2e-local", "local": {"path": "/mnt/disk"},
                 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                     {"key": "kubernetes.io/hostname", "operator": "In",
                      "values": ["node-7"]}]}]}}}})
    env.api.create(f"/api/v1/namespaces/{env.ns}/persistentvolumeclaims", {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "e2e-local",
                 "resources": {"requests": {"storage": "1Gi"}}}})
    try:
        with env.scheduler():
            env.pod("db", volumes=[{"name": "data", "persistentVolumeClaim": {
                "claimName": "data"}}])
            env.wait_bound(1, "db", 60)
            assert env.bound("db")[0]["spec"]["nodeName"] == "node-7"
            claim = env.api.get(f"/api/v1/namespaces/{env.ns}/persistentvolumeclaims/data")
            assert claim["spec"].get("volumeName") == volume, claim["spec"]
        env.check_permissions()
    finally:
        env.api.delete(f"/api/v1/persistentvolumes/{volume}")
