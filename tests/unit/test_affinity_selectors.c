/* test_affinity_selectors.c - default selectors: what means a pod, and when classes follow. */
#include "cluster_objects.h"
#include "tap.h"

#define SERVICE(name, selector)                                                                    \
    "{apiVersion: v1, kind: Service, metadata: {name: " name "}, spec: {" selector "}}\n---\n"
#define RC(name, selector)                                                                         \
    "{apiVersion: v1, kind: ReplicationController, metadata: {name: " name "}, spec: {" selector   \
    "}}\n---\n"
#define RS(name, selector)                                                                         \
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " name "}, spec: {" selector         \
    "}}\n---\n"
#define STS(name, selector)                                                                        \
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: " name "}, spec: {" selector        \
    "}}\n---\n"
#define OWNED(version, kind, name, controller)                                                     \
    "ownerReferences: [{apiVersion: " version ", kind: " kind ", name: " name                      \
    ", controller: " controller "}]"

#define POD(name, labels, more)                                                                    \
    "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}, " more           \
    "}, spec: {}}\n---\n"

/* The pod has labels app=a, tier=t, hash=h. */
static const struct {
    const char *name, *objects, *owner, *want;
} cases[] = {
    { "nothing", "", "", "nil" },
    { "a service", SERVICE("s", "selector: {app: a}"), "", "app=a" },
    { "a service without selector", SERVICE("s", ""), "", "nil" },
    { "a service with an empty selector", SERVICE("s", "selector: {}"), "", "nil" },
    { "a service for others", SERVICE("s", "selector: {app: b}"), "", "nil" },
    { "a service that asks too much", SERVICE("s", "selector: {app: a, tier: u}"), "", "nil" },
    { "the union of services",
      SERVICE("s", "selector: {app: a}") SERVICE("u", "selector: {tier: t, app: a}")
          SERVICE("v", "selector: {tier: x}"),
      "", "app=a,tier=t" },
    { "two services in one drawer",
      SERVICE("s", "selector: {app: a, tier: u}") SERVICE("u", "selector: {app: a, tier: t}"), "",
      "app=a,tier=t" },
    { "a controller's map", RC("r", "selector: {app: a}"),
      OWNED("v1", "ReplicationController", "r", "true"), "app=a" },
    { "a controller's map wins over services",
      SERVICE("s", "selector: {app: a, tier: t}") RC("r", "selector: {app: z}"),
      OWNED("v1", "ReplicationController", "r", "true"), "app=z,tier=t" },
    { "a controller without selector", RC("r", ""),
      OWNED("v1", "ReplicationController", "r", "true"), "nil" },
    { "an owner that does not control", RC("r", "selector: {app: a}"),
      OWNED("v1", "ReplicationController", "r", "false"), "nil" },
    { "a controller of another version", RS("r", "selector: {matchLabels: {app: a}}"),
      OWNED("apps/v1beta1", "ReplicaSet", "r", "true"), "nil" },
    { "a replica set",
      RS("r",
         "selector: {matchLabels: {app: a}, matchExpressions: [{key: hash, operator: Exists}]}"),
      OWNED("apps/v1", "ReplicaSet", "r", "true"), "app In a,hash Exists" },
    { "a replica set and a service",
      SERVICE("s", "selector: {tier: t}") RS("r", "selector: {matchLabels: {app: z}}"),
      OWNED("apps/v1", "ReplicaSet", "r", "true"), "tier=t,app In z" },
    { "an invalid replica set",
      SERVICE("s", "selector: {tier: t}")
          RS("r", "selector: {matchExpressions: [{key: hash, operator: In}]}"),
      OWNED("apps/v1", "ReplicaSet", "r", "true"), "tier=t" },
    { "an empty replica set", RS("r", "selector: {}"), OWNED("apps/v1", "ReplicaSet", "r", "true"),
      "nil" },
    { "a replica set without selector", RS("r", ""), OWNED("apps/v1", "ReplicaSet", "r", "true"),
      "nil" },
    { "a replica set of another name", RS("q", "selector: {matchLabels: {app: a}}"),
      OWNED("apps/v1", "ReplicaSet", "r", "true"), "nil" },
    { "a stateful set of the same name", STS("r", "selector: {matchLabels: {app: a}}"),
      OWNED("apps/v1", "ReplicaSet", "r", "true"), "nil" },
    { "a stateful set", STS("r", "selector: {matchLabels: {app: a}}"),
      OWNED("apps/v1", "StatefulSet", "r", "true"), "app In a" },
};

static void test_default_selector(struct mst_test *t)
{
    for (size_t i = 0; i < MST_COUNT(cases); i++) {
        t_case(t, cases[i].name);
        /* The pod after the objects, and before them: classes follow. */
        struct mst_objects *o = objects_new("");
        struct mst_str pod =
            mst_arena_printf(&o->arena, POD("p", "app: a, tier: t, hash: h", "%s"), cases[i].owner);
        objects_apply(o, cases[i].objects);
        objects_apply(o, pod.p);
        struct mst_label_selector selector;
        mst_default_selector(&o->cluster, &objects_only(o, pod.p)->u.pod, &o->arena, &selector);
        t_str(t, objects_selector_text(o, &selector), cases[i].want);
        t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), cases[i].want);
        mst_cluster_check(&o->cluster);
        objects_free(o);

        o = objects_new("");
        objects_apply(o, mst_arena_printf(&o->arena, POD("p", "app: a, tier: t, hash: h", "%s"),
                                          cases[i].owner)
                             .p);
        objects_apply(o, cases[i].objects);
        t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), cases[i].want);
        mst_cluster_check(&o->cluster);
        objects_free(o);
    }
}

static void test_changes_of_objects(struct mst_test *t)
{
    struct mst_objects *o = objects_new(POD("p", "app: a, tier: t", "") POD("q", "app: b", ""));
    struct mst_cluster *c = &o->cluster;
    t_bool(t, c->pods_matter, false);
    t_int(t, objects_pod(o, "p")->class_id, objects_pod(o, "q")->class_id);
    t_int(t, objects_class(o, "p")->labels, UINT32_MAX);
    objects_apply(o, SERVICE("s", "selector: {app: a}"));
    t_bool(t, c->pods_matter, true);
    uint64_t g = c->selector_generation;
    uint64_t q = objects_class(o, "q")->serial;
    objects_apply(o, SERVICE("s", "selector: {app: a}, clusterIP: 10.0.0.1"));
    t_int(t, c->selector_generation, g);
    objects_apply(o, SERVICE("s", "selector: {tier: t}"));
    t_ok(t, c->selector_generation > g);
    t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), "tier=t");
    t_int(t, objects_class(o, "q")->serial, q);
    objects_apply(o,
                  SERVICE("u", "selector: {tier: t}") SERVICE("v", "selector: {tier: t, app: a}"));
    t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), "app=a,tier=t");
    static const char *const gone[] = { "u", "v", "s", "s" };
    static const char *const left[] = { "app=a,tier=t", "tier=t", "nil", "nil" };
    for (size_t i = 0; i < MST_COUNT(gone); i++) {
        struct mst_object object = { .kind = MST_KIND_SERVICE };
        object.u.meta.name = mst_str_of(gone[i]);
        object.u.meta.namespace_ = objects_sym(o, "default");
        mst_cluster_selector_remove(c, &object);
        t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), left[i]);
    }
    objects_apply(o, SERVICE("w", "selector: {app: a}")); /* takes a free place */
    t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), "app=a");
    mst_cluster_check(c);
    objects_free(o);
}

static void test_owner_changes(struct mst_test *t)
{
    struct mst_objects *o =
        objects_new(RS("r", "selector: {matchLabels: {app: a}}") POD("p", "app: a", ""));
    t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), "nil");
    objects_apply(o, POD("p", "app: a", OWNED("apps/v1", "ReplicaSet", "r", "true")));
    t_str(t, objects_selector_text(o, &objects_class(o, "p")->default_selector), "app In a");
    objects_free(o);
}

static void test_own_constraints_need_no_default(struct mst_test *t)
{
    struct mst_objects *o = objects_new(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: a}}, spec: "
        "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]}}\n---\n" SERVICE(
            "s", "selector: {app: a}"));
    const struct mst_class *c = objects_class(o, "p");
    t_int(t, c->spread.n, 1);
    t_str(t, objects_selector_text(o, &c->spread.v[0].label_selector), "app=a");
    t_bool(t, c->default_selector.set, false);
    objects_free(o);
}

MST_TEST_MAIN(T(test_default_selector), T(test_changes_of_objects), T(test_owner_changes),
              T(test_own_constraints_need_no_default))
