/*
 * test_inter_pod_affinity.c - verdicts, scores and arguments in tables (upstream's
 * filtering_test.go and scoring_test.go, re-expressed).
 */
#include "domain_run.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, labels)                                                                         \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define POD(name, ns, labels, spec)                                                                \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name ", namespace: " ns                    \
    ", labels: {" labels "}}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define NAMESPACE(name, labels)                                                                    \
    "---\nkind: Namespace\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define REQUIRED(kind, terms)                                                                      \
    kind ": {requiredDuringSchedulingIgnoredDuringExecution: [" terms "]}, "
#define PREFERRED(kind, terms)                                                                     \
    kind ": {preferredDuringSchedulingIgnoredDuringExecution: [" terms "]}, "
#define AFFINITY(what) "affinity: {" what "}"
#define TERM(key, labels, more)                                                                    \
    "{topologyKey: " key ", labelSelector: {matchLabels: {" labels "}}" more "}, "
#define WEIGHTED(weight, term) "{weight: " weight ", podAffinityTerm: " term "}, "

/* clang-format off */
static const char nodes[] =
    NODE("n1", "zone: z1, host: h1")
    NODE("n2", "zone: z1, host: h2")
    NODE("n3", "zone: z2, host: h3")
    NODE("n4", "host: h4")
    NODE("n5", "")
    NAMESPACE("default", "team: red")
    NAMESPACE("other", "team: blue");

#define OK "Success"
#define NO_AFFINITY "UaU: node(s) didn't match pod affinity rules"
#define NO_ANTI "U: node(s) didn't match pod anti-affinity rules"
#define NO_EXISTING "U: node(s) didn't satisfy existing pods anti-affinity rules"
#define WEB POD("web", "default", "app: web", "nodeName: n1")
#define WEB5 POD("web", "default", "app: web", "nodeName: n5")
#define BLUE POD("blue", "other", "app: web", "nodeName: n1")
#define LOST POD("lost", "lost", "app: web", "nodeName: n1")
#define TO_WEB(key, more) AFFINITY(REQUIRED("podAffinity", TERM(key, "app: web", more)))
#define NOT_WEB(key, more) AFFINITY(REQUIRED("podAntiAffinity", TERM(key, "app: web", more)))
#define HATES(node) POD("hater", "default", "", "nodeName: " node ", " NOT_WEB("zone", ""))

static const struct {
    const char *name, *others, *labels, *spec;
    const char *n1, *n2, *n3, *n4, *n5;
    bool skips;
} cases[] = {
    { "nothing said", WEB, "", "", OK, OK, OK, OK, OK, true },
    { "affinity to a zone", WEB, "", TO_WEB("zone", ""), OK, OK, NO_AFFINITY, NO_AFFINITY,
      NO_AFFINITY, false },
    { "affinity to a host", WEB, "", TO_WEB("host", ""), OK, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY,
      NO_AFFINITY, false },
    { "nobody there", "", "app: db", TO_WEB("zone", ""), NO_AFFINITY, NO_AFFINITY, NO_AFFINITY,
      NO_AFFINITY, NO_AFFINITY, false },
    { "first of a series", "", "app: web", TO_WEB("zone", ""), OK, OK, OK, NO_AFFINITY,
      NO_AFFINITY, false },
    { "not the first: the rule is cluster-wide", WEB, "app: web", TO_WEB("zone", ""), OK, OK,
      NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
    { "a match on a node without labels does not block the first", WEB5, "app: web",
      TO_WEB("zone", ""), OK, OK, OK, NO_AFFINITY, NO_AFFINITY, false },
    { "one pod must match all terms", WEB POD("db", "default", "tier: x", "nodeName: n1"), "",
      AFFINITY(REQUIRED("podAffinity", TERM("zone", "app: web", "") TERM("host", "tier: x", ""))),
      NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
    { "two keys, one pod", POD("both", "default", "app: web, tier: x", "nodeName: n1"), "",
      AFFINITY(REQUIRED("podAffinity", TERM("zone", "app: web", "") TERM("host", "tier: x", ""))),
      OK, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
    { "first pod needs to match all its terms", "", "app: web",
      AFFINITY(REQUIRED("podAffinity", TERM("zone", "app: web", "") TERM("host", "tier: x", ""))),
      NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
    { "anti-affinity; without the label it holds", WEB, "", NOT_WEB("zone", ""), NO_ANTI, NO_ANTI,
      OK, OK, OK, false },
    { "existing anti-affinity", HATES("n3"), "app: web", "", OK, OK, NO_EXISTING, OK, OK, false },
    { "existing anti-affinity for somebody else", HATES("n3"), "app: db", "", OK, OK, OK, OK, OK,
      true },
    { "a hater on an unlabelled node", HATES("n4"), "app: web", "", OK, OK, OK, OK, OK, true },
    { "affinity is asked first, then anti-affinity", WEB HATES("n1"), "app: web",
      AFFINITY(REQUIRED("podAffinity", TERM("host", "app: web", ""))
               REQUIRED("podAntiAffinity", TERM("zone", "app: web", ""))),
      NO_ANTI, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
    { "own namespace only", BLUE, "", TO_WEB("zone", ""), NO_AFFINITY, NO_AFFINITY, NO_AFFINITY,
      NO_AFFINITY, NO_AFFINITY, false },
    { "listed namespace", BLUE, "", TO_WEB("zone", ", namespaces: [other]"), OK, OK, NO_AFFINITY,
      NO_AFFINITY, NO_AFFINITY, false },
    { "listed namespaces leave out the own one", WEB, "", NOT_WEB("zone", ", namespaces: [other]"),
      OK, OK, OK, OK, OK, false },
    { "namespace selector", BLUE, "",
      NOT_WEB("zone", ", namespaceSelector: {matchLabels: {team: blue}}"), NO_ANTI, NO_ANTI, OK, OK,
      OK, false },
    { "namespace selector that matches nothing", WEB BLUE, "",
      NOT_WEB("zone", ", namespaceSelector: {matchLabels: {team: green}}"), OK, OK, OK, OK, OK,
      false },
    { "empty namespace selector means all, known or not", LOST, "",
      NOT_WEB("zone", ", namespaceSelector: {}"), NO_ANTI, NO_ANTI, OK, OK, OK, false },
    { "an own selector finds known namespaces only", LOST, "",
      NOT_WEB("zone", ", namespaceSelector: {matchExpressions: [{key: team, operator: "
              "DoesNotExist}]}"), OK, OK, OK, OK, OK, false },
    { "a nil selector matches nothing", WEB, "app: web",
      AFFINITY(REQUIRED("podAffinity", "{topologyKey: zone}")), NO_AFFINITY, NO_AFFINITY,
      NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, false },
};
/* clang-format on */

static void test_affinity_verdicts(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_fixture *f = fixture_new(nodes);
        fixture_apply(f, cases[i].others);
        MST_AUTO(mst_buf) pod = { 0 };
        mst_buf_printf(&pod,
                       "kind: Pod\napiVersion: v1\nmetadata: {name: w, labels: {%s}}\nspec: "
                       "{containers: [{name: c, image: i}], %s}\n",
                       cases[i].labels, cases[i].spec);
        mst_buf_char(&pod, '\0');
        fixture_apply(f, pod.p);
        /* something that speaks about pods: else nobody is asked at all */
        fixture_apply(f, POD("speaker", "mute", "", TO_WEB("zone", "")));
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
        struct domain_run *run = domain_run_new(f, &p, "w");
        domain_run_pick(run, NULL);
        t_str(t, domain_run_verdict(run, "n1"), cases[i].n1);
        t_str(t, domain_run_verdict(run, "n2"), cases[i].n2);
        t_str(t, domain_run_verdict(run, "n3"), cases[i].n3);
        t_str(t, domain_run_verdict(run, "n4"), cases[i].n4);
        t_str(t, domain_run_verdict(run, "n5"), cases[i].n5);
        t_bool(t, p.plugin->skips_pick(&f->view, p.instance, run->pre.state), cases[i].skips);
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* ---- gate InterPodAffinityHostnameFastPath ---- */

#define HOST "kubernetes.io/hostname"
#define FOE(node, labels)                                                                          \
    POD("foe", "default", "",                                                                      \
        "nodeName: " node ", " AFFINITY(REQUIRED("podAntiAffinity", TERM(HOST, labels, ""))))

/* clang-format off */
/* n1 and n2 share a name, n4 has none. */
static const char named[] = NODE("n1", HOST ": h, zone: z1") NODE("n2", HOST ": h, zone: z1")
    NODE("n3", HOST ": n3, zone: z2") NODE("n4", "zone: z2");
static const struct {
    const char *name, *others, *labels, *spec;
    const char *off[4], *on[4];
    bool skips_off, skips_on;
} gated[] = {
    { "affinity: a node, not its name", WEB, "", TO_WEB(HOST, ""),
      { OK, OK, NO_AFFINITY, NO_AFFINITY }, { OK, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY },
      false, false },
    { "anti-affinity", WEB, "", NOT_WEB(HOST, ""),
      { NO_ANTI, NO_ANTI, OK, OK }, { NO_ANTI, OK, OK, OK }, false, false },
    { "existing anti-affinity", FOE("n1", "app: web"), "app: web", "",
      { NO_EXISTING, NO_EXISTING, OK, OK }, { NO_EXISTING, OK, OK, OK }, false, false },
    { "a match on a node without a name is one",
      POD("web", "default", "app: web", "nodeName: n4"),
      "app: web", TO_WEB(HOST, ""),
      { OK, OK, OK, NO_AFFINITY }, { NO_AFFINITY, NO_AFFINITY, NO_AFFINITY, NO_AFFINITY },
      false, false },
    { "the first of its kind", "", "app: web", TO_WEB(HOST, ""),
      { OK, OK, OK, NO_AFFINITY }, { OK, OK, OK, NO_AFFINITY }, false, false },
    { "with another key the names count again", WEB, "",
      AFFINITY(REQUIRED("podAffinity", TERM(HOST, "app: web", "") TERM("zone", "app: web", ""))),
      { OK, OK, NO_AFFINITY, NO_AFFINITY }, { OK, OK, NO_AFFINITY, NO_AFFINITY }, false, false },
    { "somebody else's foe keeps the filter awake", FOE("n3", "app: db"), "app: web", "",
      { OK, OK, OK, OK }, { OK, OK, OK, OK }, true, false },
    { "a foe on a node without a name as well", FOE("n4", "app: web"), "app: web", "",
      { OK, OK, OK, OK }, { OK, OK, OK, OK }, true, false },
};
/* clang-format on */

static void judge_gated(struct mst_test *t, size_t i, bool on)
{
    struct mst_fixture *f = fixture_new(named);
    f->gates.on[MST_GATE_InterPodAffinityHostnameFastPath] = on;
    fixture_apply(f, gated[i].others);
    MST_AUTO(mst_buf) pod = { 0 };
    mst_buf_printf(&pod,
                   "kind: Pod\napiVersion: v1\nmetadata: {name: w, labels: {%s}}\nspec: "
                   "{containers: [{name: c, image: i}], %s}\n",
                   gated[i].labels, gated[i].spec);
    mst_buf_char(&pod, '\0');
    fixture_apply(f, pod.p);
    fixture_apply(f, POD("speaker", "mute", "", TO_WEB("zone", "")));
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    static const char *const names[] = { "n1", "n2", "n3", "n4" };
    for (size_t n = 0; n < MST_COUNT(names); n++)
        t_str(t, domain_run_verdict(run, names[n]), on ? gated[i].on[n] : gated[i].off[n]);
    t_bool(t, p.plugin->skips_pick(&f->view, p.instance, run->pre.state),
           on ? gated[i].skips_on : gated[i].skips_off);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_affinity_hostname_gate(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(gated); i++) {
        t_case(t, gated[i].name);
        judge_gated(t, i, false);
        judge_gated(t, i, true);
    }
}

/* The foe goes: the filter may skip again. */
static void test_affinity_hostname_gate_follows_rows(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(named);
    f->gates.on[MST_GATE_InterPodAffinityHostnameFastPath] = true;
    fixture_apply(f, FOE("n3", "app: db"));
    fixture_apply(f, POD("w", "default", "app: web", ""));
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    t_bool(t, p.plugin->skips_pick(&f->view, p.instance, run->pre.state), false);
    mst_cluster_pod_remove(&f->cluster, fixture_pod(f, "foe"));
    domain_run_pick(run, NULL);
    t_bool(t, p.plugin->skips_pick(&f->view, p.instance, run->pre.state), true);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_nobody_speaks_about_pods(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(NODE("n1", "zone: a") POD("w", "default", "app: a", ""));
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    t_str(t, domain_run_verdict(run, "n1"), "Skip");
    t_ok(t, run->raw == NULL);
    t_bool(t, p.plugin->skips_pick(&f->view, p.instance, run->pre.state), true);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

static void test_selector_that_cannot_be_parsed(struct mst_test *t)
{
    static const char *const specs[] = { "podAffinity", "podAntiAffinity" };
    for (size_t i = 0; i < 2 * MST_COUNT(specs); i++) {
        MST_AUTO(mst_buf) pod = { 0 };
        const char *term = "{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, "
                           "operator: In}]}}";
        mst_buf_printf(&pod,
                       "kind: Node\napiVersion: v1\nmetadata: {name: n1}\n---\nkind: Pod\n"
                       "apiVersion: v1\nmetadata: {name: w}\nspec: {containers: [{name: c, image: "
                       "i}], affinity: {%s: {%s: [%s%s%s]}}}\n",
                       specs[i / 2],
                       i % 2 ? "preferredDuringSchedulingIgnoredDuringExecution"
                             : "requiredDuringSchedulingIgnoredDuringExecution",
                       i % 2 ? "{weight: 1, podAffinityTerm: " : "", term, i % 2 ? "}" : "");
        mst_buf_char(&pod, '\0');
        struct mst_fixture *f = fixture_new(pod.p);
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, NULL);
        struct domain_run *run = domain_run_new(f, &p, "w");
        t_int(t, run->pre.code, MST_UNRESOLVABLE);
        t_ok(t, run->pre.reason.n > 12 && memcmp(run->pre.reason.p, "parsing pod:", 12) == 0);
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* ---- scores ---- */

#define LIKES_WEB(weight) PREFERRED("podAffinity", WEIGHTED(weight, TERM("zone", "app: web", "")))
#define SKIPPED (-1)

/* clang-format off */
static const struct {
    const char *name, *args, *others, *spec;
    int64_t raw1, raw3, normal1, normal3; /* n1, n3; SKIPPED in raw1 */
} scores[] = {
    { "nobody cares", NULL, WEB, "", SKIPPED, 0, 0, 0 },
    { "affinity", NULL, WEB, AFFINITY(LIKES_WEB("5")), 5, 0, 100, 0 },
    { "anti-affinity", NULL, WEB,
      AFFINITY(PREFERRED("podAntiAffinity", WEIGHTED("5", TERM("zone", "app: web", "")))),
      -5, 0, 0, 100 },
    { "an entry of sum 0 is an entry", NULL, WEB,
      AFFINITY(LIKES_WEB("5")
               PREFERRED("podAntiAffinity", WEIGHTED("5", TERM("zone", "app: web", "")))),
      0, 0, 0, 0 },
    { "a pod that requires this one", NULL,
      POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(REQUIRED("podAffinity", TERM("zone", "me: it", "")))),
      "", 0, 1, 0, 100 },
    { "hardPodAffinityWeight", "{hardPodAffinityWeight: 7}",
      POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(REQUIRED("podAffinity", TERM("zone", "me: it", "")))),
      "", 0, 7, 0, 100 },
    { "hardPodAffinityWeight 0", "{hardPodAffinityWeight: 0}",
      POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(REQUIRED("podAffinity", TERM("zone", "me: it", "")))),
      "", SKIPPED, 0, 0, 0 },
    { "pods that prefer and avoid this one", NULL,
      POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(PREFERRED("podAffinity", WEIGHTED("9", TERM("zone", "me: it", "")))))
      POD("foe", "default", "", "nodeName: n1, "
          AFFINITY(PREFERRED("podAntiAffinity", WEIGHTED("3", TERM("zone", "me: it", ""))))),
      "", -3, 9, 0, 100 },
    { "existing preferences ignored", "{ignorePreferredTermsOfExistingPods: true}",
      POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(PREFERRED("podAffinity", WEIGHTED("9", TERM("zone", "me: it", ""))))),
      "", SKIPPED, 0, 0, 0 },
    { "not ignored by a pod with preferences", "{ignorePreferredTermsOfExistingPods: true}",
      WEB POD("fan", "default", "", "nodeName: n3, "
          AFFINITY(PREFERRED("podAffinity", WEIGHTED("9", TERM("zone", "me: it", ""))))),
      AFFINITY(LIKES_WEB("3")), 3, 9, 33, 100 },
};
/* clang-format on */

static void test_affinity_scores(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(scores); i++) {
        t_case(t, scores[i].name);
        struct mst_fixture *f = fixture_new(nodes);
        fixture_apply(f, scores[i].others);
        MST_AUTO(mst_buf) pod = { 0 };
        mst_buf_printf(&pod,
                       "kind: Pod\napiVersion: v1\nmetadata: {name: w, labels: {me: it}}\nspec: "
                       "{containers: [{name: c, image: i}], %s}\n",
                       scores[i].spec);
        mst_buf_char(&pod, '\0');
        fixture_apply(f, pod.p);
        fixture_apply(f, POD("speaker", "mute", "", TO_WEB("zone", "")));
        struct fixture_plugin p = fixture_plugin(f, &mst_plugin_inter_pod_affinity, scores[i].args);
        struct domain_run *run = domain_run_new(f, &p, "w");
        domain_run_pick(run, NULL);
        const uint32_t n1 = fixture_node(f, "n1"), n3 = fixture_node(f, "n3");
        t_bool(t, run->raw == NULL, scores[i].raw1 == SKIPPED);
        if (run->raw) {
            t_int(t, run->raw[n1], scores[i].raw1);
            t_int(t, run->raw[n3], scores[i].raw3);
            t_int(t, run->normal[n1], scores[i].normal1);
            t_int(t, run->normal[n3], scores[i].normal3);
        }
        domain_run_free(run);
        fixture_plugin_done(&p);
        fixture_free(f);
    }
}

/* Raw scores over feasible nodes and what upstream's floats make of them. */
static const struct {
    int64_t raw[4], want[4];
    uint32_t infeasible; /* bits */
} normals[] = {
    { { 10, 0, -5, 0 }, { 100, 33, 0, 33 }, 0 },
    { { 7, 0, 2, 0 }, { 100, 0, 28, 0 }, 0 },
    { { 29, 100, 0, 57 }, { 28, 100, 0, 56 }, 0 }, /* one less than whole numbers give */
    { { 58, 0, 100, 14 }, { 57, 0, 100, 14 }, 0 },
    { { 29, 50, 0, 25 }, { 57, 100, 0, 50 }, 0 },
    { { 3, 3, 3, 3 }, { 0, 0, 0, 0 }, 0 },
    { { 1000, 1, 3, 2 }, { 0, 0, 100, 50 }, 1 }, /* the first is not feasible */
    { { INT64_C(4000000000), 0, 1, INT64_C(2000000000) }, { 100, 0, 0, 50 }, 0 },
};

static void test_affinity_normalisation(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(NODE("a", "") NODE("b", "") NODE("c", "") NODE("d", ""));
    for (size_t i = 0; i < MST_COUNT(normals); i++) {
        int64_t raw[4];
        mst_verdict verdict[4];
        memcpy(raw, normals[i].raw, sizeof(raw));
        for (uint32_t row = 0; row < 4; row++)
            verdict[row] = normals[i].infeasible >> row & 1 ? FIXTURE_REJECT | 1 : MST_VERDICT_OK;
        mst_plugin_inter_pod_affinity.normalize_pick(&f->view, NULL, NULL, verdict, raw);
        for (uint32_t row = 0; row < 4; row++)
            if (verdict[row] == MST_VERDICT_OK)
                t_int(t, raw[row], normals[i].want[row]);
    }
    fixture_free(f);
}

static void test_affinity_bad_args(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new("");
    static const char *const bad[] = { "{hardPodAffinityWeight: 101}",
                                       "{hardPodAffinityWeight: -1}", "{hardPodAffinityWeight: x}",
                                       "{unknown: 1}" };
    for (size_t i = 0; i < MST_COUNT(bad); i++) {
        struct mst_err err = { 0 };
        struct fixture_plugin p =
            fixture_plugin_try(f, &mst_plugin_inter_pod_affinity, bad[i], &err);
        t_int(t, err.rc, MST_EINVAL);
        t_ok(t, p.instance == NULL);
    }
    fixture_free(f);
}

MST_TEST_MAIN(T(test_affinity_verdicts), T(test_affinity_hostname_gate),
              T(test_affinity_hostname_gate_follows_rows), T(test_nobody_speaks_about_pods),
              T(test_selector_that_cannot_be_parsed), T(test_affinity_scores),
              T(test_affinity_normalisation), T(test_affinity_bad_args))
