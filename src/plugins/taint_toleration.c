/*
 * TaintToleration - refuses nodes with a NoSchedule or NoExecute taint that the pod does not
 * tolerate, and prefers nodes with few PreferNoSchedule taints of that kind.
 * Reads: class->tolerations, nodes->taint_set.  Requeue on: node added, taints changed, toleration
 * added to the pod.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go
 *
 * Nodes share few sets of taints, so a class keeps one answer per set; a row costs one look-up.
 * Sets that appear after the state was made are judged when they are first met.
 */
#include "plugins/registry.h"
#include "plugins/vector.h"

struct taint_state {
    const struct mst_class *klass;
    struct mst_arena *arena;
    uint32_t *answer; /* [set]: filter: not tolerated; score: number of taints that bite */
    uint32_t known, cap;
    uint32_t largest; /* of the answers known */
    uint32_t bits;    /* bit i: answer[i] is not 0, for the first 32 sets */
};

/* So many sets fit in a word, which vector code can look up: most clusters have no more. */
enum { SETS_IN_WORD = 32 };

static bool class_tolerates(const struct mst_view *view, const struct mst_class *klass,
                            const struct mst_taint *taint, bool prefer_only)
{
    const mst_sym prefer = mst_sym_of_text(view->syms, "PreferNoSchedule");
    const bool comparison = view->gates->on[MST_GATE_TaintTolerationComparisonOperators];
    for (uint32_t i = 0; i < klass->tolerations.n; i++) {
        const struct mst_toleration *t = &klass->tolerations.v[i];
        if (prefer_only && t->effect > MST_SYM_EMPTY && t->effect != prefer)
            continue;
        if (mst_toleration_tolerates(view->syms, t, taint, comparison))
            return true;
    }
    return false;
}

/* Some taint of the set keeps the class away. */
static bool set_rejects(const struct mst_view *view, const struct mst_class *klass,
                        struct mst_taint_set set)
{
    const mst_sym no_schedule = mst_sym_of_text(view->syms, "NoSchedule");
    const mst_sym no_execute = mst_sym_of_text(view->syms, "NoExecute");
    for (uint32_t i = 0; i < set.n; i++) {
        const struct mst_taint *taint = &set.v[i];
        if (taint->effect != no_schedule && taint->effect != no_execute)
            continue;
        if (!class_tolerates(view, klass, taint, false))
            return true;
    }
    return false;
}

static uint32_t set_dislikes(const struct mst_view *view, const struct mst_class *klass,
                             struct mst_taint_set set)
{
    const mst_sym prefer = mst_sym_of_text(view->syms, "PreferNoSchedule");
    uint32_t count = 0;
    for (uint32_t i = 0; i < set.n; i++)
        count += set.v[i].effect == prefer && !class_tolerates(view, klass, &set.v[i], true);
    return count;
}

/* Answers for all sets there are now. Growth doubles: the arena holds at most twice the table. */
static void learn_sets(const struct mst_view *view, struct taint_state *state, bool scoring)
{
    const uint32_t n = view->nodes->taint_sets.n;
    if (n > state->cap) {
        const uint32_t cap = MST_MAX(n, state->cap * 2);
        uint32_t *answer = MST_NEW_N(state->arena, uint32_t, cap);
        if (state->known)
            memcpy(answer, state->answer, state->known * sizeof(*answer));
        state->answer = answer;
        state->cap = cap;
    }
    for (uint32_t i = state->known; i < n; i++) {
        const struct mst_taint_set set = view->nodes->taint_sets.v[i];
        state->answer[i] =
            scoring ? set_dislikes(view, state->klass, set) : set_rejects(view, state->klass, set);
        state->largest = MST_MAX(state->largest, state->answer[i]);
        if (i < SETS_IN_WORD)
            state->bits |= (uint32_t)(state->answer[i] != 0) << i;
    }
    state->known = n;
}

static struct taint_state *new_state(const struct mst_view *view, const struct mst_class *klass,
                                     struct mst_arena *arena, bool scoring)
{
    struct taint_state *state = MST_NEW(arena, struct taint_state);
    state->klass = klass;
    state->arena = arena;
    learn_sets(view, state, scoring);
    return state;
}

static void pre_filter(const struct mst_view *view, const void *instance,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    (void)instance;
    *out = (struct mst_pre_filter){
        .code = MST_SUCCESS,
        .state = new_state(view, klass, arena, false),
    };
}

/* Sets below SETS_IN_WORD. */
MST_VECTOR
static void filter_bits(const uint32_t *set, uint32_t bits, mst_verdict no,
                        mst_verdict *restrict verdict, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const mst_verdict mine = no & -(bits >> set[i] & 1);
        verdict[i] = verdict[i] == MST_VERDICT_OK ? mine : verdict[i];
    }
}

MST_VECTOR
static void score_bits(const uint32_t *set, uint32_t bits, int64_t *restrict raw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        raw[i] = bits >> set[i] & 1;
}

static void filter(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    (void)instance;
    struct taint_state *state = state_;
    learn_sets(view, state, false);
    if (state->largest == 0)
        return;
    const uint32_t *set = view->nodes->taint_set;
    const uint32_t *answer = state->answer;
    const mst_verdict no = reject | 1 | MST_VERDICT_UNRESOLVABLE;
    if (state->known <= SETS_IN_WORD) {
        filter_bits(set + begin, state->bits, no, verdict + begin, end - begin);
        return;
    }
    for (uint32_t i = begin; i < end; i++) {
        const mst_verdict before = verdict[i];
        const bool mine = (before == MST_VERDICT_OK) & (answer[set[i]] != 0);
        verdict[i] = mine ? no : before;
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    (void)verdict;
    mst_reason_add(out, MST_STR("node(s) had untolerated taint(s)"));
}

static void pre_score(const struct mst_view *view, const void *instance,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    (void)instance;
    struct taint_state *state = new_state(view, klass, arena, true);
    *out = (struct mst_pre_score){
        .code = MST_SUCCESS,
        .state = state,
        .uniform = state->largest == 0,
    };
}

static void score(const struct mst_view *view, const void *instance, void *state_, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    (void)instance;
    struct taint_state *state = state_;
    learn_sets(view, state, true);
    if (state->largest == 0) {
        memset(raw + begin, 0, (end - begin) * sizeof(*raw));
        return;
    }
    const uint32_t *set = view->nodes->taint_set;
    const uint32_t *answer = state->answer;
    if (state->known <= SETS_IN_WORD && state->largest == 1) {
        score_bits(set + begin, state->bits, raw + begin, end - begin);
        return;
    }
    for (uint32_t i = begin; i < end; i++)
        raw[i] = answer[set[i]];
}

static mst_hint node_changed(const struct mst_view *view, const void *instance, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)instance;
    (void)pod;
    mst_assert(event->new_node);
    const bool was_kept_away =
        !event->old_node || set_rejects(view, klass, event->old_node->taints);
    return was_kept_away && !set_rejects(view, klass, event->new_node->taints) ? MST_HINT_QUEUE
                                                                               : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_TAINT, node_changed },
    { MST_ON_TARGET_POD, MST_ACT_UPDATE_POD_TOLERATION, NULL },
};

const struct mst_plugin mst_plugin_taint_toleration = {
    .name = "TaintToleration",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_TOLERATIONS,
    .normalize = MST_NORMALIZE_REVERSED,
    .default_weight = 3,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .pre_score = pre_score,
    .score = score,
    .events = events,
    .event_count = MST_COUNT(events),
};
