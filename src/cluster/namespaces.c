/*
 * namespaces.c - namespaces and their labels, for the namespace selectors of affinity terms.
 *
 * Owns:       the rows and their labels. A row stays with its name: there are few.
 */
#include "cluster/affinity.h"
#include "cluster/cluster_internal.h"

static struct mst_str key_of(const mst_sym *name)
{
    return (struct mst_str){ (const char *)name, sizeof(*name) };
}

static struct mst_namespace_row *find(const struct mst_cluster *cluster, mst_sym name)
{
    uint64_t at;
    return mst_map_get(&cluster->namespace_labels, key_of(&name), &at) ? &cluster->namespaces.v[at]
                                                                       : NULL;
}

static bool same_labels(const mst_labels *a, const mst_labels *b)
{
    return a->n == b->n && (!a->n || memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0);
}

static void take_labels(struct mst_namespace_row *row, const mst_labels *labels)
{
    struct mst_label *copy = mst_calloc(MST_MAX(1u, labels->n), sizeof(*copy));
    if (labels->n)
        memcpy(copy, labels->v, labels->n * sizeof(*copy));
    mst_free(row->labels.v);
    row->labels = (mst_labels){ copy, labels->n };
}

void mst_cluster_namespace_set(struct mst_cluster *cluster, const struct mst_namespace *ns)
{
    mst_sym name = mst_sym_of(cluster->syms, ns->meta.name);
    struct mst_namespace_row *row = find(cluster, name);
    if (row && row->live && same_labels(&row->labels, &ns->meta.labels))
        return;
    if (!row) {
        mst_map_set(&cluster->namespace_labels, key_of(&name), cluster->namespaces.n);
        mst_vec_push(&cluster->namespaces, (struct mst_namespace_row){ .name = name });
        row = &cluster->namespaces.v[cluster->namespaces.n - 1];
    }
    row->live = true;
    take_labels(row, &ns->meta.labels);
    cluster->namespace_generation++;
}

void mst_cluster_namespace_remove(struct mst_cluster *cluster, mst_sym name)
{
    struct mst_namespace_row *row = find(cluster, name);
    if (!row || !row->live)
        return;
    row->live = false;
    take_labels(row, &(mst_labels){ NULL, 0 });
    cluster->namespace_generation++;
}

mst_labels mst_cluster_namespace_labels(const struct mst_cluster *cluster, mst_sym name)
{
    const struct mst_namespace_row *row = find(cluster, name);
    return row ? row->labels : (mst_labels){ NULL, 0 };
}

bool mst_cluster_namespace_known(const struct mst_cluster *cluster, mst_sym name)
{
    const struct mst_namespace_row *row = find(cluster, name);
    return row && row->live;
}

void mst_namespaces_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->namespaces.n; i++)
        mst_free(cluster->namespaces.v[i].labels.v);
    mst_vec_done(&cluster->namespaces);
    mst_map_done(&cluster->namespace_labels);
}
