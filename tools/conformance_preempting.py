"""The part of conformance-gen that makes clusters in which somebody preempts."""
import datetime

PREEMPTION = ["groups", "budgets", "choices"]
APPS = ["a0", "a1", "a2", "a3"]  # of what preempts and is preempted
HOST = "kubernetes.io/hostname"


class Preempting:
    """
    Nodes that are full, and pods and groups that wait for the room of less important ones. What
    upstream leaves to chance stays out: every running pod has a start time of its own, no pod has
    two budgets, each node has a score that nearly always tells it from the others, and preemption
    tries every possible node (fewer would be the first ones of a Go map).
    """
    prefix, families = "v", PREEMPTION
    off, on = ["DynamicResources"], {"enabled": [{"name": "NodeAffinity", "weight": 7}]}
    LOW, HIGH = (-10, 0, 0, 5, 5, 50), (50, 100, 100, 500, 1000)
    # Where nodes are chosen two of the first sum up to one of 0, and the second to nothing.
    HALF, NOTHING = -1 << 30, -1 << 31
    EPOCH = datetime.datetime(2026, 1, 2)

    def snapshot(self):
        self.add("v1", "Namespace", "blue", {})
        for value in sorted({*self.LOW, *self.HIGH, self.HALF, self.NOTHING}):
            for policy in ("PreemptLowerPriority", "Never"):
                self.add("scheduling.k8s.io/v1", "PriorityClass", self.class_of(value, policy),
                         {"value": value, "preemptionPolicy": policy})
        self.starts = self.random.sample(range(100000), 300)
        self.free, self.running, self.group_count = {}, [], 0
        self.with_ports, self.with_terms = self.p(20), self.p(20)
        alike = self.has["choices"] or (self.has["budgets"] and self.p(70))
        sizes = [self.pick(3, 4, 6)] * 6 if alike else [3 + self.below(4) for _ in range(6)]
        for i, size in enumerate(sizes[:3 + self.below(4)]):
            self.node("n%d" % i, size)
        if self.has["groups"] or self.p(20):
            for _ in range(1 + self.below(3)):
                self.victims()
        if alike:
            self.alike()
        self.fill()
        if self.has["budgets"]:
            self.budgets()
        for _ in range(1 + self.below(4)):
            if self.p(75 if self.has["groups"] else 15):
                self.preemptors(self.group(self.pick(*self.HIGH), 90), 2 + self.below(4))
            else:
                self.preemptors(None, 1 + self.p(30))

    def node(self, name, size):
        capacity = {"cpu": str(size), "memory": "%dGi" % (16 + 3 * self.below(9)), "pods": 110}
        self.nodes.append(name)
        self.free[name] = size
        self.add("v1", "Node", name, {"spec": {}, "status": {
            "capacity": capacity, "allocatable": dict(capacity)}}, labels={HOST: name})

    def class_of(self, value, policy=None):
        return ("c%d" % value).replace("-", "minus") + ("-never" if policy == "Never" else "")

    def group(self, priority, percent):
        """What its pods need to know of it; the object is there in so many of 100 cases."""
        name = "g%d" % self.group_count
        self.group_count += 1
        gang = {"minCount": 1}
        spec = {"priorityClassName": self.class_of(priority),
                "schedulingPolicy": {"gang": gang} if self.p(75) else {"basic": {}}}
        if self.p(75):
            spec["disruptionMode"] = {self.pick("all", "all", "single"): {}}
        if self.p(10):
            spec.update(priorityClassName=self.class_of(priority, "Never"), preemptionPolicy="Never")
        namespace = self.pick("default", "default", "blue")
        if self.p(percent):
            self.add("scheduling.k8s.io/v1beta1", "PodGroup", name, {"spec": spec}, namespace)
        return namespace, name, priority, spec.get("preemptionPolicy"), gang

    def some_pod(self, group, priority, size):
        name = "p%02d" % self.pod_count
        self.pod_count += 1
        requests = {"cpu": str(size), "memory": self.pick("100Mi", "1Gi", "2Gi")}
        spec = {"priorityClassName": self.class_of(priority), "containers": [
            {"name": "c", "image": "i", "resources": {"requests": requests}}]}
        meta = {"name": name, "uid": "uid-" + name, "namespace": self.pick("default", "default", "blue")}
        if self.p(90):
            meta["labels"] = {"app": self.pick(*APPS), "rev": self.pick("1", "2")}
        if group:
            meta["namespace"] = group[0]
            spec["schedulingGroup"] = {"podGroupName": group[1]}
            spec["priorityClassName"] = self.class_of(priority, group[3])
        if self.with_ports and self.p(25):
            spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": self.pick(80, 81)}]
        if self.with_terms and self.p(20):
            term = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": self.pick(*APPS)}}}
            spec["affinity"] = {"podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
        self.items.append(pod)
        return pod

    def start(self, pod, node, size):
        self.free[node] -= size
        self.running.append(pod)
        begun = self.EPOCH + datetime.timedelta(seconds=self.starts.pop())
        pod["spec"]["nodeName"] = node
        pod["status"] = {"phase": "Running", "startTime": begun.isoformat() + "Z"}
        if self.p(8):
            pod["metadata"].update(deletionTimestamp="2026-01-04T00:00:00Z", finalizers=["x.io/h"],
                                   deletionGracePeriodSeconds=30)
            if self.p(60):
                pod["status"]["conditions"] = [
                    {"type": "PodScheduled", "status": "True"},
                    {"type": "DisruptionTarget", "status": "True", "reason": self.pick(
                        "PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI")}]

    def room(self, size):
        return [n for n in self.nodes if self.free[n] >= size]

    def victims(self):
        """A group that runs, here and there, perhaps not whole."""
        priority, size = self.pick(*self.LOW), self.pick(1, 1, 2)
        group = self.group(priority, 88)
        count, placed = 2 + self.below(4), 0
        mixed = self.p(10)  # members of another priority than their group's
        for _ in range(count):
            rooms = self.room(size)
            pod = self.some_pod(group, self.pick(*self.LOW) if mixed else priority, size)
            if rooms and self.p(92):
                self.start(pod, self.pick(*rooms), size)
                placed += 1
        group[4]["minCount"] = max(1, self.pick(placed, count - 1, 1))

    def preemptors(self, group, count):
        priority = group[2] if group else self.pick(*self.HIGH)
        size = 1 + self.below(3 if group else 5)
        if group:
            group[4]["minCount"] = self.pick(count, count, count - 1, 1)
        for i in range(count):
            pod = self.some_pod(group, priority, size if self.p(85) else self.pick(1, 2))
            if group and i == 0 and self.p(12) and self.room(size):
                self.start(pod, self.pick(*self.room(size)), size)
                continue
            if self.p(15):
                pod["spec"]["nodeSelector"] = {HOST: self.pick(*self.nodes)}
            if self.p(15):  # often where a pod is about to go
                nodes = [x["spec"]["nodeName"] for x in self.running
                         if "deletionTimestamp" in x["metadata"]]
                pod["status"] = {"nominatedNodeName": self.pick(*(nodes * self.p(70) or self.nodes))}
            if not group and self.p(8):
                pod["spec"]["priorityClassName"] = self.class_of(priority, "Never")

    def fill(self):
        for node in self.nodes:
            while self.free[node] and self.p(97):
                size = min(self.free[node], self.pick(1, 1, 2, 3))
                priority = self.pick(*self.LOW, 100)
                group = self.group(priority, 0) if self.p(6) else None
                self.start(self.some_pod(group, priority, size), node, size)

    def alike(self):
        """Nodes that the choice of one tells apart late, or not at all."""
        recipe = [(1, self.pick(5, 50))] + [(1, self.pick(0, 0, 5, -10)) for _ in range(1 + self.below(2))]
        for node in self.nodes:
            mine, how = list(recipe), self.below(5)
            if how == 0 and mine[-1][1] == 0:  # the same sum of more pods
                mine[-1:] = [(0, self.HALF), (1, self.HALF)]
            elif how == 1:
                mine[-1] = (1, self.pick(-10, 0))
            elif how == 2:
                mine.append((0, self.NOTHING))
            for size, priority in mine:
                if self.free[node] >= size:
                    self.start(self.some_pod(None, priority, size or "10m"), node, size)

    def budgets(self):
        """Budgets that share no pod: by label in one namespace, a single one in the other."""
        apps = self.random.sample(APPS, 4)
        selectors = [{"matchLabels": {"app": apps[0]}},
                     {"matchExpressions": [{"key": "app", "operator": "In", "values": apps[1:3]}]},
                     {"matchLabels": {"app": apps[3]}, "matchExpressions": [
                         {"key": "rev", "operator": "NotIn", "values": ["2"]}]}, {}]
        for selector in self.some(selectors, 75):
            self.budget("default", selector)
        self.budget("blue", {"matchExpressions": [self.pick(
            {"key": "app", "operator": "Exists"}, {"key": "rev", "operator": "DoesNotExist"},
            {"key": "app", "operator": "NotIn", "values": ["a0"]})]})
        if self.p(40):
            self.budget("blue", {})

    def budget(self, namespace, selector):
        status = {"disruptionsAllowed": self.pick(0, 0, 0, 1, 1, 2), "currentHealthy": 3,
                  "desiredHealthy": 2, "expectedPods": 3, "observedGeneration": 1}
        names = [x["metadata"]["name"] for x in self.running if x["metadata"]["namespace"] == namespace]
        if self.p(35):
            status["disruptedPods"] = {n: "2026-01-03T00:00:00Z" for n in self.some(names, 20)}
        spec = {"selector": selector}
        spec[self.pick("minAvailable", "maxUnavailable")] = self.pick(1, 2, "50%")
        self.add("policy/v1", "PodDisruptionBudget", "b%d" % len(self.items),
                 {"spec": spec, "status": status}, namespace)

    def plugin_config(self):
        """A preference of its own for each node, so that scores differ."""
        kind = {"apiVersion": "kubescheduler.config.k8s.io/v1"}
        weights = self.random.sample(range(1, 11), len(self.nodes))
        return [{"name": "NodeAffinity", "args": dict(kind, kind="NodeAffinityArgs", addedAffinity={
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 10 * w, "preference": {"matchExpressions": [
                    {"key": HOST, "operator": "In", "values": [n]}]}}
                for w, n in zip(weights, self.nodes)]})}]
