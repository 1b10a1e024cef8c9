/*
 * test_pod_topology_spread_score.c - worked values of scoring: System defaults, own constraints,
 * ignored nodes, large skews.
 */
#include "domain_run.h"
#include "plugins/registry.h"
#include "tap.h"

#define NODE(name, labels)                                                                         \
    "---\nkind: Node\napiVersion: v1\nmetadata: {name: " name ", labels: {" labels "}}\n"
#define POD(name, spec)                                                                            \
    "---\nkind: Pod\napiVersion: v1\nmetadata: {name: " name                                       \
    ", labels: {app: a}}\nspec: {containers: [{name: c, image: i}], " spec "}\n"
#define SOFT(key, skew)                                                                            \
    "{topologyKey: " key ", maxSkew: " skew                                                        \
    ", whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a}}}, "
#define SPREAD(list) "topologySpreadConstraints: [" list "]"
#define HOST "kubernetes.io/hostname"
#define ZONE "topology.kubernetes.io/zone"

/* clang-format off */
static const char cluster[] =
    NODE("n1", HOST ": n1, " ZONE ": z1") NODE("n2", HOST ": n2, " ZONE ": z1")
    NODE("n3", HOST ": n3, " ZONE ": z2") NODE("n4", HOST ": n4")
    POD("a1", "nodeName: n1") POD("a2", "nodeName: n1") POD("a3", "nodeName: n3")
    POD("default", "")
    POD("zones", SPREAD(SOFT(ZONE, "1")))
    POD("both", SPREAD(SOFT(HOST, "1") SOFT(ZONE, "1")))
    POD("flat", SPREAD(SOFT("flat", "1")))
    POD("none", "topologySpreadConstraints: [{topologyKey: " HOST ", maxSkew: 1, "
                "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: zz}}}]")
    POD("huge", SPREAD(SOFT(HOST, "2147483647") SOFT(ZONE, "2147483647")))
    "---\nkind: Service\napiVersion: v1\nmetadata: {name: s}\nspec: {selector: {app: a}}\n";

static const struct {
    const char *pod;
    uint32_t hidden; /* bits of n1.. */
    int64_t raw[4], normal[4];
} cases[] = {
    /* plugins.md 9: weights ln 6 for hosts, ln 5 for the zones z1, z2 and "" */
    { "default", 0, { 13, 9, 9, 2 }, { 15, 46, 46, 100 } },
    /* ln 4: z1 has 2, z2 has 1; n4 is ignored */
    { "zones", 0, { 3, 3, 1, 0 }, { 33, 33, 100, 0 } },
    /* z2 alone is feasible: ln 3 */
    { "zones", 3, { 0, 0, 1, 0 }, { 0, 0, 100, 0 } },
    /* hosts ln 5, zones ln 4: 2 ln 5 + 2 ln 4, 2 ln 4, ln 5 + ln 4 */
    { "both", 0, { 6, 3, 3, 0 }, { 50, 100, 100, 0 } },
    /* nobody has the label: all are ignored */
    { "flat", 0, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
    /* nobody matches: the largest is 0 */
    { "none", 0, { 0, 0, 0, 0 }, { 100, 100, 100, 100 } },
    { "huge", 0, { INT64_C(4294967298), INT64_C(4294967295), INT64_C(4294967295), 0 },
      { 99, 100, 100, 0 } },
};
/* clang-format on */

static void test_spread_scores(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].pod);
        struct domain_run *run = domain_run_new(f, &p, cases[i].pod);
        bool hidden[4];
        static const char *const names[] = { "n1", "n2", "n3", "n4" };
        for (uint32_t n = 0; n < 4; n++)
            hidden[fixture_node(f, names[n])] = cases[i].hidden >> n & 1;
        domain_run_pick(run, hidden);
        for (uint32_t n = 0; n < 4 && run->raw; n++) {
            const uint32_t row = fixture_node(f, names[n]);
            if (hidden[row])
                continue;
            t_int(t, run->raw[row], cases[i].raw[n]);
            t_int(t, run->normal[row], cases[i].normal[n]);
        }
        t_ok(t, run->raw != NULL);
        domain_run_free(run);
    }
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* List defaulting without constraints: nothing to score. */
static void test_no_defaults_no_score(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(cluster);
    struct fixture_plugin p =
        fixture_plugin(f, &mst_plugin_pod_topology_spread, "{defaultingType: List}");
    struct domain_run *run = domain_run_new(f, &p, "default");
    domain_run_pick(run, NULL);
    t_ok(t, run->raw == NULL);
    t_int(t, run->score.code, MST_SKIP);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

/* Scores further apart than a table of quotients is long. */
static void test_wide_range_of_scores(struct mst_test *t)
{
    struct mst_fixture *f = fixture_new(NODE("e1", HOST ": e1") NODE("e2", HOST ": e2")
                                            POD("w", SPREAD(SOFT(HOST, "1"))));
    for (uint32_t i = 0; i < 1500; i++) {
        MST_AUTO(mst_buf) text = { 0 };
        mst_buf_printf(&text, POD("x%u", "nodeName: e1"), i);
        mst_buf_char(&text, '\0');
        fixture_apply(f, text.p);
    }
    struct fixture_plugin p = fixture_plugin(f, &mst_plugin_pod_topology_spread, NULL);
    struct domain_run *run = domain_run_new(f, &p, "w");
    domain_run_pick(run, NULL);
    const uint32_t e1 = fixture_node(f, "e1"), e2 = fixture_node(f, "e2");
    t_int(t, run->raw[e1], 2079); /* 1500 ln 4 = 2079.44 */
    t_int(t, run->raw[e2], 0);
    t_int(t, run->normal[e1], 0);
    t_int(t, run->normal[e2], 100);
    domain_run_free(run);
    fixture_plugin_done(&p);
    fixture_free(f);
}

MST_TEST_MAIN(T(test_spread_scores), T(test_no_defaults_no_score), T(test_wide_range_of_scores))
