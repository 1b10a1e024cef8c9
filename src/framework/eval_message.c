/*
 * eval_message.c - why a pod fits nowhere, in upstream's words.
 *
 * Source: spec/scheduling.md 4.2, plugins.md 2.3; kubernetes v1.37 framework/types.go FitError.
 */
#include "framework/eval_internal.h"

#include "base/sort.h"

const char *mst_eval_rejecter(const struct mst_eval *eval, mst_verdict verdict)
{
    uint32_t slot = mst_verdict_slot(verdict);
    return slot == MST_SLOT_PRE_FILTER_RESULT ? "PreFilterResult"
                                              : mst_framework_slot_name(eval->fw, slot);
}

bool mst_eval_is_error(const struct mst_eval *eval, mst_verdict verdict)
{
    const uint32_t slot = mst_verdict_slot(verdict);
    return verdict != MST_VERDICT_OK && slot < MST_SLOTS_MAX &&
           eval->fw->slots[slot].plugin->errs && (verdict & MST_VERDICT_ERROR) == MST_VERDICT_ERROR;
}

void mst_eval_reasons(const struct mst_eval *eval, uint32_t row, mst_verdict verdict,
                      struct mst_reasons *out)
{
    uint32_t slot = mst_verdict_slot(verdict);
    if (slot == MST_SLOT_PRE_FILTER_RESULT) {
        mst_reason_add(out, mst_eval_restrict_reason(eval, out->arena));
        return;
    }
    const struct mst_slot *s = &eval->fw->slots[slot];
    s->plugin->explain(&eval->fw->view, s->instance, eval->filter_state[slot], row, verdict, out);
}

/* Nodes per reason, in order of first appearance. */
struct histogram {
    struct mst_map count;
    struct mst_arena *arena;
};

static void count_reasons(struct histogram *h, const struct mst_eval *eval, uint32_t row,
                          mst_verdict verdict, uint64_t nodes)
{
    struct mst_reasons reasons = { .arena = h->arena };
    mst_eval_reasons(eval, row, verdict, &reasons);
    for (uint32_t i = 0; i < reasons.n; i++) {
        uint64_t n = 0;
        (void)mst_map_get(&h->count, reasons.v[i], &n);
        mst_map_set(&h->count, reasons.v[i], n + nodes);
    }
}

/* Verdicts are few; each distinct one is put into words once. */
static void count_rows(struct histogram *h, struct mst_eval *eval, uint64_t *slots)
{
    struct mst_map distinct = { 0 }; /* verdict -> first row << 32 | nodes */
    mst_verdict last = MST_VERDICT_OK;
    uint64_t run = 0;
    uint32_t run_row = 0;
    for (uint32_t row = 0; row <= eval->fw->view.nodes->count; row++) {
        bool end = row == eval->fw->view.nodes->count;
        mst_verdict v = end ? MST_VERDICT_OK : eval->verdict[row];
        if (v == last && !end) {
            run++;
            continue;
        }
        if (last != MST_VERDICT_OK) {
            struct mst_str key = { (const char *)&last, sizeof(last) };
            uint64_t entry = (uint64_t)run_row << 32;
            (void)mst_map_get(&distinct, key, &entry);
            mst_map_set(&distinct, key, entry + run);
        }
        last = v;
        run = 1;
        run_row = row;
        if (v & MST_VERDICT_PER_ROW) {
            count_reasons(h, eval, row, v, 1);
            *slots |= (uint64_t)1 << mst_verdict_slot(v);
            last = MST_VERDICT_OK;
        }
    }
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&distinct, &at, &e);) {
        mst_verdict v;
        memcpy(&v, e->key, sizeof(v));
        count_reasons(h, eval, (uint32_t)(e->value >> 32), v, (uint32_t)e->value);
        if (mst_verdict_slot(v) < MST_SLOTS_MAX)
            *slots |= (uint64_t)1 << mst_verdict_slot(v);
    }
    mst_map_done(&distinct);
}

static int compare_strs(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return mst_str_cmp(*(const struct mst_str *)a, *(const struct mst_str *)b);
}

static void put_histogram(struct histogram *h, struct mst_buf *out)
{
    uint32_t n = mst_map_count(&h->count), k = 0;
    if (!n)
        return;
    struct mst_str *lines = MST_NEW_N(h->arena, struct mst_str, n);
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&h->count, &at, &e);)
        lines[k++] = mst_arena_printf(h->arena, "%llu %.*s", (unsigned long long)e->value,
                                      (int)e->key_n, e->key);
    mst_sort(lines, n, sizeof(*lines), compare_strs, NULL); /* as text: "10 x" before "2 y" */
    for (uint32_t i = 0; i < n; i++)
        mst_buf_printf(out, "%s%.*s", i ? ", " : " ", MST_ARG(lines[i]));
    mst_buf_char(out, '.');
}

struct mst_str mst_eval_message(struct mst_eval *eval, struct mst_arena *arena, uint64_t *ret_slots)
{
    *ret_slots = eval->restricting;
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "0/%u nodes are available:", eval->fw->view.nodes->count);
    if (eval->pre_code != MST_SUCCESS) {
        if (eval->pre_slot != MST_ROW_NONE)
            *ret_slots |= (uint64_t)1 << eval->pre_slot;
        mst_buf_printf(&text, " %.*s.", MST_ARG(eval->pre_reason));
        return mst_arena_str(arena, mst_buf_span(&text));
    }
    struct histogram h = { .arena = arena };
    count_rows(&h, eval, ret_slots);
    put_histogram(&h, &text);
    mst_map_done(&h.count);
    return mst_arena_str(arena, mst_buf_span(&text));
}
