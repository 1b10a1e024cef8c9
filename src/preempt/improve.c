/*
 * improve.c - the best victims, not the first ones: exact as long as the steps last.
 *
 * Two orders of sets (spec/preemption.md 12.1). By importance: few budget violations first, then
 * whoever matters most stays, whatever that costs among those who matter less. Smallest: few
 * violations, then few pods, at the highest priorities first.
 *
 * By importance and without violations the answer is greedy: in order of importance a unit stays if
 * all who stay so far and the preemptor find room, in whatever rows. With violations, and for
 * Smallest, keep-or-evict is decided unit by unit with backtracking; a partial set that is not
 * better than the best one so far is given up, and one that leaves no room is, too.
 *
 * Invariants: proofs hold for monotone filters (who fits still fits when others leave), which is
 *             all but required affinity to a victim, and spreading.
 */
#include "preempt/preempt_internal.h"

bool mst_unit_leaves(const struct mst_preempt *x, const struct mst_unit *unit)
{
    for (uint32_t i = 0; i < unit->n; i++)
        if (!x->fw->view.cluster->pods.v[unit->pods[i]].deleting)
            return false;
    return true;
}

struct task {
    struct mst_seats *seats;
    const struct mst_units *units;
    mst_victim_order order;
    bool movable;
    int64_t *steps;
    bool proven;
    bool moved;                  /* the seats are not where they were in the beginning */
    bool *leaves;                /* [unit]: goes anyway */
    uint32_t *first_rows, *rows; /* [seat]: where they were in the beginning; scratch */
    struct mst_arena *scratch;   /* reset after each question */
};

enum { UNITS_MAX = 64 }; /* more than that are not backtracked over: a hopeless number of sets */

/* ---- can this unit stay, too? ---- */

/* The seats go back to their first rows if they hold there. */
static bool move_back(struct task *t)
{
    struct mst_seats *s = t->seats;
    for (uint32_t i = 0; i < s->n; i++)
        t->rows[i] = s->v[i].a.node;
    mst_seats_move(s, t->first_rows);
    if (mst_seats_hold(s, NULL)) {
        t->moved = false;
        return true;
    }
    mst_seats_move(s, t->rows);
    return false;
}

/* After the unit came back. What holds at the first rows is never lost by having moved. */
static bool can_stay(struct task *t, const struct mst_unit *unit)
{
    (*t->steps)--;
    if (mst_seats_hold(t->seats, unit))
        return true;
    if (!t->movable)
        return false;
    if (t->moved && move_back(t))
        return true;
    if (*t->steps <= 0) {
        t->proven = false;
        return false;
    }
    mst_seats_answer answer = mst_seats_find(t->seats, t->steps);
    t->proven &= answer != MST_SEATS_UNKNOWN;
    t->moved |= answer == MST_SEATS_FOUND;
    return answer == MST_SEATS_FOUND;
}

/* ---- greedy, by importance ---- */

static void greedy(struct task *t, bool *evicted)
{
    for (uint32_t i = 0; i < t->units->n; i++) {
        evicted[i] = true;
        if (t->leaves[i])
            continue;
        mst_seats_give_back(t->seats, &t->units->v[i]);
        evicted[i] = !can_stay(t, &t->units->v[i]);
        if (evicted[i])
            mst_seats_take(t->seats, &t->units->v[i]);
    }
}

/* ---- backtracking ---- */

struct walk {
    bool *evicted; /* [unit], decided up to `depth` */
    bool *tried;   /* [unit]: both ways */
    uint32_t depth;
    struct mst_choice best; /* complete */
    uint32_t *best_rows;    /* [seat] */
};

/* What questions about sets are asked with: their memory is given back at once. */
static struct mst_preempt asking(const struct task *t)
{
    struct mst_preempt x = *t->seats->x;
    x.arena = t->scratch;
    return x;
}

static uint32_t violations_of(const struct task *t, const bool *evicted)
{
    struct mst_preempt x = asking(t);
    uint32_t n = mst_choice_violations(&x, t->units, evicted);
    mst_arena_reset(t->scratch);
    return n;
}

/* The partial set can still become better than the best one: beyond `depth` nobody goes. */
static bool is_promising(const struct task *t, const struct walk *w)
{
    struct mst_preempt x = asking(t);
    struct mst_choice partial = { .units = t->units, .evicted = w->evicted };
    partial.violations = violations_of(t, w->evicted);
    bool better = mst_choice_compare(&x, t->order, &partial, &w->best) < 0;
    mst_arena_reset(t->scratch);
    return better;
}

static void keep_best(const struct task *t, struct walk *w)
{
    memcpy(w->best.evicted, w->evicted, t->units->n * sizeof(bool));
    w->best.violations = violations_of(t, w->evicted);
    for (uint32_t i = 0; i < t->seats->n; i++)
        w->best_rows[i] = t->seats->v[i].a.node;
}

/* Decides the unit at this depth: it stays, or, if that was tried or cannot be, it goes. */
static bool decide(struct task *t, struct walk *w)
{
    uint32_t i = w->depth;
    if (!w->tried[i] && !t->leaves[i]) {
        mst_seats_give_back(t->seats, &t->units->v[i]);
        if (can_stay(t, &t->units->v[i])) {
            w->evicted[i] = false;
            w->depth++;
            return true;
        }
        mst_seats_take(t->seats, &t->units->v[i]);
    }
    w->tried[i] = true;
    w->evicted[i] = true;
    w->depth++;
    return is_promising(t, w);
}

/* Back to the last unit that stays: next it goes. False: there is none. */
static bool step_back(struct task *t, struct walk *w)
{
    while (w->depth > 0) {
        w->depth--;
        if (w->evicted[w->depth]) {
            w->evicted[w->depth] = false;
        } else {
            mst_seats_take(t->seats, &t->units->v[w->depth]);
            w->tried[w->depth] = true;
            return true;
        }
    }
    return false;
}

static void backtrack(struct task *t, struct walk *w)
{
    w->tried[0] = false;
    for (;;) {
        bool on = (w->depth < t->units->n) && (*t->steps > 0);
        if (on && decide(t, w)) {
            if (w->depth < t->units->n)
                w->tried[w->depth] = false;
            else if (is_promising(t, w))
                keep_best(t, w);
            continue;
        }
        t->proven &= *t->steps > 0 || w->depth == t->units->n;
        if (!step_back(t, w))
            return;
    }
}

static void search_all(struct task *t, struct mst_choice *out)
{
    struct mst_arena *arena = t->seats->x->arena;
    uint32_t n = t->units->n;
    struct walk w = {
        .evicted = MST_NEW_N(arena, bool, n + 1),
        .tried = MST_NEW_N(arena, bool, n + 1),
        .best = *out,
        .best_rows = MST_NEW_N(arena, uint32_t, t->seats->n),
    };
    for (uint32_t i = 0; i < t->seats->n; i++)
        w.best_rows[i] = t->seats->v[i].a.node;
    for (uint32_t i = 0; i < n; i++)
        if (!out->evicted[i])
            mst_seats_take(t->seats, &t->units->v[i]);
    t->proven = true;
    backtrack(t, &w);
    *out = w.best;
    for (uint32_t i = 0; i < n; i++)
        if (!out->evicted[i])
            mst_seats_give_back(t->seats, &t->units->v[i]);
    mst_seats_move(t->seats, w.best_rows);
}

/* Units that leave anyway are victims only where their room is needed. */
static void spare_leaving(struct task *t, bool *evicted)
{
    for (uint32_t i = 0; i < t->units->n; i++) {
        if (!t->leaves[i])
            continue;
        mst_seats_give_back(t->seats, &t->units->v[i]);
        evicted[i] = !mst_seats_hold(t->seats, &t->units->v[i]);
        if (evicted[i])
            mst_seats_take(t->seats, &t->units->v[i]);
    }
}

bool mst_improve(struct mst_seats *seats, const struct mst_units *units, mst_victim_order order,
                 bool movable, int64_t *steps, struct mst_choice *out)
{
    struct mst_arena *arena = seats->x->arena;
    MST_AUTO(mst_arena) scratch = { 0 };
    struct task t = {
        .seats = seats,
        .units = units,
        .order = order,
        .movable = movable,
        .steps = steps,
        .proven = true,
        .leaves = MST_NEW_N(arena, bool, units->n),
        .first_rows = MST_NEW_N(arena, uint32_t, seats->n),
        .rows = MST_NEW_N(arena, uint32_t, seats->n),
        .scratch = &scratch,
    };
    for (uint32_t i = 0; i < units->n; i++)
        t.leaves[i] = mst_unit_leaves(seats->x, &units->v[i]);
    for (uint32_t i = 0; i < seats->n; i++)
        t.first_rows[i] = seats->v[i].a.node;
    *out = (struct mst_choice){ .units = units, .evicted = MST_NEW_N(arena, bool, units->n) };
    greedy(&t, out->evicted);
    out->violations = violations_of(&t, out->evicted);
    bool settled = order == MST_ORDER_IMPORTANCE && !out->violations;
    if (!settled && units->n && units->n <= UNITS_MAX && *steps > 0)
        search_all(&t, out);
    else
        t.proven &= settled;
    spare_leaving(&t, out->evicted);
    return t.proven;
}
