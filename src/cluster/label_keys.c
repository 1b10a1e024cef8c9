/*
 * label_keys.c - the label keys that some selector mentions: only these tell pods apart.
 *
 * Pods of one job differ in labels such as their completion index. As long as no selector in the
 * cluster asks for such a key it decides nothing, so a class keeps only the labels with keys that
 * were mentioned. A key once mentioned stays so; when a new one comes up, the waiting pods that
 * carry it get their classes anew.
 *
 * Owns:       the set of keys.
 * Invariants: whenever a class is looked up, every key that a selector of a known pod, Service,
 *             ReplicationController, ReplicaSet or StatefulSet mentions is in the set.
 */
#include "cluster/affinity.h"
#include "cluster/cluster_internal.h"

enum { UNHEARD, MENTIONED, FRESH };

static void mention(struct mst_cluster *cluster, mst_sym key)
{
    while (cluster->label_keys.n <= key)
        mst_vec_push(&cluster->label_keys, UNHEARD);
    if (cluster->label_keys.v[key] != UNHEARD)
        return;
    cluster->label_keys.v[key] = FRESH;
    mst_vec_push(&cluster->fresh_keys, key);
}

static void mention_selector(struct mst_cluster *cluster, const struct mst_label_selector *selector)
{
    for (uint32_t i = 0; i < selector->match_labels.n; i++)
        mention(cluster, selector->match_labels.v[i].key);
    for (uint32_t i = 0; i < selector->match_expressions.n; i++)
        mention(cluster, selector->match_expressions.v[i].key);
}

static void mention_affinity(struct mst_cluster *cluster, const struct mst_pod_affinity *affinity)
{
    for (uint32_t i = 0; i < affinity->required.n; i++)
        mention_selector(cluster, &affinity->required.v[i].label_selector);
    for (uint32_t i = 0; i < affinity->preferred.n; i++)
        mention_selector(cluster, &affinity->preferred.v[i].term.label_selector);
}

static void mention_spread(struct mst_cluster *cluster, const struct mst_spread_constraint *spread)
{
    mention_selector(cluster, &spread->label_selector);
    for (uint32_t i = 0; i < spread->match_label_keys.n; i++)
        mention(cluster, spread->match_label_keys.v[i]);
}

static bool carries_fresh(const struct mst_cluster *cluster, uint32_t labels_id)
{
    const struct mst_label_set *set = &cluster->pod_labels.v[labels_id]->set;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->v[i].key < cluster->label_keys.n && cluster->label_keys.v[set->v[i].key] == FRESH)
            return true;
    return false;
}

/* Gives the waiting pods that a fresh key tells apart their classes anew. */
static void settle(struct mst_cluster *cluster)
{
    if (!cluster->fresh_keys.n)
        return;
    if (cluster->pods_matter)
        for (uint32_t i = 0; i < cluster->pods.n; i++) {
            const struct mst_pod_row *p = &cluster->pods.v[i];
            if (p->live && p->class_id != UINT32_MAX && carries_fresh(cluster, p->labels))
                mst_class_renew(cluster, i);
        }
    for (uint32_t i = 0; i < cluster->fresh_keys.n; i++)
        cluster->label_keys.v[cluster->fresh_keys.v[i]] = MENTIONED;
    cluster->fresh_keys.n = 0;
}

void mst_cluster_pods_matter(struct mst_cluster *cluster)
{
    if (cluster->pods_matter)
        return;
    cluster->pods_matter = true;
    for (uint32_t i = 0; i < cluster->pods.n; i++)
        if (cluster->pods.v[i].live && cluster->pods.v[i].class_id != UINT32_MAX)
            mst_class_renew(cluster, i);
}

void mst_keys_of_pod(struct mst_cluster *cluster, const struct mst_pod *pod)
{
    const struct mst_pod_spec *spec = &pod->spec;
    mention_affinity(cluster, &spec->pod_affinity);
    mention_affinity(cluster, &spec->pod_anti_affinity);
    for (uint32_t i = 0; i < spec->spread.n; i++)
        mention_spread(cluster, &spec->spread.v[i]);
    settle(cluster);
    if (spec->spread.n || spec->pod_affinity.required.n || spec->pod_affinity.preferred.n ||
        spec->pod_anti_affinity.required.n || spec->pod_anti_affinity.preferred.n)
        mst_cluster_pods_matter(cluster);
}

void mst_keys_of_selector(struct mst_cluster *cluster, const struct mst_label_selector *selector)
{
    mention_selector(cluster, selector);
    settle(cluster);
    if (selector->match_labels.n || selector->match_expressions.n)
        mst_cluster_pods_matter(cluster);
}

uint32_t mst_labels_mentioned(struct mst_cluster *cluster, mst_sym ns, mst_labels labels)
{
    struct mst_label *v = MST_NEW_N(&cluster->scratch, struct mst_label, labels.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < labels.n; i++)
        if (labels.v[i].key < cluster->label_keys.n &&
            cluster->label_keys.v[labels.v[i].key] != UNHEARD)
            v[n++] = labels.v[i];
    return mst_labels_intern(cluster, ns, (mst_labels){ v, n });
}

void mst_label_keys_done(struct mst_cluster *cluster)
{
    mst_vec_done(&cluster->label_keys);
    mst_vec_done(&cluster->fresh_keys);
}
