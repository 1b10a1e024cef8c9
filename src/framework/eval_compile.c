/*
 * eval_compile.c - a class before it meets the nodes: PreFilter, PreScore, and who must be asked.
 *
 * Source: spec/plugins.md 2.1, 2.4.
 */
#include "framework/eval_internal.h"

#include "base/sort.h"

static int compare_syms(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    mst_sym x = *(const mst_sym *)a, y = *(const mst_sym *)b;
    return (x > y) - (x < y);
}

/* Keeps in `names` (sorted) what is also in `other`. */
static void intersect(struct mst_eval *eval, mst_sym_list other)
{
    mst_sym *sorted = MST_NEW_N(&eval->arena, mst_sym, other.n);
    if (other.n)
        memcpy(sorted, other.v, other.n * sizeof(*sorted));
    mst_sort(sorted, other.n, sizeof(*sorted), compare_syms, NULL);
    uint32_t unique = 0;
    for (uint32_t i = 0; i < other.n; i++)
        if (!unique || sorted[unique - 1] != sorted[i])
            sorted[unique++] = sorted[i];
    if (!eval->restricted) {
        eval->restricted = true;
        eval->names = (mst_sym_list){ sorted, unique };
        return;
    }
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < eval->names.n; i++) {
        while (at < unique && sorted[at] < eval->names.v[i])
            at++;
        if (at < unique && sorted[at] == eval->names.v[i])
            eval->names.v[n++] = eval->names.v[i];
    }
    eval->names.n = n;
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "A B" of a set of plugins, sorted. */
static struct mst_str sorted_names(const struct mst_eval *eval, uint64_t slots,
                                   struct mst_arena *arena)
{
    const char *names[MST_SLOTS_MAX];
    uint32_t n = 0;
    for (uint32_t slot = 0; slot < eval->fw->slot_count; slot++)
        if (slots >> slot & 1)
            names[n++] = eval->fw->slots[slot].plugin->name;
    mst_sort(names, n, sizeof(*names), compare_texts, NULL);
    struct mst_str all = MST_STR("");
    for (uint32_t i = 0; i < n; i++)
        all = mst_arena_printf(arena, "%.*s%s%s", MST_ARG(all), i ? " " : "", names[i]);
    return all;
}

struct mst_str mst_eval_restrict_reason(const struct mst_eval *eval, struct mst_arena *arena)
{
    struct mst_str names = sorted_names(eval, eval->restricting | eval->also_restricting, arena);
    return mst_arena_printf(arena, "node(s) didn't satisfy plugin(s) [%.*s]", MST_ARG(names));
}

static void reject_all(struct mst_eval *eval, mst_code code, uint32_t slot, struct mst_str reason)
{
    eval->pre_code = code;
    eval->pre_slot = slot;
    eval->pre_reason = reason;
}

static const char *const lacking[] = {
    "inter-pod affinity", "topology spread constraints", "volumes that need a claim or a device",
    "resource claims",    "declared node features",
};

/* What nobody here can judge is refused, never ignored. */
static bool refuse_missing(struct mst_eval *eval, const struct mst_class *class)
{
    uint32_t missing = class->needs & eval->fw->missing;
    if (!missing)
        return false;
    struct mst_str list = MST_STR("");
    for (uint32_t i = 0; i < MST_COUNT(lacking); i++)
        if (missing >> i & 1)
            list = mst_arena_printf(&eval->arena, "%.*s%s%s", MST_ARG(list), list.n ? ", " : "",
                                    lacking[i]);
    reject_all(
        eval, MST_UNRESOLVABLE, MST_ROW_NONE,
        mst_arena_printf(&eval->arena,
                         "this version of muster does not support %.*s; the pod stays pending",
                         MST_ARG(list)));
    return true;
}

/* One plugin's PreFilter. True: stop asking. */
static bool ask_pre_filter(struct mst_eval *eval, uint32_t slot, const struct mst_class *class)
{
    const struct mst_slot *s = &eval->fw->slots[slot];
    const struct mst_marks *marks = eval->owner->plugin_marks;
    struct mst_pre_filter answer = { .code = MST_SUCCESS };
    mst_mark_begin(marks, MST_PART_PLUGIN);
    s->plugin->pre_filter(&eval->fw->view, s->instance, class, &eval->arena, &answer);
    mst_mark_plugin(marks, MST_PART_PRE_FILTER, s->plugin->name, answer.code);
    eval->filter_state[slot] = answer.state;
    if (s->plugin->row_changed && answer.state &&
        (answer.code == MST_SUCCESS || answer.code == MST_SKIP))
        eval->counting |= (uint64_t)1 << slot;
    switch (answer.code) {
    case MST_SUCCESS:
        if (answer.restrict_names) {
            intersect(eval, answer.names);
            eval->restricting |= (uint64_t)1 << slot;
        }
        return false;
    case MST_SKIP: eval->skipped |= (uint64_t)1 << slot; return false;
    case MST_UNSCHEDULABLE:
        reject_all(eval, answer.code, slot, answer.reason);
        return false; /* the rest is asked: one of them may be unresolvable */
    case MST_UNRESOLVABLE: reject_all(eval, answer.code, slot, answer.reason); return true;
    case MST_ERROR:
    case MST_WAIT:
    case MST_PENDING:
        reject_all(eval, MST_ERROR, slot,
                   mst_arena_printf(&eval->arena, "running PreFilter plugin \"%s\": %.*s",
                                    s->plugin->name, MST_ARG(answer.reason)));
        return true;
    }
    return true;
}

static void run_pre_filters(struct mst_eval *eval, const struct mst_class *class)
{
    if (refuse_missing(eval, class))
        return;
    for (uint32_t i = 0; i < eval->fw->pre_filter_count; i++)
        if (ask_pre_filter(eval, eval->fw->pre_filter[i], class))
            return;
    if (eval->pre_code != MST_SUCCESS || !eval->restricted)
        return;
    if (eval->names.n)
        return;
    bool one = __builtin_popcountll(eval->restricting) == 1;
    struct mst_str names = sorted_names(eval, eval->restricting, &eval->arena);
    reject_all(eval, MST_UNRESOLVABLE, MST_ROW_NONE,
               one ? mst_arena_printf(&eval->arena, "node(s) didn't satisfy plugin %.*s",
                                      MST_ARG(names))
                   : mst_arena_printf(&eval->arena,
                                      "node(s) didn't satisfy plugin(s) [%.*s] simultaneously",
                                      MST_ARG(names)));
}

int64_t mst_normalized_score(mst_normalize how, int64_t raw, int64_t max)
{
    if (max == 0)
        return how == MST_NORMALIZE_REVERSED ? 100 : raw;
    int64_t score = (int64_t)(100 * (uint64_t)raw) / max;
    return how == MST_NORMALIZE_REVERSED ? 100 - score : score;
}

/* Every row has this raw score, so the maximum is known without looking at rows. */
static void add_uniform(struct mst_eval *eval, uint32_t slot, int64_t raw)
{
    const struct mst_slot *s = &eval->fw->slots[slot];
    eval->uniform[slot] = true;
    eval->uniform_raw[slot] = raw;
    int64_t final = raw;
    if (s->plugin->normalize != MST_NORMALIZE_NONE)
        final = mst_normalized_score(s->plugin->normalize, raw, MST_MAX(raw, 0));
    eval->constant += final * s->weight;
}

static void ask_pre_score(struct mst_eval *eval, uint32_t slot, const struct mst_class *class,
                          bool enabled)
{
    const struct mst_slot *s = &eval->fw->slots[slot];
    const struct mst_marks *marks = eval->owner->plugin_marks;
    struct mst_pre_score answer = { .code = MST_SUCCESS };
    if (enabled && s->plugin->pre_score) {
        mst_mark_begin(marks, MST_PART_PLUGIN);
        s->plugin->pre_score(&eval->fw->view, s->instance, class, &eval->arena, &answer);
        mst_mark_plugin(marks, MST_PART_PRE_SCORE, s->plugin->name, answer.code);
    }
    if (answer.code == MST_SKIP)
        return;
    if (answer.code != MST_SUCCESS) {
        eval->pre_score_failed = true;
        if (eval->pre_code == MST_SUCCESS)
            reject_all(eval, MST_ERROR, slot,
                       mst_arena_printf(&eval->arena, "running PreScore plugin \"%s\": %.*s",
                                        s->plugin->name, MST_ARG(answer.reason)));
        return;
    }
    eval->score_state[slot] = answer.state;
    eval->scored |= (uint64_t)1 << slot;
    if (eval->counting >> slot & 1) {
        mst_assert(eval->domain_score_count < MST_DOMAIN_SCORES_MAX);
        eval->domain_scores[eval->domain_score_count++].slot = slot;
    } else if (answer.uniform) {
        add_uniform(eval, slot, answer.uniform_score);
    } else if (s->plugin->normalize == MST_NORMALIZE_NONE) {
        eval->adders[eval->adder_count++] = (uint8_t)slot;
    } else {
        mst_assert(eval->normalized_count < MST_NORMALIZED_MAX);
        eval->normalized[eval->normalized_count++].slot = slot;
    }
}

static bool pre_score_enabled(const struct mst_framework *fw, uint32_t slot)
{
    for (uint32_t i = 0; i < fw->pre_score_count; i++)
        if (fw->pre_score[i] == slot)
            return true;
    return false;
}

uint64_t mst_eval_generation(const struct mst_framework *fw, const struct mst_class *class)
{
    uint64_t mixed = 0;
    for (uint32_t i = 0; i < fw->generation_count; i++)
        mixed =
            mst_hash_mix(mixed, fw->slots[fw->generation[i]].plugin->generation(&fw->view, class));
    return mixed;
}

/* Node-local filters and those that count pods, each in the configured order. */
static void order_filters(struct mst_eval *eval)
{
    const struct mst_framework *fw = eval->fw;
    for (uint32_t i = 0; i < fw->filter_count; i++) {
        uint8_t slot = fw->filter[i];
        eval->may_err |= fw->slots[slot].plugin->errs && !(eval->skipped >> slot & 1);
        eval->filter_place[slot] = (uint8_t)i;
        if (eval->counting >> slot & 1) {
            eval->domain_filters[eval->domain_filter_count++] = slot;
        } else if (!(eval->skipped >> slot & 1)) {
            eval->filters[eval->filter_count++] = slot;
            eval->filters_after_domain |= eval->domain_filter_count > 0;
        }
    }
}

void mst_eval_compile(struct mst_eval *eval, const struct mst_framework *fw, uint32_t class_id)
{
    const struct mst_class *class = mst_cluster_class(fw->view.cluster, class_id);
    eval->fw = fw;
    eval->compiled = ++eval->owner->compilations;
    eval->class_id = class_id;
    eval->class_serial = class->serial;
    eval->set_generation = fw->view.nodes->set_generation;
    eval->image_generation = fw->view.nodes->image_generation;
    eval->taint_set_count = fw->view.nodes->taint_sets.n;
    eval->plugin_generation = mst_eval_generation(fw, class);
    eval->pre_code = MST_SUCCESS;
    eval->pre_slot = MST_ROW_NONE;
    const struct mst_marks *marks = eval->owner->marks;
    mst_mark_go(marks, MST_PART_PRE_FILTER);
    run_pre_filters(eval, class);
    mst_mark_halt(marks, MST_PART_PRE_FILTER);
    if (eval->pre_code != MST_SUCCESS)
        return; /* one answer for all nodes; some plugins have no state to be asked with */
    order_filters(eval);
    mst_mark_go(marks, MST_PART_PRE_SCORE);
    for (uint32_t i = 0; i < fw->score_count; i++)
        ask_pre_score(eval, fw->score[i], class, pre_score_enabled(fw, fw->score[i]));
    mst_mark_halt(marks, MST_PART_PRE_SCORE);
    if (!fw->score_count)
        eval->constant = 1; /* without any Score plugin every node gets 1 */
}
