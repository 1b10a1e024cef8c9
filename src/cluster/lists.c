/*
 * lists.c - intrusive lists of pods: on one node, nominated to one node, away from one node.
 *
 * The pods of one node are in the order of kube-scheduler's NodeInfo, newest first: a pod that
 * leaves is replaced by the newest one. It decides between victims that nothing else tells apart.
 *
 * Invariants: undoing in LIFO order restores every link as it was.
 */
#include "cluster/cluster_internal.h"

/* The two links of a pod in one kind of list. */
struct link {
    uint32_t *next, *prev;
};

static struct link link_of(struct mst_cluster *cluster, mst_pod_list list, uint32_t pod)
{
    struct mst_pod_row *p = &cluster->pods.v[pod];
    if (list == MST_PODS_ON_NODE)
        return (struct link){ &p->node_next, &p->node_prev };
    if (list == MST_PODS_AWAY)
        return (struct link){ &p->away_next, &p->away_prev };
    return (struct link){ &p->nominated_next, &p->nominated_prev };
}

/* Puts a pod between two neighbours. */
static void insert(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod,
                   uint32_t prev, uint32_t next)
{
    struct link mine = link_of(cluster, list, pod);
    *mine.prev = prev;
    *mine.next = next;
    if (prev == MST_ROW_NONE)
        *head = pod;
    else
        *link_of(cluster, list, prev).next = pod;
    if (next != MST_ROW_NONE)
        *link_of(cluster, list, next).prev = pod;
}

static void extract(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod)
{
    struct link mine = link_of(cluster, list, pod);
    uint32_t prev = *mine.prev, next = *mine.next;
    if (prev == MST_ROW_NONE) {
        mst_assert(*head == pod);
        *head = next;
    } else {
        *link_of(cluster, list, prev).next = next;
    }
    if (next != MST_ROW_NONE)
        *link_of(cluster, list, next).prev = prev;
    *mine.prev = *mine.next = MST_ROW_NONE;
}

void mst_list_push(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod)
{
    insert(cluster, list, head, pod, MST_ROW_NONE, *head);
}

void mst_list_remove(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod,
                     struct mst_gap *ret_gap)
{
    struct link mine = link_of(cluster, list, pod);
    struct mst_gap gap = { .prev = *mine.prev, .next = *mine.next, .filler = MST_ROW_NONE };
    extract(cluster, list, head, pod);
    bool fill = list == MST_PODS_ON_NODE && gap.prev != MST_ROW_NONE && *head != gap.prev;
    if (fill) {
        gap.filler = *head;
        extract(cluster, list, head, gap.filler);
        insert(cluster, list, head, gap.filler, gap.prev, gap.next);
    }
    if (ret_gap)
        *ret_gap = gap;
}

void mst_list_restore(struct mst_cluster *cluster, mst_pod_list list, uint32_t *head, uint32_t pod,
                      const struct mst_gap *gap)
{
    if (gap->filler != MST_ROW_NONE)
        extract(cluster, list, head, gap->filler);
    insert(cluster, list, head, pod, gap->prev, gap->next);
    if (gap->filler != MST_ROW_NONE)
        insert(cluster, list, head, gap->filler, MST_ROW_NONE, *head);
}

static uint32_t *head_of(void **v, uint32_t *n, uint32_t *cap, mst_sym sym)
{
    if (sym >= *n) {
        mst_vec_reserve_(v, cap, sym + 1, sizeof(uint32_t));
        uint32_t *heads = *v;
        for (uint32_t i = *n; i <= sym; i++)
            heads[i] = MST_ROW_NONE;
        *n = sym + 1;
    }
    return (uint32_t *)*v + sym;
}

uint32_t *mst_unknown_head(struct mst_cluster *cluster, mst_sym node)
{
    return head_of((void **)&cluster->unknown_head.v, &cluster->unknown_head.n,
                   &cluster->unknown_head.cap, node);
}

uint32_t *mst_nominated_head(struct mst_cluster *cluster, mst_sym node)
{
    return head_of((void **)&cluster->nominated_head.v, &cluster->nominated_head.n,
                   &cluster->nominated_head.cap, node);
}
