/*
 * label_answers.c - the table of label_answers.h.
 */
#include "plugins/label_answers.h"

void mst_label_answers_init(struct mst_label_answers *answers, struct mst_arena *arena,
                            uint32_t bit_count)
{
    const uint32_t words = (bit_count + 63) / 64;
    *answers = (struct mst_label_answers){
        .words = words,
        .id = MST_NEW_N(arena, uint32_t, MST_LABEL_ANSWERS),
        .serial = mst_arena_alloc(arena, MST_LABEL_ANSWERS * sizeof(uint64_t)),
        .bits = mst_arena_alloc(arena, (size_t)MST_LABEL_ANSWERS * words * sizeof(uint64_t)),
    };
}

void mst_label_answers_clear(struct mst_label_answers *answers)
{
    memset(answers->id, 0, MST_LABEL_ANSWERS * sizeof(*answers->id));
}
