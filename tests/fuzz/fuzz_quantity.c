/* fuzz_quantity.c - any text as a quantity: parse, print, parse again to the same value. */
#include "api/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mst_arena arena = { 0 };
    struct mst_quantity q, again;
    if (mst_quantity_parse((struct mst_str){ (const char *)data, size }, &q, NULL) == MST_OK) {
        struct mst_str kept = mst_quantity_text(&q, &arena);
        mst_assert(!q.kept.p || mst_str_eq(kept, q.kept));
        mst_assert(mst_quantity_parse(kept, &again, NULL) == MST_OK);
        mst_assert(!q.kept.p || mst_quantity_cmp(&q, &again) == 0);
        q.kept = MST_STR_NONE;
        struct mst_str text = mst_quantity_text(&q, &arena);
        mst_assert(text.n <= 64);
        mst_assert(mst_quantity_parse(text, &again, NULL) == MST_OK);
        /* Rounding agrees with the sign, and thousandths with whole units. */
        int64_t value = mst_quantity_value(&q), milli = mst_quantity_milli(&q);
        mst_assert((value > 0) - (value < 0) == mst_quantity_sign(&q));
        mst_assert((milli > 0) - (milli < 0) == mst_quantity_sign(&q));
        struct mst_quantity sum = q;
        mst_quantity_add(&sum, &again);
        mst_quantity_sub(&sum, &again);
    }
    mst_arena_done(&arena);
    return 0;
}
