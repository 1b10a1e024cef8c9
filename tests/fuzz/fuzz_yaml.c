/*
 * fuzz_yaml.c - any bytes as a stream of YAML: every document is read or refused with a reason, and
 * what was read survives being written and read again.
 */
#include "codec/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Numbers may change their text once, to the canonical one. */
static void check_same(const struct mst_value *a, const struct mst_value *b, bool numbers)
{
    mst_assert(a->span == b->span);
    for (uint32_t i = 0; i < a->span; i++) {
        mst_assert(a[i].type == b[i].type);
        mst_assert(a[i].span == b[i].span);
        if (a[i].type == MST_NUMBER && !numbers)
            continue;
        mst_assert(a[i].n == b[i].n);
        if (a[i].type == MST_STRING || a[i].type == MST_NUMBER)
            mst_assert(mst_str_eq(mst_value_str(&a[i]), mst_value_str(&b[i])));
    }
}

/* Writes and reads back; NULL when the value has a number that YAML cannot hold. */
static const struct mst_value *round_trip(const struct mst_value *value, struct mst_buf *text,
                                          struct mst_arena *arena, struct mst_diags *diags)
{
    struct mst_err err;
    if (mst_yaml_write(value, text, &err) != MST_OK) {
        mst_assert(err.rc == MST_EINVAL);
        return NULL;
    }
    struct mst_yaml_reader reader;
    mst_yaml_init(&reader, mst_buf_span(text));
    const struct mst_value *again = NULL, *more = NULL;
    mst_assert(mst_yaml_next(&reader, arena, diags, &again) == MST_OK);
    mst_assert(mst_yaml_next(&reader, arena, diags, &more) == MST_ENOTFOUND);
    return again;
}

static void check_round_trips(const struct mst_value *value, struct mst_arena *arena,
                              struct mst_diags *diags)
{
    MST_AUTO(mst_buf) first = { 0 };
    MST_AUTO(mst_buf) second = { 0 };
    const struct mst_value *again = round_trip(value, &first, arena, diags);
    if (!again)
        return;
    check_same(value, again, false);
    const struct mst_value *third = round_trip(again, &second, arena, diags);
    mst_assert(third);
    check_same(again, third, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_diags) diags = { 0 };
    struct mst_yaml_reader reader;
    mst_yaml_init(&reader, (struct mst_str){ (const char *)data, size });
    for (size_t documents = 0;; documents++) {
        mst_assert(documents <= size);
        const struct mst_value *root = NULL;
        uint32_t errors = diags.error_count;
        mst_rc rc = mst_yaml_next(&reader, &arena, &diags, &root);
        mst_assert(diags.error_count == errors + (rc != MST_OK && rc != MST_ENOTFOUND));
        if (rc == MST_ENOTFOUND)
            break;
        if (rc == MST_OK && root->span < 10000)
            check_round_trips(root, &arena, &diags);
    }
    return 0;
}
