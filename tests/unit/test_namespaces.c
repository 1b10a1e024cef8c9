/* test_namespaces.c - labels of namespaces and the generation that moves with them. */
#include "cluster_objects.h"
#include "tap.h"

#define NS(name, labels)                                                                           \
    "{apiVersion: v1, kind: Namespace, metadata: {name: " name ", labels: {" labels "}}}\n---\n"

static const char *label(struct mst_objects *o, const char *ns, const char *key)
{
    mst_sym value = mst_labels_get(mst_cluster_namespace_labels(&o->cluster, objects_sym(o, ns)),
                                   objects_sym(o, key));
    return value == MST_SYM_NONE ? "none" : mst_sym_str(o->syms, value).p;
}

static void test_labels_follow_the_object(struct mst_test *t)
{
    struct mst_objects *o = objects_new(NS("a", "x: '1'") NS("b", ""));
    t_text(t, label(o, "a", "x"), "1");
    t_text(t, label(o, "b", "x"), "none");
    t_text(t, label(o, "b", "kubernetes.io/metadata.name"), "b");
    t_text(t, label(o, "never", "x"), "none");
    objects_apply(o, NS("a", "w: '2'"));
    t_text(t, label(o, "a", "x"), "none");
    t_text(t, label(o, "a", "w"), "2");
    mst_cluster_namespace_remove(&o->cluster, objects_sym(o, "a"));
    t_text(t, label(o, "a", "w"), "none");
    objects_apply(o, NS("a", "x: '3'"));
    t_text(t, label(o, "a", "x"), "3");
    objects_free(o);
}

static void test_generation_and_known(struct mst_test *t)
{
    struct mst_objects *o = objects_new("");
    struct mst_cluster *c = &o->cluster;
    mst_sym a = objects_sym(o, "a");
    uint64_t g = c->namespace_generation;
    t_bool(t, mst_cluster_namespace_known(c, a), false);
    objects_apply(o, NS("a", "x: '1'"));
    t_ok(t, c->namespace_generation > g);
    t_bool(t, mst_cluster_namespace_known(c, a), true);
    g = c->namespace_generation;
    objects_apply(o, NS("a", "x: '1'"));
    t_int(t, c->namespace_generation, g);
    objects_apply(o, NS("a", "x: '2'"));
    t_ok(t, c->namespace_generation > g);
    g = c->namespace_generation;
    mst_cluster_namespace_remove(c, a);
    t_ok(t, c->namespace_generation > g);
    t_bool(t, mst_cluster_namespace_known(c, a), false);
    g = c->namespace_generation;
    mst_cluster_namespace_remove(c, a);
    mst_cluster_namespace_remove(c, objects_sym(o, "never"));
    t_int(t, c->namespace_generation, g);
    objects_free(o);
}

MST_TEST_MAIN(T(test_labels_follow_the_object), T(test_generation_and_known))
