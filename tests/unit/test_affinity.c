/* test_affinity.c - ids of labels and affinities, who a term means, the counts of nodes. */
#include "cluster_objects.h"
#include "tap.h"

#define NODE(name) "{apiVersion: v1, kind: Node, metadata: {name: " name "}}\n---\n"
#define POD(name, labels, spec)                                                                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}}, spec: {" spec   \
    "}}\n---\n"
#define ANTI                                                                                       \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " \
    "zone, labelSelector: {matchLabels: {app: a}}}]}}"
#define PREFERRED                                                                                  \
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, "      \
    "podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: a}}}}]}}"

static void test_labels_ids(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(NODE("n1") POD("a", "x: '1', w: '2'", "") POD("b", "w: '2', x: '1'", "")
                        POD("c", "", "") POD("d", "x: '1'", ""));
    t_int(t, objects_pod(o, "a")->labels, objects_pod(o, "b")->labels);
    t_ok(t, objects_pod(o, "a")->labels != objects_pod(o, "c")->labels);
    t_ok(t, objects_pod(o, "a")->labels != objects_pod(o, "d")->labels);
    uint32_t id = objects_pod(o, "a")->labels;
    const struct mst_pod_labels *labels = mst_cluster_labels(&o->cluster, id);
    uint64_t serial = labels->serial;
    t_int(t, labels->refs, 2);
    t_int(t, labels->set.n, 2);
    t_ok(t, labels->set.v[0].key < labels->set.v[1].key);
    t_str(t, mst_sym_str(o->syms, labels->ns), "default");
    objects_apply(o, POD("a", "x: '9'", ""));
    mst_cluster_pod_remove(&o->cluster, objects_row(o, "b"));
    t_ok(t, !o->cluster.pod_labels.v[id]);
    objects_apply(o, POD("e", "z: '1'", ""));
    t_int(t, objects_pod(o, "e")->labels, id); /* reused, in another life */
    t_ok(t, mst_cluster_labels(&o->cluster, id)->serial > serial);
    mst_cluster_check(&o->cluster);
    objects_free(o);
}

static void test_labels_many(struct mst_test *t)
{
    /* More labels than are sorted in place; the order of the document does not matter. */
    struct mst_objects *o = objects_new("");
    MST_AUTO(mst_buf) up = { 0 };
    MST_AUTO(mst_buf) down = { 0 };
    mst_buf_text(&up, "{apiVersion: v1, kind: Pod, metadata: {name: up, labels: {");
    mst_buf_text(&down, "{apiVersion: v1, kind: Pod, metadata: {name: down, labels: {");
    for (int i = 0; i < 60; i++) {
        mst_buf_printf(&up, "k%d: v,", i);
        mst_buf_printf(&down, "k%d: v,", 59 - i);
    }
    mst_buf_add(&up, "}}, spec: {}}", sizeof("}}, spec: {}}"));
    mst_buf_add(&down, "}}, spec: {}}", sizeof("}}, spec: {}}"));
    objects_apply(o, up.p);
    objects_apply(o, down.p);
    t_int(t, objects_pod(o, "up")->labels, objects_pod(o, "down")->labels);
    t_int(t, mst_cluster_labels(&o->cluster, objects_pod(o, "up")->labels)->set.n, 60);
    objects_free(o);
}

static void test_affinity_ids(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(POD("a", "", ANTI) POD("b", "app: a", ANTI) POD("c", "", PREFERRED)
                        POD("d", "", "affinity: {podAffinity: {}}") POD("e", "", ""));
    uint32_t id = objects_pod(o, "a")->affinity;
    t_ok(t, id != 0);
    t_int(t, objects_pod(o, "b")->affinity, id);
    t_ok(t, objects_pod(o, "c")->affinity != id && objects_pod(o, "c")->affinity != 0);
    t_int(t, objects_pod(o, "d")->affinity, 0);
    t_int(t, objects_pod(o, "e")->affinity, 0);
    const struct mst_affinity *anti = mst_cluster_affinity(&o->cluster, id);
    t_int(t, anti->anti.required.n, 1);
    t_int(t, anti->affinity.required.n, 0);
    t_str(t, mst_sym_str(o->syms, anti->anti.required.v[0].topology_key), "zone");
    t_ok(t, mst_cluster_affinity(&o->cluster, 0) == NULL);
    mst_cluster_check(&o->cluster);
    objects_free(o);
}

/* ---- who is meant ---- */

static const struct {
    const char *name, *term;
    /* x in default {app: a}; other in team {app: a}; z in lost, which has no object, {app: a} */
    bool x, y, z, own_z, bad;
} means[] = {
    { "own namespace", "labelSelector: {matchLabels: {app: a}}", true, false, false, false, false },
    { "other labels", "labelSelector: {matchLabels: {app: b}}", false, false, false, false, false },
    { "nil selector", "namespaces: [team]", false, false, false, false, false },
    { "empty selector", "labelSelector: {}, namespaces: [team]", false, true, false, false, false },
    { "listed and selected",
      "labelSelector: {}, namespaces: [default], namespaceSelector: {matchLabels: {kind: work}}",
      true, true, false, false, false },
    { "all namespaces", "labelSelector: {}, namespaceSelector: {}", true, true, true, true, false },
    { "namespace selector alone",
      "labelSelector: {}, namespaceSelector: {matchLabels: {kind: work}}", false, true, false,
      false, false },
    { "what has no object has no labels, and is not looked up",
      "labelSelector: {}, namespaceSelector: {matchExpressions: [{key: kind, operator: "
      "DoesNotExist}]}",
      true, false, true, false, false },
    { "unknown namespace by name", "labelSelector: {}, namespaces: [lost]", false, false, true,
      true, false },
    { "bad selector", "labelSelector: {matchExpressions: [{key: app, operator: In}]}", false, false,
      false, false, true },
    { "bad namespace selector",
      "labelSelector: {}, namespaces: [team], namespaceSelector: {matchExpressions: [{key: app, "
      "operator: Exists, values: [a]}]}",
      false, false, false, false, true },
};

static void test_term_means(struct mst_test *t)
{
    struct mst_objects *o = objects_new(
        "{apiVersion: v1, kind: Namespace, metadata: {name: default}}\n---\n"
        "{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {kind: work}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: x, labels: {app: a}}, spec: {}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {namespace: team, name: other, labels: {app: a}}, "
        "spec: {}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {namespace: lost, name: z, labels: {app: a}}, "
        "spec: {}}\n");
    const struct mst_cluster *c = &o->cluster;
    const uint32_t x = objects_pod(o, "x")->labels, y = objects_pod(o, "team/other")->labels,
                   z = objects_pod(o, "lost/z")->labels;
    const mst_sym ns = objects_sym(o, "default");
    for (size_t i = 0; i < MST_COUNT(means); i++) {
        t_case(t, means[i].name);
        struct mst_str text = mst_arena_printf(
            &o->arena,
            "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {affinity: {podAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, %s}]}}}}",
            means[i].term);
        const struct mst_object *pod = objects_only(o, text.p);
        const struct mst_pod_affinity_term *term = &pod->u.pod.spec.pod_affinity.required.v[0];
        bool bad = !means[i].bad;
        t_bool(t, mst_term_means(c, term, ns, x, &bad), means[i].x);
        t_bool(t, bad, means[i].bad);
        t_bool(t, mst_term_means(c, term, ns, y, NULL), means[i].y);
        t_bool(t, mst_term_means(c, term, ns, z, NULL), means[i].z);
        t_bool(t, mst_own_term_means(c, term, ns, x, NULL), means[i].x);
        t_bool(t, mst_own_term_means(c, term, ns, y, NULL), means[i].y);
        t_bool(t, mst_own_term_means(c, term, ns, z, NULL), means[i].own_z);
        if (!term->namespaces.n && !term->namespace_selector.set)
            t_bool(t, mst_selector_means(c, &term->label_selector, y), means[i].x);
    }
    objects_free(o);
}

/* ---- counts of nodes ---- */

static void t_counts(struct mst_test *t, struct mst_objects *o, uint32_t affinity, uint32_t anti)
{
    t_int(t, o->cluster.nodes.affinity_pod_count[0], affinity);
    t_int(t, o->cluster.nodes.anti_pod_count[0], anti);
    mst_cluster_check(&o->cluster);
}

static void test_counts_follow_pods(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(NODE("n1") NODE("m1") POD("a", "", ANTI) POD("b", "", PREFERRED)
                        POD("c", "", "") POD("d", "", "nodeName: n1, " ANTI));
    struct mst_cluster *c = &o->cluster;
    t_counts(t, o, 1, 1);
    MST_AUTO(mst_buf) before = { 0 };
    MST_AUTO(mst_buf) after = { 0 };
    mst_cluster_dump(c, &before);
    uint32_t outer = mst_txn_begin(c);
    mst_cluster_place(c, objects_row(o, "a"), 0);
    mst_cluster_place(c, objects_row(o, "c"), 0);
    t_counts(t, o, 2, 2);
    uint32_t inner = mst_txn_begin(c);
    mst_cluster_place(c, objects_row(o, "b"), 0);
    t_counts(t, o, 3, 2);
    mst_txn_rollback(c, inner);
    t_counts(t, o, 2, 2);
    mst_cluster_unplace(c, objects_row(o, "d"));
    t_counts(t, o, 1, 1);
    mst_txn_rollback(c, outer);
    mst_cluster_dump(c, &after);
    t_ok(t, before.n == after.n && memcmp(before.p, after.p, before.n) == 0);
    /* The last row moves into the gap with its counts. */
    mst_cluster_node_remove(c, objects_sym(o, "n1"));
    t_counts(t, o, 0, 0);
    objects_apply(o, NODE("n1"));
    t_int(t, c->nodes.anti_pod_count[1], 1);
    mst_cluster_node_remove(c, objects_sym(o, "m1"));
    t_counts(t, o, 1, 1);
    objects_free(o);
}

static void test_changes_touch_rows(struct mst_test *t)
{
    struct mst_objects *o = objects_new(NODE("n1") POD("a", "app: a", "nodeName: n1"));
    static const struct {
        const char *name, *yaml;
        bool touched;
    } updates[] = {
        { "nothing", POD("a", "app: a", "nodeName: n1"), false },
        { "labels", POD("a", "app: b", "nodeName: n1"), true },
        { "terminating",
          "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: b}, deletionTimestamp: "
          "'2026-01-01T00:00:00Z'}, spec: {nodeName: n1}}",
          true },
        { "other affinity", POD("a", "app: b", "nodeName: n1, " ANTI), true },
    };
    for (size_t i = 0; i < MST_COUNT(updates); i++) {
        t_case(t, updates[i].name);
        uint64_t end = mst_nodes_change_end(&o->cluster.nodes);
        objects_apply(o, updates[i].yaml);
        t_bool(t, mst_nodes_change_end(&o->cluster.nodes) != end, updates[i].touched);
    }
    t_counts(t, o, 1, 1);
    objects_free(o);
}

MST_TEST_MAIN(T(test_labels_ids), T(test_labels_many), T(test_affinity_ids), T(test_term_means),
              T(test_counts_follow_pods), T(test_changes_touch_rows))
