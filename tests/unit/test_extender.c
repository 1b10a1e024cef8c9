/* Questions and answers of one attempt: what is kept, what is dropped, when there are too many. */
#include <stdio.h>

#include "framework/extender.h"
#include "tap.h"

struct book {
    struct mst_config config;
    struct mst_cfg_extender extenders[2];
    struct mst_asks asks;
};

static void open_book(struct book *b)
{
    *b = (struct book){ .extenders = { { .verbs = { [MST_VERB_FILTER] = { "f", 1 } } },
                                       { .verbs = { [MST_VERB_BIND] = { "b", 1 } } } } };
    b->config.extenders.v = b->extenders;
    b->config.extenders.n = 2;
    mst_asks_init(&b->asks, &b->config);
}

static struct mst_extender_call call_for(struct book *b, const char *uid, struct mst_str *nodes,
                                         uint32_t n)
{
    return (struct mst_extender_call){ .extender = &b->extenders[0],
                                       .verb = MST_VERB_FILTER,
                                       .pod = { MST_STR("ns"), MST_STR("p"), mst_str_of(uid) },
                                       .nodes = { nodes, n } };
}

static void test_asks_same_question_same_answer(struct mst_test *t)
{
    struct book b;
    struct mst_str nodes[] = { { "n1", 2 }, { "n2", 2 } };
    open_book(&b);
    const struct mst_extender_call both = call_for(&b, "u", nodes, 2),
                                   one = call_for(&b, "u", nodes, 1),
                                   other = call_for(&b, "v", nodes, 2);
    mst_asks_begin(&b.asks, 1, 1);
    t_ok(t, mst_asks_get(&b.asks, &both) == NULL);
    t_ok(t, mst_asks_get(&b.asks, &both) == NULL);
    t_int(t, b.asks.open, 1);
    struct mst_ask *ask = mst_asks_unsent(&b.asks);
    ask->id = 7;
    t_ok(t, mst_asks_unsent(&b.asks) == NULL);
    t_bool(t, mst_asks_answer(&b.asks, 8, false, MST_STR("{}")), false);
    t_bool(t, mst_asks_answer(&b.asks, 7, false, MST_STR("{\"Error\":\"e\"}")), true);
    t_bool(t, mst_asks_answer(&b.asks, 7, false, MST_STR("{}")), false); /* once */
    t_int(t, b.asks.open, 0);
    mst_asks_begin(&b.asks, 1, 1);
    t_str(t, mst_asks_get(&b.asks, &both)->error, "e");
    t_ok(t, mst_asks_get(&b.asks, &one) == NULL);
    t_ok(t, mst_asks_get(&b.asks, &other) == NULL);
    t_int(t, b.asks.open, 2);
    mst_asks_done(&b.asks);
}

static void test_asks_failure(struct mst_test *t)
{
    struct book b;
    struct mst_str node = MST_STR("n1");
    open_book(&b);
    const struct mst_extender_call call = call_for(&b, "u", &node, 1);
    mst_asks_begin(&b.asks, 1, 1);
    t_ok(t, mst_asks_get(&b.asks, &call) == NULL);
    mst_asks_unsent(&b.asks)->id = 1;
    t_bool(t, mst_asks_answer(&b.asks, 1, true, MST_STR("no route")), true);
    t_str(t, mst_asks_get(&b.asks, &call)->error, "no route");
    mst_asks_done(&b.asks);
}

static void test_asks_are_forgotten(struct mst_test *t)
{
    struct book b;
    struct mst_str node = MST_STR("n1");
    open_book(&b);
    const struct mst_extender_call u = call_for(&b, "u", &node, 1), v = call_for(&b, "v", &node, 1);
    mst_asks_begin(&b.asks, 1, 2);
    t_ok(t, !mst_asks_get(&b.asks, &u) && !mst_asks_get(&b.asks, &v));
    mst_asks_unsent(&b.asks)->id = 1;
    mst_asks_unsent(&b.asks)->id = 2;
    mst_asks_pod_changed(&b.asks, MST_STR("u"));
    t_int(t, b.asks.open, 1);
    t_bool(t, mst_asks_answer(&b.asks, 1, false, MST_STR("{}")), false);
    t_bool(t, mst_asks_answer(&b.asks, 2, false, MST_STR("{}")), true);
    t_ok(t, mst_asks_get(&b.asks, &v) != NULL);
    t_ok(t, mst_asks_get(&b.asks, &u) == NULL); /* asked anew */
    t_int(t, b.asks.open, 1);
    mst_asks_begin(&b.asks, 2, 2); /* somebody else's attempt */
    t_int(t, b.asks.open, 0);
    t_ok(t, mst_asks_get(&b.asks, &v) == NULL);
    mst_asks_end(&b.asks);
    t_int(t, b.asks.open, 0);
    mst_asks_done(&b.asks);
}

static void test_asks_are_bounded(struct mst_test *t)
{
    struct book b;
    open_book(&b);
    mst_asks_begin(&b.asks, 1, 1);
    const uint32_t max = 2 * MST_VERB_COUNT * (1 + MST_ASKS_RESTARTS_MAX);
    for (uint32_t i = 0; i <= max; i++) {
        char name[16];
        struct mst_str node = { name, (size_t)snprintf(name, sizeof(name), "n%u", i) };
        const struct mst_extender_call call = call_for(&b, "u", &node, 1);
        const struct mst_extender_answer *answer = mst_asks_get(&b.asks, &call);
        t_bool(t, answer != NULL, i == max);
    }
    mst_asks_done(&b.asks);
}

static void test_asks_binder(struct mst_test *t)
{
    struct book b;
    open_book(&b);
    t_int(t, mst_extender_binder(&b.config, 3), 1);
    t_int(t, mst_extender_binder(&b.config, 1), UINT32_MAX);
    mst_asks_done(&b.asks);
}

MST_TEST_MAIN(T(test_asks_same_question_same_answer), T(test_asks_failure),
              T(test_asks_are_forgotten), T(test_asks_are_bounded), T(test_asks_binder))
