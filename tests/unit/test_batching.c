/*
 * Opportunistic batching: which pods have equal signatures, and what a hint changes.
 * The answers in test_batching_* are the oracle's for the same objects, gate on and off.
 */
#include "cycle/engine_internal.h"
#include "engine_helper.h"
#include "tap.h"

/* The default set without default spread constraints: pods can be signed. */
static const char listed[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n"
    "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: PodTopologySpreadArgs\n"
    "      defaultingType: List\n";
static const char ignores[] =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n"
    "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: PodTopologySpreadArgs\n"
    "      defaultingType: List\n"
    "  - name: InterPodAffinity\n    args:\n"
    "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: InterPodAffinityArgs\n"
    "      ignorePreferredTermsOfExistingPods: true\n";

/* ---- signatures ---- */

static struct mst_signature signature_of(struct host *h, const char *labels, const char *spec)
{
    const unsigned n = (unsigned)h->uids + 1;
    MST_AUTO(mst_buf) yaml = { 0 };
    mst_buf_printf(&yaml, "apiVersion: v1\nkind: Pod\nmetadata: {name: s%u, labels: {%s}}\n", n,
                   labels ? labels : "");
    mst_buf_printf(&yaml, "spec: {%s}\n", spec);
    mst_buf_char(&yaml, '\0');
    host_apply(h, yaml.p);
    MST_AUTO(mst_buf) name = { 0 };
    mst_buf_printf(&name, "s%u%c", n, '\0');
    return h->engine->signatures.v[host_pod(h, name.p)];
}

#define C "containers: [{name: c, image: i}]"
#define CPU(x) "containers: [{name: c, image: i, resources: {requests: {" x "}}}]"
#define VOL(x) C ", volumes: [" x "]"
#define PORTS(x) "containers: [{name: c, image: i, ports: [" x "]}]"
#define NA(x) C ", affinity: {nodeAffinity: {" x "}}"
#define TERM(x) "{matchExpressions: [" x "]}"
#define REQUIRED(x)                                                                                \
    NA("requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" x "]}")
#define IN(k, v) "{key: " k ", operator: In, values: [" v "]}"

static const struct {
    const char *name;
    const char *labels_a, *a, *labels_b, *b;
    bool same;
} pairs[] = {
    { "names do not count", NULL, C, NULL, C, true },
    { "labels count", "a: b", C, "a: c", C, false },
    { "their order does not", "'a': b, 'c': d", C, "'c': d, 'a': b", C, true },
    { "requests", NULL, CPU("cpu: 1"), NULL, CPU("cpu: 2"), false },
    { "equal amounts", NULL, CPU("cpu: 1"), NULL, CPU("cpu: 1000m"), true },
    { "cpu 0 is none", NULL, CPU("cpu: 0"), NULL, C, true },
    { "0 devices are not none", NULL, CPU("'a.b/c': 0"), NULL, C, false },
    { "protocol and address of a host port", NULL,
      PORTS("{containerPort: 1, hostPort: 80, protocol: UDP}"), NULL,
      PORTS("{containerPort: 1, hostPort: 80, hostIP: 10.0.0.1}"), true },
    { "its number", NULL, PORTS("{containerPort: 1, hostPort: 80}"), NULL,
      PORTS("{containerPort: 1, hostPort: 81}"), false },
    { "twice the same port", NULL, PORTS("{containerPort: 1, hostPort: 80}"), NULL,
      PORTS("{containerPort: 1, hostPort: 80}, {containerPort: 1, hostPort: 80, protocol: UDP}"),
      true },
    { "order of tolerations", NULL,
      C ", tolerations: [{key: a, operator: Exists}, {key: b, "
        "operator: Exists}]",
      NULL, C ", tolerations: [{key: b, operator: Exists}, {key: a, operator: Exists}]", true },
    { "seconds of a toleration", NULL,
      C ", tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 3}]",
      NULL,
      C ", tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 4}]",
      false },
    { "order of terms and values", NULL, REQUIRED(TERM(IN("a", "p, q")) ", " TERM(IN("b", "z"))),
      NULL, REQUIRED(TERM(IN("b", "z")) ", " TERM(IN("a", "q, p"))), true },
    { "another value", NULL, REQUIRED(TERM(IN("a", "p"))), NULL, REQUIRED(TERM(IN("a", "q"))),
      false },
    { "order of requirements", NULL, REQUIRED(TERM(IN("a", "p") ", " IN("b", "q"))), NULL,
      REQUIRED(TERM(IN("b", "q") ", " IN("a", "p"))), true },
    { "node selector", NULL, C ", nodeSelector: {a: b}", NULL, C, false },
    { "secrets and config maps do not count", NULL,
      VOL("{name: v, secret: {secretName: a}}, {name: w, configMap: {name: b}}"), NULL, C, true },
    { "other volumes do", NULL, VOL("{name: v, emptyDir: {medium: Memory}}"), NULL,
      VOL("{name: v, emptyDir: {}}"), false },
    { "but not their names", NULL, VOL("{name: v, emptyDir: {}}"), NULL,
      VOL("{name: w, emptyDir: {}}"), true },
    { "the tag that is meant", NULL, "containers: [{name: c, image: i}]", NULL,
      "containers: [{name: c, image: 'i:latest'}]", true },
    { "another image", NULL, "containers: [{name: c, image: i}]", NULL,
      "containers: [{name: c, image: j}]", false },
    { "images are a set", NULL, "containers: [{name: c, image: i}]", NULL,
      "containers: [{name: c, image: i}, {name: d, image: i}]", true },
};

static void test_signature_of_two(struct mst_test *t)
{
    struct host *h = host_with(true, listed, NULL);
    for (size_t i = 0; i < MST_COUNT(pairs); i++) {
        t_case(t, pairs[i].name);
        struct mst_signature a = signature_of(h, pairs[i].labels_a, pairs[i].a);
        struct mst_signature b = signature_of(h, pairs[i].labels_b, pairs[i].b);
        t_ok(t, mst_signature_set(a) && mst_signature_set(b));
        t_bool(t, mst_signature_eq(a, b), pairs[i].same);
    }
    host_free(h);
}

#define AFFINE(kind) C ", affinity: {" kind ": {}}"
#define SPREAD                                                                                     \
    C ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "          \
      "ScheduleAnyway}]"

static void test_signature_refused(struct mst_test *t)
{
    static const char *const specs[] = { AFFINE("podAffinity"), AFFINE("podAntiAffinity"), SPREAD,
                                         C ", resourceClaims: [{name: c, resourceClaimName: x}]" };
    struct host *h = host_with(true, listed, NULL);
    for (size_t i = 0; i < MST_COUNT(specs); i++) {
        t_case(t, specs[i]);
        t_ok(t, !mst_signature_set(signature_of(h, NULL, specs[i])));
    }
    host_free(h);
}

static void test_signature_labels_ignored(struct mst_test *t)
{
    struct host *h = host_with(true, ignores, NULL);
    t_ok(t, mst_signature_eq(signature_of(h, "a: b", C), signature_of(h, NULL, C)));
    host_free(h);
}

/* System defaulting has constraints, so that nobody can be signed with the default configuration.
 */
static void test_signature_default_configuration(struct mst_test *t)
{
    struct host *h = host_with(true, NULL, NULL);
    t_ok(t, !mst_signature_set(signature_of(h, NULL, C)));
    host_free(h);
}

static void test_signature_not_asked_for(struct mst_test *t)
{
    struct host *muster = host_with(false, listed, NULL);
    t_ok(t, muster->engine->batches == NULL);
    host_free(muster);
    struct host *off = host_with(true, listed, "OpportunisticBatching=false");
    t_ok(t, off->engine->batches == NULL);
    host_free(off);
}

static void test_signature_follows_the_pod(struct mst_test *t)
{
    struct host *h = host_with(true, listed, NULL);
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    host_add(h, (struct host_pod_spec){ .name = "b", .cpu = "1" });
    const struct mst_signature *all = h->engine->signatures.v;
    t_ok(t, mst_signature_eq(all[host_pod(h, "a")], all[host_pod(h, "b")]));
    struct mst_label label = { mst_sym_of_text(h->syms, "k"), mst_sym_of_text(h->syms, "v") };
    host_get(h, MST_KIND_POD, "a")->u.pod.meta.labels = (mst_labels){ &label, 1 };
    host_update(h, MST_KIND_POD, "a");
    t_ok(t, !mst_signature_eq(all[host_pod(h, "a")], all[host_pod(h, "b")]));
    host_free(h);
}

/* ---- hints ---- */

#define NODE(name, cpu)                                                                            \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {n: " name "}}\n"         \
    "status: {allocatable: {cpu: " cpu ", memory: 8Gi, pods: 110}}\n"

/*
 * Four nodes, the first the best. The members of a gang fill one node each until the last fits
 * nowhere; all is taken back. A pod like them comes next: it is offered what the gang left: the
 * third node, chosen last and free again, or the fourth, although the first two are free, too.
 */
static struct host *after_failed_gang(bool upstream, const char *gates, int64_t wait_ns)
{
    struct host *h = host_with(upstream, listed, gates);
    host_apply(h, NODE("n1", "4") NODE("n2", "4") NODE("n3", "4") NODE("n4", "4"));
    host_gang(h, "g", 4, NULL);
    static const char *const names[] = { "a", "b", "c", "z" };
    for (int i = 0; i < 4; i++)
        host_add(h, (struct host_pod_spec){
                        .name = names[i], .group = "g", .cpu = i < 3 ? "3" : "30" });
    (void)host_step(h);
    host_forget(h);
    h->now += wait_ns;
    host_add(h, (struct host_pod_spec){ .name = "p", .cpu = "3" });
    (void)host_step(h);
    return h;
}

static void test_batching_hint_after_rollback(struct mst_test *t)
{
    static const struct {
        const char *name;
        bool upstream;
        const char *gates;
        int64_t wait_ns;
        const char *bind;
    } cases[] = {
        { "gate on", true, NULL, 0, "bind default/p n3" },
        { "gate off", true, "OpportunisticBatching=false", 0, "bind default/p n1" },
        { "profile muster", false, NULL, 0, "bind default/p n1" },
        { "half a second old", true, NULL, HOST_SECOND / 2, "bind default/p n3" },
        { "older", true, NULL, HOST_SECOND / 2 + 1, "bind default/p n1" },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct host *h = after_failed_gang(cases[i].upstream, cases[i].gates, cases[i].wait_ns);
        t_ok(t, host_saw(h, cases[i].bind));
        host_free(h);
    }
}

/* The node of the pod before takes one more: it competes again, and wins here. */
static void test_batching_last_node_again(struct mst_test *t)
{
    struct host *h = host_with(true, listed, NULL);
    host_apply(h, NODE("n1", "8") NODE("n2", "2") NODE("n3", "2"));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = { "a", "b", "c" };
        host_add(h, (struct host_pod_spec){ .name = names[i], .cpu = "1" });
    }
    host_run(h);
    t_ok(t, host_saw(h, "bind default/a n1"));
    t_ok(t, host_saw(h, "bind default/b n1"));
    t_ok(t, host_saw(h, "bind default/c n1"));
    host_free(h);
}

/* A pod of another signature in between: its own list counts, and the next finds none. */
static void test_batching_other_signature(struct mst_test *t)
{
    struct host *h = after_failed_gang(true, NULL, 0);
    host_add(h, (struct host_pod_spec){ .name = "q", .cpu = "2" });
    host_forget(h);
    (void)host_step(h);
    t_ok(t, host_saw(h, "bind default/q n1"));
    host_free(h);
}

/* The hinted node is gone, or the last node is: everybody is looked at. */
static void test_batching_node_gone(struct mst_test *t)
{
    static const struct {
        const char *node, *bind;
    } gone[] = { { "n2", "bind default/q n4" }, /* nobody asks for it */
                 { "n4", "bind default/q n1" },
                 { "n3", "bind default/q n1" } };
    for (size_t i = 0; i < MST_COUNT(gone); i++) {
        t_case(t, gone[i].node);
        struct host *h = after_failed_gang(true, NULL, 0);
        t_ok(t, host_saw(h, "bind default/p n3"));
        host_remove(h, MST_KIND_NODE, gone[i].node);
        host_add(h, (struct host_pod_spec){ .name = "q", .cpu = "3" });
        host_forget(h);
        (void)host_step(h);
        t_ok(t, host_saw(h, gone[i].bind));
        host_free(h);
    }
}

/* Every pod that passes PreFilter asks; one that is nominated is told nothing. */
static void test_batching_counts(struct mst_test *t)
{
    struct host *h = host_with(true, listed, NULL);
    const struct mst_batch_counts *counts = &h->engine->batches[0].counts;
    host_apply(h, NODE("n1", "8") NODE("n2", "4"));
    host_add(h, (struct host_pod_spec){ .name = "a", .cpu = "1" });
    (void)host_step(h);
    t_ok(t, counts->no_hint == 1 && counts->hint_used == 0);
    host_apply(h, "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {" CPU(
                      "cpu: 1") "}\n"
                                "status: {nominatedNodeName: n2}\n");
    (void)host_step(h);
    t_ok(t, host_saw(h, "bind default/b n2"));
    t_ok(t, counts->no_hint == 2 && counts->flushed[MST_BATCH_POD_NOMINATED] == 1);
    host_apply(h, "apiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec: {" VOL(
                      "{name: v, persistentVolumeClaim: {claimName: none}}") "}\n");
    (void)host_step(h);
    t_ok(t, counts->no_hint == 2 && counts->hint_used == 0 && counts->hint_not_used == 0);
    host_free(h);
}

/* clang-format off */
MST_TEST_MAIN(T(test_signature_of_two), T(test_signature_refused), T(test_signature_labels_ignored),
              T(test_signature_default_configuration), T(test_signature_not_asked_for),
              T(test_signature_follows_the_pod), T(test_batching_hint_after_rollback),
              T(test_batching_last_node_again), T(test_batching_other_signature),
              T(test_batching_node_gone), T(test_batching_counts))
/* clang-format on */
