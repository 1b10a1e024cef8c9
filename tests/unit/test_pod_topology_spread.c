/*
 * test_pod_topology_spread.c - verdicts and arguments in tables (upstream's filtering_test.go,
 * re-expressed), and nominated pods that come and go inside a transaction.
 */
#include "domain_run.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, labels, spec)                                                                   \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels                 \
    "}}\nspec: {" spec "}\n"
#define POD(name, meta, spec)                                                                      \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", " meta                             \
    "}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define ON(name, node) POD(name, "labels: {app: a}", "nodeName: " node)
#define SPREAD(list) "topologySpreadConstraints: [" list "]"
#define HARD(key, skew, more)                                                                      \
    "{topologyKey: " key ", maxSkew: " skew ", whenUnsatisfiable: DoNotSchedule, " more "}, "
#define APP_A "labelSelector: {matchLabels: {app: a}}, "

/* clang-format off */
static const char nodes[] =
    NODE("n1", "zone: z1, host: h1", "") NODE("n2", "zone: z1, host: h2", "")
    NODE("n3", "zone: z2, host: h3", "") NODE("n4", "host: h4", "");

#define OK "Success"
#define NO_LABEL                                                                                   \
    "UaU: node(s) didn't match pod topology spread constraints (missing required label)"
#define NO "U: node(s) didn't match pod topology spread constraints"
#define TWO_ONE ON("a1", "n1") ON("a2", "n2") ON("a3", "n3") /* zones 2, 1 */
#define TERMINATING "labels: {app: a}, deletionTimestamp: '2026-01-01T00:00:00Z'"

static const struct {
    const char *name, *others, *meta, *spec;
    const char *n1, *n2, *n3, *n4;
} cases[] = {
    { "no constraint", TWO_ONE, "labels: {app: a}", "", "Skip", "Skip", "Skip", "Skip" },
    { "ScheduleAnyway does not filter", TWO_ONE, "labels: {app: a}",
      SPREAD("{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, " APP_A "}"),
      "Skip", "Skip", "Skip", "Skip" },
    { "even zones take it anywhere", ON("a1", "n1") ON("a3", "n3"), "labels: {app: a}",
      SPREAD(HARD("zone", "1", APP_A)), OK, OK, OK, NO_LABEL },
    { "the fuller zone is closed", TWO_ONE, "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A)),
      NO, NO, OK, NO_LABEL },
    { "maxSkew 2", TWO_ONE, "labels: {app: a}", SPREAD(HARD("zone", "2", APP_A)), OK, OK, OK,
      NO_LABEL },
    { "a pod that does not match itself", TWO_ONE, "labels: {app: b}",
      SPREAD(HARD("zone", "1", APP_A)), OK, OK, OK, NO_LABEL },
    { "hosts; a row with both keys only counts", TWO_ONE, "labels: {app: a}",
      SPREAD(HARD("zone", "9", APP_A) HARD("host", "1", APP_A)), OK, OK, OK, NO_LABEL },
    { "hosts alone: the empty one is the minimum", TWO_ONE, "labels: {app: a}",
      SPREAD(HARD("host", "1", APP_A)), NO, NO, NO, OK },
    { "the first constraint that fails names the reason", TWO_ONE, "labels: {app: a}",
      SPREAD(HARD("host", "1", APP_A) HARD("zone", "1", APP_A)), NO, NO, OK, NO_LABEL },
    { "terminating pods are not counted",
      TWO_ONE POD("t", TERMINATING, "nodeName: n3"),
      "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A)), NO, NO, OK, NO_LABEL },
    { "other namespaces are not counted",
      TWO_ONE POD("o1", "namespace: other, labels: {app: a}", "nodeName: n3"),
      "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A)), NO, NO, OK, NO_LABEL },
    { "minDomains above the number of domains: minimum 0", ON("a1", "n1") ON("a3", "n3"),
      "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A "minDomains: 3")), NO, NO, NO, NO_LABEL },
    { "minDomains reached", ON("a1", "n1") ON("a3", "n3"), "labels: {app: a}",
      SPREAD(HARD("zone", "1", APP_A "minDomains: 2")), OK, OK, OK, NO_LABEL },
    { "a nil selector counts nobody, not even itself", TWO_ONE, "labels: {app: a}",
      SPREAD(HARD("zone", "1", "")), OK, OK, OK, NO_LABEL },
    { "matchLabelKeys", TWO_ONE POD("v2", "labels: {app: a, v: b}", "nodeName: n3"),
      "labels: {app: a, v: b}", SPREAD(HARD("zone", "1", APP_A "matchLabelKeys: [v]")), OK, OK, NO,
      NO_LABEL },
    { "matchLabelKeys that the pod lacks", TWO_ONE, "labels: {app: a}",
      SPREAD(HARD("zone", "1", APP_A "matchLabelKeys: [v]")), NO, NO, OK, NO_LABEL },
    { "matchLabelKeys make an empty selector count",
      TWO_ONE POD("v2", "labels: {app: a, v: b}", "nodeName: n3"),
      "labels: {app: a, v: b}", SPREAD(HARD("zone", "1", "labelSelector: {}, matchLabelKeys: [v]")),
      OK, OK, NO, NO_LABEL },
    { "nodeAffinityPolicy Honor: z2 is no domain", ON("a1", "n1"), "labels: {app: a}",
      "nodeSelector: {zone: z1}, " SPREAD(HARD("zone", "1", APP_A)), OK, OK, OK, NO_LABEL },
    { "nodeAffinityPolicy Ignore: z2 is the minimum", ON("a1", "n1"), "labels: {app: a}",
      "nodeSelector: {zone: z1}, " SPREAD(HARD("zone", "1", APP_A "nodeAffinityPolicy: Ignore")),
      NO, NO, OK, NO_LABEL },
    { "nodeTaintsPolicy Ignore counts tainted nodes",
      NODE("n3", "zone: z2, host: h3", "taints: [{key: t, effect: NoSchedule}]") ON("a1", "n1"),
      "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A)), NO, NO, OK, NO_LABEL },
    { "nodeTaintsPolicy Honor leaves tainted nodes out",
      NODE("n3", "zone: z2, host: h3", "taints: [{key: t, effect: NoExecute}]") ON("a1", "n1"),
      "labels: {app: a}", SPREAD(HARD("zone", "1", APP_A "nodeTaintsPolicy: Honor")), OK, OK, OK,
      NO_LABEL },
    { "a tolerated taint does not bite",
      NODE("n3", "zone: z2, host: h3", "taints: [{key: t, effect: NoSchedule}]") ON("a1", "n1"),
      "labels: {app: a}",
      "tolerations: [{key: t, operator: Exists}], "
      SPREAD(HARD("zone", "1", APP_A "nodeTaintsPolicy: Honor")), NO, NO, OK, NO_LABEL },
    { "no eligible node at all: minimum 0", TWO_ONE, "labels: {app: a}",
      "nodeSelector: {zone: z9}, " SPREAD(HARD("zone", "1", APP_A)), OK, OK, OK, NO_LABEL },
};
/* clang-format on */

static void run_case(struct mst_test *t, size_t i, bool upstream)
{
    struct mst_fixture *f = fixture_new(nodes);
    f->view.upstream = upstream;
    fixture_apply(f, cases[i].others);
    MST_AUTO(mst_buf) pod = { 0 };
    mst_buf_printf(&pod,
                   "kind: Pod\napiVersion: v1\nmetadata: {name: w, %s}\nspec: {containers: [{name: "
                   "c, image: i}], %s}\n",
                   cases[i].meta, cases[i].spec);
    mst_buf_char(&pod, '\0');
    fixture_apply(f, pod.p);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    t_str(t, domain_run_verdict(run, "n1"), cases[i].n1);
    t_str(t, domain_run_verdict(run, "n2"), cases[i].n2);
    t_str(t, domain_run_verdict(run, "n3"), cases[i].n3);
    t_str(t, domain_run_verdict(run, "n4"), cases[i].n4);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_spread_verdicts(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        run_case(t, i, true);
        run_case(t, i, false);
    }
}

/* `{}` counts nobody upstream although the pod matches itself; profile muster counts everybody. */
static void test_empty_selector_by_profile(struct mst_test *t)
{
    for (uint32_t upstream = 0; upstream < 2; upstream++) {
        struct mst_fixture *f = fixture_new(nodes);
        fixture_apply(f, TWO_ONE POD("w", "labels: {app: a}",
                                     SPREAD(HARD("zone", "1", "labelSelector: {}"))));
        f->view.upstream = upstream;
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
        struct domain_run *run = domain_run_new(f, &p, "w");
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), upstream ? OK : NO);
        t_str(t, domain_run_verdict(run, "n3"), OK);
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/*
 * A nominated pod is put on its node for a trial and taken off again. Upstream counts it then even
 * if it is terminating, and under an empty selector.
 */
static void test_nominated_pod_in_a_trial(struct mst_test *t)
{
    static const char *const metas[] = { "labels: {app: a}", TERMINATING };
    static const char *const selectors[] = { APP_A, "labelSelector: {}, " };
    for (uint32_t i = 0; i < 4; i++) {
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_printf(&text, POD("guest", "%s", ""), metas[i % 2]);
        mst_buf_printf(&text, POD("w", "labels: {app: a}", SPREAD(HARD("zone", "1", "%s"))),
                       selectors[i / 2]);
        mst_buf_char(&text, '\0');
        struct mst_fixture *f = fixture_new(nodes);
        fixture_apply(f, text.p);
        f->view.upstream = true;
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
        struct domain_run *run = domain_run_new(f, &p, "w");
        const uint32_t guest = fixture_pod(f, "guest"), n1 = fixture_node(f, "n1");
        mst_cluster_nominate(&f->cluster, guest, f->cluster.nodes.name[n1]);
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), OK);
        const uint32_t mark = mst_txn_begin(&f->cluster);
        mst_cluster_place(&f->cluster, guest, n1);
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), NO);
        mst_txn_rollback(&f->cluster, mark);
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), OK);
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

static void test_selector_that_cannot_be_parsed(struct mst_test *t)
{
    static const char bad[] = "labelSelector: {matchExpressions: [{key: a, operator: In}]}";
    for (uint32_t soft = 0; soft < 2; soft++) {
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_printf(&text,
                       POD("w", "labels: {app: a}",
                           SPREAD("{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: %s, %s}")),
                       soft ? "ScheduleAnyway" : "DoNotSchedule", bad);
        mst_buf_char(&text, '\0');
        struct mst_fixture *f = fixture_new(nodes);
        fixture_apply(f, text.p);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
        struct domain_run *run = domain_run_new(f, &p, "w");
        t_int(t, run->pre.code, soft ? MST_SKIP : MST_ERROR);
        t_int(t, run->score.code, soft ? MST_ERROR : MST_SKIP);
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* Defaults of a list: both actions, with the selector of the Service. */
static void test_default_constraints(struct mst_test *t)
{
    static const char args[] =
        "{defaultingType: List, defaultConstraints: [{topologyKey: zone, maxSkew: 1, "
        "whenUnsatisfiable: DoNotSchedule, minDomains: 3, nodeTaintsPolicy: Honor}]}";
    struct mst_fixture *f = fixture_new(nodes);
    fixture_apply(f, ON("a1", "n1") POD("w", "labels: {app: a}", "")
                         POD("none", "labels: {app: b}", "")
                             POD("own", "labels: {app: a}",
                                 SPREAD("{topologyKey: host, maxSkew: 1, whenUnsatisfiable: "
                                        "ScheduleAnyway}")) "---\nkind: Service\napiVersion: v1\n"
                                                            "metadata: {name: s}\nspec: {selector: "
                                                            "{app: a}}\n");
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, args);
    static const struct {
        const char *pod, *n1, *n3;
    } defaults[] = {
        { "w", NO, OK }, /* fewer than 3 zones: minimum 0 */
        { "none", "Skip", "Skip" },
        { "own", "Skip", "Skip" }, /* any constraint of its own leaves the defaults out */
    };
    for (size_t i = 0; i < MST_COUNT(defaults); i++) {
        t_case(t, defaults[i].pod);
        struct domain_run *run = domain_run_new(f, &p, defaults[i].pod);
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), defaults[i].n1);
        t_str(t, domain_run_verdict(run, "n3"), defaults[i].n3);
        domain_run_free(run);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_spread_bad_args(struct mst_test *t)
{
    static const char *const bad[] = {
        "{defaultingType: Other}",
        "{defaultConstraints: [{topologyKey: a, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]}",
        ("{defaultingType: List, defaultConstraints: [{topologyKey: a, maxSkew: 0, "
         "whenUnsatisfiable: ScheduleAnyway}]}"),
        "{unknown: 1}",
    };
    struct mst_fixture *f = fixture_new("");
    for (size_t i = 0; i < MST_COUNT(bad); i++) {
        struct mst_err err = { 0 };
        struct fixture_plugin p =
            fixture_plugin_try(f, &mst_plugin_pod_topology_spread, bad[i], &err);
        t_int(t, err.rc, MST_EINVAL);
        t_ok(t, p.instance == NULL);
    }
    fixture_free(f);
}

MST_TEST_MAIN(T(test_spread_verdicts), T(test_empty_selector_by_profile),
              T(test_nominated_pod_in_a_trial), T(test_selector_that_cannot_be_parsed),
              T(test_default_constraints), T(test_spread_bad_args))
