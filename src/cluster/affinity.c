/*
 * affinity.c - labels of pods and what pods say about other pods, stored once per distinct value.
 *
 * Owns:       the two stores; what loses its last reference is freed at once.
 * Not here:   which labels a class keeps (label_keys.c), namespaces (namespaces.c), what selects a
 *             pod by default (affinity_selectors.c).
 */
#include "cluster/affinity.h"

#include "base/sort.h"
#include "cluster/cluster_internal.h"
#include "cluster/copy.h"

/* ---- labels ---- */

static int compare_keys(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    mst_sym x = ((const struct mst_label *)a)->key, y = ((const struct mst_label *)b)->key;
    return (x > y) - (x < y);
}

/* Most pods have a handful of labels: too few for a sort that takes memory. */
static void sort_labels(struct mst_label *v, uint32_t n)
{
    enum { FEW = 24 };
    if (n > FEW) {
        mst_sort(v, n, sizeof(*v), compare_keys, NULL);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        struct mst_label label = v[i];
        uint32_t at = i;
        for (; at > 0 && v[at - 1].key > label.key; at--)
            v[at] = v[at - 1];
        v[at] = label;
    }
}

static struct mst_str labels_key(struct mst_arena *arena, mst_sym ns, mst_labels set)
{
    size_t n = sizeof(ns) + set.n * sizeof(*set.v);
    char *p = mst_arena_alloc(arena, n);
    memcpy(p, &ns, sizeof(ns));
    if (set.n)
        memcpy(p + sizeof(ns), set.v, set.n * sizeof(*set.v));
    return (struct mst_str){ p, n };
}

uint32_t mst_labels_intern(struct mst_cluster *cluster, mst_sym ns, mst_labels sorted)
{
    sort_labels(sorted.v, sorted.n);
    struct mst_str key = labels_key(&cluster->scratch, ns, sorted);
    uint64_t id;
    if (mst_map_get(&cluster->pod_labels_ids, key, &id)) {
        cluster->pod_labels.v[id]->refs++;
        return (uint32_t)id;
    }
    size_t bytes = sorted.n * sizeof(*sorted.v);
    struct mst_pod_labels *labels = mst_calloc(1, sizeof(*labels) + bytes);
    if (bytes)
        memcpy(labels + 1, sorted.v, bytes);
    *labels = (struct mst_pod_labels){
        .ns = ns,
        .set = { (struct mst_label *)(labels + 1), sorted.n },
        .refs = 1,
        .serial = ++cluster->labels_serial,
    };
    if (cluster->free_pod_labels.n) {
        id = cluster->free_pod_labels.v[--cluster->free_pod_labels.n];
        cluster->pod_labels.v[id] = labels;
    } else {
        id = cluster->pod_labels.n;
        mst_vec_push(&cluster->pod_labels, labels);
    }
    mst_map_set(&cluster->pod_labels_ids, key, id);
    return (uint32_t)id;
}

uint32_t mst_labels_of(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    return mst_labels_intern(cluster, pod->meta.namespace_,
                             mst_copy_labels(&cluster->scratch, pod->meta.labels));
}

void mst_labels_ref(struct mst_cluster *cluster, uint32_t id)
{
    mst_assert(cluster->pod_labels.v[id]->refs > 0);
    cluster->pod_labels.v[id]->refs++;
}

void mst_labels_unref(struct mst_cluster *cluster, uint32_t id)
{
    struct mst_pod_labels *labels = cluster->pod_labels.v[id];
    mst_assert(labels->refs > 0);
    if (--labels->refs)
        return;
    MST_AUTO(mst_buf) key = { 0 };
    mst_put_u32(&key, labels->ns);
    mst_buf_add(&key, labels->set.v, labels->set.n * sizeof(*labels->set.v));
    mst_map_delete(&cluster->pod_labels_ids, mst_buf_span(&key));
    mst_free(labels);
    cluster->pod_labels.v[id] = NULL;
    mst_vec_push(&cluster->free_pod_labels, id);
}

/* ---- affinities ---- */

static bool says_nothing(const struct mst_pod_spec *spec)
{
    return spec->pod_affinity.required.n + spec->pod_affinity.preferred.n +
               spec->pod_anti_affinity.required.n + spec->pod_anti_affinity.preferred.n ==
           0;
}

static void affinity_key(struct mst_buf *key, mst_sym ns, const struct mst_pod_affinity *affinity,
                         const struct mst_pod_affinity *anti)
{
    mst_put_u32(key, ns);
    mst_put_pod_affinity(key, affinity);
    mst_put_pod_affinity(key, anti);
}

static uint32_t store_affinity(struct mst_cluster *cluster, struct mst_affinity *a)
{
    if (!cluster->affinities.n)
        mst_vec_push(&cluster->affinities, NULL); /* id 0 */
    if (cluster->free_affinities.n) {
        uint32_t id = cluster->free_affinities.v[--cluster->free_affinities.n];
        cluster->affinities.v[id] = a;
        return id;
    }
    mst_vec_push(&cluster->affinities, a);
    return cluster->affinities.n - 1;
}

uint32_t mst_affinity_of(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    const struct mst_pod_spec *spec = &pod->spec;
    if (says_nothing(spec))
        return 0;
    MST_AUTO(mst_buf) key = { 0 };
    affinity_key(&key, pod->meta.namespace_, &spec->pod_affinity, &spec->pod_anti_affinity);
    uint64_t id;
    if (mst_map_get(&cluster->affinity_ids, mst_buf_span(&key), &id)) {
        cluster->affinities.v[id]->refs++;
        return (uint32_t)id;
    }
    struct mst_affinity *a = mst_calloc(1, sizeof(*a));
    a->ns = pod->meta.namespace_;
    a->refs = 1;
    a->serial = ++cluster->affinity_serial;
    a->affinity = mst_copy_pod_affinity(&a->arena, &spec->pod_affinity);
    a->anti = mst_copy_pod_affinity(&a->arena, &spec->pod_anti_affinity);
    id = store_affinity(cluster, a);
    mst_map_set(&cluster->affinity_ids, mst_buf_span(&key), id);
    return (uint32_t)id;
}

void mst_affinity_ref(struct mst_cluster *cluster, uint32_t id)
{
    if (id)
        cluster->affinities.v[id]->refs++;
}

void mst_affinity_unref(struct mst_cluster *cluster, uint32_t id)
{
    if (!id)
        return;
    struct mst_affinity *a = cluster->affinities.v[id];
    mst_assert(a->refs > 0);
    if (--a->refs)
        return;
    MST_AUTO(mst_buf) key = { 0 };
    affinity_key(&key, a->ns, &a->affinity, &a->anti);
    mst_map_delete(&cluster->affinity_ids, mst_buf_span(&key));
    mst_arena_done(&a->arena);
    mst_free(a);
    cluster->affinities.v[id] = NULL;
    mst_vec_push(&cluster->free_affinities, id);
}

void mst_affinities_done(struct mst_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->pod_labels.n; i++)
        mst_free(cluster->pod_labels.v[i]);
    for (uint32_t i = 0; i < cluster->affinities.n; i++)
        if (cluster->affinities.v[i]) {
            mst_arena_done(&cluster->affinities.v[i]->arena);
            mst_free(cluster->affinities.v[i]);
        }
    mst_vec_done(&cluster->pod_labels);
    mst_vec_done(&cluster->free_pod_labels);
    mst_map_done(&cluster->pod_labels_ids);
    mst_vec_done(&cluster->affinities);
    mst_vec_done(&cluster->free_affinities);
    mst_map_done(&cluster->affinity_ids);
}

/* ---- who is meant ---- */

static mst_labels labels_view(const struct mst_pod_labels *labels)
{
    return (mst_labels){ (struct mst_label *)labels->set.v, labels->set.n };
}

static bool lists_namespace(const struct mst_pod_affinity_term *term, mst_sym owner_ns, mst_sym ns)
{
    if (!term->namespaces.n && !term->namespace_selector.set)
        return ns == owner_ns;
    for (uint32_t i = 0; i < term->namespaces.n; i++)
        if (term->namespaces.v[i] == ns)
            return true;
    return false;
}

static bool term_means(const struct mst_cluster *cluster, const struct mst_pod_affinity_term *term,
                       mst_sym owner_ns, uint32_t labels_id, bool listed_only, bool *ret_bad)
{
    const struct mst_pod_labels *labels = mst_cluster_labels(cluster, labels_id);
    const struct mst_label_selector *spaces = &term->namespace_selector;
    bool bad_labels, bad_spaces;
    bool pods = mst_label_selector_matches(&term->label_selector, labels_view(labels), &bad_labels);
    bool selected =
        mst_label_selector_matches(spaces, mst_cluster_namespace_labels(cluster, labels->ns),
                                   &bad_spaces);
    bool everywhere = !spaces->match_labels.n && !spaces->match_expressions.n;
    if (listed_only && !everywhere)
        selected = selected && mst_cluster_namespace_known(cluster, labels->ns);
    if (ret_bad)
        *ret_bad = bad_labels || bad_spaces;
    return !bad_spaces && pods && (selected || lists_namespace(term, owner_ns, labels->ns));
}

bool mst_term_means(const struct mst_cluster *cluster, const struct mst_pod_affinity_term *term,
                    mst_sym owner_ns, uint32_t labels_id, bool *ret_bad)
{
    return term_means(cluster, term, owner_ns, labels_id, false, ret_bad);
}

bool mst_own_term_means(const struct mst_cluster *cluster, const struct mst_pod_affinity_term *term,
                        mst_sym owner_ns, uint32_t labels_id, bool *ret_bad)
{
    return term_means(cluster, term, owner_ns, labels_id, true, ret_bad);
}

bool mst_selector_means(const struct mst_cluster *cluster,
                        const struct mst_label_selector *selector, uint32_t labels_id)
{
    bool bad;
    return mst_label_selector_matches(selector, labels_view(mst_cluster_labels(cluster, labels_id)),
                                      &bad);
}
