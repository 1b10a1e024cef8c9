/*
 * queue_members.c - the members of a group entity, in the order in which a cycle tries them.
 *
 * Owns:       the array of rows.
 * Invariants: strictly ascending by mst_q_member_before, a total order. There is room at both ends
 *             and the shorter side moves, so members that come or go in order cost O(log n), others
 *             at most a quarter of the array on average.
 */
#include "queue/queue_internal.h"

#include "base/sort.h"

enum { MEMBERS_MIN = 4 };

/* Priority desc, attempts desc, time asc, name asc (scheduling.md 1.1). */
bool mst_q_member_before(const struct mst_queue *queue, uint32_t a, uint32_t b)
{
    const struct mst_entity *x = &queue->pods.v[a].e, *y = &queue->pods.v[b].e;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->attempts != y->attempts)
        return x->attempts > y->attempts;
    if (x->since_ns != y->since_ns)
        return x->since_ns < y->since_ns;
    if (x->since_serial != y->since_serial)
        return x->since_serial < y->since_serial;
    return mst_str_cmp(mst_q_row(queue, a)->name, mst_q_row(queue, b)->name) < 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (mst_q_member_before(ctx, x, y))
        return -1;
    return mst_q_member_before(ctx, y, x) ? 1 : 0;
}

/* How many members come before the pod. */
static uint32_t rank_of(const struct mst_queue *queue, const struct mst_q_members *m, uint32_t pod)
{
    uint32_t low = 0, high = m->n;
    if (high > 0 && mst_q_member_before(queue, mst_q_member(m, high - 1), pod))
        return high; /* the usual arrival: last */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (mst_q_member_before(queue, mst_q_member(m, mid), pod))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Makes room for one more at the end (or at the front). Doubles, so the cost per insert is O(1). */
static void make_room(struct mst_q_members *m, bool front)
{
    if (front ? m->begin > 0 : m->begin + m->n < m->cap)
        return;
    uint32_t spare = MST_MAX(m->n, (uint32_t)MEMBERS_MIN);
    mst_assert(m->n < UINT32_MAX / 4);
    uint32_t cap = m->n + spare;
    uint32_t begin = front ? spare : 0;
    uint32_t *v = mst_calloc(cap, sizeof(*v));
    if (m->n)
        memcpy(v + begin, m->v + m->begin, m->n * sizeof(*v));
    mst_free(m->v);
    *m = (struct mst_q_members){ .v = v, .begin = begin, .n = m->n, .cap = cap };
}

void mst_q_members_insert(struct mst_queue *queue, struct mst_q_members *m, uint32_t pod)
{
    uint32_t at = rank_of(queue, m, pod);
    mst_assert(at == m->n || mst_q_member(m, at) != pod);
    bool front = at < m->n / 2;
    make_room(m, front);
    if (front) {
        m->begin--;
        memmove(m->v + m->begin, m->v + m->begin + 1, at * sizeof(*m->v));
    } else {
        uint32_t *gap = m->v + m->begin + at;
        memmove(gap + 1, gap, (m->n - at) * sizeof(*m->v));
    }
    m->v[m->begin + at] = pod;
    m->n++;
}

void mst_q_members_remove(struct mst_queue *queue, struct mst_q_members *m, uint32_t pod)
{
    uint32_t at = rank_of(queue, m, pod);
    mst_assert(at < m->n);
    mst_assert(mst_q_member(m, at) == pod);
    uint32_t *gap = m->v + m->begin + at;
    if (at < m->n / 2) {
        memmove(m->v + m->begin + 1, m->v + m->begin, at * sizeof(*m->v));
        m->begin++;
    } else {
        memmove(gap, gap + 1, (m->n - at - 1) * sizeof(*m->v));
    }
    m->n--;
}

void mst_q_members_fill(struct mst_queue *queue, struct mst_q_members *m, const uint32_t *pods,
                        uint32_t n)
{
    if (n > m->cap) {
        mst_free(m->v);
        m->v = mst_calloc(n, sizeof(*m->v));
        m->cap = n;
    }
    m->begin = 0;
    m->n = n;
    if (n == 0)
        return;
    memmove(m->v, pods, n * sizeof(*m->v));
    uint32_t sorted = 1;
    while (sorted < n && mst_q_member_before(queue, m->v[sorted - 1], m->v[sorted]))
        sorted++;
    if (sorted < n)
        mst_sort(m->v, n, sizeof(*m->v), compare, queue);
}

void mst_q_members_done(struct mst_q_members *m)
{
    mst_free(m->v);
    *m = (struct mst_q_members){ 0 };
}
