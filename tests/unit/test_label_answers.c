/*
 * test_label_answers.c - answers by label id: kept, told apart by their lives, pushed out by
 * others.
 */
#include "plugins/label_answers.h"

#include "tap.h"

static void test_answers_are_kept_and_told_apart(struct mst_test *t)
{
    struct mst_arena arena = { 0 };
    struct mst_label_answers answers;
    bool is_new;
    mst_label_answers_init(&answers, &arena, 70);
    uint64_t *bits = mst_label_answers_of(&answers, 0, 9, &is_new);
    t_bool(t, is_new, true);
    t_int(t, bits[0] | bits[1], 0);
    bits[1] = 5;
    t_int(t, mst_label_answers_of(&answers, 0, 9, &is_new)[1], 5);
    t_bool(t, is_new, false);
    t_int(t, mst_label_answers_of(&answers, 0, 10, &is_new)[1], 0); /* another life of the id */
    t_bool(t, is_new, true);
    mst_label_answers_of(&answers, 3, 11, &is_new)[0] = 1;
    (void)mst_label_answers_of(&answers, 3 + MST_LABEL_ANSWERS, 12, &is_new);
    t_bool(t, is_new, true);
    (void)mst_label_answers_of(&answers, 3, 11, &is_new);
    t_bool(t, is_new, true);
    mst_label_answers_clear(&answers);
    (void)mst_label_answers_of(&answers, 3, 11, &is_new);
    t_bool(t, is_new, true);
    mst_arena_done(&arena);
}

MST_TEST_MAIN(T(test_answers_are_kept_and_told_apart))
