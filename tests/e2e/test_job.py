"""Jobs with spec.scheduling, through Kubernetes' own Job controller."""
from harness import procs
from harness.api import GROUPS
from harness.tap import test


def job(name, workers, cpu="1", seconds=2):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"parallelism": workers, "completions": workers, "completionMode": "Indexed",
                     "scheduling": {"schedulingPolicy": {"gang": {"minCount": workers}}},
                     "template": {"spec": {
                         "schedulerName": "muster", "restartPolicy": "Never",
                         "containers": [{"name": "worker", "image": "busybox",
                                         "command": ["sleep", str(seconds)],
                                         "resources": {"requests": {"cpu": cpu}}}]}}}}


def status_of(env, name):
    return env.api.get(f"/apis/batch/v1/namespaces/{env.ns}/jobs/{name}").get("status", {})


def only_group(env, name):
    """The PodGroup that the Job controller made for the Job."""
    found = [g for g in env.api.items(f"{GROUPS}/namespaces/{env.ns}/podgroups")
             if any(o["kind"] == "Job" and o["name"] == name
                    for o in g["metadata"].get("ownerReferences") or [])]
    return found[0] if found else None


@test("a Job with spec.scheduling becomes Workload, PodGroup and pods, and runs whole")
def job_becomes_a_gang(env):
    env.namespace()
    jobs = f"/apis/batch/v1/namespaces/{env.ns}/jobs"
    with env.scheduler():
        env.api.create(jobs, job("train", 8))
        group = procs.until("the Job has its PodGroup", 30, lambda: only_group(env, "train"))
        assert group["spec"]["schedulingPolicy"]["gang"]["minCount"] == 8, group["spec"]
        workloads = env.api.items(f"{GROUPS}/namespaces/{env.ns}/workloads")
        assert len(workloads) == 1, [w["metadata"]["name"] for w in workloads]
        env.wait_bound(8, "train-")
        assert all(p["spec"]["schedulingGroup"]["podGroupName"] == group["metadata"]["name"]
                   for p in env.pods("train-"))
        procs.until("the Job is complete", 60,
                    lambda: status_of(env, "train").get("succeeded") == 8)
    env.check_binds()


@test("of two Jobs that do not fit together, one runs whole, then the other")
def two_jobs_in_turn(env):
    env.namespace()
    jobs = f"/apis/batch/v1/namespaces/{env.ns}/jobs"
    with env.scheduler():
        env.api.create(jobs, job("one", 6, cpu="3", seconds=6))
        env.api.create(jobs, job("two", 6, cpu="3", seconds=6))
        env.wait_bound(6, "", 30)
        parts = sorted(len(env.bound(prefix)) for prefix in ("one-", "two-"))
        assert parts == [0, 6], f"both hold a part of the room: {parts}"
        procs.until("both Jobs are complete", 90, lambda: all(
            status_of(env, name).get("succeeded") == 6 for name in ("one", "two")), every=0.5)
    env.check_binds()


@test("a Job that never fits leaves its pods pending, with the reason, and takes nothing")
def job_too_large(env):
    env.namespace()
    jobs = f"/apis/batch/v1/namespaces/{env.ns}/jobs"
    with env.scheduler():
        env.api.create(jobs, job("huge", 11, cpu="3"))
        group = procs.until("the Job has its PodGroup", 30, lambda: only_group(env, "huge"))
        procs.until("its condition says Unschedulable", 30, lambda: env.group_condition(
            group["metadata"]["name"])[:2] == ("False", "Unschedulable"))
        assert not env.bound("huge-")
        env.api.create(jobs, job("small", 3, cpu="3", seconds=1))
        procs.until("a smaller Job passes it", 60,
                    lambda: status_of(env, "small").get("succeeded") == 3)
    env.check_binds()
