/*
 * NodeAffinity - keeps the nodes that the pod's nodeSelector and required node affinity match, and
 * prefers those that its preferred terms match.
 * Reads: class->node_selector, node_affinity; the label columns of their keys, nodes->name.
 * Requeue on: node added, labels changed.
 * Source: kubernetes v1.37 pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go
 */
#include "base/sort.h"
#include "framework/plugin_args.h"
#include "plugins/node_selector.h"
#include "plugins/registry.h"

enum { ENFORCED = 1, POD = 2 };

/* addedAffinity of the profile. */
struct affinity_instance {
    struct mst_arena arena;
    struct mst_node_affinity_args args;
    struct mst_compiled_terms required, preferred;
};

struct affinity_state {
    struct mst_compiled_term pairs; /* nodeSelector */
    bool required_set;
    struct mst_compiled_terms required;
};

/* ---- instance ---- */

static void done(void *instance_)
{
    struct affinity_instance *instance = instance_;
    mst_arena_done(&instance->arena);
    mst_free(instance);
}

static mst_rc init(const struct mst_view *view, const struct mst_value *args, void **ret_instance,
                   struct mst_err *err)
{
    struct affinity_instance *instance = mst_calloc(1, sizeof(*instance));
    struct mst_args_run run;
    mst_args_begin(&run, view->syms, view->gates, &instance->arena);
    mst_args_node_affinity(&run.reader, args, &instance->args);
    mst_rc rc = mst_args_end(&run, err);
    if (rc) {
        done(instance);
        return rc;
    }
    const struct mst_node_affinity *added = &instance->args.added;
    mst_terms_compile(view->syms, &added->required, &instance->arena, &instance->required);
    const struct mst_str bad =
        mst_terms_compile_preferred(view->syms, added, &instance->arena, &instance->preferred);
    mst_assert(!bad.p); /* mst_args_node_affinity checked it */
    *ret_instance = instance;
    return MST_OK;
}

/* ---- pre_filter ---- */

static int by_sym(const void *a_, const void *b_, void *ctx)
{
    (void)ctx;
    const mst_sym a = *(const mst_sym *)a_, b = *(const mst_sym *)b_;
    return (a > b) - (a < b);
}

static void sort_unique(mst_sym_list *list)
{
    mst_sort(list->v, list->n, sizeof(mst_sym), by_sym, NULL);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (n == 0 || list->v[n - 1] != list->v[i])
            list->v[n++] = list->v[i];
    list->n = n;
}

/* Keeps what is in both; both sorted without repeats. */
static void intersect(mst_sym_list *list, const mst_sym_list *other)
{
    uint32_t n = 0, j = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        while (j < other->n && other->v[j] < list->v[i])
            j++;
        if (j < other->n && other->v[j] == list->v[i])
            list->v[n++] = list->v[i];
    }
    list->n = n;
}

/* The names that a term's fields allow, or false when it does not name any. */
static bool term_names(const struct mst_view *view, const struct mst_node_selector_term *term,
                       struct mst_arena *arena, mst_sym_list *out)
{
    bool named = false;
    *out = (mst_sym_list){ 0 };
    for (uint32_t i = 0; i < term->match_fields.n; i++) {
        const struct mst_requirement *r = &term->match_fields.v[i];
        if (r->op != MST_OP_IN || !mst_str_is(mst_sym_str(view->syms, r->key), "metadata.name"))
            continue;
        mst_sym_list values = { MST_NEW_N(arena, mst_sym, r->values.n), r->values.n };
        if (values.n)
            memcpy(values.v, r->values.v, values.n * sizeof(mst_sym));
        sort_unique(&values);
        if (named)
            intersect(out, &values);
        else
            *out = values;
        named = true;
    }
    return named;
}

/* The union over the terms; false when some term allows any name. */
static bool allowed_names(const struct mst_view *view, const struct mst_node_selector *selector,
                          struct mst_arena *arena, mst_sym_list *out)
{
    mst_sym_list *lists = MST_NEW_N(arena, mst_sym_list, selector->terms.n);
    size_t total = 0;
    for (uint32_t i = 0; i < selector->terms.n; i++) {
        if (!term_names(view, &selector->terms.v[i], arena, &lists[i]))
            return false;
        total += lists[i].n;
    }
    *out = (mst_sym_list){ .v = MST_NEW_N(arena, mst_sym, total) };
    for (uint32_t i = 0; i < selector->terms.n; i++)
        for (uint32_t j = 0; j < lists[i].n; j++)
            out->v[out->n++] = lists[i].v[j];
    sort_unique(out);
    return true;
}

static void pre_filter(const struct mst_view *view, const void *instance_,
                       const struct mst_class *klass, struct mst_arena *arena,
                       struct mst_pre_filter *out)
{
    const struct affinity_instance *instance = instance_;
    const struct mst_node_selector *required = &klass->node_affinity.required;
    const bool required_set = klass->node_affinity.set && required->set;
    *out = (struct mst_pre_filter){ .code = MST_SKIP };
    if (!required_set && !instance->args.added.required.set && !klass->node_selector_set)
        return;
    struct affinity_state *state = MST_NEW(arena, struct affinity_state);
    mst_term_compile_pairs(&klass->node_selector, arena, &state->pairs);
    state->required_set = required_set;
    if (required_set)
        mst_terms_compile(view->syms, required, arena, &state->required);
    *out = (struct mst_pre_filter){ .code = MST_SUCCESS, .state = state };

    mst_sym_list names;
    if (!required_set || required->terms.n == 0 || !allowed_names(view, required, arena, &names))
        return;
    if (names.n == 0) {
        out->code = MST_UNRESOLVABLE;
        out->reason = MST_STR("pod affinity terms conflict");
        return;
    }
    out->restrict_names = true;
    out->names = names;
}

/* ---- filter ---- */

static void reject_where(const uint8_t *match, mst_verdict no, mst_verdict *verdict, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const mst_verdict before = verdict[i];
        const bool mine = (before == MST_VERDICT_OK) & (match[i] == 0);
        verdict[i] = mine ? no : before;
    }
}

static void filter(const struct mst_view *view, const void *instance_, void *state_, uint32_t begin,
                   uint32_t end, mst_verdict reject, mst_verdict *verdict)
{
    const struct affinity_instance *instance = instance_;
    const struct affinity_state *state = state_;
    mst_assert(state);
    uint8_t match[MST_BLOCK_ROWS];
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        if (instance->args.added.required.set) {
            mst_terms_match(view->nodes, &instance->required, at, n, match);
            reject_where(match, reject | ENFORCED | MST_VERDICT_UNRESOLVABLE, verdict + at, n);
        }
        if (state->required_set)
            mst_terms_match(view->nodes, &state->required, at, n, match);
        else
            memset(match, 1, n);
        mst_term_and(view->nodes, &state->pairs, at, n, match);
        reject_where(match, reject | POD | MST_VERDICT_UNRESOLVABLE, verdict + at, n);
    }
}

static void explain(const struct mst_view *view, const void *instance, const void *state,
                    uint32_t row, mst_verdict verdict, struct mst_reasons *out)
{
    (void)view;
    (void)instance;
    (void)state;
    (void)row;
    mst_reason_add(out, (verdict & MST_VERDICT_DETAIL) == ENFORCED
                            ? MST_STR("node(s) didn't match scheduler-enforced node affinity")
                            : MST_STR("node(s) didn't match Pod's node affinity/selector"));
}

/* ---- score ---- */

static void pre_score(const struct mst_view *view, const void *instance_,
                      const struct mst_class *klass, struct mst_arena *arena,
                      struct mst_pre_score *out)
{
    const struct affinity_instance *instance = instance_;
    const bool own = klass->node_affinity.set && klass->node_affinity.preferred_set;
    *out = (struct mst_pre_score){ .code = MST_SKIP };
    struct mst_compiled_terms *terms = MST_NEW(arena, struct mst_compiled_terms);
    if (own) {
        const struct mst_str error =
            mst_terms_compile_preferred(view->syms, &klass->node_affinity, arena, terms);
        if (error.p) {
            *out = (struct mst_pre_score){ .code = MST_ERROR, .reason = error };
            return;
        }
    }
    if (!own && instance->args.added.preferred.n == 0)
        return;
    *out = (struct mst_pre_score){
        .code = MST_SUCCESS,
        .state = terms,
        .uniform = terms->n == 0 && instance->preferred.n == 0,
    };
}

static void add_scores(struct mst_nodes *nodes, const struct mst_compiled_terms *terms, uint32_t at,
                       uint32_t n, int64_t *raw)
{
    uint8_t match[MST_BLOCK_ROWS];
    for (uint32_t t = 0; t < terms->n; t++) {
        const int64_t weight = terms->v[t].weight;
        memset(match, 1, n);
        mst_term_and(nodes, &terms->v[t], at, n, match);
        for (uint32_t i = 0; i < n; i++)
            raw[at + i] += match[i] * weight;
    }
}

static void score(const struct mst_view *view, const void *instance_, void *state, uint32_t begin,
                  uint32_t end, int64_t *raw)
{
    const struct affinity_instance *instance = instance_;
    memset(raw + begin, 0, (end - begin) * sizeof(*raw));
    for (uint32_t at = begin; at < end; at += MST_BLOCK_ROWS) {
        const uint32_t n = MST_MIN(end - at, (uint32_t)MST_BLOCK_ROWS);
        add_scores(view->nodes, &instance->preferred, at, n, raw);
        add_scores(view->nodes, state, at, n, raw);
    }
}

/* ---- hint ---- */

static mst_labels facts_labels(const struct mst_node_facts *node)
{
    return (mst_labels){ (struct mst_label *)node->labels.v, node->labels.n };
}

static bool selector_matches(const struct mst_view *view, const struct mst_node_selector *selector,
                             const struct mst_node_facts *node)
{
    for (uint32_t i = 0; i < selector->terms.n; i++)
        if (mst_node_term_matches(view->syms, &selector->terms.v[i], facts_labels(node),
                                  node->name))
            return true;
    return false;
}

static bool pod_matches(const struct mst_view *view, const struct mst_class *klass,
                        const struct mst_node_facts *node)
{
    for (uint32_t i = 0; i < klass->node_selector.n; i++)
        if (mst_labels_get(facts_labels(node), klass->node_selector.v[i].key) !=
            klass->node_selector.v[i].value)
            return false;
    const struct mst_node_affinity *affinity = &klass->node_affinity;
    return !affinity->set || !affinity->required.set ||
           selector_matches(view, &affinity->required, node);
}

static mst_hint node_changed(const struct mst_view *view, const void *instance_, uint32_t pod,
                             const struct mst_class *klass, const struct mst_cluster_event *event)
{
    (void)pod;
    const struct affinity_instance *instance = instance_;
    mst_assert(event->new_node);
    const struct mst_node_selector *added = &instance->args.added.required;
    if (added->set && !selector_matches(view, added, event->new_node))
        return MST_HINT_SKIP;
    if (!pod_matches(view, klass, event->new_node))
        return MST_HINT_SKIP;
    return !event->old_node || !pod_matches(view, klass, event->old_node) ? MST_HINT_QUEUE
                                                                          : MST_HINT_SKIP;
}

static const struct mst_event_registration events[] = {
    { MST_ON_NODE, MST_ACT_ADD | MST_ACT_UPDATE_NODE_LABEL, node_changed },
};

const struct mst_plugin mst_plugin_node_affinity = {
    .name = "NodeAffinity",
    .reads = MST_READS_NODE,
    .signs = MST_SIGNS_NODE_AFFINITY,
    .normalize = MST_NORMALIZE_DEFAULT,
    .default_weight = 2,
    .init = init,
    .done = done,
    .pre_filter = pre_filter,
    .filter = filter,
    .explain = explain,
    .pre_score = pre_score,
    .score = score,
    .events = events,
    .event_count = MST_COUNT(events),
};
