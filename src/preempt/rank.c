/*
 * rank.c - which nodes a group should rather be placed on: those whose use condemns the least.
 *
 * On the emptied cluster all nodes look alike to the scores. A node costs the units that have pods
 * on it, as if all of them had to go; a unit that some member's place has condemned already costs
 * nothing any more, nor does one that is leaving anyway. Only the feasible nodes of the lowest cost
 * are scored.
 *
 * Owns:       nothing; the ranking lives in the search's arena.
 * Invariants: a row's summary is that of its units that are not condemned; mst_rank_take_back
 *             undoes the ranker's `placed` exactly.
 * Differs:    the cost is an overestimate (most of the units may stay); improve.c looks further.
 * Source:     spec/preemption.md 15 (Cost-aware G4).
 */
#include "preempt/preempt_internal.h"

/* What decides most comparisons of two rows. */
struct summary {
    uint32_t violations, units;
    int32_t top;       /* the highest priority */
    uint64_t top_pods; /* pods of that priority */
};

struct mst_ranking {
    const struct mst_preempt *x;
    struct mst_ranker ranker;
    struct mst_unit *units;  /* by importance */
    uint32_t *condemned;     /* [unit]: members placed where it is */
    uint32_t *begin, *of;    /* units of row r: of[begin[r]..begin[r + 1]), by importance */
    struct summary *summary; /* [row] */
};

/* ---- sets of units ---- */

/* The units of a row that nobody has condemned, one after the other. */
struct walk {
    const struct mst_ranking *r;
    uint32_t at, end;
};

static struct walk walk_of(const struct mst_ranking *r, uint32_t row)
{
    return (struct walk){ r, r->begin[row], r->begin[row + 1] };
}

static const struct mst_unit *next(struct walk *w)
{
    while (w->at < w->end && w->r->condemned[w->r->of[w->at]])
        w->at++;
    return w->at < w->end ? &w->r->units[w->r->of[w->at++]] : NULL;
}

/* Takes the next priority level: false when there is none. */
static bool next_level(struct walk *w, int32_t *ret_priority, uint64_t *ret_pods)
{
    const struct mst_unit *u = next(w);
    if (!u)
        return false;
    *ret_priority = u->priority;
    *ret_pods = u->n;
    for (;;) {
        const struct walk before = *w;
        u = next(w);
        if (!u || u->priority != *ret_priority) {
            *w = before;
            return true;
        }
        *ret_pods += u->n;
    }
}

static struct summary summary_of(const struct mst_ranking *r, uint32_t row)
{
    struct summary s = { .top = INT32_MIN };
    struct walk w = walk_of(r, row);
    for (const struct mst_unit *u = next(&w); u; u = next(&w)) {
        s.top = s.units ? s.top : u->priority;
        s.top_pods += u->priority == s.top ? u->n : 0;
        s.violations += u->violations;
        s.units++;
    }
    return s;
}

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Per level from the top: the lower level, then the fewer pods on it. */
static int compare_levels(const struct mst_ranking *r, uint32_t a, uint32_t b)
{
    struct walk u = walk_of(r, a), v = walk_of(r, b);
    for (;;) {
        int32_t p = 0, q = 0;
        uint64_t n = 0, m = 0;
        const bool more_u = next_level(&u, &p, &n), more_v = next_level(&v, &q, &m);
        if (!more_u || !more_v)
            return order(more_u, more_v);
        if (p != q || n != m)
            return p != q ? order(p, q) : order((int64_t)n, (int64_t)m);
    }
}

/* Type and size position by position, then the fewer units; equal levels mean equally many pods. */
static int compare_units(const struct mst_ranking *r, uint32_t a, uint32_t b)
{
    struct walk u = walk_of(r, a), v = walk_of(r, b);
    for (;;) {
        const struct mst_unit *x = next(&u), *y = next(&v);
        if (!x || !y)
            return order(x != NULL, y != NULL);
        if (x->rank != y->rank || x->n != y->n)
            return x->rank != y->rank ? order(x->rank, y->rank) : order(x->n, y->n);
    }
}

static int compare(void *ctx, uint32_t a, uint32_t b)
{
    const struct mst_ranking *r = ctx;
    const struct summary *s = &r->summary[a], *t = &r->summary[b];
    if (!s->units || !t->units)
        return order(s->units > 0, t->units > 0);
    if (s->violations != t->violations)
        return order(s->violations, t->violations);
    if (s->top != t->top)
        return order(s->top, t->top);
    if (s->top_pods != t->top_pods)
        return order((int64_t)s->top_pods, (int64_t)t->top_pods);
    const int c = compare_levels(r, a, b);
    return c ? c : compare_units(r, a, b);
}

/* ---- condemning ---- */

/* Rows of the unit say what is left of them. */
static void resum(struct mst_ranking *r, const struct mst_unit *unit)
{
    for (uint32_t i = 0; i < unit->n; i++)
        if (unit->rows[i] != MST_ROW_NONE)
            r->summary[unit->rows[i]] = summary_of(r, unit->rows[i]);
}

static void placed(void *ctx, uint32_t row)
{
    struct mst_ranking *r = ctx;
    for (uint32_t i = r->begin[row]; i < r->begin[row + 1]; i++)
        if (!r->condemned[r->of[i]]++)
            resum(r, &r->units[r->of[i]]);
}

void mst_rank_take_back(struct mst_ranking *r, uint32_t row)
{
    for (uint32_t i = r->begin[row]; i < r->begin[row + 1]; i++) {
        mst_assert(r->condemned[r->of[i]] > 0);
        if (!--r->condemned[r->of[i]])
            resum(r, &r->units[r->of[i]]);
    }
}

/* ---- making it ---- */

/* The units, charged and by importance; those that leave anyway cost nothing. */
static uint32_t order_units(struct mst_ranking *r, const struct mst_units *units)
{
    const struct mst_preempt *x = r->x;
    struct mst_units copy = { .v = MST_NEW_N(x->arena, struct mst_unit, units->n) };
    for (uint32_t i = 0; i < units->n; i++)
        if (!mst_unit_leaves(x, &units->v[i]))
            copy.v[copy.n++] = units->v[i];
    mst_units_sort(x, MST_AS_MUSTER, copy.v, copy.n);
    (void)mst_units_charge(x, MST_AS_MUSTER, &copy);
    mst_units_sort(x, MST_AS_MUSTER, copy.v, copy.n);
    r->units = copy.v;
    return copy.n;
}

/* Counts the units of each row in at[row], or, with `of`, puts them there and moves at[row] on. */
static void go_through(const struct mst_ranking *r, uint32_t n, uint32_t *at, uint32_t *of)
{
    uint32_t *seen = MST_NEW_N(r->x->arena, uint32_t, r->x->fw->view.nodes->count);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = 0; i < r->units[u].n; i++) {
            const uint32_t row = r->units[u].rows[i];
            if (row == MST_ROW_NONE || seen[row] == u + 1)
                continue; /* it has another pod there */
            seen[row] = u + 1;
            if (of)
                of[at[row]] = u;
            at[row]++;
        }
}

static void list_rows(struct mst_ranking *r, uint32_t n)
{
    const uint32_t rows = r->x->fw->view.nodes->count;
    r->begin = MST_NEW_N(r->x->arena, uint32_t, rows + 2);
    go_through(r, n, r->begin + 2, NULL);
    for (uint32_t row = 0; row < rows; row++)
        r->begin[row + 2] += r->begin[row + 1];
    r->of = MST_NEW_N(r->x->arena, uint32_t, r->begin[rows + 1]);
    go_through(r, n, r->begin + 1, r->of);
}

struct mst_ranking *mst_ranking_of(const struct mst_preempt *x, const struct mst_units *units)
{
    const uint32_t rows = x->fw->view.nodes->count;
    struct mst_ranking *r = MST_NEW(x->arena, struct mst_ranking);
    r->x = x;
    r->ranker = (struct mst_ranker){ .ctx = r, .compare = compare, .placed = placed };
    const uint32_t n = order_units(r, units);
    r->condemned = MST_NEW_N(x->arena, uint32_t, n);
    r->summary = MST_NEW_N(x->arena, struct summary, rows);
    list_rows(r, n);
    for (uint32_t row = 0; row < rows; row++)
        r->summary[row] = summary_of(r, row);
    return r;
}

const struct mst_ranker *mst_ranking_ranker(const struct mst_ranking *r)
{
    return &r->ranker;
}
