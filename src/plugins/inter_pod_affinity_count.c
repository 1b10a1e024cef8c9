/*
 * inter_pod_affinity_count.c - counters by domain, kept in step with the pods row by row.
 *
 * A changed row is walked once: its pods are asked by label id and by affinity id, whose answers
 *                               are remembered, and the difference to the row's old share goes
 * into the sums.
 *
 * Invariants: as in inter_pod_affinity_internal.h. Answers about labels and affinities stand until
 *             some namespace's labels change; then all is counted anew.
 * Source:     spec/plugins.md 4.12; kubernetes v1.37
 *             pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, scoring.go
 */
#include "plugins/inter_pod_affinity_internal.h"

/* ---- keys ---- */

static void follow_cap(struct ipa_state *state, struct ipa_key *key)
{
    const uint32_t cap = key->index.cap;
    if (key->cap == cap)
        return;
    key->sum = mst_arena_grow(state->arena, key->sum, key->cap, cap, sizeof(*key->sum));
    key->verdict = mst_arena_grow(state->arena, key->verdict, key->cap, cap, sizeof(*key->verdict));
    key->score = mst_arena_grow(state->arena, key->score, key->cap, cap, sizeof(*key->score));
    key->cap = cap;
}

static void judge(const struct ipa_state *state, struct ipa_key *key, uint32_t domain)
{
    const struct ipa_counts *sum = &key->sum[domain];
    uint32_t bits = 0;
    if (key->required && (domain == MST_DOMAIN_NONE || (sum->affinity == 0 && !state->open)))
        bits |= IPA_BREAKS_AFFINITY;
    bits |= sum->anti ? IPA_BREAKS_ANTI : 0;
    bits |= sum->existing ? IPA_BREAKS_EXISTING : 0;
    key->verdict[domain] = bits;
    key->score[domain] = sum->score;
}

static void judge_all(const struct ipa_state *state, struct ipa_key *key)
{
    for (uint32_t d = 0; d < key->index.count; d++)
        judge(state, key, d);
}

/* What puts a row into its domain: the label's value, or the row's own name where it has one. */
static mst_sym value_of(const struct mst_view *view, const struct ipa_key *key,
                        const mst_sym *column, uint32_t row)
{
    return key->alone && column[row] != MST_SYM_NONE ? view->nodes->name[row] : column[row];
}

static void add_rows(const struct mst_view *view, struct ipa_state *state, struct ipa_key *key)
{
    const mst_sym *column = mst_nodes_label(view->nodes, key->index.key);
    for (uint32_t row = 0; row < state->row_count; row++)
        mst_domain_index_move(&key->index, row, column[row]);
    /* Rows of one value part again; a value that nobody is left with is free. */
    for (uint32_t row = 0, n = key->alone ? state->row_count : 0; row < n; row++)
        mst_domain_index_move(&key->index, row, value_of(view, key, column, row));
    follow_cap(state, key);
    judge_all(state, key);
}

/* The index of a topology key, with all rows in their domains when it is new. */
static uint32_t key_of(const struct mst_view *view, struct ipa_state *state, mst_sym name,
                       bool alone)
{
    for (uint32_t i = 0; i < state->key_count; i++)
        if (state->keys[i].index.key == name && state->keys[i].alone == alone)
            return i;
    if (state->key_count == state->key_cap) {
        const uint32_t cap = MST_MAX(2u, 2 * state->key_cap);
        struct mst_arena *arena = state->arena;
        state->keys = mst_arena_grow(arena, state->keys, state->key_cap, cap, sizeof(*state->keys));
        state->now = mst_arena_grow(arena, state->now, state->key_cap, cap, sizeof(*state->now));
        state->key_cap = cap;
    }
    struct ipa_key *key = &state->keys[state->key_count];
    key->alone = alone;
    mst_domain_index_init(&key->index, state->arena, name, state->row_count);
    key->seen = MST_NEW_N(state->arena, struct ipa_counts, state->row_count);
    add_rows(view, state, key);
    return state->key_count++;
}

/* ---- the class's own terms ---- */

static bool is_hostname(const struct ipa_state *state, const struct mst_pod_affinity_term *term)
{
    return state->instance->hostname != MST_SYM_NONE &&
           term->topology_key == state->instance->hostname;
}

/* Affinity must find one pod for all its terms, so either all of them are about a node or none. */
static bool all_hostname(const struct ipa_state *state, const struct mst_pod_affinity *affinity)
{
    for (uint32_t i = 0; i < affinity->required.n; i++)
        if (!is_hostname(state, &affinity->required.v[i]))
            return false;
    return true;
}

static void add_term(const struct mst_view *view, struct ipa_state *state, struct ipa_term term,
                     bool alone)
{
    term.key = key_of(view, state, term.from->topology_key, alone);
    if (term.kind == IPA_AFFINITY)
        state->keys[term.key].required = true;
    state->terms[state->term_count++] = term;
}

static void add_preferred(const struct mst_view *view, struct ipa_state *state,
                          const struct mst_pod_affinity *from, int64_t sign)
{
    for (uint32_t i = 0; i < from->preferred.n; i++)
        add_term(view, state,
                 (struct ipa_term){ .kind = IPA_PREFERRED,
                                    .weight = sign * from->preferred.v[i].weight,
                                    .from = &from->preferred.v[i].term },
                 false);
}

static void add_terms(const struct mst_view *view, struct ipa_state *state,
                      const struct mst_affinity *own)
{
    const struct mst_pod_affinity *affinity = &own->affinity, *anti = &own->anti;
    const uint32_t preferred = state->scores ? affinity->preferred.n + anti->preferred.n : 0;
    const uint32_t room = affinity->required.n + anti->required.n + preferred;
    state->terms = MST_NEW_N(state->arena, struct ipa_term, room);
    state->affinity_count = affinity->required.n;
    state->anti_count = anti->required.n;
    const bool alone = all_hostname(state, affinity);
    for (uint32_t i = 0; i < affinity->required.n; i++)
        add_term(view, state,
                 (struct ipa_term){ .kind = IPA_AFFINITY, .from = &affinity->required.v[i] },
                 alone && is_hostname(state, &affinity->required.v[i]));
    for (uint32_t i = 0; i < anti->required.n; i++)
        add_term(view, state, (struct ipa_term){ .kind = IPA_ANTI, .from = &anti->required.v[i] },
                 is_hostname(state, &anti->required.v[i]));
    if (!preferred)
        return;
    add_preferred(view, state, affinity, 1);
    add_preferred(view, state, anti, -1);
}

static bool means(const struct mst_view *view, const struct ipa_state *state, uint32_t term,
                  uint32_t labels)
{
    const struct mst_pod_labels *own = mst_cluster_labels(view->cluster, state->klass->labels);
    return mst_own_term_means(view->cluster, state->terms[term].from, own->ns, labels, NULL);
}

/* Everything that hangs on the labels of namespaces. */
static void learn_namespaces(const struct mst_view *view, struct ipa_state *state)
{
    state->namespace_generation = view->cluster->namespace_generation;
    mst_label_answers_clear(&state->labels);
    for (uint32_t i = 0; i < IPA_EFFECT_SLOTS; i++)
        state->effects[i].id = 0;
    state->self_matches = state->affinity_count > 0;
    for (uint32_t i = 0; i < state->affinity_count; i++)
        state->self_matches &= means(view, state, i, state->klass->labels);
    state->open = state->self_matches && state->affinity_total == 0;
    for (uint32_t k = 0; k < state->key_count; k++)
        judge_all(state, &state->keys[k]);
}

struct ipa_state *mst_ipa_state_new(const struct mst_view *view,
                                    const struct ipa_instance *instance,
                                    const struct mst_class *klass, struct mst_arena *arena)
{
    struct ipa_state *state = MST_NEW(arena, struct ipa_state);
    state->klass = klass;
    state->instance = instance;
    state->arena = arena;
    state->row_count = view->nodes->count;
    const struct mst_affinity *own = mst_cluster_affinity(view->cluster, klass->affinity);
    const bool prefers = own && own->affinity.preferred.n + own->anti.preferred.n > 0;
    state->scores = prefers || !instance->ignore_preferred;
    state->effects = MST_NEW_N(arena, struct ipa_effects, IPA_EFFECT_SLOTS);
    if (instance->hostname != MST_SYM_NONE)
        state->hostname_seen = MST_NEW_N(arena, uint32_t, state->row_count);
    if (own)
        add_terms(view, state, own);
    mst_label_answers_init(&state->labels, arena, state->term_count);
    learn_namespaces(view, state);
    return state;
}

/* ---- what a pod contributes ---- */

static const uint64_t *matches_of(const struct mst_view *view, struct ipa_state *state,
                                  uint32_t labels)
{
    bool is_new;
    uint64_t *bits =
        mst_label_answers_of(&state->labels, labels,
                             mst_cluster_labels(view->cluster, labels)->serial, &is_new);
    for (uint32_t i = 0; is_new && i < state->term_count; i++)
        if (means(view, state, i, labels))
            bits[i / 64] |= UINT64_C(1) << i % 64;
    return bits;
}

static void add_effect(struct ipa_state *state, struct ipa_effects *list, struct ipa_effect effect)
{
    if (list->n == list->cap) {
        const uint32_t cap = MST_MAX(2u, 2 * list->cap);
        list->v = mst_arena_grow(state->arena, list->v, list->cap, cap, sizeof(*list->v));
        list->cap = cap;
    }
    list->v[list->n++] = effect;
}

/* Adds the term's effect if it means the class. */
static void weigh(const struct mst_view *view, struct ipa_state *state,
                  const struct mst_affinity *affinity, const struct mst_pod_affinity_term *term,
                  struct ipa_effect effect, struct ipa_effects *out)
{
    if (!mst_term_means(view->cluster, term, affinity->ns, state->klass->labels, NULL))
        return;
    effect.key =
        key_of(view, state, term->topology_key, effect.rejects && is_hostname(state, term));
    add_effect(state, out, effect);
}

static void learn_affinity(const struct mst_view *view, struct ipa_state *state,
                           const struct mst_affinity *a, struct ipa_effects *out)
{
    out->n = 0;
    out->hostname = false;
    for (uint32_t i = 0; i < a->anti.required.n; i++) {
        out->hostname |= is_hostname(state, &a->anti.required.v[i]);
        weigh(view, state, a, &a->anti.required.v[i], (struct ipa_effect){ .rejects = true }, out);
    }
    if (!state->scores)
        return;
    const int64_t hard = state->instance->hard_weight;
    for (uint32_t i = 0; hard > 0 && i < a->affinity.required.n; i++)
        weigh(view, state, a, &a->affinity.required.v[i], (struct ipa_effect){ .weight = hard },
              out);
    for (uint32_t i = 0; i < a->affinity.preferred.n; i++)
        weigh(view, state, a, &a->affinity.preferred.v[i].term,
              (struct ipa_effect){ .weight = a->affinity.preferred.v[i].weight }, out);
    for (uint32_t i = 0; i < a->anti.preferred.n; i++)
        weigh(view, state, a, &a->anti.preferred.v[i].term,
              (struct ipa_effect){ .weight = -a->anti.preferred.v[i].weight }, out);
}

static const struct ipa_effects *effects_of(const struct mst_view *view, struct ipa_state *state,
                                            uint32_t id)
{
    struct ipa_effects *effects = &state->effects[id % IPA_EFFECT_SLOTS];
    const struct mst_affinity *affinity = mst_cluster_affinity(view->cluster, id);
    if (effects->id != id || effects->serial != affinity->serial) {
        learn_affinity(view, state, affinity, effects);
        effects->id = id;
        effects->serial = affinity->serial;
    }
    return effects;
}

/* Is every required affinity term among the bits? The terms are the lowest bits. */
static bool matches_all(const struct ipa_state *state, const uint64_t *bits)
{
    uint32_t left = state->affinity_count;
    for (; left >= 64; left -= 64, bits++)
        if (*bits != UINT64_MAX)
            return false;
    const uint64_t want = (UINT64_C(1) << left) - 1;
    return left == 0 || (*bits & want) == want;
}

/* Returns 1 if the pod matches all required affinity terms. */
static uint32_t count_labels(const struct mst_view *view, struct ipa_state *state, uint32_t labels)
{
    const uint64_t *bits = matches_of(view, state, labels);
    for (uint32_t w = 0; w < state->labels.words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            const struct ipa_term *term = &state->terms[w * 64 + (uint32_t)__builtin_ctzll(left)];
            struct ipa_counts *now = &state->now[term->key];
            if (term->kind == IPA_ANTI) {
                now->anti++;
            } else if (term->kind == IPA_PREFERRED) {
                now->entries++;
                now->score += term->weight;
            }
        }
    return state->affinity_count > 0 && matches_all(state, bits);
}

static void count_affinity(const struct mst_view *view, struct ipa_state *state, uint32_t id)
{
    const struct ipa_effects *effects = effects_of(view, state, id);
    state->hostname_now += effects->hostname;
    for (uint32_t i = 0; i < effects->n; i++) {
        struct ipa_counts *now = &state->now[effects->v[i].key];
        if (effects->v[i].rejects) {
            now->existing++;
        } else {
            now->entries++;
            now->score += effects->v[i].weight;
        }
    }
}

/* Fills state->now with the row's share, as if the row had every key. */
static void count_row(const struct mst_view *view, struct ipa_state *state, uint32_t row)
{
    const struct mst_cluster *cluster = view->cluster;
    const struct mst_nodes *nodes = view->nodes;
    uint32_t affinity = 0;
    if (state->key_count)
        memset(state->now, 0, state->key_count * sizeof(*state->now));
    uint32_t with_affinity =
        state->scores ? nodes->affinity_pod_count[row] : nodes->anti_pod_count[row];
    if (state->term_count == 0 && with_affinity == 0)
        return;
    for (uint32_t i = nodes->first_pod[row]; i != MST_ROW_NONE; i = cluster->pods.v[i].node_next) {
        const struct mst_pod_row *pod = &cluster->pods.v[i];
        if (state->term_count)
            affinity += count_labels(view, state, pod->labels);
        if (pod->affinity)
            count_affinity(view, state, pod->affinity);
    }
    for (uint32_t k = 0; affinity && k < state->key_count; k++)
        if (state->keys[k].required)
            state->now[k].affinity = affinity;
}

/* ---- rows ---- */

/*
 * Adds (or with sign -1 takes out) a row's share. Rows without the label have none; but a pod there
 * counts against "the first of its kind" where terms are about single nodes.
 */
static void add_share(struct ipa_state *state, struct ipa_key *key, uint32_t domain,
                      const struct ipa_counts *share, int sign)
{
    if (domain == MST_DOMAIN_NONE) {
        if (key->alone)
            state->affinity_total += (uint64_t)(int64_t)sign * share->affinity;
        return;
    }
    struct ipa_counts *sum = &key->sum[domain];
    const uint32_t s = (uint32_t)sign;
    const uint64_t wide = (uint64_t)(int64_t)sign;
    state->affinity_total += wide * share->affinity;
    sum->affinity += s * share->affinity;
    sum->anti += s * share->anti;
    sum->existing += s * share->existing;
    sum->entries += s * share->entries;
    sum->score += sign * share->score;
    key->rejecting += wide * ((uint64_t)share->anti + share->existing);
    key->entries += wide * share->entries;
    state->existing_total += wide * share->existing;
    state->entry_total += wide * share->entries;
    judge(state, key, domain);
}

static bool equal_counts(const struct ipa_counts *a, const struct ipa_counts *b)
{
    return a->affinity == b->affinity && a->anti == b->anti && a->existing == b->existing &&
           a->entries == b->entries && a->score == b->score;
}

bool mst_ipa_row_changed(const struct mst_view *view, struct ipa_state *state, uint32_t row)
{
    mst_assert(row < state->row_count);
    bool changed = false;
    count_row(view, state, row); /* may add keys: they know the row's labels as they are now */
    if (state->hostname_seen) {
        state->hostname_total += (uint64_t)state->hostname_now - state->hostname_seen[row];
        state->hostname_seen[row] = state->hostname_now;
        state->hostname_now = 0;
    }
    for (uint32_t k = 0; k < state->key_count; k++) {
        struct ipa_key *key = &state->keys[k];
        const uint32_t before = key->index.of_row[row];
        const mst_sym value =
            value_of(view, key, mst_nodes_label(view->nodes, key->index.key), row);
        const bool moves = before ? key->index.value[before] != value : value != MST_SYM_NONE;
        if (!moves && equal_counts(&key->seen[row], &state->now[k]))
            continue;
        changed = true;
        add_share(state, key, before, &key->seen[row], -1);
        const uint32_t now = mst_domain_index_move(&key->index, row, value);
        follow_cap(state, key);
        key->seen[row] = state->now[k];
        add_share(state, key, now, &key->seen[row], 1);
    }
    return changed;
}

void mst_ipa_begin(const struct mst_view *view, struct ipa_state *state)
{
    if (state->namespace_generation != view->cluster->namespace_generation) {
        learn_namespaces(view, state);
        for (uint32_t row = 0; row < state->row_count; row++)
            (void)mst_ipa_row_changed(view, state, row);
    }
    const bool open = state->self_matches && state->affinity_total == 0;
    if (open == state->open)
        return;
    state->open = open;
    for (uint32_t k = 0; k < state->key_count; k++)
        if (state->keys[k].required)
            judge_all(state, &state->keys[k]);
}
