/*
 * fuzz_answer.c - any bytes as the body of a refusal: there is always something to say, and it can
 * be shown.
 */
#include "client/answer.h"
#include "codec/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    MST_AUTO(mst_arena) arena = { 0 };
    MST_AUTO(mst_buf) clean = { 0 };
    struct mst_answer answer;
    mst_answer_read(500, (struct mst_str){ (const char *)bytes, n }, &arena, &answer);
    mst_assert(answer.message.n > 0);
    mst_assert(answer.retry_after_s >= -1);
    for (size_t i = 0; i < answer.message.n; i++)
        mst_assert((unsigned char)answer.message.p[i] >= ' ');
    mst_utf8_clean(answer.message, &clean);
    mst_assert(mst_str_eq(mst_buf_span(&clean), answer.message));
    return 0;
}
