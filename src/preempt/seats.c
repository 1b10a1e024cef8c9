/*
 * seats.c - places of several pods at once: do they still hold, and is there another way.
 *
 * Invariants: between calls none of the pods is on a node; the counters of every class that counts
 *             pods have seen every move.
 * Source:     spec/preemption.md 6 (G7), 12.
 */
#include "base/sort.h"
#include "preempt/preempt_internal.h"

enum { ROWS_PER_STEP = 16 }; /* a look at a row's room costs less than asking its filters */

void mst_seats_begin(struct mst_seats *s, const struct mst_preempt *x,
                     const struct mst_group_placer *placer)
{
    *s = (struct mst_seats){ .x = x, .placer = placer };
}

void mst_seats_done(struct mst_seats *s)
{
    for (uint32_t i = s->lent; i < s->evals.n; i++)
        mst_eval_free(s->evals.v[i]);
    mst_vec_done(&s->evals);
}

void mst_seats_lend(struct mst_seats *s, struct mst_eval *eval)
{
    mst_assert(!s->evals.n);
    mst_vec_push(&s->evals, eval);
    s->lent = 1;
}

static struct mst_eval *eval_of(struct mst_seats *s, uint32_t pod)
{
    uint32_t class_id = s->x->fw->view.cluster->pods.v[pod].class_id;
    for (uint32_t i = 0; i < s->evals.n; i++)
        if (s->evals.v[i]->class_id == class_id)
            return s->evals.v[i];
    struct mst_eval *eval = mst_eval_single(s->x->evals, s->x->fw, pod);
    mst_eval_dry_begin(eval);
    mst_vec_push(&s->evals, eval);
    return eval;
}

void mst_seats_know(struct mst_seats *s, uint32_t pod)
{
    (void)eval_of(s, pod);
}

static bool is_local(const struct mst_seats *s, const struct mst_seat *seat)
{
    const struct mst_framework *fw = s->x->fw;
    uint64_t asked = seat->eval->counting & ~seat->eval->skipped;
    if (fw->view.upstream)
        asked &= ~seat->a.skips;
    return !asked && !mst_cluster_class(fw->view.cluster, seat->eval->class_id)->volumes;
}

/* Threads the seats of each row together, in scheduling order; `first` has none before. */
static void thread_rows(struct mst_seats *s)
{
    for (uint32_t i = s->n; s->first && i-- > 0;) {
        s->next[i] = s->first[s->v[i].a.node];
        s->first[s->v[i].a.node] = i;
    }
}

void mst_seats_set(struct mst_seats *s, const struct mst_assignment *v, uint32_t n)
{
    struct mst_arena *arena = s->x->arena;
    s->v = MST_NEW_N(arena, struct mst_seat, n);
    s->n = n;
    s->first = s->next = NULL;
    s->all_local = true;
    for (uint32_t i = 0; i < n; i++) {
        s->v[i] = (struct mst_seat){ .a = v[i], .eval = eval_of(s, v[i].pod) };
        s->v[i].local = is_local(s, &s->v[i]);
        s->all_local &= s->v[i].local;
    }
    if (n <= 1)
        return;
    uint32_t rows = s->x->fw->view.nodes->count;
    s->first = mst_arena_alloc(arena, rows * sizeof(uint32_t));
    s->next = mst_arena_alloc(arena, n * sizeof(uint32_t));
    for (uint32_t row = 0; row < rows; row++)
        s->first[row] = MST_ROW_NONE;
    thread_rows(s);
}

void mst_seats_move(struct mst_seats *s, const uint32_t *rows)
{
    for (uint32_t i = 0; s->first && i < s->n; i++)
        s->first[s->v[i].a.node] = MST_ROW_NONE;
    for (uint32_t i = 0; i < s->n; i++)
        s->v[i].a.node = rows[i];
    thread_rows(s);
}

/* ---- moves ---- */

/* Counters of every class that counts see the row. */
static void row_changed(struct mst_seats *s, uint32_t row)
{
    for (uint32_t i = 0; i < s->evals.n; i++)
        mst_eval_dry_row_changed(s->evals.v[i], row);
}

static void rows_changed(struct mst_seats *s, const struct mst_unit *unit)
{
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE)
            row_changed(s, unit->rows[i]);
}

void mst_seats_follow(struct mst_seats *s, const struct mst_units *units)
{
    for (uint32_t i = 0; i < units->n; i++)
        rows_changed(s, &units->v[i]);
}

void mst_seats_take(struct mst_seats *s, const struct mst_unit *unit)
{
    mst_unit_take(s->x, NULL, unit);
    rows_changed(s, unit);
}

void mst_seats_give_back(struct mst_seats *s, const struct mst_unit *unit)
{
    mst_unit_give_back(s->x, NULL, unit);
    rows_changed(s, unit);
}

/*
 * Pods that are more than local have a transaction each: what Reserve assumes for them ends exactly
 * with it. They leave in the opposite order.
 */
static void place(struct mst_seats *s, struct mst_seat *seat, uint32_t row)
{
    struct mst_cluster *c = s->x->fw->view.cluster;
    if (!seat->local)
        seat->mark = mst_txn_begin(c);
    mst_cluster_place(c, seat->a.pod, row);
    row_changed(s, row);
    if (!seat->local)
        s->placer->reserve(s->placer->ctx, seat->a.pod);
}

static void unplace(struct mst_seats *s, const struct mst_seat *seat, uint32_t row)
{
    struct mst_cluster *c = s->x->fw->view.cluster;
    if (seat->local) {
        mst_cluster_unplace(c, seat->a.pod);
    } else {
        s->placer->unreserve(s->placer->ctx, seat->a.pod);
        mst_txn_rollback(c, seat->mark);
    }
    row_changed(s, row);
}

/* ---- do they hold? ---- */

static bool fits(const struct mst_seats *s, const struct mst_seat *seat, uint32_t row)
{
    /* What those placed before it have been promised is not there for this one. */
    if (!seat->local && !s->x->fw->view.upstream && s->n > 1)
        mst_eval_dry_renew(seat->eval);
    if (seat->eval->pre_code != MST_SUCCESS)
        return false;
    /* Upstream goes on skipping what skipped when the cluster was empty; muster asks everybody. */
    seat->eval->skips_now = s->x->fw->view.upstream ? seat->a.skips : 0;
    return mst_eval_verdict(seat->eval, seat->a.pod, row) == MST_VERDICT_OK;
}

/* All in order, each with those before it in place; nobody asks for the last one's place. */
static bool all_fit(struct mst_seats *s)
{
    uint32_t placed = 0;
    bool fit = true;
    for (uint32_t i = 0; i < s->n && fit; i++) {
        fit = fits(s, &s->v[i], s->v[i].a.node);
        if (fit && i + 1 < s->n)
            place(s, &s->v[placed++], s->v[i].a.node);
    }
    while (placed-- > 0)
        unplace(s, &s->v[placed], s->v[placed].a.node);
    return fit;
}

/* The same for the seats of one row: without counting plugins nothing elsewhere matters. */
static bool row_fits(struct mst_seats *s, uint32_t row)
{
    if (!s->first)
        return !s->n || s->v[0].a.node != row || fits(s, &s->v[0], row);
    uint32_t at = s->first[row], placed_end = at;
    bool fit = true;
    for (; at != MST_ROW_NONE && fit; at = s->next[at]) {
        fit = fits(s, &s->v[at], row);
        if (!fit || s->next[at] == MST_ROW_NONE)
            continue;
        place(s, &s->v[at], row);
        placed_end = s->next[at];
    }
    for (uint32_t i = s->first[row]; i != placed_end; i = s->next[i])
        unplace(s, &s->v[i], row);
    return fit;
}

bool mst_seats_hold(struct mst_seats *s, const struct mst_unit *unit)
{
    if (!s->all_local || !unit)
        return all_fit(s);
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE && !row_fits(s, unit->rows[i]))
            return false;
    return true;
}

/* ---- another way ---- */

/* The search walks the pods in this order: equal ones side by side, the biggest first. */
struct walk {
    uint32_t *order; /* [depth] -> seat */
    uint32_t *row;   /* [depth] -> the row tried last, MST_ROW_NONE: none yet */
    uint32_t depth;
};

static int64_t share_of(const struct mst_seats *s, uint32_t seat)
{
    const struct mst_cluster *c = s->x->fw->view.cluster;
    const struct mst_usage *u = mst_cluster_usage(c, c->pods.v[s->v[seat].a.pod].usage);
    return u->nonzero_cpu + u->nonzero_memory / (1 << 20);
}

static int compare_seats(const void *a, const void *b, void *ctx)
{
    const struct mst_seats *s = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int64_t x = share_of(s, i), y = share_of(s, k);
    if (x != y)
        return x > y ? -1 : 1;
    uint32_t c = s->v[i].eval->class_id, d = s->v[k].eval->class_id;
    return (c > d) - (c < d);
}

static void order_seats(struct mst_seats *s, struct walk *w)
{
    w->order = mst_arena_alloc(s->x->arena, s->n * sizeof(uint32_t));
    w->row = mst_arena_alloc(s->x->arena, s->n * sizeof(uint32_t));
    for (uint32_t i = 0; i < s->n; i++)
        w->order[i] = i;
    mst_sort(w->order, s->n, sizeof(uint32_t), compare_seats, s);
}

/*
 * The first row to try: equal pods take rows in ascending order, since exchanging them changes
 * nothing. Upon return to a depth the search goes on after the row that failed.
 */
static uint32_t first_row(const struct mst_seats *s, const struct walk *w)
{
    uint32_t d = w->depth;
    if (w->row[d] != MST_ROW_NONE)
        return w->row[d] + 1;
    bool like_before = d > 0 && s->v[w->order[d]].eval == s->v[w->order[d - 1]].eval;
    return like_before ? w->row[d - 1] : 0;
}

/* Seats the pod of this depth on the next row that takes it. False: there is none, or no steps. */
static bool advance(struct mst_seats *s, struct walk *w, int64_t *steps)
{
    struct mst_seat *seat = &s->v[w->order[w->depth]];
    uint32_t rows = s->x->fw->view.nodes->count;
    for (uint32_t row = first_row(s, w); row<rows && * steps> 0; row++) {
        (*steps)--;
        if (!mst_eval_allows(seat->eval, row) || !fits(s, seat, row))
            continue;
        place(s, seat, row);
        w->row[w->depth] = row;
        return true;
    }
    return false;
}

static void take_over(struct mst_seats *s, struct walk *w)
{
    uint32_t *rows = mst_arena_alloc(s->x->arena, s->n * sizeof(*rows));
    for (uint32_t d = s->n; d-- > 0;) {
        unplace(s, &s->v[w->order[d]], w->row[d]);
        rows[w->order[d]] = w->row[d];
    }
    mst_seats_move(s, rows);
}

/* The rows have room for all pods of each class, were there no others: else it is hopeless. */
static bool has_room(const struct mst_seats *s, int64_t *steps)
{
    uint32_t rows = s->x->fw->view.nodes->count;
    for (uint32_t c = 0; c < s->evals.n; c++) {
        const struct mst_eval *eval = s->evals.v[c];
        int64_t missing = 0;
        for (uint32_t i = 0; i < s->n; i++)
            missing += s->v[i].eval == eval;
        for (uint32_t row = 0; row < rows && missing > 0; row++)
            if (mst_eval_allows(eval, row)) {
                int64_t room = mst_eval_room(eval, row);
                missing -= MST_MIN(room, missing);
            }
        *steps -= rows / ROWS_PER_STEP;
        if (missing > 0)
            return false;
    }
    return true;
}

mst_seats_answer mst_seats_find(struct mst_seats *s, int64_t *steps)
{
    struct walk w = { .depth = 0 };
    if (!has_room(s, steps))
        return MST_SEATS_NONE;
    order_seats(s, &w);
    if (!s->n)
        return MST_SEATS_FOUND;
    w.row[0] = MST_ROW_NONE;
    for (;;) {
        if (advance(s, &w, steps)) {
            if (++w.depth == s->n)
                break;
            w.row[w.depth] = MST_ROW_NONE;
            continue;
        }
        if (w.depth == 0)
            return *steps > 0 ? MST_SEATS_NONE : MST_SEATS_UNKNOWN;
        w.depth--;
        unplace(s, &s->v[w.order[w.depth]], w.row[w.depth]);
    }
    take_over(s, &w);
    return MST_SEATS_FOUND;
}
