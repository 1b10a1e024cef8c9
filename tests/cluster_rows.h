/*
 * cluster_rows.h - a cluster made from manifests, for tests of the cluster alone (cluster_helper.h
 * has plugins too).
 *
 * Objects are decoded and defaulted as the API server does; anything wrong with them ends the
 * program. Names without a namespace are in namespace default. Texts live as long as the rows.
 */
#ifndef MST_CLUSTER_ROWS_H
#define MST_CLUSTER_ROWS_H

#include <stdio.h>

#include "api/api.h"
#include "cluster/cluster.h"
#include "codec/yaml.h"

struct rows {
    struct mst_syms *syms;
    struct mst_arena arena;
    struct mst_diags diags;
    struct mst_cluster cluster;
    struct mst_api api;
    uint32_t profile; /* of the pods added from now on */
};

static inline void rows_die(struct rows *r, const char *what)
{
    MST_AUTO(mst_buf) out = { 0 };
    for (uint32_t i = 0; i < r->diags.list.n; i++)
        mst_diag_print(&r->diags.list.v[i], &out);
    fprintf(stderr, "rows: %s\n%.*s", what, (int)out.n, out.p ? out.p : "");
    mst_assert(!"the test's own objects are wrong");
}

static inline bool rows_object(void *ctx, struct mst_object *object)
{
    struct rows *r = ctx;
    struct mst_meta *meta = &object->u.meta;
    mst_api_default(&r->api, object);
    if (meta->namespace_ == MST_SYM_NONE)
        meta->namespace_ = mst_sym_of_text(r->syms, "default");
    if (object->kind == MST_KIND_NODE) {
        (void)mst_cluster_node_set(&r->cluster, &object->u.node);
    } else if (object->kind == MST_KIND_POD) {
        uint32_t row = mst_cluster_pod(&r->cluster, meta->namespace_, meta->name);
        if (row == MST_ROW_NONE)
            (void)mst_cluster_pod_add(&r->cluster, &object->u.pod, r->profile);
        else
            mst_cluster_pod_update(&r->cluster, row, &object->u.pod);
    } else if (object->kind == MST_KIND_POD_GROUP) {
        (void)mst_cluster_group_set(&r->cluster, &object->u.group);
    } else {
        rows_die(r, "a kind that no cluster keeps");
    }
    mst_cluster_check(&r->cluster);
    return true;
}

/* Adds or updates the objects of a text. */
static inline void rows_apply(struct rows *r, const char *yaml)
{
    struct mst_yaml_reader reader;
    const struct mst_value *doc;
    mst_rc rc;
    mst_yaml_init(&reader, mst_arena_str(&r->arena, mst_str_of(yaml)));
    while ((rc = mst_yaml_next(&reader, &r->arena, &r->diags, &doc)) == MST_OK)
        (void)mst_api_decode(&r->api, doc, rows_object, r);
    if (rc != MST_ENOTFOUND || r->diags.error_count)
        rows_die(r, "cannot read the objects");
}

static inline struct rows *rows_new(const char *yaml)
{
    struct rows *r = mst_calloc(1, sizeof(*r));
    r->syms = mst_syms_new();
    mst_cluster_init(&r->cluster, r->syms);
    r->cluster.groups_enabled = true;
    r->api = (struct mst_api){ .syms = r->syms,
                               .arena = &r->arena,
                               .diags = &r->diags,
                               .topology = true,
                               .preemption_policy = true };
    rows_apply(r, yaml);
    return r;
}

static inline void rows_free(struct rows *r)
{
    mst_cluster_check(&r->cluster);
    mst_cluster_done(&r->cluster);
    mst_diags_done(&r->diags);
    mst_arena_done(&r->arena);
    mst_syms_free(r->syms);
    mst_free(r);
}

static inline mst_sym rows_sym(struct rows *r, const char *text)
{
    return mst_sym_of_text(r->syms, text);
}

/* Rows by name; MST_ROW_NONE for what does not exist. */
static inline uint32_t rows_pod(struct rows *r, const char *name)
{
    return mst_cluster_pod(&r->cluster, rows_sym(r, "default"), mst_str_of(name));
}

static inline uint32_t rows_node(struct rows *r, const char *name)
{
    return mst_nodes_row(&r->cluster.nodes, rows_sym(r, name));
}

static inline uint32_t rows_group(struct rows *r, const char *name)
{
    return mst_cluster_group(&r->cluster, rows_sym(r, "default"), mst_str_of(name));
}

static inline const struct mst_pod_row *rows_pod_row(struct rows *r, const char *name)
{
    uint32_t row = rows_pod(r, name);
    mst_assert(row != MST_ROW_NONE);
    return &r->cluster.pods.v[row];
}

static inline const struct mst_class *rows_class(struct rows *r, const char *pod)
{
    return mst_cluster_class(&r->cluster, rows_pod_row(r, pod)->class_id);
}

static inline const struct mst_usage *rows_usage(struct rows *r, const char *pod)
{
    return mst_cluster_usage(&r->cluster, rows_pod_row(r, pod)->usage);
}

/* Reads what was asked for as one line per request: "cpu 1500, memory 1024". */
static inline struct mst_str rows_amounts(struct rows *r, const struct mst_amount *v, uint32_t n)
{
    struct mst_str text = MST_STR("");
    for (uint32_t i = 0; i < n; i++)
        text = mst_arena_printf(&r->arena, "%.*s%s%.*s %lld", MST_ARG(text), i ? ", " : "",
                                MST_ARG(mst_sym_str(r->syms,
                                                    r->cluster.nodes.resource_name[v[i].resource])),
                                (long long)v[i].amount);
    return text;
}

#endif
