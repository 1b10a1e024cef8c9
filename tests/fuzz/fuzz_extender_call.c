/*
 * fuzz_extender_call.c - any bytes as the answer of an extender, for every verb: no crash, and
 * either an error or an answer, never half of one.
 */
#include "framework/extender_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void read_as(mst_extender_verb verb, bool node_cache, struct mst_str body)
{
    MST_AUTO(mst_arena) arena = { 0 };
    struct mst_extender_answer answer;
    const struct mst_cfg_extender extender = { .node_cache = node_cache };
    const struct mst_extender_call call = { .extender = &extender, .verb = verb };
    mst_extender_read(&call, body, &arena, &answer);
    mst_assert(verb == MST_VERB_FILTER || answer.nodes.n + answer.failed.n == 0);
    mst_assert(!answer.error.p || answer.nodes.n + answer.failed.n == 0);
    for (uint32_t i = 0; i < answer.nodes.n; i++)
        mst_assert(answer.nodes.v[i].p);
    for (uint32_t i = 0; i < answer.failed.n; i++)
        mst_assert(answer.failed.v[i].node.p && answer.failed.v[i].text.p);
    for (uint32_t i = 0; i < answer.scores.n; i++)
        mst_assert(answer.scores.v[i].node.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const struct mst_str body = { (const char *)bytes, n };
    for (int verb = 0; verb < MST_VERB_COUNT; verb++)
        read_as((mst_extender_verb)verb, n & 1, body);
    return 0;
}
