/*
 * test_queue_members.c - the order of members, and that arrivals and departures keep it.
 */
#include "queue_helper.h"
#include "tap.h"

#include "base/rng.h"

/* A queue whose pods are rows with the given keys; the cluster's rows lend only their names. */
struct key {
    const char *name;
    int32_t priority;
    uint32_t attempts;
    int64_t since_ns;
    uint64_t serial;
};

static void set_key(struct world *w, uint32_t pod, const struct key *key)
{
    struct mst_entity *e = &w->queue->pods.v[pod].e;
    e->priority = key->priority;
    e->attempts = key->attempts;
    e->since_ns = key->since_ns;
    e->since_serial = key->serial;
}

static void test_members_order(struct mst_test *t)
{
    /* In order; every neighbour pair is decided by a different key. */
    static const struct key keys[] = {
        { "h", 10, 0, 9, 9 }, { "g", 5, 3, 9, 9 },  { "f", 5, 2, 1, 9 },  { "e", 5, 2, 2, 1 },
        { "d", 5, 2, 2, 3 },  { "e2", 5, 2, 2, 3 }, { "a", -1, 7, 0, 0 },
    };
    struct world w;
    world_init(&w, false);
    for (size_t i = 0; i < MST_COUNT(keys); i++) {
        uint32_t pod = add(&w, (struct pod_spec){ .name = keys[i].name });
        t_int(t, pod, i);
        set_key(&w, pod, &keys[i]);
    }
    for (uint32_t a = 0; a < MST_COUNT(keys); a++)
        for (uint32_t b = 0; b < MST_COUNT(keys); b++)
            t_bool(t, mst_q_member_before(w.queue, a, b), a < b);
    world_done(&w);
}

/* The naive twin: an array that is searched and shifted. */
static void test_members_random_against_array(struct mst_test *t)
{
    enum { PODS = 200, STEPS = 4000 };
    struct world w;
    world_init(&w, false);
    struct mst_rng rng;
    mst_rng_init(&rng, 7);
    bool in[PODS] = { false };
    for (uint32_t i = 0; i < PODS; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%u", i);
        uint32_t pod = add(&w, (struct pod_spec){ .name = name });
        struct key key = { .priority = (int32_t)mst_rng_below(&rng, 3),
                           .attempts = (uint32_t)mst_rng_below(&rng, 2),
                           .since_ns = (int64_t)mst_rng_below(&rng, 4) };
        set_key(&w, pod, &key);
    }
    struct mst_q_members m = { 0 };
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t pod = (uint32_t)mst_rng_below(&rng, PODS);
        if (in[pod])
            mst_q_members_remove(w.queue, &m, pod);
        else
            mst_q_members_insert(w.queue, &m, pod);
        in[pod] = !in[pod];
        uint32_t count = 0;
        for (uint32_t i = 0; i < PODS; i++)
            count += in[i];
        t_int(t, m.n, count);
        bool sorted = true;
        for (uint32_t i = 0; i < m.n; i++) {
            sorted &= in[mst_q_member(&m, i)];
            sorted &= i == 0 ||
                      mst_q_member_before(w.queue, mst_q_member(&m, i - 1), mst_q_member(&m, i));
        }
        t_ok(t, sorted);
    }
    mst_q_members_done(&m);
    world_done(&w);
}

static void test_members_fill_sorts(struct mst_test *t)
{
    struct world w;
    world_init(&w, false);
    uint32_t pods[4];
    for (uint32_t i = 0; i < 4; i++)
        pods[i] = add(&w, (struct pod_spec){ .name = (const char *[]){ "a", "b", "c", "d" }[i] });
    static const struct {
        const char *name;
        uint32_t order[4];
    } cases[] = { { "in order", { 0, 1, 2, 3 } },
                  { "reversed", { 3, 2, 1, 0 } },
                  { "last first", { 3, 0, 1, 2 } } };
    for (size_t c = 0; c < MST_COUNT(cases); c++) {
        t_case(t, cases[c].name);
        struct mst_q_members m = { 0 };
        uint32_t order[4];
        for (uint32_t i = 0; i < 4; i++)
            order[i] = pods[cases[c].order[i]];
        mst_q_members_fill(w.queue, &m, order, 4);
        for (uint32_t i = 0; i < 4; i++)
            t_int(t, mst_q_member(&m, i), pods[i]);
        mst_q_members_fill(w.queue, &m, order, 0);
        t_int(t, m.n, 0);
        mst_q_members_done(&m);
    }
    world_done(&w);
}

MST_TEST_MAIN(T(test_members_order), T(test_members_random_against_array),
              T(test_members_fill_sorts))
