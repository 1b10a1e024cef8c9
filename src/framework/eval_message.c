/*
 * eval_message.c - why a pod fits nowhere, in upstream's words.
 *
 * Source: spec/scheduling.md 4.2, plugins.md 2.3; kubernetes v1.37 framework/types.go FitError.
 */
#include "framework/eval_internal.h"

#include "base/sort.h"
#include "base/vector.h"

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

struct mst_str mst_reasons_joined(const struct mst_reasons *reasons, struct mst_arena *arena)
{
    struct mst_str all = MST_STR("");
    for (uint32_t i = 0; i < reasons->n; i++)
        all = i ? mst_arena_printf(arena, "%.*s, %.*s", MST_ARG(all), MST_ARG(reasons->v[i]))
                : reasons->v[i];
    return all;
}

void mst_reason_count(struct mst_reason_counts *counts, struct mst_str reason, uint64_t nodes)
{
    uint64_t n = 0;
    (void)mst_map_get(&counts->map, reason, &n);
    mst_map_set(&counts->map, reason, n + nodes);
}

static void count_reasons(struct mst_reason_counts *h, const struct mst_eval *eval, uint32_t row,
                          mst_verdict verdict, uint64_t nodes)
{
    struct mst_reasons reasons = { .arena = h->arena };
    mst_eval_reasons(eval, row, verdict, &reasons);
    for (uint32_t i = 0; i < reasons.n; i++)
        mst_reason_count(h, reasons.v[i], nodes);
}

enum { RUN_BLOCK = 64 };

MST_VECTOR
static bool block_is(const mst_verdict *verdict, mst_verdict v)
{
    mst_verdict differ = 0;
    for (uint32_t i = 0; i < RUN_BLOCK; i++)
        differ |= verdict[i] ^ v;
    return !differ;
}

/* Where the run of equal verdicts ends that begins at `row`. */
static uint32_t run_end(const mst_verdict *verdict, uint32_t row, uint32_t n)
{
    const mst_verdict v = verdict[row];
    while (row < n) {
        if (row % RUN_BLOCK == 0 && n - row >= RUN_BLOCK && block_is(verdict + row, v))
            row += RUN_BLOCK;
        else if (verdict[row] == v)
            row++;
        else
            break;
    }
    return row;
}

/* Verdicts are few; each distinct one is put into words once. */
static void count_rows(struct mst_reason_counts *h, struct mst_eval *eval, uint64_t *slots)
{
    struct mst_map distinct = { 0 }; /* verdict -> first row << 32 | nodes */
    uint32_t end, n = eval->fw->view.nodes->count;
    for (uint32_t row = 0; row < n; row = end) {
        mst_verdict v = eval->verdict[row];
        bool alone = v & MST_VERDICT_PER_ROW;
        end = alone ? row + 1 : run_end(eval->verdict, row, n);
        if (alone) {
            count_reasons(h, eval, row, v, 1);
            *slots |= (uint64_t)1 << mst_verdict_slot(v);
        } else if (v != MST_VERDICT_OK) {
            struct mst_str key = { (const char *)&v, sizeof(v) };
            uint64_t entry = (uint64_t)row << 32;
            (void)mst_map_get(&distinct, key, &entry);
            mst_map_set(&distinct, key, entry + (end - row));
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

struct mst_str mst_fit_text(struct mst_reason_counts *h, uint32_t node_count)
{
    MST_AUTO(mst_buf) text = { 0 };
    mst_buf_printf(&text, "0/%u nodes are available:", node_count);
    uint32_t n = mst_map_count(&h->map), k = 0;
    struct mst_str *lines = MST_NEW_N(h->arena, struct mst_str, n);
    const struct mst_map_entry *e;
    for (uint32_t at = 0; mst_map_next(&h->map, &at, &e);)
        lines[k++] = mst_arena_printf(h->arena, "%llu %.*s", (unsigned long long)e->value,
                                      (int)e->key_n, e->key);
    mst_sort_strs(lines, n); /* as text: "10 x" before "2 y" */
    for (uint32_t i = 0; i < n; i++)
        mst_buf_printf(&text, "%s%.*s", i ? ", " : " ", MST_ARG(lines[i]));
    if (n)
        mst_buf_char(&text, '.');
    mst_map_done(&h->map);
    return mst_arena_str(h->arena, mst_buf_span(&text));
}

struct mst_str mst_eval_message(struct mst_eval *eval, struct mst_arena *arena, uint64_t *ret_slots)
{
    uint32_t node_count = eval->fw->view.nodes->count;
    *ret_slots = eval->restricting;
    if (eval->pre_code != MST_SUCCESS) {
        if (eval->pre_slot != MST_ROW_NONE)
            *ret_slots |= (uint64_t)1 << eval->pre_slot;
        return mst_arena_printf(arena, "0/%u nodes are available: %.*s.", node_count,
                                MST_ARG(eval->pre_reason));
    }
    struct mst_reason_counts h = { .arena = arena };
    count_rows(&h, eval, ret_slots);
    for (uint32_t i = 0; i < eval->more_reasons.n; i++)
        mst_reason_count(&h, eval->more_reasons.v[i], 1);
    return mst_fit_text(&h, node_count);
}
