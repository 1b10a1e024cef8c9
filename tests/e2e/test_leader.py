"""Two instances: one schedules, the other takes over."""
import threading
import time

from harness import audit, procs
from harness.proxy import FaultProxy
from harness.tap import test

QUICK = ("--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s",
         "--leader-elect-retry-period=1s")
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/muster"


def holder(env):
    try:
        return env.api.get(LEASE)["spec"].get("holderIdentity") or ""
    except env.errors:
        return ""


def pair(env, **options):
    """(leader, second): started one after the other, so that it is known which leads."""
    env.api.delete(LEASE)
    first = env.add_scheduler(f"{env.ns}-first", flags=QUICK, supervised=False, **options)
    procs.until("the first instance leads", 30, lambda: holder(env))
    second = env.add_scheduler(f"{env.ns}-second", flags=QUICK, supervised=False, **options)
    return first, second


@test("SIGKILL of the leader in the middle of a gang: the second instance completes it")
def leader_is_killed(env):
    env.namespace()
    slow, seen = {"on": True}, []

    def rule(method, path):
        """The n-th bind takes n tenths of a second, so that they are done one after the other."""
        if not slow["on"] or not path.split("?")[0].endswith("/binding"):
            return None
        seen.append(path)
        return {"delay": 0.1 * len(seen)}
    proxy = FaultProxy(env.plane, rule)
    env.proxies.append(proxy)
    first, _ = pair(env, server=f"https://127.0.0.1:{proxy.port}")
    env.gang("big", 36)
    procs.until("a few members are bound", 30, lambda: len(env.bound("big-")) >= 3, every=0.02)
    first.kill()
    count = len(env.bound("big-"))
    env.note(f"bound when the leader died: {count} of 36")
    assert count < 36, "the leader was killed too late for this test"
    slow["on"] = False
    env.wait_bound(36, "big-", 60)
    env.check_gangs({"big": 36})
    env.check_binds()
    env.check_room()


@test("SIGKILL of the leader before it said that a group was scheduled: the second instance does")
def leader_dies_silent(env):
    env.namespace()
    refuses = {"on": True}

    def rule(method, path):
        mute = refuses["on"] and method == "PATCH" and "/podgroups/" in path
        return {"status": 503} if mute else None
    proxy = FaultProxy(env.plane, rule)
    env.proxies.append(proxy)
    first, _ = pair(env, server=f"https://127.0.0.1:{proxy.port}")
    env.gang("g", 4)
    env.wait_bound(4, "g-")
    first.kill()
    assert env.group_condition("g")[0] == "", "the group said so before the leader was killed"
    refuses["on"] = False
    procs.until("the group says so", 30, lambda: env.group_condition("g")[0] == "True")
    env.check_binds()


@test("a leader that is asked to go hands over under load, quickly")
def leader_hands_over(env):
    env.namespace()
    first, second = pair(env)
    total, stop = 300, threading.Event()

    def create():
        for i in range(total // 4):
            if i % 2:
                env.gang(f"g{i}", 4, cpu="10m")
            else:
                for k in range(4):
                    env.pod(f"s{i}-{k}", cpu="10m")
            if stop.is_set():
                return
    creator = threading.Thread(target=create, daemon=True)
    creator.start()
    try:
        procs.until("a third is bound", 60, lambda: len(env.bound()) >= total // 3)
        old, begin = holder(env), time.monotonic()
        code = first.stop()
        assert code == 0, f"a requested stop ended with {code}"
        procs.until("another leads", 20, lambda: holder(env) not in ("", old), every=0.05)
        env.note(f"the Lease changed hands {time.monotonic() - begin:.1f} s after SIGTERM")
        creator.join(120)
        env.wait_bound(total, seconds=90)
    finally:
        stop.set()
    assert second.program.alive, "the second instance ended"
    env.check_gangs({f"g{i}": 4 for i in range(1, total // 4, 2)})
    env.check_binds()


@test("a leader that cannot reach the API server gives up, and does not bind when it comes back")
def leader_is_cut_off(env):
    env.namespace()
    proxy = FaultProxy(env.plane)
    env.proxies.append(proxy)
    env.api.delete(LEASE)
    first = env.add_scheduler(f"{env.ns}-cut", flags=QUICK, supervised=False,
                              server=f"https://127.0.0.1:{proxy.port}")
    procs.until("the first instance leads", 30, lambda: holder(env))
    env.add_scheduler(f"{env.ns}-second", flags=QUICK, supervised=False)
    proxy.rule = lambda method, path: {"delay": 6.0, "status": 503}
    code = first.program.wait(40)
    assert code not in (None, 0), f"an instance that lost its Lease ended with {code}"
    env.gang("g", 8)
    env.wait_bound(8, "g-", 40)
    env.check_binds()


@test("an instance that does not lead binds nothing and is ready to")
def second_waits(env):
    env.namespace()
    first, second = pair(env)
    assert second.is_ready(), "the waiting instance is not ready"
    env.gang("g", 4)
    env.wait_bound(4, "g-")
    before = len(audit.binds(env.plane.audit(), env.ns).done)
    assert before == 4, f"{before} binds"
    assert first.program.alive and second.program.alive
    env.check_binds()


@test("what dashboards look at is there: requests, who leads, versions, checks, resources")
def metrics_of_every_component(env):
    env.namespace()
    first, second = pair(env)
    for i in range(5):
        env.pod(f"m-{i}", cpu="250m")
    env.wait_bound(5, "m-")
    page = lambda one, path="/metrics": one.get(path, token=env.plane.token)[1]
    procs.until("the bindings are counted", 10, lambda: first.gauges("rest_client_requests_total"))
    answers = first.gauges("rest_client_requests_total")
    host = env.plane.server.split("//")[1]
    posted = answers.get(f'{{code="201",host="{host}",method="POST"}}', 0)
    assert posted >= 5, answers
    assert not [labels for labels in answers if "code=\"5" in labels or "<error>" in labels], answers
    assert 'leader_election_master_status{name="muster"} 1\n' in page(first)
    assert 'leader_election_master_status{name="muster"} 0\n' in page(second)
    assert 'git_version="v1.37.2"' in page(first) and "muster_build_info{" in page(first)
    assert 'type="readyz"} 1\n' in page(first, "/metrics/slis"), "nobody has looked at /readyz"
    bound = [line for line in page(first, "/metrics/resources").splitlines()
             if line.startswith("kube_pod_resource_request{") and f'namespace="{env.ns}"' in line]
    assert len([line for line in bound if 'node="node-' in line and line.endswith(" 0.25")]) == 5, bound
    assert page(second, "/metrics/resources") == "", "it does not lead"
