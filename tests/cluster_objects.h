/*
 * cluster_objects.h - a cluster filled from manifests, for tests of the cluster alone.
 *
 *     struct mst_objects *o = objects_new("kind: Node ...");
 *     objects_apply(o, "kind: Pod ...");
 *     objects_free(o);
 *
 * Objects are decoded, defaulted and admitted as the API server does; anything wrong with them ends
 * the program. Pods get profile 0. (cluster_helper.h is the same with plugins on top.)
 */
#ifndef MST_CLUSTER_OBJECTS_H
#define MST_CLUSTER_OBJECTS_H

#include <stdio.h>

#include "api/api.h"
#include "cluster/affinity.h"
#include "cluster/budgets.h"
#include "codec/yaml.h"

struct mst_objects {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_cluster cluster;
    struct mst_api api;
    struct mst_object *last;
    bool decode_only;
};

static inline bool objects_set(void *ctx, struct mst_object *object)
{
    struct mst_objects *o = ctx;
    struct mst_cluster *cluster = &o->cluster;
    o->last = object;
    mst_api_default(&o->api, object);
    mst_assert(mst_api_admit(&o->api, object, NULL, NULL));
    if (o->decode_only)
        return true;
    if (object->kind == MST_KIND_NODE) {
        (void)mst_cluster_node_set(cluster, &object->u.node);
    } else if (object->kind == MST_KIND_POD) {
        uint32_t row = mst_cluster_pod(cluster, object->u.meta.namespace_, object->u.meta.name);
        if (row == MST_ROW_NONE)
            (void)mst_cluster_pod_add(cluster, &object->u.pod, 0);
        else
            mst_cluster_pod_update(cluster, row, &object->u.pod);
    } else if (object->kind == MST_KIND_NAMESPACE) {
        mst_cluster_namespace_set(cluster, &object->u.ns);
    } else if (object->kind == MST_KIND_PDB) {
        mst_cluster_budget_set(cluster, &object->u.pdb);
    } else {
        mst_cluster_selector_set(cluster, object);
    }
    return true;
}

static inline void objects_apply(struct mst_objects *o, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, mst_arena_str(&o->arena, mst_str_of(yaml)));
    while ((rc = mst_yaml_next(&reader, &o->arena, &o->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&o->api, doc, objects_set, o);
    for (uint32_t i = 0; i < o->diags.list.n; i++)
        fprintf(stderr, "objects: %.*s\n", MST_ARG(o->diags.list.v[i].text));
    mst_assert(rc == MST_ENOTFOUND && !o->diags.list.n);
}

/* The object of a text with a single one, not told to the cluster. */
static inline const struct mst_object *objects_only(struct mst_objects *o, const char *yaml)
{
    o->decode_only = true;
    objects_apply(o, yaml);
    o->decode_only = false;
    return o->last;
}

static inline struct mst_objects *objects_new(const char *yaml)
{
    struct mst_objects *o = mst_calloc(1, sizeof(*o));
    o->syms = mst_syms_new();
    o->api = (struct mst_api){ .syms = o->syms, .arena = &o->arena, .diags = &o->diags };
    mst_cluster_init(&o->cluster, o->syms);
    objects_apply(o, yaml);
    return o;
}

static inline void objects_free(struct mst_objects *o)
{
    mst_cluster_done(&o->cluster);
    mst_diags_done(&o->diags);
    mst_arena_done(&o->arena);
    mst_syms_free(o->syms);
    mst_free(o);
}

static inline mst_sym objects_sym(struct mst_objects *o, const char *text)
{
    return mst_sym_of_text(o->syms, text);
}

/* The row of a pod in namespace default, or of "ns/name". */
static inline const struct mst_pod_row *objects_pod(struct mst_objects *o, const char *name)
{
    const char *slash = strchr(name, '/');
    struct mst_str ns =
        slash ? (struct mst_str){ name, (size_t)(slash - name) } : MST_STR("default");
    uint32_t row =
        mst_cluster_pod(&o->cluster, mst_sym_of(o->syms, ns), mst_str_of(slash ? slash + 1 : name));
    mst_assert(row != MST_ROW_NONE);
    return &o->cluster.pods.v[row];
}

static inline uint32_t objects_row(struct mst_objects *o, const char *name)
{
    return (uint32_t)(objects_pod(o, name) - o->cluster.pods.v);
}

static inline const struct mst_class *objects_class(struct mst_objects *o, const char *name)
{
    return mst_cluster_class(&o->cluster, objects_pod(o, name)->class_id);
}

/* "a=1,b" with ops as "key op values" in the order of the selector; "nil" when not set. */
static inline struct mst_str objects_selector_text(struct mst_objects *o,
                                                   const struct mst_label_selector *selector)
{
    if (!selector->set)
        return MST_STR("nil");
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < selector->match_labels.n; i++)
        text = mst_arena_printf(&o->arena, "%.*s%s%.*s=%.*s", MST_ARG(text), text.n ? "," : "",
                                MST_ARG(mst_sym_str(o->syms, selector->match_labels.v[i].key)),
                                MST_ARG(mst_sym_str(o->syms, selector->match_labels.v[i].value)));
    for (uint32_t i = 0; i < selector->match_expressions.n; i++) {
        const struct mst_requirement *r = &selector->match_expressions.v[i];
        text = mst_arena_printf(&o->arena, "%.*s%s%.*s %.*s", MST_ARG(text), text.n ? "," : "",
                                MST_ARG(mst_sym_str(o->syms, r->key)), MST_ARG(r->op_text));
        for (uint32_t k = 0; k < r->values.n; k++)
            text = mst_arena_printf(&o->arena, "%.*s %.*s", MST_ARG(text),
                                    MST_ARG(mst_sym_str(o->syms, r->values.v[k])));
    }
    return text;
}

#endif
