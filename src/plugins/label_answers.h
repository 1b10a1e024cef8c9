/*
 * label_answers.h - what a class's selectors say of label sets, remembered by label id.
 *
 * A set of bits per id, one bit per selector. Direct mapped: a collision costs a new question, so
 * the size is bounded however many label sets the cluster has.
 */
#ifndef MST_LABEL_ANSWERS_H
#define MST_LABEL_ANSWERS_H

#include "base/mem.h"

enum { MST_LABEL_ANSWERS = 512 };

struct mst_label_answers {
    uint32_t words; /* of an answer */
    uint32_t *id;   /* [slot] id + 1, 0 when free */
    uint64_t *serial, *bits;
};

void mst_label_answers_init(struct mst_label_answers *answers, struct mst_arena *arena,
                            uint32_t bit_count);
void mst_label_answers_clear(struct mst_label_answers *answers);
/* The answer's words; *ret_new: they are all zero and the caller fills them in. */
static inline uint64_t *mst_label_answers_of(struct mst_label_answers *answers, uint32_t id,
                                             uint64_t serial, bool *ret_new)
{
    const uint32_t slot = id % MST_LABEL_ANSWERS;
    uint64_t *bits = answers->bits + (size_t)slot * answers->words;
    *ret_new = answers->id[slot] != id + 1 || answers->serial[slot] != serial;
    if (*ret_new) {
        answers->id[slot] = id + 1;
        answers->serial[slot] = serial;
        memset(bits, 0, answers->words * sizeof(*bits));
    }
    return bits;
}

#endif
