/*
 * pod_topology_spread_count.c - which constraints apply, and their counters, kept in step row by
 * row.
 *
 * Invariants: as in pod_topology_spread_internal.h. Whether a row is eligible depends on its
 *             labels, taints and name alone, and is asked again only when its label or taint set
 * is another.
 * Source:     spec/plugins.md 4.11; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/podtopologyspread/common.go, filtering.go, scoring.go
 */
#include "plugins/pod_topology_spread_internal.h"

/* ---- constraints ---- */

static bool is_empty(const struct mst_label_selector *selector)
{
    return selector->match_labels.n == 0 && selector->match_expressions.n == 0;
}

static mst_sym class_label(const struct mst_view *view, const struct mst_class *klass, mst_sym key)
{
    const struct mst_label_set *set = &mst_cluster_labels(view->cluster, klass->labels)->set;
    return mst_labels_get((mst_labels){ (struct mst_label *)set->v, set->n }, key);
}

/* Some key of matchLabelKeys that the class has a label for. */
static bool has_merged_key(const struct mst_view *view, const struct mst_class *klass,
                           const struct spread_constraint *c)
{
    for (uint32_t i = 0; c->merges_keys && i < c->from->match_label_keys.n; i++)
        if (class_label(view, klass, c->from->match_label_keys.v[i]) != MST_SYM_NONE)
            return true;
    return false;
}

bool mst_spread_matches(const struct mst_view *view, const struct mst_class *klass,
                        const struct spread_constraint *c, uint32_t labels)
{
    if (!mst_selector_means(view->cluster, c->selector, labels))
        return false;
    const struct mst_label_set *set = &mst_cluster_labels(view->cluster, labels)->set;
    for (uint32_t i = 0; c->merges_keys && i < c->from->match_label_keys.n; i++) {
        const mst_sym key = c->from->match_label_keys.v[i];
        const mst_sym want = class_label(view, klass, key);
        if (want != MST_SYM_NONE &&
            mst_labels_get((mst_labels){ (struct mst_label *)set->v, set->n }, key) != want)
            return false;
    }
    return true;
}

static void describe(const struct mst_view *view, const struct mst_class *klass,
                     const struct mst_spread_constraint *from, bool own,
                     struct spread_constraint *out)
{
    const mst_sym honor = mst_sym_of_text(view->syms, "Honor");
    *out = (struct spread_constraint){
        .from = from,
        .selector = own ? &from->label_selector : &klass->default_selector,
        .merges_keys = own,
        .honor_affinity =
            from->node_affinity_policy == MST_SYM_NONE || from->node_affinity_policy == honor,
        .honor_taints = from->node_taints_policy == honor,
    };
    out->counts_nothing = view->upstream && out->selector->set && is_empty(out->selector) &&
                          !has_merged_key(view, klass, out);
}

uint32_t mst_spread_constraints(const struct mst_view *view, const struct spread_instance *instance,
                                const struct mst_class *klass, const char *action,
                                struct spread_constraint *out)
{
    const mst_sym wanted = mst_sym_of_text(view->syms, action);
    const bool own = klass->spread.n > 0;
    if (klass->labels == UINT32_MAX)
        return 0;
    if (!own && (!klass->default_selector.set || is_empty(&klass->default_selector)))
        return 0;
    const struct mst_spread_constraint *from = own ? klass->spread.v : instance->defaults.v;
    const uint32_t from_n = own ? klass->spread.n : instance->defaults.n;
    uint32_t n = 0;
    for (uint32_t i = 0; i < from_n; i++)
        if (from[i].when_unsatisfiable == wanted)
            describe(view, klass, &from[i], own, &out[n++]);
    return n;
}

/* ---- eligible rows ---- */

bool mst_spread_untolerated(const struct mst_view *view, const struct mst_class *klass,
                            struct mst_taint_set set)
{
    const bool comparison = view->gates->on[MST_GATE_TaintTolerationComparisonOperators];
    const mst_sym no_schedule = mst_sym_of_text(view->syms, "NoSchedule");
    const mst_sym no_execute = mst_sym_of_text(view->syms, "NoExecute");
    for (uint32_t i = 0; i < set.n; i++) {
        if (set.v[i].effect != no_schedule && set.v[i].effect != no_execute)
            continue;
        bool tolerated = false;
        for (uint32_t t = 0; t < klass->tolerations.n && !tolerated; t++)
            tolerated = mst_toleration_tolerates(view->syms, &klass->tolerations.v[t], &set.v[i],
                                                 comparison);
        if (!tolerated)
            return true;
    }
    return false;
}

static bool has_all_keys(const struct mst_view *view, const struct spread_phase *phase,
                         uint32_t row)
{
    for (uint32_t i = 0; i < phase->n; i++)
        if (mst_nodes_label(view->nodes, phase->v[i].index.key)[row] == MST_SYM_NONE)
            return false;
    return true;
}

/* What the policies make of a row. */
struct row_facts {
    bool matches_affinity, untolerated;
};

static struct row_facts facts_of(const struct mst_view *view, const struct spread_state *state,
                                 uint32_t row)
{
    uint8_t match = 1;
    if (state->required_set)
        mst_terms_match(view->nodes, &state->required, row, 1, &match);
    mst_term_and(view->nodes, &state->pairs, row, 1, &match);
    return (struct row_facts){
        .matches_affinity = match,
        .untolerated =
            mst_spread_untolerated(view, state->klass,
                                   view->nodes->taint_sets.v[view->nodes->taint_set[row]]),
    };
}

/* ---- sums ---- */

static void follow_cap(struct mst_arena *arena, struct spread_constraint *c, bool hard)
{
    const uint32_t old = c->cap, cap = c->index.cap;
    if (old == cap)
        return;
    c->sum = mst_arena_grow(arena, c->sum, old, cap, sizeof(*c->sum));
    c->eligible_rows = mst_arena_grow(arena, c->eligible_rows, old, cap, sizeof(*c->eligible_rows));
    if (hard) {
        c->verdict = mst_arena_grow(arena, c->verdict, old, cap, sizeof(*c->verdict));
    } else {
        c->present = mst_arena_grow(arena, c->present, old, cap, sizeof(*c->present));
        c->left = MST_NEW_N(arena, uint32_t, cap);
        c->part = mst_arena_grow(arena, c->part, old, cap, sizeof(*c->part));
        c->whole = mst_arena_grow(arena, c->whole, old, cap, sizeof(*c->whole));
    }
    c->cap = cap;
}

/* The domain that a row counts for. */
static uint32_t domain_of(const struct spread_constraint *c, uint32_t row)
{
    const uint32_t domain = c->index.of_row[row];
    return domain == MST_DOMAIN_NONE ? c->empty_domain : domain;
}

static void refresh(struct spread_constraint *c, uint32_t domain)
{
    if (c->verdict) {
        c->min_stale = true;
        if (domain)
            c->verdict[domain] = c->sum[domain] > c->bound ? SPREAD_SKEW : SPREAD_OK;
    } else {
        mst_spread_part(c, domain);
    }
}

/* The row counts from now on (sign 1) or no longer (sign -1). */
static void share_row(struct spread_constraint *c, uint32_t row, bool present, int sign)
{
    const uint32_t domain = domain_of(c, row), s = (uint32_t)sign;
    c->total += (uint64_t)(int64_t)sign * c->count[row];
    if (domain == MST_DOMAIN_NONE)
        return;
    if (c->eligible[row]) {
        c->sum[domain] += s * c->count[row];
        const bool was = c->eligible_rows[domain] > 0;
        c->eligible_rows[domain] += s;
        c->domain_count += (c->eligible_rows[domain] > 0) - was;
    }
    if (c->present && present) {
        const bool was = c->present[domain] > 0;
        c->present[domain] += s;
        c->present_count += (c->present[domain] > 0) - was;
    }
    refresh(c, domain);
}

static bool is_present(const struct spread_phase *phase, uint32_t row)
{
    return !phase->require_all || phase->has_all[row];
}

static void share_phase(struct spread_phase *phase, uint32_t row, int sign)
{
    const bool present = is_present(phase, row);
    phase->ignored += (uint32_t)sign * !present;
    for (uint32_t i = 0; i < phase->n; i++)
        share_row(&phase->v[i], row, present, sign);
}

/* ---- the pods of a row ---- */

static const uint64_t *matches_of(const struct mst_view *view, struct spread_state *state,
                                  uint32_t labels)
{
    bool is_new;
    uint64_t *bits =
        mst_label_answers_of(&state->answers, labels,
                             mst_cluster_labels(view->cluster, labels)->serial, &is_new);
    for (uint32_t p = 0; is_new && p < 2; p++) {
        const struct spread_phase *phase = p ? &state->soft : &state->hard;
        for (uint32_t i = 0; i < phase->n; i++) {
            const struct spread_constraint *c = &phase->v[i];
            if (mst_spread_matches(view, state->klass, c, labels))
                bits[c->bit / 64] |= UINT64_C(1) << c->bit % 64;
        }
    }
    return bits;
}

/*
 * A pod that is put on its nominated node for a trial: upstream adds it to the finished counts of
 * Filter without asking whether it is terminating or the selector is empty.
 */
static bool is_nominated_trial(const struct mst_view *view, const struct mst_pod_row *pod,
                               uint32_t row)
{
    return !pod->assigned && !pod->assumed && pod->nominated != MST_SYM_NONE &&
           pod->nominated == view->nodes->name[row];
}

static void count_pod(const struct mst_view *view, struct spread_state *state,
                      const struct mst_pod_row *pod, uint32_t row)
{
    const bool trial = is_nominated_trial(view, pod, row);
    if (pod->deleting && !trial)
        return;
    const uint64_t *bits = matches_of(view, state, pod->labels);
    for (uint32_t i = 0; i < state->hard.n; i++) {
        const struct spread_constraint *c = &state->hard.v[i];
        state->now[c->bit] +=
            (bits[c->bit / 64] >> c->bit % 64 & 1) && (trial || !c->counts_nothing);
    }
    for (uint32_t i = 0; i < state->soft.n && !pod->deleting; i++) {
        const struct spread_constraint *c = &state->soft.v[i];
        state->now[c->bit] += (bits[c->bit / 64] >> c->bit % 64 & 1) && !c->counts_nothing;
    }
}

static void count_row(const struct mst_view *view, struct spread_state *state, uint32_t row)
{
    const struct mst_cluster *cluster = view->cluster;
    memset(state->now, 0, (state->hard.n + state->soft.n) * sizeof(*state->now));
    for (uint32_t i = view->nodes->first_pod[row]; i != MST_ROW_NONE;
         i = cluster->pods.v[i].node_next)
        if (cluster->pods.v[i].ns == state->ns)
            count_pod(view, state, &cluster->pods.v[i], row);
}

/* ---- rows ---- */

static void move_row(const struct mst_view *view, struct spread_state *state,
                     struct spread_phase *phase, struct row_facts facts, uint32_t row)
{
    phase->has_all[row] = has_all_keys(view, phase, row);
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        const mst_sym value = mst_nodes_label(view->nodes, c->index.key)[row];
        mst_domain_index_move(&c->index, row, value);
        follow_cap(state->arena, c, phase == &state->hard);
        c->eligible[row] = is_present(phase, row) &&
                           (!c->honor_affinity || facts.matches_affinity) &&
                           (!c->honor_taints || !facts.untolerated);
    }
}

static bool take_counts(const struct spread_state *state, struct spread_phase *phase, uint32_t row,
                        bool store)
{
    bool changed = false;
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        changed |= c->count[row] != state->now[c->bit];
        if (store)
            c->count[row] = state->now[c->bit];
    }
    return changed;
}

bool mst_spread_row_changed(const struct mst_view *view, struct spread_state *state, uint32_t row)
{
    mst_assert(row < state->row_count);
    const uint32_t labels = view->nodes->label_set[row] + 1;
    const uint32_t taints = view->nodes->taint_set[row] + 1;
    const bool moves = state->label_set[row] != labels || state->taint_set[row] != taints;
    const bool is_new = state->label_set[row] == 0;
    count_row(view, state, row);
    const bool changed = take_counts(state, &state->hard, row, false) ||
                         take_counts(state, &state->soft, row, false);
    if (!moves && !changed)
        return false;
    struct row_facts facts = { 0 };
    if (moves)
        facts = facts_of(view, state, row);
    for (uint32_t p = 0; p < 2; p++) {
        struct spread_phase *phase = p ? &state->soft : &state->hard;
        if (phase->n == 0)
            continue;
        if (!is_new)
            share_phase(phase, row, -1);
        if (moves)
            move_row(view, state, phase, facts, row);
        (void)take_counts(state, phase, row, true);
        share_phase(phase, row, 1);
    }
    state->label_set[row] = labels;
    state->taint_set[row] = taints;
    return true;
}

/* ---- the state ---- */

static void new_arrays(const struct mst_view *view, struct spread_state *state,
                       struct spread_phase *phase)
{
    const bool hard = phase == &state->hard;
    struct mst_arena *arena = state->arena;
    const mst_sym hostname = mst_sym_of_text(view->syms, "kubernetes.io/hostname");
    phase->has_all = MST_NEW_N(arena, uint8_t, state->row_count);
    for (uint32_t i = 0; i < phase->n; i++) {
        struct spread_constraint *c = &phase->v[i];
        c->bit = hard ? i : state->hard.n + i;
        mst_domain_index_init(&c->index, arena, c->from->topology_key, state->row_count);
        c->count = MST_NEW_N(arena, uint32_t, state->row_count);
        c->eligible = MST_NEW_N(arena, uint8_t, state->row_count);
        c->self = mst_spread_matches(view, state->klass, c, state->klass->labels);
        c->min_stale = true;
        c->by_node = !hard && c->from->topology_key == hostname;
        if (!phase->require_all && !c->by_node)
            c->empty_domain = mst_domain_index_hold(&c->index, MST_SYM_EMPTY);
        follow_cap(arena, c, hard);
        if (hard)
            c->verdict[MST_DOMAIN_NONE] = SPREAD_NO_LABEL;
    }
}

struct spread_state *mst_spread_state_new(const struct mst_view *view,
                                          const struct spread_instance *instance,
                                          const struct mst_class *klass, struct mst_arena *arena)
{
    const uint32_t room = mst_spread_room(instance, klass);
    struct spread_constraint *all = MST_NEW_N(arena, struct spread_constraint, room);
    const uint32_t hard = mst_spread_constraints(view, instance, klass, "DoNotSchedule", all);
    const uint32_t soft =
        mst_spread_constraints(view, instance, klass, "ScheduleAnyway", all + hard);
    if (hard + soft == 0)
        return NULL;
    struct spread_state *state = MST_NEW(arena, struct spread_state);
    state->klass = klass;
    state->instance = instance;
    state->arena = arena;
    state->row_count = view->nodes->count;
    state->ns = mst_cluster_labels(view->cluster, klass->labels)->ns;
    state->hard = (struct spread_phase){ .v = all, .n = hard, .require_all = true };
    state->soft = (struct spread_phase){ .v = all + hard,
                                         .n = soft,
                                         .require_all = klass->spread.n > 0 || !instance->system };
    new_arrays(view, state, &state->hard);
    new_arrays(view, state, &state->soft);
    mst_label_answers_init(&state->answers, arena, hard + soft);
    mst_term_compile_pairs(&klass->node_selector, arena, &state->pairs);
    state->required_set = klass->node_affinity.set && klass->node_affinity.required.set;
    if (state->required_set)
        mst_terms_compile(view->syms, &klass->node_affinity.required, arena, &state->required);
    state->label_set = MST_NEW_N(arena, uint32_t, state->row_count);
    state->taint_set = MST_NEW_N(arena, uint32_t, state->row_count);
    state->now = MST_NEW_N(arena, uint32_t, hard + soft);
    state->sizes = MST_NEW_N(arena, uint32_t, soft);
    return state;
}
