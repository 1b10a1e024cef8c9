/*
 * budgets.h - PodDisruptionBudgets, as far as choosing victims needs them.
 *
 * Owns:       copies of the selectors and names. Invariants: the list is in order of namespace and
 * name, bytewise. Source: spec/preemption.md 4.
 */
#ifndef MST_BUDGETS_H
#define MST_BUDGETS_H

#include "cluster/cluster.h"

struct mst_budget {
    mst_sym ns;
    struct mst_str name;
    struct mst_label_selector selector;
    int64_t allowed;    /* status.disruptionsAllowed */
    mst_strs disrupted; /* names of pods that the API server has charged already */
    struct mst_arena arena;
};

struct mst_budgets {
    MST_VEC(struct mst_budget) list;
    uint64_t generation; /* another number: a budget appeared, changed or went */
};

void mst_cluster_budget_set(struct mst_cluster *cluster, const struct mst_pdb *pdb);
void mst_cluster_budget_remove(struct mst_cluster *cluster, mst_sym ns, struct mst_str name);
void mst_budgets_done(struct mst_cluster *cluster);

/*
 * Evicting the pod would be charged to the budget.
 *
 * api_meaning  policy/v1: an empty selector means every pod of the namespace, pods without labels
 *              are matched like others. False: as v1.37.2's scheduler, where neither matches.
 */
bool mst_budget_covers(const struct mst_cluster *cluster, const struct mst_budget *budget,
                       uint32_t pod, bool api_meaning);

#endif
