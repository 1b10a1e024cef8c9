/*
 * eval_nominated.c - pods that were promised a node count there as if they ran.
 *
 * Thousands of alike pods may be asked about while thousands of others hold promises: the verdicts
 * with nominated pods added are kept, row by row, as long as the row's stamp stands.
 *
 * Invariants: what is kept is about one priority and group, and about no class that counts pods.
 * Source:     spec/plugins.md 2.2.
 */
#include "framework/eval_internal.h"

/* Does a nominated pod count against this one on its node (plugins.md 2.2)? */
static bool counts_against(const struct mst_view *view, uint32_t nominated, uint32_t pod)
{
    const struct mst_pod_row *n = &view->cluster->pods.v[nominated];
    const struct mst_pod_row *p = &view->cluster->pods.v[pod];
    /* Members of one group are placed together: their seats of before do not matter. */
    if (!view->upstream && p->group != MST_ROW_NONE && n->group == p->group)
        return false;
    return nominated != pod && n->node == MST_ROW_NONE && n->priority >= p->priority;
}

/* Puts them on the row. Returns how many; *ret_ghosts: how many more only count as a pod. */
static uint32_t place_nominated(const struct mst_view *view, uint32_t pod, uint32_t row,
                                uint32_t *ret_ghosts)
{
    struct mst_cluster *cluster = view->cluster;
    uint32_t placed = 0, ghosts = 0;
    uint32_t i = mst_cluster_nominated_first(cluster, row);
    for (; i != MST_ROW_NONE; i = cluster->pods.v[i].nominated_next) {
        if (cluster->pods.v[i].ghost) {
            ghosts += i != pod && cluster->pods.v[pod].priority <= 0;
        } else if (counts_against(view, i, pod)) {
            mst_cluster_place(cluster, i, row);
            placed++;
        }
    }
    *ret_ghosts = ghosts;
    return placed + ghosts;
}

/* The counters of plugins that count pods see the row as it is now. */
static void recount_row(struct mst_eval *eval, uint32_t row)
{
    if (!eval->counting)
        return;
    mst_domain_row(eval, row);
    mst_domain_begin(eval);
}

/* The row's verdict with the nominated pods added; *ret_with false: there are none that count. */
static mst_verdict verdict_with_nominated(struct mst_eval *eval, uint32_t pod, uint32_t row,
                                          bool *ret_with)
{
    struct mst_cluster *cluster = eval->fw->view.cluster;
    /* Upstream does not ask a plugin that skips; muster does: the nominee may be what it looks for.
     */
    uint64_t slots =
        eval->fw->view.upstream ? mst_eval_domain_filters(eval) : eval->counting & ~eval->skipped;
    uint64_t change = mst_nodes_change_end(&cluster->nodes), stamp = cluster->nodes.stamp[row];
    uint32_t mark = mst_txn_begin(cluster), ghosts;
    *ret_with = place_nominated(&eval->fw->view, pod, row, &ghosts) > 0;
    cluster->nodes.pod_count[row] += ghosts;
    mst_verdict verdict = MST_VERDICT_OK;
    if (*ret_with) {
        recount_row(eval, row);
        verdict = mst_eval_row_verdict(eval, slots, row);
    }
    cluster->nodes.pod_count[row] -= ghosts;
    mst_txn_rollback(cluster, mark);
    mst_nodes_forget_changes(&cluster->nodes, change);
    cluster->nodes.stamp[row] = stamp;
    if (*ret_with)
        recount_row(eval, row);
    return verdict;
}

mst_verdict mst_eval_verdict(struct mst_eval *eval, uint32_t pod, uint32_t row)
{
    mst_domain_begin(eval);
    if (eval->fw->view.nodes->nominated_count[row]) {
        bool with;
        mst_verdict verdict = verdict_with_nominated(eval, pod, row, &with);
        if (verdict != MST_VERDICT_OK)
            return verdict;
    }
    return mst_eval_row_verdict(eval, mst_eval_domain_filters(eval), row);
}

/* What stands in the end: the node refuses with its promises, or as it is. */
static mst_verdict final_verdict(struct mst_eval *eval, uint32_t pod, uint32_t row)
{
    mst_verdict without = eval->verdict[row];
    if (!eval->fw->view.nodes->nominated_count[row] ||
        mst_verdict_slot(without) == MST_SLOT_PRE_FILTER_RESULT)
        return without;
    bool with;
    mst_verdict verdict = verdict_with_nominated(eval, pod, row, &with);
    return verdict == MST_VERDICT_OK ? without : verdict;
}

/* ---- kept verdicts ---- */

/* Nothing of what is kept is about this class, priority and group any more. */
static void forget_kept(struct mst_eval *eval, const struct mst_pod_row *p)
{
    struct mst_kept_verdicts *kept = &eval->with_nominated;
    uint32_t rows = eval->fw->view.nodes->count;
    if (kept->cap < rows) {
        mst_free(kept->stamp);
        mst_free(kept->verdict);
        kept->cap = rows;
        kept->stamp = mst_calloc(rows, sizeof(*kept->stamp));
        kept->verdict = mst_calloc(rows, sizeof(*kept->verdict));
    }
    if (kept->cap)
        memset(kept->stamp, 0, kept->cap * sizeof(*kept->stamp));
    kept->compiled = eval->compiled;
    kept->priority = p->priority;
    kept->group = p->group;
}

/* Rows whose answers are about this pod, now, and nobody else. */
static void look_anew(struct mst_eval *eval, uint32_t pod, const mst_forced_rows *forced)
{
    const struct mst_cluster *cluster = eval->fw->view.cluster;
    uint64_t *stamp = eval->with_nominated.stamp;
    mst_sym name = cluster->pods.v[pod].nominated; /* its own promise does not count for it */
    uint32_t own =
        name == MST_SYM_NONE ? (uint32_t)MST_ROW_NONE : mst_nodes_row(&cluster->nodes, name);
    if (own != MST_ROW_NONE)
        stamp[own] = 0;
    for (uint32_t i = 0; i < forced->n; i++)
        stamp[forced->v[i].row] = 0;
}

/*
 * The verdicts of all rows with nominated pods added; NULL: they cannot be kept. Counters move with
 * pods elsewhere, and who is a ghost depends on the queue.
 */
static const mst_verdict *kept_verdicts(struct mst_eval *eval, uint32_t pod,
                                        const mst_forced_rows *forced)
{
    const struct mst_nodes *nodes = eval->fw->view.nodes;
    const struct mst_pod_row *p = &eval->fw->view.cluster->pods.v[pod];
    struct mst_kept_verdicts *kept = &eval->with_nominated;
    if (eval->counting || eval->fw->view.upstream)
        return NULL;
    if (kept->cap < nodes->count || kept->compiled != eval->compiled ||
        kept->priority != p->priority || kept->group != p->group)
        forget_kept(eval, p);
    look_anew(eval, pod, forced);
    for (uint32_t row = mst_nodes_next_stale(nodes, kept->stamp, 0); row < nodes->count;
         row = mst_nodes_next_stale(nodes, kept->stamp, row + 1)) {
        kept->verdict[row] = final_verdict(eval, pod, row);
        kept->stamp[row] = nodes->stamp[row];
    }
    look_anew(eval, pod, forced);
    return kept->verdict;
}

void mst_eval_apply_nominated(struct mst_eval *eval, uint32_t pod, mst_forced_rows *out)
{
    uint32_t rows = eval->fw->view.nodes->count;
    const mst_verdict *kept = kept_verdicts(eval, pod, out);
    if (kept && eval->frame) { /* the arrays are those of this pick: nothing to restore */
        memcpy(eval->verdict, kept, rows * sizeof(*kept));
        mst_eval_refilter(eval);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        mst_verdict verdict = kept ? kept[row] : final_verdict(eval, pod, row);
        if (verdict == eval->verdict[row])
            continue;
        if (eval->frame) {
            eval->verdict[row] = verdict;
            continue;
        }
        mst_vec_push(out, (struct mst_forced){ row, eval->verdict[row] });
        mst_eval_force(eval, row, verdict);
    }
    if (eval->frame)
        mst_eval_refilter(eval);
}

void mst_eval_restore(struct mst_eval *eval, mst_forced_rows *rows)
{
    while (rows->n) {
        struct mst_forced *f = &rows->v[--rows->n];
        mst_eval_force(eval, f->row, f->was);
    }
    mst_vec_done(rows);
}
