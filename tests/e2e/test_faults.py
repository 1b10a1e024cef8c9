"""What goes wrong in clusters. Each test ends with: nothing lost, nothing twice, no split gang."""
import time

from harness import procs
from harness.proxy import CutProxy, FaultProxy, storm
from harness.tap import test

GANGS, SIZE = 8, 4
# The Lease outlasts an outage of the API server, and so does the process that holds it.
PATIENT = ("--leader-elect-lease-duration=90s", "--leader-elect-renew-deadline=60s",
           "--leader-elect-retry-period=1s")


def load(env, pause=0.0, gangs=GANGS):
    """Gangs of 4 and as many single pods again, 100 milli-CPU each; `pause` between gangs."""
    for g in range(gangs):
        env.gang(f"g{g}", SIZE, cpu="100m")
        for i in range(SIZE):
            env.pod(f"s{g}-{i}", cpu="100m")
        time.sleep(pause)


def all_done(env, seconds, gangs=GANGS):
    env.wait_bound(2 * gangs * SIZE, seconds=seconds)
    env.check_gangs({f"g{g}": SIZE for g in range(gangs)})
    env.check_room()
    env.check_idle()
    return env.check_binds()


def through(env, proxy):
    env.proxies.append(proxy)
    return f"https://127.0.0.1:{proxy.port}"


@test("the API server dies and comes back while pods are being scheduled")
def api_server_restarts(env):
    env.namespace()
    with env.scheduler():
        load(env, gangs=3)
        env.plane.crash_apiserver()
        load(env)
        env.plane.crash_apiserver()
        all_done(env, 90)


@test("the API server is asked to end, under load, and started again: watches go on")
def api_server_goes_in_peace(env):
    env.namespace()
    with env.scheduler(flags=PATIENT) as scheduler:
        load(env, gangs=3)
        env.note(f"it took {env.plane.restart_apiserver():.1f} s to end")
        load(env)
        all_done(env, 60)
        assert scheduler.program.starts == 1, "it was started again"


@test("the API server is away for 12 s; once it is back, so is the scheduler, within seconds")
def api_server_is_away(env):
    env.namespace()
    with env.scheduler(flags=PATIENT) as scheduler:
        load(env, gangs=1)
        env.wait_bound(2 * SIZE)
        env.plane.crash_apiserver(away=12)
        begin = time.monotonic()
        load(env, gangs=2)
        all_done(env, 20, gangs=2)
        env.note(f"all bound {time.monotonic() - begin:.1f} s after the server was ready")
        assert scheduler.program.starts == 1, "it was started again"


@test("etcd stands still for 20 s")
def etcd_stands_still(env):
    env.namespace()
    with env.scheduler() as scheduler:
        load(env, gangs=2)
        env.plane.freeze_etcd()
        time.sleep(20)
        env.plane.thaw_etcd()
        load(env)
        all_done(env, 120)
        env.note(f"starts of the scheduler: {scheduler.program.starts}")


@test("every connection is cut every second")
def connections_are_cut(env):
    env.namespace()
    proxy = CutProxy(env.plane.port, every=1.0)
    with env.scheduler(server=through(env, proxy), wait=False):
        load(env, pause=0.7)
        all_done(env, 120)
    env.note(f"connections cut: {proxy.cuts}")
    assert proxy.cuts >= 5, "the proxy was not in the way"


@test("a third of all requests is answered 429 or 500")
def storm_of_refusals(env):
    env.namespace()
    proxy = FaultProxy(env.plane, storm(0.33, retry_after=1))
    with env.scheduler(server=through(env, proxy), wait=False):
        load(env, pause=0.2)
        all_done(env, 180)
    env.note(f"made up by the proxy: {proxy.counts}")
    assert proxy.counts.get(429, 0) and proxy.counts.get(500, 0), "the proxy was not in the way"


@test("of every third bind the answer is lost: it was done, or was it?")
def answers_are_lost(env):
    env.namespace()
    seen = []

    def rule(method, path):
        if method == "POST" and path.split("?")[0].endswith("/binding"):
            seen.append(path)
            if len(seen) % 3 == 0:
                return {"lose": True}
        return None
    proxy = FaultProxy(env.plane, rule)
    with env.scheduler(server=through(env, proxy)):
        load(env, pause=0.1)
        all_done(env, 120)
    assert proxy.counts.get("lost", 0) >= 5, "the proxy was not in the way"


@test("binds take two seconds: decisions do not wait for them, and room is not given twice")
def binds_are_slow(env):
    env.namespace()

    def rule(method, path):
        return {"delay": 2.0} if path.split("?")[0].endswith("/binding") else None
    proxy = FaultProxy(env.plane, rule)
    with env.scheduler(server=through(env, proxy)):
        begin = time.monotonic()
        # 40 of 40 CPUs: whoever forgets what is on its way to a node gives it away again.
        for g in range(10):
            env.gang(f"g{g}", 4, cpu="1")
        env.wait_bound(40, seconds=60)
        spent = time.monotonic() - begin
        env.check_room()
        env.check_binds()
        env.note(f"40 binds of 2 s took {spent:.1f} s")
        assert spent < 30, f"one bind after the other: {spent:.0f} s"


@test("binds fail for good: the room is given back, and the pods are tried again")
def binds_fail(env):
    env.namespace()
    proxy = FaultProxy(env.plane)

    def refuse_binds(method, path):
        return {"status": 500} if path.split("?")[0].endswith("/binding") else None
    proxy.rule = refuse_binds
    with env.scheduler(server=through(env, proxy)):
        env.gang("g", 20, cpu="2")
        procs.until("binds were refused", 30, lambda: proxy.counts.get(500, 0) >= 20)
        assert not env.bound(), "bound although every bind was refused"
        proxy.rule = lambda method, path: None
        env.wait_bound(20, "g-", 90)
    env.check_gangs({"g": 20})
    env.check_binds()


@test("a node goes while a gang is on its way to it")
def node_goes(env):
    env.namespace()
    extra = env.hollow.add_nodes(1, prefix=f"{env.ns}-gone", cpu="8")[0]
    proxy = FaultProxy(env.plane, lambda method, path: {"delay": 1.0}
                       if path.split("?")[0].endswith("/binding") else None)
    try:
        with env.scheduler(server=through(env, proxy)):
            env.gang("g", 24, cpu="1")
            time.sleep(0.5)
            env.hollow.nodes.remove(extra)
            env.api.delete(f"/api/v1/nodes/{extra}")
            env.gang("h", 8, cpu="1")
            env.wait_bound(8, "h-")
            lost = [p for p in env.bound("h-") if p["spec"]["nodeName"] == extra]
            assert not lost, "the second gang went to a node that was gone"
    finally:
        env.api.delete(f"/api/v1/nodes/{extra}")
    env.check_binds()
