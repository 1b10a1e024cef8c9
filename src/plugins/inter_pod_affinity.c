/*
 * InterPodAffinity - required and preferred (anti-)affinity between the pod and pods that are
 * there, both ways.
 * Reads: class->labels, class->affinity; labels and affinities of the pods on each node, labels of
 * namespaces, the label columns of topology keys.
 * Requeue on: pods that come, go or change labels; nodes that come or change labels.
 * Source: spec/plugins.md 4.12; kubernetes v1.37
 *         pkg/scheduler/framework/plugins/interpodaffinity/plugin.go, filtering.go, scoring.go
 *
 * Differs: a pair of the counters vanishes at zero and is never negative, in both profiles: counts
 * are exact here, so the question of the two profiles (README, InterPodAffinity) does not arise.
 */
#include "plugins/inter_pod_affinity_internal.h"
#include "plugins/registry.h"
#include "plugins/score_range.h"
#include "plugins/vector.h"

#include "framework/plugin_args.h"

enum { AFFINITY = 1, ANTI = 2, EXISTING = 3 };

/* ---- instance ---- */

static void done(void *instance)
{
    mst_free(instance);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct ipa_instance out = { .hard_weight = 1 };
    if (args) {
        MST_AUTO(mst_arena) arena = { 0 };
        struct mst_args_run run;
        mst_args_begin(&run, view->syms, view->gates, &arena);
        mst_args_check(&run.reader, MST_STR("InterPodAffinity"), args);
        mst_rc rc = mst_args_end(&run, err);
        if (rc)
            return rc;
        const struct mst_value *weight = mst_value_get(args, "hardPodAffinityWeight");
        const struct mst_value *ignore = mst_value_get(args, "ignorePreferredTermsOfExistingPods");
        if (weight && weight->type == MST_NUMBER)
            (void)mst_value_int(weight, &out.hard_weight); /* checked above */
        out.ignore_preferred = ignore && ignore->type == MST_TRUE;
    }
    if (view->gates->on[MST_GATE_InterPodAffinityHostnameFastPath])
        out.hostname = mst_sym_of_text(view->syms, "kubernetes.io/hostname");
    struct ipa_instance *instance = mst_calloc(1, sizeof(*instance));
    *instance = out;
    *ret_instance = instance;
    return MST_OK;
}

/* ---- pre_filter ---- */

static bool bad_selector(const struct mst_pod_affinity_term *term)
{
    bool bad_labels, bad_namespaces;
    (void)mst_label_selector_matches(&term->label_selector, (mst_labels){ 0 }, &bad_labels);
    (void)mst_label_selector_matches(&term->namespace_selector, (mst_labels){ 0 }, &bad_namespaces);
    return bad_labels || bad_namespaces;
}

/* What upstream calls the list with a selector that cannot be parsed, or NULL. */
static const char *bad_terms(const struct mst_affinity *own)
{
    for (uint32_t i = 0; i < own->affinity.required.n; i++)
        if (bad_selector(&own->affinity.required.v[i]))
            return "requiredAffinityTerms";
    for (uint32_t i = 0; i < own->anti.required.n; i++)
        if (bad_selector(&own->anti.required.v[i]))
            return "requiredAntiAffinityTerms";
    for (uint32_t i = 0; i < own->affinity.preferred.n; i++)
        if (bad_selector(&own->affinity.preferred.v[i].term))
            return "preferredAffinityTerms";
    for (uint32_t i = 0; i < own->anti.preferred.n; i++)
        if (bad_selector(&own->anti.preferred.v[i].term))
            return "preferredAntiAffinityTerms";
    return NULL;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    if (klass->labels == UINT32_MAX) /* nothing in the cluster speaks about pods */
        return;
    const struct mst_affinity *own = mst_cluster_affinity(view->cluster, klass->affinity);
    const char *bad = own ? bad_terms(own) : NULL;
    if (bad) {
        *out = (struct mst_pre_filter){
            .code = MST_UNRESOLVABLE,
            .reason = mst_arena_printf(arena, "parsing pod: %s: invalid label selector", bad),
        };
        return;
    }
    *out = (struct mst_pre_filter){
        .code = MST_SUCCESS,
        .state = mst_ipa_state_new(view, instance, klass, arena),
    };
}

static bool row_changed(const struct mst_view *view, const void *instance, void *state,
                        uint32_t row)
{
    (void)instance;
    return state && mst_ipa_row_changed(view, state, row);
}

static void begin_pick(const struct mst_view *view, const void *instance, void *state)
{
    (void)instance;
    if (state)
        mst_ipa_begin(view, state);
}

static bool skips_pick(const struct mst_view *view, const void *instance, const void *state_)
{
    (void)view;
    (void)instance;
    const struct ipa_state *state = state_;
    return !state || (state->affinity_count == 0 && state->anti_count == 0 &&
                      state->existing_total == 0 && state->hostname_total == 0);
}

/* ---- filter ---- */

MST_VECTOR
static void gather_bits(const uint32_t *restrict table, const uint32_t *restrict domain,
                        uint32_t *restrict bits, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        bits[i] |= table[domain[i]];
}

MST_VECTOR
static void apply_bits(const uint32_t *restrict bits, const mst_verdict *restrict answer,
                       mst_verdict *restrict verdict, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const mst_verdict mine = answer[bits[i]];
        verdict[i] = verdict[i] == MST_VERDICT_OK ? mine : verdict[i];
    }
}

static void filter(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)view;
    (void)instance;
    const struct ipa_state *state = state_;
    if (skips_pick(view, instance, state))
        return;
    mst_verdict answer[IPA_BREAKS_END] = { MST_VERDICT_OK };
    for (uint32_t bits = 1; bits < IPA_BREAKS_END; bits++)
        answer[bits] = bits & IPA_BREAKS_AFFINITY ? reject | AFFINITY | MST_VERDICT_UNRESOLVABLE
                       : bits & IPA_BREAKS_ANTI   ? reject | ANTI
                                                  : reject | EXISTING;
    uint32_t bits[MST_BLOCK_ROWS];
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        memset(bits, 0, n * sizeof(*bits));
        for (uint32_t k = 0; k < state->key_count; k++) {
            const struct ipa_key *key = &state->keys[k];
            if (key->required || key->rejecting)
                gather_bits(key->verdict, key->index.of_row + at, bits, n);
        }
        apply_bits(bits, answer, verdict + at, n);
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    const uint32_t detail = verdict & MST_VERDICT_DETAIL;
    mst_reason_add(out, detail == AFFINITY ? MST_STR("node(s) didn't match pod affinity rules")
                        : detail == ANTI
                            ? MST_STR("node(s) didn't match pod anti-affinity rules")
                            : MST_STR("node(s) didn't satisfy existing pods anti-affinity rules"));
}

/* ---- score ---- */

static void pre_score(const struct mst_view *view, const void *instance_,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    (void)arena;
    const struct ipa_instance *instance = instance_;
    *out = (struct mst_pre_score){ .code = MST_SKIP };
    if (klass->labels == UINT32_MAX)
        return;
    const struct mst_affinity *own = mst_cluster_affinity(view->cluster, klass->affinity);
    if (!instance->ignore_preferred ||
        (own && own->affinity.preferred.n + own->anti.preferred.n > 0))
        out->code = MST_SUCCESS;
}

/* Without a single entry upstream's PreScore skips; an entry of sum 0 is an entry. */
static mst_code pre_score_pick(const struct mst_view *view, const void *instance, void *state_,
                               const mst_verdict *verdict, uint32_t feasible_count)
{
    (void)view;
    (void)instance;
    (void)verdict;
    (void)feasible_count;
    const struct ipa_state *state = state_;
    return state && state->entry_total ? MST_SUCCESS : MST_SKIP;
}

MST_VECTOR
static void gather_scores(const int64_t *restrict table, const uint32_t *restrict domain,
                          int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] += table[domain[i]];
}

static void score(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)view;
    (void)instance;
    const struct ipa_state *state = state_;
    memset(raw + begin, 0, (end - begin) * sizeof(*raw));
    for (uint32_t k = 0; state && k < state->key_count; k++)
        if (state->keys[k].entries)
            gather_scores(state->keys[k].score, state->keys[k].index.of_row + begin, raw + begin,
                          end - begin);
}

/*
 * Upstream's floats are kept: 29 of 100 gives 28. The distances must be below 2^52, where doubles
 * are exact; a sum of weights of at most 100 stays far below.
 */
MST_VECTOR
static void scale(const mst_verdict *verdict, int64_t *raw, struct mst_score_range range,
                  uint32_t n)
{
    const double spread = (double)(range.max - range.min);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t above = verdict[i] == MST_VERDICT_OK ? raw[i] - range.min : 0;
        raw[i] = (int32_t)(100.0 * (mst_small_double(above) / spread));
    }
}

static void normalize_pick(const struct mst_view *view, const void *instance, void *state,
                           const mst_verdict *verdict, int64_t *raw)
{
    (void)instance;
    (void)state;
    const uint32_t n = view->nodes->count;
    const struct mst_score_range range = mst_score_range_of(verdict, raw, INT64_MIN, n);
    if (range.max > range.min)
        scale(verdict, raw, range, n);
    else
        memset(raw, 0, n * sizeof(*raw));
}

/* Nobody looks at the pod's labels if existing pods' preferred terms are not asked for. */
static uint32_t sign(const void *instance_, const struct mst_pod *pod)
{
    const struct ipa_instance *instance = instance_;
    if (pod->spec.pod_affinity.set || pod->spec.pod_anti_affinity.set)
        return 0;
    return instance->ignore_preferred ? MST_SIGNS_NOTHING : MST_SIGNS_LABELS;
}

const struct mst_plugin mst_plugin_inter_pod_affinity = {
    .name = "InterPodAffinity",
    .reads = MST_READS_DOMAIN,
    .signs = MST_SIGNS_LABELS,
    .sign = sign,
    .default_weight = 2,
    .init = init,
    .done = done,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .pre_score = pre_score,
    .score = score,
    .row_changed = row_changed,
    .begin_pick = begin_pick,
    .skips_pick = skips_pick,
    .pre_score_pick = pre_score_pick,
    .normalize_pick = normalize_pick,
    .events = mst_ipa_events,
    .event_count = MST_IPA_EVENT_COUNT,
};
