/*
 * lists.c - intrusive lists of pods: on one node, nominated to one node.
 *
 * Invariants: removal keeps the neighbours in the removed pod, so that undoing in LIFO order
 * restores every link as it was.
 */
#include "cluster/cluster_internal.h"

#define POD(i) cluster->pods.v[i]

void mst_list_push(struct mst_cluster *cluster, uint32_t *head, uint32_t pod)
{
    mst_list_restore(cluster, head, pod, MST_ROW_NONE, *head);
}

void mst_list_remove(struct mst_cluster *cluster, uint32_t *head, uint32_t pod)
{
    uint32_t prev = POD(pod).node_prev, next = POD(pod).node_next;
    if (prev == MST_ROW_NONE) {
        mst_assert(*head == pod);
        *head = next;
    } else {
        POD(prev).node_next = next;
    }
    if (next != MST_ROW_NONE)
        POD(next).node_prev = prev;
    POD(pod).node_prev = POD(pod).node_next = MST_ROW_NONE;
}

void mst_list_restore(struct mst_cluster *cluster, uint32_t *head, uint32_t pod, uint32_t prev,
                      uint32_t next)
{
    POD(pod).node_prev = prev;
    POD(pod).node_next = next;
    if (prev == MST_ROW_NONE)
        *head = pod;
    else
        POD(prev).node_next = pod;
    if (next != MST_ROW_NONE)
        POD(next).node_prev = pod;
}

void mst_nominated_push(struct mst_cluster *cluster, uint32_t *head, uint32_t pod)
{
    mst_nominated_restore(cluster, head, pod, MST_ROW_NONE, *head);
}

void mst_nominated_remove(struct mst_cluster *cluster, uint32_t *head, uint32_t pod)
{
    uint32_t prev = POD(pod).nominated_prev, next = POD(pod).nominated_next;
    if (prev == MST_ROW_NONE) {
        mst_assert(*head == pod);
        *head = next;
    } else {
        POD(prev).nominated_next = next;
    }
    if (next != MST_ROW_NONE)
        POD(next).nominated_prev = prev;
    POD(pod).nominated_prev = POD(pod).nominated_next = MST_ROW_NONE;
}

void mst_nominated_restore(struct mst_cluster *cluster, uint32_t *head, uint32_t pod, uint32_t prev,
                           uint32_t next)
{
    POD(pod).nominated_prev = prev;
    POD(pod).nominated_next = next;
    if (prev == MST_ROW_NONE)
        *head = pod;
    else
        POD(prev).nominated_next = pod;
    if (next != MST_ROW_NONE)
        POD(next).nominated_prev = pod;
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
