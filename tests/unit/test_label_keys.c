/* test_label_keys.c - classes tell pods apart by the labels that somebody asks for, no others. */
#include "base/rng.h"
#include "cluster_objects.h"
#include "tap.h"

#define POD(name, labels, spec)                                                                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}}, spec: {" spec   \
    "}}\n---\n"
#define ANTI(selector)                                                                             \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " \
    "zone, labelSelector: {" selector "}}]}}"

static void test_index_labels_share_a_class(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(POD("a", "job: j, index: '1'", "") POD("b", "job: j, index: '2'", "")
                        POD("c", "job: k, index: '2'", ""));
    struct mst_cluster *c = &o->cluster;
    t_bool(t, c->pods_matter, false);
    t_int(t, objects_pod(o, "a")->class_id, objects_pod(o, "c")->class_id);
    objects_apply(o, POD("x", "job: j", "nodeName: n1, " ANTI("matchLabels: {job: j}")));
    t_bool(t, c->pods_matter, true);
    t_int(t, objects_pod(o, "a")->class_id, objects_pod(o, "b")->class_id);
    t_ok(t, objects_pod(o, "a")->class_id != objects_pod(o, "c")->class_id);
    t_ok(t, objects_pod(o, "a")->labels != objects_pod(o, "b")->labels);
    t_int(t, mst_cluster_labels(c, objects_class(o, "a")->labels)->set.n, 1);
    uint64_t other = objects_class(o, "c")->serial;
    objects_apply(o, POD("y1", "",
                         "nodeName: n1, " ANTI("matchExpressions: [{key: index, operator: "
                                               "Exists}]")));
    t_ok(t, objects_pod(o, "a")->class_id != objects_pod(o, "b")->class_id);
    t_ok(t, objects_class(o, "c")->serial != other);
    /* Once mentioned, a key stays; a pod that leaves changes nothing. */
    other = objects_class(o, "c")->serial;
    mst_cluster_pod_remove(c, objects_row(o, "y1"));
    t_int(t, objects_class(o, "c")->serial, other);
    mst_cluster_check(c);
    objects_free(o);
}

static void test_what_mentions(struct mst_test *t)
{
    static const struct {
        const char *name, *spec;
        bool matter, key; /* `k` was mentioned */
    } cases[] = {
        { "node selector", "nodeSelector: {k: v}", false, false },
        { "node affinity",
          "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "{nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}",
          false, false },
        { "preferred affinity",
          "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
          "podAffinityTerm: {topologyKey: z, labelSelector: {matchLabels: {k: v}}}}]}}",
          true, true },
        { "namespace selector",
          "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
          "z, labelSelector: {}, namespaceSelector: {matchLabels: {k: v}}}]}}",
          true, false },
        { "spread constraint",
          "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
          "ScheduleAnyway, labelSelector: {matchLabels: {k: v}}}]",
          true, true },
        { "match label keys",
          "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
          "ScheduleAnyway, matchLabelKeys: [k]}]",
          true, true },
    };
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        struct mst_objects *o = objects_new(POD("a", "k: '1'", "") POD("b", "k: '2'", ""));
        objects_apply(o, mst_arena_printf(&o->arena, POD("p", "k: '1'", "%s"), cases[i].spec).p);
        t_bool(t, o->cluster.pods_matter, cases[i].matter);
        t_bool(t, objects_pod(o, "a")->class_id != objects_pod(o, "b")->class_id, cases[i].key);
        mst_cluster_check(&o->cluster);
        objects_free(o);
    }
}

static void test_label_update_changes_the_class(struct mst_test *t)
{
    struct mst_objects *o = objects_new(POD("x", "", ANTI("matchLabels: {app: a}"))
                                            POD("a", "app: a", "") POD("b", "app: b", ""));
    t_ok(t, objects_pod(o, "a")->class_id != objects_pod(o, "b")->class_id);
    objects_apply(o, POD("b", "app: a, more: m", ""));
    t_int(t, objects_pod(o, "a")->class_id, objects_pod(o, "b")->class_id);
    mst_cluster_check(&o->cluster);
    objects_free(o);
}

/* ---- random: every selector of the cluster gets the same answer from a class as from its pods
 * ---- */

static const char *const keys[] = { "a", "b", "c", "d", "e" };
static const char *const values[] = { "1", "2" };
static const char *const ops[] = { "In", "NotIn", "Exists", "DoesNotExist" };

static uint32_t below(struct mst_rng *rng, uint32_t n)
{
    return (uint32_t)mst_rng_below(rng, n);
}

static void random_selector(struct mst_rng *rng, struct mst_buf *out)
{
    uint32_t op = below(rng, MST_COUNT(ops));
    mst_buf_printf(out, "{matchExpressions: [{key: %s, operator: %s",
                   keys[below(rng, MST_COUNT(keys))], ops[op]);
    if (op < 2)
        mst_buf_printf(out, ", values: ['%s']", values[below(rng, MST_COUNT(values))]);
    mst_buf_text(out, "}]}");
}

static void random_pod(struct mst_rng *rng, struct mst_buf *out, uint32_t i)
{
    mst_buf_printf(out, "{apiVersion: v1, kind: Pod, metadata: {name: p%u, labels: {", i);
    for (size_t k = 0; k < MST_COUNT(keys); k++)
        if (below(rng, 2))
            mst_buf_printf(out, "%s: '%s',", keys[k], values[below(rng, MST_COUNT(values))]);
    mst_buf_text(out, "}}, spec: {");
    if (below(rng, 6) == 0) {
        mst_buf_text(out,
                     "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                     "[{topologyKey: z, labelSelector: ");
        random_selector(rng, out);
        mst_buf_text(out, "}]}}");
    } else if (below(rng, 6) == 0) {
        mst_buf_text(out, "topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, "
                          "whenUnsatisfiable: DoNotSchedule, labelSelector: ");
        random_selector(rng, out);
        mst_buf_text(out, "}]");
    }
    mst_buf_text(out, "}}\n---\n");
}

static void random_object(struct mst_rng *rng, struct mst_buf *out)
{
    if (below(rng, 2)) {
        mst_buf_printf(out,
                       "{apiVersion: v1, kind: Service, metadata: {name: s%u}, spec: {selector: "
                       "{%s: '%s'}}}\n---\n",
                       below(rng, 3), keys[below(rng, MST_COUNT(keys))],
                       values[below(rng, MST_COUNT(values))]);
        return;
    }
    mst_buf_printf(out,
                   "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r%u}, spec: "
                   "{selector: ",
                   below(rng, 3));
    random_selector(rng, out);
    mst_buf_text(out, "}}\n---\n");
}

static void t_same_answers(struct mst_test *t, const struct mst_cluster *c, uint32_t row)
{
    const struct mst_pod_row *p = &c->pods.v[row];
    const struct mst_class *class = mst_cluster_class(c, p->class_id);
    if (!c->pods_matter) {
        t_int(t, class->labels, UINT32_MAX);
        return;
    }
    for (uint32_t i = 1; i < c->affinities.n; i++)
        if (c->affinities.v[i]) {
            const struct mst_pod_affinity_term *term = c->affinities.v[i]->affinity.required.v;
            t_bool(t, mst_term_means(c, term, c->affinities.v[i]->ns, class->labels, NULL),
                   mst_term_means(c, term, c->affinities.v[i]->ns, p->labels, NULL));
        }
    for (uint32_t i = 0; i < c->classes.n; i++)
        if (c->classes.v[i] && c->classes.v[i]->spread.n) {
            const struct mst_label_selector *s = &c->classes.v[i]->spread.v[0].label_selector;
            t_bool(t, mst_selector_means(c, s, class->labels), mst_selector_means(c, s, p->labels));
        }
    for (uint32_t i = 0; i < c->classes.n; i++)
        if (c->classes.v[i] && c->classes.v[i]->default_selector.set) {
            const struct mst_label_selector *s = &c->classes.v[i]->default_selector;
            t_bool(t, mst_selector_means(c, s, class->labels), mst_selector_means(c, s, p->labels));
        }
}

static void test_random_answers(struct mst_test *t)
{
    struct mst_rng rng;
    mst_rng_init(&rng, 4);
    for (int round = 0; round < 40; round++) {
        struct mst_objects *o = objects_new("");
        for (uint32_t i = 0; i < 30; i++) {
            MST_AUTO(mst_buf) yaml = { 0 };
            if (below(&rng, 4) == 0)
                random_object(&rng, &yaml);
            else
                random_pod(&rng, &yaml, below(&rng, 12));
            mst_buf_char(&yaml, '\0');
            objects_apply(o, yaml.p);
            for (uint32_t row = 0; row < o->cluster.pods.n; row++)
                t_same_answers(t, &o->cluster, row);
            mst_cluster_check(&o->cluster);
        }
        objects_free(o);
    }
}

MST_TEST_MAIN(T(test_index_labels_share_a_class), T(test_what_mentions),
              T(test_label_update_changes_the_class), T(test_random_answers))
