/*
 * budgets.c - PodDisruptionBudgets in order of namespace and name.
 */
#include "cluster/budgets.h"

#include "cluster/affinity.h"
#include "cluster/copy.h"

static int compare(const struct mst_cluster *cluster, const struct mst_budget *b, mst_sym ns,
                   struct mst_str name)
{
    int c = mst_str_cmp(mst_sym_str(cluster->syms, b->ns), mst_sym_str(cluster->syms, ns));
    return c ? c : mst_str_cmp(b->name, name);
}

/* The first place whose budget does not come before the key. */
static uint32_t place_of(const struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    uint32_t lo = 0, hi = cluster->budgets->list.n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (compare(cluster, &cluster->budgets->list.v[mid], ns, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool is_at(const struct mst_cluster *cluster, uint32_t at, mst_sym ns, struct mst_str name)
{
    return at < cluster->budgets->list.n &&
           compare(cluster, &cluster->budgets->list.v[at], ns, name) == 0;
}

static void take(struct mst_budget *b, const struct mst_pdb *pdb)
{
    mst_arena_reset(&b->arena);
    b->ns = pdb->meta.namespace_;
    b->name = mst_arena_str(&b->arena, pdb->meta.name);
    b->selector = mst_copy_selector(&b->arena, &pdb->selector);
    b->allowed = pdb->disruptions_allowed;
    struct mst_str *names = MST_NEW_N(&b->arena, struct mst_str, pdb->disrupted_pods.n);
    for (uint32_t i = 0; i < pdb->disrupted_pods.n; i++)
        names[i] = mst_arena_str(&b->arena, pdb->disrupted_pods.v[i]);
    b->disrupted.v = names;
    b->disrupted.n = pdb->disrupted_pods.n;
}

void mst_cluster_budget_set(struct mst_cluster *cluster, const struct mst_pdb *pdb)
{
    if (!cluster->budgets)
        cluster->budgets = mst_calloc(1, sizeof(*cluster->budgets));
    struct mst_budgets *budgets = cluster->budgets;
    uint32_t at = place_of(cluster, pdb->meta.namespace_, pdb->meta.name);
    if (!is_at(cluster, at, pdb->meta.namespace_, pdb->meta.name)) {
        mst_vec_push(&budgets->list, (struct mst_budget){ .allowed = 0 });
        struct mst_budget *gap = &budgets->list.v[at];
        memmove(gap + 1, gap, (budgets->list.n - 1 - at) * sizeof(*gap));
        *gap = (struct mst_budget){ .allowed = 0 };
    }
    take(&budgets->list.v[at], pdb);
    budgets->generation++;
}

void mst_cluster_budget_remove(struct mst_cluster *cluster, mst_sym ns, struct mst_str name)
{
    struct mst_budgets *budgets = cluster->budgets;
    if (!budgets)
        return;
    uint32_t at = place_of(cluster, ns, name);
    if (!is_at(cluster, at, ns, name))
        return;
    struct mst_budget *gap = &budgets->list.v[at];
    mst_arena_done(&gap->arena);
    memmove(gap, gap + 1, (budgets->list.n - 1 - at) * sizeof(*gap));
    budgets->list.n--;
    budgets->generation++;
}

void mst_budgets_done(struct mst_cluster *cluster)
{
    if (!cluster->budgets)
        return;
    for (uint32_t i = 0; i < cluster->budgets->list.n; i++)
        mst_arena_done(&cluster->budgets->list.v[i].arena);
    mst_vec_done(&cluster->budgets->list);
    mst_free(cluster->budgets);
    cluster->budgets = NULL;
}

static bool is_charged(const struct mst_budget *b, struct mst_str name)
{
    for (uint32_t i = 0; i < b->disrupted.n; i++)
        if (mst_str_eq(b->disrupted.v[i], name))
            return true;
    return false;
}

bool mst_budget_covers(const struct mst_cluster *cluster, const struct mst_budget *b, uint32_t pod,
                       bool api_meaning)
{
    const struct mst_pod_row *p = &cluster->pods.v[pod];
    if (b->ns != p->ns)
        return false;
    bool empty = !b->selector.match_labels.n && !b->selector.match_expressions.n;
    bool bare = !mst_cluster_labels(cluster, p->labels)->set.n;
    if (!api_meaning && (empty || bare))
        return false;
    return mst_selector_means(cluster, &b->selector, p->labels) && !is_charged(b, p->name);
}
